/* The buffer in front of L1, from the load/store unit's side: which accesses it answers, what stores and atomics do to it, and
 * loads that wait for bytes on their way to it. An answer costs what an access to shared memory does. */
#include "sm/stages.h"

/* Loads that ask for what lies behind this SM, by their cache operator or their order, pass the buffer by. */
static bool may_answer(const struct sm *sm, const struct op *op)
{
	return sm->seam->has_buffer && op->space == PTX_GLOBAL && op->inst->kind == SIMT_LOAD &&
	       op->inst->cache != PTX_CG && op->inst->cache != PTX_CV && op->inst->ptx->order <= PTX_WEAK;
}

bool buffer_has(const struct sm *sm, const struct op *op, const struct access *access)
{
	return may_answer(sm, op) && line_buffer_has(&sm->seam->buffer, access->address, access->chunks);
}

/* The access waits, if there is a place and all of its bytes that are not there are on their way. */
static bool wait_for_bytes(struct sm *sm, struct op *op, const struct access *access)
{
	struct load_store *lsu = &sm->lsu;
	if (lsu->waiters == sm->seam->buffer.config.merges)
		return false;
	uint64_t line = access->address & ~(uint64_t)(sm->config.l1d.line_bytes - 1);
	uint32_t missing =
		seam_merge(sm->seam, line, (uint32_t)access->chunks << (access->address - line) / MECH_SECTOR);
	if (missing)
		lsu->waiter[lsu->waiters++] = (struct buffer_waiter){op, line, (uint8_t)missing};
	return missing;
}

enum buffer_answer buffer_ask(struct sm *sm, struct op *op)
{
	const struct access *access = &op->access[op->accesses - 1];
	if (!may_answer(sm, op))
		return BUFFER_PASSED;
	if (line_buffer_find(&sm->seam->buffer, access->address, access->chunks))
		return enter_shared_pipe(sm, op) ? BUFFER_HIT : BUFFER_BUSY;
	return wait_for_bytes(sm, op, access) ? BUFFER_MERGED : BUFFER_PASSED;
}

enum mech_result buffer_pass(struct sm *sm, const struct op *op, enum mech_result result)
{
	const struct access *access = &op->access[op->accesses - 1];
	if (!sm->seam->has_buffer || op->space != PTX_GLOBAL || op->inst->kind == SIMT_LOAD)
		return result;
	if (op->inst->kind == SIMT_STORE)
		return line_buffer_find(&sm->seam->buffer, access->address, access->chunks) ? MECH_BUFFER_HIT : result;
	line_buffer_drop(&sm->seam->buffer, access->address);
	return result;
}

void buffer_reply(struct sm *sm, struct request *request)
{
	struct load_store *lsu = &sm->lsu;
	uint64_t line = request->address & ~(uint64_t)(sm->config.l1d.line_bytes - 1);
	uint32_t first = (uint32_t)(request->address - line) / MECH_SECTOR;
	uint32_t end = ((uint32_t)(request->address - line) + request->bytes + MECH_SECTOR - 1) / MECH_SECTOR;
	for (uint32_t i = 0; i < lsu->waiters; i++) {
		struct buffer_waiter *waiter = &lsu->waiter[i];
		if (waiter->line != line || !waiter->missing)
			continue;
		waiter->missing &= (uint8_t) ~((1u << end) - (1u << first));
		if (waiter->op->level < request->level)
			waiter->op->level = request->level;
		lsu->ready_waiters += !waiter->missing;
	}
	lsu->shared_is_used = requests_answered(sm, request) && sm->seam->buffer.config.in_shared;
}

void buffer_serve_waiter(struct sm *sm)
{
	struct load_store *lsu = &sm->lsu;
	uint32_t i = 0;
	while (lsu->waiter[i].missing)
		i++;
	if (!enter_shared_pipe(sm, lsu->waiter[i].op))
		return;
	lsu->shared_is_used = true;
	lsu->ready_waiters--;
	lsu->waiters--;
	for (; i < lsu->waiters; i++)
		lsu->waiter[i] = lsu->waiter[i + 1];
}
