// cuBLASLt: descriptions and their attributes.
#include "descriptors.h"

#include <cstddef>
#include <cstring>
#include <new>

using namespace cublaslt;

// The place of an attribute in a description.
struct field {
	int attribute;
	size_t offset, bytes;
};

#define FIELD(type, attribute, member)                                                                                 \
	{                                                                                                              \
		attribute, offsetof(type, member), sizeof(type::member)                                                \
	}

static const field layout_fields[] = {
	FIELD(layout, CUBLASLT_MATRIX_LAYOUT_TYPE, type),
	FIELD(layout, CUBLASLT_MATRIX_LAYOUT_ORDER, order),
	FIELD(layout, CUBLASLT_MATRIX_LAYOUT_ROWS, rows),
	FIELD(layout, CUBLASLT_MATRIX_LAYOUT_COLS, columns),
	FIELD(layout, CUBLASLT_MATRIX_LAYOUT_LD, ld),
	FIELD(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, batch),
	FIELD(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, stride),
	FIELD(layout, CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, plane),
	FIELD(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_MODE, batch_mode),
};

static const field description_fields[] = {
	FIELD(description, CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, compute),
	FIELD(description, CUBLASLT_MATMUL_DESC_SCALE_TYPE, scale),
	FIELD(description, CUBLASLT_MATMUL_DESC_POINTER_MODE, pointers),
	FIELD(description, CUBLASLT_MATMUL_DESC_TRANSA, transa),
	FIELD(description, CUBLASLT_MATMUL_DESC_TRANSB, transb),
	FIELD(description, CUBLASLT_MATMUL_DESC_TRANSC, transc),
	FIELD(description, CUBLASLT_MATMUL_DESC_FILL_MODE, fill),
	FIELD(description, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue),
	FIELD(description, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias),
	FIELD(description, CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, bias_stride),
	FIELD(description, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, bias_type),
	FIELD(description, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, aux),
	FIELD(description, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, aux_ld),
	FIELD(description, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, aux_stride),
	FIELD(description, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE, aux_type),
	FIELD(description, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER, aux_scale),
	FIELD(description, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_AMAX_POINTER, aux_amax),
	FIELD(description, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_MODE, mode_aux),
	FIELD(description, CUBLASLT_MATMUL_DESC_ALPHA_VECTOR_BATCH_STRIDE, alpha_stride),
	FIELD(description, CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, multiprocessors),
	FIELD(description, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, scale_a),
	FIELD(description, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, scale_b),
	FIELD(description, CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, scale_c),
	FIELD(description, CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, scale_d),
	FIELD(description, CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, amax),
	FIELD(description, CUBLASLT_MATMUL_DESC_FAST_ACCUM, fast_sums),
	FIELD(description, CUBLASLT_MATMUL_DESC_A_SCALE_MODE, mode_a),
	FIELD(description, CUBLASLT_MATMUL_DESC_B_SCALE_MODE, mode_b),
	FIELD(description, CUBLASLT_MATMUL_DESC_C_SCALE_MODE, mode_c),
	FIELD(description, CUBLASLT_MATMUL_DESC_D_SCALE_MODE, mode_d),
	FIELD(description, CUBLASLT_MATMUL_DESC_D_OUT_SCALE_POINTER, out_scale),
	FIELD(description, CUBLASLT_MATMUL_DESC_D_OUT_SCALE_MODE, mode_out),
	FIELD(description, CUBLASLT_MATMUL_DESC_EMULATION_DESCRIPTOR, emulation),
};

static const field preference_fields[] = {
	FIELD(preference, CUBLASLT_MATMUL_PREF_SEARCH_MODE, search),
	FIELD(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspace),
	FIELD(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, reduction),
	FIELD(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment[0]),
	FIELD(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment[1]),
	FIELD(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment[2]),
	FIELD(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment[3]),
	FIELD(preference, CUBLASLT_MATMUL_PREF_MAX_WAVES_COUNT, waves),
	FIELD(preference, CUBLASLT_MATMUL_PREF_IMPL_MASK, kinds),
};

template <size_t COUNT> static const field *find(const field (&fields)[COUNT], int attribute)
{
	for (const field &f : fields)
		if (f.attribute == attribute)
			return &f;
	return nullptr;
}

