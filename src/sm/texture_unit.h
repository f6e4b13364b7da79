/* texture_unit: the SM's texture cache, as in GPGPU-Sim 3.2.2 (tex_cache). Reads wait in order after the tags, so
 * that several misses can be in flight without blocking. A miss takes its tag at once. A later read of that line
 * hits, and its data are present when its turn comes. Requests do not merge, and replies stay in order.
 *
 *     load/store unit -> tags -> fragments (all accesses, in order) -----------> results -> write-back
 *                          `---> requests -> network -> lines (misses, in order) --^
 */
#ifndef SLUICE_SM_TEXTURE_UNIT_H
#define SLUICE_SM_TEXTURE_UNIT_H

#include "memory/cache.h"
#include "sm/op.h"

struct texture_config {
	struct cache_config cache; /* used for the tags: sets, ways, line_bytes, index, replacement */
	uint32_t fragments;        /* accesses that wait for their turn */
	uint32_t requests;         /* misses that wait for the network */
	uint32_t lines;            /* misses whose data have not been taken */
	uint32_t results;          /* results that wait for write-back */
	uint32_t latency;          /* minimum cycles of an access, in addition to one */
};

/* An access that waits for its turn. */
struct fragment {
	struct op *op;
	uint64_t ready; /* cycle */
	bool is_miss;   /* it uses the next entry of the lines */
};

/* A requested line. */
struct texture_line {
	uint64_t block, born;
	uint32_t at; /* index in the tags */
	uint8_t level;
	bool is_there;
};

/* The used positions of a bounded queue, from `head` on. */
struct ring {
	uint32_t head, count, capacity;
};

struct texture_unit {
	struct tags tags;
	bool *coming; /* by line of the tags: its data are in flight */
	struct request_queue requests;
	struct ring fragments, lines, results;
	struct fragment *fragment;
	struct texture_line *line;
	struct op **result;
	bool is_refused; /* the network has refused the oldest request in this cycle */
	struct cache_stats stats;
};

struct sm;

void texture_unit_open(struct sm *sm);
/* Ends a kernel. Data that textures use may be written now, so the cache is invalidated (docs/reference/textures.md).
 */
void texture_unit_end(struct sm *sm);

/* Makes an instruction's access. False: a queue is full; freed space wakes the SM. */
bool texture_unit_access(struct sm *sm, struct op *op, const struct access *access);
/* Simulates one cycle: sends a request into the network; the oldest access gets its data. */
void texture_unit_tick(struct sm *sm);
/* The next cycle with work if no input arrives. To be called after everything that adds work in a cycle. */
uint64_t texture_unit_next(const struct sm *sm);
/* A line has arrived. */
void texture_unit_fill(struct sm *sm, struct request *request);

/* Charges `slept` cycles in which an access would have been refused again. */
static inline void texture_unit_account_refusals(struct texture_unit *unit, uint64_t slept)
{
	unit->stats.refused += slept;
}

/* For write-back: whether an access has its data; takes it. */
static inline bool texture_unit_has_result(const struct texture_unit *unit)
{
	return unit->results.count;
}
struct op *texture_unit_take_result(struct texture_unit *unit);

#endif
