#include "memory/memory_snapshot.h"

#define OWN(type, member) SNAPSHOT_OWN(struct type, member)

/* --- caches --- */

void tags_snapshot(struct tags *tags, struct snapshot *snapshot)
{
	static const struct snapshot_own own[] = {OWN(tags, line), OWN(tags, bucket), OWN(tags, chain),
	                                          OWN(tags, place), OWN(tags, free)};
	snapshot_all_but(snapshot, tags, own);
	snapshot_array(snapshot, tags->line, tags->lines, sizeof *tags->line);
	snapshot_array(snapshot, tags->bucket, (size_t)1 << (64 - tags->bucket_shift), sizeof *tags->bucket);
	snapshot_array(snapshot, tags->chain, tags->lines, sizeof *tags->chain);
	snapshot_array(snapshot, tags->place, (size_t)tags->lines + tags->sets, sizeof *tags->place);
	snapshot_array(snapshot, tags->free, (size_t)tags->sets * tags->free_words, sizeof *tags->free);
}

/* All registers are free. The order in which they are taken next is state. */
static void mshrs_snapshot(struct mshr_file *file, struct snapshot *snapshot)
{
	static const struct snapshot_own own[] = {OWN(mshr_file, mshr), OWN(mshr_file, free_mshr),
	                                          OWN(mshr_file, ready)};
	assert(file->free == file->count && !file->ready_count);
	snapshot_all_but(snapshot, file, own);
	snapshot_array(snapshot, file->free_mshr, file->count, sizeof *file->free_mshr);
}

static void watch_snapshot(struct cache_watch *watch, const struct tags *tags, struct snapshot *snapshot)
{
	snapshot_array(snapshot, watch->record, tags->lines, sizeof *watch->record);
	snapshot_array(snapshot, watch->data, tags->lines, sizeof *watch->data);
	snapshot_value(snapshot, watch->found);
}

/* The prefetch account is empty: a kernel's end reports all prefetched lines. */
void cache_snapshot(struct cache *cache, struct snapshot *snapshot)
{
	static const struct snapshot_own own[] = {OWN(cache, tags),  OWN(cache, mshrs),      OWN(cache, account),
	                                          OWN(cache, watch), OWN(cache, miss_queue), OWN(cache, pool),
	                                          OWN(cache, map)};
	assert(!cache->miss_queue.count);
	snapshot_all_but(snapshot, cache, own);
	tags_snapshot(&cache->tags, snapshot);
	mshrs_snapshot(&cache->mshrs, snapshot);
	if (cache->watch)
		watch_snapshot(cache->watch, &cache->tags, snapshot);
}

/* --- networks --- */

static void input_snapshot(struct crossbar_input *input, uint32_t slots, struct snapshot *snapshot)
{
	static const struct snapshot_own own[] = {OWN(crossbar_input, port), OWN(crossbar_input, left_at),
	                                          OWN(crossbar_input, packet)};
	assert(port_empty(&input->port) && !input->packets);
	snapshot_all_but(snapshot, input, own);
	snapshot_array(snapshot, input->left_at, slots, sizeof *input->left_at);
}

static void output_snapshot(struct crossbar_output *output, const struct crossbar *crossbar, struct snapshot *snapshot)
{
	static const struct snapshot_own own[] = {OWN(crossbar_output, port), OWN(crossbar_output, asks),
	                                          OWN(crossbar_output, sent_at), OWN(crossbar_output, ejected_at),
	                                          OWN(crossbar_output, arriving)};
	uint32_t slots = crossbar->slot_mask + 1;
	assert(!output->arrivings);
	snapshot_all_but(snapshot, output, own);
	snapshot_array(snapshot, output->asks, crossbar->input_words, sizeof *output->asks);
	snapshot_array(snapshot, output->sent_at, slots, sizeof *output->sent_at);
	snapshot_array(snapshot, output->ejected_at, slots, sizeof *output->ejected_at);
}

