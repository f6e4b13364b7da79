// dct8x8: the 8 x 8 discrete cosine transform of an image and its inverse. Scratchpad sharing's DCT1 to DCT5 (Tables 1
// to 5) and D2MA's DCT (dct1). A block stages a tile of the image in shared memory. In DCT1 to DCT4 each thread
// transforms a row of eight values and then a column, in place. In DCT5 each thread computes one coefficient as two
// products with the matrix of cosines. Rows are padded by one bank. Only shared memory limits DCT1 to DCT4: 7 blocks
// fit on an SM of 16 KB. Its last access precedes the last stores, so that it can be released early. dct1_8320 and
// dct2_8320 are Table 5's larger tiles with its stated 128 threads. dct1_8320x256 and dct2_8320x256 have the 256
// threads that its text counts with. In dct1_dma the DMA engine stages dct1's tile, and skips the padding bank after
// each row. dct1_loop and dct2_loop are dct1 and dct2 with a loop over a tile's strips, although one round completes
// it: the form before 23 November 2026 (programs/README.md, Choices). dct1_sample to dct4_sample are like CUDA's
// sample, where the device makes the input of the inverse transforms. dct3_halves and dct4_halves are these with the
// steps of CUDA's Open64 for halves of a word.
#include "../program.h"

#include <sluice/dma.h>

const int SHORT_TILE = 32, SHORT_DEPTH = 4; // DCT3, DCT4: 32 x 32 values
const int CONSTANT_BITS = 13;               // fraction bits of fixed-point weights

// cos(k pi / 16) / 2
const float C1 = 0.49039264f, C2 = 0.46193977f, C3 = 0.41573481f, C4 = 0.35355339f, C5 = 0.27778512f, C6 = 0.19134172f,
	    C7 = 0.09754516f;

__constant__ float cosines[64]; // row k: weights of coefficient k

// Converts a weight to a factor for values of type T, and a sum of products to a value.
template <typename T> __host__ __device__ constexpr T weight(float value);
template <> __host__ __device__ constexpr float weight<float>(float value)
{
	return value;
}
template <> __host__ __device__ constexpr int weight<int>(float value)
{
	return (int)(value * (1 << CONSTANT_BITS) + 0.5f);
}

__host__ __device__ float scaled(float sum)
{
	return sum;
}
__host__ __device__ int scaled(int sum)
{
	return (sum + (1 << (CONSTANT_BITS - 1))) >> CONSTANT_BITS;
}

// Sums and differences of mirrored values halve the multiplications: even coefficients depend only on the sums.
template <typename T> __host__ __device__ void forward(T *v)
{
	const T c1 = weight<T>(C1), c2 = weight<T>(C2), c3 = weight<T>(C3), c4 = weight<T>(C4), c5 = weight<T>(C5),
		c6 = weight<T>(C6), c7 = weight<T>(C7);
	T s0 = v[0] + v[7], s1 = v[1] + v[6], s2 = v[2] + v[5], s3 = v[3] + v[4];
	T d0 = v[0] - v[7], d1 = v[1] - v[6], d2 = v[2] - v[5], d3 = v[3] - v[4];
	v[0] = scaled(c4 * ((s0 + s3) + (s1 + s2)));
	v[4] = scaled(c4 * ((s0 + s3) - (s1 + s2)));
	v[2] = scaled(c2 * (s0 - s3) + c6 * (s1 - s2));
	v[6] = scaled(c6 * (s0 - s3) - c2 * (s1 - s2));
	v[1] = scaled(c1 * d0 + c3 * d1 + c5 * d2 + c7 * d3);
	v[3] = scaled(c3 * d0 - c7 * d1 - c1 * d2 - c5 * d3);
	v[5] = scaled(c5 * d0 - c1 * d1 + c7 * d2 + c3 * d3);
	v[7] = scaled(c7 * d0 - c5 * d1 + c3 * d2 - c1 * d3);
}

template <typename T> __host__ __device__ void inverse(T *v)
{
	const T c1 = weight<T>(C1), c2 = weight<T>(C2), c3 = weight<T>(C3), c4 = weight<T>(C4), c5 = weight<T>(C5),
		c6 = weight<T>(C6), c7 = weight<T>(C7);
	T e0 = c4 * (v[0] + v[4]), e1 = c4 * (v[0] - v[4]);
	T f0 = c2 * v[2] + c6 * v[6], f1 = c6 * v[2] - c2 * v[6];
	T s0 = e0 + f0, s1 = e1 + f1, s2 = e1 - f1, s3 = e0 - f0;
	T d0 = c1 * v[1] + c3 * v[3] + c5 * v[5] + c7 * v[7];
	T d1 = c3 * v[1] - c7 * v[3] - c1 * v[5] - c5 * v[7];
	T d2 = c5 * v[1] - c1 * v[3] + c7 * v[5] + c3 * v[7];
	T d3 = c7 * v[1] - c5 * v[3] + c3 * v[5] - c1 * v[7];
	v[0] = scaled(s0 + d0), v[7] = scaled(s0 - d0);
	v[1] = scaled(s1 + d1), v[6] = scaled(s1 - d1);
	v[2] = scaled(s2 + d2), v[5] = scaled(s2 - d2);
	v[3] = scaled(s3 + d3), v[4] = scaled(s3 - d3);
}

