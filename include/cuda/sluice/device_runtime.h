/* device_runtime: the runtime API in device code: kernel launches with streams and events, memory, errors.
 *
 * In device code a launch `kernel<<<grid, block, shared, stream>>>(arguments)` is compiled as:
 *     SLUICE_DEVICE_LAUNCH(COUNT, kernel) grid, block, shared, stream SLUICE_DEVICE_LAUNCHED (arguments)
 * In functions for host and device the names lack DEVICE, and the launch stays unchanged for the host. clang lets
 * device code name a kernel only as a constant, and an overloaded one only in a class. COUNT, the number of arguments,
 * selects the overload.
 */
#ifndef SLUICE_CUDA_DEVICE_RUNTIME_H
#define SLUICE_CUDA_DEVICE_RUNTIME_H

#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define SLUICE_BY_STREAM(function) __asm__(#function "_ptsz")
#else
#define SLUICE_BY_STREAM(function)
#endif

extern "C" {
__device__ void *cudaGetParameterBuffer(size_t alignment, size_t size);
__device__ cudaError_t cudaLaunchDevice(void *function, void *parameters, dim3 grid, dim3 block, unsigned int shared,
                                        cudaStream_t stream) SLUICE_BY_STREAM(cudaLaunchDevice);
__device__ void *cudaGetParameterBufferV2(void *function, dim3 grid, dim3 block, unsigned int shared);
__device__ cudaError_t cudaLaunchDeviceV2(void *parameters, cudaStream_t stream) SLUICE_BY_STREAM(cudaLaunchDeviceV2);
/* Waits for the grids that the block has launched. */
__device__ cudaError_t cudaDeviceSynchronize(void);
/* The name by which libraries of CUDA 11.6 and later call it: nvcc warns of the other one in device code. */
static inline __device__ cudaError_t __cudaDeviceSynchronizeDeprecationAvoidance(void)
{
	return cudaDeviceSynchronize();
}
/* Returns the last error of the block's launches. */
__device__ cudaError_t cudaGetLastError(void);
__device__ cudaError_t cudaPeekAtLastError(void);

/* Streams and events order the grids of the block that created them. */
__device__ cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags);
__device__ cudaError_t cudaStreamDestroy(cudaStream_t stream);
__device__ cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags = 0)
	SLUICE_BY_STREAM(cudaStreamWaitEvent);
__device__ cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);
__device__ cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = 0) SLUICE_BY_STREAM(cudaEventRecord);
__device__ cudaError_t cudaEventDestroy(cudaEvent_t event);
#undef SLUICE_BY_STREAM

static inline __device__ cudaError_t cudaGetDevice(int *device)
{
	*device = 0;
	return cudaSuccess;
}
static inline __device__ cudaError_t cudaGetDeviceCount(int *count)
{
	*count = 1;
	return cudaSuccess;
}
static inline __device__ cudaError_t cudaMalloc(void **pointer, size_t size)
{
	*pointer = malloc(size);
	return *pointer || !size ? cudaSuccess : cudaErrorMemoryAllocation;
}
static inline __device__ cudaError_t cudaFree(void *pointer)
{
	free(pointer);
	return cudaSuccess;
}
static inline __device__ const char *cudaGetErrorName(cudaError_t error)
{
	switch (error) {
#define E(name, number, text)                                                                                          \
	case name:                                                                                                     \
		return #name;
#include "errors.def"
#undef E
	}
	return "unrecognized error code";
}
static inline __device__ const char *cudaGetErrorString(cudaError_t error)
{
	switch (error) {
#define E(name, number, text)                                                                                          \
	case name:                                                                                                     \
		return text;
#include "errors.def"
#undef E
	}
	return "unrecognized error code";
}
}

template <class T> static inline __device__ cudaError_t cudaMalloc(T **pointer, size_t size)
{
	return cudaMalloc((void **)(void *)pointer, size);
}

