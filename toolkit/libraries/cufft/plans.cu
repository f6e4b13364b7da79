// cuFFT: plans, and kernels that copy the program's arrays to packed ones and back.
#include "inner.h"

#include <climits>
#include <memory>

using namespace fft;

// Layout of a program's array: element (b; i, j, k) is at b * distance + i * steps[0] + j * steps[1] + k * steps[2].
struct layout {
	long long distance, steps[MAX_RANK];
};

struct plan {
	cufftType type = CUFFT_C2C;
	cudaStream_t stream = nullptr;
	bool made = false, packed_in = true, packed_out = true;
	int n[MAX_RANK] = {1, 1, 1}, batch = 1; // unused dimensions are first
	layout in = {}, out = {};
	dimension dimensions[MAX_RANK];
	buffer data, work;
};

static std::vector<std::unique_ptr<plan>> plans; // handle 1 is the first

static bool is_double(cufftType type)
{
	return type == CUFFT_Z2Z || type == CUFFT_D2Z || type == CUFFT_Z2D;
}
static bool from_reals(cufftType type)
{
	return type == CUFFT_R2C || type == CUFFT_D2Z;
}
static bool to_reals(cufftType type)
{
	return type == CUFFT_C2R || type == CUFFT_Z2D;
}

struct shape {
	int n0, n1, n2;
	layout at;
};

// Position of element i, in an array that stores only the first `own` of n2 elements per row. *packed: its packed
// index.
__device__ static long long place(const shape &s, int own, size_t i, size_t *packed)
{
	int k = (int)(i % own), j = (int)(i / own % s.n1), row = (int)(i / own / s.n1 % s.n0);
	size_t b = i / own / s.n1 / s.n0;
	*packed = ((b * s.n0 + row) * s.n1 + j) * s.n2 + k;
	return b * s.at.distance + row * s.at.steps[0] + j * s.at.steps[1] + k * s.at.steps[2];
}

template <typename T> __global__ void cufft_take(const number<T> *from, number<T> *data, shape s, size_t count)
{
	size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x, packed;
	if (i >= count)
		return;
	long long at = place(s, s.n2, i, &packed);
	data[packed] = from[at];
}

template <typename T> __global__ void cufft_take_reals(const T *from, number<T> *data, shape s, size_t count)
{
	size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x, packed;
	if (i >= count)
		return;
	long long at = place(s, s.n2, i, &packed);
	data[packed] = {from[at], 0};
}

// The array stores half of the numbers. The others are the conjugates of their mirror images.
template <typename T> __global__ void cufft_take_half(const number<T> *from, number<T> *data, shape s, size_t count)
{
	size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x, packed;
	if (i >= count)
		return;
	int k = (int)(i % s.n2), j = (int)(i / s.n2 % s.n1), row = (int)(i / s.n2 / s.n1 % s.n0);
	size_t b = i / s.n2 / s.n1 / s.n0, own = s.n2 / 2 + 1;
	bool mirrored = k >= own;
	if (mirrored) {
		k = s.n2 - k;
		j = (s.n1 - j) % s.n1;
		row = (s.n0 - row) % s.n0;
	}
	number<T> value = from[place(s, (int)own, ((b * s.n0 + row) * s.n1 + j) * own + k, &packed)];
	data[i] = mirrored ? conjugate(value) : value;
}

template <typename T> __global__ void cufft_give(const number<T> *data, number<T> *to, shape s, int own, size_t count)
{
	size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x, packed;
	if (i >= count)
		return;
	long long at = place(s, own, i, &packed);
	to[at] = data[packed];
}

template <typename T> __global__ void cufft_give_reals(const number<T> *data, T *to, shape s, size_t count)
{
	size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x, packed;
	if (i >= count)
		return;
	long long at = place(s, s.n2, i, &packed);
	to[at] = data[packed].x;
}

static unsigned blocks_of(size_t work)
{
	return (unsigned)((work + THREADS - 1) / THREADS);
}

