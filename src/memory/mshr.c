#include "memory/mshr.h"

void mshr_open(struct mshr_file *file, uint32_t count, uint32_t merges, uint32_t depth, struct arena *arena)
{
	*file = (struct mshr_file){.mshr = arena_array(arena, count, sizeof *file->mshr),
	                           .count = count,
	                           .merges = merges,
	                           .free_mshr = arena_array(arena, count, sizeof *file->free_mshr),
	                           .ready = arena_array(arena, count, sizeof *file->ready),
	                           .depth = (uint8_t)depth};
	for (uint32_t i = 0; i < count; i++)
		file->free_mshr[file->free++] = count - 1 - i;
}

uint32_t mshr_find(const struct mshr_file *file, uint64_t block)
{
	for (uint32_t i = 0; i < file->used; i++)
		if (file->mshr[i].count && file->mshr[i].block == block)
			return i;
	return MSHR_NONE;
}

uint32_t mshr_take(struct mshr_file *file, uint64_t block)
{
	assert(file->free);
	uint32_t index = file->free_mshr[--file->free];
	assert(!file->mshr[index].count);
	if (index >= file->used)
		file->used = index + 1;
	file->mshr[index] = (struct mshr){.block = block};
	return index;
}

void mshr_merge(struct mshr_file *file, uint32_t index, struct request *request)
{
	struct mshr *mshr = &file->mshr[index];
	request->wait[file->depth].next = NULL;
	if (mshr->count++)
		mshr->last->wait[file->depth].next = request;
	else
		mshr->first = request;
	mshr->last = request;
	mshr->has_atomic |= request->kind == REQUEST_ATOMIC;
}

static void push_ready(struct mshr_file *file, uint32_t index)
{
	assert(file->ready_count < file->count);
	uint32_t tail = file->ready_head + file->ready_count++;
	file->ready[tail < file->count ? tail : tail - file->count] = index;
}

void mshr_arrived(struct mshr_file *file, uint32_t index, uint8_t level)
{
	struct mshr *mshr = &file->mshr[index];
	assert(mshr->count); /* a register in flight has a request */
	if (mshr->prefetches)
		mshr_take_first(mshr, file->depth);
	for (struct request *merged = mshr->first; merged; merged = merged->wait[file->depth].next)
		if (merged->level < level)
			merged->level = level;
	if (mshr->count)
		push_ready(file, index);
	else
		mshr_release(file, index);
}
