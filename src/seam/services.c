/* services: the functions that mechanisms call (mech_parts.h), except requests (requests.c), warps (warps.c) and live
 * statistics (live_stats.c); the conditions under which each may be called. */
#include "seam/private.h"

/* --- conditions --- */

bool seam_in_kernel(const struct mech_sm *part, const char *service)
{
	const struct seam_sm *sm = part->host;
	enum seam_phase phase = seam_kernel_of(sm->seam, part->number)->phase;
	if (phase == SEAM_BEGINNING || phase == SEAM_RUNNING || phase == SEAM_SETTLING)
		return true;
	seam_wrong(part, "%s() while no kernel runs", service);
	return false;
}

/* True in a hook of the GPU, where services of the GPU may be called. While hooks of SMs run, other threads may
 * touch the same state. */
bool seam_in_gpu_hook(const struct mech_gpu *part, const char *service)
{
	const struct seam *seam = part->host;
	if (seam->gpu.hook)
		return true;
	seam_wrong_gpu(part, "%s() outside a hook of the GPU", service);
	return false;
}

static bool for_launch(const struct mech_gpu *part, const char *service)
{
	const struct seam *seam = part->host;
	if (!seam_in_gpu_hook(part, service))
		return false;
	enum seam_phase phase = seam_kernel_of(seam, part->number)->phase;
	if (phase == SEAM_LAUNCHING || phase == SEAM_BEGINNING)
		return true;
	seam_wrong_gpu(part, "%s() outside blocks_per_sm and gpu_kernel_begin", service);
	return false;
}

static bool is_resident(const struct mech_sm *part, const char *service, uint32_t slot)
{
	const struct seam_sm *sm = part->host;
	if (slot < sm->seam->machine.blocks && sm->slots >> slot & 1)
		return true;
	seam_wrong(part, "%s(): no block is in slot %u; the SM has %u", service, slot, sm->seam->machine.blocks);
	return false;
}

bool seam_has_buffer(const struct mech_sm *part, const char *service)
{
	const struct seam_sm *sm = part->host;
	if (!sm->has_buffer)
		seam_wrong(part, "%s(): no mechanism has a buffer in front of L1", service);
	return sm->has_buffer;
}

bool seam_may_change(const struct mech_sm *part, const char *service)
{
	if (part->mech->only_looks)
		seam_wrong(part, "%s(), but .only_looks of struct mech is set", service);
	return !part->mech->only_looks;
}

bool seam_is_in_step(const struct mech_gpu *part, uint32_t sm)
{
	const struct seam *seam = part->host;
	return !part->mech->keeps_in_step || seam->several ||
	       seam_kernel_of(seam, part->number)->phase != SEAM_RUNNING || sm == seam->gpu.of_sm ||
	       seam_is_kept_in_step(&seam->sm[sm]);
}

/* --- parts and steps --- */

struct mech_sm *seam_part_of(const struct mech_gpu *part, uint32_t sm)
{
	const struct seam *seam = part->host;
	if (seam_in_gpu_hook(part, "mech_part") && sm >= seam->machine.sms) {
		seam_wrong_gpu(part, "mech_part() of SM %u; the machine has %u", sm, seam->machine.sms);
		sm = 0;
	} else if (!seam_is_in_step(part, sm)) {
		seam_wrong_gpu(part, "mech_part() of SM %u, which the mechanism does not keep in step", sm);
	}
	return &seam->sm[sm].part[part->number];
}

static struct mech_partition *partition_of(const struct mech_gpu *part, uint32_t slice)
{
	const struct seam *seam = part->host;
	if (seam_in_gpu_hook(part, "mech_partition_part") && slice >= seam->machine.partitions) {
		seam_wrong_gpu(part, "mech_partition_part() of slice %u; the machine has %u", slice,
		               seam->machine.partitions);
		slice = 0;
	}
	return &seam->partition[slice].part[part->number];
}

