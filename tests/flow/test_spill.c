/* Protects spilling: a kernel for fewer registers has fewer registers, the loads and stores that can be counted by
 * hand, and the same results. */
#include "spill_kit.h"

/* A kernel with its text, rewritten for a limit. */
struct subject {
	struct ptx_module *module;
	struct ptx_function *kernel;
	struct flow_spills spills;
	bool fits;
};

static struct subject spill(const char *text, uint32_t limit)
{
	struct subject subject = {.module = parse(text)};
	subject.kernel = ptx_find_function(subject.module, "k");
	subject.fits = flow_spill(subject.module, subject.kernel, limit, &subject.spills);
	return subject;
}

/* The largest number of live 32-bit registers, from block-wise liveness: the lower bound of every allocation. */
static uint32_t most_live(const struct ptx_function *function)
{
	struct arena arena = {0};
	const struct flow_cfg *cfg = flow_cfg_build(&arena, function);
	const struct flow_liveness *live = flow_liveness(&arena, cfg);
	bool *is_live = arena_array(&arena, function->reg_count, sizeof *is_live);
	uint32_t ids[PTX_MAX_IDS], most = 0;
	for (uint32_t b = 0; b < cfg->blocks; b++) {
		for (uint32_t r = 0; r < function->reg_count; r++)
			is_live[r] = live->out[(size_t)b * live->words + r / 64] >> r % 64 & 1;
		for (uint32_t i = cfg->block[b].first + cfg->block[b].count; i-- > cfg->block[b].first;) {
			const struct ptx_inst *inst = &function->body[i];
			uint32_t now = 0;
			for (uint32_t k = inst->guard == PTX_NO_REG ? ptx_inst_writes(inst, ids) : 0; k-- > 0;)
				is_live[ids[k]] = false;
			for (uint32_t k = ptx_inst_reads(inst, ids); k-- > 0;)
				is_live[ids[k]] = true;
			for (uint32_t r = 0; r < function->reg_count; r++)
				if (is_live[r] && function->regs[r].type != PTX_PRED)
					now += flow_register_width(function->regs[r].type);
			most = now > most ? now : most;
		}
	}
	arena_free(&arena);
	return most;
}

/* The kernel with fewer registers computes the same as with all that it needs, and so does its printed text. */
static void same_results(const char *text, struct subject *subject, uint32_t threads)
{
	uint8_t *before = malloc(BUFFER), *after = malloc(BUFFER);
	char *printed = print(subject->module);
	run(text, threads, before, BUFFER);
	run(printed, threads, after, BUFFER);
	if (memcmp(before, after, BUFFER) != 0)
		fail_msg("different results:\n%s\n--- spilled:\n%s", text, printed);
	struct ptx_module *again = parse(printed);
	char *reprinted = print(again);
	assert_string_equal(printed, reprinted);
	assert_int_equal(flow_kernel_registers(ptx_find_function(again, "k")), flow_kernel_registers(subject->kernel));
	ptx_free(again);
	free(reprinted);
	free(printed);
	free(before);
	free(after);
}

static void expect(const char *text, uint32_t limit, uint32_t bytes, uint32_t loads, uint32_t stores)
{
	struct subject subject = spill(text, limit);
	assert_true(subject.fits);
	assert_true(flow_kernel_registers(subject.kernel) <= limit);
	assert_true(most_live(subject.kernel) <= limit);
	assert_int_equal(subject.spills.bytes, bytes);
	assert_int_equal(subject.spills.loads, loads);
	assert_int_equal(subject.spills.stores, stores);
	same_results(text, &subject, 64);
	ptx_free(subject.module);
}

/* Of K values of 32 bits and an address of 64, K + 2 - R must be spilled, each with one store and one load. The address
 * is used throughout and stays. */
static void each_value_too_many_goes_once(void **state)
{
	(void)state;
	static const uint32_t values[] = {8, 20, 60}, limits[] = {6, 8, 12, 40};
	for (size_t v = 0; v < 3; v++)
		for (size_t l = 0; l < 4; l++) {
			char *text = many_values(values[v], "");
			uint32_t too_many = values[v] + 2 > limits[l] ? values[v] + 2 - limits[l] : 0;
			expect(text, limits[l], 4 * too_many, too_many, too_many);
			free(text);
		}
}

/* A value that the loop uses, even once, stays in registers. Values that only live through it are spilled: two, each
 * stored once and loaded three times. */
