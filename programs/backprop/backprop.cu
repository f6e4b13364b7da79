// backprop: one training step of a neural network with one hidden layer. TELEPORT and prefetch-CTA call it BKP, CAPS
// BPR. bpnn_layerforward_CUDA multiplies a tile of 16 inputs x 16 hidden units by the inputs and adds up its columns in
// a tree. bpnn_adjust_weights_cuda updates the same weights. Rows of weights are 17 floats, so that a warp's loads
// straddle lines. The tree uses floating-point powers of two, as in Rodinia, which keep the first kernel from being
// memory bound. In scratchpad sharing both arrays of the first kernel are 48 wide (`array48`: 9408 bytes, of which a
// tile of 16 x 16 is used). Only threads with x = 0 access them at the end, so that the other threads can release them
// early (Tables 1, 3 and 4). Table 3 changes Rodinia's HEIGHT to 48. That also makes the tree's levels five instead of
// four, and sets the rows from one block's tile to the next one's: `height48`. With --announce the host announces three
// rows of a tile's width, by hand as in TELEPORT and prefetch-CTA, and none of a tile of weights.
#include "../program.h"

#include <sluice/cta_tracker.h>

const int TILE = 16;
const float RATE = 0.3f, MOMENTUM = 0.3f;

// Adds up the columns of a tile of products into its first row. Rows are `width` apart.
__device__ void add_up(float *products, int width, int x, int y, int height = TILE)
{
	for (int level = 1; level <= __log2f(height); level++) {
		int span = __powf(2, level);
		if (y % span == 0)
			products[y * width + x] += products[(y + span / 2) * width + x];
		__syncthreads();
	}
}

__global__ void bpnn_layerforward_CUDA(const float *input, float *weights, float *partial_sums, int hidden)
{
	__shared__ float nodes[TILE];
	__shared__ float products[TILE][TILE];
	int x = threadIdx.x, y = threadIdx.y;
	int unit = blockIdx.y * TILE + y + 1; // number 0 is the bias
	int weight = unit * (hidden + 1) + x + 1;
	if (x == 0)
		nodes[y] = input[unit];
	__syncthreads();
	products[y][x] = weights[weight];
	__syncthreads();
	products[y][x] *= nodes[y];
	__syncthreads();
	add_up(products[0], TILE, x, y);
	weights[weight] = products[y][x]; // Rodinia's kernel stores its products there
	__syncthreads();
	if (x == 0)
		partial_sums[blockIdx.y * hidden + y] = products[x][y];
}

__global__ void bpnn_layerforward_CUDA_48(const float *input, float *weights, float *partial_sums, int hidden)
{
	__shared__ float nodes[48];
	__shared__ float products[48][48];
	int x = threadIdx.x, y = threadIdx.y;
	int unit = blockIdx.y * TILE + y + 1;
	int weight = unit * (hidden + 1) + x + 1;
	if (x == 0)
		nodes[y] = input[unit];
	__syncthreads();
	products[y][x] = weights[weight];
	__syncthreads();
	products[y][x] *= nodes[y];
	__syncthreads();
	add_up(products[0], 48, x, y);
	weights[weight] = products[y][x];
	__syncthreads();
	if (x == 0)
		partial_sums[blockIdx.y * hidden + y] = products[x][y];
}

__global__ void bpnn_adjust_weights_cuda(const float *delta, const float *input, float *weights, float *changes,
                                         int hidden)
{
	int x = threadIdx.x, y = threadIdx.y;
	int unit = blockIdx.y * TILE + y + 1;
	int weight = unit * (hidden + 1) + x + 1;
	float change = RATE * delta[x + 1] * input[unit] + MOMENTUM * changes[weight];
	weights[weight] += change;
	changes[weight] = change;
	if (blockIdx.y == 0 && y == 0) { // the bias, whose input is 1
		float bias_change = RATE * delta[x + 1] + MOMENTUM * changes[x + 1];
		weights[x + 1] += bias_change;
		changes[x + 1] = bias_change;
	}
}

// The fifth level adds row 16. In Rodinia's kernel its values are undefined.
__global__ void bpnn_layerforward_CUDA_height48(const float *input, float *weights, float *partial_sums, int hidden)
{
	const int HEIGHT = 48;
	__shared__ float nodes[HEIGHT], products[HEIGHT][HEIGHT];
	int x = threadIdx.x, y = threadIdx.y;
	int unit = blockIdx.y * HEIGHT + y + 1, weight = unit * (hidden + 1) + x + 1;
	if (x == 0)
		nodes[y] = input[unit];
	__syncthreads();
	products[y][x] = weights[weight];
	__syncthreads();
	products[y][x] *= nodes[y];
	if (y == 0)
		products[TILE][x] = 0;
	__syncthreads();
	add_up(products[0], HEIGHT, x, y, HEIGHT);
	weights[weight] = products[y][x];
	__syncthreads();
	if (x == 0)
		partial_sums[blockIdx.y * hidden + y] = products[x][y];
}

