/* Protects scratchpad sharing as a whole on random kernels: several shared arrays of random sizes, rearranged, with
 * relssp inserted, on machines with space for pairs. Results are those without sharing, no kernel is stopped, every
 * thread releases once, and no block is lost. */
#include "mech/sharing/passes.h"
#include "mech/sharing/sharing.h"

#include "flow/pipeline.h"

#include "gpu_kit.h"

#include <inttypes.h>

enum { ARRAYS = 5, INTS = 6, DEEPEST = 3, MOST_THREADS = 96, MOST_BLOCKS = 40, TEXT = 1 << 16 };

struct generator {
	char *text;
	size_t length;
	uint64_t seed;
	uint32_t arrays, threads, labels,
		written;  /* written: arrays, as bits, in which each thread has written its word */
	uint32_t dynamic; /* bytes; 0: no dynamic array */
	bool exits, calls;
};

static uint32_t any(struct generator *g, uint32_t count)
{
	g->seed = g->seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(g->seed >> 33) % count;
}

__attribute__((format(printf, 2, 3))) static void put(struct generator *g, const char *format, ...)
{
	va_list values;
	va_start(values, format);
	g->length += (size_t)vsnprintf(g->text + g->length, TEXT - g->length, format, values);
	va_end(values);
	assert_true(g->length < TEXT);
}

static const char *name_of(const struct generator *g, uint32_t array, char name[8])
{
	snprintf(name, 8, array < g->arrays ? "V%u" : "D", array);
	return name;
}

static uint32_t all_arrays(const struct generator *g)
{
	return g->arrays + (g->dynamic != 0);
}

/* Returns an array in which this thread has written, or ARRAYS + 1. */
static uint32_t a_written_one(struct generator *g)
{
	uint32_t count = (uint32_t)__builtin_popcount(g->written), left = g->written;
	if (!count)
		return ARRAYS + 1;
	for (uint32_t skip = any(g, count); skip; skip--)
		left &= left - 1;
	return (uint32_t)__builtin_ctz(left);
}

/* Accesses the thread's own word of an array, by a random addressing mode. */
static void own_word(struct generator *g, uint32_t array, const char *operation, bool loads)
{
	char name[8];
	uint32_t value = any(g, INTS), way = any(g, 3);
	name_of(g, array, name);
	if (way == 0)
		put(g, "mov.u32 %%y, %s;\nadd.u32 %%y, %%y, %%t4;\n", name);
	else if (way == 1)
		put(g, "mov.u32 %%z, %s;\nadd.u32 %%y, %%z, %%t4;\n", name);
	else
		put(g, "cvta.shared.u64 %%x, %s;\nadd.s64 %%x, %%x, %%w4;\n", name);
	const char *space = way == 2 ? "" : ".shared", *address = way == 2 ? "%x" : "%y";
	if (loads)
		put(g, "%s%s.u32 %%v%u, [%s];\n", operation, space, value, address);
	else
		put(g, "%s%s.u32 [%s], %%v%u;\n", operation, space, address, value);
}

static void arithmetic(struct generator *g)
{
	static const char *const words[] = {"add.s32", "mul.lo.s32", "xor.b32", "min.u32"};
	put(g, "%s %%v%u, %%v%u, %%v%u;\n", words[any(g, 4)], any(g, INTS), any(g, INTS), any(g, INTS));
}

/* Work of a thread without others. `even`: all threads execute this, so that all have written what it writes. */
static void alone(struct generator *g, bool even)
{
	uint32_t array = any(g, all_arrays(g)), written = a_written_one(g);
	switch (any(g, 6)) {
	case 0:
		own_word(g, array, "st", false);
		g->written |= even ? 1u << array : 0;
		return;
	case 1:
		if (written <= ARRAYS)
			own_word(g, written, "ld", true);
		return;
	case 2:
		if (g->calls)
			put(g, "{ .param .b32 i;\nst.param.b32 [i], %%t4;\ncall f, (i); }\n");
		return;
	default:
		arithmetic(g);
	}
}

/* All threads write their words, and read their neighbors'. */
static void exchange(struct generator *g)
{
	char name[8];
	uint32_t array = any(g, all_arrays(g));
	own_word(g, array, "st", false);
	g->written |= 1u << array;
	put(g,
	    "bar.sync 0;\nadd.u32 %%z, %%t, %u;\nrem.u32 %%z, %%z, %u;\nshl.b32 %%z, %%z, 2;\nmov.u32 %%y, %s;\n"
	    "add.u32 %%y, %%y, %%z;\nld.shared.u32 %%v%u, [%%y];\nbar.sync 0;\n",
	    1 + any(g, g->threads), g->threads, name_of(g, array, name), any(g, INTS));
}

