// filters: three filters of an image, D2MA's GAUSS (5 x 5 binomial weights), MEAN (of 3 x 3) and SOBEL (magnitude of
// the 3 x 3 gradient). A block of 16 x 16 threads buffers its pixels and a halo in shared memory. The halo holds the
// neighbors' pixels or, beyond the image's border, a constant. Therefore conditions on its position guard each
// buffered pixel, and the tile is wider than the block. In `gauss_dma`, `mean_dma` and `sobel_dma` the DMA engine's
// halo mode does these address calculations as well as the transfers. In `..._async` the threads copy asynchronously.
// In `..._tma` the tile with its halo is a tile of a tensor. In `..._cudadma` an additional warp copies the tile. There
// is one tile per block, so that only other blocks compute during the copy.
#include "../copies.h"

#include <sluice/dma.h>

const int BLOCK = 16;
const float BORDER = 0; // the constant beyond the image

// Buffers the block's pixels and RADIUS pixels around them.
template <int RADIUS>
__device__ void buffer_tile(float (*tile)[BLOCK + 2 * RADIUS], const float *image, int width, int height)
{
	int left = blockIdx.x * BLOCK - RADIUS, top = blockIdx.y * BLOCK - RADIUS;
	for (int y = threadIdx.y; y < BLOCK + 2 * RADIUS; y += BLOCK)
		for (int x = threadIdx.x; x < BLOCK + 2 * RADIUS; x += BLOCK) {
			bool inside = left + x >= 0 && left + x < width && top + y >= 0 && top + y < height;
			tile[y][x] = inside ? image[(top + y) * width + left + x] : BORDER;
		}
	__syncthreads();
}

// The same with the DMA engine. Its constant is given as an element's bits; 0 represents BORDER.
template <int RADIUS> __device__ void transfer_tile(float (*tile)[BLOCK + 2 * RADIUS], const float *image, int width)
{
	const float *from = image + blockIdx.y * BLOCK * width + blockIdx.x * BLOCK;
	unsigned int region = dma_region(blockIdx.y, gridDim.y, blockIdx.x, gridDim.x);
	dma_set_datatype_float();
	dma_configure_matrix_halo(tile, from, BLOCK, BLOCK, width, DMA_ROW_MAJOR, RADIUS, RADIUS, region, 0);
}

__device__ int pixel_index(int width)
{
	return (blockIdx.y * BLOCK + threadIdx.y) * width + blockIdx.x * BLOCK + threadIdx.x;
}

// The same by `threads` threads, of which this is number `thread`.
template <int RADIUS>
__device__ void buffer_tile_by(float (*tile)[BLOCK + 2 * RADIUS], const float *image, int width, int height, int thread,
                               int threads)
{
	const int SIDE = BLOCK + 2 * RADIUS;
	int left = blockIdx.x * BLOCK - RADIUS, top = blockIdx.y * BLOCK - RADIUS;
	for (int i = thread; i < SIDE * SIDE; i += threads) {
		int x = i % SIDE, y = i / SIDE;
		bool inside = left + x >= 0 && left + x < width && top + y >= 0 && top + y < height;
		tile[y][x] = inside ? image[(top + y) * width + left + x] : BORDER;
	}
}

// The same with asynchronous copies, which write 0 (BORDER) where they read nothing.
template <int RADIUS>
__device__ void copy_tile_async(float (*tile)[BLOCK + 2 * RADIUS], const float *image, int width, int height)
{
	int left = blockIdx.x * BLOCK - RADIUS, top = blockIdx.y * BLOCK - RADIUS;
	for (int y = threadIdx.y; y < BLOCK + 2 * RADIUS; y += BLOCK)
		for (int x = threadIdx.x; x < BLOCK + 2 * RADIUS; x += BLOCK) {
			bool inside = left + x >= 0 && left + x < width && top + y >= 0 && top + y < height;
			const float *from = inside ? &image[(top + y) * width + left + x] : image;
			__pipeline_memcpy_async(&tile[y][x], from, 4, inside ? 0 : 4);
		}
	__pipeline_commit();
	__pipeline_wait_prior(0);
	__syncthreads();
}

