/* sized: public structures that begin with their size, so that programs compiled with an older or newer header work. */
#ifndef SLUICE_ATTACH_SIZED_H
#define SLUICE_ATTACH_SIZED_H

#include "sluice.h"

/* Copies an input, which begins with its size, into `known`, a structure of this library of `size` bytes. Members that
 * the input lacks become zero. Fails when its size is 0 or when a member that this library lacks is not zero. `what`
 * names the structure in the message: "settings". */
enum sluice_status sized_read(void *known, size_t size, const void *input, const char *what,
                              struct sluice_error *error);
/* Copies `value`, a structure of this library of `size` bytes, to the user's `result`, up to the size that it has;
 * members that this library lacks become zero. False: that size is 0. */
bool sized_write(void *result, const void *value, size_t size);
/* The status of a call after sized_write() has failed for struct sluice_`what`. */
enum sluice_status sized_refuse(const char *what, struct sluice_error *error);

#endif
