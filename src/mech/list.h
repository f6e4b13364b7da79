/* list: the mechanisms that are built in, one a folder of this one; CMake makes the list of the folders' names. */
#ifndef SLUICE_MECH_LIST_H
#define SLUICE_MECH_LIST_H

#include "seam/mech.h"

extern const struct mech *const mech_list[];
extern const size_t mech_list_count;

#endif
