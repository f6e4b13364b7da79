/* trace: runs kernels of which there is a trace of instructions and no program (docs/how-to/traces.md), on the machine that the program's own kernels
 * would run on: what 'sluice run --trace-in' does.
 *
 * path: a folder with a kernelslist.g, or such a file. kernel: those of its kernels that run, by their number in the list ("3", "2-5") or by name;
 * NULL: all.
 *
 * cudaErrorInvalidValue: no path. cudaErrorInvalidSource: a file that cannot be read, of which a message says the line.
 * cudaErrorInitializationError: the machine has mechanisms or settings that need a program.
 */
#ifndef SLUICE_CUDA_TRACE_H
#define SLUICE_CUDA_TRACE_H

#include "macros_off.h"

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

cudaError_t cudaRunTrace(const char *path, const char *kernel);

#ifdef __cplusplus
}
#endif
#include "macros_on.h"

#endif
