// cuBLASLt: what the opaque descriptions hold.
#pragma once

#include <cublasLt.h>

namespace cublaslt {

struct layout {
	cudaDataType type;
	cublasLtOrder_t order;
	uint64_t rows, columns;
	int64_t ld, stride, plane;
	int32_t batch, batch_mode;
};

// Attributes that a name says nothing more about are accepted only with the value that they have at first.
struct description {
	cublasComputeType_t compute;
	cudaDataType_t scale;
	int32_t pointers, transa, transb, transc, fill;
	uint32_t epilogue;
	const void *bias;
	int64_t bias_stride;
	void *aux;
	int64_t aux_ld, aux_stride, alpha_stride;
	const void *scale_a, *scale_b, *scale_c, *scale_d;
	void *amax;
	const void *aux_scale;
	void *aux_amax, *out_scale, *emulation;
	int32_t multiprocessors, aux_type, bias_type;
	int32_t mode_a, mode_b, mode_c, mode_d, mode_aux, mode_out;
	int8_t fast_sums;
};

struct preference {
	uint64_t workspace;
	uint32_t search, reduction;
	uint32_t alignment[4];
	float waves;
	uint64_t kinds;
};

static_assert(sizeof(layout) <= sizeof(cublasLtMatrixLayoutOpaque_t), "layout");
static_assert(sizeof(description) <= sizeof(cublasLtMatmulDescOpaque_t), "description");
static_assert(sizeof(preference) <= sizeof(cublasLtMatmulPreferenceOpaque_t), "preference");

} // namespace cublaslt
