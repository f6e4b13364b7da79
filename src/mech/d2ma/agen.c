/* Address generation (section 4.2, Figure 5): one transfer at a time, in pieces. A piece is contiguous in global
 * memory, within one line of the transfer and one segment: all of a segment with unit stride, an element of a
 * strided transfer. Each piece takes a cycle. If its segment differs from the previous piece's, the segment is
 * requested in that cycle. Constants of the halo follow, a bank's width per cycle, while data are in flight. */
#include "mech/d2ma/d2ma.h"

enum { WORD = 4 };

/* At most a line of L1, the largest size of a request. */
static uint32_t segment_bytes(const struct mech_sm *sm)
{
	const struct d2ma_config *config = sm->config;
	uint32_t bytes = 128u >> config->segment, line = sm->machine->line_bytes;
	return bytes < line ? bytes : line;
}

static struct d2ma_buffer *buffer_of(const struct d2ma_sm *engine)
{
	return &engine->controller[engine->agen.slot].buffer[engine->agen.number];
}

/* --- the transfer's elements --- */

static bool is_behind(const struct dma_transfer *transfer, const struct d2ma_cursor *cursor)
{
	return cursor->line == dma_lines(transfer);
}

static void step(const struct dma_transfer *transfer, struct d2ma_cursor *cursor, uint32_t elements)
{
	cursor->at += elements;
	if (cursor->at < dma_length(transfer))
		return;
	cursor->at = 0;
	cursor->line++;
}

static bool is_constant(const struct dma_transfer *transfer, const struct d2ma_cursor *cursor)
{
	return dma_is_constant(transfer, cursor->line, cursor->at);
}

/* Moves to the next element that is constant, or that is not. */
static void skip(const struct dma_transfer *transfer, struct d2ma_cursor *cursor, bool constant)
{
	if (constant && !transfer->sides)
		cursor->line = dma_lines(transfer);
	while (!is_behind(transfer, cursor) && is_constant(transfer, cursor) != constant)
		step(transfer, cursor, 1);
}

/* Returns the number of elements of the piece at the cursor, which is not at a constant. */
static uint32_t piece_of(const struct dma_transfer *transfer, const struct d2ma_cursor *cursor, uint32_t segment)
{
	uint64_t address = dma_source(transfer, cursor->line, cursor->at);
	uint32_t most = (uint32_t)(segment - address % segment) / transfer->element_bytes, count = 1;
	while (count < most && cursor->at + count < dma_length(transfer) &&
	       !dma_is_constant(transfer, cursor->line, cursor->at + count))
		count++;
	return count;
}

/* --- shared addresses --- */

/* Adds the words that an element's bytes are written to; neighboring elements may share words. Returns false when
 * there is no space. */
static bool add_words(const struct dma_transfer *transfer, const struct d2ma_cursor *cursor, struct d2ma_agen *agen,
                      uint32_t most)
{
	uint64_t place = dma_place(transfer, (uint64_t)cursor->line * dma_length(transfer) + cursor->at);
	uint32_t first = (uint32_t)(place / WORD), last = (uint32_t)(place + transfer->element_bytes - 1) / WORD;
	first += agen->words && agen->word[agen->words - 1] == first;
	if (last + 1 > first + (most - agen->words))
		return false;
	while (first <= last)
		agen->word[agen->words++] = first++;
	return true;
}

static bool add_piece(const struct dma_transfer *transfer, struct d2ma_cursor *cursor, uint32_t elements,
                      struct d2ma_agen *agen)
{
	for (; elements; elements--) {
		if (!add_words(transfer, cursor, agen, MECH_MAX_WORDS))
			return false;
		step(transfer, cursor, 1);
	}
	return true;
}

/* --- requests --- */

/* Collects consecutive pieces within one segment, from the cursor on, and the words that they are written to.
 * Returns the number of pieces. */
