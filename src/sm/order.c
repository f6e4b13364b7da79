/* Warp orders: which of the warps that could issue goes first.
 *
 *   lrr        loose round robin: the next one behind the last that issued
 *   gto        greedy then oldest: the last that issued, else the oldest
 *   two_level  a small set of warps competes round robin; one that waits for memory or a barrier leaves it for the
 *              longest-waiting warp outside (Narasiman et al., MICRO 2011)
 */
#include "sm/stages.h"

static uint32_t next_behind(uint64_t candidates, uint32_t last)
{
	uint64_t behind = last >= 63 ? 0 : candidates & ~((2ull << last) - 1);
	return (uint32_t)__builtin_ctzll(behind ? behind : candidates);
}

uint32_t order_oldest(const struct scheduler *scheduler, uint64_t candidates)
{
	uint32_t best = (uint32_t)__builtin_ctzll(candidates);
	uint64_t older;
	while ((older = candidates & scheduler->older[best]) != 0)
		best = (uint32_t)__builtin_ctzll(older);
	return best;
}

void order_launched(struct scheduler *scheduler, uint32_t bit)
{
	for (uint32_t b = 0; b < scheduler->warps; b++)
		scheduler->older[b] &= ~(1ull << bit);
	scheduler->older[bit] = ~(1ull << bit);
}

static bool is_waiting(const struct scheduler *scheduler, uint64_t bit)
{
	return ((scheduler->held | scheduler->load_hazard) & bit) || !(scheduler->live & bit);
}

static void push_waiting(struct scheduler *scheduler, uint32_t bit)
{
	scheduler->waiting_set[(scheduler->waiting_head + scheduler->waiting_count++) % 64] = (uint8_t)bit;
}

/* Keeps the ready set of the two-level order: who waits leaves, the longest waiting outside that can run enters. */
static void move_between_levels(const struct sm *sm, struct scheduler *scheduler)
{
	for (uint64_t left = scheduler->ready_set; left; left &= left - 1) {
		uint64_t bit = left & -left;
		if (is_waiting(scheduler, bit)) {
			scheduler->ready_set &= ~bit;
			if (scheduler->live & bit)
				push_waiting(scheduler, (uint32_t)__builtin_ctzll(bit));
		}
	}
	uint64_t known = scheduler->ready_set;
	for (uint32_t i = 0; i < scheduler->waiting_count; i++)
		known |= 1ull << scheduler->waiting_set[(scheduler->waiting_head + i) % 64];
	for (uint64_t left = scheduler->live & ~known; left; left &= left - 1)
		push_waiting(scheduler, (uint32_t)__builtin_ctzll(left));
	for (uint32_t tries = scheduler->waiting_count;
	     tries && (uint32_t)__builtin_popcountll(scheduler->ready_set) < sm->config.two_level_ready; tries--) {
		uint32_t bit = scheduler->waiting_set[scheduler->waiting_head];
		scheduler->waiting_head = (scheduler->waiting_head + 1) % 64;
		scheduler->waiting_count--;
		if (!is_waiting(scheduler, 1ull << bit))
			scheduler->ready_set |= 1ull << bit;
		else if (scheduler->live >> bit & 1)
			push_waiting(scheduler, bit);
	}
}

void order_prepare(const struct sm *sm, struct scheduler *scheduler)
{
	if (sm->config.order == ORDER_TWO_LEVEL)
		move_between_levels(sm, scheduler);
}

uint32_t order_pick(const struct sm *sm, const struct scheduler *scheduler, uint64_t candidates)
{
	if (sm->config.order == ORDER_GTO)
		return candidates >> scheduler->last & 1 ? scheduler->last : order_oldest(scheduler, candidates);
	return next_behind(candidates, scheduler->last);
}
