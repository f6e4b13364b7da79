// fdtd3d: finite differences in time domain, with a 3-D stencil that reaches four points in each of six directions.
// Scratchpad sharing (FDTD3d), after the CUDA SDK. Threads walk through the planes. Values of earlier and later planes
// stay in registers. The plane's tile and its four halo sides are in shared memory. The last plane still needs all of
// it, so sharing can release it only at the end. The tile is sized for blocks of 16 rows, although the launch has 4:
// 3840 bytes, 128 threads. 376 x 376 x 376 elements give the 144,384 threads of that paper's Table 4, for one time
// step.
#include "../program.h"

const int RADIUS = 4, WIDE = 32, MOST_HIGH = 16, HIGH = 4;

__constant__ float weights[RADIUS + 1];

// Volumes have RADIUS more elements on each side. row and plane are strides in elements. origin is the index of the
// first inner element.
__global__ void FiniteDifferencesKernel(float *output, const float *input, int width, int height, int depth, int origin,
                                        int row, int plane)
{
	__shared__ float tile[MOST_HIGH + 2 * RADIUS][WIDE + 2 * RADIUS];
	int tx = threadIdx.x + RADIUS, ty = threadIdx.y + RADIUS;
	int x = blockIdx.x * WIDE + threadIdx.x, y = blockIdx.y * HIGH + threadIdx.y;
	int i = origin + y * row + x;

	float behind[RADIUS], here, before[RADIUS];
	for (int r = 0; r < RADIUS; r++)
		behind[r] = input[i - (r + 1) * plane];
	here = input[i];
	for (int r = 0; r < RADIUS; r++)
		before[r] = input[i + (r + 1) * plane];

	for (int z = 0; z < depth; z++) {
		tile[ty][tx] = here;
		if (threadIdx.y < RADIUS) {
			tile[ty - RADIUS][tx] = input[i - RADIUS * row];
			tile[ty + HIGH][tx] = input[i + HIGH * row];
		}
		if (threadIdx.x < RADIUS) {
			tile[ty][tx - RADIUS] = input[i - RADIUS];
			tile[ty][tx + WIDE] = input[i + WIDE];
		}
		__syncthreads();
		float value = weights[0] * here;
		for (int r = 1; r <= RADIUS; r++)
			value += weights[r] * (before[r - 1] + behind[r - 1] + tile[ty - r][tx] + tile[ty + r][tx] +
			                       tile[ty][tx - r] + tile[ty][tx + r]);
		if (x < width && y < height)
			output[i] = value;
		__syncthreads();

		for (int r = RADIUS - 1; r > 0; r--)
			behind[r] = behind[r - 1];
		behind[0] = here;
		here = before[0];
		for (int r = 0; r < RADIUS - 1; r++)
			before[r] = before[r + 1];
		i += plane;
		if (z < depth - 1)
			before[RADIUS - 1] = input[i + RADIUS * plane];
	}
}

struct Volume {
	int width, height, depth, row, plane, origin;
	std::vector<float> elements;

	// The first inner element begins a line, and so do all rows if width + 2 RADIUS is a multiple of 32. Threads
	// beyond the inner part read the following elements, halo and next rows, and write nothing.
	Volume(program::Random &random, int w, int h, int d)
	    : width(w), height(h), depth(d), row(w + 2 * RADIUS), plane(row * (h + 2 * RADIUS)),
	      origin(32 + RADIUS * (plane + row))
	{
		elements = random.floats(origin + (size_t)plane * (d + RADIUS), 0.5f, 1.5f);
	}
};

static std::vector<float> expect(const Volume &volume, const float *weight, int steps)
{
	std::vector<float> input(volume.elements), output(input);
	int row = volume.row, plane = volume.plane;
	for (int step = 0; step < steps; step++) {
		for (int z = 0; z < volume.depth; z++)
			for (int y = 0; y < volume.height; y++)
				for (int x = 0; x < volume.width; x++) {
					const float *at = &input[volume.origin + z * plane + y * row + x];
					float value = weight[0] * at[0];
					for (int r = 1; r <= RADIUS; r++)
						value += weight[r] * (at[r * plane] + at[-r * plane] + at[-r * row] +
						                      at[r * row] + at[-r] + at[r]);
					output[volume.origin + z * plane + y * row + x] = value;
				}
		input.swap(output);
	}
	return input;
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "fdtd3d");
	int width = arguments.number("width", 56, 120, 376, "inner elements in a row");
	int height = arguments.number("height", 8, 96, 376, "inner rows in a plane");
	int depth = arguments.number("depth", 12, 40, 376, "inner planes");
	int steps = arguments.number("steps", 2, 1, 1, "steps of time");
	arguments.end();
	arguments.require(width > 0 && height > 0 && depth > 0, "a volume");

	program::Random random(arguments.seed());
	const float weight[RADIUS + 1] = {0.1f, 0.09f, 0.04f, 0.015f, 0.005f}; // their sum over the stencil is 1
	Volume volume(random, width, height, depth);
	std::vector<float> expected = expect(volume, weight, steps);

	CHECK(cudaMemcpyToSymbol(weights, weight, sizeof weight));
	program::Array<float> first(volume.elements), second(volume.elements); // both contain the halo
	float *from = first, *to = second;
	dim3 grid(program::blocks(width, WIDE), program::blocks(height, HIGH)), block(WIDE, HIGH);
	for (int step = 0; step < steps; step++) {
		FiniteDifferencesKernel<<<grid, block>>>(to, from, width, height, depth, volume.origin, volume.row,
		                                         volume.plane);
		CHECK(cudaGetLastError());
		std::swap(from, to);
	}

	program::Verdict verdict("fdtd3d");
	verdict.close("volume", from == first ? first.read() : second.read(), expected, 1e-5);
	return verdict.status();
}
