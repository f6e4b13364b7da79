/* Protects edits of code. Inserted code runs on the edges that it names and on no other. Labels and source lines stay
 * correct. The result prints, parses and has the facts of its text. */
#include "flow_kit.h"

#include "flow/edit.h"

static struct ptx_module *module;
static struct ptx_function *function;
static struct edit edit;
static struct arena arena;

static void open_edit(const char *text)
{
	module = parse(text);
	function = ptx_find_function(module, "k");
	edit_open(&edit, module, function, "new");
}

static const struct flow_cfg *cfg_now(void)
{
	return flow_cfg_build(&arena, function);
}

static void add(struct edit_list *list, const char *text)
{
	struct diag diag = {0};
	if (!edit_add_text(&edit, list, text, &diag))
		fail_msg("%s", diag.text);
}

/* The printed code of the kernel, without tabs, from after its declarations to its last brace. */
static char *code_of(const char *text)
{
	const char *begin = text;
	for (const char *at = text; (at = strstr(at, "\t.reg ")); at++)
		begin = strchr(at, '\n') + 1;
	char *code = strdup(begin), *to = code;
	for (const char *from = code; *from && *from != '}'; from++)
		if (*from != '\t')
			*to++ = *from;
	*to = '\0';
	return code;
}

/* Applies the edits and compares the code; the printed text parses to the same. */
static void expect(const char *wanted)
{
	assert_true(edit_apply(&edit));
	char *text = print(module), *code = code_of(text);
	assert_string_equal(code, wanted);
	struct ptx_module *again = parse_as("again.ptx", text);
	char *twice = print(again);
	assert_string_equal(twice, text);
	same_analyses(function, ptx_find_function(again, "k"));
	free(twice);
	free(code);
	free(text);
	ptx_free(again);
}

static void close_edit(void)
{
	edit_close(&edit);
	arena_free(&arena);
	ptx_free(module);
}

/* %r1 counts down from 3; block 1 is the loop. */
#define LOOP KERNEL("mov.u32 %r1, 3;\nAGAIN: sub.s32 %r1, %r1, 1;\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra AGAIN;\nret;")

static void in_front_of_an_instruction_for_all_that_come_to_it(void **state)
{
	(void)state;
	open_edit(LOOP);
	add(edit_before(&edit, 1), "mov.u32 %r2, 7;\nmov.u32 %r3, 8;");
	expect("mov.u32 %r1, 3;\nAGAIN:\nmov.u32 %r2, 7;\nmov.u32 %r3, 8;\nsub.s32 %r1, %r1, 1;\nsetp.ne.s32 %p1, %r1, "
	       "0;\n"
	       "@%p1 bra AGAIN;\nret;\n");
	close_edit();
}

static void behind_an_instruction_for_what_falls_from_it(void **state)
{
	(void)state;
	open_edit(LOOP);
	add(edit_fall(&edit, 1), "mov.u32 %r2, 7;");
	add(edit_fall(&edit, 4), "mov.u32 %r3, 8;");
	add(edit_fall(&edit, 0), "mov.u32 %r4, 9;");
	expect("mov.u32 %r4, 9;\nmov.u32 %r1, 3;\nmov.u32 %r2, 7;\nAGAIN:\nsub.s32 %r1, %r1, 1;\nsetp.ne.s32 %p1, %r1, "
	       "0;\n"
	       "@%p1 bra AGAIN;\nmov.u32 %r3, 8;\nret;\n");
	close_edit();
}

static void where_a_branch_leaves(void **state)
{
	(void)state;
	open_edit(LOOP);
	add(edit_taken(&edit, 3), "mov.u32 %r2, 7;");
	add(edit_taken(&edit, 4), "mov.u32 %r3, 8;");
	expect("mov.u32 %r1, 3;\nAGAIN:\nsub.s32 %r1, %r1, 1;\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra $new0;\nmov.u32 %r3, "
	       "8;\nret;\n"
	       "$new0:\nmov.u32 %r2, 7;\nbra AGAIN;\n");
	close_edit();
}

