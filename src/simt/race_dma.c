/* race_dma: finds races with DMA transfers. docs/how-to/checks.md says what orders them, and why.
 *
 * A DMA buffer has a clock, as a warp does. Its transfer number k begins at `begin` + 2k and ends at `begin` + 2k +
 * 1. The first transfer happens after the actions of the warp that begins it. A later transfer happens after all
 * actions of all warps before they reached its command. Each also happens after the buffer's previous transfer. The
 * writes of a transfer have its begin time. The engine delays accesses to its range until the transfer has ended.
 * This applies to warps after their own command, and after an action that another warp made after its command. A
 * warp that has made such an access knows that the transfer has ended, and so do actions ordered after it. Nothing
 * else conveys that: a command is no barrier, although without an engine warps wait there for each other.
 *
 * Which warp begins a first transfer is arbitrary, and only the earlier actions of that warp are ordered before it.
 * The other warps might have been first too. Earlier accesses to the transfer's source and destination are
 * therefore recorded and checked against the commands of the other warps.
 */
#include "simt/race.h"

#include "base/arena.h"
#include "simt/dma.h"
#include "simt/program.h"

#include <stdlib.h>

enum { MOST_STORES = 1 << 12 }; /* most stores to global memory that are remembered per block */

/* The last access of a warp or a buffer to the source or destination of a first transfer, before it began. */
struct early {
	uint32_t time, who;
	uint64_t at; /* offset in shared memory, or address */
};

struct early_of {
	struct early clock[SIMT_MAX_WARPS + DMA_BUFFERS];
};

/* Consecutive lanes of one store. */
struct store {
	uint64_t address, end;
	uint32_t time, who;
};

struct race_dma {
	const struct dma_block *block;
	uint32_t pc[DMA_BUFFERS];                 /* of the last command */
	struct dma_transfer last[DMA_BUFFERS][2]; /* the last two transfers, by the lowest bit of their number */
	struct early_of range[DMA_BUFFERS], source[DMA_BUFFERS];
	uint64_t stores;                 /* number of stores so far */
	struct store store[MOST_STORES]; /* the last ones */
};

void race_dma_start(struct race *race, struct simt_block *block)
{
	race->dma = NULL;
	if (!block->launch->program->has_dma)
		return;
	if (!race->dma_room)
		race->dma_room = base_malloc(sizeof *race->dma_room);
	race->dma = race->dma_room;
	memset(race->dma, 0, offsetof(struct race_dma, store));
	race->dma->block = block->dma;
}

/* --- clocks --- */

static uint32_t clock_of(const struct race *race, uint32_t buffer)
{
	return race->clocks - DMA_BUFFERS + buffer;
}

static bool is_buffer(const struct race *race, uint32_t clock)
{
	return clock >= clock_of(race, 0);
}

static uint32_t begin_of(const struct race *race, uint32_t transfer)
{
	return race->begin + 2 * transfer;
}

static void learn(struct race *race, uint32_t clock, uint32_t other, uint32_t time)
{
	uint32_t *known = &race_row(race->known, race, clock)[other];
	*known = time > *known ? time : *known;
}

/* Returns true when the action is known to have ended; for a transfer it is not enough that its begin is known. */
static bool is_over(const struct race *race, uint32_t clock, uint32_t time, uint32_t other)
{
	return race_row(race->known, race, clock)[other] >= time + is_buffer(race, other);
}

/* For a warp and the destination of a transfer. Transfers of a buffer are not delayed by another buffer's range. */
static bool is_held_back(const struct race *race, uint32_t warp, uint32_t time, uint32_t other)
{
	uint32_t commands = race->dma->block->warp[warp].commands[other - clock_of(race, 0)];
	return race_row(race->known, race, warp)[other] >= time || begin_of(race, commands) >= time;
}

bool race_dma_is_ordered(const struct race *race, uint32_t clock, uint32_t time, uint32_t other)
{
	bool by_engine = is_buffer(race, other) && !is_buffer(race, clock);
	return by_engine ? is_held_back(race, clock, time, other) : is_over(race, clock, time, other);
}

void race_wait_for_transfer(struct race *race, uint32_t warp, uint32_t time, uint32_t who)
{
	uint32_t other = who_clock(who);
	if (time <= race->begin || !is_buffer(race, other) || is_buffer(race, warp) ||
	    !race_is_ordered(race, warp, time, who))
		return;
	uint32_t *known = race_row(race->known, race, warp), before = known[other];
	race_join(race, known, race_row(race->known, race, other));
	known[other] = before; /* a later transfer may have begun since */
	learn(race, warp, other, time + 1);
}

