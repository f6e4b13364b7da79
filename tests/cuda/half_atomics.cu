// Protects atomicAdd, _block and _system of f16, bf16 and pairs: sums and old values in global, shared and generic
// memory. One address, and an odd number of them up to the allocation's last byte; adjacent bytes stay unchanged.
// half_atomics_sm_60.cu and _sm_86.cu: on other architectures.
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

enum { COUNT = 33, BLOCKS = 4, THREADS = 64 };

static int failures;

static void check(bool fine, const char *what, int line)
{
	if (fine)
		return;
	printf("line %d: %s\n", line, what);
	failures++;
}
#define CHECK(condition) check(condition, #condition, __LINE__)

template <class T> __device__ T one();
template <> __device__ __half one() { return __float2half(1); }
template <> __device__ __nv_bfloat16 one() { return __float2bfloat16(1); }
template <> __device__ __half2 one() { return __floats2half2_rn(1, 2); }
template <> __device__ __nv_bfloat162 one() { return __floats2bfloat162_rn(1, 2); }

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
#define SCOPES
#endif

template <class T> __device__ T add(T *address, int how)
{
#ifdef SCOPES
	if (how == 1)
		return atomicAdd_block(address, one<T>());
	if (how == 2)
		return atomicAdd_system(address, one<T>());
#endif
	return atomicAdd(address, one<T>());
}

template <class T> __device__ T nothing()
{
	T value;
	memset(&value, 0, sizeof value);
	return value;
}

template <class T> __global__ void spread(T *to, int how) { add(&to[threadIdx.x], how); }
template <class T> __global__ void meet(T *to) { add(to, 0); }
// The block's only shared variable, and a generic address.
template <class T> __global__ void shared(T *to, T *old, bool elsewhere)
{
	__shared__ T sum;
	if (threadIdx.x == 0)
		sum = nothing<T>();
	__syncthreads();
	old[threadIdx.x] = add(elsewhere ? to : &sum, 1);
	__syncthreads();
	if (threadIdx.x == 0 && !elsewhere)
		*to = sum;
}

template <class T> static double first(T value);
template <> double first(__half value) { return __half2float(value); }
template <> double first(__nv_bfloat16 value) { return __bfloat162float(value); }
template <> double first(__half2 value) { return __half2float(value.x) + 10000.0 * __half2float(value.y); }
template <> double first(__nv_bfloat162 value) { return __bfloat162float(value.x) + 10000.0 * __bfloat162float(value.y); }

// The expected sum of `count` additions.
template <class T> static double sum(double count) { return sizeof(T) == 2 ? count : count + 10000.0 * 2 * count; }

template <class T> static T read(const T *from)
{
	T value;
	CHECK(cudaMemcpy(&value, from, sizeof value, cudaMemcpyDeviceToHost) == cudaSuccess);
	return value;
}

template <class T> static void test()
{
	T *numbers, *single, *old, host[THREADS];
	cudaMalloc(&numbers, COUNT * sizeof(T));
	cudaMalloc(&single, sizeof(T));
	cudaMalloc(&old, THREADS * sizeof(T));
	cudaMemset(numbers, 0, COUNT * sizeof(T));
	for (int how = 0; how < 3; how++)
		spread<<<1, COUNT>>>(numbers, how);
	CHECK(cudaDeviceSynchronize() == cudaSuccess);
	for (int i = 0; i < COUNT; i++)
		CHECK(first(read(&numbers[i])) == sum<T>(3));
	cudaMemset(single, 0, sizeof(T));
	meet<<<BLOCKS, 32>>>(single);
	CHECK(first(read(single)) == sum<T>(BLOCKS * 32));
	for (int elsewhere = 0; elsewhere < 2; elsewhere++) {
		cudaMemset(single, 0, sizeof(T));
		shared<<<1, THREADS>>>(single, old, elsewhere);
		CHECK(first(read(single)) == sum<T>(THREADS));
		CHECK(cudaMemcpy(host, old, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess);
		double all = 0, expected = 0;
		for (int i = 0; i < THREADS; i++) {
			all += first(host[i]);
			expected += sum<T>(i);
		}
		CHECK(all == expected);
	}
}

int main()
{
#ifndef NO_SINGLE
	test<__half>();
	test<__nv_bfloat16>();
#endif
	test<__half2>();
	test<__nv_bfloat162>();
	return failures != 0;
}
