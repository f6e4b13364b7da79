/* Protects the memory channel's time: the exact cycle of every command and of every reply.
 *
 * A request that its slice pushes at cycle t is seen at t + 1, when it enters the delay line. `latency` L2 cycles later
 * it is in its bank's queue. One cycle later it is the bank's current request and may have its first command:
 *
 *     FIRST = t + 1 + latency + 1
 *
 * The data arrive tCL (tWL) after the column command. The finished request is in the return queue in that cycle, in the
 * slice's port in the next, and seen one cycle later. The timings below are all different, so that no two can be
 * confused.
 *
 * Every test runs twice: with a tick in every cycle, and with ticks only when the channel has requested them. */
#include "dram_bench.h"

/* Returns the number of requests in the scheduler, waiting or in service. */
static uint32_t in_banks(const struct bench *bench)
{
	return bench->channel.pending + (uint32_t)__builtin_popcountll(bench->channel.serving);
}

/* Runs until the channel is idle and compares the commands. */
static void expect_commands(struct bench *bench, const struct command *want, uint32_t count)
{
	run_to(bench, bench->cycle + 400);
	for (uint32_t i = 0; i < count && i < bench->commands; i++)
		if (bench->command[i].what != want[i].what || bench->command[i].at != want[i].at)
			fail_msg("command %u is %c at %llu, not %c at %llu", i, bench->command[i].what,
			         (unsigned long long)bench->command[i].at, want[i].what,
			         (unsigned long long)want[i].at);
	assert_int_equal(bench->commands, count);
	arena_free(&bench->arena);
}

#define EXPECT_COMMANDS(bench, ...)                                                                                    \
	do {                                                                                                           \
		const struct command want_[] = {__VA_ARGS__};                                                          \
		expect_commands(bench, want_, sizeof want_ / sizeof want_[0]);                                         \
	} while (0)

/* Checks that the slice sees this reply first at `cycle`, and takes it there. */
static void expect_answer(struct bench *bench, const struct request *request, uint64_t cycle)
{
	struct port *port = &bench->to_l2[request->slice];
	while (bench->cycle < cycle) {
		if (port_front(port, bench->cycle))
			fail_msg("a reply was seen at cycle %llu, not first at %llu", (unsigned long long)bench->cycle,
			         (unsigned long long)cycle);
		tick(bench);
	}
	assert_ptr_equal(port_front(port, bench->cycle), request);
	port_pop(port, bench->cycle);
}

/* A closed bank: the activate, the read tRCD later, the data tCL later. */
static void test_closed_bank(void **state)
{
	struct bench bench;
	open_bench(&bench, state, timings());
	struct request *request = read_row(&bench, 0, 7);
	expect_answer(&bench, request, FIRST + RCD + CL + SEEN);
	assert_int_equal(request->level, LEVEL_DRAM);
	assert_int_equal(bench.channel.stats.row_hits, 0);
	EXPECT_COMMANDS(&bench, {'A', FIRST}, {'R', FIRST + RCD});
}

/* A write may follow its activate tRCDWR later. Its acknowledgement returns when the data have arrived, tWL later. */
static void test_closed_bank_write(void **state)
{
	struct bench bench;
	open_bench(&bench, state, timings());
	expect_answer(&bench, write_row(&bench, 0, 7), FIRST + RCDWR + WL + SEEN);
	EXPECT_COMMANDS(&bench, {'A', FIRST}, {'W', FIRST + RCDWR});
}

/* A line of several atoms has one column command each, tCCDL apart, since they belong to one bank group. The reply
 * follows when the last atom has crossed the pins. A part of an atom costs a whole one. */
static void test_atoms(void **state)
{
	static const struct {
		uint32_t bytes, atoms;
	} row[] = {{1, 1}, {ATOM, 1}, {ATOM + 1, 2}, {2 * ATOM, 2}, {4 * ATOM, 4}};
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		struct bench bench;
		open_bench(&bench, state, timings());
		struct request *request = make(&bench, false, 0, 0);
		request->dram_bytes = row[i].bytes;
		uint64_t last_read = FIRST + RCD + (row[i].atoms - 1) * CCDL;
		expect_answer(&bench, push(&bench, request), last_read + CL + SEEN);
		assert_int_equal(bench.channel.stats.reads, row[i].atoms);
		assert_int_equal(bench.channel.stats.data_cycles, 2 * row[i].atoms);
		arena_free(&bench.arena);
	}
}

