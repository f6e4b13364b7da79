#include "simt/dma.h"

#include "base/arena.h"
#include "simt/checks.h"
#include "simt/memory.h"
#include "simt/program.h"

#include <stdlib.h>
#include <string.h>

/* Operands of the instructions: the field of a buffer's entry that each operand sets, and the field's range
 * (docs/reference/dma.md, Fields). */
struct field {
	const char *name;
	uint64_t least, most;
};

enum { MOST_16 = 0xffff };

static const struct field fields[DMA_COMMANDS][DMA_MAX_FIELDS] = {
	[DMA_TYPE] = {{"element size", 1, 8}},
	[DMA_HALO] = {{"buffer", 0, DMA_BUFFERS - 1},
                      {"halo lines", 0, MOST_16},
                      {"halo elements of a line", 0, MOST_16},
                      {"region", 1, 9},
                      {"constant", 0, MOST_16}},
	[DMA_SPACED] = {{"buffer", 0, DMA_BUFFERS - 1}, {"elements per bank", 1, MOST_16}},
	[DMA_FLAT] = {{"buffer", 0, DMA_BUFFERS - 1},
                      {"shared base", 0, MOST_16},
                      {"global base", 0, UINT64_MAX},
                      {"elements", 1, MOST_16}},
	[DMA_STRIDED] = {{"buffer", 0, DMA_BUFFERS - 1},
                         {"shared base", 0, MOST_16},
                         {"global base", 0, UINT64_MAX},
                         {"elements", 1, MOST_16},
                         {"stride", 1, MOST_16}},
	[DMA_MATRIX] = {{"buffer", 0, DMA_BUFFERS - 1},
                        {"shared base", 0, MOST_16},
                        {"global base", 0, UINT64_MAX},
                        {"lines", 1, MOST_16},
                        {"elements of a line", 1, MOST_16},
                        {"leading dimension", 1, MOST_16}},
	[DMA_EXECUTE] = {{"buffer", 0, DMA_BUFFERS - 1}, {"shared base", 0, MOST_16}, {"global base", 0, UINT64_MAX}},
};

static bool uses_dma(const struct simt_launch *launch)
{
	return launch->program->has_dma;
}

void dma_block_start(struct simt_block *block)
{
	size_t bytes = sizeof *block->dma + block->warps * sizeof block->dma->warp[0];
	if (!uses_dma(block->launch))
		return;
	block->dma = base_realloc(block->dma, bytes);
	memset(block->dma, 0, bytes);
}

void dma_block_free(struct simt_block *block)
{
	free(block->dma);
	block->dma = NULL;
}

/* --- operands --- */

/* The instruction that is checked, for error reports. */
struct command {
	struct simt_warp *warp;
	const struct simt_inst *inst;
	struct simt_step *step;
	bool good;
};

static void refuse(struct command *command, const char *what, const char *field, uint64_t value, uint64_t most)
{
	if (!command->good)
		return;
	command->good = false;
	fault_set(command->warp, command->inst, command->step, SIMT_FAULT_DMA, what,
	          (unsigned)__builtin_ctz(command->step->lanes));
	command->step->fault.field = field;
	command->step->fault.value = value;
	command->step->fault.most = most;
	command->step->fault.warp = command->warp->index;
}

/* A warp issues commands as a whole: all threads that have not exited take part, with the same values. */
static uint64_t operand(struct command *command, unsigned k, const char *field)
{
	const struct simt_inst *inst = command->inst;
	const struct simt_warp *warp = command->warp;
	bool wide = (inst->source_widths >> 2 * k & 3) == SIMT_WIDTH_64;
	uint32_t lanes = command->step->lanes, first = (uint32_t)__builtin_ctz(lanes);
	const void *row = source(warp, inst, k);
	uint64_t value = wide ? ((const lane64 *)row)[first] : ((const lane32 *)row)[first];
	for (uint32_t left = lanes; left; left &= left - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(left);
		uint64_t own = wide ? ((const lane64 *)row)[lane] : ((const lane32 *)row)[lane];
		if (own != value)
			refuse(command, "threads of a warp give a DMA transfer different values", field, own, value);
	}
	return value;
}

static enum dma_command command_of(const struct simt_inst *inst)
{
	return (enum dma_command)(inst->ptx->op - PTX_OP_DMA_TYPE);
}

/* Reads the operands' values. Returns false when one does not fit its field. */
static bool read_operands(struct command *command, uint64_t value[DMA_MAX_FIELDS])
{
	const struct field *field = fields[command_of(command->inst)];
	for (unsigned k = 0; k < DMA_MAX_FIELDS; k++) {
		value[k] = field[k].name ? operand(command, k, field[k].name) : 0;
		if (field[k].name && value[k] > field[k].most)
			refuse(command, "a value does not fit its field of a DMA transfer", field[k].name, value[k],
			       field[k].most);
		if (field[k].name && value[k] < field[k].least)
			refuse(command, "a value is too small for its field of a DMA transfer", field[k].name, value[k],
			       field[k].least);
		if (field[k].most == UINT64_MAX) /* an address */
			value[k] = simt_address(command->warp->block->launch->memory, value[k]);
	}
	return command->good;
}

