#include "gpu/share.h"

#include "gpu/gpu.h"

void share_open(struct gpu *gpu)
{
	const struct workers *workers = &gpu->workers;
	uint32_t per_port = gpu->machine.cluster.sms;
	gpu->share = arena_array(&gpu->host, workers->count, sizeof *gpu->share);
	for (uint32_t w = 0; w < workers->count; w++) {
		struct share *share = &gpu->share[w];
		share->first_sm = workers_share(workers, w, gpu->ports) * per_port;
		share->end_sm = workers_share(workers, w + 1, gpu->ports) * per_port;
		share->first_cluster = workers_share(workers, w, gpu->clusters);
		share->end_cluster = workers_share(workers, w + 1, gpu->clusters);
	}
	assert(gpu->share[workers->count - 1].end_sm == gpu->machine.sms);
}

struct worker *share_of_sm(const struct gpu *gpu, uint32_t sm)
{
	uint32_t w = 0;
	while (sm >= gpu->share[w].end_sm)
		w++;
	return &gpu->workers.worker[w];
}

/* Records the work that an SM's tick at `now` leaves for other units at that time. */
static void tell(const struct gpu *gpu, struct share *share, const struct sm *sm, uint64_t now)
{
	share->last_ticked = later(share->last_ticked, now);
	share->ticks++;
	if (sm->commits)
		share->next_commit = earlier(share->next_commit, now);
	if (gpu->window.blocks_wait && sm_has_room(sm))
		share->next_room = earlier(share->next_room, now);
}

/* True when its next tick depends on no other unit before the window's end. It has made no stores that others must
 * see, and the dispatcher has no block for it. No mechanism keeps it in step, and it has not stopped before a load
 * of data that others may store. The network has space for everything that it may send, even if nothing leaves the
 * network. */
static bool can_go_alone(const struct gpu *gpu, const struct sm *sm)
{
	return gpu->window.may_open && !sm->stopped && !sm->commits && !sm->fault.what &&
	       !seam_is_kept_in_step(sm->seam) && !(gpu->window.blocks_wait && sm_has_room(sm)) &&
	       network_port_suffices(sm);
}

/* The first core cycle at or after `time` that is later than `cycle`. */
static uint64_t cycle_from(uint64_t time, uint64_t cycle, uint64_t period)
{
	return time <= (cycle + 1) * period ? cycle + 1 : (time + period - 1) / period;
}

/* Freed network space wakes the SM only while it waits for it. Otherwise the wake could be in a cycle that it has
 * passed. */
static void ask_for_room(struct sm *sm)
{
	struct network_port *network = &sm->network;
	if (network->refused != network->asks)
		network_port_ask_for_room(network, network->refused ? &sm->wake : NULL);
}

/* Simulates all its cycles up to the window's end, while it can run ahead. */
static void burst(const struct gpu *gpu, struct share *share, struct sm *sm)
{
	uint64_t cycle = gpu->clock[CLOCK_CORE].cycle, now = gpu->now, end = gpu->window.end;
	while (now <= end) {
		uint64_t coming = port_arrive(&sm->network.replies, now);
		sm->is_ahead = now > gpu->now;
		sm_tick(sm, cycle, now);
		sm_wake_at(sm, coming);
		tell(gpu, share, sm, now);
		if (sm->wake > end || !can_go_alone(gpu, sm))
			break;
		cycle = cycle_from(sm->wake, cycle, sm->period);
		now = cycle * sm->period;
	}
	ask_for_room(sm);
}

static void tell_of_all(struct share *share, const struct sm *sm)
{
	share->next = earlier(share->next, sm->wake);
	share->waits |= network_port_has_refused(&sm->network);
}

