/* poll: finds the warps that poll for writes by others, when a run is stopped or inspected, and the warps that
 * could still make those writes. */
#include "simt/access.h"
#include "simt/message.h"
#include "simt/polling_lanes.h"

#include <inttypes.h>

static const struct simt_allocation *allocation_of(const struct simt_launch *launch, uint64_t address)
{
	return simt_find(launch->memory, simt_address(launch->memory, address));
}

/* Reads the value at the address, if it is accessible. */
static void look_at_value(const struct simt_warp *warp, struct simt_poll *poll)
{
	const struct simt_memory *memory = warp->block->launch->memory;
	uint64_t machine = simt_address(memory, poll->address);
	const void *place = NULL;
	poll->bytes = poll->inst->size <= sizeof poll->value ? poll->inst->size : 0;
	if (poll->space == PTX_SHARED && poll->address + poll->bytes <= warp->block->shared_bytes)
		place = warp->block->shared + poll->address;
	else if (poll->space == PTX_GLOBAL && poll->bytes && simt_valid(memory, machine, poll->bytes))
		place = simt_host(memory, machine);
	if (place)
		memcpy(&poll->value, place, poll->bytes);
	else
		poll->bytes = 0;
}

bool simt_warp_polls(const struct simt_warp *warp, struct simt_poll *poll)
{
	const struct simt_inst *inst = warp->done ? NULL : polling_inst(warp);
	uint64_t address[WARP_SIZE];
	if (!inst || !warp->lanes)
		return false;
	unsigned lane = (unsigned)__builtin_ctz(warp->lanes);
	access_addresses(warp, inst, address);
	enum ptx_space space = inst->space == PTX_GENERIC ? generic_space(address[lane]) : inst->space;
	uint64_t window = inst->space == PTX_GENERIC && space == PTX_SHARED ? window_of(space) : 0;
	const struct simt_allocation *allocation =
		space == PTX_GLOBAL ? allocation_of(warp->block->launch, address[lane]) : NULL;
	*poll = (struct simt_poll){.inst = inst,
	                           .address = address[lane] - window,
	                           .space = space,
	                           .is_host = allocation && allocation->owner == SIMT_SHARE,
	                           .block = warp->block->index,
	                           .number = warp->block->number,
	                           .thread = simt_thread(warp->block->launch, warp->index, lane),
	                           .warps = 1};
	look_at_value(warp, poll);
	return true;
}

uint64_t simt_warp_hash(const struct simt_warp *warp)
{
	static const uint64_t prime = 0x9e3779b97f4a7c15;
	const uint64_t *row = (const uint64_t *)(const void *)warp->registers;
	uint64_t words = warp->block->launch->program->register_bytes / sizeof *row;
	uint64_t state = ((uint64_t)warp->pc << 32 | warp->lanes) * prime;
	state = (state ^ ((uint64_t)warp->depth << 32 | warp->parked_count)) * prime;
	for (uint32_t k = 0; k < warp->parked_count; k++) {
		const struct simt_stack_entry *top = &warp->parked[k].stack[warp->parked[k].depth - 1];
		state = (state ^ ((uint64_t)top->pc << 32 | top->lanes)) * prime;
	}
	for (uint64_t i = 0; i < words; i++) {
		state = (state ^ row[i]) * prime;
		state ^= state >> 29;
	}
	return state;
}

/* --- all warps --- */

static void add_poll(struct simt_polls *polls, const struct simt_poll *poll)
{
	polls->polling++;
	for (uint32_t i = 0; i < polls->count; i++) {
		struct simt_poll *known = &polls->poll[i];
		if (known->inst != poll->inst || known->address != poll->address ||
		    (poll->space == PTX_SHARED && known->number != poll->number))
			continue;
		known->warps++;
		return;
	}
	if (polls->count < SIMT_MAX_POLLS)
		polls->poll[polls->count++] = *poll;
	else if (poll->is_host && !polls->poll[0].is_host)
		polls->poll[0] = *poll;
}

static void add_starved(struct simt_polls *polls, const struct simt_warp *warp, const struct simt_kept *kept)
{
	if (polls->starved++)
		return;
	polls->starved_by = *kept;
	polls->starved_block = warp->block->index;
	polls->starved_warp = warp->index;
}

void simt_polls_add(struct simt_polls *polls, const struct simt_warp *warp, const struct simt_kept *kept)
{
	struct simt_poll poll;
	if (warp->done)
		return;
	if (kept->holder) {
		if (!polls->held++) {
			polls->holder = kept->holder;
			polls->held_block = warp->block->index;
		}
	} else if (warp->block->waiting >> warp->index & 1) {
		polls->at_barrier++;
	} else if (kept->order) {
		if (!polls->left_out++) {
			polls->order = kept->order;
			polls->left_out_block = warp->block->index;
		}
	} else if (kept->starver) {
		add_starved(polls, warp, kept);
	} else if (simt_warp_polls(warp, &poll)) {
		add_poll(polls, &poll);
	} else if (!polls->running++) {
		polls->running_block = warp->block->index;
		polls->running_warp = warp->index;
	}
}

