#include "mech/sharing/ranges.h"

static uint64_t accessed_in(const struct flow_cfg *cfg, uint32_t block, const uint64_t *accessed)
{
	uint64_t set = 0;
	for (uint32_t i = 0; i < cfg->block[block].count; i++)
		set |= accessed[cfg->block[block].first + i];
	return set;
}

static bool set_to(uint64_t *set, uint64_t to)
{
	bool is_new = *set != to;
	*set = to;
	return is_new;
}

static bool go_forward(const struct flow_cfg *cfg, uint32_t block, uint64_t own, struct sharing_ranges *ranges)
{
	const struct flow_block *b = &cfg->block[block];
	uint64_t in = 0;
	for (uint32_t k = 0; k < b->predecessors; k++)
		in |= ranges->pre_out[b->predecessor[k]];
	bool is_new = set_to(&ranges->pre_in[block], in);
	return set_to(&ranges->pre_out[block], b->reachable ? in | own : 0) || is_new;
}

static bool go_back(const struct flow_cfg *cfg, uint32_t block, uint64_t own, struct sharing_ranges *ranges)
{
	const struct flow_block *b = &cfg->block[block];
	uint64_t out = 0;
	for (uint32_t k = 0; k < b->successors; k++)
		out |= ranges->post_in[b->successor[k]];
	bool is_new = set_to(&ranges->post_out[block], out);
	return set_to(&ranges->post_in[block], out | own) || is_new;
}

struct sharing_ranges sharing_ranges(struct arena *arena, const struct flow_cfg *cfg, const uint64_t *accessed)
{
	struct sharing_ranges ranges = {
		arena_array(arena, cfg->blocks, sizeof(uint64_t)), arena_array(arena, cfg->blocks, sizeof(uint64_t)),
		arena_array(arena, cfg->blocks, sizeof(uint64_t)), arena_array(arena, cfg->blocks, sizeof(uint64_t))};
	uint64_t *own = arena_array(arena, cfg->blocks, sizeof *own);
	for (uint32_t block = 0; block < cfg->blocks; block++)
		own[block] = accessed_in(cfg, block, accessed);
	for (bool is_new = true; is_new;) {
		is_new = false;
		for (uint32_t block = 0; block < cfg->blocks; block++)
			is_new |= go_forward(cfg, block, own[block], &ranges);
		for (uint32_t block = cfg->blocks; block-- > 0;)
			is_new |= go_back(cfg, block, own[block], &ranges);
	}
	return ranges;
}

/* --- cost of a range --- */

static void add_stretch(struct sharing_stretches *to, uint64_t up_to, uint64_t from, uint64_t weight)
{
	uint32_t i = to->count;
	while (i > 0 && (to->stretch[i - 1].up_to != up_to || to->stretch[i - 1].from != from))
		i--;
	if (i == 0)
		to->stretch[to->count++] = (struct sharing_stretch){up_to, from, weight};
	else
		to->stretch[i - 1].weight += weight;
}

static uint64_t weight_of(const struct analysis_loops *loops, uint32_t block, uint32_t trips)
{
	uint64_t weight = 1;
	for (uint32_t i = 0; i < loops->count; i++)
		if (loops->loop[i].body[block / 64] >> block % 64 & 1 && weight <= UINT32_MAX / trips)
			weight *= trips;
	return weight;
}

/* Computes the variables accessed from each instruction of a block on. */
static void look_back(const struct flow_block *block, uint64_t post_out, const uint64_t *accessed, uint64_t *from)
{
	for (uint32_t i = block->first + block->count; i-- > block->first;)
		from[i] = post_out |= accessed[i];
}

struct sharing_stretches sharing_stretches(struct arena *arena, const struct flow_cfg *cfg,
                                           const struct analysis_loops *loops, uint32_t trips, const uint64_t *accessed)
{
	const struct sharing_ranges ranges = sharing_ranges(arena, cfg, accessed);
	uint32_t count = cfg->function->body_count;
	struct sharing_stretches found = {arena_array(arena, count + 1, sizeof *found.stretch), 0};
	uint64_t *from = arena_array(arena, count + 1, sizeof *from);
	for (uint32_t b = 0; b < cfg->blocks; b++) {
		const struct flow_block *block = &cfg->block[b];
		uint64_t up_to = ranges.pre_in[b], weight = weight_of(loops, b, trips);
		look_back(block, ranges.post_out[b], accessed, from);
		for (uint32_t i = block->first; block->reachable && i < block->first + block->count; i++)
			add_stretch(&found, up_to |= accessed[i], from[i], weight);
	}
	return found;
}

uint64_t sharing_range_weight(const struct sharing_stretches *stretches, uint64_t set)
{
	uint64_t weight = 0;
	for (uint32_t i = 0; i < stretches->count; i++)
		if (sharing_in_range(stretches->stretch[i].up_to, stretches->stretch[i].from, set))
			weight += stretches->stretch[i].weight;
	return weight;
}
