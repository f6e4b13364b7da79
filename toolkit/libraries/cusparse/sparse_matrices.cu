// cuSPARSE: descriptions of sparse matrices.
#include "matrix.h"

using namespace cusparse;

static cusparseStatus_t create(const char *name, cusparseSpMatDescr_t *descr, const cusparseSpMatDescr &made)
{
	int64_t lines = made.format == CUSPARSE_FORMAT_CSC ? made.columns : made.rows;
	bool offsets = made.offsets || (made.format == CUSPARSE_FORMAT_COO ? !made.nnz : !lines);
	if (!descr || made.rows < 0 || made.columns < 0 || made.nnz < 0 || !is_base(made.base) || !offsets ||
	    (made.nnz && (!made.indices || !made.values)) ||
	    (made.columns && made.nnz / made.columns > made.rows))
		return CUSPARSE_STATUS_INVALID_VALUE;
	bool wide = made.offset_type == CUSPARSE_INDEX_64I;
	bool narrow = made.offset_type == CUSPARSE_INDEX_32I && made.index_type == CUSPARSE_INDEX_32I;
	if (!(narrow || (wide && (made.index_type == CUSPARSE_INDEX_32I || made.index_type == CUSPARSE_INDEX_64I))) ||
	    !size_of(made.type))
		return refused(name, "no kernel has this combination of types");
	*descr = new cusparseSpMatDescr(made);
	return CUSPARSE_STATUS_SUCCESS;
}

