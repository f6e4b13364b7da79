/* l1_bypass: loads that do not hit L1 go past it, so that they do not evict what others come back for.
 *
 * A table of saturating counters, indexed by pc, says how a load has fared: up by a hit, down by a miss. A load whose counter is at 0
 * goes past L1, but for one transaction in `probe`, which looks, so that a load whose luck turns is found out. This is the simplest
 * of the family of dead-block and bypass predictors. */
#include "seam/mech.h"

struct config {
	uint32_t entries, most, probe;
};

static const struct config defaults = {.entries = 64, .most = 7, .probe = 32};

static const struct option options[] = {
	{"entries", OPTION_U32, offsetof(struct config, entries), 1, 1024, NULL, "counters", "of the table"},
	{"most", OPTION_U32, offsetof(struct config, most), 1, 255, NULL, "",
         "that a counter reaches, where it begins"},
	{"probe", OPTION_U32, offsetof(struct config, probe), 1, 65536, NULL, "transactions",
         "of a load that goes past L1, one of which looks"},
};

enum { PAST_L1, VECTORS };

static const struct counter_vector vectors[VECTORS] = {
	[PAST_L1] = {.name = "past_l1",
                     .unit = "accesses",
                     .meaning = "sent past L1, by entry of the table",
                     .scope = SCOPE_SM},
};

/* As long as the table. */
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

/* Another kernel's pcs mean something else. */
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

/* A load that meets its line on the way there has found something to come back for, too. */
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
	.summary = "sends loads that do not hit past L1",
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
};

MECHANISM(l1_bypass);
