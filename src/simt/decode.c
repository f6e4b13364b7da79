/* decode: turns a kernel into a program. Every instruction gets its execution function and the offsets of its
 * operands. */
#include "simt/decode.h"
#include "simt/polling_lanes.h"

#include "base/arena.h"
#include "simt/dma.h"
#include "simt/image.h"

#include <stdlib.h>

/* Returns the type of a letter in the operand pattern. */
static enum ptx_type letter_type(const struct ptx_inst *ptx, char letter)
{
	switch (letter) {
	case 's':
		return ptx->type2;
	case 'u':
	case 'j':
	case 'i':
	case 'V':
		return PTX_U32;
	case 'a':
	case 'h':
		return PTX_U64;
	case 'p':
		return PTX_PRED;
	case 'w':
		/* the types of a class are in order of size */
		return ptx->half == PTX_WIDE ? ptx->type + 1 : ptx->type;
	default:
		return ptx->type;
	}
}

void decode_ordinary(struct decoder *decoder, struct simt_inst *inst)
{
	const struct ptx_inst *ptx = inst->ptx;
	const char *letter = strchr(ptx->pattern, '>') + 1;
	for (unsigned k = 0; k < ptx->destinations; k++)
		decode_destination(decoder, inst, k, &ptx->operand[k]);
	for (unsigned k = ptx->destinations; k < ptx->operands; k++, letter += letter[1] == '?' ? 2 : 1)
		decode_source(decoder, inst, k - ptx->destinations, &ptx->operand[k], letter_type(ptx, *letter));
}

/* Their rows in ops.h are consecutive. */
static bool is_dma(enum ptx_opcode op)
{
	return op >= PTX_OP_DMA_TYPE && op <= PTX_OP_DMA_EXECUTE;
}

static void decode_dma(struct decoder *decoder, struct simt_inst *inst)
{
	decode_ordinary(decoder, inst);
	inst->exec = inst->ptx->op == PTX_OP_DMA_EXECUTE ? dma_execute
	             : inst->kind == SIMT_BARRIER        ? dma_configure
	                                                 : dma_say;
	decoder->program->has_dma = true;
}

static void decode_modifiers(struct decoder *decoder, struct simt_inst *inst)
{
	const struct ptx_inst *ptx = inst->ptx;
	const struct decode_function *detail = &decoder->details[decoder->current];
	bool takes_carry = ptx->op == PTX_OP_ADDC || ptx->op == PTX_OP_SUBC || ptx->op == PTX_OP_MADC;
	bool compares = ptx->op == PTX_OP_SETP || ptx->op == PTX_OP_SET;
	inst->immediate |= ptx->ftz ? EXEC_FTZ : 0;
	inst->immediate |= ptx->sat ? EXEC_SAT : 0;
	inst->immediate |= (uint64_t)ptx->bool_op << EXEC_BOOL_SHIFT;
	if (ptx->destinations == 2 || ptx->carry_out)
		inst->immediate |= EXEC_SECOND;
	if (ptx->carry_out)
		inst->dst[1] = detail->carry;
	if (takes_carry)
		inst->src[3] = detail->carry;
	if (takes_carry || (compares && ptx->operands - ptx->destinations == 3))
		inst->immediate |= EXEC_THIRD;
	if (ptx->op == PTX_OP_ISSPACEP && decode_reg_bytes(decoder, ptx->operand[1].reg) == 4)
		inst->immediate |= EXEC_BASE32;
}

/* --- execution functions --- */

static uint32_t operand_bytes(const struct decoder *decoder, const struct ptx_operand *operand, enum ptx_type type)
{
	if (operand->kind == PTX_OPERAND_VECTOR)
		operand = &operand->element[0];
	bool is_register = operand->kind == PTX_OPERAND_REG && decode_reg(decoder, operand->reg)->type != PTX_PRED;
	return is_register ? decode_reg_bytes(decoder, operand->reg) : decode_lane_bytes(type);
}

