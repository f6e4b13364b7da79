/* The checks 'footprint' and 'footprint-counts': compare the kernels' reads with the static analyzer's prediction. */
#include "api/footprint.h"

#include "api/api.h"
#include "base/arena.h"
#include "flow/affine.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Counts of a kernel's reads over all its launches. */
struct total {
	char *kernel;
	uint64_t launches, blocks;
	struct affine_counts counts;
};

/* State of a resident block. Reused for another block when this one ends. */
struct resident {
	struct footprint *owner;
	struct affine_block *reads;
	struct resident *next, *next_idle;
};

struct footprint {
	bool counts; /* print the totals at the end */
	struct total *total;
	size_t totals;
	/* for the running launch */
	const struct affine_kernel *kernel;
	struct affine_check *check;
	struct simt_reads hook;
	/* shared by all host threads, protected by the lock */
	pthread_mutex_t lock;
	struct total *now;
	struct resident *residents, *idle;
};

static void *begin_block(void *user, struct dim3 index)
{
	struct footprint *footprint = user;
	pthread_mutex_lock(&footprint->lock);
	struct resident *resident = footprint->idle;
	if (resident) {
		footprint->idle = resident->next_idle;
	} else {
		resident = base_calloc(1, sizeof *resident);
		*resident = (struct resident){footprint, affine_block_open(), footprint->residents, NULL};
		footprint->residents = resident;
	}
	pthread_mutex_unlock(&footprint->lock);
	affine_block_begin(resident->reads, footprint->check, (const uint32_t[]){index.x, index.y, index.z});
	return resident;
}

static uint32_t read_lanes(void *block, uint32_t inst, uint32_t lanes, const uint64_t *address)
{
	struct resident *resident = block;
	uint32_t wrong = 0;
	for (uint32_t rest = lanes; rest; rest &= rest - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(rest);
		if (!affine_block_read(resident->reads, inst, address[lane]))
			wrong |= UINT32_C(1) << lane;
	}
	return wrong;
}

static void end_block(void *block)
{
	struct resident *resident = block;
	struct footprint *footprint = resident->owner;
	struct affine_counts counts = {0};
	affine_block_end(resident->reads, &counts);
	pthread_mutex_lock(&footprint->lock);
	affine_counts_add(&footprint->now->counts, &counts);
	footprint->now->blocks++;
	resident->next_idle = footprint->idle;
	footprint->idle = resident;
	pthread_mutex_unlock(&footprint->lock);
}

/* Describes a load: its array (the parameter's name, also for reads through a member of a structure), index and
 * status. */
static void describe(void *user, uint32_t inst, char *text, size_t size)
{
	const struct footprint *footprint = user;
	for (uint32_t i = 0; i < footprint->kernel->loads; i++) {
		const struct affine_load *load = &footprint->kernel->load[i];
		if (load->inst == inst)
			snprintf(text, size, "array '%s', index %s, %s", affine_array_name(footprint->kernel, load),
			         load->expression, affine_status_name(load->relaxed));
	}
}

struct footprint *footprint_open(bool counts)
{
	struct footprint *footprint = base_calloc(1, sizeof *footprint);
	footprint->counts = counts;
	footprint->hook = (struct simt_reads){begin_block, read_lanes, end_block, describe, footprint};
	pthread_mutex_init(&footprint->lock, NULL);
	return footprint;
}

static struct total *find_total(struct footprint *footprint, const char *kernel)
{
	for (size_t i = 0; i < footprint->totals; i++)
		if (strcmp(footprint->total[i].kernel, kernel) == 0)
			return &footprint->total[i];
	footprint->total = base_realloc(footprint->total, (footprint->totals + 1) * sizeof *footprint->total);
	struct total *total = &footprint->total[footprint->totals++];
	*total = (struct total){.kernel = base_strdup(kernel)};
	return total;
}

static bool find_allocation(void *memory, uint64_t address, uint64_t *low, uint64_t *high)
{
	const struct simt_allocation *allocation = simt_find(memory, simt_address(memory, address));
	if (!allocation)
		return false;
	*low = simt_named(memory, allocation->address);
	*high = *low + allocation->size;
	return true;
}

void footprint_begin(struct footprint *footprint, sluice_kernel *kernel, struct simt_launch *launch)
{
	struct affine_launch at = {.grid = {launch->grid.x, launch->grid.y, launch->grid.z},
	                           .block = {launch->block.x, launch->block.y, launch->block.z},
	                           .params = launch->params};
	footprint->kernel = kernel_loads(kernel);
	footprint->check = affine_check_open(footprint->kernel, &at, find_allocation, kernel->module->gpu->gpu->memory);
	footprint->now = find_total(footprint, kernel->function->name);
	footprint->now->launches++;
	launch->reads = &footprint->hook;
}

void footprint_end(struct footprint *footprint)
{
	for (struct resident *resident = footprint->residents, *next; resident; resident = next) {
		next = resident->next;
		affine_block_close(resident->reads);
		free(resident);
	}
	footprint->residents = footprint->idle = NULL;
	affine_check_close(footprint->check);
}

static void print_total(const struct total *total)
{
	const struct affine_counts *counts = &total->counts;
	fprintf(stderr,
	        "sluice: kernel '%s', %" PRIu64 " launches, %" PRIu64 " blocks: %" PRIu64 " reads covered, %" PRIu64
	        " missed, %" PRIu64 " through indexes without rows; %" PRIu64 " bytes read, %" PRIu64 " more in rows\n",
	        total->kernel, total->launches, total->blocks, counts->reads - counts->missed, counts->missed,
	        counts->other, counts->read_bytes, counts->over_bytes);
}

void footprint_close(struct footprint *footprint)
{
	if (!footprint)
		return;
	for (size_t i = 0; i < footprint->totals; i++) {
		if (footprint->counts)
			print_total(&footprint->total[i]);
		free(footprint->total[i].kernel);
	}
	free(footprint->total);
	pthread_mutex_destroy(&footprint->lock);
	free(footprint);
}