/* An open row is read at once. */
static void test_row_hit(void **state)
{
	struct bench bench;
	open_bench(&bench, state, timings());
	read_row(&bench, 3, 7);
	run_to(&bench, 100);
	expect_answer(&bench, bench.to_l2[0].slot[0].item, 100);
	expect_answer(&bench, read_row(&bench, 3, 7), 100 + FIRST + CL + SEEN);
	assert_int_equal(bench.channel.stats.row_hits, 1);
	EXPECT_COMMANDS(&bench, {'A', FIRST}, {'R', FIRST + RCD}, {'R', 100 + FIRST});
}

/* Another row, long after: precharge at once, activate tRP later, read tRCD later. */
static void test_row_conflict(void **state)
{
	struct bench bench;
	open_bench(&bench, state, timings());
	read_row(&bench, 3, 7);
	run_to(&bench, 100);
	read_row(&bench, 3, 8);
	EXPECT_COMMANDS(&bench, {'A', FIRST}, {'R', FIRST + RCD}, {'P', 100 + FIRST}, {'A', 100 + FIRST + RP},
	                {'R', 100 + FIRST + RP + RCD});
}

/* Another row at once: the precharge waits for tRAS after the activate, the next activate for tRC after the last
 * one. */
static void test_ras_and_rc(void **state)
{
	struct bench bench;
	open_bench(&bench, state, timings());
	read_row(&bench, 3, 7);
	read_row(&bench, 3, 8);
	EXPECT_COMMANDS(&bench, {'A', FIRST}, {'R', FIRST + RCD}, {'P', FIRST + RAS}, {'A', FIRST + RC},
	                {'R', FIRST + RC + RCD});
}

/* With a short tRC, the activate comes tRP after the precharge. */
static void test_rp(void **state)
{
	struct bench bench;
	struct dram_config config = timings();
	config.rc = 1;
	open_bench(&bench, state, config);
	read_row(&bench, 3, 7);
	read_row(&bench, 3, 8);
	EXPECT_COMMANDS(&bench, {'A', FIRST}, {'R', FIRST + RCD}, {'P', FIRST + RAS}, {'A', FIRST + RAS + RP},
	                {'R', FIRST + RAS + RP + RCD});
}

/* When tRAS is over, the last column command decides: tRTPL after a read (here longer than tRTP and for all banks of
 * the group), tWTP after a write. */
static void test_column_to_precharge(void **state)
{
	for (int is_write = 0; is_write <= 1; is_write++) {
		struct bench bench;
		open_bench(&bench, state, timings());
		read_row(&bench, 3, 7);
		run_to(&bench, 100);
		push(&bench, make(&bench, is_write, 3, 7));
		read_row(&bench, 3, 8);
		uint64_t column = 100 + FIRST, close = column + (is_write ? WTP : RTPL);
		EXPECT_COMMANDS(&bench, {'A', FIRST}, {'R', FIRST + RCD}, {is_write ? 'W' : 'R', column}, {'P', close},
		                {'A', close + RP}, {'R', close + RP + RCD});
	}
}

/* With a short tRTPL, tRTP of the bank itself decides. */
static void test_read_to_precharge_of_the_bank(void **state)
{
	struct bench bench;
	struct dram_config config = timings();
	config.rtp_long = 1;
	open_bench(&bench, state, config);
	read_row(&bench, 3, 7);
	run_to(&bench, 100);
	read_row(&bench, 3, 7);
	read_row(&bench, 3, 8);
	uint64_t close = 100 + FIRST + RTP;
	EXPECT_COMMANDS(&bench, {'A', FIRST}, {'R', FIRST + RCD}, {'R', 100 + FIRST}, {'P', close}, {'A', close + RP},
	                {'R', close + RP + RCD});
}

/* Opens rows of two banks, then reads (or writes) both at once from cycle 200 on. */
static void open_two(struct bench *bench, uint32_t first, uint32_t second)
{
	read_row(bench, first, 1);
	read_row(bench, second, 1);
	run_to(bench, 200);
	bench->commands = 0;
}

