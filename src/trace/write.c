/* write: a block is written to the file when all blocks with lower numbers have been written. The file is therefore
 * independent of the machine and of the number of host threads. Blocks wait in memory until then; only few do,
 * because blocks begin in the order of their numbers. */
#include "trace/write.h"

#include "base/arena.h"
#include "simt/memory.h"
#include "trace/opcodes.h"
#include "trace/record.h"
#include "trace/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_ROOM = 1024, CODE_BYTES = 8, TRACER_VERSION = 5 };

struct trace_writer {
	char *folder;
	FILE *list;
	uint32_t kernels;
};

struct recorded_block {
	struct trace_recorder *recorder;
	uint64_t number;
	uint32_t warps, ended;
	struct recorded_block *next;  /* next in the list of blocks that wait or run */
	struct recorded_block **link; /* the pointer to this block, while it runs */
	struct recorded_text warp[];
};

struct trace_recorder {
	struct trace_writer *writer;
	const struct simt_launch *launch;
	char *path;
	FILE *file;
	char **fixed; /* by pc: words from the number of destinations to the width */
	pthread_mutex_t lock;
	uint64_t next;                  /* next block to be written */
	struct recorded_block *waiting; /* complete, sorted by number */
	struct recorded_block *running;
};

/* --- lines --- */

static char *room_for(struct recorded_text *text, size_t bytes)
{
	if (text->capacity - text->length < bytes) {
		text->capacity = 2 * text->capacity + bytes;
		text->text = base_realloc(text->text, text->capacity);
	}
	return text->text + text->length;
}

__attribute__((format(printf, 2, 3))) static void add(struct recorded_text *text, const char *format, ...)
{
	va_list arguments;
	char *to = room_for(text, LINE_ROOM);
	va_start(arguments, format);
	text->length += (size_t)vsnprintf(to, LINE_ROOM, format, arguments);
	va_end(arguments);
}

struct recorded_text *recorded_line(struct recorded_block *block, uint32_t warp, uint32_t pc, uint32_t lanes)
{
	struct recorded_text *text = &block->warp[warp];
	const struct simt_inst *inst = &block->recorder->launch->program->code[pc];
	add(text, "%" PRIu32 " %04" PRIx64 " %08" PRIx32 " %s", inst->ptx->source_line, (uint64_t)pc * CODE_BYTES,
	    lanes, block->recorder->fixed[pc]);
	text->lines++;
	return text;
}

/* Returns true when the lanes are contiguous and their addresses have a constant stride. */
static bool has_stride(uint32_t lanes, const uint64_t *address, int64_t *stride)
{
	unsigned first = lanes ? (unsigned)__builtin_ctz(lanes) : 0;
	uint32_t side_by_side = lanes >> first;
	*stride = 0;
	if (side_by_side & (side_by_side + 1))
		return false;
	for (unsigned i = first + 1; i < WARP_SIZE && lanes >> i & 1; i++) {
		int64_t step = (int64_t)(address[i] - address[i - 1]);
		if (i > first + 1 && step != *stride)
			return false;
		*stride = step;
	}
	return true;
}

void recorded_addresses(struct recorded_text *text, uint32_t lanes, const uint64_t *address)
{
	int64_t stride;
	uint64_t last = lanes ? address[__builtin_ctz(lanes)] : 0;
	if (has_stride(lanes, address, &stride)) {
		add(text, " 1 0x%" PRIx64 " %" PRId64, last, stride);
		return;
	}
	add(text, " 2 0x%" PRIx64, last);
	for (lanes &= lanes - 1; lanes; lanes &= lanes - 1) {
		uint64_t next = address[__builtin_ctz(lanes)];
		add(text, " %" PRId64, (int64_t)(next - last));
		last = next;
	}
}

void recorded_rest(struct recorded_text *text, uint32_t immediate, uint32_t lanes, uint32_t issued, bool whole)
{
	if (whole || lanes != issued)
		add(text, " %" PRIx32 " %08" PRIx32, immediate, issued);
	else if (immediate)
		add(text, " %" PRIx32, immediate);
}

void recorded_end(struct recorded_text *text)
{
	add(text, "\n");
}

/* --- words that all lines of an instruction have in common --- */

static void add_registers(struct recorded_text *text, const uint16_t *id, uint32_t ids, const uint16_t *bank,
                          uint32_t banks)
{
	add(text, "%u", ids + banks);
	for (uint32_t k = 0; k < ids; k++)
		add(text, " R%u", id[k]);
	for (uint32_t k = 0; k < banks; k++)
		add(text, " B%u", bank[k]);
}

