/* What mechanisms ask of the machine: requests, with their accounts, and effects. */
#include "seam/inner.h"

#include <assert.h>

enum { MARK_PC_BITS = 27 };

uint32_t seam_mark(const struct seam_sent *sent)
{
	return (sent->sender + 1) << MARK_PC_BITS | sent->request.pc;
}

/* The counters of a request: its sender's, and its load's where there is one. */
struct counted {
	struct mech_requests *all, *load;
};

static struct counted counted(struct seam_sm *sm, uint32_t sender, uint32_t pc)
{
	struct seam_account *account = &sm->account[sender];
	bool known = account->by_pc && pc < sm->seam->launch.instructions;
	return (struct counted){&account->all, known ? &account->by_pc[pc] : NULL};
}

#define COUNT(counted, name) ((counted).all->name++, (counted).load ? (void)(counted).load->name++ : (void)0)

static struct counted counted_of(struct seam_sm *sm, const struct seam_sent *sent)
{
	return counted(sm, sent->sender, sent->request.pc);
}

void seam_settle(struct seam_sm *sm, enum seam_fate fate, uint32_t mark)
{
	struct counted to = counted(sm, (mark >> MARK_PC_BITS) - 1, mark & ((1u << MARK_PC_BITS) - 1));
	switch (fate) {
	case SEAM_USEFUL:
		COUNT(to, useful);
		break;
	case SEAM_LATE:
		COUNT(to, late);
		break;
	case SEAM_EARLY_EVICTED:
		COUNT(to, early_evicted);
		break;
	default:
		COUNT(to, redundant);
	}
}

static struct seam_sent *new_sent(struct seam_sm *sm, uint32_t sender, const struct mech_request *request)
{
	uint32_t line = sm->seam->machine.line_bytes;
	(void)line;
	assert(request->bytes && request->address % MECH_SECTOR == 0 &&
	       request->address % line + request->bytes <= line);
	assert(request->to != MECH_TO_BUFFER || sm->has_buffer);
	struct seam_sent *sent = sm->free;
	if (sent)
		sm->free = sent->next;
	else
		sent = arena_alloc(&sm->arena, sizeof *sent);
	*sent = (struct seam_sent){.request = *request, .sender = sender};
	if (request->to == MECH_TO_BUFFER)
		sent->owner = sm->block[request->block].number;
	return sent;
}

static void free_sent(struct seam_sm *sm, struct seam_sent *sent)
{
	sent->next = sm->free;
	sm->free = sent;
}