/* Reads of two banks of one group are tCCDL apart, of different groups tCCD. Banks 0 and 3 share the first group of
 * four when the high bits select groups, 0 and 4 when the low bits do. */
static void test_column_to_column(void **state)
{
	static const struct {
		bool low_bits;
		uint32_t second, apart;
	} row[] = {{false, 3, CCDL}, {false, 4, CCD}, {true, 3, CCD}, {true, 4, CCDL}};
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		struct bench bench;
		struct dram_config config = timings();
		config.group_low_bits = row[i].low_bits;
		open_bench(&bench, state, config);
		open_two(&bench, 0, row[i].second);
		read_row(&bench, 0, 1);
		read_row(&bench, row[i].second, 1);
		EXPECT_COMMANDS(&bench, {'R', 200 + FIRST}, {'R', 200 + FIRST + row[i].apart});
	}
}

/* Activates of two banks are tRRD apart. Both requests arrive in consecutive cycles. */
static void test_activate_to_activate(void **state)
{
	struct bench bench;
	open_bench(&bench, state, timings());
	read_row(&bench, 0, 1);
	read_row(&bench, 8, 1);
	EXPECT_COMMANDS(&bench, {'A', FIRST}, {'A', FIRST + RRD}, {'R', FIRST + RCD}, {'R', FIRST + RRD + RCD});
}

/* The pins turn around: a read waits tWTR after a write, a write tRTW after a read, whatever the banks. */
static void test_turnaround(void **state)
{
	for (int write_first = 0; write_first <= 1; write_first++) {
		struct bench bench;
		open_bench(&bench, state, timings());
		open_two(&bench, 0, 8);
		push(&bench, make(&bench, write_first, 0, 1));
		push(&bench, make(&bench, !write_first, 8, 1));
		EXPECT_COMMANDS(&bench, {write_first ? 'W' : 'R', 200 + FIRST},
		                {write_first ? 'R' : 'W', 200 + FIRST + (write_first ? WTR : RTW)});
	}
}

/* Data cross the pins in the order of the commands: a write's data, ready sooner than those of the read before,
 * wait. */
static void test_data_in_order(void **state)
{
	struct bench bench;
	struct dram_config config = timings();
	config.rtw = 1;
	config.ccd = 1;
	open_bench(&bench, state, config);
	open_two(&bench, 0, 8);
	port_pop(&bench.to_l2[0], 199);
	port_pop(&bench.to_l2[0], 199);
	struct request *first = read_row(&bench, 0, 1), *second = write_row(&bench, 8, 1);
	expect_answer(&bench, first, 200 + FIRST + CL + SEEN);
	expect_answer(&bench, second, 200 + FIRST + CL + 1 + SEEN);
	arena_free(&bench.arena);
}

/* First ready, first come, first served: while row 1 is open, the younger requests for it precede the older one for row
 * 2. Among themselves they keep the order of their arrival. */
static void test_row_hits_first(void **state)
{
	struct bench bench;
	struct request *order[4];
	open_bench(&bench, state, timings());
	order[0] = read_row(&bench, 5, 1);
	order[3] = read_row(&bench, 5, 2);
	order[1] = read_row(&bench, 5, 1);
	order[2] = read_row(&bench, 5, 1);
	uint64_t read = FIRST + RCD;
	for (uint32_t i = 0; i < 3; i++, read += CCDL)
		expect_answer(&bench, order[i], read + CL + SEEN);
	/* row 2: tRAS is the last of the limits on the precharge */
	expect_answer(&bench, order[3], FIRST + RC + RCD + CL + SEEN);
	assert_int_equal(bench.channel.stats.row_hits, 2);
	assert_int_equal(bench.channel.stats.requests, 4);
	arena_free(&bench.arena);
}

/* A hit that arrives while the row is still in service is served before the older conflict. */
static void test_late_row_hit(void **state)
{
	struct bench bench;
	open_bench(&bench, state, timings());
	struct request *first = read_row(&bench, 5, 1), *other = read_row(&bench, 5, 2);
	run_to(&bench, RCD - 1);
	struct request *hit = read_row(&bench, 5, 1); /* in the queue one cycle before the first read is issued */
	expect_answer(&bench, first, FIRST + RCD + CL + SEEN);
	expect_answer(&bench, hit, FIRST + RCD + CCDL + CL + SEEN);
	expect_answer(&bench, other, FIRST + RC + RCD + CL + SEEN);
	arena_free(&bench.arena);
}

