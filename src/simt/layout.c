/* layout: finds the functions and variables of a program, and assigns their locations. */
#include "simt/decode.h"

#include "base/arena.h"

#include <stdlib.h>

static uint64_t round_up(uint64_t value, uint64_t align)
{
	return align > 1 ? (value + align - 1) / align * align : value;
}

/* --- functions --- */

uint32_t layout_function_index(const struct decoder *decoder, const struct ptx_function *function)
{
	return decoder->function_index[function->index];
}

/* Distance between the addresses of two functions. */
enum { FUNCTION_SPACING = 16 };

uint64_t simt_function_address(const struct ptx_function *function)
{
	return function->has_body ? (function->index + 1ull) * FUNCTION_SPACING : 0;
}

const struct simt_function *simt_function_at(const struct simt_program *program, uint64_t address)
{
	uint64_t number = address / FUNCTION_SPACING;
	if (address % FUNCTION_SPACING || number == 0 || number > program->kernel->module->function_count)
		return NULL;
	uint32_t k = program->function_index[number - 1];
	return k == UINT32_MAX || program->functions[k].ptx->is_entry ? NULL : &program->functions[k];
}

static void add_function(struct decoder *decoder, const struct ptx_function *function)
{
	if (!function->has_body || layout_function_index(decoder, function) != UINT32_MAX)
		return;
	if (decoder->function_count == decoder->function_capacity) {
		decoder->function_capacity = decoder->function_capacity ? decoder->function_capacity * 2 : 8;
		decoder->functions =
			base_realloc(decoder->functions, decoder->function_capacity * sizeof *decoder->functions);
	}
	decoder->function_index[function->index] = decoder->function_count;
	decoder->functions[decoder->function_count++] =
		(struct simt_function){.ptx = function, .address = simt_function_address(function)};
}

/* Adds functions whose address is taken by an instruction or a variable's initial value. */
static void add_addressed(struct decoder *decoder, const struct ptx_module *module)
{
	for (const struct ptx_function *f = module->functions; f; f = f->next)
		for (uint32_t i = 0; i < f->body_count; i++)
			for (unsigned k = 0; f->body[i].op != PTX_OP_CALL && k < f->body[i].operands; k++)
				if (f->body[i].operand[k].kind == PTX_OPERAND_FUNCTION)
					add_function(decoder, f->body[i].operand[k].function);
	for (const struct ptx_variable *v = module->variables; v; v = v->next)
		for (uint32_t k = 0; k < v->relocation_count; k++)
			if (v->relocations[k].function)
				add_function(decoder, v->relocations[k].function);
}

void layout_functions(struct decoder *decoder, const struct ptx_function *kernel)
{
	bool has_addressed = false;
	decoder->function_index =
		arena_array(decoder->arena, kernel->module->function_count, sizeof *decoder->function_index);
	for (uint32_t k = 0; k < kernel->module->function_count; k++)
		decoder->function_index[k] = UINT32_MAX;
	add_function(decoder, kernel);
	for (uint32_t k = 0; k < decoder->function_count; k++) {
		const struct ptx_function *function = decoder->functions[k].ptx;
		for (uint32_t i = 0; i < function->body_count; i++) {
			const struct ptx_inst *inst = &function->body[i];
			if (inst->op != PTX_OP_CALL)
				continue;
			if (inst->operand[1].kind == PTX_OPERAND_FUNCTION) {
				add_function(decoder, inst->operand[1].function);
			} else if (!has_addressed) {
				add_addressed(decoder, kernel->module);
				has_addressed = true;
			}
		}
	}
	recursion_mark(decoder);
	decoder->details = base_calloc(decoder->function_count, sizeof *decoder->details);
}

/* --- registers --- */

static bool carries(const struct ptx_inst *inst)
{
	return inst->carry_out || inst->op == PTX_OP_ADDC || inst->op == PTX_OP_SUBC || inst->op == PTX_OP_MADC;
}

static bool uses_stack(const struct ptx_function *function)
{
	for (uint32_t i = 0; i < function->body_count; i++)
		if (exec_is_stack(function->body[i].op))
			return true;
	return false;
}

