/* Races on shared memory, found by vector clocks.
 *
 * Every warp has a clock, and of every other warp the time up to which that one's accesses come before its own
 * (Lamport's happens-before). A warp's clock goes on when it gives others something to rely on: when it comes to a
 * barrier, and at a fence. Warps that a barrier releases take over what all who came to it knew, so that warps that meet
 * at different named barriers, or only arrive at one, are told apart. Warps that end have come to all barriers for all
 * threads.
 *
 * Of every byte the last write is kept, and the last one of another value, since warps that write the same do not
 * disturb each other; and behind these the reads and atomics that no later one makes superfluous (FastTrack, PLDI 2009,
 * section 3). Bytes of a word share one record until an access is to a part of the word.
 *
 * Atomics do not race with atomics. With a fence they also order plain accesses, as PTX's memory model has it: a fence, an
 * atomic that leaves its value to an atomic of another warp, a fence there. An atomic location therefore keeps what the
 * writers before it knew at their last fence. Volatile accesses are weaker: loads count as atomic, a store only where a
 * fence parts it from what its warp stored before. Else a forgotten barrier would hide behind a volatile array.
 */
#include "simt/checks.h"

#include "base/arena.h"

#include <stdlib.h>

enum {
	NONE = 0,                 /* no node, no time */
	PC_BITS = 21,             /* who: pc, warp, lane */
	LAST_TIME = 1 << 30,      /* all begins anew behind it */
	MOST_LOCATIONS = 1 << 12, /* atomic locations that are remembered of a block */
};

/* Weaker kinds first: one that conflicts with less. */
enum access_kind { ATOMIC_READ, READ, ATOMIC, WRITE, ACCESS_KINDS };

/* [a][b]: accesses of kinds a and b to one place must be ordered. */
static const bool conflicts[ACCESS_KINDS][ACCESS_KINDS] = {
	[ATOMIC_READ] = {[WRITE] = true},
	[READ] = {[ATOMIC] = true, [WRITE] = true},
	[ATOMIC] = {[READ] = true, [WRITE] = true},
	[WRITE] = {true, true, true, true},
};

/* [a][b]: whatever races with an access of kind b, and comes behind one of kind a that is ordered after it, is ordered
 * or races with that one too. */
static const bool covers[ACCESS_KINDS][ACCESS_KINDS] = {
	[ATOMIC_READ] = {[ATOMIC_READ] = true},
	[READ] = {[ATOMIC_READ] = true, [READ] = true},
	[ATOMIC] = {[ATOMIC_READ] = true, [ATOMIC] = true},
	[WRITE] = {true, true, true, true},
};

/* Reads and atomics behind the last write: a list. */
struct node {
	uint32_t time, who, next;
	enum access_kind kind;
};

/* A byte, or a word whose bytes have always been accessed together. */
struct cell {
	uint32_t time, who;         /* of the last write */
	uint32_t old_time, old_who; /* of the last that left another value */
	uint32_t list;
};

/* A location of atomics, and the row of location_known with what its writers knew. */
struct location {
	uint64_t address;
	uint32_t row;
};

struct race {
	uint32_t warps, capacity;
	uint32_t begin, top; /* times: before all of this block, latest of all */
	uint32_t *known;     /* [warp][other]: the warp's vector clock */
	uint32_t *fenced;    /* the same as it was at the warp's last fence */
	uint32_t *pending;   /* what atomics have read, known from the next fence on */
	uint32_t *barrier;   /* [barrier][warp]: what those who came to it knew */
	uint32_t *ended;     /* what the warps that ended knew */
	uint64_t has_fenced; /* warps with a fence behind them */
	uint64_t stored;     /* warps that have stored since their last fence */
	struct cell *cell;   /* by byte; of a whole word the first byte's */
	bool *is_split;      /* by word */
	uint32_t bytes;
	struct node *node; /* [0] is none */
	uint32_t nodes, node_capacity, free_node;
	struct location *location; /* by address */
	uint32_t *location_known;
	uint32_t locations;
};

