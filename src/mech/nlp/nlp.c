/* nlp: next-line prefetching into L1 (README.md). */
#include "seam/mech_lines.h"

struct config {
	uint32_t degree;
	bool tagged, retry;
};

static const struct config defaults = {.degree = 1};

#define AT(field) offsetof(struct config, field)
static const struct base_option options[] = {
	{"degree", BASE_OPTION_U32, AT(degree), 1, 16, NULL, "lines", "lines to prefetch after the line that missed"},
	{"tagged", BASE_OPTION_BOOL, AT(tagged), 0, 1, NULL, "", "treat the first use of a prefetched line as a miss"},
	{"retry", BASE_OPTION_BOOL, AT(retry), 0, 1, NULL, "",
         "retry a prefetch that finds no space in L1, instead of dropping it"},
};

struct stats {
	uint64_t misses, first_uses;
};

static const struct base_counter counters[] = {
	{"misses", "transactions", BASE_SCOPE_SM, offsetof(struct stats, misses),
         "global load transactions that missed", BASE_COMBINE_SUM},
	{"first_uses", "transactions", BASE_SCOPE_SM, offsetof(struct stats, first_uses),
         "global load transactions that were the first use of a prefetched line (with tagged)", BASE_COMBINE_SUM},
};

/* Whether the access is the first use in L1 of a line that this mechanism requested. A late line, still in flight,
 * counts as used. */
static bool is_first_use(const struct mech_sm *sm, const struct mech_access *access)
{
	return (access->result == MECH_HIT || access->result == MECH_MERGED) && access->first_use &&
	       access->brought_by == sm->number;
}

static void send_next_lines(struct mech_sm *sm, const struct mech_access *access)
{
	const struct config *config = sm->config;
	const uint64_t bytes = sm->machine->line_bytes, line = access->address / bytes;
	const struct mech_request like = {
		.to = MECH_TO_L1, .pc = access->pc, .block = access->block, .once = !config->retry};
	for (uint32_t i = 1; i <= config->degree && line + i <= (UINT64_MAX - bytes) / bytes; i++)
		mech_send_bytes(sm, &like, (line + i) * bytes, (line + i + 1) * bytes);
}

static void on_access(struct mech_sm *sm, const struct mech_access *access)
{
	const struct config *config = sm->config;
	struct stats *stats = sm->stats;
	if (access->kind != MECH_LOAD || access->local)
		return;
	bool missed = access->result == MECH_MISS, first_use = config->tagged && is_first_use(sm, access);
	stats->misses += missed;
	stats->first_uses += first_use;
	if (missed || first_use)
		send_next_lines(sm, access);
}

const struct mech mech_nlp = {
	.version = MECH_VERSION,
	.name = "nlp",
	.summary = "prefetches into L1 the lines after one that missed",
	.citation =
		"A. J. Smith: Cache Memories, ACM Computing Surveys 14(3), 1982; as G. Koo et al., IPDPS 2018, compare "
		"with it: NLP",
	.options = options,
	.option_count = sizeof options / sizeof *options,
	.config_size = sizeof(struct config),
	.defaults = &defaults,
	.counters = counters,
	.counter_count = sizeof counters / sizeof *counters,
	.stats_size = sizeof(struct stats),
	.sends = true,
	.access = on_access,
	.kernels = MECH_EACH_KERNEL,
};
