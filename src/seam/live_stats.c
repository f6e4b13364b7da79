/* live_stats: the services that show live statistics to mechanisms. */
#include "seam/private.h"

void seam_look_at_sm(struct mech_sm *part, struct mech_sm_live_stats *live)
{
	const struct seam_sm *sm = part->host;
	*live = (struct mech_sm_live_stats){0};
	if (!seam_in_kernel(part, "mech_look_at_sm"))
		return;
	sm->look_at_sm(sm->host, sm->seam->gpu.dispatching, live);
	live->mechanism_requests = sm->queued;
}

void seam_look_at_partition(struct mech_partition *part, struct mech_partition_live_stats *live)
{
	const struct seam_partition *partition = part->host;
	enum seam_phase phase = seam_kernel_of(partition->seam, part->number)->phase;
	*live = (struct mech_partition_live_stats){0};
	if (phase == SEAM_BEGINNING || phase == SEAM_RUNNING)
		partition->look(partition->host, part->slice, live);
	else
		seam_wrong_partition(part, "mech_look_at_partition() while no kernel runs");
}
