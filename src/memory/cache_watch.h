/* cache_watch: who looks at a cache's lines, or chooses which of them goes, and what is kept of each line for them: who brought
 * it, and whether it was of use.
 *
 * A cache has one, or none where nobody wants to know, which costs it a branch a line that comes, goes or is used.
 */
#ifndef SLUICE_MEMORY_CACHE_WATCH_H
#define SLUICE_MEMORY_CACHE_WATCH_H

#include "memory/tags.h"

/* The functions of whoever watches; each may be NULL. */
struct cache_watcher {
	void *user;
	void (*evicted)(void *user, const struct line_eviction *eviction);
	void (*filled)(void *user, const struct line_fill *fill);
	/* Belongs to `victim`, as the lines' words do. */
	void (*used)(void *user, const struct line_use *use);
	/* Gives the way that goes, of those that may; asked once for each line that comes into a full set. */
	uint32_t (*victim)(void *user, const struct line_set *set);
};

/* What is kept of a line since it has its block. */
struct cache_record {
	uint32_t pc, sender; /* who sent for it first */
	bool was_used;
};

struct cache_watch {
	struct cache_watcher watcher;
	struct cache_record *record; /* by line */
	uint64_t *data;              /* by line */
	struct line_way *way;        /* room for a set */
	struct cache_record found;   /* the line of the last access that found or joined one, as it was before */
};

struct cache_watch *cache_watch_new(const struct cache_watcher *watcher, const struct tags *tags, struct arena *arena);

/* The line that goes where the probe has found none of its own. */
uint32_t cache_watch_victim(struct cache_watch *watch, const struct tags *tags, const struct tag_probe *probe,
                            const struct request *request, uint64_t cycle);
/* To be called while the line still is what it was. */
void cache_watch_evicted(struct cache_watch *watch, const struct tags *tags, uint32_t at, bool by_store,
                         uint64_t cycle);
void cache_watch_inserted(struct cache_watch *watch, const struct tags *tags, uint32_t at,
                          const struct request *request, uint64_t cycle);
void cache_watch_used(struct cache_watch *watch, const struct tags *tags, uint32_t at, const struct request *request,
                      uint64_t cycle);
void cache_watch_filled(struct cache_watch *watch, const struct tags *tags, uint32_t at, const struct request *request,
                        bool demanded, uint64_t cycle);

/* Who had brought the line that the last access found or joined; without a pc and a sender where it did neither. Forgets it. */
struct cache_record cache_watch_take_found(struct cache_watch *watch);

#endif
