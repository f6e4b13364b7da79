#include "gpu/figures.h"

#include "gpu/gpu.h"

static void add_slice(const struct slice *slice, struct mech_partition_figures *figures)
{
	const struct cache *l2 = &slice->cache;
	figures->l2_mshrs = l2->mshrs.count - l2->mshrs.free;
	figures->l2_mshrs_all = l2->mshrs.count;
	figures->l2_miss_queue = l2->miss_queue.count;
	figures->l2_delay = slice->entry.entered - slice->entry.left;
	figures->l2_input = slice->input.count;
	figures->l2_reply = slice->reply.count;
	figures->l2_accesses = l2->stats.accesses;
	figures->l2_misses = l2->stats.misses;
}

static void add_channel(const struct dram_channel *channel, struct mech_partition_figures *figures)
{
	figures->dram_queue = channel->pending;
	figures->dram_queue_all = channel->config.queue;
	figures->dram_coming = channel->delay.count;
	figures->dram_transfers = channel->transfers;
	figures->dram_returned = channel->returned.count;
	figures->dram_data_cycles = channel->stats.data_cycles;
	figures->dram_requests = channel->stats.requests;
	figures->dram_row_hits = channel->stats.row_hits;
	figures->dram_reads = channel->stats.reads;
	figures->dram_writes = channel->stats.writes;
	figures->dram_activates = channel->stats.activates;
}

void figures_of_partition(const void *host, uint32_t slice, struct mech_partition_figures *figures)
{
	const struct gpu *gpu = host;
	add_slice(&gpu->slice[slice], figures);
	add_channel(&gpu->channel[slice / gpu->machine.map.slices_per_channel], figures);
	figures->dram_cycle = gpu->now / gpu->clock[CLOCK_DRAM].period;
}
