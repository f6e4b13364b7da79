// sgemv: y = alpha A x with A stored by columns, one thread per row. D2MA's SGEMV (Figure 8 and section 5.4). The
// matrix is a coalesced stream that is read once. Every block buffers the vector piece by piece in one shared buffer.
// In the form `plain` all threads copy a piece and synchronize at barriers. In `cudadma` an additional warp only copies
// and hands the buffer over through two named barriers (CudaDMA's warp specialization). In `dma` the DMA engine loads
// the pieces, as in Figure 8; in `dma_double` it uses two alternating buffers. In `async` the threads' asynchronous
// copies, and in `tma` bulk copies, load the next piece while the current one is used.
//
// `plain`, `cudadma` and `dma` have the blocks, pieces and copying warp of CudaDMA's published example. Three more
// groups of these forms differ in the loop over a piece. `unrolled` is unrolled completely, as the example asks its
// compiler to do; a product still uses an element of A right after its load. `hoisted` is unrolled 8 times and loads 8
// elements of A before it uses the first, as a compiler may schedule it. `short` has blocks and pieces of 32 besides.
#include "../copies.h"

#include <sluice/dma.h>

const int ROWS = 128;   // rows per block, also the number of threads that compute
const int VECTOR = 128; // elements of x in the buffer
const int WARP = 32;

// Adds a piece's products to `sum`, for a row that begins at `a`.
__device__ float add_products(const float *a, int rows, const float *piece, float sum)
{
	for (int j = 0; j < VECTOR; j++, a += rows)
		sum += *a * piece[j];
	return sum;
}

__global__ void sgemv(const float *a, const float *x, float *y, float alpha, int rows, int columns)
{
	__shared__ float buffer[VECTOR];
	int row = blockIdx.x * ROWS + threadIdx.x;
	float sum = 0;
	for (int start = 0; start < columns; start += VECTOR) {
		for (int i = 0; i < VECTOR; i += ROWS)
			buffer[i + threadIdx.x] = x[start + i + threadIdx.x];
		__syncthreads();
		sum = add_products(a + start * rows + row, rows, buffer, sum);
		__syncthreads();
	}
	y[row] = alpha * sum;
}

__global__ void sgemv_dma(const float *a, const float *x, float *y, float alpha, int rows, int columns)
{
	__shared__ float buffer[VECTOR];
	dma_set_datatype_float();
	dma_configure_flat_unit_stride(buffer, x, VECTOR);
	int row = blockIdx.x * ROWS + threadIdx.x;
	float sum = 0;
	for (int start = 0; start < columns;) {
		sum = add_products(a + start * rows + row, rows, buffer, sum);
		start += VECTOR;
		if (start < columns)
			dma_execute(buffer, x + start, 0);
	}
	y[row] = alpha * sum;
}

// Two pieces alternate: one is used while the other is loaded.
__global__ void sgemv_dma_double(const float *a, const float *x, float *y, float alpha, int rows, int columns)
{
	__shared__ float buffer[2][VECTOR];
	dma_set_datatype_float();
	dma_configure_flat_unit_stride(buffer[0], x, VECTOR, 0);
	if (columns > VECTOR)
		dma_configure_flat_unit_stride(buffer[1], x + VECTOR, VECTOR, 1);
	int row = blockIdx.x * ROWS + threadIdx.x;
	float sum = 0;
	for (int start = 0, half = 0; start < columns; start += VECTOR, half ^= 1) {
		sum = add_products(a + start * rows + row, rows, buffer[half], sum);
		if (start + 2 * VECTOR < columns)
			dma_execute(buffer[half], x + start + 2 * VECTOR, half);
	}
	y[row] = alpha * sum;
}

__device__ void fetch_async(float *piece, const float *x)
{
	if (threadIdx.x < VECTOR / 4)
		copies::copy_async(piece, x, VECTOR, threadIdx.x, VECTOR / 4);
}

__global__ void sgemv_async(const float *a, const float *x, float *y, float alpha, int rows, int columns)
{
	__shared__ __align__(16) float buffer[2][VECTOR];
	int row = blockIdx.x * ROWS + threadIdx.x;
	float sum = 0;
	fetch_async(buffer[0], x);
	__pipeline_commit();
	for (int start = 0, half = 0; start < columns; start += VECTOR, half ^= 1) {
		if (start + VECTOR < columns)
			fetch_async(buffer[half ^ 1], x + start + VECTOR);
		__pipeline_commit();
		__pipeline_wait_prior(1);
		__syncthreads();
		sum = add_products(a + start * rows + row, rows, buffer[half], sum);
		__syncthreads();
	}
	y[row] = alpha * sum;
}