/* --- messages --- */

static void add_module_variable(struct message *out, const struct simt_launch *launch, uint64_t address)
{
	const struct ptx_variable *variable = launch->program->kernel->module->variables;
	for (; variable; variable = variable->next) {
		if (variable->space == PTX_GLOBAL && address >= variable->address &&
		    address - variable->address < variable->size)
			message_add(out, ", '%s' + %" PRIu64, variable->name, address - variable->address);
	}
}

static void print_address(struct message *out, const struct simt_launch *launch, const struct simt_poll *poll)
{
	if (poll->is_host) {
		message_add(out,
		            " polls address 0x%" PRIx64 ", which is host memory: a kernel runs to its end at its "
		            "launch, so later writes of the host never reach it",
		            poll->address);
		return;
	}
	message_add(out, " reads %saddress 0x%" PRIx64 " again and again", poll->space == PTX_SHARED ? "shared " : "",
	            poll->address);
	if (poll->bytes)
		message_add(out, ", %" PRIu32 " bytes with the value 0x%" PRIx64, poll->bytes, poll->value);
	if (poll->space == PTX_SHARED) {
		message_variable(out, launch, PTX_SHARED, poll->address);
		return;
	}
	const struct simt_allocation *allocation = allocation_of(launch, poll->address);
	add_module_variable(out, launch, poll->address);
	if (!allocation)
		return;
	uint64_t begin = simt_named(launch->memory, allocation->address);
	message_add(out, "; allocation 0x%" PRIx64 ", %" PRIu64 " bytes, offset %" PRIu64, begin, allocation->size,
	            poll->address - begin);
}

static void print_poll(struct message *out, const struct simt_launch *launch, const struct simt_poll *poll)
{
	message_add(out, "\n  at ");
	message_place(out, launch, poll->inst->ptx);
	message_add(out, " block ");
	message_dim(out, poll->block);
	message_add(out, ", thread ");
	message_dim(out, poll->thread);
	print_address(out, launch, poll);
	if (poll->warps > 1)
		message_add(out, "; %" PRIu32 " warps do this", poll->warps);
}

/* Names the warps that get no issue slot, and those that take them. */
static void print_starved(struct message *out, const struct simt_polls *polls)
{
	const struct simt_kept *by = &polls->starved_by;
	message_add(out,
	            "; %" PRIu32 " %s ready but never issue%s: with the warp order %s, polling warps take every issue "
	            "slot of their schedulers. The first is warp %" PRIu32 " of block ",
	            polls->starved, polls->starved == 1 ? "warp is" : "warps are", polls->starved == 1 ? "s" : "",
	            by->starver, polls->starved_warp);
	message_dim(out, polls->starved_block);
	message_add(out,
	            " on SM %" PRIu32 ", where %" PRIu32 " warps of its scheduler issue. %s may have to write it; with "
	            "-o sm.warp_order=lrr all ready warps issue in turn",
	            by->sm, by->issuers, polls->starved == 1 ? "It" : "One of these");
}

/* Names the warps that could write the location: warps that neither poll nor are held. */
static void print_writers(struct message *out, const struct simt_polls *polls)
{
	message_add(out, "\n  ");
	if (polls->running) {
		message_add(out,
		            "%" PRIu32 " other %s still running, which may write it: the first is warp %" PRIu32
		            " of block ",
		            polls->running, polls->running == 1 ? "warp is" : "warps are", polls->running_warp);
		message_dim(out, polls->running_block);
		return;
	}
	message_add(out, "no %s can write it: %" PRIu32 " poll, %" PRIu32 " wait at barriers",
	            polls->left_out  ? "warp that competes"
	            : polls->starved ? "warp that issues"
	                             : "resident warp",
	            polls->polling, polls->at_barrier);
	if (polls->held) {
		message_add(out, ", and mechanism %s holds %" PRIu32 " back, the first of block ", polls->holder,
		            polls->held);
		message_dim(out, polls->held_block);
		message_add(out, ". A block polls a location that only a block waiting for it would write");
	}
	if (polls->left_out) {
		message_add(out,
		            "; polling warps keep their positions in the order of %s, where %" PRIu32
		            " others never compete, the first of block ",
		            polls->order, polls->left_out);
		message_dim(out, polls->left_out_block);
		message_add(out, ": one of these may have to write it");
	}
	if (polls->starved)
		print_starved(out, polls);
	if (polls->blocks_left)
		message_add(out,
		            "; %" PRIu64 " of %" PRIu64
		            " blocks are not resident, and start only when others end: blocks that wait for all others "
		            "must be resident together (cudaLaunchCooperativeKernel)",
		            polls->blocks_left, polls->blocks);
}

void simt_polls_print(const struct simt_launch *launch, const struct simt_polls *polls, char *text, size_t size)
{
	struct message out = {text, size};
	if (!size)
		return;
	text[0] = '\0';
	if (!polls->count)
		return;
	for (uint32_t i = 0; i < polls->count; i++)
		print_poll(&out, launch, &polls->poll[i]);
	if (!polls->poll[0].is_host)
		print_writers(&out, polls);
}
