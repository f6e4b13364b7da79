#include "memory/cache_watch.h"

static const struct cache_record nobody = {.pc = BASE_ACCESS_NO_PC, .sender = BASE_ACCESS_NOBODY};

struct cache_watch *cache_watch_new(const struct cache_watcher *watcher, const struct tags *tags, struct arena *arena)
{
	uint32_t lines = tags->sets * tags->ways;
	struct cache_watch *watch = arena_alloc(arena, sizeof *watch);
	*watch = (struct cache_watch){.watcher = *watcher,
	                              .record = arena_array(arena, lines, sizeof *watch->record),
	                              .data = arena_array(arena, lines, sizeof *watch->data),
	                              .way = arena_array(arena, tags->ways, sizeof *watch->way),
	                              .found = nobody};
	return watch;
}

static void describe_way(const struct cache_watch *watch, const struct cache_line *line, uint32_t at,
                         struct base_line_way *way)
{
	*way = (struct base_line_way){.address = line->block,
	                              .order = line->used,
	                              .pc = watch->record[at].pc,
	                              .sender = watch->record[at].sender,
	                              .may_go = !line->reserved,
	                              .dirty = line->dirty,
	                              .was_used = watch->record[at].was_used};
}

uint32_t cache_watch_victim(struct cache_watch *watch, const struct tags *tags, const struct tag_probe *probe,
                            const struct request *request, uint64_t cycle)
{
	uint32_t first = probe->at / tags->ways * tags->ways;
	if (!watch->watcher.victim || !tags->line[probe->at].present) /* the line is free */
		return probe->at;
	for (uint32_t i = 0; i < tags->ways; i++)
		describe_way(watch, &tags->line[first + i], first + i, &watch->way[i]);
	const struct base_line_set set = {.address = probe->block,
	                                  .pc = request_pc(request),
	                                  .sender = request_sender(request),
	                                  .kind = request_access(request),
	                                  .set = first / tags->ways,
	                                  .ways = tags->ways,
	                                  .usual = probe->at - first,
	                                  .way = watch->way,
	                                  .data = &watch->data[first],
	                                  .cycle = cycle};
	uint32_t way = watch->watcher.victim(watch->watcher.user, &set);
	assert(way < tags->ways && watch->way[way].may_go);
	return first + way;
}

void cache_watch_evicted(struct cache_watch *watch, const struct tags *tags, uint32_t at, bool by_store, uint64_t cycle)
{
	const struct cache_line *line = &tags->line[at];
	if (!watch->watcher.evicted || !line->present)
		return;
	const struct base_line_eviction eviction = {.address = line->block,
	                                            .set = at / tags->ways,
	                                            .way = at % tags->ways,
	                                            .pc = watch->record[at].pc,
	                                            .sender = watch->record[at].sender,
	                                            .dirty = line->dirty,
	                                            .was_used = watch->record[at].was_used,
	                                            .by_store = by_store,
	                                            .cycle = cycle};
	watch->watcher.evicted(watch->watcher.user, &eviction);
}

static void tell_use(struct cache_watch *watch, const struct tags *tags, uint32_t at, const struct request *request,
                     enum base_line_event event, uint64_t cycle)
{
	if (!watch->watcher.used)
		return;
	const struct base_line_use use = {.event = event,
	                                  .address = tags->line[at].block,
	                                  .set = at / tags->ways,
	                                  .way = at % tags->ways,
	                                  .pc = request_pc(request),
	                                  .sender = request_sender(request),
	                                  .kind = request_access(request),
	                                  .data = &watch->data[at],
	                                  .cycle = cycle};
	watch->watcher.used(watch->watcher.user, &use);
}

void cache_watch_inserted(struct cache_watch *watch, const struct tags *tags, uint32_t at,
                          const struct request *request, uint64_t cycle)
{
	watch->record[at] = (struct cache_record){.pc = request_pc(request), .sender = request_sender(request)};
	tell_use(watch, tags, at, request, BASE_LINE_INSERTED, cycle);
}

/* A prefetch of another sector is no use of the line. */
void cache_watch_used(struct cache_watch *watch, const struct tags *tags, uint32_t at, const struct request *request,
                      uint64_t cycle)
{
	if (request->sender)
		return;
	watch->found = watch->record[at];
	watch->record[at].was_used = true;
	tell_use(watch, tags, at, request, BASE_LINE_USED, cycle);
}

void cache_watch_filled(struct cache_watch *watch, const struct tags *tags, uint32_t at, const struct request *request,
                        bool demanded, uint64_t cycle)
{
	tell_use(watch, tags, at, request, BASE_LINE_FILLED, cycle);
	if (!watch->watcher.filled)
		return;
	const struct base_line_fill fill = {.address = request->address,
	                                    .bytes = request->bytes,
	                                    .demanded = demanded,
	                                    .set = at / tags->ways,
	                                    .way = at % tags->ways,
	                                    .pc = request_pc(request),
	                                    .warp = request_warp(request),
	                                    .sender = request_sender(request),
	                                    .cycle = cycle};
	watch->watcher.filled(watch->watcher.user, &fill);
}

struct cache_record cache_watch_take_found(struct cache_watch *watch)
{
	struct cache_record found = watch->found;
	watch->found = nobody;
	return found;
}
