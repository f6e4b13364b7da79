#include "simt/dma.h"

#include "base/arena.h"
#include "simt/checks.h"
#include "simt/memory.h"
#include "simt/program.h"

#include <stdlib.h>
#include <string.h>

/* Widths of the fields that an engine keeps of a buffer (docs/dma.md, Fields), bits. */
enum { SHARED_BITS = 16, ELEMENTS_BITS = 16, STRIDE_BITS = 16, HALO_BITS = 16, CONSTANT_BITS = 16 };

static bool uses_dma(const struct simt_launch *launch)
{
	return launch->program->has_dma;
}

void dma_block_start(struct simt_block *block)
{
	size_t bytes = sizeof *block->dma + block->warps * sizeof block->dma->warp[0];
	if (!uses_dma(block->launch))
		return;
	block->dma = xrealloc(block->dma, bytes);
	memset(block->dma, 0, bytes);
}

void dma_block_free(struct simt_block *block)
{
	free(block->dma);
	block->dma = NULL;
}

/* --- operands --- */

/* What an instruction is about, for its mistakes. */
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

/* A warp speaks to the engine as a whole: all of its threads that have not exited, with the same values. */
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

static uint32_t field(struct command *command, unsigned k, const char *name, uint64_t least, uint64_t most)
{
	uint64_t value = operand(command, k, name);
	if (value > most)
		refuse(command, "a field of a DMA transfer is too narrow", name, value, most);
	if (value < least)
		refuse(command, "a field of a DMA transfer is too small", name, value, least);
	return (uint32_t)value;
}

static uint64_t largest(uint32_t bits)
{
	return (1ull << bits) - 1;
}

static struct command begin(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	struct command command = {warp, inst, step, true};
	if (step->lanes != (warp->exists & ~warp->exited))
		refuse(&command, "a part of a warp speaks to the DMA engine", "threads",
		       (uint64_t)__builtin_popcount(step->lanes),
		       (uint64_t)__builtin_popcount(warp->exists & ~warp->exited));
	return command;
}

static uint32_t buffer_of(struct command *command)
{
	uint32_t buffer = field(command, 0, "buffer", 0, DMA_BUFFERS - 1);
	return buffer < DMA_BUFFERS ? buffer : 0;
}

static struct dma_warp *state_of(const struct simt_warp *warp)
{
	return &warp->block->dma->warp[warp->index];
}

/* --- shapes --- */

static void read_shape(struct command *command, struct dma_transfer *transfer)
{
	uint64_t most = largest(ELEMENTS_BITS);
	switch (command->inst->ptx->op) {
	case PTX_OP_DMA_FLAT:
		transfer->shape = DMA_FLAT;
		transfer->lines = transfer->pitch = 1;
		transfer->length = field(command, 3, "elements", 1, most);
		return;
	case PTX_OP_DMA_STRIDED:
		transfer->shape = DMA_STRIDED;
		transfer->length = 1;
		transfer->lines = field(command, 3, "elements", 1, most);
		transfer->pitch = field(command, 4, "stride", 1, largest(STRIDE_BITS));
		return;
	default:
		transfer->shape = DMA_MATRIX;
		transfer->lines = field(command, 3, "lines", 1, most);
		transfer->length = field(command, 4, "elements of a line", 1, most);
		transfer->pitch = field(command, 5, "leading dimension", 1, largest(STRIDE_BITS));
		if ((uint64_t)transfer->lines * transfer->length > most)
			refuse(command, "a field of a DMA transfer is too narrow", "elements",
			       (uint64_t)transfer->lines * transfer->length, most);
	}
}

/* Regions 1 to 9: the corners and edges in the order of reading, 9 what has no border. */
static uint32_t sides_of(uint32_t region)
{
	static const uint8_t sides[] = {[1] = DMA_FIRST_LINE | DMA_LINE_BEGIN,
	                                [2] = DMA_FIRST_LINE,
	                                [3] = DMA_FIRST_LINE | DMA_LINE_END,
	                                [4] = DMA_LINE_BEGIN,
	                                [5] = DMA_LINE_END,
	                                [6] = DMA_LAST_LINE | DMA_LINE_BEGIN,
	                                [7] = DMA_LAST_LINE,
	                                [8] = DMA_LAST_LINE | DMA_LINE_END,
	                                [9] = 0};
	return sides[region];
}

static void take_mode(struct command *command, struct dma_transfer *transfer, struct dma_mode *mode)
{
	transfer->element_bytes = state_of(command->warp)->element_bytes;
	transfer->halo_lines = mode->halo_lines;
	transfer->halo_length = mode->halo_length;
	transfer->sides = mode->region ? sides_of(mode->region) : 0;
	transfer->constant = mode->constant;
	transfer->each_bank = mode->each_bank;
	if (mode->region && transfer->shape != DMA_MATRIX)
		refuse(command, "a halo around what is no matrix", "halo", mode->halo_lines + mode->halo_length, 0);
	if (!transfer->element_bytes)
		refuse(command, "a DMA transfer without an element size", "element size", 0, 8);
	*mode = (struct dma_mode){.commands = mode->commands};
}

