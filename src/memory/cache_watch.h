/* cache_watch: callbacks that observe a cache's lines or choose its victims, with a record per line: which request
 * fetched it, and whether it was used.
 *
 * A cache has at most one. Without it, each line fill, eviction or use costs one branch.
 */
#ifndef SLUICE_MEMORY_CACHE_WATCH_H
#define SLUICE_MEMORY_CACHE_WATCH_H

#include "memory/tags.h"

/* The watcher's functions; each may be NULL. */
struct cache_watcher {
	void *user;
	void (*evicted)(void *user, const struct base_line_eviction *eviction);
	void (*filled)(void *user, const struct base_line_fill *fill);
	/* Belongs to `victim`, like the lines' words. */
	void (*used)(void *user, const struct base_line_use *use);
	/* Returns the way to evict, among those that may be evicted. Called once for each line inserted into a full
	 * set. */
	uint32_t (*victim)(void *user, const struct base_line_set *set);
};

/* The record of a line, since it was assigned to its block. */
struct cache_record {
	uint32_t pc, sender; /* of the request that fetched it first */
	bool was_used;
};

struct cache_watch {
	struct cache_watcher watcher;
	struct cache_record *record; /* by line */
	uint64_t *data;              /* by line */
	struct base_line_way *way;        /* space for one set */
	struct cache_record found;   /* earlier state of the line that the last access hit or merged into */
};

struct cache_watch *cache_watch_new(const struct cache_watcher *watcher, const struct tags *tags, struct arena *arena);

/* The line to evict when the probe has missed. */
uint32_t cache_watch_victim(struct cache_watch *watch, const struct tags *tags, const struct tag_probe *probe,
                            const struct request *request, uint64_t cycle);
/* To be called before the line changes. */
void cache_watch_evicted(struct cache_watch *watch, const struct tags *tags, uint32_t at, bool by_store,
                         uint64_t cycle);
void cache_watch_inserted(struct cache_watch *watch, const struct tags *tags, uint32_t at,
                          const struct request *request, uint64_t cycle);
void cache_watch_used(struct cache_watch *watch, const struct tags *tags, uint32_t at, const struct request *request,
                      uint64_t cycle);
void cache_watch_filled(struct cache_watch *watch, const struct tags *tags, uint32_t at, const struct request *request,
                        bool demanded, uint64_t cycle);

/* Returns the record of the line that the last access hit or merged into, and clears it. Without such a line, the
 * result has no pc and no sender. */
struct cache_record cache_watch_take_found(struct cache_watch *watch);

#endif
