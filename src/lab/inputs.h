/* inputs: the folder in which a program of the user's own runs when its input files are named: they are in it, and nothing else. */
#ifndef SLUICE_LAB_INPUTS_H
#define SLUICE_LAB_INPUTS_H

#include "base/document.h"

/* Makes the folder of that name, new, with links to the files: paths in pairs with what they are called there. False with errno
 * set. */
bool inputs_lay(const char *folder, const struct words *files);

/* The same in a new folder of the host's own, whose name has `id` in it: from malloc, NULL with errno set. */
char *inputs_lay_new(const char *id, const struct words *files);

/* A copy of the files under a folder by the same names, for who reads them later. False with errno set. */
bool inputs_copy(const char *folder, const struct words *files);

/* Takes the folder away with all that is in it. */
void inputs_remove(const char *folder);

#endif
