/* The driver API: queries on pointers, and its own functions by name. */
#include "cudart/driver.h"

#include "cudart/host_memory.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* ---- pointers ---- */

/* The memory that contains the pointer, as found by the runtime. */
struct holder {
	const struct host_memory *host; /* NULL: device memory */
	uint64_t base, size;
	CUdeviceptr address;
};

static bool find_holder(struct runtime *runtime, CUdeviceptr address, struct holder *holder)
{
	holder->address = address;
	holder->host = host_memory_find(runtime, driver_pointer(address));
	return memory_find(runtime, driver_pointer(address), &holder->base, &holder->size);
}

static CUdeviceptr device_address(const struct holder *holder)
{
	return holder->host ? holder->host->device + (holder->address - holder->base) : holder->address;
}

/* Returns false for an unknown attribute or one without a value. */
static bool answer(const struct holder *holder, CUpointer_attribute attribute, void *data)
{
	bool managed = holder->host && holder->host->kind == HOST_MANAGED, device = !holder->host || managed;
	switch (attribute) {
	case CU_POINTER_ATTRIBUTE_CONTEXT:
		*(CUcontext *)data = runtime_context();
		return true;
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		*(unsigned *)data = device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
		return true;
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
		*(CUdeviceptr *)data = device_address(holder);
		return true;
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
		if (holder->host)
			*(void **)data = driver_pointer(holder->address);
		return holder->host;
	case CU_POINTER_ATTRIBUTE_BUFFER_ID:
		*(unsigned long long *)data = holder->base;
		return true;
	case CU_POINTER_ATTRIBUTE_IS_MANAGED:
		*(unsigned *)data = managed;
		return true;
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
		*(int *)data = 0;
		return true;
	case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
	case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
		*(unsigned *)data = 0;
		return true;
	case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
		*(CUdeviceptr *)data = holder->base;
		return true;
	case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
		*(size_t *)data = holder->size;
		return true;
	case CU_POINTER_ATTRIBUTE_MAPPED:
		*(unsigned *)data = 1;
		return true;
	}
	return false;
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr address)
{
	struct runtime *runtime = runtime_enter();
	struct holder holder;
	cudaError_t result = runtime_check(runtime, "cuPointerGetAttribute", data);
	if (result == cudaSuccess && !(find_holder(runtime, address, &holder) && answer(&holder, attribute, data)))
		result = cudaErrorInvalidValue; /* programs expect this for the host's own memory */
	return driver_result(runtime_leave(runtime, result));
}

static size_t bytes_of(CUpointer_attribute attribute)
{
	switch (attribute) {
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
	case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
	case CU_POINTER_ATTRIBUTE_IS_MANAGED:
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
	case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
	case CU_POINTER_ATTRIBUTE_MAPPED:
		return sizeof(unsigned);
	default:
		return sizeof(uint64_t);
	}
}

/* For memory unknown to the device, all attributes are 0 except the device number. */
static void answer_unknown(CUpointer_attribute attribute, void *data)
{
	memset(data, 0, bytes_of(attribute));
	if (attribute == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
		*(int *)data = -2;
}

CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute *attributes, void **data, CUdeviceptr address)
{
	struct runtime *runtime = runtime_enter();
	struct holder holder;
	cudaError_t result = runtime_check(runtime, "cuPointerGetAttributes", attributes && data);
	bool is_known = result == cudaSuccess && find_holder(runtime, address, &holder);
	for (unsigned i = 0; result == cudaSuccess && i < count; i++)
		if (!data[i])
			result = cudaErrorInvalidValue;
		else if (!is_known || !answer(&holder, attributes[i], data[i]))
			answer_unknown(attributes[i], data[i]);
	return driver_result(runtime_leave(runtime, result));
}

/* ---- functions by name ---- */

/* Functions that changed, and the CUDA version of the change. Programs query them by their first name. All other second
 * versions predate any program that queries. */
