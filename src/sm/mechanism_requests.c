/* mechanism_requests: serves one request per cycle. Unless the request goes before demand, it is served after the
 * load/store unit's instruction and uses only remaining resources: L1's port and space in the network (our choice;
 * docs/explanation/timing-model.md, Requests of mechanisms). */
#include "sm/mechanism_requests.h"

#include "sm/sm.h"

/* May be called from outside, while the SM sleeps. */
void requests_asked(void *host)
{
	struct sm *sm = host;
	sm_wake_at(sm, sm->now + 1);
}

bool requests_answered(struct sm *sm, struct request *request)
{
	bool filled = seam_reply(sm->seam, request->mechanism, request->level < LEVEL_DRAM, sm->cycle);
	request_release(sm->requests, request);
	return filled;
}

bool requests_deliver(struct sm *sm, struct request *request)
{
	struct seam_sent *sent = request->mechanism;
	if (!sent->fill) {
		prefetch_buffer_fill(sm, request);
		return true;
	}
	if (!shared_can_begin(&sm->shared))
		return false;
	shared_begin_write(sm, sent, request);
	shared_turn_tick(sm);
	return true;
}

/* Widens the request to a whole sector of L2. */
static void aim_at_l2(struct request *request, uint32_t sector_bytes)
{
	request->kind = REQUEST_L2_PREFETCH;
	request->address &= ~(uint64_t)(sector_bytes - 1);
	request->bytes = sector_bytes;
}

/* Sets a store's masks: the 32-byte chunks that it touches, from the first byte on. */
static void aim_at_memory(struct request *request)
{
	uint32_t whole = request->bytes / MECH_SECTOR, rest = request->bytes % MECH_SECTOR;
	request->kind = REQUEST_WRITE;
	request->is_write = true;
	request->full_chunks = (uint8_t)((1u << whole) - 1);
	request->chunks = (uint8_t)((1u << (whole + (rest != 0))) - 1);
	request->written = whole ? UINT32_MAX : (1u << rest) - 1;
}

struct request *sm_request_for(const struct sm *sm, struct seam_sent *sent, uint64_t cycle, struct request_pool *pool)
{
	struct request *request = request_new(pool);
	request->kind = REQUEST_READ;
	request->address = sent->request.address;
	request->bytes = sent->request.bytes;
	request->bypass = sent->request.to != MECH_TO_L1 && sent->request.to != MECH_TO_L2;
	request->urgent = sent->request.urgent;
	request->sm = (uint16_t)sm->index;
	request->warp = sent->request.bound ? (uint16_t)sent->request.warp : REQUEST_NO_WARP;
	request->mechanism = sent;
	sent->kept.sent = cycle;
	request->prefetch = &sent->kept;
	request->sender = (uint8_t)sent->kept.sender;
	request->pc = sent->request.pc == MECH_NO_PC ? 0 : sent->request.pc + 1;
	if (sent->request.to == MECH_TO_L2)
		aim_at_l2(request, sm->seam->seam->machine.l2_sector_bytes);
	else if (sent->request.to == MECH_WRITE_GLOBAL)
		aim_at_memory(request);
	return request;
}

/* A launch that runs. All have one memory; a trace runs alone. */
static const struct simt_launch *any_launch(const struct sm *sm)
{
	const struct sm_kernel *kernel = sm->blocks.kernel;
	while (!kernel->launch)
		kernel++;
	return kernel->launch;
}

bool sm_reaches(const struct sm *sm, uint64_t address)
{
	uint64_t line = address & ~(uint64_t)(sm->config.l1d.line_bytes - 1);
	const struct simt_launch *launch = any_launch(sm);
	const struct simt_source *source = launch->program->source;
	uint32_t bytes = sm->config.l1d.line_bytes;
	if (local_memory_has(sm, line))
		return true;
	return source ? source->reaches(source, line, bytes) : simt_touches(launch->memory, line, bytes);
}

/* True when the buffer in front of L1 holds all requested bytes and would answer. */
static bool is_in_buffer(const struct sm *sm, const struct mech_request *request)
{
	uint32_t sectors = (request->bytes + MECH_SECTOR - 1) / MECH_SECTOR;
	return sm->seam->has_buffer && line_buffer_has(&sm->seam->buffer, request->address, (1u << sectors) - 1);
}

/* Requests a sector of L1; without sectors this is a line. */
static void send_to_l1(struct sm *sm, struct seam_sent *sent)
{
	if (is_in_buffer(sm, &sent->request)) {
		seam_request_filtered(sm->seam, sm->cycle);
		return;
	}
	struct request *request = sm_request_for(sm, sent, sm->cycle, sm->requests);
	enum base_access_result result = l1_prefetch(sm, request);
	if (result == BASE_ACCESS_MISS) {
		seam_request_sent(sm->seam);
		return;
	}
	request_release(sm->requests, request);
	if (result == BASE_ACCESS_REFUSED)
		seam_request_refused(sm->seam);
	else
		seam_request_filtered(sm->seam, sm->cycle);
}

