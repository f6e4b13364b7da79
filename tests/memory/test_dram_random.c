/* Protects the memory channel under random traffic. A checker that knows only the command timings checks every pair of
 * commands. Every request has a reply, and sleep changes no reply's cycle. */
#include "dram_bench.h"

/* The checker's state: the last cycle of each event. All times begin far in the past. */
struct checker {
	int64_t activate[BANKS], precharge[BANKS], read[BANKS], write[BANKS];
	int64_t any_activate, any_read, any_write, group_column[4], group_read[4];
	uint32_t row[BANKS];
	bool open[BANKS];
};

static void expect_apart(const char *what, int64_t before, int64_t now, uint32_t least)
{
	if (now - before < (int64_t)least)
		fail_msg("%s: commands at %lld and %lld, which must be %u apart", what, (long long)before,
		         (long long)now, least);
}

static void check_row_command(struct checker *c, char what, uint32_t bank, uint32_t row, int64_t now)
{
	if (what == 'A') {
		assert_false(c->open[bank]);
		expect_apart("tRP", c->precharge[bank], now, RP);
		expect_apart("tRC", c->activate[bank], now, RC);
		expect_apart("tRRD", c->any_activate, now, RRD);
		c->activate[bank] = c->any_activate = now;
		c->row[bank] = row;
	} else {
		assert_true(c->open[bank]);
		expect_apart("tRAS", c->activate[bank], now, RAS);
		expect_apart("tRTP", c->read[bank], now, RTP);
		expect_apart("tRTPL", c->group_read[bank / 4], now, RTPL);
		expect_apart("tWTP", c->write[bank], now, WTP);
		c->precharge[bank] = now;
	}
	c->open[bank] = what == 'A';
}

static void check_column_command(struct checker *c, bool is_write, uint32_t bank, uint32_t row, int64_t now)
{
	assert_true(c->open[bank]);
	assert_int_equal(c->row[bank], row);
	expect_apart(is_write ? "tRCDWR" : "tRCD", c->activate[bank], now, is_write ? RCDWR : RCD);
	expect_apart("tCCD", c->any_read > c->any_write ? c->any_read : c->any_write, now, CCD);
	expect_apart("tCCDL", c->group_column[bank / 4], now, CCDL);
	if (is_write) {
		expect_apart("tRTW", c->any_read, now, RTW);
		c->write[bank] = c->any_write = now;
	} else {
		expect_apart("tWTR", c->any_write, now, WTR);
		c->read[bank] = c->any_read = c->group_read[bank / 4] = now;
	}
	c->group_column[bank / 4] = now;
}

/* Finds the bank of this cycle's command by the state that changed, and checks the command. */
static void check_cycle(struct checker *c, const struct bench *bench, struct request *const *request, uint32_t requests,
                        uint32_t *sent, int64_t now)
{
	for (uint32_t b = 0; b < BANKS; b++) {
		const struct dram_bank *bank = &bench->channel.bank[b];
		if (bank->active != c->open[b])
			check_row_command(c, bank->active ? 'A' : 'P', b, bank->open_row, now);
	}
	for (uint32_t i = 0; i < requests; i++) {
		const struct request *r = request[i];
		if (r->dram_sent == sent[i])
			continue;
		sent[i] = r->dram_sent;
		check_column_command(c, r->is_write, r->bank, r->row, now);
	}
}

/* Random traffic: reads and writes of lines, in few rows of all banks, half of them urgent. Every pair of commands
 * keeps every distance, and every request has a reply. Sleep changes no reply's cycle: both modes run with the same
 * random numbers, and the sums of the reply cycles agree. */
static void test_random_traffic(void **state)
{
	enum { REQUESTS = 400, LIMIT = 40000 };
	static const int64_t past = -1000000;
	struct bench bench;
	struct request *request[REQUESTS];
	uint32_t sent[REQUESTS] = {0}, made = 0, answered = 0;
	uint64_t seed = 11, sum = 0;
	struct checker c;
	int64_t *time = (int64_t *)&c;
	for (size_t i = 0; i < offsetof(struct checker, row) / sizeof *time; i++)
		time[i] = past;
	memset(c.row, 0, sizeof c.row);
	memset(c.open, 0, sizeof c.open);
	open_bench(&bench, state, timings());
	while (answered < REQUESTS && bench.cycle < LIMIT) {
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		uint32_t dice = (uint32_t)(seed >> 33);
		/* every other 500 cycles all requests come at once, otherwise few */
		bool burst = bench.cycle / 500 % 2;
		if (made < REQUESTS && dice % (burst ? 2 : 40) == 0 &&
		    port_room(&bench.channel.from_l2[made % 2], bench.cycle)) {
			request[made] = make(&bench, dice >> 8 & 1, dice >> 9 & 15, dice >> 13 & 3);
			request[made]->slice = (uint16_t)(made % 2);
			request[made]->dram_bytes = ATOM << (dice >> 15 & 1);
			request[made]->urgent = dice >> 16 & 1;
			push(&bench, request[made++]);
		}
		int64_t now = (int64_t)bench.cycle;
		bench.commands = 0;
		tick(&bench);
		check_cycle(&c, &bench, request, made, sent, now);
		for (uint32_t s = 0; s < SLICES; s++)
			if (port_front(&bench.to_l2[s], bench.cycle)) {
				port_pop(&bench.to_l2[s], bench.cycle);
				sum += bench.cycle * (++answered);
			}
	}
	assert_int_equal(answered, REQUESTS);
	assert_int_equal(bench.channel.shared_credits, 16 + 16 - 1);
	static uint64_t sum_of_first_way;
	if (!*state)
		sum_of_first_way = sum;
	else
		assert_int_equal(sum, sum_of_first_way);
	arena_free(&bench.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {BOTH_WAYS(test_random_traffic)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
