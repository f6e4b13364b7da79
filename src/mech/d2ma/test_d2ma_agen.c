/* Protects address generation, in closed form: the segments requested in each cycle, for each shape, segment size
 * and rate. Random transfers must request or write each element once, at its address. Also covers the effects of
 * MSHRs and of the order of transfers. */
#include "d2ma_kit.h"

/* From a command's issue: it reaches the engine, is taken, its first address is generated, and the machine handles
 * the request. */
enum { LATENCY = 4, TO_SEND = LATENCY + 2 };

/* Runs only the transfers, without instructions that need them. */
static void transfer(struct gpu_kit *kit, const char *mechanism, const char *commands)
{
	char body[2048];
	OPEN(kit, mechanism, "sm.send_queue=16", "l1d.mshrs=128");
	snprintf(body, sizeof body, "%s%s\n%s", BEGIN, commands, WAIT(1000, "again") "exit;");
	run_body(kit, body, WARP);
	assert_int_equal(engine_counter(kit, "completed"), engine_counter(kit, "transfers"));
	assert_int_equal(engine_counter(kit, "transfer_cycles"), engine_counter(kit, "queued_cycles") +
	                                                                 engine_counter(kit, "agen_cycles") +
	                                                                 engine_counter(kit, "mem_cycles"));
	kit_requests(kit, 0);
}

static int by_cycle(const void *one, const void *other)
{
	uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
	return (a > b) - (a < b);
}

/* Checks that requests are sent `apart` cycles apart, beginning with a command's first. */
static void check_sent(uint32_t count, uint32_t apart)
{
	assert_int_equal(engine.replies, count);
	qsort(engine.sent, count, sizeof engine.sent[0], by_cycle);
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(engine.sent[i], spy.command[0] + TO_SEND + (uint64_t)apart * i);
}

static void test_rates(void **state)
{
	static const struct {
		const char *mechanism, *command;
		uint32_t requests, apart,
			pieces; /* pieces: cycles of address generation, except the one that takes the transfer */
	} row[] = {
		{"d2ma", "dma_flat 0, 0, %rd0, 320;", 10, 1, 10},
		{"d2ma:interval=3", "dma_flat 0, 0, %rd0, 320;", 10, 3, 30},
		{"d2ma:segment=64", "dma_flat 0, 0, %rd0, 320;", 20, 1, 20},
		{"d2ma:segment=32", "dma_flat 0, 0, %rd0, 64;", 8, 1,
	         8}, /* a slice cannot serve more requests at that rate */
		{"d2ma", "add.u64 %rd1, %rd0, 64; dma_flat 0, 0, %rd1, 32;", 2, 1, 2}, /* not aligned to segments */
		{"d2ma", "dma_strided 0, 0, %rd0, 64, 4;", 8, 8, 64},                  /* eight elements per segment */
		{"d2ma", "dma_strided 0, 0, %rd0, 16, 32;", 16, 1, 16},                /* one per segment */
		{"d2ma", "dma_strided 0, 0, %rd0, 20, 100;", 20, 1, 20},               /* less than one per segment */
		{"d2ma:segment=32", "dma_strided 0, 0, %rd0, 64, 4;", 32, 2, 64},
		{"d2ma", "dma_matrix 0, 0, %rd0, 16, 32, 256;", 16, 1, 16},
		{"d2ma", "dma_matrix 0, 0, %rd0, 4, 64, 256;", 8, 1, 8},
		{"d2ma", "dma_matrix 0, 0, %rd0, 8, 16, 16;", 4, 2, 8}, /* two lines per segment */
	};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct gpu_kit kit;
		transfer(&kit, row[i].mechanism, row[i].command);
		check_sent(row[i].requests, row[i].apart);
		assert_int_equal(engine_counter(&kit, "segments"), row[i].requests);
		assert_int_equal(engine_counter(&kit, "agen_cycles"), 1 + row[i].pieces);
		assert_int_equal(engine_counter(&kit, "queued_cycles"), 0);
		assert_int_equal(engine_counter(&kit, "agen_kept_cycles"), 0);
		kit_close(&kit);
	}
}

