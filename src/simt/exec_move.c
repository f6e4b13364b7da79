/* exec_move: address conversions, predicates, and moves other than between registers of one size. */
#include "simt/access.h"

/* Predicates: one bit per lane. */
#define PREDICATE(name, value)                                                                                         \
	static void name(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)                 \
	{                                                                                                              \
		uint32_t a = source_pred(warp, inst, 0);                                                               \
		write_pred(warp, inst, 0, value, step->lanes);                                                         \
	}
PREDICATE(move_pred, a)
PREDICATE(not_pred, ~a)
PREDICATE(and_pred, a &source_pred(warp, inst, 1))
PREDICATE(or_pred, a | source_pred(warp, inst, 1))
PREDICATE(xor_pred, a ^ source_pred(warp, inst, 1))
PREDICATE(selp_pred, (a & source_pred(warp, inst, 2)) | (source_pred(warp, inst, 1) & ~source_pred(warp, inst, 2)))

/* One lane of a row whose lanes have 4 or 8 bytes. */
static uint64_t lane_get(const uint8_t *row, unsigned bytes, unsigned i)
{
	return bytes == 8 ? ((const lane64 *)row)[i] : ((const lane32 *)row)[i];
}

static void lane_set(uint8_t *row, unsigned bytes, unsigned i, uint64_t value)
{
	if (bytes == 8)
		((lane64 *)row)[i] = value;
	else
		((lane32 *)row)[i] = (uint32_t)value;
}

static uint64_t low_bits(uint32_t bits)
{
	return bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
}

/* mov d, {a, b, ..}: the first element is the lowest. */
static void pack(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	uint32_t bytes = ptx_type_bytes(inst->ptx->type), part = 8 * bytes / inst->vector;
	uint8_t *d = destination(warp, inst, 0);
	for (unsigned i = 0; i < WARP_SIZE; i++) {
		uint64_t value = 0;
		for (unsigned k = 0; k < inst->vector; k++)
			value |= (lane_get(source(warp, inst, k), part == 64 ? 8 : 4, i) & low_bits(part))
			         << (k * part);
		if (step->lanes >> i & 1)
			lane_set(d, bytes == 8 ? 8 : 4, i, value);
	}
}

/* mov {a, b, ..}, d */
static void unpack(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	uint32_t bytes = ptx_type_bytes(inst->ptx->type), part = 8 * bytes / inst->vector;
	const uint8_t *s = source(warp, inst, 0);
	for (unsigned i = 0; i < WARP_SIZE; i++) {
		if (!(step->lanes >> i & 1))
			continue;
		uint64_t value = lane_get(s, bytes == 8 ? 8 : 4, i);
		for (unsigned k = 0; k < inst->vector; k++)
			if (inst->dst[k] != SIMT_NO_REGISTER)
				lane_set(destination(warp, inst, k), 4, i, value >> (k * part) & low_bits(part));
	}
}

/* mov.b128: moves two rows, between any locations. */
static void move_wide(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	for (unsigned k = 0; k < 2; k++)
		if (inst->dst[k] != SIMT_NO_REGISTER)
			blend64(destination(warp, inst, k), source(warp, inst, k), step->lanes);
}

/* cvt.pack: clamps both sources to few bits and places the first above the second; the third is above them. */
static inline uint32_t clamp_to(enum ptx_type type, unsigned bits, int32_t value)
{
	bool is_signed = ptx_type_is_signed(type);
	int32_t least = is_signed ? -(1 << (bits - 1)) : 0, most = (1 << (bits - is_signed)) - 1;
	int32_t clamped = value < least ? least : value > most ? most : value;
	return (uint32_t)clamped & ((1u << bits) - 1);
}

static unsigned packed_bits(enum ptx_type type)
{
	switch (type) {
	case PTX_U2:
	case PTX_S2:
		return 2;
	case PTX_U4:
	case PTX_S4:
		return 4;
	default:
		return 8 * ptx_type_bytes(type);
	}
}

LANE_FUNCTION(pack_two, lane32, SOURCE(pa, lane32, 0); SOURCE(pb, lane32, 1);
              enum ptx_type type = inst->ptx->type,
              clamp_to(type, 16, (int32_t)pa[i]) << 16 | clamp_to(type, 16, (int32_t)pb[i]))
LANE_FUNCTION(pack_more, lane32, SOURCE(pa, lane32, 0); SOURCE(pb, lane32, 1); SOURCE(pc, lane32, 2);
              enum ptx_type type = inst->ptx->type;
              unsigned bits = packed_bits(type),
              pc[i] << 2 * bits | clamp_to(type, bits, (int32_t)pa[i]) << bits | clamp_to(type, bits, (int32_t)pb[i]))

/* cvta: adds or subtracts a space's window. */
LANE_FUNCTION(add_offset_32, lane32, SOURCE(pa, lane32, 0); uint32_t offset = (uint32_t)inst->offset, pa[i] + offset)
LANE_FUNCTION(add_offset_64, lane64, SOURCE(pa, lane64, 0); uint64_t offset = (uint64_t)inst->offset, pa[i] + offset)

/* The address of a local variable of a recursive function. */
LANE_FUNCTION(frame_address_32, lane32, SOURCE(pa, lane32, 0); uint32_t frame = warp->frame, pa[i] + frame)
LANE_FUNCTION(frame_address_64, lane64, SOURCE(pa, lane64, 0); uint64_t frame = warp->frame, pa[i] + frame)

