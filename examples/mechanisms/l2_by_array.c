/* l2_by_array: whose data L2 is asked for: its accesses and its misses, array by array.
 *
 * Arrays are those that static analysis, or the program, knows the kernel's blocks to read (mech_rows()); what else there is comes
 * together as "elsewhere". They are found once a kernel, at the dispatcher; every L2 slice looks its accesses up among them. */
#include "seam/mech.h"

#include <inttypes.h>
#include <stdio.h>

enum { ARRAYS = 32, NAME = 40 };
enum { ACCESSES, MISSES, VECTORS };

/* Elements 0 .. ARRAYS - 1 are arrays, the one behind them is all else. */
static const struct counter_vector vectors[VECTORS] = {
	[ACCESSES] = {.name = "accesses",
                      .unit = "accesses",
                      .meaning = "L2 was asked for the array's data",
                      .scope = SCOPE_SLICE,
                      .length = ARRAYS + 1,
                      .named = true},
	[MISSES] = {.name = "misses",
                    .unit = "accesses",
                    .meaning = "... and did not have them",
                    .scope = SCOPE_SLICE,
                    .length = ARRAYS + 1,
                    .named = true},
};

struct array {
	uint64_t first, end;
	char name[NAME];
};

/* The dispatcher's state, which the slices read. */
struct arrays {
	struct array array[ARRAYS];
	uint32_t count;
};

static uint32_t find(const struct arrays *arrays, uint64_t address)
{
	for (uint32_t i = 0; i < arrays->count; i++)
		if (address >= arrays->array[i].first && address < arrays->array[i].end)
			return i;
	return ARRAYS;
}

static void add(struct arrays *arrays, const struct mech_row *row)
{
	if (arrays->count == ARRAYS || find(arrays, row->first) != ARRAYS)
		return;
	struct array *array = &arrays->array[arrays->count++];
	array->first = row->first;
	array->end = row->end;
	snprintf(array->name, sizeof array->name, "0x%" PRIx64 "+%" PRIu64, row->first, row->end - row->first);
}

static void on_kernel(struct mech_gpu *gpu)
{
	struct arrays *arrays = gpu->state;
	const struct mech_rows rows = mech_rows(gpu, ARRAYS, MECH_LOOPS_AT_LAUNCH);
	arrays->count = 0;
	for (uint32_t i = 0; i < rows.rows; i++)
		add(arrays, &rows.row[i]);
}

static void on_access(struct mech_partition *partition, const struct mech_access *access)
{
	uint32_t array = find(partition->gpu->state, access->address);
	mech_count(partition->output, ACCESSES, array, 1);
	if (access->result == MECH_MISS)
		mech_count(partition->output, MISSES, array, 1);
}

static const char *label(const struct mech_gpu *gpu, uint32_t vector, uint32_t index)
{
	const struct arrays *arrays = gpu->state;
	(void)vector;
	if (index == ARRAYS)
		return "elsewhere";
	return index < arrays->count ? arrays->array[index].name : NULL;
}

static const struct mech l2_by_array = {
	.version = MECH_VERSION,
	.name = "l2_by_array",
	.summary = "counts L2's accesses and misses by array",
	.citation = "an example of vectors of counters",
	.vectors = vectors,
	.vector_count = VECTORS,
	.vector_label = label,
	.gpu_size = sizeof(struct arrays),
	.gpu_kernel_begin = on_kernel,
	.partition_access = on_access,
};

MECHANISM(l2_by_array);