/* A segment of four bytes is one word. */
static void test_words(void **state)
{
	struct gpu_kit kit;
	(void)state;
	transfer(&kit, "d2ma", "dma_type 1; dma_flat 0, 16, %rd0, 64;");
	assert_int_equal(engine.replies, 1);
	assert_int_equal(engine.request[0].words, 16);
	kit_close(&kit);
}

/* A command reaches the engine `latency` cycles later. */
static void test_latency(void **state)
{
	struct gpu_kit kit;
	(void)state;
	transfer(&kit, "d2ma:latency=40", "dma_flat 0, 0, %rd0, 32;");
	assert_int_equal(engine.sent[0], spy.command[0] + 40 + 2);
	kit_close(&kit);
}

/* Constants are written after the requests, a bank's width at a time. In the corner of a 6 x 6 tile with a halo of
 * one, 8 + 7 of 64 elements are constant. */
static void test_constants(void **state)
{
	struct gpu_kit kit;
	(void)state;
	transfer(&kit, "d2ma", "add.u64 %rd1, %rd0, 4096; dma_halo 0, 1, 1, 1, 7; dma_matrix 0, 0, %rd1, 6, 6, 64;");
	assert_int_equal(engine_counter(&kit, "constants"), 15);
	assert_int_equal(engine_counter(&kit, "segments"), 7); /* one line each, from the sixth element on */
	assert_int_equal(engine_counter(&kit, "agen_cycles"), 1 + 7 + 1);
	assert_int_equal(engine.replies, 8);
	assert_int_equal(engine.request[0].to, MECH_WRITE_SHARED); /* written before the data from memory arrive */
	assert_int_equal(engine.request[0].words, 15);
	assert_int_equal(engine.sent[0], spy.command[0] + TO_SEND + 7);
	kit_close(&kit);
	transfer(&kit, "d2ma", "dma_halo 0, 8, 8, 1, 7; dma_matrix 0, 0, %rd0, 8, 8, 64;");
	assert_int_equal(engine_counter(&kit, "constants"), 8 * 24 + 16 * 8);
	/* ten writes: each occupies the banks in the cycle after it is taken, and delays the next one */
	assert_int_equal(engine_counter(&kit, "agen_cycles"), 1 + 16 + 2 * (10 - 1));
	kit_close(&kit);
}

/* --- every element --- */

static uint64_t seed;

static uint32_t below(uint32_t bound)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(((seed >> 33) * bound) >> 31);
}

struct shape {
	uint32_t bytes, lines, length, pitch, halo_lines, halo_length, region, each, shared;
	uint64_t offset;
};

static struct shape random_shape(void)
{
	struct shape s = {.bytes = 1u << below(4),
	                  .lines = 1 + below(12),
	                  .length = 1 + below(40),
	                  .halo_lines = below(3),
	                  .halo_length = below(4),
	                  .region = 1 + below(9),
	                  .each = below(2) ? 1 + below(40) : 0};
	s.pitch = s.length + 2 * s.halo_length + below(80);
	s.offset = (65536 + below(4096)) / 8 * 8 + s.bytes * below(8);
	s.shared = 8 * below(20);
	if (s.each)
		s.halo_lines = s.halo_length = 0, s.region = 9;
	return s;
}

