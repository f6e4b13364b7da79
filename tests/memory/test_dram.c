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
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