static struct exec_query make_query(struct decoder *decoder, const struct simt_inst *inst)
{
	const struct ptx_inst *ptx = inst->ptx;
	const struct ptx_operand *first = ptx->operands ? &ptx->operand[0] : NULL;
	struct exec_query query = {.ptx = ptx, .type = ptx->type, .type2 = ptx->type2, .dst_bytes = 4, .src_bytes = 4};
	bool is_store = ptx->op == PTX_OP_ST;
	if (first && ptx->destinations)
		query.dst_bytes = (uint8_t)operand_bytes(decoder, first, ptx->type);
	if (ptx->operands > 1 && (ptx->destinations == 1 || is_store)) {
		enum ptx_type type = ptx->type2 != PTX_NO_TYPE ? ptx->type2 : ptx->type;
		query.src_bytes = (uint8_t)operand_bytes(decoder, &ptx->operand[1], type);
	}
	if (ptx->op == PTX_OP_MOV && ptx->operand[1].kind == PTX_OPERAND_SYMBOL)
		decode_symbol(decoder, &ptx->operand[1], &query.frame);
	query.kernel_param =
		ptx->space == PTX_PARAM && inst->immediate & EXEC_KERNEL_PARAM && ptx->operand[1].reg == PTX_NO_REG;
	return query;
}

static bool is_directed(enum ptx_round round)
{
	return round == PTX_RZ || round == PTX_RM || round == PTX_RP;
}

static simt_exec *find_exec(const struct decoder *decoder, const struct exec_query *query, simt_exec **commit)
{
	const struct ptx_inst *ptx = query->ptx;
	simt_exec *exec = exec_find_move(query);
	if (exec)
		return exec;
	switch (ptx->op) {
	case PTX_OP_MOV:
		return decoder->isa->move(query);
	case PTX_OP_CVT:
		exec = decoder->isa->convert(query);
		return exec ? exec : exec_find_round(query);
	case PTX_OP_LD:
	case PTX_OP_LDU:
	case PTX_OP_ST:
	case PTX_OP_PREFETCH:
	case PTX_OP_PREFETCHU:
		return decoder->isa->memory(query, commit);
	case PTX_OP_ATOM:
	case PTX_OP_RED:
		return exec_find_atomic(query, commit);
	case PTX_OP_VOTE:
	case PTX_OP_ACTIVEMASK:
	case PTX_OP_MATCH:
	case PTX_OP_SHFL:
	case PTX_OP_REDUX:
	case PTX_OP_ELECT:
	case PTX_OP_BAR: /* bar.warp.sync */
		return exec_find_lane(query);
	case PTX_OP_SETP:
		return is_half_type(query->type) ? exec_find_half(query) : decoder->isa->compare(query);
	case PTX_OP_SET: {
		bool is_whole =
			ptx_type_bytes(query->type) == 4 && !is_half_type(query->type) && !is_half_type(query->type2);
		return is_whole ? decoder->isa->compare(query) : exec_find_half(query);
	}
	case PTX_OP_SELP:
	case PTX_OP_SLCT:
	case PTX_OP_TESTP:
		return decoder->isa->compare(query);
	default:
		break;
	}
	if (ptx_op_is_video(ptx->op))
		return exec_find_video(query);
	if (exec_is_stack(ptx->op))
		return exec_find_stack(ptx);
	if (!ptx_type_is_float(query->type))
		return decoder->isa->integer(query);
	if (is_half_type(query->type) || ptx->nan || ptx->xorsign)
		return exec_find_half(query);
	if (is_directed(ptx->round) || is_half_type(query->type2))
		return exec_find_round(query);
	return decoder->isa->real(query);
}

static void choose_exec(struct decoder *decoder, struct simt_inst *inst)
{
	const struct ptx_inst *ptx = inst->ptx;
	struct exec_query query = make_query(decoder, inst);
	inst->exec = find_exec(decoder, &query, &inst->commit);
	if (inst->exec)
		return;
	const char *dot = ptx->type == PTX_NO_TYPE ? "" : ".";
	decode_error(decoder, ptx->place, "'%s%s%s' in this form is not supported yet", ptx_op_name(ptx->op), dot,
	             ptx_type_name(ptx->type));
}

/* --- one instruction --- */

