/* inner: what the files of this room share. */
#ifndef SLUICE_SEAM_INNER_H
#define SLUICE_SEAM_INNER_H

#include "seam/seam.h"

extern const struct mech_services seam_services; /* requests.c */

/* requests.c: true while a kernel runs; else it is a mistake to call the service. */
bool seam_in_kernel(const struct mech_sm *part, const char *service);

/* warps.c: services. */
void seam_hold_warp(struct mech_sm *part, uint32_t slot);
void seam_wake_warp(struct mech_sm *part, uint32_t slot);
void seam_look_at_warp(struct mech_sm *part, uint32_t slot, struct mech_warp *warp);

/* mistake.c: a hook has returned, or asks for, what makes no sense. The machine goes on safely until it is stopped. */
__attribute__((format(printf, 2, 3))) void seam_wrong(const struct mech_sm *part, const char *format, ...);
__attribute__((format(printf, 2, 3))) void seam_wrong_partition(const struct mech_partition *part, const char *format,
                                                                ...);
__attribute__((format(printf, 2, 3))) void seam_wrong_gpu(const struct mech_gpu *part, const char *format, ...);

#endif
