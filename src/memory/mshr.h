/* mshr: the miss-status holding registers (MSHRs) of a cache: which blocks are in flight, and which requests wait
 * for each.
 *
 * A miss takes a free register. Later misses to its block merge with the first, up to a limit. When the data have
 * arrived, the requests leave one by one in order. The register is free again after the last one (GPGPU-Sim:
 * mshr_table).
 */
#ifndef SLUICE_MEMORY_MSHR_H
#define SLUICE_MEMORY_MSHR_H

#include "memory/request.h"

#define MSHR_NONE UINT32_MAX

struct mshr {
	uint64_t block;
	struct request *first, *last; /* merged requests, in order */
	uint32_t count;
	bool has_atomic;
	bool prefetches; /* the first one was made by cache_prefetch() */
};

struct mshr_file {
	struct mshr *mshr;
	uint32_t count;  /* number of registers */
	uint32_t used;   /* registers from here on have never been taken */
	uint32_t merges; /* maximum requests per register */
	uint32_t *free_mshr; /* stack of indices */
	uint32_t free;
	uint32_t *ready; /* ring of registers whose data have arrived */
	uint32_t ready_head, ready_count;
	uint8_t depth; /* selects the list in a request: CACHE_OF_SM or CACHE_OF_SLICE */
};

void mshr_open(struct mshr_file *file, uint32_t count, uint32_t merges, uint32_t depth, struct arena *arena);

/* The register that waits for the block, or MSHR_NONE. */
uint32_t mshr_find(const struct mshr_file *file, uint64_t block);

/* mshr_take takes a free register, which must exist. mshr_merge adds a request to a register. */
uint32_t mshr_take(struct mshr_file *file, uint64_t block);
void mshr_merge(struct mshr_file *file, uint32_t index, struct request *request);

static inline bool mshr_can_merge(const struct mshr_file *file, uint32_t index)
{
	return file->mshr[index].count < file->merges;
}

/* The block of a register has arrived from `level`. Its requests are ready, except a prefetch, which nothing waits
 * for. */
void mshr_arrived(struct mshr_file *file, uint32_t index, uint8_t level);

/* Takes the oldest request that waits for a block. */
static inline struct request *mshr_take_first(struct mshr *mshr, uint32_t depth)
{
	struct request *request = mshr->first;
	mshr->first = request->wait[depth].next;
	mshr->count--;
	return request;
}

/* Frees the register. */
static inline void mshr_release(struct mshr_file *file, uint32_t index)
{
	assert(file->free < file->count);
	file->free_mshr[file->free++] = index;
}

/* Takes the next ready request, which must exist. */
static inline struct request *mshr_next_ready(struct mshr_file *file)
{
	assert(file->ready_count);
	uint32_t index = file->ready[file->ready_head];
	struct mshr *mshr = &file->mshr[index];
	struct request *request = mshr_take_first(mshr, file->depth);
	if (mshr->count == 0) {
		mshr_release(file, index);
		file->ready_head = file->ready_head + 1 == file->count ? 0 : file->ready_head + 1;
		file->ready_count--;
	}
	return request;
}

#endif