static enum simt_kind kind_of(const struct decoder *decoder, const struct ptx_inst *ptx)
{
	switch (ptx->op) {
	case PTX_OP_LD:
	case PTX_OP_LDU:
	case PTX_OP_TEX:
	case PTX_OP_TLD4:
	case PTX_OP_SULD:
	case PTX_OP_LDMATRIX:
	case PTX_OP_CP_ASYNC:
		return SIMT_LOAD;
	case PTX_OP_ST:
	case PTX_OP_SUST:
	case PTX_OP_STMATRIX:
		return SIMT_STORE;
	case PTX_OP_ATOM:
	case PTX_OP_RED:
	case PTX_OP_SURED:
	case PTX_OP_MBARRIER:
		return SIMT_ATOMIC;
	case PTX_OP_PREFETCH:
	case PTX_OP_PREFETCHU:
		return SIMT_PREFETCH;
	case PTX_OP_CP_ASYNC_COMMIT:
	case PTX_OP_CP_ASYNC_WAIT:
	case PTX_OP_CP_ASYNC_WAIT_ALL:
	case PTX_OP_CP_ASYNC_ARRIVE:
		return SIMT_GROUP;
	case PTX_OP_BAR:
	case PTX_OP_BARRIER:
		return SIMT_BARRIER;
	case PTX_OP_BARRIER_CLUSTER:
		return ptx->barrier == PTX_BARRIER_WAIT ? SIMT_BARRIER : SIMT_ALU;
	case PTX_OP_DMA_FLAT:
	case PTX_OP_DMA_STRIDED:
	case PTX_OP_DMA_MATRIX:
	case PTX_OP_DMA_EXECUTE:
		return SIMT_BARRIER; /* warps may wait for each other there */
	case PTX_OP_MEMBAR:
	case PTX_OP_FENCE:
		return SIMT_FENCE;
	case PTX_OP_BRA:
	case PTX_OP_CALL:
		return SIMT_BRANCH;
	case PTX_OP_RET:
		return decoder->current == 0 ? SIMT_EXIT : SIMT_BRANCH;
	case PTX_OP_EXIT:
	case PTX_OP_TRAP:
		return SIMT_EXIT;
	default:
		return SIMT_ALU;
	}
}

static enum ptx_data_type data_type_of(const struct ptx_inst *ptx)
{
	if (ptx->type == PTX_F64 || ptx->type2 == PTX_F64)
		return PTX_DATA_FP64;
	return ptx_type_is_float(ptx->type) || ptx_type_is_float(ptx->type2) ? PTX_DATA_FP32 : PTX_DATA_INT;
}

static void decode_facts(const struct decoder *decoder, struct simt_inst *inst)
{
	const struct ptx_inst *ptx = inst->ptx;
	inst->kind = (uint8_t)(ptx->warp ? SIMT_ALU : kind_of(decoder, ptx));
	inst->unit = (uint8_t)ptx_op_unit(ptx->op);
	inst->latency = (uint8_t)ptx_inst_latency(ptx);
	inst->data_type = (uint8_t)data_type_of(ptx);
	simt_count_operations(inst, ptx->op, 1 + (ptx->type == PTX_F16X2 || ptx->type == PTX_BF16X2));
	inst->guard = SIMT_NO_GUARD;
	inst->target = SIMT_NO_PC;
	inst->reconverge = SIMT_NO_PC;
	inst->vector = 1;
	if (ptx->guard != PTX_NO_REG) {
		inst->guard = decoder->details[decoder->current].offset[ptx->guard];
		inst->guard_negated = ptx->guard_negated;
	}
}

