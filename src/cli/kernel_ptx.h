/* kernel_ptx: reads PTX from CUDA source or a PTX file, and finds kernels in it. */
#ifndef SLUICE_CLI_KERNEL_PTX_H
#define SLUICE_CLI_KERNEL_PTX_H

#include "ptx/module.h"

/* Reads a PTX file, or compiles NAME.cu as 'sluice cc --ptx' does, with additional `flags` (NULL-terminated, or NULL).
 * Returns 0 and the text in *text, to be freed. After messages returns an exit status, with *text NULL. */
int cli_read_ptx_text(const char *command, const char *file, const char *const *flags, char **text, size_t *length);

/* Reads and parses. Returns 0 and *module, to be freed with ptx_free(). After messages returns an exit status, with
 * *module NULL. */
int cli_read_ptx(const char *command, const char *file, const char *const *flags, struct ptx_module **module);

/* Returns the kernel with that name in PTX or in C++; NULL: none. */
const struct ptx_function *cli_find_kernel(const struct ptx_module *module, const char *name);

#endif
