/* cuda_program: whether a program can meet our runtime at all. */
#ifndef SLUICE_CLI_CUDA_PROGRAM_H
#define SLUICE_CLI_CUDA_PROGRAM_H

#include <stdbool.h>

/* False for a compiled program that names libcudart.so nowhere, nor does a library that it loads: it was built without CUDA's
 * runtime, or with that inside it. True where that is not known: a script, and a program called by its bare name, which
 * mostly is one that starts others (sh, env, timeout). */
bool cuda_program_meets_runtime(const char *program);

#endif