static struct request *urgent_row(struct bench *bench, uint32_t bank, uint32_t row)
{
	struct request *request = make(bench, false, bank, row);
	request->urgent = true;
	return push(bench, request);
}

/* An urgent request overtakes older ones of its bank, except those of the open row: closing that row would cost more
 * than they do. No other bank waits for it. */
static void test_urgent_overtakes(void **state)
{
	struct bench bench;
	open_bench(&bench, state, timings());
	struct request *first = read_row(&bench, 5, 1), *older = read_row(&bench, 5, 3), *hit = read_row(&bench, 5, 1);
	struct request *urgent = urgent_row(&bench, 5, 2);
	uint64_t read = FIRST + RCD, row_2 = FIRST + RC + RCD, row_3 = FIRST + 2 * RC + RCD;
	expect_answer(&bench, first, read + CL + SEEN);
	expect_answer(&bench, hit, read + CCDL + CL + SEEN);
	run_to(&bench, 40);
	struct request *other = read_row(&bench, 9, 1);
	expect_answer(&bench, other, 40 + FIRST + RCD + CL + SEEN);
	expect_answer(&bench, urgent, row_2 + CL + SEEN);
	expect_answer(&bench, older, row_3 + CL + SEEN);
	assert_int_equal(bench.channel.stats.row_hits, 1);
	arena_free(&bench.arena);
}

/* An open row is finished with all requests that wait for it, urgent or not, in the order of their arrival. Urgency
 * opens no additional row. */
static void test_row_hits_beside_urgent(void **state)
{
	struct bench bench;
	struct request *order[6];
	open_bench(&bench, state, timings());
	order[0] = read_row(&bench, 5, 1);
	order[1] = read_row(&bench, 5, 1);
	order[3] = read_row(&bench, 5, 2);
	order[4] = urgent_row(&bench, 5, 2);
	order[2] = urgent_row(&bench, 5, 1);
	order[5] = urgent_row(&bench, 5, 2);
	for (uint32_t i = 0; i < 6; i++)
		expect_answer(&bench, order[i], FIRST + i / 3 * RC + RCD + i % 3 * CCDL + CL + SEEN);
	assert_int_equal(bench.channel.stats.row_hits, 4);
	assert_int_equal(bench.channel.stats.activates, 2);
	arena_free(&bench.arena);
}

/* `urgent_limit` urgent requests, each for another row, overtake an older one. Then the older one has its turn, and the
 * count restarts. */
static void test_urgent_limit(void **state)
{
	enum { URGENT = 6 };
	static const uint32_t limits[] = {1, 4, URGENT, 100};
	for (uint32_t i = 0; i < 4; i++) {
		struct bench bench;
		struct request *urgent[URGENT];
		struct dram_config config = timings();
		config.urgent_limit = limits[i];
		open_bench(&bench, state, config);
		struct request *first = read_row(&bench, 5, 1), *ordinary = read_row(&bench, 5, 2);
		for (uint32_t u = 0; u < URGENT; u++)
			urgent[u] = urgent_row(&bench, 5, 3 + u);
		expect_answer(&bench, first, FIRST + RCD + CL + SEEN);
		for (uint32_t u = 0, row = 1; u < URGENT; u++, row++) {
			if (u == limits[i])
				expect_answer(&bench, ordinary, FIRST + row++ * RC + RCD + CL + SEEN);
			expect_answer(&bench, urgent[u], FIRST + row * RC + RCD + CL + SEEN);
		}
		if (limits[i] >= URGENT)
			expect_answer(&bench, ordinary, FIRST + (URGENT + 1) * RC + RCD + CL + SEEN);
		arena_free(&bench.arena);
	}
}

/* The scheduler sees at most `queue` waiting requests. A further one stays in the delay line and is counted. Here the
 * bank has a current request, two wait, and five more for the same row follow. The next enters when the first is read
 * and the bank has taken another. */
