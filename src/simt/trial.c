#include "simt/trial.h"

#include "base/arena.h"
#include "simt/access.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_SHIFT = 12, PAGE_BYTES = 1 << PAGE_SHIFT, FIRST_SLOTS = 1024 };

static bool is_plain_write(const struct simt_inst *inst)
{
	bool writes = inst->kind == SIMT_STORE || inst->kind == SIMT_ATOMIC;
	return writes && inst->ptx && inst->ptx->op != PTX_OP_SUST && inst->ptx->op != PTX_OP_SURED;
}

bool simt_can_be_tried(const struct simt_program *program)
{
	bool can = !program->has_dma && !program->has_bulk;
	for (uint32_t pc = 0; pc < program->count && can; pc++)
		can = !program->code[pc].commit || is_plain_write(&program->code[pc]);
	return can;
}

void simt_trial_open(struct simt_trial *trial, const struct simt_program *program, struct simt_memory *memory)
{
	*trial = (struct simt_trial){.count = program->count, .memory = memory, .page_slots = FIRST_SLOTS};
	trial->change = base_calloc(program->count + 1, sizeof *trial->change);
	trial->page = base_calloc(FIRST_SLOTS, sizeof *trial->page);
}

void simt_trial_close(struct simt_trial *trial)
{
	free(trial->change);
	free(trial->kept);
	free(trial->bytes);
	free(trial->page);
	*trial = (struct simt_trial){0};
}

void simt_trial_counts(const struct simt_trial *trial, uint64_t *by_pc)
{
	int64_t sum = 0;
	for (uint32_t pc = 0; pc < trial->count; pc++) {
		sum += trial->change[pc];
		assert(sum >= 0);
		by_pc[pc] = (uint64_t)sum;
	}
}

static void keep_bytes(struct simt_trial *trial, uint64_t address, uint32_t bytes)
{
	if (trial->kept_count == trial->kept_capacity) {
		trial->kept_capacity = trial->kept_capacity ? 2 * trial->kept_capacity : 256;
		trial->kept = base_realloc(trial->kept, trial->kept_capacity * sizeof *trial->kept);
	}
	if (trial->capacity - trial->used < bytes) {
		trial->capacity = 2 * trial->capacity + 64 * PAGE_BYTES;
		trial->bytes = base_realloc(trial->bytes, trial->capacity);
	}
	trial->kept[trial->kept_count++] = (struct trial_kept){address, bytes, trial->used};
	memcpy(trial->bytes + trial->used, simt_host(trial->memory, address), bytes);
	trial->used += bytes;
}

/* Returns the page's slot, or the free slot for it. */
static uint64_t *slot_of(const struct simt_trial *trial, uint64_t page)
{
	size_t at = (size_t)(page * 0x9E3779B97F4A7C15u >> 20) & (trial->page_slots - 1);
	while (trial->page[at] && trial->page[at] != page + 1)
		at = (at + 1) & (trial->page_slots - 1);
	return &trial->page[at];
}

static void more_slots(struct simt_trial *trial)
{
	uint64_t *old = trial->page;
	size_t count = trial->page_slots;
	trial->page_slots *= 4;
	trial->page = base_calloc(trial->page_slots, sizeof *trial->page);
	for (size_t i = 0; i < count; i++)
		if (old[i])
			*slot_of(trial, old[i] - 1) = old[i];
	free(old);
}

/* Device memory is contiguous on the host, even beyond its allocations: whole pages are saved, each once. */
static void keep_page(struct simt_trial *trial, uint64_t page)
{
	uint64_t *slot = slot_of(trial, page);
	if (*slot)
		return;
	*slot = page + 1;
	keep_bytes(trial, page << PAGE_SHIFT, PAGE_BYTES);
	if (2 * ++trial->pages > trial->page_slots)
		more_slots(trial);
}

void trial_keep(struct simt_trial *trial, const struct simt_step *step)
{
	uint32_t size = step->inst->size;
	if (!trial->memory)
		return;
	for (uint32_t rest = global_lanes(step); rest; rest &= rest - 1) {
		uint64_t address = step->address[__builtin_ctz(rest)];
		if (simt_in_memory(trial->memory, address, size))
			keep_page(trial, address >> PAGE_SHIFT); /* an aligned access lies in one page */
		else
			keep_bytes(trial, address, size); /* mapped host memory */
	}
}

void simt_trial_undo(struct simt_trial *trial)
{
	for (size_t i = trial->kept_count; i-- > 0;) {
		const struct trial_kept *kept = &trial->kept[i];
		memcpy(simt_host(trial->memory, kept->address), trial->bytes + kept->at, kept->bytes);
	}
	trial->kept_count = trial->used = trial->pages = 0;
	memset(trial->page, 0, trial->page_slots * sizeof *trial->page);
}
