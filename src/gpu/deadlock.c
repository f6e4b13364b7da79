/* deadlock: reports which warp waits on which resource when nothing progresses any more. */
#include "gpu/gpu.h"

#include <stdarg.h>

struct report {
	char *text;
	size_t size, length;
};

__attribute__((format(printf, 2, 3))) static void say(struct report *report, const char *format, ...)
{
	va_list arguments;
	if (report->length + 1 >= report->size)
		return;
	va_start(arguments, format);
	int written = vsnprintf(report->text + report->length, report->size - report->length, format, arguments);
	va_end(arguments);
	if (written > 0)
		report->length += (size_t)written;
	if (report->length >= report->size)
		report->length = report->size - 1;
}

static const char *name_of(const struct seam_sm *seam, uint32_t mechanism)
{
	return seam->part[mechanism].mech->name;
}

/* The mechanism that does not let the warp compete, or SEAM_NOBODY. */
static uint32_t left_out_by(const struct sm *sm, const struct sm_warp *warp)
{
	return seam_left_out_by(sm->seam, warp->scheduler->seen.index, warp->mask);
}

const char *gpu_kept_by(const struct sm *sm, uint32_t slot)
{
	uint32_t holders = sm->seam->holders[sm->warp[slot].block] | sm->seam->warp_holders[slot];
	if (holders)
		return name_of(sm->seam, (uint32_t)__builtin_ctz(holders));
	return sm->seam->vetoed_by[slot] < SEAM_NOBODY ? name_of(sm->seam, sm->seam->vetoed_by[slot]) : NULL;
}

const char *gpu_left_out_by(const struct sm *sm, uint32_t slot)
{
	const struct sm_warp *warp = &sm->warp[slot];
	uint64_t waits = warp->scheduler->seen.held | warp->scheduler->hazard;
	uint32_t mechanism = left_out_by(sm, warp);
	if (waits & warp->mask || !warp->ibuffer.count)
		return NULL;
	return mechanism < SEAM_NOBODY ? name_of(sm->seam, mechanism) : NULL;
}

static void explain_warp(const struct sm *sm, uint32_t slot, struct report *report)
{
	const struct sm_warp *warp = &sm->warp[slot];
	const struct simt_warp *simt = warp->simt;
	const struct simt_block *block = simt->block;
	const struct ptx_inst *at = simt->done ? NULL : block->launch->program->code[simt->pc].ptx;

	say(report, "  SM %u warp %u (block %u,%u,%u warp %u)", sm->index, slot, block->index.x, block->index.y,
	    block->index.z, simt->index);
	if (at)
		say(report, " at PTX line %u", at->place.line);
	if (simt->done)
		say(report, ": has ended, %u instructions in flight, %u stores, %u atomics unanswered\n",
		    warp->in_flight, warp->stores, warp->atomics);
	else if (block->waiting >> simt->index & 1)
		say(report, ": at a barrier with warps 0x%llx of 0x%llx\n", (unsigned long long)block->waiting,
		    (unsigned long long)block->live);
	else if (warp->fence)
		say(report, ": at a fence, %u stores unanswered\n", warp->stores);
	else if (warp->atomics)
		say(report, ": waits for %u atomics\n", warp->atomics);
	else if (warp->waits_for_copies)
		say(report, ": waits for %u copies to shared memory\n", sm->copies.warp[slot].under_way);
	else if (warp->waits_for_phase)
		say(report, ": waits for the end of an mbarrier's phase\n");
	else if (sm->seam->holders[warp->block])
		say(report, ": mechanism %s holds its block\n",
		    name_of(sm->seam, (uint32_t)__builtin_ctz(sm->seam->holders[warp->block])));
	else if (sm->seam->warp_holders[slot])
		say(report, ": mechanism %s holds it\n",
		    name_of(sm->seam, (uint32_t)__builtin_ctz(sm->seam->warp_holders[slot])));
	else if (warp->ibuffer.waits_for_line)
		say(report, ": waits for an instruction-cache line\n");
	else if (!warp->ibuffer.count)
		say(report, ": has no instruction in its buffer\n");
	else if (warp->scheduler->hazard & warp->mask)
		say(report, ": waits for a register, %u instructions in flight\n", warp->in_flight);
	else if (sm->seam->vetoed_by[slot] < SEAM_NOBODY)
		say(report, ": ready, but mechanism %s does not let it issue\n",
		    name_of(sm->seam, sm->seam->vetoed_by[slot]));
	else if (left_out_by(sm, warp) < SEAM_NOBODY)
		say(report, ": ready, but mechanism %s does not let it compete\n",
		    name_of(sm->seam, left_out_by(sm, warp)));
	else
		say(report, ": ready, but its pipe is full\n");
}

