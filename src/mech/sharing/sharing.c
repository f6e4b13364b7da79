/* sharing: launches more blocks than fit, as partners of others with which they share a part of their scratchpad
 * memory (README.md). */
#include "mech/sharing/sharing.h"

#include "mech/sharing/passes.h"

#include <stdio.h>

static const struct sharing_config defaults = {
	.t = 0.1, .release = SHARING_OPTIMAL, .layout = true, .pairs = true}; /* section 8: 0.1 gains most */

static const char *const releases[] = {[SHARING_BLOCK_END] = "block_end",
                                       [SHARING_EXIT] = "exit",
                                       [SHARING_POSTDOM] = "postdom",
                                       [SHARING_OPTIMAL] = "optimal",
                                       NULL};

static const struct base_option options[] = {
	{"t", BASE_OPTION_F64, offsetof(struct sharing_config, t), 0, 1, NULL, "",
         "private fraction of a block's bytes; 1: no sharing"},
	{"release", BASE_OPTION_ENUM, offsetof(struct sharing_config, release), 0, 0, releases, "",
         "when a block releases the common part: at its end, or by relssp instructions at exits, in a post-dominator, "
         "or as early as possible"},
	{"layout", BASE_OPTION_BOOL, offsetof(struct sharing_config, layout), 0, 1, NULL, "",
         "arrange variables so that the common part is in use for the fewest instructions"},
	{"pairs", BASE_OPTION_BOOL, offsetof(struct sharing_config, pairs), 0, 1, NULL, "",
         "launch more blocks; no: blocks run as without sharing, and the cycles of the parts of each are counted"},
	{"poll", BASE_OPTION_BOOL, offsetof(struct sharing_config, poll), 0, 1, NULL, "",
         "warps that wait for the partner retry every cycle, as in the paper, instead of being woken"},
	{"pair_pollers", BASE_OPTION_BOOL, offsetof(struct sharing_config, pair_pollers), 0, 1, NULL, "",
         "allow pairs for kernels with loops that poll global memory, which stop if a block waits for its partner"},
};

