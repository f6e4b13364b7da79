// hopper.h: what the microbenchmarks of compute capability 9.0 share: PTX of mbarriers, bulk copies and clusters in
// functions, waits with a bound, launches with a cluster size, and sections. A section runs in its own process, so
// that an error or a hang loses the rest of that section only.
#ifndef SLUICE_HARDWARE_HOPPER_H
#define SLUICE_HARDWARE_HOPPER_H

#include "kit.h"
#include <sys/wait.h>
#include <unistd.h>

namespace hopper
{

typedef unsigned long long u64;

const u64 WAIT_CYCLES = 1ull << 28; // a wait on an mbarrier gives up after this, about 0.15 s
const unsigned MOST_BLOCKS = 4096;  // that report their times
const unsigned SECTION_SECONDS = 40;
const size_t SHARED_MOST = 227 * 1024;

// ---- Device: addresses and mbarriers. All addresses are 32-bit shared addresses.

__device__ inline uint32_t shared(const void *pointer)
{
	return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

// The first multiple of 1024 bytes from here on: what a swizzled tile needs. Give a launch 1024 bytes more for it.
__device__ inline uint32_t aligned(const void *pointer)
{
	return (shared(pointer) + 1023) / 1024 * 1024;
}

__device__ inline void barrier_init(uint32_t barrier, unsigned arrivals)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

__device__ inline void fence_barrier_init()
{
	asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ inline void fence_async()
{
	asm volatile("fence.proxy.async;" ::: "memory");
}

__device__ inline void arrive(uint32_t barrier)
{
	asm volatile("{ .reg .b64 s; mbarrier.arrive.shared::cta.b64 s, [%0]; }" ::"r"(barrier) : "memory");
}

__device__ inline void arrive_expect(uint32_t barrier, uint32_t bytes)
{
	asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared::cta.b64 s, [%0], %1; }" ::"r"(barrier),
	             "r"(bytes)
	             : "memory");
}

__device__ inline void arrive_remote(uint32_t cluster_barrier)
{
	asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(cluster_barrier) : "memory");
}

__device__ inline bool try_wait(uint32_t barrier, uint32_t parity)
{
	uint32_t done;
	asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
	             : "=r"(done)
	             : "r"(barrier), "r"(parity)
	             : "memory");
	return done;
}

__device__ inline bool test_wait(uint32_t barrier, uint32_t parity)
{
	uint32_t done;
	asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
	             : "=r"(done)
	             : "r"(barrier), "r"(parity)
	             : "memory");
	return done;
}

// Waits until the phase of this parity is over; false, and *late set, when it takes too long.
__device__ inline bool wait(uint32_t barrier, uint32_t parity, unsigned *late)
{
	if (try_wait(barrier, parity))
		return true;
	u64 start = kit::cycles();
	while (!try_wait(barrier, parity)) {
		if (kit::cycles() - start > WAIT_CYCLES) {
			*late = 1;
			return false;
		}
	}
	return true;
}

// ---- Device: clusters.

__device__ inline uint32_t cluster_rank()
{
	uint32_t rank;
	asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
	return rank;
}

__device__ inline uint32_t cluster_size()
{
	uint32_t size;
	asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
	return size;
}

// The shared::cluster address of a shared variable in the cluster's block `rank`.
__device__ inline uint32_t map(uint32_t address, uint32_t rank)
{
	uint32_t mapped;
	asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
	return mapped;
}

__device__ inline void cluster_sync()
{
	asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
}

// ---- Device: bulk copies.

__device__ inline void bulk_load(uint32_t to, const void *from, uint32_t bytes, uint32_t barrier)
{
	asm volatile(
		"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
		"l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(barrier)
		: "memory");
}

__device__ inline void bulk_store(void *to, uint32_t from, uint32_t bytes)
{
	asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
	             "r"(from), "r"(bytes)
	             : "memory");
}

