/* dram_bench: one memory channel. The test is its slices and records its commands. */
#ifndef SLUICE_TESTS_DRAM_BENCH_H
#define SLUICE_TESTS_DRAM_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "memory/dram.h"

enum {
	ATOM = 64,
	LATENCY = 5,
	CCD = 2,
	CCDL = 3,
	RRD = 6,
	RCD = 12,
	RCDWR = 7,
	RAS = 28,
	RP = 13,
	RC = 50, /* longer than RAS + RP, so that it is visible */
	CL = 14,
	WL = 4,
	RTW = 16,
	WTR = 11,
	RTP = 8,
	RTPL = 10,
	WTP = 18,
	FIRST = 1 + LATENCY + 1, /* from the push to the first command */
	SEEN = 2,                /* from the last data to the cycle in which the slice sees the reply */
	SLICES = 2,
	BANKS = 16,
	MAX_COMMANDS = 64,
};

struct command {
	char what; /* Activate, Precharge, Read, Write */
	uint64_t at;
};

struct bench {
	struct arena arena;
	struct request_pool pool;
	struct dram_channel channel;
	struct port to_l2[SLICES];
	uint64_t wake, cycle;
	uint64_t l2_period; /* in DRAM cycles */
	bool sleeps;        /* ticks only when the channel has requested it */
	struct command command[MAX_COMMANDS];
	uint32_t commands;
};

static inline struct dram_config timings(void)
{
	return (struct dram_config){.queue = 16,
	                            .urgent_limit = 4,
	                            .return_queue = 16,
	                            .atom_bytes = ATOM,
	                            .burst_cycles = 2,
	                            .bank_groups = 4,
	                            .latency = LATENCY,
	                            .ccd = CCD,
	                            .ccd_long = CCDL,
	                            .rrd = RRD,
	                            .rcd = RCD,
	                            .rcd_write = RCDWR,
	                            .ras = RAS,
	                            .rp = RP,
	                            .rc = RC,
	                            .cl = CL,
	                            .wl = WL,
	                            .rtw = RTW,
	                            .wtr = WTR,
	                            .rtp = RTP,
	                            .rtp_long = RTPL,
	                            .wtp = WTP};
}

static inline void open_bench(struct bench *bench, void **state, struct dram_config config)
{
	struct address_map map = {.slices_per_channel = SLICES, .banks = BANKS};
	*bench = (struct bench){.wake = UINT64_MAX, .l2_period = 1, .sleeps = *state != NULL};
	bench->pool.arena = &bench->arena;
	dram_open(&bench->channel, &config, &map, &bench->pool, 1, bench->l2_period, &bench->arena);
	for (uint32_t i = 0; i < SLICES; i++) {
		dram_open_port(&bench->channel, i, 32, &bench->arena);
		port_open(&bench->to_l2[i], &bench->arena, 32, &bench->wake);
		bench->channel.to_l2[i] = &bench->to_l2[i];
	}
}

static inline struct request *make(struct bench *bench, bool is_write, uint32_t bank, uint32_t row)
{
	struct request *request = request_new(&bench->pool);
	request->kind = is_write ? REQUEST_WRITE : REQUEST_READ;
	request->is_write = is_write;
	request->bank = (uint8_t)bank;
	request->row = row;
	request->dram_bytes = ATOM;
	return request;
}

static inline struct request *push(struct bench *bench, struct request *request)
{
	port_push(&bench->channel.from_l2[request->slice], request, bench->cycle);
	return request;
}

static inline struct request *read_row(struct bench *bench, uint32_t bank, uint32_t row)
{
	return push(bench, make(bench, false, bank, row));
}

static inline struct request *write_row(struct bench *bench, uint32_t bank, uint32_t row)
{
	return push(bench, make(bench, true, bank, row));
}

static inline void note(struct bench *bench, char what, uint64_t before, uint64_t after)
{
	if (before == after)
		return;
	assert_int_equal(after, before + 1);
	assert_true(bench->commands < MAX_COMMANDS);
	bench->command[bench->commands++] = (struct command){what, bench->cycle};
}

/* Simulates one cycle and records its command. A cycle has at most one command, or one row and one column command. */
static inline void tick(struct bench *bench)
{
	struct dram_stats before = bench->channel.stats, *after = &bench->channel.stats;
	uint32_t commands = bench->commands;
	/* the next L2 cycle, which the GPU passes */
	uint64_t l2_cycle = (bench->cycle + bench->l2_period - 1) / bench->l2_period;
	if (!bench->sleeps || bench->channel.wake <= bench->cycle)
		dram_tick(&bench->channel, bench->cycle, l2_cycle, bench->cycle);
	note(bench, 'A', before.activates, after->activates);
	note(bench, 'P', before.precharges, after->precharges);
	assert_in_range(bench->commands - commands, 0, 1);
	uint32_t rows = bench->commands - commands;
	note(bench, 'R', before.reads, after->reads);
	note(bench, 'W', before.writes, after->writes);
	assert_in_range(bench->commands - commands - rows, 0, 1);
	assert_in_range(bench->commands - commands, 0, bench->channel.config.row_beside_column || bench->channel.config.dual_bus ? 2 : 1);
	bench->cycle++;
}

static inline void run_to(struct bench *bench, uint64_t cycle)
{
	while (bench->cycle < cycle)
		tick(bench);
}

/* Runs until the channel is idle and compares the commands. */
static inline void expect_commands(struct bench *bench, const struct command *want, uint32_t count)
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
static inline void expect_answer(struct bench *bench, const struct request *request, uint64_t cycle)
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

#define BOTH_WAYS(test) cmocka_unit_test(test), cmocka_unit_test_prestate(test, "sleeps")

#endif
