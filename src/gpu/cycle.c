/* A step of the machine, on one page: what ticks when, on which clock, and why in this order.
 *
 * A step is a time at which a cycle of the core's, the network's or L2's clock comes; often it is a cycle of several. In it
 *
 *   1 host     what crossed between the host's threads in the step before goes into its ports (host/worker.c)
 *   2 core     SMs tick, each from its pipeline's last stage to its first (sm/sm.c); where several share a port to the networks, behind
 *              the port, in the order in which they may use it (sm/cluster.c)
 *   3          when all have, their global stores and atomics are made, in the order of SMs
 *   4 network  the request crossbar ticks, and the reply crossbar
 *   5 DRAM     channels tick, in all cycles of their own clock that have come up to now
 *   6 L2       slices tick
 *   7 core     alone, when all threads are done: the dispatcher sends mechanisms' requests, calls their hooks of the whole GPU
 *              and starts blocks, which run from the next cycle on (gpu/dispatch.c)
 *
 * Each unit ticks only if it wants to: its `wake` has come. When nobody wanted to, all clocks skip to the earliest wake.
 *
 * Between 2, 4, 5 and 6 the order cannot change a figure: what units hand to each other passes through ports, where it shows in
 * the next step (base/port.h); they stand as a request travels, but for one reason: DRAM comes before L2, since it makes up for
 * cycles that lie before this step's time, in which it must not see what L2 does now. Stores (3) wait for all SMs, since each has
 * to see the memory of before the step, whichever ticked first. The dispatcher (7) comes last and alone, since it and the hooks
 * that it calls reach across all units.
 *
 * Clock domains are GPGPU-Sim's (gpgpu_sim::next_clock_domain(), gpgpu_sim::cycle()). There units see each other within a step, so
 * that their order matters: DEVIATIONS 4 says what that changes. */
#include "gpu/cycle.h"

#include "gpu/dispatch.h"
#include "gpu/gpu.h"

#define FEMTOSECONDS_PER_MHZ_CYCLE 1000000000ull /* 1 / 1 MHz */

/* The clocks, in the order in which their units tick in a step. */
static const struct domain {
	size_t mhz; /* the machine's option */
	bool has_steps; /* each of its cycles is a step; else it makes up for those that have passed in the steps of others */
	void (*tick)(struct gpu *gpu, struct share *share); /* those of the share's units that want to */
	uint64_t (*wake)(const struct gpu *gpu, const struct share *share); /* when the first of them wants to */
} domains[CLOCKS] = {
	[CLOCK_CORE] = {offsetof(struct machine, core_mhz), true, share_tick_sms, share_wake_of_sms},
	[CLOCK_NETWORK] = {offsetof(struct machine, network_mhz), true, share_tick_networks, share_wake_of_networks},
	[CLOCK_DRAM] = {offsetof(struct machine, dram_mhz), false, share_tick_channels, share_wake_of_channels},
	[CLOCK_L2] = {offsetof(struct machine, l2_mhz), true, share_tick_slices, share_wake_of_slices},
};

void cycle_open(struct gpu *gpu)
{
	for (int d = 0; d < CLOCKS; d++) {
		uint32_t mhz = *(const uint32_t *)((const char *)&gpu->machine + domains[d].mhz);
		assert(mhz);
		gpu->clock[d].period = (FEMTOSECONDS_PER_MHZ_CYCLE + mhz / 2) / mhz;
	}
}

/* Its time is the next one at which a clock has a step. */
static void begin_step(struct gpu *gpu)
{
	uint64_t now = UINT64_MAX;
	for (int d = 0; d < CLOCKS; d++) {
		uint64_t time = gpu->clock[d].cycle * gpu->clock[d].period;
		if (domains[d].has_steps && time < now)
			now = time;
	}
	for (int d = 0; d < CLOCKS; d++)
		gpu->clock[d].due = gpu->clock[d].cycle * gpu->clock[d].period <= now;
	gpu->now = now;
	gpu->step++;
}

/* 2: the units that see device memory. */
static bool tick_storing(void *machine, uint32_t worker)
{
	struct gpu *gpu = machine;
	struct share *share = &gpu->share[worker];
	share->ticked = share->commits = share->starved = false;
	if (gpu->clock[CLOCK_CORE].due)
		share_tick_sms(gpu, share);
	return share->commits;
}

/* 3 */
static void commit(void *machine, uint32_t worker)
{
	struct gpu *gpu = machine;
	const struct share *share = &gpu->share[worker];
	for (uint32_t i = share->first_sm; i < share->end_sm; i++)
		if (gpu->sm[i].commits)
			sm_commit(&gpu->sm[i]);
}

