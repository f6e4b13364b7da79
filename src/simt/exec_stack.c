/* exec_stack: a thread's stack in local memory: alloca, stacksave, stackrestore. One row of the warp has the bytes
 * that each lane has taken. */
#include "simt/access.h"
#include "simt/program.h"

enum { LEAST_ALIGN = 8 };

static lane32 *taken(const struct simt_warp *warp)
{
	return (lane32 *)(warp->registers + warp->block->launch->program->alloca_row);
}

static uint64_t get(const struct simt_warp *warp, const struct simt_inst *inst, unsigned lane)
{
	return inst->ptx->type == PTX_U64 ? ((const lane64 *)source(warp, inst, 0))[lane]
	                                  : ((const lane32 *)source(warp, inst, 0))[lane];
}

static void set(const struct simt_warp *warp, const struct simt_inst *inst, unsigned lane, uint32_t value)
{
	if (inst->ptx->type == PTX_U64)
		((lane64 *)destination(warp, inst, 0))[lane] = value;
	else
		((lane32 *)destination(warp, inst, 0))[lane] = value;
}

static void allocate(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	const struct ptx_inst *ptx = inst->ptx;
	uint64_t align = ptx->operands == 3 && ptx->operand[2].bits > LEAST_ALIGN ? ptx->operand[2].bits : LEAST_ALIGN;
	uint64_t base = warp->block->launch->program->alloca_base;
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		uint64_t size = get(warp, inst, lane), at = (base + taken(warp)[lane] + align - 1) & ~(align - 1);
		if (at - base > SIMT_STACK_BYTES || size > SIMT_STACK_BYTES - (at - base)) {
			fault_set(warp, inst, step, SIMT_FAULT_STACK, "stack overflow by alloca", lane);
			return;
		}
		taken(warp)[lane] = (uint32_t)(at + size - base);
		set(warp, inst, lane, (uint32_t)at);
	}
}

static void save(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	uint32_t base = warp->block->launch->program->alloca_base;
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		set(warp, inst, lane, base + taken(warp)[lane]);
	}
}

static void restore(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	uint64_t base = warp->block->launch->program->alloca_base;
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		uint64_t used = get(warp, inst, lane) - base;
		if (used > SIMT_STACK_BYTES) {
			fault_set(warp, inst, step, SIMT_FAULT_STACK,
			          "stackrestore of an address that no stacksave returned", lane);
			return;
		}
		taken(warp)[lane] = (uint32_t)used;
	}
}

bool exec_is_stack(enum ptx_opcode op)
{
	return op == PTX_OP_ALLOCA || op == PTX_OP_STACKSAVE || op == PTX_OP_STACKRESTORE;
}

/* An alignment is a power of two, up to 2^23 (PTX ISA, alloca). */
static bool is_alignment(uint64_t bits)
{
	return bits && !(bits & (bits - 1)) && bits <= 1 << 23;
}

simt_exec *exec_find_stack(const struct ptx_inst *ptx)
{
	if (ptx->op == PTX_OP_ALLOCA)
		return ptx->operands == 3 && !is_alignment(ptx->operand[2].bits) ? NULL : allocate;
	return ptx->op == PTX_OP_STACKSAVE ? save : restore;
}
