/* cap_model: a second, simpler implementation of CAP for test_cap_random. It follows sections V-B and V-C of the
 * paper and README.md literally. Tables are searched row by row, and every prefetch is listed when it is triggered. */
#ifndef SLUICE_MECH_CAP_MODEL_H
#define SLUICE_MECH_CAP_MODEL_H

#include "cap.h"

enum { MODEL_ROWS = 8, MODEL_BLOCKS = 8, MODEL_WARPS = 8, MODEL_ACCESSES = 8, MODEL_RUNS = 32, MODEL_PIECES = 8 };

struct model_access {
	uint64_t address;
	uint32_t bytes;
};

/* A load's row in PerCTA. */
struct model_base {
	bool valid;
	uint64_t updated;
	uint32_t pc, leader, accesses;
	struct model_access access[MODEL_ACCESSES];
	bool foreseen[MODEL_WARPS]; /* prefetched for from these addresses */
};

struct model_block {
	bool resident;
	uint64_t number; /* over all blocks of all launches, from 1 */
	uint32_t first_warp, warps;
	struct model_base base[MODEL_ROWS];
};

/* A load's row in DIST; `leading` is a block's number from 1, or 0 for none. */
struct model_stride {
	bool valid;
	uint64_t updated, leading;
	uint32_t pc, kernel, wrong;
	int64_t bytes;
};

struct model_prefetch {
	struct model_access access;
	uint32_t warp; /* slot */
};

/* The prefetches that one load of one warp triggered for one block. */
struct model_run {
	uint64_t block, asked; /* number of the block; cycle of the trigger */
	uint32_t slot, pc, count, next;
	struct model_prefetch prefetch[MODEL_WARPS * MODEL_ACCESSES];
};

struct model {
	const struct cap_config *config;
	const struct mech_machine *machine;
	uint32_t kernel;
	uint64_t updates, begun; /* row updates, and blocks begun */
	struct model_block block[MODEL_BLOCKS];
	struct model_stride stride[MODEL_ROWS];
	struct model_run run[MODEL_RUNS]; /* element 0 is the oldest */
	uint32_t runs;
	struct cap_stats counted;
	/* loads that change nothing: their block's table is full, or the leading warp repeats one without a stride */
	uint64_t finds_full, repeats;
};

/* --- the generator --- */

/* Queues the run for warps `first` to `last` of the block. Returns the number of warps in it. */
static inline uint32_t model_ask(struct model *m, uint32_t slot, struct model_base *base, int64_t stride,
                                 uint32_t first, uint32_t last, uint64_t cycle)
{
	const struct model_block *block = &m->block[slot];
	if (m->runs == m->config->runs) {
		m->counted.generator_full++;
		return 0;
	}
	struct model_run *run = &m->run[m->runs++];
	*run = (struct model_run){.block = block->number, .asked = cycle, .slot = slot, .pc = base->pc};
	uint32_t warps = 0;
	for (uint32_t warp = first; warp <= last; warp++) {
		if (warp == base->leader)
			continue;
		warps++;
		base->foreseen[warp] = true;
		for (uint32_t i = 0; i < base->accesses; i++) {
			int64_t away = stride * ((int64_t)warp - (int64_t)base->leader);
			run->prefetch[run->count++] = (struct model_prefetch){
				{base->access[i].address + (uint64_t)away, base->access[i].bytes},
				block->first_warp + warp};
		}
	}
	return warps;
}

/* Drops runs at the front that are done or whose block has ended. */
static inline void model_forget_runs(struct model *m)
{
	while (m->runs) {
		const struct model_run *run = &m->run[0];
		const struct model_block *block = &m->block[run->slot];
		if (run->next < run->count && block->resident && block->number == run->block)
			return;
		memmove(&m->run[0], &m->run[1], --m->runs * sizeof *run);
	}
}

