/* inputs: the working folder of a user's program with named input files: it contains these files and nothing else. */
#ifndef SLUICE_LAB_INPUTS_H
#define SLUICE_LAB_INPUTS_H

#include "base/document.h"


/* Creates such a folder among the host's temporary files; its name contains `id`. Returns its path, to be freed, or
 * NULL with errno set. */
char *inputs_lay_new(const char *id, const struct words *files);

/* Copies the files into a folder, with the same names, for a later run. Returns false with errno set. */
bool inputs_copy(const char *folder, const struct words *files);

/* Removes the folder with its contents. */
void inputs_remove(const char *folder);

#endif
