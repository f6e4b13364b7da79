/* load_counts: counts how often a warp executes each global load (README.md). It is passive: it never changes what
 * the machine does. */
#include "seam/mech_listed.h"

enum { TOP = 4 };

#define COUNTERS(X)                                                                                                    \
	X(loads, "loads", "global loads that a warp executed, once per launch")                                        \
	X(repeated, "loads", "global loads that some warp executed more than once, once per launch")

struct stats {
#define X(name, unit, meaning) uint64_t name;
	COUNTERS(X)
#undef X
};

static const struct base_counter counters[] = {
#define X(name, unit, meaning) {#name, unit, BASE_SCOPE_GPU, offsetof(struct stats, name), meaning, BASE_COMBINE_SUM},
	COUNTERS(X)
#undef X
};

enum { EXECUTIONS, WARPS, TOP_EXECUTIONS, TOP_WARPS, VECTORS };

#define BY_LOAD(NAME, UNIT, MEANING)                                                                                   \
	{                                                                                                              \
		.name = NAME, .unit = UNIT, .meaning = MEANING, .scope = BASE_SCOPE_GPU, .kind = BASE_VECTOR_COUNTERS, \
		.length = MECH_LISTED_LOADS, .named = true                                                             \
	}
#define BY_RANK(NAME, UNIT, MEANING)                                                                                   \
	{                                                                                                              \
		.name = NAME, .unit = UNIT, .meaning = MEANING, .scope = BASE_SCOPE_GPU, .kind = BASE_VECTOR_COUNTERS, \
		.length = TOP                                                                                          \
	}

static const struct base_counter_vector vectors[VECTORS] = {
	[EXECUTIONS] = BY_LOAD("executions", "instructions", "by load: warp instructions with an active lane"),
	[WARPS] = BY_LOAD("warps", "warps", "by load: warps that executed it"),
	[TOP_EXECUTIONS] = BY_RANK("top_executions", "instructions",
                                   "executions of the loads with the most executions per warp, highest first"),
	[TOP_WARPS] = BY_RANK("top_warps", "warps", "warps that executed these loads"),
};

/* One load's counts on one SM. */
struct load {
	uint64_t executions, warps;
	bool repeated;
	uint64_t *last; /* by warp slot: number of the block that executed it last, from 1 */
};

struct sm_state {
	struct load *load; /* by pc */
	uint64_t *block;   /* by block slot: the resident block's number, from 1 */
};

/* --- counting --- */

static void sm_open(struct mech_sm *sm)
{
	struct sm_state *own = sm->state;
	own->block = mech_alloc(sm->pool, sm->machine->blocks * sizeof *own->block);
}

static void kernel_begin(struct mech_sm *sm)
{
	struct sm_state *own = sm->state;
	own->load = mech_alloc(sm->kernel_pool, sm->launch->instructions * sizeof *own->load);
}

static void block_begin(struct mech_sm *sm, const struct mech_block *block)
{
	((struct sm_state *)sm->state)->block[block->slot] = block->number + 1;
}

static bool loads_global(struct mech_sm *sm, const struct mech_issue *issue)
{
	struct mech_operands operands;
	if (issue->type != MECH_MEMORY || issue->kind != MECH_LOAD ||
	    (issue->space != MECH_GLOBAL && issue->space != MECH_GENERIC))
		return false;
	mech_operands(sm, issue, &operands);
	return operands.lanes && operands.bytes &&
	       operands.space[(uint32_t)__builtin_ctz(operands.lanes)] == MECH_GLOBAL;
}

static void issue(struct mech_sm *sm, const struct mech_issue *issue)
{
	struct sm_state *own = sm->state;
	if (!loads_global(sm, issue))
		return;
	struct load *load = &own->load[issue->pc];
	if (!load->last) /* allocated on demand: few instructions are loads */
		load->last = mech_alloc(sm->kernel_pool, sm->machine->warps * sizeof *load->last);
	uint64_t block = own->block[issue->block];
	load->executions++;
	if (load->last[issue->warp] == block)
		load->repeated = true;
	else
		load->warps++;
	load->last[issue->warp] = block;
}

/* --- a kernel's end --- */

static void gpu_kernel_begin(struct mech_gpu *gpu)
{
	mech_listed_begin(gpu->state, gpu->launch);
}

static struct load sum_of(const struct mech_gpu *gpu, uint32_t pc)
{
	struct load sum = {0};
	for (uint32_t s = 0; s < gpu->machine->sms; s++) {
		const struct load *load = &((const struct sm_state *)mech_part(gpu, s)->state)->load[pc];
		sum.executions += load->executions;
		sum.warps += load->warps;
		sum.repeated |= load->repeated;
	}
	return sum;
}

/* Whether `one` has more executions per warp than `other`: a / b > c / d. */
static bool is_more(const struct load *one, const struct load *other)
{
	return (double)one->executions * (double)other->warps > (double)other->executions * (double)one->warps;
}

/* Inserts a load into the ranking. Among equals, the first in the code ranks higher. */
static void enter(struct load top[TOP], const struct load *load)
{
	uint32_t place = TOP;
	while (place && (!top[place - 1].warps || is_more(load, &top[place - 1])))
		place--;
	for (uint32_t i = TOP - 1; i > place; i--)
		top[i] = top[i - 1];
	if (place < TOP)
		top[place] = *load;
}

static void gpu_kernel_end(struct mech_gpu *gpu)
{
	struct stats *stats = gpu->stats;
	struct load top[TOP] = {0};
	for (uint32_t pc = 0; pc < gpu->launch->instructions; pc++) {
		const struct load load = sum_of(gpu, pc);
		if (!load.warps)
			continue;
		stats->loads++;
		stats->repeated += load.repeated;
		uint32_t element = mech_listed_add(gpu->state, gpu->launch, pc);
		mech_count(gpu->output, EXECUTIONS, element, load.executions);
		mech_count(gpu->output, WARPS, element, load.warps);
		enter(top, &load);
	}
	for (uint32_t i = 0; i < TOP; i++) {
		mech_count(gpu->output, TOP_EXECUTIONS, i, top[i].executions);
		mech_count(gpu->output, TOP_WARPS, i, top[i].warps);
	}
}

static void gpu_keep(struct mech_gpu *gpu, struct mech_kept *kept)
{
	mech_listed_keep(gpu->state, gpu->launch, kept);
}

static const char *vector_label(const struct mech_gpu *gpu, uint32_t vector, uint32_t index)
{
	(void)vector;
	return mech_listed_name(gpu->state, index);
}

const struct mech mech_load_counts = {
	.version = MECH_VERSION,
	.name = "load_counts",
	.summary = "counts how often a warp executes each global load",
	.citation = "after G. Koo, H. Jeon, Z. Liu, N. S. Kim, M. Annavaram: CTA-Aware Prefetching and Scheduling for "
		    "GPU, IPDPS 2018, Figure 4",
	.counters = counters,
	.counter_count = sizeof counters / sizeof *counters,
	.stats_size = sizeof(struct stats),
	.vectors = vectors,
	.vector_count = VECTORS,
	.vector_label = vector_label,
	.gpu_keep = gpu_keep,
	.only_looks = true,
	.gpu_size = sizeof(struct mech_listed),
	.sm_size = sizeof(struct sm_state),
	.sm_open = sm_open,
	.gpu_kernel_begin = gpu_kernel_begin,
	.kernel_begin = kernel_begin,
	.block_begin = block_begin,
	.issue = issue,
	.gpu_kernel_end = gpu_kernel_end,
	.kernels = MECH_EACH_KERNEL,
};
