/* The engine's options, counters and hooks. */
#include "mech/d2ma/d2ma.h"

#include "seam/mech_dma.h"

#include <assert.h>
#include <string.h>

static const struct d2ma_config defaults = {.entries = DMA_BUFFERS, .interval = 1, .latency = 4};

static const char *const segments[] = {"128", "64", "32", NULL};
static const char *const orders[] = {"oldest", "youngest", "round_robin", NULL};
static const char *const syncs[] = {"address", "barrier", NULL};

#define AT(field) offsetof(struct d2ma_config, field)
static const struct base_option options[] = {
	{"segment", BASE_OPTION_ENUM, AT(segment), 0, 0, segments, "bytes", "global memory that a request fetches"},
	{"entries", BASE_OPTION_U32, AT(entries), 1, DMA_BUFFERS, NULL, "transfers",
         "transfers of a block in progress at a time"},
	{"order", BASE_OPTION_ENUM, AT(order), 0, 0, orders, "",
         "next transfer for address generation: by ignition, or the buffers in turn"},
	{"interval", BASE_OPTION_U32, AT(interval), 1, 64, NULL, "cycles",
         "address generation per segment, or per element of a strided transfer"},
	{"latency", BASE_OPTION_U32, AT(latency), 0, 500, NULL, "cycles",
         "delay from a command's issue until it reaches the engine"},
	{"mshrs", BASE_OPTION_U32, AT(mshrs), 0, 1024, NULL, "registers", "the engine's own MSHRs; 0: it uses L1's"},
	{"before_demand", BASE_OPTION_BOOL, AT(before_demand), 0, 1, NULL, "",
         "give its requests priority over those of the load/store unit"},
	{"sync", BASE_OPTION_ENUM, AT(sync), 0, 0, syncs, "",
         "accesses to shared memory that wait: to a transfer's bytes; or all, as after a barrier, until every warp has "
         "issued its commands and no transfer of the block is in progress"},
};

