/* Live ranges, by one scan backwards over each block. */
#include "flow/ranges.h"

#include "flow/sets.h"

static void begin_range(struct ranges *ranges, uint32_t reg, uint32_t begin)
{
	struct range range = {begin, ranges->live_until[reg]};
	struct live_range *later = ranges->of[reg];
	ranges->live_until[reg] = 0;
	if (later && later->range.begin == range.end) {
		later->range.begin = begin;
		return;
	}
	struct live_range *node = arena_alloc(ranges->arena, sizeof *node);
	*node = (struct live_range){range, later};
	ranges->of[reg] = node;
}

/* Scans a block backwards. A write under a guard neither begins nor ends a range, unless nobody reads it. */
static void scan_block(const struct flow_cfg *cfg, const struct flow_liveness *live, uint32_t number,
                       struct ranges *ranges)
{
	const struct flow_block *block = &cfg->block[number];
	const uint64_t *in = live->in + (size_t)number * live->words, *out = live->out + (size_t)number * live->words;
	uint32_t ids[FLOW_MAX_REGS], end = block->first + block->count;
	for (uint32_t reg = 0; (reg = set_next(out, live->words, reg)) != UINT32_MAX; reg++)
		ranges->live_until[reg] = 2 * end;
	for (uint32_t i = end; i-- > block->first;) {
		const struct ptx_inst *inst = &cfg->function->body[i];
		uint32_t count = ptx_inst_writes(inst, ids);
		for (uint32_t k = 0; k < count; k++) {
			bool is_read_later = ranges->live_until[ids[k]];
			if (!is_read_later)
				ranges->live_until[ids[k]] = 2 * i + 2;
			if (!is_read_later || inst->guard == PTX_NO_REG)
				begin_range(ranges, ids[k], 2 * i + 1);
		}
		count = ptx_inst_reads(inst, ids);
		for (uint32_t k = 0; k < count; k++)
			if (!ranges->live_until[ids[k]])
				ranges->live_until[ids[k]] = 2 * i + 1;
	}
	for (uint32_t reg = 0; (reg = set_next(in, live->words, reg)) != UINT32_MAX; reg++)
		begin_range(ranges, reg, 2 * block->first);
}

void ranges_find(struct arena *arena, const struct flow_cfg *cfg, const struct flow_liveness *live,
                 struct ranges *ranges)
{
	*ranges = (struct ranges){.arena = arena};
	ranges->of = arena_array(arena, cfg->function->reg_count, sizeof *ranges->of);
	ranges->live_until = arena_array(arena, cfg->function->reg_count, sizeof *ranges->live_until);
	/* From the last block to the first, so that ranges that touch become one. */
	for (uint32_t number = cfg->blocks - 1; number-- > 0;)
		if (cfg->block[number].reachable)
			scan_block(cfg, live, number, ranges);
}
