/* exec_mbarrier: a 64-bit barrier in shared memory, on which threads arrive one after the other, lane by lane. Bits
 * 0 to 19: pending arrivals of the phase. Bits 20 to 39: expected arrivals of the next phase. Bits 40 to 61:
 * pending bytes, signed. Bit 63: parity of the phase. An arrival returns the word's value before it. try_wait does
 * not wait: PTX allows it to return at any time. */
#include "simt/access.h"

enum { COUNT_BITS = 20, BYTES_BITS = 22, BYTES_AT = 40, PHASE_AT = 63 };
static const uint64_t most = ((uint64_t)1 << COUNT_BITS) - 1;

typedef uint64_t __attribute__((may_alias)) mem_u64;

struct state {
	uint64_t pending, expected, phase;
	int64_t bytes;
};

static struct state unpack(uint64_t word)
{
	return (struct state){.pending = word & most,
	                      .expected = word >> COUNT_BITS & most,
	                      .phase = word >> PHASE_AT,
	                      .bytes = (int64_t)(word << (64 - BYTES_AT - BYTES_BITS)) >> (64 - BYTES_BITS)};
}

static uint64_t pack(const struct state *state)
{
	uint64_t bytes = (uint64_t)state->bytes & (((uint64_t)1 << BYTES_BITS) - 1);
	return state->pending | state->expected << COUNT_BITS | bytes << BYTES_AT | state->phase << PHASE_AT;
}

/* A phase ends when no arrivals and no bytes are pending; then the next phase begins. */
static void complete(struct state *state)
{
	if (state->pending || state->bytes)
		return;
	state->pending = state->expected;
	state->phase ^= 1;
}

bool simt_mbarrier_complete(struct simt_block *block, uint64_t shared, uint32_t arrivals, uint64_t bytes)
{
	mem_u64 *place = (mem_u64 *)(block->shared + shared);
	struct state state = unpack(*place);
	uint64_t phase = state.phase;
	state.pending -= arrivals < state.pending ? arrivals : state.pending;
	state.bytes -= (int64_t)bytes;
	complete(&state);
	*place = pack(&state);
	return state.phase != phase;
}

/* Returns the operand after the address, or `otherwise` when it is omitted. */
static uint64_t operand(const struct simt_warp *warp, const struct simt_inst *inst, unsigned lane, uint64_t otherwise)
{
	if (inst->vector == 1)
		return otherwise;
	const void *row = source(warp, inst, 1);
	return (inst->source_widths >> 2 & 3) == SIMT_WIDTH_64 ? ((const lane64 *)row)[lane]
	                                                       : ((const lane32 *)row)[lane];
}

/* Applies an instruction to the barrier's state. Returns NULL, or the error. */
static const char *change(const struct ptx_inst *ptx, uint64_t value, struct state *state)
{
	if (ptx->mbarrier == PTX_MBARRIER_INIT) {
		*state = (struct state){.pending = value, .expected = value};
		return value >= 1 && value <= most ? NULL : "mbarrier for no thread, or for more than 1048575";
	}
	if (ptx->expects || ptx->completes)
		state->bytes += ptx->expects ? (int64_t)value : -(int64_t)value;
	if (ptx->mbarrier != PTX_MBARRIER_NONE) {
		uint64_t count = ptx->expects ? 1 : value;
		if (count > state->pending || (ptx->mbarrier == PTX_MBARRIER_DROP && count > state->expected))
			return "more arrivals on an mbarrier than it waits for";
		state->pending -= count;
		state->expected -= ptx->mbarrier == PTX_MBARRIER_DROP ? count : 0;
	}
	if (!ptx->no_complete)
		complete(state);
	return NULL;
}

/* Finds the lanes' barriers. Returns false after a fault. */
static bool reach_barriers(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step,
                           struct reach *reach)
{
	if (UNLIKELY(!access_reach(warp, inst, step, reach)))
		return false;
	if (LIKELY(step->space == PTX_SHARED))
		return true;
	fault_set(warp, inst, step, SIMT_FAULT_INSTRUCTION, "mbarrier outside shared memory",
	          (unsigned)__builtin_ctz(step->lanes));
	return false;
}

void exec_mbarrier_change(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	struct reach reach;
	if (!reach_barriers(warp, inst, step, &reach))
		return;
	lane64 *d = inst->dst[0] == SIMT_NO_REGISTER ? NULL : destination(warp, inst, 0);
	step->phase_ended = false;
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		mem_u64 *place = (mem_u64 *)(reach.base + reach.where[lane]);
		uint64_t old = *place;
		struct state state = unpack(old);
		const char *wrong = change(inst->ptx, operand(warp, inst, lane, 1), &state);
		if (wrong) {
			fault_set(warp, inst, step, SIMT_FAULT_INSTRUCTION, wrong, lane);
			return;
		}
		*place = pack(&state);
		step->phase_ended |= state.phase != old >> PHASE_AT;
		if (d)
			d[lane] = old;
	}
}

/* Tests whether the phase of a given state, or the latest phase of a given parity, has ended. */
static void mbarrier_test(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	struct reach reach;
	uint32_t over = 0;
	if (!reach_barriers(warp, inst, step, &reach))
		return;
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		uint64_t value = operand(warp, inst, lane, 0);
		uint64_t phase = inst->ptx->parity ? value & 1 : value >> PHASE_AT;
		uint64_t now = *(const mem_u64 *)(reach.base + reach.where[lane]) >> PHASE_AT;
		over |= now != phase ? lane_bit[lane] : 0;
	}
	write_pred(warp, inst, 0, over, step->lanes);
	step->waits = step->lanes & ~over;
}

/* cp.async.mbarrier.arrive: each lane arrives when its copies are complete. Without .noinc this also increments the
 * pending count first. */
void exec_copy_arrive(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	struct reach reach;
	if (!reach_barriers(warp, inst, step, &reach))
		return;
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		mem_u64 *place = (mem_u64 *)(reach.base + reach.where[lane]);
		*place += inst->ptx->no_increment ? 0 : 1;
		if (!warp->block->launch->copies_overlap)
			(void)simt_mbarrier_complete(warp->block, step->address[lane], 1, 0);
	}
}

/* The barrier is not used after this. */
static void mbarrier_end(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	struct reach reach;
	(void)reach_barriers(warp, inst, step, &reach);
}

static void mbarrier_pending(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	SOURCE(state, lane64, 0);
	lane32 *d = destination(warp, inst, 0);
	FOR_LANES
	d[i] = step->lanes & lane_bit[i] ? (uint32_t)(state[i] & most) : d[i];
}

simt_exec *exec_find_mbarrier(const struct ptx_inst *ptx)
{
	switch (ptx->mbarrier) {
	case PTX_MBARRIER_PENDING:
		return mbarrier_pending;
	case PTX_MBARRIER_INVAL:
		return mbarrier_end;
	case PTX_MBARRIER_TEST:
	case PTX_MBARRIER_TRY:
		return mbarrier_test;
	default:
		return exec_mbarrier_change;
	}
}