static const struct base_counter counters[] = {
#define X(name, unit, meaning)                                                                                         \
	{#name, unit, BASE_SCOPE_SM, offsetof(struct d2ma_stats, name), meaning, BASE_COMBINE_SUM},
	D2MA_COUNTERS(X)
#undef X
};

enum { BINS = 20 };
#define TIME(what, how)                                                                                                \
	{                                                                                                              \
		.name = what, .unit = "cycles", .meaning = how, .scope = BASE_SCOPE_SM, .kind = BASE_VECTOR_POWERS,    \
		.length = BINS                                                                                         \
	}
static const struct base_counter_vector vectors[D2MA_VECTORS] = {
	[D2MA_TRANSFER_TIME] = TIME("transfer_time", "duration of completed transfers, from ignition to the end"),
	[D2MA_AGEN_TIME] = TIME("agen_time", "time of completed transfers in address generation"),
	[D2MA_MEM_TIME] = TIME("mem_time", "time of completed transfers from then on to the end"),
};

static const struct mech_event_row events[D2MA_EVENTS] = {
	[D2MA_AGEN] = {"agen", "addresses of a transfer are generated", {"transfer", "bytes"}},
	[D2MA_MEM] = {"mem", "a transfer's data are in flight", {"transfer", "bytes"}},
	[D2MA_COMP] = {"comp", "the data have arrived, and the block computes", {"transfer", NULL}},
};

/* In the order of enum dma_command. */
static const char *const opcodes[DMA_COMMANDS] = DMA_NAMES;

static void sm_open(struct mech_sm *sm)
{
	struct d2ma_sm *engine = d2ma_engine(sm);
	engine->controller = mech_alloc(sm->pool, sm->machine->blocks * sizeof *engine->controller);
	engine->warp = mech_alloc(sm->pool, sm->machine->warps * sizeof *engine->warp);
}

static void kernel_end(struct mech_sm *sm)
{
	struct d2ma_sm *engine = d2ma_engine(sm);
	assert(engine->resident || !(engine->unfinished || engine->partial || engine->held || engine->agen.busy));
	struct d2ma_sm empty = {.controller = engine->controller, .warp = engine->warp, .serials = engine->serials};
	memset(engine->controller, 0, sm->machine->blocks * sizeof *engine->controller);
	memset(engine->warp, 0, sm->machine->warps * sizeof *engine->warp);
	*engine = empty;
}

static void block_begin(struct mech_sm *sm, const struct mech_block *block)
{
	struct d2ma_sm *engine = d2ma_engine(sm);
	engine->controller[block->slot] =
		(struct d2ma_controller){.resident = true, .first_warp = block->first_warp, .warps = block->warps};
	memset(&engine->warp[block->first_warp], 0, block->warps * sizeof *engine->warp);
	engine->resident += block->warps;
}

static void block_end(struct mech_sm *sm, const struct mech_block *block)
{
	d2ma_block_ends(sm, block->slot, block->cycle);
}

static uint32_t run_opcode(struct mech_sm *sm, uint32_t own, const struct mech_issue *issue)
{
	uint64_t value[DMA_MAX_FIELDS];
	if (!mech_dma_values(sm, issue, value))
		return 0;
	if (dma_is_transfer(own))
		d2ma_command(sm, issue->block, issue->warp, own, value, issue->cycle);
	else
		dma_set_parameters(&d2ma_engine(sm)->warp[issue->warp].dma, own, value);
	return 0;
}

static bool may_issue(struct mech_sm *sm, const struct mech_issue *issue)
{
	struct d2ma_sm *engine = d2ma_engine(sm);
	const struct d2ma_config *config = sm->config;
	engine->exits |= issue->type == MECH_EXIT;
	if (!engine->unfinished && !engine->partial && config->sync == D2MA_BY_ADDRESS)
		return true;
	if (issue->type == MECH_MEMORY)
		return (issue->space != MECH_SHARED && issue->space != MECH_GENERIC) || d2ma_may_access(sm, issue);
	/* a command is of type MECH_BARRIER: without an engine, warps wait at it for each other */
	return issue->type != MECH_BARRIER || !dma_is_transfer(dma_command_of(issue->name)) ||
	       d2ma_may_command(sm, issue);
}

static void on_reply(struct mech_sm *sm, const struct mech_reply *reply)
{
	struct d2ma_sm *engine = d2ma_engine(sm);
	uint32_t slot = reply->request.block, number = reply->request.tag % DMA_BUFFERS;
	struct d2ma_buffer *buffer = &engine->controller[slot].buffer[number];
	engine->in_flight -= reply->request.to == MECH_TO_SHARED;
	if (buffer->serial != reply->request.tag / DMA_BUFFERS) /* its block has ended */
		return;
	buffer->coming--;
	d2ma_come_on(sm, slot, number, reply->cycle);
}

static uint64_t cycle_(struct mech_sm *sm, uint64_t cycle)
{
	struct d2ma_sm *engine = d2ma_engine(sm);
	if (engine->exits)
		d2ma_warps_have_exited(sm, cycle);
	uint64_t next = d2ma_agen_tick(sm, cycle);
	d2ma_count_stalls(sm, cycle);
	return next;
}

/* The numbers of buffers go on. */
static void sm_keep(struct mech_sm *sm, struct mech_kept *kept)
{
	mech_keep(kept, &d2ma_engine(sm)->serials, sizeof d2ma_engine(sm)->serials);
}

const struct mech mech_d2ma = {
	.version = MECH_VERSION,
	.name = "d2ma",
	.summary = "a DMA engine in each SM moves tiles from global to shared memory (sluice/dma.h)",
	.citation = "D. A. Jamshidi, M. Samadi, S. Mahlke: D2MA: Accelerating Coarse-Grained Data Transfer for GPUs, "
		    "PACT 2014",
	.options = options,
	.option_count = sizeof options / sizeof *options,
	.config_size = sizeof(struct d2ma_config),
	.defaults = &defaults,
	.costs = d2ma_costs,
	.energies = d2ma_energies,
	.counters = counters,
	.counter_count = sizeof counters / sizeof *counters,
	.stats_size = sizeof(struct d2ma_stats),
	.vectors = vectors,
	.vector_count = D2MA_VECTORS,
	.events = events,
	.event_count = D2MA_EVENTS,
	.sm_size = sizeof(struct d2ma_sm),
	.sends = true,
	.splits_copies = true,
	.opcodes = opcodes,
	.opcode_count = DMA_COMMANDS,
	.run_opcode = run_opcode,
	.sm_open = sm_open,
	.kernel_end = kernel_end,
	.block_begin = block_begin,
	.block_end = block_end,
	.may_issue = may_issue,
	.on_reply = on_reply,
	.cycle = cycle_,
	.sm_keep = sm_keep,
	.kernels = MECH_ALL_KERNELS,
};