static uint32_t gather_segment(struct d2ma_agen *agen, const struct dma_transfer *transfer, uint32_t segment,
                               uint64_t *address)
{
	uint32_t pieces = 0;
	agen->words = 0;
	for (;; pieces++) {
		struct d2ma_cursor cursor = agen->cursor;
		skip(transfer, &cursor, false);
		if (is_behind(transfer, &cursor))
			break;
		uint64_t at = dma_source(transfer, cursor.line, cursor.at);
		uint32_t words = agen->words;
		at -= at % segment;
		if (pieces && at != *address)
			break;
		if (!add_piece(transfer, &cursor, piece_of(transfer, &cursor, segment), agen)) {
			agen->words = words; /* the piece needs a separate request */
			break;
		}
		*address = at;
		agen->cursor = cursor;
	}
	return pieces;
}

static void gather_constants(struct d2ma_agen *agen, const struct dma_transfer *transfer, uint32_t banks)
{
	agen->words = 0;
	for (;;) {
		skip(transfer, &agen->cursor, true);
		if (is_behind(transfer, &agen->cursor) || !add_words(transfer, &agen->cursor, agen, banks))
			return;
		step(transfer, &agen->cursor, 1);
	}
}

/* Whether the queue is empty, and one of the engine's own MSHRs is free. The machine allocates an MSHR of L1 when
 * the request leaves the queue. */
static bool can_send(const struct mech_sm *sm)
{
	const struct d2ma_config *config = sm->config;
	const struct d2ma_sm *engine = d2ma_engine(sm);
	return !mech_waiting_to_send(sm) && (!config->mshrs || engine->in_flight < config->mshrs);
}

static void send(struct mech_sm *sm, enum mech_place to, uint64_t address)
{
	const struct d2ma_config *config = sm->config;
	struct d2ma_sm *engine = d2ma_engine(sm);
	struct d2ma_agen *agen = &engine->agen;
	struct d2ma_buffer *buffer = buffer_of(engine);
	buffer->coming += mech_send(sm, &(struct mech_request){.address = address,
	                                                       .bytes = segment_bytes(sm),
	                                                       .to = to,
	                                                       .pc = MECH_NO_PC,
	                                                       .block = agen->slot,
	                                                       .words = agen->words,
	                                                       .word = agen->word,
	                                                       .no_mshr = config->mshrs != 0,
	                                                       .before_demand = config->before_demand,
	                                                       .tag = buffer->serial * DMA_BUFFERS + agen->number});
}

/* Requests the next segment, which must exist. */
static void request_segment(struct mech_sm *sm, uint64_t cycle)
{
	const struct d2ma_config *config = sm->config;
	struct d2ma_sm *engine = d2ma_engine(sm);
	struct d2ma_stats *stats = sm->stats;
	uint64_t address = 0;
	uint32_t pieces = gather_segment(&engine->agen, &buffer_of(engine)->now, segment_bytes(sm), &address);
	send(sm, MECH_TO_SHARED, address);
	engine->in_flight++;
	stats->segments++;
	engine->agen.next = cycle + (uint64_t)pieces * config->interval;
}

static void write_constants(struct mech_sm *sm, uint64_t cycle)
{
	const struct d2ma_config *config = sm->config;
	struct d2ma_sm *engine = d2ma_engine(sm);
	struct d2ma_stats *stats = sm->stats;
	gather_constants(&engine->agen, &buffer_of(engine)->now, sm->machine->shared_banks);
	send(sm, MECH_WRITE_SHARED, 0);
	stats->constants += engine->agen.words;
	engine->agen.next = cycle + config->interval;
}

/* --- selection of the transfer --- */

static bool goes_before(const struct mech_sm *sm, const struct d2ma_buffer *one, uint32_t place,
                        const struct d2ma_buffer *other, uint32_t other_place)
{
	const struct d2ma_config *config = sm->config;
	const struct d2ma_agen *agen = &d2ma_engine(sm)->agen;
	uint32_t last = agen->slot * DMA_BUFFERS + agen->number, all = sm->machine->blocks * DMA_BUFFERS;
	if (config->order == D2MA_OLDEST)
		return one->serial < other->serial;
	if (config->order == D2MA_YOUNGEST)
		return one->serial > other->serial;
	return (place + all - last - 1) % all < (other_place + all - last - 1) % all;
}

