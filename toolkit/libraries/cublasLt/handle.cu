// cuBLASLt: handles, versions and statuses.
#include <cublasLt.h>

struct cublasLtContext {
	int unused;
};

extern "C" cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle)
{
	if (!handle)
		return CUBLAS_STATUS_INVALID_VALUE;
	*handle = new cublasLtContext();
	return CUBLAS_STATUS_SUCCESS;
}

extern "C" cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle)
{
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	delete handle;
	return CUBLAS_STATUS_SUCCESS;
}

extern "C" size_t cublasLtGetVersion(void)
{
	return CUBLAS_VERSION;
}

extern "C" size_t cublasLtGetCudartVersion(void)
{
	int version = 0;
	cudaRuntimeGetVersion(&version);
	return version;
}

extern "C" cublasStatus_t cublasLtGetProperty(libraryPropertyType type, int *value)
{
	const int numbers[] = {CUBLAS_VER_MAJOR, CUBLAS_VER_MINOR, CUBLAS_VER_PATCH};
	if (!value || type < MAJOR_VERSION || type > PATCH_LEVEL)
		return CUBLAS_STATUS_INVALID_VALUE;
	*value = numbers[type];
	return CUBLAS_STATUS_SUCCESS;
}

#define STATUSES(X)                                                                                                    \
	X(SUCCESS, "success")                                                                                          \
	X(NOT_INITIALIZED, "the library was not initialized")                                                          \
	X(ALLOC_FAILED, "no memory is left")                                                                           \
	X(INVALID_VALUE, "a parameter has an invalid value")                                                           \
	X(ARCH_MISMATCH, "the device does not support it")                                                             \
	X(MAPPING_ERROR, "memory could not be copied")                                                                 \
	X(EXECUTION_FAILED, "a kernel could not be launched")                                                          \
	X(INTERNAL_ERROR, "an internal operation failed")                                                              \
	X(NOT_SUPPORTED, "it is not supported")                                                                        \
	X(LICENSE_ERROR, "a license is missing")

extern "C" const char *cublasLtGetStatusName(cublasStatus_t status)
{
	switch (status) {
#define NAME(name, text)                                                                                               \
	case CUBLAS_STATUS_##name:                                                                                     \
		return "CUBLAS_STATUS_" #name;
		STATUSES(NAME)
	}
	return "CUBLAS_STATUS_UNKNOWN";
}

extern "C" const char *cublasLtGetStatusString(cublasStatus_t status)
{
	switch (status) {
#define TEXT(name, text)                                                                                               \
	case CUBLAS_STATUS_##name:                                                                                     \
		return text;
		STATUSES(TEXT)
	}
	return "unknown status";
}
