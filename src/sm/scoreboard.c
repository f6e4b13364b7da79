#include "sm/sm.h"

#include "base/bits.h"

#include <stdlib.h>

void scoreboard_begin(struct sm *sm)
{
	sm->scoreboards.words = 0;
}

static void allocate(struct sm *sm, uint32_t words)
{
	struct scoreboard_size *size = &sm->scoreboards;
	if (words <= size->capacity)
		return;
	for (uint32_t w = 0; w < sm->config.warps; w++) {
		struct scoreboard *board = &sm->warp[w].scoreboard;
		uint64_t *wider = base_calloc(2 * words, sizeof *wider);
		for (uint32_t i = 0; i < size->words; i++) {
			wider[i] = board->pending[i];
			wider[words + i] = board->pending_load[i];
		}
		free(board->pending);
		board->pending = wider;
		board->pending_load = wider + words;
	}
	size->capacity = words;
}

/* Warps that run have registers in flight in the words that they had. Without words the folded sets are exact. */
void scoreboard_widen(struct sm *sm, uint32_t registers)
{
	struct scoreboard_size *size = &sm->scoreboards;
	uint32_t words = bits_words(registers);
	if (words <= 1 || words <= size->words)
		return;
	allocate(sm, words);
	for (uint32_t w = 0; w < sm->config.warps; w++) {
		struct scoreboard *board = &sm->warp[w].scoreboard;
		for (uint32_t i = size->words; i < words; i++)
			board->pending[i] = board->pending_load[i] = 0;
		if (!size->words) {
			board->pending[0] = board->folded;
			board->pending_load[0] = board->folded_load;
		}
	}
	size->words = words;
}

void scoreboard_close(struct sm *sm)
{
	for (uint32_t w = 0; w < SM_MAX_WARPS; w++)
		free(sm->warp[w].scoreboard.pending);
}

void scoreboard_clear(struct scoreboard *board, const struct scoreboard_size *size)
{
	board->folded = board->folded_load = 0;
	for (uint32_t w = 0; w < size->words; w++)
		board->pending[w] = board->pending_load[w] = 0;
}

/* Folds a full set of registers in flight to 64 bits. */
static uint64_t fold(const uint64_t *set, uint32_t words)
{
	uint64_t folded = 0;
	for (uint32_t w = 0; w < words; w++)
		folded |= set[w];
	return folded;
}

static bool touches(const struct simt_inst *inst, const uint64_t *set)
{
	for (uint32_t i = 0; i < inst->reads; i++)
		if (bits_has(set, inst->read[i]))
			return true;
	for (uint32_t i = 0; i < inst->writes; i++)
		if (bits_has(set, inst->write[i]))
			return true;
	return false;
}

enum hazard scoreboard_check(const struct scoreboard *board, const struct scoreboard_size *size,
                             const struct simt_inst *inst)
{
	bool in_full = size->words;
	if (!scoreboard_may_wait(board, inst) || (in_full && !touches(inst, board->pending)))
		return HAZARD_NONE;
	if (inst->touches & board->folded_load && (!in_full || touches(inst, board->pending_load)))
		return HAZARD_LOAD;
	return HAZARD_ARITHMETIC;
}

static bool is_in(const struct scoreboard_size *size, uint64_t folded, const uint64_t *set, uint32_t id)
{
	return size->words ? bits_has(set, id) : folded >> id & 1;
}

static bool is_read(const struct simt_inst *inst, uint16_t id)
{
	for (uint32_t i = 0; i < inst->reads; i++)
		if (inst->read[i] == id)
			return true;
	return false;
}

uint32_t scoreboard_count(const struct scoreboard *board, const struct scoreboard_size *size,
                          const struct simt_inst *inst, uint32_t *of_loads)
{
	uint32_t count = 0;
	*of_loads = 0;
	for (uint32_t i = 0; i < (uint32_t)inst->reads + inst->writes; i++) {
		uint16_t id = i < inst->reads ? inst->read[i] : inst->write[i - inst->reads];
		if (i >= inst->reads && is_read(inst, id))
			continue; /* already counted */
		count += is_in(size, board->folded, board->pending, id);
		*of_loads += is_in(size, board->folded_load, board->pending_load, id);
	}
	return count;
}

static void reserve_in_full(struct scoreboard *board, const struct simt_inst *inst, bool by_load)
{
	for (uint32_t i = 0; i < inst->writes; i++) {
		bits_add(board->pending, inst->write[i]);
		if (by_load)
			bits_add(board->pending_load, inst->write[i]);
	}
}

void scoreboard_reserve(struct scoreboard *board, const struct scoreboard_size *size, const struct simt_inst *inst,
                        bool by_load)
{
	invariant(size->words || !(inst->touches & board->folded)); /* otherwise it had to wait */
	board->folded |= inst->defines;
	if (by_load)
		board->folded_load |= inst->defines;
	if (size->words)
		reserve_in_full(board, inst, by_load);
}

/* Not inlined, so that scoreboard_release() stays short for smaller programs. */
__attribute__((noinline)) static void release_in_full(struct scoreboard *board, uint32_t words,
                                                      const struct simt_inst *inst)
{
	if (!inst->writes)
		return;
	for (uint32_t i = 0; i < inst->writes; i++) {
		invariant(bits_has(board->pending, inst->write[i]));
		bits_remove(board->pending, inst->write[i]);
		bits_remove(board->pending_load, inst->write[i]);
	}
	board->folded = fold(board->pending, words);
	if (board->folded_load)
		board->folded_load = fold(board->pending_load, words);
}

void scoreboard_release(struct scoreboard *board, const struct scoreboard_size *size, const struct simt_inst *inst)
{
	invariant(!(inst->defines & ~board->folded)); /* reserved by this instruction, and by no other since */
	if (size->words) {
		release_in_full(board, size->words, inst);
	} else {
		board->folded &= ~inst->defines;
		board->folded_load &= ~inst->defines;
	}
}