void crossbar_snapshot(struct crossbar *crossbar, struct snapshot *snapshot)
{
	static const struct snapshot_own own[] = {
		OWN(crossbar, input),  OWN(crossbar, output), OWN(crossbar, offered), OWN(crossbar, buffered),
		OWN(crossbar, moving), OWN(crossbar, asked),  OWN(crossbar, route),   OWN(crossbar, route_user)};
	snapshot_all_but(snapshot, crossbar, own);
	snapshot_array(snapshot, crossbar->offered, crossbar->input_words, sizeof *crossbar->offered);
	snapshot_array(snapshot, crossbar->buffered, crossbar->input_words, sizeof *crossbar->buffered);
	snapshot_array(snapshot, crossbar->moving, crossbar->output_words, sizeof *crossbar->moving);
	snapshot_array(snapshot, crossbar->asked, crossbar->output_words, sizeof *crossbar->asked);
	for (uint32_t i = 0; i < crossbar->inputs; i++)
		input_snapshot(&crossbar->input[i], crossbar->slot_mask + 1, snapshot);
	for (uint32_t i = 0; i < crossbar->outputs; i++)
		output_snapshot(&crossbar->output[i], crossbar, snapshot);
}

/* --- L2 and DRAM --- */

static void entry_snapshot(struct slice_entry *entry, struct snapshot *snapshot)
{
	static const struct snapshot_own own[] = {OWN(slice_entry, from_network), OWN(slice_entry, pool),
	                                          OWN(slice_entry, delayed), OWN(slice_entry, note)};
	assert(entry->entered == entry->left && port_empty(&entry->from_network));
	snapshot_all_but(snapshot, entry, own);
	snapshot_array(snapshot, entry->note, entry->note_mask + 1, sizeof *entry->note);
}

void slice_snapshot(struct slice *slice, struct snapshot *snapshot)
{
	static const struct snapshot_own own[] = {OWN(slice, pool),      OWN(slice, map),       OWN(slice, entry),
	                                          OWN(slice, replies),   OWN(slice, input),     OWN(slice, reply),
	                                          OWN(slice, cache),     OWN(slice, to_dram),   OWN(slice, from_dram),
	                                          OWN(slice, look),      OWN(slice, packet_in), OWN(slice, packet_out),
	                                          OWN(slice, look_user), OWN(slice, by_pc)};
	assert(!slice->busy && !slice->input.count && !slice->reply.count);
	snapshot_all_but(snapshot, slice, own);
	entry_snapshot(&slice->entry, snapshot);
	cache_snapshot(&slice->cache, snapshot);
}

static void bank_snapshot(struct dram_bank *bank, struct snapshot *snapshot)
{
	static const struct snapshot_own own[] = {OWN(dram_bank, current), OWN(dram_bank, first), OWN(dram_bank, last),
	                                          OWN(dram_bank, group)};
	snapshot_all_but(snapshot, bank, own);
}

void dram_snapshot(struct dram_channel *channel, struct snapshot *snapshot)
{
	static const struct snapshot_own own[] = {
		OWN(dram_channel, from_l2),  OWN(dram_channel, to_l2),    OWN(dram_channel, delay),
		OWN(dram_channel, bank),     OWN(dram_channel, group),    OWN(dram_channel, credits_in_use),
		OWN(dram_channel, transfer), OWN(dram_channel, returned), OWN(dram_channel, pool),
		OWN(dram_channel, watcher),  OWN(dram_channel, seen),     OWN(dram_channel, shown)};
	assert(!channel->pending && !channel->serving && !channel->transfers && !channel->delay.count);
	snapshot_all_but(snapshot, channel, own);
	for (uint32_t b = 0; b < channel->banks; b++)
		bank_snapshot(&channel->bank[b], snapshot);
	snapshot_array(snapshot, channel->group, channel->config.bank_groups, sizeof *channel->group);
	snapshot_array(snapshot, channel->credits_in_use, channel->slices, sizeof *channel->credits_in_use);
}
