/* The SM's side of the seam: what mechanisms are told, when there are any, and the service of their requests. */
#include "sm/stages.h"

static enum mech_class class_of(const struct simt_inst *inst)
{
	switch (inst->kind) {
	case SIMT_LOAD:
	case SIMT_STORE:
	case SIMT_ATOMIC:
		return MECH_MEMORY;
	case SIMT_BRANCH:
		return MECH_BRANCH;
	case SIMT_BARRIER:
		return MECH_BARRIER;
	case SIMT_FENCE:
		return MECH_FENCE;
	case SIMT_EXIT:
		return MECH_EXIT;
	default:
		return inst->latency == PTX_LATENCY_DIV || inst->latency == PTX_LATENCY_REM ||
		                       inst->latency == PTX_LATENCY_SPECIAL
		               ? MECH_SPECIAL
		               : MECH_ARITHMETIC;
	}
}

static struct mech_issue issue_of(const struct sm *sm, const struct sm_warp *warp, const struct simt_inst *inst,
                                  uint32_t lanes)
{
	return (struct mech_issue){.warp = warp->slot,
	                           .block = warp->block,
	                           .scheduler = warp->scheduler->seen.index,
	                           .pc = inst->pc,
	                           .lanes = lanes,
	                           .type = class_of(inst),
	                           .cycle = sm->cycle};
}

bool hooks_may_issue(struct sm *sm, const struct sm_warp *warp)
{
	const struct mech_issue issue = issue_of(sm, warp, warp->inst, warp->simt->lanes);
	return seam_may_issue(sm->seam, &issue);
}

void hooks_issue(struct sm *sm, const struct sm_warp *warp, const struct simt_step *step)
{
	const struct mech_issue issue = issue_of(sm, warp, step->inst, step->lanes);
	seam_call_issue(sm->seam, &issue);
}

static enum mech_kind kind_of(const struct simt_inst *inst)
{
	return inst->kind == SIMT_STORE ? MECH_STORE : inst->kind == SIMT_ATOMIC ? MECH_ATOMIC : MECH_LOAD;
}

void hooks_memory(struct sm *sm, const struct op *op)
{
	const struct sm_warp *warp = &sm->warp[op->warp];
	struct mech_transaction transaction[MECH_MAX_ACCESSES];
	for (uint32_t i = 0; i < op->accesses; i++)
		transaction[i] = (struct mech_transaction){op->access[i].address, op->access[i].bytes,
		                                           op->access[i].lanes, buffer_has(sm, op, &op->access[i])};
	const struct mech_memory memory = {.warp = warp->slot,
	                                   .block = warp->block,
	                                   .warp_of_block = warp->slot - sm->block[warp->block].first_warp,
	                                   .pc = op->inst->pc,
	                                   .lanes = op->lanes,
	                                   .kind = kind_of(op->inst),
	                                   .local = op->space == PTX_LOCAL,
	                                   .transactions = op->accesses,
	                                   .transaction = transaction,
	                                   .cycle = sm->cycle};
	seam_call_memory(sm->seam, &memory);
}

struct mech_access hooks_next_access(const struct sm *sm, const struct op *op)
{
	const struct access *next = &op->access[op->accesses - 1];
	return (struct mech_access){.address = next->address,
	                            .bytes = next->bytes,
	                            .sm = sm->index,
	                            .warp = op->warp,
	                            .block = sm->warp[op->warp].block,
	                            .pc = op->inst->pc,
	                            .kind = kind_of(op->inst),
	                            .local = op->space == PTX_LOCAL};
}

void hooks_access(struct sm *sm, const struct mech_access *next, enum mech_result result)
{
	struct mech_access access = *next;
	access.result = result;
	access.cycle = sm->cycle;
	seam_call_access(sm->seam, &access);
}