static char *fixed_text(const struct simt_inst *inst)
{
	struct recorded_text text = {0};
	char opcode[160];
	struct simt_inst shown = *inst;
	shown.space = record_is_generic(inst) ? PTX_GENERIC : inst->space;
	trace_print_opcode(&shown, opcode, sizeof opcode);
	add_registers(&text, inst->write, inst->writes, inst->bank_write, inst->bank_writes);
	add(&text, " %s ", opcode);
	add_registers(&text, inst->read, inst->reads, inst->bank_read, inst->bank_reads);
	add(&text, " %u", record_has_addresses(inst) ? inst->size : 0u);
	return text.text;
}

static char **fixed_texts(const struct simt_program *program)
{
	char **fixed = base_calloc(program->count, sizeof *fixed);
	for (uint32_t pc = 0; pc < program->count; pc++)
		fixed[pc] = fixed_text(&program->code[pc]);
	return fixed;
}

/* --- blocks --- */

struct recorded_block *recorded_block_new(struct trace_recorder *recorder, uint64_t number, uint32_t warps)
{
	struct recorded_block *block = base_calloc(1, sizeof *block + warps * sizeof *block->warp);
	block->recorder = recorder;
	block->number = number;
	block->warps = warps;
	pthread_mutex_lock(&recorder->lock);
	block->link = &recorder->running;
	block->next = recorder->running;
	if (block->next)
		block->next->link = &block->next;
	recorder->running = block;
	pthread_mutex_unlock(&recorder->lock);
	return block;
}

static void free_block(struct recorded_block *block)
{
	for (uint32_t w = 0; w < block->warps; w++)
		free(block->warp[w].text);
	free(block);
}

static void write_block(const struct trace_recorder *recorder, struct recorded_block *block)
{
	const struct dim3 *grid = &recorder->launch->grid;
	fprintf(recorder->file, "\n#BEGIN_TB\n\nthread block = %" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
	        block->number % grid->x, block->number / grid->x % grid->y, block->number / grid->x / grid->y);
	for (uint32_t w = 0; w < block->warps; w++) {
		const struct recorded_text *text = &block->warp[w];
		fprintf(recorder->file, "\nwarp = %" PRIu32 "\ninsts = %" PRIu64 "\n", w, text->lines);
		fwrite(text->text, 1, text->length, recorder->file);
	}
	fputs("\n#END_TB\n", recorder->file);
	free_block(block);
}

static void stop_running(struct recorded_block *block)
{
	*block->link = block->next;
	if (block->next)
		block->next->link = block->link;
}

static void wait_for_turn(struct trace_recorder *recorder, struct recorded_block *block)
{
	struct recorded_block **place = &recorder->waiting;
	while (*place && (*place)->number < block->number)
		place = &(*place)->next;
	block->next = *place;
	*place = block;
	while (recorder->waiting && recorder->waiting->number == recorder->next) {
		struct recorded_block *first = recorder->waiting;
		recorder->waiting = first->next;
		recorder->next++;
		write_block(recorder, first);
	}
}

bool recorded_warp_done(struct recorded_block *block)
{
	struct trace_recorder *recorder = block->recorder;
	if (++block->ended < block->warps)
		return false;
	pthread_mutex_lock(&recorder->lock);
	stop_running(block);
	wait_for_turn(recorder, block);
	pthread_mutex_unlock(&recorder->lock);
	return true;
}

/* --- kernels --- */

static char *path_of(const struct trace_writer *writer, const char *name)
{
	char *path;
	if (asprintf(&path, "%s/%s", writer->folder, name) < 0)
		abort();
	return path;
}

static void cannot_write(struct diag *diag, const char *path)
{
	diag_plain(diag, "cannot write %s: %s", path, strerror(errno));
}

struct trace_writer *trace_writer_open(const char *folder, struct diag *diag)
{
	struct trace_writer *writer = base_calloc(1, sizeof *writer);
	writer->folder = base_strdup(folder);
	char *path = path_of(writer, "kernelslist.g");
	if (mkdir(folder, 0777) == 0 || errno == EEXIST)
		writer->list = fopen(path, "w");
	if (!writer->list) {
		cannot_write(diag, path);
		free(writer->folder);
		free(writer);
		writer = NULL;
	}
	free(path);
	if (writer)
		setvbuf(writer->list, NULL, _IOLBF, 0); /* the list stays valid even if the process dies */
	return writer;
}

void trace_writer_copy(struct trace_writer *writer, uint64_t address, uint64_t bytes)
{
	fprintf(writer->list, "MemcpyHtoD,0x%016" PRIx64 ",%" PRIu64 "\n", address, bytes);
}

