/* The driver API: tensor maps, with the checks of CUDA's documentation of cuTensorMapEncodeTiled(). */
#include "cudart/driver.h"

#include "base/tensor_map.h"

#include <string.h>

_Static_assert(sizeof(CUtensorMap) == sizeof(struct tensor_map) &&
                       TENSOR_TYPES == CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ + 1 &&
                       (int)TENSOR_SWIZZLES == CU_TENSOR_MAP_SWIZZLE_128B + 1,
               "a map is what copies in bulk read, with CUDA's numbers");

static bool has_place(const CUtensorMap *map, const void *address)
{
	return map && (uintptr_t)map % TENSOR_MAP_ALIGN == 0 && address && (uintptr_t)address % TENSOR_CHUNK == 0;
}

static bool fits_sizes(uint32_t rank, const cuuint64_t *size, const cuuint64_t *stride)
{
	for (uint32_t d = 0; d < rank; d++)
		if (size[d] == 0 || size[d] > (uint64_t)1 << 32)
			return false;
	for (uint32_t d = 0; d + 1 < rank; d++)
		if (stride[d] % TENSOR_CHUNK || stride[d] >= (uint64_t)1 << 40)
			return false;
	return true;
}

/* A row of the box consists of 16-byte chunks. A row with a swizzle must not be longer than the swizzle's span. */
static bool fits_box(uint32_t rank, const cuuint32_t *box, const cuuint32_t *step, uint32_t element_bytes,
                     CUtensorMapSwizzle swizzle)
{
	static const uint32_t spans[TENSOR_SWIZZLES] = {UINT32_MAX, 32, 64, 128};
	for (uint32_t d = 0; d < rank; d++)
		if (box[d] == 0 || box[d] > TENSOR_BOX || step[d] == 0 || step[d] > TENSOR_STEP)
			return false;
	return box[0] * element_bytes % TENSOR_CHUNK == 0 && box[0] * element_bytes <= spans[swizzle];
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                const cuuint64_t *size, const cuuint64_t *stride, const cuuint32_t *box,
                                const cuuint32_t *step, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
	bool fills_nan = fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
	if (!has_place(map, address) || rank == 0 || rank > TENSOR_RANK || (unsigned)type >= TENSOR_TYPES || !size ||
	    (rank > 1 && !stride) || !box || !step)
		return CUDA_ERROR_INVALID_VALUE;
	if ((unsigned)interleave > CU_TENSOR_MAP_INTERLEAVE_32B || (unsigned)swizzle >= TENSOR_SWIZZLES ||
	    (unsigned)promotion > CU_TENSOR_MAP_L2_PROMOTION_L2_256B ||
	    (unsigned)fill > CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA)
		return CUDA_ERROR_INVALID_VALUE;
	if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE)
		return CUDA_ERROR_NOT_SUPPORTED;
	if (!fits_sizes(rank, size, stride) ||
	    !fits_box(rank, box, step, tensor_element_bytes((enum tensor_type)type), swizzle) ||
	    (fills_nan && !tensor_is_float((enum tensor_type)type)))
		return CUDA_ERROR_INVALID_VALUE;
	struct tensor_map made = {.mark = TENSOR_MAP_MARK,
	                          .rank = (uint8_t)rank,
	                          .type = (uint8_t)type,
	                          .swizzle = (uint8_t)swizzle,
	                          .fills_nan = fills_nan,
	                          .global = (uintptr_t)address};
	for (uint32_t d = 0; d < rank; d++) {
		made.last[d] = (uint32_t)(size[d] - 1);
		made.box[d] = (uint16_t)box[d];
		made.step[d] = (uint8_t)step[d];
		if (d)
			made.stride[d - 1] = stride[d - 1];
	}
	memcpy(map, &made, sizeof made);
	return CUDA_SUCCESS;
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *address)
{
	struct tensor_map made;
	if (!has_place(map, address))
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(&made, map, sizeof made);
	if (!tensor_map_is_sound(&made))
		return CUDA_ERROR_INVALID_VALUE;
	made.global = (uintptr_t)address;
	memcpy(map, &made, sizeof made);
	return CUDA_SUCCESS;
}
