/* cycle: one window of the machine: which unit ticks when, on which clock, and the reason for this order.
 *
 * A step is a time at which a cycle of the core's, the network's or L2's clock begins. Often cycles of several
 * clocks coincide. The machine has two sides, whose units exchange data in steps:
 *
 *     request side   SMs, the request crossbar, the slices' entries up to the delay line's beginning
 *     reply side     slices from the delay line's end on, DRAM, the reply crossbar. It also serves requests below the
 *                    delay line, in L2 slices and DRAM
 *
 * Requests leave the delay line a fixed number of cycles after they enter it. The only other state of SMs that the
 * reply side needs is whether their ports have space for replies. So a window may be as long as the delay line,
 * while the ports have guaranteed space. Each window has these parts:
 *
 *     1 the reply side takes all its steps up to the window's end. Each step ticks the reply crossbar, DRAM's channels
 *       in all elapsed cycles of their own clock, and the slices. Replies wait in the SMs' ports with their time
 *       (base/port.h)
 *     2 the request side takes its steps:
 *       a core     SMs tick, each from its pipeline's last stage to its first (sm/sm.c). An SM runs ahead of the step
 *                  while it can: a burst (gpu/worker_sms.c). SMs with a common port to the networks tick once, after
 *                  the port, in the order in which they may use it (sm/cluster.c).
 *                  run_sms() -> worker_sms_run(), in one or several threads
 *       b          the global stores and atomics of this cycle are made, in the order of SMs
 *       c network  the request crossbar ticks
 *       d L2       the entries tick
 *       e core     without parallel threads: the dispatcher sends mechanisms' requests, calls their hooks of the whole
 *                  GPU and starts blocks, which run from the next cycle on (gpu/dispatch.c)
 *
 * A unit ticks only when its `wake` time has come. When no unit is due, all clocks skip to the earliest wake.
 *
 * Within a step the order cannot change a result, because units exchange data through ports, where it is visible in the
 * next step. (SMs that share a network port are the exception: sm/cluster.h.) The order is that of a request's path,
 * but DRAM ticks before L2, because it catches up on cycles before this step's time. In those it must not see what L2
 * does now. Stores (b) wait for all SMs, because each SM must see the memory as it was before the step, whichever
 * ticked first. The dispatcher (e) is last and runs without parallel threads, because it and its hooks access all
 * units.
 *
 * Results do not depend on the lengths of windows, with two exceptions (docs/explanation/timing-model.md, Windows):
 * addresses that leave the allocation of their pointer; ld.global.nc and textures of data that the launch stores. An SM
 * that is ahead has not seen stores that others make before its time. So it stops before a load that may read such a
 * store. Windows are one step long unless may_be_long() holds.
 *
 * Clock domains are GPGPU-Sim's (gpgpu_sim::next_clock_domain(), gpgpu_sim::cycle()). There, units see each other
 * within a step, so their order matters. docs/explanation/deviations.md, 4, describes the effect.
 */
#include "gpu/cycle.h"

#include "gpu/dispatch.h"
#include "gpu/gpu.h"

static const clock_set STEPS = 1u << CLOCK_CORE | 1u << CLOCK_NETWORK | 1u << CLOCK_L2;

static uint64_t first_wake_of_sms(const struct gpu *gpu)
{
	uint64_t first = UINT64_MAX;
	for (uint32_t i = 0; i < gpu->machine.sms; i++)
		first = min_u64(first, gpu->sm[i].wake);
	for (uint32_t i = 0; i < gpu->clusters; i++)
		first = min_u64(first, gpu->cluster[i].wake);
	return first;
}

/* a: collects the results of the workers' SMs. */
static void collect_worker_results(struct gpu *gpu)
{
	struct window *window = &gpu->window;
	window->next_sm = UINT64_MAX;
	window->sm_waits_for_network = false;
	for (const struct worker_sms *own = gpu->worker_sms; own < gpu->worker_sms + gpu->workers.count; own++) {
		window->next_sm = min_u64(window->next_sm, own->next);
		window->next_commit = min_u64(window->next_commit, own->next_commit);
		window->next_room = min_u64(window->next_room, own->next_room);
		window->sm_waits_for_network |= own->waits_for_network;
	}
}

