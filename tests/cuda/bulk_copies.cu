// Protects simt/bulk.c, src/mech/tma and cuTensorMapEncodeTiled(): bulk copies, timed and functional. Tests a sum over
// pieces in two alternating buffers, tiles of a matrix with borders, swizzled tiles, tile stores and reductions, and
// tensor map errors.
#include "check.h"

#include <cuda.h>

enum { PIECE = 1024, PIECES = 24, BLOCKS = 20, THREADS = 128 };

static __device__ unsigned shared_address(const void *p)
{
	unsigned address;
	asm("{ .reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a; }" : "=r"(address) : "l"(p));
	return address;
}

static __device__ void init(unsigned long long *bar, unsigned count)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(bar)), "r"(count) : "memory");
}

static __device__ void expect(unsigned long long *bar, unsigned bytes)
{
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(bar)), "r"(bytes) : "memory");
}

static __device__ void wait(unsigned long long *bar, unsigned parity)
{
	unsigned over;
	do
		asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
		             : "=r"(over)
		             : "r"(shared_address(bar)), "r"(parity)
		             : "memory");
	while (!over);
}

static __device__ void copy_in(void *to, const void *from, unsigned bytes, unsigned long long *bar)
{
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(to)), "l"(from), "r"(bytes),
	             "r"(shared_address(bar))
	             : "memory");
}

// Each piece is added up while the next one is in flight.
__global__ void sum_pieces(const int *in, int *out)
{
	__shared__ alignas(16) int piece[2][PIECE];
	__shared__ unsigned long long bar[2];
	const int *own = in + blockIdx.x * PIECES * PIECE;
	if (threadIdx.x == 0) {
		init(&bar[0], 1);
		init(&bar[1], 1);
		for (int k = 0; k < 2; k++) {
			expect(&bar[k], sizeof piece[k]);
			copy_in(piece[k], own + k * PIECE, sizeof piece[k], &bar[k]);
		}
	}
	__syncthreads();
	int sum = 0;
	for (int k = 0; k < PIECES; k++) {
		int place = k % 2;
		wait(&bar[place], k / 2 % 2);
		for (int i = threadIdx.x; i < PIECE; i += THREADS)
			sum = sum * 3 + piece[place][(i + k) % PIECE];
		__syncthreads();
		if (threadIdx.x == 0 && k + 2 < PIECES) {
			expect(&bar[place], sizeof piece[place]);
			copy_in(piece[place], own + (k + 2) * PIECE, sizeof piece[place], &bar[place]);
		}
	}
	out[blockIdx.x * THREADS + threadIdx.x] = sum;
}

static void check_pieces()
{
	size_t count = (size_t)BLOCKS * PIECES * PIECE;
	int *host = new int[count], *in, *out, got[BLOCKS * THREADS];
	for (size_t i = 0; i < count; i++)
		host[i] = (int)(i * 2654435761u >> 7);
	CHECK(cudaMalloc(&in, count * sizeof *in) == cudaSuccess && cudaMalloc(&out, sizeof got) == cudaSuccess);
	CHECK(cudaMemcpy(in, host, count * sizeof *in, cudaMemcpyHostToDevice) == cudaSuccess);
	sum_pieces<<<BLOCKS, THREADS>>>(in, out);
	CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost) == cudaSuccess);
	for (int b = 0; b < BLOCKS; b++)
		for (int t = 0; t < THREADS; t++) {
			unsigned sum = 0;
			for (int k = 0; k < PIECES; k++)
				for (int i = t; i < PIECE; i += THREADS)
					sum = sum * 3 + (unsigned)host[(b * PIECES + k) * PIECE + (i + k) % PIECE];
			CHECK(got[b * THREADS + t] == (int)sum);
		}
	delete[] host;
	cudaFree(in), cudaFree(out);
}

// --- tiles ---

enum { WIDTH = 100, HEIGHT = 70, PITCH = 112, TILE = 32, HALO = 1, BOX = 36 };

static decltype(&cuTensorMapEncodeTiled) encode;

