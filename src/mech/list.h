/* list: the built-in mechanisms, one per subfolder. CMake generates the definition from the folder names. */
#ifndef SLUICE_MECH_LIST_H
#define SLUICE_MECH_LIST_H

#include "seam/mech.h"

extern const struct mech *const mech_list[];
extern const size_t mech_list_count;

#endif
