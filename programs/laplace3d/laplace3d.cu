// laplace3d: Jacobi relaxation of Laplace's equation on a 3-D grid with fixed walls; each thread walks through the
// planes. TELEPORT, prefetch-CTA and CAPS (LPS), after GPGPU-Sim's program. Blocks are 32 x 4, one row per warp, so
// that warps of a block are one row apart. CAPS section IV gives distances between blocks: 5184 bytes from (0, 0) to
// (3, 3), and 6272 on to (7, 2). They hold for rows of 100 elements without padding: the size `paper`. The papers' form
// is `shared`: three planes of the tile move through shared memory. The threads that load the frame around it find its
// position by conditions. This makes that index the one that TELEPORT cannot precalculate. `plain` reads all seven
// points from global memory.
#include "../program.h"

const int WIDE = 32, HIGH = 4; // size of a block

__global__ void laplace3d_shared(const float *from, float *to, int width, int height, int depth)
{
	__shared__ float below[HIGH + 2][WIDE + 2], here[HIGH + 2][WIDE + 2], above[HIGH + 2][WIDE + 2];
	int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
	int left = blockIdx.x * WIDE - 1, top = blockIdx.y * HIGH - 1;
	int x = left + tx, y = top + ty;
	bool inside = x < width && y < height;

	// The frame: two warps load the rows above and below the tile, eight threads the columns on both sides.
	int frame_x = tx, frame_y = 0;
	bool frame = true;
	if (threadIdx.y < 2) {
		frame_y = threadIdx.y * (HIGH + 1);
	} else {
		frame_x = threadIdx.x % 2 * (WIDE + 1);
		frame_y = threadIdx.x / 2 + 1;
		frame = threadIdx.y == 2 && threadIdx.x < 2 * HIGH;
	}
	int frame_column = left + frame_x, frame_row = top + frame_y;
	frame = frame && frame_column >= 0 && frame_column < width && frame_row >= 0 && frame_row < height;

	int plane = width * height;
	int i = y * width + x, frame_i = frame_row * width + frame_column;
	if (inside)
		here[ty][tx] = from[i];
	if (frame)
		here[frame_y][frame_x] = from[frame_i];
	bool wall = x == 0 || x == width - 1 || y == 0 || y == height - 1;

	for (int z = 0; z < depth; z++) {
		if (inside && z < depth - 1)
			above[ty][tx] = from[i + plane];
		if (frame && z < depth - 1)
			above[frame_y][frame_x] = from[frame_i + plane];
		__syncthreads();
		if (inside) {
			if (wall || z == 0 || z == depth - 1)
				to[i] = here[ty][tx];
			else
				to[i] = (here[ty][tx - 1] + here[ty][tx + 1] + here[ty - 1][tx] + here[ty + 1][tx] +
				         below[ty][tx] + above[ty][tx]) *
				        (1.0f / 6);
		}
		__syncthreads();
		if (inside) {
			below[ty][tx] = here[ty][tx];
			here[ty][tx] = above[ty][tx];
		}
		if (frame)
			here[frame_y][frame_x] = above[frame_y][frame_x];
		i += plane;
		frame_i += plane;
	}
}

__global__ void laplace3d(const float *from, float *to, int width, int height, int depth)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= width || y >= height)
		return;
	bool wall = x == 0 || x == width - 1 || y == 0 || y == height - 1;
	int plane = width * height;
	for (int z = 0; z < depth; z++) {
		int i = z * plane + y * width + x;
		if (wall || z == 0 || z == depth - 1)
			to[i] = from[i];
		else
			to[i] = (from[i - 1] + from[i + 1] + from[i - width] + from[i + width] + from[i - plane] +
			         from[i + plane]) *
			        (1.0f / 6);
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
					to[z * plane + y * width + x] =
						(at[-1] + at[1] + at[-width] + at[width] + at[-plane] + at[plane]) *
						(1.0f / 6);
				}
		from.swap(to);
	}
	return from;
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "laplace3d", {"shared", "plain"});
	int width = arguments.number("width", 36, 80, 100, "elements in a row");
	int height = arguments.number("height", 20, 80, 100, "rows in a plane");
	int depth = arguments.number("depth", 20, 80, 100, "planes");
	int sweeps = arguments.number("sweeps", 1, 1, 1, "relaxations");
	arguments.end();
	arguments.require(width > 0 && height > 0 && depth > 1, "a grid of two planes or more");

	program::Random random(arguments.seed());
	std::vector<float> grid = random.floats((size_t)width * height * depth, 0, 1);
	std::vector<float> expected = expect(grid, width, height, depth, sweeps);

	program::Array<float> first(grid), second(grid.size());
	float *from = first, *to = second;
	dim3 blocks(program::blocks(width, WIDE), program::blocks(height, HIGH)), block(WIDE, HIGH);
	for (int sweep = 0; sweep < sweeps; sweep++) {
		if (arguments.is("shared"))
			laplace3d_shared<<<blocks, block>>>(from, to, width, height, depth);
		else
			laplace3d<<<blocks, block>>>(from, to, width, height, depth);
		CHECK(cudaGetLastError());
		std::swap(from, to);
	}

	program::Verdict verdict("laplace3d");
	verdict.close("grid", from == first ? first.read() : second.read(), expected, 1e-6);
	return verdict.status();
}
