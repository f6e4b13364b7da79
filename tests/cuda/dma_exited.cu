// Protects transfers of <sluice/dma.h> in blocks with exited threads, also the first thread. Here the transfers use the
// instructions; in dma_exited_copies.cu the remaining threads copy.
#include <cstdio>
#include <sluice/dma.h>

enum { THREADS = 128, ELEMENTS = 100, ROWS = 5, COLUMNS = 7, PITCH = 16 };

// Whole warps exit, as docs/reference/dma.md allows.
__global__ void flat(const int *from, int *to, unsigned int exits)
{
	__shared__ int tile[ELEMENTS];
	unsigned int warp = threadIdx.x / 32;
	if (exits >> warp & 1)
		return;
	dma_set_datatype_int();
	dma_configure_flat_unit_stride(tile, from, ELEMENTS);
	for (unsigned int i = threadIdx.x % 32; i < ELEMENTS; i += 32)
		to[i] = tile[i];
	dma_execute(tile, from + ELEMENTS, 0);
	for (unsigned int i = threadIdx.x % 32; i < ELEMENTS; i += 32)
		to[ELEMENTS + i] = tile[i];
}

// Warps exit between the setup and the configuration.
__global__ void matrix(const short *from, short *to, unsigned int exits)
{
	__shared__ short tile[ROWS * COLUMNS];
	dma_set_datatype_short();
	if (exits >> threadIdx.x / 32 & 1)
		return;
	dma_configure_matrix(tile, from, ROWS, COLUMNS, PITCH, DMA_ROW_MAJOR, 1);
	for (unsigned int i = threadIdx.x % 32; i < ROWS * COLUMNS; i += 32)
		to[i] = tile[i];
}

static int failures;

static void check(bool fine, const char *what, unsigned int exits)
{
	if (fine)
		return;
	printf("%s: wrong data where warps 0x%x have exited\n", what, exits);
	failures++;
}

int main()
{
	static int words[2 * ELEMENTS], back[2 * ELEMENTS];
	static short halves[ROWS * PITCH], tile[ROWS * COLUMNS];
	int *from, *to;
	for (int i = 0; i < 2 * ELEMENTS; i++)
		words[i] = i + 1;
	for (int i = 0; i < ROWS * PITCH; i++)
		halves[i] = (short)(i + 1);
	cudaMalloc(&from, sizeof words);
	cudaMalloc(&to, sizeof words);
	for (unsigned int exits = 0; exits < 15; exits++) {
		bool fine = true;
		cudaMemcpy(from, words, sizeof words, cudaMemcpyHostToDevice);
		cudaMemset(to, 0, sizeof words);
		flat<<<1, THREADS>>>(from, to, exits);
		check(cudaMemcpy(back, to, sizeof back, cudaMemcpyDeviceToHost) == cudaSuccess, "flat", exits);
		for (int i = 0; i < 2 * ELEMENTS; i++)
			fine &= back[i] == words[i];
		check(fine, "flat", exits);
		cudaMemcpy(from, halves, sizeof halves, cudaMemcpyHostToDevice);
		matrix<<<1, THREADS>>>((const short *)from, (short *)to, exits);
		check(cudaMemcpy(tile, to, sizeof tile, cudaMemcpyDeviceToHost) == cudaSuccess, "matrix", exits);
		fine = true;
		for (int i = 0; i < ROWS * COLUMNS; i++)
			fine &= tile[i] == halves[i / COLUMNS * PITCH + i % COLUMNS];
		check(fine, "matrix", exits);
	}
	return failures != 0;
}
