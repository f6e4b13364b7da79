/* prefetch_buffer: an answer costs as much as an access to shared memory. This is our choice, because a mechanism may
 * place the buffer there (docs/explanation/timing-model.md, Requests of mechanisms). */
#include "sm/sm.h"

#include "sm/mechanism_requests.h"

/* Loads whose cache operator or memory order requires data from outside this SM bypass the buffer. */
static bool may_answer(const struct sm *sm, const struct op *op)
{
	return sm->seam->has_buffer && op->space == PTX_GLOBAL && op->inst->kind == SIMT_LOAD &&
	       op->inst->cache != PTX_CG && op->inst->cache != PTX_CV && op->inst->ptx->order <= PTX_WEAK;
}

bool prefetch_buffer_has(const struct sm *sm, const struct op *op, const struct access *access)
{
	return may_answer(sm, op) && line_buffer_has(&sm->seam->buffer, access->address, access->chunks);
}

static uint64_t line_of(const struct sm *sm, uint64_t address)
{
	return address & ~(uint64_t)(sm->config.l1d.line_bytes - 1);
}

/* Makes the access wait, if an entry is free and all its missing bytes are in flight. */
static bool wait_for_bytes(struct sm *sm, struct op *op, const struct access *access)
{
	struct prefetch_buffer_waiters *waiters = &sm->buffer_waiters;
	invariant(waiters->ready <= waiters->count && waiters->count <= MECH_MAX_BUFFER_MERGES);
	if (waiters->count == sm->seam->buffer.config.merges)
		return false;
	uint64_t line = line_of(sm, access->address);
	uint32_t missing =
		seam_merge(sm->seam, line, (uint32_t)access->chunks << (access->address - line) / MECH_SECTOR);
	if (missing)
		waiters->waiter[waiters->count++] = (struct prefetch_buffer_waiter){op, line, (uint8_t)missing};
	return missing;
}

enum prefetch_buffer_answer prefetch_buffer_ask(struct sm *sm, struct op *op)
{
	const struct access *access = &op->access[op->accesses - 1];
	if (!may_answer(sm, op))
		return BUFFER_PASSED;
	if (line_buffer_find(&sm->seam->buffer, access->address, access->chunks))
		return shared_enter_pipe(sm, op) ? BUFFER_HIT : BUFFER_BUSY;
	return wait_for_bytes(sm, op, access) ? BUFFER_MERGED : BUFFER_PASSED;
}

enum mech_result prefetch_buffer_pass_by(struct sm *sm, const struct op *op, enum mech_result result)
{
	const struct access *access = &op->access[op->accesses - 1];
	if (!sm->seam->has_buffer || op->space != PTX_GLOBAL || op->inst->kind == SIMT_LOAD)
		return result;
	if (op->inst->kind == SIMT_STORE)
		return line_buffer_find(&sm->seam->buffer, access->address, access->chunks) ? MECH_BUFFER_HIT : result;
	line_buffer_drop(&sm->seam->buffer, access->address);
	return result;
}

/* Bytes from `address` on have arrived. Accesses that waited for them now wait only for their other bytes. */
static void wake_waiters(struct sm *sm, const struct request *request)
{
	struct prefetch_buffer_waiters *waiters = &sm->buffer_waiters;
	uint64_t line = line_of(sm, request->address);
	uint32_t first = (uint32_t)(request->address - line) / MECH_SECTOR;
	uint32_t end = ((uint32_t)(request->address - line) + request->bytes + MECH_SECTOR - 1) / MECH_SECTOR;
	for (uint32_t i = 0; i < waiters->count; i++) {
		struct prefetch_buffer_waiter *waiter = &waiters->waiter[i];
		if (waiter->line != line || !waiter->missing)
			continue;
		waiter->missing &= (uint8_t) ~((1u << end) - (1u << first));
		if (waiter->op->level < request->level)
			waiter->op->level = request->level;
		waiters->ready += !waiter->missing;
	}
}

void prefetch_buffer_fill(struct sm *sm, struct request *request)
{
	wake_waiters(sm, request);
	if (requests_answered(sm, request) && sm->seam->buffer.config.in_shared)
		shared_use_port(&sm->shared);
}

static void answer_waiter(struct sm *sm)
{
	struct prefetch_buffer_waiters *waiters = &sm->buffer_waiters;
	uint32_t i = 0;
	while (waiters->waiter[i].missing)
		i++;
	invariant(i < waiters->count);
	if (!shared_enter_pipe(sm, waiters->waiter[i].op))
		return;
	shared_use_port(&sm->shared);
	waiters->ready--;
	waiters->count--;
	for (; i < waiters->count; i++)
		waiters->waiter[i] = waiters->waiter[i + 1];
}

bool prefetch_buffer_tick(struct sm *sm)
{
	if (sm->buffer_waiters.ready)
		answer_waiter(sm);
	return sm->buffer_waiters.ready;
}
