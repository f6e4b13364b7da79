/* Fetch and decode: one warp a cycle, round robin among those whose buffer is empty; a fetch of 16 bytes fills both places
 * of the buffer in the next cycle. */
#include "sm/stages.h"

enum { INSTRUCTION_BYTES = 8 };
#define INSTRUCTION_BASE 0xF0000000ull /* where code lies for the memory system */

static void want(struct sm *sm, const struct sm_warp *warp, bool yes)
{
	uint32_t slot = (uint32_t)(warp - sm->warp);
	uint64_t bit = 1ull << (slot & 63);
	if (yes)
		sm->wants_fetch[slot >> 6] |= bit;
	else
		sm->wants_fetch[slot >> 6] &= ~bit;
}

void refetch(struct sm *sm, struct sm_warp *warp, uint32_t pc)
{
	warp->fetch_pc = pc;
	warp->buffered = warp->next = 0;
	want(sm, warp, !warp->waits_for_line);
}

/* The next warp that wants instructions behind the one that was served last, or SM_MAX_WARPS. */
static uint32_t next_warp(const struct sm *sm)
{
	uint32_t from = sm->last_fetched + 1;
	for (uint32_t k = 0; k <= SM_WARP_WORDS; k++) {
		uint32_t word = (from / 64 + k) % SM_WARP_WORDS;
		uint64_t wants = sm->wants_fetch[word];
		if (k == 0)
			wants &= from % 64 ? ~0ull << (from % 64) : ~0ull;
		if (k == 0 && from == SM_MAX_WARPS)
			continue;
		if (wants)
			return word * 64 + (uint32_t)__builtin_ctzll(wants);
	}
	return SM_MAX_WARPS;
}

/* Asks the instruction cache for the warp's next instructions. */
static void fetch_warp(struct sm *sm, uint32_t slot)
{
	struct sm_warp *warp = &sm->warp[slot];
	bool sent_down;

	if (!sm->fetch_request)
		sm->fetch_request = request_new(sm->requests);
	struct request *request = sm->fetch_request;
	request->kind = REQUEST_INSTRUCTION;
	request->address = INSTRUCTION_BASE + sm->launch->code + (uint64_t)warp->fetch_pc * INSTRUCTION_BYTES;
	request->sm = (uint16_t)sm->index;
	request->warp = (uint16_t)slot;
	request->bytes = sm->config.l1i.line_bytes;
	sm->last_fetched = slot;
	enum cache_result result = cache_access(&sm->l1i, request, sm->cycle, &sent_down);
	if (result == CACHE_REFUSED)
		return;
	sm->stats.fetches++;
	want(sm, warp, false);
	if (result == CACHE_HIT) {
		sm->fetched.valid = true;
		sm->fetched.warp = slot;
		sm->fetched.pc = warp->fetch_pc;
		return;
	}
	request->address &= ~(uint64_t)(request->bytes - 1);
	address_map_place(sm->map, request);
	warp->waits_for_line = true;
	sm->fetch_request = NULL;
}

void fetch(struct sm *sm)
{
	uint32_t slot = next_warp(sm);
	if (slot < SM_MAX_WARPS)
		fetch_warp(sm, slot);
	struct request *request = request_queue_front(&sm->l1i.miss_queue);
	if (request && network_send(sm, request))
		request_queue_pop(&sm->l1i.miss_queue);
	if (cache_has_ready(&sm->l1i)) {
		request = cache_next_ready(&sm->l1i);
		struct sm_warp *warp = &sm->warp[request->warp];
		warp->waits_for_line = false;
		if (warp->simt && !warp->simt->done)
			want(sm, warp, warp->next == warp->buffered);
		request_release(sm->requests, request);
	}
}

void decode(struct sm *sm)
{
	if (!sm->fetched.valid)
		return;
	struct sm_warp *warp = &sm->warp[sm->fetched.warp];
	const struct simt_program *program = sm->launch->program;
	sm->fetched.valid = false;
	warp->buffered = (uint8_t)(sm->config.fetch_bytes / INSTRUCTION_BYTES);
	warp->next = 0;
	for (uint32_t i = 0; i < warp->buffered; i++) {
		uint32_t pc = sm->fetched.pc + i;
		warp->buffer[i] = pc < program->count ? &program->code[pc] : NULL;
	}
	examine(sm, warp);
}
