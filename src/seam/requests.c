/* requests: the services by which mechanisms change the machine: requests with their accounts, and effects. */
#include "seam/private.h"

#define NO_BLOCK UINT64_MAX /* no block has this number */

/* --- whether a request is valid --- */

bool seam_in_kernel(const struct mech_sm *part, const char *service)
{
	const struct seam_sm *sm = part->host;
	enum seam_phase phase = sm->seam->phase;
	if (phase == SEAM_BEGINNING || phase == SEAM_RUNNING || phase == SEAM_SETTLING)
		return true;
	seam_wrong(part, "%s() while no kernel runs", service);
	return false;
}

/* True in a hook of the GPU, where services of the GPU may be called. While hooks of SMs run, other threads may
 * touch the same state. */
static bool in_gpu_hook(const struct mech_gpu *part, const char *service)
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
	if (!in_gpu_hook(part, service))
		return false;
	if (seam->phase == SEAM_LAUNCHING || seam->phase == SEAM_BEGINNING)
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

static bool has_buffer(const struct mech_sm *part, const char *service)
{
	const struct seam_sm *sm = part->host;
	if (!sm->has_buffer)
		seam_wrong(part, "%s(): no mechanism has a buffer in front of L1", service);
	return sm->has_buffer;
}

/* True when the requested bytes lie in one line and start at a sector. */
static bool is_in_line(const struct mech_sm *part, const char *service, const struct mech_request *request)
{
	uint32_t line = ((const struct seam_sm *)part->host)->seam->machine.line_bytes;
	if (request->address % MECH_SECTOR)
		seam_wrong(part, "%s(): address 0x%llx; expected a multiple of %d", service,
		           (unsigned long long)request->address, MECH_SECTOR);
	else if (!request->bytes || request->address % line + request->bytes > line)
		seam_wrong(part, "%s(): %u bytes at 0x%llx; expected 1 up to the end of the line of %u bytes", service,
		           request->bytes, (unsigned long long)request->address, line);
	else
		return true;
	return false;
}

static bool is_sound(const struct mech_sm *part, const char *service, const struct mech_request *request)
{
	const struct seam_sm *sm = part->host;
	const struct seam *seam = sm->seam;
	if (!seam_in_kernel(part, service))
		return false;
	if (!part->mech->sends)
		seam_wrong(part, "%s(), but .sends of struct mech is not set", service);
	else if (!request)
		seam_wrong(part, "%s(): no request", service);
	else if ((unsigned)request->to > MECH_WRITE_GLOBAL)
		seam_wrong(part, "%s(): .to is %u, which is not a value of enum mech_place", service,
		           (unsigned)request->to);
	else if (request->from_shared && request->to != MECH_WRITE_GLOBAL)
		seam_wrong(part, "%s(): .from_shared of a request that writes no global memory", service);
	else if (request->pc != MECH_NO_PC && request->pc >= seam->launch.instructions)
		seam_wrong(part, "%s(): pc %u; the kernel has %u instructions", service, request->pc,
		           seam->launch.instructions);
	else if (request->bound && request->warp >= seam->machine.warps)
		seam_wrong(part, "%s(): warp slot %u; the SM has %u", service, request->warp, seam->machine.warps);
	else if ((request->to == MECH_TO_BUFFER || seam_is_to_shared(request) || request->from_shared) &&
	         request->block >= seam->machine.blocks)
		seam_wrong(part, "%s(): block slot %u; the SM has %u", service, request->block, seam->machine.blocks);
	else
		return (request->to != MECH_TO_BUFFER || has_buffer(part, service)) &&
		       (request->to == MECH_WRITE_SHARED || is_in_line(part, service, request)) &&
		       (!seam_is_to_shared(request) || seam_fill_is_sound(part, service, request));
	return false;
}

/* --- requests --- */

/* The number of the block that a buffer line or shared-memory words are for, if that block is resident. */
static uint64_t owner_of(const struct seam_sm *sm, const struct mech_request *request)
{
	bool owned = (request->to == MECH_TO_BUFFER || seam_is_to_shared(request)) && sm->slots >> request->block & 1;
	return owned ? sm->block[request->block].number : NO_BLOCK;
}

