/* Fetch and decode: one warp a cycle, round robin among those whose buffer is empty; a fetch of 16 bytes fills both places
 * of the buffer in the next cycle. The same walk frees the slots of warps that have ended. */
#include "sm/stages.h"

enum { INSTRUCTION_BYTES = 8 };
/* Misses in a row behind which a line that comes goes straight to the warp that waits for it. A line mostly waits in the cache until
 * it is the warp's turn to fetch; in a small cache the lines of other warps may put it out before, for ever and for all of them. */
enum { MISSES_IN_A_ROW = 16 };
#define INSTRUCTION_BASE 0xF0000000ull /* where code lies for the memory system */

/* The line with the warp's next instructions is not in the cache: it has to come. False: it cannot be asked for yet. */
static bool fetch_line(struct sm *sm, struct sm_warp *warp, uint64_t address)
{
	if (!sm->fetch_request)
		sm->fetch_request = request_new(sm->requests);
	struct request *request = sm->fetch_request;
	bool sent_down;
	request->kind = REQUEST_INSTRUCTION;
	request->address = address;
	request->sm = (uint16_t)sm->index;
	request->warp = warp->slot;
	cache_widen(&sm->l1i, request);
	if (cache_access(&sm->l1i, request, sm->cycle, &sent_down) == ACCESS_REFUSED)
		return false;
	address_map_place(sm->map, request);
	warp->waits_for_line = true;
	warp->misses += warp->misses < MISSES_IN_A_ROW;
	sm->fetch_request = NULL;
	return true;
}

static uint64_t next_address(const struct sm *sm, const struct sm_warp *warp)
{
	return INSTRUCTION_BASE + sm->launch->code + (uint64_t)warp->pc * INSTRUCTION_BYTES;
}

/* The warp's next instructions are there, to be decoded in the next cycle. */
static void take(struct sm *sm, struct sm_warp *warp)
{
	warp->misses = 0;
	sm->fetched = warp;
}

/* Asks the instruction cache for the warp's next instructions. */
static void fetch_warp(struct sm *sm, struct sm_warp *warp)
{
	uint64_t address = next_address(sm, warp);
	if (!cache_read_hit(&sm->l1i, address, sm->l1i.sector_bytes, sm->cycle)) {
		if (!fetch_line(sm, warp, address))
			return;
	} else {
		take(sm, warp);
	}
	sm->stats.fetches++;
	bits_remove(sm->wants_fetch, warp->slot);
}

/* The line that the warp has waited for has come. */
static void line_came(struct sm *sm, struct sm_warp *warp, const struct request *request)
{
	warp->waits_for_line = false;
	if (!warp->simt || warp->simt->done || warp->buffered)
		return;
	bool is_next = (next_address(sm, warp) & ~(uint64_t)(request->bytes - 1)) == request->address;
	if (warp->misses == MISSES_IN_A_ROW && is_next && !sm->fetched)
		take(sm, warp);
	else
		refetch(sm, warp);
}

/* Frees the slots of ended warps that the walk comes past on its way to the warp that is fetched for, `next`; all where none
 * is. GPGPU-Sim 3.2.2 and 4.2.0 do both in one walk, so that a block's slot is free up to a round of fetches after its last
 * warp has ended. */
static void free_slots(struct sm *sm, uint32_t next)
{
	uint32_t from = sm->last_fetched + 1, slots = 64 * SM_WARP_WORDS;
	uint32_t walk = next == BITS_NONE ? slots : (next - from) % slots;
	uint32_t slot;
	while ((slot = bits_next_around(sm->ended, SM_WARP_WORDS, from)) != BITS_NONE && (slot - from) % slots < walk)
		free_slot(sm, &sm->warp[slot]);
}

void fetch(struct sm *sm)
{
	uint32_t slot = bits_next_around(sm->wants_fetch, SM_WARP_WORDS, sm->last_fetched + 1);
	if (sm->ended[0] | sm->ended[1])
		free_slots(sm, slot);
	if (slot != BITS_NONE) {
		sm->last_fetched = slot;
		fetch_warp(sm, &sm->warp[slot]);
	}
	struct request *request = request_queue_front(&sm->l1i.miss_queue);
	if (request && network_send(sm, request))
		request_queue_pop(&sm->l1i.miss_queue);
	if (cache_has_ready(&sm->l1i)) {
		request = cache_next_ready(&sm->l1i);
		line_came(sm, &sm->warp[request->warp], request);
		request_release(sm->requests, request);
	}
}

void decode(struct sm *sm)
{
	struct sm_warp *warp = sm->fetched;
	if (!warp)
		return;
	sm->fetched = NULL;
	warp->buffered = (uint8_t)(sm->config.fetch_bytes / INSTRUCTION_BYTES);
	examine(sm, warp);
}