template <bool INVERSE, typename T> __host__ __device__ void transform(T *v)
{
	if (INVERSE)
		inverse(v);
	else
		forward(v);
}

// Transforms eight values in shared memory in place; they are `step` apart.
template <bool INVERSE> __device__ void transform_at(float *values, int step)
{
	float v[8];
	for (int i = 0; i < 8; i++)
		v[i] = values[i * step];
	transform<INVERSE>(v);
	for (int i = 0; i < 8; i++)
		values[i * step] = v[i];
}

// Transforms WIDTH x HEIGHT values with 8 x WIDTH/8 x DEPTH threads. Each has one column of a strip of eight rows, in
// every DEPTHth strip. The number of passes is a constant, so that a single pass needs no loop.
template <int WIDTH, int HEIGHT, int DEPTH, bool INVERSE, bool BY_DMA = false>
__device__ __forceinline__ void transform_tile(float *tile, const float *source, float *result, int pitch)
{
	const int STRIDE = WIDTH + 1, PASS = DEPTH * 8, PASSES = HEIGHT / PASS;
	int column = threadIdx.y * 8 + threadIdx.x, top = threadIdx.z * 8;
	int origin = (blockIdx.y * HEIGHT + top) * pitch + blockIdx.x * WIDTH + column;
	float *strip = tile + top * STRIDE;

	if (BY_DMA) {
		dma_set_datatype_float();
		dma_set_elements_per_bank(WIDTH);
		dma_configure_matrix(tile, source + origin - column - top * pitch, HEIGHT, WIDTH, pitch);
	} else {
		for (int pass = 0; pass < PASSES; pass++)
			for (int y = pass * PASS; y < pass * PASS + 8; y++)
				strip[y * STRIDE + column] = source[origin + y * pitch];
		__syncthreads();
	}
	for (int pass = 0; pass < PASSES; pass++)
		transform_at<INVERSE>(&strip[(pass * PASS + threadIdx.x) * STRIDE + threadIdx.y * 8], 1);
	__syncthreads();
	for (int pass = 0; pass < PASSES; pass++) {
		transform_at<INVERSE>(&strip[pass * PASS * STRIDE + column], STRIDE);
		for (int y = pass * PASS; y < pass * PASS + 8; y++)
			result[origin + y * pitch] = strip[y * STRIDE + column];
	}
}

__global__ void CUDAkernel2DCT(const float *source, float *result, int pitch)
{
	__shared__ float tile[16 * 33];
	transform_tile<32, 16, 2, false>(tile, source, result, pitch);
}

__global__ void CUDAkernel2IDCT(const float *source, float *result, int pitch)
{
	__shared__ float tile[16 * 33];
	transform_tile<32, 16, 2, true>(tile, source, result, pitch);
}

__global__ void CUDAkernel2DCT_8320(const float *source, float *result, int pitch)
{
	__shared__ float tile[32 * 65];
	transform_tile<64, 32, 2, false>(tile, source, result, pitch);
}

__global__ void CUDAkernel2IDCT_8320(const float *source, float *result, int pitch)
{
	__shared__ float tile[32 * 65];
	transform_tile<64, 32, 2, true>(tile, source, result, pitch);
}

__global__ void CUDAkernel2DCT_8320x256(const float *source, float *result, int pitch)
{
	__shared__ float tile[32 * 65];
	transform_tile<64, 32, 4, false>(tile, source, result, pitch);
}

__global__ void CUDAkernel2IDCT_8320x256(const float *source, float *result, int pitch)
{
	__shared__ float tile[32 * 65];
	transform_tile<64, 32, 4, true>(tile, source, result, pitch);
}

// 16-bit values, two per word: half of the threads copy the tile, one word each.
template <bool INVERSE>
__device__ __forceinline__ void transform_short_tile(short2 *tile, const short2 *source, short2 *result, int pitch)
{
	const int STRIDE = SHORT_TILE / 2 + 1;
	int column = threadIdx.y * 8 + threadIdx.x, y = threadIdx.z * 8;
	bool copies = column < SHORT_TILE / 2;
	int origin = (blockIdx.y * SHORT_TILE + y) * pitch + blockIdx.x * SHORT_TILE / 2 + column;

	if (copies)
		for (int i = 0; i < 8; i++)
			tile[(y + i) * STRIDE + column] = source[origin + i * pitch];
	__syncthreads();

	short2 *row = &tile[(y + threadIdx.x) * STRIDE + threadIdx.y * 4];
	int v[8];
	for (int i = 0; i < 4; i++) {
		short2 pair = row[i];
		v[2 * i] = pair.x;
		v[2 * i + 1] = pair.y;
	}
	transform<INVERSE>(v);
	for (int i = 0; i < 4; i++)
		row[i] = make_short2((short)v[2 * i], (short)v[2 * i + 1]);
	__syncthreads();

	short *values = (short *)tile + y * 2 * STRIDE + column;
	for (int i = 0; i < 8; i++)
		v[i] = values[i * 2 * STRIDE];
	transform<INVERSE>(v);
	for (int i = 0; i < 8; i++)
		values[i * 2 * STRIDE] = (short)v[i];
	__syncthreads();

	if (copies)
		for (int i = 0; i < 8; i++)
			result[origin + i * pitch] = tile[(y + i) * STRIDE + column];
}