static size_t count_of(const plan &p)
{
	return (size_t)p.n[0] * p.n[1] * p.n[2] * p.batch;
}

template <typename T> static void take(const plan &p, const layout &in, const void *input, number<T> *data)
{
	shape s = {p.n[0], p.n[1], p.n[2], in};
	size_t count = count_of(p);
	if (from_reals(p.type))
		cufft_take_reals<<<blocks_of(count), THREADS, 0, p.stream>>>((const T *)input, data, s, count);
	else if (to_reals(p.type))
		cufft_take_half<<<blocks_of(count), THREADS, 0, p.stream>>>((const number<T> *)input, data, s, count);
	else
		cufft_take<<<blocks_of(count), THREADS, 0, p.stream>>>((const number<T> *)input, data, s, count);
}

template <typename T> static void give(const plan &p, const layout &out, const number<T> *data, void *output)
{
	shape s = {p.n[0], p.n[1], p.n[2], out};
	int own = from_reals(p.type) ? p.n[2] / 2 + 1 : p.n[2];
	size_t count = count_of(p) / p.n[2] * own;
	if (to_reals(p.type))
		cufft_give_reals<<<blocks_of(count), THREADS, 0, p.stream>>>(data, (T *)output, s, count);
	else
		cufft_give<<<blocks_of(count), THREADS, 0, p.stream>>>(data, (number<T> *)output, s, own, count);
}

// Packed rows of `row` elements.
static layout packed_layout(const plan &p, long long row)
{
	return {row * p.n[1] * p.n[0], {row * p.n[1], row, 1}};
}

// Row length of a packed array of the program. For an in-place transform, a row of reals has space for its complex
// numbers.
static long long row_length(const plan &p, bool is_input, bool in_place)
{
	bool reals = is_input ? from_reals(p.type) : to_reals(p.type), half = is_input ? to_reals(p.type) : from_reals(p.type);
	return half ? p.n[2] / 2 + 1 : reals && in_place ? 2 * (p.n[2] / 2 + 1) : p.n[2];
}

template <typename T> static cufftResult run(const plan &p, const void *input, void *output, bool inverse)
{
	number<T> *data = (number<T> *)p.data.get(), *work = (number<T> *)p.work.get();
	bool in_place = input == output;
	take(p, p.packed_in ? packed_layout(p, row_length(p, true, in_place)) : p.in, input, data);
	size_t inner = 1;
	for (int i = MAX_RANK - 1; i >= 0; i--) {
		transform(p.dimensions[i], data, work, count_of(p) / p.n[i], inner, inverse, p.stream);
		inner *= p.n[i];
	}
	give(p, p.packed_out ? packed_layout(p, row_length(p, false, in_place)) : p.out, data, output);
	return cudaPeekAtLastError() == cudaSuccess ? CUFFT_SUCCESS : CUFFT_EXEC_FAILED;
}

static plan *find(cufftHandle handle)
{
	return handle >= 1 && (size_t)handle <= plans.size() ? plans[handle - 1].get() : nullptr;
}

static cufftResult execute(cufftHandle handle, cufftType type, const void *input, void *output, int direction)
{
	plan *p = find(handle);
	if (!p || !p->made)
		return CUFFT_INVALID_PLAN;
	if (p->type != type)
		return CUFFT_INVALID_TYPE;
	if (!input || !output || (direction != CUFFT_FORWARD && direction != CUFFT_INVERSE))
		return CUFFT_INVALID_VALUE;
	bool inverse = direction == CUFFT_INVERSE;
	return is_double(type) ? run<double>(*p, input, output, inverse) : run<float>(*p, input, output, inverse);
}

template <typename T> static void open_tables(plan &p)
{
	size_t most = 0;
	for (int i = 0; i < MAX_RANK; i++) {
		open_dimension<T>(p.dimensions[i], p.n[i]);
		most = std::max(most, work_numbers(p.dimensions[i], count_of(p)));
	}
	p.data.allocate(count_of(p) * sizeof(number<T>));
	p.work.allocate(most * sizeof(number<T>));
}

