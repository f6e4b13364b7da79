#include "gpu/reply_side.h"

#include "gpu/gpu.h"

/* DRAM catches up on its cycles in the steps of the other clocks. */
static const clock_set STEPS = 1u << CLOCK_NETWORK | 1u << CLOCK_L2;

static void ticked(struct gpu *gpu, uint64_t time)
{
	gpu->reply_side.ticked = true;
	gpu->reply_side.last_ticked = max_u64(gpu->reply_side.last_ticked, time);
}

/* Simulates one DRAM cycle, at `time`. Returns the earliest time at which a channel wants to tick again. */
static uint64_t tick_channels_at(struct gpu *gpu, uint64_t cycle, uint64_t time)
{
	uint64_t l2_cycle = gpu->reply_side.clock[CLOCK_L2].cycle, first = UINT64_MAX;
	const struct dram_channel *end = gpu->channel + gpu->machine.map.channels;
	bool any = false;
	for (struct dram_channel *channel = gpu->channel; channel < end; channel++) {
		if (channel->wake <= time) {
			dram_tick(channel, cycle, l2_cycle, time);
			any = true;
		}
		first = min_u64(first, channel->wake);
	}
	if (any)
		ticked(gpu, time);
	return first;
}

/* Simulates all cycles up to the step in which a channel wants to tick. Channels interact only with their slices,
 * which tick only in steps. */
static void tick_channels(struct gpu *gpu, uint64_t now)
{
	struct clock *clock = &gpu->reply_side.clock[CLOCK_DRAM];
	while (clock_time(clock) <= now) {
		uint64_t time = clock_time(clock), first = tick_channels_at(gpu, clock->cycle, time);
		if (first <= time + clock->period)
			clock->cycle++;
		else
			clock->cycle = clock_from(clock, min_u64(first, now + 1));
	}
}

static void tick_slices(struct gpu *gpu, uint64_t now)
{
	uint64_t cycle = gpu->reply_side.clock[CLOCK_L2].cycle;
	const struct slice *end = gpu->slice + gpu->slices;
	bool any = false;
	for (struct slice *slice = gpu->slice; slice < end; slice++)
		if (slice->wake <= now) {
			slice_tick(slice, cycle, now);
			if (!slice->entry.apart)
				gpu->window.next_entry = min_u64(gpu->window.next_entry, slice->entry.wake);
			any = true;
		}
	if (any)
		ticked(gpu, now);
}

static void tick_network(struct gpu *gpu, uint64_t now)
{
	if (gpu->to_sms.wake > now)
		return;
	uint64_t packets = gpu->to_sms.stats.packets;
	crossbar_tick(&gpu->to_sms, gpu->reply_side.clock[CLOCK_NETWORK].cycle, now);
	ticked(gpu, now);
	if (gpu->to_sms.stats.packets != packets) /* an SM has received one */
		gpu->reply_side.next_sm = min_u64(gpu->reply_side.next_sm, now + 1);
}

static void tick_reply_side(struct gpu *gpu, uint64_t now)
{
	struct clock *clock = gpu->reply_side.clock;
	gpu->reply_side.ticked = false;
	if (UNLIKELY(gpu->seam->count > 0)) /* mechanisms' accounts are in core cycles */
		clock[CLOCK_CORE].cycle = clock_from(&clock[CLOCK_CORE], now);
	if (clock[CLOCK_NETWORK].due)
		tick_network(gpu, now);
	tick_channels(gpu, now);
	if (clock[CLOCK_L2].due)
		tick_slices(gpu, now);
}

static uint64_t first_wake(const struct gpu *gpu)
{
	uint64_t first = gpu->to_sms.wake;
	for (uint32_t i = 0; i < gpu->slices; i++)
		first = min_u64(first, gpu->slice[i].wake);
	for (uint32_t i = 0; i < gpu->machine.map.channels; i++)
		first = min_u64(first, gpu->channel[i].wake);
	return first;
}

