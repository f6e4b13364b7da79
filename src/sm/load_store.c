/* load_store: in order, and one access per cycle, like GPGPU-Sim 3.2.2's load/store unit. tests/micro/bandwidth.cu
 * and coalescing.cu measure its rates. Accesses are made from the highest address down, as in GPGPU-Sim
 * (docs/explanation/timing-model.md, Load/store unit). */
#include "sm/sm.h"

#include "sm/coalesce.h"
#include "sm/hooks.h"

#include "simt/image.h"

static bool is_constant(const struct op *op)
{
	return op->space == PTX_CONST || op->space == PTX_PARAM;
}

/* Counts the transactions of a load or store, and those that the accessed bytes fill. Lanes that access the same bytes
 * may need fewer: then these are the least. */
static void count_transactions(struct sm *sm, const struct op *op, uint32_t lanes)
{
	uint32_t most = coalesce_segment(op->inst->size, l1_sector_bytes(&sm->l1));
	uint32_t least = ((uint32_t)__builtin_popcount(lanes) * op->inst->size + most - 1) / most;
	sm->stats.transactions += op->accesses;
	sm->stats.least_transactions += least < op->accesses ? least : op->accesses;
}

static void generate_local(struct sm *sm, struct op *op, struct simt_step *step)
{
	const struct simt_inst *inst = op->inst;
	uint64_t pitch = sm->blocks.slot[sm->warp[op->warp].block].kernel->local_pitch;
	local_memory_place(sm, op, step);
	coalesce_local(op, step->address, step->lanes, inst->size, pitch, l1_sector_bytes(&sm->l1));
	count_transactions(sm, op, step->lanes);
	sm->stats.local_accesses++;
	sm->stats.spill_loads += inst->ptx->is_spill && inst->kind == SIMT_LOAD;
	sm->stats.spill_stores += inst->ptx->is_spill && inst->kind == SIMT_STORE;
}

static void generate_global(struct sm *sm, struct op *op, const struct simt_step *step)
{
	const struct simt_inst *inst = op->inst;
	if (inst->kind == SIMT_ATOMIC) {
		coalesce_atomic(op, step->address, step->lanes, sm->config.atomic_bytes);
		sm->stats.atomics++;
		return;
	}
	/* otherwise a copy in an instruction trace is a load */
	bool copies = inst->async == SIMT_COPY && sm->config.async_copies;
	uint32_t lanes = copies ? step->fetches : step->lanes;
	if (lanes) {
		coalesce_global(op, step->address, lanes, inst->size, l1_sector_bytes(&sm->l1));
		count_transactions(sm, op, lanes);
	}
	if (copies)
		async_copy_issued(sm, op, step);
	sm->stats.global_loads += inst->kind == SIMT_LOAD;
	sm->stats.global_stores += inst->kind == SIMT_STORE;
}

static void generate_shared(struct sm *sm, struct op *op, const struct simt_step *step)
{
	op->bank_cycles = (uint16_t)shared_cycles_of(sm, op, step);
	sm->stats.shared_accesses++;
	if (hooks_shared_is_observed(sm))
		hooks_note_range(op, step);
	if (seam_fills_shared(sm->seam))
		hooks_shared_touched(sm, op, step);
}

static void generate_texture(struct sm *sm, struct op *op, const struct simt_step *step)
{
	const struct image_block *images = sm->warp[op->warp].simt->block->images;
	coalesce_texture(op, images->lane, step->lanes, sm->config.texture.cache.line_bytes);
	sm->stats.texture_reads++;
}

void lsu_generate_accesses(struct sm *sm, struct op *op, struct simt_step *step)
{
	uint32_t lanes = (uint32_t)__builtin_popcount(step->lanes);
	uint64_t bytes = (uint64_t)lanes * op->inst->size;
	bool is_store = op->inst->kind == SIMT_STORE;
	if (op->space == PTX_SHARED) {
		generate_shared(sm, op, step);
		sm->stats.shared_lanes += lanes;
		sm->stats.shared_lane_bytes += bytes;
		return;
	}
	if (op->space == PTX_TEX) {
		generate_texture(sm, op, step);
	} else if (is_constant(op)) {
		coalesce_constant(op, step->address, step->lanes, l1_constant_sector_bytes(&sm->l1));
		sm->stats.constant_accesses++;
	} else {
		if (op->space == PTX_LOCAL)
			generate_local(sm, op, step);
		else
			generate_global(sm, op, step);
		*(is_store ? &sm->stats.store_lanes : &sm->stats.load_lanes) += lanes;
		*(is_store ? &sm->stats.store_bytes : &sm->stats.load_bytes) += bytes;
	}
	op->unanswered = is_store ? 0 : op->accesses; /* a store's acknowledgements go to its warp */
}

