/* source: prints a CUDA source with the costs of its lines, as text or as an HTML page. */
#ifndef SLUICE_CLI_PROFILE_SOURCE_H
#define SLUICE_CLI_PROFILE_SOURCE_H

#include <stdbool.h>

/* Prints the source file of that path, or all that have lines in the profile (NULL). Returns false after a message in
 * the name of `command`. */
bool profile_source_print(const char *command, const char *profile, const char *source, bool html);

#endif
