/* Protects access ranges, and the selection of variables below the boundary (Jatala, Anantpur and Karkare, section
 * 6.1, with its worked examples). */
#include "passes_kit.h"

#include "mech/sharing/ranges.h"

/* --- access ranges: Figures 8 and 9, Examples 6.3 to 6.5 --- */

/* A CFG with the table's values: A from BB1 to BB4, B in the loop of BB2 and BB3, C in BB5 and BB6. Each block has
 * two instructions. */
#define FIGURE_8                                                                                                       \
	PTX_KERNEL(".shared .align 4 .b8 A[100];\n.shared .align 4 .b8 B[100];\n.shared .align 4 .b8 C[100];\n"        \
	           "Entry: setp.eq.s32 %p1, %r1, 0;\nbra BB1;\n"                                                       \
	           "BB1: st.shared.u32 [A], %r1;\nbra BB2;\n"                                                          \
	           "BB2: st.shared.u32 [B], %r1;\nbra BB3;\n"                                                          \
	           "BB3: ld.shared.u32 %r2, [B];\n@%p1 bra BB2;\n"                                                     \
	           "BB4: ld.shared.u32 %r3, [A];\nbra BB5;\n"                                                          \
	           "BB5: st.shared.u32 [C], %r3;\nbra BB6;\n"                                                          \
	           "BB6: ld.shared.u32 %r4, [C];\nbra Exit;\n"                                                         \
	           "Exit: ret;")

enum { A = 1, B = 2, C = 4 };

static void the_table_of_figure_9(void **state)
{
	(void)state;
	static const struct {
		const char *block, *in, *out; /* of A, B, C, AB, BC, CA */
	} rows[] = {
		{"Entry", "ffffff", "ffffff"}, {"BB1", "ffffff", "tfftft"},  {"BB2", "ttfttt", "ttfttt"},
		{"BB3", "ttfttt", "ttfttt"},   {"BB4", "tffttt", "fffftt"},  {"BB5", "fffftt", "fftftt"},
		{"BB6", "fftftt", "ffffff"},   {"Exit", "ffffff", "ffffff"},
	};
	static const uint64_t sets[6] = {A, B, C, A | B, B | C, C | A};
	struct subject s = look_at(FIGURE_8, 0);
	uint64_t *accessed = arena_array(&s.arena, s.function->body_count, sizeof *accessed);
	for (uint32_t i = 0; i < s.function->body_count; i++)
		accessed[i] = s.accesses->touch[i].variables;
	const struct sharing_ranges ranges = sharing_ranges(&s.arena, s.cfg, accessed);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint32_t block = block_at(&s, rows[i].block);
		for (int k = 0; k < 6; k++) {
			bool in = sharing_in_range(ranges.pre_in[block], ranges.post_in[block], sets[k]);
			bool out = sharing_in_range(ranges.pre_out[block], ranges.post_out[block], sets[k]);
			if (in != (rows[i].in[k] == 't') || out != (rows[i].out[k] == 't'))
				fail_msg("%s, column %d: IN %d, OUT %d", rows[i].block, k, in, out);
		}
	}
	done(&s);
}

/* Whether each name is declared before the next. */
static bool declares_in_order(const char *text, const char *names)
{
	const char *from = text;
	for (const char *name = names; *name; name++) {
		const char declared[] = {' ', *name, '[', 0};
		from = strstr(from, declared);
		if (!from)
			return false;
	}
	return true;
}

static void expect_order(const char *text, const char *passes, const char *names, uint64_t changed)
{
	struct rewritten r = kit_rewrite(text, passes);
	if (!declares_in_order(r.text, names))
		fail_msg("not in the order %s:\n%s", names, r.text);
	assert_int_equal(kit_counter(&r, "changed"), changed);
	rewritten_free(&r);
}

/* Example 6.5: if two of three are in the common part, these are A and B. */
static void a_and_b_are_in_the_common_part(void **state)
{
	(void)state;
	expect_order(FIGURE_8, "scratchpad-layout:t=0.34", "CAB", 1);
	struct rewritten r = kit_rewrite(FIGURE_8, "scratchpad-layout:t=0.34");
	assert_int_equal(kit_counter(&r, "before"), 9); /* B and C: from BB2's first instruction to BB6's first */
	assert_int_equal(kit_counter(&r, "after"), 7);
	assert_int_equal(kit_counter(&r, "kernels"), 1);
	rewritten_free(&r);
}

