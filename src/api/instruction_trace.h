/* instruction_trace: kernels that are traces of instructions (trace/trace.h), and traces of our own kernels. */
#ifndef SLUICE_API_INSTRUCTION_TRACE_H
#define SLUICE_API_INSTRUCTION_TRACE_H

#include "api/error.h"
#include "simt/simt.h"
#include "trace/record.h"

struct seam_analyses;

/* launch.c: runs a kernel whose program is there, and which computes nothing. */
enum sluice_status launch_replay(sluice_gpu *gpu, sluice_kernel *kernel, const struct simt_launch *launch,
                                 const struct seam_analyses *analyses, struct sluice_error *error);

/* The folder that the settings name for traces of what runs. */
enum sluice_status trace_out_open(sluice_gpu *gpu, const char *folder, struct sluice_error *error);
void trace_out_close(sluice_gpu *gpu);
/* Around a launch, where there is such a folder. */
enum sluice_status trace_out_begin(sluice_gpu *gpu, const sluice_kernel *kernel, struct simt_launch *launch,
                                   struct sluice_error *error);
enum sluice_status trace_out_end(struct simt_launch *launch, bool is_complete, struct sluice_error *error);

#endif
