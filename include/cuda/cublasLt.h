/* cublasLt: products of matrices with a choice of orders, batches and a last step (epilogue), a small library by Sluice
 * (docs/reference/cuda-headers.md): D = epilogue(alpha op(A) op(B) + beta C).
 *
 * Descriptions take attributes by number. A call returns CUBLAS_STATUS_NOT_SUPPORTED if no kernel here computes what
 * the descriptions say; it has done nothing then.
 */
#ifndef CUBLASLT_H_
#define CUBLASLT_H_

#include "sluice/macros_off.h"

#include "cublas_v2.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cublasLtContext *cublasLtHandle_t;

/* Descriptions, which a program may also have as its own variables. */
typedef struct {
	uint64_t data[8];
} cublasLtMatrixLayoutOpaque_t;
typedef struct {
	uint64_t data[32];
} cublasLtMatmulDescOpaque_t;
typedef struct {
	uint64_t data[8];
} cublasLtMatmulPreferenceOpaque_t;
typedef struct {
	uint64_t data[8];
} cublasLtMatmulAlgo_t;
typedef cublasLtMatrixLayoutOpaque_t *cublasLtMatrixLayout_t;
typedef cublasLtMatmulDescOpaque_t *cublasLtMatmulDesc_t;
typedef cublasLtMatmulPreferenceOpaque_t *cublasLtMatmulPreference_t;

#include "sluice/cublaslt_types.h"

typedef struct {
	cublasLtMatmulAlgo_t algo;
	size_t workspaceSize;
	cublasStatus_t state;
	float wavesCount;
	int reserved[4];
} cublasLtMatmulHeuristicResult_t;

cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle);
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle);
const char *cublasLtGetStatusName(cublasStatus_t status);
const char *cublasLtGetStatusString(cublasStatus_t status);
size_t cublasLtGetVersion(void);
size_t cublasLtGetCudartVersion(void);
cublasStatus_t cublasLtGetProperty(libraryPropertyType type, int *value);

/* The set calls need the attribute's exact size. The get calls also return the size; a size of 0 asks only for it. */
#define SLUICE_ATTRIBUTES(object, type, attribute)                                                                     \
	cublasStatus_t object##SetAttribute(type object, attribute attr, const void *value, size_t bytes);             \
	cublasStatus_t object##GetAttribute(type object, attribute attr, void *value, size_t bytes, size_t *written);  \
	cublasStatus_t object##Destroy(type object);
SLUICE_ATTRIBUTES(cublasLtMatrixLayout, cublasLtMatrixLayout_t, cublasLtMatrixLayoutAttribute_t)
SLUICE_ATTRIBUTES(cublasLtMatmulDesc, cublasLtMatmulDesc_t, cublasLtMatmulDescAttributes_t)
SLUICE_ATTRIBUTES(cublasLtMatmulPreference, cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t)
#undef SLUICE_ATTRIBUTES

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout, cudaDataType type, uint64_t rows,
                                          uint64_t columns, int64_t ld);
cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t layout, size_t bytes, cudaDataType type,
                                                 uint64_t rows, uint64_t columns, int64_t ld);
static inline cublasStatus_t cublasLtMatrixLayoutInit(cublasLtMatrixLayout_t layout, cudaDataType type, uint64_t rows,
                                                      uint64_t columns, int64_t ld)
{
	return cublasLtMatrixLayoutInit_internal(layout, sizeof *layout, type, rows, columns, ld);
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *desc, cublasComputeType_t compute, cudaDataType_t scale);
cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t desc, size_t bytes, cublasComputeType_t compute,
                                               cudaDataType_t scale);
static inline cublasStatus_t cublasLtMatmulDescInit(cublasLtMatmulDesc_t desc, cublasComputeType_t compute,
                                                    cudaDataType_t scale)
{
	return cublasLtMatmulDescInit_internal(desc, sizeof *desc, compute, scale);
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference);
cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t preference, size_t bytes);
static inline cublasStatus_t cublasLtMatmulPreferenceInit(cublasLtMatmulPreference_t preference)
{
	return cublasLtMatmulPreferenceInit_internal(preference, sizeof *preference);
}

/* Each supported product has one algorithm, with number 0, which needs no workspace. */
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                                              cublasLtMatrixLayout_t layout_a, cublasLtMatrixLayout_t layout_b,
                                              cublasLtMatrixLayout_t layout_c, cublasLtMatrixLayout_t layout_d,
                                              cublasLtMatmulPreference_t preference, int requested,
                                              cublasLtMatmulHeuristicResult_t results[], int *returned);
cublasStatus_t cublasLtMatmulAlgoGetIds(cublasLtHandle_t handle, cublasComputeType_t compute, cudaDataType_t scale,
                                        cudaDataType_t type_a, cudaDataType_t type_b, cudaDataType_t type_c,
                                        cudaDataType_t type_d, int requested, int ids[], int *returned);
cublasStatus_t cublasLtMatmulAlgoInit(cublasLtHandle_t handle, cublasComputeType_t compute, cudaDataType_t scale,
                                      cudaDataType_t type_a, cudaDataType_t type_b, cudaDataType_t type_c,
                                      cudaDataType_t type_d, int id, cublasLtMatmulAlgo_t *algo);
cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                                       cublasLtMatrixLayout_t layout_a, cublasLtMatrixLayout_t layout_b,
                                       cublasLtMatrixLayout_t layout_c, cublasLtMatrixLayout_t layout_d,
                                       const cublasLtMatmulAlgo_t *algo, cublasLtMatmulHeuristicResult_t *result);

/* algo: NULL, or one from a call above. */
cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha, const void *a,
                              cublasLtMatrixLayout_t layout_a, const void *b, cublasLtMatrixLayout_t layout_b,
                              const void *beta, const void *c, cublasLtMatrixLayout_t layout_c, void *d,
                              cublasLtMatrixLayout_t layout_d, const cublasLtMatmulAlgo_t *algo, void *workspace,
                              size_t workspace_bytes, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#include "sluice/macros_on.h"

#endif
