/* The engine's options, counters and hooks. */
#include "mech/tma/tma.h"

#include <assert.h>
#include <string.h>

static const struct tma_config defaults = {
	.entries = 16, .latency = 32, .interval = 1, .in_flight = 128, .maps = 16, .map_latency = 64};

static const char *const segments[] = {"128", "64", "32", NULL};

#define AT(field) offsetof(struct tma_config, field)
static const struct base_option options[] = {
	{"entries", BASE_OPTION_U32, AT(entries), 1, 64, NULL, "copies",
         "copies waiting or in progress, at most; further instructions wait to issue"},
	{"latency", BASE_OPTION_U32, AT(latency), 0, 1000, NULL, "cycles",
         "delay from an instruction's issue until it reaches the engine"},
	{"interval", BASE_OPTION_U32, AT(interval), 1, 64, NULL, "cycles",
         "interval between two requests of address generation"},
	{"segment", BASE_OPTION_ENUM, AT(segment), 0, 0, segments, "bytes",
         "largest amount of global memory per request"},
	{"in_flight", BASE_OPTION_U32, AT(in_flight), 1, 1024, NULL, "requests", "unanswered requests, at most"},
	{"maps", BASE_OPTION_U32, AT(maps), 1, 256, NULL, "maps", "tensor maps in the cache"},
	{"map_latency", BASE_OPTION_U32, AT(map_latency), 0, 1000, NULL, "cycles",
         "time to read an uncached map from a parameter; a map in memory is fetched"},
	{"before_demand", BASE_OPTION_BOOL, AT(before_demand), 0, 1, NULL, "",
         "give its requests priority over those of the load/store unit"},
};

static const struct base_counter counters[] = {
#define X(name, unit, meaning)                                                                                         \
	{#name, unit, BASE_SCOPE_SM, offsetof(struct tma_stats, name), meaning, BASE_COMBINE_SUM},
	TMA_COUNTERS(X)
#undef X
};

static const struct base_counter_vector vectors[TMA_VECTORS] = {
	[TMA_COPY_TIME] = {.name = "copy_time",
                           .unit = "cycles",
                           .meaning = "duration of completed copies, from issue to end",
                           .scope = BASE_SCOPE_SM,
                           .kind = BASE_VECTOR_POWERS,
                           .length = 20},
};

static const struct mech_event_row events[TMA_EVENTS] = {
	[TMA_AGEN] = {"agen", "addresses of a copy are generated", {"copy", "bytes"}},
	[TMA_MEM] = {"mem", "a copy's requests are in flight", {"copy", "bytes"}},
};

/* In the order of enum bulk_opcode. */
static const char *const opcodes[BULK_OPCODES] = BULK_NAMES;

static void sm_open(struct mech_sm *sm)
{
	const struct tma_config *config = sm->config;
	struct tma_sm *engine = tma_engine(sm);
	engine->copy = mech_alloc(sm->pool, tma_entries(sm) * sizeof *engine->copy);
	engine->committed = mech_alloc(sm->pool, (size_t)sm->machine->warps * MECH_LANES * sizeof *engine->committed);
	engine->waits = mech_alloc(sm->pool, sm->machine->warps * sizeof *engine->waits);
	engine->map = mech_alloc(sm->pool, config->maps * sizeof *engine->map);
}

/* Copies may be in progress when a kernel was stopped. The map cache is cleared because programs may change maps
 * between kernels. */
static void kernel_end(struct mech_sm *sm)
{
	const struct tma_config *config = sm->config;
	struct tma_sm *engine = tma_engine(sm);
	((struct tma_stats *)sm->stats)->abandoned += engine->used;
	memset(engine->copy, 0, tma_entries(sm) * sizeof *engine->copy);
	memset(engine->waits, TMA_FOR_NOTHING, sm->machine->warps * sizeof *engine->waits);
	memset(engine->map, 0, config->maps * sizeof *engine->map);
	engine->used = engine->held = engine->in_flight = 0;
	engine->agen = (struct tma_agen){0};
}

static void block_begin(struct mech_sm *sm, const struct mech_block *block)
{
	uint32_t *committed = tma_engine(sm)->committed;
	memset(&committed[block->first_warp * MECH_LANES], 0, (size_t)block->warps * MECH_LANES * sizeof *committed);
}

static void block_end(struct mech_sm *sm, const struct mech_block *block)
{
	tma_block_ends(sm, block->slot, block->cycle);
}

static uint32_t run_opcode(struct mech_sm *sm, uint32_t own, const struct mech_issue *issue)
{
	if (own == BULK_COMMIT)
		tma_commit(sm, issue);
	if (own >= BULK_COMMIT)
		return 0;
	for (uint32_t left = issue->lanes; left; left &= left - 1) {
		struct bulk_copy what;
		uint32_t lane = (uint32_t)__builtin_ctz(left);
		if (!mech_bulk_copy(sm, issue, lane, &what))
			return 0;
		tma_start(sm, issue, lane, &what);
	}
	return 0;
}

/* Returns the engine's number of the opcode; BULK_OPCODES when it is another instruction. */
static uint32_t own_opcode(const char *name)
{
	uint32_t own = strncmp(name, "cp.", 3) == 0 ? 0 : BULK_OPCODES; /* fast test that excludes most opcodes */
	while (own < BULK_OPCODES && strcmp(name, opcodes[own]) != 0)
		own++;
	return own;
}

static bool may_issue(struct mech_sm *sm, const struct mech_issue *issue)
{
	uint32_t own = issue->type == MECH_ARITHMETIC ? own_opcode(issue->name) : BULK_OPCODES;
	if (own == BULK_WAIT)
		return tma_may_pass(sm, issue);
	return own >= BULK_COMMIT || tma_may_copy(sm, issue);
}

static void on_reply(struct mech_sm *sm, const struct mech_reply *reply)
{
	struct tma_sm *engine = tma_engine(sm);
	struct tma_copy *copy = &engine->copy[reply->request.tag % tma_entries(sm)];
	engine->in_flight--;
	if (copy->state == TMA_FREE || copy->serial != reply->request.tag / tma_entries(sm)) /* its block has ended */
		return;
	copy->coming--;
	tma_come_on(sm, copy, reply->cycle);
}

const struct mech mech_tma = {
	.version = MECH_VERSION,
	.name = "tma",
	.summary = "an engine in each SM copies in bulk between global and shared memory (cp.async.bulk, tensor tiles)",
	.citation = "NVIDIA: H100 Tensor Core GPU Architecture, 2022; PTX ISA, Tensors",
	.options = options,
	.option_count = sizeof options / sizeof *options,
	.config_size = sizeof(struct tma_config),
	.defaults = &defaults,
	.costs = tma_costs,
	.counters = counters,
	.counter_count = sizeof counters / sizeof *counters,
	.stats_size = sizeof(struct tma_stats),
	.vectors = vectors,
	.vector_count = TMA_VECTORS,
	.events = events,
	.event_count = TMA_EVENTS,
	.sm_size = sizeof(struct tma_sm),
	.sends = true,
	.opcodes = opcodes,
	.opcode_count = BULK_PREFETCH_MAP, /* which costs its issue slot */
	.run_opcode = run_opcode,
	.sm_open = sm_open,
	.kernel_end = kernel_end,
	.block_begin = block_begin,
	.block_end = block_end,
	.may_issue = may_issue,
	.on_reply = on_reply,
	.cycle = tma_agen_tick,
	.forgets = true,
	.kernels = MECH_ALL_KERNELS,
};
