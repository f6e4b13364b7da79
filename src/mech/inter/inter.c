/* inter: prefetches into L1 for warps with higher numbers, by a load's stride from warp to warp (README.md). */
#include "seam/mech_strides.h"

struct config {
	struct mech_stride_config stride; /* the first member: mech_stride_open() and mech_stride_costs() read it */
	bool permanent;
};

/* README.md gives the reasons. */
static const struct config defaults = {
	.stride = {.entries = 128, .transactions = MECH_LANES, .ahead = {.distance = 1, .degree = 1}}};

#define AT(field) offsetof(struct config, stride.field)
static const struct base_option options[] = {
	{"entries", BASE_OPTION_U32, AT(entries), 1, 4096, NULL, "entries", "rows of the stride table, one per load"},
	{"distance", BASE_OPTION_U32, AT(ahead.distance), 1, 64, NULL, "warps", "how many warps ahead to prefetch for"},
	{"degree", BASE_OPTION_U32, AT(ahead.degree), 1, 16, NULL, "warps", "warps to prefetch for at a time"},
	{"early", BASE_OPTION_BOOL, AT(early), 0, 1, NULL, "",
         "prefetch once two warps have shown the stride, instead of three"},
	{"transactions", BASE_OPTION_U32, AT(transactions), 1, MECH_MAX_ACCESSES, NULL, "transactions",
         "transactions of a load above which it is not tracked"},
	{"retry", BASE_OPTION_BOOL, AT(ahead.retry), 0, 1, NULL, "",
         "retry a prefetch that finds no space in L1, instead of dropping it"},
	{"permanent", BASE_OPTION_BOOL, offsetof(struct config, permanent), 0, 1, NULL, "",
         "never unlearn a stride that has repeated, whatever later loads show"},
};

struct stats {
	struct mech_training training;
	uint64_t lines, nobody;
};

static const struct base_counter counters[] = {
	{"trained", "entries", BASE_SCOPE_SM, offsetof(struct stats, training.trained),
         "entries that became steady: the stride repeated", BASE_COMBINE_SUM},
	{"wrong", "loads", BASE_SCOPE_SM, offsetof(struct stats, training.wrong),
         "loads with a steady stride at another address, as after a block's last warp", BASE_COMBINE_SUM},
	{"replaced", "entries", BASE_SCOPE_SM, offsetof(struct stats, training.replaced),
         "entries replaced by another load: the table was full", BASE_COMBINE_SUM},
	{"lines", "lines", BASE_SCOPE_SM, offsetof(struct stats, lines), "lines to prefetch for other warps",
         BASE_COMBINE_SUM},
	{"nobody", "warps", BASE_SCOPE_SM, offsetof(struct stats, nobody),
         "warps that do not exist: nothing was requested for them", BASE_COMBINE_SUM},
};

/* Returns the stride to prefetch by, or 0. */
static int64_t train(struct mech_sm *sm, const struct mech_memory *load)
{
	const struct config *config = sm->config;
	struct mech_stride_state *state = sm->state;
	struct stats *stats = sm->stats;
	struct mech_reference *row = mech_table_find(&state->table, load->pc, MECH_NOWHERE);
	bool stays = config->permanent && row && row->confidence == MECH_STEADY;
	int64_t stride = mech_train_across(&state->table, load, config->stride.early, &stats->training);
	if (stays) { /* a steady row keeps its stride after one load at another address */
		row->confidence = MECH_STEADY;
		stride = row->stride;
	}
	return stride;
}

static void memory(struct mech_sm *sm, const struct mech_memory *load)
{
	const struct config *config = sm->config;
	struct stats *stats = sm->stats;
	struct mech_transaction passed[MECH_MAX_ACCESSES];
	struct mech_memory seen;
	if (!mech_trains(load, config->stride.transactions, passed, &seen))
		return;
	int64_t stride = train(sm, &seen);
	if (stride)
		stats->lines += mech_ask_across(sm, &seen, stride, &config->stride.ahead, &stats->nobody);
}

const struct mech mech_inter = {
	.version = MECH_VERSION,
	.name = "inter",
	.summary = "prefetches into L1 for the warps of the next numbers, by strides from warp to warp",
	.citation = "G. Koo et al.: CTA-Aware Prefetching and Scheduling for GPU, IPDPS 2018, section III-B: INTER",
	.options = options,
	.option_count = sizeof options / sizeof *options,
	.config_size = sizeof(struct config),
	.defaults = &defaults,
	.costs = mech_stride_costs,
	.counters = counters,
	.counter_count = sizeof counters / sizeof *counters,
	.stats_size = sizeof(struct stats),
	.sm_size = sizeof(struct mech_stride_state),
	.sends = true,
	.sm_open = mech_stride_open,
	.kernel_begin = mech_stride_begin,
	.memory = memory,
	.forgets = true,
	.kernels = MECH_EACH_KERNEL,
};
