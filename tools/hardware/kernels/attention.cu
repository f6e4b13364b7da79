// attention: softmax(Q K' / 8) V for heads of dimension 64, forward, with online softmax. A block of 4 warps has 64
// queries, 16 per warp. It passes once over the keys in tiles of 64: products by tensor cores, scores and sums in
// registers, exponentials by the special function units. Inputs are FP16, sums and outputs FP32.
#include "mma.h"
#include "sample.h"

#include <algorithm>

const int HEAD = 64, TILE = 64, THREADS = 128, PADDED = HEAD + 8, PARTS = TILE / 8;
const float SCALE = 0.125f * 1.44269504f; // 1 / sqrt(64), and exp(x) = exp2(1.44... x)

using Tile = __half[TILE][PADDED];

__device__ void fetch(Tile &tile, const __half *from)
{
	for (int i = threadIdx.x; i < TILE * HEAD / 8; i += THREADS)
		*(uint4 *)&tile[i / (HEAD / 8)][i % (HEAD / 8) * 8] = *(const uint4 *)(from + i * 8);
}

__device__ unsigned pack(float low, float high)
{
	__half2 both = __floats2half2_rn(low, high);
	return *(unsigned *)&both;
}

// scores = q k', 16 queries x 64 keys.
__device__ void score(float (&scores)[PARTS][4], const unsigned (&q)[HEAD / 16][4], const Tile &k)
{
	int lane = threadIdx.x % 32;
#pragma unroll
	for (int j = 0; j < PARTS; j += 2) {
		scores[j][0] = scores[j][1] = scores[j][2] = scores[j][3] = 0;
		scores[j + 1][0] = scores[j + 1][1] = scores[j + 1][2] = scores[j + 1][3] = 0;
#pragma unroll
		for (int d = 0; d < HEAD / 16; d++) {
			unsigned b[4];
			mma::load(b, &k[8 * j + lane / 16 * 8 + lane % 8][16 * d + lane / 8 % 2 * 8]);
			mma::multiply(scores[j], q[d], b[0], b[1]);
			mma::multiply(scores[j + 1], q[d], b[2], b[3]);
		}
	}
}

// Combines the values of the four lanes that share a row.
__device__ float row_max(float value)
{
	value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, 1));
	return fmaxf(value, __shfl_xor_sync(0xffffffffu, value, 2));
}

__device__ float row_sum(float value)
{
	value += __shfl_xor_sync(0xffffffffu, value, 1);
	return value + __shfl_xor_sync(0xffffffffu, value, 2);
}

// Replaces the scores of row `half` (0: the lane's first row, 1: its second) by powers. Rescales the sums.
__device__ void soften(float (&scores)[PARTS][4], float (&sums)[PARTS][4], float &most, float &total, int half)
{
	float now = most;
#pragma unroll
	for (int j = 0; j < PARTS; j++)
		now = fmaxf(now, fmaxf(scores[j][2 * half], scores[j][2 * half + 1]));
	now = row_max(now);
	float rescale = exp2f((most - now) * SCALE), own = 0;
	most = now;
#pragma unroll
	for (int j = 0; j < PARTS; j++)
#pragma unroll
		for (int e = 2 * half; e < 2 * half + 2; e++) {
			scores[j][e] = exp2f((scores[j][e] - now) * SCALE);
			own += scores[j][e];
			sums[j][e] *= rescale;
		}
	total = total * rescale + own;
}

// sums += powers v.
__device__ void weigh(float (&sums)[PARTS][4], const float (&powers)[PARTS][4], const Tile &v)
{
	int lane = threadIdx.x % 32;
#pragma unroll
	for (int k = 0; k < TILE / 16; k++) {
		const float(&first)[4] = powers[2 * k], (&second)[4] = powers[2 * k + 1];
		unsigned a[4] = {pack(first[0], first[1]), pack(first[2], first[3]), pack(second[0], second[1]),
		                 pack(second[2], second[3])};
#pragma unroll
		for (int j = 0; j < PARTS; j += 2) {
			unsigned b[4];
			mma::load_transposed(b, &v[16 * k + lane % 16][8 * j + lane / 16 * 8]);
			mma::multiply(sums[j], a, b[0], b[1]);
			mma::multiply(sums[j + 1], a, b[2], b[3]);
		}
	}
}

