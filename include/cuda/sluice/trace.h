/* trace: runs kernels from an instruction trace, without a program (docs/how-to/traces.md), as 'sluice run --trace-in'
 * does. They run on the machine of the program's own kernels.
 *
 * path: a folder with a kernelslist.g, or such a file. kernel: selects kernels by their number in the list ("3", "2-5")
 * or by name; NULL: all.
 *
 * cudaErrorInvalidValue: path is missing. cudaErrorInvalidSource: a file cannot be read; a message names the line.
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
