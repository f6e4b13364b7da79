/* The driver API: launches and occupancy. */
#include "cudart/driver.h"

enum { MOST_PARAMETERS = 1024 };

_Static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute), "attributes of launches");

/* Returns the parameter buffer named in `extra`, or NULL. */
static char *find_buffer(void **extra)
{
	char *buffer = NULL;
	for (; extra && extra[0] != CU_LAUNCH_PARAM_END; extra += 2)
		if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER)
			buffer = extra[1];
	return buffer;
}

/* Writes the address of each parameter in a buffer of all parameters. Returns false when the function does not
 * exist. */
static bool spread(CUfunction function, char *buffer, void **parameters)
{
	struct runtime *runtime = runtime_enter_beside();
	const struct symbol *symbol = driver_symbol(runtime, function);
	uint32_t offset, size, count = 0;
	const sluice_kernel *kernel = symbol ? sluice_find_kernel(symbol->binary->module, symbol->name) : NULL;
	for (; kernel && count < MOST_PARAMETERS && sluice_kernel_param(kernel, count, &offset, &size); count++)
		parameters[count] = buffer + offset;
	runtime_leave(runtime, cudaSuccess);
	return kernel;
}

/* Sets *parameters to the given pointers, or to the parameters' addresses in the buffer of `extra`, stored in `places`.
 * Returns false when the function does not exist. */
static bool take_parameters(CUfunction function, void ***parameters, void **extra, void **places)
{
	char *buffer = find_buffer(extra);
	if (!buffer || *parameters)
		return true;
	*parameters = places;
	return spread(function, buffer, places);
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared,
                        CUstream stream, void **parameters, void **extra)
{
	void *places[MOST_PARAMETERS];
	if (!take_parameters(function, &parameters, extra, places))
		return CUDA_ERROR_INVALID_HANDLE;
	const dim3 grid = {grid_x, grid_y, grid_z}, block = {block_x, block_y, block_z};
	return driver_result(cudaLaunchKernel(function, grid, block, parameters, shared, stream));
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *configuration, CUfunction function, void **parameters, void **extra)
{
	void *places[MOST_PARAMETERS];
	if (!configuration)
		return CUDA_ERROR_INVALID_VALUE;
	if (!take_parameters(function, &parameters, extra, places))
		return CUDA_ERROR_INVALID_HANDLE;
	const cudaLaunchConfig_t same = {
		.gridDim = {configuration->gridDimX, configuration->gridDimY, configuration->gridDimZ},
		.blockDim = {configuration->blockDimX, configuration->blockDimY, configuration->blockDimZ},
		.dynamicSmemBytes = configuration->sharedMemBytes,
		.stream = configuration->hStream,
		.attrs = (cudaLaunchAttribute *)configuration->attrs,
		.numAttrs = configuration->numAttrs,
	};
	return driver_result(cudaLaunchKernelExC(&same, function, parameters));
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                                   unsigned int block_x, unsigned int block_y, unsigned int block_z,
                                   unsigned int shared, CUstream stream, void **parameters)
{
	const dim3 grid = {grid_x, grid_y, grid_z}, block = {block_x, block_y, block_z};
	return driver_result(cudaLaunchCooperativeKernel(function, grid, block, parameters, shared, stream));
}

CUresult cuLaunchCooperativeKernelMultiDevice(CUDA_LAUNCH_PARAMS *list, unsigned int devices, unsigned int flags)
{
	struct cudaLaunchParams same = {0};
	if (list)
		same = (struct cudaLaunchParams){.func = list->function,
		                                 .gridDim = {list->gridDimX, list->gridDimY, list->gridDimZ},
		                                 .blockDim = {list->blockDimX, list->blockDimY, list->blockDimZ},
		                                 .args = list->kernelParams,
		                                 .sharedMem = list->sharedMemBytes,
		                                 .stream = list->hStream};
	return driver_result(cudaLaunchCooperativeKernelMultiDevice(list ? &same : NULL, devices, flags));
}

/* ---- stream attributes ---- */

CUresult cuStreamSetAttribute(CUstream stream, CUstreamAttrID attribute, const CUstreamAttrValue *value)
{
	return driver_result(
		cudaStreamSetAttribute(stream, (cudaStreamAttrID)attribute, (const cudaStreamAttrValue *)value));
}

CUresult cuStreamGetAttribute(CUstream stream, CUstreamAttrID attribute, CUstreamAttrValue *value)
{
	return driver_result(cudaStreamGetAttribute(stream, (cudaStreamAttrID)attribute, (cudaStreamAttrValue *)value));
}

CUresult cuStreamCopyAttributes(CUstream to, CUstream from)
{
	return driver_result(cudaStreamCopyAttributes(to, from));
}

/* ---- occupancy ---- */

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int block_threads, size_t shared)
{
	return driver_result(cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_threads, shared));
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function, int block_threads,
                                                              size_t shared, unsigned int flags)
{
	return driver_result(
		cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_threads, shared, flags));
}

/* Returns the block size, in whole warps, with the most resident threads. */
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *min_grid, int *block_threads, CUfunction function,
                                                   CUoccupancyB2DSize shared_of, size_t shared, int limit,
                                                   unsigned int flags)
{
	struct cudaDeviceProp device;
	struct cudaFuncAttributes attributes;
	int best = 0;
	if (!min_grid || !block_threads || limit < 0)
		return CUDA_ERROR_INVALID_VALUE;
	cudaError_t result = cudaGetDeviceProperties(&device, 0);
	if (result == cudaSuccess)
		result = cudaFuncGetAttributes(&attributes, function);
	if (result != cudaSuccess)
		return driver_result(result);
	*min_grid = *block_threads = 0;
	int most = attributes.maxThreadsPerBlock, warp = device.warpSize;
	for (int threads = limit && limit < most ? limit : most; threads > 0; threads = (threads - 1) / warp * warp) {
		int blocks;
		result = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
			&blocks, function, threads, shared_of ? shared_of(threads) : shared, flags);
		if (result != cudaSuccess)
			return driver_result(result);
		if (blocks * threads > best) {
			best = blocks * threads;
			*block_threads = threads;
			*min_grid = blocks * device.multiProcessorCount;
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

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction function, int blocks, int block_threads)
{
	return driver_result(cudaOccupancyAvailableDynamicSMemPerBlock(bytes, function, blocks, block_threads));
}

/* Clusters are not supported, whatever the configuration requests. */
CUresult cuOccupancyMaxPotentialClusterSize(int *size, CUfunction function, const CUlaunchConfig *configuration)
{
	const cudaLaunchConfig_t any = {0};
	return driver_result(cudaOccupancyMaxPotentialClusterSize(size, function, configuration ? &any : NULL));
}

CUresult cuOccupancyMaxActiveClusters(int *count, CUfunction function, const CUlaunchConfig *configuration)
{
	const cudaLaunchConfig_t any = {0};
	return driver_result(cudaOccupancyMaxActiveClusters(count, function, configuration ? &any : NULL));
}
