#include "memory/slice_entry.h"

#include "base/bits.h"
#include "base/invariant.h"
#include "memory/slice.h"

void slice_entry_open(struct slice *slice, uint32_t sectors, struct arena *arena)
{
	struct slice_entry *entry = &slice->entry;
	const struct slice_config *config = &slice->config;
	/* One packet per cycle may enter the delay line while the input queue has free entries. */
	uint32_t parts = config->by_sectors ? sectors : 1;
	entry->pool = slice->pool;
	entry->wake = UINT64_MAX;
	entry->capacity = (config->delay + config->input_queue + 2) * parts;
	uint32_t slots = bits_power_from(entry->capacity), notes = bits_power_from(config->delay + 4);
	entry->slot_mask = slots - 1;
	entry->note_mask = notes - 1;
	entry->delayed = arena_array(arena, slots, sizeof(struct request *));
	entry->note = arena_array(arena, notes, sizeof *entry->note);
}

static uint64_t in_delay_line(const struct slice_entry *entry)
{
	return entry->entered - entry->past.left;
}

/* Counts the cycles up to `cycle`, in which nothing changed. */
static void charge(struct slice *slice, uint64_t cycle)
{
	struct slice_entry *entry = &slice->entry;
	uint64_t passed = cycle - entry->settled;
	entry->settled = cycle;
	slice->stats.busy_cycles += entry->past.busy || in_delay_line(entry) || entry->packet_waited ? passed : 0;
	slice->stats.input_full += entry->refused ? passed : 0;
}

void slice_entry_settle(struct slice *slice, uint64_t cycle)
{
	struct slice_entry *entry = &slice->entry;
	assert(cycle >= entry->settled);
	while (entry->read != entry->told) {
		const struct slice_note *next = &entry->note[entry->read & entry->note_mask];
		if (next->cycle >= cycle)
			break;
		charge(slice, max_u64(next->cycle, entry->settled));
		entry->past = *next;
		entry->read++;
	}
	charge(slice, cycle);
}

/* The sectors that a request is split into, as a mask from its address on. A write of a whole line is split into all
 * of its sectors, whichever it names. Sectors of which it writes no byte also become dirty. */
static uint32_t sectors_of(const struct slice *slice, const struct request *request)
{
	uint32_t sectors = (request->bytes + slice->cache.sector_bytes - 1) / slice->cache.sector_bytes;
	bool is_whole_line = request->bytes == slice->cache.config.line_bytes;
	return request->is_write && request->chunks && !is_whole_line ? request->chunks : (1u << sectors) - 1;
}

static void enter(struct slice *slice, struct request *request)
{
	struct slice_entry *entry = &slice->entry;
	entry->delayed[entry->entered++ & entry->slot_mask] = request;
}

/* Splits a request into sectors. Each sector proceeds independently, and the SM is answered when all have finished
 * (GPGPU-Sim 4.2.0: memory_sub_partition::breakdown_request_to_sector_requests(); docs/explanation/deviations.md, 27,
 * says which sectors of a 64-byte write). */
static void enter_by_sectors(struct slice *slice, struct request *request)
{
	uint32_t sectors = sectors_of(slice, request);
	request->parts = (uint8_t)__builtin_popcount(sectors);
	for (; sectors; sectors &= sectors - 1) {
		uint32_t sector = (uint32_t)__builtin_ctz(sectors);
		struct request *part = request_new(slice->entry.pool);
		struct request_pool *pool = part->pool;
		*part = *request;
		part->pool = pool;
		part->parent = request;
		part->address = request->address + sector * slice->cache.sector_bytes;
		part->bytes = slice->cache.sector_bytes;
		part->written = request->full_chunks >> sector & 1 ? UINT32_MAX
		                : request->chunks == 1             ? request->written
		                                                   : 0;
		enter(slice, part);
		slice->stats.entered++;
	}
}

/* Both queues need free entries for every sector of a line, whatever the packet holds. (GPGPU-Sim 4.2.0 calls
 * memory_sub_partition::full() with that number before it takes a packet. Version 3.2.2 passes one.) */
static bool has_room_for_packet(const struct slice *slice)
{
	const struct slice_entry *entry = &slice->entry;
	uint32_t parts = slice->config.by_sectors ? CACHE_MAX_SECTORS : 1;
	return entry->past.input + parts <= slice->config.input_queue &&
	       in_delay_line(entry) + parts <= entry->capacity;
}

static void accept_packet(struct slice *slice, uint64_t cycle, uint64_t now)
{
	struct slice_entry *entry = &slice->entry;
	struct request *request = port_front(&entry->from_network, now);
	if (!request)
		return;
	assert(request->slice == slice->index);
	if (!has_room_for_packet(slice)) {
		entry->refused = true;
		return;
	}
	port_pop(&entry->from_network, now);
	if (slice->packet_in)
		slice_show_packet(slice, slice->packet_in, request, cycle);
	request->ready = cycle + slice->config.delay;
	if (slice->config.by_sectors && request->kind != REQUEST_L2_PREFETCH) {
		enter_by_sectors(slice, request);
		return;
	}
	enter(slice, request);
	slice->stats.entered += request->kind != REQUEST_L2_PREFETCH; /* it is one sector, and no access */
}

void slice_entry_tick(struct slice *slice, uint64_t cycle, uint64_t now)
{
	struct slice_entry *entry = &slice->entry;
	slice_entry_settle(slice, cycle);
	entry->refused = false;
	accept_packet(slice, cycle, now);
	entry->packet_waited = port_front(&entry->from_network, now);
	bool sleeps = entry->refused ? entry->read == entry->told : port_empty(&entry->from_network);
	entry->wake = sleeps ? UINT64_MAX : now + 1;
}

void slice_entry_keep_note(struct slice *slice, const struct slice_note *note)
{
	struct slice_entry *entry = &slice->entry;
	entry->last = *note;
	if (entry->apart) {
		entry->note[entry->written++ & entry->note_mask] = *note;
		return;
	}
	if (entry->written - entry->read > entry->note_mask)
		slice_entry_settle(slice, note->cycle);
	invariant(entry->written - entry->read <= entry->note_mask);
	entry->note[entry->written++ & entry->note_mask] = *note;
	entry->told = entry->written;
}
