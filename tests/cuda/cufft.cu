// Protects cuFFT against sums in double on the host: lengths with all kinds of factors, primes, lines longer than
// shared memory, 1 to 3 dimensions. Covers batches, strides and embeddings, in place and out of place, complex and
// real; memory between elements stays.
// Flags: -lcufft
#include "check.h"
#include <algorithm>
#include <complex>
#include <cufftXt.h>
#include <vector>

typedef std::complex<double> Z;

static unsigned long long state = 88172645463325252ull;

static unsigned below(unsigned limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)((state >> 33) % limit);
}

#define WORKS(call) CHECK((call) == CUFFT_SUCCESS)

struct space {
	int n[3], batch;
	size_t count() const
	{
		return (size_t)n[0] * n[1] * n[2] * batch;
	}
};

// The definition along each dimension. Roots are computed from integers, so that they are exact.
static void model(std::vector<Z> &x, const space &s, int sign)
{
	size_t inner = 1;
	for (int d = 2; d >= 0; inner *= s.n[d--]) {
		int n = s.n[d];
		std::vector<Z> roots(n), line(n);
		for (int i = 0; i < n; i++)
			roots[i] = std::polar(1.0, sign * 2 * M_PI * i / n);
		for (size_t start = 0; start < x.size(); start++) {
			if (start / inner % n)
				continue;
			for (int i = 0; i < n; i++) {
				line[i] = 0;
				for (int j = 0; j < n; j++)
					line[i] += x[start + j * inner] * roots[(long long)i * j % n];
			}
			for (int i = 0; i < n; i++)
				x[start + i * inner] = line[i];
		}
	}
}

static double any()
{
	return (int)below(2001) / 1000.0 - 1;
}

// Offset of the space's element i in an array with rows of `row` elements.
static size_t place(const space &s, size_t i, size_t row)
{
	return i / s.n[2] * row + i % s.n[2];
}

static void compare(const char *what, const space &s, double got, double wanted, double tolerance)
{
	if (std::fabs(got - wanted) <= tolerance)
		return;
	fprintf(stderr, "%s of %d x %d x %d, batch %d: %g, expected %g\n", what, s.n[0], s.n[1], s.n[2], s.batch, got, wanted);
	failures++;
}

static cufftResult run(cufftHandle p, cufftComplex *from, cufftComplex *to, int direction)
{
	return cufftExecC2C(p, from, to, direction);
}
static cufftResult run(cufftHandle p, cufftDoubleComplex *from, cufftDoubleComplex *to, int direction)
{
	return cufftExecZ2Z(p, from, to, direction);
}
static cufftResult run(cufftHandle p, cufftReal *from, cufftComplex *to, int)
{
	return cufftExecR2C(p, from, to);
}
static cufftResult run(cufftHandle p, cufftDoubleReal *from, cufftDoubleComplex *to, int)
{
	return cufftExecD2Z(p, from, to);
}
static cufftResult run(cufftHandle p, cufftComplex *from, cufftReal *to, int)
{
	return cufftExecC2R(p, from, to);
}
static cufftResult run(cufftHandle p, cufftDoubleComplex *from, cufftDoubleReal *to, int)
{
	return cufftExecZ2D(p, from, to);
}

static cufftHandle plan(const space &s, int rank, cufftType type)
{
	cufftHandle handle = 0;
	int n[3] = {s.n[0], s.n[1], s.n[2]};
	if (rank == 1)
		WORKS(cufftPlan1d(&handle, s.n[2], type, s.batch));
	else if (rank == 2 && s.batch == 1)
		WORKS(cufftPlan2d(&handle, s.n[1], s.n[2], type));
	else if (rank == 3 && s.batch == 1)
		WORKS(cufftPlan3d(&handle, s.n[0], s.n[1], s.n[2], type));
	else
		WORKS(cufftPlanMany(&handle, rank, n + 3 - rank, nullptr, 1, 0, nullptr, 1, 0, type, s.batch));
	return handle;
}

template <typename T> static double tolerance_of(const space &s)
{
	double n = (double)s.n[0] * s.n[1] * s.n[2];
	return (sizeof(T) == 4 ? 2e-6 : 1e-14) * std::sqrt(n) * (2 + std::log2(n));
}

