/* two_level: a small set of warps competes round robin; one that waits for memory or a barrier leaves it for the warp
 * outside that has waited longest (Narasiman et al., MICRO 2011). */
#include "seam/mech.h"

struct config {
	uint32_t ready;
};

/* Of one scheduler: the warps that compete; the others, in order. */
struct levels {
	uint64_t ready;
	uint8_t waiting[MECH_MAX_SCHEDULER_WARPS];
	uint32_t head, count;
};

struct state {
	struct levels scheduler[MECH_MAX_SCHEDULERS];
};

static const struct config defaults = {.ready = 6}; /* GPGPU-Sim's two_level_active:6 */

static const struct option options[] = {
	{"ready", OPTION_U32, offsetof(struct config, ready), 1, MECH_MAX_SCHEDULER_WARPS, NULL, "warps",
         "that compete, of a scheduler"},
};

static void kernel_begin(struct mech_sm *sm)
{
	*(struct state *)sm->state = (struct state){0};
}

static bool is_waiting(const struct mech_warps *warps, uint64_t bit)
{
	return ((warps->held | warps->load_hazard) & bit) || !(warps->live & bit);
}

static void push_waiting(struct levels *levels, uint32_t bit)
{
	levels->waiting[(levels->head + levels->count++) % MECH_MAX_SCHEDULER_WARPS] = (uint8_t)bit;
}

static void leave(struct levels *levels, const struct mech_warps *warps)
{
	for (uint64_t left = levels->ready; left; left &= left - 1) {
		uint64_t bit = left & -left;
		if (!is_waiting(warps, bit))
			continue;
		levels->ready &= ~bit;
		if (warps->live & bit)
			push_waiting(levels, (uint32_t)__builtin_ctzll(bit));
	}
}

/* Warps that have been launched meanwhile. */
static void join(struct levels *levels, const struct mech_warps *warps)
{
	uint64_t known = levels->ready;
	for (uint32_t i = 0; i < levels->count; i++)
		known |= 1ull << levels->waiting[(levels->head + i) % MECH_MAX_SCHEDULER_WARPS];
	for (uint64_t left = warps->live & ~known; left; left &= left - 1)
		push_waiting(levels, (uint32_t)__builtin_ctzll(left));
}

static void enter(struct levels *levels, const struct mech_warps *warps, uint32_t places)
{
	for (uint32_t tries = levels->count; tries && (uint32_t)__builtin_popcountll(levels->ready) < places; tries--) {
		uint32_t bit = levels->waiting[levels->head];
		levels->head = (levels->head + 1) % MECH_MAX_SCHEDULER_WARPS;
		levels->count--;
		if (!is_waiting(warps, 1ull << bit))
			levels->ready |= 1ull << bit;
		else if (warps->live >> bit & 1)
			push_waiting(levels, bit);
	}
}

static uint64_t warps_that_compete(struct mech_sm *sm, const struct mech_warps *warps)
{
	const struct config *config = sm->config;
	struct levels *levels = &((struct state *)sm->state)->scheduler[warps->index];
	leave(levels, warps);
	join(levels, warps);
	enter(levels, warps, config->ready);
	return levels->ready;
}

static uint32_t pick_warp(struct mech_sm *sm, const struct mech_warps *warps, uint64_t candidates)
{
	(void)sm;
	return mech_next(warps, candidates);
}

const struct mech mech_two_level = {
	.version = MECH_VERSION,
	.name = "two_level",
	.summary = "warp order: round robin among a few, the others behind while these run",
	.citation = "V. Narasiman et al.: Improving GPU Performance via Large Warps and Two-Level Warp Scheduling, "
		    "MICRO 2011",
	.options = options,
	.option_count = sizeof options / sizeof *options,
	.config_size = sizeof(struct config),
	.defaults = &defaults,
	.sm_size = sizeof(struct state),
	.seats = MECH_SEAT_WARP_ORDER,
	.kernel_begin = kernel_begin,
	.warps_that_compete = warps_that_compete,
	.pick_warp = pick_warp,
};
