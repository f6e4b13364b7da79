/* record: what a run's warps do, written as a trace that reads back to the same cycles (docs/how-to/traces.md). */
#ifndef SLUICE_TRACE_RECORD_H
#define SLUICE_TRACE_RECORD_H

#include "base/diag.h"
#include "simt/simt.h"

struct trace_writer;
struct trace_recorder;

/* Makes the program's instructions tell launch->recorder what they do, where there is one. Once. */
void trace_record_program(struct simt_program *program);

/* A folder, which is made if need be, with an empty kernelslist.g. NULL after a message. */
struct trace_writer *trace_writer_open(const char *folder, struct diag *diag);
void trace_writer_copy(struct trace_writer *writer, uint64_t address, uint64_t bytes);
/* Keeps errors to the end: false after a message. */
bool trace_writer_close(struct trace_writer *writer, struct diag *diag);

/* A launch of a program that records, whose memory is there, with its kernel's name and registers a thread. `launch` lives until the end; the caller makes the result its
 * recorder. NULL after a message: traces have no form for what the program does. */
struct trace_recorder *trace_recorder_begin(struct trace_writer *writer, const struct simt_launch *launch,
                                            const char *name, uint32_t registers, struct diag *diag);
/* Of one that did not run to its end no trace is left. False after a message. */
bool trace_recorder_end(struct trace_recorder *recorder, bool is_complete, struct diag *diag);

#endif
