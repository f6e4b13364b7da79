// copies.cu: copies from global to shared memory, by cp.async (sm_80 and later) and by load and store through
// registers. Latency: one copy and a wait, from the L2, the L1 (cp.async.ca after a read) and DRAM. Throughput: each
// thread walks over its part of a buffer in the L2 or in DRAM, on one SM or on all. 1 to 16 groups are in flight.
#include "kit.h"

typedef unsigned long long u64;

enum How { ASYNC_CA, ASYNC_CG, REGISTERS };
static const char *how_names[] = {"cp.async.ca", "cp.async.cg", "registers"};
enum { SPOTS = 64, SPOT = 8192 };

static bool quick;
static int repeats, sms;
static char *data;
static u64 size, *times, *sink;

template <int How, int Bytes> __device__ __forceinline__ void copy(unsigned to, u64 from)
{
#if __CUDA_ARCH__ >= 800
	if (How == ASYNC_CA)
		asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(Bytes) : "memory");
	if (How == ASYNC_CG)
		asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
#endif
}

struct Words {
	unsigned a, b, c, d;
};

template <int Bytes> __device__ __forceinline__ void load(Words *w, u64 from)
{
	if (Bytes == 4)
		asm volatile("ld.global.u32 %0, [%1];" : "=r"(w->a) : "l"(from) : "memory");
	else if (Bytes == 8)
		asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(w->a), "=r"(w->b) : "l"(from) : "memory");
	else
		asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
		             : "=r"(w->a), "=r"(w->b), "=r"(w->c), "=r"(w->d)
		             : "l"(from)
		             : "memory");
}

template <int Bytes> __device__ __forceinline__ void store(unsigned to, const Words &w)
{
	if (Bytes == 4)
		asm volatile("st.shared.u32 [%0], %1;" ::"r"(to), "r"(w.a) : "memory");
	else if (Bytes == 8)
		asm volatile("st.shared.v2.u32 [%0], {%1, %2};" ::"r"(to), "r"(w.a), "r"(w.b) : "memory");
	else
		asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(w.a), "r"(w.b), "r"(w.c),
		             "r"(w.d)
		             : "memory");
}

template <int Groups> __device__ __forceinline__ void wait(void)
{
#if __CUDA_ARCH__ >= 800
	asm volatile("cp.async.wait_group %0;" ::"n"(Groups) : "memory");
#endif
}

__device__ __forceinline__ void commit(void)
{
#if __CUDA_ARCH__ >= 800
	asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// One warp: a copy, a wait, and a load of the copied word.
template <int How, int Bytes> __global__ void latency(u64 from, int read_before, u64 *times, u64 *sink)
{
	__shared__ __align__(16) char buffer[32 * 16];
	unsigned to = __cvta_generic_to_shared(buffer + threadIdx.x * Bytes), value, sum = 0;
	asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(sum) : "l"(from + SPOTS * SPOT) : "memory");
	for (int i = 0; i < SPOTS; i++) {
		u64 p = from + i * SPOT + i % 16 * 512 + threadIdx.x * Bytes;
		if (read_before) {
			asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
			asm volatile("{ .reg .pred q; setp.eq.u32 q, %0, 1; @q trap; }" ::"r"(value) : "memory");
		}
		u64 start = kit::cycles();
		if (How == REGISTERS) {
			Words w;
			load<Bytes>(&w, p);
			store<Bytes>(to, w);
		} else {
			copy<How, Bytes>(to, p);
			commit();
			wait<0>();
		}
		asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(to) : "memory");
		asm volatile("{ .reg .pred q; setp.eq.u32 q, %0, 1; @q trap; }" ::"r"(value) : "memory");
		u64 end = kit::cycles();
		if (threadIdx.x == 0)
			times[i] = end - start;
		sum += value;
	}
	if (sum == 12345)
		*sink = sum;
}