#if defined(SLUICE_ANALYZED)
/* `sluice analyze` only sees that the launch uses these values. */
namespace sluice
{
struct any_launch {
	template <class... Shape> __device__ any_launch(Shape...);
	template <class... Arguments> __device__ void operator()(Arguments...) const;
};
} // namespace sluice
#define SLUICE_DEVICE_LAUNCH(count, ...) ::sluice::any_launch(
#define SLUICE_DEVICE_LAUNCHED           )
#else
#define SLUICE_DEVICE_LAUNCH(count, ...)                                                                               \
	({                                                                                                             \
		struct sluice_launched {                                                                               \
			typedef ::sluice::device_launch<                                                               \
				decltype(::sluice::with_parameters<count>::kernel(&__VA_ARGS__)), &__VA_ARGS__ >       \
				launch;                                                                                \
		};                                                                                                     \
		typename sluice_launched::launch(
#define SLUICE_DEVICE_LAUNCHED                                                                                         \
		);                                                                                                     \
	})
#endif
#if defined(__CUDA_ARCH__)
#define SLUICE_LAUNCH   SLUICE_DEVICE_LAUNCH
#define SLUICE_LAUNCHED SLUICE_DEVICE_LAUNCHED
#else
#define SLUICE_LAUNCH(count, ...) __VA_ARGS__<<<
#define SLUICE_LAUNCHED           >>>
#endif

