/* Protects the texture unit: its times in closed form, its queues one by one, and its counters.
 * The texture has 32-bit texels in linear memory that hold 0, so chains of reads stay at one texel. The texture cache
 * is flushed at a kernel's end. */
#include "gpu_kit.h"

#include "simt/texture.h"

#define ONE_SM "sm.count=1", "l1i.sets=64"
enum {
	WARP = 32,
	TEXELS = 1 << 16,
	LINE = 32, /* texels */
	/* Issue to access: t, collectors t + 1, one cycle per operand (two: the handle and the coordinate), then the
	 * load/store unit. From there one cycle to the results, one to the write-back register and one to the bank. */
	HIT = 1 + 1 + 2 + 1 + 3,
};

struct texture_kit {
	struct gpu_kit kit;
	struct textures textures;
};

/* Opens a machine with the texture as the kernel's parameter. */
static void open_kit(struct texture_kit *t, const char *const *options)
{
	kit_open(&t->kit, options);
	t->textures = (struct textures){0};
	t->kit.param = textures_add(&t->textures);
	const struct texture_image image = {.address = simt_alloc(t->kit.gpu->memory, 4 * TEXELS),
	                                    .width = TEXELS,
	                                    .height = 1,
	                                    .depth = 1,
	                                    .layers = 1,
	                                    .levels = 1,
	                                    .dimensions = 1,
	                                    .channels = 1,
	                                    .channel_bytes = 4,
	                                    .channel = TEXTURE_SIGNED,
	                                    .pitch = 4 * TEXELS};
	const struct texture_sampler sampler = {.outside = {TEXTURE_BORDER}};
	texture_bind(texture_find(&t->textures, t->kit.param), &image, &sampler);
	t->kit.textures = &t->textures;
}

#define OPEN(t, ...) open_kit(t, (const char *const[]){__VA_ARGS__, NULL})

static void close_kit(struct texture_kit *t)
{
	textures_free(&t->textures);
	kit_close(&t->kit);
}

#define READ "tex.1d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [%rd0, {%r1}];"

/* Returns the cost of a read that waits for the previous one and hits its line. */
static uint64_t link_cost(struct texture_kit *t, const char *before)
{
	return kit_cost(&t->kit, before, READ, 10, WARP) / 10;
}

static void test_hit(void **state)
{
	static const uint32_t latency[] = {0, 1, 40, 300};
	(void)state;
	for (size_t i = 0; i < sizeof latency / sizeof *latency; i++) {
		struct texture_kit t;
		char option[64];
		snprintf(option, sizeof option, "l1t.latency=%u", latency[i]);
		OPEN(&t, ONE_SM, option);
		assert_int_equal(link_cost(&t, "mov.u32 %r1, 0;"), HIT + latency[i]);
		const struct cache_stats *stats = &t.kit.run.stats.l1t;
		assert_int_equal(stats->accesses, 20);
		assert_int_equal(stats->misses, 1);
		assert_int_equal(stats->hits, 19);
		assert_int_equal(stats->refused, 0);
		assert_int_equal(t.kit.run.stats.sm.texture_reads, 20);
		close_kit(&t);
	}
}

/* A warp's lanes in several lines: one access per cycle, one reply per cycle. The chain preserves each lane's line: the
 * texel holds its position. */
static void test_lines_of_a_read(void **state)
{
	(void)state;
	for (uint32_t lines = 1; lines <= WARP; lines *= 2) {
		struct texture_kit t;
		char before[128];
		OPEN(&t, ONE_SM);
		uint32_t *texel = simt_host(t.kit.gpu->memory, t.textures.texture[0]->image.address);
		for (uint32_t i = 0; i < TEXELS; i++)
			texel[i] = i;
		snprintf(before, sizeof before, "mov.u32 %%r1, %%tid.x; mul.lo.u32 %%r1, %%r1, %u;", lines);
		assert_int_equal(link_cost(&t, before), HIT + lines - 1);
		assert_int_equal(t.kit.run.stats.l1t.accesses, 20 * lines);
		assert_int_equal(t.kit.run.stats.l1t.misses, lines);
		close_kit(&t);
	}
}

