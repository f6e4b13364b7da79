/* check: tests whether mechanisms fit a machine, each one separately and all together. */
#include "seam/private.h"

#include <stdio.h>
#include <string.h>

static const struct {
	uint32_t policy;
	const char *what;
} policies[] = {
	{MECH_POLICY_WARP_ORDER, "the warp order"},
	{MECH_POLICY_BLOCK_COUNT, "the number of blocks per SM"},
	{MECH_POLICY_BLOCK_PLACE, "the placement of blocks"},
	{MECH_POLICY_BUFFER, "the buffer in front of L1"},
	{MECH_POLICY_L1_REPLACEMENT, "L1 replacement"},
	{MECH_POLICY_L2_REPLACEMENT, "L2 replacement"},
	{MECH_POLICY_L1_MISS, "the answers to L1 misses"},
	{MECH_POLICY_DRAM, "DRAM scheduling"},
	{MECH_POLICY_SHARED_ROOM, "the number of blocks that fit into shared memory"},
	{MECH_POLICY_SHARED_LAYOUT, "the layout of shared memory"},
	{MECH_POLICY_WARP_RANK, "the ranks of warps"},
	{MECH_POLICY_KERNEL, "the choice of the kernel"},
};

const char *seam_policy_name(uint32_t policy)
{
	for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
		if (policies[i].policy == policy)
			return policies[i].what;
	return "?";
}

static bool owns_opcode(const struct mech *mech, const char *name)
{
	for (uint32_t own = 0; own < mech->opcode_count; own++)
		if (strcmp(mech->opcodes[own], name) == 0)
			return true;
	return false;
}

static bool check_pair(const struct mech *one, const struct mech *other, char *message, size_t size)
{
	if (strcmp(one->name, other->name) == 0) {
		snprintf(message, size,
		         one == other ? "mechanism %s is attached twice"
		                      : "two mechanisms have the name %s: one of them needs another name",
		         one->name);
		return false;
	}
	for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
		if (one->policies & other->policies & policies[i].policy) {
			snprintf(message, size, "mechanisms %s and %s both own %s; only one of them can", one->name,
			         other->name, policies[i].what);
			return false;
		}
	for (uint32_t own = 0; own < one->opcode_count; own++)
		if (owns_opcode(other, one->opcodes[own])) {
			snprintf(message, size, "mechanisms %s and %s both own the opcode %s; only one of them can",
			         one->name, other->name, one->opcodes[own]);
			return false;
		}
	return true;
}

static bool fits(const struct mech *mech, const struct mech_machine *machine, char *message, size_t size)
{
	const struct {
		uint32_t policy;
		bool hook;
		const char *name;
	} need[] = {
		{MECH_POLICY_WARP_ORDER, mech->pick_warp, "pick_warp"},
		{MECH_POLICY_BLOCK_COUNT, mech->blocks_per_sm, "blocks_per_sm"},
		{MECH_POLICY_BLOCK_PLACE, mech->place_block, "place_block"},
		{MECH_POLICY_BUFFER, mech->buffer, "buffer"},
		{MECH_POLICY_L1_REPLACEMENT, mech->l1_victim, "l1_victim"},
		{MECH_POLICY_L2_REPLACEMENT, mech->l2_victim, "l2_victim"},
		{MECH_POLICY_L1_MISS, mech->answer_miss, "answer_miss"},
		{MECH_POLICY_DRAM, mech->dram_next, "dram_next"},
		{MECH_POLICY_SHARED_ROOM, mech->shared_room, "shared_room"},
		{MECH_POLICY_SHARED_ROOM, mech->shared_taken, "shared_taken"},
		{MECH_POLICY_SHARED_LAYOUT, mech->shared_place, "shared_place"},
		{MECH_POLICY_KERNEL, mech->pick_kernel, "pick_kernel"},
	};
	const struct {
		uint32_t policy;
		bool hook;
		const char *name;
	} may_have[] = {
		{MECH_POLICY_L1_REPLACEMENT, mech->l1_used, "l1_used"},
		{MECH_POLICY_L2_REPLACEMENT, mech->l2_used, "l2_used"},
		{MECH_POLICY_SHARED_ROOM, mech->shared_full, "shared_full"},
	};
	for (size_t i = 0; i < sizeof need / sizeof *need; i++) {
		bool owns = mech->policies & need[i].policy;
		if (owns == need[i].hook)
			continue;
		snprintf(message, size, "mechanism %s %s %s %s hook %s", mech->name, owns ? "owns" : "does not own",
		         seam_policy_name(need[i].policy), owns ? "but has no" : "but has the", need[i].name);
		return false;
	}
	for (size_t i = 0; i < sizeof may_have / sizeof *may_have; i++)
		if (may_have[i].hook && !(mech->policies & may_have[i].policy)) {
			snprintf(message, size, "mechanism %s does not own %s but has the hook %s", mech->name,
			         seam_policy_name(may_have[i].policy), may_have[i].name);
			return false;
		}
	if (mech->sends && !machine->send_queue) {
		snprintf(message, size, "mechanism %s sends requests, and sm.send_queue is not set: give it at least 1",
		         mech->name);
		return false;
	}
	return true;
}

