/* prefetch_kit: measures the gain of a prefetcher into L1 between a run without it and one with a perfect L1: cycles
 * and misses of one kernel on one SM of gtx480-caps. */
#ifndef SLUICE_TESTS_PREFETCH_KIT_H
#define SLUICE_TESTS_PREFETCH_KIT_H

#include "gpu_kit.h"

enum { PREFETCH_WARP = 32, PREFETCH_BYTES = 1 << 22, PREFETCH_LOADS = 96 };

struct prefetch_run {
	uint64_t cycles, misses;
	struct mech_requests requests; /* of the first mechanism; all 0 without one */
};

struct prefetch_kernel {
	const char *body;
	uint32_t blocks, warps; /* per block */
	const char *option[4];  /* of the machine */
};

static inline void prefetch_attach(struct gpu_kit *kit, const char *mechanism)
{
	if (mechanism)
		kit_attach(kit, mechanism);
}

/* Measures the kernel with `mechanism` and one more option of the machine; both may be NULL. Returns the second of two
 * runs: the code is in the instruction cache and L1 is empty. */
static inline struct prefetch_run prefetch_measure(const struct prefetch_kernel *kernel, const char *mechanism,
                                                   const char *option)
{
	const char *options[8] = {"sm.count=1", "l1i.sets=256", "sm.flush_l1=true"};
	uint32_t count = 3;
	struct gpu_kit kit;
	struct prefetch_run run = {0};
	for (uint32_t i = 0; i < 4 && kernel->option[i]; i++)
		options[count++] = kernel->option[i];
	options[count++] = option;
	options[count] = NULL;
	kit_machine = "gtx480-caps";
	kit_describe(&kit, options);
	prefetch_attach(&kit, mechanism);
	kit_build(&kit);
	kit.param = kit_buffer(&kit, NULL, PREFETCH_BYTES / 8);
	kit_load(&kit, kernel->body);
	kit_run(&kit, kernel->blocks, kernel->warps * PREFETCH_WARP);
	run.cycles = kit_run(&kit, kernel->blocks, kernel->warps * PREFETCH_WARP);
	run.misses = kit.run.stats.l1d.misses;
	if (mechanism)
		run.requests = kit_requests(&kit, 0);
	kit_close(&kit);
	return run;
}

static inline uint64_t prefetch_perfect(const struct prefetch_kernel *kernel)
{
	return prefetch_measure(kernel, NULL, "sm.perfect_l1=true").cycles;
}

/* Returns the mechanism's share of the possible gain, from a run without it to one that always hits. */
static inline double prefetch_won(const struct prefetch_kernel *kernel, const char *mechanism)
{
	double without = (double)prefetch_measure(kernel, NULL, NULL).cycles, perfect = (double)prefetch_perfect(kernel);
	double with = (double)prefetch_measure(kernel, mechanism, NULL).cycles;
	return (without - with) / (without - perfect);
}

/* Writes PTX of `count` dependent additions. */
static inline const char *prefetch_chain(char *text, size_t size, uint32_t count)
{
	size_t at = 0;
	text[0] = '\0';
	for (uint32_t i = 0; i < count && at < size; i++)
		at += (size_t)snprintf(text + at, size - at, "add.u32 %%r20, %%r20, %%r21;\n");
	return text;
}

/* Writes a loop over PREFETCH_LOADS lines of each warp, with %r20 to compute from each. */
static inline const char *prefetch_loop(char *text, size_t size, const char *step, uint32_t additions)
{
	char chain[16384];
	snprintf(text, size,
	         "mov.u32 %%r1, %%tid.x; shr.u32 %%r2, %%r1, 5; mul.wide.u32 %%rd2, %%r2, 65536; and.b32 %%r1, %%r1, "
	         "31;\n"
	         "mul.wide.u32 %%rd1, %%r1, 4; add.u64 %%rd1, %%rd1, %%rd0; add.u64 %%rd1, %%rd1, %%rd2;\n"
	         "add.u64 %%rd1, %%rd1, 65536; mov.u32 %%r3, 0; mov.u32 %%r20, 0;\n"
	         "again: ld.global.u32 %%r21, [%%rd1]; %s add.u32 %%r3, %%r3, 1; setp.lt.u32 %%p1, %%r3, %d;\n"
	         "%s @%%p1 bra again; exit;",
	         step, PREFETCH_LOADS, prefetch_chain(chain, sizeof chain, additions));
	return text;
}

/* A mechanism, and the lines that still miss with it in prefetch_check_streams(). */
struct prefetch_stream {
	const char *mechanism;
	uint32_t misses;
};

/* One warp loads one line after the other, with as much computation between loads as a memory access takes. Without a
 * mechanism each load misses and waits. With one of `row`, only that many misses wait, and other loads are useful
 * prefetches. */
static inline void prefetch_check_streams(const struct prefetch_stream *row, size_t count)
{
	char body[32768];
	const struct prefetch_kernel kernel = {
		prefetch_loop(body, sizeof body, "add.u64 %rd1, %rd1, 128;", 16), 1, 1, {NULL}};
	const struct prefetch_run without = prefetch_measure(&kernel, NULL, NULL);
	uint64_t perfect = prefetch_perfect(&kernel), wait = (without.cycles - perfect) / PREFETCH_LOADS;
	assert_int_equal(without.misses, PREFETCH_LOADS);
	assert_true(without.cycles * 10 > perfect * 16);
	for (size_t i = 0; i < count; i++) {
		const struct prefetch_run with = prefetch_measure(&kernel, row[i].mechanism, NULL);
		assert_int_equal(with.misses, row[i].misses);
		assert_int_equal(with.requests.useful, PREFETCH_LOADS - row[i].misses);
		assert_in_range(with.cycles, perfect + wait * row[i].misses - 10,
		                perfect + (wait + 1) * row[i].misses + 10);
	}
}

/* Warps of one block, each `spin` iterations of a loop later than the previous one. Each has `loads` dependent loads of
 * one line each. */
static inline const char *prefetch_stagger(char *text, size_t size, uint32_t spin, uint32_t loads)
{
	size_t at = (size_t)snprintf(text, size,
	                             "mov.u32 %%r1, %%tid.x; shr.u32 %%r2, %%r1, 5; mul.wide.u32 %%rd1, %%r1, 4; "
	                             "add.u64 %%rd1, %%rd1, %%rd0;\n"
	                             "mul.lo.u32 %%r3, %%r2, %u; mov.u32 %%r4, 0;\n"
	                             "wait: add.u32 %%r4, %%r4, 1; setp.le.u32 %%p1, %%r4, %%r3; @%%p1 bra wait;\n",
	                             spin);
	for (uint32_t i = 0; i < loads && at < size; i++)
		at += (size_t)snprintf(
			text + at, size - at,
			"ld.global.u32 %%r5, [%%rd1+%u]; cvt.u64.u32 %%rd2, %%r5; add.u64 %%rd1, %%rd1, %%rd2;\n",
			i * 33 * 128);
	snprintf(text + at, size - at, "exit;");
	return text;
}

#endif