/* All threads add to one word, and read it. */
static void tally(struct generator *g)
{
	char name[8], word[24];
	uint32_t n = g->labels++;
	snprintf(word, sizeof word, "[%s+%u]", name_of(g, any(g, all_arrays(g)), name), 4 * any(g, g->threads));
	put(g, "bar.sync 0;\nsetp.ne.u32 %%q, %%t, 0;\n@%%q bra T%u;\nst.shared.u32 %s, 0;\nT%u:\n", n, word, n);
	put(g, "bar.sync 0;\nred.shared.add.u32 %s, %%v%u;\nbar.sync 0;\nld.shared.u32 %%v%u, %s;\nbar.sync 0;\n", word,
	    any(g, INTS), any(g, INTS), word);
}

static void leave(struct generator *g)
{
	put(g, "and.b32 %%y, %%v%u, 7;\nsetp.eq.u32 %%q, %%y, 3;\n@%%q %s;\n", any(g, INTS),
	    any(g, 2) ? "exit" : "ret");
}

static void statements(struct generator *g, uint32_t count, uint32_t depth, bool even);

static void branch(struct generator *g, uint32_t depth, bool even)
{
	uint32_t n = g->labels++, written = g->written;
	/* by the block's number: all threads take the same path */
	bool has_else = any(g, 2), same = even && any(g, 3) == 0;
	if (same)
		put(g, "and.b32 %%y, %%b, %u;\nsetp.eq.u32 %%q, %%y, 0;\n@%%q bra E%u;\n", 1u << any(g, 2), n);
	else
		put(g, "setp.lt.u32 %%q, %%v%u, %%v%u;\n@%%q bra E%u;\n", any(g, INTS), any(g, INTS), n);
	statements(g, 3, depth + 1, same);
	uint32_t one = g->written;
	g->written = written;
	if (has_else)
		put(g, "bra J%u;\n", n);
	put(g, "E%u:\n", n);
	if (has_else)
		statements(g, 3, depth + 1, same);
	put(g, "J%u:\n", n);
	g->written &= has_else ? one : written;
}

static void loop(struct generator *g, uint32_t depth, bool even)
{
	uint32_t n = g->labels++;
	bool same = even && any(g, 2);
	if (same)
		put(g, "mov.u32 %%c%u, %u;\n", depth, 1 + any(g, 3));
	else
		put(g, "and.b32 %%c%u, %%v%u, 3;\n", depth, any(g, INTS));
	put(g, "L%u:\n", n);
	statements(g, 4, depth + 1, same);
	put(g, "sub.s32 %%c%u, %%c%u, 1;\nsetp.gt.s32 %%q, %%c%u, 0;\n@%%q bra L%u;\n", depth, depth, depth, n);
}

static void statements(struct generator *g, uint32_t count, uint32_t depth, bool even)
{
	while (count--) {
		uint32_t what = any(g, 12);
		if (what == 0 && even && !g->exits)
			exchange(g);
		else if (what == 1 && even && !g->exits)
			tally(g);
		else if (what == 2 && g->exits && any(g, 4) == 0)
			leave(g);
		else if (what == 3 && depth < DEEPEST)
			loop(g, depth, even);
		else if (what <= 5 && depth < DEEPEST)
			branch(g, depth, even);
		else
			alone(g, even);
	}
}

static char *random_kernel(struct generator *g, uint64_t seed)
{
	*g = (struct generator){.text = calloc(1, TEXT), .seed = seed};
	assert_non_null(g->text);
	g->arrays = 1 + any(g, ARRAYS);
	g->threads = 16 + any(g, MOST_THREADS - 15);
	g->dynamic = any(g, 3) ? 0 : 4 * (g->threads + any(g, 200));
	g->exits = any(g, 3) == 0;
	g->calls = any(g, 4) == 0;
	put(g,
	    ".version 3.2\n.target sm_20\n.address_size 64\n.extern .shared .align 16 .b8 D[];\n"
	    ".func f(.param .b32 i)\n{\n.reg .b32 %%r<9>;\n.shared .b8 F[%u];\nld.param.u32 %%r1, [i];\nmov.u32 %%r2, "
	    "F;\n"
	    "add.u32 %%r2, %%r2, %%r1;\nst.shared.u32 [%%r2], %%r1;\nret;\n}\n"
	    ".visible .entry k(.param .u64 q)\n{\n.reg .b32 %%v<9>, %%c<9>, %%t, %%t4, %%b, %%y, %%z;\n"
	    ".reg .b64 %%x, %%w4, %%base;\n.reg .pred %%q;\n",
	    4 * MOST_THREADS);
	for (uint32_t a = 0; a < g->arrays; a++)
		put(g, ".shared .align %u .b8 V%u[%u];\n", 4u << any(g, 3), a, 4 * (g->threads + any(g, 300)));
	put(g,
	    "ld.param.u64 %%base, [q];\nmov.u32 %%t, %%tid.x;\nmov.u32 %%b, %%ctaid.x;\nshl.b32 %%t4, %%t, 2;\n"
	    "mul.wide.u32 %%w4, %%t, 4;\nmad.lo.u32 %%y, %%b, %u, %%t;\nmul.wide.u32 %%x, %%y, %u;\nadd.s64 %%base, "
	    "%%base, %%x;\n",
	    g->threads, 4 * INTS);
	for (uint32_t i = 0; i < INTS; i++)
		put(g, "ld.global.u32 %%v%u, [%%base+%u];\n", i, 4 * i);
	statements(g, 6 + any(g, 14), 0, true);
	for (uint32_t i = 0; i < INTS; i++)
		put(g, "st.global.u32 [%%base+%u], %%v%u;\n", 4 * i, i);
	put(g, "ret;\n}\n");
	return g->text;
}

