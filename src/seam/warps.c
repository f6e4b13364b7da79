/* warps: the services by which mechanisms inspect and control warps. */
#include "seam/private.h"

static bool is_slot(const struct mech_sm *part, const char *service, uint32_t slot)
{
	uint32_t warps = part->machine->warps;
	if (slot < warps)
		return true;
	seam_wrong(part, "%s(): warp slot %u; the SM has %u", service, slot, warps);
	return false;
}

static bool is_live(const struct mech_sm *part, const char *service, uint32_t slot)
{
	const struct seam_sm *sm = part->host;
	if (!seam_in_kernel(part, service) || !is_slot(part, service, slot))
		return false;
	if (!sm->live[slot])
		seam_wrong(part, "%s(): no warp is in slot %u, or it has ended", service, slot);
	return sm->live[slot];
}

void seam_hold_warp(struct mech_sm *part, uint32_t slot)
{
	struct seam_sm *sm = part->host;
	if (seam_may_change(part, "mech_hold_warp") && is_live(part, "mech_hold_warp", slot))
		sm->held_warp(sm->host, slot, sm->warp_holders[slot] | 1u << part->number, sm->seam->gpu.dispatching);
}

void seam_wake_warp(struct mech_sm *part, uint32_t slot)
{
	struct seam_sm *sm = part->host;
	uint32_t mine = 1u << part->number;
	if (!is_live(part, "mech_wake_warp", slot))
		return;
	if (sm->warp_holders[slot] & mine)
		sm->held_warp(sm->host, slot, sm->warp_holders[slot] & ~mine, sm->seam->gpu.dispatching);
	else
		seam_wrong(part, "mech_wake_warp(): the mechanism does not hold the warp in slot %u", slot);
}

void seam_look_at_warp(struct mech_sm *part, uint32_t slot, struct mech_warp *warp)
{
	const struct seam_sm *sm = part->host;
	*warp = (struct mech_warp){0};
	if (!seam_in_kernel(part, "mech_look_at_warp") || !is_slot(part, "mech_look_at_warp", slot) || !sm->live[slot])
		return;
	sm->look_at_warp(sm->host, slot, warp);
	warp->live = true;
	warp->held = sm->warp_holders[slot] || sm->holders[warp->block];
	warp->held_by_me = sm->warp_holders[slot] >> part->number & 1;
}

void seam_rank_warp(struct mech_sm *part, uint32_t slot, uint32_t rank)
{
	struct seam_sm *sm = part->host;
	if (!(part->mech->policies & MECH_POLICY_WARP_RANK))
		seam_wrong(part, "mech_rank_warp(): the mechanism does not own %s",
		           seam_policy_name(MECH_POLICY_WARP_RANK));
	else if (rank >= MECH_RANKS)
		seam_wrong(part, "mech_rank_warp(): rank %u; expected less than %d", rank, MECH_RANKS);
	else if (is_live(part, "mech_rank_warp", slot))
		sm->ranked(sm->host, slot, rank);
}

void seam_stop(struct mech_sm *part, const struct mech_issue *issue, uint32_t lane, const char *why)
{
	struct seam_sm *sm = part->host;
	if (!seam_may_change(part, "mech_stop"))
		return;
	if (!issue || issue != sm->issuing)
		seam_wrong(part, "mech_stop() of another event than the current one of may_issue, run_opcode or issue");
	else if (lane >= MECH_LANES || !why)
		seam_wrong(part, "mech_stop(): lane %u, %s", lane, why ? why : "no reason");
	else
		sm->stopped(sm->host, issue->warp, lane, why);
}
