/* ranges: live ranges, by one backward scan over each block. */
#include "flow/ranges.h"

#include "flow/sets.h"

/* Distance in instructions from the last read of a register to its release. */
enum { HELD_BY_ALU = 4, HELD_BY_MEMORY = 16 };

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

/* Returns the end of a register's range after its last read by an instruction of the block. */
static uint32_t last_read(const struct ranges *ranges, const struct ptx_inst *inst, uint32_t reg, uint32_t i,
                          uint32_t end)
{
	const struct live_range *later = ranges->of[reg];
	uint32_t hold = ptx_op_unit(inst->op) == PTX_UNIT_MEM ? HELD_BY_MEMORY : HELD_BY_ALU, until;
	if (!ranges->held)
		return 2 * i + 1;
	until = 2 * (i + hold < end ? i + hold : end - 1) + 1;
	return later && later->range.begin < until ? later->range.begin : until;
}

/* Scans a block backwards. A write under a guard neither begins nor ends a range, unless its result is never read. */
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
				ranges->live_until[ids[k]] = last_read(ranges, inst, ids[k], i, end);
	}
	for (uint32_t reg = 0; (reg = set_next(in, live->words, reg)) != UINT32_MAX; reg++)
		begin_range(ranges, reg, 2 * block->first);
}

void ranges_find(struct arena *arena, const struct flow_cfg *cfg, const struct flow_liveness *live, bool held,
                 struct ranges *ranges)
{
	*ranges = (struct ranges){.arena = arena, .held = held};
	ranges->of = arena_array(arena, cfg->function->reg_count, sizeof *ranges->of);
	ranges->live_until = arena_array(arena, cfg->function->reg_count, sizeof *ranges->live_until);
	/* From the last block to the first, so that adjacent ranges are merged. */
	for (uint32_t number = cfg->blocks - 1; number-- > 0;)
		if (cfg->block[number].reachable)
			scan_block(cfg, live, number, ranges);
}
