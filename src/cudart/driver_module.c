/* The driver API: modules and their functions. A module is an additional binary of the runtime; a function is an
 * additional symbol. */
#include "cudart/driver.h"

#include "base/arena.h"
#include "base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { WRAPPER_MAGIC = 0x466243b1, WRAPPER_DATA = 8 };

bool driver_is_module(const struct runtime *runtime, const void *module)
{
	const struct binary *binary = runtime->binaries;
	while (binary && binary != module)
		binary = binary->next;
	return binary && binary->module;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
	struct runtime *runtime = runtime_enter();
	const char *data = image;
	uint32_t magic = 0;
	cudaError_t result = runtime_check(runtime, "cuModuleLoadData", module && image);
	if (result != cudaSuccess)
		return driver_result(runtime_leave(runtime, result));
	if (strnlen(data, sizeof magic) == sizeof magic)
		memcpy(&magic, data, sizeof magic);
	if (magic == WRAPPER_MAGIC) /* the wrapper that a compiler places before a fat binary */
		memcpy(&data, data + WRAPPER_DATA, sizeof data);
	struct binary *binary = base_calloc(1, sizeof *binary);
	binary->data = data;
	result = runtime_load_code(runtime, data, NULL, &binary->module);
	binary->error = result;
	binary->next = runtime->binaries;
	runtime->binaries = binary;
	*module = result == cudaSuccess ? (CUmodule)binary : NULL;
	return driver_result(runtime_leave(runtime, result));
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int count, CUjit_option *options,
                            void **values)
{
	for (unsigned int i = 0; i < count && options && values; i++) {
		bool is_log = options[i] == CU_JIT_INFO_LOG_BUFFER || options[i] == CU_JIT_ERROR_LOG_BUFFER;
		if (is_log && values[i])
			*(char *)values[i] = '\0';
		if (options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES || options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
			values[i] = NULL; /* number of bytes in the log */
	}
	return cuModuleLoadData(module, image);
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image)
{
	return cuModuleLoadData(module, image);
}

CUresult cuModuleLoad(CUmodule *module, const char *file)
{
	size_t length;
	char *text = file ? file_read(file, &length) : NULL;
	if (!text) {
		runtime_message("cuModuleLoad: cannot read %s: %s", file ? file : "NULL", file_reason());
		return CUDA_ERROR_FILE_NOT_FOUND;
	}
	CUresult result = cuModuleLoadData(module, text);
	free(text);
	return result;
}

/* Kernels and variables stay registered, because statistics may still need them. */
CUresult cuModuleUnload(CUmodule module)
{
	struct runtime *runtime = runtime_enter_closed();
	bool is = driver_is_module(runtime, module) || runtime->ending;
	return driver_result(runtime_leave(runtime, is ? cudaSuccess : cudaErrorInvalidResourceHandle));
}

static struct symbol *find_function(const struct runtime *runtime, const struct binary *binary, const char *name)
{
	struct symbol *symbol = runtime->kernels;
	while (symbol && (symbol->binary != binary || strcmp(symbol->name, name) != 0))
		symbol = symbol->next;
	return symbol;
}

static struct symbol *add_function(struct runtime *runtime, struct binary *binary, const char *name)
{
	size_t length = strlen(name) + 1;
	struct symbol *symbol = base_calloc(1, sizeof *symbol + length);
	memcpy(symbol + 1, name, length);
	*symbol = (struct symbol){
		.host = symbol, .name = (const char *)(symbol + 1), .binary = binary, .next = runtime->kernels};
	runtime->kernels = symbol;
	return symbol;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
	struct runtime *runtime = runtime_enter();
	struct binary *binary = (struct binary *)module;
	cudaError_t result = runtime_check(runtime, "cuModuleGetFunction", function && name);
	if (result == cudaSuccess && !driver_is_module(runtime, module))
		result = cudaErrorInvalidResourceHandle;
	if (result == cudaSuccess && !sluice_find_kernel(binary->module, name))
		result = cudaErrorSymbolNotFound;
	if (result == cudaSuccess) {
		struct symbol *symbol = find_function(runtime, binary, name);
		*function = (CUfunction)(symbol ? symbol : add_function(runtime, binary, name));
	}
	return driver_result(runtime_leave(runtime, result));
}

CUresult cuModuleGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name)
{
	struct runtime *runtime = runtime_enter();
	uint64_t place, size;
	cudaError_t result = runtime_check(runtime, "cuModuleGetGlobal", name);
	if (result == cudaSuccess && !driver_is_module(runtime, module))
		result = cudaErrorInvalidResourceHandle;
	if (result == cudaSuccess && !sluice_find_variable(((struct binary *)module)->module, name, &place, &size))
		result = cudaErrorSymbolNotFound;
	if (result == cudaSuccess && address)
		*address = place;
	if (result == cudaSuccess && bytes)
		*bytes = size;
	return driver_result(runtime_leave(runtime, result));
}

/* ---- kernels ---- */

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function)
{
	struct cudaFuncAttributes all;
	cudaError_t result = value ? cudaFuncGetAttributes(&all, function) : cudaErrorInvalidValue;
	if (result != cudaSuccess)
		return driver_result(result);
	const int values[] = {
		[CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK] = all.maxThreadsPerBlock,
		[CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES] = (int)all.sharedSizeBytes,
		[CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES] = (int)all.constSizeBytes,
		[CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES] = (int)all.localSizeBytes,
		[CU_FUNC_ATTRIBUTE_NUM_REGS] = all.numRegs,
		[CU_FUNC_ATTRIBUTE_PTX_VERSION] = all.ptxVersion,
		[CU_FUNC_ATTRIBUTE_BINARY_VERSION] = all.binaryVersion,
		[CU_FUNC_ATTRIBUTE_CACHE_MODE_CA] = all.cacheModeCA,
		[CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES] = all.maxDynamicSharedSizeBytes,
		[CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT] = all.preferredShmemCarveout,
	};
	if ((unsigned)attribute > CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE)
		return CUDA_ERROR_INVALID_VALUE;
	/* clusters are not supported */
	*value = (size_t)attribute < sizeof values / sizeof *values ? values[attribute] : 0;
	return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value)
{
	return driver_result(cudaFuncSetAttribute(function, (enum cudaFuncAttribute)attribute, value));
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config)
{
	return driver_result(cudaFuncSetCacheConfig(function, (enum cudaFuncCache)config));
}
