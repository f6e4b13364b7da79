/* pass_relssp: inserts the instruction by which a thread declares that it no longer needs the common part (section
 * 6.3). An edge is split only if the instruction has no other place. So a critical edge costs a branch only where it
 * is used. */
#include "mech/sharing/accesses.h"
#include "mech/sharing/passes.h"
#include "mech/sharing/pending.h"
#include "mech/sharing/placement.h"

enum branches { BRANCHES_ALL, BRANCHES_NEEDED };
enum placing { PLACE_OPTIMAL, PLACE_POSTDOM, PLACE_EXIT };

struct config {
	double t;
	uint32_t dynamic, place, branches, room, blocks;
};

static const struct config defaults = {.t = 0.1, .place = PLACE_OPTIMAL};

static const char *const places[] = {
	[PLACE_OPTIMAL] = "optimal", [PLACE_POSTDOM] = "postdom", [PLACE_EXIT] = "exit", NULL};

static const char *const branches[] = {[BRANCHES_ALL] = "all", [BRANCHES_NEEDED] = "needed", NULL};

static const struct base_option options[] = {
	{"t", BASE_OPTION_F64, offsetof(struct config, t), 0, 1, NULL, "",
         "private fraction of a block's shared memory"},
	{"dynamic", BASE_OPTION_U32, offsetof(struct config, dynamic), 0, 1 << 30, NULL, "bytes",
         "of dynamic shared memory in the launch"},
	{"place", BASE_OPTION_ENUM, offsetof(struct config, place), 0, 0, places, "",
         "after the last access on each path, at the accesses' common post-dominator, or at the kernel's exits"},
	{"branches", BASE_OPTION_ENUM, offsetof(struct config, branches), 0, 0, branches, "",
         "a branch for each critical edge that is split, as in the paper, or only where the code does not fall "
         "through"},
	{"room", BASE_OPTION_U32, offsetof(struct config, room), 0, 1 << 30, NULL, "bytes",
         "of shared memory per SM; 0: unknown"},
	{"blocks", BASE_OPTION_U32, offsetof(struct config, blocks), 0, 1 << 16, NULL, "blocks",
         "of an SM's slots: kernels of which this number fits in the shared memory are skipped; 0: unknown"},
};

#define COUNTERS(X)                                                                                                    \
	X(kernels, "kernels", "that use the common part and release it")                                               \
	X(left, "kernels", "unchanged: they have relssp already")                                                      \
	X(unended, "kernels", "without relssp: an asynchronous copy may be in progress at their end")                  \
	X(instructions, "instructions", "inserted: relssp")                                                            \
	X(edges, "edges", "split by a block with relssp")                                                              \
	X(accesses, "instructions", "that may access shared memory at untraced addresses")                             \
	X(variables, "variables", "of shared memory whose addresses are in memory, where such accesses may go")

struct counters {
#define X(name, unit, meaning) uint64_t name;
	COUNTERS(X)
#undef X
};

