/* A mechanism whose requests exercise all accounts. For every transaction of a load it requests the next data, in turn
 * for the buffer in front of L1, L1, L2 and no destination. */
#include "keep_all.h"
#include "seam/mech.h"

struct sm_state {
	uint64_t asked;
};

static const struct base_counter counters[] = {
	{"told", "requests", BASE_SCOPE_SM, 0, "whose outcome was reported", BASE_COMBINE_SUM}};

static void on_outcome(struct mech_sm *sm, const struct mech_outcome *outcome)
{
	*(uint64_t *)sm->stats += outcome->outcome <= MECH_REDUNDANT && outcome->sent <= outcome->cycle;
}

static void partition_outcome(struct mech_partition *partition, const struct mech_outcome *outcome)
{
	*(uint64_t *)partition->stats += outcome->outcome <= MECH_REDUNDANT && outcome->sent <= outcome->cycle;
}

static void on_memory(struct mech_sm *sm, const struct mech_memory *memory)
{
	struct sm_state *own = sm->state;
	uint32_t bytes = sm->machine->l1_sector_bytes;
	for (uint32_t i = 0; i < memory->transactions && memory->kind == MECH_LOAD && !memory->local; i++) {
		uint64_t place = memory->transaction[i].address & ~(uint64_t)(bytes - 1);
		const struct mech_request request = {.address = place + bytes,
		                                     .bytes = bytes,
		                                     .to = (enum mech_place[]){MECH_TO_L1, MECH_TO_BUFFER, MECH_TO_L2,
		                                                               MECH_TO_BUFFER,
		                                                               MECH_TO_NOTHING}[own->asked++ % 5],
		                                     .pc = memory->pc,
		                                     .block = memory->block};
		mech_send(sm, &request);
	}
}

static struct mech_buffer buffer(const void *config, const struct mech_machine *machine)
{
	(void)config;
	(void)machine;
	return (struct mech_buffer){.sets = 4, .ways = 4};
}

static const struct mech sender = {
	.version = MECH_VERSION,
	.name = "sender",
	.summary = "requests the data after every load's",
	.citation = "a test",
	KEEP_ALL,
	.sm_size = sizeof(struct sm_state),
	.policies = MECH_POLICY_BUFFER,
	.sends = true,
	.counters = counters,
	.counter_count = 1,
	.stats_size = sizeof(uint64_t),
	.memory = on_memory,
	.on_outcome = on_outcome,
	.partition_outcome = partition_outcome,
	.buffer = buffer,
};
MECHANISM(sender);