static bool send(struct mech_sm *part, const struct mech_request *request)
{
	struct seam_sm *sm = part->host;
	uint32_t room = sm->seam->machine.send_queue;
	assert(part->mech->sends);
	struct counted to = counted(sm, part->number, request->pc);
	COUNT(to, asked);
	if (sm->queued == room) {
		COUNT(to, dropped);
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

void seam_request_sent(struct seam_sm *sm, uint64_t cycle)
{
	struct seam_sent *sent = pop(sm);
	sent->cycle = cycle;
	struct counted to = counted_of(sm, sent);
	COUNT(to, issued);
}

static void tell_sender(struct seam_sm *sm, const struct seam_sent *sent, bool filtered, uint64_t cycle)
{
	struct mech_sm *part = &sm->part[sent->sender];
	const struct mech_reply reply = {
		.request = sent->request, .filtered = filtered, .sent = sent->cycle, .cycle = cycle};
	if (part->mech->on_reply)
		part->mech->on_reply(part, &reply);
}

void seam_request_filtered(struct seam_sm *sm, uint64_t cycle)
{
	struct seam_sent *sent = pop(sm);
	sent->cycle = cycle;
	struct counted to = counted_of(sm, sent);
	COUNT(to, filtered);
	tell_sender(sm, sent, true, cycle);
	free_sent(sm, sent);
}

void seam_drop_requests(struct seam_sm *sm)
{
	while (sm->queued) {
		struct seam_sent *sent = pop(sm);
		struct counted to = counted_of(sm, sent);
		COUNT(to, dropped);
		free_sent(sm, sent);
	}
}

void seam_reply(struct seam_sm *sm, struct seam_sent *sent, uint64_t cycle)
{
	const struct mech_request *request = &sent->request;
	bool wanted = request->to == MECH_TO_BUFFER && sm->slots >> request->block & 1 &&
	              sm->block[request->block].number == sent->owner; /* its block is still there */
	if (wanted)
		line_buffer_put(&sm->buffer, request->address, request->bytes, request->block, seam_mark(sent));
	else if (request->to != MECH_TO_L1)
		seam_settle(sm, SEAM_REDUNDANT, seam_mark(sent));
	tell_sender(sm, sent, false, cycle);
	free_sent(sm, sent);
}

static uint32_t room_to_send(const struct mech_gpu *part)
{
	const struct seam *seam = part->host;
	return seam->machine.send_queue - seam->gpu.queued;
}

static struct mech_sm *part_of(const struct mech_gpu *part, uint32_t sm)
{
	const struct seam *seam = part->host;
	return &seam->sm[sm].part[part->number];
}

static bool send_to(struct mech_gpu *part, uint32_t sm, const struct mech_request *request)
{
	struct seam *seam = part->host;
	struct seam_gpu *gpu = &seam->gpu;
	uint32_t room = seam->machine.send_queue;
	assert(part->mech->sends && request->to != MECH_TO_L1);
	if (gpu->queued == room)
		return false;
	struct seam_sent *sent = new_sent(&seam->sm[sm], part->number, request);
	struct counted to = counted_of(&seam->sm[sm], sent);
	COUNT(to, asked);
	gpu->queue[(gpu->queue_head + gpu->queued++) % room] = (struct seam_dispatched){sm, sent};
	return true;
}

void seam_dispatched_sent(struct seam *seam, uint64_t cycle)
{
	struct seam_gpu *gpu = &seam->gpu;
	struct seam_dispatched *next = &gpu->queue[gpu->queue_head];
	next->sent->cycle = cycle;
	struct counted to = counted_of(&seam->sm[next->sm], next->sent);
	COUNT(to, issued);
	gpu->queue_head = (gpu->queue_head + 1) % seam->machine.send_queue;
	gpu->queued--;
}

void seam_drop_dispatched(struct seam *seam)
{
	struct seam_gpu *gpu = &seam->gpu;
	for (; gpu->queued; gpu->queued--) {
		struct seam_dispatched *next = &gpu->queue[gpu->queue_head];
		struct counted to = counted_of(&seam->sm[next->sm], next->sent);
		COUNT(to, dropped);
		free_sent(&seam->sm[next->sm], next->sent);
		gpu->queue_head = (gpu->queue_head + 1) % seam->machine.send_queue;
	}
	gpu->first_wake = MECH_NEVER;
}

static void prefer(struct mech_gpu *part, enum mech_preference preference)
{
	struct seam *seam = part->host;
	seam->gpu.preference = preference;
}

static void put(struct mech_sm *part, uint64_t address, uint32_t bytes, uint32_t block)
{
	struct seam_sm *sm = part->host;
	uint32_t line = sm->seam->machine.line_bytes;
	for (uint64_t at = address, end = address + bytes; at < end;) {
		uint64_t next = (at & ~(uint64_t)(line - 1)) + line;
		next = next < end ? next : end;
		line_buffer_put(&sm->buffer, at, (uint32_t)(next - at), block, 0);
		at = next;
	}
}

static void hold_block(struct mech_sm *part, uint32_t slot)
{
	struct seam_sm *sm = part->host;
	sm->held(sm->host, slot, sm->holders[slot] | 1u << part->number, sm->seam->gpu.dispatching);
}

static void release_block(struct mech_sm *part, uint32_t slot)
{
	struct seam_sm *sm = part->host;
	sm->held(sm->host, slot, sm->holders[slot] & ~(1u << part->number), sm->seam->gpu.dispatching);
}

static struct mech_rows rows(struct mech_gpu *part, uint32_t most, enum mech_loops loops)
{
	const struct seam *seam = part->host;
	return seam->analyses.rows ? seam->analyses.rows(seam->analyses.user, most, loops) : (struct mech_rows){0};
}

static const struct mech_load *loads(struct mech_gpu *part, uint32_t *count)
{
	const struct seam *seam = part->host;
	*count = 0;
	return seam->analyses.loads ? seam->analyses.loads(seam->analyses.user, count) : NULL;
}

static void say(struct mech_gpu *part, const char *text)
{
	const struct seam *seam = part->host;
	if (seam->analyses.say)
		seam->analyses.say(seam->analyses.user, part->mech->name, text);
}

static const struct mech_requests *account(const struct mech_sm *part)
{
	const struct seam_sm *sm = part->host;
	return &sm->account[part->number].all;
}

const struct mech_services seam_services = {
	.send = send,
	.send_to = send_to,
	.room_to_send = room_to_send,
	.part = part_of,
	.prefer = prefer,
	.put = put,
	.hold_block = hold_block,
	.release_block = release_block,
	.rows = rows,
	.loads = loads,
	.say = say,
	.account = account,
};
