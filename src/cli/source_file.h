/* source_file: what the commands that look into CUDA sources share. */
#ifndef SLUICE_CLI_SOURCE_FILE_H
#define SLUICE_CLI_SOURCE_FILE_H

#include "cuda_source/source.h"

#include <limits.h>

/* A source as the analyzer gets to see it, as `sluice cc` shows it to clang, with launches in device code as calls; and options for
 * source_analyze(): our CUDA headers and the compiler that the environment names. */
struct cli_source {
	struct source_options options;
	char toolkit[PATH_MAX];
	struct mended_copies *copies;
};

/* With flags for the compiler (-I, -D), NULL-terminated, or NULL. False after an error message; then nothing is to be closed. */
bool cli_source_open(struct cli_source *source, const char *command, const char *file, const char *const *flags);
void cli_source_close(struct cli_source *source);

#endif
