/* One access a cycle (tests/micro/bandwidth.cu: L1 hits), `sm.l1_latency` cycles behind the load/store unit: none on gtx480, where a hit is
 * done at once as in GPGPU-Sim 3.2.2, 35 on gtx480-v4 as in version 4.2.0 (tests/micro/latency.cu: L1 hit). One miss a cycle of each cache goes out,
 * one line comes in (docs/timing-model.md, Caches). */
#include "sm/sm.h"

#include "sm/hooks.h"
#include "sm/mechanism_requests.h"

void l1_open(struct sm *sm)
{
	cache_open(&sm->l1.constant, &sm->config.l1c, CACHE_OF_SM, sm->requests, &sm->arena);
	cache_open(&sm->l1.data, &sm->config.l1d, CACHE_OF_SM, sm->requests, &sm->arena);
	if (seam_sends(sm->seam))
		cache_watch_open(&sm->l1.data, seam_settle, sm->seam, &sm->arena);
}

void l1_end(struct sm *sm)
{
	cache_watch_end(&sm->l1.data);
	if (sm->config.flush_l1)
		cache_invalidate(&sm->l1.data);
}

enum access_result l1_look_up(struct sm *sm, struct request *request, bool *sent_down)
{
	struct cache *cache = l1_cache_of(&sm->l1, request);
	invariant(cache_data_port_free(cache, sm->cycle));
	if (!request->is_write)
		cache_widen(cache, request);
	request->born = sm->cycle;
	sm->l1.port_is_used |= cache == &sm->l1.data;
	return cache_access(cache, request, sm->cycle, sent_down);
}

/* A store counts from here on. */
bool l1_enter_pipe(struct sm *sm, const struct op *op, struct request *request)
{
	struct l1_pipe *pipe = &sm->l1.pipe;
	invariant(pipe->count <= sm->config.l1_latency);
	if (pipe->count == sm->config.l1_latency)
		return false;
	if (request->is_write)
		warp_store_sent(&sm->warp[op->warp]);
	struct l1_pipe_slot *slot = &pipe->slot[(pipe->head + pipe->count++) % SM_L1_PIPE];
	slot->request = request;
	slot->ready = sm->cycle + sm->config.l1_latency;
	enum mech_result result = buffer_pass_by(sm, op, MECH_MISS);
	if (hooks_look_at_access(sm, op)) {
		slot->access = hooks_next_access(sm, op);
		slot->access.result = result;
	}
	return true;
}

/* An access that ends here: a read that hit, or a write that stays. */
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

void l1_tick(struct sm *sm)
{
	struct l1_pipe *pipe = &sm->l1.pipe;
	const struct l1_pipe_slot *slot = &pipe->slot[pipe->head];
	if (!pipe->count || slot->ready > sm->cycle || !cache_data_port_free(&sm->l1.data, sm->cycle))
		return;
	struct request *request = slot->request;
	bool is_write = request->is_write, sent_down;
	enum access_result result = l1_look_up(sm, request, &sent_down);
	if (result == ACCESS_REFUSED)
		return;
	if (sm->seam->access.count)
		hooks_access(sm, &slot->access, slot->access.result == MECH_BUFFER_HIT ? MECH_BUFFER_HIT : result);
	pipe->head = (pipe->head + 1) % SM_L1_PIPE;
	pipe->count--;
	if ((result == ACCESS_HIT || is_write) && !sent_down)
		end_access(sm, request);
}

uint64_t l1_next(const struct sm *sm)
{
	const struct l1 *l1 = &sm->l1;
	if ((l1->data.miss_queue.count && !l1->data_waits) || (l1->constant.miss_queue.count && !l1->constant_waits))
		return sm->cycle + 1;
	if (!l1->pipe.count)
		return SM_NEVER;
	uint64_t ready = l1->pipe.slot[l1->pipe.head].ready;
	return ready > sm->cycle ? ready : sm->cycle + 1;
}

void l1_send_misses(struct sm *sm)
{
	sm->l1.constant_waits = !network_port_send_miss(sm, &sm->l1.constant);
	sm->l1.data_waits = !network_port_send_miss(sm, &sm->l1.data);
}

bool l1_fill(struct sm *sm, struct request *request)
{
	if (!cache_fill_port_free(&sm->l1.data, sm->cycle))
		return false;
	if (sm->seam->fill.count)
		hooks_fill(sm, request, cache_is_demanded(&sm->l1.data, request));
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

enum access_result l1_prefetch(struct sm *sm, struct request *request)
{
	cache_widen(&sm->l1.data, request);
	address_map_place(sm->map, request);
	return cache_prefetch(&sm->l1.data, request, sm->cycle);
}
