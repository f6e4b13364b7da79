/* l1: one access per cycle (tests/micro/bandwidth.cu: L1 hits), `sm.l1_latency` cycles after the load/store unit. On
 * gtx480 this is 0, and a hit completes at once as in GPGPU-Sim 3.2.2. On gtx480-v4 it is 35, as in version 4.2.0
 * (tests/micro/latency.cu: L1 hit). Each cache sends one miss and takes one line per cycle
 * (docs/explanation/timing-model.md, Caches). */
#include "sm/sm.h"

#include "sm/hooks.h"
#include "sm/mechanism_requests.h"

enum { L1_BANK_BYTES = 32 };

static void evicted(void *sm, const struct base_line_eviction *eviction)
{
	seam_call_evict(sm, eviction);
}

static void filled(void *sm, const struct base_line_fill *fill)
{
	seam_call_fill(sm, fill);
}

static void used(void *sm, const struct base_line_use *use)
{
	seam_l1_used(sm, use);
}

static uint32_t victim(void *sm, const struct base_line_set *set)
{
	return seam_l1_victim(sm, set);
}

/* Watches lines when some mechanism observes lines, chooses victims, or observes accesses. (Accesses report the
 * sender that fetched their line.) */
static void watch_lines(struct sm *sm)
{
	struct seam_sm *seam = sm->seam;
	const struct mech_sm *owner = seam->replacement;
	const struct cache_watcher watcher = {.user = seam,
	                                      .evicted = seam->evict.count ? evicted : NULL,
	                                      .filled = seam->fill.count ? filled : NULL,
	                                      .used = owner && owner->mech->l1_used ? used : NULL,
	                                      .victim = owner ? victim : NULL};
	if (owner || seam->evict.count || seam->fill.count || seam->access.count)
		sm->l1.data.watch = cache_watch_new(&watcher, &sm->l1.data.tags, &sm->arena);
}

void l1_open(struct sm *sm)
{
	cache_open(&sm->l1.constant, &sm->config.l1c, CACHE_OF_SM, sm->requests, &sm->arena);
	cache_open(&sm->l1.data, &sm->config.l1d, CACHE_OF_SM, sm->requests, &sm->arena);
	sm->l1.constant.map = sm->l1.data.map = sm->map;
	const struct base_prefetch_listener listener = seam_listener(sm->seam);
	if (seam_sends(sm->seam->seam))
		cache_watch_open(&sm->l1.data, &listener, &sm->arena);
	watch_lines(sm);
	if (sm->seam->behind_l1)
		request_queue_open(&sm->l1.answered, &sm->arena, sm->config.l1d.mshrs);
}

/* Shared memory gets the smallest configured size that holds the kernel's. L1 keeps the corresponding part of each
 * set's ways (GPGPU-Sim 4.2.0: gpgpu_adaptive_cache_config). */
void l1_begin(struct sm *sm, uint64_t shared_bytes)
{
	const struct sm_config *config = &sm->config;
	sm->l1.shared_bytes = config->shared_bytes;
	if (!config->unified_bytes)
		return;
	uint32_t i = 0;
	while (i + 1 < config->carve_outs && config->carve_out[i] < shared_bytes)
		i++;
	sm->l1.shared_bytes = (uint32_t)min_u64(config->shared_bytes, config->carve_out[i]);
	uint64_t left = config->unified_bytes - config->carve_out[i];
	uint32_t ways = (uint32_t)((config->l1d.ways * left + config->unified_bytes / 2) / config->unified_bytes);
	if (ways != sm->l1.data.tags.ways)
		tags_set_ways(&sm->l1.data.tags, ways ? ways : 1);
}

bool l1_can_begin(const struct sm *sm)
{
	return sm->l1.data.mshrs.free == sm->l1.data.mshrs.count && !sm->l1.piped;
}

void l1_end(struct sm *sm)
{
	cache_end_prefetches(&sm->l1.data, UINT32_MAX);
	if (sm->config.flush_l1)
		cache_invalidate(&sm->l1.data);
}

