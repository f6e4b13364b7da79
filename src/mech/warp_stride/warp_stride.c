/* warp_stride: measures the accuracy and the lead time of strides from warp to warp, by the distance of the warps
 * (README.md). It is passive: it never changes what the machine does. */
#include "seam/mech.h"

enum match { MATCH_EXECUTION, MATCH_LATEST };
static const char *const matches[] = {"execution", "latest", NULL};

struct config {
	uint32_t distance, confirm, history;
	uint32_t match;
};

static const struct config defaults = {.distance = 16, .confirm = 2, .history = 16, .match = MATCH_EXECUTION};

static const struct base_option options[] = {
	{"distance", BASE_OPTION_U32, offsetof(struct config, distance), 1, MECH_MAX_WARPS - 1, NULL, "warps",
         "largest distance between two warps that are compared"},
	{"confirm", BASE_OPTION_U32, offsetof(struct config, confirm), 1, 1000000, NULL, "times",
         "successive neighbors with the same other stride that replace a load's stride"},
	{"match", BASE_OPTION_ENUM, offsetof(struct config, match), 0, 0, matches, "",
         "execution of the other warp that predicts a warp's n-th one: its n-th or its latest"},
	{"history", BASE_OPTION_U32, offsetof(struct config, history), 1, 4096, NULL, "executions",
         "executions stored per load and warp, for match=execution; limits how far ahead the other warp may be"},
};

#define COUNTERS(X)                                                                                                    \
	X(executions, "instructions", "global loads of warps with an active lane")                                     \
	X(strides, "strides", "strides set by a load's first two neighbors")                                           \
	X(changes, "strides", "strides replaced by another")

struct stats {
#define X(name, unit, meaning) uint64_t name;
	COUNTERS(X)
#undef X
};

static const struct base_counter counters[] = {
#define X(name, unit, meaning) {#name, unit, BASE_SCOPE_SM, offsetof(struct stats, name), meaning, BASE_COMBINE_SUM},
	COUNTERS(X)
#undef X
};

enum { TRIED, CORRECT, GAP, CROSSED, VECTORS };

#define BY_DISTANCE(NAME, UNIT, MEANING)                                                                               \
	{                                                                                                              \
		.name = NAME, .unit = UNIT, .meaning = MEANING, .scope = BASE_SCOPE_SM, .kind = BASE_VECTOR_COUNTERS   \
	}

static const struct base_counter_vector vectors[VECTORS] = {
	[TRIED] = BY_DISTANCE("tried", "instructions", "executions predicted from a warp this many numbers lower"),
	[CORRECT] = BY_DISTANCE("correct", "instructions", "predicted executions at the predicted address"),
	[GAP] = BY_DISTANCE("gap", "cycles", "cycles from the one warp's execution to the other's, summed over tried"),
	[CROSSED] =
		BY_DISTANCE("crossed", "instructions", "predicted executions whose two warps are of different blocks"),
};

/* The element's index is the distance; element 0 is unused. */
static uint32_t vector_length(const void *config, const struct mech_machine *machine, uint32_t vector)
{
	(void)machine;
	(void)vector;
	return ((const struct config *)config)->distance + 1;
}

/* An execution of a load by the warp in a slot. */
struct execution {
	uint64_t number;  /* among the SM's executions, from 1; 0: none */
	uint64_t address; /* of its first active lane */
	uint64_t cycle;
	int64_t stride; /* the load's stride at that time */
	bool predicts;  /* whether the load had a stride */
	uint32_t block; /* slot */
	uint32_t nth;   /* index among its warp's executions */
};

struct warp {
	uint64_t last;  /* number of its last execution */
	uint32_t count; /* executions by the warp of the resident block */
};

struct load {
	int64_t stride, other; /* bytes per warp; the other stride seen last between neighbors */
	uint32_t times;        /* how often the other stride has been seen in a row */
	bool known;
	struct warp *warp;           /* by slot */
	struct execution *execution; /* `history` elements per slot */
};

struct state {
	struct load *load; /* by pc */
	uint64_t executions;
	uint64_t *begun; /* by block slot: value of `executions` when the resident block began */
};

static uint32_t history(const struct config *config)
{
	return config->match == MATCH_LATEST ? 1 : config->history;
}

static void sm_open(struct mech_sm *sm)
{
	struct state *own = sm->state;
	own->begun = mech_alloc(sm->pool, sm->machine->blocks * sizeof *own->begun);
}

static void kernel_begin(struct mech_sm *sm)
{
	struct state *own = sm->state;
	*own = (struct state){.begun = own->begun,
	                      .load = mech_alloc(sm->kernel_pool, sm->launch->instructions * sizeof *own->load)};
}

static void block_begin(struct mech_sm *sm, const struct mech_block *block)
{
	struct state *own = sm->state;
	own->begun[block->slot] = own->executions;
}

static void compare(struct mech_sm *sm, const struct execution *from, const struct execution *now, uint32_t distance)
{
	mech_count(sm->output, TRIED, distance, 1);
	mech_count(sm->output, GAP, distance, now->cycle - from->cycle);
	if (from->block != now->block)
		mech_count(sm->output, CROSSED, distance, 1);
	if (from->address + (uint64_t)(from->stride * (int64_t)distance) == now->address)
		mech_count(sm->output, CORRECT, distance, 1);
}

