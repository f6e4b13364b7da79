// cuSPARSE: operations with sparse vectors.
#include "numbers.h"

using namespace cusparse;

// Calls f for each entry of x with its value and the number of y at its index.
template <typename T, typename F>
__global__ void cusparse_each(int64_t nnz, const typename T::index *indices, int base, typename T::in *x,
                              typename T::in *y, F f)
{
	for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < nnz; i += (int64_t)gridDim.x * blockDim.x)
		f(x[i], y[indices[i] - base]);
}

struct gather {
	template <typename N> __device__ void operator()(N &x, N &y) const
	{
		x = y;
	}
};

struct scatter {
	template <typename N> __device__ void operator()(N &x, N &y) const
	{
		y = x;
	}
};

template <typename S> struct add {
	scalar<S> alpha;
	template <typename N> __device__ void operator()(N &x, N &y) const
	{
		y = to<N>(to<S>(y) + alpha.value() * to<S>(x));
	}
};

template <typename S> struct rotate {
	scalar<S> c, s;
	template <typename N> __device__ void operator()(N &x, N &y) const
	{
		S old = to<S>(x);
		x = to<N>(c.value() * old + s.value() * to<S>(y));
		y = to<N>(c.value() * to<S>(y) - s.value() * old);
	}
};

template <typename S, typename N> __global__ void cusparse_scale_vector(int64_t n, scalar<S> beta, N *y)
{
	S by = beta.value();
	for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x)
		y[i] = to<N>(is_zero(by) ? S() : by * to<S>(y[i]));
}

// The sum of a block's numbers, in its first thread.
template <typename S> __device__ S sum_of_block(S own)
{
	__shared__ S sums[THREADS / WARP];
	own = sum_of_lanes(own, 5);
	if (threadIdx.x % WARP == 0)
		sums[threadIdx.x / WARP] = own;
	__syncthreads();
	S total = {};
	for (int i = 0; i < THREADS / WARP; i++)
		total = total + sums[i];
	return total;
}

template <typename T>
__global__ void cusparse_dot(int64_t nnz, const typename T::index *indices, int base, bool conjugate,
                             const typename T::in *x, const typename T::in *y, typename T::sum *parts)
{
	typedef typename T::sum sum;
	sum own = {};
	for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < nnz; i += (int64_t)gridDim.x * blockDim.x)
		own = own + conjugated(to<sum>(x[i]), conjugate) * to<sum>(y[indices[i] - base]);
	own = sum_of_block(own);
	if (threadIdx.x == 0)
		parts[blockIdx.x] = own;
}

template <typename S> __global__ void cusparse_dot_parts(int count, const S *parts, S *result)
{
	S total = sum_of_block(threadIdx.x < count ? parts[threadIdx.x] : S());
	if (threadIdx.x == 0)
		*result = total;
}

// The type of sums for numbers of a type.
static cudaDataType sums_of(cudaDataType type)
{
	return size_of(type) == 2 ? CUDA_R_32F : type;
}

static cusparseStatus_t check(cusparseHandle_t handle, cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y)
{
	if (!handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	return x && y && x->size == y->size && x->type == y->type ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INVALID_VALUE;
}

// Calls make(types) for the function on entries, after y was scaled if there is a beta.
template <typename F>
static cusparseStatus_t each(const char *name, cusparseHandle_t handle, cusparseConstSpVecDescr_t x,
                             cusparseConstDnVecDescr_t y, const void *beta, F make)
{
	if (cusparseStatus_t wrong = check(handle, x, y))
		return wrong;
	return with_types(name, x->type, y->type, sums_of(x->type), x->index_type, [&](auto t) {
		typedef decltype(t) T;
		typedef typename T::in in;
		typedef typename T::sum sum;
		if (beta && y->size)
			cusparse_scale_vector<sum, in><<<blocks_for(y->size, THREADS), THREADS, 0, handle->stream>>>(
				y->size, scalar_of<sum>(handle, beta), (in *)y->values);
		if (x->nnz)
			cusparse_each<T><<<blocks_for(x->nnz, THREADS), THREADS, 0, handle->stream>>>(
				x->nnz, (const typename T::index *)x->indices, x->base, (in *)x->values, (in *)y->values,
				make(sum()));
		return launched();
	});
}

extern "C" cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t y, cusparseSpVecDescr_t x)
{
	return each("cusparseGather", handle, x, y, nullptr, [](auto) { return gather(); });
}