__device__ inline void bulk_commit()
{
	asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// Waits until at most N bulk groups are pending; READ: until their sources were read.
template <int N, bool READ> __device__ inline void bulk_wait()
{
	if (READ)
		asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory");
	else
		asm volatile("cp.async.bulk.wait_group %0;" ::"n"(N) : "memory");
}

// bulk_wait for a run-time depth: at most depth - 1 groups stay pending.
template <bool READ> __device__ inline void bulk_wait_depth(int depth)
{
	switch (depth) {
	case 1:
		bulk_wait<0, READ>();
		break;
	case 2:
		bulk_wait<1, READ>();
		break;
	case 3:
		bulk_wait<2, READ>();
		break;
	case 4:
		bulk_wait<3, READ>();
		break;
	case 6:
		bulk_wait<5, READ>();
		break;
	default:
		bulk_wait<7, READ>();
		break;
	}
}

// ---- What a kernel reports of each block.

struct Times {
	u64 begin, end, begin_ns, end_ns;
};

__device__ inline void begin(Times *times)
{
	times->begin_ns = kit::nanoseconds();
	times->begin = kit::cycles();
}

__device__ inline void end(Times *times)
{
	times->end = kit::cycles();
	times->end_ns = kit::nanoseconds();
}

// ---- Host: launches.

// Waits for the launch. False, with a note, if it failed; the section ends if the context is lost.
inline bool done(const char *what)
{
	bool good = kit::succeeded(what);
	if (!good && !kit::answers()) {
		fprintf(stderr, "note: %s: the rest of the section is lost\n", what);
		fflush(stdout);
		_exit(EXIT_FAILURE);
	}
	return good;
}

struct Shape {
	unsigned grid, block;
	size_t shared;
	unsigned cluster;  // 0: a plain launch
	bool programmatic; // may start before the kernel before it has ended
};

template <typename Kernel> bool prepare(Kernel kernel, const Shape &shape)
{
	const void *function = reinterpret_cast<const void *>(kernel);
	cudaError_t error = cudaSuccess;
	if (shape.shared > 48 * 1024)
		error = cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
		                             static_cast<int>(shape.shared));
	if (error == cudaSuccess && shape.cluster > 8)
		error = cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
	if (error != cudaSuccess)
		fprintf(stderr, "note: attribute of a kernel: %s\n", cudaGetErrorString(error));
	cudaGetLastError();
	return error == cudaSuccess;
}

