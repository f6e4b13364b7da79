/* instruction_trace: runs kernels from instruction traces (trace/trace.h), and writes traces of simulated kernels. */
#ifndef SLUICE_API_INSTRUCTION_TRACE_H
#define SLUICE_API_INSTRUCTION_TRACE_H

#include "attach/error.h"
#include "simt/simt.h"
#include "trace/record.h"

struct seam_analyses;

/* launch.c: runs a kernel with a decoded program that computes nothing. */
enum sluice_status launch_replay(sluice_gpu *gpu, sluice_kernel *kernel, const struct simt_launch *launch,
                                 const struct seam_analyses *analyses, struct sluice_error *error);

/* Opens the folder for instruction traces of this run, which the settings name. */
enum sluice_status trace_out_open(sluice_gpu *gpu, const char *folder, struct sluice_error *error);
void trace_out_close(sluice_gpu *gpu);
/* Called before and after a launch. Both do nothing when no trace folder is open. */
enum sluice_status trace_out_begin(sluice_gpu *gpu, const sluice_kernel *kernel, struct simt_launch *launch,
                                   struct sluice_error *error);
enum sluice_status trace_out_end(struct simt_launch *launch, bool is_complete, struct sluice_error *error);

#endif