// Rows of a tensor's tile are multiples of 16 bytes.
template <int RADIUS> struct TensorTile {
	static const int COLUMNS = (BLOCK + 2 * RADIUS + 3) / 4 * 4, ROWS = BLOCK + 2 * RADIUS;
	float pixel[ROWS][COLUMNS];
};

template <int RADIUS>
__device__ void copy_tensor_tile(TensorTile<RADIUS> &tile, const CUtensorMap *image, copies::Barrier &full)
{
	if (threadIdx.x == 0 && threadIdx.y == 0) {
		full.init();
		full.announce(sizeof tile);
		copies::copy_tile(&tile, image, blockIdx.x * BLOCK - RADIUS, blockIdx.y * BLOCK - RADIUS, full);
	}
	__syncthreads();
	full.wait(0);
}

template <typename Row> __device__ float gauss_of(const Row *tile)
{
	const float weights[5] = {1 / 16.0f, 4 / 16.0f, 6 / 16.0f, 4 / 16.0f, 1 / 16.0f};
	float sum = 0;
	for (int y = 0; y < 5; y++)
		for (int x = 0; x < 5; x++)
			sum += weights[y] * weights[x] * tile[threadIdx.y + y][threadIdx.x + x];
	return sum;
}

template <typename Row> __device__ float mean_of(const Row *tile)
{
	float sum = 0;
	for (int y = 0; y < 3; y++)
		for (int x = 0; x < 3; x++)
			sum += tile[threadIdx.y + y][threadIdx.x + x];
	return sum / 9;
}

template <typename Row> __device__ float sobel_of(const Row *tile)
{
	const float *above = &tile[threadIdx.y][threadIdx.x], *level = &tile[threadIdx.y + 1][threadIdx.x],
		    *below = &tile[threadIdx.y + 2][threadIdx.x];
	float across = (above[2] + 2 * level[2] + below[2]) - (above[0] + 2 * level[0] + below[0]);
	float down = (below[0] + 2 * below[1] + below[2]) - (above[0] + 2 * above[1] + above[2]);
	return sqrtf(across * across + down * down);
}

__global__ void gauss(const float *image, float *result, int width, int height)
{
	__shared__ float tile[BLOCK + 4][BLOCK + 4];
	buffer_tile<2>(tile, image, width, height);
	result[pixel_index(width)] = gauss_of(tile);
}

__global__ void mean(const float *image, float *result, int width, int height)
{
	__shared__ float tile[BLOCK + 2][BLOCK + 2];
	buffer_tile<1>(tile, image, width, height);
	result[pixel_index(width)] = mean_of(tile);
}

__global__ void sobel(const float *image, float *result, int width, int height)
{
	__shared__ float tile[BLOCK + 2][BLOCK + 2];
	buffer_tile<1>(tile, image, width, height);
	result[pixel_index(width)] = sobel_of(tile);
}

__global__ void gauss_dma(const float *image, float *result, int width, int)
{
	__shared__ float tile[BLOCK + 4][BLOCK + 4];
	transfer_tile<2>(tile, image, width);
	result[pixel_index(width)] = gauss_of(tile);
}

__global__ void mean_dma(const float *image, float *result, int width, int)
{
	__shared__ float tile[BLOCK + 2][BLOCK + 2];
	transfer_tile<1>(tile, image, width);
	result[pixel_index(width)] = mean_of(tile);
}

__global__ void sobel_dma(const float *image, float *result, int width, int)
{
	__shared__ float tile[BLOCK + 2][BLOCK + 2];
	transfer_tile<1>(tile, image, width);
	result[pixel_index(width)] = sobel_of(tile);
}

__global__ void gauss_async(const float *image, float *result, int width, int height)
{
	__shared__ float tile[BLOCK + 4][BLOCK + 4];
	copy_tile_async<2>(tile, image, width, height);
	result[pixel_index(width)] = gauss_of(tile);
}