// All threads: `rounds` copies each. Groups of Batch copies, of which Stages are in flight.
template <int How, int Bytes, int Stages, int Batch>
__global__ void stream(u64 from, u64 footprint, int rounds, u64 *times)
{
	extern __shared__ __align__(16) char dynamic[];
	unsigned to = __cvta_generic_to_shared(dynamic) + threadIdx.x * Bytes;
	u64 step = (u64)gridDim.x * blockDim.x * Bytes, at = ((u64)blockIdx.x * blockDim.x + threadIdx.x) * Bytes;
	__syncthreads();
	u64 start = kit::cycles(), start_ns = kit::nanoseconds();
	for (int i = 0; i < rounds; i++) {
		Words words[Batch];
#pragma unroll
		for (int j = 0; j < Batch; j++) {
			if (How == REGISTERS)
				load<Bytes>(&words[j], from + at);
			else
				copy<How, Bytes>(to, from + at);
			at += step;
			if (at >= footprint)
				at -= footprint;
		}
#pragma unroll
		for (int j = 0; j < Batch && How == REGISTERS; j++)
			store<Bytes>(to, words[j]);
		if (How != REGISTERS) {
			commit();
			wait<Stages - 1>();
		}
	}
	wait<0>();
	__syncthreads();
	if (threadIdx.x == 0) {
		times[blockIdx.x * 3] = kit::cycles() - start;
		times[blockIdx.x * 3 + 1] = start_ns;
		times[blockIdx.x * 3 + 2] = kit::nanoseconds();
	}
}

__global__ void touch(const char *data, u64 bytes, u64 *sink)
{
	u64 sum = 0;
	for (u64 i = (blockIdx.x * (u64)blockDim.x + threadIdx.x) * 32; i < bytes;
	     i += gridDim.x * (u64)blockDim.x * 32)
		sum += *(volatile unsigned *)(data + i);
	if (sum == 1)
		*sink = sum;
}

typedef void (*Latency)(u64, int, u64 *, u64 *);
typedef void (*Stream)(u64, u64, int, u64 *);

static const struct {
	How how;
	int bytes;
	Latency kernel;
} latencies[] = {{ASYNC_CA, 4, latency<ASYNC_CA, 4>},    {ASYNC_CA, 8, latency<ASYNC_CA, 8>},
                 {ASYNC_CA, 16, latency<ASYNC_CA, 16>},  {ASYNC_CG, 16, latency<ASYNC_CG, 16>},
                 {REGISTERS, 4, latency<REGISTERS, 4>},  {REGISTERS, 8, latency<REGISTERS, 8>},
                 {REGISTERS, 16, latency<REGISTERS, 16>}};

#define STAGES(how, bytes)                                                                                             \
	{how, bytes, 1, 1, stream<how, bytes, 1, 1>}, {how, bytes, 2, 1, stream<how, bytes, 2, 1>},                    \
		{how, bytes, 3, 1, stream<how, bytes, 3, 1>}, {how, bytes, 4, 1, stream<how, bytes, 4, 1>},            \
		{how, bytes, 6, 1, stream<how, bytes, 6, 1>}, {how, bytes, 8, 1, stream<how, bytes, 8, 1>},            \
		{how, bytes, 16, 1, stream<how, bytes, 16, 1>}, {how, bytes, 1, 4, stream<how, bytes, 1, 4>},          \
		{how, bytes, 2, 4, stream<how, bytes, 2, 4>},                                                          \
	{                                                                                                              \
		how, bytes, 4, 4, stream<how, bytes, 4, 4>                                                             \
	}
static const struct Streamed {
	How how;
	int bytes, stages, batch;
	Stream kernel;
} streams[] = {STAGES(ASYNC_CA, 4),
               STAGES(ASYNC_CA, 8),
               STAGES(ASYNC_CA, 16),
               STAGES(ASYNC_CG, 16),
               {REGISTERS, 4, 1, 1, stream<REGISTERS, 4, 1, 1>},
               {REGISTERS, 4, 1, 4, stream<REGISTERS, 4, 1, 4>},
               {REGISTERS, 4, 1, 8, stream<REGISTERS, 4, 1, 8>},
               {REGISTERS, 8, 1, 4, stream<REGISTERS, 8, 1, 4>},
               {REGISTERS, 16, 1, 1, stream<REGISTERS, 16, 1, 1>},
               {REGISTERS, 16, 1, 4, stream<REGISTERS, 16, 1, 4>},
               {REGISTERS, 16, 1, 8, stream<REGISTERS, 16, 1, 8>}};

