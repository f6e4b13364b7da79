// jacobi: relaxation by nine points: each element becomes a weighted mean of itself and its eight neighbors. TELEPORT
// (JAC), after the PGI compiler's example. Nearly all instructions are loads of data that neighboring threads load
// too. The form `plain` reads global memory nine times. `shared`, TELEPORT's hand-written form, loads each block's tile
// and the ring around it into shared memory once.
#include "../program.h"

const int EDGE = 16; // side of a block
const float CENTRE = 0.4f, SIDE = 0.1f, CORNER = 0.05f;

__global__ void jacobi(const float *a, float *b, int n)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
	int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
	if (x < n - 1 && y < n - 1)
		b[y * n + x] = CENTRE * a[y * n + x] +
		               SIDE * (a[(y - 1) * n + x] + a[y * n + x - 1] + a[y * n + x + 1] + a[(y + 1) * n + x]) +
		               CORNER * (a[(y - 1) * n + x - 1] + a[(y - 1) * n + x + 1] + a[(y + 1) * n + x - 1] +
		                         a[(y + 1) * n + x + 1]);
}

__global__ void jacobi_shared(const float *a, float *b, int n)
{
	__shared__ float tile[EDGE + 2][EDGE + 2];
	int left = blockIdx.x * EDGE, top = blockIdx.y * EDGE;
	for (int i = threadIdx.y * EDGE + threadIdx.x; i < (EDGE + 2) * (EDGE + 2); i += EDGE * EDGE) {
		int column = i % (EDGE + 2), row = i / (EDGE + 2);
		if (left + column < n && top + row < n)
			tile[row][column] = a[(top + row) * n + left + column];
	}
	__syncthreads();
	int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
	int x = left + tx, y = top + ty;
	if (x < n - 1 && y < n - 1)
		b[y * n + x] = CENTRE * tile[ty][tx] +
		               SIDE * (tile[ty - 1][tx] + tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty + 1][tx]) +
		               CORNER * (tile[ty - 1][tx - 1] + tile[ty - 1][tx + 1] + tile[ty + 1][tx - 1] +
		                         tile[ty + 1][tx + 1]);
}

static std::vector<float> expect(std::vector<float> a, int n, int sweeps)
{
	std::vector<float> b(a);
	for (int sweep = 0; sweep < sweeps; sweep++) {
		for (int y = 1; y < n - 1; y++)
			for (int x = 1; x < n - 1; x++) {
				const float *at = &a[y * n + x];
				b[y * n + x] = CENTRE * at[0] + SIDE * (at[-n] + at[-1] + at[1] + at[n]) +
				               CORNER * (at[-n - 1] + at[-n + 1] + at[n - 1] + at[n + 1]);
			}
		a.swap(b);
	}
	return a;
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "jacobi", {"plain", "shared"});
	int n = arguments.number("width", 128, 512, 1024, "rows and columns, with the fixed border");
	int sweeps = arguments.number("sweeps", 2, 4, 8, "relaxations");
	arguments.end();
	arguments.require(n > 2, "a width above 2");

	program::Random random(arguments.seed());
	std::vector<float> a = random.floats((size_t)n * n, 0, 100), expected = expect(a, n, sweeps);

	program::Array<float> first(a), second(a); // both contain the border
	float *from = first, *to = second;
	dim3 grid(program::blocks(n - 2, EDGE), program::blocks(n - 2, EDGE)), block(EDGE, EDGE);
	for (int sweep = 0; sweep < sweeps; sweep++) {
		if (arguments.is("shared"))
			jacobi_shared<<<grid, block>>>(from, to, n);
		else
			jacobi<<<grid, block>>>(from, to, n);
		CHECK(cudaGetLastError());
		std::swap(from, to);
	}

	program::Verdict verdict("jacobi");
	verdict.close("a", from == first ? first.read() : second.read(), expected, 1e-6);
	return verdict.status();
}
