/* runtime_templates: the C++ forms of runtime calls, which take typed pointers, symbols and kernels. */
#ifndef SLUICE_CUDA_RUNTIME_TEMPLATES_H
#define SLUICE_CUDA_RUNTIME_TEMPLATES_H

#include "../cuda_runtime_api.h"

template <class T> static inline __host__ cudaError_t cudaMalloc(T **pointer, size_t size)
{
	return ::cudaMalloc((void **)(void *)pointer, size);
}
template <class T> static inline __host__ cudaError_t cudaMallocHost(T **pointer, size_t size, unsigned int = 0)
{
	return ::cudaMallocHost((void **)(void *)pointer, size);
}
template <class T> static inline __host__ cudaError_t cudaHostAlloc(T **pointer, size_t size, unsigned int flags)
{
	return ::cudaHostAlloc((void **)(void *)pointer, size, flags);
}
template <class T>
static inline __host__ cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned int flags)
{
	return ::cudaHostGetDevicePointer((void **)(void *)device, host, flags);
}
template <class T>
static inline __host__ cudaError_t cudaMallocManaged(T **pointer, size_t size, unsigned int flags = cudaMemAttachGlobal)
{
	return ::cudaMallocManaged((void **)(void *)pointer, size, flags);
}
template <class T>
static inline __host__ cudaError_t cudaMallocAsync(T **pointer, size_t size, cudaStream_t stream)
{
	return ::cudaMallocAsync((void **)(void *)pointer, size, stream);
}
template <class T>
static inline __host__ cudaError_t cudaMallocFromPoolAsync(T **pointer, size_t size, cudaMemPool_t pool,
                                                           cudaStream_t stream)
{
	return ::cudaMallocFromPoolAsync((void **)(void *)pointer, size, pool, stream);
}
template <class T>
static inline __host__ cudaError_t cudaMallocAsync(T **pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream)
{
	return ::cudaMallocFromPoolAsync((void **)(void *)pointer, size, pool, stream);
}
template <class T>
static inline __host__ cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height)
{
	return ::cudaMallocPitch((void **)(void *)pointer, pitch, width, height);
}
static inline __host__ cudaError_t cudaMallocHost(void **pointer, size_t size, unsigned int flags)
{
	return ::cudaHostAlloc(pointer, size, flags);
}
static inline __host__ cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags)
{
	return ::cudaEventCreateWithFlags(event, flags);
}

/* Symbols: a device variable or (in old programs) its name, which the C functions accept as it is. */
template <class T>
static inline __host__ cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t size, size_t offset = 0,
                                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
	return ::cudaMemcpyToSymbol((const void *)&symbol, from, size, offset, kind);
}
template <class T>
static inline __host__ cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t size, size_t offset = 0,
                                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
	return ::cudaMemcpyFromSymbol(to, (const void *)&symbol, size, offset, kind);
}
template <class T>
static inline __host__ cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t size,
                                                           size_t offset = 0,
                                                           cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                                           cudaStream_t stream = 0)
{
	return ::cudaMemcpyToSymbolAsync((const void *)&symbol, from, size, offset, kind, stream);
}
template <class T>
static inline __host__ cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t size, size_t offset = 0,
                                                             cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                                             cudaStream_t stream = 0)
{
	return ::cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, size, offset, kind, stream);
}
template <class T> static inline __host__ cudaError_t cudaGetSymbolAddress(void **pointer, const T &symbol)
{
	return ::cudaGetSymbolAddress(pointer, (const void *)&symbol);
}
template <class T> static inline __host__ cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol)
{
	return ::cudaGetSymbolSize(size, (const void *)&symbol);
}

template <class T>
static inline __host__ cudaError_t cudaLaunchKernel(T *function, dim3 grid, dim3 block, void **arguments,
                                                    size_t shared = 0, cudaStream_t stream = 0)
{
	return ::cudaLaunchKernel((const void *)function, grid, block, arguments, shared, stream);
}
template <class T>
static inline __host__ cudaError_t cudaLaunchCooperativeKernel(T *function, dim3 grid, dim3 block,
                                                               void **arguments, size_t shared = 0,
                                                               cudaStream_t stream = 0)
{
	return ::cudaLaunchCooperativeKernel((const void *)function, grid, block, arguments, shared, stream);
}
template <class T> static inline __host__ cudaError_t cudaFuncSetCacheConfig(T *function, cudaFuncCache config)
{
	return ::cudaFuncSetCacheConfig((const void *)function, config);
}
template <class T>
static inline __host__ cudaError_t cudaFuncSetSharedMemConfig(T *function, cudaSharedMemConfig config)
{
	return ::cudaFuncSetSharedMemConfig((const void *)function, config);
}
#if __SLUICE_CUDA__ < 13
/* The forms of CUDA 13, distinguished by their arguments. */
static inline __host__ cudaError_t cudaMemAdvise(const void *pointer, size_t size, cudaMemoryAdvise advice,
                                                 cudaMemLocation location)
{
	return ::cudaMemAdvise_v2(pointer, size, advice, location);
}
static inline __host__ cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t size, cudaMemLocation location,
                                                        unsigned int flags, cudaStream_t stream = 0)
{
	return ::cudaMemPrefetchAsync_v2(pointer, size, location, flags, stream);
}
#endif
template <class T> static inline __host__ cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *function)
{
	return ::cudaFuncGetAttributes(attributes, (const void *)function);
}
template <class T>
static inline __host__ cudaError_t cudaFuncSetAttribute(T *function, cudaFuncAttribute attribute, int value)
{
	return ::cudaFuncSetAttribute((const void *)function, attribute, value);
}
template <class T>
static inline __host__ cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T function,
                                                                                 int block_threads,
                                                                                 size_t dynamic_shared)
{
	return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)function, block_threads,
	                                                       dynamic_shared);
}
template <class T>
static inline __host__ cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T function,
                                                                                          int block_threads,
                                                                                          size_t dynamic_shared,
                                                                                          unsigned int flags)
{
	return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)function, block_threads,
	                                                                dynamic_shared, flags);
}

