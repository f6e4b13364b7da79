// Protects the driver's queries about a context: the current one, the runtime's by its handle, none, an invalid one. A
// NULL result pointer is refused. A failed call leaves its results unchanged.
#include "check.h"
#include <cuda.h>

static void test_right(CUcontext context)
{
	unsigned long long id = 77;
	unsigned version = 77, flags = 77;
	int active = 77;
	CHECK(cuCtxGetId(context, &id) == CUDA_SUCCESS && id == 1);
	CHECK(cuCtxGetId(NULL, &id) == CUDA_SUCCESS && id == 1); // the current context
	CHECK(cuCtxGetApiVersion(context, &version) == CUDA_SUCCESS && version >= CUDA_VERSION);
	CHECK(cuCtxGetFlags(&flags) == CUDA_SUCCESS && flags != 77);
	flags = 77;
	CHECK(cuDevicePrimaryCtxGetState(0, &flags, &active) == CUDA_SUCCESS && active == 1 && flags != 77);
}

static void test_null(CUcontext context)
{
	unsigned flags = 77;
	int active = 77;
	CHECK(cuCtxGetId(context, NULL) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuCtxGetApiVersion(context, NULL) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuDevicePrimaryCtxGetState(0, NULL, &active) == CUDA_ERROR_INVALID_VALUE && active == 77);
	CHECK(cuDevicePrimaryCtxGetState(0, &flags, NULL) == CUDA_ERROR_INVALID_VALUE && flags == 77);
	CHECK(cuDevicePrimaryCtxGetState(1, &flags, &active) == CUDA_ERROR_INVALID_DEVICE && flags == 77 && active == 77);
}

static void test_wrong(CUcontext context)
{
	unsigned long long id = 77;
	unsigned version = 77;
	CHECK(cuCtxGetId(context, &id) == CUDA_ERROR_INVALID_CONTEXT && id == 77);
	CHECK(cuCtxGetApiVersion(context, &version) == CUDA_ERROR_INVALID_CONTEXT && version == 77);
}

int main()
{
	CUcontext context;
	int other;
	CHECK(cuInit(0) == CUDA_SUCCESS);
	test_wrong(NULL); // no context is current yet
	CHECK(cuCtxCreate(&context, 0, 0) == CUDA_SUCCESS);
	test_right(context);
	test_null(context);
	test_wrong((CUcontext)&other);
	return finish();
}