/* It is long because one switch assigns a decoder to each opcode. */
static void decode_inst(struct decoder *decoder, struct simt_inst *inst, const uint32_t *reconverge)
{
	const struct ptx_inst *ptx = inst->ptx;
	uint32_t first = decoder->functions[decoder->current].pc;
	decoder->inst = ptx;
	decode_facts(decoder, inst);
	decode_registers(decoder, inst);
	if (is_dma(ptx->op)) {
		decode_dma(decoder, inst);
		return;
	}
	if (ptx_op_is_bulk(ptx->op)) {
		decode_bulk(decoder, inst);
		return;
	}
	if (image_is(ptx->op)) {
		decode_image(decoder, inst);
		return;
	}
	if (ptx_op_is_matrix(ptx->op)) {
		decode_matrix(decoder, inst);
		return;
	}
	switch (ptx->op) {
	case PTX_OP_BRA:
		inst->exec = control_branch;
		inst->target = first + ptx->operand[0].target;
		if (*reconverge != UINT32_MAX)
			inst->reconverge = first + *reconverge;
		return;
	case PTX_OP_CALL:
		decode_call(decoder, inst);
		return;
	case PTX_OP_RET:
		inst->exec = decoder->current == 0 ? control_exit : control_return;
		return;
	case PTX_OP_EXIT:
		inst->exec = control_exit;
		return;
	case PTX_OP_TRAP:
		inst->exec = control_trap;
		return;
	case PTX_OP_BAR:
	case PTX_OP_BARRIER:
		if (!ptx->warp) {
			decode_barrier(decoder, inst);
			return;
		}
		decode_ordinary(decoder, inst); /* an operation between lanes */
		break;
	case PTX_OP_BARRIER_CLUSTER:
		if (inst->kind == SIMT_ALU)
			break;
		decode_barrier(decoder, inst);
		return;
	case PTX_OP_MBARRIER:
		decode_mbarrier(decoder, inst);
		return;
	case PTX_OP_CP_ASYNC:
	case PTX_OP_CP_ASYNC_COMMIT:
	case PTX_OP_CP_ASYNC_WAIT:
	case PTX_OP_CP_ASYNC_WAIT_ALL:
	case PTX_OP_CP_ASYNC_ARRIVE:
		decode_copy(decoder, inst);
		return;
	case PTX_OP_MOV:
		decode_mov(decoder, inst);
		break;
	case PTX_OP_CVTA:
		decode_cvta(decoder, inst);
		break;
	case PTX_OP_APPLYPRIORITY:
	case PTX_OP_DISCARD:
	case PTX_OP_FENCE:
		break;
	case PTX_OP_CREATEPOLICY:
		decode_destination(decoder, inst, 0, &ptx->operand[0]);
		if (ptx->policy == PTX_POLICY_CVT)
			decode_source(decoder, inst, 0, &ptx->operand[1], PTX_B64);
		break;
	case PTX_OP_LD:
	case PTX_OP_LDU:
	case PTX_OP_ST:
	case PTX_OP_ATOM:
	case PTX_OP_RED:
	case PTX_OP_PREFETCH:
	case PTX_OP_PREFETCHU:
		decode_memory(decoder, inst);
		break;
	default:
		decode_ordinary(decoder, inst);
		break;
	}
	decode_modifiers(decoder, inst);
	choose_exec(decoder, inst);
	if (ptx->targets)
		inst->exec = control_indexed;
}

/* --- the program --- */

/* A body may end without ret, or have a label after its last instruction. Then a ret is added. */
static bool needs_return(const struct ptx_function *function)
{
	for (uint32_t i = 0; i < function->body_count; i++)
		if (function->body[i].op == PTX_OP_BRA && function->body[i].operand[0].target == function->body_count)
			return true;
	if (function->body_count == 0)
		return true;
	const struct ptx_inst *last = &function->body[function->body_count - 1];
	bool ends =
		last->op == PTX_OP_RET || last->op == PTX_OP_EXIT || last->op == PTX_OP_BRA || last->op == PTX_OP_TRAP;
	return !ends || last->guard != PTX_NO_REG;
}

static void lay_out_code(struct decoder *decoder)
{
	struct simt_program *program = decoder->program;
	for (uint32_t k = 0; k < decoder->function_count; k++) {
		const struct ptx_function *function = decoder->functions[k].ptx;
		struct decode_function *detail = &decoder->details[k];
		decoder->functions[k].pc = program->count;
		detail->adds_return = needs_return(function);
		detail->code_count = function->body_count + detail->adds_return;
		program->count += detail->code_count;
	}
	program->code = arena_array(decoder->arena, program->count, sizeof *program->code);
}

static void decode_function(struct decoder *decoder, uint32_t index,
                            uint32_t *(*reconverge)(struct arena *arena, const struct ptx_function *function))
{
	const struct ptx_function *function = decoder->functions[index].ptx;
	const struct decode_function *detail = &decoder->details[index];
	struct arena scratch = {0};
	const uint32_t nowhere = UINT32_MAX;
	uint32_t *meet = function->body_count ? reconverge(&scratch, function) : NULL;
	decoder->current = index;
	for (uint32_t i = 0; i < detail->code_count; i++) {
		uint32_t pc = decoder->functions[index].pc + i;
		struct simt_inst *inst = &decoder->program->code[pc];
		inst->pc = pc;
		if (i < function->body_count) {
			inst->ptx = &function->body[i];
		} else {
			struct ptx_inst *added = arena_alloc(decoder->arena, sizeof *added);
			*added = (struct ptx_inst){.op = PTX_OP_RET, .guard = PTX_NO_REG, .place = function->place};
			inst->ptx = added;
		}
		decode_inst(decoder, inst, i < function->body_count ? &meet[i] : &nowhere);
	}
	arena_free(&scratch);
}

/* Lists the variables that messages name. Frames of recursive functions have no fixed location, so their variables
 * are omitted. */
