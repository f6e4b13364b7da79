// scalar_product: scalar products of pairs of float vectors, one pair per block. Scratchpad sharing uses it in its
// comparison with shared memory multiplexing (SP, Tables 7 to 9). A block adds products into 1024 accumulators and then
// adds those up in a tree. The array has 12 more elements, as Table 8 implies; with them it limits the blocks per SM.
// The vectors are streams that are read once. The forms of Yang et al. join two logical blocks of 64 threads in one
// block that has one array. In `vtb` the halves use it in turn, from the loads of its products to the end. In
// `vtb_pipe` both load and multiply into registers at once, and only add up in turn.
#include "../program.h"

const int BLOCK = 64, ACCUMULATORS = 1024;
const int MINE = ACCUMULATORS / BLOCK; // accumulators per thread

__global__ void scalarProdGPU(const float *a, const float *b, float *products, int elements)
{
	__shared__ float accumulators[ACCUMULATORS + 12];
	int t = threadIdx.x, first = blockIdx.x * elements;
	for (int k = t; k < ACCUMULATORS; k += BLOCK) {
		float sum = 0;
		for (int i = first + k; i < first + elements; i += ACCUMULATORS)
			sum += a[i] * b[i];
		accumulators[k] = sum;
	}
	for (int stride = ACCUMULATORS / 2; stride > 0; stride /= 2) {
		__syncthreads();
		for (int k = t; k < stride; k += BLOCK)
			accumulators[k] += accumulators[k + stride];
	}
	if (t == 0)
		products[blockIdx.x] = accumulators[0];
}

__device__ void multiply(float *sums, const float *a, const float *b, int t, int elements)
{
#pragma unroll
	for (int k = 0; k < MINE; k++)
		sums[k] = 0;
	for (int i = t; i < elements; i += ACCUMULATORS)
#pragma unroll
		for (int k = 0; k < MINE; k++)
			sums[k] += a[i + k * BLOCK] * b[i + k * BLOCK];
}

__device__ void add_up(float *accumulators, const float *sums, float *product, int t, int half)
{
#pragma unroll
	for (int k = 0; k < MINE; k++)
		accumulators[t + k * BLOCK] = sums[k];
	for (int stride = ACCUMULATORS / 2; stride > 0; stride /= 2) {
		program::barrier<BLOCK>(half + 1); // barrier of one logical block
		for (int k = t; k < stride; k += BLOCK)
			accumulators[k] += accumulators[k + stride];
	}
	if (t == 0)
		*product = accumulators[0];
}

__global__ void scalarProdGPU_VTB(const float *a, const float *b, float *products, int elements)
{
	__shared__ float accumulators[ACCUMULATORS + 12];
	int t = threadIdx.x % BLOCK, half = threadIdx.x / BLOCK;
	int pair = blockIdx.x * 2 + half;
	for (int turn = 0; turn < 2; turn++) {
		if (half == turn) {
			float sums[MINE];
			multiply(sums, a + pair * elements, b + pair * elements, t, elements);
			add_up(accumulators, sums, products + pair, t, half);
		}
		__syncthreads();
	}
}

__global__ void scalarProdGPU_VTB_PIPE(const float *a, const float *b, float *products, int elements)
{
	__shared__ float accumulators[ACCUMULATORS + 12];
	int t = threadIdx.x % BLOCK, half = threadIdx.x / BLOCK;
	int pair = blockIdx.x * 2 + half;
	float sums[MINE];
	multiply(sums, a + pair * elements, b + pair * elements, t, elements);
	for (int turn = 0; turn < 2; turn++) {
		if (half == turn)
			add_up(accumulators, sums, products + pair, t, half);
		__syncthreads();
	}
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "scalar_product", {"plain", "vtb", "vtb_pipe"});
	int pairs = arguments.number("pairs", 32, 512, 512, "pairs of vectors, an even number");
	int elements = arguments.number("elements", 4096, 4096, 4096, "elements of a vector, a multiple of 1024");
	arguments.end();
	arguments.require(pairs > 0 && pairs % 2 == 0 && pairs <= 8192, "an even number of pairs, at most 8192");
	arguments.require(elements > 0 && elements % ACCUMULATORS == 0 && elements <= 32768,
	                  "elements that are a multiple of 1024, at most 32768");

	program::Random random(arguments.seed());
	size_t count = (size_t)pairs * elements;
	std::vector<float> a = random.floats(count), b = random.floats(count);
	std::vector<double> expected(pairs);
	for (size_t i = 0; i < count; i++)
		expected[i / elements] += (double)a[i] * b[i];

	program::Array<float> device_a(a), device_b(b), products(pairs);
	if (arguments.is("vtb"))
		scalarProdGPU_VTB<<<pairs / 2, 2 * BLOCK>>>(device_a, device_b, products, elements);
	else if (arguments.is("vtb_pipe"))
		scalarProdGPU_VTB_PIPE<<<pairs / 2, 2 * BLOCK>>>(device_a, device_b, products, elements);
	else
		scalarProdGPU<<<pairs, BLOCK>>>(device_a, device_b, products, elements);
	CHECK(cudaGetLastError());

	program::Verdict verdict("scalar_product");
	verdict.close("products", products.read(), expected, 1e-5);
	return verdict.status();
}
