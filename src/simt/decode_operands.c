/* decode_operands: registers become row offsets, and constants become rows of constants. */
#include "simt/access.h"
#include "simt/decode.h"

#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>

void decode_error(struct decoder *decoder, struct diag_place place, const char *format, ...)
{
	char text[256];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	const struct ptx_inst *inst = decoder->inst;
	const char *file =
		inst && inst->source_line ? ptx_file_name(decoder->functions[0].ptx->module, inst->source_file) : NULL;
	if (file)
		diag_error(decoder->diag, decoder->source, place, "%s (%s:%u)", text, file, inst->source_line);
	else
		diag_error(decoder->diag, decoder->source, place, "%s", text);
}

uint32_t decode_lane_bytes(enum ptx_type type)
{
	return ptx_type_bytes(type) >= 8 ? 8 : 4;
}

const struct ptx_reg *decode_reg(const struct decoder *decoder, uint32_t reg)
{
	return &decoder->functions[decoder->current].ptx->regs[reg];
}

uint32_t decode_reg_bytes(const struct decoder *decoder, uint32_t reg)
{
	enum ptx_type type = decode_reg(decoder, reg)->type;
	return type == PTX_PRED ? 0 : decode_lane_bytes(type);
}

static uint32_t reg_offset(const struct decoder *decoder, uint32_t reg)
{
	return decoder->details[decoder->current].offset[reg];
}

/* --- constants --- */

/* Returns the lanes' values of special registers that differ between lanes. */
static uint32_t lane_value(enum ptx_sreg sreg, unsigned lane)
{
	switch (sreg) {
	case PTX_LANEID:
		return lane;
	case PTX_LANEMASK_EQ:
		return lane_bit[lane];
	case PTX_LANEMASK_LE:
		return lane_bit[lane] | (lane_bit[lane] - 1);
	case PTX_LANEMASK_LT:
		return lane_bit[lane] - 1;
	case PTX_LANEMASK_GE:
		return ~(lane_bit[lane] - 1);
	default: /* lanemask_gt */
		return ~(lane_bit[lane] | (lane_bit[lane] - 1));
	}
}

/* Returns the constant's entry in the hash table, used or not. */
static struct constant_row *find_constant(const struct decoder *decoder, uint64_t value, uint8_t bytes)
{
	uint32_t mask = decoder->constant_slots - 1;
	uint32_t at = (uint32_t)((value * 8 + bytes) * 0x9e3779b97f4a7c15 >> 32) & mask;
	for (;; at = (at + 1) & mask) {
		struct constant_row *constant = &decoder->constant[at];
		if (!constant->used || (constant->value == value && constant->bytes == bytes))
			return constant;
	}
}

static void grow_constants(struct decoder *decoder)
{
	struct constant_row *old = decoder->constant;
	uint32_t slots = decoder->constant_slots;
	decoder->constant_slots = slots ? 2 * slots : 64;
	decoder->constant = base_calloc(decoder->constant_slots, sizeof *decoder->constant);
	for (uint32_t k = 0; k < slots; k++)
		if (old[k].used)
			*find_constant(decoder, old[k].value, old[k].bytes) = old[k];
	free(old);
}

/* Returns a row with `bytes` bytes per lane, or, for 0, the row of a special register. */
static uint32_t constant_row(struct decoder *decoder, uint64_t value, uint8_t bytes)
{
	if (2 * decoder->constant_count >= decoder->constant_slots)
		grow_constants(decoder);
	struct constant_row *constant = find_constant(decoder, value, bytes);
	if (constant->used)
		return constant->offset;
	uint32_t offset = decoder->constant_bytes, row = (bytes == 8 ? 8 : 4) * WARP_SIZE;
	if (offset + row > decoder->constant_capacity) {
		decoder->constant_capacity = decoder->constant_capacity * 2 + 4096;
		decoder->constants = base_realloc(decoder->constants, decoder->constant_capacity);
	}
	*constant = (struct constant_row){value, offset, bytes, true};
	decoder->constant_count++;
	decoder->constant_bytes += row;
	for (unsigned i = 0; i < WARP_SIZE; i++) {
		uint64_t lane = bytes ? value : lane_value((enum ptx_sreg)value, i);
		if (bytes == 8)
			((lane64 *)(decoder->constants + offset))[i] = lane;
		else
			((lane32 *)(decoder->constants + offset))[i] = (uint32_t)lane;
	}
	return offset;
}

uint32_t decode_constant(struct decoder *decoder, uint64_t value, uint32_t bytes)
{
	return constant_row(decoder, bytes == 8 ? value : (uint32_t)value, (uint8_t)bytes);
}

