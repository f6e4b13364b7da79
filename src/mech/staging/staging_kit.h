/* staging_kit: for the tests of this folder, the mechanism on a machine with analyzed kernels, and a log of its
 * hooks' events. */
#ifndef SLUICE_MECH_STAGING_STAGING_KIT_H
#define SLUICE_MECH_STAGING_STAGING_KIT_H

#include "gpu_kit.h"

#include "flow/staging.h"
#include "seam/seam.h"

extern const struct mech mech_staging;

enum { WARP = 32, LOG = 512, MAX_BLOCKS = 4 };

/* Log of the events that the mechanism's hooks received, in one host thread. */
struct seen {
	uint32_t pc, warp, block;
	uint64_t cycle; /* of its issue; for a store, the cycle in which the banks have written it */
};

static struct {
	struct mech mech;
	struct seen issue[LOG], store[LOG];
	uint32_t issues, stores;
	uint64_t begun[MAX_BLOCKS], ended[MAX_BLOCKS];
} spy;

static inline void spied_issue(struct mech_sm *sm, const struct mech_issue *issue)
{
	if (issue->lanes && spy.issues < LOG)
		spy.issue[spy.issues++] = (struct seen){issue->pc, issue->warp, issue->block, issue->cycle};
	mech_staging.issue(sm, issue);
}

static inline void spied_store(struct mech_sm *sm, const struct mech_shared *access)
{
	if (access->kind == MECH_STORE && spy.stores < LOG)
		spy.store[spy.stores++] =
			(struct seen){access->pc, access->warp, access->block, access->cycle + access->bank_cycles};
	mech_staging.shared_access(sm, access);
}

static inline void spied_begin(struct mech_sm *sm, const struct mech_block *block)
{
	spy.begun[block->number % MAX_BLOCKS] = block->cycle;
	mech_staging.block_begin(sm, block);
}

static inline void spied_end(struct mech_sm *sm, const struct mech_block *block)
{
	spy.ended[block->number % MAX_BLOCKS] = block->cycle;
	mech_staging.block_end(sm, block);
}

/* The analysis of the kit's kernel. The module has no other functions, so instruction numbers are pcs. */
static inline const struct mech_staging_inst *give(void *user, uint32_t *count)
{
	const struct gpu_kit *kit = user;
	static struct mech_staging_inst all[LOG];
	struct arena arena = {0};
	const struct flow_staging *found = flow_staging(&arena, kit->module->functions);
	*count = kit->program->count;
	for (uint32_t pc = 0; pc < *count; pc++) {
		uint32_t number = flow_number(found->on, kit->program->code[pc].ptx);
		const struct flow_role role = number == FLOW_NONE ? (struct flow_role){0} : found->inst[number];
		all[pc] =
			(struct mech_staging_inst){pc, role.loads, role.handles, role.stores, role.addresses, role.own};
	}
	arena_free(&arena);
	return all;
}

static inline void open_with(struct gpu_kit *kit, const char *const *options)
{
	kit_describe(kit, options);
	kit_attach(kit, "staging");
	spy.mech = mech_staging;
	spy.mech.issue = spied_issue;
	spy.mech.shared_access = spied_store;
	spy.mech.block_begin = spied_begin;
	spy.mech.block_end = spied_end;
	kit->attachments.list[0].mech = &spy.mech;
	kit_build(kit);
	kit->param = kit_buffer(kit, NULL, 1 << 16);
	kit->run.analyses = (struct seam_analyses){.user = kit, .staging = give};
}

#define OPEN(kit, ...) open_with(kit, (const char *const[]){"sm.count=1", __VA_ARGS__, NULL})

static inline void run(struct gpu_kit *kit, uint32_t blocks, uint32_t threads)
{
	spy.issues = spy.stores = 0;
	kit->run.blocks_per_sm = 0;
	kit_run(kit, blocks, threads);
}

/* Returns the pc of the instruction after a label. */
static inline uint32_t pc_at(const struct gpu_kit *kit, const char *label)
{
	const struct ptx_function *function = kit->module->functions;
	for (const struct ptx_label *l = function->labels; l; l = l->next)
		for (uint32_t pc = 0; strcmp(l->name, label) == 0 && pc < kit->program->count; pc++)
			if (kit->program->code[pc].ptx == &function->body[l->target])
				return pc;
	fail_msg("no label %s", label);
	return 0;
}

/* Returns the cycle of the n-th issue (from 0) of an instruction by a warp slot. */
static inline uint64_t issued(const struct gpu_kit *kit, const char *label, uint32_t warp, uint32_t n)
{
	uint32_t pc = pc_at(kit, label);
	for (uint32_t i = 0; i < spy.issues; i++)
		if (spy.issue[i].pc == pc && spy.issue[i].warp == warp && n-- == 0)
			return spy.issue[i].cycle;
	fail_msg("%s has not issued", label);
	return 0;
}

/* Returns the cycle in which the banks had written the n-th store (from 0). */
static inline uint64_t stored(uint32_t n)
{
	assert_true(n < spy.stores);
	return spy.store[n].cycle;
}

static inline uint64_t counted(const struct gpu_kit *kit, const char *name)
{
	return kit_counter(kit, 0, name);
}

static inline void expect(const struct gpu_kit *kit, uint64_t transfers, uint64_t agen, uint64_t mem, uint64_t bytes)
{
	assert_int_equal(counted(kit, "transfers"), transfers);
	assert_int_equal(counted(kit, "agen_cycles"), agen);
	assert_int_equal(counted(kit, "mem_cycles"), mem);
	assert_int_equal(counted(kit, "transfer_cycles"), agen + mem);
	assert_int_equal(counted(kit, "bytes"), bytes);
}

#endif
