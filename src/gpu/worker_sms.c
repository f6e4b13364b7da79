#include "gpu/worker_sms.h"

#include "gpu/gpu.h"

void worker_sms_open(struct gpu *gpu)
{
	const struct workers *workers = &gpu->workers;
	uint32_t per_port = gpu->machine.cluster.sms;
	gpu->worker_sms = arena_array(&gpu->host, workers->count, sizeof *gpu->worker_sms);
	for (uint32_t w = 0; w < workers->count; w++) {
		struct worker_sms *own = &gpu->worker_sms[w];
		own->first_sm = workers_share(workers, w, gpu->ports) * per_port;
		own->end_sm = workers_share(workers, w + 1, gpu->ports) * per_port;
		own->first_cluster = workers_share(workers, w, gpu->clusters);
		own->end_cluster = workers_share(workers, w + 1, gpu->clusters);
	}
	assert(gpu->worker_sms[workers->count - 1].end_sm == gpu->machine.sms);
}

struct worker *worker_of_sm(const struct gpu *gpu, uint32_t sm)
{
	uint32_t w = 0;
	while (sm >= gpu->worker_sms[w].end_sm)
		w++;
	return &gpu->workers.worker[w];
}

/* Records the work that an SM's tick at `now` leaves for other units at that time. */
static void record_tick(const struct gpu *gpu, struct worker_sms *own, const struct sm *sm, uint64_t now)
{
	own->last_ticked = max_u64(own->last_ticked, now);
	own->ticks++;
	if (sm->commits)
		own->next_commit = min_u64(own->next_commit, now);
	if (window_has_room(&gpu->window, sm))
		own->next_room = min_u64(own->next_room, now);
}

/* True when its next tick depends on no other unit before the window's end. It has made no stores that others must
 * see, and the dispatcher has no block for it. No mechanism keeps it in step, and it has not stopped before a load
 * of data that others may store. The network has space for everything that it may send, even if nothing leaves the
 * network. */
static bool can_run_ahead(const struct gpu *gpu, const struct sm *sm)
{
	return gpu->window.may_be_long && !sm->stopped && !sm->commits && !sm->fault.what &&
	       !seam_is_kept_in_step(sm->seam) && !window_has_room(&gpu->window, sm) && network_port_suffices(sm);
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
	if (network->refused != network->is_woken_by_room)
		network_port_ask_for_room(network, network->refused ? &sm->wake : NULL);
}

/* Simulates all its cycles up to the window's end, while it can run ahead. */
static void burst(const struct gpu *gpu, struct worker_sms *own, struct sm *sm)
{
	uint64_t cycle = gpu->clock[CLOCK_CORE].cycle, now = gpu->now, end = gpu->window.end;
	assert(sm->now <= now); /* nothing wakes an SM in a cycle that it has passed */
	while (now <= end) {
		uint64_t coming = port_arrive(&sm->network.replies, now);
		sm->is_ahead = now > gpu->now;
		sm_tick(sm, cycle, now);
		sm_wake_at(sm, coming);
		record_tick(gpu, own, sm, now);
		if (sm->wake > end || !can_run_ahead(gpu, sm))
			break;
		cycle = cycle_from(sm->wake, cycle, sm->period);
		now = cycle * sm->period;
	}
	ask_for_room(sm);
}

/* Records when the SM wants to tick next. */
static void record_wake(struct worker_sms *own, const struct sm *sm)
{
	own->next = min_u64(own->next, sm->wake);
	own->waits_for_network |= network_port_has_refused(&sm->network);
}

/* Runs SMs that have their own ports, each as far ahead as possible. */
static void run_own_sms(const struct gpu *gpu, struct worker_sms *own)
{
	const struct sm *end = gpu->sm + own->end_sm;
	uint64_t now = gpu->now;
	for (struct sm *sm = gpu->sm + own->first_sm; sm < end; sm++) {
		if (sm->wake <= now)
			burst(gpu, own, sm);
		record_wake(own, sm);
	}
}