// Grid: tiles of queries, heads.
__global__ void __launch_bounds__(THREADS)
attention(const __half *q, const __half *k, const __half *v, float *out, int sequence)
{
	__shared__ __align__(16) Tile tile_q, tile_k, tile_v;
	size_t head = (size_t)blockIdx.y * sequence * HEAD, queries = head + (size_t)blockIdx.x * TILE * HEAD;
	int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16;
	fetch(tile_q, q + queries);
	__syncthreads();
	unsigned own_q[HEAD / 16][4];
#pragma unroll
	for (int d = 0; d < HEAD / 16; d++)
		mma::load(own_q[d], &tile_q[row + lane % 16][16 * d + lane / 16 * 8]);
	float sums[PARTS][4] = {}, most[2] = {-1e30f, -1e30f}, total[2] = {};
	for (int key = 0; key < sequence; key += TILE) {
		fetch(tile_k, k + head + (size_t)key * HEAD);
		fetch(tile_v, v + head + (size_t)key * HEAD);
		__syncthreads();
		float scores[PARTS][4];
		score(scores, own_q, tile_k);
		soften(scores, sums, most[0], total[0], 0);
		soften(scores, sums, most[1], total[1], 1);
		weigh(sums, scores, tile_v);
		__syncthreads();
	}
	float scale[2] = {1 / row_sum(total[0]), 1 / row_sum(total[1])};
	out += queries + (size_t)(row + lane / 4) * HEAD + lane % 4 * 2;
#pragma unroll
	for (int j = 0; j < PARTS; j++)
#pragma unroll
		for (int half = 0; half < 2; half++)
			*(float2 *)(out + half * 8 * HEAD + 8 * j) =
				make_float2(sums[j][2 * half] * scale[half], sums[j][2 * half + 1] * scale[half]);
}

static std::vector<__half> halves(size_t count, float limit, program::Random &random)
{
	__half table[256];
	for (__half &value : table)
		value = __float2half(random.uniform(-limit, limit));
	std::vector<__half> values(count);
	for (__half &value : values)
		value = table[random.below(256)];
	return values;
}

static double dot(const __half *a, const __half *b)
{
	double sum = 0;
	for (int d = 0; d < HEAD; d++)
		sum += (double)__half2float(a[d]) * __half2float(b[d]);
	return sum;
}

// The output of one query: its row of q, and the head's keys and values.
static std::vector<double> attend(const __half *q, const __half *k, const __half *v, int sequence)
{
	std::vector<double> weights(sequence), out(HEAD);
	double most = -1e30, total = 0;
	for (int i = 0; i < sequence; i++)
		most = std::max(most, weights[i] = dot(q, k + (size_t)i * HEAD) / 8);
	for (double &weight : weights)
		total += weight = exp(weight - most);
	for (int i = 0; i < sequence; i++)
		for (int d = 0; d < HEAD; d++)
			out[d] += weights[i] / total * __half2float(v[(size_t)i * HEAD + d]);
	return out;
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "attention");
	int sequence = arguments.number("sequence", 256, 1024, 4096, "queries and keys, a multiple of 64");
	int heads = arguments.number("heads", 4, 16, 64, "heads of all sequences together");
	arguments.end();
	arguments.require(sequence > 0 && sequence % TILE == 0 && heads > 0 && heads <= 4096, "tiles of 64");
	program::Random random(arguments.seed());
	size_t count = (size_t)heads * sequence * HEAD;
	std::vector<__half> q = halves(count, 2, random), k = halves(count, 2, random), v = halves(count, 1, random);
	program::Array<__half> device_q(q), device_k(k), device_v(v);
	program::Array<float> device_out(count);
	attention<<<dim3(sequence / TILE, heads), THREADS>>>(device_q, device_k, device_v, device_out, sequence);
	CHECK(cudaGetLastError());

	std::vector<float> out = device_out.read(), got;
	std::vector<double> want;
	for (size_t row : sample::positions((size_t)heads * sequence, 64, random)) {
		size_t head = row / sequence * sequence * HEAD;
		std::vector<double> expected = attend(&q[row * HEAD], &k[head], &v[head], sequence);
		want.insert(want.end(), expected.begin(), expected.end());
		got.insert(got.end(), out.begin() + row * HEAD, out.begin() + (row + 1) * HEAD);
	}
	program::Verdict verdict("attention");
	verdict.close("out", got, want, 3e-3);
	return verdict.status();
}