__global__ void CUDAkernelShortDCT(const short2 *source, short2 *result, int pitch)
{
	__shared__ short2 tile[SHORT_TILE * (SHORT_TILE / 2 + 1)];
	transform_short_tile<false>(tile, source, result, pitch);
}

__global__ void CUDAkernelShortIDCT(const short2 *source, short2 *result, int pitch)
{
	__shared__ short2 tile[SHORT_TILE * (SHORT_TILE / 2 + 1)];
	transform_short_tile<true>(tile, source, result, pitch);
}

// A X A^T for one 8 x 8 block, one thread per coefficient.
__global__ void CUDAkernel1DCT(const float *source, float *result, int pitch)
{
	__shared__ float values[64], half_done[64];
	int x = threadIdx.x, y = threadIdx.y;
	int at = (blockIdx.y * 8 + y) * pitch + blockIdx.x * 8 + x;

	values[y * 8 + x] = source[at];
	__syncthreads();
	float sum = 0;
	for (int k = 0; k < 8; k++)
		sum += cosines[y * 8 + k] * values[k * 8 + x];
	half_done[y * 8 + x] = sum;
	__syncthreads();
	sum = 0;
	for (int k = 0; k < 8; k++)
		sum += half_done[y * 8 + k] * cosines[x * 8 + k];
	result[at] = sum;
}

__global__ void CUDAkernel2DCT_dma(const float *source, float *result, int pitch)
{
	__shared__ float tile[16 * 33];
	transform_tile<32, 16, 2, false, true>(tile, source, result, pitch);
}

// As transform_tile, with a loop whose number of rounds the compiler does not know. It is after all other kernels, so
// that these keep their addresses.
template <int WIDTH, int HEIGHT, int DEPTH, bool INVERSE>
__device__ __forceinline__ void transform_tile_loop(float *tile, const float *source, float *result, int pitch)
{
	const int STRIDE = WIDTH + 1;
	int column = threadIdx.y * 8 + threadIdx.x;
	int origin = blockIdx.y * HEIGHT * pitch + blockIdx.x * WIDTH + column;

	for (int y = threadIdx.z * 8; y < HEIGHT; y += DEPTH * 8)
		for (int i = 0; i < 8; i++)
			tile[(y + i) * STRIDE + column] = source[origin + (y + i) * pitch];
	__syncthreads();
	for (int y = threadIdx.z * 8; y < HEIGHT; y += DEPTH * 8)
		transform_at<INVERSE>(&tile[(y + threadIdx.x) * STRIDE + threadIdx.y * 8], 1);
	__syncthreads();
	for (int y = threadIdx.z * 8; y < HEIGHT; y += DEPTH * 8) {
		transform_at<INVERSE>(&tile[y * STRIDE + column], STRIDE);
		for (int i = 0; i < 8; i++)
			result[origin + (y + i) * pitch] = tile[(y + i) * STRIDE + column];
	}
}

__global__ void CUDAkernel2DCT_loop(const float *source, float *result, int pitch)
{
	__shared__ float tile[16 * 33];
	transform_tile_loop<32, 16, 2, false>(tile, source, result, pitch);
}

__global__ void CUDAkernel2IDCT_loop(const float *source, float *result, int pitch)
{
	__shared__ float tile[16 * 33];
	transform_tile_loop<32, 16, 2, true>(tile, source, result, pitch);
}

// dct1_sample to dct4_sample: CUDA's sample has other forms of dct1 to dct4. They have the same coefficients, but the
// products are not scaled before they are added, so that the sums have their own factor. A product is subtracted
// without a fused operation. In dct1 and dct2 a warp has its own eight rows, and needs no barrier. These kernels are
// after all others, so that those keep their addresses.
const float NORM = 0.35355339f, U1 = 1.38703985f, U2 = 1.30656296f, U3 = 1.17587560f, U5 = 0.78569496f,
	    U6 = 0.54119610f,
	    U7 = 0.27589938f; // sqrt(1/8), and sqrt(2) cos(k pi / 16)

__device__ float first(float factor, float value)
{
	return factor * value;
}
__device__ float plus(float sum, float factor, float value)
{
	return sum + factor * value;
}
__device__ float minus(float sum, float factor, float value)
{
	float product = factor * value;
	asm("" : "+f"(product)); // else the compiler fuses the operations
	return sum - product;
}

