/* trace: instruction traces: the recorded effects of instructions replace computation. The format is that of
 * Accel-Sim's traces of SASS (docs/how-to/traces.md). Sluice writes its own runs in the same format.
 *
 * A kernel's trace becomes a struct simt_program whose instructions take their effects from the records of their
 * warps. A launch of it runs on the machine like any other. The text is read once, sequentially, and checked
 * completely. The records are packed into an unnamed file, which the host caches in memory.
 */
#ifndef SLUICE_TRACE_TRACE_H
#define SLUICE_TRACE_TRACE_H

#include "base/arena.h"
#include "base/diag.h"
#include "simt/simt.h"
#include "trace/opcodes.h"
#include "trace/ranges.h"

/* An action of kernelslist.g, in its order. */
struct trace_command {
	enum { TRACE_COPY, TRACE_LAUNCH } kind;
	uint64_t address, bytes; /* of a copy to the device */
	const char *path;        /* of a kernel's trace */
};

struct trace_list {
	struct arena arena;
	struct trace_command *command;
	size_t count, capacity;
};

/* Reads the kernelslist.g of a folder, or such a file itself. Zero-initialize `list` before, and call
 * trace_list_free() in any case. Returns false after a message. */
bool trace_list_read(struct trace_list *list, const char *path, struct diag *diag);
void trace_list_free(struct trace_list *list);

/* The first lines of a kernel's trace. */
struct trace_header {
	const char *name;
	uint32_t id;
	struct dim3 grid, block;
	uint32_t shared_bytes, registers, binary_version, tracer_version, has_lines;
	uint64_t stream, shared_base, local_base;
	/* Only in Sluice's own traces: */
	uint32_t writer;      /* version of the format; 0: written by another tool */
	uint64_t code;        /* position of the program in the code space */
	uint32_t local_bytes; /* per thread */
	struct trace_ranges memory; /* allocations; for traces of other tools the pages accessed */
	enum trace_isa isa;   /* from binary_version and writer */
};

struct trace_records;

struct trace_kernel {
	struct arena arena;
	struct trace_header header;
	struct simt_program program; /* the caller sets program.kernel; the arena owns its memory */
	struct trace_records *records;
	uint64_t instructions; /* total number of warp instructions */
};

/* Reads a kernel's trace: FILE.traceg, or compressed: FILE.traceg.zst, FILE.traceg.xz. The trace itself determines
 * its instruction set. Returns NULL after a message. */
struct trace_kernel *trace_kernel_read(const char *path, struct diag *diag);
void trace_kernel_free(struct trace_kernel *kernel);
/* Returns only the kernel's name, allocated by malloc. Returns NULL after a message. */
char *trace_kernel_name(const char *path, struct diag *diag);

enum { TRACE_WRITER_VERSION = 1 };

#endif
