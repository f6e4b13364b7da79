/* dma: a transfer by DMA from global memory to a block's shared memory (docs/reference/dma.md): what the instructions say of it, its shape, and
 * where each element comes from and goes.
 *
 * Elements lie in lines: of a line all follow each other in global memory, lines are `pitch` elements apart. Unit stride is one line; a
 * stride, lines of one element; a matrix has its rows as lines, or its columns. In shared memory all lie densely, line by line.
 * Around them there may be a halo; what of it lies beyond the whole matrix is a constant. */
#ifndef SLUICE_BASE_DMA_H
#define SLUICE_BASE_DMA_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { DMA_BUFFERS = 4, DMA_BANK_BYTES = 4 };

/* The instructions, in the order of ops.h. Three of them are the shapes, too. */
enum dma_command { DMA_TYPE, DMA_HALO, DMA_SPACED, DMA_FLAT, DMA_STRIDED, DMA_MATRIX, DMA_EXECUTE, DMA_COMMANDS };
#define DMA_NAMES {"dma_type", "dma_halo", "dma_spaced", "dma_flat", "dma_strided", "dma_matrix", "dma_execute"}
enum { DMA_MAX_FIELDS = 6, DMA_GLOBAL = 2 /* which of them is 64 bits wide */ };

/* Borders of the whole matrix at which a tile lies. */
enum dma_side { DMA_FIRST_LINE = 1, DMA_LAST_LINE = 2, DMA_LINE_BEGIN = 4, DMA_LINE_END = 8 };

/* Without holes: transfers are compared byte by byte. */
struct dma_transfer {
	uint64_t global; /* address of the first element within the halo */
	uint32_t shared; /* from the start of the block's, of the first element, the halo's included */
	uint32_t shape;  /* enum dma_command */
	uint32_t element_bytes; /* 1, 2, 4 or 8 */
	uint32_t lines, length, pitch; /* without the halo; elements */
	uint32_t halo_lines, halo_length; /* on each side: lines, elements of a line */
	uint32_t sides;     /* enum dma_side, ored: beyond them the halo is constant */
	uint32_t each_bank; /* behind so many elements a bank is left out; 0: none is */
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

/* With the halo. */
static inline uint64_t dma_elements(const struct dma_transfer *transfer)
{
	return (uint64_t)dma_lines(transfer) * dma_length(transfer);
}

/* Where element `at` of a line comes from, the halo's included: whether it is constant, or its address. */
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

/* Where element number `element`, line by line, goes in the block's shared memory; and where the last one ends. */
static inline uint64_t dma_place(const struct dma_transfer *transfer, uint64_t element)
{
	uint64_t banks = transfer->each_bank ? element / transfer->each_bank : 0;
	return transfer->shared + element * transfer->element_bytes + banks * DMA_BANK_BYTES;
}

static inline uint64_t dma_end(const struct dma_transfer *transfer)
{
	return dma_place(transfer, dma_elements(transfer) - 1) + transfer->element_bytes;
}

/* --- what the instructions say --- */

/* What a warp has said of a buffer since it configured it last. */
struct dma_mode {
	uint32_t halo_lines, halo_length, sides, constant;
	bool has_halo;
	uint32_t each_bank;
};

/* What a warp has said to the engine, and how many transfers it has asked each buffer for. */
struct dma_warp {
	uint32_t element_bytes; /* 0: not said yet */
	uint32_t commands[DMA_BUFFERS];
	struct dma_mode mode[DMA_BUFFERS];
};

/* Borders of a tile in a region: the corners and edges in the order of reading are 1 to 8, 9 is what has none. */
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

/* Which of them an instruction is by its name, or DMA_COMMANDS. */
static inline uint32_t dma_command_of(const char *name)
{
	static const char *const names[DMA_COMMANDS] = DMA_NAMES;
	uint32_t command = strncmp(name, "dma_", 4) == 0 ? 0 : DMA_COMMANDS;
	while (command < DMA_COMMANDS && strcmp(name, names[command]) != 0)
		command++;
	return command;
}

static inline bool dma_asks(uint32_t command)
{
	return command >= DMA_FLAT && command < DMA_COMMANDS;
}

/* A warp says what the transfers to come are like: type, halo or space, with the values of the instruction's operands. */
static inline void dma_tell(struct dma_warp *warp, enum dma_command command, const uint64_t value[DMA_MAX_FIELDS])
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

/* A warp asks for a transfer: of what it said before, which holds for this one alone, or by DMA_EXECUTE for the buffer's last one between
 * other places. */
static inline struct dma_transfer dma_asked(struct dma_warp *warp, enum dma_command command,
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
