/* cycle: one window of the machine: which unit ticks when, on which clock, and the reason for this order.
 *
 * A step is a time at which a cycle of the core's, the network's or L2's clock begins. Often cycles of several
 * clocks coincide. The machine has two sides, whose units exchange data in steps:
 *
 *     request side   SMs, the request crossbar, the slices' entries up to the delay line's beginning
 *     reply side     slices from the delay line's end on, DRAM, the reply crossbar
 *
 * Requests leave the delay line a fixed number of cycles after they enter it. The only other state of SMs that the
 * reply side needs is whether their ports have space for replies. So a window may be as long as the delay line,
 * while the ports have guaranteed space. Each window has these parts:
 *
 *     1 the reply side takes all its steps up to the window's end. Each step ticks the reply crossbar, DRAM's channels
 *       in all elapsed cycles of their own clock, and the slices. Replies wait in the SMs' ports with their time
 *       (base/port.h)
 *     2 the request side takes its steps:
 *       a core SMs tick, each from its pipeline's last stage to its first (sm/sm.c). An SM runs ahead of the step
 *                  while it can: a burst (gpu/worker_sms.c). SMs with a common port to the networks tick once, after
 *                  the
 *                  port, in the order in which they may use it (sm/cluster.c)
 *       b          the global stores and atomics of this cycle are made, in the order of SMs
 *       c network  the request crossbar ticks
 *       d L2       the entries tick
 *       e core without parallel threads: the dispatcher sends mechanisms' requests, calls their hooks of the whole
 *                  GPU and starts blocks, which run from the next cycle on (gpu/dispatch.c)
 *
 * A unit ticks only when its `wake` time has come. When no unit is due, all clocks skip to the earliest wake.
 *
 * Within a step the order cannot change a figure, because units exchange data through ports, where it is visible in
 * the next step. The order is that of a request's path, with one exception. DRAM ticks before L2, because it catches
 * up on cycles before this step's time. In those it must not see what L2 does now. Stores (b) wait for all SMs,
 * because each SM must see the memory as it was before the step, whichever ticked first. The dispatcher (e) is last
 * and runs without parallel threads, because it and its hooks access all units.
 *
 * Figures do not depend on the lengths of windows, with few exceptions in programs with races
 * (docs/explanation/timing-model.md, Windows). An SM that is ahead has not seen stores that others make before its
 * time. So it stops before a load that may read such a store. Windows are one step long when an observer needs the
 * whole machine at one time (may_open()).
 *
 * Clock domains are GPGPU-Sim's (gpgpu_sim::next_clock_domain(), gpgpu_sim::cycle()). There, units see each other
 * within a step, so their order matters. DEVIATIONS 4 describes the effect.
 */
#include "gpu/cycle.h"

#include "gpu/dispatch.h"
#include "gpu/gpu.h"

static const clock_set STEPS = 1u << CLOCK_CORE | 1u << CLOCK_NETWORK | 1u << CLOCK_L2;

static uint64_t first_wake_of_sms(const struct gpu *gpu)
{
	uint64_t first = UINT64_MAX;
	for (uint32_t i = 0; i < gpu->machine.sms; i++)
		first = earlier(first, gpu->sm[i].wake);
	for (uint32_t i = 0; i < gpu->clusters; i++)
		first = earlier(first, gpu->cluster[i].wake);
	return first;
}

/* a: collects the results of the workers' partitions. */
static void hear_shares(struct gpu *gpu)
{
	struct window *window = &gpu->window;
	window->next_sm = UINT64_MAX;
	window->sm_waits = false;
	for (const struct worker_sms *own = gpu->worker_sms; own < gpu->worker_sms + gpu->workers.count; own++) {
		window->next_sm = earlier(window->next_sm, own->next);
		window->next_commit = earlier(window->next_commit, own->next_commit);
		window->next_room = earlier(window->next_room, own->next_room);
		window->sm_waits |= own->waits;
	}
}

/* The last tick of any unit. */
static uint64_t last_tick(const struct gpu *gpu)
{
	uint64_t last = later(gpu->last_ticked, gpu->reply_side.last_ticked);
	for (uint32_t w = 0; w < gpu->workers.count; w++)
		last = later(last, gpu->worker_sms[w].last_ticked);
	return last;
}

/* With fewer SMs than this per worker in a step, synchronizing threads costs more than it saves. */
enum { FEW_SMS = 3 };