static void test_queue_limit(void **state)
{
	struct bench bench;
	struct dram_config config = timings();
	config.queue = 2;
	open_bench(&bench, state, config);
	for (uint32_t i = 0; i < 8; i++)
		read_row(&bench, 5, 1);
	run_to(&bench, FIRST + RCD);
	assert_int_equal(bench.channel.pending, 2);
	assert_int_equal(in_banks(&bench), 3);
	/* The fourth has waited since the cycle in which it could have entered, 3 after the first's entry. */
	uint64_t could_enter = FIRST - 1 + 3;
	dram_settle(&bench.channel, bench.cycle);
	assert_int_equal(bench.channel.stats.queue_full, FIRST + RCD - could_enter);
	tick(&bench); /* the first is read */
	assert_int_equal(in_banks(&bench), 2);
	tick(&bench); /* the second becomes current, the fourth enters */
	assert_int_equal(bench.channel.pending, 2);
	assert_int_equal(in_banks(&bench), 3);
	run_to(&bench, 300);
	assert_int_equal(bench.channel.stats.reads, 8);
	arena_free(&bench.arena);
}

/* Credits limit the requests in the channel: queue + return_queue - (slices - 1) shared ones, and one more for each
 * slice. With queue 2 and return_queue 2 one slice has at most 3 + 1; the other slice still has its own. Each reply
 * returns its request's credit. */
static void test_credits(void **state)
{
	struct bench bench;
	struct dram_config config = timings();
	config.queue = 2;
	config.return_queue = 2;
	config.latency = 50; /* all requests are in the delay line */
	open_bench(&bench, state, config);
	for (uint32_t i = 0; i < 8; i++)
		read_row(&bench, 5, 1);
	run_to(&bench, 20);
	assert_int_equal(bench.channel.from_l2[0].items, 8 - 4);
	for (uint32_t i = 0; i < 2; i++) {
		struct request *request = make(&bench, false, 6, 1);
		request->slice = 1;
		push(&bench, request);
	}
	run_to(&bench, 40);
	assert_int_equal(bench.channel.from_l2[1].items, 2 - 1);
	uint64_t answered = 1 + 50 + 1 + RCD + CL + 1; /* the first is in the slice's port, its credit is free */
	run_to(&bench, answered);
	assert_int_equal(bench.channel.from_l2[0].items + bench.channel.from_l2[1].items, 5);
	tick(&bench);
	assert_int_equal(bench.channel.from_l2[0].items + bench.channel.from_l2[1].items, 4);
	arena_free(&bench.arena);
}

/* A reply that the slice does not take stays. A slice whose port is full cannot send a request either. */
static void test_full_slice(void **state)
{
	struct bench bench;
	open_bench(&bench, state, timings());
	port_open(&bench.to_l2[0], &bench.arena, 1, &bench.wake);
	struct request *first = read_row(&bench, 5, 1), *second = read_row(&bench, 5, 1);
	run_to(&bench, 100);
	read_row(&bench, 5, 1);
	run_to(&bench, 200);
	assert_int_equal(bench.channel.returned.count, 1);
	assert_int_equal(bench.channel.from_l2[0].items, 1);
	assert_ptr_equal(port_front(&bench.to_l2[0], 200), first);
	/* the space is visible at 201, when the second is pushed; it is seen at 202 */
	port_pop(&bench.to_l2[0], 200);
	expect_answer(&bench, second, 202);
	arena_free(&bench.arena);
}

/* The delay line counts L2 cycles. With an L2 clock of a third, L2 cycle k comes at cycle 3k. The request enters at
 * cycle 1, between L2 cycles 0 and 1. It continues in the cycle after L2 cycle `latency` has begun; one cycle later it
 * may have its activate. */
static void test_latency_in_l2_cycles(void **state)
{
	struct bench bench;
	open_bench(&bench, state, timings());
	bench.l2_period = bench.channel.l2_period = 3;
	read_row(&bench, 0, 0);
	run_to(&bench, 60);
	assert_int_equal(bench.command[0].at, 3 * LATENCY + 1 + 1);
	arena_free(&bench.arena);
}