/* Returns the lanes outside the running path whose next instruction ends the kernel. A thread that returns early waits
 * there for the others of its warp when the compiler has made one end of all returns. */
static uint32_t returned_lanes(const struct simt_warp *warp)
{
	uint32_t known = warp->lanes, returned = 0;
	for (uint32_t d = warp->depth; d-- > 0;) {
		const struct simt_stack_entry *entry = &warp->stack[d];
		const struct simt_inst *next =
			entry->pc < warp->block->launch->program->count ? &warp->code[entry->pc] : NULL;
		if (next && next->kind == SIMT_EXIT && next->guard == SIMT_NO_GUARD)
			returned |= entry->lanes & ~known;
		known |= entry->lanes;
	}
	return returned;
}

static struct command begin(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	struct command command = {warp, inst, step, true};
	uint32_t live = warp->exists & ~warp->exited;
	if (step->lanes != live && step->lanes != (live & ~returned_lanes(warp)))
		refuse(&command, "only some threads of a warp call the DMA engine", "threads",
		       (uint64_t)__builtin_popcount(step->lanes), (uint64_t)__builtin_popcount(live));
	return command;
}

static struct dma_warp *state_of(const struct simt_warp *warp)
{
	return &warp->block->dma->warp[warp->index];
}

/* Checks constraints between several fields. */
static void check_shape(struct command *command, const struct dma_transfer *transfer, bool has_halo)
{
	uint64_t elements = (uint64_t)transfer->lines * transfer->length;
	if (elements > MOST_16)
		refuse(command, "a value does not fit its field of a DMA transfer", "elements", elements, MOST_16);
	if (has_halo && transfer->shape != DMA_MATRIX)
		refuse(command, "a halo around data that is not a matrix", "halo",
		       transfer->halo_lines + transfer->halo_length, 0);
	if (!transfer->element_bytes)
		refuse(command, "a DMA transfer without an element size", "element size", 0, 8);
}

/* --- source and destination addresses --- */

/* A line's elements from memory, without constant elements at its ends. */
struct run {
	uint32_t first, end; /* element indexes */
};

static struct run of_memory(const struct dma_transfer *transfer, uint32_t line)
{
	struct run run = {0, dma_length(transfer)};
	while (run.first < run.end && dma_is_constant(transfer, line, run.first))
		run.first++;
	while (run.first < run.end && dma_is_constant(transfer, line, run.end - 1))
		run.end--;
	return run;
}

static bool is_within(const struct simt_allocation *array, uint64_t address, uint64_t size)
{
	return array && address >= array->address && address + size <= array->address + array->size;
}

/* The array is the allocation that contains the first element. */
static void check_places(struct command *command, const struct dma_transfer *transfer)
{
	const struct simt_memory *memory = command->warp->block->launch->memory;
	uint32_t bytes = transfer->element_bytes;
	if (command->good && dma_end(transfer) > command->warp->block->shared_bytes)
		refuse(command, "a DMA transfer goes beyond the block's shared memory", "shared base",
		       dma_end(transfer), command->warp->block->shared_bytes);
	if (command->good && transfer->shared % bytes)
		refuse(command, "a DMA transfer to a misaligned shared address", "shared base", transfer->shared,
		       bytes);
	if (command->good && transfer->global % bytes)
		refuse(command, "a DMA transfer from a misaligned global address", "global base", transfer->global,
		       bytes);
	const struct simt_allocation *array = simt_find(memory, transfer->global);
	for (uint32_t line = 0; command->good && line < dma_lines(transfer); line++) {
		struct run run = of_memory(transfer, line);
		uint64_t address = dma_source(transfer, line, run.first);
		uint64_t size = (uint64_t)(run.end - run.first) * bytes;
		if (size && !is_within(array, address, size))
			refuse(command, "a DMA transfer reads outside the array", "global base", address,
			       array ? array->address + array->size : 0);
	}
}

/* Moves element by element. This defines the result and does not model an engine. */
static void move(struct simt_block *block, const struct dma_transfer *transfer)
{
	const struct simt_memory *memory = block->launch->memory;
	uint32_t bytes = transfer->element_bytes;
	uint64_t element = 0;
	for (uint32_t line = 0; line < dma_lines(transfer); line++)
		for (uint32_t at = 0; at < dma_length(transfer); at++, element++) {
			bool constant = dma_is_constant(transfer, line, at);
			uint64_t address = constant ? 0 : dma_source(transfer, line, at);
			uint64_t place = dma_place(transfer, element);
			memcpy(block->shared + place,
			       constant ? (const void *)&transfer->constant : simt_host(memory, address), bytes);
			if (UNLIKELY(block->checks != NULL))
				unwritten_filled(block, place, bytes,
				                 constant || simt_is_written(memory, address, bytes));
		}
}