static void set_constant(struct simt_inst *inst, unsigned k, uint32_t offset)
{
	inst->src[k] = offset;
	inst->base_mask |= (uint16_t)(1u << k);
}

/* Returns a literal as a lane's bits of the type. */
static uint64_t literal_bits(const struct ptx_operand *operand, enum ptx_type type)
{
	if (type == PTX_PRED)
		return operand->bits ? UINT32_MAX : 0;
	if (operand->kind == PTX_OPERAND_INT)
		return operand->bits;
	if (ptx_type_bytes(type) == 8)
		return operand->is_single ? double_bits(bits_float((uint32_t)operand->bits)) : operand->bits;
	return operand->is_single ? operand->bits : float_bits((float)bits_double(operand->bits));
}

/* --- special registers and symbols --- */

static bool is_lane_sreg(enum ptx_sreg sreg)
{
	return sreg == PTX_LANEID || (sreg >= PTX_LANEMASK_EQ && sreg <= PTX_LANEMASK_GT);
}

static void source_sreg(struct decoder *decoder, struct simt_inst *inst, unsigned k, const struct ptx_operand *operand,
                        enum ptx_type type)
{
	struct simt_program *program = decoder->program;
	enum ptx_sreg sreg = operand->sreg;
	if (sreg == PTX_IS_EXPLICIT_CLUSTER) {
		set_constant(inst, k, decode_constant(decoder, 0, 4));
		return;
	}
	if (exec_is_special(sreg) && inst->ptx->op == PTX_OP_MOV)
		return; /* the instruction reads it itself */
	if (exec_is_special(sreg) || ptx_type_bytes(type) == 8) {
		decode_error(decoder, operand->place, "%s as a %s operand of '%s' is not supported",
		             ptx_sreg_name(sreg), ptx_type_name(type), ptx_op_name(inst->ptx->op));
		return;
	}
	if (is_lane_sreg(sreg)) {
		set_constant(inst, k, constant_row(decoder, sreg, 0));
		return;
	}
	if (!decoder->sreg_row[sreg]) {
		decoder->sreg_row[sreg] = program->register_bytes;
		decoder->sreg_rows[decoder->sreg_row_count++] = (struct simt_sreg_row){sreg, program->register_bytes};
		program->register_bytes += 4 * WARP_SIZE;
	}
	inst->src[k] = decoder->sreg_row[sreg];
}

bool decode_is_kernel_param(const struct decoder *decoder, const struct ptx_variable *variable)
{
	const struct ptx_function *kernel = decoder->functions[0].ptx;
	return variable->space == PTX_PARAM && variable >= kernel->params &&
	       variable < kernel->params + kernel->param_count;
}

uint64_t decode_symbol(struct decoder *decoder, const struct ptx_operand *operand, bool *in_frame)
{
	const struct ptx_variable *variable = operand->symbol;
	uint64_t offset = (uint64_t)operand->offset;
	*in_frame = false;
	if (decode_is_kernel_param(decoder, variable))
		return variable->offset + offset;
	if (variable->space != PTX_SHARED && variable->space != PTX_LOCAL && variable->space != PTX_PARAM)
		return variable->address + offset;
	if (variable->space == PTX_SHARED && variable->size == 0) {
		decoder->program->shared_bytes = decoder->dynamic_shared;
		decoder->dynamic = variable;
		return decoder->dynamic_shared + offset;
	}
	const struct place_of *place = layout_find(decoder, variable);
	if (!place) {
		decode_error(decoder, operand->place, "'%s' belongs to another function", variable->name);
		return 0;
	}
	*in_frame = place->slot.in_frame;
	return place->slot.offset + offset;
}

/* --- sources and destinations --- */

static void place_source(struct decoder *decoder, struct simt_inst *inst, unsigned k, const struct ptx_operand *operand,
                         enum ptx_type type)
{
	bool in_frame;
	uint32_t bytes = decode_lane_bytes(type);
	switch (operand->kind) {
	case PTX_OPERAND_REG:
		inst->src[k] = reg_offset(decoder, operand->reg);
		if (operand->negated)
			inst->immediate |= 1u << k;
		return;
	case PTX_OPERAND_INT:
	case PTX_OPERAND_FLOAT:
		set_constant(inst, k, decode_constant(decoder, literal_bits(operand, type), bytes));
		return;
	case PTX_OPERAND_SREG:
		source_sreg(decoder, inst, k, operand, type);
		return;
	case PTX_OPERAND_SYMBOL:
		set_constant(inst, k, decode_constant(decoder, decode_symbol(decoder, operand, &in_frame), bytes));
		if (in_frame && inst->ptx->op != PTX_OP_MOV)
			decode_error(decoder, operand->place,
			             "address of '%s' in a recursive function: only mov is supported",
			             operand->symbol->name);
		return;
	case PTX_OPERAND_FUNCTION:
		set_constant(inst, k, decode_constant(decoder, simt_function_address(operand->function), bytes));
		return;
	default:
		decode_error(decoder, operand->place, "this operand of '%s' is not supported yet",
		             ptx_op_name(inst->ptx->op));
		return;
	}
}