static CUtensorMap map_of(float *array, unsigned width, unsigned height, CUtensorMapSwizzle swizzle)
{
	CUtensorMap map;
	const cuuint64_t size[] = {WIDTH, HEIGHT}, stride[] = {PITCH * sizeof(float)};
	const cuuint32_t box[] = {width, height}, step[] = {1, 1};
	CHECK(encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, array, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
	             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
	return map;
}

// The sum of an element's four neighbors, where those outside the matrix are zero. Results are stored as tiles; those
// at the right and lower border are stored in part.
__global__ void neighbors(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to)
{
	__shared__ alignas(128) float in[TILE + 2 * HALO][BOX], out[TILE][TILE];
	__shared__ unsigned long long bar;
	int x = blockIdx.x * TILE, y = blockIdx.y * TILE;
	if (threadIdx.x == 0) {
		init(&bar, 1);
		expect(&bar, sizeof in);
		asm volatile("prefetch.tensormap [%0];" ::"l"(&to) : "memory");
		asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(in)),
		             "l"(&from), "r"(x - HALO), "r"(y - HALO), "r"(shared_address(&bar))
		             : "memory");
	}
	__syncthreads();
	wait(&bar, 0);
	for (int i = threadIdx.x; i < TILE * TILE; i += THREADS) {
		int r = i / TILE + HALO, c = i % TILE + HALO;
		out[r - HALO][c - HALO] = in[r - 1][c] + in[r + 1][c] + in[r][c - 1] + in[r][c + 1];
	}
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	__syncthreads();
	if (threadIdx.x == 0) {
		asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&to), "r"(x), "r"(y), "r"(shared_address(out))
		             : "memory");
		asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::: "memory");
	}
}

// A transposed tile with rows of 128 bytes, whose 16-byte chunks are swizzled by row.
__global__ void turned(const __grid_constant__ CUtensorMap from, float *out)
{
	__shared__ alignas(1024) float in[TILE][TILE];
	__shared__ unsigned long long bar;
	if (threadIdx.x == 0) {
		init(&bar, 1);
		expect(&bar, sizeof in);
		asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(
				     shared_address(in)),
		             "l"(&from), "r"(8), "r"(3), "r"(shared_address(&bar)), "l"(0x1000000000000000)
		             : "memory");
	}
	__syncthreads();
	wait(&bar, 0);
	for (int i = threadIdx.x; i < TILE * TILE; i += THREADS) {
		int r = i % TILE, c = i / TILE;
		out[i] = in[r][(c / 4 ^ r % 8) * 4 + c % 4];
	}
}

static float at(const float *host, int x, int y)
{
	return x < 0 || x >= WIDTH || y < 0 || y >= HEIGHT ? 0 : host[y * PITCH + x];
}

static void check_tiles()
{
	static float host[HEIGHT * PITCH], got[HEIGHT * PITCH], tile[TILE * TILE];
	float *in, *out;
	for (int i = 0; i < HEIGHT * PITCH; i++)
		host[i] = (float)(i * 37 % 1001);
	CHECK(cudaMalloc(&in, sizeof host) == cudaSuccess && cudaMalloc(&out, sizeof host) == cudaSuccess);
	CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice) == cudaSuccess && cudaMemset(out, 0, sizeof host) == cudaSuccess);
	dim3 grid((WIDTH + TILE - 1) / TILE, (HEIGHT + TILE - 1) / TILE);
	neighbors<<<grid, THREADS>>>(map_of(in, BOX, TILE + 2 * HALO, CU_TENSOR_MAP_SWIZZLE_NONE), map_of(out, TILE, TILE, CU_TENSOR_MAP_SWIZZLE_NONE));
	CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost) == cudaSuccess);
	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < PITCH; x++)
			CHECK(got[y * PITCH + x] == (x < WIDTH ? at(host, x, y - 1) + at(host, x, y + 1) + at(host, x - 1, y) + at(host, x + 1, y) : 0));
	turned<<<1, THREADS>>>(map_of(in, TILE, TILE, CU_TENSOR_MAP_SWIZZLE_128B), out);
	CHECK(cudaMemcpy(tile, out, sizeof tile, cudaMemcpyDeviceToHost) == cudaSuccess);
	for (int i = 0; i < TILE * TILE; i++)
		CHECK(tile[i] == at(host, 8 + i / TILE, 3 + i % TILE));
	cudaFree(in), cudaFree(out);
}

// --- reductions ---

__global__ void histogram(const unsigned *in, unsigned count, unsigned *bins)
{
	__shared__ alignas(16) unsigned own[64];
	for (int i = threadIdx.x; i < 64; i += THREADS)
		own[i] = 0;
	__syncthreads();
	for (unsigned i = blockIdx.x * THREADS + threadIdx.x; i < count; i += gridDim.x * THREADS)
		atomicAdd(&own[in[i] % 64], 1);
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	__syncthreads();
	if (threadIdx.x == 0) {
		asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(bins), "r"(shared_address(own)), "r"(256) : "memory");
		asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
	}
}

static void check_reductions()
{
	enum { COUNT = 20000 };
	static unsigned host[COUNT], bins[64], want[64];
	unsigned *in, *out;
	for (unsigned i = 0; i < COUNT; i++) {
		host[i] = i * 2654435761u >> 9;
		want[host[i] % 64]++;
	}
	CHECK(cudaMalloc(&in, sizeof host) == cudaSuccess && cudaMalloc(&out, sizeof bins) == cudaSuccess);
	CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice) == cudaSuccess && cudaMemset(out, 0, sizeof bins) == cudaSuccess);
	histogram<<<BLOCKS, THREADS>>>(in, COUNT, out);
	CHECK(cudaMemcpy(bins, out, sizeof bins, cudaMemcpyDeviceToHost) == cudaSuccess);
	for (int i = 0; i < 64; i++)
		CHECK(bins[i] == want[i]);
	cudaFree(in), cudaFree(out);
}

