#include "gpu/partition_counts.h"

#include "gpu/gpu.h"

static void add_slice(const struct slice *slice, struct mech_partition_live_stats *counts)
{
	const struct cache *l2 = &slice->cache;
	counts->l2_mshrs = l2->mshrs.count - l2->mshrs.free;
	counts->l2_mshrs_all = l2->mshrs.count;
	counts->l2_miss_queue = l2->miss_queue.count;
	counts->l2_delay = slice->entry.entered - slice->entry.left;
	counts->l2_input = slice->input.count;
	counts->l2_reply = slice->reply.count;
	counts->l2_accesses = l2->stats.accesses;
	counts->l2_misses = l2->stats.misses;
}

static void add_channel(const struct dram_channel *channel, struct mech_partition_live_stats *counts)
{
	counts->dram_queue = channel->pending;
	counts->dram_queue_all = channel->config.queue;
	counts->dram_coming = channel->delay.count;
	counts->dram_transfers = channel->transfers;
	counts->dram_returned = channel->returned.count;
	counts->dram_data_cycles = channel->stats.data_cycles;
	counts->dram_requests = channel->stats.requests;
	counts->dram_row_hits = channel->stats.row_hits;
	counts->dram_reads = channel->stats.reads;
	counts->dram_writes = channel->stats.writes;
	counts->dram_activates = channel->stats.activates;
}

void partition_counts_read(const void *host, uint32_t slice, struct mech_partition_live_stats *counts)
{
	const struct gpu *gpu = host;
	add_slice(&gpu->slice[slice], counts);
	add_channel(&gpu->channel[slice / gpu->machine.map.slices_per_channel], counts);
	counts->dram_cycle = gpu->now / gpu->clock[CLOCK_DRAM].period;
}
