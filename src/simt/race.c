/* race: finds races on shared memory by vector clocks.
 *
 * Every warp has a clock. It also stores, for each other warp, the time up to which that warp's accesses happen
 * before its own (Lamport). A warp's clock advances when others may start to rely on it: at a barrier and at a
 * fence. Warps that a barrier releases acquire the clocks of all warps that arrived at it. Named barriers and
 * arrive-only barriers are therefore distinguished. Warps that have ended count as arrived at all barriers for all
 * threads.
 *
 * Each byte stores its last write and the last write of another value, because warps that write the same value do
 * not conflict. It also stores later reads and atomics, unless an even later access makes them redundant
 * (FastTrack, PLDI 2009, section 3). The bytes of a word share one record until an access covers only part of the
 * word.
 *
 * Atomics do not race with atomics. With fences they also order plain accesses, as in PTX's memory model. The
 * sequence is a fence, an atomic whose value an atomic of another warp reads, and a fence there. An atomic location
 * therefore stores what its writers knew at their last fence. Volatile accesses are weaker. Volatile loads count as
 * atomic. A volatile store counts as atomic only when a fence separates it from its warp's earlier stores.
 * Otherwise a volatile array would hide a missing barrier.
 */
#include "simt/race.h"
#include "simt/race_global.h"

#include "base/arena.h"

#include <stdlib.h>

enum {
	LAST_TIME = 1 << 30,      /* when times exceed this, all state is reset */
	MOST_LOCATIONS = 1 << 12, /* most atomic locations that are remembered per block */
};

static const bool conflicts[ACCESS_KINDS][ACCESS_KINDS] = {
	[ATOMIC_READ] = {[WRITE] = true},
	[READ] = {[ATOMIC] = true, [WRITE] = true},
	[ATOMIC] = {[READ] = true, [WRITE] = true},
	[WRITE] = {true, true, true, true},
};

static const bool covers[ACCESS_KINDS][ACCESS_KINDS] = {
	[ATOMIC_READ] = {[ATOMIC_READ] = true},
	[READ] = {[ATOMIC_READ] = true, [READ] = true},
	[ATOMIC] = {[ATOMIC_READ] = true, [ATOMIC] = true},
	[WRITE] = {true, true, true, true},
};

/* An atomic location, and the row of location_known with what its writers knew. `heard`: what they had observed of
 * other blocks. */
struct location {
	uint64_t address, heard;
	uint32_t row;
};

bool race_conflicts(enum base_access_kind a, enum base_access_kind b)
{
	return conflicts[a][b];
}

bool race_covers(enum base_access_kind a, enum base_access_kind b)
{
	return covers[a][b];
}

/* --- begin and end --- */

struct race *race_open(void)
{
	struct race *race = base_calloc(1, sizeof *race);
	race->nodes = 1;
	return race;
}

void race_close(struct race *race)
{
	if (!race)
		return;
	free(race->known);
	free(race->fenced);
	free(race->pending);
	free(race->barrier);
	free(race->ended);
	free(race->cell);
	free(race->is_split);
	free(race->node);
	free(race->location);
	free(race->location_known);
	free(race->dma_room);
	free(race);
}

static void fill(uint32_t *words, size_t count, uint32_t value)
{
	for (size_t i = 0; i < count; i++)
		words[i] = value;
}

static void reserve_clocks(struct race *race, uint32_t clocks)
{
	if (clocks > race->capacity) {
		size_t square = (size_t)clocks * clocks * sizeof *race->known;
		race->capacity = clocks;
		race->known = base_realloc(race->known, square);
		race->fenced = base_realloc(race->fenced, square);
		race->pending = base_realloc(race->pending, square);
		race->barrier = base_realloc(race->barrier, (size_t)SIMT_WAITS * clocks * sizeof *race->barrier);
		race->ended = base_realloc(race->ended, clocks * sizeof *race->ended);
		free(race->location_known);
		race->location_known = NULL;
	}
	race->clocks = clocks;
}