__device__ void forward_scaled(float *v)
{
	float s0 = v[0] + v[7], s1 = v[1] + v[6], s2 = v[2] + v[5], s3 = v[3] + v[4];
	float d0 = v[0] - v[7], d1 = v[1] - v[6], d2 = v[2] - v[5], d3 = v[3] - v[4];
	float even = s0 + s3, odd = s1 + s2, outer = s0 - s3, inner = s1 - s2;
	v[0] = first(NORM, even + odd);
	v[4] = first(NORM, even - odd);
	v[2] = first(NORM, plus(first(U6, inner), U2, outer));
	v[6] = first(NORM, minus(first(U6, outer), U2, inner));
	v[1] = first(NORM, plus(plus(plus(first(U1, d0), U3, d1), U5, d2), U7, d3));
	v[3] = first(NORM, minus(minus(minus(first(U3, d0), U7, d1), U1, d2), U5, d3));
	v[5] = first(NORM, plus(plus(minus(first(U5, d0), U1, d1), U7, d2), U3, d3));
	v[7] = first(NORM, minus(plus(minus(first(U7, d0), U5, d1), U3, d2), U1, d3));
}

__device__ void inverse_scaled(float *v)
{
	float e0 = v[0] + v[4], e1 = v[0] - v[4];
	float f0 = plus(first(U6, v[6]), U2, v[2]), f1 = minus(first(U6, v[2]), U2, v[6]);
	float s0 = e0 + f0, s1 = e1 + f1, s2 = e1 - f1, s3 = e0 - f0;
	float d0 = plus(plus(plus(first(U1, v[1]), U3, v[3]), U5, v[5]), U7, v[7]);
	float d1 = minus(minus(minus(first(U3, v[1]), U7, v[3]), U1, v[5]), U5, v[7]);
	float d2 = plus(plus(minus(first(U5, v[1]), U1, v[3]), U7, v[5]), U3, v[7]);
	float d3 = minus(plus(minus(first(U7, v[1]), U5, v[3]), U3, v[5]), U1, v[7]);
	v[0] = first(NORM, s0 + d0), v[7] = first(NORM, s0 - d0);
	v[1] = first(NORM, s1 + d1), v[6] = first(NORM, s1 - d1);
	v[2] = first(NORM, s2 + d2), v[5] = first(NORM, s2 - d2);
	v[3] = first(NORM, s3 + d3), v[4] = first(NORM, s3 - d3);
}

template <bool INVERSE> __device__ void transform_scaled_at(float *values, int step)
{
	float v[8];
#pragma unroll
	for (int i = 0; i < 8; i++)
		v[i] = values[i * step];
	if (INVERSE)
		inverse_scaled(v);
	else
		forward_scaled(v);
#pragma unroll
	for (int i = 0; i < 8; i++)
		values[i * step] = v[i];
}

template <bool INVERSE>
__device__ __forceinline__ void transform_tile_sample(float *tile, const float *source, float *result, int pitch)
{
	const int WIDTH = 32, HEIGHT = 16, STRIDE = WIDTH + 1;
	int column = threadIdx.y * 8 + threadIdx.x, top = threadIdx.z * 8;
	int origin = (blockIdx.y * HEIGHT + top) * pitch + blockIdx.x * WIDTH + column;
	float *strip = tile + top * STRIDE;

#pragma unroll
	for (int y = 0; y < 8; y++)
		strip[y * STRIDE + column] = source[origin + y * pitch];
	transform_scaled_at<INVERSE>(&strip[threadIdx.x * STRIDE + threadIdx.y * 8], 1);
	transform_scaled_at<INVERSE>(&strip[column], STRIDE);
#pragma unroll
	for (int y = 0; y < 8; y++)
		result[origin + y * pitch] = strip[y * STRIDE + column];
}

__global__ void CUDAkernel2DCT_sample(const float *source, float *result, int pitch)
{
	__shared__ float tile[16 * 33];
	transform_tile_sample<false>(tile, source, result, pitch);
}

__global__ void CUDAkernel2IDCT_sample(const float *source, float *result, int pitch)
{
	__shared__ float tile[16 * 33];
	transform_tile_sample<true>(tile, source, result, pitch);
}

// The sample's 16-bit kernels work in place. They transform columns first, with turns by fixed angles. Threads exchange
// columns so that two of them do not share a word's bank. A pair of values is put into its word one after the other.
const int HALF_TURN = 23170, WIDE_COS = 30274, WIDE_SIN = 12540; // cos(pi / 4), cos and sin(pi / 8), times 2^15
const int COS1 = 8035, COS3 = 6811, COS5 = 4551, COS7 = 1598;    // cos(k pi / 16), times 2^13

__device__ int times(int value, int factor)
{
	return __mul24(value, factor);
}
__device__ int to_value(int sum)
{
	return (sum + (1 << 15)) >> 16;
}
__device__ int to_turn(int sum)
{
	return (sum + (1 << 12)) >> 13;
}

__device__ void forward_turns(int *v)
{
	int s0 = v[0] + v[7], s1 = v[1] + v[6], s2 = v[2] + v[5], s3 = v[3] + v[4];
	int d0 = v[0] - v[7], d1 = v[1] - v[6], d2 = v[2] - v[5], d3 = v[3] - v[4];
	int even = s0 + s3, odd = s1 + s2, outer = s0 - s3, inner = s1 - s2;
	v[0] = to_value(times(even + odd, HALF_TURN));
	v[4] = to_value(times(even - odd, HALF_TURN));
	v[2] = to_value(times(outer, WIDE_COS) + times(inner, WIDE_SIN));
	v[6] = to_value(times(outer, WIDE_SIN) - times(inner, WIDE_COS));
	int sum = to_turn(times(d1 + d2, HALF_TURN)), difference = to_turn(times(d1 - d2, HALF_TURN));
	int a = d0 * 4 + sum, b = d3 * 4 + difference, c = d0 * 4 - sum, d = d3 * 4 - difference;
	v[1] = to_value(times(a, COS1) + times(b, COS7));
	v[7] = to_value(times(a, COS7) - times(b, COS1));
	v[5] = to_value(times(c, COS5) + times(d, COS3));
	v[3] = to_value(times(c, COS3) - times(d, COS5));
}