void race_gather(struct race *race, uint32_t buffer, const uint32_t *gathered)
{
	race_join(race, race_row(race->known, race, clock_of(race, buffer)), gathered);
}

/* --- accesses before a first transfer --- */

static void keep_early(const struct race *race, struct early_of *early, uint32_t time, uint32_t who, uint64_t at)
{
	struct early *last = &early->clock[who_clock(who)];
	if (time > race->begin && time > last->time)
		*last = (struct early){time, who, at};
}

static void keep_run(struct race *race, struct access *access, uint64_t at, uint64_t end)
{
	struct early_of *early = &race->dma->range[access->lane];
	while (at < end) {
		bool is_split = race->is_split[at / 4];
		uint32_t offset = (uint32_t)(is_split ? at : at / 4 * 4);
		const struct cell *cell = &race->cell[offset];
		keep_early(race, early, cell->time, cell->who, offset);
		for (uint32_t k = cell->list; k != NONE; k = race->node[k].next)
			keep_early(race, early, race->node[k].time, race->node[k].who, offset);
		at = is_split ? at + 1 : offset + 4;
	}
}

/* --- sources of transfers --- */

/* Returns true when the transfer reads the element at this distance from the first element of the halo. */
static bool reads_element(const struct dma_transfer *transfer, uint64_t element)
{
	uint64_t line = element / transfer->pitch;
	for (line = line < dma_lines(transfer) ? line : dma_lines(transfer) - 1;; line--) {
		uint64_t at = element - line * transfer->pitch;
		if (at >= dma_length(transfer))
			return false;
		if (!dma_is_constant(transfer, (uint32_t)line, (uint32_t)at))
			return true;
		if (line == 0)
			return false;
	}
}

static bool reads(const struct dma_transfer *transfer, uint64_t address, uint64_t size)
{
	uint32_t bytes = transfer->element_bytes;
	uint64_t first = dma_source(transfer, 0, 0), end = address + size;
	if (end <= first)
		return false;
	for (address = address > first ? address - (address - first) % bytes : first; address < end; address += bytes)
		if (reads_element(transfer, (address - first) / bytes))
			return true;
	return false;
}

static void add_finding(struct simt_block *block, uint32_t buffer, uint32_t who, uint64_t address)
{
	const struct simt_inst *code = block->launch->program->code, *inst = &code[who_pc(who)];
	finding_add(block, &(struct finding){
				   .kind = FINDING_SOURCE,
				   .access = {{&code[block->checks->race->dma->pc[buffer]], 0, buffer},
	                                      {inst, who_clock(who), who_lane(who)}},
				   .address = address,
				   .size = inst->size,
			   });
}

static void keep_store(struct race *race, uint32_t who, uint64_t address, uint32_t size)
{
	struct race_dma *dma = race->dma;
	uint32_t time = race_row(race->known, race, who_clock(who))[who_clock(who)];
	struct store *last = &dma->store[(dma->stores + MOST_STORES - 1) % MOST_STORES];
	if (dma->stores && last->end == address && last->time == time && (last->who ^ who) < WARP_SIZE)
		last->end += size;
	else
		dma->store[dma->stores++ % MOST_STORES] = (struct store){address, address + size, time, who};
}

/* When the last transfer begins, the transfer before it has ended, even if a warp that has reached the last one
 * does not know that. */
void race_store(struct simt_warp *warp, const struct simt_inst *inst, unsigned lane, uint64_t address)
{
	struct race *race = warp->block->checks->race;
	uint32_t who = race_pack(inst->pc, warp->index, lane);
	keep_store(race, who, address, inst->size);
	for (uint32_t buffer = 0; buffer < DMA_BUFFERS; buffer++) {
		uint32_t moved = race->dma->block->buffer[buffer].moved, clock = clock_of(race, buffer);
		for (uint32_t k = moved; k && k + 2 > moved; k--)
			if (!is_over(race, warp->index, begin_of(race, k), clock) &&
			    reads(&race->dma->last[buffer][k & 1], address, inst->size))
				add_finding(warp->block, buffer, who, address);
	}
}

/* A transfer begins: records the stores to its source that are not ordered before it. Some are by warps that have
 * reached its command and run on. */
