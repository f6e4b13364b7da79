/* texture_unit: the SM's texture cache, as GPGPU-Sim 3.2.2 has it (tex_cache): reads wait in order behind their tags, so that many misses
 * are on their way while none blocks. Its tags are taken by a miss at once; who reads the line behind that one hits, and waits for its data
 * by waiting for its turn. Nobody merges, and an answer never overtakes another.
 *
 *   load/store unit -> tags -> fragments (all accesses, in order) -----------> results -> write-back
 *                        `---> requests -> network -> lines (misses, in order) --^
 */
#ifndef SLUICE_SM_TEXTURE_UNIT_H
#define SLUICE_SM_TEXTURE_UNIT_H

#include "memory/cache.h"
#include "sm/op.h"

struct texture_config {
	struct cache_config cache; /* of it the tags: sets, ways, line_bytes, index, replacement */
	uint32_t fragments;        /* accesses that wait for their turn */
	uint32_t requests;         /* misses that wait for the network */
	uint32_t lines;            /* misses whose data have not been taken */
	uint32_t results;          /* answers that wait for write-back */
	uint32_t latency;          /* cycles that an access is under way at least, besides one */
};

/* An access that waits for its turn. */
struct fragment {
	struct op *op;
	uint64_t ready; /* cycle */
	bool is_miss;   /* the next of the lines is its own */
};

/* A line that was sent for. */
struct texture_line {
	uint64_t block, born;
	uint32_t at; /* among the tags */
	uint8_t level;
	bool is_there;
};

/* Places of a bounded queue that are used: from `head` on. */
struct ring {
	uint32_t head, count, capacity;
};

struct texture_unit {
	struct tags tags;
	bool *coming; /* by line of the tags: its data are on their way */
	struct request_queue requests;
	struct ring fragments, lines, results;
	struct fragment *fragment;
	struct texture_line *line;
	struct op **result;
	bool waits; /* the network has refused the oldest request in this cycle */
	struct cache_stats stats;
};

struct sm;

void texture_unit_open(struct sm *sm);
/* A kernel has ended: what textures hold may be written now, so that the cache forgets it (docs/reference/textures.md). */
void texture_unit_end(struct sm *sm);

/* An instruction's access. False: a queue is full; what frees it wakes the SM. */
bool texture_unit_access(struct sm *sm, struct op *op, const struct access *access);
/* A request into the network; the oldest access gets its data. */
void texture_unit_tick(struct sm *sm);
/* When it goes on by itself: to be asked behind all that adds to it in a cycle. */
uint64_t texture_unit_next(const struct sm *sm);
/* A line has come. */
void texture_unit_fill(struct sm *sm, struct request *request);

/* For write-back: an access has its data; takes it. */
static inline bool texture_unit_has_result(const struct texture_unit *unit)
{
	return unit->results.count;
}
struct op *texture_unit_take_result(struct texture_unit *unit);

#endif
