/* The driver API: queries on functions, and libraries. A library is a module and a kernel is a function: both are
 * symbols of the runtime. */
#include "cudart/driver.h"

#include <string.h>

struct symbol *driver_symbol(const struct runtime *runtime, const void *function)
{
	struct symbol *symbol = runtime->kernels;
	while (symbol && symbol != function)
		symbol = symbol->next;
	return symbol;
}

/* ---- functions ---- */

CUresult cuFuncGetModule(CUmodule *module, CUfunction function)
{
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check(runtime, "cuFuncGetModule", module);
	const struct symbol *symbol = driver_symbol(runtime, function);
	if (result == cudaSuccess && !symbol)
		result = cudaErrorInvalidResourceHandle;
	if (result == cudaSuccess)
		*module = (CUmodule)symbol->binary;
	return driver_result(runtime_leave(runtime, result));
}

CUresult cuFuncGetName(const char **name, CUfunction function)
{
	return driver_result(cudaFuncGetName(name, function));
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t number, size_t *offset, size_t *size)
{
	return driver_result(cudaFuncGetParamInfo(function, number, offset, size));
}

/* All functions are loaded from the start. */
CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function)
{
	CUmodule module;
	if (!state)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = cuFuncGetModule(&module, function);
	if (result == CUDA_SUCCESS)
		*state = CU_FUNCTION_LOADING_STATE_LOADED;
	return result;
}

CUresult cuFuncLoad(CUfunction function)
{
	CUmodule module;
	return cuFuncGetModule(&module, function);
}

CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config)
{
	return driver_result(cudaFuncSetSharedMemConfig(function, (enum cudaSharedMemConfig)config));
}

/* ---- modules ---- */

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
	if (!mode)
		return CUDA_ERROR_INVALID_VALUE;
	*mode = CU_MODULE_EAGER_LOADING;
	return CUDA_SUCCESS;
}

/* Returns the name of the module's kernel with this index; NULL: no such kernel. */
static const char *kernel_name(CUmodule module, size_t number)
{
	struct runtime *runtime = runtime_enter();
	const char *name = driver_is_module(runtime, module)
	                           ? sluice_kernel_name(((const struct binary *)module)->module, number)
	                           : NULL;
	runtime_leave(runtime, cudaSuccess);
	return name;
}

static CUresult check_module(CUmodule module, const void *room)
{
	struct runtime *runtime = runtime_enter();
	cudaError_t result = room ? runtime->error : cudaErrorInvalidValue;
	if (result == cudaSuccess && !driver_is_module(runtime, module))
		result = cudaErrorInvalidResourceHandle;
	return driver_result(runtime_leave(runtime, result));
}

CUresult cuModuleGetFunctionCount(unsigned int *count, CUmodule module)
{
	CUresult result = check_module(module, count);
	if (result == CUDA_SUCCESS)
		for (*count = 0; kernel_name(module, *count); ++*count)
			;
	return result;
}

CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned int room, CUmodule module)
{
	const char *name;
	CUresult result = check_module(module, functions);
	for (unsigned i = 0; i < room && result == CUDA_SUCCESS && (name = kernel_name(module, i)); i++)
		result = cuModuleGetFunction(&functions[i], module, name);
	return result;
}

/* ---- libraries ---- */

CUresult cuLibraryLoadData(CUlibrary *library, const void *image, CUjit_option *options, void **values,
                           unsigned int count, CUlibraryOption *library_options, void **library_values,
                           unsigned int library_count)
{
	(void)library_options, (void)library_values, (void)library_count;
	return cuModuleLoadDataEx((CUmodule *)library, image, count, options, values);
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *file, CUjit_option *options, void **values,
                               unsigned int count, CUlibraryOption *library_options, void **library_values,
                               unsigned int library_count)
{
	(void)options, (void)values, (void)count, (void)library_options, (void)library_values, (void)library_count;
	return cuModuleLoad((CUmodule *)library, file);
}

CUresult cuLibraryUnload(CUlibrary library)
{
	return cuModuleUnload((CUmodule)library);
}

CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name)
{
	return cuModuleGetFunction((CUfunction *)kernel, (CUmodule)library, name);
}

CUresult cuLibraryGetKernelCount(unsigned int *count, CUlibrary library)
{
	return cuModuleGetFunctionCount(count, (CUmodule)library);
}

CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int room, CUlibrary library)
{
	return cuModuleEnumerateFunctions((CUfunction *)kernels, room, (CUmodule)library);
}

CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library)
{
	CUresult result = check_module((CUmodule)library, module);
	if (result == CUDA_SUCCESS)
		*module = (CUmodule)library;
	return result;
}

CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name)
{
	return cuModuleGetGlobal(address, bytes, (CUmodule)library, name);
}

/* Variables of modules are in device memory. */
CUresult cuLibraryGetManaged(CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name)
{
	(void)bytes;
	CUresult result = check_module((CUmodule)library, address && name ? address : NULL);
	return result == CUDA_SUCCESS ? CUDA_ERROR_NOT_FOUND : result;
}

CUresult cuLibraryGetUnifiedFunction(void **function, CUlibrary library, const char *name)
{
	CUresult result = check_module((CUmodule)library, function && name ? function : NULL);
	return result == CUDA_SUCCESS ? CUDA_ERROR_NOT_FOUND : result;
}

/* ---- kernels ---- */

CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel)
{
	CUmodule module;
	CUresult result = function ? cuFuncGetModule(&module, (CUfunction)kernel) : CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		*function = (CUfunction)kernel;
	return result;
}

CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel)
{
	return cuFuncGetModule((CUmodule *)library, (CUfunction)kernel);
}

CUresult cuKernelGetName(const char **name, CUkernel kernel)
{
	return cuFuncGetName(name, (CUfunction)kernel);
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t number, size_t *offset, size_t *size)
{
	return cuFuncGetParamInfo((CUfunction)kernel, number, offset, size);
}

CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device)
{
	return device ? CUDA_ERROR_INVALID_DEVICE : cuFuncGetAttribute(value, attribute, (CUfunction)kernel);
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device)
{
	return device ? CUDA_ERROR_INVALID_DEVICE : cuFuncSetAttribute((CUfunction)kernel, attribute, value);
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice device)
{
	return device ? CUDA_ERROR_INVALID_DEVICE : cuFuncSetCacheConfig((CUfunction)kernel, config);
}

/* ---- the runtime's libraries ---- */

static cudaError_t runtime_result_of(CUresult result)
{
	return runtime_result((cudaError_t)result); /* these errors have the same numbers in both APIs */
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *image, enum cudaJitOption *options, void **values,
                                unsigned int count, enum cudaLibraryOption *library_options, void **library_values,
                                unsigned int library_count)
{
	/* the runtime numbers its options differently from the driver, and none has an effect here */
	(void)options, (void)values, (void)count, (void)library_options, (void)library_values, (void)library_count;
	return runtime_result_of(cuModuleLoadData((CUmodule *)library, image));
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *file, enum cudaJitOption *options,
                                    void **values, unsigned int count, enum cudaLibraryOption *library_options,
                                    void **library_values, unsigned int library_count)
{
	(void)options, (void)values, (void)count, (void)library_options, (void)library_values, (void)library_count;
	return runtime_result_of(cuModuleLoad((CUmodule *)library, file));
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library)
{
	return runtime_result_of(cuLibraryUnload(library));
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name)
{
	return runtime_result_of(cuLibraryGetKernel(kernel, library, name));
}

cudaError_t cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t library)
{
	return runtime_result_of(cuLibraryGetKernelCount(count, library));
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned int room, cudaLibrary_t library)
{
	return runtime_result_of(cuLibraryEnumerateKernels(kernels, room, library));
}

cudaError_t cudaLibraryGetGlobal(void **pointer, size_t *bytes, cudaLibrary_t library, const char *name)
{
	return runtime_result_of(cuLibraryGetGlobal((CUdeviceptr *)pointer, bytes, library, name));
}

cudaError_t cudaLibraryGetManaged(void **pointer, size_t *bytes, cudaLibrary_t library, const char *name)
{
	return runtime_result_of(cuLibraryGetManaged((CUdeviceptr *)pointer, bytes, library, name));
}

cudaError_t cudaLibraryGetUnifiedFunction(void **function, cudaLibrary_t library, const char *name)
{
	return runtime_result_of(cuLibraryGetUnifiedFunction(function, library, name));
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attribute, int value,
                                            int device)
{
	return runtime_result_of(cuKernelSetAttribute((CUfunction_attribute)attribute, value, kernel, device));
}
