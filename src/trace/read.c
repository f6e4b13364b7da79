/* read: reads the text of a kernel's trace sequentially: #BEGIN_TB, "thread block = X,Y,Z", for each warp "warp =
 * N", "insts = N" and N lines, then #END_TB. Blocks may be in any order, and so may the warps of a block. */
#include "trace/header.h"
#include "trace/inst.h"
#include "trace/pack.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NOWHERE = 0 };

struct reader {
	struct trace_kernel *kernel;
	struct trace_lines lines;
	struct trace_code code;
	struct trace_pack pack;
	struct diag *diag;
	uint64_t blocks, blocks_read;
	uint32_t warps;                         /* per block */
	uint64_t shared_end;                    /* offset after the last accessed byte of shared memory */
	uint32_t own_exit;                      /* instruction for warps that are missing in the trace, or UINT32_MAX */
	struct trace_warp warp[SIMT_MAX_WARPS]; /* of the block being read */
};

/* --- records --- */

/* Returns true when the distance from each lane's address to the next one's is constant. */
static bool find_stride(uint32_t lanes, const uint64_t *address, uint64_t *first, uint64_t *stride)
{
	uint32_t rest = lanes;
	uint64_t last = *first = address[__builtin_ctz(rest)];
	bool begun = false;
	*stride = 0;
	for (rest &= rest - 1; rest; rest &= rest - 1, begun = true) {
		uint64_t next = address[__builtin_ctz(rest)];
		if (begun && next - last != *stride)
			return false;
		*stride = next - last;
		last = next;
	}
	return true;
}

static void write32(struct reader *reader, uint32_t value)
{
	trace_pack_write(&reader->pack, &value, sizeof value);
}

static void write_addresses(struct reader *reader, uint32_t lanes, enum ptx_space space, const uint64_t *address)
{
	uint64_t stride[2];
	bool has_stride = find_stride(lanes, address, &stride[0], &stride[1]);
	write32(reader, (uint32_t)space | (has_stride ? RECORD_STRIDE : RECORD_LIST));
	if (has_stride) {
		trace_pack_write(&reader->pack, stride, sizeof stride);
		return;
	}
	for (uint32_t rest = lanes; rest; rest &= rest - 1)
		trace_pack_write(&reader->pack, &address[__builtin_ctz(rest)], sizeof *address);
}

static void note_shared(struct reader *reader, const struct trace_record *record)
{
	for (uint32_t rest = record->lanes; rest; rest &= rest - 1) {
		uint64_t end = record->address[__builtin_ctz(rest)] + record->fixed->inst.size;
		reader->shared_end = end > reader->shared_end ? end : reader->shared_end;
	}
}

static void note_pages(struct reader *reader, const struct trace_record *record)
{
	for (uint32_t rest = record->lanes; rest; rest &= rest - 1)
		trace_ranges_add_page(&reader->kernel->header.memory, record->address[__builtin_ctz(rest)]);
}

static void write_access(struct reader *reader, const struct trace_record *record)
{
	if (record->space == PTX_SHARED)
		note_shared(reader, record);
	else if (!reader->kernel->header.writer && record->space != PTX_LOCAL)
		note_pages(reader, record);
	write_addresses(reader, record->lanes, record->space, record->address);
	if (record->fixed->inst.async == SIMT_COPY)
		write_addresses(reader, record->lanes, PTX_SHARED, record->to);
}

static void write_record(struct reader *reader, const struct trace_record *record)
{
	const struct simt_inst *inst = &record->fixed->inst;
	write32(reader, record->instruction);
	write32(reader, record->lanes);
	write32(reader, record->issued);
	if (record->fixed->has_addresses && record->lanes)
		write_access(reader, record);
	if (inst->kind == SIMT_BARRIER || replay_has_outcome(inst))
		write32(reader, record->immediate);
}

/* --- warps and blocks --- */

/* Reads the next non-empty line. Returns false at the end and after a message. */
static bool next_line(struct reader *reader)
{
	do {
		if (!trace_lines_next(&reader->lines, reader->diag))
			return false;
	} while (!reader->lines.text[strspn(reader->lines.text, " \t")]);
	return true;
}