/* Writes the command of a matrix as text, and returns the transfer that simt derives from it. */
static struct dma_transfer describe(const struct shape *s, char *text, size_t size)
{
	struct dma_warp warp = {.element_bytes = s->bytes};
	struct dma_transfer none;
	int at = snprintf(text, size, "dma_type %u; add.u64 %%rd1, %%rd0, %u;", s->bytes, (unsigned)s->offset);
	memset(&none, 0, sizeof none);
	if (s->each) {
		dma_set_parameters(&warp, DMA_SPACED, (uint64_t[DMA_MAX_FIELDS]){0, s->each});
		at += snprintf(text + at, size - (size_t)at, "dma_spaced 0, %u;", s->each);
	} else {
		dma_set_parameters(&warp, DMA_HALO,
		                   (uint64_t[DMA_MAX_FIELDS]){0, s->halo_lines, s->halo_length, s->region, 1});
		at += snprintf(text + at, size - (size_t)at, "dma_halo 0, %u, %u, %u, 1;", s->halo_lines,
		               s->halo_length, s->region);
	}
	snprintf(text + at, size - (size_t)at, "dma_matrix 0, %u, %%rd1, %u, %u, %u;", s->shared, s->lines, s->length,
	         s->pitch);
	return dma_transfer_of(&warp, DMA_MATRIX,
	                       (uint64_t[DMA_MAX_FIELDS]){0, s->shared, s->offset, s->lines, s->length, s->pitch},
	                       &none);
}

/* Returns how often a word is written by requests for a segment, or as a constant. */
static uint32_t times(bool constant, uint64_t segment, uint32_t word)
{
	uint32_t found = 0;
	for (uint32_t i = 0; i < engine.replies; i++) {
		const struct mech_request *request = &engine.request[i];
		if (constant != (request->to == MECH_WRITE_SHARED) || (!constant && request->address != segment))
			continue;
		for (uint32_t k = 0; k < request->words; k++)
			found += engine.word[i][k] == word;
	}
	return found;
}

static void check_elements(const struct dma_transfer *t, uint64_t base, uint32_t segment)
{
	uint64_t element = 0, words = 0, needed = 0;
	static uint8_t seen[2][8192];
	memset(seen, 0, sizeof seen);
	for (uint32_t line = 0; line < dma_lines(t); line++)
		for (uint32_t at = 0; at < dma_length(t); at++, element++) {
			bool constant = dma_is_constant(t, line, at);
			uint64_t from = constant ? 0 : (base + dma_source(t, line, at)) & ~(uint64_t)(segment - 1);
			uint32_t first = (uint32_t)dma_place(t, element) / 4;
			for (uint32_t w = first; w <= (dma_place(t, element) + t->element_bytes - 1) / 4; w++) {
				assert_true(times(constant, from, w) >= 1);
				needed += !seen[constant][w];
				seen[constant][w] = 1;
			}
		}
	for (uint32_t i = 0; i < engine.replies; i++)
		words += engine.request[i].words;
	if (t->element_bytes >= 4)
		assert_int_equal(words, needed); /* smaller elements share words between segments or requests */
}

static void test_every_element(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < 150; round++) {
		struct gpu_kit kit;
		char text[512], mechanism[32];
		seed = round + 1;
		const struct shape shape = random_shape();
		const struct dma_transfer t = describe(&shape, text, sizeof text);
		uint32_t segment = 128u >> below(3);
		snprintf(mechanism, sizeof mechanism, "d2ma:segment=%u", segment);
		transfer(&kit, mechanism, text);
		check_elements(&t, kit.param, segment);
		assert_int_equal(engine_counter(&kit, "bytes"), dma_elements(&t) * t.element_bytes);
		kit_close(&kit);
	}
}

/* --- limits --- */

/* With one MSHR, a request waits for the previous reply. With the engine's own MSHRs, it does not. */
static void test_mshrs(void **state)
{
	struct gpu_kit kit;
	(void)state;
	OPEN(&kit, "d2ma", "sm.send_queue=16", "l1d.mshrs=1");
	run_body(&kit, BEGIN "dma_flat 0, 0, %rd0, 96;\n" WAIT(1000, "again") "exit;", WARP);
	assert_int_equal(engine.replies, 3);
	assert_int_equal(engine.sent[1], engine.answered[0]);
	assert_int_equal(engine.sent[2], engine.answered[1]);
	/* the second waits in the queue; the third waits in the engine until the second has left */
	assert_int_equal(engine_counter(&kit, "agen_kept_cycles"), engine.sent[1] - (engine.sent[0] + 1));
	kit_close(&kit);
	OPEN(&kit, "d2ma:mshrs=2", "sm.send_queue=16", "l1d.mshrs=1");
	run_body(&kit, BEGIN "dma_flat 0, 0, %rd0, 96;\n" WAIT(1000, "again") "exit;", WARP);
	assert_int_equal(engine.sent[1], engine.sent[0] + 1);
	assert_int_equal(engine.sent[2], engine.answered[0] + 1);
	kit_close(&kit);
}