static bool are_few(const struct gpu *gpu)
{
	uint32_t few = FEW_SMS * gpu->workers.count;
	for (uint32_t i = 0; i < gpu->machine.sms; i++)
		if (gpu->sm[i].wake <= gpu->now && --few == 0)
			return false;
	return true;
}

static uint64_t ticks_of_sms(const struct gpu *gpu)
{
	uint64_t ticks = 0;
	for (uint32_t w = 0; w < gpu->workers.count; w++)
		ticks += gpu->worker_sms[w].ticks;
	return ticks;
}

static void run_sms(struct gpu *gpu)
{
	bool is_ahead = gpu->window.ahead, alone = !team_is_together(gpu->team) || are_few(gpu);
	gpu->window.claims = gpu->window.may_open && !alone;
	if (gpu->window.claims)
		worker_sms_offer(gpu);
	team_work(gpu->team, &gpu->workers, alone);
	team_judge(gpu->team, gpu->team ? ticks_of_sms(gpu) : 0);
	gpu->window.ahead = 0;
	hear_shares(gpu);
	if (is_ahead)
		reply_side_publish(gpu);
}

/* b. A store can wake its SM, because it may report work to bulk copies. */
static void commit(struct gpu *gpu)
{
	uint64_t next = UINT64_MAX;
	for (uint32_t i = 0; i < gpu->machine.sms; i++) {
		struct sm *sm = &gpu->sm[i];
		if (!sm->commits)
			continue;
		if (sm->now > gpu->now) {
			next = earlier(next, sm->now);
			continue;
		}
		sm_commit(sm);
		gpu->window.next_sm = earlier(gpu->window.next_sm, sm->wake);
	}
	gpu->window.next_commit = next;
}

/* c. Delivered packets wake entries; freed space wakes SMs. */
static void tick_request_network(struct gpu *gpu)
{
	struct crossbar *crossbar = &gpu->to_slices;
	uint64_t packets = crossbar->stats.packets;
	crossbar_tick(crossbar, gpu->clock[CLOCK_NETWORK].cycle, gpu->now);
	gpu->last_ticked = later(gpu->last_ticked, gpu->now);
	if (crossbar->stats.packets != packets)
		gpu->window.next_entry = earlier(gpu->window.next_entry, gpu->now + 1);
	if (gpu->window.sm_waits)
		gpu->window.next_sm = earlier(gpu->window.next_sm, gpu->now + 1);
}

/* d */
static void tick_entries(struct gpu *gpu)
{
	uint64_t next = UINT64_MAX, now = gpu->now;
	const struct slice *end = gpu->slice + gpu->slices;
	for (struct slice *slice = gpu->slice; slice < end; slice++) {
		if (slice->entry.wake <= now) {
			slice_entry_tick(slice, gpu->clock[CLOCK_L2].cycle, now);
			if (!gpu->window.may_open)
				reply_side_read_entry(gpu, slice);
		}
		next = earlier(next, slice->entry.wake);
	}
	gpu->window.next_entry = next;
	gpu->window.entered = gpu->window.may_open;
	gpu->last_ticked = later(gpu->last_ticked, gpu->now);
}

/* The earliest time after now at which an SM has space for a block. */
static uint64_t next_room(const struct gpu *gpu)
{
	uint64_t next = UINT64_MAX;
	for (uint32_t i = 0; i < gpu->machine.sms; i++)
		if (sm_has_room(&gpu->sm[i]) && gpu->sm[i].now > gpu->now)
			next = earlier(next, gpu->sm[i].now);
	return next;
}

/* e. A started block or a hook can wake any SM. */
static void tick_dispatcher(struct gpu *gpu, struct dispatch *dispatch)
{
	if (gpu->window.next_room <= gpu->now) {
		dispatch->try = true;
		gpu->window.next_room = next_room(gpu);
	}
	if (!dispatch_cycle(dispatch, gpu))
		return;
	gpu->window.next_sm = first_wake_of_sms(gpu);
	gpu->window.blocks_wait = dispatch->next < dispatch->blocks;
	gpu->last_ticked = later(gpu->last_ticked, gpu->now);
}

static void run_reply_side(struct gpu *gpu, uint64_t until)
{
	reply_side_read_entries(gpu);
	reply_side_run(gpu, until);
	reply_side_publish(gpu);
}

