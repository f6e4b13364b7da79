/* intra: prefetches into L1 for a warp's next iterations, by the stride between its executions of a load
 * (README.md). */
#include "seam/mech_strides.h"

/* README.md gives the reasons. */
static const struct mech_stride_config defaults = {
	.entries = 512, .transactions = MECH_LANES, .ahead = {.distance = 1, .degree = 1}, .early = true};

#define AT(field) offsetof(struct mech_stride_config, field)
static const struct base_option options[] = {
	{"entries", BASE_OPTION_U32, AT(entries), 1, 4096, NULL, "entries",
         "rows of the stride table, one per load and warp"},
	{"distance", BASE_OPTION_U32, AT(ahead.distance), 1, 64, NULL, "iterations",
         "how many iterations ahead to prefetch"},
	{"degree", BASE_OPTION_U32, AT(ahead.degree), 1, 16, NULL, "iterations", "iterations to prefetch at a time"},
	{"early", BASE_OPTION_BOOL, AT(early), 0, 1, NULL, "",
         "prefetch once a stride has been seen, instead of after it has repeated"},
	{"transactions", BASE_OPTION_U32, AT(transactions), 1, MECH_MAX_ACCESSES, NULL, "transactions",
         "transactions of a load above which it is not tracked"},
	{"retry", BASE_OPTION_BOOL, AT(ahead.retry), 0, 1, NULL, "",
         "retry a prefetch that finds no space in L1, instead of dropping it"},
};

struct stats {
	struct mech_training training;
	uint64_t lines;
};

static const struct base_counter counters[] = {
	{"trained", "entries", BASE_SCOPE_SM, offsetof(struct stats, training.trained),
         "entries that became steady: the stride repeated", BASE_COMBINE_SUM},
	{"wrong", "loads", BASE_SCOPE_SM, offsetof(struct stats, training.wrong),
         "loads of a warp with a steady stride at another address", BASE_COMBINE_SUM},
	{"replaced", "entries", BASE_SCOPE_SM, offsetof(struct stats, training.replaced),
         "entries replaced by another load or warp: the table was full", BASE_COMBINE_SUM},
	{"lines", "lines", BASE_SCOPE_SM, offsetof(struct stats, lines), "lines to prefetch for the same warp",
         BASE_COMBINE_SUM},
};

static void memory(struct mech_sm *sm, const struct mech_memory *load)
{
	const struct mech_stride_config *config = sm->config;
	struct mech_stride_state *state = sm->state;
	struct stats *stats = sm->stats;
	struct mech_transaction passed[MECH_MAX_ACCESSES];
	struct mech_memory seen;
	if (!mech_trains(load, config->transactions, passed, &seen))
		return;
	int64_t stride = mech_train_own(&state->table, &seen, config->early, &stats->training);
	if (stride)
		stats->lines += mech_ask_own(sm, &seen, stride, &config->ahead);
}

/* Frees the rows of the ended warps: the next warps in these slots have not executed the loads before. */
static void block_end(struct mech_sm *sm, const struct mech_block *block)
{
	mech_table_free_of(&((struct mech_stride_state *)sm->state)->table, block->first_warp, block->warps);
}

const struct mech mech_intra = {
	.version = MECH_VERSION,
	.name = "intra",
	.summary = "prefetches into L1 for a warp's next iterations, by the warp's own strides",
	.citation = "J.-L. Baer, T.-F. Chen: An Effective On-Chip Preloading Scheme to Reduce Data Access Penalty, "
		    "Supercomputing 1991; as G. Koo et al., IPDPS 2018, compare with it: INTRA",
	.options = options,
	.option_count = sizeof options / sizeof *options,
	.config_size = sizeof(struct mech_stride_config),
	.defaults = &defaults,
	.costs = mech_stride_costs,
	.counters = counters,
	.counter_count = sizeof counters / sizeof *counters,
	.stats_size = sizeof(struct stats),
	.sm_size = sizeof(struct mech_stride_state),
	.sends = true,
	.sm_open = mech_stride_open,
	.kernel_begin = mech_stride_begin,
	.block_end = block_end,
	.memory = memory,
	.forgets = true,
	.kernels = MECH_EACH_KERNEL,
};
