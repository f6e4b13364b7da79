// Protects cuBLAS's products of all types against plain loops on the host: transpositions, odd sizes, leading
// dimensions, batches, scalars on host and device, and C that must not be read. Numbers are small integers, which every
// type and every sum holds exactly. Combinations of types that cuBLAS does not document are refused.
// Flags: -lcublas
#include "check.h"
#include <cmath>
#include <cublas_v2.h>
#include <type_traits>
#include <vector>

#define WORKS(call) CHECK((call) == CUBLAS_STATUS_SUCCESS)

static cublasHandle_t handle;
static unsigned state = 1;

static int below(int limit)
{
	state = state * 1664525 + 1013904223;
	return (int)(state >> 16) % limit;
}

struct pair { // a complex number, or a real one with y = 0
	double x, y;
};

// The library's type, the host's conversions, and the number of parts.
template <typename T> struct number {
	static T make(pair p)
	{
		return (T)(float)p.x;
	}
	static pair get(T value)
	{
		return {(double)(float)value, 0};
	}
};
#define COMPLEX(T, part)                                                                                               \
	template <> struct number<T> {                                                                                 \
		static T make(pair p)                                                                                  \
		{                                                                                                      \
			T made;                                                                                        \
			made.x = (part)p.x;                                                                            \
			made.y = (part)p.y;                                                                            \
			return made;                                                                                   \
		}                                                                                                      \
		static pair get(T value)                                                                               \
		{                                                                                                      \
			return {(double)value.x, (double)value.y};                                                     \
		}                                                                                                      \
	};
COMPLEX(cuComplex, float)
COMPLEX(cuDoubleComplex, double)
COMPLEX(char2, signed char)