static void reserve_bytes(struct race *race, uint32_t bytes)
{
	uint32_t whole = (bytes + 3) / 4 * 4;
	if (whole <= race->bytes)
		return;
	race->cell = base_realloc(race->cell, whole * sizeof *race->cell);
	memset(race->cell + race->bytes, 0, (whole - race->bytes) * sizeof *race->cell);
	race->is_split = base_realloc(race->is_split, whole / 4 * sizeof *race->is_split);
	memset(race->is_split + race->bytes / 4, 0, (whole - race->bytes) / 4 * sizeof *race->is_split);
	race->bytes = whole;
}

/* Nothing needs to be erased: all times of earlier blocks precede the new block's, and thus all its accesses. */
void race_start(struct simt_block *block)
{
	struct race *race = block->checks->race;
	if (race->top > LAST_TIME) {
		memset(race->cell, 0, race->bytes * sizeof *race->cell);
		race->nodes = 1;
		race->free_node = NONE;
		race->top = 0;
	}
	reserve_clocks(race, block->warps + (block->launch->program->has_dma ? DMA_BUFFERS : 0));
	reserve_bytes(race, block->shared_bytes);
	size_t square = (size_t)race->clocks * race->clocks;
	race->begin = race->top;
	race->has_fenced = race->stored = 0;
	fill(race->fenced_at, SIMT_MAX_WARPS, race->begin);
	race->locations = 0;
	fill(race->known, square, race->begin);
	fill(race->fenced, square, race->begin);
	fill(race->pending, square, race->begin);
	fill(race->barrier, (size_t)SIMT_WAITS * race->clocks, race->begin);
	fill(race->ended, race->clocks, race->begin);
	for (uint32_t w = 0; w < race->clocks; w++)
		race_advance(race, w);
	race->hearer = (struct hearer){0};
	race_dma_start(race, block);
}

/* --- order between warps --- */

void race_arrive(struct simt_warp *warp, uint32_t barrier)
{
	struct race *race = warp->block->checks->race;
	race_join(race, race_row(race->barrier, race, barrier), race_row(race->known, race, warp->index));
	if (race->global)
		race_global_arrive(warp, barrier);
	race_advance(race, warp->index);
}

void race_release(struct simt_block *block, uint32_t barrier, uint64_t released)
{
	struct race *race = block->checks->race;
	uint32_t *gathered = race_row(race->barrier, race, barrier);
	if (!block->barrier[barrier].expected)
		race_join(race, gathered, race->ended);
	if (race->global)
		race_global_release(block, barrier, released);
	if (barrier >= SIMT_BARRIERS)
		race_gather(race, barrier - SIMT_BARRIERS, gathered);
	for (; released && barrier < SIMT_BARRIERS; released &= released - 1)
		race_join(race, race_row(race->known, race, (uint32_t)__builtin_ctzll(released)), gathered);
	fill(gathered, race->clocks, race->begin);
}

void race_exit(struct simt_warp *warp)
{
	struct race *race = warp->block->checks->race;
	race_join(race, race->ended, race_row(race->known, race, warp->index));
}

void race_fence(struct simt_warp *warp)
{
	struct race *race = warp->block->checks->race;
	uint32_t w = warp->index;
	uint32_t *known = race_row(race->known, race, w);
	race_join(race, known, race_row(race->pending, race, w));
	memcpy(race_row(race->fenced, race, w), known, race->clocks * sizeof *known);
	race->has_fenced |= (uint64_t)1 << w;
	race->stored &= ~((uint64_t)1 << w);
	race->fenced_at[w] = known[w];
	race_advance(race, w);
}