/* The last tick of any unit. */
static uint64_t last_tick(const struct gpu *gpu)
{
	uint64_t last = max_u64(gpu->last_ticked, gpu->reply_side.last_ticked);
	for (uint32_t w = 0; w < gpu->workers.count; w++)
		last = max_u64(last, gpu->worker_sms[w].last_ticked);
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
	bool overlaps = gpu->window.overlap_end, alone = !team_is_together(gpu->team) || are_few(gpu);
	gpu->window.workers_claim_sms = gpu->window.may_be_long && !alone;
	if (gpu->window.workers_claim_sms)
		worker_sms_offer(gpu);
	team_work(gpu->team, &gpu->workers, alone);
	team_judge(gpu->team, gpu->team ? ticks_of_sms(gpu) : 0);
	gpu->window.overlap_end = 0;
	collect_worker_results(gpu);
	if (overlaps)
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
			next = min_u64(next, sm->now);
			continue;
		}
		sm_commit(sm);
		gpu->window.next_sm = min_u64(gpu->window.next_sm, sm->wake);
	}
	gpu->window.next_commit = next;
}

/* c. Delivered packets wake entries; freed space wakes SMs. */
static void tick_request_network(struct gpu *gpu)
{
	struct crossbar *crossbar = &gpu->to_slices;
	uint64_t packets = crossbar->stats.packets;
	crossbar_tick(crossbar, gpu->clock[CLOCK_NETWORK].cycle, gpu->now);
	gpu->last_ticked = max_u64(gpu->last_ticked, gpu->now);
	if (crossbar->stats.packets != packets)
		gpu->window.next_entry = min_u64(gpu->window.next_entry, gpu->now + 1);
	if (gpu->window.sm_waits_for_network)
		gpu->window.next_sm = min_u64(gpu->window.next_sm, gpu->now + 1);
}

/* d */
static void tick_entries(struct gpu *gpu)
{
	uint64_t next = UINT64_MAX, now = gpu->now;
	const struct slice *end = gpu->slice + gpu->slices;
	for (struct slice *slice = gpu->slice; slice < end; slice++) {
		if (slice->entry.wake <= now) {
			slice_entry_tick(slice, gpu->clock[CLOCK_L2].cycle, now);
			if (!gpu->window.may_be_long)
				reply_side_read_entry(gpu, slice);
		}
		next = min_u64(next, slice->entry.wake);
	}
	gpu->window.next_entry = next;
	gpu->window.has_entries = gpu->window.may_be_long;
	gpu->last_ticked = max_u64(gpu->last_ticked, gpu->now);
}

static void note_waiting_blocks(struct gpu *gpu, const struct dispatch *dispatch)
{
	gpu->window.waiting = dispatch_list_waiting(dispatch, gpu, gpu->window.waiting_kernel);
}

/* The earliest time after now at which an SM has space for a waiting block. */
static uint64_t next_room(const struct gpu *gpu)
{
	uint64_t next = UINT64_MAX;
	if (!gpu->window.waiting)
		return next;
	for (uint32_t i = 0; i < gpu->machine.sms; i++)
		if (window_has_room(&gpu->window, &gpu->sm[i]) && gpu->sm[i].now > gpu->now)
			next = min_u64(next, gpu->sm[i].now);
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
	note_waiting_blocks(gpu, dispatch);
	gpu->last_ticked = max_u64(gpu->last_ticked, gpu->now);
}

static void run_reply_side(struct gpu *gpu, uint64_t until)
{
	reply_side_read_entries(gpu);
	reply_side_run(gpu, until);
	reply_side_publish(gpu);
}

/* With windows of one step, the reply side has reached the present step when hooks of the whole GPU are called. */
static void tick_units(struct gpu *gpu, struct dispatch *dispatch)
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
	if (!window->may_be_long)
		run_reply_side(gpu, gpu->now + 1);
	if (is_core)
		tick_dispatcher(gpu, dispatch);
}

/* The earliest time at which a unit of the request side may have work. */
static uint64_t next_of_units(const struct gpu *gpu)
{
	const struct window *window = &gpu->window;
	uint64_t sms = min_u64(min_u64(window->next_sm, window->next_commit), window->next_room);
	return min_u64(sms, min_u64(window->next_entry, gpu->to_slices.wake));
}

static void take_step(struct gpu *gpu, struct dispatch *dispatch, uint64_t now)
{
	gpu->now = now;
	gpu->step++;
	clocks_begin_step(gpu->clock, STEPS, now);
	tick_units(gpu, dispatch);
	clocks_end_step(gpu->clock, STEPS);
}

/* 2: the request side's steps. */
static void run_request_side(struct gpu *gpu, struct dispatch *dispatch)
{
	uint64_t end = gpu->window.end;
	for (uint64_t now = clocks_next(gpu->clock, STEPS); now <= end; now = clocks_next(gpu->clock, STEPS)) {
		take_step(gpu, dispatch, now);
		uint64_t next = min_u64(next_of_units(gpu), dispatch_wake(dispatch, gpu));
		if (next > now + 1)
			clocks_skip_to(gpu->clock, min_u64(next, end + 1));
	}
}

