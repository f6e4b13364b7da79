#include "gpu/wiring.h"

#include "gpu/partition_counts.h"
#include "gpu/gpu.h"

static uint32_t route_to_slice(const void *user, const struct request *request)
{
	(void)user;
	return request->slice;
}

static uint32_t route_to_sm(const void *user, const struct request *request)
{
	(void)user;
	return request->sm;
}

static uint32_t route_to_cluster(const void *user, const struct request *request)
{
	const struct cluster_config *cluster = user;
	return request->sm / cluster->sms;
}

/* The ports of an SM, or of a cluster, to both networks. */
struct ends {
	uint32_t number;
	uint64_t *wake;
	struct port *replies;
	struct worker *worker;
};

static void wire_ends(struct gpu *gpu, const struct ends *ends)
{
	struct port *out = &gpu->to_slices.input[ends->number].port;
	out->producer_wake = ends->wake;
	worker_join(out, ends->worker);
	port_open(ends->replies, &gpu->arena, gpu->machine.network.boundary_flits, ends->wake);
	gpu->to_sms.output[ends->number].port = ends->replies;
}

/* The only place where units are connected to each other, by their ports. */
static void wire_sms(struct gpu *gpu)
{
	for (uint32_t i = 0; i < gpu->machine.sms; i++) {
		struct network_port *network = &gpu->sm[i].network;
		network->requests = &gpu->to_slices;
		network->input = i / gpu->machine.cluster.sms;
		if (!gpu->clusters)
			wire_ends(gpu, &(struct ends){i, &gpu->sm[i].wake, &network->replies, worker_of_sm(gpu, i)});
	}
}

/* With zero-latency memory, replies go directly into the SMs' own queues, as if there were no clusters. */
static void wire_clusters(struct gpu *gpu)
{
	const struct cluster_config *config = &gpu->machine.cluster;
	uint32_t room = gpu->machine.sm.zero_latency_memory ? gpu->machine.network.boundary_flits : config->own_replies;
	for (uint32_t c = 0; c < gpu->clusters; c++) {
		struct cluster *cluster = &gpu->cluster[c];
		uint32_t first = c * config->sms;
		cluster_open(cluster, config, &gpu->sm[first], &gpu->arena);
		wire_ends(gpu, &(struct ends){c, &cluster->wake, &cluster->from_network, worker_of_sm(gpu, first)});
		for (uint32_t i = first; i < first + config->sms; i++) {
			gpu->sm[i].network.cluster = cluster;
			port_open(&gpu->sm[i].network.replies, &gpu->arena, room, &gpu->sm[i].wake);
		}
	}
}

static void wire_slices(struct gpu *gpu)
{
	const struct machine *machine = &gpu->machine;
	for (uint32_t i = 0; i < gpu->slices; i++) {
		struct slice *slice = &gpu->slice[i];
		struct dram_channel *channel = &gpu->channel[i / machine->map.slices_per_channel];
		struct port *out = &gpu->to_sms.input[i].port;
		uint32_t local = i % machine->map.slices_per_channel;
		struct slice_entry *entry = &slice->entry;
		entry->pool = &gpu->workers.worker->requests;
		port_open(&entry->from_network, &gpu->arena, machine->network.boundary_flits, &entry->wake);
		gpu->to_slices.output[i].port = &entry->from_network;
		slice->replies = &gpu->to_sms;
		out->producer_wake = &slice->wake;
		dram_open_port(channel, local, machine->slice.to_dram_queue, &gpu->arena);
		slice->to_dram = &channel->from_l2[local];
		slice->to_dram->producer_wake = &slice->wake;
		channel->to_l2[local] = &slice->from_dram;
	}
}

/* Connects the dispatcher's inputs of the request network, which follow those of SMs or clusters: one per L2 slice. */
static void wire_sender(struct gpu *gpu)
{
	static const enum crossbar_preference preferences[] = {[MECH_FAIR] = CROSSBAR_FAIR,
	                                                       [MECH_BEFORE_SMS] = CROSSBAR_FIRST,
	                                                       [MECH_AFTER_SMS] = CROSSBAR_LAST,
	                                                       [MECH_ALTERNATE] = CROSSBAR_ALTERNATE};
	const struct seam_gpu *seam = &gpu->seam->gpu;
	if (seam->sends)
		crossbar_prefer(&gpu->to_slices, gpu->ports, gpu->slices, preferences[seam->preference]);
}

static void show_access(void *user, const struct request *request, enum base_access_result result,
                        struct cache_watch *watch, uint64_t cycle)
{
	const struct cache_record found = cache_watch_take_found(watch);
	const struct mech_access access = {.address = request->address,
	                                   .bytes = request->bytes,
	                                   .sm = request->sm,
	                                   .warp = request_warp(request),
	                                   .block = request->block,
	                                   .pc = request_pc(request),
	                                   .kind = request_access(request),
	                                   .local = request_is_local(request),
	                                   .result = result,
	                                   .brought_by = found.sender,
	                                   .first_use = (result == BASE_ACCESS_HIT || result == BASE_ACCESS_MERGED) &&
	                                                !found.was_used,
	                                   .sender = request_sender(request),
	                                   .cycle = cycle};
	seam_call_partition_access(user, &access);
}

static void evicted(void *partition, const struct base_line_eviction *eviction)
{
	seam_call_partition_evict(partition, eviction);
}

static void filled(void *partition, const struct base_line_fill *fill)
{
	seam_call_partition_fill(partition, fill);
}

static void used(void *partition, const struct base_line_use *use)
{
	seam_l2_used(partition, use);
}