template <typename T> static T *to_device(const std::vector<T> &host)
{
	T *device = nullptr;
	SUCCEEDS(cudaMalloc(&device, (host.size() + 1) * sizeof(T)));
	SUCCEEDS(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
	return device;
}

template <typename T> static std::vector<T> random_numbers(size_t count, bool nan = false)
{
	std::vector<T> made(count);
	for (T &x : made)
		x = nan ? number<T>::make({NAN, NAN}) : number<T>::make({below(5) - 2.0, below(5) - 2.0});
	return made;
}

struct shape {
	cublasOperation_t ta, tb;
	int m, n, k, lda, ldb, ldc, count;
	bool zero_beta, on_device;
};

static shape random_shape(int multiple)
{
	const cublasOperation_t all[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
	shape s = {all[below(3)], all[below(3)], 1 + below(90), 1 + below(90), below(70)};
	auto padded = [&](int rows) { return (rows + below(5) + multiple) / multiple * multiple; };
	s.lda = padded(s.ta == CUBLAS_OP_N ? s.m : s.k);
	s.ldb = padded(s.tb == CUBLAS_OP_N ? s.k : s.n);
	s.ldc = s.m + below(4);
	s.count = 1 + below(3);
	s.zero_beta = below(2);
	s.on_device = below(2);
	return s;
}

template <typename T> static pair element(const T *matrix, int ld, cublasOperation_t op, int row, int column)
{
	pair p = number<T>::get(op == CUBLAS_OP_N ? matrix[(size_t)column * ld + row]
	                                          : matrix[(size_t)row * ld + column]);
	return op == CUBLAS_OP_C ? pair{p.x, -p.y} : p;
}

static pair times(pair a, pair b)
{
	return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

template <typename AB, typename C>
static void host_product(const shape &s, pair alpha, const AB *a, const AB *b, pair beta, C *c)
{
	for (int j = 0; j < s.n; j++)
		for (int i = 0; i < s.m; i++) {
			pair sum = {0, 0};
			for (int l = 0; l < s.k; l++) {
				pair p = times(element(a, s.lda, s.ta, i, l), element(b, s.ldb, s.tb, l, j));
				sum = {sum.x + p.x, sum.y + p.y};
			}
			sum = times(alpha, sum);
			C &to = c[(size_t)j * s.ldc + i];
			pair old = s.zero_beta ? pair{0, 0} : times(beta, number<C>::get(to));
			to = number<C>::make({sum.x + old.x, sum.y + old.y});
		}
}

enum form { ONE, STRIDED, LISTED, FORMS };

// The matrices of a product on the device, and the addresses of each.
template <typename AB, typename C> struct device_data {
	AB *a, *b;
	C *c;
	void **lists[3];
	device_data(const shape &s, const std::vector<AB> &ha, const std::vector<AB> &hb, const std::vector<C> &hc)
	    : a(to_device(ha)), b(to_device(hb)), c(to_device(hc))
	{
		std::vector<void *> places[3];
		for (int i = 0; i < s.count; i++) {
			places[0].push_back(a + i * (ha.size() / s.count));
			places[1].push_back(b + i * (hb.size() / s.count));
			places[2].push_back(c + i * (hc.size() / s.count));
		}
		for (int i = 0; i < 3; i++)
			lists[i] = to_device(places[i]);
	}
	~device_data()
	{
		void *all[] = {a, b, c, lists[0], lists[1], lists[2]};
		for (void *one : all)
			SUCCEEDS(cudaFree(one));
	}
};

template <typename AB, typename C>
static void try_one(form way, cudaDataType ab, cudaDataType ct, cublasComputeType_t compute, const void *alpha,
                    const void *beta, pair by, pair keep, shape s)
{
	s.count = way == ONE ? 1 : s.count;
	size_t size_a = (size_t)s.lda * (s.ta == CUBLAS_OP_N ? s.k : s.m) + 4, size_c = (size_t)s.ldc * s.n + 3;
	size_t size_b = (size_t)s.ldb * (s.tb == CUBLAS_OP_N ? s.n : s.k) + 4;
	size_a -= size_a % 4;
	size_b -= size_b % 4;
	bool nan = s.zero_beta && !std::is_same<C, int>::value;
	std::vector<AB> a = random_numbers<AB>(size_a * s.count), b = random_numbers<AB>(size_b * s.count);
	std::vector<C> c = random_numbers<C>(size_c * s.count, nan), got(c.size());
	device_data<AB, C> d(s, a, b, c);
	if (way == ONE)
		WORKS(cublasGemmEx(handle, s.ta, s.tb, s.m, s.n, s.k, alpha, d.a, ab, s.lda, d.b, ab, s.ldb, beta, d.c,
		                   ct, s.ldc, compute, CUBLAS_GEMM_DEFAULT));
	else if (way == STRIDED)
		WORKS(cublasGemmStridedBatchedEx(handle, s.ta, s.tb, s.m, s.n, s.k, alpha, d.a, ab, s.lda, size_a, d.b,
		                                 ab, s.ldb, size_b, beta, d.c, ct, s.ldc, size_c, s.count, compute,
		                                 CUBLAS_GEMM_DEFAULT_TENSOR_OP));
	else
		WORKS(cublasGemmBatchedEx(handle, s.ta, s.tb, s.m, s.n, s.k, alpha, d.lists[0], ab, s.lda, d.lists[1],
		                          ab, s.ldb, beta, d.lists[2], ct, s.ldc, s.count, compute, CUBLAS_GEMM_ALGO3));
	SUCCEEDS(cudaMemcpy(got.data(), d.c, c.size() * sizeof(C), cudaMemcpyDeviceToHost));
	for (int i = 0; i < s.count; i++)
		host_product(s, by, &a[i * size_a], &b[i * size_b], keep, &c[i * size_c]);
	int wrong = 0;
	for (size_t i = 0; i < c.size(); i++) {
		pair x = number<C>::get(c[i]), y = number<C>::get(got[i]);
		wrong += !((x.x == y.x || (x.x != x.x && y.x != y.x)) && (x.y == y.y || (x.y != x.y && y.y != y.y)));
	}
	if (wrong)
		fprintf(stderr, "types %d %d, compute %d, form %d, ops %d %d, %d x %d x %d, beta %d: %d of %zu\n", ab,
		        ct, compute, way, s.ta, s.tb, s.m, s.n, s.k, !s.zero_beta, wrong, c.size());
	CHECK(wrong == 0);
}

template <typename AB, typename C, typename Scale>
static void try_types(cudaDataType ab, cudaDataType c, cublasComputeType_t compute, int times_each = 4)
{
	for (int i = 0; i < times_each * FORMS; i++) {
		bool is_complex = sizeof(Scale) > 4 && !std::is_same<Scale, double>::value;
		shape s = random_shape(sizeof(AB) == 1 ? 4 : 1);
		pair by = {below(4) ? 2.0 : 0.0, is_complex ? 1.0 : 0}, keep = {s.zero_beta ? 0 : -1.0, 0};
		Scale scalars[2] = {number<Scale>::make(by), number<Scale>::make(keep)};
		Scale *on_device = to_device(std::vector<Scale>(scalars, scalars + 2)),
		      *from = s.on_device ? on_device : scalars;
		WORKS(cublasSetPointerMode(handle,
		                           s.on_device ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST));
		try_one<AB, C>((form)(i % FORMS), ab, c, compute, from, from + 1, by, keep, s);
		WORKS(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
		SUCCEEDS(cudaFree(on_device));
	}
}

// Names with a type's letter, and forms with types as arguments, give what cublasGemmEx gives.
template <typename T, typename One, typename Strided, typename Batched>
static void try_names(One one, Strided strided, Batched batched)
{
	const int n = 9, count = 2;
	std::vector<T> a = random_numbers<T>(n * n * count), c(a.size()), got(a.size());
	shape s = {CUBLAS_OP_C, CUBLAS_OP_T, n, n, n, n, n, n, count, true, false};
	device_data<T, T> d(s, a, a, c);
	T alpha = number<T>::make({1, 0}), beta = number<T>::make({0, 0});
	for (int i = 0; i < count; i++)
		host_product(s, {1, 0}, &a[i * n * n], &a[i * n * n], {0, 0}, &c[i * n * n]);
	for (int way = 0; way < FORMS; way++) {
		SUCCEEDS(cudaMemset(d.c, 0x11, got.size() * sizeof(T)));
		if (way == ONE)
			for (int i = 0; i < count; i++)
				WORKS(one(handle, s.ta, s.tb, n, n, n, &alpha, d.a + i * n * n, n, d.b + i * n * n, n,
				          &beta, d.c + i * n * n, n));
		else if (way == STRIDED)
			WORKS(strided(handle, s.ta, s.tb, n, n, n, &alpha, d.a, n, n * n, d.b, n, n * n, &beta, d.c, n,
			              n * n, count));
		else
			WORKS(batched(handle, s.ta, s.tb, n, n, n, &alpha, (T **)d.lists[0], n, (T **)d.lists[1], n,
			              &beta, (T **)d.lists[2], n, count));
		SUCCEEDS(cudaMemcpy(got.data(), d.c, got.size() * sizeof(T), cudaMemcpyDeviceToHost));
		CHECK(memcmp(got.data(), c.data(), got.size() * sizeof(T)) == 0);
	}
}

static cublasStatus_t status_of(cudaDataType a, cudaDataType b, cudaDataType c, cublasComputeType_t compute, int ld = 4)
{
	static char *space;
	double one[2] = {1, 0};
	if (!space)
		SUCCEEDS(cudaMalloc(&space, 4096));
	return cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, one, space, a, ld, space, b, ld, one,
	                    space + 2048, c, 4, compute, CUBLAS_GEMM_DEFAULT);
}

static void try_refusals()
{
	CHECK(status_of(CUDA_R_16F, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F) == CUBLAS_STATUS_NOT_SUPPORTED);
	CHECK(status_of(CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_16F) == CUBLAS_STATUS_NOT_SUPPORTED);
	CHECK(status_of(CUDA_R_16F, CUDA_R_16F, CUDA_R_16BF, CUBLAS_COMPUTE_32F) == CUBLAS_STATUS_NOT_SUPPORTED);
	CHECK(status_of(CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F_FAST_16F) ==
	      CUBLAS_STATUS_NOT_SUPPORTED);
	CHECK(status_of(CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_32F) == CUBLAS_STATUS_NOT_SUPPORTED);
	CHECK(status_of(CUDA_R_8F_E4M3, CUDA_R_8F_E4M3, CUDA_R_16F, CUBLAS_COMPUTE_32F) == CUBLAS_STATUS_NOT_SUPPORTED);
	CHECK(status_of(CUDA_R_8I, CUDA_R_8I, CUDA_R_8I, CUBLAS_COMPUTE_32I) == CUBLAS_STATUS_NOT_SUPPORTED);
	CHECK(status_of(CUDA_R_8I, CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, 5) == CUBLAS_STATUS_NOT_SUPPORTED);
	CHECK(status_of(CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_EMULATED_16BFX9) ==
	      CUBLAS_STATUS_NOT_SUPPORTED);
	CHECK(status_of(CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 3) == CUBLAS_STATUS_INVALID_VALUE);
	CHECK(status_of(CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F) == CUBLAS_STATUS_SUCCESS);
	float one = 1;
	CHECK(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, nullptr, CUDA_R_32F, 1, nullptr, CUDA_R_32F,
	                   1, &one, nullptr, CUDA_R_32F, 1, CUBLAS_COMPUTE_32F,
	                   CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_INVALID_VALUE);
	CHECK(cublasSgemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, &one, CUDA_R_64F, 1, &one, CUDA_R_64F, 1,
	                    &one, &one, CUDA_R_64F, 1) == CUBLAS_STATUS_NOT_SUPPORTED);
}

// The mode decides whether products in float round their factors; older programs name the arithmetic by a data type.
static void try_modes(int capability)
{
	const float fine = 1 + 1.0f / 4096; // tf32 has 10 bits after the point
	std::vector<float> a(1, fine), got(1);
	float *x = to_device(a), *y = to_device(a), one = 1, zero = 0;
	cublasMath_t modes[] = {CUBLAS_DEFAULT_MATH, CUBLAS_TF32_TENSOR_OP_MATH, CUBLAS_TENSOR_OP_MATH,
	                        CUBLAS_PEDANTIC_MATH};
	for (cublasMath_t mode : modes) {
		cublasMath_t kept;
		bool rounds = (mode == CUBLAS_TF32_TENSOR_OP_MATH && capability >= 8) ||
		              (mode == CUBLAS_TENSOR_OP_MATH && capability >= 7);
		WORKS(cublasSetMathMode(handle, mode));
		WORKS(cublasGetMathMode(handle, &kept));
		CHECK(kept == mode);
		WORKS(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, x, 1, x, 1, &zero, y, 1));
		SUCCEEDS(cudaMemcpy(got.data(), y, sizeof(float), cudaMemcpyDeviceToHost));
		CHECK(got[0] == (rounds ? 1 : fine * fine));
		WORKS(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, x, CUDA_R_32F, 1, x, CUDA_R_32F, 1,
		                   &one, y, CUDA_R_32F, 1, CUDA_R_32F, CUBLAS_GEMM_DFALT));
		SUCCEEDS(cudaMemcpy(got.data(), y, sizeof(float), cudaMemcpyDeviceToHost));
		CHECK(got[0] == 2 * (rounds ? 1 : fine * fine));
	}
	CHECK(cublasSetMathMode(handle, (cublasMath_t)7) == CUBLAS_STATUS_INVALID_VALUE);
	WORKS(cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH));
	void *workspace;
	SUCCEEDS(cudaMalloc(&workspace, 1 << 16));
	WORKS(cublasSetWorkspace(handle, workspace, 1 << 16));
	CHECK(cublasSetWorkspace(handle, (char *)workspace + 8, 1 << 12) == CUBLAS_STATUS_INVALID_VALUE);
	int major = 0;
	WORKS(cublasGetProperty(MAJOR_VERSION, &major));
	CHECK(major == CUBLAS_VER_MAJOR);
	CHECK(strcmp(cublasGetStatusName(CUBLAS_STATUS_NOT_SUPPORTED), "CUBLAS_STATUS_NOT_SUPPORTED") == 0);
	CHECK(strlen(cublasGetStatusString(CUBLAS_STATUS_NOT_SUPPORTED)) > 0);
}

