// cuBLAS: elementwise vector operations and reductions.
#include "inner.h"

#include <cmath>

using namespace cublas;

template <typename T, typename F> __global__ void cublas_each(int n, T *x, int incx, T *y, int incy, F f)
{
	x = first(x, n, incx);
	y = first(y, n, incy);
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		f(x[(long long)i * incx], y[(long long)i * incy]);
}

// Elements of type T; the arithmetic and alpha are of type A.
template <typename T, typename A = T> struct axpy {
	scalar<A> alpha;
	__device__ void operator()(const T &x, T &y) const
	{
		y = (T)((A)y + alpha.value() * (A)x);
	}
};

template <typename T, typename A = T> struct scale {
	scalar<A> alpha;
	__device__ void operator()(T &x, T &) const
	{
		x = (T)((A)x * alpha.value());
	}
};

template <typename T> struct copy {
	__device__ void operator()(const T &x, T &y) const
	{
		y = x;
	}
};

template <typename T> struct exchange {
	__device__ void operator()(T &x, T &y) const
	{
		T kept = x;
		x = y;
		y = kept;
	}
};

template <typename T> struct rotate {
	scalar<T> c, s;
	__device__ void operator()(T &x, T &y) const
	{
		T kept = x;
		x = c.value() * kept + s.value() * y;
		y = c.value() * y - s.value() * kept;
	}
};

template <typename T, typename F>
static cublasStatus_t each(cublasHandle_t handle, int n, const T *x, int incx, const T *y, int incy, F f)
{
	if (n <= 0)
		return CUBLAS_STATUS_SUCCESS;
	cublas_each<<<blocks_for(n, THREADS, 1024), THREADS, 0, handle->stream>>>(n, (T *)x, incx, (T *)y, incy, f);
	return launched();
}

// Reductions: a state accumulates elements, merges with other states, and yields a result.
template <typename T> struct dot_state {
	typedef T result;
	T sum;
	__device__ static dot_state none()
	{
		return {0};
	}
	__device__ void take(T x, T y, int)
	{
		sum += x * y;
	}
	__device__ void merge(const dot_state &other)
	{
		sum += other.sum;
	}
	__device__ T value() const
	{
		return sum;
	}
};

template <typename T> struct asum_state {
	typedef T result;
	T sum;
	__device__ static asum_state none()
	{
		return {0};
	}
	__device__ void take(T x, T, int)
	{
		sum += fabs(x);
	}
	__device__ void merge(const asum_state &other)
	{
		sum += other.sum;
	}
	__device__ T value() const
	{
		return sum;
	}
};

// A sum of squares, scaled by the largest magnitude, so that no square overflows or underflows.
template <typename T> struct nrm2_state {
	typedef T result;
	T largest, squares; // the sum is squares x largest^2
	__device__ static nrm2_state none()
	{
		return {0, 0};
	}
	__device__ void take(T x, T, int)
	{
		merge({fabs(x), 1});
	}
	__device__ void merge(const nrm2_state &other)
	{
		if (other.largest == 0 || !(other.squares > 0))
			return;
		bool grows = !(other.largest <= largest);
		T smaller = grows ? largest : other.largest, larger = grows ? other.largest : largest;
		T ratio = smaller == larger ? 1 : smaller / larger;
		squares = grows ? other.squares + squares * ratio * ratio : squares + other.squares * ratio * ratio;
		largest = larger;
	}
	__device__ T value() const
	{
		return largest == 0 ? 0 : largest * sqrt(squares);
	}
};

// Index, from 1, of the largest (or smallest) magnitude; the first of equal ones.
template <typename T, bool LARGEST> struct extreme_state {
	typedef int result;
	T magnitude;
	int index;
	__device__ static extreme_state none()
	{
		return {0, 0};
	}
	__device__ void take(T x, T, int i)
	{
		merge({fabs(x), i + 1});
	}
	__device__ void merge(const extreme_state &other)
	{
		bool beyond = LARGEST ? other.magnitude > magnitude : other.magnitude < magnitude;
		bool before = other.magnitude == magnitude && other.index < index;
		if (other.index && (!index || beyond || before))
			*this = other;
	}
	__device__ int value() const
	{
		return index;
	}
};

// The state S, whose value is rounded to type T.
template <typename S, typename T> struct rounded : S {
	typedef T result;
	__device__ static rounded none()
	{
		return {S::none()};
	}
	__device__ T value() const
	{
		return (T)S::value();
	}
};

// Reduces the states of a block. The first thread returns the block's state.
template <typename S> __device__ S reduce_block(S own)
{
	__shared__ S states[THREADS];
	states[threadIdx.x] = own;
	__syncthreads();
	for (int half = THREADS / 2; half; half /= 2) {
		if (threadIdx.x < half)
			states[threadIdx.x].merge(states[threadIdx.x + half]);
		__syncthreads();
	}
	return states[0];
}