/* Returns the lane width of the source that place_source() has placed. */
static enum simt_width width_of(const struct decoder *decoder, const struct ptx_operand *operand, enum ptx_type type)
{
	if (operand->kind == PTX_OPERAND_SREG && exec_is_special(operand->sreg))
		return SIMT_NO_SOURCE;
	if (operand->kind == PTX_OPERAND_REG)
		type = decode_reg(decoder, operand->reg)->type;
	if (type == PTX_PRED)
		return SIMT_PREDICATE;
	return decode_lane_bytes(type) == 8 ? SIMT_WIDTH_64 : SIMT_WIDTH_32;
}

void decode_source(struct decoder *decoder, struct simt_inst *inst, unsigned k, const struct ptx_operand *operand,
                   enum ptx_type type)
{
	place_source(decoder, inst, k, operand, type);
	inst->source_widths |= (uint16_t)(width_of(decoder, operand, type) << 2 * k);
}

void decode_destination(struct decoder *decoder, struct simt_inst *inst, unsigned k, const struct ptx_operand *operand)
{
	if (operand->kind == PTX_OPERAND_REG) {
		inst->dst[k] = reg_offset(decoder, operand->reg);
		return;
	}
	if (decoder->sink == SIMT_NO_REGISTER) {
		decoder->sink = decoder->program->register_bytes;
		decoder->program->register_bytes += 8 * WARP_SIZE;
	}
	inst->dst[k] = decoder->sink;
}

/* A register of 128 bits is two rows, the lower halves first. */
void decode_wide_source(struct decoder *decoder, struct simt_inst *inst, unsigned k, const struct ptx_operand *operand)
{
	decode_source(decoder, inst, k, operand, PTX_B128);
	decode_source(decoder, inst, k + 1, operand, PTX_B128);
	inst->src[k + 1] += 8 * WARP_SIZE;
}

void decode_wide_destination(struct decoder *decoder, struct simt_inst *inst, unsigned k,
                             const struct ptx_operand *operand)
{
	inst->dst[k] = inst->dst[k + 1] = SIMT_NO_REGISTER;
	if (operand->kind != PTX_OPERAND_REG)
		return;
	inst->dst[k] = reg_offset(decoder, operand->reg);
	inst->dst[k + 1] = inst->dst[k] + 8 * WARP_SIZE;
}

void decode_address(struct decoder *decoder, struct simt_inst *inst, const struct ptx_operand *operand)
{
	inst->offset = operand->offset;
	if (inst->space == PTX_GENERIC)
		inst->immediate |= EXEC_KERNEL_PARAM;
	if (operand->reg != PTX_NO_REG) {
		inst->src[0] = reg_offset(decoder, operand->reg);
		if (decode_reg_bytes(decoder, operand->reg) == 4)
			inst->immediate |= EXEC_BASE32;
		if (inst->space == PTX_PARAM && decoder->current == 0)
			inst->immediate |= EXEC_KERNEL_PARAM;
		return;
	}
	set_constant(inst, 0, decode_constant(decoder, 0, 8));
	if (!operand->symbol)
		return;
	bool in_frame;
	enum ptx_space space = operand->symbol->space;
	inst->offset = (int64_t)decode_symbol(decoder, operand, &in_frame);
	if (in_frame)
		inst->immediate |= EXEC_FRAME;
	if (decode_is_kernel_param(decoder, operand->symbol))
		inst->immediate |= EXEC_KERNEL_PARAM;
	if (inst->space == PTX_GENERIC)
		inst->offset += (int64_t)window_of(space);
}

/* --- registers for the pipeline --- */

static uint8_t add_once(uint16_t *list, uint8_t count, uint8_t most, uint16_t id)
{
	for (uint8_t k = 0; k < count; k++)
		if (list[k] == id)
			return count;
	if (count < most)
		list[count++] = id;
	return count;
}

