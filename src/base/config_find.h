/* config_find: maps a configuration's name to its file. */
#ifndef SLUICE_BASE_CONFIG_FIND_H
#define SLUICE_BASE_CONFIG_FIND_H

#include <stdbool.h>
#include <stddef.h>

enum { CONFIG_NAME_SIZE = 128 };

/* True for the path of a file: a name that contains a slash or ends in ".yaml". */
bool config_is_path(const char *name);

/* NAME.yaml in the first of the folders (NULL-terminated) that has it, from malloc; NULL when none has. */
char *config_find(const char *name, const char *const *folders);

/* Writes the name of the file in the folders that is nearest to `name`, for "did you mean"; "" when none is near. */
void config_nearest(const char *name, const char *const *folders, char nearest[CONFIG_NAME_SIZE]);

#endif
