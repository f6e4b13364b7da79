/* race_global: finds races on global memory, between warps of any blocks.
 *
 * Within a block the clocks of race.c order warps. Between blocks only a release orders: a fence and then an atomic
 * or volatile store to a location. It takes effect when an atomic or volatile load of another block reads that
 * location. An atomic or store with .release needs no fence. Such a release has a number. It records up to which
 * time the accesses of each warp of its block are visible. A reader of the location observes this release. To be
 * lenient, it also observes all releases with smaller numbers, at any location. Data passed on through third blocks
 * are then ordered, but a race may be missed when an unrelated release lies between. A barrier passes on what any
 * arriving warp has observed to the warps that it releases. An atomic location passes it on to its readers. A fence
 * after the read is not required: programs omit it, and use a barrier there.
 *
 * For every word the last write and the last write of another value are stored. So are a few reads and atomics
 * since, the latest that are not redundant. Pages with accesses to parts of words store this per byte.
 */
#include "simt/race_global.h"

#include "simt/race_pages.h"
#include "simt/race_streams.h"

#include "base/arena.h"

#include <search.h>
#include <stdlib.h>

enum { READS = 4 };

/* The accessing thread, and the time by its block's clock. */
struct mark {
	uint64_t block;
	uint32_t time, who; /* time NONE: no access */
	enum base_access_kind kind;
	bool is_volatile;
};

struct global_cell {
	struct mark write, old_write; /* the last write, and the last that left another value */
	struct mark read[READS];      /* reads and atomics after the write */
};

/* A release covers the accesses of a warp up to this time. */
struct told {
	uint64_t release;
	uint32_t time;
};

struct telling {
	struct told *told;
	uint32_t count, capacity;
};

/* State of a block. It outlives the block, because other blocks may observe its releases later. */
struct listener {
	struct telling *warp; /* NULL: the block has not released anything */
};

struct location {
	uint64_t address, release; /* the last release */
};

/* State of a launch. */
struct race_global {
	struct race_global *next;
	const struct simt_launch *launch;
	uint64_t blocks;
	uint32_t warps; /* per block */
	struct listener *listener;
	uint64_t releases;
	void *locations; /* a tree of search.h */
	struct race_pages pages;
	uint32_t party; /* in race_streams.h */
};

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

/* Returns the element with this number. Creates it, zero-filled, if absent. */
static void *find_or_make(void **tree, uint64_t number, size_t bytes)
{
	void **found = tfind(&number, tree, by_number);
	if (found)
		return *found;
	uint64_t *made = base_calloc(1, bytes);
	*made = number;
	tsearch(made, tree, by_number);
	return made;
}

static void free_launch(struct race_global *global)
{
	for (uint64_t b = 0; b < global->blocks; b++) {
		for (uint32_t w = 0; global->listener[b].warp && w < global->warps; w++)
			free(global->listener[b].warp[w].told);
		free(global->listener[b].warp);
	}
	free(global->listener);
	race_pages_free(&global->pages);
	tdestroy(global->locations, free);
	free(global);
}

/* Returns the link to the launch's state, or to the list's end. */
static struct race_global **find(struct race_global **list, const struct simt_launch *launch)
{
	while (*list && (*list)->launch != launch)
		list = &(*list)->next;
	return list;
}

struct race_global *race_global_of(struct race_global **list, const struct simt_block *block)
{
	const struct simt_launch *launch = block->launch;
	struct race_global **found = find(list, launch);
	if (*found)
		return *found;
	struct race_global *global = base_calloc(1, sizeof *global);
	global->launch = launch;
	global->blocks = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
	global->warps = block->warps;
	global->pages.cell_size = sizeof(struct global_cell);
	global->party = race_streams_add(launch->checks->streams, launch);
	global->listener = base_calloc(global->blocks, sizeof *global->listener);
	return *found = global;
}