/* An access of one lane. */
struct access {
	struct simt_block *block;
	const struct simt_inst *inst;
	uint32_t warp, lane, time, who;
	enum access_kind kind;
	uint64_t offset;
	bool same;           /* a write that changes nothing */
	uint32_t last_rival; /* the access that the last finding was about: one finding for all bytes of it */
};

_Static_assert(SIMT_MAX_WARPS << 5 == 1 << 11 && WARP_SIZE == 1 << 5, "a warp of the block and a lane below the pc");

static uint32_t pack(uint32_t pc, uint32_t warp, uint32_t lane)
{
	return (pc & ((1u << PC_BITS) - 1)) << 11 | warp << 5 | lane;
}

static uint32_t who_warp(uint32_t who)
{
	return who >> 5 & 63;
}

static uint32_t *row(uint32_t *rows, const struct race *race, uint32_t warp)
{
	return rows + (size_t)warp * race->warps;
}

static void join(const struct race *race, uint32_t *to, const uint32_t *from)
{
	for (uint32_t w = 0; w < race->warps; w++)
		to[w] = from[w] > to[w] ? from[w] : to[w];
}

/* The warp's further accesses are not covered by what it has given away. */
static void advance(struct race *race, uint32_t warp)
{
	uint32_t time = ++row(race->known, race, warp)[warp];
	race->top = time > race->top ? time : race->top;
}

/* --- begin and end --- */

struct race *race_open(void)
{
	struct race *race = xcalloc(1, sizeof *race);
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
	free(race);
}

static void fill(uint32_t *words, size_t count, uint32_t value)
{
	for (size_t i = 0; i < count; i++)
		words[i] = value;
}

static void reserve_warps(struct race *race, uint32_t warps)
{
	if (warps > race->capacity) {
		size_t square = (size_t)warps * warps * sizeof *race->known;
		race->capacity = warps;
		race->known = xrealloc(race->known, square);
		race->fenced = xrealloc(race->fenced, square);
		race->pending = xrealloc(race->pending, square);
		race->barrier = xrealloc(race->barrier, (size_t)SIMT_WAITS * warps * sizeof *race->barrier);
		race->ended = xrealloc(race->ended, warps * sizeof *race->ended);
		free(race->location_known);
		race->location_known = NULL;
	}
	race->warps = warps;
}

static void reserve_bytes(struct race *race, uint32_t bytes)
{
	uint32_t whole = (bytes + 3) / 4 * 4;
	if (whole <= race->bytes)
		return;
	race->cell = xrealloc(race->cell, whole * sizeof *race->cell);
	memset(race->cell + race->bytes, 0, (whole - race->bytes) * sizeof *race->cell);
	race->is_split = xrealloc(race->is_split, whole / 4 * sizeof *race->is_split);
	memset(race->is_split + race->bytes / 4, 0, (whole - race->bytes) / 4 * sizeof *race->is_split);
	race->bytes = whole;
}

/* Nothing is erased: all times of the blocks before lie before the new block's, and so before all that it does. */
void race_start(struct simt_block *block)
{
	struct race *race = block->checks->race;
	if (race->top > LAST_TIME) {
		memset(race->cell, 0, race->bytes * sizeof *race->cell);
		race->nodes = 1;
		race->free_node = NONE;
		race->top = 0;
	}
	reserve_warps(race, block->warps);
	reserve_bytes(race, block->shared_bytes);
	size_t square = (size_t)race->warps * race->warps;
	race->begin = race->top;
	race->has_fenced = race->stored = 0;
	race->locations = 0;
	fill(race->known, square, race->begin);
	fill(race->fenced, square, race->begin);
	fill(race->pending, square, race->begin);
	fill(race->barrier, (size_t)SIMT_WAITS * race->warps, race->begin);
	fill(race->ended, race->warps, race->begin);
	for (uint32_t w = 0; w < race->warps; w++)
		advance(race, w);
}