static void is_space(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	const uint8_t *row = source(warp, inst, 0);
	unsigned bytes = inst->immediate & EXEC_BASE32 ? 4 : 8;
	enum ptx_space asked = inst->ptx->space == PTX_CONST ? PTX_GLOBAL : inst->ptx->space;
	uint32_t mask = 0;
	for (unsigned i = 0; i < WARP_SIZE; i++) {
		uint64_t a = lane_get(row, bytes, i);
		mask |= (uint32_t)(generic_space(a) == asked) << i;
	}
	write_pred(warp, inst, 0, mask, step->lanes);
}

/* A functional run has no frequency: one clock is one nanosecond. */
static uint64_t nanoseconds(const struct simt_launch *launch, uint64_t clock)
{
	return launch->core_mhz ? clock * 1000 / launch->core_mhz : clock;
}

/* Special registers that change while a block runs, have 64 bits, or are not known when it starts. */
static void move_special(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	const struct simt_block *block = warp->block;
	uint64_t clock = block->clock ? *block->clock : 0, value = 0;
	switch (inst->ptx->operand[1].sreg) {
	case PTX_CLOCK:
	case PTX_CLOCK64:
		value = clock;
		break;
	case PTX_GLOBALTIMER:
	case PTX_GLOBALTIMER_LO:
		value = nanoseconds(block->launch, clock);
		break;
	case PTX_GLOBALTIMER_HI:
		value = nanoseconds(block->launch, clock) >> 32;
		break;
	case PTX_CLOCK_HI:
		value = clock >> 32;
		break;
	case PTX_GRIDID:
		value = block->launch->id;
		break;
	case PTX_CURRENT_GRAPH_EXEC: /* no graph runs */
		break;
	default:
		value = block->sm;
		break;
	}
	unsigned bytes = ptx_type_bytes(inst->ptx->type) == 8 ? 8 : 4;
	for (unsigned i = 0; i < WARP_SIZE; i++)
		if (step->lanes >> i & 1)
			lane_set(destination(warp, inst, 0), bytes, i, value);
}

/* createpolicy: only accesses use a policy, and they ignore it. */
LANE_FUNCTION(zero_32, lane32, (void)0, 0)
LANE_FUNCTION(zero_64, lane64, (void)0, 0)
LANE_FUNCTION(same_64, lane64, SOURCE(pa, lane64, 0), pa[i])

static void nothing(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	(void)warp;
	(void)inst;
	(void)step;
}

bool exec_is_special(enum ptx_sreg sreg)
{
	return sreg == PTX_GRIDID || sreg == PTX_CURRENT_GRAPH_EXEC || sreg == PTX_CLOCK || sreg == PTX_CLOCK64 ||
	       sreg == PTX_CLOCK_HI || (sreg >= PTX_GLOBALTIMER && sreg <= PTX_GLOBALTIMER_HI) || sreg == PTX_SMID;
}

static simt_exec *find_move(const struct exec_query *query)
{
	const struct ptx_operand *operand = query->ptx->operand;
	if (query->type == PTX_B128)
		return move_wide;
	if (operand[0].kind == PTX_OPERAND_VECTOR)
		return operand[1].kind == PTX_OPERAND_VECTOR ? NULL : unpack;
	if (operand[1].kind == PTX_OPERAND_VECTOR)
		return pack;
	if (query->type == PTX_PRED)
		return move_pred;
	if (query->frame)
		return query->dst_bytes == 8 ? frame_address_64 : frame_address_32;
	return operand[1].kind == PTX_OPERAND_SREG && exec_is_special(operand[1].sreg) ? move_special : NULL;
}

simt_exec *exec_find_move(const struct exec_query *query)
{
	bool pred = query->type == PTX_PRED;
	switch (query->ptx->op) {
	case PTX_OP_MOV:
		return find_move(query);
	case PTX_OP_CVTA:
		return query->dst_bytes == 8 ? add_offset_64 : add_offset_32;
	case PTX_OP_MAPA:
		return query->dst_bytes == 8 ? add_offset_64 : add_offset_32;
	case PTX_OP_GETCTARANK:
		return zero_32;
	case PTX_OP_CREATEPOLICY:
		return query->ptx->policy == PTX_POLICY_CVT ? same_64 : zero_64;
	case PTX_OP_CVT_PACK:
		return query->ptx->operands == 4 ? pack_more : pack_two;
	case PTX_OP_ISSPACEP:
		return is_space;
	case PTX_OP_AND:
		return pred ? and_pred : NULL;
	case PTX_OP_OR:
		return pred ? or_pred : NULL;
	case PTX_OP_XOR:
		return pred ? xor_pred : NULL;
	case PTX_OP_NOT:
		return pred ? not_pred : NULL;
	case PTX_OP_SELP:
		return pred ? selp_pred : NULL;
	case PTX_OP_BARRIER:
	case PTX_OP_BARRIER_CLUSTER: /* arrive */
	case PTX_OP_APPLYPRIORITY:
	case PTX_OP_DISCARD:
	case PTX_OP_SETMAXNREG:
	case PTX_OP_MEMBAR:
	case PTX_OP_FENCE:
	case PTX_OP_NANOSLEEP:
	case PTX_OP_BRKPT:
	case PTX_OP_PMEVENT:
	case PTX_OP_RELSSP:
	case PTX_OP_GRIDDEPCONTROL:
		return nothing;
	default:
		return NULL;
	}
}