/* Splits an access into requests to L1: one per sector, each beginning at a multiple of MECH_SECTOR. */
static inline uint32_t model_pieces(const struct model *m, struct model_access access,
                                    struct model_access piece[MODEL_PIECES])
{
	uint32_t pieces = 0;
	for (uint32_t i = 0; i < access.bytes; i++) {
		uint64_t at = access.address + i;
		if (!pieces || at % m->machine->l1_sector_bytes == 0)
			piece[pieces++] = (struct model_access){at - at % MECH_SECTOR, (uint32_t)(at % MECH_SECTOR)};
		piece[pieces - 1].bytes++;
	}
	return pieces;
}

/* One cycle: makes the requests for one address if the queue has space for all of them. */
static inline uint32_t model_cycle(struct model *m, uint64_t cycle, uint32_t room, struct model_prefetch *made,
                                   uint32_t *pc, struct model_access piece[MODEL_PIECES])
{
	uint32_t pieces = 0;
	model_forget_runs(m);
	struct model_run *run = &m->run[0];
	if (m->runs && run->asked < cycle) {
		pieces = model_pieces(m, run->prefetch[run->next].access, piece);
		if (room < (pieces < m->machine->send_queue ? pieces : m->machine->send_queue))
			return 0;
		*made = run->prefetch[run->next++];
		*pc = run->pc;
		m->counted.addresses++;
	}
	model_forget_runs(m);
	return pieces;
}

/* --- tables --- */

static inline struct model_base *model_base_of(struct model *m, uint32_t slot, uint32_t pc)
{
	for (uint32_t i = 0; i < m->config->block_entries; i++) {
		struct model_base *base = &m->block[slot].base[i];
		if (base->valid && base->pc == pc)
			return base;
	}
	return NULL;
}

static inline struct model_stride *model_stride_of(struct model *m, uint32_t pc)
{
	for (uint32_t i = 0; i < m->config->stride_entries; i++) {
		struct model_stride *stride = &m->stride[i];
		if (stride->valid && stride->pc == pc && stride->kernel == m->kernel)
			return stride;
	}
	return NULL;
}

/* The row to claim for a base or a stride: a free row, else the least recently updated one. */
static inline struct model_base *model_base_place(struct model *m, uint32_t slot)
{
	struct model_base *best = NULL;
	for (uint32_t i = 0; i < m->config->block_entries; i++) {
		struct model_base *base = &m->block[slot].base[i];
		if (!base->valid)
			return base;
		if (!best || base->updated < best->updated)
			best = base;
	}
	return best;
}

static inline bool model_is_full(struct model *m, uint32_t slot)
{
	return model_base_place(m, slot)->valid;
}

static inline struct model_stride *model_stride_place(struct model *m)
{
	struct model_stride *best = NULL;
	for (uint32_t i = 0; i < m->config->stride_entries; i++) {
		struct model_stride *stride = &m->stride[i];
		if (!stride->valid)
			return stride;
		if (!best || stride->updated < best->updated)
			best = stride;
	}
	return best;
}

/* --- a load --- */

struct model_load {
	uint32_t slot, warp, pc; /* the warp's number in its block */
	uint32_t accesses;
	struct model_access access[MODEL_ACCESSES];
	uint64_t cycle;
};

static inline bool model_is_silent(struct model *m, const struct model_stride *stride)
{
	bool silent = stride->wrong > m->config->threshold;
	m->counted.silenced += silent;
	return silent;
}

/* Fig. 9a. */
static inline void model_case_a(struct model *m, const struct model_stride *stride, const struct model_load *load)
{
	if (model_is_silent(m, stride))
		return;
	for (uint32_t slot = 0; slot < MODEL_BLOCKS; slot++) {
		const struct model_block *block = &m->block[slot];
		if (!block->resident || slot == load->slot)
			continue;
		m->counted.table_accesses++;
		struct model_base *base = model_base_of(m, slot, load->pc);
		if (!base)
			continue;
		if (m->config->case_a == CAP_WHOLE_BLOCK)
			m->counted.for_same_warp +=
				model_ask(m, slot, base, stride->bytes, 0, block->warps - 1, load->cycle);
		else if (base->leader != load->warp && load->warp < block->warps)
			m->counted.for_same_warp +=
				model_ask(m, slot, base, stride->bytes, load->warp, load->warp, load->cycle);
	}
}

