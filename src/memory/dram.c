#include "memory/dram.h"

const struct base_counter dram_counters[] = {
#define X(name, unit, meaning)                                                                                         \
	{#name, unit, BASE_SCOPE_CHANNEL, offsetof(struct dram_stats, name), meaning, BASE_COMBINE_SUM},
	DRAM_COUNTERS(X)
#undef X
};
const size_t dram_counter_count = sizeof dram_counters / sizeof dram_counters[0];

void dram_open(struct dram_channel *channel, const struct dram_config *config, const struct address_map *map,
               struct request_pool *pool, uint64_t period, uint64_t l2_period, struct arena *arena)
{
	uint32_t slices = map->slices_per_channel, banks = map->banks;
	/* Credits limit the requests between the slices' ports and the return queue. Each slice has one
	 * private credit, which guarantees its progress. The other credits are shared (GPGPU-Sim:
	 * memory_partition_unit::arbitration_metadata). */
	uint32_t credits = config->queue + config->return_queue - (slices - 1);
	*channel = (struct dram_channel){
		.config = *config, .slices = slices, .banks = banks, .pool = pool, .wake = UINT64_MAX};
	channel->delay_until = channel->transfer_at = UINT64_MAX;
	channel->period = period;
	channel->l2_period = l2_period;
	channel->from_l2 = arena_array(arena, slices, sizeof *channel->from_l2);
	channel->to_l2 = arena_array(arena, slices, sizeof(struct port *));
	channel->credits_in_use = arena_array(arena, slices, sizeof *channel->credits_in_use);
	channel->bank = arena_array(arena, banks, sizeof *channel->bank);
	channel->group = arena_array(arena, config->bank_groups, sizeof *channel->group);
	channel->transfer_capacity = credits + slices;
	channel->transfer = arena_array(arena, channel->transfer_capacity, sizeof *channel->transfer);
	request_queue_open(&channel->delay, arena, credits + slices);
	request_queue_open(&channel->returned, arena, config->return_queue);
	channel->shared_credits = credits;
	for (uint32_t b = 0; b < banks; b++) {
		struct dram_bank *bank = &channel->bank[b];
		bank->open_row = bank->serving_row = DRAM_NO_ROW;
		bank->group = &channel->group[config->group_low_bits ? b % config->bank_groups
		                                                     : b / (banks / config->bank_groups)];
	}
}

void dram_open_port(struct dram_channel *channel, uint32_t slice, uint32_t capacity, struct arena *arena)
{
	struct port *port = &channel->from_l2[slice];
	port_open(port, arena, capacity, &channel->wake);
	port->filled = &channel->offered;
	port->filled_bit = 1ull << slice;
}

static uint32_t slice_of(const struct dram_channel *channel, const struct request *request)
{
	return request->slice & (channel->slices - 1);
}

/* A slice returns its own credit last; in GPGPU-Sim it returns it first. The difference matters when all shared
 * credits are in use. */
static void return_credit(struct dram_channel *channel, uint32_t slice)
{
	assert(channel->credits_in_use[slice]);
	if (channel->credits_in_use[slice] > 1)
		channel->shared_credits++;
	channel->credits_in_use[slice]--;
}

/* Sends a finished request to its slice and frees its credit. If the slice of the oldest one has no space, that
 * request blocks the younger ones (GPGPU-Sim: memory_partition_unit::dram_cycle()). */
static void return_to_l2(struct dram_channel *channel, uint64_t now)
{
	struct request *request = request_queue_front(&channel->returned);
	if (!request)
		return;
	uint32_t slice = slice_of(channel, request);
	if (!port_room(channel->to_l2[slice], now))
		return;
	request_queue_pop(&channel->returned);
	port_push(channel->to_l2[slice], request, now);
	return_credit(channel, slice);
}

static struct request *take_transfer(struct dram_channel *channel)
{
	struct request *request = channel->transfer[channel->transfer_head].request;
	channel->transfer_head =
		channel->transfer_head + 1 == channel->transfer_capacity ? 0 : channel->transfer_head + 1;
	channel->transfer_at = --channel->transfers ? channel->transfer[channel->transfer_head].at : UINT64_MAX;
	return request;
}

/* Handles data that have crossed the pins. Writes that nothing waits for end here. */
static void finish_transfer(struct dram_channel *channel, uint64_t cycle)
{
	if (cycle < channel->transfer_at || request_queue_full(&channel->returned))
		return;
	struct request *request = take_transfer(channel);
	request->dram_moved += channel->config.atom_bytes;
	if (request->dram_moved < request->dram_bytes)
		return;
	if (request->kind == REQUEST_L2_WRITEBACK) {
		return_credit(channel, slice_of(channel, request));
		request_release(channel->pool, request);
	} else {
		request_queue_push(&channel->returned, request);
	}
}

/* True when the next row may be an urgent request's although an older request waits. The number of requests that
 * have already overtaken it is limited. */
static bool urgent_first(const struct dram_channel *channel, const struct dram_bank *bank)
{
	return bank->urgent && bank->overtakes < channel->config.urgent_limit;
}

/* The open row if a request for it waits, else the row of the oldest urgent request, else of the oldest request.
 * Without urgent requests this is first-ready, first-come-first-served (GPGPU-Sim: frfcfs_scheduler::schedule()). */
static uint32_t choose_row(const struct dram_bank *bank, bool urgent_first)
{
	uint32_t row = DRAM_NO_ROW;
	for (const struct request *r = bank->first; r; r = r->next) {
		if (r->row == bank->open_row)
			return r->row;
		if (row == DRAM_NO_ROW && (r->urgent || !urgent_first))
			row = r->row;
	}
	return row;
}

/* Counts the urgent requests taken since the last ordinary one, while an ordinary one waits. */
static void count_overtakes(struct dram_bank *bank, const struct request *taken)
{
	bool ordinary_waits = false;
	for (const struct request *r = bank->first; r && !ordinary_waits; r = r->next)
		ordinary_waits = !r->urgent;
	bank->overtakes = taken->urgent && ordinary_waits ? bank->overtakes + 1 : 0;
}

/* Takes a request out of its bank's queue; `before` is its predecessor there, or NULL. */
static void take_out(struct dram_channel *channel, struct dram_bank *bank, struct request *before,
                     const struct request *request)
{
	if (before)
		before->next = request->next;
	else
		bank->first = request->next;
	if (bank->last == request)
		bank->last = before;
	bank->urgent -= request->urgent;
	if (request->urgent || bank->overtakes)
		count_overtakes(bank, request);
	channel->stats.requests++;
	channel->stats.row_hits += request->row == bank->open_row;
}

/* Takes the oldest request of the bank's current row. The bank stays with this row while requests for it wait,
 * whatever else waits. */
static struct request *take_request(struct dram_channel *channel, struct dram_bank *bank)
{
	if (bank->serving_row == DRAM_NO_ROW)
		bank->serving_row = choose_row(bank, urgent_first(channel, bank));
	struct request *before = NULL, *request = bank->first;
	assert(request); /* guaranteed by its bit in channel->waiting */
	while (request->row != bank->serving_row) {
		before = request;
		request = request->next;
	}
	take_out(channel, bank, before, request);
	bool more = false;
	for (struct request *r = bank->first; r; r = r->next)
		more |= r->row == bank->serving_row;
	if (!more)
		bank->serving_row = DRAM_NO_ROW;
	return request;
}

/* Rotates a mask of banks so that the bank whose turn it is has bit 0. in_turn() converts a bit back to a bank
 * number. */
static uint64_t turned(const struct dram_channel *channel, uint64_t mask)
{
	uint32_t first = channel->next_bank;
	uint64_t before = mask & ((1ull << first) - 1);
	return first ? mask >> first | before << (channel->banks - first) : mask;
}

static uint32_t in_turn(const struct dram_channel *channel, uint64_t turned_mask)
{
	return ((uint32_t)__builtin_ctzll(turned_mask) + channel->next_bank) & (channel->banks - 1);
}

/* Computes the next command of the bank's current request. */
static void plan(struct dram_bank *bank)
{
	bank->next = !bank->active                          ? BASE_DRAM_ACTIVATE
	             : bank->open_row != bank->current->row ? BASE_DRAM_PRECHARGE
	             : bank->current->is_write              ? BASE_DRAM_WRITE
	                                                    : BASE_DRAM_READ;
}

/* The bank starts to serve a request that was taken from its queue. */
static void serve(struct dram_channel *channel, uint32_t b, struct request *request)
{
	struct dram_bank *bank = &channel->bank[b];
	assert(!bank->current && channel->pending);
	bank->current = request;
	plan(bank);
	channel->serving |= 1ull << b;
	if (!bank->first)
		channel->waiting &= ~(1ull << b);
	channel->pending--;
	channel->next_bank = (channel->next_bank + 1) & (channel->banks - 1);
	channel->command_from = 0;
}

/* Scheduling by the watcher. */
static void schedule_chosen(struct dram_channel *channel)
{
	struct request *request = dram_watch_next(channel), *before = NULL;
	if (!request)
		return;
	struct dram_bank *bank = &channel->bank[request->bank];
	for (struct request *r = bank->first; r != request; r = r->next)
		before = r;
	take_out(channel, bank, before, request);
	serve(channel, request->bank, request);
}

/* Gives one idle bank its next request, and moves the turn on by one bank whichever bank it was (GPGPU-Sim:
 * dram_t::scheduler_frfcfs()). */
static void schedule(struct dram_channel *channel)
{
	uint64_t idle = channel->waiting & ~channel->serving;
	if (!idle)
		return;
	if (channel->watcher.next) {
		schedule_chosen(channel);
		return;
	}
	uint32_t b = in_turn(channel, turned(channel, idle));
	serve(channel, b, take_request(channel, &channel->bank[b]));
}

/* The pins carry data in the order of the commands, because finish_transfer() takes one transfer per cycle, the
 * oldest first. */
static void start_transfer(struct dram_channel *channel, struct request *request, uint64_t at)
{
	uint32_t tail = channel->transfer_head + channel->transfers;
	if (tail >= channel->transfer_capacity)
		tail -= channel->transfer_capacity;
	if (!channel->transfers++)
		channel->transfer_at = at;
	channel->transfer[tail] = (struct dram_transfer){request, at};
	channel->stats.data_cycles += channel->config.burst_cycles;
}

static void not_before(struct dram_allowed *allowed, enum base_dram_command command, uint64_t until)
{
	allowed->from[command] = max_u64(allowed->from[command], until);
}

/* The earliest cycle in which the bank's next command is allowed. */
static uint64_t command_time(const struct dram_channel *channel, const struct dram_bank *bank)
{
	uint32_t next = bank->next;
	return max_u64(bank->allowed.from[next], max_u64(bank->group->from[next], channel->allowed.from[next]));
}

/* Issues a read or a write of the open row. Column commands in one bank group are tCCDL apart, in two groups tCCD.
 * On the whole channel, a read after a write waits for tWTR and a write after a read for tRTW (GPGPU-Sim:
 * dram_t::issue_col_command()). Which banks form a group is an option: GPGPU-Sim 3.2.2 has two groups
 * where its configuration says four (docs/explanation/deviations.md, 10). */
static void issue_column(struct dram_channel *channel, uint32_t b, uint64_t cycle)
{
	const struct dram_config *t = &channel->config;
	struct dram_bank *bank = &channel->bank[b];
	struct request *request = bank->current;
	assert(bank->active && bank->open_row == request->row);
	for (uint32_t column = BASE_DRAM_READ; column <= BASE_DRAM_WRITE; column++) {
		not_before(&channel->allowed, column, cycle + t->ccd);
		not_before(bank->group, column, cycle + t->ccd_long);
	}
	if (request->is_write) {
		not_before(&channel->allowed, BASE_DRAM_READ, cycle + t->wtr);
		not_before(&bank->allowed, BASE_DRAM_PRECHARGE, cycle + t->wtp);
		start_transfer(channel, request, cycle + t->wl);
		channel->stats.writes++;
	} else {
		not_before(&channel->allowed, BASE_DRAM_WRITE, cycle + t->rtw);
		not_before(&bank->allowed, BASE_DRAM_PRECHARGE, cycle + t->rtp);
		not_before(bank->group, BASE_DRAM_PRECHARGE, cycle + t->rtp_long);
		start_transfer(channel, request, cycle + t->cl);
		channel->stats.reads++;
	}
	if (channel->watcher.issued)
		dram_watch_issued(channel, request->is_write ? BASE_DRAM_WRITE : BASE_DRAM_READ, b, request, cycle);
	request->dram_sent += t->atom_bytes;
	if (request->dram_sent >= request->dram_bytes) {
		bank->current = NULL;
		channel->serving &= ~(1ull << b);
	}
}

/* Opens the request's row in an idle bank, or closes another row. The turn continues after this bank (GPGPU-Sim:
 * dram_t::issue_row_command()). */
static void issue_row(struct dram_channel *channel, uint32_t b, uint64_t cycle)
{
	const struct dram_config *t = &channel->config;
	struct dram_bank *bank = &channel->bank[b];
	channel->next_bank = (b + 1) & (channel->banks - 1);
	if (bank->active) {
		bank->active = false;
		not_before(&bank->allowed, BASE_DRAM_ACTIVATE, cycle + t->rp);
		channel->stats.precharges++;
	} else {
		bank->open_row = bank->current->row;
		bank->active = true;
		not_before(&channel->allowed, BASE_DRAM_ACTIVATE, cycle + t->rrd);
		not_before(&bank->allowed, BASE_DRAM_READ, cycle + t->rcd);
		not_before(&bank->allowed, BASE_DRAM_WRITE, cycle + t->rcd_write);
		not_before(&bank->allowed, BASE_DRAM_PRECHARGE, cycle + t->ras);
		not_before(&bank->allowed, BASE_DRAM_ACTIVATE, cycle + t->rc);
		channel->stats.activates++;
	}
	if (channel->watcher.issued)
		dram_watch_issued(channel, bank->active ? BASE_DRAM_ACTIVATE : BASE_DRAM_PRECHARGE, b, bank->current,
		                  cycle);
	plan(bank);
}

static bool wants_column(const struct dram_bank *bank)
{
	return bank->next == BASE_DRAM_READ || bank->next == BASE_DRAM_WRITE;
}

/* The position, in turn, of the first of these banks whose command is allowed. If none is, returns `banks`, and
 * *from is the first cycle in which one may be. */
static uint32_t first_allowed(const struct dram_channel *channel, uint64_t turned_banks, uint64_t cycle, uint64_t *from)
{
	const struct dram_bank *bank = channel->bank;
	uint32_t first = channel->next_bank, last = channel->banks - 1;
	uint64_t earliest = *from = UINT64_MAX;
	for (uint64_t left = turned_banks; left; left &= left - 1) {
		uint32_t place = (uint32_t)__builtin_ctzll(left);
		uint64_t time = command_time(channel, &bank[(place + first) & last]);
		if (time <= cycle)
			return place;
		earliest = min_u64(earliest, time);
	}
	*from = earliest;
	return channel->banks;
}

static uint64_t banks_that_want_columns(const struct dram_channel *channel)
{
	uint64_t columns = 0;
	for (uint64_t left = channel->serving; left; left &= left - 1)
		if (wants_column(&channel->bank[__builtin_ctzll(left)]))
			columns |= left & -left;
	return columns;
}

/* Issues a column and a row command in one cycle. Each is the first that is allowed, and neither delays the other
 * (GPGPU-Sim 4.2.0: dram_t::cycle() with dram_dual_bus_interface). */
static void issue_two_commands(struct dram_channel *channel, uint64_t cycle)
{
	uint64_t columns = banks_that_want_columns(channel), column_from, row_from;
	uint32_t place = first_allowed(channel, turned(channel, columns), cycle, &column_from);
	bool column = place < channel->banks;
	if (column)
		issue_column(channel, in_turn(channel, 1ull << place), cycle);
	place = first_allowed(channel, turned(channel, channel->serving & ~columns), cycle, &row_from);
	bool row = place < channel->banks;
	if (row)
		issue_row(channel, in_turn(channel, 1ull << place), cycle);
	channel->command_from = column || row ? cycle + 1 : min_u64(column_from, row_from);
}

/* Issues one command per cycle; `row_beside_column` is version 4.2.0's exception (GPGPU-Sim: dram_t::cycle()). Tries
 * bank by bank and issues the first command that is allowed. If none is, records the first cycle in which one will
 * be, so that earlier cycles are skipped. With `row_beside_column` an activate or precharge does not end the round.
 * The remaining banks, counted from the turn's new start, may still have a read or write in that cycle. */
static void issue_command(struct dram_channel *channel, uint64_t cycle)
{
	if (cycle < channel->command_from || channel->transfers == channel->transfer_capacity)
		return;
	if (channel->config.dual_bus) {
		issue_two_commands(channel, cycle);
		return;
	}
	uint64_t from;
	uint32_t place = first_allowed(channel, turned(channel, channel->serving), cycle, &from);
	if (place == channel->banks) {
		channel->command_from = from;
		return;
	}
	channel->command_from = cycle + 1;
	uint32_t b = in_turn(channel, 1ull << place);
	if (wants_column(&channel->bank[b])) {
		issue_column(channel, b, cycle);
		return;
	}
	issue_row(channel, b, cycle);
	if (!channel->config.row_beside_column)
		return;
	/* GPGPU-Sim's loop goes on with its count, but from the turn's new start: it skips place + 1 banks there. */
	uint64_t skipped = (2ull << place) - 1;
	uint64_t left = turned(channel, banks_that_want_columns(channel)) & ~skipped;
	place = first_allowed(channel, left, cycle, &from);
	if (place < channel->banks)
		issue_column(channel, in_turn(channel, 1ull << place), cycle);
}

/* Moves one request per cycle from the slices into the delay line, round robin. A slice needs a credit, and space
 * for the reply now (GPGPU-Sim: memory_partition_unit::dram_cycle(), can_issue_to_dram()). */
static void accept_from_l2(struct dram_channel *channel, uint64_t l2_cycle, uint64_t now)
{
	for (uint32_t i = 1; channel->offered && i <= channel->slices; i++) {
		uint32_t slice = (channel->last_slice + i) & (channel->slices - 1);
		struct request *request = port_front(&channel->from_l2[slice], now);
		if (!request || !port_room(channel->to_l2[slice], now))
			continue;
		if (channel->credits_in_use[slice] >= 1) {
			if (!channel->shared_credits)
				continue;
			channel->shared_credits--;
		}
		channel->credits_in_use[slice]++;
		port_pop(&channel->from_l2[slice], now);
		if (port_empty(&channel->from_l2[slice]))
			channel->offered &= ~(1ull << slice);
		request->ready = l2_cycle + channel->config.latency;
		request->dram_sent = request->dram_moved = 0;
		request->level = LEVEL_DRAM;
		if (!channel->delay.count)
			channel->delay_until = request->ready;
		request_queue_push(&channel->delay, request);
		channel->last_slice = slice;
		return;
	}
}

static void enter_scheduler(struct dram_channel *channel, uint64_t l2_cycle)
{
	channel->blocked = false;
	if (l2_cycle < channel->delay_until)
		return;
	if (channel->pending >= channel->config.queue) {
		channel->blocked = true;
		return;
	}
	struct request *request = request_queue_pop(&channel->delay);
	channel->delay_until = channel->delay.count ? request_queue_front(&channel->delay)->ready : UINT64_MAX;
	struct dram_bank *bank = &channel->bank[request->bank];
	if (channel->watcher.next)
		request->ready = channel->arrivals++;
	request->next = NULL;
	if (bank->first)
		bank->last->next = request;
	else
		bank->first = request;
	bank->last = request;
	bank->urgent += request->urgent;
	channel->waiting |= 1ull << request->bank;
	channel->pending++;
}

void dram_settle(struct dram_channel *channel, uint64_t cycle)
{
	uint64_t passed = cycle - channel->last_cycle;
	channel->stats.cycles += passed;
	channel->stats.queue_full += channel->blocked ? passed : 0;
	channel->last_cycle = cycle;
}

/* The time of the first later cycle in which this channel can do something without further input. */
static uint64_t next_wake(const struct dram_channel *channel, uint64_t cycle, uint64_t now)
{
	bool room = channel->pending < channel->config.queue;
	if ((room && channel->offered) || channel->returned.count || channel->waiting & ~channel->serving)
		return now + 1;
	uint64_t next = min_u64(channel->serving ? channel->command_from : UINT64_MAX, channel->transfer_at);
	uint64_t wake = next == UINT64_MAX ? UINT64_MAX
	                : next <= cycle    ? now + 1
	                                   : now + (next - cycle - 1) * channel->period + 1;
	/* `l2_cycle` is the coming L2 cycle: it reaches `ready` when the previous one has begun. */
	if (channel->delay_until != UINT64_MAX && !channel->blocked)
		wake = min_u64(wake, (channel->delay_until - 1) * channel->l2_period + 1);
	return wake > now ? wake : now + 1;
}

/* The way of the data back to L2 comes first, then the commands, then arrivals: an earlier stage can use what a later
 * one has freed in this cycle. A bank may issue a command in the cycle in which it gets its request. */
void dram_tick(struct dram_channel *channel, uint64_t cycle, uint64_t l2_cycle, uint64_t now)
{
	dram_settle(channel, cycle);
	return_to_l2(channel, now);
	finish_transfer(channel, cycle);
	schedule(channel);
	issue_command(channel, cycle);
	if (channel->pending < channel->config.queue)
		accept_from_l2(channel, l2_cycle, now);
	enter_scheduler(channel, l2_cycle);
	channel->wake = next_wake(channel, cycle, now);
}
