/* gpu_snapshot: the machine's state after a kernel, and a machine that is reopened in that state. */
#include "gpu/gpu_snapshot.h"

#include "gpu/session.h"
#include "gpu/wiring.h"
#include "memory/memory_snapshot.h"
#include "seam/seam_snapshot.h"
#include "sm/sm_snapshot.h"

static void clocks_snapshot(struct gpu *gpu, struct snapshot *snapshot)
{
	static const struct snapshot_own own[] = {SNAPSHOT_OWN(struct reply_side, outbox)};
	snapshot_value(snapshot, gpu->clock);
	snapshot_value(snapshot, gpu->now);
	snapshot_value(snapshot, gpu->step);
	snapshot_value(snapshot, gpu->last_ticked);
	snapshot_value(snapshot, gpu->kernels);
	snapshot_value(snapshot, gpu->last_sm);
	snapshot_all_but(snapshot, &gpu->reply_side, own);
}

static void machine_snapshot(struct gpu *gpu, struct snapshot *snapshot)
{
	clocks_snapshot(gpu, snapshot);
	for (uint32_t i = 0; i < gpu->machine.sms; i++)
		sm_snapshot(&gpu->sm[i], snapshot);
	for (uint32_t i = 0; i < gpu->clusters; i++)
		cluster_snapshot(&gpu->cluster[i], snapshot);
	crossbar_snapshot(&gpu->to_slices, snapshot);
	crossbar_snapshot(&gpu->to_sms, snapshot);
	for (uint32_t i = 0; i < gpu->slices; i++)
		slice_snapshot(&gpu->slice[i], snapshot);
	for (uint32_t i = 0; i < gpu->machine.map.channels; i++)
		dram_snapshot(&gpu->channel[i], snapshot);
	seam_snapshot(gpu->seam, snapshot);
}

void gpu_save(struct gpu *gpu, struct snapshot *snapshot)
{
	assert(!snapshot->restores && !gpu->has_unfinished_work);
	machine_snapshot(gpu, snapshot);
}

bool gpu_restore(struct gpu *gpu, const struct gpu_run *run, struct snapshot *snapshot)
{
	assert(snapshot->restores);
	wiring_tear_down(gpu);
	wiring_build(gpu);
	session_show_launch(gpu, run);
	machine_snapshot(gpu, snapshot);
	seam_restored(gpu->seam);
	gpu->has_unfinished_work = snapshot->is_short;
	return !snapshot->is_short;
}