static struct seam_sent *new_sent(struct seam_sm *sm, uint32_t sender, const struct mech_request *request)
{
	struct seam_sent *sent = sm->free;
	if (sent)
		sm->free = sent->next;
	else
		sent = arena_alloc(&sm->pools.machine.arena, sizeof *sent);
	*sent = (struct seam_sent){
		.request = *request,
		.owner = owner_of(sm, request),
		.asked = sm->clock,
		.kept = {.sender = sender + 1, .pc = request->pc, .address = request->address, .tag = request->tag}};
	if (seam_is_to_shared(request)) {
		sent->fill = seam_new_fill(sm, request);
		sent->request.word = sent->fill->word;
	}
	return sent;
}

static void free_sent(struct seam_sm *sm, struct seam_sent *sent)
{
	if (sent->fill)
		shared_fills_free(&sm->fills, sent->fill);
	sent->next = sm->free;
	sm->free = sent;
}

static struct seam_counted counted_of(struct seam_sm *sm, const struct seam_sent *sent)
{
	return seam_counted(&sm->account[sent->kept.sender - 1], sm->seam, sent->request.pc);
}

static bool send(struct mech_sm *part, const struct mech_request *request)
{
	struct seam_sm *sm = part->host;
	uint32_t room = sm->seam->machine.send_queue;
	if (!is_sound(part, "mech_send", request))
		return false;
	struct seam_counted to = seam_counted(&sm->account[part->number], sm->seam, request->pc);
	SEAM_COUNT(to, asked);
	if (sm->queued == room || sm->seam->phase == SEAM_SETTLING) {
		SEAM_COUNT(to, dropped);
		return false;
	}
	sm->queue[(sm->queue_head + sm->queued++) % room] = new_sent(sm, part->number, request);
	sm->asked(sm->host);
	return true;
}

static struct seam_sent *pop(struct seam_sm *sm)
{
	struct seam_sent *sent = sm->queue[sm->queue_head];
	sm->queue_head = (sm->queue_head + 1) % sm->seam->machine.send_queue;
	sm->queued--;
	return sent;
}

/* Accounts for a request that has left the queue. */
static void sent_off(struct seam_sm *sm, struct seam_sent *sent)
{
	struct seam_counted to = counted_of(sm, sent);
	SEAM_COUNT(to, issued);
	if (sent->fill)
		shared_fills_sent(&sm->fills, sent->fill, &sent->kept);
	if (sent->request.to == MECH_TO_BUFFER && sm->buffer.config.merges) {
		sent->next = sm->coming;
		sm->coming = sent;
	}
}

void seam_request_sent(struct seam_sm *sm)
{
	sent_off(sm, pop(sm));
}

/* The sectors of the line that the request fetches, one bit per sector. */
static uint32_t sectors_brought(const struct mech_request *request, uint64_t line, uint32_t line_bytes)
{
	if (request->address - line >= line_bytes)
		return 0;
	uint32_t first = (uint32_t)(request->address - line) / MECH_SECTOR;
	uint32_t sectors = (request->bytes + MECH_SECTOR - 1) / MECH_SECTOR;
	return ((1u << sectors) - 1) << first;
}

uint32_t seam_merge(struct seam_sm *sm, uint64_t line, uint32_t sectors)
{
	uint32_t line_bytes = sm->seam->machine.line_bytes, brought = 0, missing = 0;
	for (uint32_t left = sectors; left; left &= left - 1) {
		uint32_t sector = (uint32_t)__builtin_ctz(left);
		if (!line_buffer_has(&sm->buffer, line + (uint64_t)sector * MECH_SECTOR, 1))
			missing |= 1u << sector;
	}
	for (const struct seam_sent *sent = sm->coming; sent; sent = sent->next)
		brought |= sectors_brought(&sent->request, line, line_bytes);
	if (missing & ~brought)
		return 0;
	for (struct seam_sent *sent = sm->coming; sent; sent = sent->next)
		if (!sent->kept.wanted && sectors_brought(&sent->request, line, line_bytes) & missing) {
			sent->kept.wanted = sm->clock;
			seam_settle(sm, BASE_PREFETCH_LATE, &sent->kept);
		}
	return missing;
}

static void no_more_coming(struct seam_sm *sm, const struct seam_sent *sent)
{
	struct seam_sent **link = &sm->coming;
	while (*link && *link != sent)
		link = &(*link)->next;
	if (*link)
		*link = sent->next;
}

/* The request has ended: calls the sender's on_reply. */
static void answer(struct seam_sm *sm, struct seam_sent *sent, const struct mech_reply *reply)
{
	struct mech_sm *part = &sm->part[sent->kept.sender - 1];
	sm->hook = "on_reply";
	if (part->mech->on_reply)
		part->mech->on_reply(part, reply);
	seam_ran(part);
	free_sent(sm, sent);
}