void race_global_end(struct race_global **list, const struct simt_launch *launch)
{
	struct race_global **found = find(list, launch), *ended = *found;
	if (!ended)
		return;
	*found = ended->next;
	free_launch(ended);
}

void race_global_close(struct race_global *list)
{
	for (struct race_global *next; list; list = next) {
		next = list->next;
		free_launch(list);
	}
}

/* --- order --- */

/* Returns the time up to which another warp's actions are known to this warp and fenced by either of the two. */
static uint32_t covered(const struct race *race, uint32_t warp, uint32_t other)
{
	uint32_t fenced = race_row(race->fenced, race, warp)[other], known = race_row(race->known, race, warp)[other];
	uint32_t passed_on = known < race->fenced_at[other] ? known : race->fenced_at[other];
	return passed_on > fenced ? passed_on : fenced;
}

static void tell(struct telling *telling, uint64_t release, uint32_t time)
{
	if (telling->count && telling->told[telling->count - 1].time >= time)
		return;
	if (telling->count == telling->capacity) {
		telling->capacity = telling->capacity ? 2 * telling->capacity : 4;
		telling->told = base_realloc(telling->told, telling->capacity * sizeof *telling->told);
	}
	telling->told[telling->count++] = (struct told){release, time};
}

/* Releases at a location. An instruction that releases covers everything that the warp knows; otherwise only what
 * precedes fences is covered. */
static void release(struct race_global *global, const struct simt_warp *warp, struct location *location, bool by_order)
{
	const struct race *race = warp->block->checks->race;
	struct listener *listener = &global->listener[warp->block->number];
	if (!listener->warp)
		listener->warp = base_calloc(global->warps, sizeof *listener->warp);
	location->release = ++global->releases;
	for (uint32_t other = 0; other < warp->block->warps; other++)
		tell(&listener->warp[other], location->release,
		     by_order ? race_row(race->known, race, warp->index)[other] : covered(race, warp->index, other));
}

void race_global_synchronize(struct race_global *global, const struct simt_warp *warp, uint64_t address, bool leaves,
                             bool by_order)
{
	struct location *location = find_or_make(&global->locations, address, sizeof *location);
	uint64_t *heard = &warp->block->checks->race->hearer.heard[warp->index];
	*heard = location->release > *heard ? location->release : *heard;
	if (leaves)
		release(global, warp, location, by_order);
	if (global->party)
		race_streams_synchronize(warp->block->launch->checks->streams, global->party, address, leaves);
}

void race_global_arrive(const struct simt_warp *warp, uint32_t barrier)
{
	struct hearer *hearer = &warp->block->checks->race->hearer;
	uint64_t heard = hearer->heard[warp->index];
	hearer->gathered[barrier] = heard > hearer->gathered[barrier] ? heard : hearer->gathered[barrier];
}

void race_global_release(const struct simt_block *block, uint32_t barrier, uint64_t released)
{
	struct hearer *hearer = &block->checks->race->hearer;
	for (; released; released &= released - 1) {
		uint64_t *heard = &hearer->heard[__builtin_ctzll(released)];
		*heard = hearer->gathered[barrier] > *heard ? hearer->gathered[barrier] : *heard;
	}
}

/* Returns true when the warp has observed a release that covers the access. */
static bool has_heard(const struct race_global *global, const struct access *access, const struct mark *mark)
{
	const struct listener *listener = &global->listener[mark->block];
	uint64_t heard = access->block->checks->race->hearer.heard[access->warp];
	if (!listener->warp)
		return false;
	const struct telling *telling = &listener->warp[who_clock(mark->who)];
	uint32_t low = 0, high = telling->count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (telling->told[middle].time < mark->time)
			low = middle + 1;
		else
			high = middle;
	}
	return low < telling->count && telling->told[low].release <= heard;
}

