/* inner: what the files of this room share. */
#ifndef SLUICE_SEAM_INNER_H
#define SLUICE_SEAM_INNER_H

#include "seam/seam.h"

extern const struct mech_services seam_services; /* requests.c */

#endif
