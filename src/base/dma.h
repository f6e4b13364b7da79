/* dma: a DMA transfer from global memory to a block's shared memory (docs/reference/dma.md): the instructions'
 * parameters, its shape, and the source and destination of each element.
 *
 * Elements are arranged in lines. The elements of a line are contiguous in global memory, and lines are `pitch`
 * elements apart. A unit-stride transfer is one line. A strided transfer has lines of one element. The lines of a
 * matrix are its rows or its columns. In shared memory all elements are contiguous, line by line. There may be a
 * halo around them. The part of the halo outside the whole matrix is a constant.
 */
#ifndef SLUICE_BASE_DMA_H
#define SLUICE_BASE_DMA_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { DMA_BUFFERS = 4, DMA_BANK_BYTES = 4 };

/* The instructions, in the order of ops.h. Three of them are also the shapes. */
enum dma_command { DMA_TYPE, DMA_HALO, DMA_SPACED, DMA_FLAT, DMA_STRIDED, DMA_MATRIX, DMA_EXECUTE, DMA_COMMANDS };
#define DMA_NAMES {"dma_type", "dma_halo", "dma_spaced", "dma_flat", "dma_strided", "dma_matrix", "dma_execute"}
enum { DMA_MAX_FIELDS = 6, DMA_GLOBAL = 2 /* index of the field that is 64 bits wide */ };

/* Borders of the whole matrix that a tile touches. */
enum dma_side { DMA_FIRST_LINE = 1, DMA_LAST_LINE = 2, DMA_LINE_BEGIN = 4, DMA_LINE_END = 8 };

/* Without padding, because transfers are compared byte by byte. */
struct dma_transfer {
	uint64_t global; /* address of the first element that is not in the halo */
	/* offset of the first element, including the halo, from the start of the block's shared memory */
	uint32_t shared;
	uint32_t shape; /* enum dma_command */
	uint32_t element_bytes; /* 1, 2, 4 or 8 */
	uint32_t lines, length, pitch; /* without the halo; in elements */
	uint32_t halo_lines, halo_length; /* on each side: lines, and elements of a line */
	uint32_t sides;     /* bitwise or of enum dma_side: beyond them the halo is constant */
	uint32_t each_bank; /* one bank is skipped after this number of elements; 0: none */
	uint64_t constant;  /* bits of an element */
};

static inline uint32_t dma_lines(const struct dma_transfer *transfer)
{
	return transfer->lines + 2 * transfer->halo_lines;
}

static inline uint32_t dma_length(const struct dma_transfer *transfer)
{
	return transfer->length + 2 * transfer->halo_length;
}

/* Including the halo. */
static inline uint64_t dma_elements(const struct dma_transfer *transfer)
{
	return (uint64_t)dma_lines(transfer) * dma_length(transfer);
}

/* The source of element `at` of a line, including the halo: whether it is the constant, or its address. */
static inline bool dma_is_constant(const struct dma_transfer *transfer, uint32_t line, uint32_t at)
{
	uint32_t sides = transfer->sides;
	return (sides & DMA_FIRST_LINE && line < transfer->halo_lines) ||
	       (sides & DMA_LAST_LINE && line >= transfer->halo_lines + transfer->lines) ||
	       (sides & DMA_LINE_BEGIN && at < transfer->halo_length) ||
	       (sides & DMA_LINE_END && at >= transfer->halo_length + transfer->length);
}

static inline uint64_t dma_source(const struct dma_transfer *transfer, uint32_t line, uint32_t at)
{
	int64_t lines = (int64_t)line - transfer->halo_lines, elements = (int64_t)at - transfer->halo_length;
	return transfer->global + (uint64_t)((lines * transfer->pitch + elements) * transfer->element_bytes);
}

/* The destination of element number `element`, counted line by line, in the block's shared memory; and the end of
 * the last one. */