static void keep_source(struct race *race, const struct access *access, const struct dma_transfer *transfer,
                        bool is_first)
{
	struct race_dma *dma = race->dma;
	for (uint64_t i = 0; i < dma->stores && i < MOST_STORES; i++) {
		const struct store *store = &dma->store[i];
		bool over = is_over(race, access->warp, store->time, who_clock(store->who));
		if ((over && !is_first) || !reads(transfer, store->address, store->end - store->address))
			continue;
		keep_early(race, &dma->source[access->lane], store->time, store->who, store->address);
		if (!over)
			add_finding(access->block, access->lane, store->who, store->address);
	}
}

/* Returns an access that is unknown to a warp that reaches a first transfer after it has begun. The warp might have
 * begun the transfer itself. */
static const struct early *unknown(const struct race *race, const struct early_of *early, uint32_t warp, uint32_t clock)
{
	const struct early *last = &early->clock[clock];
	return last->time == NONE || is_over(race, warp, last->time, clock) ? NULL : last;
}

static void check_early(struct race *race, struct access *access)
{
	for (uint32_t clock = 0; clock < race->clocks; clock++) {
		const struct early *range = unknown(race, &race->dma->range[access->lane], access->warp, clock);
		const struct early *source = unknown(race, &race->dma->source[access->lane], access->warp, clock);
		if (range) {
			access->offset = range->at;
			access->size = race->is_split[range->at / 4] ? 1 : 4;
			race_report(access, range->who);
		}
		if (source)
			add_finding(access->block, access->lane, source->who, source->at);
	}
}

/* --- commands and transfers --- */

static struct access access_of(struct simt_block *block, uint32_t clock, uint32_t buffer)
{
	const struct race *race = block->checks->race;
	uint32_t pc = race->dma->pc[buffer];
	return (struct access){.block = block,
	                       .inst = &block->launch->program->code[pc],
	                       .warp = clock,
	                       .lane = buffer,
	                       .who = race_pack(pc, clock, buffer),
	                       .kind = WRITE,
	                       .size = 4,
	                       .last_rival = UINT32_MAX};
}

void race_command(struct simt_warp *warp, const struct simt_inst *inst, uint32_t buffer)
{
	struct simt_block *block = warp->block;
	struct race *race = block->checks->race;
	uint32_t own = block->dma->warp[warp->index].commands[buffer], clock = clock_of(race, buffer);
	race->dma->pc[buffer] = inst->pc;
	if (own == 1 && block->dma->buffer[buffer].moved) {
		struct access access = access_of(block, warp->index, buffer);
		check_early(race, &access);
	} else if (own == 1) {
		race_gather(race, buffer, race_row(race->known, race, warp->index));
		race_advance(race, warp->index);
	}
	learn(race, warp->index, clock, begin_of(race, own == 1 ? 1 : own - 1)); /* that transfer has begun */
}

/* Word by word where possible. */
static void write_run(struct race *race, struct access *access, uint64_t at, uint64_t end)
{
	for (; at < end; at += access->size) {
		access->offset = at;
		access->size = at % 4 == 0 && end - at >= 4 ? 4 : 1;
		race_touch(race, access);
	}
}

/* Visits the ranges that a transfer writes, without the banks that it skips. */
static void each_run(struct race *race, struct access *access, const struct dma_transfer *transfer,
                     void (*run)(struct race *race, struct access *access, uint64_t at, uint64_t end))
{
	uint64_t elements = dma_elements(transfer), most = transfer->each_bank ? transfer->each_bank : elements;
	for (uint64_t element = 0; element < elements; element += most) {
		uint64_t count = elements - element < most ? elements - element : most,
			 at = dma_place(transfer, element);
		run(race, access, at, at + count * transfer->element_bytes);
	}
}

void race_transfer(struct simt_block *block, uint32_t buffer)
{
	struct race *race = block->checks->race;
	const struct dma_buffer *asked = &block->dma->buffer[buffer];
	uint32_t clock = clock_of(race, buffer);
	struct access access = access_of(block, clock, buffer);
	access.time = begin_of(race, asked->moved);
	race_row(race->known, race, clock)[clock] = access.time;
	keep_source(race, &access, &asked->transfer, asked->moved == 1);
	if (asked->moved == 1)
		each_run(race, &access, &asked->transfer, keep_run);
	each_run(race, &access, &asked->transfer, write_run);
	race->dma->last[buffer][asked->moved & 1] = asked->transfer;
	race_advance(race, clock);
}