/* --- where it reads and writes --- */

/* A line's elements from memory, those of its ends left out that are constant. */
struct run {
	uint32_t first, end; /* elements */
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

/* The array is the allocation that the first element lies in. */
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

/* Element by element: what it means, not how an engine does it. */
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
	move(block, &buffer->transfer);
}

/* --- commands --- */

static bool is_same(const struct dma_transfer *one, const struct dma_transfer *other)
{
	return memcmp(one, other, sizeof *one) == 0;
}

/* A warp comes to the next command of a buffer: all warps must ask for the same. */
static void come(struct command *command, uint32_t number, const struct dma_transfer *transfer)
{
	struct dma_buffer *buffer = &command->warp->block->dma->buffer[number];
	uint32_t own = state_of(command->warp)->mode[number].commands + 1;
	check_places(command, transfer);
	if (own <= buffer->moved && !is_same(transfer, &buffer->transfer))
		refuse(command, "warps of a block ask for different DMA transfers", "buffer", number, DMA_BUFFERS - 1);
	if (own > buffer->moved && buffer->has_next && !is_same(transfer, &buffer->next))
		refuse(command, "warps of a block ask for different DMA transfers", "buffer", number, DMA_BUFFERS - 1);
	if (own > buffer->moved + 1)
		refuse(command, "a DMA buffer is used again before all warps have come to its last command", "buffer",
		       number, DMA_BUFFERS - 1);
	if (!command->good)
		return;
	state_of(command->warp)->mode[number].commands = own;
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
	if (inst->ptx->op == PTX_OP_DMA_TYPE) {
		uint32_t bytes = field(&command, 0, "element size", 1, 8);
		if (bytes & (bytes - 1))
			refuse(&command, "a DMA transfer of elements that are not 1, 2, 4 or 8 bytes", "element size",
			       bytes, 8);
		if (command.good)
			state_of(warp)->element_bytes = bytes;
		return;
	}
	struct dma_mode mode = {0};
	uint32_t buffer = buffer_of(&command);
	mode.commands = state_of(warp)->mode[buffer].commands;
	if (inst->ptx->op == PTX_OP_DMA_HALO) {
		mode.halo_lines = field(&command, 1, "halo lines", 0, largest(HALO_BITS));
		mode.halo_length = field(&command, 2, "halo elements of a line", 0, largest(HALO_BITS));
		mode.region = field(&command, 3, "region", 1, 9);
		mode.constant = field(&command, 4, "constant", 0, largest(CONSTANT_BITS));
	} else {
		mode.each_bank = field(&command, 1, "elements per bank", 1, largest(HALO_BITS));
	}
	if (command.good)
		state_of(warp)->mode[buffer] = mode;
}

/* dma_flat, dma_strided, dma_matrix: buffer, shared, global, shape ... */
void dma_configure(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	struct command command = begin(warp, inst, step);
	struct dma_transfer transfer;
	memset(&transfer, 0, sizeof transfer); /* it is compared as a whole */
	uint32_t buffer = buffer_of(&command);
	transfer.shared = field(&command, 1, "shared base", 0, largest(SHARED_BITS));
	transfer.global = operand(&command, 2, "global base");
	read_shape(&command, &transfer);
	take_mode(&command, &transfer, &state_of(warp)->mode[buffer]);
	if (command.good)
		come(&command, buffer, &transfer);
}

/* dma_execute buffer, shared, global: once more, between other places. */
void dma_execute(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	struct command command = begin(warp, inst, step);
	uint32_t number = buffer_of(&command);
	const struct dma_buffer *buffer = &warp->block->dma->buffer[number];
	struct dma_transfer transfer = buffer->transfer;
	transfer.shared = field(&command, 1, "shared base", 0, largest(SHARED_BITS));
	transfer.global = operand(&command, 2, "global base");
	if (!state_of(warp)->mode[number].commands)
		refuse(&command, "a DMA buffer is executed that the warp has not configured", "buffer", number,
		       DMA_BUFFERS - 1);
	if (command.good)
		come(&command, number, &transfer);
}

uint32_t dma_waits_for(const struct simt_warp *warp, const struct simt_step *step)
{
	const struct simt_inst *inst = step->inst;
	if (inst->ptx->op == PTX_OP_DMA_TYPE || inst->ptx->op == PTX_OP_DMA_HALO || inst->ptx->op == PTX_OP_DMA_SPACED)
		return DMA_BUFFERS;
	uint32_t number = ((const lane32 *)source(warp, inst, 0))[__builtin_ctz(step->lanes)];
	const struct dma_buffer *buffer = &warp->block->dma->buffer[number];
	return state_of(warp)->mode[number].commands > buffer->moved ? number : DMA_BUFFERS;
}