#define OFFSETS(Format, FORMAT)                                                                                        \
	extern "C" cusparseStatus_t cusparseCreate##Format(                                                            \
		cusparseSpMatDescr_t *descr, int64_t rows, int64_t columns, int64_t nnz, void *offsets, void *indices, \
		void *values, cusparseIndexType_t offset_type, cusparseIndexType_t index_type,                         \
		cusparseIndexBase_t base, cudaDataType type)                                                           \
	{                                                                                                              \
		return create("cusparseCreate" #Format, descr,                                                         \
		              {CUSPARSE_FORMAT_##FORMAT, rows, columns, nnz, offsets, indices, values, offset_type,    \
		               index_type, base, type, 1});                                                            \
	}                                                                                                              \
	extern "C" cusparseStatus_t cusparseCreateConst##Format(                                                       \
		cusparseConstSpMatDescr_t *descr, int64_t rows, int64_t columns, int64_t nnz, const void *offsets,     \
		const void *indices, const void *values, cusparseIndexType_t offset_type,                              \
		cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type)                           \
	{                                                                                                              \
		return cusparseCreate##Format((cusparseSpMatDescr_t *)descr, rows, columns, nnz, (void *)offsets,      \
		                              (void *)indices, (void *)values, offset_type, index_type, base, type);   \
	}                                                                                                              \
	extern "C" cusparseStatus_t cusparse##Format##Get(                                                             \
		cusparseSpMatDescr_t descr, int64_t *rows, int64_t *columns, int64_t *nnz, void **offsets,             \
		void **indices, void **values, cusparseIndexType_t *offset_type, cusparseIndexType_t *index_type,      \
		cusparseIndexBase_t *base, cudaDataType *type)                                                         \
	{                                                                                                              \
		return get(CUSPARSE_FORMAT_##FORMAT, descr, rows, columns, nnz, offsets, indices, values, offset_type, \
		           index_type, base, type);                                                                    \
	}                                                                                                              \
	extern "C" cusparseStatus_t cusparseConst##Format##Get(                                                        \
		cusparseConstSpMatDescr_t descr, int64_t *rows, int64_t *columns, int64_t *nnz, const void **offsets,  \
		const void **indices, const void **values, cusparseIndexType_t *offset_type,                           \
		cusparseIndexType_t *index_type, cusparseIndexBase_t *base, cudaDataType *type)                        \
	{                                                                                                              \
		return get(CUSPARSE_FORMAT_##FORMAT, descr, rows, columns, nnz, (void **)offsets, (void **)indices,    \
		           (void **)values, offset_type, index_type, base, type);                                      \
	}                                                                                                              \
	extern "C" cusparseStatus_t cusparse##Format##SetPointers(cusparseSpMatDescr_t descr, void *offsets,           \
	                                                          void *indices, void *values)                         \
	{                                                                                                              \
		return set_pointers(CUSPARSE_FORMAT_##FORMAT, descr, offsets, indices, values);                        \
	}

static cusparseStatus_t get(cusparseFormat_t format, cusparseConstSpMatDescr_t descr, int64_t *rows, int64_t *columns,
                            int64_t *nnz, void **offsets, void **indices, void **values,
                            cusparseIndexType_t *offset_type, cusparseIndexType_t *index_type,
                            cusparseIndexBase_t *base, cudaDataType *type)
{
	if (!descr || descr->format != format)
		return CUSPARSE_STATUS_INVALID_VALUE;
	put(rows, descr->rows);
	put(columns, descr->columns);
	put(nnz, descr->nnz);
	put(offsets, descr->offsets);
	put(indices, descr->indices);
	put(values, descr->values);
	put(offset_type, descr->offset_type);
	put(index_type, descr->index_type);
	put(base, descr->base);
	put(type, descr->type);
	return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t set_pointers(cusparseFormat_t format, cusparseSpMatDescr_t descr, void *offsets, void *indices,
                                     void *values)
{
	if (!descr || descr->format != format || !offsets || (descr->nnz && (!indices || !values)))
		return CUSPARSE_STATUS_INVALID_VALUE;
	descr->offsets = offsets;
	descr->indices = indices;
	descr->values = values;
	return CUSPARSE_STATUS_SUCCESS;
}

OFFSETS(Csr, CSR)
OFFSETS(Csc, CSC)

extern "C" cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t *descr, int64_t rows, int64_t columns, int64_t nnz,
                                              void *row_indices, void *column_indices, void *values,
                                              cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                              cudaDataType type)
{
	return create("cusparseCreateCoo", descr,
	              {CUSPARSE_FORMAT_COO, rows, columns, nnz, row_indices, column_indices, values, index_type,
	               index_type, base, type, 1});
}

extern "C" cusparseStatus_t cusparseCreateConstCoo(cusparseConstSpMatDescr_t *descr, int64_t rows, int64_t columns,
                                                   int64_t nnz, const void *row_indices, const void *column_indices,
                                                   const void *values, cusparseIndexType_t index_type,
                                                   cusparseIndexBase_t base, cudaDataType type)
{
	return cusparseCreateCoo((cusparseSpMatDescr_t *)descr, rows, columns, nnz, (void *)row_indices,
	                         (void *)column_indices, (void *)values, index_type, base, type);
}

extern "C" cusparseStatus_t cusparseCooGet(cusparseSpMatDescr_t descr, int64_t *rows, int64_t *columns, int64_t *nnz,
                                           void **row_indices, void **column_indices, void **values,
                                           cusparseIndexType_t *index_type, cusparseIndexBase_t *base,
                                           cudaDataType *type)
{
	return get(CUSPARSE_FORMAT_COO, descr, rows, columns, nnz, row_indices, column_indices, values, nullptr,
	           index_type, base, type);
}

extern "C" cusparseStatus_t cusparseConstCooGet(cusparseConstSpMatDescr_t descr, int64_t *rows, int64_t *columns,
                                                int64_t *nnz, const void **row_indices, const void **column_indices,
                                                const void **values, cusparseIndexType_t *index_type,
                                                cusparseIndexBase_t *base, cudaDataType *type)
{
	return get(CUSPARSE_FORMAT_COO, descr, rows, columns, nnz, (void **)row_indices, (void **)column_indices,
	           (void **)values, nullptr, index_type, base, type);
}

extern "C" cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t descr, void *rows, void *columns, void *values)
{
	return set_pointers(CUSPARSE_FORMAT_COO, descr, rows, columns, values);
}

extern "C" cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t descr, cusparseFormat_t *format)
{
	if (!descr || !format)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*format = descr->format;
	return CUSPARSE_STATUS_SUCCESS;
}

