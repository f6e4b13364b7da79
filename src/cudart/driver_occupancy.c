/* The driver API: resident blocks, and the block size with the most threads in them. */
#include "cudart/driver.h"

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function, int block_threads,
                                                              size_t shared, unsigned int flags)
{
	return driver_result(
		cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_threads, shared, flags));
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int block_threads, size_t shared)
{
	return driver_result(cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_threads, shared));
}

static int attribute_of(enum cudaDeviceAttr attribute)
{
	int value = 0;
	cudaDeviceGetAttribute(&value, attribute, 0);
	return value;
}

/* Among multiples of the warp size, as the runtime's template does (runtime_templates.h), which C cannot call. */
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *min_grid, int *block_threads, CUfunction function,
                                                   CUoccupancyB2DSize shared_of, size_t shared, int limit,
                                                   unsigned int flags)
{
	int largest, warp = attribute_of(cudaDevAttrWarpSize), best = 0, blocks;
	if (!min_grid || !block_threads)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = cuFuncGetAttribute(&largest, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function);
	if (result != CUDA_SUCCESS)
		return result;
	largest = limit > 0 && limit < largest ? limit : largest;
	*min_grid = *block_threads = 0;
	for (int threads = largest; threads > 0; threads = (threads - 1) / warp * warp) {
		size_t bytes = shared_of ? shared_of(threads) : shared;
		result = cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, function, threads, bytes, flags);
		if (result != CUDA_SUCCESS)
			return result;
		if (blocks * threads > best) {
			best = blocks * threads;
			*block_threads = threads;
			*min_grid = blocks * attribute_of(cudaDevAttrMultiProcessorCount);
		}
	}
	return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialBlockSize(int *min_grid, int *block_threads, CUfunction function,
                                          CUoccupancyB2DSize shared_of, size_t shared, int limit)
{
	return cuOccupancyMaxPotentialBlockSizeWithFlags(min_grid, block_threads, function, shared_of, shared, limit,
	                                                 0);
}