/* Returns NULL when there is no entry and `make` is false, or the table is full. */
static struct location *find_location(struct race *race, uint64_t address, bool make)
{
	uint32_t low = 0, high = race->locations;
	if (!race->location_known && !make)
		return NULL;
	if (!race->location_known) {
		race->location = base_realloc(race->location, MOST_LOCATIONS * sizeof *race->location);
		race->location_known =
			base_malloc((size_t)MOST_LOCATIONS * race->capacity * sizeof *race->location_known);
	}
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (race->location[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	struct location *location = &race->location[low];
	if (low < race->locations && location->address == address)
		return location;
	if (!make || race->locations == MOST_LOCATIONS)
		return NULL;
	memmove(location + 1, location, (race->locations - low) * sizeof *location);
	*location = (struct location){.address = address, .row = race->locations++};
	fill(race_row(race->location_known, race, location->row), race->clocks, race->begin);
	return location;
}

/* An mbarrier instruction without an explicit order: an arrival releases and a wait acquires (PTX ISA, "mbarrier"). */
static enum ptx_order order_of(const struct ptx_inst *ptx)
{
	if (ptx->order != PTX_ORDER_NONE)
		return ptx->order;
	switch (ptx->mbarrier) {
	case PTX_MBARRIER_ARRIVE:
	case PTX_MBARRIER_DROP:
		return PTX_RELEASE;
	case PTX_MBARRIER_TEST:
	case PTX_MBARRIER_TRY:
		return PTX_ACQUIRE;
	default:
		return PTX_ORDER_NONE;
	}
}

/* A warp that reads the location acquires what earlier writers of it had observed of other blocks. */
static void pass_hearsay(struct location *location, uint64_t *heard, bool leaves)
{
	*heard = location->heard > *heard ? location->heard : *heard;
	if (leaves)
		location->heard = *heard;
}

/* Treats a lane's atomic access as synchronization: it acquires from other warps and releases to them. */
static void synchronize(struct race *race, enum ptx_order order, const struct simt_warp *who, uint64_t address,
                        bool writes)
{
	uint32_t warp = who->index;
	bool acquires = order == PTX_ACQUIRE || order == PTX_ACQ_REL || order == PTX_SC;
	bool releases = order == PTX_RELEASE || order == PTX_ACQ_REL || order == PTX_SC;
	bool leaves = writes && (releases || race->has_fenced >> warp & 1);
	if (race->global && generic_space(address) == PTX_GLOBAL)
		race_global_synchronize(race->global, who, address, leaves, releases);
	struct location *location = find_location(race, address, leaves);
	if (location) {
		uint32_t *left = race_row(race->location_known, race, location->row);
		race_join(race, race_row(acquires ? race->known : race->pending, race, warp), left);
		if (leaves)
			race_join(race, left, race_row(releases ? race->known : race->fenced, race, warp));
		pass_hearsay(location, &race->hearer.heard[warp], leaves);
	}
	if (leaves && releases)
		race_advance(race, warp);
}

/* --- records of bytes --- */

static uint32_t new_node(struct race *race, struct node node)
{
	uint32_t at = race->free_node;
	if (at != NONE) {
		race->free_node = race->node[at].next;
	} else {
		if (race->nodes >= race->node_capacity) {
			race->node_capacity = race->node_capacity ? 2 * race->node_capacity : 1024;
			race->node = base_realloc(race->node, race->node_capacity * sizeof *race->node);
		}
		at = race->nodes++;
	}
	race->node[at] = node;
	return at;
}

static void free_node(struct race *race, uint32_t at)
{
	race->node[at].next = race->free_node;
	race->free_node = at;
}

void race_report(struct access *access, uint32_t rival)
{
	struct simt_block *block = access->block;
	if (rival == access->last_rival)
		return;
	access->last_rival = rival;
	const struct simt_inst *other = &block->launch->program->code[who_pc(rival)];
	finding_add(block, &(struct finding){
				   .kind = FINDING_RACE,
				   .access = {{other, who_clock(rival), who_lane(rival)},
	                                      {access->inst, access->warp, access->lane}},
				   .address = access->offset,
				   .size = access->size,
			   });
}

/* Earlier blocks may have had more clocks than there are now. */
bool race_is_ordered(const struct race *race, uint32_t clock, uint32_t time, uint32_t who)
{
	uint32_t other = who_clock(who);
	if (time <= race->begin || other == clock)
		return true;
	if (UNLIKELY(race->dma != NULL))
		return race_dma_is_ordered(race, clock, time, other);
	return time <= race_row(race->known, race, clock)[other];
}

/* Checks the access against one record, and updates the record. */
static void touch(struct race *race, struct cell *cell, struct access *access)
{
	struct node *first = cell->list != NONE ? &race->node[cell->list] : NULL;
	bool by_us = first && first->time == access->time && who_clock(first->who) == access->warp;
	if (by_us && first->kind == access->kind && access->kind != WRITE)
		return; /* nothing has happened since */
	if (UNLIKELY(race->dma != NULL))
		race_wait_for_transfer(race, access->warp, cell->time, cell->who);
	uint32_t time = access->same ? cell->old_time : cell->time, who = access->same ? cell->old_who : cell->who;
	if (time != NONE && !race_is_ordered(race, access->warp, time, who))
		race_report(access, who);
	for (uint32_t *link = &cell->list; *link != NONE;) {
		uint32_t at = *link;
		struct node *node = &race->node[at];
		bool ordered = race_is_ordered(race, access->warp, node->time, node->who);
		if (!ordered && conflicts[access->kind][node->kind])
			race_report(access, node->who);
		if (access->kind == WRITE || (ordered && covers[access->kind][node->kind])) {
			*link = node->next;
			free_node(race, at);
		} else {
			link = &node->next;
		}
	}
	if (access->kind == WRITE) {
		if (!access->same) {
			cell->old_time = cell->time;
			cell->old_who = cell->who;
		}
		cell->time = access->time;
		cell->who = access->who;
	} else {
		cell->list = new_node(race, (struct node){access->time, access->who, cell->list, access->kind});
	}
}

/* From here on every byte of the word has its own record. */
static void split(struct race *race, uint32_t word)
{
	struct cell *cell = &race->cell[4 * word];
	race->is_split[word] = true;
	for (unsigned k = 1; k < 4; k++) {
		cell[k] = (struct cell){cell->time, cell->who, cell->old_time, cell->old_who, NONE};
		for (uint32_t at = cell->list, last = NONE; at != NONE; at = race->node[at].next) {
			struct node copy = race->node[at];
			copy.next = NONE;
			uint32_t made = new_node(race, copy);
			*(last == NONE ? &cell[k].list : &race->node[last].next) = made;
			last = made;
		}
	}
}

void race_touch(struct race *race, struct access *access)
{
	uint32_t at = (uint32_t)access->offset, end = at + access->size;
	while (at < end) {
		uint32_t word = at / 4;
		if (!race->is_split[word]) {
			if (at % 4 == 0 && end - at >= 4) {
				touch(race, &race->cell[at], access);
				at += 4;
				continue;
			}
			split(race, word);
		}
		touch(race, &race->cell[at++], access);
	}
}

/* --- accesses --- */

static enum base_access_kind kind_of(const struct race *race, const struct simt_warp *warp,
                                     const struct simt_inst *inst)
{
	enum ptx_order order = inst->ptx->order;
	bool is_atomic = order != PTX_ORDER_NONE && order != PTX_WEAK;
	if (inst->kind == SIMT_ATOMIC)
		return ATOMIC;
	if (inst->kind == SIMT_LOAD)
		return is_atomic || unchecked(warp, inst)->feeds_exchange ? ATOMIC_READ : READ;
	if (order == PTX_VOLATILE && (!(race->has_fenced >> warp->index & 1) || race->stored >> warp->index & 1))
		return WRITE;
	return is_atomic ? ATOMIC : WRITE;
}

/* Performs a lane's store, so that later lanes see its value; the instruction performs it again. Returns true when
 * the store changes nothing. */
static bool store_same(const struct simt_warp *warp, const struct simt_inst *inst, uint8_t *memory, unsigned lane)
{
	uint32_t bytes = inst->size / inst->vector;
	bool same = true;
	for (unsigned e = 0; e < inst->vector; e++) {
		const uint8_t *value = source(warp, inst, 1 + e);
		value += lane * unchecked(warp, inst)->src_pitch[1 + e];
		same &= memcmp(memory + e * bytes, value, bytes) == 0;
		memcpy(memory + e * bytes, value, bytes);
	}
	return same;
}

static struct access access_of(struct simt_warp *warp, const struct simt_inst *inst, unsigned lane, uint64_t offset,
                               uint32_t size, bool same)
{
	const struct race *race = warp->block->checks->race;
	return (struct access){.block = warp->block,
	                       .inst = inst,
	                       .warp = warp->index,
	                       .lane = lane,
	                       .time = race_row(race->known, race, warp->index)[warp->index],
	                       .who = race_pack(inst->pc, warp->index, lane),
	                       .kind = kind_of(race, warp, inst),
	                       .offset = offset,
	                       .size = size,
	                       .same = same,
	                       .is_volatile = inst->ptx->order == PTX_VOLATILE,
	                       .last_rival = UINT32_MAX};
}

static struct access access_at(struct simt_warp *warp, const struct simt_step *step, const struct reach *reach,
                               unsigned lane, uint64_t offset)
{
	const struct simt_inst *inst = step->inst;
	uint8_t *memory = (uint8_t *)(reach->base + reach->where[lane]);
	bool same = inst->ptx->op == PTX_OP_ST && store_same(warp, inst, memory, lane);
	return access_of(warp, inst, lane, offset, inst->size, same);
}

static void access_shared(struct simt_warp *warp, const struct simt_step *step, const struct reach *reach,
                          unsigned lane, uint64_t offset)
{
	struct race *race = warp->block->checks->race;
	struct access access = access_at(warp, step, reach, lane, offset);
	race_touch(race, &access);
	if (access.kind == ATOMIC || access.kind == ATOMIC_READ)
		synchronize(race, order_of(step->inst->ptx), warp, SIMT_SHARED_WINDOW + offset, access.kind == ATOMIC);
}

static void touch_global(struct simt_warp *warp, const struct simt_step *step, const struct reach *reach, unsigned lane,
                         uint64_t address)
{
	struct race *race = warp->block->checks->race;
	enum base_access_kind kind = kind_of(race, warp, step->inst);
	if (race->global) {
		struct access access = access_at(warp, step, reach, lane, address);
		race_global_touch(race->global, &access);
	}
	if (kind == ATOMIC || kind == ATOMIC_READ)
		synchronize(race, order_of(step->inst->ptx), warp, address, kind == ATOMIC);
}

void race_image(struct simt_warp *warp, const struct simt_inst *inst, unsigned lane, uint64_t address, uint32_t size,
                bool same)
{
	struct race *race = warp->block->checks->race;
	if (!race->global)
		return;
	struct access access = access_of(warp, inst, lane, address, size, same);
	access.is_texture = inst->space == PTX_TEX;
	race_global_touch(race->global, &access);
	if (access.kind == WRITE)
		race->stored |= (uint64_t)1 << warp->index;
}

void race_access(struct simt_warp *warp, const struct simt_step *step, const struct reach *reach)
{
	struct race *race = warp->block->checks->race;
	const struct simt_inst *inst = step->inst;
	enum base_access_kind kind = kind_of(race, warp, inst);
	if (step->space != PTX_SHARED && step->space != PTX_GLOBAL && !step->mixed_spaces)
		return;
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		uint64_t address = step->address[lane];
		enum ptx_space space = step->mixed_spaces ? generic_space(address) : (enum ptx_space)step->space;
		if (space == PTX_SHARED)
			access_shared(warp, step, reach, lane,
			              step->mixed_spaces ? address - SIMT_SHARED_WINDOW : address);
		else if (space == PTX_GLOBAL)
			touch_global(warp, step, reach, lane, address);
		if (space == PTX_GLOBAL && inst->kind != SIMT_LOAD && race->dma)
			race_store(warp, inst, lane, address);
	}
	if (kind == WRITE && inst->ptx->order != PTX_VOLATILE)
		race->stored |= (uint64_t)1 << warp->index;
}

void race_bulk(struct simt_warp *warp, const struct simt_inst *inst, unsigned lane, const struct race_range *range)
{
	struct race *race = warp->block->checks->race;
	struct access access = access_of(warp, inst, lane, range->address, range->size, false);
	access.kind = range->kind;
	if (range->space == PTX_SHARED)
		race_touch(race, &access);
	else if (race->global)
		race_global_touch(race->global, &access);
	if (range->space == PTX_GLOBAL && range->kind == WRITE)
		race->stored |= (uint64_t)1 << warp->index;
}

void race_bulk_end(struct simt_warp *warp, uint64_t barrier)
{
	synchronize(warp->block->checks->race, PTX_RELEASE, warp, SIMT_SHARED_WINDOW + barrier, true);
}
