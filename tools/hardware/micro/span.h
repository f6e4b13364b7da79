// span.h: cycles of the warps of one block, for the microbenchmarks of one SM. A kernel notes each warp's start and end
// in spans(); the cost of one step is the slope between a low and a high number of steps.
#ifndef SLUICE_HARDWARE_SPAN_H
#define SLUICE_HARDWARE_SPAN_H

#include "kit.h"

#ifdef __CUDA_ARCH__
#define HERE (__CUDA_ARCH__ / 10)
#else
#define HERE 0
#endif

namespace kit
{

typedef unsigned long long u64;

// Start and end of up to 32 warps.
inline u64 *spans()
{
	static u64 *data = allocate<u64>(64);
	return data;
}

__device__ inline void note(u64 *spans, u64 start, u64 end)
{
	if (threadIdx.x % 32 == 0) {
		spans[threadIdx.x / 32 * 2] = start;
		spans[threadIdx.x / 32 * 2 + 1] = end;
	}
}

__device__ inline unsigned shared_address(const void *pointer)
{
	return (unsigned)__cvta_generic_to_shared(pointer);
}

static __global__ void compiled_arch(int *arch)
{
	*arch = HERE;
}

// The lower one of the device's and the compiled code's architecture: 90 for sm_90.
inline int arch()
{
	static int compiled = 0;
	if (!compiled) {
		int *answer = allocate<int>(1);
		compiled_arch<<<1, 1>>>(answer);
		finish();
		compiled = read(answer, 1)[0];
	}
	return std::min(compiled, device().major * 10 + device().minor);
}

// Waits for a launch. A failed one is noted; when the device is lost for this process, the program ends.
inline bool done(const char *what)
{
	bool good = succeeded(what);
	if (!good && !answers()) {
		fprintf(stderr, "%s: the device does not answer any more\n", what);
		exit(EXIT_FAILURE);
	}
	return good;
}

// Cycles from the first warp's start to the last warp's end in one launch; negative if it failed.
template <typename Launch> double span(const char *what, Launch launch)
{
	CHECK(cudaMemset(spans(), 0, 64 * sizeof(u64)));
	launch();
	if (!done(what))
		return -1;
	std::vector<u64> noted = read(spans(), 64);
	u64 first = ~0ull, last = 0;
	for (size_t i = 0; i < noted.size(); i += 2) {
		if (!noted[i])
			continue;
		first = std::min(first, noted[i]);
		last = std::max(last, noted[i + 1]);
	}
	return last > first ? (double)(last - first) : 0;
}

// `repeats` samples of the cycles that one step adds: launch(steps) runs the kernel. Empty if a launch failed.
template <typename Launch>
std::vector<double> slope(const char *what, Launch launch, unsigned low, unsigned high, int repeats)
{
	std::vector<double> samples;
	for (int i = -1; i < repeats; i++) {
		double few = span(what, [&] { launch(low); });
		double many = few < 0 ? -1 : span(what, [&] { launch(high); });
		if (many < 0)
			return std::vector<double>();
		if (i >= 0)
			samples.push_back((many - few) / (high - low));
	}
	return samples;
}

inline void print(const char *part, const std::string &measure, const std::string &parameters,
                  const std::vector<double> &samples, const char *unit)
{
	if (samples.empty())
		fprintf(stderr, "%s: no value for %s %s\n", part, measure.c_str(), parameters.c_str());
	else
		row(part, measure, parameters, samples, unit);
}

} // namespace kit

#endif