/* Runs SMs that have their own ports, each as far ahead as possible. */
static void run_sms(const struct gpu *gpu, struct share *share)
{
	const struct sm *end = gpu->sm + share->end_sm;
	uint64_t now = gpu->now;
	for (struct sm *sm = gpu->sm + share->first_sm; sm < end; sm++) {
		if (sm->wake <= now)
			burst(gpu, share, sm);
		tell_of_all(share, sm);
	}
}

/* Assigns the SM to this worker. */
static void take(const struct gpu *gpu, struct sm *sm, struct worker *worker)
{
	if (sm->requests == &worker->requests)
		return;
	sm_use_pool(sm, &worker->requests);
	worker_join(&gpu->to_slices.input[sm->network.input].port, worker);
}

void share_offer(struct gpu *gpu)
{
	for (uint32_t w = 0; w < gpu->workers.count; w++)
		gpu->share[w].claimed = gpu->share[w].first_sm;
}

/* Runs the worker's own SMs. In a long enough window it then claims SMs that other workers have not reached, because
 * run times are not known in advance. Moving an SM's state to another core's caches costs about the time of one of
 * its cycles. */
static void claim_sms(const struct gpu *gpu, struct share *share, uint32_t worker)
{
	bool is_long = gpu->window.end >= gpu->now + 4 * gpu->clock[CLOCK_CORE].period;
	for (uint32_t k = 0; k < (is_long ? gpu->workers.count : 1); k++) {
		struct share *of = &gpu->share[(worker + k) % gpu->workers.count];
		for (;;) {
			uint32_t i = atomic_fetch_add_explicit(&of->claimed, 1, memory_order_relaxed);
			if (i >= of->end_sm)
				break;
			struct sm *sm = &gpu->sm[i];
			if (sm->wake <= gpu->now) {
				take(gpu, sm, &gpu->workers.worker[worker]);
				burst(gpu, share, sm);
			}
			tell_of_all(share, sm);
		}
	}
}

/* Ticks SMs that do not run ahead. */
static void tick_sms(const struct gpu *gpu, struct share *share, struct sm *sm, const struct sm *end)
{
	uint64_t cycle = gpu->clock[CLOCK_CORE].cycle, now = gpu->now, next = share->next;
	for (; sm < end; sm++) {
		if (sm->wake <= now) {
			sm_tick(sm, cycle, now);
			tell(gpu, share, sm, now);
		}
		next = earlier(next, sm->wake);
	}
	share->next = next;
}

/* Ticks the cluster's SMs after its port, in the order in which they may use it: from the one whose turn it is to
 * the last, then the others. */
static void tick_cluster(const struct gpu *gpu, struct share *share, struct cluster *cluster)
{
	if (cluster->wake <= gpu->now) {
		cluster_tick(cluster, gpu->now);
		share->last_ticked = later(share->last_ticked, gpu->now);
	}
	cluster_new_cycle(cluster, gpu->clock[CLOCK_CORE].cycle);
	struct sm *turn = cluster->sm + cluster->turn, *end = cluster->sm + cluster->config.sms;
	tick_sms(gpu, share, turn, end);
	tick_sms(gpu, share, cluster->sm, turn);
	share->next = earlier(share->next, cluster->wake);
}

void share_run(void *machine, uint32_t worker)
{
	struct gpu *gpu = machine;
	struct share *share = &gpu->share[worker];
	if (gpu->window.ahead && worker == gpu->workers.count - 1)
		answering_run_ahead(gpu, gpu->window.ahead);
	share->next = share->next_commit = share->next_room = UINT64_MAX;
	share->waits = !gpu->window.may_open;
	if (gpu->window.claims)
		claim_sms(gpu, share, worker);
	else if (gpu->window.may_open)
		run_sms(gpu, share);
	else if (!gpu->clusters)
		tick_sms(gpu, share, &gpu->sm[share->first_sm], &gpu->sm[share->end_sm]);
	for (uint32_t i = share->first_cluster; i < share->end_cluster; i++)
		tick_cluster(gpu, share, &gpu->cluster[i]);
}
