// stencil: one explicit step of heat conduction on a 3-D grid, seven points. CAPS (STE), after Parboil. Each thread
// walks up through the planes with two columns, 32 elements apart. Values of the planes below and above stay in
// registers. Loops over the columns are unrolled, because clang would otherwise put their arrays into local memory. The
// current plane is in shared memory for the neighbors, and only the tile's edge is reread from global memory. The
// loads repeat once per plane with a large constant stride: the deep loop that, according to CAPS, serves intra-warp
// prefetchers.
#include "../program.h"

const int WIDE = 64, HIGH = 4, COLUMNS = 2; // size of a block's tile; columns per thread
const float CENTRE = 1.0f / 6, SIDE = 1.0f / 36;

__global__ void stencil(const float *from, float *to, int width, int height, int depth)
{
	__shared__ float tile[HIGH][WIDE];
	int plane = width * height;
	int ty = threadIdx.y, y = blockIdx.y * HIGH + ty + 1;
	int x[COLUMNS], tx[COLUMNS];
	float below[COLUMNS], here[COLUMNS];
#pragma unroll
	for (int c = 0; c < COLUMNS; c++) {
		tx[c] = threadIdx.x + c * (WIDE / COLUMNS);
		x[c] = blockIdx.x * WIDE + tx[c] + 1;
		below[c] = here[c] = 0;
		if (x[c] < width && y < height) {
			below[c] = from[y * width + x[c]];
			here[c] = from[plane + y * width + x[c]];
		}
	}

	for (int z = 1; z < depth - 1; z++) {
#pragma unroll
		for (int c = 0; c < COLUMNS; c++)
			tile[ty][tx[c]] = here[c];
		__syncthreads();
#pragma unroll
		for (int c = 0; c < COLUMNS; c++) {
			if (x[c] >= width || y >= height)
				continue;
			int i = z * plane + y * width + x[c];
			float above = from[i + plane];
			if (x[c] < width - 1 && y < height - 1) {
				float west = tx[c] > 0 ? tile[ty][tx[c] - 1] : from[i - 1];
				float east = tx[c] < WIDE - 1 ? tile[ty][tx[c] + 1] : from[i + 1];
				float north = ty > 0 ? tile[ty - 1][tx[c]] : from[i - width];
				float south = ty < HIGH - 1 ? tile[ty + 1][tx[c]] : from[i + width];
				to[i] = SIDE * (west + east + north + south + below[c] + above) - CENTRE * here[c];
			}
			below[c] = here[c];
			here[c] = above;
		}
		__syncthreads();
	}
}

static std::vector<float> expect(std::vector<float> from, int width, int height, int depth, int sweeps)
{
	std::vector<float> to(from);
	int plane = width * height;
	for (int sweep = 0; sweep < sweeps; sweep++) {
		for (int z = 1; z < depth - 1; z++)
			for (int y = 1; y < height - 1; y++)
				for (int x = 1; x < width - 1; x++) {
					const float *at = &from[z * plane + y * width + x];
					to[z * plane + y * width + x] = SIDE * (at[-1] + at[1] + at[-width] +
					                                        at[width] + at[-plane] + at[plane]) -
					                                CENTRE * at[0];
				}
		from.swap(to);
	}
	return from;
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "stencil");
	int width = arguments.number("width", 96, 256, 512, "elements in a row");
	int height = arguments.number("height", 16, 128, 512, "rows in a plane");
	int depth = arguments.number("depth", 16, 48, 64, "planes");
	int sweeps = arguments.number("sweeps", 1, 1, 1, "steps of time"); // exceeds the 10^9 instructions of CAPS
	arguments.end();
	arguments.require(width > 2 && height > 2 && depth > 2, "three elements or more in each direction");

	program::Random random(arguments.seed());
	std::vector<float> grid = random.floats((size_t)width * height * depth, 0, 1);
	std::vector<float> expected = expect(grid, width, height, depth, sweeps);

	program::Array<float> first(grid), second(grid); // both contain the walls
	float *from = first, *to = second;
	dim3 blocks(program::blocks(width - 2, WIDE), program::blocks(height - 2, HIGH)), block(WIDE / COLUMNS, HIGH);
	for (int sweep = 0; sweep < sweeps; sweep++) {
		stencil<<<blocks, block>>>(from, to, width, height, depth);
		CHECK(cudaGetLastError());
		std::swap(from, to);
	}

	program::Verdict verdict("stencil");
	verdict.close("grid", from == first ? first.read() : second.read(), expected, 1e-6);
	return verdict.status();
}
