/* seam_snapshot: what the mechanisms and the seam keep from one kernel to the next (base/snapshot.h), and the counters
 * of the last kernel. */
#include "seam/seam_snapshot.h"

#include "seam/private.h"

#include <assert.h>
#include <stdlib.h>

bool seam_can_keep(const struct mech *mech)
{
	bool has_state = mech->gpu_size || mech->sm_size || mech->partition_size;
	return !has_state || mech->forgets || mech->gpu_keep || mech->sm_keep || mech->partition_keep;
}

static void keep_bytes(void *host, void *bytes, size_t size)
{
	snapshot_bytes(host, bytes, size);
}

static struct mech_kept kept_in(struct snapshot *snapshot)
{
	return (struct mech_kept){.restores = snapshot->restores, .host = snapshot, .bytes = keep_bytes};
}

static void account_snapshot(struct seam_account *account, const struct seam *seam, const struct mech *mech,
                             struct snapshot *snapshot)
{
	snapshot_value(snapshot, account->all);
	if (!mech->sends)
		return;
	if (snapshot->restores) {
		free(account->by_pc);
		account->by_pc = base_calloc(seam->kernel[0].launch.instructions, sizeof *account->by_pc);
	}
	snapshot_array(snapshot, account->by_pc, seam->kernel[0].launch.instructions, sizeof *account->by_pc);
}

static void counters_snapshot(void *stats, struct output *output, const struct seam *seam, uint32_t number,
                              struct snapshot *snapshot)
{
	const struct mech *mech = seam->attached[number].mech;
	snapshot_bytes(snapshot, stats, mech->stats_size);
	if (output->value)
		snapshot_array(snapshot, output->value, seam->layout[number].room, sizeof *output->value);
}

static void gpu_part_snapshot(struct seam *seam, uint32_t number, struct snapshot *snapshot)
{
	struct mech_gpu *part = &seam->gpu.part[number];
	struct mech_kept kept = kept_in(snapshot);
	counters_snapshot(part->stats, &seam->gpu.output[number], seam, number, snapshot);
	if (part->mech->gpu_keep)
		part->mech->gpu_keep(part, &kept);
}

static void sm_part_snapshot(struct seam_sm *sm, uint32_t number, struct snapshot *snapshot)
{
	struct mech_sm *part = &sm->part[number];
	struct mech_kept kept = kept_in(snapshot);
	counters_snapshot(part->stats, &sm->output[number], sm->seam, number, snapshot);
	account_snapshot(&sm->account[number], sm->seam, part->mech, snapshot);
	if (part->mech->sm_keep)
		part->mech->sm_keep(part, &kept);
}

static void partition_part_snapshot(struct seam_partition *partition, uint32_t number, struct snapshot *snapshot)
{
	struct mech_partition *part = &partition->part[number];
	struct mech_kept kept = kept_in(snapshot);
	counters_snapshot(part->stats, &partition->output[number], partition->seam, number, snapshot);
	account_snapshot(&partition->account[number], partition->seam, part->mech, snapshot);
	if (part->mech->partition_keep)
		part->mech->partition_keep(part, &kept);
}

/* The buffer in front of L1 is empty. */
static void buffer_snapshot(struct line_buffer *buffer, struct snapshot *snapshot)
{
	snapshot_value(snapshot, buffer->ways);
	snapshot_value(snapshot, buffer->uses);
}

static void sm_snapshot(struct seam_sm *sm, struct snapshot *snapshot)
{
	assert(!sm->queued && !sm->dispatched && !sm->resident && !sm->coming);
	snapshot_value(snapshot, sm->shared_vetoed_by);
	snapshot_value(snapshot, sm->competing);
	snapshot_value(snapshot, sm->holders);
	snapshot_value(snapshot, sm->live);
	snapshot_value(snapshot, sm->warp_holders);
	snapshot_value(snapshot, sm->vetoed_by);
	snapshot_value(snapshot, sm->wake);
	snapshot_value(snapshot, sm->has_news);
	if (sm->has_buffer)
		buffer_snapshot(&sm->buffer, snapshot);
}

static void gpu_snapshot(struct seam_gpu *gpu, struct snapshot *snapshot)
{
	assert(!gpu->queued);
	snapshot_value(snapshot, gpu->preference);
	snapshot_value(snapshot, gpu->wake);
	snapshot_value(snapshot, gpu->first_wake);
	snapshot_value(snapshot, gpu->vetoed_by);
	snapshot_value(snapshot, gpu->kept_open_by);
}

/* Hooks of the GPU's parts run as at a kernel's end: they may touch every part. */
void seam_snapshot(struct seam *seam, struct snapshot *snapshot)
{
	gpu_snapshot(&seam->gpu, snapshot);
	for (uint32_t s = 0; s < seam->machine.sms; s++) {
		sm_snapshot(&seam->sm[s], snapshot);
		for (uint32_t i = 0; i < seam->count; i++)
			sm_part_snapshot(&seam->sm[s], i, snapshot);
	}
	for (uint32_t s = 0; s < seam->machine.partitions; s++) {
		snapshot_value(snapshot, seam->partition[s].serves_none);
		for (uint32_t i = 0; i < seam->count; i++)
			partition_part_snapshot(&seam->partition[s], i, snapshot);
	}
	for (uint32_t i = 0; i < seam->count; i++)
		gpu_part_snapshot(seam, i, snapshot);
}
