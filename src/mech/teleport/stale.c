/* Counts hits on stale data: the buffer, like L1, does not see other SMs' writes. SMs log writes, hits and fills. At
 * the end of each cycle the dispatcher evaluates the logs in the order of the SMs: writes, then hits, then fills.
 * The count is an upper bound because whole sectors are compared, not bytes. A write counts from the cycle in which
 * it leaves its SM. */
#include "mech/teleport/teleport.h"

#define NO_SM UINT32_MAX

/* For a sector: the cycles of its last write, and of the last write by any other SM. For a sector in an SM: the
 * cycle of its last fill. */
struct times {
	uint64_t key; /* 0: free */
	uint64_t last, other;
	uint32_t sm;
};

struct table {
	struct times *entry;
	uint64_t room, used; /* room: number of entries, a power of two, or 0 */
};

struct teleport_stale {
	struct table writes, fills;
};

static struct times *place_of(const struct table *table, uint64_t key)
{
	uint64_t at = key * 0x9e3779b97f4a7c15ull >> 20 & (table->room - 1);
	while (table->entry[at].key && table->entry[at].key != key)
		at = (at + 1) & (table->room - 1);
	return &table->entry[at];
}

static struct times *find(const struct table *table, uint64_t key)
{
	struct times *times = table->room ? place_of(table, key) : NULL;
	return times && times->key ? times : NULL;
}

/* Doubles the table. The kernel's pool does not free the smaller ones; their sizes add up to at most the size of the
 * last. */
static void make_room(struct mech_gpu *gpu, struct table *table)
{
	struct table old = *table;
	if (2 * (table->used + 1) <= table->room)
		return;
	table->room = old.room ? 2 * old.room : 1024;
	table->entry = mech_alloc(gpu->kernel_pool, table->room * sizeof *table->entry);
	for (uint64_t i = 0; i < old.room; i++)
		if (old.entry[i].key)
			*place_of(table, old.entry[i].key) = old.entry[i];
}

static struct times *find_or_add(struct mech_gpu *gpu, struct table *table, uint64_t key)
{
	make_room(gpu, table);
	struct times *times = place_of(table, key);
	if (!times->key) {
		*times = (struct times){.key = key, .sm = NO_SM};
		table->used++;
	}
	return times;
}

static uint64_t sector_key(uint64_t sector)
{
	return sector + 1;
}

static uint64_t fill_key(uint64_t sector, uint32_t sm)
{
	return (sector + 1) << 12 | sm;
}

static void note_write(struct mech_gpu *gpu, struct teleport_stale *stale, uint64_t sector, uint32_t sm, uint64_t cycle)
{
	struct times *times = find_or_add(gpu, &stale->writes, sector_key(sector));
	if (times->sm != sm) {
		times->other = times->last;
		times->sm = sm;
	}
	times->last = cycle + 1;
}

/* Whether another SM has written the sector since the fill. Stored cycles are incremented by one, so that 0 means
 * never. */
static bool is_stale(const struct teleport_stale *stale, uint64_t sector, uint32_t sm)
{
	const struct times *write = find(&stale->writes, sector_key(sector));
	const struct times *fill = find(&stale->fills, fill_key(sector, sm));
	return write && fill && (write->sm == sm ? write->other : write->last) > fill->last;
}

void teleport_stale_fill(struct mech_gpu *gpu, uint32_t sm, uint64_t address, uint64_t bytes, uint64_t cycle)
{
	struct teleport_stale *stale = teleport_stale_of(gpu);
	for (uint64_t sector = address / MECH_SECTOR; sector * MECH_SECTOR < address + bytes; sector++)
		find_or_add(gpu, &stale->fills, fill_key(sector, sm))->last = cycle + 1;
}

static void settle(struct mech_gpu *gpu, uint32_t sm, const struct teleport_event *event, uint64_t cycle)
{
	struct teleport_stale *stale = teleport_stale_of(gpu);
	bool old = false;
	for (uint64_t at = event->address / MECH_SECTOR; at * MECH_SECTOR < event->address + event->bytes; at++)
		if (event->kind == TELEPORT_WRITTEN)
			note_write(gpu, stale, at, sm, cycle);
		else
			old |= is_stale(stale, at, sm);
	((struct teleport_stats *)gpu->stats)->stale_hits += old;
}

void teleport_stale_cycle(struct mech_gpu *gpu, uint64_t cycle)
{
	for (uint32_t kind = 0; kind < TELEPORT_EVENTS; kind++)
		for (uint32_t s = 0; s < gpu->machine->sms; s++) {
			const struct teleport_log *log = &((struct teleport_sm *)mech_part(gpu, s)->state)->log;
			for (uint32_t i = 0; i < log->events; i++) {
				const struct teleport_event *event = &log->event[i];
				if (event->kind == kind && kind == TELEPORT_FILLED)
					teleport_stale_fill(gpu, s, event->address, event->bytes, cycle);
				else if (event->kind == kind)
					settle(gpu, s, event, cycle);
			}
		}
	for (uint32_t s = 0; s < gpu->machine->sms; s++)
		((struct teleport_sm *)mech_part(gpu, s)->state)->log.events = 0;
}

void teleport_note(struct mech_sm *sm, enum teleport_event_kind kind, uint64_t address, uint32_t bytes)
{
	const struct teleport_config *config = sm->config;
	struct teleport_log *log = &((struct teleport_sm *)sm->state)->log;
	if (config->look_stale && log->events < TELEPORT_LOG)
		log->event[log->events++] = (struct teleport_event){kind, bytes, address};
}

struct teleport_stale *teleport_stale_open(struct mech_gpu *gpu)
{
	return mech_alloc(gpu->kernel_pool, sizeof(struct teleport_stale));
}