/* A write-back of L2 has no reply: its request and its credit are free when its data have arrived. */
static void test_writeback_ends_here(void **state)
{
	struct bench bench;
	open_bench(&bench, state, timings());
	struct request *request = make(&bench, true, 0, 0);
	request->kind = REQUEST_L2_WRITEBACK;
	push(&bench, request);
	run_to(&bench, FIRST + RCDWR + WL);
	assert_int_equal(bench.pool.in_use, 1);
	assert_int_equal(bench.channel.credits_in_use[0], 1);
	tick(&bench);
	assert_int_equal(bench.pool.in_use, 0);
	assert_int_equal(bench.channel.credits_in_use[0], 0);
	run_to(&bench, 100);
	assert_null(port_front(&bench.to_l2[0], bench.cycle));
	arena_free(&bench.arena);
}

/* Write-backs return all their credits, including shared ones. After three times the channel's capacity of write-backs,
 * it accepts the same number of requests as a new channel. */
static void test_writebacks_return_credits(void **state)
{
	enum { QUEUE = 2, CREDITS = QUEUE + QUEUE - (SLICES - 1) + 1, WRITEBACKS = 3 * CREDITS };
	struct bench bench;
	struct dram_config config = timings();
	config.queue = config.return_queue = QUEUE;
	config.latency = 50; /* all requests that have entered are in the delay line */
	open_bench(&bench, state, config);
	for (uint32_t i = 0; i < WRITEBACKS; i++) {
		struct request *request = make(&bench, true, 5, 1);
		request->kind = REQUEST_L2_WRITEBACK;
		push(&bench, request);
	}
	run_to(&bench, 20);
	assert_int_equal(bench.channel.from_l2[0].items, WRITEBACKS - CREDITS);
	run_to(&bench, 1000);
	assert_int_equal(bench.pool.in_use, 0);
	for (uint32_t i = 0; i < 2 * CREDITS; i++)
		read_row(&bench, 5, 1);
	run_to(&bench, 1020);
	assert_int_equal(bench.channel.from_l2[0].items, CREDITS);
	arena_free(&bench.arena);
}

/* The two slices take turns: one request per cycle, beginning after the slice that was served last. */
static void test_slices_take_turns(void **state)
{
	struct bench bench;
	open_bench(&bench, state, timings());
	for (uint32_t slice = 0; slice < SLICES; slice++)
		for (uint32_t i = 0; i < 3; i++) {
			struct request *request = make(&bench, false, 0, 0);
			request->slice = (uint16_t)slice;
			push(&bench, request);
		}
	tick(&bench); /* nothing is visible yet */
	for (uint32_t i = 1; i <= 6; i++) {
		tick(&bench);
		assert_int_equal(6 - bench.channel.from_l2[0].items - bench.channel.from_l2[1].items, i);
		assert_in_range(bench.channel.from_l2[0].items + 1 - bench.channel.from_l2[1].items, 0, 2);
	}
	arena_free(&bench.arena);
}

/* A bank's activate becomes possible in the cycle of another bank's read. With `row_beside_column` both are issued if
 * the activate comes first in the round and the round has not passed the read's bank. If the read comes first, it ends
 * the round. If the new start of the round, after the activated bank, leaves out the read's bank, only the activate is
 * issued. */
static void test_row_beside_column(void **state)
{
	static const struct {
		bool beside;
		uint32_t read, activated;
		uint64_t read_at, activated_at;
	} row[] = {
		{false, 0, 5, 1, 0}, /* the round starts at bank 2: 5 comes before 0 */
		{true, 0, 5, 0, 0},  /* continues at 6 + 4 for 12 banks: 0 is among them */
		{true, 0, 1, 0, 1},  /* 0 comes before 1 */
		{true, 0, 8, 0,
	         0}, /* 8 is the seventh; continues at 9 + 7 for 9 banks: 0, the eighth, is the first of them */
		{true, 8, 5, 1, 0}, /* starts at 10; 5 is the twelfth; continues at 6 + 12 for 4 banks: without 8 */
	};
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		struct bench bench;
		struct dram_config config = timings();
		config.row_beside_column = row[i].beside;
		open_bench(&bench, state, config);
		read_row(&bench, row[i].read, 7);
		run_to(&bench, RCD);
		read_row(&bench, row[i].activated, 7);
		uint64_t both = FIRST + RCD, read = both + row[i].read_at, activate = both + row[i].activated_at;
		if (read < activate)
			EXPECT_COMMANDS(&bench, {'A', FIRST}, {'R', read}, {'A', activate}, {'R', activate + RCD});
		else
			EXPECT_COMMANDS(&bench, {'A', FIRST}, {'A', activate}, {'R', read}, {'R', activate + RCD});
	}
}