static void list_variables(struct decoder *decoder)
{
	struct simt_program *program = decoder->program;
	struct simt_variable *list = arena_array(decoder->arena, decoder->place_count + 1, sizeof *list);
	for (uint32_t k = 0; k < decoder->place_count; k++) {
		const struct place_of *place = &decoder->places[k];
		enum ptx_space space = place->variable->space;
		if ((space == PTX_SHARED || space == PTX_LOCAL) && !place->slot.in_frame)
			list[program->variable_count++] = (struct simt_variable){
				place->variable->name, space, place->slot.offset, place->slot.size, place->variable};
	}
	if (decoder->dynamic)
		list[program->variable_count++] = (struct simt_variable){
			.name = decoder->dynamic->name,
			.space = PTX_SHARED,
			.offset = decoder->dynamic_shared,
			.symbol = decoder->dynamic,
		};
	program->variables = list;
}

/* Moves the collected data into the program's arena. */
static void finish(struct decoder *decoder)
{
	struct simt_program *program = decoder->program;
	program->entry = decoder->functions[0].pc;
	program->param_bytes = (uint32_t)decoder->functions[0].ptx->param_bytes;
	program->constants = arena_alloc(decoder->arena, decoder->constant_bytes + SIMT_ALIGN);
	if (decoder->constant_bytes)
		memcpy(program->constants, decoder->constants, decoder->constant_bytes);
	program->functions = decoder->functions;
	program->function_count = decoder->function_count;
	program->function_index = decoder->function_index;
	program->sreg_rows = decoder->sreg_rows;
	program->sreg_row_count = decoder->sreg_row_count;
	list_variables(decoder);
}

static void decoder_free(struct decoder *decoder)
{
	for (uint32_t k = 0; decoder->details && k < decoder->function_count; k++) {
		free(decoder->details[k].offset);
		free(decoder->details[k].id);
	}
	free(decoder->details);
	free(decoder->places);
	free(decoder->place_slot);
	free(decoder->constants);
	free(decoder->constant);
}

/* Reports functions of the program that were parsed with errors, and their kind. */
static void report_unread(struct decoder *decoder)
{
	for (uint32_t k = 0; k < decoder->function_count; k++) {
		const struct ptx_function *function = decoder->functions[k].ptx;
		if (!function->errors)
			continue;
		if (k)
			decode_error(decoder, function->place,
			             "function '%s', which kernel '%s' needs, is not usable:", function->name,
			             decoder->functions[0].ptx->name);
		diag_append(decoder->diag, function->errors, 1);
	}
}

struct simt_program *decode_for(const struct ptx_function *kernel,
                                uint32_t *(*reconverge)(struct arena *arena, const struct ptx_function *function),
                                const struct exec_isa *isa, struct diag *diag)
{
	struct simt_program *program = base_calloc(1, sizeof *program);
	struct decoder decoder = {.program = program,
	                          .arena = &program->arena,
	                          .diag = diag,
	                          .source = &kernel->module->source,
	                          .isa = isa,
	                          .sink = SIMT_NO_REGISTER};
	uint32_t errors = diag->errors;
	program->kernel = kernel;
	decoder.sreg_rows = arena_array(decoder.arena, PTX_SREGS, sizeof *decoder.sreg_rows);
	layout_functions(&decoder, kernel);
	struct simt_function *functions = arena_array(decoder.arena, decoder.function_count, sizeof *functions);
	memcpy(functions, decoder.functions, decoder.function_count * sizeof *functions);
	free(decoder.functions);
	decoder.functions = functions;
	report_unread(&decoder);
	layout_registers(&decoder);
	layout_memory(&decoder);
	lay_out_code(&decoder);
	if (program->register_bytes == 0)
		program->register_bytes = SIMT_ALIGN; /* offset 0 is never a special register's row */
	for (uint32_t k = 0; k < decoder.function_count; k++)
		decode_function(&decoder, k, reconverge);
	finish(&decoder);
	if (diag->errors == errors) {
		polling_mark(program);
		run_mark_stretches(program);
	}
	decoder_free(&decoder);
	if (diag->errors == errors)
		return program;
	simt_program_free(program);
	return NULL;
}

struct simt_program *simt_decode(const struct ptx_function *kernel,
                                 uint32_t *(*reconverge)(struct arena *arena, const struct ptx_function *function),
                                 struct diag *diag)
{
	return decode_for(kernel, reconverge, exec_levels()[0], diag);
}

void simt_program_free(struct simt_program *program)
{
	if (!program)
		return;
	arena_free(&program->arena);
	free(program);
}
