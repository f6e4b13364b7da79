/* kernel_ptx: the PTX of CUDA source or of a PTX file, and kernels in it. */
#ifndef SLUICE_CLI_KERNEL_PTX_H
#define SLUICE_CLI_KERNEL_PTX_H

#include "ptx/module.h"

/* Reads the file, NAME.cu as 'sluice cc --ptx' compiles it with these flags more, NULL-terminated, or NULL. Returns 0, or an
 * exit status after messages, when *text is NULL; free() it else. */
int cli_read_ptx_text(const char *command, const char *file, const char *const *flags, char **text, size_t *length);

/* The same, parsed: *module is NULL after messages; ptx_free() it else. */
int cli_read_ptx(const char *command, const char *file, const char *const *flags, struct ptx_module **module);

/* The kernel that has the name in PTX or in C++; NULL where there is none. */
const struct ptx_function *cli_find_kernel(const struct ptx_module *module, const char *name);

#endif
