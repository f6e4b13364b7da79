/* teleport: loads a thread block's data into shared memory before the block starts (README.md). This file has the
 * options and the SM's side: blocks wait for their data, and demand accesses are counted. */
#include "mech/teleport/teleport.h"

#include <stdio.h>
#include <string.h>

static const struct teleport_config defaults = {.model = TELEPORT_REAL,
                                                .buffer_kb = 48,
                                                .sets = 4,
                                                .table_entries = 64,
                                                .urgent = true,
                                                .loops = MECH_LOOPS_IN_CODE,
                                                .rate = 1,
                                                .field_bits = 16};

static const char *const models[] = {"real", "R", "S", "I", NULL};
static const char *const requests[] = {"packet", "line", NULL};
static const char *const loops[] = {"none", "code", "launch", NULL};
static const char *const arbitrations[] = {"teleport", "core", "alternate", NULL};

#define AT(field) offsetof(struct teleport_config, field)
static const struct base_option options[] = {
	{"model", BASE_OPTION_ENUM, AT(model), 0, 0, models, "",
         "real, or the paper's idealised models with an unlimited buffer"},
	{"buffer_kb", BASE_OPTION_U32, AT(buffer_kb), 1, 1024, NULL, "KB",
         "shared memory that holds the buffer, minus what resident blocks allocate"},
	{"sets", BASE_OPTION_U32, AT(sets), 1, 64, NULL, "sets",
         "sets of the buffer, a power of two; with 4, 48 KB have 96 ways"},
	{"table_entries", BASE_OPTION_U32, AT(table_entries), 1, 65536, NULL, "rows", "rows of the preload table"},
	{"arbitration", BASE_OPTION_ENUM, AT(arbitration), 0, 0, arbitrations, "",
         "requests with priority in the network; alternate: by even and odd cycles"},
	{"overlap", BASE_OPTION_BOOL, AT(overlap), 0, 1, NULL, "", "let a block run while its lines arrive"},
	{"request", BASE_OPTION_ENUM, AT(request), 0, 0, requests, "",
         "packets of 32, 64 or 128 bytes, as instructions' transactions; or whole lines, as in prefetch-CTA"},
	{"urgent", BASE_OPTION_BOOL, AT(urgent), 0, 1, NULL, "", "memory controllers prefer the controller's requests"},
	{"loops", BASE_OPTION_ENUM, AT(loops), 0, 0, loops, "",
         "indexes on induction variables that count as precalculable: none, those of loops whose bounds are in the "
         "code, or those of loops whose bounds are known at launch"},
	{"rate", BASE_OPTION_U32, AT(rate), 1, 16, NULL, "per cycle",
         "rows that the controller reads, or requests that it makes, per cycle"},
	{"field_bits", BASE_OPTION_U32, AT(field_bits), 8, 64, NULL, "bits",
         "width of a row's products and offsets; rows with larger ones are not loaded"},
	{"look_stale", BASE_OPTION_BOOL, AT(look_stale), 0, 1, NULL, "",
         "count hits on data that other SMs have written since the fill; slows the simulation"},
};