static struct request *new_request(struct sm *sm, const struct op *op, const struct access *access)
{
	bool local = op->space == PTX_LOCAL, write = op->inst->kind == SIMT_STORE;
	struct request *request = request_new(sm->requests);
	request->kind = is_constant(op)                 ? REQUEST_CONSTANT
	                : op->inst->kind == SIMT_ATOMIC ? REQUEST_ATOMIC
	                : write                         ? (local ? REQUEST_LOCAL_WRITE : REQUEST_WRITE)
	                                                : (local ? REQUEST_LOCAL_READ : REQUEST_READ);
	request->is_write = write;
	request->address = access->address;
	request->bytes = access->bytes;
	request->lanes = access->lanes;
	request->chunks = access->chunks;
	request->full_chunks = access->full_chunks;
	request->written = access->written;
	request->sm = (uint16_t)sm->index;
	request->warp = (uint16_t)op->warp;
	request->block = sm->warp[op->warp].block;
	request->pc = op->inst->pc + 1;
	request->op = (void *)op;
	request->born = sm->cycle;
	return request;
}

/* Atomics are performed at L2 (GPGPU-Sim; docs/explanation/deviations.md, 2). PTX defines that loads with .cg and .cv
 * bypass L1. */
static bool is_for_l2(const struct sm *sm, const struct op *op)
{
	if (op->inst->kind == SIMT_ATOMIC || sm->config.l1d.perfect)
		return op->inst->kind == SIMT_ATOMIC;
	return (op->space != PTX_LOCAL && sm->config.global_skips_l1) || op->inst->cache == PTX_CG ||
	       op->inst->cache == PTX_CV;
}

static bool may_be_made_to_bypass_l1(const struct sm *sm, const struct op *op)
{
	return sm->seam->may_allocate.count && !sm->config.l1d.perfect && op->inst->kind == SIMT_LOAD &&
	       op->space == PTX_GLOBAL;
}

static bool bypasses_l1(struct sm *sm, const struct op *op)
{
	return is_for_l2(sm, op) || (may_be_made_to_bypass_l1(sm, op) && !hooks_may_allocate(sm, op));
}

uint32_t lsu_most_flits(const struct sm *sm)
{
	const struct load_store *lsu = &sm->lsu;
	const struct latch *in = &sm->collected[PTX_UNIT_MEM];
	const struct op *op = lsu->current ? lsu->current : in->count ? in->first : NULL;
	if (lsu->offered)
		return lsu->offered->bypass ? crossbar_flits(sm->network.requests, lsu->offered) : 0;
	if (!op || op->space == PTX_SHARED || op->space == PTX_TEX || is_constant(op) || !op->accesses ||
	    (!is_for_l2(sm, op) && !may_be_made_to_bypass_l1(sm, op)))
		return 0;
	return crossbar_flits_of(sm->network.requests,
	                         op->inst->kind == SIMT_LOAD ? 0 : op->access[op->accesses - 1].bytes);
}

/* The request for the instruction's next access. Its route is chosen when it is first offered. Mechanisms are
 * therefore called once, even if it is refused and offered again. L1 computes its placement in memory, if it gets
 * there. */
static struct request *next_request(struct sm *sm, struct op *op)
{
	struct load_store *lsu = &sm->lsu;
	if (lsu->offered)
		return lsu->offered;
	struct request *request = lsu->offered = new_request(sm, op, &op->access[op->accesses - 1]);
	request->bypass = request->kind != REQUEST_CONSTANT && bypasses_l1(sm, op);
	if (request->bypass)
		address_map_place(sm->map, request);
	return request;
}

