/* fetch: one warp per cycle, round robin among those with an empty buffer, accesses the instruction cache. A fetch
 * of 16 bytes fills both entries of the buffer in the next cycle. They can issue one cycle later: fetch t, issue t +
 * 2. This is GPGPU-Sim 3.2.2's timing. tests/sm/test_sm.c (fetch_rate, fetch_against_others) and
 * tests/micro/issue.cu check it. */
#include "sm/sm.h"

#include "base/bits.h"

enum { INSTRUCTION_BYTES = 8 };
/* Consecutive misses after which an arriving line goes directly to the warp that waits for it. Normally a line waits
 * in the cache for the warp's turn to fetch. In a small cache other warps' lines may evict it first, forever and for
 * all warps. Our choice. */
enum { MISSES_IN_A_ROW = 16 };
#define INSTRUCTION_BASE 0xF0000000ull /* address of code in the memory system: GPGPU-Sim's PROGRAM_MEM_START */

void fetch_open(struct sm *sm)
{
	cache_open(&sm->fetch.l1i, &sm->config.l1i, CACHE_OF_SM, sm->requests, &sm->arena);
}

void fetch_want(struct fetch *fetch, const struct sm_warp *warp)
{
	invariant(!warp->ibuffer.count);
	if (!warp->ibuffer.waits_for_line)
		bits_add(fetch->wants, warp->slot);
}

void ibuffer_begin(struct fetch *fetch, struct sm_warp *warp)
{
	warp->ibuffer.code = INSTRUCTION_BASE + warp->simt->block->launch->code;
	ibuffer_restart(fetch, warp);
}

void ibuffer_restart(struct fetch *fetch, struct sm_warp *warp)
{
	warp->ibuffer.count = 0;
	warp->ibuffer.pc = warp->simt->pc;
	fetch_want(fetch, warp);
}

bool ibuffer_pop(struct fetch *fetch, struct sm_warp *warp)
{
	invariant(warp->ibuffer.count);
	warp->ibuffer.pc++;
	if (--warp->ibuffer.count)
		return true;
	if (!warp->simt->done)
		fetch_want(fetch, warp);
	return false;
}

/* Requests the line with the warp's next instructions, which is not in the cache. False: it cannot be requested yet. */
static bool fetch_line(struct sm *sm, struct sm_warp *warp, uint64_t address)
{
	struct fetch *fetch = &sm->fetch;
	if (!fetch->request)
		fetch->request = request_new(sm->requests);
	struct request *request = fetch->request;
	bool sent_down;
	request->kind = REQUEST_INSTRUCTION;
	request->address = address;
	request->sm = (uint16_t)sm->index;
	request->warp = warp->slot;
	cache_widen(&fetch->l1i, request);
	if (cache_access(&fetch->l1i, request, sm->cycle, &sent_down) == BASE_ACCESS_REFUSED)
		return false;
	address_map_place(sm->map, request);
	warp->ibuffer.waits_for_line = true;
	warp->ibuffer.misses += warp->ibuffer.misses < MISSES_IN_A_ROW;
	fetch->request = NULL;
	return true;
}

static uint64_t next_address(const struct sm_warp *warp)
{
	return warp->ibuffer.code + (uint64_t)warp->ibuffer.pc * INSTRUCTION_BYTES;
}

/* The warp's next instructions have been fetched, and will be decoded in the next cycle. */
static void latch_fetched(struct fetch *fetch, struct sm_warp *warp)
{
	invariant(!fetch->fetched); /* one per cycle, and decode has taken the last */
	warp->ibuffer.misses = 0;
	fetch->fetched = warp;
}

/* Looks up the warp's next instructions in the instruction cache. */
static void fetch_warp(struct sm *sm, struct sm_warp *warp)
{
	struct fetch *fetch = &sm->fetch;
	uint64_t address = next_address(warp);
	if (!sm->config.l1i.perfect && !cache_read_hit(&fetch->l1i, address, fetch->l1i.sector_bytes, sm->cycle)) {
		if (!fetch_line(sm, warp, address))
			return;
	} else {
		latch_fetched(fetch, warp);
	}
	sm->stats.fetches++;
	bits_remove(fetch->wants, warp->slot);
}

bool fetch_fill(struct sm *sm, struct request *request)
{
	struct cache *l1i = &sm->fetch.l1i;
	if (!cache_fill_port_free(l1i, sm->cycle))
		return false;
	cache_fill(l1i, request, sm->cycle);
	sm_wake_pipeline(sm);
	return true;
}

