/* Protects passes. After each pass, random kernels compute the same results and the printed text parses back to itself.
 * The driver's cached facts are those of the new code. */
#include "flow_random.h"

#include "flow/pipeline.h"

static void no_critical_edge(const struct ptx_function *function)
{
	struct arena arena = {0};
	const struct flow_cfg *cfg = flow_cfg_build(&arena, function);
	for (uint32_t b = 0; b < cfg->blocks; b++)
		for (uint32_t k = 0; cfg->block[b].successors > 1 && k < cfg->block[b].successors; k++)
			assert_int_equal(cfg->block[cfg->block[b].successor[k]].predecessors, 1);
	arena_free(&arena);
}

/* After every pass, the module parses back to itself, with the same facts. */
static void check_text(void *user, const struct flow_pass *pass, const struct ptx_module *module)
{
	char *text = print(module);
	struct ptx_module *again = parse(text);
	char *twice = print(again);
	(void)user;
	if (strcmp(text, twice) != 0)
		fail_msg("after %s, the printed text parses to a different one:\n%s\n---\n%s", pass->name, text, twice);
	for (const struct ptx_function *f = module->functions; f; f = f->next)
		same_analyses(f, ptx_find_function(again, f->name));
	ptx_free(again);
	free(twice);
	free(text);
}

/* Returns the text after the passes. */
static char *rewrite(const char *text, const char *passes)
{
	struct pipeline pipeline = {.after = check_text};
	struct diag diag = {0};
	struct ptx_module *module = parse(text);
	if (!pipeline_add(&pipeline, passes, &diag) || !pipeline_run(&pipeline, module, &diag))
		fail_msg("%s", diag.text);
	if (strstr(passes, "split-critical-edges") && !strstr(passes, "spill"))
		for (const struct ptx_function *f = module->functions; f; f = f->next)
			no_critical_edge(f);
	char *printed = print(module);
	ptx_free(module);
	pipeline_close(&pipeline);
	return printed;
}

enum { THREADS = 40 };

static uint8_t before[BUFFER], after[BUFFER];

static void same_results(const char *text, const char *passes)
{
	char *rewritten = rewrite(text, passes);
	run(rewritten, THREADS, after, BUFFER);
	if (memcmp(before, after, BUFFER) != 0)
		fail_msg("different results after %s:\n%s\n---\n%s", passes, text, rewritten);
	free(rewritten);
}

static uint32_t rounds = 25;

static void random_kernels(void **state)
{
	static const char *const passes[] = {"split-critical-edges", "dead-code", "spill:registers=14",
	                                     "dead-code,split-critical-edges,spill:registers=14,dead-code:loads=no"};
	(void)state;
	for (uint32_t seed = 1; seed <= 2 * rounds; seed++) {
		char *text = seed % 2 ? random_flow(seed) : random_kernel(seed);
		run(text, THREADS, before, BUFFER);
		for (size_t i = 0; i < sizeof passes / sizeof *passes; i++)
			same_results(text, passes[i]);
		free(text);
	}
}

/* Code that only feeds dead code is dead, including a counter that counts only itself. */
static void dead_code_goes(void **state)
{
	(void)state;
	char text[] = ".version 3.2\n.target sm_20\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .pred "
		      "%p<9>;\n"
		      ".reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n"
		      "ld.param.u64 %rd1, [p];\nmov.u32 %r1, 3;\nmov.u32 %r2, 0;\nAGAIN:\nadd.s32 %r2, %r2, 1;\n"
		      "ld.global.u32 %r3, [%rd1];\nld.volatile.global.u32 %r4, [%rd1];\n@%p2 mov.u32 %r5, 1;\n"
		      "atom.global.add.u32 %r6, [%rd1], 1;\nadd.cc.u32 %r7, %r1, %r1;\naddc.u32 %r8, %r1, 0;\n"
		      "sub.s32 %r1, %r1, 1;\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra AGAIN;\nst.global.u32 [%rd1], "
		      "%r8;\nret;\n}\n";
	char *printed = rewrite(text, "dead-code");
	assert_non_null(strstr(printed, "\tmov.u32 %r1, 3;\nAGAIN:\n\tld.volatile.global.u32 %r4, [%rd1];\n"
	                                "\tatom.global.add.u32 %r6, [%rd1], 1;\n\tadd.cc.u32 %r7, %r1, %r1;\n"
	                                "\taddc.u32 %r8, %r1, 0;\n\tsub.s32 %r1, %r1, 1;\n"));
	free(printed);
	printed = rewrite(text, "dead-code:loads=off");
	assert_non_null(strstr(printed, "AGAIN:\n\tld.global.u32 %r3, [%rd1];\n"));
	free(printed);
}

/* --- the driver --- */

static void tells(const char *passes, const char *says)
{
	struct pipeline pipeline = {0};
	struct diag diag = {0};
	assert_false(pipeline_add(&pipeline, passes, &diag));
	assert_int_equal(diag.errors, 1);
	if (!strstr(diag.text, says))
		fail_msg("expected '%s', not '%s'", says, diag.text);
	diag_free(&diag);
	pipeline_close(&pipeline);
}