void reply_side_read_entry(struct gpu *gpu, struct slice *slice)
{
	slice_look_at_entry(slice);
	gpu->reply_side.wake = min_u64(gpu->reply_side.wake, slice->wake);
}

void reply_side_read_entries(struct gpu *gpu)
{
	if (!gpu->window.has_entries)
		return;
	gpu->window.has_entries = false;
	for (uint32_t i = 0; i < gpu->slices; i++)
		reply_side_read_entry(gpu, &gpu->slice[i]);
}

void reply_side_run(struct gpu *gpu, uint64_t until)
{
	struct reply_side *reply_side = &gpu->reply_side;
	for (uint64_t now; (now = clocks_next(reply_side->clock, STEPS)) < until;) {
		if (reply_side->wake > now) {
			clocks_skip_to(reply_side->clock, min_u64(reply_side->wake, until));
			continue;
		}
		clocks_begin_step(reply_side->clock, STEPS, now);
		tick_reply_side(gpu, now);
		clocks_end_step(reply_side->clock, STEPS);
		reply_side->wake = reply_side->ticked ? now + 1 : first_wake(gpu);
	}
}

/* The number of cycles for which the reply crossbar can send each SM a flit, or a packet, whatever the SMs take. */
static uint64_t cycles_with_room(const struct gpu *gpu, uint64_t now)
{
	uint64_t least = UINT64_MAX;
	for (uint32_t i = 0; i < gpu->ports; i++) {
		const struct crossbar_output *output = &gpu->to_sms.output[i];
		least = min_u64(least, port_room(output->port, now) - output->arrived);
	}
	return least;
}

/* The time before which this is guaranteed. */
static uint64_t end_of_room(const struct gpu *gpu)
{
	const struct clock *network = &gpu->reply_side.clock[CLOCK_NETWORK];
	uint64_t first =
		max_u64(network->cycle, gpu->reply_side.wake / network->period); /* it does nothing before that */
	uint64_t end = first + cycles_with_room(gpu, clock_time(network));
	return end <= UINT64_MAX / network->period ? end * network->period : UINT64_MAX;
}

/* A few replies use only a small part of the guaranteed space, so the rest extends the limit. */
uint64_t reply_side_run_ahead(struct gpu *gpu, uint64_t until)
{
	uint64_t end;
	while ((end = min_u64(until, end_of_room(gpu))) > clocks_next(gpu->reply_side.clock, STEPS))
		reply_side_run(gpu, end);
	return end;
}

uint64_t reply_side_limit(const struct gpu *gpu, uint64_t begin)
{
	const struct clock *l2 = &gpu->clock[CLOCK_L2];
	return (clock_from(l2, begin) + gpu->machine.slice.delay) * l2->period;
}

uint64_t reply_side_next(struct gpu *gpu)
{
	reply_side_read_entries(gpu);
	return gpu->reply_side.wake;
}

void reply_side_publish(struct gpu *gpu)
{
	struct reply_side *reply_side = &gpu->reply_side;
	gpu->window.next_sm = min_u64(gpu->window.next_sm, reply_side->next_sm);
	reply_side->next_sm = UINT64_MAX;
	if (!gpu->window.may_be_long)
		return;
	outbox_deliver(&reply_side->outbox);
	for (struct slice *slice = gpu->slice; slice < gpu->slice + gpu->slices; slice++) {
		slice_entry_tell(&slice->entry, gpu->now + 1);
		gpu->window.next_entry = min_u64(gpu->window.next_entry, slice->entry.wake);
	}
}

void reply_side_settle(struct gpu *gpu)
{
	uint64_t cycle = min_u64(gpu->clock[CLOCK_L2].cycle, gpu->reply_side.clock[CLOCK_L2].cycle);
	for (struct slice *slice = gpu->slice; slice < gpu->slice + gpu->slices; slice++)
		if (slice->entry.read != slice->entry.told)
			slice_entry_settle(slice, max_u64(cycle, slice->entry.settled));
	for (uint32_t i = 0; i < gpu->ports; i++)
		port_settle(gpu->to_sms.output[i].port);
}
