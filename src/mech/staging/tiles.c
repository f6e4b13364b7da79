/* The transfers of a block, array by array: their begin and end, and their counters and events. */
#include "staging.h"

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static struct array *array_of(const struct mech_sm *sm, uint32_t slot, uint32_t a)
{
	return &((struct staging_sm *)sm->state)->block[slot].array[a];
}

/* --- the end of a transfer --- */

/* Each array of each block slot has its own track, on which no events overlap. */
static void draw(struct mech_sm *sm, uint32_t row, uint32_t slot, uint32_t a, uint64_t begin, uint64_t end,
                 uint64_t bytes)
{
	const struct mech_event event = {.row = row,
	                                 .track = slot * staging_kernel(sm)->arrays + a,
	                                 .begin = begin,
	                                 .end = end,
	                                 .arguments = {a, bytes}};
	if (begin < end)
		mech_draw(sm->output, &event);
}

static void draw_tile(struct mech_sm *sm, uint32_t slot, uint32_t a, const struct tile *tile, uint64_t end)
{
	struct array *array = array_of(sm, slot, a);
	uint64_t begin = array->is_used ? later(tile->begin, array->free) : tile->begin;
	if (array->is_used)
		draw(sm, COMP, slot, a, array->free, tile->begin, 0);
	draw(sm, AGEN, slot, a, begin, tile->loaded, tile->bytes);
	draw(sm, MEM, slot, a, later(begin, tile->loaded), end, tile->bytes);
}

static void count_tile(struct mech_sm *sm, const struct tile *tile, uint64_t end)
{
	struct staging_stats *stats = sm->stats;
	uint64_t agen = tile->loaded - tile->begin, mem = end - tile->loaded;
	stats->transfers++;
	stats->agen_cycles += agen;
	stats->overlap_cycles += tile->waited_at_load;
	stats->mem_cycles += mem;
	stats->transfer_cycles += agen + mem;
	stats->bytes += tile->bytes;
	mech_observe(sm->output, AGEN_LENGTHS, agen);
	mech_observe(sm->output, MEM_LENGTHS, mem);
	mech_observe(sm->output, TRANSFER_LENGTHS, agen + mem);
}

/* A tile without loads, such as one of constants only, is not counted. */
static void finish(struct mech_sm *sm, uint32_t slot, uint32_t a, struct tile *tile, uint64_t cycle)
{
	struct array *array = array_of(sm, slot, a);
	uint64_t end = later(tile->loaded, tile->stored);
	if (tile->loaded) {
		count_tile(sm, tile, end);
		draw_tile(sm, slot, a, tile, end);
		array->is_used = true;
		array->free = later(cycle, end);
	}
	*tile = (struct tile){0};
}

/* The barrier after the stores has released all warps. The last stores may still wait for the banks. */
static void pass_barrier(struct mech_sm *sm, uint32_t slot, uint32_t a, uint64_t cycle)
{
	struct array *array = array_of(sm, slot, a);
	if (array->ending.has_begun)
		finish(sm, slot, a, &array->ending, cycle);
	if (!array->tile.in_flight) {
		finish(sm, slot, a, &array->tile, cycle);
		return;
	}
	array->ending = array->tile;
	array->tile = (struct tile){0};
}

void tiles_passed(struct mech_sm *sm, uint32_t slot, uint64_t warps, uint64_t cycle)
{
	for (uint32_t a = 0; a < staging_kernel(sm)->arrays; a++) {
		struct tile *tile = &array_of(sm, slot, a)->tile;
		if (tile->warps & ~warps)
			continue; /* a barrier of other warps */
		if (tile->stores)
			pass_barrier(sm, slot, a, cycle);
		else if (!tile->loaded)
			tile->has_begun = false; /* work before a barrier is not part of the transfer */
	}
}

void tiles_block_end(struct mech_sm *sm, uint32_t slot, uint64_t cycle)
{
	for (uint32_t a = 0; a < staging_kernel(sm)->arrays; a++) {
		struct array *array = array_of(sm, slot, a);
		if (array->tile.stores)
			finish(sm, slot, a, &array->tile, 0);
		if (array->is_used)
			draw(sm, COMP, slot, a, array->free, cycle, 0);
	}
}

/* --- a transfer in progress --- */

static uint64_t bytes_of(struct mech_sm *sm, const struct mech_issue *issue)
{
	struct mech_operands operands;
	mech_operands(sm, issue, &operands);
	return (uint64_t)__builtin_popcount(operands.lanes) * operands.bytes;
}

/* A block's first transfer begins with any instruction that it needs; later ones begin with an instruction that
 * nothing else needs. */
static bool begins(const struct array *array, const struct mech_staging_inst *role, uint32_t bit)
{
	return role->own || !array->is_used || (role->loads | role->stores) & bit;
}

static void stop_waiting(struct tile *tile, uint64_t cycle)
{
	if (tile->waiting)
		tile->waited += cycle - tile->waits_since;
	tile->waits_since = cycle;
}

static void load(struct tile *tile, uint64_t warp, uint64_t bytes, uint64_t behind)
{
	stop_waiting(tile, behind);
	tile->waited_at_load = tile->waited;
	tile->waiting |= warp;
	tile->loaded = behind;
	tile->bytes += bytes;
}

/* A warp's data have arrived when it uses them. */
static void mark_arrived(struct tile *tile, uint64_t warp, uint64_t cycle)
{
	stop_waiting(tile, cycle);
	tile->waiting &= ~warp;
}

static void issue_for(struct array *array, const struct mech_issue *issue, const struct mech_staging_inst *role,
                      uint32_t bit, uint64_t warp, uint64_t bytes)
{
	struct tile *tile = &array->tile;
	if (!tile->has_begun && begins(array, role, bit)) {
		tile->has_begun = true;
		tile->begin = issue->cycle;
	}
	if (!issue->lanes)
		return;
	tile->warps |= (role->loads | role->stores) & bit ? warp : 0;
	if (role->handles & bit)
		mark_arrived(tile, warp, issue->cycle);
	if (role->loads & bit)
		load(tile, warp, bytes, issue->cycle + 1);
	if (role->stores & bit) {
		tile->stores++;
		tile->in_flight++;
	}
}

void tiles_issue(struct mech_sm *sm, const struct mech_issue *issue, const struct mech_staging_inst *role)
{
	const struct block *block = &((struct staging_sm *)sm->state)->block[issue->block];
	uint32_t arrays = role->loads | role->handles | role->addresses;
	uint64_t warp = UINT64_C(1) << (issue->warp - block->first_warp), bytes = role->loads ? bytes_of(sm, issue) : 0;
	for (; arrays; arrays &= arrays - 1)
		issue_for(array_of(sm, issue->block, (uint32_t)__builtin_ctz(arrays)), issue, role, arrays & -arrays,
		          warp, bytes);
}

/* Stores reach the banks in the order of their tiles. */
void tiles_stored(struct mech_sm *sm, const struct mech_shared *access, const struct mech_staging_inst *role)
{
	uint64_t end = access->cycle + access->bank_cycles;
	for (uint32_t left = role->stores; left; left &= left - 1) {
		uint32_t a = (uint32_t)__builtin_ctz(left);
		struct array *array = array_of(sm, access->block, a);
		struct tile *tile = array->ending.has_begun ? &array->ending : &array->tile;
		tile->stored = later(tile->stored, end);
		tile->in_flight--;
		if (tile == &array->ending && !tile->in_flight)
			finish(sm, access->block, a, tile, access->cycle);
	}
}
