/* sm_snapshot: what an SM and a cluster keep from one kernel to the next (base/snapshot.h). No block is resident and
 * nothing is in flight, so queues, latches and rings of instructions are empty. */
#ifndef SLUICE_SM_SM_SNAPSHOT_H
#define SLUICE_SM_SM_SNAPSHOT_H

#include "base/snapshot.h"
#include "sm/cluster.h"
#include "sm/sm.h"

void sm_snapshot(struct sm *sm, struct snapshot *snapshot);
void cluster_snapshot(struct cluster *cluster, struct snapshot *snapshot);

#endif