static const struct base_counter counters[] = {
#define X(name, unit, meaning, combination)                                                                            \
	{#name, unit, BASE_SCOPE_GPU, offsetof(struct teleport_stats, name), meaning, combination},
	TELEPORT_COUNTERS(X)
#undef X
};

static bool check(const void *options_, const struct mech_machine *machine, char *message, size_t size)
{
	const struct teleport_config *config = options_;
	uint32_t way = config->sets * machine->line_bytes;
	if (config->sets & (config->sets - 1))
		snprintf(message, size, "sets is %u; expected a power of two", config->sets);
	else if (config->buffer_kb * 1024 % way)
		snprintf(message, size, "buffer_kb is %u; expected a whole number of ways of %u sets of %u bytes",
		         config->buffer_kb, config->sets, machine->line_bytes);
	else
		return true;
	return false;
}

static struct mech_buffer buffer(const void *options_, const struct mech_machine *machine)
{
	const struct teleport_config *config = options_;
	enum { IDEAL_SETS = 1024 }; /* large enough that the number does not matter: no set is ever full */
	uint32_t merges = !config->overlap                             ? 0
	                  : machine->l1_mshrs < MECH_MAX_BUFFER_MERGES ? machine->l1_mshrs
	                                                               : MECH_MAX_BUFFER_MERGES;
	if (config->model != TELEPORT_REAL)
		return (struct mech_buffer){.sets = IDEAL_SETS, .merges = merges};
	return (struct mech_buffer){.sets = config->sets,
	                            .ways = config->buffer_kb * 1024 / (config->sets * machine->line_bytes),
	                            .in_shared = true,
	                            .bytes = config->buffer_kb * 1024,
	                            .merges = merges};
}

/* A block with data to load waits for them. */
static bool may_start(struct mech_sm *sm, const struct mech_block *block)
{
	const struct teleport_config *config = sm->config;
	struct teleport_block *state = &((struct teleport_sm *)sm->state)->block[block->slot];
	bool loads = teleport_loads(sm->gpu) && (config->model == TELEPORT_REAL || config->model == TELEPORT_R);
	*state = (struct teleport_block){.number = block->number,
	                                 .started = block->cycle,
	                                 .is_resident = true,
	                                 .waits = loads && !config->overlap};
	return !state->waits;
}

static void block_end(struct mech_sm *sm, const struct mech_block *block)
{
	((struct teleport_sm *)sm->state)->block[block->slot].is_resident = false;
}

void teleport_release_if_loaded(struct mech_sm *sm, uint32_t slot, uint64_t cycle)
{
	struct teleport_block *block = &((struct teleport_sm *)sm->state)->block[slot];
	struct teleport_stats *stats = sm->stats;
	if (!block->waits || !block->all_asked || block->arrived < block->asked)
		return;
	block->waits = false;
	stats->held_block_cycles += cycle - block->started;
	mech_release_block(sm, slot);
}

static void on_reply(struct mech_sm *sm, const struct mech_reply *reply)
{
	uint32_t slot = reply->request.block;
	struct teleport_block *block = &((struct teleport_sm *)sm->state)->block[slot];
	if (reply->request.to != MECH_TO_BUFFER || block->number != reply->request.tag)
		return;
	if (!reply->outside)
		teleport_note(sm, TELEPORT_FILLED, reply->request.address, reply->request.bytes);
	block->arrived++;
	teleport_release_if_loaded(sm, slot, reply->cycle);
}

static void count_demand(struct mech_sm *sm, const struct mech_access *access)
{
	struct teleport_stats *stats = sm->stats;
	if (access->local)
		return;
	stats->demand++;
	if (access->kind != MECH_LOAD)
		teleport_note(sm, TELEPORT_WRITTEN, access->address, access->bytes);
	else if (access->result == MECH_BUFFER_HIT)
		teleport_note(sm, TELEPORT_FOUND, access->address, access->bytes);
	stats->demand_hits += access->result == MECH_BUFFER_HIT;
	stats->demand_merged += access->result == MECH_BUFFER_MERGED;
}

const struct mech mech_teleport = {
	.version = MECH_VERSION,
	.name = "teleport",
	.summary = "loads a thread block's data into shared memory before the block starts",
	.citation =
		"A. Lashgar, E. Atoofian, A. Baniasadi: TELEPORT: Hardware/software alternative to CUDA shared memory "
		"programming, Microprocessors and Microsystems 63, 2018; and its earlier form, A. Lashgar, "
		"A. Baniasadi: Rethinking Prefetching in GPGPUs: Exploiting Unique Opportunities, 2015",
	.options = options,
	.option_count = sizeof options / sizeof *options,
	.config_size = sizeof(struct teleport_config),
	.defaults = &defaults,
	.check = check,
	.costs = teleport_costs,
	.energies = teleport_energies,
	.counters = counters,
	.counter_count = sizeof counters / sizeof *counters,
	.stats_size = sizeof(struct teleport_stats),
	.gpu_size = sizeof(struct controller *),
	.sm_size = sizeof(struct teleport_sm),
	.policies = MECH_POLICY_BUFFER,
	.sends = true,
	.keeps_in_step = true,
	.splits_copies = true,
	.gpu_open = teleport_gpu_open,
	.gpu_kernel_begin = teleport_gpu_kernel_begin,
	.gpu_keep = teleport_gpu_keep,
	.gpu_block = teleport_gpu_block,
	.gpu_cycle = teleport_gpu_cycle,
	.may_end = teleport_may_end,
	.block_end = block_end,
	.may_start = may_start,
	.on_reply = on_reply,
	.access = count_demand,
	.buffer = buffer,
	.kernels = MECH_EACH_KERNEL,
};