__device__ void fetch_bulk(float *piece, const float *x, copies::Barrier &full)
{
	full.announce(VECTOR * sizeof *piece);
	copies::copy_bulk(piece, x, VECTOR * sizeof *piece, full);
}

__global__ void sgemv_tma(const float *a, const float *x, float *y, float alpha, int rows, int columns)
{
	__shared__ __align__(128) float buffer[2][VECTOR];
	__shared__ copies::Barrier full[2];
	int row = blockIdx.x * ROWS + threadIdx.x;
	float sum = 0;
	if (threadIdx.x == 0) {
		full[0].init(), full[1].init();
		fetch_bulk(buffer[0], x, full[0]);
	}
	__syncthreads();
	for (int piece = 0; piece * VECTOR < columns; piece++) {
		int half = piece & 1, start = piece * VECTOR;
		if (threadIdx.x == 0 && start + VECTOR < columns)
			fetch_bulk(buffer[half ^ 1], x + start + VECTOR, full[half ^ 1]);
		full[half].wait(piece / 2);
		sum = add_products(a + start * rows + row, rows, buffer[half], sum);
		__syncthreads();
	}
	y[row] = alpha * sum;
}

// Named barriers: EMPTY, the buffer may be filled; FULL, it is full. All threads of the block take part in both.
const int EMPTY = 1, FULL = 2;

template <int BARRIER, int THREADS = ROWS + WARP> __device__ void arrive()
{
	asm volatile("bar.arrive %0, %1;" ::"n"(BARRIER), "n"(THREADS) : "memory");
}

template <int BARRIER, int THREADS = ROWS + WARP> __device__ void wait()
{
	asm volatile("bar.sync %0, %1;" ::"n"(BARRIER), "n"(THREADS) : "memory");
}

// Issues all loads of a piece before the first store, as in CudaDMA's transfers. SIZE is the number of elements of a
// piece, and of the threads that compute.
template <int SIZE> __device__ void copy_pieces(float *buffer, const float *x, int columns)
{
	int lane = threadIdx.x - SIZE;
	for (int start = 0; start < columns; start += SIZE) {
		float loaded[SIZE / WARP];
		wait<EMPTY, SIZE + WARP>();
		for (int i = 0; i < SIZE / WARP; i++)
			loaded[i] = x[start + i * WARP + lane];
		for (int i = 0; i < SIZE / WARP; i++)
			buffer[i * WARP + lane] = loaded[i];
		__threadfence_block(); // an arrival does not order earlier stores
		arrive<FULL, SIZE + WARP>();
	}
}

__global__ void sgemv_cudadma(const float *a, const float *x, float *y, float alpha, int rows, int columns)
{
	__shared__ float buffer[VECTOR];
	if (threadIdx.x >= ROWS) {
		copy_pieces<VECTOR>(buffer, x, columns);
		return;
	}
	int row = blockIdx.x * ROWS + threadIdx.x;
	float sum = 0;
	arrive<EMPTY>();
	for (int start = 0; start < columns; start += VECTOR) {
		wait<FULL>();
		sum = add_products(a + start * rows + row, rows, buffer, sum);
		if (start + VECTOR < columns)
			arrive<EMPTY>();
	}
	y[row] = alpha * sum;
}

// --- unrolled, hoisted and short forms: SIZE rows per block and elements per piece, AHEAD elements of A loaded before
// the first is used ---

template <int SIZE, int AHEAD>
__device__ __forceinline__ float add_unrolled(const float *a, int rows, const float *piece, float sum)
{
	constexpr int TIMES = AHEAD == 1 ? SIZE : 1;
#pragma unroll TIMES
	for (int j = 0; j < SIZE; j += AHEAD) {
		float loaded[AHEAD];
		for (int i = 0; i < AHEAD; i++, a += rows)
			loaded[i] = *a;
		for (int i = 0; i < AHEAD; i++)
			sum += loaded[i] * piece[j + i];
	}
	return sum;
}

template <int SIZE, int AHEAD>
__global__ void sgemv_unrolled(const float *a, const float *x, float *y, float alpha, int rows, int columns)
{
	__shared__ float buffer[SIZE];
	int row = blockIdx.x * SIZE + threadIdx.x;
	float sum = 0;
	for (int start = 0; start < columns; start += SIZE) {
		buffer[threadIdx.x] = x[start + threadIdx.x];
		__syncthreads();
		sum = add_unrolled<SIZE, AHEAD>(a + start * rows + row, rows, buffer, sum);
		__syncthreads();
	}
	y[row] = alpha * sum;
}

