/* Address generation: one copy at a time, in the order of issue; row by row, segment by segment, one request every
 * `interval` cycles. */
#include "mech/tma/tma.h"

#include "base/least.h"

enum { WORD = 4, BANKS_BYTES = 128 /* of shared memory, written together where nothing is fetched */ };

/* The part of a row that one request covers. */
struct piece {
	enum mech_place to;
	uint32_t bytes;
	uint64_t address; /* of its first byte in global memory */
	uint32_t shared;  /* of its first byte in shared memory; a swizzle stays within these 128 bytes */
};

static uint32_t segment_bytes(const struct mech_sm *sm)
{
	const struct tma_config *config = sm->config;
	return least(128u >> config->segment, sm->machine->line_bytes);
}

/* The piece that begins at a row's global `address`, of at most `left` bytes. */
static struct piece piece_of(const struct mech_sm *sm, const struct bulk_copy *what, uint64_t address, uint32_t left)
{
	static const uint8_t places[] = {[BULK_TO_SHARED] = MECH_TO_SHARED,
	                                 [BULK_WITHIN] = MECH_WRITE_SHARED,
	                                 [BULK_FROM_SHARED] = MECH_WRITE_GLOBAL,
	                                 [BULK_REDUCE] = MECH_WRITE_GLOBAL,
	                                 [BULK_PREFETCH] = MECH_TO_L2};
	uint32_t segment = what->kind == BULK_PREFETCH ? sm->machine->l2_sector_bytes : segment_bytes(sm);
	if (what->kind == BULK_WITHIN)
		return (struct piece){.to = MECH_WRITE_SHARED, .bytes = least(left, BANKS_BYTES)};
	return (struct piece){.to = (enum mech_place)places[what->kind],
	                      .bytes = least(left, segment - (uint32_t)(address % segment)),
	                      .address = address};
}

/* Finds the next piece of the row, from agen->at on, after bytes that need no request. Returns false when there is
 * none. */
static bool next_of_row(const struct mech_sm *sm, struct tma_agen *agen, const struct bulk_row *row,
                        struct piece *piece)
{
	const struct bulk_copy *what = &agen->copy->what;
	bool fills = what->kind == BULK_TO_SHARED;
	if (!fills && agen->at < row->first)
		agen->at = row->first;
	if (agen->at >= (fills ? row->bytes : row->end))
		return false;
	bool inside = agen->at >= row->first && agen->at < row->end;
	uint32_t end = inside ? row->end : agen->at < row->first ? row->first : row->bytes;
	*piece = inside ? piece_of(sm, what, row->global + agen->at, end - agen->at)
	                : (struct piece){.to = MECH_WRITE_SHARED, .bytes = least(end - agen->at, BANKS_BYTES)};
	piece->shared = (uint32_t)(what->shared + row->place + agen->at);
	return true;
}

/* Finds the copy's next piece. Returns false when all are done. */
static bool next_piece(const struct mech_sm *sm, struct tma_agen *agen, struct bulk_row *row, struct piece *piece)
{
	const struct bulk_copy *what = &agen->copy->what;
	for (uint32_t rows = bulk_rows(what); agen->row < rows; agen->row++, agen->at = 0) {
		*row = bulk_row(what, agen->row);
		if (next_of_row(sm, agen, row, piece))
			return true;
	}
	return false;
}

/* Lists the words of shared memory that the piece fills. */
static void gather_words(struct tma_agen *agen, const struct bulk_row *row, uint32_t bytes)
{
	agen->words = 0;
	for (uint32_t byte = agen->at; byte < agen->at + bytes; byte++) {
		uint32_t word = (uint32_t)(bulk_place(&agen->copy->what, row->place + byte) / WORD);
		if (!agen->words || agen->word[agen->words - 1] != word)
			agen->word[agen->words++] = word;
	}
}

static bool can_send(const struct mech_sm *sm)
{
	const struct tma_config *config = sm->config;
	return !mech_waiting_to_send(sm) && tma_engine(sm)->in_flight < config->in_flight;
}

static void send(struct mech_sm *sm, const struct piece *piece)
{
	const struct tma_config *config = sm->config;
	struct tma_sm *engine = tma_engine(sm);
	struct tma_agen *agen = &engine->agen;
	uint32_t before = piece->address % MECH_SECTOR;
	bool to_shared = piece->to == MECH_TO_SHARED || piece->to == MECH_WRITE_SHARED;
	struct mech_request request = {.address = piece->address - before,
	                               .bytes = piece->bytes + before,
	                               .to = piece->to,
	                               .pc = MECH_NO_PC,
	                               .block = agen->copy->block,
	                               .from_shared = piece->to == MECH_WRITE_GLOBAL,
	                               .shared = piece->shared,
	                               .words = to_shared ? agen->words : 0,
	                               .word = agen->word,
	                               .no_mshr = true,
	                               .before_demand = config->before_demand,
	                               .tag = agen->copy->serial * tma_entries(sm) +
	                                      (uint64_t)(agen->copy - engine->copy)};
	if (!mech_send(sm, &request))
		return;
	agen->copy->coming++;
	engine->in_flight++;
}