static const struct change {
	const char *name;
	int version;
} changes[] = {
	{"cuMemAdvise_v2", 12020},
	{"cuMemPrefetchAsync_v2", 12020},
	{"cuEventElapsedTime_v2", 12080},
	{"cuCtxCreate_v4", 12050},
	{"cuGetProcAddress_v2", 12000},
	{"cuCtxGetDevice_v2", 13000},
	{"cuCtxSynchronize_v2", 13000},
	{"cuStreamGetCtx_v2", 12050},
	{"cuMemcpyBatchAsync_v2", 13000},
	{"cuMemcpy3DBatchAsync_v2", 13000},
	{"cuGraphAddNode_v2", 12030},
	{"cuStreamGetCaptureInfo_v3", 12030},
	{"cuStreamUpdateCaptureDependencies_v2", 12030},
	{"cuGraphGetEdges_v2", 12030},
	{"cuGraphNodeGetDependencies_v2", 12030},
	{"cuGraphNodeGetDependentNodes_v2", 12030},
	{"cuGraphAddDependencies_v2", 12030},
	{"cuGraphRemoveDependencies_v2", 12030},
	{"cuGraphExecUpdate_v2", 12000},
	{"cuGraphAddKernelNode_v2", 12000},
	{"cuGraphKernelNodeGetParams_v2", 12000},
	{"cuGraphKernelNodeSetParams_v2", 12000},
	{"cuGraphExecKernelNodeSetParams_v2", 12000},
};

static bool is_later(const char *name, int version)
{
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
		if (strcmp(changes[i].name, name) == 0)
			return changes[i].version > version;
	return false;
}

/* Finds the newest version of a function up to the given CUDA version; NULL: none. `per_thread`: prefers its form for
 * per-thread default streams (driver_per_thread.c). */
static void *find_function(void *library, const char *symbol, int version, bool per_thread)
{
	static const char *const versions[] = {"_v4", "_v3", "_v2", ""}, *const forms[] = {"_ptsz", "_ptds", ""};
	char name[128], form[sizeof name + 8];
	void *found = NULL;
	for (size_t i = 0; i < sizeof versions / sizeof *versions && !found; i++) {
		snprintf(name, sizeof name, "%s%s", symbol, versions[i]);
		for (size_t k = per_thread ? 0 : 2; k < 3 && !found && !is_later(name, version); k++) {
			snprintf(form, sizeof form, "%s%s", name, forms[k]);
			found = dlsym(library, form);
		}
	}
	return found;
}

CUresult cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags,
                             CUdriverProcAddressQueryResult *status)
{
	static const char prefix[] = "cu";
	Dl_info own;
	if (!symbol || !function || strncmp(symbol, prefix, sizeof prefix - 1) != 0 || strncmp(symbol, "cuda", 4) == 0)
		return CUDA_ERROR_INVALID_VALUE;
	*function = NULL;
	if (dladdr((const void *)(uintptr_t)cuGetProcAddress_v2, &own)) {
		void *library = dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
		*function = find_function(library ? library : RTLD_DEFAULT, symbol, version,
		                          flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
		if (library)
			dlclose(library);
	}
	if (status)
		*status = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuGetProcAddress(const char *symbol, void **function, int version, uint64_t flags)
{
	return cuGetProcAddress_v2(symbol, function, version, flags, NULL);
}

/* ---- the same queries by the runtime API ---- */

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned int version,
                                             unsigned long long flags, enum cudaDriverEntryPointQueryResult *status)
{
	CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	CUresult result = cuGetProcAddress_v2(symbol, function, (int)version, flags, &found);
	if (status)
		*status = (enum cudaDriverEntryPointQueryResult)found;
	/* the error is in *status, if the program passes one */
	return runtime_result(result == CUDA_ERROR_NOT_FOUND && status ? cudaSuccess : (cudaError_t)result);
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *status)
{
	return cudaGetDriverEntryPointByVersion(symbol, function, CUDA_VERSION, flags, status);
}