static void measure_latencies(bool async)
{
	static const char *places[] = {"l2", "l1", "dram"};
	for (auto &l : latencies)
		for (int place = 0; place < 3 && (async || l.how == REGISTERS); place++) {
			if (quick && place == 2)
				continue;
			for (int r = 0; r < 2; r++) {
				if (place == 2)
					touch<<<sms * 2, 512>>>(data + (1 << 20),
					                        std::min<u64>(size - (1 << 20), 256 << 20), sink);
				else
					touch<<<sms * 2, 512>>>(data, (SPOTS + 1) * SPOT, sink);
				l.kernel<<<1, 32>>>((u64)data, place == 1, times, sink);
				if (!kit::succeeded("latency"))
					return;
			}
			std::vector<u64> t = kit::read(times, SPOTS);
			kit::row("copies", "latency",
			         kit::text("how=%s width=%d data_in=%s", how_names[l.how], l.bytes, places[place]),
			         std::vector<double>(t.begin(), t.end()), "cycles");
		}
}

static void measure_stream(const Streamed &s, int blocks, int warps, u64 footprint, const char *place)
{
	std::vector<double> rate, cycle_rate, megahertz;
	u64 step = (u64)blocks * warps * 32 * s.bytes;
	double each = quick ? 16384 : 1 << 20;
	int rounds = std::max<int>(2, each / (warps * 32 * s.bytes * s.batch));
	footprint = std::max(footprint / step, (u64)1) * step;
	for (int r = 0; r <= repeats; r++) {
		s.kernel<<<blocks, warps * 32, 16 * 1024>>>((u64)data, footprint, rounds, times);
		if (!kit::succeeded("stream"))
			return;
		std::vector<u64> t = kit::read(times, blocks * 3);
		u64 start = ~0ull, end = 0;
		double cycles = 0, ns = 0, bytes = (double)rounds * s.batch * s.bytes * warps * 32;
		for (int b = 0; b < blocks; b++) {
			cycles += t[b * 3];
			ns += t[b * 3 + 2] - t[b * 3 + 1];
			start = std::min(start, t[b * 3 + 1]);
			end = std::max(end, t[b * 3 + 2]);
		}
		if (r && end > start && cycles > 0) {
			rate.push_back(bytes * blocks / (end - start));
			cycle_rate.push_back(bytes * blocks / cycles);
			megahertz.push_back(1e3 * cycles / ns);
		}
	}
	if (rate.empty())
		return;
	std::string p = kit::text("how=%s width=%d stages=%d batch=%d warps=%d blocks=%d data_in=%s", how_names[s.how],
	                          s.bytes, s.stages, s.batch, warps, blocks, place);
	kit::row("copies", "rate_per_sm", p, cycle_rate, "bytes/cycle");
	if (blocks == 1)
		return;
	kit::row("copies", "rate", p, rate, "GB/s");
	if (warps == 32)
		kit::row("copies", "rate_clock", p, megahertz, "MHz");
}

int main(int argc, char **argv)
{
	static const int warps[] = {1, 4, 8, 16, 32};
	bool async = kit::device().major >= 8;
	quick = kit::quick(argc, argv);
	repeats = quick ? 1 : 5;
	sms = kit::device().multiProcessorCount;
	size = quick ? 8 << 20 : 1 << 30;
	data = kit::allocate<char>(size);
	times = kit::allocate<u64>(std::max(sms * 3, (int)SPOTS));
	sink = kit::allocate<u64>(1);
	measure_latencies(async);
	for (const Streamed &s : streams)
		for (int w : warps) {
			if ((!async && s.how != REGISTERS) || (quick && w != 1 && w != 8))
				continue;
			measure_stream(s, 1, w, quick ? 262144 : 8 << 20, "l2");
			if (quick)
				continue;
			measure_stream(s, sms, w, 16 << 20, "l2");
			measure_stream(s, sms, w, size, "dram");
			measure_stream(s, 1, w, 8192, "l1");
		}
	return 0;
}
