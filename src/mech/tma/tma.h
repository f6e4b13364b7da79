/* tma: types and functions shared by the files of this folder. The mechanism is an engine in each SM for bulk copies
 * between global and shared memory. README.md states what is published about such engines and what is assumed.
 *
 *   tma.c     options, counters, the engine's hooks
 *   copies.c  a copy from its issue to its end
 *   agen.c    address generation: from a copy to requests
 *   maps.c    the cache of tensor maps
 *   wait.c    instructions that wait for an entry or for groups of copies */
#ifndef SLUICE_MECH_TMA_TMA_H
#define SLUICE_MECH_TMA_TMA_H

#include "seam/mech_bulk.h"
#include "seam/mech_stall.h"

struct tma_config {
	uint32_t entries;   /* copies waiting or in progress */
	uint32_t latency;   /* cycles from an instruction's issue to the engine */
	uint32_t interval;  /* cycles per request */
	uint32_t segment;   /* index into 128, 64, 32 bytes */
	uint32_t in_flight; /* unanswered requests */
	uint32_t maps;      /* capacity of the cache */
	uint32_t map_latency; /* cycles to read a map from a parameter on a cache miss */
	bool before_demand;
};

#define TMA_COUNTERS(X)                                                                                                \
	X(copies, "copies", "copies that threads issued")                                                              \
	X(completed, "copies", "completed copies")                                                                     \
	X(abandoned, "copies", "copies whose block ended before them")                                                 \
	X(bytes_in, "bytes", "bytes of shared memory that completed copies wrote, in and outside of the tensor")       \
	X(bytes_out, "bytes", "bytes of shared memory read by completed copies")                                       \
	X(reads, "requests", "requests for data from global memory")                                                   \
	X(writes, "requests", "requests that write global memory")                                                     \
	X(fills, "requests", "writes to shared memory without a fetch: outside of the tensor, or in the block")        \
	X(prefetches, "requests", "requests that prefetch into L2")                                                    \
	X(map_hits, "maps", "tensor maps found in the cache")                                                          \
	X(map_misses, "maps", "tensor maps fetched")                                                                   \
	X(copy_cycles, "cycles", "cycles of completed copies from issue to end")                                       \
	X(queued_cycles, "cycles", "cycles of completed copies from issue until address generation")                   \
	X(agen_cycles, "cycles", "cycles of completed copies in address generation, including the fetch of the map")   \
	X(mem_cycles, "cycles", "cycles of completed copies from the end of address generation on")                    \
	X(kept_cycles, "cycles", "cycles in which address generation waited for the network or a reply")               \
	X(held_copies, "instructions", "instructions refused at issue because all entries were in use")                \
	X(held_waits, "instructions", "instructions refused at issue because a group of copies was not complete")

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
	TMA_FETCHING,   /* in address generation, waiting for the map */
	TMA_GENERATING,
	TMA_IN_FLIGHT,  /* all requests have been sent */
};

struct tma_copy {
	enum tma_state state;
	struct bulk_copy what;
	uint64_t serial; /* number among the SM's copies */
	uint32_t block, warp, lane; /* slots */
	uint32_t group;  /* number of the thread's group to which it belongs */
	uint32_t coming; /* unanswered requests */
	uint64_t issued, ready, begin, generated; /* cycles; ready: it reaches the engine */
};

struct tma_agen {
	struct tma_copy *copy; /* or NULL */
	uint32_t row, at;      /* position of the next byte: row, and offset in the row */
	uint32_t map_lines;    /* lines of its map still to be requested */
	uint64_t next;         /* earliest cycle of the next request */
	struct mech_stall stall;
	uint32_t words, word[MECH_MAX_WORDS];
};

enum tma_waits { TMA_FOR_NOTHING, TMA_FOR_ENTRY, TMA_FOR_GROUP };

struct tma_map {
	uint64_t address, used; /* used: serial number of the last use; 0: empty */
};

/* The engine. */
struct tma_sm {
	struct tma_copy *copy; /* tma_entries() elements */
	uint32_t *committed;   /* committed groups, by thread: 32 per warp slot */
	uint8_t *waits;        /* by warp slot: enum tma_waits, the reason for which the engine holds the warp */
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

/* Size of the copy table. An instruction that finds one free entry may take one per thread. */
static inline uint32_t tma_entries(const struct mech_sm *sm)
{
	const struct tma_config *config = sm->config;
	return config->entries - 1 + MECH_LANES;
}

/* copies.c */
void tma_start(struct mech_sm *sm, const struct mech_issue *issue, uint32_t lane, const struct bulk_copy *what);
/* Call when address generation is done or another request has been answered. Completes the copy if both are done. */
void tma_come_on(struct mech_sm *sm, struct tma_copy *copy, uint64_t cycle);
void tma_block_ends(struct mech_sm *sm, uint32_t block, uint64_t cycle);

/* agen.c */

/* Returns the cycle of its next step, or MECH_NEVER. */
uint64_t tma_agen_tick(struct mech_sm *sm, uint64_t cycle);
void tma_agen_leave(struct mech_sm *sm, uint64_t cycle);

/* maps.c */

/* Whether the cache has the map. In either case, the map becomes the most recently used entry. */
bool tma_map_is_there(struct mech_sm *sm, uint64_t address);

/* wait.c */
bool tma_may_copy(struct mech_sm *sm, const struct mech_issue *issue);
bool tma_may_pass(struct mech_sm *sm, const struct mech_issue *issue);
void tma_commit(struct mech_sm *sm, const struct mech_issue *issue);
/* Wakes the warps held for this reason: they try to issue again. */
void tma_wake(struct mech_sm *sm, enum tma_waits reason);

/* costs.c */
uint32_t tma_costs(const void *config, const struct mech_machine *machine, struct mech_cost cost[MECH_MAX_COSTS]);

#endif
