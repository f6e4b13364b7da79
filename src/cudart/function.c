/* Queries on kernels: attributes, names, parameters and occupancy. */
#include "cudart/runtime.h"

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function)
{
	struct runtime *runtime = runtime_enter_beside();
	sluice_kernel *kernel;
	cudaError_t result = runtime_check(runtime, "cudaFuncGetAttributes", attributes);
	if (result == cudaSuccess)
		result = runtime_find_kernel(runtime, "cudaFuncGetAttributes", function, &kernel);
	if (result != cudaSuccess)
		return runtime_leave(runtime, result);
	struct sluice_kernel_info info = {SLUICE_SIZED(kernel_info)};
	struct sluice_machine_info machine = {SLUICE_SIZED(machine_info)};
	struct sluice_error error = {0};
	if (sluice_kernel_info(runtime->gpu, kernel, &info, &error) != SLUICE_OK)
		return runtime_leave(runtime, runtime_report(runtime, "cudaFuncGetAttributes", &error));
	sluice_machine_info(runtime->gpu, &machine);
	uint32_t limit = machine.max_threads_per_block;
	*attributes = (struct cudaFuncAttributes){
		.sharedSizeBytes = info.shared_bytes,
		.constSizeBytes = info.constant_bytes,
		.localSizeBytes = info.local_bytes,
		.maxThreadsPerBlock =
			(int)(info.max_block_threads && info.max_block_threads < limit ? info.max_block_threads
	                                                                               : limit),
		.numRegs = (int)info.registers,
		/* programs use it to find the architecture that their kernels were compiled for */
		.ptxVersion = (int)info.target,
		.binaryVersion = (int)(machine.major * 10 + machine.minor),
		.maxDynamicSharedSizeBytes = (int)(machine.shared_bytes_per_block - info.shared_bytes),
		.preferredShmemCarveout = runtime_kernel_symbol(runtime, function)->carve_out - 1,
	};
	return runtime_leave(runtime, cudaSuccess);
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value)
{
	struct runtime *runtime = runtime_enter_beside();
	sluice_kernel *kernel;
	cudaError_t result = runtime_find_kernel(runtime, "cudaFuncSetAttribute", function, &kernel);
	if (result == cudaSuccess && attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
		struct sluice_machine_info machine = {SLUICE_SIZED(machine_info)};
		sluice_machine_info(runtime->gpu, &machine);
		if (value < 0 || (uint32_t)value > machine.shared_bytes_per_block)
			result = runtime_refuse("cudaFuncSetAttribute", cudaErrorInvalidValue,
			                        "%d bytes of shared memory; the machine has %u per block", value,
			                        machine.shared_bytes_per_block);
	}
	if (result == cudaSuccess && attribute == cudaFuncAttributePreferredSharedMemoryCarveout &&
	    (value < cudaSharedmemCarveoutDefault || value > cudaSharedmemCarveoutMaxShared))
		result = runtime_refuse("cudaFuncSetAttribute", cudaErrorInvalidValue, "%d percent of shared memory",
		                        value);
	if (result == cudaSuccess && attribute >= cudaFuncAttributeClusterDimMustBeSet &&
	    attribute < cudaFuncAttributeMax)
		result = runtime_refuse("cudaFuncSetAttribute", cudaErrorNotSupported, "the device has no clusters");
	if (result == cudaSuccess &&
	    (attribute < cudaFuncAttributeMaxDynamicSharedMemorySize || attribute >= cudaFuncAttributeMax))
		result = runtime_refuse("cudaFuncSetAttribute", cudaErrorInvalidValue, "attribute %d cannot be set",
		                        (int)attribute);
	if (result == cudaSuccess && attribute == cudaFuncAttributePreferredSharedMemoryCarveout) {
		can_prefer(runtime, "cudaFuncSetAttribute", value != cudaSharedmemCarveoutDefault);
		runtime_kernel_symbol(runtime, function)->carve_out = (uint8_t)(value + 1);
	}
	return runtime_leave(runtime, result);
}

