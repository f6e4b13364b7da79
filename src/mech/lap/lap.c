/* lap: locality-aware prefetching into L1: when several lines of a macro block have missed, its other lines are
 * fetched (README.md). */
#include "seam/mech_lines.h"
#include "seam/mech_table.h"

enum { MOST_LINES = 64 };

struct config {
	uint32_t lines, misses, entries;
	bool retry;
};

/* The first two defaults are the paper's. */
static const struct config defaults = {.lines = 4, .misses = 2, .entries = 64};

#define AT(field) offsetof(struct config, field)
static const struct base_option options[] = {
	{"lines", BASE_OPTION_U32, AT(lines), 2, MOST_LINES, NULL, "lines", "lines per macro block"},
	{"misses", BASE_OPTION_U32, AT(misses), 1, MOST_LINES - 1, NULL, "lines",
         "missed lines of a macro block that trigger the prefetch of its others"},
	{"entries", BASE_OPTION_U32, AT(entries), 1, 4096, NULL, "entries", "entries of the table of macro blocks"},
	{"retry", BASE_OPTION_BOOL, AT(retry), 0, 1, NULL, "",
         "retry a prefetch that finds no space in L1, instead of dropping it"},
};

struct stats {
	uint64_t misses, fetched, replaced;
};

static const struct base_counter counters[] = {
	{"misses", "transactions", BASE_SCOPE_SM, offsetof(struct stats, misses),
         "global load transactions that missed", BASE_COMBINE_SUM},
	{"fetched", "macro blocks", BASE_SCOPE_SM, offsetof(struct stats, fetched),
         "macro blocks whose other lines were requested", BASE_COMBINE_SUM},
	{"replaced", "entries", BASE_SCOPE_SM, offsetof(struct stats, replaced),
         "entries replaced before their macro block had enough misses: the table was full", BASE_COMBINE_SUM},
};

/* A macro block's entry. The key holds the macro block's number in two 32-bit halves. */
struct entry {
	struct mech_key key;
	uint64_t missed; /* one bit per line that has missed */
};

struct state {
	struct mech_table table;
};

static struct entry *entry_of(struct mech_sm *sm, uint64_t macro)
{
	struct mech_table *table = &((struct state *)sm->state)->table;
	uint32_t low = (uint32_t)macro, high = (uint32_t)(macro >> 32);
	struct entry *entry = mech_table_find(table, low, high);
	if (entry) {
		mech_table_touch(table, entry);
		return entry;
	}
	((struct stats *)sm->stats)->replaced += mech_table_is_full(table);
	return mech_table_claim(table, low, high);
}

static void send_others(struct mech_sm *sm, const struct mech_access *access, uint64_t first, uint64_t missed)
{
	const struct config *config = sm->config;
	const uint64_t bytes = sm->machine->line_bytes;
	const struct mech_request like = {
		.to = MECH_TO_L1, .pc = access->pc, .block = access->block, .once = !config->retry};
	for (uint32_t i = 0; i < config->lines; i++)
		if (!(missed >> i & 1))
			mech_send_bytes(sm, &like, (first + i) * bytes, (first + i + 1) * bytes);
	((struct stats *)sm->stats)->fetched++;
}

/* Counts a miss. When the macro block's other lines have been requested, its entry is freed, and counting starts at
 * zero. */
static void on_access(struct mech_sm *sm, const struct mech_access *access)
{
	const struct config *config = sm->config;
	if (access->kind != MECH_LOAD || access->local || access->result != MECH_MISS)
		return;
	uint64_t line = access->address / sm->machine->line_bytes, first = line / config->lines * config->lines;
	struct entry *entry = entry_of(sm, line / config->lines);
	((struct stats *)sm->stats)->misses++;
	entry->missed |= 1ull << (line - first);
	if ((uint32_t)__builtin_popcountll(entry->missed) < config->misses)
		return;
	send_others(sm, access, first, entry->missed);
	mech_table_free(entry);
}

static void sm_open(struct mech_sm *sm)
{
	const struct config *config = sm->config;
	mech_table_open(&((struct state *)sm->state)->table, sm->pool, config->entries, sizeof(struct entry));
}

static void kernel_begin(struct mech_sm *sm)
{
	mech_table_clear(&((struct state *)sm->state)->table);
}

static bool check(const void *options_, const struct mech_machine *machine, char *message, size_t size)
{
	const struct config *config = options_;
	(void)machine;
	if (config->misses < config->lines)
		return true;
	snprintf(message, size, "misses is %u; expected less than lines, %u: there are no others then", config->misses,
	         config->lines);
	return false;
}

/* Assumes 32-bit addresses, as in machines of that time, and stores an LRU order. */
static uint32_t costs(const void *options_, const struct mech_machine *machine, struct mech_cost cost[MECH_MAX_COSTS])
{
	const struct config *config = options_;
	uint32_t tag = 32 - mech_bits_of(machine->line_bytes * config->lines);
	uint32_t bits = tag + config->lines + mech_bits_of(config->entries);
	cost[0] = (struct mech_cost){"table of each SM", "bytes", bits * config->entries / 8.0};
	return 1;
}

const struct mech mech_lap = {
	.version = MECH_VERSION,
	.name = "lap",
	.summary = "prefetches into L1 the other lines of a macro block in which several lines missed",
	.citation =
		"A. Jog et al.: Orchestrated Scheduling and Prefetching for GPGPUs, ISCA 2013; as G. Koo et al., IPDPS "
		"2018, compare with it: LAP",
	.options = options,
	.option_count = sizeof options / sizeof *options,
	.config_size = sizeof(struct config),
	.defaults = &defaults,
	.check = check,
	.costs = costs,
	.counters = counters,
	.counter_count = sizeof counters / sizeof *counters,
	.stats_size = sizeof(struct stats),
	.sm_size = sizeof(struct state),
	.sends = true,
	.sm_open = sm_open,
	.kernel_begin = kernel_begin,
	.access = on_access,
	.forgets = true,
	.kernels = MECH_EACH_KERNEL,
};
