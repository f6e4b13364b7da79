/* The load/store unit: one memory instruction at a time makes its accesses, one a cycle, to shared memory, the constant
 * cache, L1 or past it; answers come back in any order and share one write-back port. */
#include "sm/stages.h"

/* Who may write registers, in the order of the arbiter. */
enum client { CLIENT_SHARED, CLIENT_CONSTANT, CLIENT_BYPASSED, CLIENT_L1, CLIENTS };

/* Level under which waiting for shared memory is charged (behind those of enum request_level). */
enum { LEVEL_SHARED = LEVEL_DRAM + 1 };

/* It takes none of the units that the crossbar counts, which may be another host thread's. */
bool sm_answer_at_once(struct sm *sm, struct request *request, uint64_t now)
{
	struct port *replies = &sm->from_network;
	if (request->kind == REQUEST_L1_WRITEBACK) { /* nobody waits for it */
		request_release(sm->requests, request);
		return true;
	}
	if (replies->items == replies->capacity)
		return false;
	request->is_reply = true;
	port_insert(replies, request, 0, 0, now);
	return true;
}

bool network_send(struct sm *sm, struct request *request)
{
	if (sm->config.zero_latency_memory) {
		bool answered = sm_answer_at_once(sm, request, sm->now);
		sm->sends_refused += !answered;
		return answered;
	}
	if (!crossbar_has_room(sm->network, sm->index, request, sm->now)) {
		sm->stats.network_full++;
		sm->sends_refused++;
		sm->network_opens |= crossbar_gets_room(sm->network, sm->index, request);
		return false;
	}
	crossbar_send(sm->network, sm->index, request, sm->now);
	return true;
}

/* One of the instruction's accesses is answered. */
static void answer_access(struct sm *sm, struct op *op, uint32_t level)
{
	struct sm_warp *warp = &sm->warp[op->warp];
	if (op->level < level)
		op->level = (uint8_t)level;
	if (--op->waiting == 0) {
		stack_resolve(sm, warp, op->level);
		complete(sm, op);
	}
}

static void end_atomic(struct sm *sm, struct sm_warp *warp)
{
	if (--warp->atomics == 0)
		update_held(sm, warp);
}

/* The clients that have an answer, as a mask. */
static uint32_t clients_with_answers(const struct sm *sm)
{
	const struct load_store *lsu = &sm->lsu;
	bool shared = lsu->shared_count && lsu->shared_pipe[lsu->shared_head].ready <= sm->cycle;
	return (uint32_t)shared << CLIENT_SHARED | (uint32_t)cache_has_ready(&lsu->l1c) << CLIENT_CONSTANT |
	       (uint32_t)(lsu->bypassed != NULL) << CLIENT_BYPASSED | (uint32_t)cache_has_ready(&lsu->l1d) << CLIENT_L1;
}

/* Takes the answer of a client that has a request into the write-back register. */
static void serve_request(struct sm *sm, struct request *request)
{
	struct op *op = request->op;
	if (request->kind == REQUEST_L1_FILL) { /* nobody waits for it */
		request_release(sm->requests, request);
		return;
	}
	sm->stats.memory_requests++;
	sm->stats.memory_latency += sm->cycle - request->born;
	sm->lsu.write_back = op;
	if (op->level < request->level)
		op->level = request->level;
	request_release(sm->requests, request);
}

/* Takes the next answer of a client, which has one. */
static void serve(struct sm *sm, enum client client)
{
	struct load_store *lsu = &sm->lsu;
	struct request *request = lsu->bypassed;

	switch (client) {
	case CLIENT_SHARED:
		lsu->write_back = lsu->shared_pipe[lsu->shared_head].op;
		lsu->shared_head = (lsu->shared_head + 1) % SM_SHARED_PIPE;
		lsu->shared_count--;
		break;
	case CLIENT_CONSTANT:
		serve_request(sm, cache_next_ready(&lsu->l1c));
		break;
	case CLIENT_BYPASSED:
		lsu->bypassed = NULL;
		if (request->kind == REQUEST_ATOMIC)
			end_atomic(sm, &sm->warp[request->warp]);
		serve_request(sm, request);
		break;
	default:
		serve_request(sm, cache_next_ready(&lsu->l1d));
	}
}

