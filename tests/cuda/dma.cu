// Protects the intrinsics of <sluice/dma.h>: the contents of shared memory after transfers of all shapes, at all
// borders of a matrix, in both orders. Also tests a loop of transfers and several buffers. dma_copies.cu uses copies by
// the block's threads, as another compiler would.
#include "check.h"

#include <sluice/dma.h>

enum { WIDTH = 64, HEIGHT = 48, TILE = 16, HALO_ROWS = 1, HALO_COLUMNS = 2 };
enum { ROWS = TILE + 2 * HALO_ROWS, COLUMNS = TILE + 2 * HALO_COLUMNS, BEYOND = 77 };

// Two alternating tiles: one is fetched while the other is processed.
__global__ void sums(const float *x, float *out, int tiles)
{
	__shared__ float tile[2][128];
	dma_set_datatype_float();
	dma_configure_flat_unit_stride(tile[0], x, 128, 0);
	dma_configure_flat_unit_stride(tile[1], x + 128, 128, 1);
	float sum = 0;
	for (int k = 0; k < tiles; k++) {
		for (int j = 0; j < 128; j++)
			sum += tile[k % 2][j] * (threadIdx.x + 1);
		if (k + 2 < tiles)
			dma_execute(tile[k % 2], x + (k + 2) * 128, k % 2);
	}
	out[threadIdx.x] = sum;
}

template <typename T> __global__ void strided(const T *x, T *out, int stride)
{
	__shared__ T tile[100];
	if (sizeof(T) == 1)
		dma_set_datatype_char();
	else if (sizeof(T) == 2)
		dma_set_datatype_short();
	else if (sizeof(T) == 4)
		dma_set_datatype_int();
	else
		dma_set_datatype_double();
	dma_configure_flat_strided(tile, x, 100, stride, 2);
	if (threadIdx.x < 100)
		out[threadIdx.x] = tile[threadIdx.x];
}

__global__ void halo(const int *x, int *out, dma_order order)
{
	__shared__ int tile[ROWS * COLUMNS];
	int row = blockIdx.y * TILE, column = blockIdx.x * TILE, leading = order == DMA_ROW_MAJOR ? WIDTH : HEIGHT;
	const int *from = order == DMA_ROW_MAJOR ? x + row * WIDTH + column : x + column * HEIGHT + row;
	dma_set_datatype_int();
	dma_configure_matrix_halo(tile, from, TILE, TILE, leading, order, HALO_ROWS, HALO_COLUMNS,
	                          dma_region(blockIdx.y, HEIGHT / TILE, blockIdx.x, WIDTH / TILE), BEYOND, 1);
	int *mine = out + (blockIdx.y * gridDim.x + blockIdx.x) * ROWS * COLUMNS;
	for (int i = threadIdx.x; i < ROWS * COLUMNS; i += blockDim.x)
		mine[i] = tile[i];
}

__global__ void spaced(const char *x, char *out)
{
	__shared__ char tile[400];
	for (int i = threadIdx.x; i < 400; i += blockDim.x)
		tile[i] = 1;
	__syncthreads();
	dma_set_datatype_char();
	dma_set_elements_per_bank(16, 3);
	dma_configure_flat_unit_stride(tile, x, 200, 3);
	for (int i = threadIdx.x; i < 400; i += blockDim.x)
		out[i] = tile[i];
}

template <typename T> static T *copy_of(const T *host, size_t count)
{
	T *device;
	SUCCEEDS(cudaMalloc(&device, count * sizeof(T)));
	if (host)
		SUCCEEDS(cudaMemcpy(device, host, count * sizeof(T), cudaMemcpyHostToDevice));
	return device;
}

template <typename T> static void get(T *host, const T *device, size_t count)
{
	SUCCEEDS(cudaDeviceSynchronize());
	SUCCEEDS(cudaMemcpy(host, device, count * sizeof(T), cudaMemcpyDeviceToHost));
}

static void test_sums()
{
	static float x[1024], out[256];
	for (int i = 0; i < 1024; i++)
		x[i] = i % 13;
	float *device = copy_of(x, 1024), *result = copy_of<float>(nullptr, 256);
	sums<<<1, 256>>>(device, result, 8);
	get(out, result, 256);
	for (int t = 0; t < 256; t++) {
		float sum = 0;
		for (int i = 0; i < 1024; i++)
			sum += x[i] * (t + 1);
		CHECK(out[t] == sum);
	}
}

template <typename T> static void test_strided(int stride)
{
	static T x[1000], out[100];
	for (int i = 0; i < 1000; i++)
		x[i] = (T)(i * 5);
	T *device = copy_of(x, 1000), *result = copy_of<T>(nullptr, 100);
	strided<<<1, 128>>>(device, result, stride);
	get(out, result, 100);
	for (int i = 0; i < 100; i++)
		CHECK(out[i] == x[i * stride]);
}

static void test_halo(dma_order order)
{
	static int x[WIDTH * HEIGHT], out[WIDTH / TILE * (HEIGHT / TILE) * ROWS * COLUMNS];
	for (int i = 0; i < WIDTH * HEIGHT; i++)
		x[i] = i * 3 + 1;
	int *device = copy_of(x, WIDTH * HEIGHT), *result = copy_of<int>(nullptr, sizeof out / sizeof *out);
	halo<<<dim3(WIDTH / TILE, HEIGHT / TILE), 96>>>(device, result, order);
	get(out, result, sizeof out / sizeof *out);
	for (int i = 0; i < (int)(sizeof out / sizeof *out); i++) {
		int tile = i / (ROWS * COLUMNS), at = i % (ROWS * COLUMNS);
		int r = order == DMA_ROW_MAJOR ? at / COLUMNS : at % ROWS, c = order == DMA_ROW_MAJOR ? at % COLUMNS : at / ROWS;
		int row = tile / (WIDTH / TILE) * TILE + r - HALO_ROWS, column = tile % (WIDTH / TILE) * TILE + c - HALO_COLUMNS;
		bool beyond = row < 0 || row >= HEIGHT || column < 0 || column >= WIDTH;
		CHECK(out[i] == (beyond ? BEYOND : order == DMA_ROW_MAJOR ? x[row * WIDTH + column] : x[column * HEIGHT + row]));
	}
}

static void test_spaced()
{
	static char x[200], out[400];
	for (int i = 0; i < 200; i++)
		x[i] = (char)i;
	char *device = copy_of(x, 200), *result = copy_of<char>(nullptr, 400);
	spaced<<<1, 64>>>(device, result);
	get(out, result, 400);
	for (int i = 0; i < 200; i++)
		CHECK(out[i + i / 16 * 4] == x[i]);
	CHECK(out[16] == 1 && out[19] == 1); // the skipped bank
}

int main()
{
	test_sums();
	test_strided<char>(1);
	test_strided<short>(7);
	test_strided<int>(9);
	test_strided<double>(3);
	test_halo(DMA_ROW_MAJOR);
	test_halo(DMA_COLUMN_MAJOR);
	test_spaced();
	return finish();
}
