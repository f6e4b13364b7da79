// neural_network: a convolutional network of four layers that reads digits: TELEPORT's, prefetch-CTA's and scratchpad
// sharing's NN (GPGPU-Sim's benchmark). Each layer is a launch, and a block computes a feature map or neuron of one
// image. The maps of an image stay in the caches. Blocks are small (169, 25, 1 and 1 threads), so that the block limit
// leaves an SM nearly empty. Sharing lists executeSecondLayer as limited by blocks (set 3). All loads except the biases
// depend on induction variables with known bounds. A block of the third layer reads 1250 inputs and 1251 weights, the
// 10 KB of TELEPORT's Figure 9.
#include "../program.h"

const int IMAGE = 29, KERNEL = 5, MAP1 = 13, MAP2 = 5; // sides of an image, a filter, maps of the first two layers
const int MAPS1 = 6, MAPS2 = 50, HIDDEN = 100, DIGITS = 10;
const int FILTER = KERNEL * KERNEL, PLANE1 = MAP1 * MAP1, PLANE2 = MAP2 * MAP2;

__host__ __device__ inline float activation(float sum)
{
	return 1.7159f * tanhf(0.66666667f * sum);
}

__global__ void executeFirstLayer(const float *image, const float *weights, float *maps)
{
	int map = blockIdx.x, x = threadIdx.x, y = threadIdx.y;
	int first = map * (FILTER + 1), corner = blockIdx.y * IMAGE * IMAGE + 2 * y * IMAGE + 2 * x;
	float sum = weights[first];
	for (int i = 0; i < KERNEL; i++)
		for (int j = 0; j < KERNEL; j++)
			sum += image[corner + i * IMAGE + j] * weights[first + 1 + i * KERNEL + j];
	maps[(blockIdx.y * MAPS1 + map) * PLANE1 + y * MAP1 + x] = activation(sum);
}

__global__ void executeSecondLayer(const float *maps, const float *weights, float *features)
{
	int map = blockIdx.x, x = threadIdx.x, y = threadIdx.y;
	int first = map * (MAPS1 * FILTER + 1), corner = blockIdx.y * MAPS1 * PLANE1 + 2 * y * MAP1 + 2 * x;
	float sum = weights[first];
	for (int m = 0; m < MAPS1; m++)
		for (int i = 0; i < KERNEL; i++)
			for (int j = 0; j < KERNEL; j++)
				sum += maps[corner + m * PLANE1 + i * MAP1 + j] *
				       weights[first + 1 + m * FILTER + i * KERNEL + j];
	features[(blockIdx.y * MAPS2 + map) * PLANE2 + y * MAP2 + x] = activation(sum);
}

__global__ void executeThirdLayer(const float *features, const float *weights, float *hidden)
{
	int inputs = MAPS2 * PLANE2, first = blockIdx.x * (inputs + 1);
	float sum = weights[first];
	for (int i = 0; i < inputs; i++)
		sum += features[blockIdx.y * inputs + i] * weights[first + 1 + i];
	hidden[blockIdx.y * gridDim.x + blockIdx.x] = activation(sum);
}

__global__ void executeFourthLayer(const float *hidden, const float *weights, float *scores, int inputs)
{
	int first = blockIdx.x * (inputs + 1);
	float sum = weights[first];
	for (int i = 0; i < inputs; i++)
		sum += hidden[blockIdx.y * inputs + i] * weights[first + 1 + i];
	scores[blockIdx.y * DIGITS + blockIdx.x] = activation(sum);
}

// Index of the pixel under element i of a filter whose corner is at (y, x).
static int pixel(int plane, int y, int x, int i, int side)
{
	return (plane * side + y + i / KERNEL) * side + x + i % KERNEL;
}

// Layers on the host: `in` has `planes` square planes per image, of side `side`. A filter moves by two elements.
static std::vector<float> convolve(const std::vector<float> &in, const std::vector<float> &weights, int images,
                                   int planes, int side, int maps)
{
	int out_side = (side - KERNEL) / 2 + 1;
	std::vector<float> out;
	for (int image = 0; image < images; image++)
		for (int map = 0; map < maps; map++)
			for (int y = 0; y < out_side; y++)
				for (int x = 0; x < out_side; x++) {
					const float *weight = &weights[map * (planes * FILTER + 1)];
					float sum = *weight++;
					for (int plane = image * planes; plane < (image + 1) * planes; plane++)
						for (int i = 0; i < FILTER; i++)
							sum += *weight++ * in[pixel(plane, 2 * y, 2 * x, i, side)];
					out.push_back(activation(sum));
				}
	return out;
}