/* Assigns the SM to this worker. */
static void assign_sm(const struct gpu *gpu, struct sm *sm, struct worker *worker)
{
	if (sm->requests == &worker->requests)
		return;
	sm_use_pool(sm, &worker->requests);
	worker_join(&gpu->to_slices.input[sm->network.input].port, worker);
}

void worker_sms_take_back(const struct gpu *gpu)
{
	for (uint32_t w = 0; w < gpu->workers.count; w++)
		for (uint32_t i = gpu->worker_sms[w].first_sm; i < gpu->worker_sms[w].end_sm; i++)
			assign_sm(gpu, &gpu->sm[i], &gpu->workers.worker[w]);
}

void worker_sms_offer(struct gpu *gpu)
{
	for (uint32_t w = 0; w < gpu->workers.count; w++)
		gpu->worker_sms[w].claimed = gpu->worker_sms[w].first_sm;
}

/* Runs the worker's own SMs. In a long enough window it then claims SMs that other workers have not reached, because
 * run times are not known in advance. Moving an SM's state to another core's caches costs about the time of one of
 * its cycles. */
static void claim_sms(const struct gpu *gpu, struct worker_sms *own, uint32_t worker)
{
	bool is_long = gpu->window.end >= gpu->now + 4 * gpu->clock[CLOCK_CORE].period;
	for (uint32_t k = 0; k < (is_long ? gpu->workers.count : 1); k++) {
		struct worker_sms *of = &gpu->worker_sms[(worker + k) % gpu->workers.count];
		for (;;) {
			uint32_t i = atomic_fetch_add_explicit(&of->claimed, 1, memory_order_relaxed);
			if (i >= of->end_sm)
				break;
			struct sm *sm = &gpu->sm[i];
			if (sm->wake <= gpu->now) {
				assign_sm(gpu, sm, &gpu->workers.worker[worker]);
				burst(gpu, own, sm);
			}
			record_wake(own, sm);
		}
	}
}

/* Ticks SMs that do not run ahead. */
static void tick_sms(const struct gpu *gpu, struct worker_sms *own, struct sm *sm, const struct sm *end)
{
	uint64_t cycle = gpu->clock[CLOCK_CORE].cycle, now = gpu->now, next = own->next;
	for (; sm < end; sm++) {
		if (sm->wake <= now) {
			sm_tick(sm, cycle, now);
			record_tick(gpu, own, sm, now);
		}
		next = min_u64(next, sm->wake);
	}
	own->next = next;
}

/* Ticks the cluster's SMs after its port, in the order in which they may use it: from the one whose turn it is to
 * the last, then the others. */
static void tick_cluster(const struct gpu *gpu, struct worker_sms *own, struct cluster *cluster)
{
	if (cluster->wake <= gpu->now) {
		cluster_tick(cluster, gpu->now);
		own->last_ticked = max_u64(own->last_ticked, gpu->now);
	}
	cluster_new_cycle(cluster, gpu->clock[CLOCK_CORE].cycle);
	struct sm *turn = cluster->sm + cluster->turn, *end = cluster->sm + cluster->config.sms;
	tick_sms(gpu, own, turn, end);
	tick_sms(gpu, own, cluster->sm, turn);
	own->next = min_u64(own->next, cluster->wake);
}

void worker_sms_run(void *machine, uint32_t worker)
{
	struct gpu *gpu = machine;
	struct worker_sms *own = &gpu->worker_sms[worker];
	if (gpu->window.overlap_end && worker == gpu->workers.count - 1)
		reply_side_run_ahead(gpu, gpu->window.overlap_end);
	own->next = own->next_commit = own->next_room = UINT64_MAX;
	own->waits_for_network = !gpu->window.may_be_long;
	if (gpu->window.workers_claim_sms)
		claim_sms(gpu, own, worker);
	else if (gpu->window.may_be_long)
		run_own_sms(gpu, own);
	else if (!gpu->clusters)
		tick_sms(gpu, own, &gpu->sm[own->first_sm], &gpu->sm[own->end_sm]);
	for (uint32_t i = own->first_cluster; i < own->end_cluster; i++)
		tick_cluster(gpu, own, &gpu->cluster[i]);
}