static void write_back_loads(struct sm *sm)
{
	struct load_store *lsu = &sm->lsu;
	struct op *op = lsu->write_back;
	if (op) {
		uint32_t banks = written_banks(sm, op);
		if (banks & sm->banks_written)
			return;
		sm->banks_written |= banks;
		lsu->write_back = NULL;
		answer_access(sm, op, op->space == PTX_SHARED ? (uint32_t)LEVEL_SHARED : op->level);
	}
	uint32_t clients = clients_with_answers(sm);
	if (!clients)
		return;
	uint32_t in_turn = clients >> lsu->arbiter | clients << (CLIENTS - lsu->arbiter);
	uint32_t client = (lsu->arbiter + (uint32_t)__builtin_ctz(in_turn)) % CLIENTS;
	serve(sm, client);
	lsu->arbiter = (client + 1) % CLIENTS;
}

/* Takes the front packet off the network; of an answer by sectors, the last one. */
static void take_reply(struct sm *sm)
{
	struct request *packet = port_front(&sm->from_network, sm->now);
	port_pop(&sm->from_network, sm->now);
	if (packet->parent)
		request_release(sm->requests, packet);
}

/* One sector of an answer has come. Returns the whole request when it is the last, else takes it and returns NULL. */
static struct request *join(struct sm *sm, const struct request *part)
{
	struct request *request = part->parent;
	if (request->level < part->level)
		request->level = part->level;
	if (request->parts > 1) {
		request->parts--;
		take_reply(sm);
		return NULL;
	}
	return request;
}

/* Takes an answer from the network: a line for a cache, an acknowledgement, or what went past L1. */
static void accept_reply(struct sm *sm)
{
	struct load_store *lsu = &sm->lsu;
	struct request *request = port_front(&sm->from_network, sm->now);
	if (!request)
		return;
	if (request->parent && !(request = join(sm, request)))
		return;
	if (request->mechanism && request->bypass) {
		take_reply(sm);
		buffer_reply(sm, request);
		return;
	}
	struct sm_warp *warp = &sm->warp[request->warp];
	struct cache *cache = NULL;

	switch ((enum request_kind)request->kind) {
	case REQUEST_INSTRUCTION:
		cache = &sm->l1i;
		break;
	case REQUEST_CONSTANT:
		cache = &lsu->l1c;
		break;
	case REQUEST_LOCAL_READ:
	case REQUEST_L1_FILL:
	case REQUEST_READ:
		if (!request->bypass)
			cache = &lsu->l1d;
		break;
	default:
		break;
	}
	if (cache ? !cache_fill_port_free(cache, sm->cycle) : !request->is_write && lsu->bypassed)
		return;
	take_reply(sm);
	if (cache) {
		if (cache == &lsu->l1d && sm->seam->fill.count)
			hooks_fill(sm, request);
		cache_fill(cache, request, sm->cycle);
		if (request->mechanism)
			requests_answered(sm, request);
	} else if (request->is_write) {
		warp->stores--;
		request_release(sm->requests, request);
		if (warp->leaving)
			retire(sm, warp);
	} else {
		lsu->bypassed = request;
	}
}

static void send_misses(struct sm *sm, struct cache *cache)
{
	struct request *request = request_queue_front(&cache->miss_queue);
	if (request && network_send(sm, request))
		request_queue_pop(&cache->miss_queue);
}

