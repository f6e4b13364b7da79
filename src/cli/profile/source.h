/* profile_source: a CUDA source beside what its lines have cost, as text or as a page. */
#ifndef SLUICE_CLI_PROFILE_SOURCE_H
#define SLUICE_CLI_PROFILE_SOURCE_H

#include <stdbool.h>

/* Of a profile by lines: the source file of that path (NULL: each that has lines in it). False after an error message in the name of `command`. */
bool profile_source_print(const char *command, const char *profile, const char *source, bool html);

#endif