namespace sluice
{
/* Writes the arguments, each with its own alignment, in the kernel's parameter layout. */
static inline __device__ void put_arguments(char *, size_t)
{
}
template <class T, class... Others>
static inline __device__ void put_arguments(char *buffer, size_t at, const T &first, const Others &...others)
{
	at = (at + alignof(T) - 1) / alignof(T) * alignof(T);
	__builtin_memcpy(buffer + at, &first, sizeof(T));
	put_arguments(buffer, at + sizeof(T), others...);
}

/* Finds the type of a kernel: the only one of its name, or the one with `count` parameters. An overload set is resolved
 * by a function type that fits one member, so the parameters of each count are spelled out. With 17 or more parameters
 * the name must be unique. */
template <int count> struct with_parameters {
	template <class Kernel> static __host__ __device__ Kernel kernel(Kernel);
};
#define SLUICE_TYPE(i)  class P##i
#define SLUICE_NAME(i)  P##i
#define SLUICE_TO_1(X)  X(1)
#define SLUICE_TO_2(X)  SLUICE_TO_1(X), X(2)
#define SLUICE_TO_3(X)  SLUICE_TO_2(X), X(3)
#define SLUICE_TO_4(X)  SLUICE_TO_3(X), X(4)
#define SLUICE_TO_5(X)  SLUICE_TO_4(X), X(5)
#define SLUICE_TO_6(X)  SLUICE_TO_5(X), X(6)
#define SLUICE_TO_7(X)  SLUICE_TO_6(X), X(7)
#define SLUICE_TO_8(X)  SLUICE_TO_7(X), X(8)
#define SLUICE_TO_9(X)  SLUICE_TO_8(X), X(9)
#define SLUICE_TO_10(X) SLUICE_TO_9(X), X(10)
#define SLUICE_TO_11(X) SLUICE_TO_10(X), X(11)
#define SLUICE_TO_12(X) SLUICE_TO_11(X), X(12)
#define SLUICE_TO_13(X) SLUICE_TO_12(X), X(13)
#define SLUICE_TO_14(X) SLUICE_TO_13(X), X(14)
#define SLUICE_TO_15(X) SLUICE_TO_14(X), X(15)
#define SLUICE_TO_16(X) SLUICE_TO_15(X), X(16)
#define SLUICE_COUNT(n)                                                                                                \
	template <> struct with_parameters<n> {                                                                        \
		template <class Kernel> static __host__ __device__ Kernel kernel(Kernel);                              \
		template <SLUICE_TO_##n(SLUICE_TYPE)>                                                                  \
		static __host__ __device__ auto kernel(void (*function)(SLUICE_TO_##n(SLUICE_NAME)))                   \
			-> decltype(function);                                                                         \
	};
SLUICE_COUNT(1) SLUICE_COUNT(2) SLUICE_COUNT(3) SLUICE_COUNT(4) SLUICE_COUNT(5) SLUICE_COUNT(6) SLUICE_COUNT(7) SLUICE_COUNT(8)
SLUICE_COUNT(9) SLUICE_COUNT(10) SLUICE_COUNT(11) SLUICE_COUNT(12) SLUICE_COUNT(13) SLUICE_COUNT(14) SLUICE_COUNT(15) SLUICE_COUNT(16)
template <> struct with_parameters<0> {
	template <class Kernel> static __host__ __device__ Kernel kernel(Kernel);
	static __host__ __device__ auto kernel(void (*function)()) -> decltype(function);
};
#undef SLUICE_COUNT
#undef SLUICE_TYPE
#undef SLUICE_NAME
#undef SLUICE_TO_1
#undef SLUICE_TO_2
#undef SLUICE_TO_3
#undef SLUICE_TO_4
#undef SLUICE_TO_5
#undef SLUICE_TO_6
#undef SLUICE_TO_7
#undef SLUICE_TO_8
#undef SLUICE_TO_9
#undef SLUICE_TO_10
#undef SLUICE_TO_11
#undef SLUICE_TO_12
#undef SLUICE_TO_13
#undef SLUICE_TO_14
#undef SLUICE_TO_15
#undef SLUICE_TO_16

/* sluice cc counts braces without the preprocessor, so it can take a host function for device code. Therefore a launch
 * in host code works too. */
template <class Function, Function function> struct device_launch;
template <class... Parameters, void (*function)(Parameters...)> struct device_launch<void (*)(Parameters...), function> {
	static constexpr void (*kernel)(Parameters...) = function;
	dim3 grid, block;
	unsigned int shared;
	cudaStream_t stream;

	__host__ __device__ device_launch(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0)
	    : grid(grid), block(block), shared((unsigned int)shared), stream(stream)
	{
	}
	__host__ __device__ void operator()(Parameters... arguments) const
	{
#if defined(__CUDA_ARCH__)
		char *buffer = (char *)cudaGetParameterBufferV2((void *)kernel, grid, block, shared);
		if (buffer)
			put_arguments(buffer, 0, arguments...);
		cudaLaunchDeviceV2(buffer, stream);
#else
		function<<<grid, block, shared, stream>>>(arguments...);
#endif
	}
};

/* Copies and fills in device code are separate grids, so that they run in order with other launches. They are templates
 * of the pointer's type, so that only programs that use them contain these kernels. */
template <class> __global__ void copy_bytes(char *to, const char *from, size_t size)
{
	for (size_t i = threadIdx.x; i < size; i += blockDim.x)
		to[i] = from[i];
}
template <class> __global__ void fill_bytes(char *to, int value, size_t size)
{
	for (size_t i = threadIdx.x; i < size; i += blockDim.x)
		to[i] = (char)value;
}
} // namespace sluice

template <class To, class From>
static inline __device__ cudaError_t cudaMemcpyAsync(To *to, const From *from, size_t size, cudaMemcpyKind kind,
                                                     cudaStream_t stream = 0)
{
	if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	sluice::device_launch<decltype(&sluice::copy_bytes<To>), &sluice::copy_bytes<To> >(1, 256, 0, stream)(
		(char *)to, (const char *)from, size);
	return cudaSuccess;
}
template <class To>
static inline __device__ cudaError_t cudaMemsetAsync(To *to, int value, size_t size, cudaStream_t stream = 0)
{
	sluice::device_launch<decltype(&sluice::fill_bytes<To>), &sluice::fill_bytes<To> >(1, 256, 0, stream)(
		(char *)to, value, size);
	return cudaSuccess;
}


#endif