static cublasStatus_t set(const field *f, void *object, const void *value, size_t bytes)
{
	if (!f)
		return CUBLAS_STATUS_NOT_SUPPORTED;
	if (!object || !value || bytes != f->bytes)
		return CUBLAS_STATUS_INVALID_VALUE;
	memcpy((char *)object + f->offset, value, bytes);
	return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t get(const field *f, const void *object, void *value, size_t bytes, size_t *written)
{
	if (!f)
		return CUBLAS_STATUS_NOT_SUPPORTED;
	if (!object || (bytes ? !value || bytes < f->bytes : !written))
		return CUBLAS_STATUS_INVALID_VALUE;
	if (bytes)
		memcpy(value, (const char *)object + f->offset, f->bytes);
	if (written)
		*written = f->bytes;
	return CUBLAS_STATUS_SUCCESS;
}

// Writes a description's first values into memory of the given size.
template <typename T> static cublasStatus_t put(void *into, size_t bytes, const T &made)
{
	if (!into || bytes < sizeof made)
		return CUBLAS_STATUS_INVALID_VALUE;
	memset(into, 0, bytes);
	memcpy(into, &made, sizeof made);
	return CUBLAS_STATUS_SUCCESS;
}

template <typename Opaque, typename T> static cublasStatus_t create(Opaque **object, const T &made)
{
	if (!object)
		return CUBLAS_STATUS_INVALID_VALUE;
	*object = new (std::nothrow) Opaque;
	return *object ? put(*object, sizeof **object, made) : CUBLAS_STATUS_ALLOC_FAILED;
}

static layout first_layout(cudaDataType type, uint64_t rows, uint64_t columns, int64_t ld)
{
	layout made = {};
	made.type = type;
	made.rows = rows;
	made.columns = columns;
	made.ld = ld;
	made.batch = 1;
	return made;
}

static description first_description(cublasComputeType_t compute, cudaDataType_t scale)
{
	description made = {};
	made.compute = compute;
	made.scale = scale;
	made.epilogue = CUBLASLT_EPILOGUE_DEFAULT;
	made.fill = 2; // the whole matrix
	made.aux_type = made.bias_type = -1;
	return made;
}

static preference first_preference()
{
	preference made = {};
	made.reduction = CUBLASLT_REDUCTION_SCHEME_MASK;
	for (uint32_t &bytes : made.alignment)
		bytes = 256;
	made.kinds = ~0ull;
	return made;
}

extern "C" {

#define ATTRIBUTES(object, type, attribute, fields)                                                                    \
	cublasStatus_t object##SetAttribute(type into, attribute number, const void *value, size_t bytes)              \
	{                                                                                                              \
		return set(find(fields, number), into, value, bytes);                                                  \
	}                                                                                                              \
	cublasStatus_t object##GetAttribute(type from, attribute number, void *value, size_t bytes, size_t *written)   \
	{                                                                                                              \
		return get(find(fields, number), from, value, bytes, written);                                         \
	}                                                                                                              \
	cublasStatus_t object##Destroy(type gone)                                                                      \
	{                                                                                                              \
		delete gone;                                                                                           \
		return CUBLAS_STATUS_SUCCESS;                                                                          \
	}
ATTRIBUTES(cublasLtMatrixLayout, cublasLtMatrixLayout_t, cublasLtMatrixLayoutAttribute_t, layout_fields)
ATTRIBUTES(cublasLtMatmulDesc, cublasLtMatmulDesc_t, cublasLtMatmulDescAttributes_t, description_fields)
ATTRIBUTES(cublasLtMatmulPreference, cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t,
           preference_fields)

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *into, cudaDataType type, uint64_t rows,
                                          uint64_t columns, int64_t ld)
{
	return create(into, first_layout(type, rows, columns, ld));
}

cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t into, size_t bytes, cudaDataType type,
                                                 uint64_t rows, uint64_t columns, int64_t ld)
{
	return put(into, bytes, first_layout(type, rows, columns, ld));
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *into, cublasComputeType_t compute, cudaDataType_t scale)
{
	return create(into, first_description(compute, scale));
}

cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t into, size_t bytes, cublasComputeType_t compute,
                                               cudaDataType_t scale)
{
	return put(into, bytes, first_description(compute, scale));
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *into)
{
	return create(into, first_preference());
}

cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t into, size_t bytes)
{
	return put(into, bytes, first_preference());
}

} // extern "C"