/* Example 5.2: among V1 to V4, V2 and V3 are in use for the shortest time. */
static void v2_and_v3_are_in_the_common_part(void **state)
{
	(void)state;
	expect_order(
		PTX_KERNEL(
			".shared .b32 V[9], W[9], X[9], Y[9];\n"
			"st.shared.u32 [V], 1;\nst.shared.u32 [V], 2;\nst.shared.u32 [W], 3;\nst.shared.u32 [X], 4;\n"
			"st.shared.u32 [W], 5;\nst.shared.u32 [X], 6;\nst.shared.u32 [Y], 7;\nst.shared.u32 [Y], "
			"8;\nret;"),
		"scratchpad-layout:t=0.5", "VYWX", 1);
}

/* --- the choice of variables --- */

#define THREE(sizes, code) PTX_KERNEL(sizes code "ret;")

static void nothing_moves_where_nothing_is_gained(void **state)
{
	(void)state;
	const char *equal = THREE(".shared .b8 A[10], B[10];\n", ST("A") ST("B"));
	struct rewritten r = kit_rewrite(equal, "scratchpad-layout:t=0.5");
	struct ptx_module *module = kit_parse(equal);
	char *as_it_was = print(module);
	assert_string_equal(r.text, as_it_was);
	assert_int_equal(kit_counter(&r, "changed"), 0);
	assert_int_equal(kit_counter(&r, "before"), 1);
	assert_int_equal(kit_counter(&r, "after"), 1);
	free(as_it_was);
	ptx_free(module);
	rewritten_free(&r);
	/* None fits: ten bytes in nine. */
	expect_order(THREE(".shared .b8 A[10], B[10];\n", ST("B") WORK ST("B") ST("A")), "scratchpad-layout:t=0.45",
	             "AB", 0);
	expect_order(THREE(".shared .b8 A[10], B[10];\n", ST("B") WORK ST("B") ST("A")), "scratchpad-layout:t=0.5",
	             "BA", 1);
}

/* A variable that lies across the boundary is in the common part. */
static void what_lies_across_the_boundary_is_common(void **state)
{
	(void)state;
	struct rewritten r =
		kit_rewrite(THREE(".shared .b8 A[10], B[10];\n", ST("A") WORK ST("A")), "scratchpad-layout:t=0.3");
	assert_int_equal(kit_counter(&r, "before"), 3);
	rewritten_free(&r);
}

/* A byte followed by a word would cost three bytes. */
static void an_order_that_loses_bytes_is_not_taken(void **state)
{
	(void)state;
	expect_order(THREE(".shared .align 4 .b8 A[4];\n.shared .b8 B[1];\n", ST("B") WORK WORK ST("A") ST("B")),
	             "scratchpad-layout:t=0.3", "AB", 0);
	expect_order(THREE(".shared .align 4 .b8 A[4];\n.shared .b8 B[4];\n", ST("B") WORK WORK ST("A") ST("B")),
	             "scratchpad-layout:t=0.5", "BA", 1);
}

/* Among equally good orders, the one that moves the fewest variables: C is enough, because A and B are always in use
 * together. */
static void no_more_moves_than_must(void **state)
{
	(void)state;
	expect_order(PTX_KERNEL(".shared .b8 A[10], B[10], C[10];\nmov.u32 %r2, A;\nmov.u32 %r3, B;\nselp.b32 %r4, "
	                        "%r2, %r3, %p1;\n"
	                        "st.shared.u8 [%r4], %rs1;\n" WORK "st.shared.u8 [%r4], %rs1;\n" ST("C")
	                                WORK WORK WORK ST("C") "ret;"),
	             "scratchpad-layout:t=0.67", "CAB", 1);
}

/* Unreachable code is in no range, and extends none. */
static void dead_code_is_in_no_range(void **state)
{
	(void)state;
	struct rewritten r =
		kit_rewrite(PTX_KERNEL(".shared .b8 A[10], B[10];\nbra L;\n" ST("B") "L:\n" WORK WORK ST("B") "ret;"),
	                    "scratchpad-layout:t=0.5");
	assert_int_equal(kit_counter(&r, "before"), 1);
	rewritten_free(&r);
}