/* Three transfers wait during the first one's address generation. The requests' tags identify the transfer. */
static void test_orders(void **state)
{
	static const struct {
		const char *mechanism;
		uint32_t buffer[4];
	} row[] = {{"d2ma", {3, 1, 0, 2}},
	           {"d2ma:order=youngest", {3, 2, 0, 1}},
	           {"d2ma:order=round_robin", {3, 0, 1, 2}}};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct gpu_kit kit;
		uint64_t first[4] = {MECH_NEVER, MECH_NEVER, MECH_NEVER, MECH_NEVER};
		transfer(&kit, row[i].mechanism,
		         "dma_strided 3, 0, %rd0, 200, 1; dma_flat 1, 1024, %rd0, 64; dma_flat 0, 2048, %rd0, 64;\n"
		         "dma_flat 2, 3072, %rd0, 64;");
		for (uint32_t r = 0; r < engine.replies; r++) {
			uint32_t buffer = engine.request[r].tag % DMA_BUFFERS;
			first[buffer] = engine.sent[r] < first[buffer] ? engine.sent[r] : first[buffer];
		}
		for (uint32_t k = 1; k < 4; k++)
			assert_true(first[row[i].buffer[k - 1]] < first[row[i].buffer[k]]);
		/* the second is taken in the cycle in which the first is done: one cycle to take it, then 200
		 * elements, a cycle each */
		assert_int_equal(first[row[i].buffer[1]], spy.command[0] + LATENCY + 1 + 200 + 1 + 1);
		kit_close(&kit);
	}
}

/* The buffer whose transfer ends is the last in turn, even if its next transfer waits already. */
static void test_turns(void **state)
{
	struct gpu_kit kit;
	uint64_t first[4] = {0, MECH_NEVER, MECH_NEVER, MECH_NEVER}; /* by transfer */
	(void)state;
	transfer(&kit, "d2ma:order=round_robin,latency=0,interval=64",
	         "dma_strided 0, 0, %rd0, 12, 1; dma_flat 1, 1024, %rd0, 64; dma_execute 0, 2048, %rd0;");
	for (uint32_t r = 0; r < engine.replies; r++) {
		uint32_t serial = (uint32_t)(engine.request[r].tag / DMA_BUFFERS);
		assert_in_range(serial, 1, 3);
		first[serial] = engine.sent[r] < first[serial] ? engine.sent[r] : first[serial];
	}
	assert_true(first[1] < first[2] && first[2] < first[3]);
	kit_close(&kit);
}

/* Requests carry their priority over demand. They use none of L1's MSHRs if the engine has its own. */
static void test_requests(void **state)
{
	(void)state;
	for (uint32_t own = 0; own < 2; own++) {
		struct gpu_kit kit;
		transfer(&kit, own ? "d2ma:mshrs=4,before_demand=yes" : "d2ma", "dma_flat 2, 256, %rd0, 64;");
		for (uint32_t i = 0; i < engine.replies; i++) {
			assert_int_equal(engine.request[i].before_demand, own);
			assert_int_equal(engine.request[i].no_mshr, own);
			assert_int_equal(engine.request[i].bytes, LINE);
			assert_int_equal(engine.request[i].pc, MECH_NO_PC);
		}
		kit_close(&kit);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rates),     cmocka_unit_test(test_words),         cmocka_unit_test(test_latency),
		cmocka_unit_test(test_constants), cmocka_unit_test(test_every_element), cmocka_unit_test(test_mshrs),
		cmocka_unit_test(test_orders),    cmocka_unit_test(test_turns),         cmocka_unit_test(test_requests),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