static uint32_t victim(void *partition, const struct base_line_set *set)
{
	return seam_l2_victim(partition, set);
}

static void came(void *partition, const struct base_packet *packet)
{
	seam_call_partition_packet_in(partition, packet);
}

static void left(void *partition, const struct base_packet *packet)
{
	seam_call_partition_packet_out(partition, packet);
}

/* Enables prefetching into L2. */
static void wire_account(struct slice *slice, struct seam_partition *partition, struct arena *arena)
{
	const struct base_prefetch_listener listener = seam_listener_of_l2(partition);
	if (seam_sends(partition->seam))
		cache_watch_open(&slice->cache, &listener, arena);
}

/* Connects the looks and choices of mechanisms in a partition. */
static void wire_looks(struct slice *slice, struct seam_partition *partition, struct arena *arena)
{
	const struct mech_partition *owner = partition->replacement;
	const struct cache_watcher watcher = {.user = partition,
	                                      .evicted = partition->partition_evict.count ? evicted : NULL,
	                                      .filled = partition->partition_fill.count ? filled : NULL,
	                                      .used = owner && owner->mech->l2_used ? used : NULL,
	                                      .victim = owner ? victim : NULL};
	if (owner || watcher.evicted || watcher.filled || partition->partition_access.count)
		slice->cache.watch = cache_watch_new(&watcher, &slice->cache.tags, arena);
	slice->look = partition->partition_access.count ? show_access : NULL;
	slice->packet_in = partition->partition_packet_in.count ? came : NULL;
	slice->packet_out = partition->partition_packet_out.count ? left : NULL;
	slice->look_user = partition;
}

static void issued(void *partition, const struct base_dram_issue *issue)
{
	seam_call_partition_command(partition, issue);
}

static uint32_t next_request(void *partition, const struct base_dram_queue *queue)
{
	return seam_dram_next(partition, queue);
}

static void wire_dram_looks(struct dram_channel *channel, struct seam_partition *partition, struct arena *arena)
{
	const struct dram_watcher watcher = {.user = partition,
	                                     .issued = partition->partition_command.count ? issued : NULL,
	                                     .next = partition->scheduler ? next_request : NULL};
	if (watcher.issued || watcher.next)
		dram_watch(channel, &watcher, arena);
}

void wiring_build(struct gpu *gpu)
{
	const struct machine *machine = &gpu->machine;
	uint32_t per_channel = machine->map.slices_per_channel;
	struct request_pool *reply_side = &gpu->workers.worker[gpu->workers.count - 1].requests;
	const struct mech_machine seen = gpu_mech_machine(machine);
	gpu->seam = seam_open(gpu->attached, gpu->attachments, &seen, &gpu->clock[CLOCK_CORE].cycle,
	                      &gpu->reply_side.clock[CLOCK_CORE].cycle);
	gpu->sm = arena_array(&gpu->arena, machine->sms, sizeof *gpu->sm);
	gpu->cluster = arena_array(&gpu->arena, gpu->clusters, sizeof *gpu->cluster);
	gpu->slice = arena_array(&gpu->arena, gpu->slices, sizeof *gpu->slice);
	gpu->channel = arena_array(&gpu->arena, machine->map.channels, sizeof *gpu->channel);
	for (uint32_t i = 0; i < machine->sms; i++) {
		sm_open(&gpu->sm[i], i, machine->sms, &machine->sm, &gpu->seam->sm[i], &machine->map,
		        &worker_of_sm(gpu, i)->requests, gpu->clock[CLOCK_CORE].period);
		if (gpu->keeps_blocks)
			blocks_keep_ended(&gpu->sm[i]);
	}
	crossbar_open(&gpu->to_slices, &machine->network, gpu->ports + (gpu->seam->gpu.sends ? gpu->slices : 0),
	              gpu->slices, route_to_slice, &gpu->arena);
	crossbar_open(&gpu->to_sms, &machine->network, gpu->slices, gpu->ports,
	              gpu->clusters ? route_to_cluster : route_to_sm, &gpu->arena);
	gpu->to_sms.route_user = &machine->cluster;
	for (uint32_t i = 0; i < gpu->slices; i++)
		slice_open(&gpu->slice[i], i, &machine->slice, &machine->l2, &machine->map, reply_side,
		           gpu->clock[CLOCK_L2].period, &gpu->arena);
	for (uint32_t i = 0; i < gpu->slices; i++) {
		struct seam_partition *partition = &gpu->seam->partition[i];
		partition->host = gpu;
		partition->look = partition_counts_read;
		wire_account(&gpu->slice[i], partition, &gpu->arena);
		wire_looks(&gpu->slice[i], partition, &gpu->arena);
	}
	for (uint32_t i = 0; i < machine->map.channels; i++)
		dram_open(&gpu->channel[i], &machine->dram, &machine->map, reply_side, gpu->clock[CLOCK_DRAM].period,
		          gpu->clock[CLOCK_L2].period, &gpu->arena);
	for (uint32_t i = 0; i < machine->map.channels; i++)
		wire_dram_looks(&gpu->channel[i], &gpu->seam->partition[i * per_channel], &gpu->arena);
	wire_sms(gpu);
	wire_clusters(gpu);
	wire_slices(gpu);
	wire_sender(gpu);
	gpu->last_sm = machine->sms - 1;
}

void wiring_tear_down(struct gpu *gpu)
{
	for (uint32_t i = 0; i < gpu->machine.sms; i++)
		sm_close(&gpu->sm[i]);
	seam_close(gpu->seam);
	workers_empty(&gpu->workers);
	arena_free(&gpu->arena);
}