// The products of the tree, tile by tile, which layerforward stores in place of the weights. Tiles are `height` apart.
static std::vector<float> left_behind(const std::vector<float> &input, std::vector<float> weights, int tiles,
                                      int height)
{
	for (int first = 1; first <= tiles * height; first += height) {
		for (int unit = first; unit < first + TILE; unit++)
			for (int x = 1; x <= TILE; x++)
				weights[unit * (TILE + 1) + x] *= input[unit];
		for (int span = 2; span <= TILE; span *= 2)
			for (int unit = first; unit < first + TILE; unit += span)
				for (int x = 1; x <= TILE; x++)
					weights[unit * (TILE + 1) + x] += weights[(unit + span / 2) * (TILE + 1) + x];
	}
	return weights;
}

// The deltas of the hidden units for one output unit. The host computes them, as in Rodinia.
static std::vector<float> hidden_delta(const std::vector<float> &sums, const std::vector<float> &output_weights,
                                       float target)
{
	std::vector<float> units(TILE + 1, 1.0f), delta(TILE + 1, 0.0f);
	float sum = output_weights[0];
	for (int x = 1; x <= TILE; x++) {
		units[x] = 1 / (1 + expf(-sums[x]));
		sum += output_weights[x] * units[x];
	}
	float output = 1 / (1 + expf(-sum)), output_delta = output * (1 - output) * (target - output);
	for (int x = 1; x <= TILE; x++)
		delta[x] = units[x] * (1 - units[x]) * output_delta * output_weights[x];
	return delta;
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "backprop", {"plain", "array48", "height48"});
	int inputs = arguments.number("inputs", 1024, 16384, 65536, "input units, a multiple of 16");
	bool announces = arguments.number("announce", 0, 0, 0, "1: announce rows of inputs, deltas and bias");
	arguments.end();
	arguments.require(inputs > 0 && inputs % TILE == 0 && inputs <= 1 << 20, "inputs that are a multiple of 16");

	const int row = TILE + 1, tiles = inputs / TILE, height = arguments.is("height48") ? 48 : TILE;
	const int units = tiles * height;
	program::Random random(arguments.seed());
	std::vector<float> input = random.floats(units + 1), output_weights = random.floats(row, -1, 1);
	std::vector<float> weights = random.floats((size_t)(units + 1) * row, -0.01f, 0.01f);
	std::vector<float> changes = random.floats(weights.size(), -0.001f, 0.001f);
	input[0] = 1;

	program::Array<float> device_input(input), device_weights(weights), device_changes(changes);
	program::Array<float> partial_sums((size_t)tiles * TILE);
	dim3 grid(1, tiles), all_units(1, units / TILE), block(TILE, TILE);
	if (announces) { // a row's last index is blockDim, as in TELEPORT's Table 1
		CHECK(cudaFlushCTATracker());
		CHECK(cudaSetCTATracker(device_input, sizeof(float), 0, TILE, 0, 0, 0, TILE, 0, TILE));
	}
	auto layerforward = arguments.is("array48")    ? bpnn_layerforward_CUDA_48
	                    : arguments.is("height48") ? bpnn_layerforward_CUDA_height48
	                                               : bpnn_layerforward_CUDA;
	layerforward<<<grid, block>>>(device_input, device_weights, partial_sums, TILE);
	CHECK(cudaGetLastError());
	std::vector<float> partial = partial_sums.read(), left = device_weights.read();

	std::vector<float> sums(weights.begin(), weights.begin() + row), expected_sums = sums;
	for (int i = 0; i < tiles * TILE; i++)
		sums[i % TILE + 1] += partial[i];
	for (int i = 0; i < inputs; i++)
		for (int x = 1, unit = i / TILE * height + i % TILE + 1; x <= TILE; x++)
			expected_sums[x] += weights[unit * row + x] * input[unit];
	std::vector<float> delta = hidden_delta(sums, output_weights, 0.1f);
	program::Array<float> device_delta(delta);
	device_weights.write(weights);
	if (announces) { // indexes x + 1, which do not depend on the number of hidden units
		CHECK(cudaSetCTATracker(device_delta, sizeof(float), 0, 0, 0, 0, 0, 0, 0, TILE));
		CHECK(cudaSetCTATracker(device_changes, sizeof(float), 0, 0, 0, 0, 0, 0, 0, TILE));
	}
	bpnn_adjust_weights_cuda<<<all_units, block>>>(device_delta, device_input, device_weights, device_changes,
	                                               TILE);
	CHECK(cudaGetLastError());

	program::Verdict verdict("backprop");
	verdict.close("products", left, left_behind(input, weights, tiles, height), 1e-6);
	verdict.close("sums", sums, expected_sums, 1e-4);
	for (int unit = 0; unit <= units; unit++)
		for (int x = 1; x <= TILE; x++) {
			int i = unit * row + x;
			changes[i] = RATE * delta[x] * input[unit] + MOMENTUM * changes[i];
			weights[i] += changes[i];
		}
	verdict.close("weights", device_weights.read(), weights, 1e-6);
	verdict.close("changes", device_changes.read(), changes, 1e-6);
	return verdict.status();
}
