// transpose_half: transposes a matrix of 16-bit values through shared tiles of 64 x 64. Threads read and write pairs, 4
// bytes a lane. Rows of tiles are padded by one pair, so that columns hit different banks.
#include "sample.h"

const int TILE = 64, WIDTH = TILE / 2, HEIGHT = 8;

using Pair = ushort2;

__global__ void transpose_half(const Pair *x, Pair *y, int pairs)
{
	__shared__ unsigned short tile[TILE][TILE + 2];
	int n = 2 * pairs;
	x += ((size_t)blockIdx.y * TILE * n + blockIdx.x * TILE) / 2 + threadIdx.x;
	y += ((size_t)blockIdx.x * TILE * n + blockIdx.y * TILE) / 2 + threadIdx.x;
	for (int row = threadIdx.y; row < TILE; row += HEIGHT)
		*(Pair *)&tile[row][2 * threadIdx.x] = x[(size_t)row * pairs];
	__syncthreads();
	for (int row = threadIdx.y; row < TILE; row += HEIGHT)
		y[(size_t)row * pairs] = make_ushort2(tile[2 * threadIdx.x][row], tile[2 * threadIdx.x + 1][row]);
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "transpose_half");
	int n = arguments.number("edge", 512, 2048, 16384, "rows and columns, a multiple of 64");
	arguments.end();
	arguments.require(n > 0 && n % TILE == 0 && n <= 32768, "an edge that is a multiple of 64, to 32768");
	program::Random random(arguments.seed());
	std::vector<Pair> x((size_t)n * n / 2);
	for (Pair &pair : x) {
		uint64_t bits = random.next();
		pair.x = (unsigned short)(bits >> 32);
		pair.y = (unsigned short)(bits >> 48);
	}
	program::Array<Pair> device_x(x), device_y(x.size());
	transpose_half<<<dim3(n / TILE, n / TILE), dim3(WIDTH, HEIGHT)>>>(device_x, device_y, n / 2);
	CHECK(cudaGetLastError());

	std::vector<Pair> y = device_y.read();
	std::vector<unsigned short> got, want;
	for (size_t at : sample::positions((size_t)n * n, 1 << 19, random)) {
		size_t from = at % n * n + at / n;
		got.push_back(at % 2 ? y[at / 2].y : y[at / 2].x);
		want.push_back(from % 2 ? x[from / 2].y : x[from / 2].x);
	}
	program::Verdict verdict("transpose_half");
	verdict.equal("y", got, want);
	return verdict.status();
}