/* True when windows may be longer than a step:
 * - the machine and the launch allow SMs to run ahead;
 * - no checks run, because they need accesses in the order of cycles;
 * - no SMs share a port (clusters);
 * - no mechanism needs the whole machine at one time: none has hooks of partitions, hooks of the whole GPU name the
 *   SMs that they need, and none draws events (seam_is_local());
 * - memory has a latency. */
static bool may_be_long(const struct gpu *gpu, const struct cycle_start *with)
{
	return gpu->machine.window > 1 && with->may_run_ahead && !gpu->clusters && seam_is_local(gpu->seam) &&
	       !gpu->machine.sm.zero_latency_memory;
}

/* The time up to which the reply side may run, when the request side's next step is at `begin` and `wanted` is the
 * desired time. */
static uint64_t limit(const struct gpu *gpu, uint64_t begin, uint64_t wanted)
{
	uint64_t limit = min_u64(wanted, reply_side_limit(gpu, begin));
	if (gpu->visits.next != UINT64_MAX)
		limit = min_u64(limit, (gpu->visits.next - 1) * gpu->clock[CLOCK_CORE].period);
	return max_u64(limit, begin);
}

/* True when the kernel can still go on: a unit will tick, or a hook of the whole GPU is due while blocks remain. */
static bool can_go_on(const struct gpu *gpu, const struct dispatch *dispatch, uint64_t next_of_units)
{
	return next_of_units != UINT64_MAX ||
	       (gpu->seam->gpu.first_wake != MECH_NEVER && dispatch_done(gpu) < dispatch->blocks);
}

/* Moves all clocks to the next time at which an event may occur. False: there is none. */
static bool skip_to_next(struct gpu *gpu, const struct dispatch *dispatch)
{
	uint64_t units = min_u64(reply_side_next(gpu), next_of_units(gpu));
	uint64_t next = min_u64(units, dispatch_wake(dispatch, gpu));
	if (next == UINT64_MAX)
		return false;
	if (next > clocks_next(gpu->clock, STEPS)) {
		clocks_skip_to(gpu->clock, next);
		clocks_skip_to(gpu->reply_side.clock, next);
	}
	if (gpu->visits.next <= gpu->clock[CLOCK_CORE].cycle && can_go_on(gpu, dispatch, units))
		visits_make_until(gpu, gpu->clock[CLOCK_CORE].cycle);
	return true;
}

/* Makes the visit (a callback from outside between two cycles, gpu/visit.h) after the window, if something happened in
 * the last cycle before it. Otherwise it may be that no event will ever occur. */
static void make_visit(struct gpu *gpu)
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
	return max_u64(end, begin);
}

/* In parallel with the SMs' steps, the reply side takes those steps of the next window for which it already has all
 * inputs. */
static void run_window(struct gpu *gpu, struct dispatch *dispatch, uint64_t begin)
{
	struct window *window = &gpu->window;
	window->end = begin_window(gpu, begin);
	if (window->may_overlap)
		window->overlap_end = limit(gpu, begin, window->end + window->cycles * gpu->clock[CLOCK_CORE].period);
	run_request_side(gpu, dispatch);
	window->overlap_end = 0;
	reply_side_settle(gpu);
}

bool cycle_window(struct gpu *gpu, struct dispatch *dispatch)
{
	if (!skip_to_next(gpu, dispatch))
		return false;
	struct window *window = &gpu->window;
	uint64_t begin = clocks_next(gpu->clock, STEPS);
	note_waiting_blocks(gpu, dispatch);
	window->end = begin;
	if (window->may_be_long)
		run_window(gpu, dispatch, begin);
	else
		take_step(gpu, dispatch, begin);
	if (gpu->clock[CLOCK_CORE].cycle >= gpu->visits.next)
		make_visit(gpu);
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
	bool apart = gpu->window.may_be_long;
	if (!apart)
		worker_sms_take_back(gpu);
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

void cycle_begin(struct gpu *gpu, const struct cycle_start *with)
{
	gpu->last_ticked = gpu->reply_side.last_ticked = 0;
	for (uint32_t w = 0; w < gpu->workers.count; w++)
		gpu->worker_sms[w].last_ticked = 0;
	gpu->window = (struct window){.may_be_long = may_be_long(gpu, with),
	                              .may_overlap = with->may_overlap,
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
	uint64_t end = max_u64(clock_from(core, last_tick(gpu)), start) + 1;
	clocks_set(gpu->clock, end * core->period);
	clocks_set(gpu->reply_side.clock, end * core->period);
	gpu->now = (end - 1) * core->period;
	return end;
}