/* The instruction's next access has been made. */
static void access_made(struct sm *sm, struct op *op)
{
	invariant(op->accesses);
	sm->lsu.offered = NULL;
	sm->lsu.refused_at = 0;
	op->accesses--;
}

/* The same when its result is known: mechanisms are notified. */
static void access_made_with(struct sm *sm, struct op *op, enum mech_result result)
{
	if (hooks_access_is_observed(sm, op)) {
		const struct mech_access access = hooks_next_access(sm, op);
		hooks_access(sm, &access, result);
	}
	access_made(sm, op);
}

/* Sends the instruction's next access directly into the network. */
static enum access_outcome send_bypassing_l1(struct sm *sm, struct op *op, struct request *request)
{
	bool is_write = request->is_write;
	if (!network_port_send(sm, request))
		return ACCESS_NO_NETWORK;
	if (is_write)
		warp_store_sent(&sm->warp[op->warp]);
	access_made_with(sm, op, prefetch_buffer_pass_by(sm, op, MECH_BYPASS_L1));
	return ACCESS_SENT;
}

/* Looks up the instruction's next access in L1 or the constant cache. */
static enum access_outcome access_cache(struct sm *sm, struct op *op, struct request *request)
{
	if (!cache_data_port_free(l1_cache_of(&sm->l1, request), sm->cycle))
		return ACCESS_PORT_BUSY;
	bool is_write = request->is_write, sent_down;
	enum base_access_result result = l1_look_up(sm, request, &sent_down);
	if (result == BASE_ACCESS_REFUSED && request->kind == REQUEST_CONSTANT)
		return ACCESS_NO_L1C;
	if (result == BASE_ACCESS_REFUSED) {
		sm->lsu.refused_at = sm->l1.data.changes;
		return ACCESS_NO_L1D;
	}
	access_made_with(sm, op, prefetch_buffer_pass_by(sm, op, result));
	if (is_write && sent_down)
		warp_store_sent(&sm->warp[op->warp]);
	if ((result == BASE_ACCESS_HIT || is_write) && !sent_down) { /* a read that hit, or a write that stays here */
		request_release(sm->requests, request);
		op->unanswered -= !is_write;
	}
	return ACCESS_MADE;
}

static enum access_outcome enter_l1_pipe(struct sm *sm, struct op *op, struct request *request)
{
	if (l1_pipe_is_full(sm, request))
		return ACCESS_NO_L1_PIPE;
	if (!l1_enter_pipe(sm, op, request))
		return ACCESS_PORT_BUSY;
	access_made(sm, op);
	return ACCESS_MADE;
}

/* Sends the instruction's next access to the texture unit, which mechanisms do not observe. */
static enum access_outcome access_texture(struct sm *sm, struct op *op)
{
	if (!texture_unit_access(sm, op, &op->access[op->accesses - 1]))
		return ACCESS_NO_TEXTURE;
	access_made(sm, op);
	return ACCESS_MADE;
}

/* Tries the buffer in front of L1 first. It may answer the access, or make it wait for bytes in flight to it. */
static enum access_outcome make_access(struct sm *sm, struct op *op)
{
	if (op->space == PTX_TEX)
		return access_texture(sm, op);
	if (l1_refuses_again(&sm->l1, sm->lsu.refused_at))
		return ACCESS_NO_L1D;
	enum prefetch_buffer_answer answer =
		sm->seam->has_buffer && !sm->lsu.offered ? prefetch_buffer_ask(sm, op) : BUFFER_PASSED;
	if (answer == BUFFER_BUSY)
		return ACCESS_PORT_BUSY;
	if (answer != BUFFER_PASSED) {
		access_made_with(sm, op, answer == BUFFER_HIT ? MECH_BUFFER_HIT : MECH_BUFFER_MERGED);
		return ACCESS_MADE;
	}
	struct request *request = next_request(sm, op);
	if (request->bypass)
		return send_bypassing_l1(sm, op, request);
	if (sm->config.l1_latency && !is_constant(op))
		return enter_l1_pipe(sm, op, request);
	return access_cache(sm, op, request);
}