/* Another stride replaces the load's after neighbors have had it `confirm` times in a row. */
static void learn(struct mech_sm *sm, struct load *load, int64_t stride)
{
	const struct config *config = sm->config;
	struct stats *stats = sm->stats;
	if (!load->known) {
		load->known = true;
		load->stride = stride;
		stats->strides++;
	} else if (stride == load->stride) {
		load->times = 0;
	} else {
		load->times = load->times && stride == load->other ? load->times + 1 : 1;
		load->other = stride;
		if (load->times < config->confirm)
			return;
		load->stride = stride;
		load->times = 0;
		stats->changes++;
	}
}

/* Returns the execution by the warp in `slot` that predicts `now`. Returns NULL when there is none, when it was
 * before the other warp's block began, or when it has already been used. */
static const struct execution *neighbor(const struct mech_sm *sm, const struct load *load, uint32_t slot,
                                        const struct execution *now, uint64_t since)
{
	uint32_t kept = history(sm->config);
	const struct execution *from = &load->execution[slot * kept + now->nth % kept];
	return from->number > since && from->nth == now->nth ? from : NULL;
}

static void executed(struct mech_sm *sm, struct load *load, uint32_t slot, struct execution now)
{
	const struct config *config = sm->config;
	const struct state *state = sm->state;
	uint32_t kept = history(config);
	struct execution *own = &load->execution[slot * kept + now.nth % kept];
	uint64_t begun = state->begun[now.block];
	uint64_t since = own->nth == now.nth && own->number > begun ? own->number : begun;
	const struct execution *from;
	for (uint32_t d = 1; d <= config->distance && d <= slot; d++)
		if ((from = neighbor(sm, load, slot - d, &now, since)) && from->predicts)
			compare(sm, from, &now, d);
	if (slot && (from = neighbor(sm, load, slot - 1, &now, since)))
		learn(sm, load, (int64_t)(now.address - from->address));
	now.stride = load->stride;
	now.predicts = load->known;
	*own = now;
}

/* Returns the index of this execution among its warp's executions of the load. */
static uint32_t count(struct mech_sm *sm, struct load *load, uint32_t slot, uint32_t block)
{
	struct state *state = sm->state;
	const struct config *config = sm->config;
	struct warp *warp = &load->warp[slot];
	if (warp->last <= state->begun[block])
		warp->count = 0;
	warp->last = ++state->executions;
	return config->match == MATCH_LATEST ? 0 : warp->count++;
}

static void open_load(struct mech_sm *sm, struct load *load)
{
	uint32_t warps = sm->machine->warps;
	load->warp = mech_alloc(sm->kernel_pool, warps * sizeof *load->warp);
	load->execution = mech_alloc(sm->kernel_pool, (size_t)warps * history(sm->config) * sizeof *load->execution);
}

static void issue(struct mech_sm *sm, const struct mech_issue *issue)
{
	struct state *state = sm->state;
	struct mech_operands operands;
	if (issue->type != MECH_MEMORY || issue->kind != MECH_LOAD ||
	    (issue->space != MECH_GLOBAL && issue->space != MECH_GENERIC))
		return;
	mech_operands(sm, issue, &operands);
	uint32_t first = operands.lanes ? (uint32_t)__builtin_ctz(operands.lanes) : 0;
	if (!operands.lanes || !operands.bytes || operands.space[first] != MECH_GLOBAL)
		return;
	struct load *load = &state->load[issue->pc];
	if (!load->warp) /* allocated on demand: few loads of an SM are global, and each is opened once per kernel */
		open_load(sm, load);
	((struct stats *)sm->stats)->executions++;
	struct execution now = {.address = operands.address[first], .cycle = issue->cycle, .block = issue->block};
	now.nth = count(sm, load, issue->warp, issue->block);
	now.number = state->executions;
	executed(sm, load, issue->warp, now);
}

const struct mech mech_warp_stride = {
	.version = MECH_VERSION,
	.name = "warp_stride",
	.summary = "measures the accuracy and lead time of strides from warp to warp, by distance",
	.citation = "after G. Koo, H. Jeon, Z. Liu, N. S. Kim, M. Annavaram: CTA-Aware Prefetching and Scheduling for "
		    "GPU, IPDPS 2018, Figure 1",
	.options = options,
	.option_count = sizeof options / sizeof *options,
	.config_size = sizeof(struct config),
	.defaults = &defaults,
	.counters = counters,
	.counter_count = sizeof counters / sizeof *counters,
	.stats_size = sizeof(struct stats),
	.vectors = vectors,
	.vector_count = VECTORS,
	.vector_length = vector_length,
	.only_looks = true,
	.sm_size = sizeof(struct state),
	.sm_open = sm_open,
	.kernel_begin = kernel_begin,
	.block_begin = block_begin,
	.issue = issue,
	.forgets = true,
	.kernels = MECH_EACH_KERNEL,
};