static struct request *new_request(struct sm *sm, const struct op *op, const struct access *access)
{
	bool local = op->space == PTX_LOCAL, write = op->inst->kind == SIMT_STORE;
	struct request *request = request_new(sm->requests);
	request->kind = op->space == PTX_CONST || op->space == PTX_PARAM ? REQUEST_CONSTANT
	                : op->inst->kind == SIMT_ATOMIC                  ? REQUEST_ATOMIC
	                : write                                          ? (local ? REQUEST_LOCAL_WRITE : REQUEST_WRITE)
	                                                                 : (local ? REQUEST_LOCAL_READ : REQUEST_READ);
	request->is_write = write;
	request->address = access->address;
	request->bytes = access->bytes;
	request->lanes = access->lanes;
	request->chunks = access->chunks;
	request->whole = access->whole;
	request->sm = (uint16_t)sm->index;
	request->warp = (uint16_t)op->warp;
	request->op = (void *)op;
	request->born = sm->cycle;
	address_map_place(sm->map, request);
	return request;
}

static bool goes_past_l1(struct sm *sm, const struct op *op)
{
	if (op->inst->kind == SIMT_ATOMIC)
		return true;
	if (sm->config.l1d.perfect)
		return false;
	return (op->space != PTX_LOCAL && sm->config.global_skips_l1) || op->inst->cache == PTX_CG ||
	       op->inst->cache == PTX_CV ||
	       (sm->seam->may_allocate.count && op->inst->kind == SIMT_LOAD && op->space == PTX_GLOBAL &&
	        !hooks_may_allocate(sm, op));
}

/* The request for the instruction's next access. Its way is chosen when it is first offered, so that mechanisms are asked once,
 * however often it is turned away and offered again. */
static struct request *next_request(struct sm *sm, struct op *op)
{
	struct load_store *lsu = &sm->lsu;
	if (!lsu->offered) {
		lsu->offered = new_request(sm, op, &op->access[op->accesses - 1]);
		lsu->offered->bypass = lsu->offered->kind != REQUEST_CONSTANT && goes_past_l1(sm, op);
	}
	return lsu->offered;
}

static bool is_looked_at(const struct sm *sm, const struct op *op)
{
	return sm->seam->access.count && (op->space == PTX_GLOBAL || op->space == PTX_LOCAL);
}

/* The instruction's next access is made. */
static void accepted(struct sm *sm, struct op *op, enum mech_result result)
{
	if (is_looked_at(sm, op)) {
		const struct mech_access access = hooks_next_access(sm, op);
		hooks_access(sm, &access, result);
	}
	sm->lsu.offered = NULL;
	op->accesses--;
}

/* The instruction's next access straight into the network. */
static bool send_past_l1(struct sm *sm, struct op *op, struct request *request)
{
	if (!network_send(sm, request)) {
		sm->lsu.blocked = BLOCKED_BY_NETWORK;
		return false;
	}
	sm->warp[op->warp].stores += request->is_write;
	accepted(sm, op, buffer_pass(sm, op, MECH_PAST_L1));
	return true;
}

/* The instruction's next access to a cache. */
static bool access_cache(struct sm *sm, struct op *op, struct cache *cache, struct request *request)
{
	if (!cache_data_port_free(cache, sm->cycle))
		return false;
	bool is_write = request->is_write, sent_down;
	if (!is_write)
		cache_widen(cache, request);
	request->born = sm->cycle;
	sm->lsu.l1_is_used |= cache == &sm->lsu.l1d;
	enum access_result result = cache_access(cache, request, sm->cycle, &sent_down);
	if (result == ACCESS_REFUSED) {
		sm->lsu.blocked = cache == &sm->lsu.l1d ? BLOCKED_BY_L1D : BLOCKED_BY_L1C;
		return false;
	}
	accepted(sm, op, buffer_pass(sm, op, result));
	if (is_write && sent_down)
		sm->warp[op->warp].stores++;
	if ((result == ACCESS_HIT || is_write) && !sent_down) { /* data for a read, or a write that stays here */
		request_release(sm->requests, request);
		op->waiting -= !is_write;
	}
	return true;
}

