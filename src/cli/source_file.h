/* source_file: opens CUDA sources for the commands that analyze them. */
#ifndef SLUICE_CLI_SOURCE_FILE_H
#define SLUICE_CLI_SOURCE_FILE_H

#include "cuda_source/source.h"

#include <limits.h>

/* A source as shown to the analyzer: rewritten as `sluice cc` does for clang, with launches in device code as calls.
 * Also the options for source_analyze(): our CUDA headers, and the compiler that the environment names. */
struct cli_source {
	struct source_options options;
	char toolkit[PATH_MAX];
	struct rewritten_copies *copies;
};

/* `flags`: for the compiler (-I, -D), NULL-terminated, or NULL. Returns false after a message; then nothing needs to be
 * closed. */
bool cli_source_open(struct cli_source *source, const char *command, const char *file, const char *const *flags);
void cli_source_close(struct cli_source *source);

#endif