bool hooks_may_allocate(struct sm *sm, const struct op *op)
{
	struct mech_access access = hooks_next_access(sm, op);
	access.result = MECH_MISS;
	access.cycle = sm->cycle;
	return !seam_ask_may_allocate(sm->seam, &access);
}

void hooks_fill(struct sm *sm, const struct request *request)
{
	const struct mech_fill fill = {.address = request->address,
	                               .bytes = request->bytes,
	                               .demanded = cache_is_demanded(&sm->lsu.l1d, request),
	                               .cycle = sm->cycle};
	seam_call_fill(sm->seam, &fill);
}

void request_asked(void *host)
{
	struct sm *sm = host;
	if (sm->wake > sm->now + 1) /* it may come from outside, while the SM sleeps */
		sm->wake = sm->now + 1;
}

bool requests_answered(struct sm *sm, struct request *request)
{
	bool filled = seam_reply(sm->seam, request->mechanism, sm->cycle);
	request_release(sm->requests, request);
	return filled;
}

struct request *sm_request_for(uint32_t sm, struct seam_sent *sent, struct request_pool *pool)
{
	struct request *request = request_new(pool);
	request->kind = REQUEST_READ;
	request->address = sent->request.address;
	request->bytes = sent->request.bytes;
	request->urgent = sent->request.urgent;
	request->sm = (uint16_t)sm;
	request->mechanism = sent;
	request->mark = seam_mark(sent);
	return request;
}

bool sm_reaches(const struct sm *sm, uint64_t address)
{
	uint64_t line = address & ~(uint64_t)(sm->config.l1d.line_bytes - 1);
	uint64_t words = (sm->launch->program->local_bytes + 3) / 4, local = words * sm->local_pitch;
	return line - LOCAL_PHYSICAL_BASE < local || simt_touches(sm->launch->memory, line, sm->config.l1d.line_bytes);
}

/* All that is wanted is in the buffer in front of L1, which would answer. */
static bool is_in_buffer(const struct sm *sm, const struct mech_request *request)
{
	uint32_t sectors = (request->bytes + MECH_SECTOR - 1) / MECH_SECTOR;
	return sm->seam->has_buffer && line_buffer_has(&sm->seam->buffer, request->address, (1u << sectors) - 1);
}

/* A sector of L1, which is a line where it has no smaller ones. */
static void send_to_l1(struct sm *sm, struct seam_sent *sent)
{
	struct cache *l1d = &sm->lsu.l1d;
	if (is_in_buffer(sm, &sent->request)) {
		seam_request_filtered(sm->seam, sm->cycle);
		return;
	}
	struct request *request = sm_request_for(sm->index, sent, sm->requests);
	cache_widen(l1d, request);
	address_map_place(sm->map, request);
	enum access_result result = cache_prefetch(l1d, request, sm->cycle);
	if (result == ACCESS_MISS) {
		seam_request_sent(sm->seam, sm->cycle);
		return;
	}
	request_release(sm->requests, request);
	if (result != ACCESS_REFUSED)
		seam_request_filtered(sm->seam, sm->cycle);
}

static void send_past_l1(struct sm *sm, struct seam_sent *sent)
{
	struct request *request = sm_request_for(sm->index, sent, sm->requests);
	request->bypass = true;
	address_map_place(sm->map, request);
	if (network_send(sm, request))
		seam_request_sent(sm->seam, sm->cycle);
	else
		request_release(sm->requests, request);
}

void requests_serve(struct sm *sm, bool l1_is_used)
{
	if (!sm->resident) {
		seam_drop_requests(sm->seam);
		return;
	}
	struct seam_sent *sent = seam_next_request(sm->seam);
	if (!sm_reaches(sm, sent->request.address))
		seam_request_outside(sm->seam, sm->cycle);
	else if (sent->request.to != MECH_TO_L1) {
		if (!sm->sends_refused)
			send_past_l1(sm, sent);
	} else if (!l1_is_used) {
		send_to_l1(sm, sent);
	}
}