static const struct base_counter counters[] = {
	{"blocks_per_sm", "blocks", BASE_SCOPE_GPU, offsetof(struct sharing_stats, blocks_per_sm),
         "blocks that an SM holds, at most", BASE_COMBINE_SUM},
	{"pairs", "pairs", BASE_SCOPE_GPU, offsetof(struct sharing_stats, pairs), "pairs of blocks on an SM, at most",
         BASE_COMBINE_SUM},
	{"own_bytes", "bytes", BASE_SCOPE_GPU, offsetof(struct sharing_stats, own_bytes),
         "private bytes of a block of a pair", BASE_COMBINE_SUM},
#define X(name, unit, meaning)                                                                                         \
	{#name, unit, BASE_SCOPE_SM, offsetof(struct sharing_stats, name), meaning, BASE_COMBINE_SUM},
	SHARING_COUNTERS(X)
#undef X
};

static const struct mech_event_row events[SHARING_EVENTS] = {
	[SHARING_OWNS] = {"owns", "a block uses the common part, until it releases it or ends", {NULL, NULL}},
	[SHARING_WAITS] = {"waits", "a warp waits because the partner owns the common part", {NULL, NULL}},
};

/* --- before decoding --- */

static const struct flow_pass *const passes[] = {&sharing_pass_layout, &sharing_pass_relssp};

static void rewrite(const void *options_, const struct mech_machine *machine, char *text, size_t size)
{
	const struct sharing_config *config = options_;
	bool releases_early = config->release != SHARING_BLOCK_END;
	int length = 0;
	if (config->t >= 1)
		return;
	if (config->layout)
		length = snprintf(text, size, "scratchpad-layout:t=%.17g%s", config->t, releases_early ? "," : "");
	if (releases_early)
		snprintf(text + length, size - (size_t)length, "relssp:t=%.17g,place=%s,room=%u,blocks=%u", config->t,
		         releases[config->release], machine->shared_bytes, machine->blocks);
}

/* --- a kernel --- */

static uint32_t shared_room(struct mech_gpu *gpu, const struct mech_room *room)
{
	const struct sharing_config *config = gpu->config;
	struct sharing_residency *residency = gpu->state;
	*residency = sharing_divide(config->t, gpu->machine->shared_bytes, gpu->launch->shared_bytes, room);
	if (gpu->launch->polls && !config->pair_pollers)
		residency->pairs = 0;
	if (!config->pairs) {
		residency->only_measured = residency->pairs;
		residency->pairs = 0;
	}
	return sharing_blocks(residency);
}

/* A grid that does not fill the machine, or another mechanism, may leave fewer blocks. Then some have no partner. */
static struct sharing_residency resident(const struct mech_gpu *gpu)
{
	struct sharing_residency residency = *(const struct sharing_residency *)gpu->state;
	uint32_t blocks = gpu->launch->blocks_per_sm;
	residency.pairs = blocks > residency.places ? blocks - residency.places : 0;
	return residency;
}

static uint32_t shared_full(struct mech_gpu *gpu)
{
	const struct sharing_residency residency = resident(gpu);
	uint32_t blocks = gpu->launch->blocks_per_sm;
	return sharing_taken(&residency, blocks < 64 ? (1ull << blocks) - 1 : UINT64_MAX);
}

static void gpu_kernel_begin(struct mech_gpu *gpu)
{
	const struct sharing_residency residency = resident(gpu);
	struct sharing_stats *stats = gpu->stats;
	stats->blocks_per_sm = gpu->launch->blocks_per_sm;
	stats->pairs = residency.pairs + residency.only_measured;
	stats->own_bytes = stats->pairs ? residency.own : 0;
}

static void kernel_begin(struct mech_sm *sm)
{
	struct sharing_sm *state = sm->state;
	*state = (struct sharing_sm){.residency = resident(sm->gpu)};
	for (uint32_t p = 0; p < MECH_MAX_BLOCKS / 2; p++)
		state->owner[p] = SHARING_NOBODY;
}

/* --- shared memory --- */

static uint32_t shared_taken(struct mech_sm *sm, uint64_t slots)
{
	return sharing_taken(&sharing_of(sm)->residency, slots);
}

static uint32_t shared_place(struct mech_sm *sm, uint32_t block, uint32_t byte)
{
	return sharing_byte_place(&sharing_of(sm)->residency, block, byte);
}

/* --- instructions --- */

static bool may_issue(struct mech_sm *sm, const struct mech_issue *issue)
{
	const struct sharing_residency *residency = &sharing_of(sm)->residency;
	return !(residency->pairs + residency->only_measured) || sharing_may_touch(sm, issue);
}

static void on_issue(struct mech_sm *sm, const struct mech_issue *issue)
{
	sharing_track(sm, issue);
	sharing_touch(sm, issue);
	if (issue->type == MECH_EXIT)
		sharing_lanes_done(sm, issue, true);
}

static uint32_t run_opcode(struct mech_sm *sm, uint32_t own, const struct mech_issue *issue)
{
	(void)own;
	sharing_lanes_done(sm, issue, false);
	return 0;
}

static uint64_t cycle_(struct mech_sm *sm, uint64_t cycle)
{
	sharing_settle(sm, cycle);
	return MECH_NEVER;
}

static const char *const opcodes[] = {"relssp"};

const struct mech mech_sharing = {
	.version = MECH_VERSION,
	.name = "sharing",
	.summary = "more blocks per SM: pairs of blocks share a part of their scratchpad memory",
	.citation = "V. Jatala, J. Anantpur, A. Karkare: Scratchpad Sharing in GPUs, 2016",
	.options = options,
	.option_count = sizeof options / sizeof *options,
	.config_size = sizeof(struct sharing_config),
	.defaults = &defaults,
	.passes = passes,
	.pass_count = sizeof passes / sizeof *passes,
	.rewrite = rewrite,
	.costs = sharing_costs,
	.counters = counters,
	.counter_count = sizeof counters / sizeof *counters,
	.stats_size = sizeof(struct sharing_stats),
	.events = events,
	.event_count = SHARING_EVENTS,
	.splits_copies = true,
	.gpu_size = sizeof(struct sharing_residency),
	.sm_size = sizeof(struct sharing_sm),
	.policies = MECH_POLICY_SHARED_ROOM | MECH_POLICY_SHARED_LAYOUT | MECH_POLICY_WARP_RANK,
	.opcodes = opcodes,
	.opcode_count = 1,
	.shared_room = shared_room,
	.shared_full = shared_full,
	.gpu_kernel_begin = gpu_kernel_begin,
	.kernel_begin = kernel_begin,
	.block_begin = sharing_block_begin,
	.block_end = sharing_block_end,
	.may_issue = may_issue,
	.issue = on_issue,
	.run_opcode = run_opcode,
	.cycle = cycle_,
	.shared_taken = shared_taken,
	.shared_place = shared_place,
	.forgets = true,
};
