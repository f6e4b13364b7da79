/* slice_bench: an L2 slice. The test takes the part of the crossbars and the DRAM channel. */
#ifndef SLUICE_TESTS_SLICE_BENCH_H
#define SLUICE_TESTS_SLICE_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "memory/slice.h"

enum {
	LINE = 128,
	PORT_BYTES = 32,
	LINE_CYCLES = LINE / PORT_BYTES, /* cycles for which a line holds a port of L2 */
	DELAY = 7,
	ASKED = 1 + DELAY + 1,
	FILLED = 1, /* from DRAM's push to the fill */
	/* from a hit, or an entry in the cache's list of replies, through the reply queue into the crossbar */
	ANSWER = 1,
	TO_DRAM = 1,             /* from a miss to the port to DRAM */
	NEXT_LINE = 6 * 2 * 256, /* addresses this far apart are in one slice and pairwise in adjacent sets */
};

struct bench {
	struct arena arena;
	struct request_pool pool;
	struct address_map map;
	struct crossbar replies;
	struct slice slice;
	struct port to_dram;
	uint64_t wake, cycle;
	bool sleeps; /* ticks only when the slice has requested it */
};

static inline uint32_t to_sm(const void *user, const struct request *request)
{
	(void)user;
	return request->sm;
}

/* Opens a bench whose slice never sleeps, with space for 16 flits towards the reply crossbar. */
static inline void open_slice(struct bench *bench, const struct slice_config *config, uint32_t sectors,
                              uint32_t miss_queue, const struct address_map *map)
{
	struct cache_config cache = {.sectors = sectors,
	                             .sets = 4,
	                             .ways = 2,
	                             .line_bytes = LINE,
	                             .allocation = ALLOCATE_ON_MISS,
	                             .write = WRITE_BACK,
	                             .write_miss = WRITE_MISS_FETCH,
	                             .mshrs = 4,
	                             .merges = 4,
	                             .miss_queue = miss_queue,
	                             .port_bytes = PORT_BYTES};
	struct crossbar_config network = {
		.speedup = 1, .flit_bytes = 32, .injection_flits = 16, .buffer_flits = 8, .boundary_flits = 16};
	*bench = (struct bench){.map = *map, .wake = UINT64_MAX};
	bench->pool.arena = &bench->arena;
	address_map_open(&bench->map);
	crossbar_open(&bench->replies, &network, 1, 1, to_sm, &bench->arena);
	slice_open(&bench->slice, 0, config, &cache, &bench->map, &bench->pool, 1, &bench->arena);
	port_open(&bench->slice.entry.from_network, &bench->arena, 16, &bench->slice.entry.wake);
	port_open(&bench->to_dram, &bench->arena, config->to_dram_queue, &bench->wake);
	bench->to_dram.producer_wake = &bench->slice.wake;
	bench->replies.input[0].port.producer_wake = &bench->slice.wake;
	bench->slice.replies = &bench->replies;
	bench->slice.to_dram = &bench->to_dram;
}

/* Space for 8 requests in each queue. With a state, the slice sleeps. */
static inline void open_bench(struct bench *bench, void **state)
{
	struct slice_config config = {
		.delay = DELAY, .input_queue = 8, .reply_queue = 8, .to_dram_queue = 8, .from_dram_queue = 8};
	struct address_map map = {
		.channels = 6, .slices_per_channel = 2, .interleave_bits = 8, .banks = 16, .column_bits = 4};
	open_slice(bench, &config, 1, 8, &map);
	bench->sleeps = *state != NULL;
}

static inline void tick(struct bench *bench)
{
	struct slice *slice = &bench->slice;
	if (!bench->sleeps || slice->entry.wake <= bench->cycle)
		slice_entry_tick(slice, bench->cycle, bench->cycle);
	slice_look_at_entry(slice);
	if (!bench->sleeps)
		slice->next = 0; /* hides from the slice that it could sleep */
	if (!bench->sleeps || slice->wake <= bench->cycle)
		slice_tick(slice, bench->cycle, bench->cycle);
	bench->cycle++;
}

static inline void settle(struct bench *bench)
{
	slice_settle(&bench->slice, bench->cycle);
	slice_entry_settle(&bench->slice, bench->cycle);
}

static inline uint64_t in_delay_line(const struct bench *bench)
{
	return bench->slice.entry.entered - bench->slice.entry.left;
}

static inline void run_to(struct bench *bench, uint64_t cycle)
{
	while (bench->cycle < cycle)
		tick(bench);
}

/* Pushes a packet from the request crossbar in this cycle. */
static inline struct request *push(struct bench *bench, enum request_kind kind, uint64_t address, uint32_t bytes)
{
	struct request *request = request_new(&bench->pool);
	request->kind = (uint8_t)kind;
	request->is_write = kind == REQUEST_WRITE || kind == REQUEST_L1_WRITEBACK;
	request->address = address;
	request->bytes = bytes;
	address_map_place(&bench->map, request);
	port_push_packet(&bench->slice.entry.from_network, request, crossbar_flits(&bench->replies, request), 0,
	                 bench->cycle);
	return request;
}

/* Checks that the other end of a port sees this item (if NULL, some item) first at `cycle`. */
static inline struct request *expect(struct bench *bench, const struct port *port, const struct request *request,
                              uint64_t cycle)
{
	while (bench->cycle < cycle) {
		if (port_front(port, bench->cycle))
			fail_msg("seen at cycle %llu, not first at %llu", (unsigned long long)bench->cycle,
			         (unsigned long long)cycle);
		tick(bench);
	}
	struct request *seen = port_front(port, bench->cycle);
	assert_non_null(seen);
	if (request)
		assert_ptr_equal(seen, request);
	return seen;
}

/* Checks that the slice pushes the reply into the crossbar at `cycle`: it is visible one cycle later. Takes it. */
static inline void expect_reply(struct bench *bench, const struct request *request, uint64_t cycle)
{
	struct port *port = &bench->replies.input[0].port;
	struct request *seen = expect(bench, port, request, cycle + 1);
	assert_true(seen->is_reply);
	port_pop(port, bench->cycle);
}

/* Checks that the slice pushes this request towards DRAM at `cycle`. Takes it. */
static inline struct request *expect_to_dram(struct bench *bench, enum request_kind kind, uint64_t address, uint64_t cycle)
{
	struct request *seen = expect(bench, &bench->to_dram, NULL, cycle + 1);
	assert_int_equal(seen->kind, kind);
	assert_int_equal(seen->address, address);
	port_pop(&bench->to_dram, bench->cycle);
	return seen;
}

static inline void answer_from_dram(struct bench *bench, struct request *request)
{
	request->level = LEVEL_DRAM;
	port_push(&bench->slice.from_dram, request, bench->cycle);
}

/* Loads a line and lets the slice become idle. */
static inline void load(struct bench *bench, uint64_t address)
{
	uint64_t start = bench->cycle;
	struct request *request = push(bench, REQUEST_READ, address, LINE);
	answer_from_dram(bench, expect_to_dram(bench, REQUEST_READ, address, start + ASKED + TO_DRAM));
	expect_reply(bench, request, bench->cycle + FILLED + 1 + ANSWER);
	run_to(bench, bench->cycle + 50);
	request_release(&bench->pool, request);
}

#define BOTH_WAYS(test) cmocka_unit_test(test), cmocka_unit_test_prestate(test, "sleeps")

#endif