/* With windows of one step, hooks of the whole GPU see the reply side at their time. */
static void step(struct gpu *gpu, struct dispatch *dispatch)
{
	struct window *window = &gpu->window;
	bool is_core = gpu->clock[CLOCK_CORE].due;
	if (is_core && window->next_sm <= gpu->now)
		run_sms(gpu);
	if (window->next_commit <= gpu->now)
		commit(gpu);
	if (gpu->clock[CLOCK_NETWORK].due && gpu->to_slices.wake <= gpu->now)
		tick_request_network(gpu);
	if (gpu->clock[CLOCK_L2].due && window->next_entry <= gpu->now)
		tick_entries(gpu);
	if (!window->may_open)
		run_reply_side(gpu, gpu->now + 1);
	if (is_core)
		tick_dispatcher(gpu, dispatch);
}

/* The earliest time at which a unit of the request side may have work. */
static uint64_t next_of_units(const struct gpu *gpu)
{
	const struct window *window = &gpu->window;
	uint64_t sms = earlier(earlier(window->next_sm, window->next_commit), window->next_room);
	return earlier(sms, earlier(window->next_entry, gpu->to_slices.wake));
}

static void take_step(struct gpu *gpu, struct dispatch *dispatch, uint64_t now)
{
	gpu->now = now;
	gpu->step++;
	clocks_begin_step(gpu->clock, STEPS, now);
	step(gpu, dispatch);
	clocks_end_step(gpu->clock, STEPS);
}

/* 2: the request side's steps. */
static void run_request_side(struct gpu *gpu, struct dispatch *dispatch)
{
	uint64_t end = gpu->window.end;
	for (uint64_t now = clocks_next(gpu->clock, STEPS); now <= end; now = clocks_next(gpu->clock, STEPS)) {
		take_step(gpu, dispatch, now);
		uint64_t next = earlier(next_of_units(gpu), dispatch_wake(dispatch, gpu));
		if (next > now + 1)
			clocks_skip_to(gpu->clock, earlier(next, end + 1));
	}
}

/* True when no observer needs the whole machine at one time. No mechanism has hooks of partitions. Hooks of the
 * whole GPU name the SMs that they need. No unit sends from a place where others may come first. No SMs share a
 * port. No checks run, because they need accesses in the order of cycles. */
static bool may_open(const struct gpu *gpu, const struct gpu_run *run)
{
	return gpu->machine.window > 1 && run->run_ahead.allowed && !run->launch.checks && !gpu->clusters &&
	       seam_is_local(gpu->seam) && !gpu->machine.sm.zero_latency_memory;
}

/* The time up to which the reply side may run, when the request side's next step is at `begin` and `wanted` is the
 * desired time. */
static uint64_t limit(const struct gpu *gpu, uint64_t begin, uint64_t wanted)
{
	uint64_t limit = earlier(wanted, reply_side_limit(gpu, begin));
	if (gpu->visits.next != UINT64_MAX)
		limit = earlier(limit, (gpu->visits.next - 1) * gpu->clock[CLOCK_CORE].period);
	return later(limit, begin);
}

/* True when an event will occur at the next event time or later: a unit wants to tick, or a mechanism's hook is
 * called while blocks remain, so that the kernel has not ended. */
static bool goes_on(const struct gpu *gpu, const struct dispatch *dispatch, uint64_t next_of_units)
{
	return next_of_units != UINT64_MAX ||
	       (gpu->seam->gpu.first_wake != MECH_NEVER && dispatch_done(gpu) < dispatch->blocks);
}

/* Moves all clocks to the next time at which an event may occur. False: there is none. */
static bool skip_to_next(struct gpu *gpu, const struct dispatch *dispatch)
{
	uint64_t units = earlier(reply_side_next(gpu), next_of_units(gpu));
	uint64_t next = earlier(units, dispatch_wake(dispatch, gpu));
	if (next == UINT64_MAX)
		return false;
	if (next > clocks_next(gpu->clock, STEPS)) {
		clocks_skip_to(gpu->clock, next);
		clocks_skip_to(gpu->reply_side.clock, next);
	}
	if (gpu->visits.next <= gpu->clock[CLOCK_CORE].cycle && goes_on(gpu, dispatch, units))
		visits_make_until(gpu, gpu->clock[CLOCK_CORE].cycle);
	return true;
}

