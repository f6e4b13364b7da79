/* victim_cache: a few lines below L1 that hold the lines that L1 evicted last. Lines that conflict in a set of L1
 * return without the network.
 *
 * The cache is fully associative and replaces its oldest line. A line that L1 requests moves back to L1. A line that
 * a store writes is dropped, because it would be stale. */
#include "seam/mech.h"

struct config {
	uint32_t lines, cycles;
};

static const struct config defaults = {.lines = 16, .cycles = 3};

static const struct base_option options[] = {
	{"lines", BASE_OPTION_U32, offsetof(struct config, lines), 1, 4096, NULL, "lines",
         "capacity of each SM's victim cache"},
	{"cycles", BASE_OPTION_U32, offsetof(struct config, cycles), 1, 1000, NULL, "cycles", "latency of a hit"},
};

struct stats {
	uint64_t kept, answered, dropped;
};

static const struct base_counter counters[] = {
	{"kept", "lines", BASE_SCOPE_SM, offsetof(struct stats, kept), "lines taken from L1's evictions", BASE_COMBINE_SUM},
	{"answered", "lines", BASE_SCOPE_SM, offsetof(struct stats, answered), "lines found here after a miss in L1",
         BASE_COMBINE_SUM},
	{"dropped", "lines", BASE_SCOPE_SM, offsetof(struct stats, dropped),
         "lines dropped because a store wrote to them", BASE_COMBINE_SUM},
};

/* Addresses of lines, oldest first. */
struct state {
	uint64_t *line;
	uint32_t count;
};

static void on_open(struct mech_sm *sm)
{
	const struct config *config = sm->config;
	struct state *state = sm->state;
	state->line = mech_alloc(sm->pool, config->lines * sizeof *state->line);
}

/* Most machines empty L1 between kernels, so the victim cache is emptied too. */
static void on_kernel(struct mech_sm *sm)
{
	struct state *state = sm->state;
	state->count = 0;
}

static void take_out(struct state *state, uint32_t at)
{
	state->count--;
	for (; at < state->count; at++)
		state->line[at] = state->line[at + 1];
}

/* Returns the index of the address's line, or `count`. */
static uint32_t find(const struct state *state, const struct mech_machine *machine, uint64_t address)
{
	uint64_t line = address & ~(uint64_t)(machine->line_bytes - 1);
	uint32_t at = 0;
	while (at < state->count && state->line[at] != line)
		at++;
	return at;
}

/* L1 writes dirty lines back itself; a line that a store has evicted is stale. */
static void on_evict(struct mech_sm *sm, const struct mech_eviction *victim)
{
	const struct config *config = sm->config;
	struct state *state = sm->state;
	struct stats *stats = sm->stats;
	if (victim->by_store || victim->dirty)
		return;
	if (state->count == config->lines)
		take_out(state, 0);
	state->line[state->count++] = victim->address;
	stats->kept++;
}

static uint32_t answer(struct mech_sm *sm, const struct mech_access *miss)
{
	const struct config *config = sm->config;
	struct state *state = sm->state;
	struct stats *stats = sm->stats;
	uint32_t at = find(state, sm->machine, miss->address);
	if (at == state->count)
		return 0;
	take_out(state, at);
	stats->answered++;
	return config->cycles;
}

static void on_access(struct mech_sm *sm, const struct mech_access *access)
{
	struct state *state = sm->state;
	struct stats *stats = sm->stats;
	uint32_t at = access->kind == MECH_LOAD ? state->count : find(state, sm->machine, access->address);
	if (at == state->count)
		return;
	take_out(state, at);
	stats->dropped++;
}

static const struct mech victim_cache = {
	.version = MECH_VERSION,
	.name = "victim_cache",
	.summary = "holds L1's evicted lines in a small cache below it",
	.citation =
		"N. P. Jouppi: Improving Direct-Mapped Cache Performance by the Addition of a Small Fully-Associative "
		"Cache and Prefetch Buffers, ISCA 1990",
	.options = options,
	.option_count = sizeof options / sizeof *options,
	.config_size = sizeof(struct config),
	.defaults = &defaults,
	.counters = counters,
	.counter_count = sizeof counters / sizeof *counters,
	.stats_size = sizeof(struct stats),
	.sm_size = sizeof(struct state),
	.policies = MECH_POLICY_L1_MISS,
	.sm_open = on_open,
	.kernel_begin = on_kernel,
	.evict = on_evict,
	.answer_miss = answer,
	.access = on_access,
	.forgets = true, /* kernel_begin empties it */
	/* Without .kernels, kernels run one after the other. With MECH_EACH_KERNEL each would have a victim cache, and
	 * not see the stores of others. */
};

MECHANISM(victim_cache);
