/* Protects the order in which the memory channel serves requests: open rows first, urgent requests, and which
 * commands may share a cycle. test_dram.c explains the times.
 *
 * Every test runs twice: with a tick in every cycle, and with ticks only when the channel has requested them. */
#include "dram_bench.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH_WAYS(test_row_hits_first),         BOTH_WAYS(test_late_row_hit), BOTH_WAYS(test_urgent_overtakes),
		BOTH_WAYS(test_row_hits_beside_urgent), BOTH_WAYS(test_urgent_limit), BOTH_WAYS(test_row_beside_column),
		BOTH_WAYS(test_row_beside_column_edge), BOTH_WAYS(test_dual_bus),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