/* Finds a launchable function by its host address. */
cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *host)
{
	return cudaGetKernel((cudaKernel_t *)function, host);
}

cudaError_t cudaFuncGetName(const char **name, const void *function)
{
	static const char call[] = "cudaFuncGetName";
	struct runtime *runtime = runtime_enter_beside();
	sluice_kernel *kernel;
	struct sluice_kernel_info info = {SLUICE_SIZED(kernel_info)};
	struct sluice_error error = {0};
	cudaError_t result = runtime_check(runtime, call, name);
	if (result == cudaSuccess)
		result = runtime_find_kernel(runtime, call, function, &kernel);
	if (result == cudaSuccess && sluice_kernel_info(runtime->gpu, kernel, &info, &error) != SLUICE_OK)
		result = runtime_report(runtime, call, &error);
	if (result == cudaSuccess)
		*name = info.name;
	return runtime_leave(runtime, result);
}

cudaError_t cudaFuncGetParamInfo(const void *function, size_t number, size_t *offset, size_t *size)
{
	static const char call[] = "cudaFuncGetParamInfo";
	struct runtime *runtime = runtime_enter_beside();
	sluice_kernel *kernel;
	uint32_t at, bytes;
	cudaError_t result = runtime_check(runtime, call, offset);
	if (result == cudaSuccess)
		result = runtime_find_kernel(runtime, call, function, &kernel);
	if (result == cudaSuccess &&
	    (number > UINT32_MAX || !sluice_kernel_param(kernel, (uint32_t)number, &at, &bytes)))
		result = cudaErrorInvalidValue; /* programs use this error to find the number of parameters */
	if (result == cudaSuccess) {
		*offset = at;
		if (size)
			*size = bytes;
	}
	return runtime_leave(runtime, result);
}

/* Preferences of cache and shared memory have no effect: the machine file decides. */
static cudaError_t accept_for(const char *call, const void *function)
{
	struct runtime *runtime = runtime_enter_beside();
	sluice_kernel *kernel;
	return runtime_leave(runtime, runtime_find_kernel(runtime, call, function, &kernel));
}

bool can_prefer(struct runtime *runtime, const char *call, bool prefers)
{
	struct sluice_machine_info machine = {SLUICE_SIZED(machine_info)};
	if (!runtime->gpu)
		return false;
	sluice_machine_info(runtime->gpu, &machine);
	if (!machine.unified_bytes && prefers && !runtime->cache_told) {
		runtime_message("%s: it changes nothing here; machine %s has fixed sizes of L1 and shared memory", call,
		                machine.name);
		runtime->cache_told = true;
	}
	return machine.unified_bytes;
}

cudaError_t runtime_check_cache(const char *call, enum cudaFuncCache config)
{
	if (config <= cudaFuncCachePreferEqual)
		return cudaSuccess;
	return runtime_refuse(call, cudaErrorInvalidValue, "%d is no preference of L1 or shared memory", (int)config);
}

cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config)
{
	static const char call[] = "cudaFuncSetCacheConfig";
	struct runtime *runtime = runtime_enter_beside();
	sluice_kernel *kernel;
	cudaError_t result = runtime_find_kernel(runtime, call, function, &kernel);
	if (result == cudaSuccess)
		result = runtime_check_cache(call, config);
	if (result == cudaSuccess && can_prefer(runtime, call, config != cudaFuncCachePreferNone))
		runtime_kernel_symbol(runtime, function)->cache = config;
	return runtime_leave(runtime, result);
}

cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config)
{
	(void)config;
	return accept_for("cudaFuncSetSharedMemConfig", function);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int block_threads,
                                                                   size_t dynamic_shared, unsigned int flags)
{
	static const char call[] = "cudaOccupancyMaxActiveBlocksPerMultiprocessor";
	struct runtime *runtime = runtime_enter_beside();
	sluice_kernel *kernel;
	cudaError_t result = runtime_check(runtime, call, blocks);
	if (result == cudaSuccess)
		result = runtime_find_kernel(runtime, call, function, &kernel);
	if (result == cudaSuccess && (block_threads <= 0 || dynamic_shared > UINT32_MAX))
		result = runtime_refuse(call, cudaErrorInvalidValue, "blocks of %d threads with %zu bytes",
		                        block_threads, dynamic_shared);
	if (result == cudaSuccess && flags & ~(unsigned)cudaOccupancyDisableCachingOverride)
		result = runtime_refuse(call, cudaErrorInvalidValue, "0x%x is no flag of this call", flags);
	if (result != cudaSuccess)
		return runtime_leave(runtime, result);
	struct sluice_occupancy occupancy = {SLUICE_SIZED(occupancy)};
	struct sluice_error error = {0};
	runtime_prefer(runtime, function, kernel, 0);
	/* a block that does not fit is no error here: 0 blocks are resident */
	bool fits = sluice_occupancy(runtime->gpu, kernel, (uint32_t)block_threads, (uint32_t)dynamic_shared,
	                             &occupancy, &error) == SLUICE_OK;
	*blocks = fits ? (int)occupancy.blocks_per_sm : 0;
	return runtime_leave(runtime, cudaSuccess);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int block_threads,
                                                          size_t dynamic_shared)
{
	return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_threads, dynamic_shared,
	                                                              0);
}

/* ---- available shared memory, and clusters ---- */

static bool fits(struct runtime *runtime, sluice_kernel *kernel, uint32_t threads, uint32_t shared, uint32_t blocks)
{
	struct sluice_occupancy occupancy = {SLUICE_SIZED(occupancy)};
	return sluice_occupancy(runtime->gpu, kernel, threads, shared, &occupancy, NULL) == SLUICE_OK &&
	       occupancy.blocks_per_sm >= blocks;
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function, int blocks,
                                                      int block_threads)
{
	static const char call[] = "cudaOccupancyAvailableDynamicSMemPerBlock";
	struct runtime *runtime = runtime_enter_beside();
	sluice_kernel *kernel;
	struct sluice_machine_info machine = {SLUICE_SIZED(machine_info)};
	cudaError_t result = runtime_check(runtime, call, bytes);
	if (result == cudaSuccess)
		result = runtime_find_kernel(runtime, call, function, &kernel);
	if (result == cudaSuccess && (blocks <= 0 || block_threads <= 0))
		result = runtime_refuse(call, cudaErrorInvalidValue, "%d blocks of %d threads", blocks, block_threads);
	if (result != cudaSuccess)
		return runtime_leave(runtime, result);
	sluice_machine_info(runtime->gpu, &machine);
	runtime_prefer(runtime, function, kernel, 0);
	uint32_t low = 0, high = machine.shared_bytes_per_block + 1; /* the largest size that fits is in [low, high) */
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;
		bool has_room = fits(runtime, kernel, (uint32_t)block_threads, middle, (uint32_t)blocks);
		low = has_room ? middle : low;
		high = has_room ? high : middle;
	}
	*bytes = low;
	return runtime_leave(runtime, cudaSuccess);
}

static cudaError_t refuse_clusters(const char *call, const int *room, const void *function,
                                   const cudaLaunchConfig_t *configuration)
{
	struct runtime *runtime = runtime_enter_beside();
	sluice_kernel *kernel;
	cudaError_t result = runtime_check(runtime, call, room && configuration);
	if (result == cudaSuccess)
		result = runtime_find_kernel(runtime, call, function, &kernel);
	if (result == cudaSuccess)
		result = runtime_refuse(call, cudaErrorNotSupported, "the device has no clusters");
	return runtime_leave(runtime, result);
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *function,
                                                 const cudaLaunchConfig_t *configuration)
{
	return refuse_clusters("cudaOccupancyMaxPotentialClusterSize", size, function, configuration);
}

cudaError_t cudaOccupancyMaxActiveClusters(int *count, const void *function, const cudaLaunchConfig_t *configuration)
{
	return refuse_clusters("cudaOccupancyMaxActiveClusters", count, function, configuration);
}