/* The line that the warp waited for has arrived. */
static void line_arrived(struct sm *sm, struct sm_warp *warp, const struct request *request)
{
	struct fetch *fetch = &sm->fetch;
	warp->ibuffer.waits_for_line = false;
	if (!warp->simt || warp->simt->done || warp->ibuffer.count)
		return;
	bool is_next = (next_address(warp) & ~(uint64_t)(request->bytes - 1)) == request->address;
	bool hands_over = sm->config.fetch_hands_over || warp->ibuffer.misses == MISSES_IN_A_ROW;
	if (hands_over && is_next && !fetch->fetched)
		latch_fetched(fetch, warp);
	else
		fetch_want(fetch, warp);
}

static void take_line(struct sm *sm)
{
	struct request *request = cache_next_ready(&sm->fetch.l1i);
	line_arrived(sm, &sm->warp[request->warp], request);
	request_release(sm->requests, request);
}

void fetch_warp_ended(struct fetch *fetch, const struct sm_warp *warp)
{
	invariant(!bits_has(fetch->wants, warp->slot) && !bits_has(fetch->ended, warp->slot));
	bits_add(fetch->ended, warp->slot);
}

/* Frees the slots of ended warps that the walk passes on its way to `next`, the warp that fetches. Without such a
 * warp it frees all. GPGPU-Sim 3.2.2 and 4.2.0 do both in one walk. A block's slot is therefore freed up to one
 * round of fetches after its last warp has ended (docs/explanation/timing-model.md). */
static void free_slots(struct sm *sm, uint32_t next)
{
	struct fetch *fetch = &sm->fetch;
	uint32_t from = fetch->last + 1, slots = 64 * SM_WARP_WORDS;
	uint32_t walk = next == BITS_NONE ? slots : (next - from) % slots;
	uint32_t slot;
	while ((slot = bits_next_around(fetch->ended, SM_WARP_WORDS, from)) != BITS_NONE &&
	       (slot - from) % slots < walk) {
		bits_remove(fetch->ended, slot);
		warp_exit(sm, &sm->warp[slot]);
	}
}

_Static_assert(SM_WARP_WORDS == 2, "fetch looks at the words of `wants` and `ended`");

/* Moves the walk over the warps to the next one that needs a fetch. */
static inline __attribute__((always_inline)) void fetch_in_turn(struct sm *sm)
{
	struct fetch *fetch = &sm->fetch;
	uint32_t slot = bits_next_around(fetch->wants, SM_WARP_WORDS, fetch->last + 1);
	if (fetch->ended[0] | fetch->ended[1])
		free_slots(sm, slot);
	if (slot == BITS_NONE)
		return;
	fetch->last = slot;
	fetch_warp(sm, &sm->warp[slot]);
}

/* The work of a tick, if there is any. A line that is handed over replaces the walk (GPGPU-Sim 4.2.0). */
__attribute__((noinline)) static bool serve(struct sm *sm)
{
	struct fetch *fetch = &sm->fetch;
	bool handed_over = UNLIKELY(sm->config.fetch_hands_over) && cache_has_ready(&fetch->l1i);
	if (handed_over)
		take_line(sm);
	else
		fetch_in_turn(sm);
	bool waits = !network_port_send_miss(sm, &fetch->l1i);
	if (!handed_over && cache_has_ready(&fetch->l1i))
		take_line(sm);
	return fetch->fetched || fetch->wants[0] | fetch->wants[1] || fetch->ended[0] | fetch->ended[1] ||
	       cache_has_ready(&fetch->l1i) || (fetch->l1i.miss_queue.count && !waits);
}

bool fetch_tick(struct sm *sm)
{
	invariant(!sm->fetch.fetched); /* decode has taken it */
	return !fetch_rests(&sm->fetch) && serve(sm);
}

bool decode_tick(struct sm *sm)
{
	struct sm_warp *warp = sm->fetch.fetched;
	if (!warp)
		return false;
	sm->fetch.fetched = NULL;
	warp->ibuffer.count = (uint8_t)(sm->config.fetch_bytes / INSTRUCTION_BYTES);
	invariant(warp->ibuffer.count <= SM_IBUFFER);
	scheduler_next_instruction(sm, warp);
	issue_wake(&sm->issue);
	return true;
}