/* Dynamic memory of unknown size is common for any t; its declaration stays in place. */
static void dynamic_memory_is_common(void **state)
{
	(void)state;
	struct rewritten r = kit_rewrite(
		PTX_KERNEL(".extern .shared .b8 D[];\n.shared .b8 A[16];\n" ST("A") ST("D") WORK ST("D") "ret;"),
		"scratchpad-layout:t=1");
	assert_int_equal(kit_counter(&r, "before"), 3);
	rewritten_free(&r);
	expect_order(PTX_KERNEL(".extern .shared .b8 D[];\n.shared .b8 A[10];\n.shared .b8 B[10];\n" ST("B")
	                                WORK ST("B") ST("A") ST("D") "ret;"),
	             "scratchpad-layout:t=0.4", "BAD", 1);
	expect_order(PTX_KERNEL(".extern .shared .b8 D[];\n.shared .b8 A[10];\n.shared .b8 B[10];\n" ST("D") ST("B")
	                                ST("A") ST("D") "ret;"),
	             "scratchpad-layout:t=0.7", "DAB", 0);
}

/* Instructions are weighted by their executions if loops are assumed to have many iterations. */
static void loops_weigh(void **state)
{
	(void)state;
	const char *code = THREE(".shared .b8 A[10], B[10];\n",
	                         ST("A") "L: " ST("A") "setp.eq.s32 %p1, %r1, 0;\n@%p1 bra L;\n" ST("B")
	                                 WORK WORK WORK WORK ST("B"));
	expect_order(code, "scratchpad-layout:t=0.5", "BA", 1);
	expect_order(code, "scratchpad-layout:t=0.5,loops=2", "AB", 0);
}

#define OF_THE_MODULE(visible)                                                                                         \
	HEAD ".shared .b8 A[10];\n" visible                                                                            \
	     ".shared .b8 B[10];\n.extern .shared .b8 D[];\n.visible .entry j()\n{\n" PTX_REGS                         \
	     "st.shared.u8 [A], %rs1;\nret;\n}\n.visible .entry k()\n{\n" PTX_REGS                                     \
	     ".shared .b8 C[10];\nmov.u32 %r9, A;\n" ST("C") WORK WORK ST("C") ST("B") WORK ST("B") ST("A")            \
		     ST("D") "ret;\n}\n"

/* Variables of the module that only the kernel names become its own; the others stay after these, and dynamic memory
 * stays last. Here the module's order of first use is A, B, and another kernel uses A too. */
static void variables_of_the_module(void **state)
{
	(void)state;
	/* 11 bytes of 32: C is below, which is optimal. */
	expect_order(OF_THE_MODULE(""), "scratchpad-layout:t=0.35", "ABDC", 0);
	/* 24 of 82: C and A would fit; C and B are better. */
	struct rewritten r = kit_rewrite(OF_THE_MODULE(""), "scratchpad-layout:t=0.3,dynamic=50");
	assert_int_equal(kit_counter(&r, "changed"), 1);
	assert_int_equal(kit_counter(&r, "before"), 5);
	assert_int_equal(kit_counter(&r, "after"), 2);
	assert_true(declares_in_order(r.text, "ADCB"));
	assert_true(strstr(r.text, " B[10]") > strstr(r.text, ".entry k"));
	rewritten_free(&r);
	/* Variables visible outside of the module stay, too. */
	expect_order(OF_THE_MODULE(".visible "), "scratchpad-layout:t=0.3,dynamic=50", "ABDC", 0);
}

/* Variables that other functions name stay after the kernel's own, even if that costs bytes. */
static void what_stays_lies_behind(void **state)
{
	(void)state;
	expect_order(HEAD ".shared .align 8 .b8 F[8];\n.visible .entry j()\n{\n" PTX_REGS ST(
			     "F") "ret;\n}\n.visible .entry k()\n{\n" PTX_REGS
	                          ".shared .b8 A[4];\n.shared .b8 B[4];\n" ST("B") WORK ST("B") ST("A")
	                                  ST("F") "ret;\n}\n",
	             "scratchpad-layout:t=0.25", "FBA", 1);
}