/* A guarded exit becomes a branch to an exit. An exit to the end becomes a branch to a branch there, which no code
 * falls into. */
static void where_an_exit_leaves(void **state)
{
	(void)state;
	open_edit(KERNEL("@%p1 exit;\n@!%p2 bra END;\nmov.u32 %r1, 1;\nEND:"));
	add(edit_taken(&edit, 0), "mov.u32 %r2, 7;");
	add(edit_taken(&edit, 1), "mov.u32 %r3, 8;");
	expect("@%p1 bra $new0;\n@!%p2 bra $new1;\nmov.u32 %r1, 1;\nbra END;\n$new0:\nmov.u32 %r2, 7;\nexit;\n$new1:\n"
	       "mov.u32 %r3, 8;\nbra END;\nEND:\n");
	close_edit();
}

static void where_blocks_begin_and_end(void **state)
{
	(void)state;
	open_edit(LOOP);
	const struct flow_cfg *cfg = cfg_now();
	for (uint32_t block = 0; block < 3; block++) {
		add(edit_block_begin(&edit, cfg, block), "mov.u32 %r2, 1;");
		add(edit_block_end(&edit, cfg, block), "mov.u32 %r2, 2;");
	}
	expect("mov.u32 %r2, 1;\nmov.u32 %r1, 3;\nmov.u32 %r2, 2;\nAGAIN:\nmov.u32 %r2, 1;\nsub.s32 %r1, %r1, 1;\n"
	       "setp.ne.s32 %p1, %r1, 0;\nmov.u32 %r2, 2;\n@%p1 bra AGAIN;\nmov.u32 %r2, 1;\nmov.u32 %r2, 2;\nret;\n");
	close_edit();
}

/* Edges into a join: the fall-through edge and the branch's edge. Code on the fall-through edge makes its branch
 * superfluous. */
#define JOIN KERNEL("@%p1 bra JOIN;\nmov.u32 %r1, 1;\n@%p2 bra OUT;\nJOIN: mov.u32 %r2, 2;\nOUT: ret;")

static void an_edge_becomes_a_block(void **state)
{
	(void)state;
	open_edit(JOIN);
	const struct flow_cfg *cfg = cfg_now();
	edit_split(&edit, cfg, 0, 2);
	edit_split(&edit, cfg, 1, 2);
	assert_ptr_equal(edit_split(&edit, cfg, 1, 3), edit_split(&edit, cfg, 1, 3));
	expect("@%p1 bra $new0;\nmov.u32 %r1, 1;\n@%p2 bra $new1;\nbra JOIN;\nJOIN:\nmov.u32 %r2, "
	       "2;\nOUT:\nret;\n$new0:\nbra JOIN;\n"
	       "$new1:\nbra OUT;\n");
	close_edit();
	open_edit(JOIN);
	add(edit_split(&edit, cfg_now(), 1, 2), "mov.u32 %r3, 3;");
	expect("@%p1 bra JOIN;\nmov.u32 %r1, 1;\n@%p2 bra OUT;\nmov.u32 %r3, 3;\nJOIN:\nmov.u32 %r2, 2;\nOUT:\nret;\n");
	close_edit();
}

/* Only a critical edge needs a block. Otherwise the end of one block, or the start of the other, has the same
 * meaning. */
static void on_an_edge_without_a_block_where_none_is_needed(void **state)
{
	(void)state;
	open_edit(JOIN);
	const struct flow_cfg *cfg = cfg_now();
	add(edit_on_edge(&edit, cfg, 0, 1), "mov.u32 %r3, 1;");
	add(edit_on_edge(&edit, cfg, 2, 3), "mov.u32 %r3, 2;");
	add(edit_on_edge(&edit, cfg, 0, 2), "mov.u32 %r3, 3;");
	expect("@%p1 bra $new0;\nmov.u32 %r3, 1;\nmov.u32 %r1, 1;\n@%p2 bra OUT;\nJOIN:\nmov.u32 %r2, 2;\nmov.u32 %r3, "
	       "2;\nOUT:\nret;\n"
	       "$new0:\nmov.u32 %r3, 3;\nbra JOIN;\n");
	close_edit();
}