__device__ void inverse_turns(int *v)
{
	int e0 = times(v[0] + v[4], HALF_TURN), e1 = times(v[0] - v[4], HALF_TURN);
	int f0 = times(v[6], WIDE_SIN) + times(v[2], WIDE_COS), f1 = times(v[2], WIDE_SIN) - times(v[6], WIDE_COS);
	int s0 = e0 + f0, s1 = e1 + f1, s2 = e1 - f1, s3 = e0 - f0;
	int sum = to_turn(times(v[3] + v[5], HALF_TURN)), difference = to_turn(times(v[3] - v[5], HALF_TURN));
	int a = v[1] * 4 + sum, b = v[7] * 4 + difference, c = v[1] * 4 - sum, d = v[7] * 4 - difference;
	int d0 = times(a, COS1) + times(b, COS7), d3 = times(a, COS7) - times(b, COS1);
	int d2 = times(c, COS5) + times(d, COS3), d1 = times(c, COS3) - times(d, COS5);
	v[0] = to_value(s0 + d0), v[7] = to_value(s0 - d0);
	v[1] = to_value(s1 + d1), v[6] = to_value(s1 - d1);
	v[2] = to_value(s2 + d2), v[5] = to_value(s2 - d2);
	v[3] = to_value(s3 + d3), v[4] = to_value(s3 - d3);
}

__device__ unsigned put_pair(unsigned word, int low, int high)
{
	word = (word & 0xffff0000) | (low & 0xffff);
	asm("" : "+r"(word)); // else the compiler knows that both halves are replaced
	return (word & 0xffff) | (unsigned)(high & 0xffff) << 16;
}

// Open64's steps for halves of a word in a union, by public PTX of this sample: the lower half is taken by two shifts,
// the upper one by a move and a shift. Both are masked before a half is put, and the lower one is moved. An upper half
// is read again once the lower one was put. Each `asm` keeps clang from joining steps.
__device__ int low_half(unsigned word)
{
	int shifted;
	asm("shl.b32 %0, %1, 16;" : "=r"(shifted) : "r"(word));
	return shifted >> 16;
}

__device__ int high_half(unsigned word)
{
	int moved;
	asm("mov.b32 %0, %1;" : "=r"(moved) : "r"(word));
	return moved >> 16;
}

__device__ unsigned put_low(unsigned word, int value)
{
	asm("" : "+r"(value));
	unsigned half = value & 0xffff, moved;
	asm("mov.b32 %0, %1;" : "=r"(moved) : "r"(half));
	word = (word & 0xffff0000) | moved;
	asm("" : "+r"(word));
	return word;
}

__device__ unsigned put_high(unsigned word, int value)
{
	asm("" : "+r"(value));
	unsigned half = value & 0xffff;
	asm("" : "+r"(half));
	return (word & 0xffff) | half << 16;
}

__device__ void forward_halves(unsigned *word, const int *v)
{
	int s0 = v[0] + v[7], s1 = v[1] + v[6], s2 = v[2] + v[5], s3 = v[3] + v[4];
	int d0 = v[0] - v[7], d1 = v[1] - v[6], d2 = v[2] - v[5], d3 = v[3] - v[4];
	int even = s0 + s3, outer = s0 - s3;
	word[0] = put_low(word[0], to_value(times(even + (s1 + s2), HALF_TURN)));
	int s1_again = high_half(word[0]) + v[6];
	word[2] = put_low(word[2], to_value(times(even - (s1_again + s2), HALF_TURN)));
	int s2_again = v[2] + high_half(word[2]);
	word[1] = put_low(word[1], to_value(times(outer, WIDE_COS) + times(s1_again - s2_again, WIDE_SIN)));
	word[3] = put_low(word[3], to_value(times(outer, WIDE_SIN) - times(s1 - s2, WIDE_COS)));
	int sum = to_turn(times(d1 + d2, HALF_TURN)), difference = to_turn(times(d1 - d2, HALF_TURN));
	int a = d0 * 4 + sum, b = d3 * 4 + difference, c = d0 * 4 - sum, d = d3 * 4 - difference;
	word[0] = put_high(word[0], to_value(times(a, COS1) + times(b, COS7)));
	word[3] = put_high(word[3], to_value(times(a, COS7) - times(b, COS1)));
	word[2] = put_high(word[2], to_value(times(c, COS5) + times(d, COS3)));
	word[1] = put_high(word[1], to_value(times(c, COS3) - times(d, COS5)));
}