static void request_piece(struct mech_sm *sm, const struct bulk_row *row, const struct piece *piece)
{
	struct tma_agen *agen = &tma_engine(sm)->agen;
	struct tma_stats *stats = sm->stats;
	if (piece->to == MECH_TO_SHARED || piece->to == MECH_WRITE_SHARED)
		gather_words(agen, row, piece->bytes);
	send(sm, piece);
	agen->at += piece->bytes;
	*(piece->to == MECH_TO_SHARED      ? &stats->reads
	  : piece->to == MECH_WRITE_SHARED ? &stats->fills
	  : piece->to == MECH_WRITE_GLOBAL ? &stats->writes
	                                   : &stats->prefetches) += 1;
}

/* --- selection of the copy --- */

static struct tma_copy *oldest(struct mech_sm *sm)
{
	struct tma_sm *engine = tma_engine(sm);
	struct tma_copy *best = NULL;
	for (uint32_t i = 0; engine->used && i < tma_entries(sm); i++) {
		struct tma_copy *copy = &engine->copy[i];
		if (copy->state == TMA_WAITING && (!best || copy->serial < best->serial))
			best = copy;
	}
	return best;
}

/* Looks up the map. On a miss, it is fetched from memory, or read from the parameters in map_latency cycles. */
static void look_up_map(struct mech_sm *sm, uint64_t cycle)
{
	const struct tma_config *config = sm->config;
	struct tma_agen *agen = &tma_engine(sm)->agen;
	const struct bulk_copy *what = &agen->copy->what;
	uint32_t line = sm->machine->line_bytes;
	if (tma_map_is_there(sm, what->map_address))
		return;
	agen->copy->state = TMA_FETCHING;
	if (what->map_in_memory)
		agen->map_lines = (uint32_t)((what->map_address % line + TENSOR_MAP_BYTES + line - 1) / line);
	else
		agen->next = cycle + 1 + config->map_latency;
}

/* Begins the oldest copy if it is ready, and returns MECH_NEVER. Returns MECH_NEVER if no copy waits, else the cycle
 * in which one is ready. */
static uint64_t take_copy(struct mech_sm *sm, uint64_t cycle)
{
	struct tma_copy *copy = oldest(sm);
	struct tma_agen *agen = &tma_engine(sm)->agen;
	if (!copy)
		return MECH_NEVER;
	if (copy->ready > cycle)
		return copy->ready;
	*agen = (struct tma_agen){.copy = copy, .next = cycle + 1};
	copy->state = TMA_GENERATING;
	copy->begin = cycle;
	if (copy->what.rank)
		look_up_map(sm, cycle);
	return MECH_NEVER;
}

/* --- time --- */

/* Waiting cycles are counted at the end of the wait, so that samples do not depend on sleep. */
static void note_whether_kept(struct mech_sm *sm, bool kept, uint64_t cycle)
{
	struct tma_stats *stats = sm->stats;
	stats->kept_cycles += mech_stall_note(&tma_engine(sm)->agen.stall, kept, cycle);
}

static void finish(struct mech_sm *sm, uint64_t cycle)
{
	struct tma_agen *agen = &tma_engine(sm)->agen;
	struct tma_copy *copy = agen->copy;
	agen->copy = NULL;
	copy->state = TMA_IN_FLIGHT;
	copy->generated = cycle;
	tma_wake(sm, TMA_FOR_GROUP); /* its source has been read */
	tma_come_on(sm, copy, cycle);
}

/* Requests the next line of the map. */
static void request_map(struct mech_sm *sm)
{
	struct tma_agen *agen = &tma_engine(sm)->agen;
	uint64_t line = sm->machine->line_bytes, first = agen->copy->what.map_address / line * line;
	agen->map_lines--;
	send(sm, &(struct piece){
			 .to = MECH_TO_NOTHING, .bytes = (uint32_t)line, .address = first + agen->map_lines * line});
}

/* Sends a request in this cycle if possible. Returns false when it waits for a reply or for queue space. */
static bool step(struct mech_sm *sm, uint64_t cycle)
{
	const struct tma_config *config = sm->config;
	struct tma_agen *agen = &tma_engine(sm)->agen;
	struct bulk_row row = {0};
	struct piece piece = {0};
	bool fetches = agen->copy->state == TMA_FETCHING;
	if (fetches && !agen->map_lines) {
		if (agen->copy->coming)
			return false;
		agen->copy->state = TMA_GENERATING;
		fetches = false;
	}
	bool is_over = !fetches && !next_piece(sm, agen, &row, &piece);
	/* a copy is done when its last request has left the queue */
	bool kept = is_over ? mech_waiting_to_send(sm) != 0 : !can_send(sm);
	note_whether_kept(sm, kept, cycle);
	if (kept)
		return false; /* the SM ticks when the queue drains or a reply arrives */
	if (is_over)
		finish(sm, cycle);
	else if (fetches)
		request_map(sm);
	else
		request_piece(sm, &row, &piece);
	agen->next = cycle + config->interval;
	return true;
}

uint64_t tma_agen_tick(struct mech_sm *sm, uint64_t cycle)
{
	struct tma_agen *agen = &tma_engine(sm)->agen;
	if (agen->copy && cycle < agen->next)
		return agen->next;
	if (agen->copy && !step(sm, cycle))
		return MECH_NEVER;
	if (agen->copy)
		return agen->next;
	uint64_t later = take_copy(sm, cycle);
	return agen->copy ? agen->next : later;
}

void tma_agen_leave(struct mech_sm *sm, uint64_t cycle)
{
	note_whether_kept(sm, false, cycle);
	tma_engine(sm)->agen.copy = NULL;
}
