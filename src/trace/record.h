/* record: writes an instruction trace of a run. Replaying the trace takes the same cycles (docs/how-to/traces.md). */
#ifndef SLUICE_TRACE_RECORD_H
#define SLUICE_TRACE_RECORD_H

#include "base/diag.h"
#include "simt/simt.h"

struct trace_writer;
struct trace_recorder;

/* Makes the program's instructions report to launch->recorder, if it is set. Call it once per program. */
void trace_record_program(struct simt_program *program);

/* Opens a folder, creates it if necessary, and writes an empty kernelslist.g. Returns NULL after a message. */
struct trace_writer *trace_writer_open(const char *folder, struct diag *diag);

/* Adds a copy to the device to kernelslist.g. */
void trace_writer_copy(struct trace_writer *writer, uint64_t address, uint64_t bytes);
/* Closes the writer and reports errors of all writes. Returns false after a message. */
bool trace_writer_close(struct trace_writer *writer, struct diag *diag);

/* Returns what a program does that no line of a trace can express, or NULL. */
const char *trace_cannot_record(const struct simt_program *program);
/* Begins the trace of a launch whose program records and whose memory exists. `name` and `registers` (per thread)
 * are the kernel's. `launch` must live until the end; the caller sets its recorder to the result. Returns NULL
 * after a message: a trace cannot express what the program does, or the file cannot be created. */
struct trace_recorder *trace_recorder_begin(struct trace_writer *writer, const struct simt_launch *launch,
                                            const char *name, uint32_t registers, struct diag *diag);
/* Ends the trace. The trace of a launch that did not complete is deleted. Returns false after a message. */
bool trace_recorder_end(struct trace_recorder *recorder, bool is_complete, struct diag *diag);

#endif