void dma_move(struct simt_block *block, uint32_t number)
{
	struct dma_buffer *buffer = &block->dma->buffer[number];
	buffer->transfer = buffer->next;
	buffer->has_next = false;
	buffer->moved++;
	if (has_race_check(block))
		race_transfer(block, number);
	move(block, &buffer->transfer);
}

/* --- commands --- */

static bool is_same(const struct dma_transfer *one, const struct dma_transfer *other)
{
	return memcmp(one, other, sizeof *one) == 0;
}

/* A warp reaches the next command of a buffer. All warps must issue the same command. */
static void come(struct command *command, uint32_t number, const struct dma_transfer *transfer)
{
	struct dma_buffer *buffer = &command->warp->block->dma->buffer[number];
	uint32_t own = state_of(command->warp)->commands[number] + 1;
	check_places(command, transfer);
	if (own <= buffer->moved && !is_same(transfer, &buffer->transfer))
		refuse(command, "warps of a block request different DMA transfers", "buffer", number, DMA_BUFFERS - 1);
	if (own > buffer->moved && buffer->has_next && !is_same(transfer, &buffer->next))
		refuse(command, "warps of a block request different DMA transfers", "buffer", number, DMA_BUFFERS - 1);
	if (own > buffer->moved + 1)
		refuse(command, "a DMA buffer is used again before all warps have reached its last command", "buffer",
		       number, DMA_BUFFERS - 1);
	if (!command->good)
		return;
	state_of(command->warp)->commands[number] = own;
	if (has_race_check(command->warp->block))
		race_command(command->warp, command->inst, number);
	if (own <= buffer->moved)
		return;
	buffer->next = *transfer;
	buffer->has_next = true;
	if (own == 1)
		dma_move(command->warp->block, number);
	else
		barrier_of_dma(command->warp, command->step);
}

/* dma_type bytes; dma_halo buffer, lines, elements, region, constant; dma_spaced buffer, elements */
void dma_say(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	struct command command = begin(warp, inst, step);
	uint64_t value[DMA_MAX_FIELDS];
	if (!read_operands(&command, value))
		return;
	if (inst->ptx->op == PTX_OP_DMA_TYPE && value[0] & (value[0] - 1))
		refuse(&command, "a DMA transfer of elements that are not 1, 2, 4 or 8 bytes", "element size", value[0],
		       8);
	if (command.good)
		dma_set_parameters(state_of(warp), command_of(inst), value);
}

/* dma_flat, dma_strided, dma_matrix: buffer, shared, global, shape ... */
void dma_configure(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	struct command command = begin(warp, inst, step);
	uint64_t value[DMA_MAX_FIELDS];
	if (!read_operands(&command, value))
		return;
	struct dma_warp *state = state_of(warp);
	bool has_halo = state->mode[value[0]].has_halo;
	struct dma_transfer none, transfer;
	memset(&none, 0, sizeof none); /* it is compared as a whole */
	transfer = dma_transfer_of(state, command_of(inst), value, &none);
	check_shape(&command, &transfer, has_halo);
	if (command.good)
		come(&command, (uint32_t)value[0], &transfer);
}

/* dma_execute buffer, shared, global: repeats the transfer with other addresses. */
void dma_execute(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	struct command command = begin(warp, inst, step);
	uint64_t value[DMA_MAX_FIELDS];
	if (!read_operands(&command, value))
		return;
	uint32_t number = (uint32_t)value[0];
	const struct dma_buffer *buffer = &warp->block->dma->buffer[number];
	if (!state_of(warp)->commands[number])
		refuse(&command, "a DMA buffer is executed that the warp has not configured", "buffer", number,
		       DMA_BUFFERS - 1);
	struct dma_transfer transfer = dma_transfer_of(state_of(warp), DMA_EXECUTE, value, &buffer->transfer);
	if (command.good)
		come(&command, number, &transfer);
}

uint32_t dma_waits_for(const struct simt_warp *warp, const struct simt_step *step)
{
	const struct simt_inst *inst = step->inst;
	if (!dma_is_transfer(command_of(inst)))
		return DMA_BUFFERS;
	uint32_t number = ((const lane32 *)source(warp, inst, 0))[__builtin_ctz(step->lanes)];
	const struct dma_buffer *buffer = &warp->block->dma->buffer[number];
	return state_of(warp)->commands[number] > buffer->moved ? number : DMA_BUFFERS;
}
