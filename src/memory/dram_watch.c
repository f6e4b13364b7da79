/* dram_watch: shows a channel's commands and queue to observers and to the mechanism that chooses the next request. */
#include "memory/dram.h"

void dram_watch(struct dram_channel *channel, const struct dram_watcher *watcher, struct arena *arena)
{
	channel->watcher = *watcher;
	channel->seen = arena_array(arena, channel->config.queue, sizeof *channel->seen);
	channel->shown = arena_array(arena, channel->config.queue, sizeof *channel->shown);
}

void dram_watch_issued(const struct dram_channel *channel, enum base_dram_command command, uint32_t bank,
                       const struct request *request, uint64_t cycle)
{
	const struct base_dram_issue issue = {.command = command,
	                                      .bank = bank,
	                                      .row = channel->bank[bank].open_row,
	                                      .address = request->address,
	                                      .cycle = cycle};
	channel->watcher.issued(channel->watcher.user, &issue);
}

/* Inserts a request into the shown ones, in order of arrival. In the scheduler's queue `ready` is the arrival
 * number. */
static void show(struct dram_channel *channel, struct request *request, uint32_t count)
{
	const struct dram_bank *bank = &channel->bank[request->bank];
	for (; count && channel->shown[count - 1]->ready > request->ready; count--) {
		channel->shown[count] = channel->shown[count - 1];
		channel->seen[count] = channel->seen[count - 1];
	}
	channel->shown[count] = request;
	channel->seen[count] = (struct base_dram_waiting){.address = request->address,
	                                                  .arrival = request->ready,
	                                                  .bank = request->bank,
	                                                  .row = request->row,
	                                                  .is_write = request->is_write,
	                                                  .urgent = request->urgent,
	                                                  .row_is_open = bank->active && bank->open_row == request->row,
	                                                  .sm = request->sm,
	                                                  .pc = request_pc(request)};
}

struct request *dram_watch_next(struct dram_channel *channel)
{
	uint32_t count = 0;
	for (uint64_t left = channel->waiting & ~channel->serving; left; left &= left - 1)
		for (struct request *r = channel->bank[__builtin_ctzll(left)].first; r; r = r->next)
			show(channel, r, count++);
	const struct base_dram_queue queue = {.waiting = channel->seen, .count = count, .cycle = channel->last_cycle};
	uint32_t next = channel->watcher.next(channel->watcher.user, &queue);
	assert(next < count || next == UINT32_MAX);
	return next < count ? channel->shown[next] : NULL;
}
