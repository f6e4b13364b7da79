/* fault: the message about a kernel that stopped. */
#include "simt/message.h"

#include <inttypes.h>

static void add_wait(struct message *out, uint32_t number)
{
	if (number < SIMT_BARRIERS)
		message_add(out, "barrier %" PRIu32, number);
	else
		message_add(out, "the transfer of DMA buffer %" PRIu32, number - SIMT_BARRIERS);
}

static void add_other(struct message *out, const struct simt_launch *launch, const struct simt_fault *fault)
{
	message_add(out, "\n  thread ");
	message_dim(out, fault->other_thread);
	if (fault->kind == SIMT_FAULT_DIVERGED)
		message_add(out, " of the same warp has passed the barrier at ");
	else if (fault->kind == SIMT_FAULT_COUNTS)
		message_add(out, " has reached it as one of %" PRIu32 " threads, at ", fault->other_expected);
	else {
		message_add(out, " waits at ");
		add_wait(out, fault->other_barrier);
		message_add(out, ", at ");
	}
	message_place(out, launch, fault->other->ptx);
}

static void add_dma(struct message *out, const struct simt_fault *fault)
{
	message_add(out, ", warp %" PRIu32 "\n  field: %s, value: %" PRIu64 ", limit: %" PRIu64, fault->warp,
	            fault->field, fault->value, fault->most);
}

static void add_barrier(struct message *out, const struct simt_launch *launch, const struct simt_fault *fault)
{
	if (fault->kind == SIMT_FAULT_COUNTS)
		message_add(out, "\n  barrier %" PRIu32 " is for %" PRIu32 " threads here", fault->barrier,
		            fault->expected);
	if (fault->kind == SIMT_FAULT_BARRIER) {
		message_add(out, "\n  ");
		add_wait(out, fault->barrier);
		message_add(out,
		            " waits for %" PRIu32 " threads, %" PRIu32
		            " have arrived; no other thread of the block can still arrive",
		            fault->expected, fault->arrived);
	}
	if (fault->other)
		add_other(out, launch, fault);
}

static void add_freed(struct message *out, const struct simt_launch *launch, uint64_t address)
{
	const struct simt_allocation *freed = simt_freed(launch->memory, address);
	if (freed)
		message_add(out, "\n  freed allocation: 0x%" PRIx64 ", %" PRIu64 " bytes, offset %" PRIu64,
		            freed->address, freed->size, address - freed->address);
}

void simt_fault_print(const struct simt_launch *launch, const struct simt_fault *fault, char *text, size_t size)
{
	struct message out = {text, size};
	if (size == 0)
		return;
	message_add(&out, "kernel '%s' stopped: %s", launch->program->kernel->name, fault->what);
	if (fault->inst && fault->inst->ptx) {
		message_add(&out, "\n  at ");
		message_place(&out, launch, fault->inst->ptx);
	}
	message_add(&out, "\n  block ");
	message_dim(&out, fault->block);
	message_add(&out, ", thread ");
	message_dim(&out, fault->thread);
	if (fault->kind >= SIMT_FAULT_BARRIER && fault->kind <= SIMT_FAULT_DIVERGED)
		add_barrier(&out, launch, fault);
	if (fault->kind == SIMT_FAULT_DMA)
		add_dma(&out, fault);
	if (fault->kind == SIMT_FAULT_INSTRUCTION && fault->field)
		message_add(&out, "\n  %s: %" PRIu64 ", limit: %" PRIu64, fault->field, fault->value, fault->most);
	if (fault->kind == SIMT_FAULT_CALL)
		message_add(&out, ", address 0x%" PRIx64, fault->address);
	if (fault->kind == SIMT_FAULT_FREE) {
		message_add(&out, "\n  device free of 0x%" PRIx64 ", %s", fault->address, fault->detail);
		add_freed(&out, launch, fault->address);
		message_nearest_allocation(&out, launch, fault->address);
	}
	if (fault->size == 0)
		return;
	message_add(&out, ", address 0x%" PRIx64 ", %" PRIu32 " bytes", fault->address, fault->size);
	if (fault->space == PTX_SHARED || fault->space == PTX_LOCAL) {
		message_nearest_variable(&out, launch, fault->space, fault->address);
	} else if (fault->space == PTX_GLOBAL || fault->space == PTX_CONST) {
		add_freed(&out, launch, fault->address);
		message_nearest_allocation(&out, launch, fault->address);
	}
}