bool trace_writer_close(struct trace_writer *writer, struct diag *diag)
{
	bool fine = !ferror(writer->list);
	fine = fclose(writer->list) == 0 && fine;
	if (!fine)
		cannot_write(diag, writer->folder);
	free(writer->folder);
	free(writer);
	return fine;
}

static void write_memory(FILE *file, const struct simt_memory *memory)
{
	const struct simt_allocation *allocation = simt_next(memory, 0);
	for (; allocation; allocation = simt_next(memory, allocation->address))
		fprintf(file, "-sluice memory = 0x%" PRIx64 ",%" PRIu64 "\n", allocation->address, allocation->size);
}

static void write_header(const struct trace_recorder *recorder, const char *name, uint32_t registers)
{
	const struct simt_launch *launch = recorder->launch;
	const struct dim3 *grid = &launch->grid, *block = &launch->block;
	FILE *file = recorder->file;
	fprintf(file, "-kernel name = %s\n-kernel id = %" PRIu32 "\n", name, recorder->writer->kernels);
	fprintf(file, "-grid dim = (%u,%u,%u)\n-block dim = (%u,%u,%u)\n", grid->x, grid->y, grid->z, block->x,
	        block->y, block->z);
	fprintf(file, "-shmem = %u\n-nregs = %u\n-binary version = 0\n-cuda stream id = 0\n",
	        launch->program->shared_bytes + launch->dynamic_shared_bytes, registers);
	fprintf(file, "-shmem base_addr = 0x%016llx\n-local mem base_addr = 0x%016llx\n",
	        (unsigned long long)SIMT_SHARED_WINDOW, (unsigned long long)SIMT_LOCAL_WINDOW);
	fprintf(file, "-nvbit version = none\n-accelsim tracer version = %d\n-enable lineinfo = 1\n", TRACER_VERSION);
	fprintf(file, "-sluice version = %d\n-sluice code = %" PRIu64 "\n-sluice local bytes = %u\n",
	        TRACE_WRITER_VERSION, launch->code, launch->program->local_bytes);
	write_memory(file, launch->memory);
	fputs("\n#traces format = line_num PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
	      "[adrrescompress?] "
	      "[mem_addresses] immediate [active [copied_to]]\n",
	      file);
}

const char *trace_cannot_record(const struct simt_program *program)
{
	if (program->has_dma)
		return "moves data by DMA";
	if (program->has_bulk)
		return "moves data by bulk copies";
	if (program->has_arrivals) /* only the machine knows when they arrive and which phase they end */
		return "has asynchronous copies that arrive at mbarriers (-o sm.async_copies=false replaces copies by "
		       "loads and stores)";
	return NULL;
}

struct trace_recorder *trace_recorder_begin(struct trace_writer *writer, const struct simt_launch *launch,
                                            const char *name, uint32_t registers, struct diag *diag)
{
	char file[48];
	const char *reason = trace_cannot_record(launch->program);
	if (reason) {
		diag_plain(diag, "kernel '%s' %s, which instruction traces cannot record", name, reason);
		return NULL;
	}
	struct trace_recorder *recorder = base_calloc(1, sizeof *recorder);
	recorder->writer = writer;
	recorder->launch = launch;
	snprintf(file, sizeof file, "kernel-%" PRIu32 ".traceg", ++writer->kernels);
	recorder->path = path_of(writer, file);
	recorder->file = fopen(recorder->path, "w");
	if (!recorder->file) {
		cannot_write(diag, recorder->path);
		free(recorder->path);
		free(recorder);
		return NULL;
	}
	pthread_mutex_init(&recorder->lock, NULL);
	recorder->fixed = fixed_texts(launch->program);
	write_header(recorder, name, registers);
	return recorder;
}

static void free_blocks(struct recorded_block *block)
{
	for (struct recorded_block *next; block; block = next) {
		next = block->next;
		free_block(block);
	}
}

bool trace_recorder_end(struct trace_recorder *recorder, bool is_complete, struct diag *diag)
{
	bool fine = !ferror(recorder->file);
	fine = fclose(recorder->file) == 0 && fine;
	if (!fine)
		cannot_write(diag, recorder->path);
	if (fine && is_complete)
		fprintf(recorder->writer->list, "kernel-%" PRIu32 ".traceg\n", recorder->writer->kernels);
	else
		unlink(recorder->path);
	free_blocks(recorder->waiting);
	free_blocks(recorder->running);
	for (uint32_t pc = 0; pc < recorder->launch->program->count; pc++)
		free(recorder->fixed[pc]);
	free(recorder->fixed);
	free(recorder->path);
	pthread_mutex_destroy(&recorder->lock);
	free(recorder);
	return fine;
}