void seam_request_filtered(struct seam_sm *sm, uint64_t cycle)
{
	struct seam_sent *sent = pop(sm);
	struct seam_counted to = counted_of(sm, sent);
	SEAM_COUNT(to, filtered);
	answer(sm, sent,
	       &(struct mech_reply){.request = sent->request, .filtered = true, .sent = cycle, .cycle = cycle});
}

static void answer_outside(struct seam_sm *sm, struct seam_sent *sent, uint64_t cycle)
{
	struct seam_counted to = counted_of(sm, sent);
	SEAM_COUNT(to, outside);
	answer(sm, sent,
	       &(struct mech_reply){.request = sent->request, .outside = true, .sent = cycle, .cycle = cycle});
}

void seam_request_outside(struct seam_sm *sm, uint64_t cycle)
{
	answer_outside(sm, pop(sm), cycle);
}

void seam_request_refused(struct seam_sm *sm)
{
	struct seam_sent *sent = sm->queue[sm->queue_head];
	struct seam_counted to = counted_of(sm, sent);
	if (!sent->request.once) {
		SEAM_COUNT(to, retries);
		return;
	}
	SEAM_COUNT(to, refused);
	free_sent(sm, pop(sm));
}

void seam_drop_requests(struct seam_sm *sm)
{
	while (sm->queued) {
		struct seam_sent *sent = pop(sm);
		struct seam_counted to = counted_of(sm, sent);
		SEAM_COUNT(to, dropped);
		free_sent(sm, sent);
	}
}

static void answer_from_l2(struct seam_sm *sm, struct seam_sent *sent, bool in_l2, uint64_t cycle)
{
	if (in_l2)
		seam_settle(sm, BASE_PREFETCH_REDUNDANT, &sent->kept);
	answer(sm, sent,
	       &(struct mech_reply){
		       .request = sent->request, .filtered = in_l2, .sent = sent->kept.sent, .cycle = cycle});
}

/* True when the block that the data are for is still resident. */
static bool is_wanted(const struct seam_sm *sm, const struct seam_sent *sent)
{
	uint32_t block = sent->request.block;
	return sm->slots >> block & 1 && sm->block[block].number == sent->owner;
}

static bool put_into_buffer(struct seam_sm *sm, struct seam_sent *sent)
{
	const struct mech_request *request = &sent->request;
	const struct base_prefetch *kept = &sent->kept;
	no_more_coming(sm, sent);
	bool wanted = is_wanted(sm, sent);
	if (kept->wanted) /* already accounted for as late */
		seam_came_late(sm, kept);
	if (wanted)
		line_buffer_put(&sm->buffer, request->address, request->bytes, request->block,
		                kept->wanted ? NULL : kept);
	else if (!kept->wanted)
		seam_settle(sm, BASE_PREFETCH_REDUNDANT, kept);
	return wanted;
}

static bool put_into_shared(struct seam_sm *sm, struct seam_sent *sent)
{
	if (!is_wanted(sm, sent)) {
		shared_fills_lost(&sm->fills, sent->fill);
		return false;
	}
	shared_fills_arrived(&sm->fills, sent->fill);
	sent->fill = NULL; /* the words of shared memory refer to it now */
	return true;
}

bool seam_reply(struct seam_sm *sm, struct seam_sent *sent, bool in_l2, uint64_t cycle)
{
	const struct mech_request *request = &sent->request;
	if (request->to == MECH_TO_L2) {
		answer_from_l2(sm, sent, in_l2, cycle);
		return false;
	}
	bool wanted = false;
	sent->kept.came = cycle;
	if (request->to == MECH_TO_BUFFER)
		wanted = put_into_buffer(sm, sent);
	else if (sent->fill)
		wanted = put_into_shared(sm, sent);
	else if (request->to == MECH_TO_NOTHING || request->to == MECH_WRITE_GLOBAL)
		seam_settle(sm, BASE_PREFETCH_REDUNDANT, &sent->kept);
	answer(sm, sent, &(struct mech_reply){.request = *request, .sent = sent->kept.sent, .cycle = cycle});
	return wanted;
}

/* --- the services --- */

static uint32_t room_to_send(const struct mech_gpu *part)
{
	const struct seam *seam = part->host;
	return seam->machine.send_queue - seam->gpu.queued;
}

bool seam_is_in_step(const struct mech_gpu *part, uint32_t sm)
{
	const struct seam *seam = part->host;
	return !part->mech->keeps_in_step || seam->phase != SEAM_RUNNING || sm == seam->gpu.of_sm ||
	       seam_is_kept_in_step(&seam->sm[sm]);
}

