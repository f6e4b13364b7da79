// micro.h: code that the microbenchmarks share. A program holds small kernels. Each repeats one step, in a body of 16
// or of 32 steps inside a loop. run.py launches a kernel with both bodies and two trip counts. The differences of the
// four cycle counts remove start, end and loop, and leave the cost of one step. A point is one such launch:
//
// ./issue add_int_chain:body=16,trips=4,warps=1,blocks=1,warm=1,warm_warps=1 ...
//
// Before each, the same kernel is launched on every SM. Then the caches hold code and parameters, and also data, unless
// the measured launch gets `fresh` ones.
#ifndef SLUICE_MICRO_H
#define SLUICE_MICRO_H

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#define CHECK(call)                                                                                                    \
	do {                                                                                                           \
		cudaError_t error_ = (call);                                                                           \
		if (error_ != cudaSuccess) {                                                                           \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_));                \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)

// A kernel's parameters: warp w of the grid starts at memory + w * by_warp + lane * by_lane, and may advance by
// by_step.
struct Work {
	char *memory;
	long by_warp, by_lane, by_step;
	int trips;
};

typedef void (*Entry)(Work);

// A kernel with its two bodies.
struct Kernel {
	const char *name;
	Entry entry[2];
};

#define X4(step)  step step step step
#define X16(step) X4(X4(step))
#define X32(step) X16(step) X16(step)

// Registers of the inline PTX. The number in a register's name selects its bank. Steps use it to separate the banks
// that they read from the banks of their results: registers that are read have numbers below 8, results have number 8.
#define REGISTERS                                                                                                      \
	"{ .reg .u32 x<4>, y<4>, trips8; .reg .f32 f<4>; .reg .f64 h<4>; .reg .u64 p, by; .reg .pred go8;\n"            \
	"mov.u64 p, %0; mov.u64 by, %1; mov.u32 trips8, %2; mov.u32 y0, %3;\n"

// The compiler sees one opaque piece of assembly: it cannot reorder, merge or remove the measured code.
#define BODY(setup, steps)                                                                                             \
	unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;                         \
	char *start = work.memory + warp * work.by_warp + lane * work.by_lane;                                         \
	asm volatile(REGISTERS setup "LOOP%=:\n" steps                                                                 \
	                             "add.s32 trips8, trips8, -1; setp.ne.s32 go8, trips8, 0; @go8 bra LOOP%=; }\n"      \
		     :                                                                                                 \
		     : "l"(start), "l"(work.by_step), "r"(work.trips), "r"(lane)                                       \
		     : "memory");

#define KERNEL(name, setup, step)                                                                                      \
	__global__ void name##_16(Work work)                                                                           \
	{                                                                                                              \
		BODY(setup, X16(step))                                                                                 \
	}                                                                                                              \
	__global__ void name##_32(Work work)                                                                           \
	{                                                                                                              \
		BODY(setup, X32(step))                                                                                 \
	}

#define ENTRY(name)                                                                                                    \
	{                                                                                                              \
		#name, { name##_16, name##_32 }                                                                        \
	}

namespace micro {

// One launch: "kernel:name=number,..."; unnamed values are 0.
class Point {
	std::string kernel_;
	std::map<std::string, long> number_;

public:
	Point(const char *text)
	{
		const char *colon = strchr(text, ':');
		kernel_ = colon ? std::string(text, colon) : text;
		for (const char *at = colon; at && *at; at = strchr(at, ',')) {
			char name[32];
			long value;
			at++;
			if (sscanf(at, "%31[^=]=%ld", name, &value) != 2) {
				fprintf(stderr, "'%s': expected NAME=NUMBER\n", at);
				exit(2);
			}
			number_[name] = value;
		}
	}
	const std::string &kernel() const
	{
		return kernel_;
	}
	long operator[](const char *name) const
	{
		auto found = number_.find(name);
		return found == number_.end() ? 0 : found->second;
	}
};

// Memory that starts at a multiple of the point's `align`.
inline char *allocate(const Point &point, size_t bytes)
{
	char *memory;
	size_t align = point["align"] ? point["align"] : 1;
	CHECK(cudaMalloc(&memory, bytes + align));
	return (char *)(((size_t)memory + align - 1) / align * align);
}

// A chain of `nodes` 8-byte pointers, each to the next, the last to the first. Node i is at i / group * jump + i %
// group * stride.
inline char *chain(const Point &point)
{
	long nodes = point["nodes"], group = point["group"] ? point["group"] : nodes, stride = point["stride"],
	     jump = point["jump"];
	char *memory = allocate(point, (nodes / group + 1) * jump + group * stride);
	for (long i = 0; i < nodes; i++) {
		long next = (i + 1) % nodes;
		char *to = memory + next / group * jump + next % group * stride;
		CHECK(cudaMemcpy(memory + i / group * jump + i % group * stride, &to, sizeof to,
		                 cudaMemcpyHostToDevice));
	}
	return memory;
}

inline char *memory_of(const Point &point)
{
	return point["nodes"] ? chain(point) : allocate(point, point["bytes"] ? point["bytes"] : 4096);
}

inline void launch(const Kernel &kernel, const Point &point, char *memory, long trips, long blocks, long warps)
{
	Work work = {memory + point["offset"], point["by_warp"], point["by_lane"], point["by_step"], (int)trips};
	kernel.entry[point["body"] == 32]<<<blocks, 32 * warps, point["shared"]>>>(work);
	CHECK(cudaGetLastError());
}

// A launch of `warm` trips by a block of `warm_warps` warps on every SM, then the measured launch, `fresh` bytes
// further on.
inline void run(const Kernel &kernel, const Point &point)
{
	cudaDeviceProp device;
	CHECK(cudaGetDeviceProperties(&device, 0));
	char *memory = memory_of(point);
	launch(kernel, point, memory, point["warm"], device.multiProcessorCount, point["warm_warps"]);
	launch(kernel, point, memory + point["fresh"], point["trips"], point["blocks"], point["warps"]);
}

// Runs every point of the command line.
template <size_t count> int run_all(const Kernel (&kernels)[count], int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		Point point(argv[i]);
		size_t k = 0;
		while (k < count && point.kernel() != kernels[k].name)
			k++;
		if (k == count) {
			fprintf(stderr, "no kernel is called %s\n", point.kernel().c_str());
			return 2;
		}
		run(kernels[k], point);
	}
	return 0;
}

} // namespace micro

#endif