static uint64_t fold(const uint16_t *list, uint8_t count)
{
	uint64_t set = 0;
	for (uint8_t k = 0; k < count; k++)
		set |= 1ull << list[k] % 64;
	return set;
}

static void add_banks(const struct decoder *decoder, const struct ptx_operand *operand, uint16_t *list, uint8_t *count,
                      uint8_t most)
{
	bool has_reg = operand->kind == PTX_OPERAND_REG || operand->kind == PTX_OPERAND_ADDRESS ||
	               operand->kind == PTX_OPERAND_TEXTURE;
	if (has_reg && operand->reg != PTX_NO_REG && *count < most)
		list[(*count)++] = (uint16_t)decode_reg(decoder, operand->reg)->number;
	for (uint32_t k = 0; k < operand->count; k++)
		add_banks(decoder, &operand->element[k], list, count, most);
}

/* Lists of an instruction's reads and writes during decoding. Matrix instructions have many, all others few. */
struct registers {
	uint16_t read[SIMT_MAX_READS], write[SIMT_MAX_WRITES];
	uint16_t bank_read[SIMT_MAX_READS], bank_write[SIMT_MAX_WRITES];
};

/* A register that is named twice is read once. */
static bool holds_all(const struct registers *registers, uint8_t reads, const struct decode_function *detail,
                      const uint32_t *ids, uint32_t count)
{
	for (uint32_t k = 0; k < count; k++) {
		bool found = false;
		for (uint8_t r = 0; r < reads; r++)
			found |= registers->read[r] == detail->id[ids[k]];
		if (!found)
			return false;
	}
	return true;
}

static void collect(struct decoder *decoder, struct simt_inst *inst, struct registers *registers)
{
	const struct decode_function *detail = &decoder->details[decoder->current];
	const struct ptx_inst *ptx = inst->ptx;
	uint32_t ids[PTX_MAX_IDS];
	uint32_t count = ptx_inst_reads(ptx, ids);
	for (uint32_t k = 0; k < count; k++)
		inst->reads = add_once(registers->read, inst->reads, SIMT_MAX_READS, detail->id[ids[k]]);
	if (count > SIMT_MAX_READS && inst->reads == SIMT_MAX_READS &&
	    !holds_all(registers, inst->reads, detail, ids, count))
		decode_error(decoder, ptx->place, "'%s' reads %u registers; at most %d are supported",
		             ptx_op_name(ptx->op), count, SIMT_MAX_READS);
	count = ptx_inst_writes(ptx, ids);
	for (uint32_t k = 0; k < count; k++)
		inst->writes = add_once(registers->write, inst->writes, SIMT_MAX_WRITES, detail->id[ids[k]]);
	if (count > SIMT_MAX_WRITES)
		decode_error(decoder, ptx->place, "'%s' writes %u registers; at most %d are supported",
		             ptx_op_name(ptx->op), count, SIMT_MAX_WRITES);
	if (ptx->op == PTX_OP_ADDC || ptx->op == PTX_OP_SUBC || ptx->op == PTX_OP_MADC)
		inst->reads = add_once(registers->read, inst->reads, SIMT_MAX_READS, detail->carry_id);
	if (ptx->carry_out)
		inst->writes = add_once(registers->write, inst->writes, SIMT_MAX_WRITES, detail->carry_id);
	for (unsigned k = 0; k < ptx->operands; k++)
		if (k < ptx->destinations)
			add_banks(decoder, &ptx->operand[k], registers->bank_write, &inst->bank_writes,
			          SIMT_MAX_WRITES);
		else
			add_banks(decoder, &ptx->operand[k], registers->bank_read, &inst->bank_reads, SIMT_MAX_READS);
}

static uint16_t *keep(uint16_t **at, const uint16_t *list, uint8_t count)
{
	uint16_t *kept = *at;
	memcpy(kept, list, count * sizeof *list);
	*at += count;
	return kept;
}

void decode_registers(struct decoder *decoder, struct simt_inst *inst)
{
	struct registers registers;
	collect(decoder, inst, &registers);
	uint32_t all = (uint32_t)inst->reads + inst->writes + inst->bank_reads + inst->bank_writes;
	uint16_t *at = arena_array(decoder->arena, all + 1, sizeof *at);
	inst->read = keep(&at, registers.read, inst->reads);
	inst->write = keep(&at, registers.write, inst->writes);
	inst->bank_read = keep(&at, registers.bank_read, inst->bank_reads);
	inst->bank_write = keep(&at, registers.bank_write, inst->bank_writes);
	inst->defines = fold(inst->write, inst->writes);
	inst->touches = inst->defines | fold(inst->read, inst->reads);
}
