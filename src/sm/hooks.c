#include "sm/hooks.h"

#include "simt/bulk.h"
#include "simt/message.h"
#include "sm/sm.h"

#include <string.h>

_Static_assert((int)MECH_LANES == (int)WARP_SIZE && (int)MECH_MAX_SOURCES == (int)SIMT_MAX_SOURCES,
               "a mechanism sees what an instruction reads");

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

/* The mechanisms' name of a memory space. Registers are not reported. */
static enum mech_space space_of(uint32_t space)
{
	static const uint8_t known[PTX_SPACES] = {
		[PTX_GENERIC] = MECH_GENERIC, [PTX_CONST] = MECH_CONSTANT,  [PTX_GLOBAL] = MECH_GLOBAL,
		[PTX_LOCAL] = MECH_LOCAL,     [PTX_PARAM] = MECH_PARAMETER, [PTX_SHARED] = MECH_SHARED};
	return known[space];
}

static enum mech_kind kind_of(const struct simt_inst *inst)
{
	return inst->kind == SIMT_STORE ? MECH_STORE : inst->kind == SIMT_ATOMIC ? MECH_ATOMIC : MECH_LOAD;
}

static struct mech_issue issue_of(const struct sm *sm, const struct sm_warp *warp, const struct simt_inst *inst,
                                  uint32_t lanes)
{
	enum mech_class type = class_of(inst);
	return (struct mech_issue){.warp = warp->slot,
	                           .block = warp->block,
	                           .scheduler = warp->scheduler->seen.index,
	                           .pc = inst->pc,
	                           .lanes = lanes,
	                           .type = type,
	                           .opcode = inst->ptx->op,
	                           .name = ptx_op_name(inst->ptx->op),
	                           .space = type == MECH_MEMORY ? space_of(inst->space) : MECH_NO_SPACE,
	                           .kind = kind_of(inst),
	                           .cycle = sm->cycle};
}

bool hooks_may_issue(struct sm *sm, const struct sm_warp *warp)
{
	const struct mech_issue issue = issue_of(sm, warp, warp->next, warp->simt->lanes);
	return seam_may_issue(sm->seam, &issue);
}

uint32_t hooks_issue(struct sm *sm, const struct sm_warp *warp)
{
	const struct mech_issue issue = issue_of(sm, warp, warp->next, simt_next_lanes(warp->simt));
	uint32_t latency = seam_run_opcode(sm->seam, &issue);
	seam_issue(sm->seam, &issue);
	return latency;
}

void hooks_operands(const void *host, uint32_t slot, struct mech_operands *operands)
{
	const struct sm *sm = host;
	const struct sm_warp *warp = &sm->warp[slot];
	struct simt_operands found;
	simt_look_ahead(warp->simt, &found);
	operands->lanes = found.lanes;
	operands->sources = found.sources;
	memcpy(operands->source, found.source, found.sources * sizeof *found.source);
	if (!found.has_address)
		return;
	operands->bytes = warp->next->size;
	memcpy(operands->address, found.address, sizeof found.address);
	for (uint32_t i = 0; i < WARP_SIZE; i++)
		operands->space[i] = (uint8_t)space_of(found.space[i]);
}

void hooks_stop(void *host, uint32_t slot, uint32_t lane, const char *why)
{
	struct sm *sm = host;
	const struct sm_warp *warp = &sm->warp[slot];
	struct simt_operands found;
	simt_look_ahead(warp->simt, &found);
	sm_wake_issue(sm);
	sm->fault = (struct simt_fault){.what = why,
	                                .kind = SIMT_FAULT_MECHANISM,
	                                .inst = warp->next,
	                                .lane = lane,
	                                .block = warp->simt->block->index,
	                                .thread = simt_thread(warp->simt->block->launch, warp->simt->index, lane)};
	if (!found.has_address)
		return;
	sm->fault.space = found.space[lane];
	sm->fault.address = found.address[lane];
	sm->fault.size = warp->next->size;
}

void hooks_compete_again(void *host)
{
	struct sm *sm = host;
	sm_wake_issue(sm);
	issue_ask_again(&sm->issue);
}

bool hooks_bulk_copy(const void *host, uint32_t slot, uint32_t lane, struct bulk_copy *copy)
{
	const struct sm *sm = host;
	struct bulk_mistake mistake;
	if (!bulk_asked(sm->warp[slot].simt, sm->warp[slot].next, lane, copy, &mistake))
		return false;
	const struct simt_memory *memory = sm->warp[slot].simt->block->launch->memory;
	if (copy->rank)
		copy->map.global = simt_address(memory, copy->map.global);
	else if (copy->kind != BULK_WITHIN)
		copy->global = simt_address(memory, copy->global);
	if (copy->map_in_memory)
		copy->map_address = simt_address(memory, copy->map_address);
	return true;
}

void hooks_complete(void *host, uint32_t block, uint32_t shared, uint32_t arrivals, uint64_t bytes)
{
	struct sm *sm = host;
	if (simt_mbarrier_complete(&sm->blocks.slot[block].simt, shared, arrivals, bytes))
		phase_ended(sm, block);
}