/* Assigns rows to the used registers of one lane size. */
static uint32_t add_rows(struct decoder *decoder, uint32_t index, const bool *used, uint32_t bytes)
{
	const struct ptx_function *function = decoder->functions[index].ptx;
	struct decode_function *detail = &decoder->details[index];
	struct simt_program *program = decoder->program;
	uint32_t rows = 0;
	for (uint32_t r = 0; r < function->reg_count; r++) {
		enum ptx_type type = function->regs[r].type;
		if (!used[r] || (type == PTX_PRED ? 0 : decode_lane_bytes(type)) != bytes)
			continue;
		detail->offset[r] = program->register_bytes;
		detail->id[r] = (uint16_t)program->registers++;
		uint32_t own = type == PTX_B128 ? 2 : 1;
		program->register_bytes += bytes ? own * bytes * WARP_SIZE : 4;
		rows += own;
	}
	return rows;
}

static void layout_function_registers(struct decoder *decoder, uint32_t index)
{
	struct simt_function *info = &decoder->functions[index];
	const struct ptx_function *function = info->ptx;
	struct decode_function *detail = &decoder->details[index];
	struct simt_program *program = decoder->program;
	uint32_t ids[PTX_MAX_IDS];
	bool *used = base_calloc(function->reg_count + 1, sizeof *used);
	bool carry = false;
	for (uint32_t i = 0; i < function->body_count; i++) {
		uint32_t count = ptx_inst_reads(&function->body[i], ids);
		while (count)
			used[ids[--count]] = true;
		count = ptx_inst_writes(&function->body[i], ids);
		while (count)
			used[ids[--count]] = true;
		carry |= carries(&function->body[i]);
	}
	detail->offset = base_malloc((function->reg_count + 1) * sizeof *detail->offset);
	detail->id = base_calloc(function->reg_count + 1, sizeof *detail->id);
	for (uint32_t r = 0; r < function->reg_count; r++)
		detail->offset[r] = SIMT_NO_REGISTER;
	info->registers = program->register_bytes;
	info->rows64 = add_rows(decoder, index, used, 8);
	info->rows32 = add_rows(decoder, index, used, 4);
	info->stack_row = SIMT_NO_REGISTER;
	if (index && uses_stack(function)) {
		info->stack_row = program->register_bytes;
		program->register_bytes += 4 * WARP_SIZE;
		info->rows32++;
	}
	info->preds = add_rows(decoder, index, used, 0);
	detail->carry = SIMT_NO_REGISTER;
	if (carry) {
		detail->carry = program->register_bytes;
		detail->carry_id = (uint16_t)program->registers++;
		program->register_bytes += 4;
		info->preds++;
	}
	program->register_bytes = (uint32_t)round_up(program->register_bytes, SIMT_ALIGN);
	info->register_bytes = program->register_bytes - info->registers;
	free(used);
}

void layout_registers(struct decoder *decoder)
{
	struct simt_program *program = decoder->program;
	program->alloca_row = SIMT_NO_REGISTER;
	for (uint32_t k = 0; k < decoder->function_count; k++)
		if (program->alloca_row == SIMT_NO_REGISTER && uses_stack(decoder->functions[k].ptx)) {
			program->alloca_row = program->register_bytes;
			program->register_bytes += 4 * WARP_SIZE;
		}
	for (uint32_t k = 0; k < decoder->function_count; k++)
		layout_function_registers(decoder, k);
	if (decoder->program->registers > UINT16_MAX)
		decode_error(decoder, decoder->functions[0].ptx->place,
		             "too many registers; at most 65535 are supported");
}

/* --- memory --- */

/* Returns the variable's slot in the hash table, used or not. */
static uint32_t *place_slot(const struct decoder *decoder, const struct ptx_variable *variable)
{
	uint32_t mask = decoder->place_slots - 1;
	uint32_t at = (uint32_t)((uintptr_t)variable * 0x9e3779b97f4a7c15 >> 32) & mask;
	while (decoder->place_slot[at] && decoder->places[decoder->place_slot[at] - 1].variable != variable)
		at = (at + 1) & mask;
	return &decoder->place_slot[at];
}

const struct place_of *layout_find(const struct decoder *decoder, const struct ptx_variable *variable)
{
	uint32_t place = decoder->place_slots ? *place_slot(decoder, variable) : 0;
	return place ? &decoder->places[place - 1] : NULL;
}

static void add_place_slot(struct decoder *decoder, uint32_t place)
{
	*place_slot(decoder, decoder->places[place].variable) = place + 1;
}

static void grow_places(struct decoder *decoder)
{
	decoder->place_capacity = decoder->place_capacity ? decoder->place_capacity * 2 : 16;
	decoder->places = base_realloc(decoder->places, decoder->place_capacity * sizeof *decoder->places);
	free(decoder->place_slot);
	decoder->place_slots = 2 * decoder->place_capacity;
	decoder->place_slot = base_calloc(decoder->place_slots, sizeof *decoder->place_slot);
	for (uint32_t k = 0; k < decoder->place_count; k++)
		add_place_slot(decoder, k);
}