/* When all lanes are outside, they read the border: no access, and no time beyond the load/store unit. */
static void test_border_reads_nothing(void **state)
{
	(void)state;
	struct texture_kit t;
	OPEN(&t, ONE_SM);
	kit_time(&t.kit, "mov.u32 %r1, -5;", "tex.1d.v4.s32.s32 {%r2, %r3, %r4, %r5}, [%rd0, {%r1}];", 10, "", WARP);
	assert_int_equal(t.kit.run.stats.l1t.accesses, 0);
	assert_int_equal(t.kit.run.stats.sm.texture_reads, 10);
	close_kit(&t);
}

/* Warps that read a line while it is under way request it once. */
static void test_reads_behind_a_miss(void **state)
{
	(void)state;
	struct texture_kit t;
	OPEN(&t, ONE_SM);
	kit_load_repeated(&t.kit, "mov.u32 %r1, 0;", READ, 1, "");
	kit_run(&t.kit, 1, 8 * WARP);
	const struct cache_stats *stats = &t.kit.run.stats.l1t;
	assert_int_equal(stats->accesses, 8);
	assert_int_equal(stats->misses, 1);
	assert_int_equal(stats->merged, 7);
	assert_int_equal(stats->fills, 1);
	assert_int_equal(t.kit.run.stats.l2.read_accesses - t.kit.run.stats.l1i.misses - t.kit.run.stats.l1c.misses, 1);
	close_kit(&t);
}

/* Replies keep the order of their accesses. A hit after a miss waits for the miss's line; a hit before it does not. */
static void test_order(void **state)
{
	static const char before[] = "mov.u32 %r1, 0; " READ " mov.u32 %r7, 4096; add.u32 %r7, %r7, %r1;";
	static const char miss[] = "tex.1d.v4.s32.s32 {%r8, %r9, %r10, %r11}, [%rd0, {%r7}];";
	uint64_t cost[2];
	(void)state;
	for (uint32_t behind = 0; behind < 2; behind++) {
		char text[1024];
		struct texture_kit t;
		OPEN(&t, ONE_SM);
		uint64_t time = simt_alloc(t.kit.gpu->memory, 8);
		snprintf(text, sizeof text,
		         "%s mov.u64 %%rd6, %llu; %s %s add.u32 %%r12, %%r1, 1; mov.u64 %%rd5, %%clock64;\n"
		         "st.global.u64 [%%rd6], %%rd5; exit;",
		         before, (unsigned long long)time, behind ? miss : READ, behind ? READ : miss);
		kit_load(&t.kit, text);
		kit_run(&t.kit, 1, WARP);
		kit_run(&t.kit, 1, WARP);
		cost[behind] = *(const uint64_t *)simt_host(t.kit.gpu->memory, time);
		close_kit(&t);
	}
	assert_true(cost[1] > cost[0] + 100);
}

/* One entry for accesses that wait: the next access enters when the latency of the first is over. */
static void test_fragments_full(void **state)
{
	(void)state;
	for (uint32_t places = 1; places <= 4; places *= 2) {
		struct texture_kit t;
		char option[64];
		snprintf(option, sizeof option, "l1t.fragments=%u", places);
		OPEN(&t, ONE_SM, "l1t.latency=15", option);
		uint32_t *texel = simt_host(t.kit.gpu->memory, t.textures.texture[0]->image.address);
		for (uint32_t i = 0; i < TEXELS; i++)
			texel[i] = i;
		/* eight lines, in groups of `places`, 16 cycles apart */
		assert_int_equal(link_cost(&t, "mov.u32 %r1, %tid.x; mul.lo.u32 %r1, %r1, 8;"),
		                 HIT + 15 + 16 * (8 / places - 1) + places - 1);
		assert_true(t.kit.run.stats.l1t.refused > 0);
		close_kit(&t);
	}
}

/* Each queue in turn, at its minimum length: the statistics of the reads do not change, and refused accesses are
 * retried. */
static void test_short_queues(void **state)
{
	static const char *const option[] = {"l1t.requests=1", "l1t.lines=1", "l1t.results=1", "l1t.fragments=1"};
	(void)state;
	for (size_t i = 0; i < sizeof option / sizeof *option; i++) {
		struct texture_kit t;
		OPEN(&t, ONE_SM, option[i]);
		kit_load_repeated(&t.kit, "mov.u32 %r1, %tid.x; mul.lo.u32 %r1, %r1, 32;", READ, 1, "");
		kit_run(&t.kit, 1, 4 * WARP);
		assert_int_equal(t.kit.run.stats.l1t.accesses, 4 * WARP);
		assert_int_equal(t.kit.run.stats.l1t.misses, 4 * WARP);
		assert_int_equal(t.kit.run.stats.l1t.fills, 4 * WARP);
		if (strcmp(option[i], "l1t.results=1") != 0)
			assert_true(t.kit.run.stats.l1t.refused > 0);
		close_kit(&t);
	}
}

