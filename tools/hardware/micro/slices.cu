// slices.cu: which L2 slices are near an SM and which are far. Each SM in turn, alone, times ld.cg of the same 512
// lines that all lie in the L2: 256 consecutive lines (the interleave of slices), and 256 at random in 32 MB. From
// the latency of each line the rows give: each SM's mean, its correlation with SM 0 and the group of SMs that see
// the lines alike; each line as seen by SM 0, by the SM least like it, and the range over all SMs.
#include "kit.h"

#include <cmath>

typedef unsigned long long u64;

enum { LINES = 512, CONSECUTIVE = 256, LINE = 128, MAX_ROUNDS = 7 };

// The block on SM `target` measures; the others leave once all have started (or after a bounded wait).
__global__ void look(const char *data, const u64 *offsets, unsigned target, int rounds, unsigned *arrived,
                     unsigned short *times)
{
	extern __shared__ unsigned fill[];
	if (threadIdx.x)
		return;
	fill[0] = atomicAdd(arrived, 1);
	u64 begin = kit::cycles();
	for (int i = 0; i < 100000 && kit::cycles() - begin < 1000000; i++)
		if (*(volatile unsigned *)arrived >= gridDim.x)
			break;
	if (kit::sm() != target)
		return;
	for (int r = 0; r < rounds + 2; r++)
		for (int i = 0; i < LINES; i++) {
			u64 value, at = (u64)data + offsets[i];
			unsigned start, end;
			asm volatile("mov.u32 %0, %%clock;" : "=r"(start) : "l"(at) : "memory");
			asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
			asm volatile("{ .reg .pred q; setp.eq.u64 q, %0, 1; @q trap; }" ::"l"(value) : "memory");
			asm volatile("mov.u32 %0, %%clock;" : "=r"(end)::"memory");
			if (r >= 2)
				times[r - 2 + i * MAX_ROUNDS] = min(end - start, 65535u);
		}
}

static double median(std::vector<double> v)
{
	std::sort(v.begin(), v.end());
	return v[v.size() / 2];
}

static double mean(const std::vector<double> &v)
{
	double sum = 0;
	for (double x : v)
		sum += x;
	return sum / v.size();
}

static double correlation(const std::vector<double> &a, const std::vector<double> &b)
{
	double ma = mean(a), mb = mean(b), ab = 0, aa = 0, bb = 0;
	for (size_t i = 0; i < a.size(); i++) {
		ab += (a[i] - ma) * (b[i] - mb);
		aa += (a[i] - ma) * (a[i] - ma);
		bb += (b[i] - mb) * (b[i] - mb);
	}
	return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 1;
}

static std::vector<u64> lines(u64 size)
{
	std::vector<u64> offsets;
	for (u64 i = 0; i < LINES; i++)
		offsets.push_back(i < CONSECUTIVE ? i * LINE : ((u64)rand() * 977 % (size / LINE)) * LINE);
	return offsets;
}

// Latencies by SM and line: every round, and the median of the rounds. An SM on which no block ran has none.
struct Latencies {
	std::vector<std::vector<std::vector<double>>> raw;
	std::vector<std::vector<double>> seen;
};

static Latencies measure(int tried, int rounds, u64 size, const std::vector<u64> &offsets)
{
	int sms = kit::device().multiProcessorCount;
	char *data = kit::allocate<char>(size);
	u64 *list = kit::allocate<u64>(LINES);
	unsigned *arrived = kit::allocate<unsigned>(1);
	unsigned short *times = kit::allocate<unsigned short>(LINES * MAX_ROUNDS);
	CHECK(cudaMemcpy(list, offsets.data(), LINES * sizeof(u64), cudaMemcpyHostToDevice));
	int shared = kit::device().sharedMemPerBlock / 4 * 3;
	shared = std::max<int>(shared, kit::device().sharedMemPerBlockOptin);
	cudaFuncSetAttribute(look, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
	cudaGetLastError();

	Latencies of = {std::vector<std::vector<std::vector<double>>>(sms), std::vector<std::vector<double>>(sms)};
	for (int sm = 0; sm < tried; sm++) {
		CHECK(cudaMemset(arrived, 0, sizeof(unsigned)));
		CHECK(cudaMemset(times, 0, LINES * MAX_ROUNDS * sizeof *times));
		look<<<sms, 32, shared>>>(data, list, sm, rounds, arrived, times);
		kit::finish();
		std::vector<unsigned short> t = kit::read(times, LINES * MAX_ROUNDS);
		if (t[0] == 0) {
			fprintf(stderr, "slices: no block ran on SM %d\n", sm);
			continue;
		}
		for (int i = 0; i < LINES; i++) {
			of.raw[sm].emplace_back(t.begin() + i * MAX_ROUNDS, t.begin() + i * MAX_ROUNDS + rounds);
			of.seen[sm].push_back(median(of.raw[sm].back()));
		}
	}
	return of;
}

// The group of SMs that see the lines alike; a new one if none is alike.
static int group_of(const Latencies &of, int sm, std::vector<int> &leaders)
{
	for (size_t g = 0; g < leaders.size(); g++)
		if (correlation(of.seen[leaders[g]], of.seen[sm]) > 0.9)
			return g;
	leaders.push_back(sm);
	return leaders.size() - 1;
}

// Prints the rows of each SM. Returns the first SM with latencies (-1: none) and the SM least like it.
static std::pair<int, int> rows_by_sm(const Latencies &of, int tried)
{
	int first = -1, other = -1;
	double least = 2;
	std::vector<int> leaders;
	for (int sm = 0; sm < tried; sm++) {
		if (of.seen[sm].empty())
			continue;
		if (first < 0)
			first = sm;
		double like = correlation(of.seen[first], of.seen[sm]);
		if (like < least) {
			least = like;
			other = sm;
		}
		int group = group_of(of, sm, leaders);
		kit::row("slices", "sm_latency", kit::text("sm=%d", sm), of.seen[sm], "cycles");
		kit::row("slices", "sm_mean_latency", kit::text("sm=%d", sm), {mean(of.seen[sm])}, "cycles");
		kit::row("slices", "sm_like_first", kit::text("sm=%d group=%d", sm, group), {like}, "correlation");
	}
	if (first >= 0)
		kit::row("slices", "groups", kit::text("other_sm=%d", other), {(double)leaders.size()}, "groups");
	return {first, other};
}

static void rows_by_line(const Latencies &of, int tried, int first, int other, const std::vector<u64> &offsets)
{
	for (int i = 0; i < LINES; i++) {
		std::vector<double> all;
		for (int sm = 0; sm < tried; sm++)
			if (!of.seen[sm].empty())
				all.push_back(of.seen[sm][i]);
		std::string p = kit::text("line=%d offset=%llu", i, offsets[i]);
		if (i < 320)
			kit::row("slices", "line_from_first", p, of.raw[first][i], "cycles");
		if (i < 320)
			kit::row("slices", "line_from_other", p, of.raw[other][i], "cycles");
		if (i < 400)
			kit::row("slices", "line_from_all", p, all, "cycles");
	}
}

int main(int argc, char **argv)
{
	bool quick = kit::quick(argc, argv);
	int tried = quick ? 4 : kit::device().multiProcessorCount;
	u64 size = quick ? 1 << 20 : 32 << 20;
	std::vector<u64> offsets = lines(size);
	Latencies of = measure(tried, quick ? 2 : MAX_ROUNDS, size, offsets);
	std::pair<int, int> ends = rows_by_sm(of, tried);
	if (ends.first >= 0)
		rows_by_line(of, tried, ends.first, ends.second, offsets);
	return 0;
}