/* A branch to the function's end gets a label there. A branch to removed code continues after it. */
static void labels_follow(void **state)
{
	(void)state;
	open_edit(KERNEL(
		"@%p1 bra A;\nmov.u32 %r1, 1;\nA: mov.u32 %r2, 2;\nB: mov.u32 %r3, 3;\n@%p2 bra B;\nmov.u32 %r4, 4;"));
	edit_remove(&edit, 2);
	edit_remove(&edit, 3);
	edit_remove(&edit, 5);
	edit_split(&edit, cfg_now(), 3, 4);
	expect("@%p1 bra A;\nmov.u32 %r1, 1;\nA:\nB:\n@%p2 bra A;\nbra $new0;\n$new0:\n");
	close_edit();
}

static void names_are_fresh(void **state)
{
	(void)state;
	open_edit(KERNEL(".reg .b32 %new0;\nmov.u32 %new0, 1;\nret;"));
	struct ptx_reg reg = edit_register(&edit, PTX_U64), other = edit_register(&edit, PTX_PRED);
	const struct ptx_variable *variable = edit_variable(&edit, PTX_SHARED, 64, 8);
	assert_string_equal(reg.name, "%new_0");
	assert_string_equal(other.name, "%new_1");
	assert_int_equal(other.number, 1);
	assert_string_equal(variable->name, "__new_0");
	add(edit_before(&edit, 1), "mov.u64 %new_0, __new_0;\n@!%new_1 st.shared.u32 [__new_0+4], %new0;");
	assert_true(edit_apply(&edit));
	char *text = print(module);
	assert_non_null(
		strstr(text, "\t.shared .align 8 .b8 __new_0[64];\n\tmov.u32 %new0, 1;\n\tmov.u64 %new_0, __new_0;\n"));
	struct ptx_module *again = parse_as("again.ptx", text);
	char *twice = print(again);
	assert_string_equal(text, twice);
	free(text);
	free(twice);
	ptx_free(again);
	close_edit();
}

/* The line of the adjacent instruction: after inserted code, that of the instruction before it. */
static void lines_of_source_stay_with_the_code(void **state)
{
	(void)state;
	open_edit(HEAD ".file 1 \"a.cu\"\n.visible .entry k()\n{\n.reg .b32 %r<9>;\n.loc 1 10 1\nmov.u32 %r1, 1;\n.loc "
	               "1 20 2\n"
	               "mov.u32 %r2, 2;\nret;\n}\n");
	add(edit_before(&edit, 1), "mov.u32 %r3, 3;");
	add(edit_fall(&edit, 1), "mov.u32 %r4, 4;");
	expect(".loc 1 10 1\nmov.u32 %r1, 1;\nmov.u32 %r4, 4;\n.loc 1 20 2\nmov.u32 %r3, 3;\nmov.u32 %r2, 2;\nret;\n");
	assert_int_equal(function->body[1].place.line, function->body[0].place.line);
	close_edit();
}

/* One instruction inserted at two positions, each with its own target. */
static void a_branch_may_be_put_twice(void **state)
{
	(void)state;
	open_edit(LOOP);
	uint32_t count;
	struct diag diag = {0};
	const struct ptx_inst *code = ptx_parse_code(module, function, "@%p2 bra AGAIN;", &count, &diag);
	assert_non_null(code);
	edit_add(&edit, edit_before(&edit, 0), code);
	edit_add(&edit, edit_before(&edit, 4), code);
	expect("@%p2 bra AGAIN;\nmov.u32 %r1, 3;\nAGAIN:\nsub.s32 %r1, %r1, 1;\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra "
	       "AGAIN;\n"
	       "@%p2 bra AGAIN;\nret;\n");
	close_edit();
}

