/* The driver API: launches as in CUDA 3. A function keeps its block, shared memory and parameters from call to call. */
#include "cudart/driver.h"

#include "base/arena.h"

#include <string.h>

enum { MOST_BYTES = 4096 }; /* of a kernel's parameters, since compute capability 2.0 */

/* The block, shared memory and parameters of the next launch. */
struct older_launch {
	dim3 block;
	unsigned shared, bytes;
	unsigned char parameters[MOST_BYTES];
};

/* Takes the lock. Returns the function's launch; NULL: no such function. */
static struct older_launch *enter(struct runtime **runtime, const char *call, CUfunction function, cudaError_t *result)
{
	*runtime = runtime_enter_beside();
	struct symbol *symbol = driver_symbol(*runtime, function);
	*result = (*runtime)->error;
	if (*result == cudaSuccess && !symbol)
		*result = runtime_refuse(call, cudaErrorInvalidResourceHandle, "%p is not a function",
		                         (const void *)function);
	if (*result != cudaSuccess)
		return NULL;
	if (!symbol->older_launch)
		symbol->older_launch = base_calloc(1, sizeof *symbol->older_launch);
	return symbol->older_launch;
}

static CUresult leave(struct runtime *runtime, cudaError_t result)
{
	return driver_result(runtime_leave(runtime, result));
}

CUresult cuFuncSetBlockShape(CUfunction function, int x, int y, int z)
{
	static const char call[] = "cuFuncSetBlockShape";
	struct runtime *runtime;
	cudaError_t result;
	struct older_launch *launch = enter(&runtime, call, function, &result);
	if (launch && (x <= 0 || y <= 0 || z <= 0))
		result = runtime_refuse(call, cudaErrorInvalidValue, "a block of %d x %d x %d threads", x, y, z);
	else if (launch)
		launch->block = (dim3){(unsigned)x, (unsigned)y, (unsigned)z};
	return leave(runtime, result);
}

CUresult cuFuncSetSharedSize(CUfunction function, unsigned int bytes)
{
	struct runtime *runtime;
	cudaError_t result;
	struct older_launch *launch = enter(&runtime, "cuFuncSetSharedSize", function, &result);
	if (launch)
		launch->shared = bytes;
	return leave(runtime, result);
}

/* ---- parameters ---- */

CUresult cuParamSetSize(CUfunction function, unsigned int bytes)
{
	static const char call[] = "cuParamSetSize";
	struct runtime *runtime;
	cudaError_t result;
	struct older_launch *launch = enter(&runtime, call, function, &result);
	if (launch && bytes > MOST_BYTES)
		result = runtime_refuse(call, cudaErrorInvalidValue, "%u bytes of parameters; at most %d", bytes,
		                        MOST_BYTES);
	else if (launch)
		launch->bytes = bytes;
	return leave(runtime, result);
}

static CUresult set(const char *call, CUfunction function, int offset, const void *value, unsigned bytes)
{
	struct runtime *runtime;
	cudaError_t result;
	struct older_launch *launch = enter(&runtime, call, function, &result);
	bool fits = value && offset >= 0 && offset <= MOST_BYTES && bytes <= MOST_BYTES - (unsigned)offset;
	if (launch && !fits)
		result = runtime_refuse(call, cudaErrorInvalidValue, "%u bytes at %d of a function's parameters", bytes,
		                        offset);
	else if (launch)
		memcpy(launch->parameters + offset, value, bytes);
	return leave(runtime, result);
}

CUresult cuParamSeti(CUfunction function, int offset, unsigned int value)
{
	return set("cuParamSeti", function, offset, &value, sizeof value);
}

CUresult cuParamSetf(CUfunction function, int offset, float value)
{
	return set("cuParamSetf", function, offset, &value, sizeof value);
}

CUresult cuParamSetv(CUfunction function, int offset, void *value, unsigned int bytes)
{
	return set("cuParamSetv", function, offset, value, bytes);
}

/* ---- launches ---- */

/* Returns the bytes that the kernel's parameters take. */
static size_t needed_bytes(CUfunction function)
{
	size_t offset, size, bytes = 0;
	for (size_t i = 0; cudaFuncGetParamInfo(function, i, &offset, &size) == cudaSuccess; i++)
		bytes = offset + size;
	return bytes;
}

static CUresult launch_grid(const char *call, CUfunction function, int width, int height, CUstream stream)
{
	struct runtime *runtime;
	cudaError_t result;
	const struct older_launch *kept = enter(&runtime, call, function, &result);
	struct older_launch launch = kept ? *kept : (struct older_launch){.bytes = 0};
	if (kept && (width <= 0 || height <= 0))
		result = runtime_refuse(call, cudaErrorInvalidValue, "a grid of %d x %d blocks", width, height);
	runtime_leave(runtime, result);
	if (result != cudaSuccess)
		return driver_result(result);
	if (launch.bytes < needed_bytes(function))
		return driver_result(runtime_result(runtime_refuse(
			call, cudaErrorInvalidValue, "%u bytes of parameters were set; the kernel has %zu",
			launch.bytes, needed_bytes(function))));
	size_t bytes = launch.bytes;
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, launch.parameters, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
	                 CU_LAUNCH_PARAM_END};
	return cuLaunchKernel(function, (unsigned)width, (unsigned)height, 1, launch.block.x, launch.block.y,
	                      launch.block.z, launch.shared, stream, NULL, extra);
}

CUresult cuLaunch(CUfunction function)
{
	return launch_grid("cuLaunch", function, 1, 1, NULL);
}

CUresult cuLaunchGrid(CUfunction function, int width, int height)
{
	return launch_grid("cuLaunchGrid", function, width, height, NULL);
}

CUresult cuLaunchGridAsync(CUfunction function, int width, int height, CUstream stream)
{
	return launch_grid("cuLaunchGridAsync", function, width, height, stream);
}
