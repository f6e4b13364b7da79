// launches.cu: what a launch costs. Empty kernels in one stream (events, and the host's clock), in a graph, with
// programs of one block and of all SMs; the gap between the end of one kernel and the start of the next, by
// globaltimer; how fast blocks start and end, by block size, shared memory and registers; overlap of two streams;
// the SM's clock in MHz, idle and under load; the step of globaltimer.
#include "kit.h"

#include <chrono>

typedef unsigned long long u64;

static bool quick;
static int repeats, sms;
static u64 *stamps;

enum { STAMPS = 1 << 20 };

struct Large {
	u64 words[256];
};

__global__ void empty(void)
{
}

__global__ void with_arguments(Large arguments, u64 *stamps)
{
	if (blockDim.x == 33)
		stamps[0] = arguments.words[threadIdx.x];
}

__global__ void with_shared(void)
{
	extern __shared__ unsigned dynamic[];
	if (blockDim.x == 33)
		dynamic[0] = 0;
}

// Thread 0 of each block notes start and end.
__global__ void stamp(u64 *stamps, int first)
{
	u64 start = kit::nanoseconds();
	if (threadIdx.x == 0) {
		stamps[(first + blockIdx.x) * 2] = start;
		stamps[(first + blockIdx.x) * 2 + 1] = kit::nanoseconds();
	}
}

// As stamp, but every block stays a while.
__global__ void stay(u64 *stamps, unsigned time)
{
	u64 start = kit::nanoseconds(), first = kit::cycles();
	for (int i = 0; i < 10000000 && kit::nanoseconds() - start < time && kit::cycles() - first < 500000000; i++)
		;
	if (threadIdx.x == 0) {
		stamps[blockIdx.x * 2] = start;
		stamps[blockIdx.x * 2 + 1] = kit::nanoseconds();
	}
}

// Notes clock64 and the SM at the start and the end of each block.
__global__ void stamp_cycles(u64 *stamps)
{
	extern __shared__ unsigned dynamic[];
	u64 start = kit::cycles();
	if (blockDim.x == 33)
		dynamic[0] = 0;
	if (threadIdx.x == 0 && (blockIdx.x + 1) * 3 <= STAMPS) {
		stamps[blockIdx.x * 3] = start;
		stamps[blockIdx.x * 3 + 1] = kit::sm();
		stamps[blockIdx.x * 3 + 2] = kit::cycles();
	}
}

// Cycles and nanoseconds of `laps` rounds of FMAs in every warp.
__global__ void load(float *values, int laps, u64 *stamps)
{
	float a[8], x = values[8], y = values[9];
	for (int i = 0; i < 8; i++)
		a[i] = values[i] + threadIdx.x;
	u64 ns = kit::nanoseconds(), cycles = kit::cycles();
	for (int i = 0; i < laps; i++)
#pragma unroll
		for (int j = 0; j < 64; j++)
			asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(a[j % 8]) : "f"(x), "f"(y));
	u64 end = kit::cycles(), end_ns = kit::nanoseconds();
	float sum = 0;
	for (int i = 0; i < 8; i++)
		sum += a[i];
	if (sum == 12345)
		values[0] = sum;
	if (threadIdx.x == 0) {
		stamps[blockIdx.x * 2] = end - cycles;
		stamps[blockIdx.x * 2 + 1] = end_ns - ns;
	}
}

__global__ void timer_steps(u64 *stamps, int count)
{
	u64 last = kit::nanoseconds();
	int n = 0;
	for (int i = 0; i < 1000000 && n < count; i++) {
		u64 t = kit::nanoseconds();
		if (t != last)
			stamps[n++] = t - last;
		last = t;
	}
}

