// Products on tensor cores: tiles in shared memory, two of each factor, so that the next one is loaded while the warps
// multiply. Four warps share a tile of D; each has FRAGMENTS x FRAGMENTS fragments of 16 x 16.
#pragma once

#include "finish.h"
#include "launch.h"

#include <mma.h>

namespace products {

namespace wmma = nvcuda::wmma;

enum { WARPS = 4, WARP_SIDE = 2, LANES = 32, TENSOR_THREADS = WARPS * LANES, CHUNK_BYTES = 16, STEP_BYTES = 64 };

// F: the type of fragments. Kept: its type in memory. K: the steps of k in one instruction.
template <typename F> struct fragment_type {
	typedef F kept;
	typedef float sum;
	enum { K = 16 };
};
template <> struct fragment_type<wmma::precision::tf32> {
	typedef float kept;
	typedef float sum;
	enum { K = 8 };
};
template <> struct fragment_type<signed char> {
	typedef signed char kept;
	typedef int sum;
	enum { K = 16 };
};

// Moves tiles of one factor to shared memory. A line of a tile is contiguous in memory: ROWS: along the index that D
// shares, otherwise along k. Each thread moves chunks of 16 bytes in shared memory.
template <typename F, typename In, int TILE, bool ROWS> struct mover {
	typedef typename fragment_type<F>::kept kept;
	enum {
		STEP = STEP_BYTES / sizeof(kept),
		CHUNK = CHUNK_BYTES / sizeof(kept),
		LINE = ROWS ? TILE : STEP,
		LINES = ROWS ? STEP : TILE,
		PITCH = LINE + CHUNK, // a chunk of padding, against bank conflicts
		SIZE = LINES * PITCH,
		COUNT = LINES * LINE / CHUNK / TENSOR_THREADS
	};
	enum { WORDS = CHUNK * sizeof(In) / 4, WORDS_ALIGNED = WORDS < 4 ? WORDS : 4 };
	cudaDataType type;
	bool aligned;
	long long advance;
	const In *place[COUNT]; // of the next chunk
	int inside[COUNT];      // elements of its line that exist
	int lines[COUNT];       // ROWS: lines from its own on that exist
	uint4 held[COUNT];

	__device__ __forceinline__ mover(const factor &of, long long number, int index0, int indices, int k)
	    : type(of.type), advance(ROWS ? STEP * of.ld : STEP)
	{
		const In *from = matrix_of<const In>(of, number);
		aligned = ((unsigned long long)from | of.ld * sizeof(In)) % (4 * WORDS_ALIGNED) == 0;
#pragma unroll
		for (int i = 0; i < COUNT; i++) {
			int id = i * TENSOR_THREADS + threadIdx.x, at = id % (LINE / CHUNK) * CHUNK,
			    line = id / (LINE / CHUNK);
			place[i] = from + (ROWS ? line : index0 + line) * of.ld + (ROWS ? index0 + at : at);
			inside[i] = ROWS ? indices - index0 - at : index0 + line < indices ? k - at : 0;
			lines[i] = k - line;
		}
	}
	// Loads a thread's chunks of the next tile along k into registers.
	__device__ __forceinline__ void load()
	{
#pragma unroll
		for (int i = 0; i < COUNT; i++) {
			int count = ROWS && lines[i] <= 0 ? 0 : inside[i];
			unsigned words[WORDS] = {};
			if (aligned && count >= CHUNK)
				load_words(words, place[i]);
			else if (count > 0)
				load_elements(words, place[i], count);
			convert(&held[i], words);
			place[i] += advance;
			inside[i] -= ROWS ? 0 : STEP;
			lines[i] -= STEP;
		}
	}
	// Assembler, because the compiler would divide the load into elements.
	__device__ __forceinline__ static void load_words(unsigned *words, const In *place)
	{
		if constexpr (WORDS == 2) {
			asm("ld.v2.u32 {%0, %1}, [%2];" : "=r"(words[0]), "=r"(words[1]) : "l"(place));
		} else {
#pragma unroll
			for (int i = 0; i < WORDS; i += 4)
				asm("ld.v4.u32 {%0, %1, %2, %3}, [%4];"
				    : "=r"(words[i]), "=r"(words[i + 1]), "=r"(words[i + 2]), "=r"(words[i + 3])
				    : "l"((const char *)place + 4 * i));
		}
	}
	// The first `inside` elements of a chunk; the others are 0.
	__device__ __forceinline__ static void load_elements(unsigned *words, const In *place, int inside)
	{
#pragma unroll
		for (int i = 0; i < CHUNK; i++)
			if (i < inside) {
				unsigned bits = 0;
				memcpy(&bits, &place[i], sizeof(In));
				words[i * sizeof(In) / 4] |= bits << i * sizeof(In) % 4 * 8;
			}
	}
	__device__ __forceinline__ void convert(uint4 *into, const unsigned *words) const
	{
		if constexpr (std::is_same<In, kept>::value) {
			*into = make_uint4(words[0], words[1], words[2], words[3]);
		} else {
			In elements[CHUNK];
			kept made[CHUNK];
			memcpy(elements, words, sizeof elements);
#pragma unroll
			for (int i = 0; i < CHUNK; i++)
				made[i] = to<kept>(elements[i], type);
			memcpy(into, made, sizeof made);
		}
	}
	__device__ __forceinline__ void store(kept *tile) const
	{
#pragma unroll
		for (int i = 0; i < COUNT; i++) {
			int id = i * TENSOR_THREADS + threadIdx.x;
			*(uint4 *)&tile[id / (LINE / CHUNK) * PITCH + id % (LINE / CHUNK) * CHUNK] = held[i];
		}
	}
	__device__ __forceinline__ static const kept *fragment(const kept *tile, int index, int step)
	{
		return tile + (ROWS ? step * PITCH + index : index * PITCH + step);
	}
};

// Rounds a fragment's elements where the tensor cores would cut them off.
template <typename F, typename Fragment> __device__ __forceinline__ void round_elements(Fragment &f)
{
	if constexpr (std::is_same<F, wmma::precision::tf32>::value)
		for (int i = 0; i < f.num_elements; i++)
			f.x[i] = wmma::__float_to_tf32(f.x[i]);
}

// The sums of one warp, and their multiplications in one pair of tiles.
template <typename F, int FRAGMENTS, typename A, typename B, bool A_ROWS, bool B_ROWS> struct warp_sums {
	typedef typename fragment_type<F>::kept kept;
	typedef typename fragment_type<F>::sum sum;
	enum { K = fragment_type<F>::K, WIDTH = FRAGMENTS * 16 };
	typedef std::conditional_t<A_ROWS, wmma::col_major, wmma::row_major> layout_a;
	typedef std::conditional_t<B_ROWS, wmma::row_major, wmma::col_major> layout_b;
	wmma::fragment<wmma::accumulator, 16, 16, K, sum> sums[FRAGMENTS][FRAGMENTS];

	__device__ __forceinline__ warp_sums()
	{
#pragma unroll
		for (int i = 0; i < FRAGMENTS * FRAGMENTS; i++)
			wmma::fill_fragment(sums[i / FRAGMENTS][i % FRAGMENTS], sum(0));
	}
	__device__ __forceinline__ void multiply(const kept *as, const kept *bs, int row, int column)
	{
#pragma unroll
		for (int step = 0; step < A::STEP; step += K) {
			wmma::fragment<wmma::matrix_a, 16, 16, K, F, layout_a> a[FRAGMENTS];
			wmma::fragment<wmma::matrix_b, 16, 16, K, F, layout_b> b[FRAGMENTS];
#pragma unroll
			for (int i = 0; i < FRAGMENTS; i++) {
				wmma::load_matrix_sync(a[i], A::fragment(as, row + 16 * i, step), A::PITCH);
				wmma::load_matrix_sync(b[i], B::fragment(bs, column + 16 * i, step), B::PITCH);
				round_elements<F>(a[i]);
				round_elements<F>(b[i]);
			}
#pragma unroll
			for (int i = 0; i < FRAGMENTS; i++)
#pragma unroll
				for (int j = 0; j < FRAGMENTS; j++)
					wmma::mma_sync(sums[i][j], a[i], b[j], sums[i][j]);
		}
	}
	// Writes them by columns. CUDA leaves the threads of a fragment's elements open, so they go through memory.
	__device__ __forceinline__ void store(sum *into) const
	{
#pragma unroll
		for (int i = 0; i < FRAGMENTS; i++)
#pragma unroll
			for (int j = 0; j < FRAGMENTS; j++)
				wmma::store_matrix_sync(into + 16 * j * WIDTH + 16 * i, sums[i][j], WIDTH,
				                        wmma::mem_col_major);
	}
};

template <typename F, typename In, bool A_ROWS, bool B_ROWS, int FRAGMENTS>
__global__ void __launch_bounds__(TENSOR_THREADS) cublas_gemm_tensor(product p)
{
	enum { WIDTH = FRAGMENTS * 16, TILE = WARP_SIDE * WIDTH };
	typedef mover<F, In, TILE, A_ROWS> mover_a;
	typedef mover<F, In, TILE, B_ROWS> mover_b;
	typedef typename fragment_type<F>::kept kept;
	typedef typename fragment_type<F>::sum sum;
	enum {
		TILES_BYTES = 2 * (mover_a::SIZE + mover_b::SIZE) * sizeof(kept),
		SUMS_BYTES = TILE * TILE * sizeof(sum)
	};
	__shared__ alignas(32) unsigned char memory[TILES_BYTES > SUMS_BYTES ? TILES_BYTES : SUMS_BYTES];
	kept *as = (kept *)memory, *bs = as + 2 * mover_a::SIZE;
	long long number = p.first_matrix + blockIdx.z;
	int row0 = blockIdx.x * TILE, column0 = blockIdx.y * TILE, k = without_product(p.alpha) ? 0 : p.k;
	int warp = threadIdx.x / LANES, row = warp % WARP_SIDE * WIDTH, column = warp / WARP_SIDE * WIDTH;
	mover_a a(p.a, number, row0, p.m, k);
	mover_b b(p.b, number, column0, p.n, k);
	warp_sums<F, FRAGMENTS, mover_a, mover_b, A_ROWS, B_ROWS> own;
	for (int k0 = 0, turn = 0; k0 < k + mover_a::STEP; k0 += mover_a::STEP, turn ^= 1) {
		if (k0 < k) {
			a.load();
			b.load();
		}
		if (k0 > 0)
			own.multiply(as + (turn ^ 1) * mover_a::SIZE, bs + (turn ^ 1) * mover_b::SIZE, row, column);
		if (k0 < k) {
			a.store(as + turn * mover_a::SIZE);
			b.store(bs + turn * mover_b::SIZE);
		}
		__syncthreads();
	}
	sum *stage = (sum *)memory + warp * WIDTH * WIDTH;
	own.store(stage);
	__syncwarp();
	with_types<In>(
		p, [&](auto by, auto out) __attribute__((always_inline)) {
			for (int i = threadIdx.x % LANES; i < WIDTH * WIDTH; i += LANES)
				finish<decltype(out)>(p, by, number, row0 + row + i % WIDTH,
			                              column0 + column + i / WIDTH, stage[i]);
		});
}

// Returns the multiprocessors' turns over tiles of a side, in units of the work of the smallest tile.
inline long long turns(const product &p, int side, int multiprocessors)
{
	long long tiles = (long long)((p.m + side - 1) / side) * ((p.n + side - 1) / side) * p.count;
	return (tiles + multiprocessors - 1) / multiprocessors * (side / 32) * (side / 32);
}

template <typename F, typename In, bool A_ROWS, bool B_ROWS>
cublasStatus_t tensor_sized(const product &p, cudaStream_t stream)
{
	int device = 0, multiprocessors = 1;
	cudaGetDevice(&device);
	cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
	// Large tiles halve the moved bytes, so they are preferred unless they leave multiprocessors idle.
	if (turns(p, 64, multiprocessors) * 8 <= turns(p, 32, multiprocessors) * 9)
		return launch_tiles(cublas_gemm_tensor<F, In, A_ROWS, B_ROWS, 2>, TENSOR_THREADS, 64, p, stream);
	return launch_tiles(cublas_gemm_tensor<F, In, A_ROWS, B_ROWS, 1>, TENSOR_THREADS, 32, p, stream);
}

template <typename F, typename In> cublasStatus_t tensor(const product &p, cudaStream_t stream)
{
	if (p.a.index_is_row)
		return p.b.index_is_row ? tensor_sized<F, In, true, true>(p, stream)
		                        : tensor_sized<F, In, true, false>(p, stream);
	return p.b.index_is_row ? tensor_sized<F, In, false, true>(p, stream)
	                        : tensor_sized<F, In, false, false>(p, stream);
}

} // namespace products
