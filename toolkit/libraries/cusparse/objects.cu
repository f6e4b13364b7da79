// cuSPARSE: descriptions of vectors and matrices.
#include "inner.h"

using namespace cusparse;

static bool is_index(cusparseIndexType_t type)
{
	return type == CUSPARSE_INDEX_32I || type == CUSPARSE_INDEX_64I;
}

template <typename D> static cusparseStatus_t destroy(const D *descr)
{
	if (!descr)
		return CUSPARSE_STATUS_INVALID_VALUE;
	delete descr;
	return CUSPARSE_STATUS_SUCCESS;
}

// Values of a description, for reading only or not.
#define VALUES(Object, object)                                                                                         \
	extern "C" cusparseStatus_t cusparse##Object##GetValues(cusparse##Object##Descr_t object, void **values)       \
	{                                                                                                              \
		if (!object || !values)                                                                                \
			return CUSPARSE_STATUS_INVALID_VALUE;                                                          \
		*values = object->values;                                                                              \
		return CUSPARSE_STATUS_SUCCESS;                                                                        \
	}                                                                                                              \
	extern "C" cusparseStatus_t cusparseConst##Object##GetValues(cusparseConst##Object##Descr_t object,            \
	                                                             const void **values)                              \
	{                                                                                                              \
		return cusparse##Object##GetValues((cusparse##Object##Descr_t)object, (void **)values);                \
	}                                                                                                              \
	extern "C" cusparseStatus_t cusparse##Object##SetValues(cusparse##Object##Descr_t object, void *values)        \
	{                                                                                                              \
		if (!object || !values)                                                                                \
			return CUSPARSE_STATUS_INVALID_VALUE;                                                          \
		object->values = values;                                                                               \
		return CUSPARSE_STATUS_SUCCESS;                                                                        \
	}                                                                                                              \
	extern "C" cusparseStatus_t cusparseDestroy##Object(cusparseConst##Object##Descr_t object)                     \
	{                                                                                                              \
		return destroy(object);                                                                                \
	}
VALUES(SpVec, descr)
VALUES(DnVec, descr)
VALUES(SpMat, descr)
VALUES(DnMat, descr)

extern "C" cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t *descr, int64_t size, int64_t nnz, void *indices,
                                                void *values, cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                                cudaDataType type)
{
	if (!descr || size < 0 || nnz < 0 || nnz > size || (nnz && (!indices || !values)) || !is_base(base))
		return CUSPARSE_STATUS_INVALID_VALUE;
	if (!is_index(index_type) || !size_of(type))
		return refused("cusparseCreateSpVec", "no kernel has this type");
	*descr = new cusparseSpVecDescr{size, nnz, indices, values, index_type, base, type};
	return CUSPARSE_STATUS_SUCCESS;
}

extern "C" cusparseStatus_t cusparseCreateConstSpVec(cusparseConstSpVecDescr_t *descr, int64_t size, int64_t nnz,
                                                     const void *indices, const void *values,
                                                     cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                                     cudaDataType type)
{
	return cusparseCreateSpVec((cusparseSpVecDescr_t *)descr, size, nnz, (void *)indices, (void *)values, index_type,
	                           base, type);
}

extern "C" cusparseStatus_t cusparseSpVecGet(cusparseSpVecDescr_t descr, int64_t *size, int64_t *nnz, void **indices,
                                             void **values, cusparseIndexType_t *index_type, cusparseIndexBase_t *base,
                                             cudaDataType *type)
{
	if (!descr)
		return CUSPARSE_STATUS_INVALID_VALUE;
	put(size, descr->size);
	put(nnz, descr->nnz);
	put(indices, descr->indices);
	put(values, descr->values);
	put(index_type, descr->index_type);
	put(base, descr->base);
	put(type, descr->type);
	return CUSPARSE_STATUS_SUCCESS;
}

extern "C" cusparseStatus_t cusparseConstSpVecGet(cusparseConstSpVecDescr_t descr, int64_t *size, int64_t *nnz,
                                                  const void **indices, const void **values,
                                                  cusparseIndexType_t *index_type, cusparseIndexBase_t *base,
                                                  cudaDataType *type)
{
	return cusparseSpVecGet((cusparseSpVecDescr_t)descr, size, nnz, (void **)indices, (void **)values, index_type,
	                        base, type);
}

