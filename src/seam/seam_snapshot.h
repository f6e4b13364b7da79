/* seam_snapshot: the mechanisms' part of a snapshot (base/snapshot.h). */
#ifndef SLUICE_SEAM_SEAM_SNAPSHOT_H
#define SLUICE_SEAM_SEAM_SNAPSHOT_H

#include "base/snapshot.h"
#include "seam/seam.h"

/* True when the mechanism keeps nothing from one kernel to the next, or has hooks for what it keeps. */
bool seam_can_keep(const struct mech *mech);

/* Saves it after a kernel, or restores it after seam_launch() of that kernel. Then seam_restored() follows. */
void seam_snapshot(struct seam *seam, struct snapshot *snapshot);
void seam_restored(struct seam *seam);

#endif