static inline void model_lead(struct model *m, struct model_base *base, const struct model_stride *stride,
                              const struct model_load *load)
{
	const struct model_block *block = &m->block[load->slot];
	*base = (struct model_base){.valid = true,
	                            .updated = ++m->updates,
	                            .pc = load->pc,
	                            .leader = load->warp,
	                            .accesses = load->accesses};
	memcpy(base->access, load->access, sizeof base->access);
	if (stride && stride->leading != block->number && !model_is_silent(m, stride)) /* Fig. 9b */
		m->counted.for_block +=
			model_ask(m, load->slot, base, stride->bytes, 0, block->warps - 1, load->cycle);
}

static inline void model_find_stride(struct model *m, struct model_base *base, const struct model_load *load)
{
	int64_t warps = (int64_t)load->warp - (int64_t)base->leader, bytes = 0;
	bool equal = load->accesses == base->accesses;
	for (uint32_t i = 0; equal && i < load->accesses; i++) {
		int64_t distance = (int64_t)(load->access[i].address - base->access[i].address);
		equal = (i == 0 || distance == bytes) && distance % warps == 0;
		bytes = distance;
	}
	if (!equal) {
		m->counted.unequal++;
		base->valid = false;
		return;
	}
	struct model_stride *stride = model_stride_place(m);
	*stride = (struct model_stride){.valid = true,
	                                .updated = ++m->updates,
	                                .leading = m->block[load->slot].number,
	                                .pc = load->pc,
	                                .kernel = m->kernel,
	                                .bytes = bytes / warps};
	m->counted.strides++;
	model_case_a(m, stride, load);
}

static inline void model_verify(struct model *m, const struct model_base *base, struct model_stride *stride,
                                const struct model_load *load)
{
	bool right = load->accesses == base->accesses;
	for (uint32_t i = 0; right && i < load->accesses; i++)
		right = load->access[i].address ==
		        base->access[i].address + (uint64_t)stride->bytes * (load->warp - (uint64_t)base->leader);
	m->counted.verified++;
	m->counted.mispredicted += !right;
	m->counted.foreseen += base->foreseen[load->warp];
	m->counted.foreseen_wrong += base->foreseen[load->warp] && !right;
	stride->wrong += !right && stride->wrong < 255; /* one byte */
}

static inline void model_load(struct model *m, const struct model_load *load, bool indirect)
{
	if (load->accesses > m->config->accesses) {
		m->counted.wide++;
		return;
	}
	if (indirect && !m->config->indirect) {
		m->counted.indirect++;
		return;
	}
	struct model_base *base = model_base_of(m, load->slot, load->pc);
	struct model_stride *stride = model_stride_of(m, load->pc);
	m->counted.loads++;
	m->counted.table_accesses++;
	if (!base && m->config->full == CAP_IGNORE && model_is_full(m, load->slot)) {
		m->finds_full++;
	} else if (!base) {
		m->counted.bases++;
		model_lead(m, model_base_place(m, load->slot), stride, load);
	} else if (base->leader == load->warp && m->config->loops == CAP_FOLLOW) {
		m->counted.rebased++;
		model_lead(m, base, stride, load);
	} else if (base->leader == load->warp && !stride) {
		m->repeats++;
	} else if (!stride) {
		model_find_stride(m, base, load);
	} else {
		model_verify(m, base, stride, load);
		if (stride->leading == m->block[load->slot].number)
			model_case_a(m, stride, load);
	}
}

/* --- blocks and kernels --- */

static inline void model_begin_block(struct model *m, const struct mech_block *block)
{
	m->block[block->slot] =
		(struct model_block){true, ++m->begun, block->first_warp, block->warps, {{0}}};
}

static inline void model_end_block(struct model *m, uint32_t slot)
{
	m->block[slot].resident = false;
}

/* Requires that all blocks have ended. Runs left in the generator are lost. */
static inline void model_begin_kernel(struct model *m, uint32_t kernel)
{
	m->kernel = kernel;
	m->runs = 0;
	if (!m->config->keep_strides)
		memset(m->stride, 0, sizeof m->stride);
}

#endif