static struct simt_slot add_place(struct decoder *decoder, const struct ptx_variable *variable, uint32_t *bytes,
                                  bool in_frame)
{
	uint64_t offset = round_up(*bytes, variable->align);
	if (offset + variable->size > UINT32_MAX / 2) {
		decode_error(decoder, variable->place, "'%s' does not fit into %s memory", variable->name,
		             ptx_space_name(variable->space));
		return (struct simt_slot){0};
	}
	if (decoder->place_count == decoder->place_capacity)
		grow_places(decoder);
	struct simt_slot slot = {(uint32_t)offset, (uint32_t)variable->size, in_frame};
	decoder->places[decoder->place_count] = (struct place_of){variable, slot};
	add_place_slot(decoder, decoder->place_count++);
	*bytes = (uint32_t)(offset + variable->size);
	return slot;
}

static bool is_dynamic(const struct ptx_variable *variable)
{
	return variable->space == PTX_SHARED && variable->size == 0;
}

/* Places a module's own variable of shared or local memory when it is first referenced. */
static void add_referred(struct decoder *decoder, const struct ptx_variable *variable, uint32_t *local)
{
	if (!variable || variable->function || is_dynamic(variable) || layout_find(decoder, variable))
		return;
	if (variable->space == PTX_SHARED)
		add_place(decoder, variable, &decoder->program->shared_bytes, false);
	else if (variable->space == PTX_LOCAL)
		add_place(decoder, variable, local, false);
}

static void add_referred_operand(struct decoder *decoder, const struct ptx_operand *operand, uint32_t *local)
{
	add_referred(decoder, operand->symbol, local);
	for (uint32_t k = 0; k < operand->count; k++)
		add_referred_operand(decoder, &operand->element[k], local);
}

static struct simt_slot *add_parameters(struct decoder *decoder, const struct ptx_variable *variables, uint32_t count,
                                        uint32_t *bytes, bool in_frame)
{
	struct simt_slot *slots = count ? arena_array(decoder->arena, count, sizeof *slots) : NULL;
	for (uint32_t k = 0; k < count; k++)
		slots[k] = add_place(decoder, &variables[k], bytes, in_frame);
	return slots;
}

static void layout_function_memory(struct decoder *decoder, struct simt_function *info, uint32_t *local)
{
	const struct ptx_function *function = info->ptx;
	uint32_t *bytes = info->recursive ? &info->frame_bytes : local;
	for (const struct ptx_variable *v = function->locals; v; v = v->next) {
		if (v->space == PTX_SHARED && !is_dynamic(v))
			add_place(decoder, v, &decoder->program->shared_bytes, false);
		else if (v->space == PTX_LOCAL || v->space == PTX_PARAM)
			add_place(decoder, v, bytes, info->recursive);
	}
	if (function->is_entry)
		return;
	info->params = add_parameters(decoder, function->params, function->param_count, bytes, info->recursive);
	info->results = add_parameters(decoder, function->results, function->result_count, bytes, info->recursive);
}

void layout_memory(struct decoder *decoder)
{
	struct simt_program *program = decoder->program;
	uint32_t local = 0;
	bool recursive = false;
	for (uint32_t k = 0; k < decoder->function_count; k++) {
		layout_function_memory(decoder, &decoder->functions[k], &local);
		recursive |= decoder->functions[k].recursive;
	}
	for (uint32_t k = 0; k < decoder->function_count; k++) {
		const struct ptx_function *function = decoder->functions[k].ptx;
		for (uint32_t i = 0; i < function->body_count; i++)
			for (unsigned o = 0; o < function->body[i].operands; o++)
				add_referred_operand(decoder, &function->body[i].operand[o], &local);
	}
	if (local > SIMT_LOCAL_BYTES)
		decode_error(decoder, program->kernel->place, "'%s' has %u bytes of local memory; expected at most %d",
		             program->kernel->name, local, SIMT_LOCAL_BYTES);
	program->stack_bytes = recursive ? SIMT_STACK_BYTES : 0;
	program->alloca_base = (uint32_t)round_up(local, 16);
	program->local_bytes = program->alloca_base + program->stack_bytes;
	if (program->alloca_row != SIMT_NO_REGISTER)
		program->local_bytes += SIMT_STACK_BYTES;
	decoder->dynamic_shared = (uint32_t)round_up(program->shared_bytes, 16);
}