/* Makes the visit after the window, if something happened in the last cycle before it. Otherwise it may be that no
 * event will ever occur. */
static void visit(struct gpu *gpu)
{
	uint64_t last = (gpu->visits.next - 1) * gpu->clock[CLOCK_CORE].period;
	run_reply_side(gpu, gpu->window.end + 1);
	if (last_tick(gpu) >= last)
		visits_make(gpu, gpu->visits.next);
}

/* 1: begins the window with the step at `begin`. Returns the time of the last step that SMs may take in it. */
static uint64_t begin_window(struct gpu *gpu, uint64_t begin)
{
	uint64_t wanted = begin + (gpu->window.cycles - 1) * gpu->clock[CLOCK_CORE].period;
	reply_side_read_entries(gpu);
	reply_side_run(gpu, begin);
	uint64_t end = reply_side_run_ahead(gpu, limit(gpu, begin, wanted));
	reply_side_publish(gpu);
	return later(end, begin);
}

/* In parallel with the SMs' steps, the reply side takes those steps of the next window for which it already has all
 * inputs. */
static void run_window(struct gpu *gpu, struct dispatch *dispatch, uint64_t begin)
{
	struct window *window = &gpu->window;
	window->end = begin_window(gpu, begin);
	if (window->may_overlap)
		window->ahead = limit(gpu, begin, window->end + window->cycles * gpu->clock[CLOCK_CORE].period);
	run_request_side(gpu, dispatch);
	window->ahead = 0;
	reply_side_settle(gpu);
}

bool cycle_window(struct gpu *gpu, struct dispatch *dispatch)
{
	if (!skip_to_next(gpu, dispatch))
		return false;
	struct window *window = &gpu->window;
	uint64_t begin = clocks_next(gpu->clock, STEPS);
	window->blocks_wait = dispatch->next < dispatch->blocks;
	window->end = begin;
	if (window->may_open)
		run_window(gpu, dispatch, begin);
	else
		take_step(gpu, dispatch, begin);
	if (gpu->clock[CLOCK_CORE].cycle >= gpu->visits.next)
		visit(gpu);
	return true;
}

void cycle_settle(struct gpu *gpu)
{
	run_reply_side(gpu, gpu->window.end + 1);
}

/* Run-ahead SMs see replies at the replies' times, and are notified of free space only while they wait for it
 * (gpu/worker_sms.c). */
static void open_ports(struct gpu *gpu)
{
	bool apart = gpu->window.may_open;
	for (uint32_t i = 0; i < gpu->machine.sms; i++) {
		struct sm *sm = &gpu->sm[i];
		struct outbox *outbox = apart && gpu->workers.count > 1 ? &gpu->reply_side.outbox : NULL;
		network_port_run_apart(&sm->network, apart, outbox);
		network_port_ask_for_room(&sm->network, apart ? NULL : &sm->wake);
	}
	for (uint32_t i = 0; i < gpu->slices; i++) {
		slice_entry_tell(&gpu->slice[i].entry, UINT64_MAX);
		gpu->slice[i].entry.apart = apart;
	}
}

void cycle_begin(struct gpu *gpu, const struct gpu_run *run)
{
	gpu->last_ticked = gpu->reply_side.last_ticked = 0;
	for (uint32_t w = 0; w < gpu->workers.count; w++)
		gpu->worker_sms[w].last_ticked = 0;
	gpu->window = (struct window){.may_open = may_open(gpu, run),
	                              .may_overlap = !run->max_thread_instructions,
	                              .cycles = gpu->machine.window,
	                              .next_sm = UINT64_MAX,
	                              .next_commit = UINT64_MAX,
	                              .next_room = UINT64_MAX,
	                              .next_entry = UINT64_MAX};
	gpu->reply_side.wake = gpu->reply_side.next_sm = UINT64_MAX;
	if (!gpu->clusters)
		open_ports(gpu);
}

uint64_t cycle_end(struct gpu *gpu, uint64_t start)
{
	const struct clock *core = &gpu->clock[CLOCK_CORE];
	uint64_t end = later(clock_from(core, last_tick(gpu)), start) + 1;
	clocks_set(gpu->clock, end * core->period);
	clocks_set(gpu->reply_side.clock, end * core->period);
	gpu->now = (end - 1) * core->period;
	return end;
}
