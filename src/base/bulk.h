/* bulk: a bulk copy between global memory and a block's shared memory (docs/reference/ptx.md), of contiguous bytes or
 * of a box of a tensor. It describes the parameters of an instruction, and the source and destination of each byte.
 *
 * A copy consists of rows. The bytes of a row are contiguous in global memory, and in shared memory where they are
 * not swizzled. The rows of a box are contiguous in shared memory.
 */
#ifndef SLUICE_BASE_BULK_H
#define SLUICE_BASE_BULK_H

#include "base/tensor_map.h"

enum bulk_kind {
	BULK_TO_SHARED,   /* its completion is reported to an mbarrier */
	BULK_WITHIN,      /* like BULK_TO_SHARED, from shared memory */
	BULK_FROM_SHARED, /* the thread's groups count it */
	BULK_REDUCE,      /* like BULK_FROM_SHARED, but combines the old value with the copied one */
	BULK_PREFETCH,    /* into L2 */
};

/* In the order of their rows in ops.h. */
enum bulk_opcode {
	BULK_COPY, BULK_PREFETCH_BYTES, BULK_TENSOR, BULK_PREFETCH_TENSOR, BULK_REDUCTION, BULK_REDUCTION_TENSOR, BULK_COMMIT, BULK_WAIT,
	BULK_PREFETCH_MAP, BULK_OPCODES
};
#define BULK_NAMES                                                                                                                                     \
	{"cp.async.bulk", "cp.async.bulk.prefetch", "cp.async.bulk.tensor", "cp.async.bulk.prefetch.tensor", "cp.reduce.async.bulk",                   \
	 "cp.reduce.async.bulk.tensor", "cp.async.bulk.commit_group", "cp.async.bulk.wait_group", "prefetch.tensormap"}

struct bulk_copy {
	enum bulk_kind kind;
	uint32_t rank; /* of the tensor; 0: contiguous bytes */
	/* offset of the first byte from the start of the block's shared memory; unused for a prefetch */
	uint64_t shared;
	uint64_t global;      /* contiguous bytes: address of the first; BULK_WITHIN: its offset in shared memory */
	uint64_t bytes;       /* bytes written or read in shared memory, including those outside the tensor */
	uint64_t barrier;     /* BULK_TO_SHARED, BULK_WITHIN: offset of the mbarrier in shared memory */
	uint64_t map_address; /* of a tensor; for a map in a parameter, its generic address */
	bool map_in_memory;   /* the map is in global or constant memory */
	int32_t at[TENSOR_RANK];
	struct tensor_map map;
};

struct bulk_row {
	uint64_t global; /* address of the row's first byte, which may lie outside the tensor */
	uint64_t place;  /* offset of the row in the box, in bytes */
	uint32_t bytes;
	uint32_t first, end; /* range of its bytes inside the tensor, `end` excluded; empty: equal */
};

static inline uint32_t bulk_rows(const struct bulk_copy *copy)
{
	uint32_t rows = 1;
	for (uint32_t d = 1; d < copy->rank; d++)
		rows *= tensor_box_elements(&copy->map, d);
	return rows;
}

static inline uint32_t bulk_row_bytes(const struct bulk_copy *copy)
{
	return copy->rank ? copy->map.box[0] * tensor_element_bytes((enum tensor_type)copy->map.type) : (uint32_t)copy->bytes;
}

/* Number of elements of a row that lie below `limit`. The first element's coordinate is `at`. */
static inline uint32_t bulk_elements_below(int64_t at, uint32_t elements, int64_t limit)
{
	return limit <= at ? 0 : limit - at >= elements ? elements : (uint32_t)(limit - at);
}

static inline struct bulk_row bulk_row(const struct bulk_copy *copy, uint32_t number)
{
	const struct tensor_map *map = &copy->map;
	uint32_t bytes = bulk_row_bytes(copy);
	if (!copy->rank)
		return (struct bulk_row){copy->global, 0, bytes, 0, bytes};
	uint32_t size = tensor_element_bytes((enum tensor_type)map->type), left = number;
	struct bulk_row row = {.global = map->global + (uint64_t)(int64_t)copy->at[0] * size, .place = (uint64_t)number * bytes, .bytes = bytes};
	bool inside = true;
	for (uint32_t d = 1; d < copy->rank; d++) {
		uint32_t count = tensor_box_elements(map, d);
		int64_t at = copy->at[d] + (int64_t)(left % count) * map->step[d];
		inside &= at >= 0 && at <= map->last[d];
		row.global += (uint64_t)at * map->stride[d - 1];
		left /= count;
	}
	row.first = inside ? bulk_elements_below(copy->at[0], map->box[0], 0) * size : 0;
	row.end = inside ? bulk_elements_below(copy->at[0], map->box[0], (int64_t)map->last[0] + 1) * size : 0;
	return row;
}

/* The position of a byte of the box in the block's shared memory. In each 128-byte line, the 16-byte chunks are
 * permuted by the line's number. */
static inline uint64_t bulk_place(const struct bulk_copy *copy, uint64_t byte)
{
	static const uint8_t chunks[TENSOR_SWIZZLES] = {0, 1, 3, 7};
	uint64_t place = copy->shared + byte;
	return copy->rank ? place ^ (place >> 7 & chunks[copy->map.swizzle]) * TENSOR_CHUNK : place;
}

#endif