/* The edge of the rest of the round: three banks, of which the second moves the start on to bank 9. After the activate
 * of bank 12, the fourth in turn, the round continues at 13 + 4: without bank 0, the fourth from there. After that of
 * bank 11, the third, it continues at 12 + 3: bank 0, the fifth, is among them. */
static void test_row_beside_column_edge(void **state)
{
	static const struct {
		uint32_t activated;
		uint64_t read_at;
	} row[] = {{12, 1}, {11, 0}};
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		struct bench bench;
		struct dram_config config = timings();
		config.row_beside_column = true;
		open_bench(&bench, state, config);
		read_row(&bench, 0, 7);
		run_to(&bench, RRD);
		read_row(&bench, 7, 7);
		run_to(&bench, RCD);
		read_row(&bench, row[i].activated, 7);
		EXPECT_COMMANDS(&bench, {'A', FIRST}, {'A', FIRST + RRD}, {'A', FIRST + RCD},
		                {'R', FIRST + RCD + row[i].read_at}, {'R', FIRST + RRD + RCD}, {'R', FIRST + 2 * RCD});
	}
}

/* With `dual_bus` a bank's read and another's activate share a cycle, whichever comes first in the turn. */
static void test_dual_bus(void **state)
{
	static const uint32_t other[] = {1, 5, 9};
	for (size_t i = 0; i < sizeof other / sizeof other[0]; i++) {
		struct bench bench;
		struct dram_config config = timings();
		config.dual_bus = true;
		open_bench(&bench, state, config);
		read_row(&bench, 0, 7);
		run_to(&bench, RCD);
		read_row(&bench, other[i], 7);
		uint64_t both = FIRST + RCD;
		EXPECT_COMMANDS(&bench, {'A', FIRST}, {'A', both}, {'R', both}, {'R', both + RCD});
	}
}

/* The channel sleeps when it is empty; dram_settle() counts the cycles slept. */
static void test_sleep(void **state)
{
	struct bench bench;
	open_bench(&bench, state, timings());
	assert_true(bench.channel.wake == UINT64_MAX);
	read_row(&bench, 0, 0);
	assert_int_equal(bench.channel.wake, bench.cycle + 1);
	run_to(&bench, 50);
	assert_true(bench.channel.wake == UINT64_MAX);
	dram_settle(&bench.channel, 500);
	assert_int_equal(bench.channel.stats.cycles, 500);
	arena_free(&bench.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH_WAYS(test_closed_bank),
		BOTH_WAYS(test_closed_bank_write),
		BOTH_WAYS(test_atoms),
		BOTH_WAYS(test_row_hit),
		BOTH_WAYS(test_row_conflict),
		BOTH_WAYS(test_ras_and_rc),
		BOTH_WAYS(test_rp),
		BOTH_WAYS(test_column_to_precharge),
		BOTH_WAYS(test_read_to_precharge_of_the_bank),
		BOTH_WAYS(test_column_to_column),
		BOTH_WAYS(test_activate_to_activate),
		BOTH_WAYS(test_turnaround),
		BOTH_WAYS(test_data_in_order),
		BOTH_WAYS(test_row_hits_first),
		BOTH_WAYS(test_late_row_hit),
		BOTH_WAYS(test_urgent_overtakes),
		BOTH_WAYS(test_row_hits_beside_urgent),
		BOTH_WAYS(test_urgent_limit),
		BOTH_WAYS(test_queue_limit),
		BOTH_WAYS(test_credits),
		BOTH_WAYS(test_full_slice),
		BOTH_WAYS(test_latency_in_l2_cycles),
		BOTH_WAYS(test_writeback_ends_here),
		BOTH_WAYS(test_writebacks_return_credits),
		BOTH_WAYS(test_slices_take_turns),
		BOTH_WAYS(test_row_beside_column),
		BOTH_WAYS(test_row_beside_column_edge),
		BOTH_WAYS(test_dual_bus),
		BOTH_WAYS(test_sleep),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