/* Parses numbers after "KEY = ", separated by commas. Returns false without a message when the line has another key. */
static bool take_numbers(const struct trace_lines *lines, const char *key, uint32_t count, uint64_t *number)
{
	size_t length = strlen(key);
	if (strncmp(lines->text, key, length) != 0)
		return false;
	const char *at = lines->text + length;
	for (uint32_t i = 0; i < count; i++) {
		char *end;
		at += strspn(at, i ? "," : " =");
		if (*at < '0' || *at > '9')
			return false;
		number[i] = strtoull(at, &end, 10);
		at = end;
	}
	return !at[strspn(at, " \t")];
}

static bool expects(const struct reader *reader, const char *what)
{
	if (!reader->diag->errors)
		trace_error(&reader->lines, reader->diag, reader->lines.text, "expected %s", what);
	return false;
}

static uint32_t threads_of(const struct reader *reader, uint32_t warp)
{
	const struct dim3 *block = &reader->kernel->header.block;
	uint32_t left = block->x * block->y * block->z - warp * WARP_SIZE;
	return left >= WARP_SIZE ? UINT32_MAX : (1u << left) - 1;
}

static bool read_records(struct reader *reader, uint32_t warp, uint64_t count)
{
	uint32_t exists = threads_of(reader, warp), live = exists;
	struct trace_record record;
	for (; count; count--) {
		if (!next_line(reader))
			return expects(reader, "more instructions of the warp");
		if (!trace_read_line(&reader->code, &reader->kernel->header, &reader->lines, live, &record,
		                     reader->diag))
			return false;
		if (record.issued & ~exists) {
			trace_error(&reader->lines, reader->diag, reader->lines.text,
			            "lanes 0x%08x run; the warp has only 0x%08x", record.issued, exists);
			return false;
		}
		if (record.fixed->inst.kind == SIMT_EXIT && live & ~record.lanes)
			live &= ~record.lanes;
		write_record(reader, &record);
	}
	return true;
}

/* "warp = N" is the current line. */
static bool read_warp(struct reader *reader, uint64_t warp)
{
	uint64_t count;
	if (warp >= reader->warps || reader->warp[warp].at != NOWHERE) {
		trace_error(&reader->lines, reader->diag, reader->lines.text, "%s of a block of %u",
		            warp < reader->warps ? "a warp for the second time" : "a warp", reader->warps);
		return false;
	}
	if (!next_line(reader) || !take_numbers(&reader->lines, "insts", 1, &count))
		return expects(reader, "insts = N");
	if (!count)
		return true;
	reader->warp[warp] = (struct trace_warp){.at = reader->pack.length, .count = count};
	reader->kernel->instructions += count;
	return read_records(reader, (uint32_t)warp, count);
}

/* A warp that is missing in the trace ends at once. */
static void end_unread(struct reader *reader)
{
	for (uint32_t w = 0; w < reader->warps; w++) {
		if (reader->warp[w].at != NOWHERE)
			continue;
		if (reader->own_exit == UINT32_MAX)
			reader->own_exit = trace_code_exit(&reader->code);
		uint32_t lanes = threads_of(reader, w);
		const struct trace_record record = {.instruction = reader->own_exit,
		                                    .lanes = lanes,
		                                    .issued = lanes,
		                                    .fixed = reader->code.list[reader->own_exit]};
		reader->warp[w] = (struct trace_warp){.at = reader->pack.length, .count = 1};
		write_record(reader, &record);
	}
}

static bool find_block(struct reader *reader, uint64_t *number)
{
	const struct dim3 *grid = &reader->kernel->header.grid;
	uint64_t index[3];
	if (!next_line(reader) || !take_numbers(&reader->lines, "thread block", 3, index))
		return expects(reader, "thread block = X,Y,Z");
	*number = (index[2] * grid->y + index[1]) * grid->x + index[0];
	bool inside = index[0] < grid->x && index[1] < grid->y && index[2] < grid->z;
	if (inside && reader->kernel->records->block_at[*number] == NOWHERE)
		return true;
	trace_error(&reader->lines, reader->diag, reader->lines.text, "%s of a grid of (%u,%u,%u)",
	            inside ? "a block for the second time" : "a block", grid->x, grid->y, grid->z);
	return false;
}

/* #BEGIN_TB is the current line; afterwards #END_TB is. */
static bool read_block(struct reader *reader)
{
	uint64_t number, warp;
	if (!find_block(reader, &number))
		return false;
	memset(reader->warp, 0, sizeof reader->warp);
	while (next_line(reader)) {
		if (strncmp(reader->lines.text, "#END_TB", 7) == 0) {
			end_unread(reader);
			reader->kernel->records->block_at[number] = reader->pack.length;
			trace_pack_write(&reader->pack, reader->warp, reader->warps * sizeof *reader->warp);
			reader->blocks_read++;
			return true;
		}
		if (!take_numbers(&reader->lines, "warp", 1, &warp))
			return expects(reader, "warp = N or #END_TB");
		if (!read_warp(reader, warp))
			return false;
	}
	return expects(reader, "#END_TB");
}

