/* tma: an engine in each SM that copies in bulk between global and shared memory, what its files share. README.md says what is known of such engines
 * and what is assumed.
 *
 *   tma.c     options, counters, the engine's hooks
 *   copies.c  a copy from its issue to its end
 *   agen.c    address generation: from a copy to requests
 *   maps.c    the cache of tensor maps
 *   wait.c    which instructions wait for room or for groups of copies
 */
#ifndef SLUICE_MECH_TMA_TMA_H
#define SLUICE_MECH_TMA_TMA_H

#include "seam/mech_bulk.h"

struct tma_config {
	uint32_t entries;   /* copies that wait or are under way */
	uint32_t latency;   /* cycles from an instruction's issue to the engine */
	uint32_t interval;  /* cycles a request */
	uint32_t segment;   /* which of 128, 64, 32 bytes */
	uint32_t in_flight; /* requests */
	uint32_t maps;      /* of the cache */
	uint32_t map_latency; /* cycles for the map in a parameter, where the cache has it not */
	bool before_demand;
};

#define TMA_COUNTERS(X)                                                                                                \
	X(copies, "copies", "that threads have asked for")                                                             \
	X(completed, "copies", "that have come to their ends")                                                         \
	X(abandoned, "copies", "whose block ended before")                                                             \
	X(bytes_in, "bytes", "of shared memory that completed copies wrote, those outside of the tensor included")     \
	X(bytes_out, "bytes", "of shared memory that completed copies read")                                           \
	X(reads, "requests", "for data from global memory")                                                            \
	X(writes, "requests", "that write global memory")                                                              \
	X(fills, "requests", "that write shared memory without fetching: outside of the tensor, or within the block")  \
	X(prefetches, "requests", "into L2")                                                                           \
	X(map_hits, "maps", "of tensors, that the cache had")                                                          \
	X(map_misses, "maps", "... that were fetched")                                                                 \
	X(copy_cycles, "cycles", "from issue to the end, of completed copies")                                         \
	X(queued_cycles, "cycles", "... until address generation took them")                                           \
	X(agen_cycles, "cycles", "... in address generation, the fetch of the map included")                           \
	X(mem_cycles, "cycles", "... from its end on")                                                                 \
	X(kept_cycles, "cycles", "in which address generation waited for the network or for one of its requests")      \
	X(held_copies, "instructions", "turned away at issue for want of an entry")                                    \
	X(held_waits, "instructions", "turned away at issue, since a group of copies was not over")

struct tma_stats {
#define X(name, unit, meaning) uint64_t name;
	TMA_COUNTERS(X)
#undef X
};

enum tma_vector { TMA_COPY_TIME, TMA_VECTORS };
enum tma_event { TMA_AGEN, TMA_MEM, TMA_EVENTS };

enum tma_state {
	TMA_FREE,
	TMA_WAITING,    /* for address generation */
	TMA_FETCHING,   /* address generation has it, and waits for the map */
	TMA_GENERATING,
	TMA_IN_FLIGHT,  /* all requests are sent */
};

struct tma_copy {
	enum tma_state state;
	struct bulk_copy what;
	uint64_t serial; /* of the SM's */
	uint32_t block, warp, lane; /* slots */
	uint32_t group;  /* of the thread's, that it is of */
	uint32_t coming; /* requests that are not answered */
	uint64_t issued, ready, begin, generated; /* cycles; ready: the engine has it */
};

struct tma_agen {
	struct tma_copy *copy; /* or NULL */
	uint32_t row, at;      /* the next byte of it */
	uint32_t map_lines;    /* of its map, to be asked for */
	uint64_t next;         /* cycle of the next request at the earliest */
	bool kept;             /* it could not send when it tried last */
	uint64_t kept_since;
	uint32_t words, word[MECH_MAX_WORDS];
};

enum tma_waits { TMA_FOR_NOTHING, TMA_FOR_ENTRY, TMA_FOR_GROUP };

struct tma_map {
	uint64_t address, used; /* used: a serial number; 0: there is none */
};

/* The engine. */
struct tma_sm {
	struct tma_copy *copy; /* tma_entries() */
	uint32_t *committed;   /* groups, by thread: of warp slots 32 each */
	uint8_t *waits;        /* by warp slot: enum tma_waits, for what the engine holds it */
	struct tma_map *map;
	uint64_t serials, uses;
	uint32_t used, held, in_flight;
	struct tma_agen agen;
};

static inline struct tma_sm *tma_engine(const struct mech_sm *sm)
{
	return sm->state;
}

static inline bool tma_is_of_group(const struct tma_copy *copy)
{
	return copy->what.kind == BULK_FROM_SHARED || copy->what.kind == BULK_REDUCE;
}

/* An instruction that finds one free takes as many as it has threads. */
static inline uint32_t tma_entries(const struct mech_sm *sm)
{
	const struct tma_config *config = sm->config;
	return config->entries - 1 + MECH_LANES;
}

/* copies.c */
void tma_start(struct mech_sm *sm, const struct mech_issue *issue, uint32_t lane, const struct bulk_copy *what);
/* Address generation has come to its end, or another request is answered: perhaps it is over. */
void tma_come_on(struct mech_sm *sm, struct tma_copy *copy, uint64_t cycle);
void tma_block_ends(struct mech_sm *sm, uint32_t block, uint64_t cycle);

/* agen.c */

/* Returns the cycle in which it wants to go on, or MECH_NEVER. */
uint64_t tma_agen_tick(struct mech_sm *sm, uint64_t cycle);
void tma_agen_leave(struct mech_sm *sm, uint64_t cycle);

/* maps.c */

/* Whether the cache has the map; then, and else, too, it is the last used one. */
bool tma_map_is_there(struct mech_sm *sm, uint64_t address);

/* wait.c */
bool tma_may_copy(struct mech_sm *sm, const struct mech_issue *issue);
bool tma_may_pass(struct mech_sm *sm, const struct mech_issue *issue);
void tma_commit(struct mech_sm *sm, const struct mech_issue *issue);
/* What warps wait for may have come: they are asked again. */
void tma_wake(struct mech_sm *sm, enum tma_waits reason);

/* costs.c */
uint32_t tma_costs(const void *config, const struct mech_machine *machine, struct mech_cost cost[MECH_MAX_COSTS]);

#endif
