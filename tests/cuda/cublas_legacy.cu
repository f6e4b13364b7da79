// Protects cuBLAS's interface without handles: functions return values, and an error stays until it is read.
// Flags: -lcublas_static -lculibos
#include "check.h"
#include <cublas.h>

int main()
{
	float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 0, 2, 0, 1, 1}, c[4] = {1, 1, 1, 1}, *x, *y, *z;
	CHECK(cublasInit() == CUBLAS_STATUS_SUCCESS);
	CHECK(cublasAlloc(6, sizeof *x, (void **)&x) == CUBLAS_STATUS_SUCCESS);
	CHECK(cublasAlloc(6, sizeof *y, (void **)&y) == CUBLAS_STATUS_SUCCESS);
	CHECK(cublasAlloc(4, sizeof *z, (void **)&z) == CUBLAS_STATUS_SUCCESS);
	cublasSetMatrix(2, 3, sizeof *x, a, 2, x, 2);
	cublasSetMatrix(3, 2, sizeof *y, b, 3, y, 3);
	cublasSetMatrix(2, 2, sizeof *z, c, 2, z, 2);
	CHECK(cublasSdot(6, x, 1, y, 1) == 18 && cublasSasum(6, x, 1) == 21 && cublasIsamax(6, x, 1) == 6);
	cublasSgemm('n', 'N', 2, 2, 3, 2.0f, x, 2, y, 3, -1.0f, z, 2);
	CHECK(cublasGetError() == CUBLAS_STATUS_SUCCESS);
	cublasGetMatrix(2, 2, sizeof *z, z, 2, c, 2);
	CHECK(c[0] == 21 && c[1] == 27 && c[2] == 15 && c[3] == 19);
	cublasSgemm('q', 'n', 2, 2, 3, 2.0f, x, 2, y, 3, -1.0f, z, 2);
	cublasSaxpy(4, 1.0f, x, 1, z, 1);
	CHECK(cublasGetError() == CUBLAS_STATUS_INVALID_VALUE);
	CHECK(cublasGetError() == CUBLAS_STATUS_SUCCESS);
	cublasGetVector(4, sizeof *z, z, 1, c, 1);
	CHECK(c[0] == 22 && c[3] == 23);
	CHECK(cublasAlloc(0, 4, (void **)&x) == CUBLAS_STATUS_INVALID_VALUE);
	CHECK(cublasFree(y) == CUBLAS_STATUS_SUCCESS && cublasShutdown() == CUBLAS_STATUS_SUCCESS);
	return finish();
}