// --- maps ---

struct given {
	CUtensorMap *map;
	int type;
	cuuint32_t rank;
	char *address;
	cuuint64_t size[5], stride[4];
	cuuint32_t box[5], step[5];
	int interleave, swizzle, promotion, fill;
};

static CUresult encode_given(const given &g)
{
	return encode(g.map, (CUtensorMapDataType)g.type, g.rank, g.address, g.size, g.stride, g.box, g.step, (CUtensorMapInterleave)g.interleave,
	              (CUtensorMapSwizzle)g.swizzle, (CUtensorMapL2promotion)g.promotion, (CUtensorMapFloatOOBfill)g.fill);
}

static void check_maps()
{
	static char *const array = (char *)0x10000;
	CUtensorMap map[2];
	const given good = {map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 3, array, {64, 8, 8}, {128, 1024}, {64, 8, 256}, {1, 8, 1}, 0, CU_TENSOR_MAP_SWIZZLE_128B, 3, 1};
	CHECK(encode_given(good) == CUDA_SUCCESS);
#define WRONG(change, result)                                                                                          \
	do {                                                                                                           \
		given g = good;                                                                                        \
		change;                                                                                                \
		CHECK(encode_given(g) == result);                                                                      \
	} while (0)
	WRONG(g.map = NULL, CUDA_ERROR_INVALID_VALUE);
	WRONG(g.map = (CUtensorMap *)((char *)map + 16), CUDA_ERROR_INVALID_VALUE);
	WRONG(g.type = 13, CUDA_ERROR_INVALID_VALUE);
	WRONG(g.rank = 0, CUDA_ERROR_INVALID_VALUE);
	WRONG(g.rank = 6, CUDA_ERROR_INVALID_VALUE);
	WRONG(g.address = NULL, CUDA_ERROR_INVALID_VALUE);
	WRONG(g.address = array + 8, CUDA_ERROR_INVALID_VALUE);
	WRONG(g.size[1] = 0, CUDA_ERROR_INVALID_VALUE);
	WRONG(g.size[2] = (1ull << 32) + 1, CUDA_ERROR_INVALID_VALUE);
	WRONG(g.size[2] = 1ull << 32, CUDA_SUCCESS);
	WRONG(g.stride[0] = 24, CUDA_ERROR_INVALID_VALUE);
	WRONG(g.stride[1] = 1ull << 40, CUDA_ERROR_INVALID_VALUE);
	WRONG(g.stride[2] = 24, CUDA_SUCCESS); // a dimension beyond the last
	WRONG(g.box[0] = 4, CUDA_ERROR_INVALID_VALUE);
	WRONG(g.box[0] = 72, CUDA_ERROR_INVALID_VALUE); // exceeds the swizzle's 128 bytes
	WRONG(g.box[1] = 0, CUDA_ERROR_INVALID_VALUE);
	WRONG(g.box[2] = 257, CUDA_ERROR_INVALID_VALUE);
	WRONG(g.step[1] = 9, CUDA_ERROR_INVALID_VALUE);
	WRONG(g.step[2] = 0, CUDA_ERROR_INVALID_VALUE);
	WRONG(g.interleave = 1, CUDA_ERROR_NOT_SUPPORTED);
	WRONG(g.interleave = 3, CUDA_ERROR_INVALID_VALUE);
	WRONG(g.swizzle = 9, CUDA_ERROR_INVALID_VALUE);
	WRONG(g.promotion = 4, CUDA_ERROR_INVALID_VALUE);
	WRONG(g.type = CU_TENSOR_MAP_DATA_TYPE_UINT16, CUDA_ERROR_INVALID_VALUE); // integers have no NaN
	CHECK(cuTensorMapReplaceAddress(map, array + 32) == CUDA_SUCCESS);
	CHECK(cuTensorMapReplaceAddress(map, array + 8) == CUDA_ERROR_INVALID_VALUE);
	memset(map, 0, sizeof map);
	CHECK(cuTensorMapReplaceAddress(map, array) == CUDA_ERROR_INVALID_VALUE);
}

int main()
{
	void *function = NULL;
	cudaDriverEntryPointQueryResult found;
	CHECK(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &found) == cudaSuccess && found == cudaDriverEntryPointSuccess);
	encode = (decltype(encode))function;
	check_maps();
	check_pieces();
	check_tiles();
	check_reductions();
	return finish();
}