extern "C" cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t descr, cusparseIndexBase_t *base)
{
	if (!descr || !base)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*base = descr->base;
	return CUSPARSE_STATUS_SUCCESS;
}

extern "C" cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t descr, int64_t *rows, int64_t *columns,
                                                 int64_t *nnz)
{
	if (!descr)
		return CUSPARSE_STATUS_INVALID_VALUE;
	put(rows, descr->rows);
	put(columns, descr->columns);
	put(nnz, descr->nnz);
	return CUSPARSE_STATUS_SUCCESS;
}

extern "C" cusparseStatus_t cusparseSpMatGetStridedBatch(cusparseConstSpMatDescr_t descr, int *count)
{
	if (!descr || !count)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*count = descr->count;
	return CUSPARSE_STATUS_SUCCESS;
}

extern "C" cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t descr, int count, int64_t offset_stride,
                                                       int64_t value_stride)
{
	if (!descr || descr->format == CUSPARSE_FORMAT_COO || count < 1 || offset_stride < 0 || value_stride < 0)
		return CUSPARSE_STATUS_INVALID_VALUE;
	descr->count = count;
	descr->offset_stride = offset_stride;
	descr->value_stride = value_stride;
	return CUSPARSE_STATUS_SUCCESS;
}

extern "C" cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t descr, int count, int64_t stride)
{
	if (!descr || descr->format != CUSPARSE_FORMAT_COO || count < 1 || stride < 0)
		return CUSPARSE_STATUS_INVALID_VALUE;
	descr->count = count;
	descr->offset_stride = descr->value_stride = stride;
	return CUSPARSE_STATUS_SUCCESS;
}

extern "C" cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t descr,
                                                      cusparseSpMatAttribute_t attribute, void *data, size_t bytes)
{
	if (!descr || !data || bytes != sizeof(int))
		return CUSPARSE_STATUS_INVALID_VALUE;
	if (attribute == CUSPARSE_SPMAT_FILL_MODE)
		*(cusparseFillMode_t *)data = descr->fill;
	else if (attribute == CUSPARSE_SPMAT_DIAG_TYPE)
		*(cusparseDiagType_t *)data = descr->diag;
	else
		return CUSPARSE_STATUS_INVALID_VALUE;
	return CUSPARSE_STATUS_SUCCESS;
}

extern "C" cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t descr, cusparseSpMatAttribute_t attribute,
                                                      void *data, size_t bytes)
{
	if (!descr || !data || bytes != sizeof(int) || *(int *)data < 0 || *(int *)data > 1)
		return CUSPARSE_STATUS_INVALID_VALUE;
	if (attribute == CUSPARSE_SPMAT_FILL_MODE)
		descr->fill = *(cusparseFillMode_t *)data;
	else if (attribute == CUSPARSE_SPMAT_DIAG_TYPE)
		descr->diag = *(cusparseDiagType_t *)data;
	else
		return CUSPARSE_STATUS_INVALID_VALUE;
	return CUSPARSE_STATUS_SUCCESS;
}

lines cusparse::lines_of(cusparseConstSpMatDescr_t a, cusparseOperation_t op)
{
	bool coo = a->format == CUSPARSE_FORMAT_COO, transposed = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
	lines found = {};
	found.gathered = transposed == (a->format == CUSPARSE_FORMAT_CSC);
	found.m.base = a->base;
	found.m.nnz = a->nnz;
	found.m.lines = coo && !found.gathered ? a->nnz : a->format == CUSPARSE_FORMAT_CSC ? a->columns : a->rows;
	found.m.kind = coo ? found.gathered ? SORTED : ENTRIES
	                   : a->offset_type == CUSPARSE_INDEX_64I ? OFFSETS_64 : OFFSETS_32;
	found.m.offsets = a->offsets;
	found.m.indices = a->indices;
	found.m.values = a->values;
	found.m.offset_stride = a->offset_stride;
	found.m.value_stride = a->value_stride;
	return found;
}

int cusparse::lanes_for(int64_t nnz, int64_t lines)
{
	int shift = 0;
	while (shift < 5 && nnz >= lines << (shift + 1))
		shift++;
	return shift;
}