// Converts embed, stride and distance to a layout.
static layout embedded(const plan &p, int rank, const int *embed, int stride, int distance)
{
	layout at = {distance, {0, 0, 0}};
	long long step = stride;
	for (int i = rank - 1; i >= 0; step *= embed[i--])
		at.steps[MAX_RANK - rank + i] = step;
	return at;
}

static bool is_type(cufftType type)
{
	return from_reals(type) || to_reals(type) || type == CUFFT_C2C || type == CUFFT_Z2Z;
}

static cufftResult check(int rank, const int *n, cufftType type, int batch)
{
	double count = batch;
	if (rank < 1 || rank > MAX_RANK || !n)
		return CUFFT_INVALID_VALUE;
	if (!is_type(type))
		return CUFFT_INVALID_TYPE;
	for (int i = 0; i < rank; i++) {
		if (n[i] < 1)
			return CUFFT_INVALID_SIZE;
		count *= n[i];
	}
	return batch < 1 || count > INT_MAX ? CUFFT_INVALID_SIZE : CUFFT_SUCCESS;
}

static size_t bytes_of(const plan &p)
{
	size_t bytes = p.data.bytes() + p.work.bytes();
	for (const dimension &d : p.dimensions)
		bytes += fft::bytes_of(d);
	return bytes;
}

extern "C" cufftResult cufftMakePlanMany(cufftHandle handle, int rank, int *n, int *inembed, int istride, int idist, int *onembed,
                                         int ostride, int odist, cufftType type, int batch, size_t *work_size)
try {
	plan *p = find(handle);
	if (!p || p->made)
		return CUFFT_INVALID_PLAN;
	cufftResult result = check(rank, n, type, batch);
	if (result != CUFFT_SUCCESS)
		return result;
	p->type = type;
	p->batch = batch;
	std::copy(n, n + rank, p->n + MAX_RANK - rank);
	p->packed_in = !inembed;
	p->packed_out = !onembed;
	if (inembed)
		p->in = embedded(*p, rank, inembed, istride, idist);
	if (onembed)
		p->out = embedded(*p, rank, onembed, ostride, odist);
	is_double(type) ? open_tables<double>(*p) : open_tables<float>(*p);
	p->made = true;
	if (work_size)
		*work_size = bytes_of(*p);
	return CUFFT_SUCCESS;
} catch (const std::bad_alloc &) {
	return CUFFT_ALLOC_FAILED;
}

extern "C" cufftResult cufftCreate(cufftHandle *handle)
{
	if (!handle)
		return CUFFT_INVALID_VALUE;
	plans.emplace_back(new plan());
	*handle = (cufftHandle)plans.size();
	return CUFFT_SUCCESS;
}

extern "C" cufftResult cufftDestroy(cufftHandle handle)
{
	if (!find(handle))
		return CUFFT_INVALID_PLAN;
	plans[handle - 1].reset();
	return CUFFT_SUCCESS;
}

extern "C" cufftResult cufftPlanMany(cufftHandle *handle, int rank, int *n, int *inembed, int istride, int idist, int *onembed,
                                     int ostride, int odist, cufftType type, int batch)
{
	cufftResult result = cufftCreate(handle);
	if (result != CUFFT_SUCCESS)
		return result;
	result = cufftMakePlanMany(*handle, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, nullptr);
	if (result != CUFFT_SUCCESS)
		cufftDestroy(*handle);
	return result;
}

extern "C" cufftResult cufftPlan1d(cufftHandle *handle, int nx, cufftType type, int batch)
{
	return cufftPlanMany(handle, 1, &nx, nullptr, 1, 0, nullptr, 1, 0, type, batch);
}

extern "C" cufftResult cufftPlan2d(cufftHandle *handle, int nx, int ny, cufftType type)
{
	int n[] = {nx, ny};
	return cufftPlanMany(handle, 2, n, nullptr, 1, 0, nullptr, 1, 0, type, 1);
}