static bool check_buffer(const struct seam_attached *attached, const struct mech_machine *machine, char *message,
                         size_t size)
{
	const char *name = attached->mech->name;
	const struct mech_buffer buffer = attached->mech->buffer(attached->config, machine);
	uint64_t way = (uint64_t)buffer.sets * machine->line_bytes;
	if (machine->line_bytes > MECH_SECTOR * BUFFER_SECTORS)
		snprintf(message, size,
		         "mechanism %s: its buffer takes lines of at most %d bytes; l1d.line_bytes is %u", name,
		         MECH_SECTOR * BUFFER_SECTORS, machine->line_bytes);
	else if (!buffer.sets || buffer.sets & (buffer.sets - 1) || buffer.sets > MECH_MAX_BUFFER_SETS)
		snprintf(message, size, "mechanism %s: its buffer has %u sets; expected a power of two up to %d", name,
		         buffer.sets, MECH_MAX_BUFFER_SETS);
	else if (buffer.in_shared && buffer.bytes < way)
		snprintf(message, size, "mechanism %s: its buffer has %u bytes; a way of %u lines takes %llu", name,
		         buffer.bytes, buffer.sets, (unsigned long long)way);
	else if (!buffer.in_shared && buffer.bytes)
		snprintf(message, size,
		         "mechanism %s: its buffer has %u bytes and is not in_shared; expected 0, or sets and ways",
		         name, buffer.bytes);
	else if (buffer.merges > MECH_MAX_BUFFER_MERGES)
		snprintf(message, size, "mechanism %s: %u loads can wait at its buffer; expected 0 to %d", name,
		         buffer.merges, MECH_MAX_BUFFER_MERGES);
	else
		return true;
	return false;
}

static bool check_lengths(const struct seam_attached *attached, const struct mech_machine *machine, char *message,
                          size_t size)
{
	const struct mech *mech = attached->mech;
	for (uint32_t v = 0; v < mech->vector_count; v++) {
		uint32_t length = output_length(attached, machine, v);
		if (length && length <= MECH_MAX_VECTOR)
			continue;
		snprintf(message, size, "mechanism %s: its vector %s has %u elements; expected 1 to %d", mech->name,
		         mech->vectors[v].name, length, MECH_MAX_VECTOR);
		return false;
	}
	return true;
}

static bool check_one(const struct seam_attached *attached, const struct mech_machine *machine, char *message,
                      size_t size)
{
	const struct mech *mech = attached->mech;
	char text[256] = "it cannot be part of this machine";
	if (!fits(mech, machine, message, size) || !seam_check_kernels(mech, message, size))
		return false;
	if (mech->check && !mech->check(attached->config, machine, text, sizeof text)) {
		snprintf(message, size, "mechanism %s: %s", mech->name, text);
		return false;
	}
	return check_lengths(attached, machine, message, size) &&
	       seam_check_energies(attached, machine, message, size) &&
	       (!mech->buffer || check_buffer(attached, machine, message, size));
}

bool seam_check(const struct seam_attached *attached, uint32_t count, const struct mech_machine *machine, char *message,
                size_t size)
{
	if (count > MECH_MAX) {
		snprintf(message, size, "%u mechanisms; at most %u can be attached", count, MECH_MAX);
		return false;
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct mech *mech = attached[i].mech;
		for (uint32_t k = 0; k < i; k++)
			if (!check_pair(attached[k].mech, mech, message, size))
				return false;
		if (!check_one(&attached[i], machine, message, size))
			return false;
	}
	return true;
}