/* Begins a waiting transfer and returns MECH_NEVER. Returns MECH_NEVER if none waits, else the cycle in which one
 * can begin. */
static uint64_t take_transfer(struct mech_sm *sm, uint64_t cycle)
{
	struct d2ma_sm *engine = d2ma_engine(sm);
	struct d2ma_buffer *best = NULL;
	uint32_t places = sm->machine->blocks * DMA_BUFFERS, best_place = 0;
	uint64_t later = MECH_NEVER;
	for (uint32_t place = 0; engine->unfinished && place < places; place++) {
		struct d2ma_buffer *buffer = &engine->controller[place / DMA_BUFFERS].buffer[place % DMA_BUFFERS];
		if (buffer->state != D2MA_IGNITING)
			continue;
		if (buffer->ignition > cycle)
			later = buffer->ignition < later ? buffer->ignition : later;
		else if (!best || goes_before(sm, buffer, place, best, best_place))
			best = buffer, best_place = place;
	}
	if (!best)
		return later;
	best->state = D2MA_GENERATING;
	best->begin = cycle;
	engine->agen = (struct d2ma_agen){
		.busy = true, .slot = best_place / DMA_BUFFERS, .number = best_place % DMA_BUFFERS, .next = cycle + 1};
	return MECH_NEVER;
}

static void finish(struct mech_sm *sm, uint64_t cycle)
{
	struct d2ma_sm *engine = d2ma_engine(sm);
	struct d2ma_buffer *buffer = buffer_of(engine);
	engine->agen.busy = false;
	buffer->state = D2MA_IN_FLIGHT;
	buffer->generated = cycle;
	d2ma_come_on(sm, engine->agen.slot, engine->agen.number, cycle);
}

/* --- time --- */

/* Waiting cycles are counted at the end of the wait, so that samples do not depend on sleep. */
static void note_whether_kept(struct mech_sm *sm, bool kept, uint64_t cycle)
{
	struct d2ma_stats *stats = sm->stats;
	stats->agen_kept_cycles += mech_stall_note(&d2ma_engine(sm)->agen.stall, kept, cycle);
}

/* Whether requests of the current phase remain. The end of a transfer needs no port. */
static bool has_more(const struct d2ma_sm *engine)
{
	const struct dma_transfer *transfer = &buffer_of(engine)->now;
	struct d2ma_cursor cursor = engine->agen.cursor;
	skip(transfer, &cursor, engine->agen.constants);
	return !is_behind(transfer, &cursor);
}

uint64_t d2ma_agen_tick(struct mech_sm *sm, uint64_t cycle)
{
	struct d2ma_sm *engine = d2ma_engine(sm);
	struct d2ma_agen *agen = &engine->agen;
	if (agen->busy && cycle < agen->next)
		return agen->next;
	if (agen->busy && !agen->constants && !has_more(engine)) {
		agen->constants = true;
		agen->cursor = (struct d2ma_cursor){0};
	}
	if (agen->busy && !has_more(engine)) {
		note_whether_kept(sm, false, cycle);
		finish(sm, cycle);
	}
	if (!agen->busy) {
		uint64_t later = take_transfer(sm, cycle);
		return agen->busy ? agen->next : later;
	}
	bool kept = !can_send(sm);
	note_whether_kept(sm, kept, cycle);
	if (kept)
		return MECH_NEVER; /* the SM ticks when the queue drains or an MSHR becomes free */
	if (agen->constants)
		write_constants(sm, cycle);
	else
		request_segment(sm, cycle);
	return agen->next;
}

void d2ma_agen_leave(struct mech_sm *sm, uint32_t slot, uint64_t cycle)
{
	struct d2ma_agen *agen = &d2ma_engine(sm)->agen;
	if (!agen->busy || agen->slot != slot)
		return;
	note_whether_kept(sm, false, cycle);
	agen->busy = false;
}
