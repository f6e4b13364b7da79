// fast_walsh: dyadic convolution, result[i] = sum over j of kernel[j] x data[i xor j], with the fast Walsh-Hadamard
// transform: transform both, multiply, transform back. TELEPORT's FWL, D2MA's FW. Butterflies have four values. While
// these are more than a tile apart, a pass uses global memory, with one thread per butterfly. A thread finds its values
// with an AND of its number, which makes its indexes non-precalculable in TELEPORT's sense (section 2.2). Then a block
// buffers a tile of up to 2048 values in shared memory and does all further stages there. D2MA transfers this tile: in
// `dma` the DMA engine buffers it.
#include "../program.h"

#include <sluice/dma.h>

const int TILE = 2048, BLOCK = 256;

// Two stages at once: four values become their Walsh-Hadamard transform.
__device__ void butterfly(float &a, float &b, float &c, float &d)
{
	float sum_ac = a + c, sum_bd = b + d, difference_ac = a - c, difference_bd = b - d;
	a = sum_ac + sum_bd;
	b = sum_ac - sum_bd;
	c = difference_ac + difference_bd;
	d = difference_ac - difference_bd;
}

// The values of a butterfly are `stride` apart.
__global__ void fwt_global(float *result, const float *data, int stride)
{
	int number = blockIdx.x * blockDim.x + threadIdx.x;
	int low = number & (stride - 1), first = 4 * (number - low) + low;
	float a = data[first], b = data[first + stride], c = data[first + 2 * stride], d = data[first + 3 * stride];
	butterfly(a, b, c, d);
	result[first] = a;
	result[first + stride] = b;
	result[first + 2 * stride] = c;
	result[first + 3 * stride] = d;
}

// Does all stages within the buffered tile of 4 x blockDim.x values, and writes the result to global memory.
__device__ void transform_tile(float *tile, float *target)
{
	int thread = threadIdx.x, quarter = blockDim.x;
	int group = 4 * quarter; // number of values still to combine with each other
	for (; group >= 4; group /= 4) {
		int stride = group / 4, low = thread & (stride - 1), first = 4 * (thread - low) + low;
		butterfly(tile[first], tile[first + stride], tile[first + 2 * stride], tile[first + 3 * stride]);
		__syncthreads();
	}
	if (group == 2) {
		for (int i = 2 * thread; i < 4 * quarter; i += 2 * quarter) {
			float a = tile[i], b = tile[i + 1];
			tile[i] = a + b;
			tile[i + 1] = a - b;
		}
		__syncthreads();
	}

	for (int i = thread; i < 4 * quarter; i += quarter)
		target[i] = tile[i];
}

template <bool BY_DMA> __global__ void fwt_shared(float *result, const float *data)
{
	__shared__ float tile[TILE];
	int thread = threadIdx.x, quarter = blockDim.x;
	const float *source = data + blockIdx.x * 4 * quarter;
	float *target = result + blockIdx.x * 4 * quarter;
	if (BY_DMA) {
		dma_set_datatype_float();
		dma_configure_flat_unit_stride(tile, source, 4 * quarter);
	} else {
		tile[thread] = source[thread];
		tile[thread + quarter] = source[thread + quarter];
		tile[thread + 2 * quarter] = source[thread + 2 * quarter];
		tile[thread + 3 * quarter] = source[thread + 3 * quarter];
		__syncthreads();
	}
	transform_tile(tile, target);
}

__global__ void modulate(float *values, const float *factors, float scale)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	values[i] *= factors[i] * scale;
}

static void transform(float *values, int length, bool by_dma)
{
	auto within_tiles = by_dma ? fwt_shared<true> : fwt_shared<false>;
	int tile = length;
	for (; tile > TILE; tile /= 4)
		fwt_global<<<length / 4 / BLOCK, BLOCK>>>(values, values, tile / 4);
	within_tiles<<<length / tile, tile / 4>>>(values, values);
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "fast_walsh", {"plain", "dma"});
	int levels = arguments.number("levels", 13, 18, 20, "2^levels values, 8 to 24");
	int kernel_levels =
		arguments.number("kernel-levels", 7, 7, 7, "of which 2^kernel-levels are not 0 in the kernel");
	arguments.end();
	arguments.require(levels >= 8 && levels <= 24, "8 to 24 levels");
	arguments.require(kernel_levels <= levels, "kernel-levels to levels");

	int length = 1 << levels, kernel_length = 1 << kernel_levels;
	program::Random random(arguments.seed());
	std::vector<float> data = random.floats(length, 0, 1), kernel = random.floats(kernel_length, 0, 1);
	std::vector<double> expected(length);
	for (int i = 0; i < length; i++)
		for (int j = 0; j < kernel_length; j++)
			expected[i] += (double)kernel[j] * data[i ^ j];
	kernel.resize(length); // padded with zeros

	bool by_dma = arguments.is("dma");
	program::Array<float> values(data), factors(kernel);
	transform(values, length, by_dma);
	transform(factors, length, by_dma);
	modulate<<<length / BLOCK, BLOCK>>>(values, factors, 1.0f / length);
	transform(values, length, by_dma);
	CHECK(cudaGetLastError());

	program::Verdict verdict("fast_walsh");
	verdict.close("result", values.read(), expected, 1e-4);
	return verdict.status();
}
