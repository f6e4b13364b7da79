// convolution: a separable filter of 17 x 17 weights over an image; pixels beyond the border are 0. CAPS uses it as CNV
// (separable: a pass over rows, then one over columns). Scratchpad sharing uses the pass over columns as CV, in its
// comparison with shared memory multiplexing (Tables 7 to 9). A block stages its pixels and those around them in shared
// memory; each thread computes 8 results. Loads are one tile step apart within a thread and at a fixed stride between
// warps, which CAPS predicts. CV's tile of 8256 bytes holds four steps of eight rows above and below its 64 rows. Its
// VTB forms combine two blocks of the plain form in one of 256 threads, which use one tile in turn (Yang et al., PACT
// 2012). vtb loads and filters in turn. vtb_pipe loads into registers at once, and only stores and filters in turn.
#include "../program.h"

const int RADIUS = 8, RESULTS = 8;                                          // results per thread.
const int ROW_X = 16, ROW_Y = 4;                                            // threads of the pass over rows.
const int COLUMN_X = 16, COLUMN_Y = 8;                                      // threads of the pass over columns.
const int BLOCK_WIDTH = ROW_X * RESULTS, BLOCK_HEIGHT = COLUMN_Y * RESULTS; // pixels.
const int WIDE_HALO = 4;                                                    // steps in CV's halo.
const unsigned TURNS = 2;                                                   // plain blocks per block of the VTB forms

__constant__ float weights[2 * RADIUS + 1];

// Computes the thread's results, a step apart, from a line of shared memory that begins HALO steps earlier. Pixels of a
// line are `pitch` apart in the result. Weights stay in registers, as a store of a result may alias them.
template <int HALO, int STEP> __device__ __forceinline__ void filter(const float *line, float *result, int pitch)
{
	float weight[2 * RADIUS + 1];
#pragma unroll
	for (int i = 0; i <= 2 * RADIUS; i++)
		weight[i] = weights[i];
#pragma unroll
	for (int step = HALO; step < HALO + RESULTS; step++) {
		float sum = 0;
#pragma unroll
		for (int i = -RADIUS; i <= RADIUS; i++)
			sum += weight[RADIUS - i] * line[step * STEP + i];
		result[step * STEP * pitch] = sum;
	}
}

__global__ void convolution_rows(const float *image, float *result, int width)
{
	__shared__ float tile[ROW_Y][(RESULTS + 2) * ROW_X];
	int left = blockIdx.x * BLOCK_WIDTH - ROW_X + threadIdx.x;
	int row = (blockIdx.y * ROW_Y + threadIdx.y) * width;
	float *mine = &tile[threadIdx.y][threadIdx.x];

	mine[0] = left >= 0 ? image[row + left] : 0;
#pragma unroll
	for (int step = 1; step <= RESULTS; step++)
		mine[step * ROW_X] = image[row + left + step * ROW_X];
	int right = left + (RESULTS + 1) * ROW_X;
	mine[(RESULTS + 1) * ROW_X] = right < width ? image[row + right] : 0;
	__syncthreads();

	filter<1, ROW_X>(mine, &result[row + left], 1);
}

// The thread's pixel at a step of its column: HALO steps above the block's, RESULTS of the block, HALO below.
template <int HALO> __device__ __forceinline__ float column_pixel(const float *image, int step, int x, int top, int width, int height)
{
	int y = top + step * COLUMN_Y;
	bool inside = step < HALO ? y >= 0 : step < HALO + RESULTS ? true : y < height;
	return inside ? image[y * width + x] : 0;
}

template <int HALO>
__device__ __forceinline__ void convolve_columns(float *column, const float *image, float *result, int width, int height)
{
	int x = blockIdx.x * COLUMN_X + threadIdx.x;
	int top = blockIdx.y * BLOCK_HEIGHT - HALO * COLUMN_Y + threadIdx.y;
#pragma unroll
	for (int step = 0; step < RESULTS + 2 * HALO; step++)
		column[step * COLUMN_Y] = column_pixel<HALO>(image, step, x, top, width, height);
	__syncthreads();
	filter<HALO, COLUMN_Y>(column, &result[top * width + x], width);
}

__global__ void convolution_columns(const float *image, float *result, int width, int height)
{
	// A row holds a column of pixels, and one padding element against bank conflicts.
	__shared__ float tile[COLUMN_X][(RESULTS + 2) * COLUMN_Y + 1];
	convolve_columns<1>(&tile[threadIdx.x][threadIdx.y], image, result, width, height);
}

__global__ void convolutionColumnsKernel(const float *image, float *result, int width, int height)
{
	__shared__ float tile[COLUMN_X][(RESULTS + 2 * WIDE_HALO) * COLUMN_Y + 1];
	convolve_columns<WIDE_HALO>(&tile[threadIdx.x][threadIdx.y], image, result, width, height);
}