enum base_access_result l1_look_up(struct sm *sm, struct request *request, bool *sent_down)
{
	struct cache *cache = l1_cache_of(&sm->l1, request);
	invariant(sm->config.l1_banks > 1 || cache_data_port_free(cache, sm->cycle));
	if (!request->is_write)
		cache_widen(cache, request);
	request->born = sm->cycle;
	sm->l1.port_is_used |= cache == &sm->l1.data;
	uint32_t pc = request_pc(request);
	enum base_access_result result = cache_access(cache, request, sm->cycle, sent_down);
	if (sm->profile && result != BASE_ACCESS_REFUSED && pc != BASE_ACCESS_NO_PC)
		profile_looked_up(sm->profile, pc, result == BASE_ACCESS_HIT);
	return result;
}

static uint32_t bank_of(const struct sm *sm, const struct request *request)
{
	return request->address / L1_BANK_BYTES & (sm->config.l1_banks - 1);
}

bool l1_pipe_is_full(const struct sm *sm, const struct request *request)
{
	return sm->l1.pipe[bank_of(sm, request)].count == sm->config.l1_latency;
}

/* A store counts as sent from here on. */
bool l1_enter_pipe(struct sm *sm, const struct op *op, struct request *request)
{
	uint32_t bank = bank_of(sm, request);
	struct l1_pipe *pipe = &sm->l1.pipe[bank];
	invariant(pipe->count < sm->config.l1_latency);
	if (pipe->count && pipe->entered == sm->cycle)
		return false;
	pipe->entered = sm->cycle;
	sm->l1.piped |= 1u << bank;
	if (request->is_write)
		warp_store_sent(&sm->warp[op->warp]);
	uint32_t end = pipe->head + pipe->count++, slots = sm->config.l1_latency;
	struct l1_pipe_slot *slot = &pipe->slot[end < slots ? end : end - slots];
	slot->request = request;
	slot->ready = sm->cycle + sm->config.l1_latency;
	sm->l1.pipe_next = min_u64(sm->l1.pipe_next, slot->ready);
	enum mech_result result = prefetch_buffer_pass_by(sm, op, MECH_MISS);
	if (hooks_access_is_observed(sm, op)) {
		slot->access = hooks_next_access(sm, op);
		slot->access.result = result;
	}
	return true;
}

/* Ends an access that needs no reply: a read that hit, or a write that stays in L1. */
static void end_access(struct sm *sm, struct request *request)
{
	struct op *op = request->op;
	struct sm_warp *warp = &sm->warp[request->warp];
	bool is_write = request->is_write;
	request_release(sm->requests, request);
	if (is_write)
		warp_store_acknowledged(sm, warp);
	else
		access_answered(sm, op, LEVEL_L1);
}

/* The oldest access in the pipe reaches the tags. Each bank has a data port (GPGPU-Sim 4.2.0:
 * ldst_unit::L1_latency_queue_cycle()). */
static void leave_pipe(struct sm *sm, uint32_t bank)
{
	struct l1_pipe *pipe = &sm->l1.pipe[bank];
	const struct l1_pipe_slot *slot = &pipe->slot[pipe->head];
	bool port_is_free = sm->config.l1_banks > 1 || cache_data_port_free(&sm->l1.data, sm->cycle);
	if (slot->ready > sm->cycle || !port_is_free)
		return;
	if (l1_refuses_again(&sm->l1, pipe->refused_at)) {
		sm->l1.port_is_used = true;
		return;
	}
	struct request *request = slot->request;
	bool is_write = request->is_write, sent_down;
	enum base_access_result result = l1_look_up(sm, request, &sent_down);
	if (result == BASE_ACCESS_REFUSED) {
		pipe->refused_at = sm->l1.data.changes;
		sm->l1.refused_banks |= 1u << bank;
		return;
	}
	pipe->refused_at = 0;
	sm->l1.refused_banks &= ~(1u << bank);
	if (sm->seam->access.count)
		hooks_access(sm, &slot->access, slot->access.result == MECH_BUFFER_HIT ? MECH_BUFFER_HIT : result);
	pipe->head = pipe->head + 1 == sm->config.l1_latency ? 0 : pipe->head + 1;
	if (--pipe->count == 0)
		sm->l1.piped &= ~(1u << bank);
	if ((result == BASE_ACCESS_HIT || is_write) && !sent_down)
		end_access(sm, request);
}