static double host_us(void)
{
	return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <typename Launch> static void series(const char *name, const std::string &p, Launch launch)
{
	int count = quick ? 20 : 1000;
	std::vector<double> device, host, total;
	for (int r = 0; r <= repeats; r++) {
		double start = host_us(), issued = 0;
		double ms = kit::milliseconds([&] {
			for (int i = 0; i < count; i++)
				launch(i);
			issued = host_us();
		});
		double end = host_us();
		if (!kit::succeeded(name))
			return;
		if (r) {
			device.push_back(ms * 1e3 / count);
			host.push_back((issued - start) / count);
			total.push_back((end - start) / count);
		}
	}
	kit::row("launches", std::string(name) + "_by_events", p, device, "us/launch");
	kit::row("launches", std::string(name) + "_host_issues", p, host, "us/launch");
	kit::row("launches", std::string(name) + "_host_total", p, total, "us/launch");
}

static void overheads(void)
{
	static Large large;
	const int grids[] = {1, sms, 8 * sms}, threads[] = {32, 256, 1024};
	for (int g : grids)
		for (int t : threads)
			series("empty", kit::text("blocks=%d threads=%d", g, t), [&](int) { empty<<<g, t>>>(); });
	series("empty_2048_bytes_of_arguments", "blocks=1 threads=32",
	       [&](int) { with_arguments<<<1, 32>>>(large, stamps); });
	std::vector<double> synced;
	for (int r = 0; r < (quick ? 3 : 200); r++) {
		double start = host_us();
		empty<<<1, 32>>>();
		cudaDeviceSynchronize();
		synced.push_back(host_us() - start);
	}
	kit::row("launches", "empty_and_synchronize", "blocks=1 threads=32", synced, "us");
	kit::succeeded("synchronize");
}

// From the end of the last block of one kernel to the start of the first block of the next.
static void gaps(void)
{
	const int grids[] = {1, sms, 4 * sms};
	for (int g : grids)
		for (int t = 32; t <= 1024; t *= 32) {
			int count = quick ? 5 : 100;
			std::vector<double> gap, length;
			for (int i = 0; i < count; i++)
				stamp<<<g, t>>>(stamps, i * g);
			if (!kit::succeeded("gap"))
				return;
			std::vector<u64> all = kit::read(stamps, 2 * (size_t)count * g);
			u64 last = 0;
			for (int i = 0; i < count; i++) {
				u64 start = ~0ull, end = 0;
				for (int b = 0; b < g; b++) {
					start = std::min(start, all[(i * g + b) * 2]);
					end = std::max(end, all[(i * g + b) * 2 + 1]);
				}
				if (i > 1)
					gap.push_back((double)start - (double)last);
				length.push_back((double)(end - start));
				last = end;
			}
			kit::row("launches", "gap", kit::text("blocks=%d threads=%d", g, t), gap, "ns");
			kit::row("launches", "first_to_last_block", kit::text("blocks=%d threads=%d", g, t), length,
			         "ns");
		}
}

// Two sizes of grid: the difference is the cost of the blocks between.
static void block_rate(void)
{
	static const int threads[] = {32, 64, 128, 256, 512, 1024};
	const int most = std::max(kit::device().sharedMemPerBlock, kit::device().sharedMemPerBlockOptin);
	const int shared[] = {0, 16 << 10, 48 << 10, 100 << 10, most};
	cudaFuncSetAttribute(with_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
	cudaFuncSetAttribute(stamp_cycles, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
	cudaGetLastError();
	for (int s : shared)
		for (int t : threads) {
			int few = sms * (quick ? 8 : 64), many = sms * (quick ? 16 : 512);
			std::vector<double> rate;
			if (s > most || (quick && s > 0 && s != most))
				continue;
			for (int r = 0; r <= repeats; r++) {
				double a = kit::milliseconds([&] { with_shared<<<few, t, s>>>(); });
				double b = kit::milliseconds([&] { with_shared<<<many, t, s>>>(); });
				if (!kit::succeeded("block_rate"))
					break;
				if (r)
					rate.push_back((b - a) * 1e6 / (many - few));
			}
			std::string p = kit::text("threads=%d shared=%d", t, s);
			if (!rate.empty())
				kit::row("launches", "empty_block", p, rate, "ns/block");

			int blocks = sms * (quick ? 8 : 64);
			std::vector<double> apart, turnover;
			std::vector<std::vector<std::pair<u64, u64>>> by_sm(sms);
			for (int r = 0; r < 2; r++)
				stamp_cycles<<<blocks, t, s>>>(stamps);
			if (!kit::succeeded("stamp_cycles"))
				continue;
			std::vector<u64> all = kit::read(stamps, (size_t)blocks * 3);
			for (int b = 0; b < blocks; b++)
				if (all[b * 3 + 1] < (u64)sms)
					by_sm[all[b * 3 + 1]].push_back({all[b * 3], all[b * 3 + 2]});
			for (auto &list : by_sm) {
				std::sort(list.begin(), list.end());
				for (size_t i = 1; i < list.size(); i++) {
					apart.push_back((double)(list[i].first - list[i - 1].first));
					turnover.push_back((double)list[i].first - (double)list[i - 1].second);
				}
			}
			if (apart.empty())
				continue;
			kit::row("launches", "block_starts_apart_on_sm", p, apart, "cycles");
			kit::row("launches", "end_to_next_start_on_sm", p, turnover, "cycles");
		}
}

// Two kernels in two streams, of half the SMs each; and small kernels in n streams.
static void streams(void)
{
	enum { MOST = 32 };
	cudaStream_t list[MOST];
	unsigned time = quick ? 5000 : 100000;
	for (cudaStream_t &s : list)
		if (cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking) != cudaSuccess) {
			kit::succeeded("streams");
			return;
		}
	for (int n = 1; n <= MOST; n *= 2) {
		std::vector<double> us, apart;
		for (int r = 0; r <= repeats; r++) {
			for (int i = 0; i < n; i++)
				stay<<<1, 32, 0, list[i]>>>(stamps + i * 2, time);
			if (!kit::succeeded("streams"))
				return;
			std::vector<u64> all = kit::read(stamps, 2 * n);
			u64 first = ~0ull, last = 0, finish = 0;
			for (int i = 0; i < n; i++) {
				first = std::min(first, all[2 * i]);
				last = std::max(last, all[2 * i]);
				finish = std::max(finish, all[2 * i + 1]);
			}
			if (r) {
				us.push_back((finish - first) / 1e3);
				apart.push_back((last - first) / 1e3);
			}
		}
		std::string p = kit::text("streams=%d blocks=1 each_us=%g", n, time / 1e3);
		kit::row("launches", "streams_total", p, us, "us");
		kit::row("launches", "streams_start_apart", p, apart, "us");
	}
	for (cudaStream_t &s : list)
		cudaStreamDestroy(s);
}

static void graphs(void)
{
	int count = quick ? 8 : 500;
	const int grids[] = {1, sms};
	for (int g : grids) {
		cudaStream_t s;
		cudaGraph_t graph = NULL;
		cudaGraphExec_t ready = NULL;
		std::vector<double> us, gap;
		if (cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking) != cudaSuccess ||
		    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal) != cudaSuccess) {
			kit::succeeded("capture");
			return;
		}
		for (int i = 0; i < count; i++)
			stamp<<<g, 32, 0, s>>>(stamps, i * g);
		if (cudaStreamEndCapture(s, &graph) != cudaSuccess ||
		    cudaGraphInstantiateWithFlags(&ready, graph, 0) != cudaSuccess) {
			kit::succeeded("graph");
			return;
		}
		for (int r = 0; r <= repeats; r++) {
			cudaEvent_t start, end;
			float ms = 0;
			CHECK(cudaEventCreate(&start));
			CHECK(cudaEventCreate(&end));
			cudaEventRecord(start, s);
			cudaGraphLaunch(ready, s);
			cudaEventRecord(end, s);
			if (!kit::succeeded("graph launch"))
				return;
			cudaEventElapsedTime(&ms, start, end);
			std::vector<u64> all = kit::read(stamps, 2 * (size_t)count * g);
			if (r)
				us.push_back(ms * 1e3 / count);
			for (int i = 2; r && g == 1 && i < count; i++)
				gap.push_back((double)all[2 * i] - (double)all[2 * i - 1]);
			cudaEventDestroy(start);
			cudaEventDestroy(end);
		}
		kit::row("launches", "graph_node", kit::text("nodes=%d blocks=%d", count, g), us, "us/node");
		if (!gap.empty())
			kit::row("launches", "graph_gap", kit::text("nodes=%d blocks=%d", count, g), gap, "ns");
		cudaGraphExecDestroy(ready);
		cudaGraphDestroy(graph);
		cudaStreamDestroy(s);
	}
}