/* Into the pipe in front of L1's tags. A store counts from here on. */
static bool enter_l1_pipe(struct sm *sm, struct op *op, struct request *request)
{
	struct l1_pipe *pipe = &sm->lsu.l1_pipe;
	if (pipe->count == sm->config.l1_latency)
		return false;
	if (request->is_write)
		sm->warp[op->warp].stores++;
	else
		cache_widen(&sm->lsu.l1d, request);
	struct l1_pipe_slot *slot = &pipe->slot[(pipe->head + pipe->count++) % SM_L1_PIPE];
	slot->request = request;
	slot->ready = sm->cycle + sm->config.l1_latency;
	enum mech_result result = buffer_pass(sm, op, MECH_MISS);
	if (is_looked_at(sm, op)) {
		slot->access = hooks_next_access(sm, op);
		slot->access.result = result;
	}
	sm->lsu.offered = NULL;
	op->accesses--;
	return true;
}

/* The oldest access in the pipe reaches the tags. */
static void leave_l1_pipe(struct sm *sm)
{
	struct l1_pipe *pipe = &sm->lsu.l1_pipe;
	const struct l1_pipe_slot *slot = &pipe->slot[pipe->head];
	if (!pipe->count || slot->ready > sm->cycle || !cache_data_port_free(&sm->lsu.l1d, sm->cycle))
		return;
	struct request *request = slot->request;
	struct sm_warp *warp = &sm->warp[request->warp];
	bool is_write = request->is_write, sent_down;
	request->born = sm->cycle;
	sm->lsu.l1_is_used = true;
	enum access_result result = cache_access(&sm->lsu.l1d, request, sm->cycle, &sent_down);
	if (result == ACCESS_REFUSED)
		return;
	if (sm->seam->access.count)
		hooks_access(sm, &slot->access, slot->access.result == MECH_BUFFER_HIT ? MECH_BUFFER_HIT : result);
	pipe->head = (pipe->head + 1) % SM_L1_PIPE;
	pipe->count--;
	if ((result != ACCESS_HIT && !is_write) || sent_down)
		return;
	struct op *op = request->op;
	request_release(sm->requests, request);
	if (!is_write) {
		answer_access(sm, op, LEVEL_L1);
		return;
	}
	warp->stores--;
	if (warp->leaving)
		retire(sm, warp);
}

bool enter_shared_pipe(struct sm *sm, struct op *op)
{
	struct load_store *lsu = &sm->lsu;
	if (lsu->shared_is_used || lsu->shared_count == sm->config.shared_latency)
		return false;
	lsu->shared_pipe[(lsu->shared_head + lsu->shared_count++) % SM_SHARED_PIPE] =
		(struct shared_pipe_slot){op, sm->cycle + sm->config.shared_latency};
	return true;
}

/* Shared memory: the banks are busy for as many cycles as the accesses conflict, then data pass the pipe. True: done. */
static bool access_shared(struct sm *sm, struct op *op)
{
	if (sm->lsu.shared_is_used)
		return false;
	if (op->busy > 1) {
		op->busy--;
		sm->stats.shared_conflict_cycles++;
		return false;
	}
	op->busy = 0;
	if (op->inst->kind == SIMT_STORE) {
		complete(sm, op);
		return true;
	}
	op->waiting = 1;
	return enter_shared_pipe(sm, op);
}

static bool make_access(struct sm *sm, struct op *op, bool constant)
{
	if (sm->lsu.offered && cache_refuses(&sm->lsu.l1d, sm->lsu.offered)) {
		sm->lsu.blocked = BLOCKED_BY_L1D;
		return false;
	}
	enum buffer_answer answer = sm->seam->has_buffer && !sm->lsu.offered ? buffer_ask(sm, op) : BUFFER_PASSED;
	if (answer == BUFFER_BUSY)
		return false;
	if (answer != BUFFER_PASSED) {
		accepted(sm, op, answer == BUFFER_HIT ? MECH_BUFFER_HIT : MECH_BUFFER_MERGED);
		return true;
	}
	struct request *request = next_request(sm, op);
	if (request->bypass)
		return send_past_l1(sm, op, request);
	if (constant)
		return access_cache(sm, op, &sm->lsu.l1c, request);
	return sm->config.l1_latency ? enter_l1_pipe(sm, op, request) : access_cache(sm, op, &sm->lsu.l1d, request);
}