static void what_a_loop_uses_stays(void **state)
{
	(void)state;
	const char *text = KERNEL("ld.param.u64 %rd1, [p];\n"
	                          "ld.global.u32 %r1, [%rd1];\n"
	                          "ld.global.u32 %r2, [%rd1+4];\n"
	                          "ld.global.u32 %r3, [%rd1+8];\n"
	                          "mov.u32 %r4, 0;\n"
	                          "mov.u32 %r5, 9;\n"
	                          "AGAIN: ld.global.u32 %r6, [%rd1+12];\n"
	                          "mad.lo.s32 %r4, %r1, %r6, %r4;\n"
	                          "sub.s32 %r5, %r5, 1;\n"
	                          "setp.ne.s32 %p1, %r5, 0;\n"
	                          "@%p1 bra AGAIN;\n"
	                          "st.global.u32 [%rd1+16], %r2;\n"
	                          "st.global.u32 [%rd1+20], %r3;\n"
	                          "st.global.v2.u32 [%rd1+24], {%r2, %r2};\n"
	                          "st.global.v2.u32 [%rd1+32], {%r3, %r3};\n"
	                          "st.global.u32 [%rd1+40], %r2;\n"
	                          "st.global.u32 [%rd1+44], %r3;\n"
	                          "st.global.u32 [%rd1+48], %r4;\n"
	                          "ret;\n");
	expect(text, 8, 0, 0, 0);
	expect(text, 6, 8, 6, 2);
}

/* A guarded result is loaded first, for the lanes that preserve the old value, and stored under the guard. If the
 * instruction changes its own guard, the store has no guard. */
static void a_guarded_result_keeps_the_old_value(void **state)
{
	(void)state;
	const char *text = KERNEL("ld.param.u64 %rd1, [p];\n"
	                          "mov.u32 %r9, %tid.x;\n"
	                          "mad.wide.u32 %rd1, %r9, 64, %rd1;\n"
	                          "setp.lt.u32 %p1, %r9, 9;\n"
	                          "ld.global.u32 %r1, [%rd1];\n"
	                          "@%p1 add.s32 %r1, %r9, 7;\n"
	                          "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1+16];\n"
	                          "st.global.v4.u32 [%rd1+32], {%r5, %r4, %r3, %r2};\n"
	                          "st.global.u32 [%rd1+4], %r1;\n"
	                          "ret;\n");
	struct subject subject = spill(text, 6);
	char *printed = print(subject.module);
	expect(text, 6, 4, 2, 2);
	assert_non_null(strstr(printed, "\tld.local.b32 %spill1, [__spill0];\n"
	                                "\t@%p1 add.s32 %spill1, %r9, 7;\n"
	                                "\t@%p1 st.local.b32 [__spill0], %spill1;\n"));
	free(printed);
	ptx_free(subject.module);
}

/* In the last lane the shuffle is out of range, turns its own guard off, and still has a result. */
static void a_guard_that_its_instruction_writes_keeps_no_store_back(void **state)
{
	(void)state;
	expect(KERNEL("ld.param.u64 %rd1, [p];\n"
	              "mov.u32 %r9, %tid.x;\n"
	              "mad.wide.u32 %rd1, %r9, 64, %rd1;\n"
	              "setp.ge.u32 %p1, %r9, 9;\n"
	              "ld.global.u32 %r1, [%rd1];\n"
	              "@%p1 shfl.down.b32 %r1|%p1, %r9, 1, 31;\n"
	              "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1+16];\n"
	              "st.global.v4.u32 [%rd1+32], {%r5, %r4, %r3, %r2};\n"
	              "st.global.u32 [%rd1+4], %r1;\n"
	              "ret;\n"),
	       6, 4, 2, 2);
}

/* The address, eight values and the needs of the callee are live across a call. Each register that is missing spills
 * one value, with one store and one load. The address is used more often. */