static void clocks(void)
{
	float host[16] = {1, 2, 3, 4, 5, 6, 7, 8, 0.5f, 0.25f}, *values = kit::allocate<float>(16);
	static const struct {
		const char *name;
		int all, warps, laps;
	} loads[] = {{"one_warp", 0, 1, 20000},
	             {"one_sm", 0, 16, 5000},
	             {"all_sms", 1, 16, 20000},
	             {"all_sms_long", 1, 32, 100000}};
	CHECK(cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice));
	for (auto &l : loads) {
		int blocks = l.all ? sms : 1;
		std::vector<double> mhz, ms;
		for (int r = 0; r < (quick ? 2 : 5); r++) {
			load<<<blocks, l.warps * 32>>>(values, quick ? 20 : l.laps, stamps);
			if (!kit::succeeded("clock"))
				return;
			std::vector<u64> all = kit::read(stamps, 2 * blocks);
			for (int b = 0; b < blocks; b++)
				if (r && all[2 * b + 1])
					mhz.push_back(1e3 * all[2 * b] / all[2 * b + 1]);
			ms.push_back(all[1] / 1e6);
		}
		if (!mhz.empty())
			kit::row("launches", "sm_clock", kit::text("load=%s ms=%.3g", l.name, ms.back()), mhz, "MHz");
	}
	int count = quick ? 16 : 1000;
	timer_steps<<<1, 1>>>(stamps, count);
	if (!kit::succeeded("timer"))
		return;
	std::vector<u64> all = kit::read(stamps, count);
	std::vector<double> steps;
	for (u64 t : all)
		if (t)
			steps.push_back((double)t);
	if (!steps.empty())
		kit::row("launches", "globaltimer_step", "", steps, "ns");
}

int main(int argc, char **argv)
{
	quick = kit::quick(argc, argv);
	repeats = quick ? 1 : 7;
	sms = kit::device().multiProcessorCount;
	stamps = kit::allocate<u64>(STAMPS);
	clocks();
	overheads();
	gaps();
	block_rate();
	streams();
	graphs();
	return 0;
}