/* Global, local, constant: one access a cycle. True: all are made. */
static bool access_memory(struct sm *sm, struct op *op)
{
	bool constant = op->space == PTX_CONST || op->space == PTX_PARAM;
	if (op->accesses) {
		if (!make_access(sm, op, constant) || op->accesses)
			return false;
	}
	/* A store leaves now, its acknowledgements come to the warp; a load that hit is done, others wait for answers. */
	if (op->inst->kind == SIMT_STORE || op->waiting == 0) {
		stack_resolve(sm, &sm->warp[op->warp], LEVEL_L1);
		complete(sm, op);
	}
	return true;
}

static bool holds_something(const struct sm *sm)
{
	const struct load_store *lsu = &sm->lsu;
	return lsu->current || lsu->l1_pipe.count || lsu->write_back || lsu->bypassed || lsu->shared_count ||
	       lsu->ready_waiters || cache_has_ready(&lsu->l1d) || cache_has_ready(&lsu->l1c) ||
	       lsu->l1d.miss_queue.count || lsu->l1c.miss_queue.count;
}

/* The instruction's next step; a new one when there is none. */
static void serve_instruction(struct sm *sm)
{
	struct load_store *lsu = &sm->lsu;
	bool taken = !lsu->current;
	if (taken) {
		if (!sm->collected[PTX_UNIT_MEM].count)
			return;
		lsu->current = latch_pop(&sm->collected[PTX_UNIT_MEM]);
	}
	struct op *op = lsu->current;
	if (taken && sm->seam->memory.count && (op->space == PTX_GLOBAL || op->space == PTX_LOCAL) && op->accesses)
		hooks_memory(sm, op);
	bool done = op->space == PTX_SHARED && op->lanes ? access_shared(sm, op) : access_memory(sm, op);
	if (done)
		lsu->current = NULL;
	else
		sm->stats.lsu_stall_cycles++;
}

void load_store(struct sm *sm)
{
	struct load_store *lsu = &sm->lsu;
	lsu->blocked = NOT_BLOCKED;
	sm->sends_refused = 0;
	sm->network_opens = false;
	lsu->l1_is_used = lsu->shared_is_used = false;
	if (!lsu->busy && port_empty(&sm->from_network) && !sm->collected[PTX_UNIT_MEM].count && !sm->seam->queued)
		return;
	write_back_loads(sm);
	accept_reply(sm);
	send_misses(sm, &lsu->l1c);
	send_misses(sm, &lsu->l1d);
	leave_l1_pipe(sm);
	if (lsu->ready_waiters)
		buffer_serve_waiter(sm);
	serve_instruction(sm);
	if (sm->seam->queued)
		requests_serve(sm, lsu->l1_is_used);
	lsu->busy = holds_something(sm);
}

bool load_store_can_go_on(const struct sm *sm)
{
	const struct load_store *lsu = &sm->lsu;
	uint32_t queues =
		(lsu->l1c.miss_queue.count > 0) + (lsu->l1d.miss_queue.count > 0) + (sm->l1i.miss_queue.count > 0);
	uint32_t refused = sm->sends_refused - (lsu->blocked == BLOCKED_BY_NETWORK);
	return sm->network_opens || sm->seam->queued || lsu->l1_pipe.count || lsu->write_back || lsu->bypassed ||
	       lsu->shared_count || lsu->ready_waiters || cache_has_ready(&lsu->l1d) || cache_has_ready(&lsu->l1c) ||
	       cache_has_ready(&sm->l1i) || !port_empty(&sm->from_network) || queues > refused ||
	       (lsu->current ? !lsu->blocked : sm->collected[PTX_UNIT_MEM].count);
}

void load_store_account(struct sm *sm, uint64_t slept)
{
	struct load_store *lsu = &sm->lsu;
	if (!lsu->current)
		return;
	sm->stats.lsu_stall_cycles += slept;
	lsu->l1d.stats.refused += lsu->blocked == BLOCKED_BY_L1D ? slept : 0;
	lsu->l1c.stats.refused += lsu->blocked == BLOCKED_BY_L1C ? slept : 0;
}
