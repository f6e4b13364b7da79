// wgmma.cu: the warp group's asynchronous matrix instructions of sm_90a (build: -gencode=arch=compute_90a,code=sm_90a).
// Latency of one fence, wgmma, commit and wait; throughput of 1 to 4 warp groups of an SM. A comes from registers or
// shared memory, one chain of accumulators or two, dense or sparse, swizzled or not; all SMs at once for long enough
// to see the clock under power. The checks compare small products of every type with plain ones, for both readings of
// the descriptor's two offsets. Tiles are K-major: rows of 32 bytes of K (64 for the sparse B), in core matrices of 8
// rows by 16 bytes. Rows named setmaxnreg give the time of giving registers back and taking them again.
#include "hopper.h"
#include "wgmma_instructions.h"

using namespace hopper;

extern __shared__ __align__(1024) unsigned char room[];

static const uint32_t B_AT = 16 * 1024, TILES = 48 * 1024; // A of group g at g * 4096; B up to 32 KB

__device__ __forceinline__ void fence()
{
	asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ __forceinline__ void commit()
{
	asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int PENDING> __device__ __forceinline__ void wait_groups()
{
	asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
}

// Keeps the compiler from moving reads and writes of the accumulators over the fence or the wait next to this.
__device__ __forceinline__ void pin(float &x)
{
	asm volatile("" : "+f"(x)::"memory");
}

__device__ __forceinline__ void pin(uint32_t &x)
{
	asm volatile("" : "+r"(x)::"memory");
}

__device__ __forceinline__ void pin(int &x)
{
	asm volatile("" : "+r"(x)::"memory");
}

template <int COUNT, typename SCALAR> __device__ __forceinline__ void pin_all(SCALAR *d)
{
#pragma unroll
	for (int i = 0; i < COUNT; i++)
		pin(d[i]);
}

// ---- Kernels.

template <typename TYPE, int N, bool A_REGISTERS, typename SCALAR>
__device__ __forceinline__ void multiply(SCALAR *d, const uint32_t *a, u64 a_desc, u64 b_desc)
{
	if (A_REGISTERS)
		Multiply<TYPE, N, N * TYPE::WIDTH / 8>::rs(d, a, b_desc);
	else
		Multiply<TYPE, N, N * TYPE::WIDTH / 8>::ss(d, a_desc, b_desc);
}

// `layout`: the descriptor without its address. The copy of A and B, laid out by the host, is read from `tiles`.
// LATENCY: each instruction is waited for. Else groups of 4 instructions, one group ahead; CHAINS accumulators.
template <typename TYPE, int N, bool A_REGISTERS, int CHAINS, bool LATENCY>
__global__ void __launch_bounds__(N *TYPE::WIDTH *CHAINS / 8 > 96 ? 384 : 512)
	rate(const uint32_t *tiles, u64 layout_a, u64 layout_b, int steps, Times *times, unsigned *late)
{
	typename TYPE::Scalar d[CHAINS][N * TYPE::WIDTH / 8];
	uint32_t a[4], base = aligned(room), group = threadIdx.x / 128;
	uint32_t *to = reinterpret_cast<uint32_t *>(room + (base - shared(room)));
	for (uint32_t i = threadIdx.x; i < TILES / 4; i += blockDim.x)
		to[i] = tiles[i];
	for (int i = 0; i < 4; i++)
		a[i] = tiles[threadIdx.x * 4 + i];
#pragma unroll
	for (int c = 0; c < CHAINS; c++)
#pragma unroll
		for (int i = 0; i < N * TYPE::WIDTH / 8; i++)
			d[c][i] = 0;
	fence_async();
	__syncthreads();
	u64 a_desc = layout_a | ((base + group * 4096) & 0x3ffff) >> 4,
	    b_desc = layout_b | ((base + B_AT) & 0x3ffff) >> 4;
	u64 start_ns = kit::nanoseconds(), start = kit::cycles();
	pin_all<CHAINS * N * TYPE::WIDTH / 8>(d[0]);
	fence();
	if (LATENCY) {
#pragma unroll 1
		for (int i = 0; i < steps; i++) {
			fence();
			multiply<TYPE, N, A_REGISTERS>(d[0], a, a_desc, b_desc);
			commit();
			wait_groups<0>();
		}
	} else {
#pragma unroll 1
		for (int i = 0; i < steps; i += 4) {
			fence();
#pragma unroll
			for (int k = 0; k < 4; k++)
				multiply<TYPE, N, A_REGISTERS>(d[k % CHAINS], a, a_desc, b_desc);
			commit();
			wait_groups<1>();
		}
		wait_groups<0>();
	}
	pin_all<CHAINS * N * TYPE::WIDTH / 8>(d[0]);
	typename TYPE::Scalar sum = 0;
#pragma unroll
	for (int c = 0; c < CHAINS; c++)
#pragma unroll
		for (int i = 0; i < N * TYPE::WIDTH / 8; i++)
			sum += d[c][i];
	if (sum == static_cast<typename TYPE::Scalar>(-77777)) // never seen; keeps the accumulators alive
		*late = 2;
	__syncthreads();
	u64 end = kit::cycles();
	if (threadIdx.x == 0)
		times[blockIdx.x] = {start, end, start_ns, kit::nanoseconds()};
}

// One product of a tile, the accumulators written as they are: out[thread * registers + i].
template <typename TYPE, int N, bool A_REGISTERS>
__global__ void __launch_bounds__(128)
	product(const uint32_t *tiles, const uint32_t *fragments, u64 layout, typename TYPE::Scalar *out)
{
	const int REGISTERS = N * TYPE::WIDTH / 8;
	typename TYPE::Scalar d[REGISTERS];
	uint32_t a[4], base = aligned(room);
	uint32_t *to = reinterpret_cast<uint32_t *>(room + (base - shared(room)));
	for (uint32_t i = threadIdx.x; i < TILES / 4; i += blockDim.x)
		to[i] = tiles[i];
	for (int i = 0; i < 4; i++)
		a[i] = fragments[threadIdx.x * 4 + i];
#pragma unroll
	for (int i = 0; i < REGISTERS; i++)
		d[i] = 0;
	fence_async();
	__syncthreads();
	pin_all<REGISTERS>(d);
	fence();
	multiply<TYPE, N, A_REGISTERS>(d, a, layout | (base & 0x3ffff) >> 4, layout | ((base + B_AT) & 0x3ffff) >> 4);
	commit();
	wait_groups<0>();
	pin_all<REGISTERS>(d);
#pragma unroll
	for (int i = 0; i < REGISTERS; i++)
		out[threadIdx.x * REGISTERS + i] = d[i];
}

// A step: 8 times each warp group gives registers back and takes them again, with the barrier that the ISA asks for
// after each; or the barriers alone.
template <bool MOVES> __global__ void __launch_bounds__(512, 1) registers(int steps, Times *times, unsigned *)
{
	unsigned barrier = threadIdx.x / 128 + 1;
	__syncthreads();
	u64 start_ns = kit::nanoseconds(), start = kit::cycles();
#pragma unroll 1
	for (int i = 0; i < steps; i++) {
#pragma unroll
		for (int k = 0; k < 8; k++) {
			if (MOVES)
				asm volatile("setmaxnreg.dec.sync.aligned.u32 64;" ::: "memory");
			asm volatile("barrier.sync.aligned %0, 128;" ::"r"(barrier) : "memory");
			if (MOVES)
				asm volatile("setmaxnreg.inc.sync.aligned.u32 128;" ::: "memory");
			asm volatile("barrier.sync.aligned %0, 128;" ::"r"(barrier) : "memory");
		}
	}
	u64 end = kit::cycles();
	if (threadIdx.x == 0)
		times[blockIdx.x] = {start, end, start_ns, kit::nanoseconds()};
}

// ---- Host.

// A descriptor without its address. `lead`: distance of core matrices along K; `stride`: along M or N; in bytes.
static u64 descriptor(u64 lead, u64 stride, u64 swizzle)
{
	return lead >> 4 << 16 | stride >> 4 << 32 | swizzle << 62;
}

enum Data { ZEROS, SMALL, RANDOM };

// The tiles, on the device: zeros, random whole numbers 0 to 3, or random numbers of both signs.
template <typename TYPE> static uint32_t *filled(Data data, std::vector<unsigned char> *copy)
{
	std::vector<unsigned char> tiles(TILES);
	uint32_t state = 12345;
	for (size_t i = 0; i < TILES && data != ZEROS; i += TYPE::BYTES) {
		state = state * 1664525 + 1013904223;
		uint32_t mixed = (state ^ state >> 15) * 0x9e3779b1;
		mixed ^= mixed >> 16;
		uint32_t bits = data == SMALL ? TYPE::bits(static_cast<int>(mixed & 3)) : TYPE::random(mixed);
		memcpy(&tiles[i], &bits, TYPE::BYTES);
	}
	uint32_t *device = kit::allocate<uint32_t>(TILES / 4);
	CHECK(cudaMemcpy(device, tiles.data(), TILES, cudaMemcpyHostToDevice));
	if (copy)
		*copy = tiles;
	return device;
}

template <typename TYPE> static double number(const unsigned char *at)
{
	uint32_t bits = 0;
	memcpy(&bits, at, TYPE::BYTES);
	for (int x = 0; x < 4; x++)
		if (TYPE::bits(x) == bits)
			return x;
	return -1;
}

static double half(uint32_t bits)
{
	int exponent = static_cast<int>(bits >> 10 & 31);
	double fraction = (bits & 1023) / 1024.0;
	double value = exponent ? 1 + fraction : fraction;
	for (int i = 15; i < std::max(exponent, 1); i++)
		value *= 2;
	for (int i = std::max(exponent, 1); i < 15; i++)
		value /= 2;
	return bits & 0x8000 ? -value : value;
}

static double value(float x, int)
{
	return x;
}

static double value(int x, int)
{
	return x;
}

static double value(uint32_t x, int part)
{
	return half(x >> 16 * part & 0xffff);
}

static size_t core(int row, int byte)
{
	return static_cast<size_t>(row / 8 * 256 + byte / 16 * 128 + row % 8 * 16 + byte % 16);
}

// 1: the product of m64n64 is right. `swapped`: the descriptor's two offsets exchanged.
template <typename TYPE, bool A_REGISTERS> static void check(bool swapped)
{
	const int N = 64, REGISTERS = N * TYPE::WIDTH / 8;
	std::vector<unsigned char> tiles;
	std::vector<uint32_t> fragments(512);
	uint32_t *device = filled<TYPE>(SMALL, &tiles), *device_a = kit::allocate<uint32_t>(512);
	typename TYPE::Scalar *out = kit::allocate<typename TYPE::Scalar>(128 * REGISTERS);
	for (int t = 0; t < 128; t++)
		for (int i = 0; i < 4; i++) {
			int row = t / 32 * 16 + t % 32 / 4 + i % 2 * 8, byte = t % 4 * 4 + i / 2 * 16;
			memcpy(&fragments[static_cast<size_t>(t * 4 + i)], &tiles[core(row, byte)], 4);
		}
	CHECK(cudaMemcpy(device_a, fragments.data(), 2048, cudaMemcpyHostToDevice));
	Shape shape = {1, 128, TILES + 1024, 0, false};
	if (!prepare(product<TYPE, N, A_REGISTERS>, shape))
		return;
	u64 layout = swapped ? descriptor(256, 128, 0) : descriptor(128, 256, 0);
	launch(shape, product<TYPE, N, A_REGISTERS>, device, device_a, layout, out);
	if (!done("product"))
		return;
	std::vector<typename TYPE::Scalar> result = kit::read(out, 128 * REGISTERS);
	int wrong = 0;
	for (int t = 0; t < 128; t++)
		for (int i = 0; i < N / 2; i++) {
			int row = t / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8, column = i / 4 * 8 + t % 4 * 2 + i % 2;
			double sum = 0;
			for (int byte = 0; byte < 32; byte += TYPE::BYTES)
				sum += number<TYPE>(&tiles[core(row, byte)]) *
				       number<TYPE>(&tiles[B_AT + core(column, byte)]);
			int place = t * REGISTERS + (TYPE::WIDTH == 4 ? i : i / 2);
			wrong += value(result[static_cast<size_t>(place)], i % 2) != sum;
		}
	kit::row("wgmma", "matrix_check",
	         kit::text("type=%s n=%d a=%s offsets=%s wrong=%d", TYPE::name(), N,
	                   A_REGISTERS ? "registers" : "shared", swapped ? "swapped" : "normal", wrong),
	         {wrong ? 0.0 : 1.0}, "bool");
}

template <typename TYPE> static void checks_of()
{
	check<TYPE, false>(false);
	check<TYPE, false>(true);
	check<TYPE, true>(false);
}

static void checks(bool)
{
	checks_of<F16>();
	checks_of<F16F16>();
	checks_of<BF16>();
	checks_of<TF32>();
	checks_of<E4M3>();
	checks_of<S8>();
}

// Swizzled rows of `swizzle` bytes: the stride is 8 rows. The tiles then hold other numbers; only time matters.
static u64 layout_of(int swizzle, bool sparse_b)
{
	if (swizzle)
		return descriptor(16, static_cast<u64>(8 * swizzle), swizzle == 128 ? 1 : swizzle == 64 ? 2 : 3);
	return descriptor(128, sparse_b ? 512 : 256, 0);
}

// Operations of one instruction; a sparse one counts its zeros.
template <typename TYPE> static double operations(int n)
{
	return 2.0 * 64 * n * TYPE::K;
}

template <typename TYPE, int N, bool A_REGISTERS, int CHAINS, bool LATENCY>
static void point(const uint32_t *tiles, int swizzle, unsigned groups, unsigned blocks, int repeats)
{
	auto kernel = rate<TYPE, N, A_REGISTERS, CHAINS, LATENCY>;
	Shape shape = {blocks, groups * 128, TILES + 1024, 0, false};
	if (groups * 128 > (N * TYPE::WIDTH * CHAINS / 8 > 96 ? 384 : 512) || !prepare(kernel, shape))
		return;
	std::string parameters =
		kit::text("type=%s m=64 n=%d k=%d a=%s swizzle=%d chains=%d groups=%u sms=%u", TYPE::name(), N,
	                  +TYPE::K, A_REGISTERS ? "registers" : "shared", swizzle, CHAINS, groups, blocks);
	auto one = [&](int steps, Times *times, unsigned *late) {
		launch(shape, kernel, tiles, layout_of(swizzle, false), layout_of(swizzle, TYPE::SPARSE), steps, times,
		       late);
	};
	Costs cost;
	if (!costs("rate " + parameters, blocks, 32, 288, repeats, one, &cost))
		return;
	row("wgmma", LATENCY ? "latency" : "interval", parameters, scaled(cost.cycles, LATENCY ? 1.0 : 1.0 / groups),
	    "cycles");
	if (!LATENCY)
		row("wgmma", "rate", parameters, rates(cost.cycles, groups * operations<TYPE>(N)), "op/cycle/SM");
}

template <typename TYPE, int N> static void shape_of(const uint32_t *tiles, bool quick)
{
	int repeats = quick ? 3 : 5;
	for (unsigned groups = 1; groups <= 4; groups++) {
		point<TYPE, N, false, 1, true>(tiles, 0, groups, 1, repeats);
		point<TYPE, N, false, 1, false>(tiles, 0, groups, 1, repeats);
		if (N <= 128)
			point<TYPE, N, false, N <= 128 ? 2 : 1, false>(tiles, 0, groups, 1, repeats);
		if (TYPE::SPARSE)
			continue;
		point<TYPE, N, !TYPE::SPARSE, 1, true>(tiles, 0, groups, 1, repeats);
		point<TYPE, N, !TYPE::SPARSE, 1, false>(tiles, 0, groups, 1, repeats);
		if (N == 64 || N == 128 || N == 256)
			for (int swizzle : {32, 64, 128})
				point<TYPE, N, false, 1, false>(tiles, swizzle, groups, 1, repeats);
	}
}

template <typename TYPE> static void shapes(bool quick)
{
	uint32_t *tiles = filled<TYPE>(SMALL, nullptr);
	shape_of<TYPE, 8>(tiles, quick);
	shape_of<TYPE, 16>(tiles, quick);
	shape_of<TYPE, 32>(tiles, quick);
	shape_of<TYPE, 64>(tiles, quick);
	shape_of<TYPE, 96>(tiles, quick);
	shape_of<TYPE, 128>(tiles, quick);
	shape_of<TYPE, 192>(tiles, quick);
	shape_of<TYPE, 256>(tiles, quick);
}

// All SMs for about `cycles` cycles: the rate, and the clock that the power leaves.
template <typename TYPE, int N> static void power_of(bool quick, Data data, double cycles)
{
	unsigned sms = static_cast<unsigned>(kit::device().multiProcessorCount);
	auto kernel = rate<TYPE, N, false, 1, false>;
	Shape shape = {sms, 256, 200 * 1024, 0, false};
	uint32_t *tiles = filled<TYPE>(data, nullptr);
	static const char *const NAMES[] = {"zeros", "small", "random"};
	double one_cycles, ns, mhz;
	int steps = 4096;
	auto one = [&](Times *times, unsigned *late) {
		launch(shape, kernel, tiles, layout_of(0, false), layout_of(0, TYPE::SPARSE), steps, times, late);
	};
	std::string parameters = kit::text("type=%s n=%d data=%s groups=2 sms=%u ms=%.0f", TYPE::name(), N, NAMES[data],
	                                   sms, cycles / 1.7e6);
	if (!prepare(kernel, shape) || !measure("power", sms, one, &one_cycles, &ns, &mhz))
		return;
	steps = quick ? 256 : static_cast<int>(std::min(1e8, std::max(4096.0, 4096 * cycles / one_cycles))) / 4 * 4;
	std::vector<double> speed, clock;
	for (int repeat = 0; repeat < 3; repeat++) {
		if (!measure("power", sms, one, &one_cycles, &ns, &mhz))
			return;
		speed.push_back(2.0 * sms * steps * operations<TYPE>(N) / ns / 1000);
		clock.push_back(mhz);
	}
	row("wgmma", "whole_gpu", parameters, speed, "Top/s");
	row("wgmma", "whole_gpu_clock", parameters, clock, "MHz");
}

template <typename TYPE> static void powers_of(bool quick)
{
	for (double cycles : {2e6, 3e8}) {
		for (Data data : {ZEROS, RANDOM})
			power_of<TYPE, 256>(quick, data, cycles);
	}
	power_of<TYPE, 128>(quick, RANDOM, 2e6);
	power_of<TYPE, 64>(quick, RANDOM, 2e6);
}

static void powers(bool quick)
{
	powers_of<F16>(quick);
	powers_of<F16F16>(quick);
	powers_of<BF16>(quick);
	powers_of<TF32>(quick);
	powers_of<E4M3>(quick);
	powers_of<S8>(quick);
	powers_of<SP>(quick);
}

template <bool MOVES> static void register_moves_of(bool quick)
{
	for (unsigned threads : {128u, 256u, 384u, 512u}) {
		auto one = [&](int steps, Times *times, unsigned *late) {
			launch({1, threads, 0, 0, false}, registers<MOVES>, steps, times, late);
		};
		Costs cost;
		if (costs("setmaxnreg", 1, 4, quick ? 12 : 36, quick ? 3 : 7, one, &cost))
			row("wgmma", MOVES ? "setmaxnreg_pair" : "setmaxnreg_barriers_only",
			    kit::text("from=128 to=64 groups=%u", threads / 128), scaled(cost.cycles, 1.0 / 8),
			    "cycles");
	}
}

static void register_moves(bool quick)
{
	register_moves_of<false>(quick);
	register_moves_of<true>(quick);
}

int main(int argc, char **argv)
{
	static const Section LIST[] = {
		{"checks", checks},         {"f16", shapes<F16>},
		{"f16f16", shapes<F16F16>}, {"bf16", shapes<BF16>},
		{"tf32", shapes<TF32>},     {"e4m3", shapes<E4M3>},
		{"s8", shapes<S8>},         {"sparse", shapes<SP>},
		{"powers", powers},         {"registers", register_moves},
	};
	return sections(argc, argv, LIST, sizeof LIST / sizeof *LIST);
}