// threadIdx.z selects one of the two blocks of the plain form.
__global__ void convolutionColumnsVTB(const float *image, float *result, int width, int height)
{
	__shared__ float tile[COLUMN_X][(RESULTS + 2 * WIDE_HALO) * COLUMN_Y + 1];
	float *column = &tile[threadIdx.x][threadIdx.y];
	int x = blockIdx.x * COLUMN_X + threadIdx.x;
	int top = (blockIdx.y * TURNS + threadIdx.z) * BLOCK_HEIGHT - WIDE_HALO * COLUMN_Y + threadIdx.y;

	for (unsigned turn = 0; turn < TURNS; turn++) {
		if (threadIdx.z == turn) {
#pragma unroll
			for (int step = 0; step < RESULTS + 2 * WIDE_HALO; step++)
				column[step * COLUMN_Y] = column_pixel<WIDE_HALO>(image, step, x, top, width, height);
			program::barrier<COLUMN_X * COLUMN_Y>(turn + 1);
			filter<WIDE_HALO, COLUMN_Y>(column, &result[top * width + x], width);
		}
		__syncthreads();
	}
}

__global__ void convolutionColumnsVTBPipe(const float *image, float *result, int width, int height)
{
	__shared__ float tile[COLUMN_X][(RESULTS + 2 * WIDE_HALO) * COLUMN_Y + 1];
	float *column = &tile[threadIdx.x][threadIdx.y];
	int x = blockIdx.x * COLUMN_X + threadIdx.x;
	int top = (blockIdx.y * TURNS + threadIdx.z) * BLOCK_HEIGHT - WIDE_HALO * COLUMN_Y + threadIdx.y;

	float pixels[RESULTS + 2 * WIDE_HALO];
#pragma unroll
	for (int step = 0; step < RESULTS + 2 * WIDE_HALO; step++)
		pixels[step] = column_pixel<WIDE_HALO>(image, step, x, top, width, height);
	for (unsigned turn = 0; turn < TURNS; turn++) {
		if (threadIdx.z == turn) {
#pragma unroll
			for (int step = 0; step < RESULTS + 2 * WIDE_HALO; step++)
				column[step * COLUMN_Y] = pixels[step];
			program::barrier<COLUMN_X * COLUMN_Y>(turn + 1);
			filter<WIDE_HALO, COLUMN_Y>(column, &result[top * width + x], width);
		}
		__syncthreads();
	}
}

// One pass over rows or columns, in double precision.
static std::vector<double> reference(const std::vector<double> &image, int width, int height, bool columns,
                                     const std::vector<float> &weight)
{
	std::vector<double> result(image.size());
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++)
			for (int i = -RADIUS; i <= RADIUS; i++) {
				int from_x = columns ? x : x + i, from_y = columns ? y + i : y;
				if (from_x >= 0 && from_x < width && from_y >= 0 && from_y < height)
					result[y * width + x] += weight[RADIUS - i] * image[from_y * width + from_x];
			}
	return result;
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "convolution", {"separable", "columns", "vtb", "vtb_pipe"});
	int width = arguments.number("width", 128, 768, 3072, "pixels a row, a multiple of 128");
	int height = arguments.number("height", 128, 768, 3072, "rows, a multiple of 128");
	arguments.end();
	arguments.require(width > 0 && width % BLOCK_WIDTH == 0 && width <= 16384,
	                  "a width that is a multiple of 128, to 16384");
	arguments.require(height > 0 && height % (TURNS * BLOCK_HEIGHT) == 0 && height <= 16384,
	                  "a height that is a multiple of 128, to 16384");

	program::Random random(arguments.seed());
	std::vector<float> image = random.floats((size_t)width * height, 0, 16),
			   weight = random.floats(2 * RADIUS + 1, 0, 0.1f);
	std::vector<double> expected(image.begin(), image.end());
	bool separable = arguments.is("separable");
	if (separable)
		expected = reference(expected, width, height, false, weight);
	expected = reference(expected, width, height, true, weight);

	CHECK(cudaMemcpyToSymbol(weights, weight.data(), sizeof(weights)));
	program::Array<float> source(image), between(separable ? image.size() : 1), result(image.size());
	dim3 columns(width / COLUMN_X, height / BLOCK_HEIGHT), combined(columns.x, columns.y / TURNS);
	dim3 block(COLUMN_X, COLUMN_Y), combined_block(COLUMN_X, COLUMN_Y, TURNS);
	if (separable) {
		convolution_rows<<<dim3(width / BLOCK_WIDTH, height / ROW_Y), dim3(ROW_X, ROW_Y)>>>(source, between,
		                                                                                    width);
		convolution_columns<<<columns, block>>>(between, result, width, height);
	} else if (arguments.is("columns")) {
		convolutionColumnsKernel<<<columns, block>>>(source, result, width, height);
	} else if (arguments.is("vtb")) {
		convolutionColumnsVTB<<<combined, combined_block>>>(source, result, width, height);
	} else {
		convolutionColumnsVTBPipe<<<combined, combined_block>>>(source, result, width, height);
	}
	CHECK(cudaGetLastError());

	program::Verdict verdict("convolution");
	verdict.close("result", result.read(), expected, 1e-5);
	return verdict.status();
}