static void keep_in_step(struct mech_gpu *part, uint32_t sm)
{
	struct seam *seam = part->host;
	enum seam_phase phase = seam_kernel_of(seam, part->number)->phase;
	if (!seam_in_gpu_hook(part, "mech_keep_in_step"))
		return;
	if (!part->mech->keeps_in_step)
		seam_wrong_gpu(part, "mech_keep_in_step(), but .keeps_in_step of struct mech is not set");
	else if (sm >= seam->machine.sms)
		seam_wrong_gpu(part, "mech_keep_in_step() of SM %u; the machine has %u", sm, seam->machine.sms);
	else if (phase != SEAM_BEGINNING && (phase != SEAM_RUNNING || !seam_is_in_step(part, sm)))
		seam_wrong_gpu(part, "mech_keep_in_step() of SM %u, which may have run ahead already", sm);
	else
		seam->sm[sm].kept_in_step++;
}

static void let_go(struct mech_gpu *part, uint32_t sm)
{
	struct seam *seam = part->host;
	if (!seam_in_gpu_hook(part, "mech_let_go"))
		return;
	if (sm >= seam->machine.sms || !seam->sm[sm].kept_in_step)
		seam_wrong_gpu(part, "mech_let_go() of SM %u, which is not kept in step", sm);
	else
		seam->sm[sm].kept_in_step--;
}

static void prefer(struct mech_gpu *part, enum mech_preference preference)
{
	struct seam *seam = part->host;
	if (seam_kernel_of(seam, part->number)->phase != SEAM_OPENING)
		seam_wrong_gpu(part, "mech_prefer() outside gpu_open");
	else if (part->mech->only_looks)
		seam_wrong_gpu(part, "mech_prefer(), but .only_looks of struct mech is set");
	else if ((unsigned)preference > MECH_ALTERNATE)
		seam_wrong_gpu(part, "mech_prefer(): %u is not a value of enum mech_preference", (unsigned)preference);
	else
		seam->gpu.preference = preference;
}

/* --- blocks and the buffer --- */

static void hold_block(struct mech_sm *part, uint32_t slot)
{
	struct seam_sm *sm = part->host;
	if (seam_may_change(part, "mech_hold_block") && seam_in_kernel(part, "mech_hold_block") &&
	    is_resident(part, "mech_hold_block", slot))
		sm->held(sm->host, slot, sm->holders[slot] | 1u << part->number, sm->seam->gpu.dispatching);
}

static void release_block(struct mech_sm *part, uint32_t slot)
{
	struct seam_sm *sm = part->host;
	if (!seam_in_kernel(part, "mech_release_block") || !is_resident(part, "mech_release_block", slot))
		return;
	if (sm->holders[slot] >> part->number & 1)
		sm->held(sm->host, slot, sm->holders[slot] & ~(1u << part->number), sm->seam->gpu.dispatching);
	else
		seam_wrong(part, "mech_release_block(): the mechanism does not hold the block in slot %u", slot);
}

static void put(struct mech_sm *part, uint64_t address, uint32_t bytes, uint32_t block)
{
	struct seam_sm *sm = part->host;
	uint32_t line = sm->seam->machine.line_bytes;
	if (!seam_in_kernel(part, "mech_put") || !seam_has_buffer(part, "mech_put") ||
	    !is_resident(part, "mech_put", block))
		return;
	if (sm->in_outcome) {
		seam_wrong(part, "mech_put() from on_outcome, while the buffer is being changed");
		return;
	}
	if (sm->seam->gpu.hook)
		sm->clock = *sm->seam->clock;
	for (uint64_t at = address, end = address + bytes; at < end;) {
		uint64_t next = (at & ~(uint64_t)(line - 1)) + line;
		next = next < end ? next : end;
		line_buffer_put(&sm->buffer, at, (uint32_t)(next - at), block, NULL);
		at = next;
	}
}

/* --- the program --- */

static struct mech_rows rows(struct mech_gpu *part, uint32_t most, enum mech_loops loops)
{
	const struct seam_analyses *analyses = &seam_kernel_of(part->host, part->number)->analyses;
	if (!for_launch(part, "mech_rows"))
		return (struct mech_rows){0};
	if ((unsigned)loops > MECH_LOOPS_AT_LAUNCH) {
		seam_wrong_gpu(part, "mech_rows(): %u is not a value of enum mech_loops", (unsigned)loops);
		return (struct mech_rows){0};
	}
	return analyses->rows ? analyses->rows(analyses->user, most, loops) : (struct mech_rows){0};
}

