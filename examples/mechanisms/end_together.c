/* end_together: shares the machine so that kernels of different sizes end at about the same time. An SM's next block is
 * that of the kernel which has started the smallest part of its grid.
 *
 * Kernels run together when a program uses several streams. Among kernels of one priority the order of their launches
 * has no effect; kernels of a greater priority go first. If the chosen block does not fit, the SM takes another
 * kernel's block; with `wait`, it keeps its space until the chosen one fits. */
#include "seam/mech.h"

struct config {
	bool wait;
};

static const struct config defaults = {.wait = false};

static const struct base_option options[] = {
	{"wait", BASE_OPTION_BOOL, offsetof(struct config, wait), 0, 0, NULL, "",
         "an SM starts no block while the chosen kernel's does not fit"},
};

struct stats {
	uint64_t overtaken;
};

static const struct base_counter counters[] = {
	{"overtaken", "choices", BASE_SCOPE_GPU, offsetof(struct stats, overtaken),
         "choices of another kernel than the machine's first one, whose block would have fitted", BASE_COMBINE_SUM},
};

/* Compares fractions without division. */
static bool has_started_less(const struct mech_running *one, const struct mech_running *other)
{
	return one->next * other->blocks < other->next * one->blocks;
}

static uint32_t pick_kernel(struct mech_gpu *gpu, const struct mech_choice *choice)
{
	const struct config *config = gpu->config;
	struct stats *stats = gpu->stats;
	const struct mech_running *kernel = choice->kernel;
	uint32_t first = MECH_NOWHERE, best = MECH_NOWHERE;
	for (uint32_t i = 0; i < choice->count; i++) {
		if (!kernel[i].ready || !(kernel[i].has_space || config->wait))
			continue;
		if (first == MECH_NOWHERE)
			first = best = i;
		if (kernel[i].priority == kernel[first].priority && has_started_less(&kernel[i], &kernel[best]))
			best = i;
	}
	stats->overtaken += best != first && kernel[first].has_space;
	return best;
}

static const struct mech end_together = {
	.version = MECH_VERSION,
	.name = "end_together",
	.summary = "starts the blocks of the kernel that has started the smallest part of its grid",
	.citation = "an example",
	.options = options,
	.option_count = sizeof options / sizeof *options,
	.config_size = sizeof(struct config),
	.defaults = &defaults,
	.counters = counters,
	.counter_count = sizeof counters / sizeof *counters,
	.stats_size = sizeof(struct stats),
	.policies = MECH_POLICY_KERNEL,
	.pick_kernel = pick_kernel,
	.kernels = MECH_ALL_KERNELS,
};

MECHANISM(end_together);
