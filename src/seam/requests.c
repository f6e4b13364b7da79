/* requests: the requests of mechanisms, from an SM or from the dispatcher, with their accounts: what makes them valid,
 * their queues, and their replies. */
#include "seam/private.h"

#define NO_BLOCK UINT64_MAX /* no block has this number */

/* --- whether a request is valid --- */

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

static bool is_for_block(const struct mech_request *request)
{
	return request->to == MECH_TO_BUFFER || seam_is_to_shared(request) || request->from_shared;
}

/* The kernel that must not end before the reply: the sender's own, or that of the block. */
static uint32_t kernel_of(const struct seam_sm *sm, uint32_t sender, const struct mech_request *request)
{
	uint32_t own = sm->seam->kernel_of[sender];
	bool names_block = is_for_block(request) && sm->slots >> request->block & 1;
	return own == SEAM_ALL && names_block ? sm->kernel_of[request->block] : own;
}

static bool is_sound(const struct mech_sm *part, const char *service, const struct mech_request *request)
{
	const struct seam_sm *sm = part->host;
	const struct seam *seam = sm->seam;
	uint32_t instructions = seam_kernel_of(seam, part->number)->launch.instructions;
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
	else if (request->pc != MECH_NO_PC && request->pc >= instructions)
		seam_wrong(part, "%s(): pc %u; the kernel has %u instructions", service, request->pc, instructions);
	else if (request->bound && request->warp >= seam->machine.warps)
		seam_wrong(part, "%s(): warp slot %u; the SM has %u", service, request->warp, seam->machine.warps);
	else if (is_for_block(request) && request->block >= seam->machine.blocks)
		seam_wrong(part, "%s(): block slot %u; the SM has %u", service, request->block, seam->machine.blocks);
	else
		return (request->to != MECH_TO_BUFFER || seam_has_buffer(part, service)) &&
		       (request->to == MECH_WRITE_SHARED || is_in_line(part, service, request)) &&
		       (!seam_is_to_shared(request) ||
		        seam_fill_is_sound(part, service, kernel_of(sm, part->number, request), request));
	return false;
}

/* --- requests of an SM --- */

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
		.kernel = kernel_of(sm, sender, request),
		.asked = sm->clock,
		.kept = {.sender = sender + 1, .pc = request->pc, .address = request->address, .tag = request->tag}};
	sm->unanswered[seam_pool_of(sent->kernel)]++;
	if (seam_is_to_shared(request)) {
		sent->fill = seam_new_fill(sm, sent->kernel, request);
		sent->request.word = sent->fill->word;
	}
	return sent;
}

static void free_sent(struct seam_sm *sm, struct seam_sent *sent)
{
	if (sent->fill)
		shared_fills_free(&sm->fills[seam_pool_of(sent->kernel)], sent->fill);
	sm->unanswered[seam_pool_of(sent->kernel)]--;
	sent->next = sm->free;
	sm->free = sent;
}

static struct seam_counted counted_of(struct seam_sm *sm, const struct seam_sent *sent)
{
	uint32_t number = sent->kept.sender - 1;
	return seam_counted(&sm->account[number], sm->seam, number, sent->request.pc);
}

bool seam_send(struct mech_sm *part, const struct mech_request *request)
{
	struct seam_sm *sm = part->host;
	uint32_t room = sm->seam->machine.send_queue;
	if (!is_sound(part, "mech_send", request))
		return false;
	struct seam_counted to = seam_counted(&sm->account[part->number], sm->seam, part->number, request->pc);
	SEAM_COUNT(to, asked);
	if (sm->queued == room || seam_kernel_of(sm->seam, part->number)->phase == SEAM_SETTLING) {
		SEAM_COUNT(to, dropped);
		return false;
	}
	sm->queue[(sm->queue_head + sm->queued++) % room] = new_sent(sm, part->number, request);
	sm->asked(sm->host);
	return true;
}

uint32_t seam_waiting_to_send(const struct mech_sm *part)
{
	return ((const struct seam_sm *)part->host)->queued;
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
		shared_fills_sent(&sm->fills[seam_pool_of(sent->kernel)], sent->fill, &sent->kept);
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
	return sm->slots >> block & 1 && sm->block[block].number == sent->owner &&
	       (sent->kernel == SEAM_ALL || sm->kernel_of[block] == sent->kernel);
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
	struct shared_fills *fills = &sm->fills[seam_pool_of(sent->kernel)];
	if (!is_wanted(sm, sent)) {
		shared_fills_lost(fills, sent->fill);
		return false;
	}
	shared_fills_arrived(fills, sent->fill);
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

/* --- requests of the dispatcher --- */

uint32_t seam_room_to_send(const struct mech_gpu *part)
{
	const struct seam *seam = part->host;
	return seam->machine.send_queue - seam->gpu.queued;
}

bool seam_send_to(struct mech_gpu *part, uint32_t sm, const struct mech_request *request)
{
	struct seam *seam = part->host;
	struct seam_gpu *gpu = &seam->gpu;
	uint32_t room = seam->machine.send_queue;
	const struct mech_sm *target = seam_part_of(part, sm);
	if (!seam_in_gpu_hook(part, "mech_send_to") || !seam_is_in_step(part, target->sm) ||
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

/* The dispatcher's queue keeps the requests of other kernels, in their order. */
static void keep_others(struct seam *seam, uint32_t kernel)
{
	struct seam_gpu *gpu = &seam->gpu;
	for (uint32_t left = gpu->queued; left; left--) {
		struct seam_dispatched next = pop_dispatched(seam);
		struct seam_sm *sm = &seam->sm[next.sm];
		if (seam->kernel_of[next.sent->kept.sender - 1] != kernel) {
			gpu->queue[(gpu->queue_head + gpu->queued++) % seam->machine.send_queue] = next;
			sm->dispatched++;
			continue;
		}
		struct seam_counted to = counted_of(sm, next.sent);
		SEAM_COUNT(to, dropped);
		free_sent(sm, next.sent);
	}
}

void seam_drop_dispatched(struct seam *seam, uint32_t kernel)
{
	struct seam_gpu *gpu = &seam->gpu;
	keep_others(seam, kernel);
	gpu->first_wake = MECH_NEVER;
	for (uint32_t i = 0; i < seam->parts; i++)
		if (seam->kernel_of[i] == kernel)
			gpu->wake[i] = MECH_NEVER;
	for (uint32_t i = 0; i < gpu->cycle.count; i++)
		gpu->first_wake = gpu->wake[gpu->cycle.part[i]] < gpu->first_wake ? gpu->wake[gpu->cycle.part[i]]
		                                                                  : gpu->first_wake;
}