static void wrong_names_and_options_are_told(void **state)
{
	(void)state;
	tells("dead-cod", "no pass 'dead-cod'; did you mean 'dead-code'?");
	tells("xyzzy", "no pass 'xyzzy'; 'sluice opt --list' lists them");
	tells("", "no pass ''");
	tells("registers=3", "no pass 'registers=3'");
	tells("spill:registers=3,dead-code,", "no pass ''");
	tells("spill:", "pass spill: ''; expected KEY=VALUE");
	tells("spill:registers", "pass spill: 'registers'; expected KEY=VALUE");
	tells("spill:registesr=3", "pass spill has no option 'registesr'; did you mean 'registers'?");
	tells("spill:registers=0", "pass spill: registers: expected a whole number from 1 to 1024");
	tells("split-critical-edges:x=1", "pass split-critical-edges has no option 'x'");
}

/* Passes for this test: one counts the recomputations of facts. */
static const struct flow_cfg *seen[8];
static uint32_t seen_count;

static enum pass_result look(struct pass_job *job)
{
	seen[seen_count++] = pass_cfg(job);
	assert_non_null(pass_dominators(job));
	return PASS_LEFT;
}

/* Turns each add into a sub: the control flow is unchanged. */
static enum pass_result turn(struct pass_job *job)
{
	for (uint32_t i = 0; i < job->function->body_count; i++)
		if (job->function->body[i].op == PTX_OP_ADD)
			job->function->body[i].op = PTX_OP_SUB;
	return PASS_CHANGED;
}

static enum pass_result put(struct pass_job *job)
{
	return pass_add_text(job, pass_entry(job), "mov.u32 %r1, 77;") ? PASS_CHANGED : PASS_REFUSED;
}

static enum pass_result refuse(struct pass_job *job)
{
	return pass_refuse(job, &job->function->body[0], "cannot be");
}

#define SHAPE (ANALYSIS_SET(CFG) | ANALYSIS_SET(DOMINATORS))
static const struct flow_pass looks = {.name = "look", .meaning = "", .stem = "look", .requires = SHAPE, .run = look};
static const struct flow_pass turns = {
	.name = "turn", .meaning = "", .stem = "turn", .keeps = ANALYSES_OF_SHAPE, .run = turn};
static const struct flow_pass puts_one = {.name = "put", .meaning = "", .stem = "put", .run = put};
static const struct flow_pass refuses = {.name = "refuse", .meaning = "", .stem = "refuse", .run = refuse};
static const struct flow_pass *const own[] = {&looks, &turns, &puts_one, &refuses};

/* Facts stay valid while passes preserve them, and are recomputed after a pass that does not. */
static void analyses_stay_as_passes_declare(void **state)
{
	(void)state;
	struct pipeline pipeline = {.more = own, .more_count = 4};
	struct diag diag = {0};
	struct ptx_module *module = parse(KERNEL("add.s32 %r1, %r1, 1;\nret;"));
	assert_true(pipeline_add(&pipeline, "look,look,turn,look,put,look", &diag));
	assert_true(pipeline_run(&pipeline, module, &diag));
	assert_int_equal(seen_count, 4);
	assert_ptr_equal(seen[0], seen[1]);
	assert_ptr_equal(seen[0], seen[2]);
	char *text = print(module);
	assert_non_null(strstr(text, "\tmov.u32 %r1, 77;\n\tsub.s32 %r1, %r1, 1;\n"));
	free(text);
	ptx_free(module);
	pipeline_close(&pipeline);
}

static void a_refusal_says_which_pass_and_where(void **state)
{
	(void)state;
	struct pipeline pipeline = {.more = own, .more_count = 4};
	struct diag diag = {0};
	struct ptx_module *module = parse(KERNEL("add.s32 %r1, %r1, 1;\nret;"));
	assert_true(pipeline_add(&pipeline, "refuse,put", &diag));
	assert_false(pipeline_run(&pipeline, module, &diag));
	assert_non_null(strstr(diag.text, "test.ptx:12:1: error: pass refuse: cannot be\n"));
	assert_int_equal(ptx_find_function(module, "k")->body_count, 2);
	diag_free(&diag);
	ptx_free(module);
	pipeline_close(&pipeline);
}

/* Spilling to an impossible number of registers is refused with the function's name. */
static void spilling_that_cannot_be_is_refused(void **state)
{
	(void)state;
	struct pipeline pipeline = {0};
	struct diag diag = {0};
	char *text = many_values(20, "");
	struct ptx_module *module = parse(text);
	assert_true(pipeline_add(&pipeline, "spill:registers=2", &diag));
	assert_false(pipeline_run(&pipeline, module, &diag));
	assert_non_null(strstr(diag.text, "pass spill: kernel 'k' needs "));
	diag_free(&diag);
	ptx_free(module);
	free(text);
	pipeline_close(&pipeline);
}

/* `test_passes ROUNDS` runs more random kernels. */
int main(int count, char **arguments)
{
	if (count > 1)
		rounds = (uint32_t)strtoul(arguments[1], NULL, 10);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_kernels),
		cmocka_unit_test(dead_code_goes),
		cmocka_unit_test(wrong_names_and_options_are_told),
		cmocka_unit_test(analyses_stay_as_passes_declare),
		cmocka_unit_test(a_refusal_says_which_pass_and_where),
		cmocka_unit_test(spilling_that_cannot_be_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