static std::vector<float> connect(const std::vector<float> &in, const std::vector<float> &weights, int images,
                                  int neurons)
{
	int inputs = (int)in.size() / images;
	std::vector<float> out;
	for (int image = 0; image < images; image++)
		for (int neuron = 0; neuron < neurons; neuron++) {
			float sum = weights[neuron * (inputs + 1)];
			for (int i = 0; i < inputs; i++)
				sum += in[image * inputs + i] * weights[neuron * (inputs + 1) + 1 + i];
			out.push_back(activation(sum));
		}
	return out;
}

// Strokes of a pen that wanders over white paper.
static std::vector<float> draw(program::Random &random, int images)
{
	std::vector<float> pixels((size_t)images * IMAGE * IMAGE, -1.0f);
	for (int image = 0; image < images; image++) {
		float x = IMAGE / 2, y = random.uniform(5, 12), dx = 0, dy = 0;
		for (int step = 0; step < 60; step++) {
			dx = 0.8f * dx + random.uniform(-0.7f, 0.7f), dy = 0.8f * dy + random.uniform(-0.6f, 0.8f);
			x = fminf(fmaxf(x + dx, 4), IMAGE - 5), y = fminf(fmaxf(y + dy, 4), IMAGE - 5);
			pixels[(image * IMAGE + (int)y) * IMAGE + (int)x] = 1;
		}
	}
	return pixels;
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "neural_network");
	int images = arguments.number("images", 1, 6, 28, "images of digits");
	int hidden = arguments.number("hidden", 4, HIDDEN, HIDDEN, "neurons of the third layer");
	arguments.end();
	arguments.require(images > 0 && images <= 1024, "1 to 1024 images");
	arguments.require(hidden > 0 && hidden <= 4096, "1 to 4096 neurons");

	program::Random random(arguments.seed());
	std::vector<float> pixels = draw(random, images);
	std::vector<float> weights1 = random.floats(MAPS1 * (FILTER + 1), -0.2f, 0.2f);
	std::vector<float> weights2 = random.floats(MAPS2 * (MAPS1 * FILTER + 1), -0.1f, 0.1f);
	std::vector<float> weights3 = random.floats((size_t)hidden * (MAPS2 * PLANE2 + 1), -0.03f, 0.03f);
	std::vector<float> weights4 = random.floats(DIGITS * (hidden + 1), -0.1f, 0.1f);

	program::Array<float> device_pixels(pixels), device_weights1(weights1), device_weights2(weights2);
	program::Array<float> device_weights3(weights3), device_weights4(weights4);
	program::Array<float> maps(images * MAPS1 * PLANE1), features(images * MAPS2 * PLANE2);
	program::Array<float> neurons(images * hidden), scores(images * DIGITS);
	executeFirstLayer<<<dim3(MAPS1, images), dim3(MAP1, MAP1)>>>(device_pixels, device_weights1, maps);
	executeSecondLayer<<<dim3(MAPS2, images), dim3(MAP2, MAP2)>>>(maps, device_weights2, features);
	executeThirdLayer<<<dim3(hidden, images), 1>>>(features, device_weights3, neurons);
	executeFourthLayer<<<dim3(DIGITS, images), 1>>>(neurons, device_weights4, scores, hidden);
	CHECK(cudaGetLastError());

	std::vector<float> expected_maps = convolve(pixels, weights1, images, 1, IMAGE, MAPS1);
	std::vector<float> expected_features = convolve(expected_maps, weights2, images, MAPS1, MAP1, MAPS2);
	std::vector<float> expected_neurons = connect(expected_features, weights3, images, hidden);
	program::Verdict verdict("neural_network");
	verdict.close("maps", maps.read(), expected_maps, 1e-5);
	verdict.close("features", features.read(), expected_features, 1e-5);
	verdict.close("neurons", neurons.read(), expected_neurons, 1e-5);
	verdict.close("scores", scores.read(), connect(expected_neurons, weights4, images, DIGITS), 1e-5);
	return verdict.status();
}