extern "C" cufftResult cufftPlan3d(cufftHandle *handle, int nx, int ny, int nz, cufftType type)
{
	int n[] = {nx, ny, nz};
	return cufftPlanMany(handle, 3, n, nullptr, 1, 0, nullptr, 1, 0, type, 1);
}

extern "C" cufftResult cufftMakePlan1d(cufftHandle handle, int nx, cufftType type, int batch, size_t *work_size)
{
	return cufftMakePlanMany(handle, 1, &nx, nullptr, 1, 0, nullptr, 1, 0, type, batch, work_size);
}

extern "C" cufftResult cufftMakePlan2d(cufftHandle handle, int nx, int ny, cufftType type, size_t *work_size)
{
	int n[] = {nx, ny};
	return cufftMakePlanMany(handle, 2, n, nullptr, 1, 0, nullptr, 1, 0, type, 1, work_size);
}

extern "C" cufftResult cufftMakePlan3d(cufftHandle handle, int nx, int ny, int nz, cufftType type, size_t *work_size)
{
	int n[] = {nx, ny, nz};
	return cufftMakePlanMany(handle, 3, n, nullptr, 1, 0, nullptr, 1, 0, type, 1, work_size);
}

extern "C" cufftResult cufftGetSize(cufftHandle handle, size_t *work_size)
{
	plan *p = find(handle);
	if (!p || !p->made)
		return CUFFT_INVALID_PLAN;
	*work_size = bytes_of(*p);
	return CUFFT_SUCCESS;
}

extern "C" cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream)
{
	plan *p = find(handle);
	if (!p)
		return CUFFT_INVALID_PLAN;
	p->stream = stream;
	return CUFFT_SUCCESS;
}

extern "C" cufftResult cufftSetCompatibilityMode(cufftHandle handle, cufftCompatibility)
{
	return find(handle) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

extern "C" cufftResult cufftGetVersion(int *version)
{
	*version = CUFFT_VERSION;
	return CUFFT_SUCCESS;
}

extern "C" cufftResult cufftXtExec(cufftHandle handle, void *input, void *output, int direction)
{
	plan *p = find(handle);
	if (!p || !p->made)
		return CUFFT_INVALID_PLAN;
	bool from_real = p->type == CUFFT_R2C || p->type == CUFFT_D2Z, to_real = p->type == CUFFT_C2R || p->type == CUFFT_Z2D;
	return execute(handle, p->type, input, output, from_real ? CUFFT_FORWARD : to_real ? CUFFT_INVERSE : direction);
}

extern "C" cufftResult cufftExecC2C(cufftHandle handle, cufftComplex *input, cufftComplex *output, int direction)
{
	return execute(handle, CUFFT_C2C, input, output, direction);
}

extern "C" cufftResult cufftExecR2C(cufftHandle handle, cufftReal *input, cufftComplex *output)
{
	return execute(handle, CUFFT_R2C, input, output, CUFFT_FORWARD);
}

extern "C" cufftResult cufftExecC2R(cufftHandle handle, cufftComplex *input, cufftReal *output)
{
	return execute(handle, CUFFT_C2R, input, output, CUFFT_INVERSE);
}

extern "C" cufftResult cufftExecZ2Z(cufftHandle handle, cufftDoubleComplex *input, cufftDoubleComplex *output, int direction)
{
	return execute(handle, CUFFT_Z2Z, input, output, direction);
}

extern "C" cufftResult cufftExecD2Z(cufftHandle handle, cufftDoubleReal *input, cufftDoubleComplex *output)
{
	return execute(handle, CUFFT_D2Z, input, output, CUFFT_FORWARD);
}

extern "C" cufftResult cufftExecZ2D(cufftHandle handle, cufftDoubleComplex *input, cufftDoubleReal *output)
{
	return execute(handle, CUFFT_Z2D, input, output, CUFFT_INVERSE);
}
