/* config_file: YAML (or NAME=VALUE pairs) into a configuration struct, by an option table.
 *
 * The file is a tree of mappings whose paths, joined by dots, are option names: `l1d: {sets: 32}` sets "l1d.sets".
 * Unknown keys, repeated keys, values out of range and lists are errors with line and column.
 * A file may begin with `base: OTHER`, which is loaded first, so that a machine is written as its difference from
 * another: a path, from the file's own folder, or a name, OTHER.yaml in that folder.
 */
#ifndef SLUICE_BASE_CONFIG_FILE_H
#define SLUICE_BASE_CONFIG_FILE_H

#include "base/diag.h"
#include "base/table.h"

/* Reads the file at `path` into `config`. Returns false when diag got errors. */
bool config_file_read(const char *path, const struct base_option *table, size_t count, void *config, struct diag *diag);

/* The same for a file that, with its bases, must set every option. Bases that are not in the file's folder are
 * searched in the folders (NULL-terminated). */
bool config_file_read_whole(const char *path, const char *const *folders, const struct base_option *table, size_t count,
                            void *config, struct diag *diag);

/* Applies "KEY=VALUE". Returns false when diag got errors. */
bool config_assign(const char *assignment, const struct base_option *table, size_t count, void *config, struct diag *diag);

/* Writes all options as YAML, nested by the dots of their names. */
void config_file_write(FILE *file, const struct base_option *table, size_t count, const void *config);

#endif