/* 4 to 6, and when the share's units want to tick again. */
static void tick_others(void *machine, uint32_t worker)
{
	struct gpu *gpu = machine;
	struct share *share = &gpu->share[worker];
	for (int d = CLOCK_CORE + 1; d < CLOCKS; d++)
		if (gpu->clock[d].due)
			domains[d].tick(gpu, share);
	if (share->ticked)
		return;
	share->next = UINT64_MAX;
	for (int d = 0; d < CLOCKS; d++) {
		uint64_t wake = domains[d].wake(gpu, share);
		share->next = wake < share->next ? wake : share->next;
	}
}

const struct duties cycle_duties = {tick_storing, commit, tick_others};

/* 7. True when something happened. */
static bool tick_dispatcher(struct gpu *gpu, struct dispatch *dispatch)
{
	if (!gpu->clock[CLOCK_CORE].due || !dispatch_cycle(dispatch, gpu))
		return false;
	gpu->share[0].last_ticked = gpu->now;
	return true;
}

static void end_step(struct gpu *gpu)
{
	for (int d = 0; d < CLOCKS; d++) {
		struct clock *clock = &gpu->clock[d];
		if (clock->due)
			clock->cycle = domains[d].has_steps ? clock->cycle + 1 : gpu->now / clock->period + 1;
	}
}

/* What the shares tell. True when a unit ticked. */
static bool hear_shares(const struct gpu *gpu, struct dispatch *dispatch)
{
	bool ticked = false;
	for (const struct share *share = gpu->share; share < gpu->share + gpu->workers.count; share++) {
		ticked |= share->ticked;
		dispatch->try |= share->starved;
	}
	return ticked;
}

/* True when a unit ticked or the dispatcher did something. */
static bool make_step(struct gpu *gpu, struct dispatch *dispatch)
{
	begin_step(gpu);
	const struct step step = {.number = gpu->step, .now = gpu->now};
	team_step(gpu->team, &gpu->workers, &step);
	bool ticked = hear_shares(gpu, dispatch);
	ticked |= tick_dispatcher(gpu, dispatch);
	end_step(gpu);
	return ticked;
}

/* The earliest time at which something can happen, after a step in which nothing did. */
static uint64_t next_event(const struct gpu *gpu, const struct dispatch *dispatch)
{
	uint64_t first = dispatch_wake(dispatch, gpu);
	for (uint32_t w = 0; w < gpu->workers.count; w++)
		first = gpu->share[w].next < first ? gpu->share[w].next : first;
	return first;
}

/* The first cycle of a clock at or after a time. */
static uint64_t cycle_from(const struct gpu *gpu, enum clock_domain domain, uint64_t time)
{
	uint64_t period = gpu->clock[domain].period;
	return (time + period - 1) / period;
}

/* Moves every clock to its first cycle at or after `time`; none goes back. */
static void skip_to(struct gpu *gpu, uint64_t time)
{
	for (int d = 0; d < CLOCKS; d++) {
		uint64_t cycle = cycle_from(gpu, d, time);
		if (cycle > gpu->clock[d].cycle)
			gpu->clock[d].cycle = cycle;
	}
}

/* Something does happen at the next event, or later: a unit wants to tick, or a mechanism's hook is called, while there are blocks, in which
 * the kernel then has not ended. */
static bool goes_on(const struct gpu *gpu, const struct dispatch *dispatch)
{
	for (uint32_t w = 0; w < gpu->workers.count; w++)
		if (gpu->share[w].next != UINT64_MAX)
			return true;
	return gpu->seam->gpu.first_wake != MECH_NEVER && dispatch_done(gpu) < dispatch->blocks;
}

bool cycle_step(struct gpu *gpu, struct dispatch *dispatch)
{
	if (make_step(gpu, dispatch)) {
		if (gpu->visits.next <= gpu->clock[CLOCK_CORE].cycle)
			visits_make(gpu, gpu->clock[CLOCK_CORE].cycle);
		return true;
	}
	uint64_t event = next_event(gpu, dispatch);
	if (event == UINT64_MAX)
		return false;
	skip_to(gpu, event);
	if (gpu->visits.next <= gpu->clock[CLOCK_CORE].cycle && goes_on(gpu, dispatch))
		visits_make_until(gpu, gpu->clock[CLOCK_CORE].cycle);
	return true;
}

void cycle_begin(struct gpu *gpu)
{
	for (uint32_t w = 0; w < gpu->workers.count; w++)
		gpu->share[w].last_ticked = 0;
}

uint64_t cycle_end(struct gpu *gpu, uint64_t start)
{
	uint64_t last = 0;
	for (uint32_t w = 0; w < gpu->workers.count; w++)
		last = gpu->share[w].last_ticked > last ? gpu->share[w].last_ticked : last;
	uint64_t end = cycle_from(gpu, CLOCK_CORE, last) + 1;
	end = end > start ? end : start + 1;
	for (int d = 0; d < CLOCKS; d++)
		gpu->clock[d].cycle = cycle_from(gpu, d, end * gpu->clock[CLOCK_CORE].period);
	return end;
}