/* Finds the block size with the most resident threads, among multiples of the warp size. `shared_of` returns the
 * dynamic shared memory of a block of a given size. */
template <class Shared, class T>
static inline __host__ cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *min_grid, int *block_threads,
                                                                                  T function, Shared shared_of,
                                                                                  int limit = 0)
{
	int device, sm_count, warp;
	cudaFuncAttributes attributes;
	cudaError_t error = cudaGetDevice(&device);
	if (error == cudaSuccess)
		error = cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device);
	if (error == cudaSuccess)
		error = cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
	if (error == cudaSuccess)
		error = ::cudaFuncGetAttributes(&attributes, (const void *)function);
	if (error != cudaSuccess)
		return error;
	int largest = attributes.maxThreadsPerBlock;
	if (limit > 0 && limit < largest)
		largest = limit;
	int best = 0;
	*min_grid = *block_threads = 0;
	for (int threads = largest; threads > 0; threads = (threads - 1) / warp * warp) {
		int blocks;
		error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)function, threads,
		                                                        shared_of(threads));
		if (error != cudaSuccess)
			return error;
		if (blocks * threads > best) {
			best = blocks * threads;
			*block_threads = threads;
			*min_grid = blocks * sm_count;
		}
	}
	return cudaSuccess;
}

namespace sluice
{
struct constant_shared {
	size_t bytes;
	__host__ size_t operator()(int) const
	{
		return bytes;
	}
};
} // namespace sluice

template <class T>
static inline __host__ cudaError_t cudaOccupancyMaxPotentialBlockSize(int *min_grid, int *block_threads, T function,
                                                                      size_t dynamic_shared = 0, int limit = 0)
{
	sluice::constant_shared shared = {dynamic_shared};
	return cudaOccupancyMaxPotentialBlockSizeVariableSMem(min_grid, block_threads, function, shared, limit);
}

template <class T>
static inline __host__ cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *min_grid, int *block_threads,
                                                                               T function, size_t dynamic_shared = 0,
                                                                               int limit = 0, unsigned int = 0)
{
	return cudaOccupancyMaxPotentialBlockSize(min_grid, block_threads, function, dynamic_shared, limit);
}
template <class Shared, class T>
static inline __host__ cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *min_grid,
                                                                                           int *block_threads,
                                                                                           T function,
                                                                                           Shared shared_of,
                                                                                           int limit = 0,
                                                                                           unsigned int = 0)
{
	return cudaOccupancyMaxPotentialBlockSizeVariableSMem(min_grid, block_threads, function, shared_of, limit);
}
template <class T>
static inline __host__ cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, T *function, int blocks,
                                                                             int block_threads)
{
	return ::cudaOccupancyAvailableDynamicSMemPerBlock(bytes, (const void *)function, blocks, block_threads);
}
template <class T>
static inline __host__ cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, T *function,
                                                                        const cudaLaunchConfig_t *configuration)
{
	return ::cudaOccupancyMaxPotentialClusterSize(size, (const void *)function, configuration);
}
template <class T>
static inline __host__ cudaError_t cudaOccupancyMaxActiveClusters(int *count, T *function,
                                                                  const cudaLaunchConfig_t *configuration)
{
	return ::cudaOccupancyMaxActiveClusters(count, (const void *)function, configuration);
}
template <class T>
static inline __host__ cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *configuration, T *function,
                                                       void **arguments)
{
	return ::cudaLaunchKernelExC(configuration, (const void *)function, arguments);
}
#if __cplusplus >= 201103L
/* Arguments are converted to the kernel's parameter types. */
template <class... Parameters, class... Arguments>
static inline __host__ cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *configuration,
                                                      void (*function)(Parameters...), Arguments &&...arguments)
{
	return [&](Parameters... values) {
		void *list[] = {(void *)&values..., NULL};
		return ::cudaLaunchKernelExC(configuration, (const void *)function, list);
	}(static_cast<Arguments &&>(arguments)...);
}
#endif
template <class T> static inline __host__ cudaError_t cudaGetKernel(cudaKernel_t *kernel, T *function)
{
	return ::cudaGetKernel(kernel, (const void *)function);
}
template <class T> static inline __host__ cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, T *host)
{
	return ::cudaGetFuncBySymbol(function, (const void *)host);
}
template <class T> static inline __host__ cudaError_t cudaFuncGetName(const char **name, T *function)
{
	return ::cudaFuncGetName(name, (const void *)function);
}
template <class T>
static inline __host__ cudaError_t cudaLibraryGetGlobal(T **pointer, size_t *bytes, cudaLibrary_t library,
                                                        const char *name)
{
	return ::cudaLibraryGetGlobal((void **)(void *)pointer, bytes, library, name);
}

#include "batch_templates.h"

#endif