/* --- runs --- */

/* The setup of a case; without a mechanism, it gives the expected results. */
struct way {
	char passes[160], mechanism[160], order[32];
	uint32_t shared_bytes, blocks;
	double t;
};

static struct ptx_module *rewritten(const char *text, const char *passes)
{
	static const struct flow_pass *const more[] = {&sharing_pass_layout, &sharing_pass_relssp};
	struct pipeline pipeline = {.more = more, .more_count = 2};
	struct diag diag = {0};
	struct ptx_module *module = ptx_parse("random.ptx", text, strlen(text), &diag);
	if (!module || (*passes && !(pipeline_add(&pipeline, passes, &diag) && pipeline_run(&pipeline, module, &diag))))
		fail_msg("%s\n%s", diag.text, text);
	pipeline_close(&pipeline);
	diag_free(&diag);
	return module;
}

static const struct ptx_function *kernel_of(const struct ptx_module *module)
{
	const struct ptx_function *function = module->functions;
	while (!function->is_entry)
		function = function->next;
	return function;
}

static uint32_t bytes_of(const struct simt_program *program, const struct generator *g)
{
	return g->dynamic ? (program->shared_bytes + 15) / 16 * 16 + g->dynamic : program->shared_bytes;
}

static void fill(struct gpu_kit *kit, uint32_t words)
{
	uint32_t *value = simt_host(kit->gpu->memory, kit->param);
	uint64_t seed = 7;
	for (uint32_t i = 0; i < words; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		value[i] = (uint32_t)(seed >> 40);
	}
}

/* Runs the kernel and returns its output, which the caller frees. The kit remains open for its counters. */
static uint32_t *run(struct gpu_kit *kit, const struct generator *g, const struct way *way)
{
	char bytes[3][64];
	uint32_t words = MOST_BLOCKS * MOST_THREADS * INTS;
	snprintf(bytes[0], sizeof bytes[0], "sm.shared_bytes=%u", way->shared_bytes);
	snprintf(bytes[1], sizeof bytes[1], "sm.warp_order=%s", way->order);
	kit_machine = "sharing-14sm";
	kit_describe(kit, (const char *const[]){"sm.count=2", bytes[0], bytes[1], NULL});
	if (*way->mechanism)
		kit_attach(kit, way->mechanism);
	kit_build(kit);
	kit->param = kit_buffer(kit, NULL, words / 2);
	fill(kit, words);
	kit->module = rewritten(g->text, way->passes);
	kit->program = simt_decode(kernel_of(kit->module), kit_reconverge, &kit->diag);
	if (!kit->program)
		fail_msg("%s", kit->diag.text);
	memset(&kit->run.stats, 0, sizeof kit->run.stats);
	kit->run.launch = (struct simt_launch){.program = kit->program,
	                                       .grid = {way->blocks, 1, 1},
	                                       .block = {g->threads, 1, 1},
	                                       .dynamic_shared_bytes = g->dynamic,
	                                       .params = (const uint8_t *)&kit->param};
	kit->occupancy = occupancy_of(&kit->machine, g->threads, 20, bytes_of(kit->program, g));
	kit->run.occupancy = &kit->occupancy;
	kit->run.blocks_per_sm = kit->occupancy.blocks;
	gpu_run(kit->gpu, &kit->run);
	if (kit->run.end != GPU_DONE)
		fail_msg("it ended by %d: %s %s\n%s\n%s", kit->run.end, kit->run.message,
		         kit->run.fault.what ? kit->run.fault.what : "", way->mechanism, g->text);
	uint32_t *result = malloc(words * sizeof *result);
	assert_non_null(result);
	memcpy(result, simt_host(kit->gpu->memory, kit->param), words * sizeof *result);
	return result;
}