static void wrong_text_is_told(void **state)
{
	(void)state;
	static const struct {
		const char *text, *says;
	} row[] = {{"mov.u32 %r1, %none;", "inserted code:1:14: error: unknown"},
	           {"mov.u32 %r1, 1;\nbra NOWHERE;", "inserted code:2:5: error: unknown label 'NOWHERE'"},
	           {"mov.u64 %r1, 1;", "inserted code:1:9: error: "},
	           {".reg .b32 %x;", "expected an instruction"},
	           {"L: ret;", "error: unknown opcode 'L'"}};
	open_edit(LOOP);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct diag diag = {0};
		assert_false(edit_add_text(&edit, edit_before(&edit, 0), row[i].text, &diag));
		if (!strstr(diag.text, row[i].says))
			fail_msg("expected '%s', not '%s'", row[i].says, diag.text);
		diag_free(&diag);
	}
	close_edit();
}

/* Without changes nothing happens, and dropped edits are not applied. */
static void nothing_recorded_is_nothing_done(void **state)
{
	(void)state;
	open_edit(LOOP);
	assert_false(edit_apply(&edit));
	edit_remove(&edit, 0);
	edit_close(&edit);
	assert_false(edit_apply(&edit));
	assert_int_equal(function->body_count, 5);
	close_edit();
}

/* Facts are computed once, with the facts that they depend on, are dropped with them, and prove invalid when the code
 * has changed. */
static void analyses_are_cached_and_dropped(void **state)
{
	(void)state;
	open_edit(LOOP);
	struct flow_analyses analyses = {.function = function};
	const struct analysis_loops *loops = analyses_get(&analyses, ANALYSIS_LOOPS);
	assert_int_equal(loops->count, 1);
	assert_non_null(analyses.found[ANALYSIS_DOMINATORS]);
	assert_ptr_equal(analyses_get(&analyses, ANALYSIS_LOOPS), loops);
	analyses_drop(&analyses, ANALYSIS_SET(DOMINATORS));
	assert_null(analyses.found[ANALYSIS_LOOPS]);
	assert_non_null(analyses.found[ANALYSIS_CFG]);
	analyses_get(&analyses, ANALYSIS_LIVENESS);
	assert_true(analyses_hold(&analyses));
	function->body[1].operand[2].kind = PTX_OPERAND_REG; /* sub.s32 %r1, %r1, %r5 */
	function->body[1].operand[2].reg = reg_named(function, "%r5");
	assert_false(analyses_hold(&analyses));
	analyses_drop(&analyses, ANALYSIS_SET(LIVENESS));
	assert_true(analyses_hold(&analyses));
	edit_remove(&edit, 0);
	edit_apply(&edit);
	assert_false(analyses_hold(&analyses));
	analyses_drop(&analyses, ANALYSES_ALL);
	close_edit();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_front_of_an_instruction_for_all_that_come_to_it),
		cmocka_unit_test(behind_an_instruction_for_what_falls_from_it),
		cmocka_unit_test(where_a_branch_leaves),
		cmocka_unit_test(where_an_exit_leaves),
		cmocka_unit_test(where_blocks_begin_and_end),
		cmocka_unit_test(an_edge_becomes_a_block),
		cmocka_unit_test(on_an_edge_without_a_block_where_none_is_needed),
		cmocka_unit_test(labels_follow),
		cmocka_unit_test(names_are_fresh),
		cmocka_unit_test(lines_of_source_stay_with_the_code),
		cmocka_unit_test(a_branch_may_be_put_twice),
		cmocka_unit_test(wrong_text_is_told),
		cmocka_unit_test(nothing_recorded_is_nothing_done),
		cmocka_unit_test(analyses_are_cached_and_dropped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