/* --- what orders warps --- */

void race_arrive(struct simt_warp *warp, uint32_t barrier)
{
	struct race *race = warp->block->checks->race;
	join(race, row(race->barrier, race, barrier), row(race->known, race, warp->index));
	advance(race, warp->index);
}

void race_release(struct simt_block *block, uint32_t barrier, uint64_t released)
{
	struct race *race = block->checks->race;
	uint32_t *gathered = row(race->barrier, race, barrier);
	if (!block->barrier[barrier].expected)
		join(race, gathered, race->ended);
	for (; released; released &= released - 1)
		join(race, row(race->known, race, (uint32_t)__builtin_ctzll(released)), gathered);
	fill(gathered, race->warps, race->begin);
}

void race_exit(struct simt_warp *warp)
{
	struct race *race = warp->block->checks->race;
	join(race, race->ended, row(race->known, race, warp->index));
}

void race_fence(struct simt_warp *warp)
{
	struct race *race = warp->block->checks->race;
	uint32_t w = warp->index;
	uint32_t *known = row(race->known, race, w);
	join(race, known, row(race->pending, race, w));
	memcpy(row(race->fenced, race, w), known, race->warps * sizeof *known);
	race->has_fenced |= (uint64_t)1 << w;
	race->stored &= ~((uint64_t)1 << w);
	advance(race, w);
}

