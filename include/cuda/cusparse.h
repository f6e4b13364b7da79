/* cusparse: sparse matrices and vectors, a small library by Sluice (docs/reference/cuda-headers.md).
 *
 * A description names arrays of the device and copies none. Calls that do not return CUSPARSE_STATUS_SUCCESS have done
 * nothing. Functions of sluice/cusparse_refused.h and cases that no kernel here computes return
 * CUSPARSE_STATUS_NOT_SUPPORTED and print the function's name with the reason.
 */
#ifndef CUSPARSE_H_
#define CUSPARSE_H_

#include "sluice/macros_off.h"

#include <cuComplex.h>
#include <cuda_runtime_api.h>
#include <library_types.h>
#include <stdint.h>
#include <stdio.h>

#if __SLUICE_CUDA__ == 11
#define CUSPARSE_VER_MAJOR 11
#define CUSPARSE_VER_MINOR 7
#define CUSPARSE_VER_PATCH 0
#elif __SLUICE_CUDA__ == 12
#define CUSPARSE_VER_MAJOR 12
#define CUSPARSE_VER_MINOR 3
#define CUSPARSE_VER_PATCH 0
#else
#define CUSPARSE_VER_MAJOR 12
#define CUSPARSE_VER_MINOR 6
#define CUSPARSE_VER_PATCH 3
#endif
#define CUSPARSE_VER_BUILD 0
#define CUSPARSE_VERSION   (CUSPARSE_VER_MAJOR * 1000 + CUSPARSE_VER_MINOR * 100 + CUSPARSE_VER_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

#include "sluice/cusparse_types.h"

cusparseStatus_t cusparseCreate(cusparseHandle_t *handle);
cusparseStatus_t cusparseDestroy(cusparseHandle_t handle);
cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int *version);
cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int *value);
const char *cusparseGetErrorName(cusparseStatus_t status);
const char *cusparseGetErrorString(cusparseStatus_t status);
cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream);
cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t *stream);
cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode);
cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t *mode);

/* Sparse vectors. */
cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t *descr, int64_t size, int64_t nnz, void *indices,
                                     void *values, cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                     cudaDataType type);
cusparseStatus_t cusparseCreateConstSpVec(cusparseConstSpVecDescr_t *descr, int64_t size, int64_t nnz,
                                          const void *indices, const void *values, cusparseIndexType_t index_type,
                                          cusparseIndexBase_t base, cudaDataType type);
cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t descr);
cusparseStatus_t cusparseSpVecGet(cusparseSpVecDescr_t descr, int64_t *size, int64_t *nnz, void **indices,
                                  void **values, cusparseIndexType_t *index_type, cusparseIndexBase_t *base,
                                  cudaDataType *type);
cusparseStatus_t cusparseConstSpVecGet(cusparseConstSpVecDescr_t descr, int64_t *size, int64_t *nnz,
                                       const void **indices, const void **values, cusparseIndexType_t *index_type,
                                       cusparseIndexBase_t *base, cudaDataType *type);
cusparseStatus_t cusparseSpVecGetIndexBase(cusparseConstSpVecDescr_t descr, cusparseIndexBase_t *base);
cusparseStatus_t cusparseSpVecGetValues(cusparseSpVecDescr_t descr, void **values);
cusparseStatus_t cusparseConstSpVecGetValues(cusparseConstSpVecDescr_t descr, const void **values);
cusparseStatus_t cusparseSpVecSetValues(cusparseSpVecDescr_t descr, void *values);

/* Dense vectors. */
cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *descr, int64_t size, void *values, cudaDataType type);
cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t *descr, int64_t size, const void *values,
                                          cudaDataType type);
cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t descr);
cusparseStatus_t cusparseDnVecGet(cusparseDnVecDescr_t descr, int64_t *size, void **values, cudaDataType *type);
cusparseStatus_t cusparseConstDnVecGet(cusparseConstDnVecDescr_t descr, int64_t *size, const void **values,
                                       cudaDataType *type);
cusparseStatus_t cusparseDnVecGetValues(cusparseDnVecDescr_t descr, void **values);
cusparseStatus_t cusparseConstDnVecGetValues(cusparseConstDnVecDescr_t descr, const void **values);
cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t descr, void *values);

/* Sparse matrices: rows (CSR) or columns (CSC) that begin at offsets, or entries with their row and column, in the
 * order of rows (COO). */
cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t *descr, int64_t rows, int64_t columns, int64_t nnz,
                                   void *offsets, void *indices, void *values, cusparseIndexType_t offset_type,
                                   cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type);
cusparseStatus_t cusparseCreateConstCsr(cusparseConstSpMatDescr_t *descr, int64_t rows, int64_t columns, int64_t nnz,
                                        const void *offsets, const void *indices, const void *values,
                                        cusparseIndexType_t offset_type, cusparseIndexType_t index_type,
                                        cusparseIndexBase_t base, cudaDataType type);
cusparseStatus_t cusparseCreateCsc(cusparseSpMatDescr_t *descr, int64_t rows, int64_t columns, int64_t nnz,
                                   void *offsets, void *indices, void *values, cusparseIndexType_t offset_type,
                                   cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type);
cusparseStatus_t cusparseCreateConstCsc(cusparseConstSpMatDescr_t *descr, int64_t rows, int64_t columns, int64_t nnz,
                                        const void *offsets, const void *indices, const void *values,
                                        cusparseIndexType_t offset_type, cusparseIndexType_t index_type,
                                        cusparseIndexBase_t base, cudaDataType type);
cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t *descr, int64_t rows, int64_t columns, int64_t nnz,
                                   void *row_indices, void *column_indices, void *values,
                                   cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type);
cusparseStatus_t cusparseCreateConstCoo(cusparseConstSpMatDescr_t *descr, int64_t rows, int64_t columns, int64_t nnz,
                                        const void *row_indices, const void *column_indices, const void *values,
                                        cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type);
cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t descr);
cusparseStatus_t cusparseCsrGet(cusparseSpMatDescr_t descr, int64_t *rows, int64_t *columns, int64_t *nnz,
                                void **offsets, void **indices, void **values, cusparseIndexType_t *offset_type,
                                cusparseIndexType_t *index_type, cusparseIndexBase_t *base, cudaDataType *type);
cusparseStatus_t cusparseConstCsrGet(cusparseConstSpMatDescr_t descr, int64_t *rows, int64_t *columns, int64_t *nnz,
                                     const void **offsets, const void **indices, const void **values,
                                     cusparseIndexType_t *offset_type, cusparseIndexType_t *index_type,
                                     cusparseIndexBase_t *base, cudaDataType *type);
cusparseStatus_t cusparseCscGet(cusparseSpMatDescr_t descr, int64_t *rows, int64_t *columns, int64_t *nnz,
                                void **offsets, void **indices, void **values, cusparseIndexType_t *offset_type,
                                cusparseIndexType_t *index_type, cusparseIndexBase_t *base, cudaDataType *type);
cusparseStatus_t cusparseConstCscGet(cusparseConstSpMatDescr_t descr, int64_t *rows, int64_t *columns, int64_t *nnz,
                                     const void **offsets, const void **indices, const void **values,
                                     cusparseIndexType_t *offset_type, cusparseIndexType_t *index_type,
                                     cusparseIndexBase_t *base, cudaDataType *type);
cusparseStatus_t cusparseCooGet(cusparseSpMatDescr_t descr, int64_t *rows, int64_t *columns, int64_t *nnz,
                                void **row_indices, void **column_indices, void **values,
                                cusparseIndexType_t *index_type, cusparseIndexBase_t *base, cudaDataType *type);
cusparseStatus_t cusparseConstCooGet(cusparseConstSpMatDescr_t descr, int64_t *rows, int64_t *columns, int64_t *nnz,
                                     const void **row_indices, const void **column_indices, const void **values,
                                     cusparseIndexType_t *index_type, cusparseIndexBase_t *base, cudaDataType *type);
cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t descr, void *offsets, void *indices, void *values);
cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t descr, void *offsets, void *indices, void *values);
cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t descr, void *rows, void *columns, void *values);
cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t descr, cusparseFormat_t *format);
cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t descr, cusparseIndexBase_t *base);
cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t descr, int64_t *rows, int64_t *columns, int64_t *nnz);
cusparseStatus_t cusparseSpMatGetValues(cusparseSpMatDescr_t descr, void **values);
cusparseStatus_t cusparseConstSpMatGetValues(cusparseConstSpMatDescr_t descr, const void **values);
cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t descr, void *values);
cusparseStatus_t cusparseSpMatGetStridedBatch(cusparseConstSpMatDescr_t descr, int *count);
cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t descr, int count, int64_t stride);
cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t descr, int count, int64_t offset_stride,
                                            int64_t value_stride);
cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t descr, cusparseSpMatAttribute_t attribute,
                                           void *data, size_t bytes);
cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t descr, cusparseSpMatAttribute_t attribute, void *data,
                                           size_t bytes);

/* Dense matrices. */
cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *descr, int64_t rows, int64_t columns, int64_t ld,
                                     void *values, cudaDataType type, cusparseOrder_t order);
cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t *descr, int64_t rows, int64_t columns, int64_t ld,
                                          const void *values, cudaDataType type, cusparseOrder_t order);
cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t descr);
cusparseStatus_t cusparseDnMatGet(cusparseDnMatDescr_t descr, int64_t *rows, int64_t *columns, int64_t *ld,
                                  void **values, cudaDataType *type, cusparseOrder_t *order);
cusparseStatus_t cusparseConstDnMatGet(cusparseConstDnMatDescr_t descr, int64_t *rows, int64_t *columns, int64_t *ld,
                                       const void **values, cudaDataType *type, cusparseOrder_t *order);
cusparseStatus_t cusparseDnMatGetValues(cusparseDnMatDescr_t descr, void **values);
cusparseStatus_t cusparseConstDnMatGetValues(cusparseConstDnMatDescr_t descr, const void **values);
cusparseStatus_t cusparseDnMatSetValues(cusparseDnMatDescr_t descr, void *values);
cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t descr, int count, int64_t stride);
cusparseStatus_t cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t descr, int *count, int64_t *stride);

/* Operations with sparse vectors: y = alpha x + beta y; x = y at the indices; y = x at the indices; a rotation; the dot
 * product. */
cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void *alpha, cusparseConstSpVecDescr_t x,
                               const void *beta, cusparseDnVecDescr_t y);
cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t y, cusparseSpVecDescr_t x);
cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t x, cusparseDnVecDescr_t y);
cusparseStatus_t cusparseRot(cusparseHandle_t handle, const void *c, const void *s, cusparseSpVecDescr_t x,
                             cusparseDnVecDescr_t y);
cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op, cusparseConstSpVecDescr_t x,
                                         cusparseConstDnVecDescr_t y, const void *result, cudaDataType compute,
                                         size_t *bytes);
cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t op, cusparseConstSpVecDescr_t x,
                              cusparseConstDnVecDescr_t y, void *result, cudaDataType compute, void *buffer);

/* y = alpha op(A) x + beta y. */
cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void *beta,
                                         cusparseDnVecDescr_t y, cudaDataType compute, cusparseSpMVAlg_t alg,
                                         size_t *bytes);
cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void *beta,
                                         cusparseDnVecDescr_t y, cudaDataType compute, cusparseSpMVAlg_t alg,
                                         void *buffer);
cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
                              cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void *beta,
                              cusparseDnVecDescr_t y, cudaDataType compute, cusparseSpMVAlg_t alg, void *buffer);

/* C = alpha op(A) op(B) + beta C. */
cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
                                         const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                         const void *beta, cusparseDnMatDescr_t c, cudaDataType compute,
                                         cusparseSpMMAlg_t alg, size_t *bytes);
cusparseStatus_t cusparseSpMM_preprocess(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
                                         const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                         const void *beta, cusparseDnMatDescr_t c, cudaDataType compute,
                                         cusparseSpMMAlg_t alg, void *buffer);
cusparseStatus_t cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
                              const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                              const void *beta, cusparseDnMatDescr_t c, cudaDataType compute, cusparseSpMMAlg_t alg,
                              void *buffer);

/* Conversions. DenseToSparse_analysis determines the number of entries, and needs the stream's end. */
cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle, cusparseConstSpMatDescr_t a,
                                                  cusparseDnMatDescr_t b, cusparseSparseToDenseAlg_t alg,
                                                  size_t *bytes);
cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t a, cusparseDnMatDescr_t b,
                                       cusparseSparseToDenseAlg_t alg, void *buffer);
cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                                  cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t alg,
                                                  size_t *bytes);
cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                                cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t alg, void *buffer);
cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                               cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t alg, void *buffer);

#include "sluice/cusparse_legacy.h"
#include "sluice/cusparse_refused.h"

#ifdef __cplusplus
}
#endif

#include "sluice/macros_on.h"

#endif
