/* trace: what instructions did, from a file in place of a program's own computing: the format of Accel-Sim's traces of SASS
 * (docs/how-to/traces.md), and our own runs' in the same format.
 *
 * A kernel's trace becomes a struct simt_program, whose instructions take what they do from the records of their warps: a launch of it runs
 * on the machine as any other does. The text is read once, from one end to the other, and checked whole; what is kept of it lies packed in a
 * file without a name, of which the host has as much in memory as it wants.
 */
#ifndef SLUICE_TRACE_TRACE_H
#define SLUICE_TRACE_TRACE_H

#include "base/arena.h"
#include "base/diag.h"
#include "simt/simt.h"
#include "trace/opcodes.h"
#include "trace/ranges.h"

/* What a kernelslist.g asks for, in its order. */
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

/* Of a folder with a kernelslist.g, or of such a file. False after a message. Zero-initialise; trace_list_free() in any case. */
bool trace_list_read(struct trace_list *list, const char *path, struct diag *diag);
void trace_list_free(struct trace_list *list);

/* The first lines of a kernel's trace. */
struct trace_header {
	const char *name;
	uint32_t id;
	struct dim3 grid, block;
	uint32_t shared_bytes, registers, binary_version, tracer_version, has_lines;
	uint64_t stream, shared_base, local_base;
	/* Of our own traces. */
	uint32_t writer;      /* the format's version; 0: it is another's */
	uint64_t code;        /* where the program lay in the code space */
	uint32_t local_bytes; /* a thread */
	struct trace_ranges memory; /* allocations; of another's trace the pages that it accesses */
	enum trace_isa isa;   /* by binary_version and writer */
};

struct trace_records;

struct trace_kernel {
	struct arena arena;
	struct trace_header header;
	struct simt_program program; /* the caller sets program.kernel; what hangs on it is the arena's */
	struct trace_records *records;
	uint64_t instructions; /* of warps, in all */
};

/* Reads a kernel's trace: FILE.traceg, or compressed: FILE.traceg.zst, FILE.traceg.xz. NULL after a message. `isa` of its instructions is
 * found in it. */
struct trace_kernel *trace_kernel_read(const char *path, struct diag *diag);
void trace_kernel_free(struct trace_kernel *kernel);
/* The kernel's name alone, from malloc; NULL after a message. */
char *trace_kernel_name(const char *path, struct diag *diag);

enum { TRACE_WRITER_VERSION = 1 };

#endif