/* A second run works on the first one's result. */
static void a_second_run(void **state)
{
	(void)state;
	static const char text[] =
		HEAD ".shared .b8 A[10];\n.shared .b8 B[10];\n.shared .b8 C[10];\n.visible .entry k()\n{\n" PTX_REGS
		     "L: " ST("A") "setp.eq.s32 %p1, %r1, 0;\n@%p1 bra L;\n" ST("B") ST("C")
			     WORK WORK WORK WORK ST("C") "ret;\n}\n";
	expect_order(text, "scratchpad-layout:t=0.34", "CAB", 1);
	expect_order(text, "scratchpad-layout:t=0.34,loops=100", "ABC", 0);
	expect_order(text, "scratchpad-layout:t=0.34,scratchpad-layout:t=0.34,loops=100", "ACB", 1);
}

/* More variables than a set has bits: the last bit stands for all beyond it. */
static void very_many_variables(void **state)
{
	(void)state;
	char *text = NULL;
	size_t length;
	FILE *file = open_memstream(&text, &length);
	fputs(HEAD ".visible .entry k()\n{\n" PTX_REGS, file);
	for (int i = 0; i < 70; i++)
		fprintf(file, ".shared .b8 V%d[10];\n", i);
	fputs(ST("V69") WORK ST("V0") ST("V1") ST("V0") "ret;\n}\n", file);
	fclose(file);
	struct rewritten r = kit_rewrite(text, "scratchpad-layout");
	assert_int_equal(kit_counter(&r, "left"), 1);
	rewritten_free(&r);
	r = kit_rewrite(text, "relssp:t=0.95");
	assert_non_null(strstr(r.text, "\tst.shared.u8 [V69], %rs1;\n\trelssp;\n"));
	rewritten_free(&r);
	free(text);
}

/* Many variables, of which X is accessed at the end, Y and Z at the begin. The first access and the last two are to
 * other variables. */
static void expect_choice(int many, const char *names)
{
	char *text = NULL;
	size_t length;
	FILE *file = open_memstream(&text, &length);
	fputs(HEAD ".visible .entry k()\n{\n" PTX_REGS, file);
	for (int i = 0; i < many; i++)
		fprintf(file, ".shared .b8 %c[10];\n", 'A' + i);
	fputs(".shared .b8 X[10], Y[10], Z[10];\n" ST("Y") ST("Z") WORK WORK WORK WORK, file);
	for (int i = 0; i < many; i++)
		fprintf(file, "st.shared.u8 [%c], %%rs1;\n", 'A' + i);
	fputs(ST("X") "ret;\n}\n", file);
	fclose(file);
	char passes[64];
	snprintf(passes, sizeof passes, "scratchpad-layout:t=%.4f", 20.5 / (10 * (many + 3)));
	expect_order(text, passes, names, 1);
	free(text);
}

/* Two fit. Y and Z together save most. But variables are added one by one, and the first to go saves one
 * instruction, as does the next. */
static void many_variables_go_one_after_another(void **state)
{
	(void)state;
	expect_choice(4, "YZABCDX");
	expect_choice(13, "YZABCDEFGHIJKLMX");
	expect_choice(14, "NXABCDEFGHIJKLMYZ");
}

static void an_address_that_is_a_number_keeps_the_order(void **state)
{
	(void)state;
	struct rewritten r = kit_rewrite(
		THREE(".shared .b8 A[10], B[10];\n", ST("B") WORK ST("B") ST("A") "st.shared.u8 [12], %rs1;\n"),
		"scratchpad-layout:t=0.5");
	assert_int_equal(kit_counter(&r, "left"), 1);
	assert_int_equal(kit_counter(&r, "changed"), 0);
	rewritten_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_of_figure_9),
		cmocka_unit_test(a_and_b_are_in_the_common_part),
		cmocka_unit_test(v2_and_v3_are_in_the_common_part),
		cmocka_unit_test(nothing_moves_where_nothing_is_gained),
		cmocka_unit_test(what_lies_across_the_boundary_is_common),
		cmocka_unit_test(an_order_that_loses_bytes_is_not_taken),
		cmocka_unit_test(loops_weigh),
		cmocka_unit_test(no_more_moves_than_must),
		cmocka_unit_test(dead_code_is_in_no_range),
		cmocka_unit_test(dynamic_memory_is_common),
		cmocka_unit_test(variables_of_the_module),
		cmocka_unit_test(what_stays_lies_behind),
		cmocka_unit_test(a_second_run),
		cmocka_unit_test(very_many_variables),
		cmocka_unit_test(many_variables_go_one_after_another),
		cmocka_unit_test(an_address_that_is_a_number_keeps_the_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