static const struct mech_load *loads(struct mech_gpu *part, uint32_t *count)
{
	const struct seam_analyses *analyses = &seam_kernel_of(part->host, part->number)->analyses;
	*count = 0;
	if (!for_launch(part, "mech_loads"))
		return NULL;
	return analyses->loads ? analyses->loads(analyses->user, count) : NULL;
}

static const struct mech_staging_inst *staging(struct mech_gpu *part, uint32_t *count)
{
	const struct seam_analyses *analyses = &seam_kernel_of(part->host, part->number)->analyses;
	*count = 0;
	if (!for_launch(part, "mech_staging_code"))
		return NULL;
	return analyses->staging ? analyses->staging(analyses->user, count) : NULL;
}

static const struct mech_allocation *allocations(struct mech_gpu *part, uint32_t *count)
{
	const struct seam_analyses *analyses = &seam_kernel_of(part->host, part->number)->analyses;
	*count = 0;
	if (!for_launch(part, "mech_allocations"))
		return NULL;
	return analyses->allocations ? analyses->allocations(analyses->user, count) : NULL;
}

static void say(struct mech_gpu *part, const char *text)
{
	const struct seam_analyses *analyses = &seam_kernel_of(part->host, part->number)->analyses;
	if (seam_in_gpu_hook(part, "mech_say") && analyses->say)
		analyses->say(analyses->user, part->mech->name, text);
}

/* --- accounts and instructions --- */

static const struct mech_requests *account(const struct mech_sm *part)
{
	const struct seam_sm *sm = part->host;
	return &sm->account[part->number].all;
}

static void operands_of(struct mech_sm *part, const struct mech_issue *issue, struct mech_operands *operands)
{
	const struct seam_sm *sm = part->host;
	*operands = (struct mech_operands){0};
	if (issue && issue == sm->issuing)
		sm->operands(sm->host, issue->warp, operands);
	else
		seam_wrong(part, "mech_operands() of another event than the current one of may_issue or issue");
}

static bool bulk_copy(struct mech_sm *part, const struct mech_issue *issue, uint32_t lane, struct bulk_copy *copy)
{
	const struct seam_sm *sm = part->host;
	if (issue && issue == sm->issuing && lane < MECH_LANES && issue->lanes >> lane & 1)
		return sm->bulk_copy(sm->host, issue->warp, lane, copy);
	seam_wrong(part, "mech_bulk_copy() of another event than the current one of may_issue or issue, or of a lane "
	                 "that does not run");
	return false;
}

static const struct mech_launch *launch_of(struct mech_sm *part, uint32_t slot)
{
	return is_resident(part, "mech_launch_of", slot) ? seam_launch_at(part->host, slot) : part->launch;
}

static void complete(struct mech_sm *part, uint32_t slot, uint32_t shared, uint32_t arrivals, uint64_t bytes)
{
	struct seam_sm *sm = part->host;
	if (!seam_may_change(part, "mech_complete_bytes") || !seam_in_kernel(part, "mech_complete_bytes") ||
	    !is_resident(part, "mech_complete_bytes", slot))
		return;
	uint32_t room = seam_launch_at(sm, slot)->shared_bytes;
	if (shared % 8 || room < 8 || shared > room - 8)
		seam_wrong(part, "mech_complete_bytes(): an mbarrier at %u of shared memory; a block has %u", shared,
		           room);
	else
		sm->complete(sm->host, slot, shared, arrivals, bytes);
}

const struct mech_services seam_services = {
	.send = seam_send,
	.send_to = seam_send_to,
	.room_to_send = seam_room_to_send,
	.waiting_to_send = seam_waiting_to_send,
	.part = seam_part_of,
	.partition = partition_of,
	.prefer = prefer,
	.put = put,
	.hold_block = hold_block,
	.release_block = release_block,
	.rows = rows,
	.loads = loads,
	.allocations = allocations,
	.say = say,
	.account = account,
	.operands = operands_of,
	.hold_warp = seam_hold_warp,
	.wake_warp = seam_wake_warp,
	.look_at_warp = seam_look_at_warp,
	.look_at_sm = seam_look_at_sm,
	.look_at_partition = seam_look_at_partition,
	.staging = staging,
	.rank_warp = seam_rank_warp,
	.stop = seam_stop,
	.bulk_copy = bulk_copy,
	.complete = complete,
	.keep_in_step = keep_in_step,
	.let_go = let_go,
	.launch_of = launch_of,
};