/* Takes the oldest answer from a mechanism below L1, if the fill port is free. */
static void take_answer(struct sm *sm)
{
	struct request *request = request_queue_front(&sm->l1.answered);
	if (request && request->ready <= sm->cycle && l1_fill(sm, request))
		request_queue_pop(&sm->l1.answered);
}

/* The first cycle in which one of the oldest accesses of these pipes is at its end. */
static uint64_t next_in_pipes(const struct l1 *l1, uint32_t banks)
{
	uint64_t next = SM_NEVER;
	for (uint32_t left = banks; left; left &= left - 1) {
		const struct l1_pipe *pipe = &l1->pipe[__builtin_ctz(left)];
		next = min_u64(next, pipe->slot[pipe->head].ready);
	}
	return next;
}

void l1_tick(struct sm *sm)
{
	struct l1 *l1 = &sm->l1;
	take_answer(sm);
	if (sm->cycle < l1->pipe_next)
		return;
	for (uint32_t left = l1->piped; left; left &= left - 1)
		leave_pipe(sm, (uint32_t)__builtin_ctz(left));
	l1->pipe_next = next_in_pipes(l1, l1->piped);
}

uint64_t l1_next(const struct sm *sm)
{
	const struct l1 *l1 = &sm->l1;
	if ((l1->data.miss_queue.count && !l1->data_waits) || (l1->constant.miss_queue.count && !l1->constant_waits))
		return sm->cycle + 1;
	if (!(l1->piped | l1->answered.count))
		return SM_NEVER;
	uint64_t ready = l1->refused_banks ? next_in_pipes(l1, l1->piped & ~l1_kept_banks(l1)) : l1->pipe_next;
	if (l1->answered.count)
		ready = min_u64(ready, request_queue_front(&l1->answered)->ready);
	return ready > sm->cycle ? ready : sm->cycle + 1;
}

/* Lets a mechanism below L1 answer the oldest miss; it is called once per miss. False: the miss continues to the
 * network. */
static bool answer_miss(struct sm *sm)
{
	struct l1 *l1 = &sm->l1;
	struct request *request = request_queue_front(&l1->data.miss_queue);
	if (!request || !cache_waits_for(request) || l1->asked == request)
		return false;
	uint32_t cycles = hooks_answer_miss(sm, request);
	l1->asked = cycles ? NULL : request;
	if (!cycles)
		return false;
	request->ready = sm->cycle + cycles;
	cache_take_miss(&l1->data);
	request_queue_push(&l1->answered, request);
	return true;
}

void l1_send_misses(struct sm *sm)
{
	struct l1 *l1 = &sm->l1;
	l1->constant_waits = !network_port_send_miss(sm, &l1->constant);
	l1->data_waits = false;
	if (sm->seam->behind_l1 && answer_miss(sm))
		return;
	l1->data_waits = !network_port_send_miss(sm, &l1->data);
	if (!l1->data_waits)
		l1->asked = NULL;
}

bool l1_fill(struct sm *sm, struct request *request)
{
	if (!cache_fill_port_free(&sm->l1.data, sm->cycle))
		return false;
	cache_fill(&sm->l1.data, request, sm->cycle);
	if (request->mechanism)
		requests_answered(sm, request);
	return true;
}

bool l1_fill_constant(struct sm *sm, struct request *request)
{
	if (!cache_fill_port_free(&sm->l1.constant, sm->cycle))
		return false;
	cache_fill(&sm->l1.constant, request, sm->cycle);
	return true;
}

enum base_access_result l1_prefetch(struct sm *sm, struct request *request)
{
	cache_widen(&sm->l1.data, request);
	return cache_prefetch(&sm->l1.data, request, sm->cycle);
}
