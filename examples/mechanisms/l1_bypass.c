/* l1_bypass: loads that do not hit L1 bypass it, so that they do not evict lines that other loads reuse.
 *
 * A table of saturating counters, indexed by pc, records each load's hits: a hit increments the counter, a miss
 * decrements it. A load with a counter of 0 bypasses L1. One transaction in `probe` looks up L1 anyway, so that a
 * load that begins to hit is noticed. This is the simplest of the dead-block and bypass predictors. */
#include "seam/mech.h"

struct config {
	uint32_t entries, most, probe;
};

static const struct config defaults = {.entries = 64, .most = 7, .probe = 32};

static const struct base_option options[] = {
	{"entries", BASE_OPTION_U32, offsetof(struct config, entries), 1, 1024, NULL, "counters", "counters of the table"},
	{"most", BASE_OPTION_U32, offsetof(struct config, most), 1, 255, NULL, "",
         "maximum of a counter, and its initial value"},
	{"probe", BASE_OPTION_U32, offsetof(struct config, probe), 1, 65536, NULL, "transactions",
         "of this number of transactions of a bypassing load, one looks up L1"},
};

enum { PAST_L1, VECTORS };

static const struct base_counter_vector vectors[VECTORS] = {
	[PAST_L1] = {.name = "past_l1",
                     .unit = "accesses",
                     .meaning = "accesses that bypassed L1, by entry of the table",
                     .scope = BASE_SCOPE_SM},
};

/* One element per entry of the table. */
static uint32_t length(const void *config, const struct mech_machine *machine, uint32_t vector)
{
	(void)machine;
	(void)vector;
	return ((const struct config *)config)->entries;
}

struct entry {
	uint32_t counter, sent_past;
};

struct state {
	struct entry *entry;
};

static void on_open(struct mech_sm *sm)
{
	const struct config *config = sm->config;
	struct state *state = sm->state;
	state->entry = mech_alloc(sm->pool, config->entries * sizeof *state->entry);
}

/* The same pc in another kernel is another load. */
static void on_kernel(struct mech_sm *sm)
{
	const struct config *config = sm->config;
	struct state *state = sm->state;
	for (uint32_t i = 0; i < config->entries; i++)
		state->entry[i] = (struct entry){.counter = config->most};
}

static bool may_allocate(struct mech_sm *sm, const struct mech_access *access)
{
	const struct config *config = sm->config;
	struct state *state = sm->state;
	uint32_t index = access->pc % config->entries;
	struct entry *entry = &state->entry[index];
	if (entry->counter || ++entry->sent_past % config->probe == 0)
		return true;
	mech_count(sm->output, PAST_L1, index, 1);
	return false;
}

/* A load that merges with its line in flight counts as a hit. */
static void on_access(struct mech_sm *sm, const struct mech_access *access)
{
	const struct config *config = sm->config;
	struct state *state = sm->state;
	struct entry *entry = &state->entry[access->pc % config->entries];
	if (access->kind != MECH_LOAD || access->local)
		return;
	if (access->result == MECH_MISS)
		entry->counter -= entry->counter > 0;
	else if (access->result == MECH_HIT || access->result == MECH_MERGED)
		entry->counter += entry->counter < config->most;
}

static const struct mech l1_bypass = {
	.version = MECH_VERSION,
	.name = "l1_bypass",
	.summary = "lets loads that do not hit bypass L1",
	.citation = "after G. Tyson et al.: A Modified Approach to Data Cache Management, MICRO 1995",
	.options = options,
	.option_count = sizeof options / sizeof *options,
	.config_size = sizeof(struct config),
	.defaults = &defaults,
	.vectors = vectors,
	.vector_count = VECTORS,
	.vector_length = length,
	.sm_size = sizeof(struct state),
	.sm_open = on_open,
	.kernel_begin = on_kernel,
	.may_allocate = may_allocate,
	.access = on_access,
	.forgets = true,              /* kernel_begin resets the table */
	.kernels = MECH_EACH_KERNEL, /* a kernel has its own table: the same pc in another one is another load */
};

MECHANISM(l1_bypass);