// Complex to complex; C: the vector type of two T.
template <typename T, typename C> static void try_complex(const space &s, int rank, cufftType type, bool in_place)
{
	size_t count = s.count(), bytes = count * sizeof(C);
	int direction = below(2) ? CUFFT_FORWARD : CUFFT_INVERSE;
	std::vector<Z> wanted(count);
	std::vector<C> values(count), got(count);
	C *from, *to;
	for (size_t i = 0; i < count; i++) {
		values[i] = {(T)any(), (T)any()};
		wanted[i] = Z(values[i].x, values[i].y);
	}
	SUCCEEDS(cudaMalloc(&from, bytes));
	SUCCEEDS(cudaMalloc(&to, bytes));
	SUCCEEDS(cudaMemcpy(from, values.data(), bytes, cudaMemcpyHostToDevice));
	cufftHandle handle = plan(s, rank, type);
	WORKS(run(handle, from, in_place ? from : to, direction));
	SUCCEEDS(cudaMemcpy(got.data(), in_place ? from : to, bytes, cudaMemcpyDeviceToHost));
	model(wanted, s, direction);
	double tolerance = tolerance_of<T>(s);
	for (size_t i = 0; i < count && !failures; i++) {
		compare("C2C, x", s, got[i].x, wanted[i].real(), tolerance);
		compare("C2C, y", s, got[i].y, wanted[i].imag(), tolerance);
	}
	WORKS(cufftDestroy(handle));
	SUCCEEDS(cudaFree(from));
	SUCCEEDS(cudaFree(to));
}

