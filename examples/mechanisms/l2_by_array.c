/* l2_by_array: counts L2's accesses and misses by array.
 *
 * Arrays are the program's allocations and the device's variables (mech_allocations()). All other addresses, such as
 * code and constants, are counted together as "elsewhere". The dispatcher's part lists the arrays once per kernel;
 * every L2 slice searches this list. */
#include "seam/mech.h"

enum { ARRAYS = 64 };
enum { ACCESSES, MISSES, VECTORS };

/* Elements 0 to ARRAYS - 1 are the first arrays by address; the last element is for all other addresses. */
static const struct base_counter_vector vectors[VECTORS] = {
	[ACCESSES] = {.name = "accesses",
                      .unit = "accesses",
                      .meaning = "L2 accesses to the array's data",
                      .scope = BASE_SCOPE_SLICE,
                      .length = ARRAYS + 1,
                      .named = true},
	[MISSES] = {.name = "misses",
                    .unit = "accesses",
                    .meaning = "L2 accesses to the array's data that missed",
                    .scope = BASE_SCOPE_SLICE,
                    .length = ARRAYS + 1,
                    .named = true},
};

/* The dispatcher's state, which the slices read. */
struct arrays {
	const struct mech_allocation *array; /* of the launch */
	const char *name[ARRAYS];            /* theirs, also after the launch */
	uint32_t count;
};

static uint32_t find(const struct arrays *arrays, uint64_t address)
{
	for (uint32_t i = 0; i < arrays->count; i++)
		if (address >= arrays->array[i].first && address < arrays->array[i].end)
			return i;
	return ARRAYS;
}

static void on_kernel(struct mech_gpu *gpu)
{
	struct arrays *arrays = gpu->state;
	arrays->array = mech_allocations(gpu, &arrays->count);
	if (arrays->count > ARRAYS)
		arrays->count = ARRAYS;
	for (uint32_t i = 0; i < arrays->count; i++)
		arrays->name[i] = arrays->array[i].name;
}

/* Saves or restores what label() reads: the statistics of a resumed run have the names of a launch that was not
 * simulated. */
static void keep(struct mech_gpu *gpu, struct mech_kept *kept)
{
	struct arrays *arrays = gpu->state;
	mech_keep(kept, &arrays->count, sizeof arrays->count);
	for (uint32_t i = 0; i < arrays->count; i++)
		mech_keep_text(kept, gpu->pool, &arrays->name[i]);
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
	return index < arrays->count ? arrays->name[index] : NULL;
}

static const struct mech l2_by_array = {
	.version = MECH_VERSION,
	.name = "l2_by_array",
	.summary = "counts L2's accesses and misses by array",
	.citation = "an example of vectors of counters",
	.vectors = vectors,
	.vector_count = VECTORS,
	.vector_label = label,
	.only_looks = true,
	.gpu_size = sizeof(struct arrays),
	.gpu_kernel_begin = on_kernel,
	.partition_access = on_access,
	.gpu_keep = keep,
	/* Without .kernels, kernels run one after the other: only then is the launch with the arrays known. */
};

MECHANISM(l2_by_array);