/* L1 takes one access per bank of its tags; all other accesses are made one by one. */
__attribute__((noinline)) static void make_more_accesses(struct sm *sm, struct op *op)
{
	uint32_t left = is_constant(op) || op->space == PTX_TEX ? 0 : sm->config.l1_banks - 1;
	for (; op->accesses && left && sm->lsu.outcome == ACCESS_MADE; left--)
		sm->lsu.outcome = (uint8_t)make_access(sm, op);
}

/* True when nothing needs to be read. With a perfect constant cache an instruction occupies the unit for one cycle. */
static bool needs_no_access(const struct sm *sm, const struct op *op)
{
	return UNLIKELY(sm->config.l1c.perfect) && is_constant(op);
}

/* Global, local, constant: makes one access per cycle. True when all are made. */
static bool access_memory(struct sm *sm, struct op *op)
{
	if (op->accesses && needs_no_access(sm, op))
		op->accesses = op->unanswered = 0;
	if (op->accesses) {
		sm->lsu.outcome = (uint8_t)make_access(sm, op);
		if (UNLIKELY(sm->config.l1_banks > 1))
			make_more_accesses(sm, op);
		if (op->accesses)
			return false;
	}
	/* A store leaves now, and its acknowledgements go to the warp. A load whose accesses all hit is complete;
	 * others wait for replies. */
	if (!op->unanswered) {
		cpi_resolve(sm, &sm->warp[op->warp], op, LEVEL_L1);
		instruction_answered(sm, op);
	}
	return true;
}

/* Takes the next instruction, if there is one. */
static void take_instruction(struct sm *sm)
{
	struct load_store *lsu = &sm->lsu;
	struct latch *in = &sm->collected[PTX_UNIT_MEM];
	if (!in->count)
		return;
	struct op *op = lsu->current = latch_pop(in);
	sm_wake_pipeline(sm);
	invariant(!lsu->offered); /* all accesses of the last instruction have been made */
	lsu->must_be_shown = hooks_shared_is_observed(sm);
	if (sm->seam->memory.count && (op->space == PTX_GLOBAL || op->space == PTX_LOCAL) && op->accesses)
		hooks_memory(sm, op);
}

/* Simulates one cycle of the instruction. True when it continues in the next cycle. */
static inline __attribute__((always_inline)) bool work(struct sm *sm)
{
	struct load_store *lsu = &sm->lsu;
	struct op *op = lsu->current;
	bool done = op->space == PTX_SHARED && op->lanes ? shared_access(sm, op) : access_memory(sm, op);
	if (done)
		lsu->current = NULL;
	else
		sm->stats.lsu_stall_cycles++;
	return !done && lsu->outcome < ACCESS_NO_NETWORK;
}

/* Takes an instruction after the work of the cycle, so that its accesses begin in the next cycle. In GPGPU-Sim 4.2.0
 * the operand collectors tick after the units; in 3.2.2 they tick inside the load/store unit. */
__attribute__((noinline)) static bool work_and_take(struct sm *sm)
{
	struct load_store *lsu = &sm->lsu;
	bool goes_on = lsu->current && work(sm);
	if (lsu->current)
		return goes_on;
	take_instruction(sm);
	if (lsu->current && sm->config.sub_cores)
		sub_cores_left(sm, lsu->current);
	return lsu->current;
}

bool lsu_tick(struct sm *sm)
{
	struct load_store *lsu = &sm->lsu;
	lsu->outcome = ACCESS_MADE;
	if (UNLIKELY(lsu->takes_late))
		return work_and_take(sm);
	if (!lsu->current)
		take_instruction(sm);
	return lsu->current && work(sm);
}

bool lsu_can_take(const struct sm *sm)
{
	return !sm->lsu.current && sm->collected[PTX_UNIT_MEM].count;
}

void lsu_account(struct sm *sm, uint64_t slept)
{
	struct load_store *lsu = &sm->lsu;
	if (!lsu->current)
		return;
	sm->stats.lsu_stall_cycles += slept;
	if (lsu->outcome == ACCESS_NO_L1D || lsu->outcome == ACCESS_NO_L1C)
		l1_account_refusals(&sm->l1, lsu->outcome == ACCESS_NO_L1C, slept);
	if (lsu->outcome == ACCESS_NO_TEXTURE)
		texture_unit_account_refusals(&sm->texture, slept);
}
