// cuSPARSE: handles, versions, statuses, and descriptions of matrices for functions that take arrays.
#include "inner.h"

#include <cstdio>

using namespace cusparse;

cusparseStatus_t cusparse::refused(const char *name, const char *reason)
{
	fprintf(stderr, "sluice: %s: %s\n", name, reason);
	return CUSPARSE_STATUS_NOT_SUPPORTED;
}

#define REFUSED(name, reason)                                                                                          \
	extern "C" cusparseStatus_t name(...)                                                                          \
	{                                                                                                              \
		return refused(#name, reason);                                                                         \
	}
SLUICE_CUSPARSE_REFUSED(REFUSED)

extern "C" cusparseStatus_t cusparseCreate(cusparseHandle_t *handle)
{
	if (!handle)
		return CUSPARSE_STATUS_INVALID_VALUE;
	cusparseContext *made = new cusparseContext();
	if (cudaMalloc(&made->scratch, SCRATCH_BYTES) != cudaSuccess) {
		delete made;
		return CUSPARSE_STATUS_ALLOC_FAILED;
	}
	*handle = made;
	return CUSPARSE_STATUS_SUCCESS;
}

extern "C" cusparseStatus_t cusparseDestroy(cusparseHandle_t handle)
{
	if (!handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	cudaFree(handle->scratch);
	delete handle;
	return CUSPARSE_STATUS_SUCCESS;
}

extern "C" cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int *version)
{
	if (!handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (!version)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*version = CUSPARSE_VERSION;
	return CUSPARSE_STATUS_SUCCESS;
}

extern "C" cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int *value)
{
	const int numbers[] = {CUSPARSE_VER_MAJOR, CUSPARSE_VER_MINOR, CUSPARSE_VER_PATCH};
	if (!value || type < MAJOR_VERSION || type > PATCH_LEVEL)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*value = numbers[type];
	return CUSPARSE_STATUS_SUCCESS;
}

extern "C" cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream)
{
	if (!handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	handle->stream = stream;
	return CUSPARSE_STATUS_SUCCESS;
}

extern "C" cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t *stream)
{
	if (!handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (!stream)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*stream = handle->stream;
	return CUSPARSE_STATUS_SUCCESS;
}

extern "C" cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode)
{
	if (!handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (mode != CUSPARSE_POINTER_MODE_HOST && mode != CUSPARSE_POINTER_MODE_DEVICE)
		return CUSPARSE_STATUS_INVALID_VALUE;
	handle->pointers = mode;
	return CUSPARSE_STATUS_SUCCESS;
}

extern "C" cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t *mode)
{
	if (!handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (!mode)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*mode = handle->pointers;
	return CUSPARSE_STATUS_SUCCESS;
}

#define STATUSES(X)                                                                                                    \
	X(SUCCESS, "success")                                                                                          \
	X(NOT_INITIALIZED, "the handle was not created")                                                               \
	X(ALLOC_FAILED, "no memory is left")                                                                           \
	X(INVALID_VALUE, "a parameter has an invalid value")                                                           \
	X(ARCH_MISMATCH, "the device does not support it")                                                             \
	X(MAPPING_ERROR, "memory could not be copied")                                                                 \
	X(EXECUTION_FAILED, "a kernel could not be launched")                                                          \
	X(INTERNAL_ERROR, "an internal operation failed")                                                              \
	X(MATRIX_TYPE_NOT_SUPPORTED, "the type of the matrix is not supported")                                        \
	X(ZERO_PIVOT, "the matrix has a pivot of zero")                                                                \
	X(NOT_SUPPORTED, "it is not supported")                                                                        \
	X(INSUFFICIENT_RESOURCES, "the device has too few resources")

extern "C" const char *cusparseGetErrorName(cusparseStatus_t status)
{
	switch (status) {
#define NAME(name, text)                                                                                               \
	case CUSPARSE_STATUS_##name:                                                                                   \
		return "CUSPARSE_STATUS_" #name;
		STATUSES(NAME)
	}
	return "unrecognized error code";
}

extern "C" const char *cusparseGetErrorString(cusparseStatus_t status)
{
	switch (status) {
#define TEXT(name, text)                                                                                               \
	case CUSPARSE_STATUS_##name:                                                                                   \
		return text;
		STATUSES(TEXT)
	}
	return "unrecognized error code";
}

extern "C" cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *descr)
{
	if (!descr)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*descr = new cusparseMatDescr();
	return CUSPARSE_STATUS_SUCCESS;
}

extern "C" cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descr)
{
	delete descr;
	return CUSPARSE_STATUS_SUCCESS;
}

#define PROPERTY(Name, Type, member, last)                                                                             \
	extern "C" cusparseStatus_t cusparseSetMat##Name(cusparseMatDescr_t descr, Type value)                         \
	{                                                                                                              \
		if (!descr || value < 0 || value > last)                                                               \
			return CUSPARSE_STATUS_INVALID_VALUE;                                                          \
		descr->member = value;                                                                                 \
		return CUSPARSE_STATUS_SUCCESS;                                                                        \
	}                                                                                                              \
	extern "C" Type cusparseGetMat##Name(const cusparseMatDescr_t descr)                                           \
	{                                                                                                              \
		return descr->member;                                                                                  \
	}
PROPERTY(Type, cusparseMatrixType_t, type, CUSPARSE_MATRIX_TYPE_TRIANGULAR)
PROPERTY(FillMode, cusparseFillMode_t, fill, CUSPARSE_FILL_MODE_UPPER)
PROPERTY(DiagType, cusparseDiagType_t, diag, CUSPARSE_DIAG_TYPE_UNIT)
PROPERTY(IndexBase, cusparseIndexBase_t, base, CUSPARSE_INDEX_BASE_ONE)
