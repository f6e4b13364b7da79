/* mta: prefetches into L1 by a warp's own strides in loops, else by strides from warp to warp (README.md). */
#include "seam/mech_strides.h"

struct config {
	uint32_t intra_entries, inter_entries, transactions;
	struct mech_ahead intra, inter;
	bool early, retry;
};

/* README.md gives the reasons. */
static const struct config defaults = {.intra_entries = 512,
                                       .inter_entries = 128,
                                       .transactions = MECH_LANES,
                                       .intra = {.distance = 1, .degree = 1},
                                       .inter = {.distance = 1, .degree = 1}};

#define AT(field) offsetof(struct config, field)
static const struct base_option options[] = {
	{"intra_entries", BASE_OPTION_U32, AT(intra_entries), 1, 4096, NULL, "entries",
         "rows of the table of warps' own strides, one per load and warp"},
	{"intra_distance", BASE_OPTION_U32, AT(intra.distance), 1, 64, NULL, "iterations",
         "how many iterations ahead to prefetch"},
	{"intra_degree", BASE_OPTION_U32, AT(intra.degree), 1, 16, NULL, "iterations",
         "iterations to prefetch at a time"},
	{"inter_entries", BASE_OPTION_U32, AT(inter_entries), 1, 4096, NULL, "entries",
         "rows of the table of strides from warp to warp, one per load"},
	{"inter_distance", BASE_OPTION_U32, AT(inter.distance), 1, 64, NULL, "warps",
         "how many warps ahead to prefetch for"},
	{"inter_degree", BASE_OPTION_U32, AT(inter.degree), 1, 16, NULL, "warps", "warps to prefetch for at a time"},
	{"early", BASE_OPTION_BOOL, AT(early), 0, 1, NULL, "",
         "prefetch once a stride has been seen, instead of after it has repeated"},
	{"transactions", BASE_OPTION_U32, AT(transactions), 1, MECH_MAX_ACCESSES, NULL, "transactions",
         "transactions of a load above which it is not tracked"},
	{"retry", BASE_OPTION_BOOL, AT(retry), 0, 1, NULL, "",
         "retry a prefetch that finds no space in L1, instead of dropping it"},
};

struct stats {
	struct mech_training intra, inter;
	uint64_t intra_lines, inter_lines, nobody;
};

#define TRAINING(part)                                                                                                 \
	{#part "_trained",                                                                                             \
	 "entries",                                                                                                    \
	 BASE_SCOPE_SM,                                                                                                \
	 offsetof(struct stats, part.trained),                                                                         \
	 "entries that became steady: the stride repeated",                                                            \
	 BASE_COMBINE_SUM},                                                                                            \
		{#part "_wrong",                                                                                       \
	         "loads",                                                                                              \
	         BASE_SCOPE_SM,                                                                                        \
	         offsetof(struct stats, part.wrong),                                                                   \
	         "loads with a steady stride at another address",                                                      \
	         BASE_COMBINE_SUM},                                                                                    \
	{                                                                                                              \
#part "_replaced", "entries", BASE_SCOPE_SM, offsetof(struct stats, part.replaced),                    \
			"entries replaced by another: the table was full", BASE_COMBINE_SUM                            \
	}

static const struct base_counter counters[] = {
	TRAINING(intra),
	TRAINING(inter),
	{"intra_lines", "lines", BASE_SCOPE_SM, offsetof(struct stats, intra_lines),
         "lines to prefetch for the same warp", BASE_COMBINE_SUM},
	{"inter_lines", "lines", BASE_SCOPE_SM, offsetof(struct stats, inter_lines),
         "lines to prefetch for other warps", BASE_COMBINE_SUM},
	{"nobody", "warps", BASE_SCOPE_SM, offsetof(struct stats, nobody),
         "warps that do not exist: nothing was requested for them", BASE_COMBINE_SUM},
};

struct state {
	struct mech_table intra, inter;
};

static void send_ahead(struct mech_sm *sm, const struct mech_memory *load, int64_t own, int64_t across)
{
	const struct config *config = sm->config;
	struct stats *stats = sm->stats;
	struct mech_ahead ahead = own ? config->intra : config->inter;
	ahead.retry = config->retry;
	if (own)
		stats->intra_lines += mech_ask_own(sm, load, own, &ahead);
	else if (across)
		stats->inter_lines += mech_ask_across(sm, load, across, &ahead, &stats->nobody);
}

/* Both tables learn from every load; a warp's own stride has priority. */
static void learn(struct mech_sm *sm, const struct mech_memory *load)
{
	const struct config *config = sm->config;
	struct state *state = sm->state;
	struct stats *stats = sm->stats;
	int64_t own = mech_train_own(&state->intra, load, config->early, &stats->intra);
	int64_t across = mech_train_across(&state->inter, load, config->early, &stats->inter);
	send_ahead(sm, load, own, across);
}

static void memory(struct mech_sm *sm, const struct mech_memory *load)
{
	const struct config *config = sm->config;
	struct mech_transaction passed[MECH_MAX_ACCESSES];
	struct mech_memory seen;
	if (mech_trains(load, config->transactions, passed, &seen))
		learn(sm, &seen);
}

/* Frees the rows of the ended warps: the next warps in these slots have not executed the loads before. */
static void block_end(struct mech_sm *sm, const struct mech_block *block)
{
	mech_table_free_of(&((struct state *)sm->state)->intra, block->first_warp, block->warps);
}

static void sm_open(struct mech_sm *sm)
{
	const struct config *config = sm->config;
	struct state *state = sm->state;
	mech_table_open(&state->intra, sm->pool, config->intra_entries, sizeof(struct mech_reference));
	mech_table_open(&state->inter, sm->pool, config->inter_entries, sizeof(struct mech_reference));
}

/* Clears the tables, because another kernel's loads have the same pcs. */
static void kernel_begin(struct mech_sm *sm)
{
	struct state *state = sm->state;
	mech_table_clear(&state->intra);
	mech_table_clear(&state->inter);
}

static uint32_t costs(const void *options_, const struct mech_machine *machine, struct mech_cost cost[MECH_MAX_COSTS])
{
	const struct config *config = options_;
	uint32_t warp = mech_bits_of(machine->warps);
	uint32_t intra = mech_reference_bits(config->intra_entries) + warp;
	uint32_t inter = mech_reference_bits(config->inter_entries) + warp;
	cost[0] = (struct mech_cost){"table of warps' own strides of each SM", "bytes",
	                             intra * config->intra_entries / 8.0};
	cost[1] = (struct mech_cost){"table of strides between warps of each SM", "bytes",
	                             inter * config->inter_entries / 8.0};
	return 2;
}

const struct mech mech_mta = {
	.version = MECH_VERSION,
	.name = "mta",
	.summary = "prefetches into L1 by a warp's own strides in loops, else by strides from warp to warp",
	.citation =
		"J. Lee, N. B. Lakshminarayana, H. Kim, R. Vuduc: Many-Thread Aware Prefetching Mechanisms for GPGPU "
		"Applications, MICRO 2010; as G. Koo et al., IPDPS 2018, compare with it: MTA",
	.options = options,
	.option_count = sizeof options / sizeof *options,
	.config_size = sizeof(struct config),
	.defaults = &defaults,
	.costs = costs,
	.counters = counters,
	.counter_count = sizeof counters / sizeof *counters,
	.stats_size = sizeof(struct stats),
	.sm_size = sizeof(struct state),
	.sends = true,
	.sm_open = sm_open,
	.kernel_begin = kernel_begin,
	.block_end = block_end,
	.memory = memory,
	.forgets = true,
	.kernels = MECH_EACH_KERNEL,
};