static bool is_ordered(const struct race_global *global, const struct access *access, const struct mark *mark)
{
	const struct race *race = access->block->checks->race;
	if (mark->block == access->block->number && race_is_ordered(race, access->warp, mark->time, mark->who))
		return true;
	return has_heard(global, access, mark);
}

/* --- records of words and bytes --- */

static struct dim3 index_of(const struct simt_launch *launch, uint64_t number)
{
	struct dim3 grid = launch->grid;
	return (struct dim3){(uint32_t)(number % grid.x), (uint32_t)(number / grid.x % grid.y),
	                     (uint32_t)(number / grid.x / grid.y)};
}

static void report(struct access *access, const struct mark *mark, enum finding_kind kind)
{
	struct simt_block *block = access->block;
	if (mark->who == access->last_rival)
		return;
	access->last_rival = mark->who;
	finding_add(block, &(struct finding){
				   .kind = kind,
				   .access = {{&block->launch->program->code[who_pc(mark->who)], who_clock(mark->who),
	                                       who_lane(mark->who)},
	                                      {access->inst, access->warp, access->lane}},
				   .block = {index_of(block->launch, mark->block), block->index},
				   .address = access->offset,
				   .size = access->size,
			   });
}

/* A barrier cannot order two blocks. Volatile or atomic accesses of both blocks therefore do not race: a word that
 * is both flag and value needs no fence. */
static bool may_race(const struct access *access, const struct mark *mark)
{
	bool is_strong = access->is_volatile || access->kind == ATOMIC || access->kind == ATOMIC_READ;
	bool was_strong = mark->is_volatile || mark->kind == ATOMIC || mark->kind == ATOMIC_READ;
	return mark->block == access->block->number || !is_strong || !was_strong;
}

/* Stores a read or atomic in place of a redundant entry, an empty entry, or the oldest entry. */
static void keep(const struct race_global *global, struct global_cell *cell, const struct access *access,
                 const struct mark *mark)
{
	uint32_t at = 0;
	while (at + 1 < READS && cell->read[at].time != NONE &&
	       !(race_covers(mark->kind, cell->read[at].kind) && is_ordered(global, access, &cell->read[at])))
		at++;
	memmove(cell->read + 1, cell->read, at * sizeof *cell->read);
	cell->read[0] = *mark;
}

static void touch(const struct race_global *global, struct global_cell *cell, struct access *access)
{
	struct mark mark = {access->block->number, access->time, access->who, access->kind, access->is_volatile};
	const struct mark *write = access->same ? &cell->old_write : &cell->write;
	bool is_ordered_write = write->time == NONE || is_ordered(global, access, write);
	if (!is_ordered_write && may_race(access, write))
		report(access, write, FINDING_GLOBAL_RACE);
	else if (is_ordered_write && write->time != NONE && access->is_texture)
		report(access, write, FINDING_TEXTURE);
	for (uint32_t i = 0; i < READS && cell->read[i].time != NONE; i++)
		if (race_conflicts(access->kind, cell->read[i].kind) && may_race(access, &cell->read[i]) &&
		    !is_ordered(global, access, &cell->read[i]))
			report(access, &cell->read[i], FINDING_GLOBAL_RACE);
	if (access->kind != WRITE) {
		keep(global, cell, access, &mark);
		return;
	}
	if (!access->same)
		cell->old_write = cell->write;
	cell->write = mark;
	memset(cell->read, 0, sizeof cell->read);
}

void race_global_touch(struct race_global *global, struct access *access)
{
	uint32_t grain = access->offset % RACE_WORD || access->size % RACE_WORD ? RACE_BYTE : RACE_WORD;
	for (uint64_t at = access->offset, end = at + access->size; at < end;)
		touch(global, race_pages_cell(&global->pages, at, grain, &at), access);
	if (global->party)
		race_streams_touch(access->block->launch->checks->streams, global->party, access);
}

void race_global_forget(struct race_global *global, uint64_t address, uint64_t size)
{
	race_pages_forget(&global->pages, address, size);
}
