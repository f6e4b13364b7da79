/* shared_memory: a warp's access occupies the banks for as long as the busiest bank has different words to deliver.
 * Lanes that access the same word get it together. (Fermi has 32 banks of 4 bytes: NVIDIA's CUDA C Programming
 * Guide. GPGPU-Sim 3.2.2 counts the same way; tests/micro/shared_conflicts.cu.) After the banks the data take
 * `sm.shared_latency` cycles (tests/micro/latency.cu). */
#include "sm/hooks.h"
#include "sm/mechanism_requests.h"
#include "sm/sm.h"

enum { MAX_WORDS = WARP_SIZE * 4 };

/* True when the range of all words is at most the number of banks, so that no two words are in one bank. */
static bool within_banks(const uint64_t *address, uint32_t lanes, uint32_t words, uint32_t banks)
{
	uint32_t low = UINT32_MAX, high = 0;
	for (uint32_t i = 0; i < WARP_SIZE; i++) {
		/* all ones for an active lane, else 0 */
		uint32_t word = (uint32_t)(address[i] / 4), ran = 0 - (lanes >> i & 1);
		uint32_t least = word | ~ran, most = word & ran;
		low = least < low ? least : low;
		high = most > high ? most : high;
	}
	return high + words - low <= banks;
}

uint32_t shared_bank_cycles(const uint64_t *address, uint32_t lanes, uint32_t size, uint32_t banks, uint32_t *least)
{
	uint32_t words = size <= 4 ? 1 : size / 4;
	if (least)
		*least = 1;
	if (within_banks(address, lanes, words, banks))
		return 1;
	uint32_t first[SHARED_MAX_BANKS],
		extra_of[SHARED_MAX_BANKS] = {0}; /* the bank's first word; the number of its further words */
	uint64_t seen = 0;
	uint32_t more[MAX_WORDS], mores = 0, most = 1; /* words that are not the first of their bank */

	for (uint32_t left = lanes; left; left &= left - 1) {
		uint32_t word = (uint32_t)(address[__builtin_ctz(left)] / 4);
		for (uint32_t k = 0; k < words; k++, word++) {
			uint32_t bank = word % banks;
			if (!(seen >> bank & 1)) {
				seen |= 1ull << bank;
				first[bank] = word;
				continue;
			}
			if (first[bank] == word)
				continue;
			uint32_t i = 0;
			while (i < mores && more[i] != word)
				i++;
			if (i < mores)
				continue;
			more[mores++] = word;
			if (++extra_of[bank] + 1 > most)
				most = extra_of[bank] + 1;
		}
	}
	if (least)
		*least = ((uint32_t)__builtin_popcountll(seen) + mores + banks - 1) / banks;
	return most;
}

/* The bytes (or first bytes of words) whose addresses select the banks: the block's own, unless a mechanism owns the
 * layout. */
static const uint64_t *places(struct sm *sm, uint32_t block, const uint64_t *byte, uint32_t lanes, uint64_t *room)
{
	if (!sm->seam->shared_layout)
		return byte;
	seam_shared_places(sm->seam, block, byte, lanes, room);
	return room;
}

uint32_t shared_cycles_of(struct sm *sm, const struct op *op, const struct simt_step *step)
{
	uint64_t room[WARP_SIZE];
	const uint64_t *place = places(sm, sm->warp[op->warp].block, step->address, step->lanes, room);
	uint32_t least,
		cycles = shared_bank_cycles(place, step->lanes, op->inst->size, sm->config.shared_banks, &least);
	sm->stats.shared_wide_cycles += least - 1;
	return cycles;
}

/* Cycles for different words: the maximum number of them in one bank. */
static uint32_t turn_cycles(struct sm *sm, uint32_t block, const uint32_t *word, uint32_t words)
{
	uint32_t in_bank[SHARED_MAX_BANKS] = {0}, most = 1;
	for (uint32_t i = 0; i < words; i++) {
		const uint64_t byte = 4ull * word[i];
		uint64_t room[WARP_SIZE];
		uint32_t bank = (uint32_t)(*places(sm, block, &byte, 1, room) / 4) % sm->config.shared_banks;
		if (++in_bank[bank] > most)
			most = in_bank[bank];
	}
	return most;
}

void shared_begin_write(struct sm *sm, struct seam_sent *sent, struct request *request)
{
	const struct shared_fill *fill = sent->fill;
	invariant(shared_can_begin(&sm->shared));
	sm->shared.turn = (struct shared_turn){sent, request, turn_cycles(sm, fill->block, fill->word, fill->words)};
}

void shared_begin_read(struct sm *sm, struct seam_sent *sent)
{
	const struct mech_request *request = &sent->request;
	uint32_t word[MECH_MAX_WORDS], words = 0, end = request->shared + request->bytes;
	uint32_t limit = sm->blocks.slot[request->block].simt.shared_bytes;
	invariant(shared_can_begin(&sm->shared));
	for (uint32_t at = request->shared / 4; 4 * at < (end < limit ? end : limit); at++)
		word[words++] = at;
	sm->shared.turn = (struct shared_turn){sent, NULL, turn_cycles(sm, request->block, word, words)};
}

void shared_turn_tick(struct sm *sm)
{
	struct shared_turn *turn = &sm->shared.turn;
	if (!turn->sent)
		return;
	if (turn->cycles) {
		shared_use_port(&sm->shared);
		turn->cycles--;
	}
	if (!turn->cycles && requests_had_turn(sm, turn->sent, turn->request))
		turn->sent = NULL;
}

bool shared_enter_pipe(struct sm *sm, struct op *op)
{
	struct shared_memory *shared = &sm->shared;
	invariant(shared->count <= sm->config.shared_latency);
	if (shared->port_is_used || shared->count == sm->config.shared_latency)
		return false;
	shared->pipe[(shared->head + shared->count++) % SM_SHARED_PIPE] =
		(struct shared_pipe_slot){op, sm->cycle + sm->config.shared_latency};
	return true;
}

bool shared_access(struct sm *sm, struct op *op)
{
	if (sm->shared.port_is_used)
		return false;
	if (sm->lsu.must_be_shown && !hooks_may_access_shared(sm, op))
		return false;
	if (op->bank_cycles > 1) {
		op->bank_cycles--;
		sm->shared.busy++;
		sm->stats.shared_conflict_cycles++;
		return false;
	}
	op->bank_cycles = 0;
	if (op->inst->kind == SIMT_STORE) {
		sm->shared.busy++;
		instruction_complete(sm, op);
		return true;
	}
	op->unanswered = 1;
	bool enters = shared_enter_pipe(sm, op);
	sm->shared.busy += enters;
	return enters;
}

void shared_settle(struct sm *sm)
{
	sm->stats.shared_busy += sm->shared.busy;
	sm->shared.busy = 0;
}

struct op *shared_take_answer(struct shared_memory *shared)
{
	invariant(shared->count);
	struct op *op = shared->pipe[shared->head].op;
	shared->head = (shared->head + 1) % SM_SHARED_PIPE;
	shared->count--;
	return op;
}