int main()
{
	int major = 0;
	SUCCEEDS(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
	WORKS(cublasCreate(&handle));
	cudaStream_t stream;
	SUCCEEDS(cudaStreamCreate(&stream));
	WORKS(cublasSetStream(handle, stream));
	try_types<__half, __half, __half>(CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F);
	try_types<__half, __half, __half>(CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F_PEDANTIC, 1);
	try_types<__half, __half, float>(CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F);
	try_types<__half, float, float>(CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F);
	try_types<__nv_bfloat16, __nv_bfloat16, float>(CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F);
	try_types<__nv_bfloat16, float, float>(CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F);
	try_types<signed char, int, int>(CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I);
	try_types<signed char, float, float>(CUDA_R_8I, CUDA_R_32F, CUBLAS_COMPUTE_32F);
	try_types<float, float, float>(CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_PEDANTIC, 1);
	try_types<float, float, float>(CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F);
	try_types<float, float, float>(CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32);
	try_types<float, float, float>(CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_16F);
	try_types<float, float, float>(CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_16BF);
	try_types<double, double, double>(CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, 2);
	try_types<char2, cuComplex, cuComplex>(CUDA_C_8I, CUDA_C_32F, CUBLAS_COMPUTE_32F, 1);
	try_types<cuComplex, cuComplex, cuComplex>(CUDA_C_32F, CUDA_C_32F, CUBLAS_COMPUTE_32F, 2);
	try_types<cuDoubleComplex, cuDoubleComplex, cuDoubleComplex>(CUDA_C_64F, CUDA_C_64F, CUBLAS_COMPUTE_64F, 2);
	try_names<__half>(cublasHgemm, cublasHgemmStridedBatched, cublasHgemmBatched);
	try_names<float>(cublasSgemm, cublasSgemmStridedBatched, cublasSgemmBatched);
	try_names<double>(cublasDgemm, cublasDgemmStridedBatched, cublasDgemmBatched);
	try_names<cuComplex>(cublasCgemm, cublasCgemmStridedBatched, cublasCgemmBatched);
	try_names<cuDoubleComplex>(cublasZgemm, cublasZgemmStridedBatched, cublasZgemmBatched);
	try_refusals();
	try_modes(major);
	WORKS(cublasDestroy(handle));
	return finish();
}