template <typename S, typename T> __global__ void cublas_reduce(int n, const T *x, int incx, const T *y, int incy, S *parts)
{
	S state = S::none();
	x = first(x, n, incx);
	y = first(y, n, incy);
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		state.take(x[(long long)i * incx], y[(long long)i * incy], i);
	state = reduce_block(state);
	if (threadIdx.x == 0)
		parts[blockIdx.x] = state;
}

template <typename S> __global__ void cublas_reduce_parts(int count, const S *parts, typename S::result *result)
{
	S state = threadIdx.x < count ? parts[threadIdx.x] : S::none();
	state = reduce_block(state);
	if (threadIdx.x == 0)
		*result = state.value();
}

template <typename S, typename T>
static cublasStatus_t reduce(cublasHandle_t handle, int n, const T *x, int incx, const T *y, int incy, typename S::result *result)
{
	static_assert(MAX_BLOCKS <= THREADS && MAX_BLOCKS * sizeof(S) + sizeof(T) <= SCRATCH_BYTES, "scratch");
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (!result)
		return CUBLAS_STATUS_INVALID_VALUE;
	bool on_host = handle->pointers == CUBLAS_POINTER_MODE_HOST;
	S *parts = (S *)handle->scratch;
	auto *target = on_host ? (typename S::result *)(parts + MAX_BLOCKS) : result;
	unsigned blocks = n > 0 ? blocks_for(n, THREADS, MAX_BLOCKS) : 0;
	if (blocks)
		cublas_reduce<<<blocks, THREADS, 0, handle->stream>>>(n, x, incx, y, incy, parts);
	cublas_reduce_parts<<<1, THREADS, 0, handle->stream>>>(blocks, parts, target);
	if (launched() != CUBLAS_STATUS_SUCCESS || !on_host)
		return launched();
	bool copied = cudaMemcpyAsync(result, target, sizeof *result, cudaMemcpyDeviceToHost, handle->stream) == cudaSuccess &&
	              cudaStreamSynchronize(handle->stream) == cudaSuccess;
	return copied ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

// Reduces one vector x. An increment of 0 or less makes it empty.
template <typename S, typename T>
static cublasStatus_t reduce_one(cublasHandle_t handle, int n, const T *x, int incx, typename S::result *result)
{
	return reduce<S>(handle, incx > 0 ? n : 0, x, incx, x, incx, result);
}

#define NEEDS(condition)                                                                                               \
	if (!handle)                                                                                                   \
		return CUBLAS_STATUS_NOT_INITIALIZED;                                                                  \
	if (!(condition))                                                                                              \
	return CUBLAS_STATUS_INVALID_VALUE

#define OF_TYPE(T, t, i)                                                                                               \
	extern "C" cublasStatus_t cublasI##i##amax_v2(cublasHandle_t handle, int n, const T *x, int incx, int *result) \
	{                                                                                                              \
		return reduce_one<extreme_state<T, true>>(handle, n, x, incx, result);                                 \
	}                                                                                                              \
	extern "C" cublasStatus_t cublasI##i##amin_v2(cublasHandle_t handle, int n, const T *x, int incx, int *result) \
	{                                                                                                              \
		return reduce_one<extreme_state<T, false>>(handle, n, x, incx, result);                                \
	}                                                                                                              \
	extern "C" cublasStatus_t cublas##t##asum_v2(cublasHandle_t handle, int n, const T *x, int incx, T *result)    \
	{                                                                                                              \
		return reduce_one<asum_state<T>>(handle, n, x, incx, result);                                          \
	}                                                                                                              \
	extern "C" cublasStatus_t cublas##t##nrm2_v2(cublasHandle_t handle, int n, const T *x, int incx, T *result)    \
	{                                                                                                              \
		return reduce_one<nrm2_state<T>>(handle, n, x, incx, result);                                          \
	}                                                                                                              \
	extern "C" cublasStatus_t cublas##t##dot_v2(cublasHandle_t handle, int n, const T *x, int incx, const T *y,    \
	                                            int incy, T *result)                                               \
	{                                                                                                              \
		return reduce<dot_state<T>>(handle, n, x, incx, y, incy, result);                                      \
	}                                                                                                              \
	extern "C" cublasStatus_t cublas##t##axpy_v2(cublasHandle_t handle, int n, const T *alpha, const T *x,         \
	                                             int incx, T *y, int incy)                                         \
	{                                                                                                              \
		NEEDS(alpha);                                                                                          \
		return each(handle, n, x, incx, (const T *)y, incy, axpy<T>{scalar_of(handle, alpha)});                \
	}                                                                                                              \
	extern "C" cublasStatus_t cublas##t##scal_v2(cublasHandle_t handle, int n, const T *alpha, T *x, int incx)     \
	{                                                                                                              \
		NEEDS(alpha);                                                                                          \
		return each(handle, incx > 0 ? n : 0, (const T *)x, incx, (const T *)x, incx,                          \
		            scale<T>{scalar_of(handle, alpha)});                                                       \
	}                                                                                                              \
	extern "C" cublasStatus_t cublas##t##copy_v2(cublasHandle_t handle, int n, const T *x, int incx, T *y,         \
	                                             int incy)                                                         \
	{                                                                                                              \
		NEEDS(true);                                                                                           \
		return each(handle, n, x, incx, (const T *)y, incy, copy<T>());                                        \
	}                                                                                                              \
	extern "C" cublasStatus_t cublas##t##swap_v2(cublasHandle_t handle, int n, T *x, int incx, T *y, int incy)     \
	{                                                                                                              \
		NEEDS(true);                                                                                           \
		return each(handle, n, (const T *)x, incx, (const T *)y, incy, exchange<T>());                         \
	}                                                                                                              \
	extern "C" cublasStatus_t cublas##t##rot_v2(cublasHandle_t handle, int n, T *x, int incx, T *y, int incy,      \
	                                            const T *c, const T *s)                                            \
	{                                                                                                              \
		NEEDS(c && s);                                                                                         \
		return each(handle, n, (const T *)x, incx, (const T *)y, incy,                                         \
		            rotate<T>{scalar_of(handle, c), scalar_of(handle, s)});                                    \
	}