extern "C" cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t x, cusparseDnVecDescr_t y)
{
	return each("cusparseScatter", handle, x, y, nullptr, [](auto) { return scatter(); });
}

extern "C" cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void *alpha, cusparseConstSpVecDescr_t x,
                                          const void *beta, cusparseDnVecDescr_t y)
{
	if (handle && (!alpha || !beta))
		return CUSPARSE_STATUS_INVALID_VALUE;
	return each("cusparseAxpby", handle, x, y, beta, [&](auto one) {
		return add<decltype(one)>{scalar_of<decltype(one)>(handle, alpha)};
	});
}

extern "C" cusparseStatus_t cusparseRot(cusparseHandle_t handle, const void *c, const void *s, cusparseSpVecDescr_t x,
                                        cusparseDnVecDescr_t y)
{
	if (handle && (!c || !s))
		return CUSPARSE_STATUS_INVALID_VALUE;
	return each("cusparseRot", handle, x, y, nullptr, [&](auto one) {
		return rotate<decltype(one)>{scalar_of<decltype(one)>(handle, c), scalar_of<decltype(one)>(handle, s)};
	});
}

extern "C" cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op,
                                                    cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y,
                                                    const void *result, cudaDataType compute, size_t *bytes)
{
	if (cusparseStatus_t wrong = check(handle, x, y))
		return wrong;
	if (!is_operation(op) || !result || !bytes)
		return CUSPARSE_STATUS_INVALID_VALUE;
	return with_types("cusparseSpVV_bufferSize", x->type, y->type, compute, x->index_type, [&](auto) {
		*bytes = 0;
		return CUSPARSE_STATUS_SUCCESS;
	});
}

extern "C" cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t op, cusparseConstSpVecDescr_t x,
                                         cusparseConstDnVecDescr_t y, void *result, cudaDataType compute, void *)
{
	if (cusparseStatus_t wrong = check(handle, x, y))
		return wrong;
	if (!is_operation(op) || !result)
		return CUSPARSE_STATUS_INVALID_VALUE;
	return with_types("cusparseSpVV", x->type, y->type, compute, x->index_type, [&](auto t) {
		typedef decltype(t) T;
		typedef typename T::sum sum;
		bool on_host = handle->pointers == CUSPARSE_POINTER_MODE_HOST;
		bool conjugate = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
		sum *parts = (sum *)handle->scratch, *into = on_host ? parts : (sum *)result;
		unsigned blocks = x->nnz ? (unsigned)min((int64_t)MAX_BLOCKS, up(x->nnz, THREADS)) : 0;
		if (blocks)
			cusparse_dot<T><<<blocks, THREADS, 0, handle->stream>>>(
				x->nnz, (const typename T::index *)x->indices, x->base, conjugate,
				(const typename T::in *)x->values, (const typename T::in *)y->values, parts);
		cusparse_dot_parts<sum><<<1, THREADS, 0, handle->stream>>>(blocks, parts, into);
		if (launched() != CUSPARSE_STATUS_SUCCESS || !on_host)
			return launched();
		bool copied = cudaMemcpyAsync(result, into, sizeof(sum), cudaMemcpyDeviceToHost, handle->stream) == cudaSuccess &&
		              cudaStreamSynchronize(handle->stream) == cudaSuccess;
		return copied ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_EXECUTION_FAILED;
	});
}
