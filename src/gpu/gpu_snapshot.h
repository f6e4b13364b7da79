/* gpu_snapshot: the machine's state after a kernel, with the kernel's counters (base/snapshot.h). */
#ifndef SLUICE_GPU_GPU_SNAPSHOT_H
#define SLUICE_GPU_GPU_SNAPSHOT_H

#include "base/snapshot.h"
#include "gpu/gpu.h"

/* Appends it to the snapshot, after a kernel that ran to its end. */
void gpu_save(struct gpu *gpu, struct snapshot *snapshot);
/* Reopens the machine in the state that the snapshot has next, which is that after `run`: run->launch must describe the
 * launch. Returns false when the snapshot ends too early; the next kernel then begins on a new machine. */
bool gpu_restore(struct gpu *gpu, const struct gpu_run *run, struct snapshot *snapshot);

#endif