OF_TYPE(float, S, s)
OF_TYPE(double, D, d)

// Functions with types as arguments. All vectors have one type; half and bfloat16 elements are computed in float.
template <typename T, typename A> struct types {
	typedef T element;
	typedef A arithmetic;
};

template <typename F> static cublasStatus_t by_type(cudaDataType type, cudaDataType executed, F f)
{
	if (type == CUDA_R_64F && executed == CUDA_R_64F)
		return f(types<double, double>());
	if (executed != CUDA_R_32F)
		return CUBLAS_STATUS_NOT_SUPPORTED;
	switch (type) {
	case CUDA_R_32F:
		return f(types<float, float>());
	case CUDA_R_16F:
		return f(types<__half, float>());
	case CUDA_R_16BF:
		return f(types<__nv_bfloat16, float>());
	default:
		return CUBLAS_STATUS_NOT_SUPPORTED;
	}
}

extern "C" cublasStatus_t cublasDotEx(cublasHandle_t handle, int n, const void *x, cudaDataType type_x, int incx, const void *y,
                                      cudaDataType type_y, int incy, void *result, cudaDataType type, cudaDataType executed)
{
	NEEDS(result);
	if (type_x != type_y || type_x != type)
		return CUBLAS_STATUS_NOT_SUPPORTED;
	return by_type(type, executed, [&](auto t) {
		typedef typename decltype(t)::element T;
		typedef rounded<dot_state<typename decltype(t)::arithmetic>, T> state;
		return reduce<state>(handle, n, (const T *)x, incx, (const T *)y, incy, (T *)result);
	});
}

extern "C" cublasStatus_t cublasDotcEx(cublasHandle_t handle, int n, const void *x, cudaDataType type_x, int incx, const void *y,
                                       cudaDataType type_y, int incy, void *result, cudaDataType type, cudaDataType executed)
{
	return cublasDotEx(handle, n, x, type_x, incx, y, type_y, incy, result, type, executed);
}

extern "C" cublasStatus_t cublasNrm2Ex(cublasHandle_t handle, int n, const void *x, cudaDataType type_x, int incx, void *result,
                                       cudaDataType type, cudaDataType executed)
{
	NEEDS(result);
	if (type_x != type)
		return CUBLAS_STATUS_NOT_SUPPORTED;
	return by_type(type, executed, [&](auto t) {
		typedef typename decltype(t)::element T;
		typedef rounded<nrm2_state<typename decltype(t)::arithmetic>, T> state;
		return reduce_one<state>(handle, n, (const T *)x, incx, (T *)result);
	});
}

extern "C" cublasStatus_t cublasAxpyEx(cublasHandle_t handle, int n, const void *alpha, cudaDataType type_alpha, const void *x,
                                       cudaDataType type_x, int incx, void *y, cudaDataType type_y, int incy, cudaDataType executed)
{
	NEEDS(alpha);
	if (type_x != type_y || type_alpha != executed)
		return CUBLAS_STATUS_NOT_SUPPORTED;
	return by_type(type_x, executed, [&](auto t) {
		typedef typename decltype(t)::element T;
		typedef typename decltype(t)::arithmetic A;
		axpy<T, A> f = {scalar_of(handle, (const A *)alpha)};
		return each(handle, n, (const T *)x, incx, (const T *)y, incy, f);
	});
}

extern "C" cublasStatus_t cublasScalEx(cublasHandle_t handle, int n, const void *alpha, cudaDataType type_alpha, void *x,
                                       cudaDataType type_x, int incx, cudaDataType executed)
{
	NEEDS(alpha);
	if (type_alpha != executed)
		return CUBLAS_STATUS_NOT_SUPPORTED;
	return by_type(type_x, executed, [&](auto t) {
		typedef typename decltype(t)::element T;
		typedef typename decltype(t)::arithmetic A;
		scale<T, A> f = {scalar_of(handle, (const A *)alpha)};
		return each(handle, incx > 0 ? n : 0, (const T *)x, incx, (const T *)x, incx, f);
	});
}
