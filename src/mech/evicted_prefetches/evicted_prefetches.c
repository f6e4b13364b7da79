/* evicted_prefetches: counts, for prefetched lines that L1 evicted unused, whether an instruction needed the line
 * later (README.md). It is passive: it never changes what the machine does. */
#include "seam/mech.h"

#define COUNTERS(X)                                                                                                    \
	X(by_store, "lines", "evicted unused: a store invalidated them")                                               \
	X(needed_later, "lines", "evicted unused, and a load on the same SM needed the line later: too early")         \
	X(never_needed, "lines", "evicted unused, and no load on the same SM needed the line later: wrong")

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

/* Lines that were evicted unused and that no load has needed since: a hash table with linear probing. A place is
 * free (0), or holds a line's address plus 1, with the number of such evictions. */
struct place {
	uint64_t key;
	uint32_t evictions;
};

struct state {
	struct place *place;
	uint32_t places, taken; /* places: a power of two, at most half of them taken */
};

enum { FIRST_PLACES = 256 };

static struct place *find(const struct state *state, uint64_t address)
{
	uint64_t hash = (address >> 5) * 0x9e3779b97f4a7c15;
	for (uint32_t at = (uint32_t)(hash >> 32);; at++) {
		struct place *place = &state->place[at & (state->places - 1)];
		if (!place->key || place->key == address + 1)
			return place;
	}
}

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

static void evict(struct mech_sm *sm, const struct mech_eviction *evicted)
{
	struct state *state = sm->state;
	struct stats *stats = sm->stats;
	if (evicted->sender == MECH_NOBODY || evicted->was_used)
		return;
	if (2 * state->taken >= state->places)
		grow(sm, state);
	struct place *place = find(state, evicted->address);
	state->taken += !place->key;
	place->key = evicted->address + 1;
	place->evictions++;
	stats->by_store += evicted->by_store;
	stats->never_needed++;
}

static void memory(struct mech_sm *sm, const struct mech_memory *load)
{
	struct state *state = sm->state;
	struct stats *stats = sm->stats;
	if (load->kind != MECH_LOAD || load->local)
		return;
	uint64_t in_line = sm->machine->line_bytes - 1;
	for (uint32_t i = 0; i < load->transactions; i++) {
		struct place *place = find(state, load->transaction[i].address & ~in_line);
		if (!place->key)
			continue;
		stats->needed_later += place->evictions;
		stats->never_needed -= place->evictions;
		place->evictions = 0;
	}
}

const struct mech mech_evicted_prefetches = {
	.version = MECH_VERSION,
	.name = "evicted_prefetches",
	.summary = "counts prefetched lines that L1 evicted unused and an instruction needed later",
	.citation = "our own, for studies of G. Koo et al., IPDPS 2018, Fig. 12 and 14",
	.counters = counters,
	.counter_count = sizeof counters / sizeof *counters,
	.stats_size = sizeof(struct stats),
	.sm_size = sizeof(struct state),
	.kernel_begin = kernel_begin,
	.evict = evict,
	.memory = memory,
};
