/* device_runtime: what device code has of the runtime: launches of kernels, streams and events for them, memory, errors.
 *
 * A launch `kernel<<<grid, block, shared, stream>>>(arguments)` in device code is compiled as
 * `::sluice::device_launch<decltype(&kernel), &kernel>(grid, block, shared, stream)(arguments)`: clang does not let device code name a kernel but
 * as a constant.
 */
#ifndef SLUICE_CUDA_DEVICE_RUNTIME_H
#define SLUICE_CUDA_DEVICE_RUNTIME_H

extern "C" {
__device__ void *cudaGetParameterBuffer(size_t alignment, size_t size);
__device__ cudaError_t cudaLaunchDevice(void *function, void *parameters, dim3 grid, dim3 block, unsigned int shared,
                                        cudaStream_t stream);
__device__ void *cudaGetParameterBufferV2(void *function, dim3 grid, dim3 block, unsigned int shared);
__device__ cudaError_t cudaLaunchDeviceV2(void *parameters, cudaStream_t stream);
/* Waits for what the block has launched. */
__device__ cudaError_t cudaDeviceSynchronize(void);
/* Of the block's launches. */
__device__ cudaError_t cudaGetLastError(void);
__device__ cudaError_t cudaPeekAtLastError(void);

/* All that a block launches runs in its order, so that streams and events have nothing to do. */
static inline __device__ cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
	(void)flags;
	*stream = (cudaStream_t)0x10;
	return cudaSuccess;
}
static inline __device__ cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
	(void)stream;
	return cudaSuccess;
}
static inline __device__ cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags = 0)
{
	(void)stream, (void)event, (void)flags;
	return cudaSuccess;
}
static inline __device__ cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
	(void)flags;
	*event = (cudaEvent_t)0x10;
	return cudaSuccess;
}
static inline __device__ cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = 0)
{
	(void)event, (void)stream;
	return cudaSuccess;
}
static inline __device__ cudaError_t cudaEventDestroy(cudaEvent_t event)
{
	(void)event;
	return cudaSuccess;
}

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

/* In functions of both sides: SLUICE_LAUNCH(kernel) grid, block SLUICE_LAUNCHED (arguments). */
#if defined(__CUDA_ARCH__)
#define SLUICE_LAUNCH(...) ::sluice::device_launch<decltype(&__VA_ARGS__), &__VA_ARGS__ >(
#define SLUICE_LAUNCHED    )
#else
#define SLUICE_LAUNCH(...) __VA_ARGS__<<<
#define SLUICE_LAUNCHED    >>>
#endif

namespace sluice
{
/* The arguments, each at its own alignment, as the kernel has them. */
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

template <class Function, Function function> struct device_launch;
template <class... Parameters, void (*function)(Parameters...)> struct device_launch<void (*)(Parameters...), function> {
	static constexpr void (*kernel)(Parameters...) = function;
	dim3 grid, block;
	unsigned int shared;
	cudaStream_t stream;

	__device__ device_launch(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0)
	    : grid(grid), block(block), shared((unsigned int)shared), stream(stream)
	{
	}
	__device__ void operator()(Parameters... arguments) const
	{
		char *buffer = (char *)cudaGetParameterBufferV2((void *)kernel, grid, block, shared);
		if (buffer)
			put_arguments(buffer, 0, arguments...);
		cudaLaunchDeviceV2(buffer, stream);
	}
};

/* Copies and fills by device code are grids of their own, as what is launched before and behind them. By the pointer's type, for programs
 * that have none to have no such kernels. */
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
