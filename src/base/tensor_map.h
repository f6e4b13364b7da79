/* tensor_map: the layout of a tensor in global memory, and the box that a bulk copy takes from it.
 * cuTensorMapEncodeTiled() writes it into the 128 opaque bytes of a CUtensorMap, and bulk copies read it.
 *
 * The elements of dimension 0 are contiguous. Coordinates outside the tensor are allowed: reads there give zeros or
 * NaNs, and writes there are dropped.
 */
#ifndef SLUICE_BASE_TENSOR_MAP_H
#define SLUICE_BASE_TENSOR_MAP_H

#include <stdbool.h>
#include <stdint.h>

enum {
	TENSOR_MAP_BYTES = 128,
	TENSOR_MAP_ALIGN = 64,
	TENSOR_MAP_MARK = 0x70614d54, /* unlikely to occur in a program's bytes by chance */
	TENSOR_RANK = 5,
	TENSOR_BOX = 256, /* maximum elements of a dimension */
	TENSOR_STEP = 8,
	TENSOR_CHUNK = 16, /* bytes that stay together when lines are swizzled */
	TENSOR_LINE = 128, /* bytes of shared memory in which chunks are swizzled; alignment of a box */
};

/* In CUDA's numbering. */
enum tensor_type {
	TENSOR_U8, TENSOR_U16, TENSOR_U32, TENSOR_S32, TENSOR_U64, TENSOR_S64, TENSOR_F16, TENSOR_F32, TENSOR_F64, TENSOR_BF16,
	TENSOR_F32_FTZ, TENSOR_TF32, TENSOR_TF32_FTZ, TENSOR_TYPES
};
enum tensor_swizzle { TENSOR_STRAIGHT, TENSOR_SWIZZLE_32, TENSOR_SWIZZLE_64, TENSOR_SWIZZLE_128, TENSOR_SWIZZLES };

struct tensor_map {
	uint32_t mark;
	uint8_t rank, type, swizzle, fills_nan;
	uint64_t global;                  /* address of the element at the origin */
	uint64_t stride[TENSOR_RANK - 1]; /* in bytes, of dimensions 1 .. rank - 1 */
	uint32_t last[TENSOR_RANK];       /* the maximum coordinate inside */
	uint16_t box[TENSOR_RANK];        /* in elements, including those that steps skip */
	uint8_t step[TENSOR_RANK];        /* every step-th element is copied; in dimension 0 all are */
	uint8_t unused[TENSOR_MAP_BYTES - 83];
};
_Static_assert(sizeof(struct tensor_map) == TENSOR_MAP_BYTES, "a CUtensorMap is one");

static inline uint32_t tensor_element_bytes(enum tensor_type type)
{
	static const uint8_t bytes[TENSOR_TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
	return bytes[type];
}

static inline bool tensor_is_float(enum tensor_type type)
{
	return type >= TENSOR_F16;
}

/* True when the map was made by code that checks it. */
static inline bool tensor_map_is_sound(const struct tensor_map *map)
{
	return map->mark == TENSOR_MAP_MARK && map->rank >= 1 && map->rank <= TENSOR_RANK && map->type < TENSOR_TYPES &&
	       map->swizzle < TENSOR_SWIZZLES;
}

/* Number of elements that a box has in a dimension. */
static inline uint32_t tensor_box_elements(const struct tensor_map *map, uint32_t dimension)
{
	uint32_t step = dimension ? map->step[dimension] : 1;
	return (map->box[dimension] + step - 1) / step;
}

#endif