// Real numbers to half of the complex numbers, and back.
template <typename T, typename C> static void try_reals(const space &s, int rank, cufftType there, cufftType back, bool in_place)
{
	size_t half = s.n[2] / 2 + 1, row = in_place ? 2 * half : s.n[2], rows = s.count() / s.n[2];
	std::vector<T> values(rows * row), got(rows * row);
	std::vector<Z> wanted(s.count());
	std::vector<C> middle(rows * half);
	T *reals;
	C *numbers;
	for (T &x : values)
		x = (T)any();
	for (size_t i = 0; i < s.count(); i++)
		wanted[i] = values[place(s, i, row)];
	SUCCEEDS(cudaMalloc(&reals, rows * 2 * half * sizeof(T)));
	SUCCEEDS(cudaMalloc(&numbers, rows * half * sizeof(C)));
	C *to = in_place ? (C *)reals : numbers;
	SUCCEEDS(cudaMemcpy(reals, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
	cufftHandle handle = plan(s, rank, there), inverse = plan(s, rank, back);
	WORKS(run(handle, reals, to, 0));
	SUCCEEDS(cudaMemcpy(middle.data(), to, middle.size() * sizeof(C), cudaMemcpyDeviceToHost));
	model(wanted, s, CUFFT_FORWARD);
	double tolerance = tolerance_of<T>(s), scale = (double)s.n[0] * s.n[1] * s.n[2];
	for (size_t i = 0; i < middle.size() && !failures; i++) {
		Z z = wanted[i / half * s.n[2] + i % half];
		compare("R2C, x", s, middle[i].x, z.real(), tolerance);
		compare("R2C, y", s, middle[i].y, z.imag(), tolerance);
	}
	WORKS(run(inverse, to, reals, 0));
	SUCCEEDS(cudaMemcpy(got.data(), reals, got.size() * sizeof(T), cudaMemcpyDeviceToHost));
	for (size_t i = 0; i < s.count() && !failures; i++)
		compare("C2R", s, got[place(s, i, row)] / scale, values[place(s, i, row)], tolerance);
	WORKS(cufftDestroy(handle));
	WORKS(cufftDestroy(inverse));
	SUCCEEDS(cudaFree(reals));
	SUCCEEDS(cudaFree(numbers));
}

static void try_space(const space &s, int rank)
{
	bool in_place = below(2);
	try_complex<float, cufftComplex>(s, rank, CUFFT_C2C, in_place);
	try_complex<double, cufftDoubleComplex>(s, rank, CUFFT_Z2Z, !in_place);
	try_reals<float, cufftComplex>(s, rank, CUFFT_R2C, CUFFT_C2R, !in_place);
	try_reals<double, cufftDoubleComplex>(s, rank, CUFFT_D2Z, CUFFT_Z2D, in_place);
}

// Two dimensions inside larger arrays, with distances between elements.
static void try_embedded()
{
	space s = {{1, 6, 10}, 3};
	int n[] = {6, 10}, inembed[] = {8, 13}, onembed[] = {7, 11}, istride = 2, ostride = 3;
	int idist = 8 * 13 * 2 + 5, odist = 7 * 11 * 3 + 1;
	std::vector<cufftComplex> values(3 * idist), got(3 * odist);
	std::vector<Z> wanted(s.count());
	std::vector<bool> written(3 * odist);
	cufftComplex *from, *to;
	cufftHandle handle;
	for (cufftComplex &x : values)
		x = {(float)any(), (float)any()};
	for (size_t i = 0; i < s.count(); i++) {
		cufftComplex x = values[i / 60 * idist + (i / 10 % 6 * 13 + i % 10) * istride];
		wanted[i] = Z(x.x, x.y);
	}
	SUCCEEDS(cudaMalloc(&from, values.size() * sizeof *from));
	SUCCEEDS(cudaMalloc(&to, got.size() * sizeof *to));
	SUCCEEDS(cudaMemcpy(from, values.data(), values.size() * sizeof *from, cudaMemcpyHostToDevice));
	SUCCEEDS(cudaMemset(to, 0x5a, got.size() * sizeof *to));
	WORKS(cufftPlanMany(&handle, 2, n, inembed, istride, idist, onembed, ostride, odist, CUFFT_C2C, 3));
	WORKS(cufftExecC2C(handle, from, to, CUFFT_FORWARD));
	SUCCEEDS(cudaMemcpy(got.data(), to, got.size() * sizeof *to, cudaMemcpyDeviceToHost));
	model(wanted, s, CUFFT_FORWARD);
	for (size_t i = 0; i < s.count(); i++) {
		size_t at = i / 60 * odist + (i / 10 % 6 * 11 + i % 10) * ostride;
		written[at] = true;
		compare("embedded, x", s, got[at].x, wanted[i].real(), 1e-4);
		compare("embedded, y", s, got[at].y, wanted[i].imag(), 1e-4);
	}
	unsigned mark;
	for (size_t i = 0; i < got.size(); i++)
		if (!written[i] && memcpy(&mark, &got[i], sizeof mark))
			CHECK(mark == 0x5a5a5a5a);
	WORKS(cufftDestroy(handle));
	SUCCEEDS(cudaFree(from));
	SUCCEEDS(cudaFree(to));
}

static void try_statuses()
{
	cufftHandle handle = 0;
	cufftComplex *data;
	size_t size = 0;
	int version = 0;
	SUCCEEDS(cudaMalloc(&data, 64 * sizeof *data));
	CHECK(cufftPlan1d(&handle, 0, CUFFT_C2C, 1) == CUFFT_INVALID_SIZE);
	CHECK(cufftPlan1d(&handle, 8, CUFFT_C2C, 0) == CUFFT_INVALID_SIZE);
	CHECK(cufftPlan1d(&handle, 8, (cufftType)3, 1) == CUFFT_INVALID_TYPE);
	CHECK(cufftExecC2C(handle, data, data, CUFFT_FORWARD) == CUFFT_INVALID_PLAN);
	WORKS(cufftCreate(&handle));
	CHECK(cufftExecC2C(handle, data, data, CUFFT_FORWARD) == CUFFT_INVALID_PLAN);
	WORKS(cufftMakePlan1d(handle, 64, CUFFT_C2C, 1, &size));
	CHECK(size >= 64 * sizeof *data);
	CHECK(cufftExecC2C(handle, data, data, 2) == CUFFT_INVALID_VALUE);
	CHECK(cufftExecR2C(handle, (cufftReal *)data, data) == CUFFT_INVALID_TYPE);
	WORKS(cufftDestroy(handle));
	CHECK(cufftDestroy(handle) == CUFFT_INVALID_PLAN);
	WORKS(cufftGetVersion(&version));
	CHECK(version == CUFFT_VERSION);
	SUCCEEDS(cudaFree(data));
}

// Plans by types equal plans by names, whatever direction is passed for real transforms.
static void try_types()
{
	const int n = 12, rows = 5, half = n / 2 + 1;
	std::vector<double> x(n * rows);
	for (double &value : x)
		value = any();
	double *device;
	cufftDoubleComplex *by_name, *by_type;
	SUCCEEDS(cudaMallocManaged(&device, x.size() * sizeof(double)));
	SUCCEEDS(cudaMallocManaged(&by_name, half * rows * sizeof *by_name));
	SUCCEEDS(cudaMallocManaged(&by_type, half * rows * sizeof *by_type));
	std::copy(x.begin(), x.end(), device);
	cufftHandle named, typed, back;
	long long length = n, too_long = 1ll << 40;
	size_t size = 0;
	WORKS(cufftPlan1d(&named, n, CUFFT_D2Z, rows));
	WORKS(cufftCreate(&typed));
	WORKS(cufftCreate(&back));
	CHECK(cufftXtMakePlanMany(typed, 1, &length, NULL, 1, 1, CUDA_R_64F, NULL, 1, 1, CUDA_C_32F, rows, &size, CUDA_C_32F) ==
	      CUFFT_NOT_SUPPORTED);
	CHECK(cufftXtMakePlanMany(typed, 1, &length, NULL, 1, 1, CUDA_R_16F, NULL, 1, 1, CUDA_C_16F, rows, &size, CUDA_C_16F) ==
	      CUFFT_NOT_SUPPORTED);
	CHECK(cufftXtMakePlanMany(typed, 1, &too_long, NULL, 1, 1, CUDA_R_64F, NULL, 1, 1, CUDA_C_64F, rows, &size, CUDA_C_64F) ==
	      CUFFT_INVALID_SIZE);
	CHECK(cufftXtMakePlanMany(typed, 4, &length, NULL, 1, 1, CUDA_R_64F, NULL, 1, 1, CUDA_C_64F, rows, &size, CUDA_C_64F) ==
	      CUFFT_INVALID_VALUE);
	CHECK(cufftXtExec(typed, device, by_type, CUFFT_FORWARD) == CUFFT_INVALID_PLAN);
	int devices[] = {0, 1};
	cudaLibXtDesc *spread = NULL;
	CHECK(cufftXtSetGPUs(typed, 2, devices) == CUFFT_INVALID_DEVICE);
	CHECK(cufftXtSetGPUs(typed, 2, NULL) == CUFFT_INVALID_VALUE);
	CHECK(cufftXtMalloc(typed, &spread, CUFFT_XT_FORMAT_INPLACE) == CUFFT_NOT_SUPPORTED && !spread);
	WORKS(cufftXtMakePlanMany(typed, 1, &length, NULL, 1, 1, CUDA_R_64F, NULL, 1, 1, CUDA_C_64F, rows, &size, CUDA_C_64F));
	CHECK(size > 0);
	long long embedded = half, whole = n;
	WORKS(cufftXtMakePlanMany(back, 1, &length, &embedded, 1, half, CUDA_C_64F, &whole, 1, n, CUDA_R_64F, rows, &size,
	                          CUDA_C_64F));
	WORKS(cufftExecD2Z(named, device, by_name));
	WORKS(cufftXtExec(typed, device, by_type, CUFFT_INVERSE));
	SUCCEEDS(cudaDeviceSynchronize());
	CHECK(memcmp(by_name, by_type, half * rows * sizeof *by_name) == 0);
	CHECK(cufftExecZ2D(typed, by_type, device) == CUFFT_INVALID_TYPE);
	WORKS(cufftXtExec(back, by_type, device, CUFFT_FORWARD));
	SUCCEEDS(cudaDeviceSynchronize());
	for (size_t i = 0; i < x.size(); i++)
		CHECK(fabs(device[i] / n - x[i]) < 1e-12);
	for (cufftHandle handle : {named, typed, back})
		WORKS(cufftDestroy(handle));
	SUCCEEDS(cudaFree(device));
	SUCCEEDS(cudaFree(by_name));
	SUCCEEDS(cudaFree(by_type));
}

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 3;
	state += argc > 2 ? 2 * strtoull(argv[2], nullptr, 10) : 0;
	static const int lengths[] = {1, 2, 3, 4, 5, 6, 7, 8, 11, 16, 30, 49, 61, 67, 100, 121, 127, 128, 143, 256, 360};
	for (int n : lengths)
		try_space({{1, 1, n}, 1 + (int)below(20)}, 1);
	for (int n : {1024, 2048, 2310, 4096, 1009})
		try_space({{1, 1, n}, 1}, 1);
	for (int i = 0; i < times; i++) {
		try_space({{1, 1 + (int)below(40), 1 + (int)below(40)}, 1 + (int)below(3)}, 2);
		try_space({{1 + (int)below(12), 1 + (int)below(12), 1 + (int)below(12)}, 1 + (int)below(2)}, 3);
		try_space({{1, 1, 1 + (int)below(400)}, 1 + (int)below(40)}, 1);
	}
	try_space({{1, 2310, 3}, 1}, 2);
	try_space({{1, 1009, 2}, 1}, 2);
	try_embedded();
	try_types();
	try_statuses();
	return finish();
}