/* Sets the registers that the next instruction waits for, if it is in the buffer. */
static void look_at_scoreboard(const struct sm *sm, const struct sm_warp *warp, struct mech_warp *seen)
{
	const struct scheduler *scheduler = warp->scheduler;
	seen->has_instruction = scheduler->filled & ~scheduler->stale & warp->mask;
	if (seen->has_instruction)
		seen->waits_for =
			scoreboard_count(&warp->scoreboard, &sm->scoreboards, warp->next, &seen->waits_for_loads);
}

void hooks_look_at_warp(const void *host, uint32_t slot, struct mech_warp *seen)
{
	const struct sm *sm = host;
	const struct sm_warp *warp = &sm->warp[slot];
	const struct sm_block *block = &sm->blocks.slot[warp->block];
	const struct sm_kernel *kernel = block->kernel;
	seen->block = warp->block;
	seen->warp_of_block = slot - block->first_warp;
	seen->age = kernel->first_age + sm->seam->block[warp->block].number * kernel->block.warps + seen->warp_of_block;
	if (!warp->simt) /* it is about to start */
		return;
	seen->pc = warp->simt->pc;
	seen->at_barrier = warp->simt->block->waiting >> warp->simt->index & 1;
	seen->at_fence = warp->fence;
	seen->in_flight = warp->in_flight;
	seen->stores = warp->stores;
	seen->atomics = warp->atomics;
	look_at_scoreboard(sm, warp, seen);
}

void hooks_memory(struct sm *sm, const struct op *op)
{
	const struct sm_warp *warp = &sm->warp[op->warp];
	struct mech_transaction transaction[MECH_MAX_ACCESSES];
	for (uint32_t i = 0; i < op->accesses; i++)
		transaction[i] =
			(struct mech_transaction){op->access[i].address, op->access[i].bytes, op->access[i].lanes,
		                                  prefetch_buffer_has(sm, op, &op->access[i])};
	const struct mech_memory memory = {.warp = warp->slot,
	                                   .block = warp->block,
	                                   .warp_of_block = warp->slot - sm->blocks.slot[warp->block].first_warp,
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
	const struct cache_record found = cache_watch_take_found(sm->l1.data.watch);
	access.brought_by = found.sender;
	access.first_use = (result == MECH_HIT || result == MECH_MERGED) && !found.was_used;
	access.sender = MECH_NOBODY;
	seam_call_access(sm->seam, &access);
}

uint32_t hooks_answer_miss(struct sm *sm, const struct request *request)
{
	const struct mech_access miss = {.address = request->address,
	                                 .bytes = request->bytes,
	                                 .sm = sm->index,
	                                 .warp = request_warp(request),
	                                 .block = request->block,
	                                 .pc = request_pc(request),
	                                 .kind = request_access(request),
	                                 .local = request_is_local(request),
	                                 .result = MECH_MISS,
	                                 .brought_by = MECH_NOBODY,
	                                 .sender = request_sender(request),
	                                 .cycle = sm->cycle};
	return seam_answer_miss(sm->seam, &miss);
}

bool hooks_may_allocate(struct sm *sm, const struct op *op)
{
	struct mech_access access = hooks_next_access(sm, op);
	access.result = MECH_MISS;
	access.cycle = sm->cycle;
	return !seam_ask_may_allocate(sm->seam, &access);
}

void hooks_note_range(struct op *op, const struct simt_step *step)
{
	struct access *range = &op->access[0];
	uint64_t first = UINT64_MAX, last = 0;
	for (uint32_t left = step->lanes; left; left &= left - 1) {
		uint64_t byte = step->address[__builtin_ctz(left)];
		first = byte < first ? byte : first;
		last = byte > last ? byte : last;
	}
	range->address = first;
	range->bytes = (uint32_t)(last - first) + op->inst->size;
}

bool hooks_may_access_shared(struct sm *sm, const struct op *op)
{
	const struct sm_warp *warp = &sm->warp[op->warp];
	const struct access *range = &op->access[0];
	const struct mech_shared access = {.warp = warp->slot,
	                                   .block = warp->block,
	                                   .warp_of_block = warp->slot - sm->blocks.slot[warp->block].first_warp,
	                                   .pc = op->inst->pc,
	                                   .lanes = op->lanes,
	                                   .kind = kind_of(op->inst),
	                                   .first = range->address,
	                                   .end = range->address + range->bytes,
	                                   .bank_cycles = op->bank_cycles,
	                                   .cycle = sm->cycle};
	if (!seam_may_access_shared(sm->seam, &access))
		return false;
	lsu_was_shown(&sm->lsu);
	seam_call_shared_access(sm->seam, &access);
	return true;
}

void hooks_shared_touched(struct sm *sm, const struct op *op, const struct simt_step *step)
{
	seam_shared_touched(sm->seam, sm->warp[op->warp].block, kind_of(op->inst), step->address, step->lanes,
	                    op->inst->size);
}