static struct mech_sm *part_of(const struct mech_gpu *part, uint32_t sm)
{
	const struct seam *seam = part->host;
	if (in_gpu_hook(part, "mech_part") && sm >= seam->machine.sms) {
		seam_wrong_gpu(part, "mech_part() of SM %u; the machine has %u", sm, seam->machine.sms);
		sm = 0;
	} else if (!seam_is_in_step(part, sm)) {
		seam_wrong_gpu(part, "mech_part() of SM %u, which the mechanism does not keep in step", sm);
	}
	return &seam->sm[sm].part[part->number];
}

static void keep_in_step(struct mech_gpu *part, uint32_t sm)
{
	struct seam *seam = part->host;
	if (!in_gpu_hook(part, "mech_keep_in_step"))
		return;
	if (!part->mech->keeps_in_step)
		seam_wrong_gpu(part, "mech_keep_in_step(), but .keeps_in_step of struct mech is not set");
	else if (sm >= seam->machine.sms)
		seam_wrong_gpu(part, "mech_keep_in_step() of SM %u; the machine has %u", sm, seam->machine.sms);
	else if (seam->phase != SEAM_BEGINNING && (seam->phase != SEAM_RUNNING || !seam_is_in_step(part, sm)))
		seam_wrong_gpu(part, "mech_keep_in_step() of SM %u, which may have run ahead already", sm);
	else
		seam->sm[sm].kept_in_step++;
}

static void let_go(struct mech_gpu *part, uint32_t sm)
{
	struct seam *seam = part->host;
	if (!in_gpu_hook(part, "mech_let_go"))
		return;
	if (sm >= seam->machine.sms || !seam->sm[sm].kept_in_step)
		seam_wrong_gpu(part, "mech_let_go() of SM %u, which is not kept in step", sm);
	else
		seam->sm[sm].kept_in_step--;
}

static struct mech_partition *partition_of(const struct mech_gpu *part, uint32_t slice)
{
	const struct seam *seam = part->host;
	if (in_gpu_hook(part, "mech_partition_part") && slice >= seam->machine.partitions) {
		seam_wrong_gpu(part, "mech_partition_part() of slice %u; the machine has %u", slice,
		               seam->machine.partitions);
		slice = 0;
	}
	return &seam->partition[slice].part[part->number];
}

static bool send_to(struct mech_gpu *part, uint32_t sm, const struct mech_request *request)
{
	struct seam *seam = part->host;
	struct seam_gpu *gpu = &seam->gpu;
	uint32_t room = seam->machine.send_queue;
	const struct mech_sm *target = part_of(part, sm);
	if (!in_gpu_hook(part, "mech_send_to") || !seam_is_in_step(part, target->sm) ||
	    !is_sound(target, "mech_send_to", request))
		return false;
	if (request->to == MECH_TO_L1 || request->to == MECH_WRITE_GLOBAL || seam_is_to_shared(request)) {
		seam_wrong_gpu(part, "mech_send_to() to %s, which only the SM itself can request",
		               request->to == MECH_TO_L1          ? "L1"
		               : request->to == MECH_WRITE_GLOBAL ? "global memory"
		                                                  : "shared memory");
		return false;
	}
	if (gpu->queued == room)
		return false;
	struct seam_sent *sent = new_sent(target->host, part->number, request);
	struct seam_counted to = counted_of(target->host, sent);
	SEAM_COUNT(to, asked);
	gpu->queue[(gpu->queue_head + gpu->queued++) % room] = (struct seam_dispatched){target->sm, sent};
	seam->sm[target->sm].dispatched++;
	return true;
}

static struct seam_dispatched pop_dispatched(struct seam *seam)
{
	struct seam_gpu *gpu = &seam->gpu;
	struct seam_dispatched next = gpu->queue[gpu->queue_head];
	gpu->queue_head = (gpu->queue_head + 1) % seam->machine.send_queue;
	gpu->queued--;
	seam->sm[next.sm].dispatched--;
	return next;
}

void seam_dispatched_sent(struct seam *seam)
{
	struct seam_dispatched next = pop_dispatched(seam);
	sent_off(&seam->sm[next.sm], next.sent);
}

void seam_dispatched_outside(struct seam *seam, uint64_t cycle)
{
	struct seam_dispatched next = pop_dispatched(seam);
	answer_outside(&seam->sm[next.sm], next.sent, cycle);
}