extern "C" cusparseStatus_t cusparseSpVecGetIndexBase(cusparseConstSpVecDescr_t descr, cusparseIndexBase_t *base)
{
	if (!descr || !base)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*base = descr->base;
	return CUSPARSE_STATUS_SUCCESS;
}

extern "C" cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *descr, int64_t size, void *values,
                                                cudaDataType type)
{
	if (!descr || size < 0 || (size && !values))
		return CUSPARSE_STATUS_INVALID_VALUE;
	if (!size_of(type))
		return refused("cusparseCreateDnVec", "no kernel has this type");
	*descr = new cusparseDnVecDescr{size, values, type};
	return CUSPARSE_STATUS_SUCCESS;
}

extern "C" cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t *descr, int64_t size, const void *values,
                                                     cudaDataType type)
{
	return cusparseCreateDnVec((cusparseDnVecDescr_t *)descr, size, (void *)values, type);
}

extern "C" cusparseStatus_t cusparseDnVecGet(cusparseDnVecDescr_t descr, int64_t *size, void **values,
                                             cudaDataType *type)
{
	if (!descr)
		return CUSPARSE_STATUS_INVALID_VALUE;
	put(size, descr->size);
	put(values, descr->values);
	put(type, descr->type);
	return CUSPARSE_STATUS_SUCCESS;
}

extern "C" cusparseStatus_t cusparseConstDnVecGet(cusparseConstDnVecDescr_t descr, int64_t *size, const void **values,
                                                  cudaDataType *type)
{
	return cusparseDnVecGet((cusparseDnVecDescr_t)descr, size, (void **)values, type);
}

extern "C" cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *descr, int64_t rows, int64_t columns, int64_t ld,
                                                void *values, cudaDataType type, cusparseOrder_t order)
{
	if (!descr || rows < 0 || columns < 0 || (rows && columns && !values) ||
	    (order != CUSPARSE_ORDER_COL && order != CUSPARSE_ORDER_ROW) ||
	    ld < (order == CUSPARSE_ORDER_COL ? rows : columns))
		return CUSPARSE_STATUS_INVALID_VALUE;
	if (!size_of(type))
		return refused("cusparseCreateDnMat", "no kernel has this type");
	*descr = new cusparseDnMatDescr{rows, columns, ld, values, type, order, 1, 0};
	return CUSPARSE_STATUS_SUCCESS;
}

extern "C" cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t *descr, int64_t rows, int64_t columns,
                                                     int64_t ld, const void *values, cudaDataType type,
                                                     cusparseOrder_t order)
{
	return cusparseCreateDnMat((cusparseDnMatDescr_t *)descr, rows, columns, ld, (void *)values, type, order);
}

extern "C" cusparseStatus_t cusparseDnMatGet(cusparseDnMatDescr_t descr, int64_t *rows, int64_t *columns, int64_t *ld,
                                             void **values, cudaDataType *type, cusparseOrder_t *order)
{
	if (!descr)
		return CUSPARSE_STATUS_INVALID_VALUE;
	put(rows, descr->rows);
	put(columns, descr->columns);
	put(ld, descr->ld);
	put(values, descr->values);
	put(type, descr->type);
	put(order, descr->order);
	return CUSPARSE_STATUS_SUCCESS;
}

extern "C" cusparseStatus_t cusparseConstDnMatGet(cusparseConstDnMatDescr_t descr, int64_t *rows, int64_t *columns,
                                                  int64_t *ld, const void **values, cudaDataType *type,
                                                  cusparseOrder_t *order)
{
	return cusparseDnMatGet((cusparseDnMatDescr_t)descr, rows, columns, ld, (void **)values, type, order);
}

extern "C" cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t descr, int count, int64_t stride)
{
	if (!descr || count < 1 || stride < 0)
		return CUSPARSE_STATUS_INVALID_VALUE;
	descr->count = count;
	descr->stride = stride;
	return CUSPARSE_STATUS_SUCCESS;
}

extern "C" cusparseStatus_t cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t descr, int *count, int64_t *stride)
{
	if (!descr)
		return CUSPARSE_STATUS_INVALID_VALUE;
	put(count, descr->count);
	put(stride, descr->stride);
	return CUSPARSE_STATUS_SUCCESS;
}