static bool read_blocks(struct reader *reader)
{
	do {
		if (*reader->lines.text != '#' || strncmp(reader->lines.text, "#BEGIN_TB", 9) != 0)
			return expects(reader, "#BEGIN_TB");
		if (!read_block(reader))
			return false;
	} while (next_line(reader));
	if (reader->diag->errors || reader->blocks_read == reader->blocks)
		return !reader->diag->errors;
	trace_error(&reader->lines, reader->diag, NULL,
	            "the file ends after %" PRIu64 " of the grid's %" PRIu64 " blocks", reader->blocks_read,
	            reader->blocks);
	return false;
}

/* --- a kernel --- */

static void prepare(struct reader *reader)
{
	struct trace_kernel *kernel = reader->kernel;
	const struct trace_header *header = &kernel->header;
	const struct dim3 *block = &header->block;
	reader->blocks = (uint64_t)header->grid.x * header->grid.y * header->grid.z;
	reader->warps = (block->x * block->y * block->z + WARP_SIZE - 1) / WARP_SIZE;
	reader->code = (struct trace_code){.arena = &kernel->arena, .isa = header->isa};
	reader->own_exit = UINT32_MAX;
	kernel->records = arena_alloc(&kernel->arena, sizeof *kernel->records);
	kernel->records->block_at = base_calloc(reader->blocks, sizeof *kernel->records->block_at);
	trace_pack_write(&reader->pack, "", 1); /* so that no record is at position NOWHERE */
}

static bool finish(struct reader *reader)
{
	struct trace_kernel *kernel = reader->kernel;
	struct trace_records *records = kernel->records;
	struct simt_program *program = &kernel->program;
	if (!trace_code_place(&reader->code, &reader->lines, program, reader->diag) ||
	    !trace_pack_map(&reader->pack, records, reader->diag))
		return false;
	records->index = arena_array(&kernel->arena, reader->code.count, sizeof *records->index);
	for (uint32_t i = 0; i < reader->code.count; i++)
		records->index[i] = reader->code.list[i]->index;
	uint64_t shared = kernel->header.shared_bytes;
	program->shared_bytes = (uint32_t)(reader->shared_end > shared ? reader->shared_end : shared);
	program->local_bytes = kernel->header.local_bytes;
	trace_ranges_merge(&kernel->header.memory);
	records->memory = &kernel->header.memory;
	replay_program(program, records, &kernel->arena);
	return true;
}

struct trace_kernel *trace_kernel_read(const char *path, struct diag *diag)
{
	struct reader *reader = base_calloc(1, sizeof *reader);
	struct trace_kernel *kernel = reader->kernel = base_calloc(1, sizeof *kernel);
	reader->diag = diag;
	bool fine = trace_lines_open(&reader->lines, path, diag) && trace_pack_open(&reader->pack, diag) &&
	            trace_header_read(&kernel->header, &reader->lines, &kernel->arena, diag);
	if (fine) {
		prepare(reader);
		fine = read_blocks(reader) && finish(reader);
	}
	trace_lines_close(&reader->lines);
	trace_pack_close(&reader->pack);
	trace_code_free(&reader->code);
	free(reader);
	if (fine)
		return kernel;
	trace_kernel_free(kernel);
	return NULL;
}

void trace_kernel_free(struct trace_kernel *kernel)
{
	if (!kernel)
		return;
	if (kernel->records) {
		trace_pack_unmap(kernel->records);
		free(kernel->records->block_at);
	}
	trace_ranges_free(&kernel->header.memory);
	arena_free(&kernel->arena);
	free(kernel);
}

char *trace_kernel_name(const char *path, struct diag *diag)
{
	struct trace_lines lines;
	struct trace_header header = {0};
	struct arena arena = {0};
	bool fine = trace_lines_open(&lines, path, diag) && trace_header_read(&header, &lines, &arena, diag);
	char *name = fine ? base_strdup(header.name) : NULL;
	trace_lines_close(&lines);
	trace_ranges_free(&header.memory);
	arena_free(&arena);
	return name;
}