template <int SIZE, int AHEAD>
__global__ void sgemv_unrolled_dma(const float *a, const float *x, float *y, float alpha, int rows, int columns)
{
	__shared__ float buffer[SIZE];
	dma_set_datatype_float();
	dma_configure_flat_unit_stride(buffer, x, SIZE);
	int row = blockIdx.x * SIZE + threadIdx.x;
	float sum = 0;
	for (int start = 0; start < columns;) {
		sum = add_unrolled<SIZE, AHEAD>(a + start * rows + row, rows, buffer, sum);
		start += SIZE;
		if (start < columns)
			dma_execute(buffer, x + start, 0);
	}
	y[row] = alpha * sum;
}

template <int SIZE, int AHEAD>
__global__ void sgemv_unrolled_cudadma(const float *a, const float *x, float *y, float alpha, int rows, int columns)
{
	__shared__ float buffer[SIZE];
	if (threadIdx.x >= SIZE) {
		copy_pieces<SIZE>(buffer, x, columns);
		return;
	}
	int row = blockIdx.x * SIZE + threadIdx.x;
	float sum = 0;
	arrive<EMPTY, SIZE + WARP>();
	for (int start = 0; start < columns; start += SIZE) {
		wait<FULL, SIZE + WARP>();
		sum = add_unrolled<SIZE, AHEAD>(a + start * rows + row, rows, buffer, sum);
		if (start + SIZE < columns)
			arrive<EMPTY, SIZE + WARP>();
	}
	y[row] = alpha * sum;
}

using Kernel = void (*)(const float *, const float *, float *, float, int, int);

static Kernel chosen_kernel(const program::Arguments &arguments)
{
	const struct {
		const char *variant;
		Kernel kernel;
	} kernels[] = {{"plain", sgemv},
	               {"cudadma", sgemv_cudadma},
	               {"dma", sgemv_dma},
	               {"dma_double", sgemv_dma_double},
	               {"async", sgemv_async},
	               {"tma", sgemv_tma},
	               {"unrolled", sgemv_unrolled<128, 1>},
	               {"unrolled_cudadma", sgemv_unrolled_cudadma<128, 1>},
	               {"unrolled_dma", sgemv_unrolled_dma<128, 1>},
	               {"hoisted", sgemv_unrolled<128, 8>},
	               {"hoisted_cudadma", sgemv_unrolled_cudadma<128, 8>},
	               {"hoisted_dma", sgemv_unrolled_dma<128, 8>},
	               {"short", sgemv_unrolled<32, 8>},
	               {"short_cudadma", sgemv_unrolled_cudadma<32, 8>},
	               {"short_dma", sgemv_unrolled_dma<32, 8>}};
	for (const auto &entry : kernels)
		if (arguments.is(entry.variant))
			return entry.kernel;
	return sgemv;
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "sgemv",
	                             {"plain", "cudadma", "dma", "dma_double", "async", "tma", "unrolled",
	                              "unrolled_cudadma", "unrolled_dma", "hoisted", "hoisted_cudadma", "hoisted_dma",
	                              "short", "short_cudadma", "short_dma"});
	int rows = arguments.number("rows", 1024, 4096, 4096, "rows of A, a multiple of 128");
	int columns = arguments.number("columns", 256, 2048, 4096, "columns of A, a multiple of 128");
	arguments.end();
	arguments.require(rows > 0 && rows % ROWS == 0, "rows that are a multiple of 128");
	arguments.require(columns > 0 && columns % VECTOR == 0, "columns that are a multiple of 128");
	arguments.require(rows <= 32768 && columns <= 32768, "at most 32768 rows and columns");

	program::Random random(arguments.seed());
	const float alpha = 1.5f;
	std::vector<float> a = random.floats((size_t)rows * columns), x = random.floats(columns), expected(rows);
	for (int j = 0; j < columns; j++)
		for (int i = 0; i < rows; i++)
			expected[i] += a[(size_t)j * rows + i] * x[j];
	for (float &value : expected)
		value *= alpha;

	program::Array<float> device_a(a), device_x(x), device_y(rows);
	bool is_short = arguments.is("short") || arguments.is("short_cudadma") || arguments.is("short_dma");
	bool copies = arguments.is("cudadma") || arguments.is("unrolled_cudadma") ||
	              arguments.is("hoisted_cudadma") || arguments.is("short_cudadma");
	int block = is_short ? WARP : ROWS;
	chosen_kernel(arguments)<<<rows / block, copies ? block + WARP : block>>>(device_a, device_x, device_y, alpha,
	                                                                          rows, columns);
	CHECK(cudaGetLastError());

	program::Verdict verdict("sgemv");
	verdict.close("y", device_y.read(), expected, 1e-5);
	return verdict.status();
}
