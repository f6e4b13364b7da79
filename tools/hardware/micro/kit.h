// kit.h: what the microbenchmarks of the hardware kit share. A microbenchmark prints rows of the kit's CSV:
//
//   part,measure,parameters,value,unit,repeats,lowest,highest
//
// `value` is the median of the repeats. `parameters` holds NAME=VALUE pairs, separated by blanks. Plain CUDA C++: nvcc
// and sluice's toolkit both compile it.
//
// The cost of one step is the difference of two kernels that differ only in the number of steps, divided by the
// difference of steps: start, end and clock reads cancel.
#ifndef SLUICE_HARDWARE_KIT_H
#define SLUICE_HARDWARE_KIT_H

#include "../../../programs/program.h" // CHECK

#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#define X4(step)  step step step step
#define X16(step) X4(X4(step))
#define X64(step) X16(X4(step))

namespace kit {

// Cycles of the SM's clock.
__device__ inline unsigned long long cycles()
{
	unsigned long long now;
	asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
	return now;
}

// Nanoseconds of the clock that all SMs share. Its step is 32 ns or more on most cards.
__device__ inline unsigned long long nanoseconds()
{
	unsigned long long now;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
	return now;
}

__device__ inline unsigned sm()
{
	unsigned id;
	asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
	return id;
}

// printf into a string.
inline std::string text(const char *format, ...) __attribute__((format(printf, 1, 2)));
inline std::string text(const char *format, ...)
{
	char buffer[512];
	va_list values;
	va_start(values, format);
	vsnprintf(buffer, sizeof buffer, format, values);
	va_end(values);
	return buffer;
}

// One row of the CSV: the median of the samples, and their range.
inline void row(const char *part, const std::string &measure, const std::string &parameters,
                std::vector<double> samples, const char *unit)
{
	std::sort(samples.begin(), samples.end());
	size_t n = samples.size();
	double median = n % 2 ? samples[n / 2] : (samples[n / 2 - 1] + samples[n / 2]) / 2;
	printf("%s,%s,%s,%.10g,%s,%zu,%.10g,%.10g\n", part, measure.c_str(), parameters.c_str(), median, unit, n,
	       samples.front(), samples.back());
	fflush(stdout);
}

// scale / x of each sample; samples that are not positive are left out.
inline std::vector<double> rates(const std::vector<double> &samples, double scale)
{
	std::vector<double> rates;
	for (double sample : samples)
		if (sample > 0)
			rates.push_back(scale / sample);
	return rates;
}

inline const cudaDeviceProp &device()
{
	static cudaDeviceProp properties;
	static bool read = false;
	if (!read)
		CHECK(cudaGetDeviceProperties(&properties, 0));
	read = true;
	return properties;
}

// Device memory of `count` elements, zeroed, never freed: a microbenchmark is a short process.
template <typename T> T *allocate(size_t count)
{
	T *data;
	CHECK(cudaMalloc(&data, count * sizeof(T)));
	CHECK(cudaMemset(data, 0, count * sizeof(T)));
	return data;
}

template <typename T> std::vector<T> read(const T *data, size_t count)
{
	std::vector<T> host(count);
	CHECK(cudaMemcpy(host.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
	return host;
}

// Waits for the launch and stops the program if it failed.
inline void finish()
{
	CHECK(cudaGetLastError());
	CHECK(cudaDeviceSynchronize());
}

// Waits for the launch of `what`. False, with a note, if it failed.
inline bool succeeded(const char *what)
{
	cudaError_t error = cudaGetLastError();
	if (error == cudaSuccess)
		error = cudaDeviceSynchronize();
	if (error != cudaSuccess)
		fprintf(stderr, "note: %s: %s\n", what, cudaGetErrorString(error));
	cudaGetLastError();
	return error == cudaSuccess;
}

// True if no launch runs any more and the device still answers this process.
inline bool answers()
{
	return cudaDeviceSynchronize() == cudaSuccess;
}

// Milliseconds of `work` (which launches), by events.
template <typename Work> double milliseconds(Work work)
{
	cudaEvent_t start, end;
	float time;
	CHECK(cudaEventCreate(&start));
	CHECK(cudaEventCreate(&end));
	CHECK(cudaEventRecord(start));
	work();
	CHECK(cudaEventRecord(end));
	CHECK(cudaEventSynchronize(end));
	CHECK(cudaGetLastError());
	CHECK(cudaEventElapsedTime(&time, start, end));
	CHECK(cudaEventDestroy(start));
	CHECK(cudaEventDestroy(end));
	return time;
}

// --quick: fewer repeats and points, for a simulator or a first look.
inline bool quick(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--quick"))
			return true;
	return false;
}

} // namespace kit

#endif