static inline uint64_t dma_place(const struct dma_transfer *transfer, uint64_t element)
{
	uint64_t banks = transfer->each_bank ? element / transfer->each_bank : 0;
	return transfer->shared + element * transfer->element_bytes + banks * DMA_BANK_BYTES;
}

static inline uint64_t dma_end(const struct dma_transfer *transfer)
{
	return dma_place(transfer, dma_elements(transfer) - 1) + transfer->element_bytes;
}

/* --- the instructions' parameters --- */

/* The parameters that a warp has set for a buffer since its last configuration. */
struct dma_mode {
	uint32_t halo_lines, halo_length, sides, constant;
	bool has_halo;
	uint32_t each_bank;
};

/* A warp's parameters for the engine, and the number of transfers that it has requested per buffer. */
struct dma_warp {
	uint32_t element_bytes; /* 0: not set yet */
	uint32_t commands[DMA_BUFFERS];
	struct dma_mode mode[DMA_BUFFERS];
};

/* Borders of a tile in a region. Regions 1 to 8 are the corners and edges in reading order; 9 has no border. */
static inline uint32_t dma_sides(uint32_t region)
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
	return region < sizeof sides ? sides[region] : 0;
}

/* The instruction of that name, or DMA_COMMANDS. */
static inline uint32_t dma_command_of(const char *name)
{
	static const char *const names[DMA_COMMANDS] = DMA_NAMES;
	uint32_t command = strncmp(name, "dma_", 4) == 0 ? 0 : DMA_COMMANDS;
	while (command < DMA_COMMANDS && strcmp(name, names[command]) != 0)
		command++;
	return command;
}

static inline bool dma_is_transfer(uint32_t command)
{
	return command >= DMA_FLAT && command < DMA_COMMANDS;
}

/* A warp sets parameters of later transfers: type, halo or space, with the values of the instruction's operands. */
static inline void dma_set_parameters(struct dma_warp *warp, enum dma_command command,
                                      const uint64_t value[DMA_MAX_FIELDS])
{
	struct dma_mode *mode = &warp->mode[value[0] % DMA_BUFFERS];
	if (command == DMA_TYPE)
		warp->element_bytes = (uint32_t)value[0];
	else if (command == DMA_SPACED)
		*mode = (struct dma_mode){.each_bank = (uint32_t)value[1]};
	else
		*mode = (struct dma_mode){.halo_lines = (uint32_t)value[1],
		                          .halo_length = (uint32_t)value[2],
		                          .sides = dma_sides((uint32_t)value[3]),
		                          .constant = (uint32_t)value[4],
		                          .has_halo = true};
}

/* A warp requests a transfer. It uses the parameters set before, which apply only to this transfer. With DMA_EXECUTE
 * it repeats the buffer's last transfer at other addresses. */
static inline struct dma_transfer dma_transfer_of(struct dma_warp *warp, enum dma_command command,
                                                  const uint64_t value[DMA_MAX_FIELDS], const struct dma_transfer *last)
{
	struct dma_mode *mode = &warp->mode[value[0] % DMA_BUFFERS];
	struct dma_transfer transfer = *last;
	transfer.shared = (uint32_t)value[1];
	transfer.global = value[2];
	if (command == DMA_EXECUTE)
		return transfer;
	transfer.shape = command;
	transfer.lines = command == DMA_FLAT ? 1 : (uint32_t)value[3];
	transfer.length = command == DMA_STRIDED ? 1 : (uint32_t)value[command == DMA_FLAT ? 3 : 4];
	transfer.pitch = command == DMA_FLAT ? 1 : (uint32_t)value[command == DMA_STRIDED ? 4 : 5];
	transfer.element_bytes = warp->element_bytes;
	transfer.halo_lines = mode->halo_lines;
	transfer.halo_length = mode->halo_length;
	transfer.sides = mode->sides;
	transfer.constant = mode->constant;
	transfer.each_bank = mode->each_bank;
	*mode = (struct dma_mode){0};
	return transfer;
}

#endif
