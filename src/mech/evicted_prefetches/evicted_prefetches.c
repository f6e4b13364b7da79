/* evicted_prefetches: counts the prefetched lines that L1 evicted unused, by whether a load needed the line later
 * (README.md). It is passive: it never changes what the machine does. */
#include "seam/mech.h"

#define COUNTERS(X)                                                                                                    \
	X(needed_later, "lines", "evicted unused, and a load of the same SM needed the line later: too early")         \
	X(never_needed, "lines", "evicted unused, and no load of the same SM needed the line later: wrong")            \
	X(by_store, "lines", "of both: evicted by a store to the line, which no load had used")                        \
	X(by_demand, "lines", "of both: replaced by the line of an instruction's access, not by a prefetched line")

struct stats {
#define X(name, unit, meaning) uint64_t name;
	COUNTERS(X)
#undef X
};

static const struct base_counter counters[] = {
#define X(name, unit, meaning) {#name, unit, BASE_SCOPE_SM, offsetof(struct stats, name), meaning, BASE_COMBINE_SUM},
	COUNTERS(X)
#undef X
};

/* A place of a hash table with linear probing, for a line that was evicted unused. */
struct place {
	uint64_t key;       /* the line's address plus 1; 0: the place is free */
	uint32_t evictions; /* unused, since a load last needed the line */
};

struct state {
	struct place *place;
	uint32_t places, taken; /* places: a power of two, at most half of them taken */
	uint64_t dropped;       /* the prefetched line that a store has just evicted, plus 1; 0: none */
	uint64_t replaced;      /* cycle of the last unused line's replacement, plus 1; 0: none, or counted */
};

enum { FIRST_PLACES = 256 };

/* Returns the line's place, or the free one where it belongs. */
static struct place *find(const struct state *state, uint64_t address)
{
	uint64_t hash = (address >> 5) * 0x9e3779b97f4a7c15;
	for (uint32_t at = (uint32_t)(hash >> 32);; at++) {
		struct place *place = &state->place[at & (state->places - 1)];
		if (!place->key || place->key == address + 1)
			return place;
	}
}

/* Doubles the table. The kernel's pool frees the old one at the kernel's end. */
static void grow(struct mech_sm *sm, struct state *state)
{
	struct place *old = state->place;
	uint32_t count = state->places;
	state->places = count ? 2 * count : FIRST_PLACES;
	state->place = mech_alloc(sm->kernel_pool, state->places * sizeof *state->place);
	for (uint32_t i = 0; i < count; i++)
		if (old[i].key)
			*find(state, old[i].key - 1) = old[i];
}

static void kernel_begin(struct mech_sm *sm)
{
	struct state *state = sm->state;
	*state = (struct state){0};
	grow(sm, state);
}

static void note_unused(struct mech_sm *sm, uint64_t line)
{
	struct state *state = sm->state;
	if (2 * state->taken >= state->places)
		grow(sm, state);
	struct place *place = find(state, line);
	state->taken += !place->key;
	place->key = line + 1;
	place->evictions++;
	((struct stats *)sm->stats)->never_needed++;
}

/* A store that evicts its line has accessed it. Whether it was the first to do so is known in `access`. */
static void evict(struct mech_sm *sm, const struct mech_eviction *evicted)
{
	struct state *state = sm->state;
	if (evicted->sender == MECH_NOBODY)
		return;
	if (evicted->by_store)
		state->dropped = evicted->address + 1;
	else if (!evicted->was_used) {
		note_unused(sm, evicted->address);
		state->replaced = evicted->cycle + 1;
	}
}

/* The access whose line has just replaced an unused one follows the replacement in the same cycle. L1 takes either an
 * instruction's access or a prefetch in a cycle. */
static void note_replacement(struct mech_sm *sm, const struct mech_access *access)
{
	struct state *state = sm->state;
	if (access->result != MECH_MISS)
		return;
	((struct stats *)sm->stats)->by_demand += state->replaced == access->cycle + 1;
	state->replaced = 0;
}

static void store(struct mech_sm *sm, uint64_t line, bool first_use)
{
	struct state *state = sm->state;
	if (state->dropped == line + 1 && first_use) {
		((struct stats *)sm->stats)->by_store++;
		note_unused(sm, line);
	}
	state->dropped = 0;
}

static void need(struct mech_sm *sm, uint64_t line)
{
	struct stats *stats = sm->stats;
	struct place *place = find(sm->state, line);
	if (!place->key)
		return;
	stats->needed_later += place->evictions;
	stats->never_needed -= place->evictions;
	place->evictions = 0;
}

/* An access that bypasses L1, or that the buffer before it serves, needs no line of L1. */
static void access(struct mech_sm *sm, const struct mech_access *access)
{
	uint64_t line = access->address & ~(uint64_t)(sm->machine->line_bytes - 1);
	note_replacement(sm, access);
	bool looked = access->result == MECH_HIT || access->result == MECH_MISS || access->result == MECH_MERGED;
	if (access->local || !looked)
		return;
	if (access->kind == MECH_STORE)
		store(sm, line, access->first_use);
	else if (access->kind == MECH_LOAD)
		need(sm, line);
}

const struct mech mech_evicted_prefetches = {
	.version = MECH_VERSION,
	.name = "evicted_prefetches",
	.summary = "counts prefetched lines that L1 evicted unused, by whether a load needed them later",
	.citation = "our own, for studies of G. Koo et al., IPDPS 2018, Fig. 12 and 14",
	.counters = counters,
	.counter_count = sizeof counters / sizeof *counters,
	.stats_size = sizeof(struct stats),
	.only_looks = true,
	.sm_size = sizeof(struct state),
	.kernel_begin = kernel_begin,
	.evict = evict,
	.access = access,
	.forgets = true,
	.kernels = MECH_EACH_KERNEL,
};