__global__ void mean_async(const float *image, float *result, int width, int height)
{
	__shared__ float tile[BLOCK + 2][BLOCK + 2];
	copy_tile_async<1>(tile, image, width, height);
	result[pixel_index(width)] = mean_of(tile);
}

__global__ void sobel_async(const float *image, float *result, int width, int height)
{
	__shared__ float tile[BLOCK + 2][BLOCK + 2];
	copy_tile_async<1>(tile, image, width, height);
	result[pixel_index(width)] = sobel_of(tile);
}

__global__ void gauss_tma(const CUtensorMap *image, float *result, int width)
{
	__shared__ __align__(128) TensorTile<2> tile;
	__shared__ copies::Barrier full;
	copy_tensor_tile(tile, image, full);
	result[pixel_index(width)] = gauss_of(tile.pixel);
}

__global__ void mean_tma(const CUtensorMap *image, float *result, int width)
{
	__shared__ __align__(128) TensorTile<1> tile;
	__shared__ copies::Barrier full;
	copy_tensor_tile(tile, image, full);
	result[pixel_index(width)] = mean_of(tile.pixel);
}

__global__ void sobel_tma(const CUtensorMap *image, float *result, int width)
{
	__shared__ __align__(128) TensorTile<1> tile;
	__shared__ copies::Barrier full;
	copy_tensor_tile(tile, image, full);
	result[pixel_index(width)] = sobel_of(tile.pixel);
}

// The threads of a block have the layout of its pixels. Two more rows, which are one warp, copy.
const int FULL = 1, ALL_THREADS = BLOCK * (BLOCK + 2);

// Returns false for a thread that only copied.
template <int RADIUS>
__device__ bool tile_by_warp(float (*tile)[BLOCK + 2 * RADIUS], const float *image, int width, int height)
{
	if (threadIdx.y < BLOCK) {
		copies::wait<FULL, ALL_THREADS>();
		return true;
	}
	buffer_tile_by<RADIUS>(tile, image, width, height, (threadIdx.y - BLOCK) * BLOCK + threadIdx.x, 2 * BLOCK);
	copies::arrive<FULL, ALL_THREADS>();
	return false;
}

__global__ void gauss_cudadma(const float *image, float *result, int width, int height)
{
	__shared__ float tile[BLOCK + 4][BLOCK + 4];
	if (tile_by_warp<2>(tile, image, width, height))
		result[pixel_index(width)] = gauss_of(tile);
}

__global__ void mean_cudadma(const float *image, float *result, int width, int height)
{
	__shared__ float tile[BLOCK + 2][BLOCK + 2];
	if (tile_by_warp<1>(tile, image, width, height))
		result[pixel_index(width)] = mean_of(tile);
}

__global__ void sobel_cudadma(const float *image, float *result, int width, int height)
{
	__shared__ float tile[BLOCK + 2][BLOCK + 2];
	if (tile_by_warp<1>(tile, image, width, height))
		result[pixel_index(width)] = sobel_of(tile);
}

// Weighted sum of the 5 x 5 pixels around (x, y).
static double weighted(const std::vector<float> &image, int width, int height, int x, int y,
                       const double (&weights)[5][5])
{
	double sum = 0;
	for (int dy = -2; dy <= 2; dy++)
		for (int dx = -2; dx <= 2; dx++) {
			bool inside = x + dx >= 0 && x + dx < width && y + dy >= 0 && y + dy < height;
			sum += weights[dy + 2][dx + 2] * (inside ? image[(y + dy) * width + x + dx] : BORDER);
		}
	return sum;
}

