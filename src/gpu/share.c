#include "gpu/share.h"

#include "gpu/gpu.h"

void share_open(struct gpu *gpu)
{
	const struct workers *workers = &gpu->workers;
	uint32_t per_port = gpu->machine.cluster.sms, channels = gpu->machine.map.channels;
	gpu->share = arena_array(&gpu->host, workers->count, sizeof *gpu->share);
	for (uint32_t w = 0; w < workers->count; w++) {
		struct share *share = &gpu->share[w];
		share->first_sm = workers_share(workers, w, gpu->ports) * per_port;
		share->end_sm = workers_share(workers, w + 1, gpu->ports) * per_port;
		share->first_cluster = workers_share(workers, w, gpu->clusters);
		share->end_cluster = workers_share(workers, w + 1, gpu->clusters);
		share->first_channel = workers_share(workers, w, channels);
		share->end_channel = workers_share(workers, w + 1, channels);
		share->first_slice = share->first_channel * gpu->machine.map.slices_per_channel;
		share->end_slice = share->end_channel * gpu->machine.map.slices_per_channel;
		share->request_network = &workers->worker[w] == share_of_request_network(gpu);
		share->reply_network = &workers->worker[w] == share_of_reply_network(gpu);
	}
	assert(gpu->share[workers->count - 1].end_sm == gpu->machine.sms);
	assert(gpu->share[workers->count - 1].end_slice == gpu->slices);
}

struct worker *share_of_sm(const struct gpu *gpu, uint32_t sm)
{
	uint32_t w = 0;
	while (sm >= gpu->share[w].end_sm)
		w++;
	return &gpu->workers.worker[w];
}

struct worker *share_of_slice(const struct gpu *gpu, uint32_t slice)
{
	uint32_t w = 0;
	while (slice >= gpu->share[w].end_slice)
		w++;
	return &gpu->workers.worker[w];
}

/* The crossbars are with two workers, where there are two. */
struct worker *share_of_request_network(const struct gpu *gpu)
{
	return &gpu->workers.worker[gpu->workers.count - 1];
}

struct worker *share_of_reply_network(const struct gpu *gpu)
{
	return gpu->workers.worker;
}

static void ticked(struct share *share, uint64_t now)
{
	share->ticked = true;
	share->last_ticked = now;
}

/* SMs side by side, one behind the other. */
static void tick_sms(struct gpu *gpu, struct share *share, struct sm *sm, const struct sm *end)
{
	uint64_t cycle = gpu->clock[CLOCK_CORE].cycle, now = gpu->now;
	bool any = false, commits = false, starved = false;
	for (; sm < end; sm++) {
		if (sm->wake > now)
			continue;
		sm_tick(sm, cycle, now);
		any = true;
		commits |= sm->commits;
		starved |= sm_has_room(sm);
	}
	share->commits |= commits;
	share->starved |= starved;
	if (any)
		ticked(share, now);
}

/* Its SMs tick behind its port, in the order in which they may use it: from the one whose turn it is to the last, then the others. */
static void tick_cluster(struct gpu *gpu, struct share *share, struct cluster *cluster)
{
	if (cluster->wake <= gpu->now) {
		cluster_tick(cluster, gpu->now);
		ticked(share, gpu->now);
	}
	cluster_new_cycle(cluster, gpu->clock[CLOCK_CORE].cycle);
	struct sm *turn = cluster->sm + cluster->turn;
	tick_sms(gpu, share, turn, cluster->sm + cluster->config.sms);
	tick_sms(gpu, share, cluster->sm, turn);
}

void share_tick_sms(struct gpu *gpu, struct share *share)
{
	if (!gpu->clusters)
		tick_sms(gpu, share, &gpu->sm[share->first_sm], &gpu->sm[share->end_sm]);
	for (uint32_t i = share->first_cluster; i < share->end_cluster; i++)
		tick_cluster(gpu, share, &gpu->cluster[i]);
}

static void tick_network(struct gpu *gpu, struct share *share, struct crossbar *crossbar)
{
	if (crossbar->wake > gpu->now)
		return;
	crossbar_tick(crossbar, gpu->clock[CLOCK_NETWORK].cycle, gpu->now);
	ticked(share, gpu->now);
}

void share_tick_networks(struct gpu *gpu, struct share *share)
{
	if (share->request_network)
		tick_network(gpu, share, &gpu->to_slices);
	if (share->reply_network)
		tick_network(gpu, share, &gpu->to_sms);
}

/* One DRAM cycle, at `time`. Returns the earliest time at which a channel wants to tick again. */
static uint64_t tick_channels_at(struct gpu *gpu, struct share *share, uint64_t cycle, uint64_t time)
{
	struct dram_channel *channel = &gpu->channel[share->first_channel];
	const struct dram_channel *end = &gpu->channel[share->end_channel];
	uint64_t l2_cycle = gpu->clock[CLOCK_L2].cycle, first = UINT64_MAX;
	bool any = false;
	for (; channel < end; channel++) {
		if (channel->wake <= time) {
			dram_tick(channel, cycle, l2_cycle, time);
			any = true;
		}
		first = channel->wake < first ? channel->wake : first;
	}
	if (any)
		ticked(share, time);
	return first;
}

/* All cycles up to the step in which a channel wants to. Channels meet nobody but their slices, which tick in steps only. */
void share_tick_channels(struct gpu *gpu, struct share *share)
{
	uint64_t period = gpu->clock[CLOCK_DRAM].period, cycle = gpu->clock[CLOCK_DRAM].cycle;
	while (cycle * period <= gpu->now) {
		uint64_t time = cycle * period, first = tick_channels_at(gpu, share, cycle, time);
		if (first > gpu->now)
			return;
		cycle = first <= time + period ? cycle + 1 : (first + period - 1) / period;
	}
}

void share_tick_slices(struct gpu *gpu, struct share *share)
{
	struct slice *slice = &gpu->slice[share->first_slice];
	const struct slice *end = &gpu->slice[share->end_slice];
	uint64_t cycle = gpu->clock[CLOCK_L2].cycle, now = gpu->now;
	bool any = false;
	for (; slice < end; slice++)
		if (slice->wake <= now) {
			slice_tick(slice, cycle, now);
			any = true;
		}
	if (any)
		ticked(share, now);
}

uint64_t share_wake_of_sms(const struct gpu *gpu, const struct share *share)
{
	uint64_t first = UINT64_MAX;
	for (uint32_t i = share->first_sm; i < share->end_sm; i++)
		first = earlier(first, gpu->sm[i].wake);
	for (uint32_t i = share->first_cluster; i < share->end_cluster; i++)
		first = earlier(first, gpu->cluster[i].wake);
	return first;
}

uint64_t share_wake_of_networks(const struct gpu *gpu, const struct share *share)
{
	uint64_t requests = share->request_network ? gpu->to_slices.wake : UINT64_MAX;
	return share->reply_network ? earlier(requests, gpu->to_sms.wake) : requests;
}

uint64_t share_wake_of_channels(const struct gpu *gpu, const struct share *share)
{
	uint64_t first = UINT64_MAX;
	for (uint32_t i = share->first_channel; i < share->end_channel; i++)
		first = earlier(first, gpu->channel[i].wake);
	return first;
}

uint64_t share_wake_of_slices(const struct gpu *gpu, const struct share *share)
{
	uint64_t first = UINT64_MAX;
	for (uint32_t i = share->first_slice; i < share->end_slice; i++)
		first = earlier(first, gpu->slice[i].wake);
	return first;
}