static void explain_sm(const struct sm *sm, struct report *report)
{
	if (!sm->blocks.resident)
		return;
	say(report, "SM %u: %u blocks; L1 %u MSHRs free, %u misses queued; load/store unit %s", sm->index,
	    sm->blocks.resident, sm->l1.data.mshrs.free, sm->l1.data.miss_queue.count,
	    sm->lsu.current ? "busy" : "empty");
	if (sm->lsu.current && sm->seam->shared_vetoed_by < SEAM_NOBODY)
		say(report, ": mechanism %s does not let it use the banks of shared memory",
		    name_of(sm->seam, sm->seam->shared_vetoed_by));
	if (sm->texture.fragments.count)
		say(report, "; texture unit: %u accesses wait for %u lines", sm->texture.fragments.count,
		    sm->texture.lines.count);
	say(report, "\n");
	for (uint32_t w = 0; w < sm->config.warps; w++)
		if (sm->warp[w].simt)
			explain_warp(sm, w, report);
}

/* Reports the packets that wait at a cluster's port. */
static void explain_cluster(const struct gpu *gpu, uint32_t number, struct report *report)
{
	const struct cluster *cluster = &gpu->cluster[number];
	uint32_t replies = cluster->replies.items, coming = cluster->from_network.items,
		 first = number * cluster->config.sms;
	if (replies)
		say(report,
		    "cluster %u: %u replies wait, %u more in the network; the first is for SM %u, whose queue holds "
		    "%u\n",
		    number, replies, coming, ((const struct request *)port_front(&cluster->replies, UINT64_MAX))->sm,
		    cluster->config.own_replies);
	for (uint32_t i = 0; i < cluster->config.sms; i++) {
		uint32_t in_turn = cluster_in_turn(cluster, i);
		if (!network_port_has_refused(&cluster->sm[in_turn].network))
			continue;
		say(report, "cluster %u: SM %u waits for space in the request network\n", number, first + in_turn);
		break;
	}
}

/* Reports the owner of DRAM's scheduling, if it leaves requests waiting. */
static void explain_scheduler(const struct gpu *gpu, struct report *report)
{
	const struct seam_partition *partition = gpu->seam->partition;
	uint32_t per_channel = gpu->machine.map.slices_per_channel, channels = 0;
	for (uint32_t i = 0; i < gpu->machine.map.channels; i++)
		channels += partition[i * per_channel].serves_none && gpu->channel[i].pending;
	if (channels)
		say(report, "DRAM: mechanism %s selects none of the requests that wait in %u %s\n",
		    partition->scheduler->mech->name, channels, channels == 1 ? "channel" : "channels");
}

void gpu_explain_deadlock(const struct gpu *gpu, char *text, size_t size)
{
	struct report report = {.text = text, .size = size};
	text[0] = '\0';
	const struct seam_gpu *seam = &gpu->seam->gpu;
	if (seam->vetoed_by < SEAM_NOBODY)
		say(&report, "dispatcher: mechanism %s does not let the next block start\n",
		    seam->part[seam->vetoed_by].mech->name);
	if (seam->kept_open_by < SEAM_NOBODY)
		say(&report, "dispatcher: mechanism %s does not let the kernel end\n",
		    seam->part[seam->kept_open_by].mech->name);
	explain_scheduler(gpu, &report);
	for (uint32_t i = 0; i < gpu->machine.sms; i++)
		explain_sm(&gpu->sm[i], &report);
	for (uint32_t i = 0; i < gpu->clusters; i++)
		explain_cluster(gpu, i, &report);
	say(&report, "networks: %llu packets to slices, %llu to SMs\n", (unsigned long long)gpu->to_slices.in_flight,
	    (unsigned long long)gpu->to_sms.in_flight);
	for (uint32_t i = 0; i < gpu->slices; i++) {
		const struct slice *slice = &gpu->slice[i];
		if (slice->input.count || slice->cache.miss_queue.count || slice->reply.count)
			say(&report, "L2 slice %u: %u requests wait, %u misses queued, %u replies, %u MSHRs free\n", i,
			    slice->input.count, slice->cache.miss_queue.count, slice->reply.count,
			    slice->cache.mshrs.free);
	}
	for (uint32_t i = 0; i < gpu->machine.map.channels; i++)
		if (gpu->channel[i].pending || gpu->channel[i].serving)
			say(&report, "channel %u: %u requests wait\n", i, gpu->channel[i].pending);
}