static std::vector<double> reference(const std::string &filter, const std::vector<float> &image, int width, int height)
{
	double binomial[5][5], ninths[5][5] = {}, across[5][5] = {}, down[5][5] = {};
	const int row[5] = {1, 4, 6, 4, 1};
	for (int y = 0; y < 5; y++)
		for (int x = 0; x < 5; x++)
			binomial[y][x] = row[y] * row[x] / 256.0;
	for (int i = -1; i <= 1; i++) {
		for (int j = -1; j <= 1; j++)
			ninths[i + 2][j + 2] = 1 / 9.0;
		across[i + 2][3] = down[3][i + 2] = i ? 1 : 2;
		across[i + 2][1] = down[1][i + 2] = i ? -1 : -2;
	}
	std::vector<double> result(image.size());
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++) {
			double &pixel = result[y * width + x];
			if (filter == "gauss")
				pixel = weighted(image, width, height, x, y, binomial);
			else if (filter == "mean")
				pixel = weighted(image, width, height, x, y, ninths);
			else
				pixel = std::hypot(weighted(image, width, height, x, y, across),
				                   weighted(image, width, height, x, y, down));
		}
	return result;
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "filters",
	                             {"gauss", "mean", "sobel", "gauss_dma", "mean_dma", "sobel_dma", "gauss_async",
	                              "mean_async", "sobel_async", "gauss_tma", "mean_tma", "sobel_tma", "gauss_cudadma",
	                              "mean_cudadma", "sobel_cudadma"});
	int width = arguments.number("width", 128, 1024, 1024, "pixels a row, a multiple of 16, 32 or more");
	int height = arguments.number("height", 96, 768, 1024, "rows, a multiple of 16, 32 or more");
	arguments.end();
	// No tile touches two opposite borders, which the DMA engine does not support.
	arguments.require(width > BLOCK && width % BLOCK == 0 && width <= 16384,
	                  "a width that is a multiple of 16, 32 to 16384");
	arguments.require(height > BLOCK && height % BLOCK == 0 && height <= 16384,
	                  "a height that is a multiple of 16, 32 to 16384");

	struct Form {
		const char *variant, *filter;
		void (*kernel)(const float *, float *, int, int);
		void (*of_tensor)(const CUtensorMap *, float *, int);
		int radius; // radius of the tensor's tile
	};
	const Form forms[] = {{"gauss", "gauss", gauss},
	                      {"mean", "mean", mean},
	                      {"sobel", "sobel", sobel},
	                      {"gauss_dma", "gauss", gauss_dma},
	                      {"mean_dma", "mean", mean_dma},
	                      {"sobel_dma", "sobel", sobel_dma},
	                      {"gauss_async", "gauss", gauss_async},
	                      {"mean_async", "mean", mean_async},
	                      {"sobel_async", "sobel", sobel_async},
	                      {"gauss_tma", "gauss", nullptr, gauss_tma, 2},
	                      {"mean_tma", "mean", nullptr, mean_tma, 1},
	                      {"sobel_tma", "sobel", nullptr, sobel_tma, 1},
	                      {"gauss_cudadma", "gauss", gauss_cudadma},
	                      {"mean_cudadma", "mean", mean_cudadma},
	                      {"sobel_cudadma", "sobel", sobel_cudadma}};
	const Form *form = forms;
	while (!arguments.is(form->variant))
		form++;

	program::Random random(arguments.seed());
	std::vector<float> image = random.floats((size_t)width * height, 0, 1);
	program::Array<float> source(image), result(image.size());
	dim3 grid(width / BLOCK, height / BLOCK), block(BLOCK, BLOCK);
	if (strstr(form->variant, "cudadma"))
		block.y += 2;
	int side = BLOCK + 2 * form->radius;
	program::Array<CUtensorMap> map({copies::tiles_of(source, width, height, (side + 3) / 4 * 4, side)});
	if (form->of_tensor)
		form->of_tensor<<<grid, block>>>(map, result, width);
	else
		form->kernel<<<grid, block>>>(source, result, width, height);
	CHECK(cudaGetLastError());

	program::Verdict verdict("filters");
	verdict.close("result", result.read(), reference(form->filter, image, width, height), 1e-5);
	return verdict.status();
}