__device__ void inverse_halves(unsigned *word, const int *v)
{
	int e0 = times(v[0] + v[4], HALF_TURN), e1 = times(v[0] - v[4], HALF_TURN);
	int f0 = times(v[6], WIDE_SIN) + times(v[2], WIDE_COS), f1 = times(v[2], WIDE_SIN) - times(v[6], WIDE_COS);
	int s0 = e0 + f0, s1 = e1 + f1, s2 = e1 - f1, s3 = e0 - f0;
	int sum = to_turn(times(v[3] + v[5], HALF_TURN)), difference = to_turn(times(v[3] - v[5], HALF_TURN));
	int a = v[1] * 4 + sum, b = v[7] * 4 + difference, c = v[1] * 4 - sum, d = v[7] * 4 - difference;
	int d0 = times(a, COS1) + times(b, COS7), d3 = times(a, COS7) - times(b, COS1);
	int d2 = times(c, COS5) + times(d, COS3), d1 = times(c, COS3) - times(d, COS5);
	word[0] = put_low(word[0], to_value(s0 + d0));
	int c_again = high_half(word[0]) * 4 - sum;
	word[0] = put_high(word[0], to_value(s1 + (times(c_again, COS3) - times(d, COS5))));
	word[1] = put_high(put_low(word[1], to_value(s2 + d2)), to_value(s3 + d3));
	word[2] = put_high(put_low(word[2], to_value(s3 - d3)), to_value(s2 - d2));
	word[3] = put_high(put_low(word[3], to_value(s1 - d1)), to_value(s0 - d0));
}

template <bool INVERSE, bool HALVES = false>
__device__ __forceinline__ void transform_short_sample(unsigned *tile, unsigned *image, int pitch)
{
	const int STRIDE = SHORT_TILE / 2 + 1;
	int column = threadIdx.y * 8 + threadIdx.x, top = threadIdx.z * 8;
	bool copies = column < SHORT_TILE / 2;
	unsigned *words = image + (blockIdx.y * SHORT_TILE + top) * pitch + blockIdx.x * SHORT_TILE / 2 + column;
	int origin = (blockIdx.y * SHORT_TILE + top) * (pitch / 2) + blockIdx.x * SHORT_TILE / 2 + column;
	unsigned *copied = &tile[top * STRIDE + column];
	int v[8];

	if (copies)
#pragma unroll
		for (int i = 0; i < 8; i++)
			copied[i * STRIDE] = HALVES ? image[origin + i * (pitch / 2)] : words[i * pitch];
	__syncthreads();

	short *values = (short *)tile + top * 2 * STRIDE + ((column << 1 | column >> 4) & (SHORT_TILE - 1));
#pragma unroll
	for (int i = 0; i < 8; i++)
		v[i] = values[i * 2 * STRIDE];
	if (INVERSE)
		inverse_turns(v);
	else
		forward_turns(v);
#pragma unroll
	for (int i = 0; i < 8; i++)
		values[i * 2 * STRIDE] = (short)v[i];
	__syncthreads();

	unsigned *row = &tile[column * STRIDE + threadIdx.z * 4], word[4];
	if (HALVES) {
#pragma unroll
		for (int i = 0; i < 4; i++) {
			word[i] = row[i];
			v[2 * i] = low_half(word[i]);
			v[2 * i + 1] = high_half(word[i]);
		}
		if (INVERSE)
			inverse_halves(word, v);
		else
			forward_halves(word, v);
#pragma unroll
		for (int i = 0; i < 4; i++)
			row[i] = word[i];
	} else {
#pragma unroll
		for (int i = 0; i < 4; i++) {
			word[i] = row[i];
			v[2 * i] = (int)(word[i] << 16) >> 16;
			v[2 * i + 1] = (int)word[i] >> 16;
		}
		if (INVERSE)
			inverse_turns(v);
		else
			forward_turns(v);
#pragma unroll
		for (int i = 0; i < 4; i++)
			row[i] = put_pair(word[i], v[2 * i], v[2 * i + 1]);
	}
	__syncthreads();

	if (copies)
#pragma unroll
		for (int i = 0; i < 8; i++)
			(HALVES ? image[origin + i * (pitch / 2)] : words[i * pitch]) = copied[i * STRIDE];
}

__global__ void CUDAkernelShortDCT_sample(unsigned *image, int pitch)
{
	__shared__ unsigned tile[SHORT_TILE * (SHORT_TILE / 2 + 1)];
	transform_short_sample<false>(tile, image, pitch);
}

__global__ void CUDAkernelShortIDCT_sample(unsigned *image, int pitch)
{
	__shared__ unsigned tile[SHORT_TILE * (SHORT_TILE / 2 + 1)];
	transform_short_sample<true>(tile, image, pitch);
}

// Between the transforms the sample rounds coefficients to multiples, here to steps that grow with both frequencies.
template <typename T> __global__ void quantize_sample(T *coefficients, int pitch)
{
	T *value = &coefficients[(blockIdx.y * 8 + threadIdx.y) * pitch + blockIdx.x * 8 + threadIdx.x];
	float step = (float)(1 + threadIdx.x + threadIdx.y);
	*value = (T)(rintf((float)*value / step) * step);
}

