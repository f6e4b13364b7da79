/* source_file: what the commands that look into CUDA sources share. */
#ifndef SLUICE_CLI_SOURCE_FILE_H
#define SLUICE_CLI_SOURCE_FILE_H

#include "cuda_source/source.h"

#include <limits.h>

/* Options for source_analyze(): our CUDA headers and the compiler that the environment names. `toolkit` has room for
 * PATH_MAX bytes and must outlive them. False after an error message. */
bool cli_source_options(const char *command, char *toolkit, struct source_options *options);

#endif