/* Invalidates L1's copy of what is written to global memory. */
static void invalidate_written(struct sm *sm, const struct mech_request *request)
{
	if (request->to == MECH_WRITE_GLOBAL)
		l1_forget(&sm->l1, request->address, request->bytes, sm->cycle);
}

/* A request that fills shared memory holds an MSHR of L1, without a line there, until the data are written. */
static bool send_bypassing_l1(struct sm *sm, struct seam_sent *sent)
{
	bool holds_mshr = sent->fill && !sent->request.no_mshr;
	if (holds_mshr && !l1_has_mshr(&sm->l1))
		return false;
	struct request *request = sm_request_for(sm, sent, sm->cycle, sm->requests);
	address_map_place(sm->map, request);
	if (holds_mshr)
		l1_hold_mshr(&sm->l1, request);
	if (network_port_send(sm, request)) {
		invalidate_written(sm, &sent->request);
		return true;
	}
	if (holds_mshr)
		l1_release_mshr(&sm->l1, request);
	request_release(sm->requests, request);
	return false;
}

bool requests_had_turn(struct sm *sm, struct seam_sent *sent, struct request *request)
{
	if (sent->request.to == MECH_WRITE_GLOBAL)
		return !network_port_has_refused(&sm->network) && send_bypassing_l1(sm, sent);
	if (!request) {
		seam_reply(sm->seam, sent, false, sm->cycle);
		return true;
	}
	if (!sent->request.no_mshr)
		l1_release_mshr(&sm->l1, request);
	requests_answered(sm, request);
	return true;
}

/* Data supplied by the mechanism are written from the next cycle on. In this cycle the load/store unit may have the
 * banks. */
static void write_shared(struct sm *sm, struct seam_sent *sent)
{
	if (!shared_can_begin(&sm->shared))
		return;
	sent->kept.sent = sm->cycle;
	seam_request_sent(sm->seam);
	shared_begin_write(sm, sent, NULL);
}

/* Its packet is sent after the read. */
static void read_shared(struct sm *sm, struct seam_sent *sent)
{
	if (!shared_can_begin(&sm->shared))
		return;
	seam_request_sent(sm->seam);
	shared_begin_read(sm, sent);
}

/* Its packet is made in the cycle after the request. Before a cycle, the maximum number of flits that the SM may
 * send in it must be known (requests_most_flits()). */
static bool is_new_write(const struct sm *sm, const struct seam_sent *sent)
{
	return sent->request.to == MECH_WRITE_GLOBAL && sent->asked == sm->cycle;
}

static void serve_next(struct sm *sm)
{
	struct seam_sent *sent = seam_next_request(sm->seam);
	if (sent->request.to == MECH_WRITE_SHARED)
		write_shared(sm, sent);
	else if (!sm_reaches(sm, sent->request.address))
		seam_request_outside(sm->seam, sm->cycle);
	else if (sent->request.from_shared)
		read_shared(sm, sent);
	else if (sent->request.to != MECH_TO_L1) {
		if (!is_new_write(sm, sent) && !network_port_has_refused(&sm->network) && send_bypassing_l1(sm, sent))
			seam_request_sent(sm->seam);
	} else if (!l1_port_is_used(&sm->l1)) {
		send_to_l1(sm, sent);
	}
}

/* One of them, and the one that has its turn at shared memory. */
uint32_t requests_most_flits(const struct sm *sm)
{
	const struct crossbar *network = sm->network.requests;
	const struct seam_sent *first = seam_next_request(sm->seam), *turn = sm->shared.turn.sent;
	bool writes = first && first->request.to == MECH_WRITE_GLOBAL,
	     turn_writes = turn && turn->request.to == MECH_WRITE_GLOBAL;
	return crossbar_flits_of(network, writes ? first->request.bytes : 0) +
	       (turn_writes ? crossbar_flits_of(network, turn->request.bytes) : 0);
}

bool requests_tick_before_demand(struct sm *sm)
{
	if (!seam_goes_before_demand(sm->seam) || !sm->blocks.resident)
		return false;
	serve_next(sm);
	return true;
}

bool requests_tick(struct sm *sm, bool served)
{
	if (!sm->seam->queued)
		return false;
	if (served)
		return true;
	if (sm->blocks.resident)
		serve_next(sm);
	else
		seam_drop_requests(sm->seam);
	return sm->seam->queued;
}