__global__ void CUDAkernelShortDCT_halves(unsigned *image, int pitch)
{
	__shared__ unsigned tile[SHORT_TILE * (SHORT_TILE / 2 + 1)];
	transform_short_sample<false, true>(tile, image, pitch);
}

__global__ void CUDAkernelShortIDCT_halves(unsigned *image, int pitch)
{
	__shared__ unsigned tile[SHORT_TILE * (SHORT_TILE / 2 + 1)];
	transform_short_sample<true, true>(tile, image, pitch);
}

// Weight of value i in coefficient k.
static double cosine(int k, int i)
{
	return (k ? 0.5 : std::sqrt(0.125)) * std::cos((2 * i + 1) * k * M_PI / 16);
}

// The reference by definition, in double precision.
static std::vector<double> reference(const std::vector<double> &image, int size, bool inverted)
{
	double weights[8][8];
	for (int k = 0; k < 8; k++)
		for (int i = 0; i < 8; i++)
			weights[k][i] = inverted ? cosine(i, k) : cosine(k, i);
	std::vector<double> result(image.size());
	for (int top = 0; top < size; top += 8)
		for (int left = 0; left < size; left += 8) {
			double rows[8][8] = {};
			for (int y = 0; y < 8; y++)
				for (int k = 0; k < 8; k++)
					for (int i = 0; i < 8; i++)
						rows[y][k] += weights[k][i] * image[(top + y) * size + left + i];
			for (int k = 0; k < 8; k++)
				for (int x = 0; x < 8; x++)
					for (int i = 0; i < 8; i++)
						result[(top + k) * size + left + x] += weights[k][i] * rows[i][x];
		}
	return result;
}

// The reference with the kernels' fixed-point steps.
template <bool INVERSE> static std::vector<short> fixed_point(const std::vector<short> &image, int size)
{
	std::vector<short> result = image;
	int v[8];
	for (int pass = 0; pass < 2; pass++) {
		int step = pass ? size : 1;
		for (int line = 0; line < size; line++)
			for (int block = 0; block < size; block += 8) {
				short *at = &result[pass ? block * size + line : line * size + block];
				for (int i = 0; i < 8; i++)
					v[i] = at[i * step];
				transform<INVERSE>(v);
				for (int i = 0; i < 8; i++)
					at[i * step] = (short)v[i];
			}
	}
	return result;
}

// Gradients with texture, -128 to 127.
static std::vector<double> make_image(program::Random &random, int size)
{
	std::vector<double> image(size * size);
	for (int y = 0; y < size; y++)
		for (int x = 0; x < size; x++)
			image[y * size + x] = (int)((3 * x + 5 * y) / 4 % 192 + random.below(64)) - 128;
	return image;
}

static void expect_near(const std::vector<short> &got, const std::vector<double> &expected, program::Verdict &verdict)
{
	double largest = 0;
	for (size_t i = 0; i < got.size(); i++)
		largest = std::fmax(largest, std::fabs(got[i] - expected[i]));
	verdict.require(largest < 3, "fixed point within 3 of the definition");
}

static std::vector<short> rounded(const std::vector<double> &input)
{
	std::vector<short> values(input.size());
	for (size_t i = 0; i < input.size(); i++)
		values[i] = (short)std::lround(input[i]);
	return values;
}

static void run_short(bool inverted, const std::vector<double> &input, const std::vector<double> &expected, int size,
                      program::Verdict &verdict)
{
	std::vector<short> values = rounded(input);
	program::Array<short> source(values), result(values.size());
	dim3 grid(size / SHORT_TILE, size / SHORT_TILE), block(8, SHORT_TILE / 8, SHORT_DEPTH);
	auto kernel = inverted ? CUDAkernelShortIDCT : CUDAkernelShortDCT;
	kernel<<<grid, block>>>((short2 *)(short *)source, (short2 *)(short *)result, size / 2);
	CHECK(cudaGetLastError());

	std::vector<short> got = result.read();
	verdict.equal("result", got, inverted ? fixed_point<true>(values, size) : fixed_point<false>(values, size));
	expect_near(got, expected, verdict);
}

// The sample's order of launches. The device makes the inverse's input from the image.
static void run_short_sample(bool inverted, const std::vector<double> &image, int size, program::Verdict &verdict,
                             bool halves = false)
{
	auto forward = halves ? CUDAkernelShortDCT_halves : CUDAkernelShortDCT_sample;
	int pitch = halves ? size : size / 2; // shorts or words
	auto inverse = halves ? CUDAkernelShortIDCT_halves : CUDAkernelShortIDCT_sample;
	program::Array<short> values(rounded(image));
	dim3 grid(size / SHORT_TILE, size / SHORT_TILE), block(8, SHORT_TILE / 8, SHORT_DEPTH);
	forward<<<grid, block>>>((unsigned *)(short *)values, pitch);
	if (!inverted) {
		expect_near(values.read(), reference(image, size, false), verdict);
		return;
	}
	quantize_sample<short><<<dim3(size / 8, size / 8), dim3(8, 8)>>>(values, size);
	std::vector<short> coefficients = values.read();
	inverse<<<grid, block>>>((unsigned *)(short *)values, pitch);
	CHECK(cudaGetLastError());
	std::vector<double> input(coefficients.begin(), coefficients.end());
	expect_near(values.read(), reference(input, size, true), verdict);
}

