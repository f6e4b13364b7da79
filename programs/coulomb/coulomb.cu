// coulomb: the electrostatic potential of a molecule's atoms at the points of a planar grid, by direct summation (CP of
// CAPS, from Parboil). Atoms are in constant memory, 4000 at a time, and all lanes read the same atom. Therefore the
// inner loop does not access L1: it is only arithmetic and reciprocal square roots. Global memory is accessed once per
// launch, when a thread adds its eight sums to the grid. These are 16 points apart, so that each access of a half warp
// is one segment.
#include "../program.h"

#include <algorithm>

const int WIDTH = 16, HEIGHT = 8, POINTS = 8, SPAN = WIDTH * POINTS, CAPACITY = 4000;

// x, y, squared distance from the grid's plane, charge.
__constant__ float4 atoms[CAPACITY];

__global__ void cenergy(int count, float spacing, float *potential)
{
	int column = blockIdx.x * SPAN + threadIdx.x, row = blockIdx.y * HEIGHT + threadIdx.y;
	float x = spacing * column, y = spacing * row, sum[POINTS] = {};
	for (int a = 0; a < count; a++) {
		float4 atom = atoms[a];
		float dx = x - atom.x, dy = y - atom.y, off_line = dy * dy + atom.z;
#pragma unroll
		for (int p = 0; p < POINTS; p++) {
			float distance = dx + spacing * (p * WIDTH);
			sum[p] += atom.w * rsqrtf(distance * distance + off_line);
		}
	}
	float *mine = potential + row * (gridDim.x * SPAN) + column;
#pragma unroll
	for (int p = 0; p < POINTS; p++)
		mine[p * WIDTH] += sum[p];
}

// Atoms of both charges, at random positions over the grid, at least 0.5 from its plane.
static std::vector<float4> molecule(int count, float width, float height, program::Random &random)
{
	std::vector<float4> all(count);
	for (float4 &atom : all) {
		float z = random.uniform(0.5f, 8);
		atom = make_float4(random.uniform(0, width), random.uniform(0, height), z * z, random.uniform(-1, 1));
	}
	return all;
}

static float potential_at(const std::vector<float4> &all, float x, float y)
{
	double sum = 0;
	for (const float4 &atom : all) {
		double dx = x - atom.x, dy = y - atom.y;
		sum += atom.w / std::sqrt(dx * dx + dy * dy + atom.z);
	}
	return (float)sum;
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "coulomb");
	int columns = arguments.number("columns", 256, 512, 512, "width of the grid, a multiple of 128");
	int rows = arguments.number("rows", 64, 256, 512, "height of the grid, a multiple of 8");
	int count = arguments.number("atoms", 32, 256, 4000, "number of atoms");
	arguments.end();
	arguments.require(columns > 0 && columns % SPAN == 0, "columns that are a multiple of 128");
	arguments.require(rows > 0 && rows % HEIGHT == 0, "rows that are a multiple of 8");

	const float spacing = 0.1f;
	program::Random random(arguments.seed());
	std::vector<float4> all = molecule(count, spacing * (float)columns, spacing * (float)rows, random);
	program::Array<float> potential((size_t)columns * rows);
	potential.clear();
	dim3 grid(columns / SPAN, rows / HEIGHT), block(WIDTH, HEIGHT);
	for (int first = 0; first < count; first += CAPACITY) {
		int some = std::min(CAPACITY, count - first);
		CHECK(cudaMemcpyToSymbol(atoms, &all[first], some * sizeof(float4)));
		cenergy<<<grid, block>>>(some, spacing, potential);
	}
	CHECK(cudaGetLastError());

	// For a large grid, the host computes only 16384 points.
	std::vector<float> result = potential.read(), got, expected;
	size_t step = std::max<size_t>(1, result.size() / 16384 | 1);
	for (size_t i = 0; i < result.size(); i += step) {
		got.push_back(result[i]);
		expected.push_back(potential_at(all, spacing * (float)(i % columns), spacing * (float)(i / columns)));
	}
	program::Verdict verdict("coulomb");
	verdict.close("potential", got, expected, 5e-5);
	return verdict.status();
}