static const struct base_counter counters[] = {
#define X(name, unit, meaning)                                                                                         \
	{#name, unit, BASE_SCOPE_GPU, offsetof(struct counters, name), meaning, BASE_COMBINE_SUM},
	COUNTERS(X)
#undef X
};

struct insertion {
	struct pass_job *job;
	const struct flow_cfg *cfg;
	const struct config *config;
	const bool *accesses; /* by instruction: whether it accesses the common part */
	struct sharing_safety safety;
	struct counters *count;
};

static void insert(struct insertion *insertion, struct edit_list *at)
{
	static const struct ptx_inst relssp = {.op = PTX_OP_RELSSP, .guard = PTX_NO_REG, .vector = 1, .pattern = ">"};
	pass_add(insertion->job, at, &relssp);
	insertion->count->instructions++;
}

/* Blocks are numbered in the order of the code. */
static void insert_branch(struct insertion *insertion, struct edit_list *at, uint32_t to)
{
	struct ptx_operand target = {
		.kind = PTX_OPERAND_LABEL, .reg = PTX_NO_REG, .target = insertion->cfg->block[to].first};
	const struct ptx_inst branch = {
		.op = PTX_OP_BRA, .guard = PTX_NO_REG, .vector = 1, .pattern = ">l", .operands = 1, .operand = &target};
	pass_add(insertion->job, at, &branch);
}

/* Puts relssp on an edge, in a new block if necessary. A new block into which the code falls through needs no
 * branch, but may get one as if it were placed elsewhere. */
static void insert_on_edge(struct insertion *insertion, uint32_t from, uint32_t to)
{
	const struct flow_cfg *cfg = insertion->cfg;
	struct edit_list *at = pass_on_edge(insertion->job, from, to);
	bool begins_there = cfg->block[to].predecessors == 1 && to + 1 != cfg->blocks;
	insert(insertion, at);
	if (cfg->block[from].successors == 1 || begins_there)
		return;
	insertion->count->edges++;
	if (to == from + 1 && insertion->config->branches == BRANCHES_ALL)
		insert_branch(insertion, at, to);
}

static void insert_in_block(struct insertion *insertion, uint32_t block)
{
	uint32_t last = sharing_last_access(insertion->cfg, block, insertion->accesses);
	insert(insertion,
	       last == FLOW_NONE ? pass_block_begin(insertion->job, block) : pass_after(insertion->job, last));
}

static void place_optimal(struct insertion *insertion)
{
	const struct flow_cfg *cfg = insertion->cfg;
	for (uint32_t from = 0; from < cfg->blocks; from++) {
		const struct flow_block *block = &cfg->block[from];
		if (!block->reachable)
			continue;
		if (sharing_inserts_in(&insertion->safety, from))
			insert_in_block(insertion, from);
		for (uint32_t k = 0; k < block->successors; k++)
			if (sharing_inserts_on(&insertion->safety, from, block->successor[k]))
				insert_on_edge(insertion, from, block->successor[k]);
	}
}

static void place_at_exits(struct insertion *insertion)
{
	uint32_t exit = insertion->cfg->blocks - 1;
	for (uint32_t from = 0; from < exit; from++)
		if (insertion->cfg->block[from].reachable && flow_has_edge(insertion->cfg, from, exit))
			insert_on_edge(insertion, from, exit);
}

static void place(struct insertion *insertion, enum placing where)
{
	uint32_t block = insertion->cfg->blocks - 1;
	if (where == PLACE_POSTDOM)
		block = sharing_post_dominator(insertion->cfg, pass_dominators(insertion->job), &insertion->safety);
	if (where == PLACE_OPTIMAL)
		place_optimal(insertion);
	else if (block == insertion->cfg->blocks - 1)
		place_at_exits(insertion);
	else
		insert_in_block(insertion, block);
}

/* --- selection of kernels --- */

/* Whether as large a number of blocks fits without sharing as with it. */
static bool fits_without(const struct config *config, uint64_t bytes)
{
	return config->blocks && config->room / bytes >= config->blocks;
}

/* Returns false when no reachable instruction accesses the common part. */
static bool find_accesses(struct pass_job *job, const struct sharing_accesses *found, bool *accesses)
{
	const struct config *config = job->config;
	const struct flow_cfg *cfg = pass_cfg(job);
	uint64_t boundary = sharing_own_bytes(config->t, found->layout.bytes);
	bool any = false;
	for (uint32_t i = 0; i < job->function->body_count; i++) {
		accesses[i] = cfg->block[cfg->block_of[i]].reachable && sharing_touches_from(found, i, boundary);
		any |= accesses[i];
	}
	return any;
}

static bool has_relssp(const struct ptx_function *function)
{
	for (uint32_t i = 0; i < function->body_count; i++)
		if (function->body[i].op == PTX_OP_RELSSP)
			return true;
	return false;
}

static void release(struct pass_job *job, struct arena *arena)
{
	const struct config *config = job->config;
	const struct sharing_accesses *found = sharing_accesses(arena, job->function, config->dynamic);
	struct insertion insertion = {.job = job, .cfg = pass_cfg(job), .config = config, .count = job->counters};
	bool *accesses = pass_alloc(job, job->function->body_count + 1);
	insertion.count->accesses += found->unfollowed;
	insertion.count->variables += (uint64_t)__builtin_popcountll(found->exposed);
	if (found->layout.bytes && fits_without(config, found->layout.bytes))
		return;
	if (!find_accesses(job, found, accesses))
		return;
	if (!sharing_add_pending(arena, insertion.cfg, found, accesses)) {
		insertion.count->unended++;
		return;
	}
	insertion.accesses = accesses;
	insertion.safety = sharing_safety(arena, insertion.cfg, accesses);
	insertion.count->kernels++;
	place(&insertion, config->place);
}

static enum pass_result run(struct pass_job *job)
{
	struct counters *count = job->counters;
	struct arena arena = {0};
	if (has_relssp(job->function))
		count->left++;
	else
		release(job, &arena);
	arena_free(&arena);
	return PASS_LEFT; /* recorded edits count as changes without this result */
}

const struct flow_pass sharing_pass_relssp = {
	.name = "relssp",
	.meaning = "inserts an instruction on every path through a kernel that releases the part of shared memory that "
		   "two blocks have in common",
	.stem = "relssp",
	.scope = PASS_KERNELS,
	.requires = ANALYSIS_SET(CFG) | ANALYSIS_SET(DOMINATORS),
	.keeps = ANALYSES_NONE,
	.options = options,
	.option_count = sizeof options / sizeof *options,
	.config_size = sizeof(struct config),
	.defaults = &defaults,
	.counters = counters,
	.counter_count = sizeof counters / sizeof *counters,
	.counters_size = sizeof(struct counters),
	.run = run,
};