// The sample measures the forward transform over several launches, and makes one more before them.
static void run_sample(bool inverted, const std::vector<double> &image, int size, int launches,
                       program::Verdict &verdict)
{
	program::Array<float> source(std::vector<float>(image.begin(), image.end())), result(image.size());
	std::vector<double> input = image;
	dim3 grid(size / 32, size / 16), block(8, 4, 2);
	for (int launch = 0; launch < launches; launch++)
		CUDAkernel2DCT_sample<<<grid, block>>>(source, result, size);
	if (inverted) {
		quantize_sample<float><<<dim3(size / 8, size / 8), dim3(8, 8)>>>(result, size);
		std::vector<float> coefficients = result.read();
		input.assign(coefficients.begin(), coefficients.end());
		CUDAkernel2IDCT_sample<<<grid, block>>>(result, source, size);
	}
	CHECK(cudaGetLastError());
	verdict.close("result", inverted ? source.read() : result.read(), reference(input, size, inverted), 2e-4);
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "dct8x8",
	                             {"dct1", "dct2", "dct3", "dct4", "dct5", "dct1_8320", "dct2_8320", "dct1_8320x256",
	                              "dct2_8320x256", "dct1_dma", "dct1_loop", "dct2_loop", "dct1_sample",
	                              "dct2_sample", "dct3_sample", "dct4_sample", "dct3_halves", "dct4_halves"});
	int size = arguments.number("pixels", 256, 1024, 512, "pixels a side of the image, a multiple of 64");
	int launches = arguments.number("launches", 1, 1, 1, "dct1_sample, dct2_sample: of the forward kernel");
	arguments.end();
	arguments.require(size > 0 && size % 64 == 0 && size <= 8192, "pixels that are a multiple of 64, to 8192");
	arguments.require(launches > 0 && launches <= 1000, "1 to 1000 launches");

	struct Form {
		const char *name;
		bool inverted;
		void (*kernel)(const float *, float *, int); // NULL: the 16-bit kernels
		dim3 tile, block;
	};
	const Form forms[] = {{"dct1", false, CUDAkernel2DCT, dim3(32, 16), dim3(8, 4, 2)},
	                      {"dct2", true, CUDAkernel2IDCT, dim3(32, 16), dim3(8, 4, 2)},
	                      {"dct3", false, nullptr, dim3(), dim3()},
	                      {"dct4", true, nullptr, dim3(), dim3()},
	                      {"dct5", false, CUDAkernel1DCT, dim3(8, 8), dim3(8, 8)},
	                      {"dct1_8320", false, CUDAkernel2DCT_8320, dim3(64, 32), dim3(8, 8, 2)},
	                      {"dct2_8320", true, CUDAkernel2IDCT_8320, dim3(64, 32), dim3(8, 8, 2)},
	                      {"dct1_8320x256", false, CUDAkernel2DCT_8320x256, dim3(64, 32), dim3(8, 8, 4)},
	                      {"dct2_8320x256", true, CUDAkernel2IDCT_8320x256, dim3(64, 32), dim3(8, 8, 4)},
	                      {"dct1_loop", false, CUDAkernel2DCT_loop, dim3(32, 16), dim3(8, 4, 2)},
	                      {"dct2_loop", true, CUDAkernel2IDCT_loop, dim3(32, 16), dim3(8, 4, 2)},
	                      {"dct1_dma", false, CUDAkernel2DCT_dma, dim3(32, 16), dim3(8, 4, 2)}};
	program::Random random(arguments.seed());
	program::Verdict verdict("dct8x8");
	std::vector<double> input = make_image(random, size);
	for (int sample = 1; sample <= 4; sample++)
		if (arguments.is(("dct" + std::to_string(sample) + "_sample").c_str())) {
			if (sample <= 2)
				run_sample(sample % 2 == 0, input, size, launches, verdict);
			else
				run_short_sample(sample % 2 == 0, input, size, verdict);
			return verdict.status();
		}
	if (arguments.is("dct3_halves") || arguments.is("dct4_halves")) {
		run_short_sample(arguments.is("dct4_halves"), input, size, verdict, true);
		return verdict.status();
	}
	const Form *form = forms;
	while (!arguments.is(form->name))
		form++;
	if (form->inverted)
		input = reference(input, size, false);
	std::vector<double> expected = reference(input, size, form->inverted);

	if (!form->kernel) {
		run_short(form->inverted, input, expected, size, verdict);
		return verdict.status();
	}
	float weights[64];
	for (int i = 0; i < 64; i++)
		weights[i] = (float)cosine(i / 8, i % 8);
	CHECK(cudaMemcpyToSymbol(cosines, weights, sizeof(weights)));
	program::Array<float> source(std::vector<float>(input.begin(), input.end())), result(input.size());
	form->kernel<<<dim3(size / form->tile.x, size / form->tile.y), form->block>>>(source, result, size);
	CHECK(cudaGetLastError());
	verdict.close("result", result.read(), expected, 2e-4);
	return verdict.status();
}