/* Bytes of a block before passes, which add none. */
static uint32_t block_bytes(const struct generator *g)
{
	struct ptx_module *module = rewritten(g->text, "");
	struct diag diag = {0};
	struct simt_program *program = simt_decode(kernel_of(module), kit_reconverge, &diag);
	uint32_t bytes = program ? bytes_of(program, g) : 0;
	simt_program_free(program);
	ptx_free(module);
	diag_free(&diag);
	return bytes;
}

/* Memory for a few blocks and a part of another. The passes may or may not know the size of dynamic memory. */
static struct way random_way(struct generator *g)
{
	static const char *const releases[] = {"block_end", "exit", "postdom", "optimal"};
	static const char *const orders[] = {"owf", "lrr", "gto", "two_level"};
	uint32_t bytes = block_bytes(g), told = any(g, 2) ? g->dynamic : 0, release = any(g, 4), layout = any(g, 2),
		 poll = any(g, 4) == 0;
	struct way way = {.t = any(g, 10) / 10.0, .blocks = 1 + any(g, MOST_BLOCKS)};
	way.shared_bytes = bytes * (1 + any(g, 3)) + any(g, bytes);
	snprintf(way.order, sizeof way.order, "%s", orders[any(g, 4)]);
	snprintf(way.mechanism, sizeof way.mechanism, "sharing:t=%g,release=%s,layout=%s,poll=%s", way.t,
	         releases[release], layout ? "yes" : "no", poll ? "yes" : "no");
	int length = 0;
	if (layout)
		length = snprintf(way.passes, sizeof way.passes, "scratchpad-layout:t=%g,dynamic=%u%s", way.t, told,
		                  release ? "," : "");
	if (release)
		snprintf(way.passes + length, sizeof way.passes - (size_t)length, "relssp:t=%g,place=%s,dynamic=%u",
		         way.t, releases[release], told);
	return way;
}

static uint64_t pairs_seen, waits_seen, released_seen, early_seen;

static void check_counters(const struct gpu_kit *kit, const struct generator *g, const struct way *way)
{
	uint64_t relssp = kit_counter(kit, 0, "relssp"), paired = kit_counter(kit, 0, "paired_blocks");
	assert_int_equal(paired + kit_counter(kit, 0, "unshared_blocks"), way->blocks);
	assert_int_equal(kit_counter(kit, 0, "repeated_relssp"), 0);
	if (relssp != 0 && relssp != (uint64_t)way->blocks * g->threads)
		fail_msg("%" PRIu64 " relssp of %u threads\n%s", relssp, way->blocks * g->threads, g->text);
	assert_true(kit_counter(kit, 0, "owners") <= paired && kit_counter(kit, 0, "released") <= paired);
	pairs_seen += paired != 0;
	waits_seen += kit_counter(kit, 0, "lock_waits") != 0;
	released_seen += kit_counter(kit, 0, "released") != 0;
	early_seen += kit_counter(kit, 0, "cycles_after") > 0;
}

static void check_case(uint64_t seed)
{
	struct generator g;
	struct gpu_kit kit;
	random_kernel(&g, seed);
	const struct way with = random_way(&g);
	struct way without = {.shared_bytes = with.shared_bytes, .blocks = with.blocks};
	snprintf(without.order, sizeof without.order, "lrr");
	uint32_t *wanted = run(&kit, &g, &without);
	kit_close(&kit);
	uint32_t *found = run(&kit, &g, &with);
	for (uint32_t i = 0; i < with.blocks * g.threads * INTS; i++)
		if (found[i] != wanted[i])
			fail_msg("case %" PRIu64 ": word %u is %u, not %u, with %s, %s\n%s", seed, i, found[i],
			         wanted[i], with.mechanism, with.passes, g.text);
	check_counters(&kit, &g, &with);
	kit_close(&kit);
	free(wanted);
	free(found);
	free(g.text);
}

static uint64_t first_case = 1, cases = 30;

/* More cases: test_sharing_random FIRST COUNT. */
static void test_cases(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < cases; i++)
		check_case(first_case + i);
	printf("%" PRIu64 " cases: %" PRIu64 " with pairs, %" PRIu64 " that wait, %" PRIu64 " that release, %" PRIu64
	       " early\n",
	       cases, pairs_seen, waits_seen, released_seen, early_seen);
	assert_true(pairs_seen > cases / 3 && waits_seen > cases / 5 && released_seen > cases / 10);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases)};
	if (argc == 3) {
		first_case = strtoull(argv[1], NULL, 10);
		cases = strtoull(argv[2], NULL, 10);
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