inline cudaLaunchConfig_t config(const Shape &shape, cudaLaunchAttribute *attributes)
{
	cudaLaunchConfig_t config = {};
	config.gridDim = dim3(shape.grid);
	config.blockDim = dim3(shape.block);
	config.dynamicSmemBytes = shape.shared;
	config.attrs = attributes;
	if (shape.cluster) {
		attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
		attributes[config.numAttrs].val.clusterDim.x = shape.cluster;
		attributes[config.numAttrs].val.clusterDim.y = 1;
		attributes[config.numAttrs++].val.clusterDim.z = 1;
	}
	if (shape.programmatic) {
		attributes[config.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
		attributes[config.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
	}
	return config;
}

// Clusters that fit the GPU at once; 0, with a note, if none does.
template <typename Kernel> unsigned clusters_at_once(Kernel kernel, const Shape &shape)
{
	cudaLaunchAttribute attributes[2];
	cudaLaunchConfig_t launch = config(shape, attributes);
	int clusters = 0;
	if (!prepare(kernel, shape))
		return 0;
	cudaError_t error = cudaOccupancyMaxActiveClusters(&clusters, kernel, &launch);
	if (error != cudaSuccess)
		fprintf(stderr, "note: clusters of %u: %s\n", shape.cluster, cudaGetErrorString(error));
	cudaGetLastError();
	return error == cudaSuccess && clusters > 0 ? static_cast<unsigned>(clusters) : 0;
}

template <typename... Formal, typename... Actual>
void launch(const Shape &shape, void (*kernel)(Formal...), Actual... actual)
{
	cudaLaunchAttribute attributes[2];
	cudaLaunchConfig_t launch = config(shape, attributes);
	cudaError_t error = cudaLaunchKernelEx(&launch, kernel, static_cast<Formal>(actual)...);
	if (error != cudaSuccess)
		fprintf(stderr, "note: launch: %s\n", cudaGetErrorString(error));
}

// ---- Host: the cost of one step.

struct Costs {
	std::vector<double> cycles, ns, mhz; // cycles of the slowest block; ns from the first start to the last end
};

// Times one launch. False if it failed or if a wait was late.
template <typename Launch>
bool measure(const char *what, unsigned blocks, Launch launch, double *cycles, double *ns, double *mhz)
{
	static Times *times = nullptr;
	static unsigned *late = nullptr;
	if (blocks == 0 || blocks > MOST_BLOCKS) {
		fprintf(stderr, "note: %s: %u blocks\n", what, blocks);
		return false;
	}
	if (!times) {
		times = kit::allocate<Times>(MOST_BLOCKS);
		late = kit::allocate<unsigned>(1);
	}
	CHECK(cudaMemset(times, 0, blocks * sizeof(Times)));
	CHECK(cudaMemset(late, 0, sizeof(unsigned)));
	launch(times, late);
	if (!done(what))
		return false;
	if (kit::read(late, 1)[0]) {
		fprintf(stderr, "note: %s: a wait was given up\n", what);
		return false;
	}
	u64 most = 0, first = ~0ull, last = 0;
	std::vector<Times> all = kit::read(times, blocks);
	for (const Times &block : all) {
		if (!block.end_ns) // this block takes no time
			continue;
		most = std::max(most, block.end - block.begin);
		first = std::min(first, block.begin_ns);
		last = std::max(last, block.end_ns);
	}
	if (first > last) {
		fprintf(stderr, "note: %s: no block reported\n", what);
		return false;
	}
	const Times &one = all[0].end_ns ? all[0] : all[blocks - 1];
	*cycles = static_cast<double>(most);
	*ns = static_cast<double>(last - first);
	*mhz = one.end_ns > one.begin_ns ? 1000.0 * (one.end - one.begin) / (one.end_ns - one.begin_ns) : 0;
	return true;
}

// The cost of one of `launch`'s steps: launch(steps, times, late) with few and with many steps, their difference.
template <typename Launch>
bool costs(const std::string &what, unsigned blocks, int few, int many, int repeats, Launch launch, Costs *result)
{
	*result = Costs();
	for (int i = -1; i < repeats; i++) {
		double cycles[2], ns[2], mhz[2];
		for (int k = 0; k < 2; k++) {
			auto one = [&](Times *times, unsigned *late) { launch(k ? many : few, times, late); };
			if (!measure(what.c_str(), blocks, one, &cycles[k], &ns[k], &mhz[k]))
				return false;
		}
		if (i < 0)
			continue;
		result->cycles.push_back((cycles[1] - cycles[0]) / (many - few));
		result->ns.push_back((ns[1] - ns[0]) / (many - few));
		result->mhz.push_back(mhz[1]);
	}
	return true;
}

using kit::rates;

inline std::vector<double> scaled(std::vector<double> samples, double scale)
{
	for (double &sample : samples)
		sample *= scale;
	return samples;
}

// A row, if there are samples.
inline void row(const char *part, const std::string &measure, const std::string &parameters,
                const std::vector<double> &samples, const char *unit)
{
	if (samples.empty())
		fprintf(stderr, "note: %s %s %s: no samples\n", part, measure.c_str(), parameters.c_str());
	else
		kit::row(part, measure, parameters, samples, unit);
}

// Rows of one point of `part`: the step and its rate; on several blocks also the bandwidth and the SM clock.
inline void copy_rows(const char *part, const char *name, const std::string &parameters, const Costs &cost,
                      double bytes, unsigned blocks)
{
	std::string measure = name;
	row(part, measure + "_step", parameters, cost.cycles, "cycles");
	row(part, measure + "_rate", parameters, rates(cost.cycles, bytes), "B/cycle/SM");
	if (blocks > 1) {
		row(part, measure + "_bandwidth", parameters, rates(cost.ns, bytes * blocks), "GB/s");
		row(part, measure + "_clock", parameters, cost.mhz, "MHz");
	}
}

// ---- Host: sections.

struct Section {
	const char *name;
	void (*run)(bool quick);
};

inline bool flag(int argc, char **argv, const char *name)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], name))
			return true;
	return false;
}

// Runs the sections, each in its own process. --only=NAME: this one. --no-fork: in this process.
inline int sections(int argc, char **argv, const Section *list, size_t count)
{
	const char *only = nullptr;
	for (int i = 1; i < argc; i++)
		if (!strncmp(argv[i], "--only=", 7))
			only = argv[i] + 7;
	for (size_t i = 0; i < count; i++) {
		if (only && strcmp(only, list[i].name))
			continue;
		fflush(stdout);
		pid_t child = flag(argc, argv, "--no-fork") ? -1 : fork();
		if (child == 0)
			alarm(SECTION_SECONDS);
		if (child <= 0)
			list[i].run(kit::quick(argc, argv));
		if (child == 0) {
			fflush(stdout);
			_exit(EXIT_SUCCESS);
		}
		int status = 0;
		if (child > 0 && waitpid(child, &status, 0) == child && status)
			fprintf(stderr, "note: section %s ended with status %d\n", list[i].name, status);
	}
	return EXIT_SUCCESS;
}

} // namespace hopper

#endif