/* What the writers of a location knew. NULL when there is none and none shall be made, or no more can be. */
static uint32_t *find_location(struct race *race, uint64_t address, bool make)
{
	uint32_t low = 0, high = race->locations;
	if (!race->location_known && !make)
		return NULL;
	if (!race->location_known) {
		race->location = xrealloc(race->location, MOST_LOCATIONS * sizeof *race->location);
		race->location_known = xmalloc((size_t)MOST_LOCATIONS * race->capacity * sizeof *race->location_known);
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
		return row(race->location_known, race, location->row);
	if (!make || race->locations == MOST_LOCATIONS)
		return NULL;
	memmove(location + 1, location, (race->locations - low) * sizeof *location);
	*location = (struct location){address, race->locations++};
	uint32_t *known = row(race->location_known, race, location->row);
	fill(known, race->warps, race->begin);
	return known;
}

/* A lane's atomic access as one that orders: what it reads of others, what it leaves for others. */
static void synchronise(struct race *race, const struct simt_inst *inst, uint32_t warp, uint64_t address, bool writes)
{
	enum ptx_order order = inst->ptx->order;
	bool acquires = order == PTX_ACQUIRE || order == PTX_ACQ_REL || order == PTX_SC;
	bool releases = order == PTX_RELEASE || order == PTX_ACQ_REL || order == PTX_SC;
	bool leaves = writes && (releases || race->has_fenced >> warp & 1);
	uint32_t *location = find_location(race, address, leaves);
	if (!location)
		return;
	join(race, row(acquires ? race->known : race->pending, race, warp), location);
	if (!leaves)
		return;
	join(race, location, row(releases ? race->known : race->fenced, race, warp));
	if (releases)
		advance(race, warp);
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
			race->node = xrealloc(race->node, race->node_capacity * sizeof *race->node);
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

static void report(struct access *access, uint32_t rival)
{
	struct simt_block *block = access->block;
	if (rival == access->last_rival)
		return;
	access->last_rival = rival;
	const struct simt_inst *other = &block->launch->program->code[rival >> 11];
	finding_add(block, &(struct finding){
				   .kind = FINDING_RACE,
				   .access = {{other, who_warp(rival), rival & 31},
	                                      {access->inst, access->warp, access->lane}},
				   .address = access->offset,
				   .size = access->inst->size,
			   });
}

/* The warps of earlier blocks may be more than there are now. */
static bool is_ordered(const struct race *race, uint32_t warp, uint32_t time, uint32_t who)
{
	uint32_t other = who_warp(who);
	return time <= race->begin || other == warp || time <= race->known[(size_t)warp * race->warps + other];
}

/* The access to one record. */
static void touch(struct race *race, struct cell *cell, struct access *access)
{
	struct node *first = cell->list != NONE ? &race->node[cell->list] : NULL;
	bool by_us = first && first->time == access->time && who_warp(first->who) == access->warp;
	if (by_us && first->kind == access->kind && access->kind != WRITE)
		return; /* nothing has happened since */
	uint32_t time = access->same ? cell->old_time : cell->time, who = access->same ? cell->old_who : cell->who;
	if (time != NONE && !is_ordered(race, access->warp, time, who))
		report(access, who);
	for (uint32_t *link = &cell->list; *link != NONE;) {
		uint32_t at = *link;
		struct node *node = &race->node[at];
		bool ordered = is_ordered(race, access->warp, node->time, node->who);
		if (!ordered && conflicts[access->kind][node->kind])
			report(access, node->who);
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

/* From here on every byte of the word has a record of its own. */
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

static void touch_bytes(struct race *race, struct access *access)
{
	uint32_t at = (uint32_t)access->offset, end = at + access->inst->size;
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

static enum access_kind kind_of(const struct race *race, const struct simt_warp *warp, const struct simt_inst *inst)
{
	enum ptx_order order = inst->ptx->order;
	bool is_atomic = order != PTX_ORDER_NONE && order != PTX_WEAK;
	if (inst->kind == SIMT_ATOMIC)
		return ATOMIC;
	if (inst->kind == SIMT_LOAD)
		return is_atomic ? ATOMIC_READ : READ;
	if (order == PTX_VOLATILE && (!(race->has_fenced >> warp->index & 1) || race->stored >> warp->index & 1))
		return WRITE;
	return is_atomic ? ATOMIC : WRITE;
}

/* Makes a lane's store, so that the lanes behind it find its value; the instruction will make it again. True when it
 * changes nothing. */
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

static void access_shared(struct simt_warp *warp, const struct simt_step *step, const struct reach *reach,
                          unsigned lane, uint64_t offset)
{
	struct race *race = warp->block->checks->race;
	const struct simt_inst *inst = step->inst;
	struct access access = {.block = warp->block,
	                        .inst = inst,
	                        .warp = warp->index,
	                        .lane = lane,
	                        .time = row(race->known, race, warp->index)[warp->index],
	                        .who = pack(inst->pc, warp->index, lane),
	                        .kind = kind_of(race, warp, inst),
	                        .offset = offset,
	                        .last_rival = UINT32_MAX};
	uint8_t *memory = (uint8_t *)(reach->base + reach->where[lane]);
	access.same = inst->kind == SIMT_STORE && store_same(warp, inst, memory, lane);
	touch_bytes(race, &access);
	if (access.kind == ATOMIC || access.kind == ATOMIC_READ)
		synchronise(race, inst, warp->index, SIMT_SHARED_WINDOW + offset, access.kind == ATOMIC);
}

void race_access(struct simt_warp *warp, const struct simt_step *step, const struct reach *reach)
{
	struct race *race = warp->block->checks->race;
	const struct simt_inst *inst = step->inst;
	enum access_kind kind = kind_of(race, warp, inst);
	if (step->space != PTX_SHARED && step->space != PTX_GLOBAL && !step->mixed_spaces)
		return;
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		uint64_t address = step->address[lane];
		enum ptx_space space = step->mixed_spaces ? generic_space(address) : (enum ptx_space)step->space;
		if (space == PTX_SHARED)
			access_shared(warp, step, reach, lane,
			              step->mixed_spaces ? address - SIMT_SHARED_WINDOW : address);
		else if (space == PTX_GLOBAL && (kind == ATOMIC || kind == ATOMIC_READ))
			synchronise(race, inst, warp->index, address, kind == ATOMIC);
	}
	if (kind == WRITE && inst->ptx->order != PTX_VOLATILE)
		race->stored |= (uint64_t)1 << warp->index;
}