void seam_drop_dispatched(struct seam *seam)
{
	while (seam->gpu.queued) {
		struct seam_dispatched next = pop_dispatched(seam);
		struct seam_counted to = counted_of(&seam->sm[next.sm], next.sent);
		SEAM_COUNT(to, dropped);
		free_sent(&seam->sm[next.sm], next.sent);
	}
	seam->gpu.first_wake = MECH_NEVER;
}

static void prefer(struct mech_gpu *part, enum mech_preference preference)
{
	struct seam *seam = part->host;
	if (seam->phase != SEAM_OPENING)
		seam_wrong_gpu(part, "mech_prefer() outside gpu_open");
	else if (part->mech->only_looks)
		seam_wrong_gpu(part, "mech_prefer(), but .only_looks of struct mech is set");
	else if ((unsigned)preference > MECH_ALTERNATE)
		seam_wrong_gpu(part, "mech_prefer(): %u is not a value of enum mech_preference", (unsigned)preference);
	else
		seam->gpu.preference = preference;
}

static void put(struct mech_sm *part, uint64_t address, uint32_t bytes, uint32_t block)
{
	struct seam_sm *sm = part->host;
	uint32_t line = sm->seam->machine.line_bytes;
	if (!seam_in_kernel(part, "mech_put") || !has_buffer(part, "mech_put") || !is_resident(part, "mech_put", block))
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

bool seam_may_change(const struct mech_sm *part, const char *service)
{
	if (part->mech->only_looks)
		seam_wrong(part, "%s(), but .only_looks of struct mech is set", service);
	return !part->mech->only_looks;
}

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

static struct mech_rows rows(struct mech_gpu *part, uint32_t most, enum mech_loops loops)
{
	const struct seam *seam = part->host;
	if (!for_launch(part, "mech_rows"))
		return (struct mech_rows){0};
	if ((unsigned)loops > MECH_LOOPS_AT_LAUNCH) {
		seam_wrong_gpu(part, "mech_rows(): %u is not a value of enum mech_loops", (unsigned)loops);
		return (struct mech_rows){0};
	}
	return seam->analyses.rows ? seam->analyses.rows(seam->analyses.user, most, loops) : (struct mech_rows){0};
}

static const struct mech_load *loads(struct mech_gpu *part, uint32_t *count)
{
	const struct seam *seam = part->host;
	*count = 0;
	if (!for_launch(part, "mech_loads"))
		return NULL;
	return seam->analyses.loads ? seam->analyses.loads(seam->analyses.user, count) : NULL;
}

static const struct mech_staging_inst *staging(struct mech_gpu *part, uint32_t *count)
{
	const struct seam *seam = part->host;
	*count = 0;
	if (!for_launch(part, "mech_staging_code"))
		return NULL;
	return seam->analyses.staging ? seam->analyses.staging(seam->analyses.user, count) : NULL;
}

static const struct mech_allocation *allocations(struct mech_gpu *part, uint32_t *count)
{
	const struct seam *seam = part->host;
	*count = 0;
	if (!for_launch(part, "mech_allocations"))
		return NULL;
	return seam->analyses.allocations ? seam->analyses.allocations(seam->analyses.user, count) : NULL;
}

static void say(struct mech_gpu *part, const char *text)
{
	const struct seam *seam = part->host;
	if (in_gpu_hook(part, "mech_say") && seam->analyses.say)
		seam->analyses.say(seam->analyses.user, part->mech->name, text);
}

static uint32_t waiting_to_send(const struct mech_sm *part)
{
	return ((const struct seam_sm *)part->host)->queued;
}

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

static void complete(struct mech_sm *part, uint32_t slot, uint32_t shared, uint32_t arrivals, uint64_t bytes)
{
	struct seam_sm *sm = part->host;
	uint32_t room = sm->seam->launch.shared_bytes;
	if (!seam_may_change(part, "mech_complete_bytes") || !seam_in_kernel(part, "mech_complete_bytes") ||
	    !is_resident(part, "mech_complete_bytes", slot))
		return;
	if (shared % 8 || room < 8 || shared > room - 8)
		seam_wrong(part, "mech_complete_bytes(): an mbarrier at %u of shared memory; a block has %u", shared,
		           room);
	else
		sm->complete(sm->host, slot, shared, arrivals, bytes);
}

const struct mech_services seam_services = {
	.send = send,
	.send_to = send_to,
	.room_to_send = room_to_send,
	.waiting_to_send = waiting_to_send,
	.part = part_of,
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
};
