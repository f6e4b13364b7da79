/* keep_all: hooks for mechanisms whose states have no pointers: everything is kept from one kernel to the next. */
#ifndef SLUICE_TESTS_MECH_KEEP_ALL_H
#define SLUICE_TESTS_MECH_KEEP_ALL_H

#include "seam/mech.h"

static inline void keep_all_of_gpu(struct mech_gpu *gpu, struct mech_kept *kept)
{
	mech_keep(kept, gpu->state, gpu->mech->gpu_size);
}

static inline void keep_all_of_sm(struct mech_sm *sm, struct mech_kept *kept)
{
	mech_keep(kept, sm->state, sm->mech->sm_size);
}

static inline void keep_all_of_partition(struct mech_partition *partition, struct mech_kept *kept)
{
	mech_keep(kept, partition->state, partition->mech->partition_size);
}

#define KEEP_ALL .gpu_keep = keep_all_of_gpu, .sm_keep = keep_all_of_sm, .partition_keep = keep_all_of_partition

#endif