static void what_lives_across_a_call_makes_room_for_it(void **state)
{
	(void)state;
	char *text = NULL;
	size_t length;
	FILE *file = open_memstream(&text, &length);
	fputs(HEAD, file);
	fputs(function_text, file);
	fputs(".visible .entry k(.param .u64 p)\n{\n" REGS "ld.param.u64 %rd1, [p];\n", file);
	for (unsigned i = 0; i < 9; i++)
		fprintf(file, "ld.global.u32 %%r%u, [%%rd1+%u];\n", i, 4 * i);
	fputs("{ .param .b32 a; .param .b64 b; .param .b32 c;\nst.param.b32 [a], %r8;\nst.param.b64 [b], 5;\n"
	      "call (c), f, (a, b);\nld.param.b32 %r8, [c]; }\n",
	      file);
	for (unsigned i = 0; i < 9; i++)
		fprintf(file, "st.global.u32 [%%rd1+%u], %%r%u;\n", 64 + 4 * i, i);
	fputs("ret;\n}\n", file);
	fclose(file);

	struct subject whole = spill(text, 99);
	uint32_t function = flow_kernel_registers(ptx_find_function(whole.module, "f"));
	assert_int_equal(flow_kernel_registers(whole.kernel), 2 + 8 + function); /* the address and eight values */
	ptx_free(whole.module);
	for (uint32_t fewer = 1; fewer <= 8; fewer++)
		expect(text, 2 + 8 + function - fewer, 4 * fewer, fewer, fewer);
	free(text);
}

/* The needs of a single instruction are the lower limit. The caller learns that the limit was not reached, and the
 * result is as small as possible. */
static void what_one_instruction_needs_is_the_least(void **state)
{
	(void)state;
	const char *text = KERNEL("ld.param.u64 %rd1, [p];\n"
	                          "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];\n"
	                          "st.global.v4.u32 [%rd1+16], {%r4, %r3, %r2, %r1};\n"
	                          "ret;\n");
	expect(text, 6, 0, 0, 0);
	struct subject subject = spill(text, 5);
	assert_false(subject.fits);
	assert_int_equal(flow_kernel_registers(subject.kernel), 6);
	ptx_free(subject.module);
}

static void random_kernels_compute_the_same_in_few_registers(void **state)
{
	(void)state;
	static const uint32_t limits[] = {12, 14, 17, 20, 24, 32, 40};
	for (uint64_t seed = 1; seed <= 60; seed++) {
		char *text = random_kernel(seed);
		struct subject subject = spill(text, limits[seed % 7]);
		if (!subject.fits)
			fail_msg("kernel %u needs %u registers, not %u\n%s", (unsigned)seed,
			         flow_kernel_registers(subject.kernel), limits[seed % 7], text);
		assert_true(flow_kernel_registers(subject.kernel) <= limits[seed % 7]);
		assert_true(most_live(subject.kernel) <= limits[seed % 7]);
		assert_true(subject.spills.loads > 0);
		same_results(text, &subject, 64);
		ptx_free(subject.module);
		free(text);
	}
}

/* Registers of 128 bits have aligned slots of 16 bytes. */
static void wide_values_are_spilled_whole(void **state)
{
	(void)state;
	char *text = NULL;
	size_t length;
	FILE *file = open_memstream(&text, &length);
	fprintf(file, "%s.visible .entry k(.param .u64 p)\n{\n.reg .b128 %%q<9>;\n%sld.param.u64 %%rd1, [p];\n", HEAD,
	        REGS);
	for (uint32_t k = 0; k < 8; k++)
		fprintf(file, "ld.global.b128 %%q%u, [%%rd1+%u];\n", k, 16 * k);
	fputs("ld.global.u32 %r1, [%rd1];\nbar.sync 0;\n", file);
	for (uint32_t k = 0; k < 8; k++)
		fprintf(file, "st.global.b128 [%%rd1+%u], %%q%u;\n", 1024 + 16 * k, 7 - k);
	fputs("st.global.u32 [%rd1+2048], %r1;\nret;\n}\n", file);
	fclose(file);
	struct subject subject = spill(text, 24);
	assert_true(subject.fits);
	assert_true(flow_kernel_registers(subject.kernel) <= 24);
	assert_true(most_live(subject.kernel) <= 24);
	assert_true(subject.spills.bytes >= 48);
	same_results(text, &subject, 32);
	ptx_free(subject.module);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_value_too_many_goes_once),
		cmocka_unit_test(what_a_loop_uses_stays),
		cmocka_unit_test(a_guarded_result_keeps_the_old_value),
		cmocka_unit_test(a_guard_that_its_instruction_writes_keeps_no_store_back),
		cmocka_unit_test(what_lives_across_a_call_makes_room_for_it),
		cmocka_unit_test(what_one_instruction_needs_is_the_least),
		cmocka_unit_test(wide_values_are_spilled_whole),
		cmocka_unit_test(random_kernels_compute_the_same_in_few_registers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