/* 12 KB hold 96 lines. With least-recently-used replacement, a loop over 100 lines hits none of them in its next
 * iteration. */
static void test_capacity(void **state)
{
	static const struct {
		uint32_t lines, hits;
	} row[] = {{96, 96}, {100, 0}};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct texture_kit t;
		char body[1024];
		OPEN(&t, ONE_SM);
		snprintf(body, sizeof body,
		         "mov.u32 %%r5, 0;\n"
		         "round: mov.u32 %%r6, 0;\n"
		         "again: mul.lo.u32 %%r1, %%r6, %d;\n%s\n"
		         "add.u32 %%r6, %%r6, 1; add.u32 %%r6, %%r6, %%r1;\n"
		         "setp.lt.u32 %%p1, %%r6, %u; @%%p1 bra again;\n"
		         "add.u32 %%r5, %%r5, 1; setp.lt.u32 %%p1, %%r5, 2; @%%p1 bra round;\nexit;",
		         LINE, READ, row[i].lines);
		kit_load(&t.kit, body);
		kit_run(&t.kit, 1, WARP);
		assert_int_equal(t.kit.run.stats.l1t.accesses, 2 * row[i].lines);
		assert_int_equal(t.kit.run.stats.l1t.hits, row[i].hits);
		close_kit(&t);
	}
}

/* The oldest warp waits for a texture read. On a hit the CPI stack charges the texture cache, otherwise the level that
 * supplied the data. */
static void test_cycle_stack(void **state)
{
	(void)state;
	struct texture_kit t;
	OPEN(&t, ONE_SM, "l1t.latency=100");
	kit_time(&t.kit, "mov.u32 %r1, 0;", READ, 10, "", WARP);
	uint64_t hits = t.kit.run.stats.sm.stack_texture;
	kit_time(&t.kit, "mov.u32 %r1, 0;", READ, 20, "", WARP);
	/* a link except its issue cycle; of every second link, the last of a fetch, one cycle goes to the next fetch */
	assert_int_equal(t.kit.run.stats.sm.stack_texture - hits, 10 * (HIT + 100 - 1) - 10 / 2);
	assert_true(t.kit.run.stats.sm.stack_l2 + t.kit.run.stats.sm.stack_dram > 0);
	close_kit(&t);
}

/* Sleep during waits changes no statistic. */
static void test_sleep(void **state)
{
	uint64_t cycles[2];
	struct gpu_stats stats[2];
	(void)state;
	for (uint32_t sleeps = 0; sleeps < 2; sleeps++) {
		struct texture_kit t;
		OPEN(&t, "sm.count=2", sleeps ? "launch.sleep=true" : "launch.sleep=false", "l1t.latency=37",
		     "l1t.requests=2", "l1t.fragments=3", "l1t.results=1");
		kit_load_repeated(&t.kit,
		                  "mov.u32 %r1, %tid.x; mul.lo.u32 %r1, %r1, 9; mov.u32 %r7, %ctaid.x;\n"
		                  "mad.lo.u32 %r1, %r7, 777, %r1;",
		                  READ " add.u32 %r1, %r1, %r7; ", 6, "");
		cycles[sleeps] = kit_run(&t.kit, 12, 3 * WARP);
		stats[sleeps] = t.kit.run.stats;
		close_kit(&t);
	}
	assert_int_equal(cycles[0], cycles[1]);
	assert_memory_equal(&stats[0], &stats[1], sizeof stats[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hit),
		cmocka_unit_test(test_lines_of_a_read),
		cmocka_unit_test(test_border_reads_nothing),
		cmocka_unit_test(test_reads_behind_a_miss),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_fragments_full),
		cmocka_unit_test(test_short_queues),
		cmocka_unit_test(test_capacity),
		cmocka_unit_test(test_cycle_stack),
		cmocka_unit_test(test_sleep),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
