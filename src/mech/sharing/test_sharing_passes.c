/* The compiler's part of scratchpad sharing (Jatala, Anantpur and Karkare, section 6): its worked examples, which variables an
 * instruction touches, which lie below the boundary, and where relssp stands. */
#include "passes_kit.h"

#include "accesses.h"
#include "placement.h"
#include "ranges.h"

/* --- a kernel with what is known of it --- */

struct subject {
	struct arena arena;
	struct ptx_module *module;
	const struct ptx_function *function;
	const struct flow_cfg *cfg;
	const struct sharing_accesses *accesses;
};

static struct subject look_at(const char *text, uint64_t dynamic)
{
	struct subject s = {.module = kit_parse(text)};
	s.function = ptx_find_function(s.module, "k");
	s.cfg = flow_cfg_build(&s.arena, s.function);
	s.accesses = sharing_accesses(&s.arena, s.function, dynamic);
	return s;
}

static void done(struct subject *s)
{
	arena_free(&s->arena);
	ptx_free(s->module);
}

/* The instruction behind a label. */
static uint32_t at(const struct subject *s, const char *label)
{
	for (const struct ptx_label *l = s->function->labels; l; l = l->next)
		if (strcmp(l->name, label) == 0)
			return l->target;
	fail_msg("no label %s", label);
	return 0;
}

static uint32_t block_at(const struct subject *s, const char *label)
{
	return s->cfg->block_of[at(s, label)];
}

/* --- access ranges: Figures 8 and 9, Examples 6.3 to 6.5 --- */

/* A CFG with the table's values: A from BB1 to BB4, B in the loop of BB2 and BB3, C in BB5 and BB6. All blocks are of two instructions. */
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

/* Where the first of the names is declared before the second, and so on. */
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

/* Example 6.5: where two of three are in the common part, these are A and B. */
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

/* Example 5.2: of V1 to V4, V2 and V3 are in use for the shortest time. */
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
#define ST(name)           "st.shared.u8 [" name "], %rs1;\n"
#define WORK               "add.s32 %r1, %r1, 1;\n"

static void nothing_moves_where_nothing_is_gained(void **state)
{
	(void)state;
	const char *equal = THREE(".shared .b8 A[10], B[10];\n", ST("A") ST("B"));
	struct rewritten r = kit_rewrite(equal, "scratchpad-layout:t=0.5");
	struct ptx_module *module = kit_parse(equal);
	char *as_it_was = kit_print(module);
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

/* A variable that lies half below the boundary is in the common part. */
static void what_lies_across_the_boundary_is_common(void **state)
{
	(void)state;
	struct rewritten r =
		kit_rewrite(THREE(".shared .b8 A[10], B[10];\n", ST("A") WORK ST("A")), "scratchpad-layout:t=0.3");
	assert_int_equal(kit_counter(&r, "before"), 3);
	rewritten_free(&r);
}

/* A byte first and a word behind it would cost three bytes. */
static void an_order_that_loses_bytes_is_not_taken(void **state)
{
	(void)state;
	const char *code = ST("B") WORK WORK ST("A") ST("B");
	expect_order(THREE(".shared .align 4 .b8 A[4];\n.shared .b8 B[1];\n", ST("B") WORK WORK ST("A") ST("B")),
	             "scratchpad-layout:t=0.3", "AB", 0);
	expect_order(THREE(".shared .align 4 .b8 A[4];\n.shared .b8 B[4];\n", ST("B") WORK WORK ST("A") ST("B")),
	             "scratchpad-layout:t=0.5", "BA", 1);
	(void)code;
}

/* Of orders that are as good the one that moves the fewest variables: C is enough, where A and B are always in use together. */
static void no_more_moves_than_must(void **state)
{
	(void)state;
	expect_order(PTX_KERNEL(".shared .b8 A[10], B[10], C[10];\nmov.u32 %r2, A;\nmov.u32 %r3, B;\nselp.b32 %r4, "
	                        "%r2, %r3, %p1;\n"
	                        "st.shared.u8 [%r4], %rs1;\n" WORK "st.shared.u8 [%r4], %rs1;\n" ST("C")
	                                WORK WORK WORK ST("C") "ret;"),
	             "scratchpad-layout:t=0.67", "CAB", 1);
}

/* Code that nothing leads to is in no range, and brings none about. */
static void dead_code_is_in_no_range(void **state)
{
	(void)state;
	struct rewritten r =
		kit_rewrite(PTX_KERNEL(".shared .b8 A[10], B[10];\nbra L;\n" ST("B") "L:\n" WORK WORK ST("B") "ret;"),
	                    "scratchpad-layout:t=0.5");
	assert_int_equal(kit_counter(&r, "before"), 1);
	rewritten_free(&r);
}

/* Dynamic memory of nobody knows how many bytes is common, whatever t; its declaration stays where it is. */
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

/* What counts is how often code runs, if a loop's rounds are taken to be many. */
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
	PTX_HEAD ".shared .b8 A[10];\n" visible                                                                        \
		 ".shared .b8 B[10];\n.extern .shared .b8 D[];\n.visible .entry j()\n{\n" PTX_REGS                     \
		 "st.shared.u8 [A], %rs1;\nret;\n}\n.visible .entry k()\n{\n" PTX_REGS                                 \
		 ".shared .b8 C[10];\nmov.u32 %r9, A;\n" ST("C") WORK WORK ST("C") ST("B") WORK ST("B") ST("A")        \
			 ST("D") "ret;\n}\n"

/* Variables of the module that the kernel alone names become its own; others stay behind, and dynamic memory stays last. Here the
 * module's are A and B by their first use, and A is another kernel's too. */
static void variables_of_the_module(void **state)
{
	(void)state;
	/* 11 bytes of 32: C is below, and best so. */
	expect_order(OF_THE_MODULE(""), "scratchpad-layout:t=0.35", "ABDC", 0);
	/* 24 of 82: C and A would be; better are C and B. */
	struct rewritten r = kit_rewrite(OF_THE_MODULE(""), "scratchpad-layout:t=0.3,dynamic=50");
	assert_int_equal(kit_counter(&r, "changed"), 1);
	assert_int_equal(kit_counter(&r, "before"), 5);
	assert_int_equal(kit_counter(&r, "after"), 2);
	assert_true(declares_in_order(r.text, "ADCB"));
	assert_true(strstr(r.text, " B[10]") > strstr(r.text, ".entry k"));
	rewritten_free(&r);
	/* What others may name from without stays, too. */
	expect_order(OF_THE_MODULE(".visible "), "scratchpad-layout:t=0.3,dynamic=50", "ABDC", 0);
}

/* What others name keeps its place behind the kernel's own, with the bytes that this costs. */
static void what_stays_lies_behind(void **state)
{
	(void)state;
	expect_order(PTX_HEAD ".shared .align 8 .b8 F[8];\n.visible .entry j()\n{\n" PTX_REGS ST(
			     "F") "ret;\n}\n.visible .entry k()\n{\n" PTX_REGS
	                          ".shared .b8 A[4];\n.shared .b8 B[4];\n" ST("B") WORK ST("B") ST("A")
	                                  ST("F") "ret;\n}\n",
	             "scratchpad-layout:t=0.25", "FBA", 1);
}

/* One run behind another finds what the first has made. */
static void a_second_run(void **state)
{
	(void)state;
	static const char text[] =
		PTX_HEAD ".shared .b8 A[10];\n.shared .b8 B[10];\n.shared .b8 C[10];\n.visible .entry k()\n{\n" PTX_REGS
			 "L: " ST("A") "setp.eq.s32 %p1, %r1, 0;\n@%p1 bra L;\n" ST("B") ST("C")
				 WORK WORK WORK WORK ST("C") "ret;\n}\n";
	expect_order(text, "scratchpad-layout:t=0.34", "CAB", 1);
	expect_order(text, "scratchpad-layout:t=0.34,loops=100", "ABC", 0);
	expect_order(text, "scratchpad-layout:t=0.34,scratchpad-layout:t=0.34,loops=100", "ACB", 1);
}

/* More than a set has members: the last stands for those beyond it. */
static void very_many_variables(void **state)
{
	(void)state;
	char *text = NULL;
	size_t length;
	FILE *file = open_memstream(&text, &length);
	fputs(PTX_HEAD ".visible .entry k()\n{\n" PTX_REGS, file);
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

/* So many variables that the first and the last two accesses are those of others: X at the end, Y and Z at the begin. */
static void expect_choice(int many, const char *names)
{
	char *text = NULL;
	size_t length;
	FILE *file = open_memstream(&text, &length);
	fputs(PTX_HEAD ".visible .entry k()\n{\n" PTX_REGS, file);
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

/* Two fit. Together Y and Z save most; one after another the first goes that saves one instruction, and so does the next. */
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

/* --- what an instruction touches --- */

/* The names of what the instruction at X touches, and how far. "*": everything. */
static void expect_touch(const char *text, const char *names, uint64_t end)
{
	struct subject s = look_at(text, 0);
	const struct sharing_touch *touch = &s.accesses->touch[at(&s, "X")];
	char found[SHARING_SET + 1] = "";
	for (uint32_t i = 0; i < s.accesses->layout.count; i++)
		if (touch->variables & sharing_bit(i))
			strncat(found, s.accesses->layout.variable[i].variable->name, 1);
	if (strcmp(touch->variables == SHARING_EVERYTHING ? "*" : found, names) != 0)
		fail_msg("touches '%s', not '%s':\n%s", found, names, text);
	if (touch->end != end)
		fail_msg("ends at %lld, not %lld:\n%s", (long long)touch->end, (long long)end, text);
	done(&s);
}

#define TO_END UINT64_MAX
#define AB_ARRAYS                                                                                                      \
	".shared .align 4 .b8 A[400];\n.shared .align 4 .b8 B[400];\n.local .align 8 .b8 L[64];\n.extern .shared .b8 " \
	"D[];\n"
#define TOUCH(code) PTX_KERNEL(AB_ARRAYS "ld.param.u64 %rd1, [q];\nmov.u32 %r1, %tid.x;\n" code "ret;")

static void addresses_are_followed(void **state)
{
	(void)state;
	expect_touch(TOUCH("X: ld.shared.u32 %r2, [A];\n"), "A", 4);
	expect_touch(TOUCH("X: ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [A+16];\n"), "A", 32);
	expect_touch(TOUCH("mov.u32 %r2, B;\nX: st.shared.u8 [%r2+8], %rs1;\n"), "B", 9);
	expect_touch(TOUCH("mov.u32 %r2, B+4;\nadd.s32 %r2, %r2, 8;\nX: st.shared.u8 [%r2+8], %rs1;\n"), "B", 21);
	expect_touch(TOUCH("mov.u32 %r2, B;\nsub.s32 %r2, %r2, -12;\nX: st.shared.u8 [%r2], %rs1;\n"), "B", 13);
	expect_touch(TOUCH("X: atom.shared.add.u32 %r2, [B+4], 1;\n"), "B", 8);
	expect_touch(TOUCH("X: red.shared.add.u32 [B+4], 1;\n"), "B", 8);
	expect_touch(TOUCH("X: st.shared.u32 [D], %r1;\n"), "D", 4);
	expect_touch(TOUCH("@%p1 st.shared.u32 [A], %r1;\nX: @%p1 st.shared.u32 [B], %r1;\n"), "B", 4);
	expect_touch(TOUCH("X: dma_flat 0, %r2, %rd1, 8;\n"), "*", TO_END);
	expect_touch(TOUCH("mov.u32 %r2, B;\nX: dma_flat 0, %r2, %rd1, 8;\n"), "B", TO_END);
	expect_touch(TOUCH("mov.u32 %r2, B;\nX: dma_execute 0, %r2, %rd1;\n"), "B", TO_END);
}

static void addresses_are_followed_through_generic_space(void **state)
{
	(void)state;
	expect_touch(TOUCH("cvta.shared.u64 %rd2, B;\nX: ld.u32 %r2, [%rd2+4];\n"), "B", 8);
	expect_touch(TOUCH("mov.u64 %rd3, B;\ncvta.shared.u64 %rd2, %rd3;\nX: atom.add.u32 %r2, [%rd2+4], 1;\n"), "B",
	             8);
	expect_touch(TOUCH("mov.u64 %rd3, B;\ncvta.shared.u64 %rd2, %rd3;\ncvta.to.shared.u64 %rd4, %rd2;\n"
	                   "cvt.u32.u64 %r3, %rd4;\nX: ld.shared.u32 %r2, [%r3];\n"),
	             "B", 4);
	expect_touch(TOUCH("X: ld.u32 %r2, [%rd1];\n"), "", TO_END);
	expect_touch(TOUCH("cvta.to.global.u64 %rd2, %rd1;\nX: st.global.u32 [%rd2], %r1;\n"), "", 0);
	expect_touch(TOUCH("cvta.local.u64 %rd2, L;\nX: st.u32 [%rd2], %r1;\n"), "", TO_END);
	expect_touch(TOUCH("cvta.shared.u64 %rd2, B;\nX: ldu.u32 %r2, [%rd2];\n"), "B", 4);
}

/* Which of two, or how far: known as well as may be. */
static void what_may_be_several(void **state)
{
	(void)state;
	expect_touch(TOUCH("mov.u32 %r2, A;\n@%p1 mov.u32 %r2, B+8;\nX: ld.shared.u32 %r3, [%r2];\n"), "AB", 12);
	expect_touch(
		TOUCH("mov.u32 %r2, A;\nmov.u32 %r3, B;\nselp.b32 %r4, %r2, %r3, %p1;\nX: ld.shared.u32 %r5, [%r4];\n"),
		"AB", 4);
	expect_touch(TOUCH("mov.u32 %r2, A;\nmov.u32 %r3, B;\nmin.u32 %r4, %r2, %r3;\nX: ld.shared.u32 %r5, [%r4];\n"),
	             "AB", 4);
	expect_touch(TOUCH("mov.u32 %r2, A;\nmov.u32 %r3, B;\nxor.b32 %r4, %r2, %r3;\nX: ld.shared.u32 %r5, [%r4];\n"),
	             "AB", TO_END);
	expect_touch(TOUCH("mov.u32 %r2, A;\nadd.u32 %r3, %r2, 400;\nsub.u32 %r3, %r3, %r2;\nmov.u32 %r4, B;\nadd.u32 "
	                   "%r4, %r4, %r3;\n"
	                   "X: ld.shared.u32 %r5, [%r4];\n"),
	             "AB", TO_END);
	expect_touch(
		TOUCH("mov.u32 %r2, A;\nAGAIN: add.u32 %r2, %r2, 4;\nX: ld.shared.u32 %r5, [%r2];\n@%p1 bra AGAIN;\n"),
		"A", TO_END);
	expect_touch(TOUCH("mov.u32 %r2, 0;\nAGAIN: add.u32 %r2, %r2, 4;\nmov.u32 %r3, A;\nadd.u32 %r3, %r3, %r2;\n"
	                   "X: ld.shared.u32 %r5, [%r3];\n@%p1 bra AGAIN;\n"),
	             "A", TO_END);
}

/* A's begin and 4 * X, which is a small number. */
#define INDEX(code)                                                                                                    \
	TOUCH(code "mov.u32 %r8, A;\nshl.b32 %r9, %r7, 2;\nadd.u32 %r9, %r8, %r9;\nX: ld.shared.u32 %r5, [%r9];\n")

static void small_numbers_have_bounds(void **state)
{
	(void)state;
	expect_touch(INDEX("mov.u32 %r7, 3;\n"), "A", 16);
	expect_touch(INDEX("and.b32 %r7, %r1, 15;\n"), "A", 64);
	expect_touch(INDEX("and.b32 %r7, 15, %r1;\n"), "A", 64);
	expect_touch(INDEX("and.b32 %r7, %r1, -16;\n"), "A", TO_END);
	expect_touch(INDEX("rem.u32 %r7, %r1, 10;\n"), "A", 40);
	expect_touch(INDEX("rem.s32 %r7, %r1, 10;\n"), "A", TO_END);
	expect_touch(INDEX("mov.u32 %r7, %laneid;\n"), "A", 128);
	expect_touch(INDEX("mov.u32 %r7, %laneid;\nshr.u32 %r7, %r7, 2;\n"), "A", 32);
	expect_touch(INDEX("mov.u32 %r7, %laneid;\nmul.lo.u32 %r7, %r7, 2;\n"), "A", 252);
	expect_touch(INDEX("mov.u32 %r7, %laneid;\nmad.lo.u32 %r7, %r7, 2, 10;\n"), "A", 292);
	expect_touch(INDEX("mov.u32 %r7, %laneid;\nsub.u32 %r7, 40, %r7;\n"), "A", 164);
	expect_touch(INDEX("mov.u32 %r7, %laneid;\nsub.u32 %r7, %r7, 1;\n"), "A", TO_END);
	expect_touch(INDEX("mov.u32 %r7, %laneid;\nmul.hi.u32 %r7, %r7, 2;\n"), "A", TO_END);
	expect_touch(INDEX("mov.u32 %r7, %clock;\nshr.u32 %r7, %r7, 2;\n"), "A", TO_END);
	expect_touch(INDEX("mov.u32 %r7, %laneid;\nmin.u32 %r7, %r7, 7;\n"), "A", 128);
	expect_touch(INDEX("mov.u32 %r7, %tid.x;\n"), "A", TO_END);
	expect_touch(INDEX("ld.global.u8 %rs1, [%rd1];\ncvt.u32.u16 %r7, %rs1;\nshr.u32 %r7, %r7, 3;\n"), "A", 128);
	expect_touch(INDEX("ld.global.u16 %rs1, [%rd1];\ncvt.u32.u16 %r7, %rs1;\nshr.u32 %r7, %r7, 10;\n"), "A", 256);
	expect_touch(INDEX("ld.global.u32 %r7, [%rd1];\n"), "A", TO_END);
	expect_touch(INDEX("cvt.u32.u8 %r7, %r1;\nshr.u32 %r7, %r7, 2;\n"), "A", 256);
	expect_touch(INDEX("cvt.u8.u32 %rs1, 300;\ncvt.u32.u16 %r7, %rs1;\n"), "A", TO_END);
	expect_touch(INDEX("mov.u32 %r7, %laneid;\nsub.u32 %r7, %r7, 1;\nshr.u32 %r7, %r7, 1;\n"), "A", TO_END);
	expect_touch(TOUCH("mov.u32 %r7, %laneid;\nmul.wide.u32 %rd2, %r7, 4;\ncvta.shared.u64 %rd3, A;\nadd.s64 %rd4, "
	                   "%rd3, %rd2;\n"
	                   "X: ld.u32 %r2, [%rd4];\n"),
	             "A", 128);
	expect_touch(TOUCH("mov.u32 %r7, %laneid;\ncvta.shared.u64 %rd3, A;\nmad.wide.u32 %rd4, %r7, 4, %rd3;\nX: "
	                   "ld.u32 %r2, [%rd4];\n"),
	             "A", 128);
	/* 0 - 1 of 32 bits, widened, is far away. */
	expect_touch(TOUCH("mov.u32 %r7, %laneid;\nsub.u32 %r7, %r7, 1;\nmul.wide.u32 %rd2, %r7, 4;\ncvta.shared.u64 "
	                   "%rd3, A+8;\n"
	                   "add.s64 %rd4, %rd3, %rd2;\nX: ld.u32 %r2, [%rd4];\n"),
	             "A", TO_END);
	expect_touch(PTX_HEAD ".visible .entry k()\n.reqntid 20, 1, 1\n{\n" PTX_REGS
	                      ".shared .b8 A[400];\nmov.u32 %r1, A;\nmov.u32 %r2, %tid.x;\n"
	                      "add.u32 %r1, %r1, %r2;\nX: st.shared.u8 [%r1], 0;\nret;\n}\n",
	             "A", 20);
	expect_touch(PTX_HEAD ".visible .entry k()\n.maxntid 20, 1, 1\n{\n" PTX_REGS
	                      ".shared .b8 A[400];\nmov.u32 %r1, A;\nmov.u32 %r2, %tid.x;\n"
	                      "add.u32 %r1, %r1, %r2;\nX: st.shared.u8 [%r1], 0;\nret;\n}\n",
	             "A", 20);
}

/* Memory and parameters: what nobody follows. */
static void what_is_not_followed(void **state)
{
	(void)state;
	expect_touch(TOUCH("st.shared.u32 [A], 1;\nld.global.u32 %r2, [%rd1];\nX: ld.shared.u32 %r3, [%r2];\n"), "*",
	             TO_END);
	expect_touch(TOUCH("ld.global.u64 %rd2, [%rd1];\nX: ld.u32 %r3, [%rd2];\n"), "", TO_END);
	expect_touch(TOUCH("cvta.shared.u64 %rd3, B;\nst.local.u64 [L], %rd3;\nld.local.u64 %rd2, [L];\nX: ld.u32 %r3, "
	                   "[%rd2];\n"),
	             "B", TO_END);
	expect_touch(TOUCH("cvta.shared.u64 %rd3, B;\nst.local.v2.u64 [L], {%rd1, %rd3};\nX: st.u32 [%rd1], %r1;\n"),
	             "B", TO_END);
	expect_touch(TOUCH("mov.u32 %r3, B;\natom.global.exch.b32 %r4, [%rd1], %r3;\nX: ld.shared.u32 %r3, [%r4];\n"),
	             "B", TO_END);
	expect_touch(TOUCH("mov.u32 %r3, B;\natom.global.cas.b32 %r4, [%rd1], 0, %r3;\nX: ld.shared.u32 %r3, [%r4];\n"),
	             "B", TO_END);
	expect_touch(TOUCH("cvta.shared.u64 %rd3, B;\nst.local.u64 [L], %rd3;\nld.local.u64 %rd2, [L];\nadd.s64 %rd2, "
	                   "%rd2, 8;\nX: ld.u32 %r3, [%rd2];\n"),
	             "B", TO_END);
	expect_touch(TOUCH("atom.shared.exch.b32 %r4, [B], %r1;\nX: ld.shared.u32 %r3, [%r4];\n"), "*", TO_END);
	expect_touch(TOUCH("cvta.shared.u64 %rd3, B;\nred.global.max.u64 [%rd1], %rd3;\nld.global.u64 %rd2, "
	                   "[%rd1];\nX: ld.u32 %r3, [%rd2];\n"),
	             "B", TO_END);
	/* An index out of memory makes no other address of one. */
	expect_touch(TOUCH("cvta.shared.u64 %rd3, B;\nst.local.u64 [L], %rd3;\nld.global.u64 %rd2, "
	                   "[%rd1];\ncvta.shared.u64 %rd4, A;\n"
	                   "add.s64 %rd4, %rd4, %rd2;\nX: ld.u32 %r3, [%rd4];\n"),
	             "A", TO_END);
	expect_touch(TOUCH("cvta.shared.u64 %rd3, B;\nst.local.u64 [L], %rd3;\nld.global.u64 %rd2, "
	                   "[%rd1];\ncvta.shared.u64 %rd4, A;\n"
	                   "or.b64 %rd4, %rd4, %rd2;\nX: ld.u32 %r3, [%rd4];\n"),
	             "A", TO_END);
	/* But one of the two may be the other. */
	expect_touch(TOUCH("cvta.shared.u64 %rd3, B;\nst.local.u64 [L], %rd3;\nld.local.u64 %rd2, "
	                   "[L];\ncvta.shared.u64 %rd4, A;\n"
	                   "selp.b64 %rd4, %rd4, %rd2, %p1;\nX: ld.u32 %r3, [%rd4];\n"),
	             "AB", TO_END);
	expect_touch(TOUCH("mov.u32 %r2, 16;\nX: ld.shared.u32 %r3, [%r2];\n"), "*", TO_END);
	expect_touch(TOUCH("mov.u32 %r2, A;\nX: ld.shared.u32 %r3, [%r2+400];\n"), "*", TO_END);
	expect_touch(TOUCH("mov.u32 %r2, A;\nX: ld.shared.u32 %r3, [%r2+-4];\n"), "*", TO_END);
	expect_touch(TOUCH("X: ld.shared.u32 %r3, [A+396];\n"), "A", 400);
	struct subject s = look_at(TOUCH("ld.global.u64 %rd2, [%rd1];\nX: ld.u32 %r3, [%rd2];\n"), 0);
	assert_int_equal(s.accesses->unfollowed, 0);
	done(&s);
	s = look_at(TOUCH("mov.u32 %r3, B;\nst.global.u32 [%rd1], %r3;\nld.global.u32 %r2, [%rd1];\nX: "
	                  "ld.shared.u32 %r3, [%r2];\n"),
	            0);
	assert_int_equal(s.accesses->unfollowed, 1);
	assert_int_equal(s.accesses->exposed, 2);
	assert_false(s.accesses->by_place);
	done(&s);
}

#define CALLED(function, code)                                                                                         \
	PTX_HEAD ".shared .b8 M[64];\n.shared .b8 N[64];\n" function                                                   \
		 ".visible .entry k(.param .u64 q)\n{\n" PTX_REGS AB_ARRAYS "ld.param.u64 %rd1, [q];\n" code           \
		 "ret;\n}\n"
#define STORES_M  ".func f(.param .b32 a)\n{\n" PTX_REGS "st.shared.u32 [M+4], 1;\nret;\n}\n"
#define STORES_BY ".func f(.param .b64 a)\n{\n" PTX_REGS "ld.param.u64 %rd1, [a];\nst.u32 [%rd1+8], 1;\nret;\n}\n"
#define CALL_F    "X: call f, (x);\n}\n"

/* A call touches what its callee does, of its own, through its parameters, or by calling on. */
/* What goes round comes to an end with all of it. */
static void values_go_round(void **state)
{
	(void)state;
	expect_touch(TOUCH("mov.u32 %r2, A;\nmov.u32 %r3, A;\nmov.u32 %r4, A;\nAGAIN:\nX: ld.shared.u32 %r5, "
	                   "[%r4];\nmov.u32 %r4, %r3;\n"
	                   "mov.u32 %r3, %r2;\nmov.u32 %r2, B;\n@%p1 bra AGAIN;\n"),
	             "AB", 4);
	expect_touch(
		TOUCH("cvta.shared.u64 %rd9, B;\nst.local.u64 [L], %rd9;\nmov.u32 %r2, %clock;\nmul.wide.u32 %rd8, "
	              "%r2, 4;\n"
	              "cvta.shared.u64 %rd7, A;\nadd.s64 %rd2, %rd7, %rd8;\nmov.u64 %rd3, %rd2;\nmov.u64 %rd4, %rd2;\n"
	              "AGAIN:\nX: ld.u32 %r5, [%rd4];\nmov.u64 %rd4, %rd3;\nmov.u64 %rd3, %rd2;\nld.local.u64 %rd6, "
	              "[L];\n"
	              "selp.b64 %rd2, %rd7, %rd6, %p2;\n@%p1 bra AGAIN;\n"),
		"AB", TO_END);
	/* A bound that grows once is kept. */
	expect_touch(TOUCH("mov.u32 %r7, 0;\nAGAIN: mov.u32 %r8, A;\nadd.u32 %r8, %r8, %r7;\nX: ld.shared.u32 %r5, "
	                   "[%r8];\nmov.u32 %r7, 4;\n"
	                   "@%p1 bra AGAIN;\n"),
	             "A", 8);
	/* What has no value yet adds none. */
	expect_touch(TOUCH("mov.u32 %r6, 10;\nAGAIN: sub.u32 %r7, 40, %r6;\nmov.u32 %r8, A;\nadd.u32 %r8, %r8, %r7;\n"
	                   "X: ld.shared.u8 %rs5, [%r8];\nmov.u32 %r6, %r5;\nmov.u32 %r5, 10;\n@%p1 bra AGAIN;\n"),
	             "A", 31);
	/* A register that nothing gives its first value. */
	expect_touch(TOUCH("AGAIN: add.u32 %r8, %r8, 4;\nX: ld.shared.u32 %r5, [%r8];\n@%p1 bra AGAIN;\n"), "*",
	             TO_END);
	expect_touch(TOUCH("cvta.shared.u64 %rd9, B;\nst.local.u64 [L], %rd9;\nAGAIN: add.s64 %rd8, %rd8, 4;\nX: "
	                   "ld.u32 %r5, [%rd8];\n"
	                   "@%p1 bra AGAIN;\n"),
	             "B", TO_END);
	expect_touch(TOUCH("mov.u32 %r8, A;\nadd.u32 %r8, %r8, %r50;\nX: ld.shared.u32 %r5, [%r8];\n"), "A", TO_END);
}

/* Arithmetic with addresses other than moving them, and what does not hold of every number. */
static void what_is_no_distance(void **state)
{
	(void)state;
#define OF_A_AND_B(code) TOUCH("mov.u32 %r2, A;\nmov.u32 %r3, B+8;\n" code "X: ld.shared.u8 %rs5, [%r4];\n")
#define FROM_A(code)     TOUCH("mov.u32 %r2, A;\n" code "add.u32 %r4, %r2, %r7;\nX: ld.shared.u8 %rs5, [%r4];\n")
	expect_touch(OF_A_AND_B("add.u32 %r4, %r2, %r3;\n"), "AB", TO_END);
	expect_touch(OF_A_AND_B("sub.u32 %r4, %r3, %r2;\n"), "AB", TO_END);
	expect_touch(OF_A_AND_B("shl.b32 %r4, %r3, %r2;\n"), "AB", TO_END);
	expect_touch(OF_A_AND_B("mul.lo.u32 %r4, %r3, 4;\n"), "B", TO_END);
	expect_touch(OF_A_AND_B("and.b32 %r4, %r3, -4;\n"), "B", TO_END);
	expect_touch(OF_A_AND_B("or.b32 %r4, %r3, 4;\n"), "B", TO_END);
	expect_touch(OF_A_AND_B("lop3.b32 %r4, %r1, %r1, %r2, 8;\n"), "A", TO_END);
	expect_touch(FROM_A("mov.u32 %r6, %laneid;\nsub.u32 %r7, 40, %r6;\n"), "A", 41);
	expect_touch(FROM_A("selp.b32 %r6, 10, 2, %p1;\nsub.u32 %r7, 40, %r6;\n"), "A", 39);
	expect_touch(FROM_A("and.b32 %r7, %r1, -16;\n"), "A", TO_END);
	expect_touch(FROM_A("mov.u32 %r6, %laneid;\nshr.u32 %r6, %r6, 2;\nmul.lo.u32 %r7, %r6, %r6;\n"), "A", 50);
	expect_touch(FROM_A("mov.u32 %r6, %laneid;\nmul24.lo.u32 %r7, %r6, 2;\n"), "A", TO_END);
	expect_touch(FROM_A("cvt.u32.u8 %r7, %r1;\n"), "A", 256);
	expect_touch(FROM_A("cvt.s32.s8 %r7, %r1;\n"), "A", TO_END);
	expect_touch(FROM_A("ld.global.u8 %rs1, [%rd1];\ncvt.u32.u16 %r7, %rs1;\n"), "A", 256);
	expect_touch(FROM_A("ld.global.u16 %rs1, [%rd1];\ncvt.s32.s16 %r7, %rs1;\nshr.s32 %r7, %r7, 10;\n"), "A",
	             TO_END);
	expect_touch(FROM_A("ld.global.u16 %rs1, [%rd1];\nshr.s16 %rs1, %rs1, 10;\ncvt.u32.u16 %r7, %rs1;\n"), "A",
	             TO_END);
	expect_touch(FROM_A("mov.u32 %r6, %laneid;\ncvt.sat.u32.s32 %r7, %r6;\n"), "A", TO_END);
	expect_touch(FROM_A("mov.u32 %r6, %laneid;\nmov.b32 %f1, %r6;\ncvt.rzi.s32.f32 %r7, %f1;\n"), "A", TO_END);
	expect_touch(FROM_A("mov.u32 %r6, %laneid;\nmov.b32 %f1, %r6;\nadd.f32 %f2, %f1, %f1;\nmov.b32 %r7, %f2;\n"),
	             "A", TO_END);
	expect_touch(FROM_A("mov.u64 %rd5, 8;\nmov.b64 {%r6, %r7}, %rd5;\n"), "A", TO_END);
}

static void calls_touch_what_their_callees_do(void **state)
{
	(void)state;
	expect_touch(CALLED(STORES_M, "{\n.param .b32 x;\nst.param.b32 [x], %r1;\n" CALL_F), "M", 8);
	expect_touch(
		CALLED(STORES_BY, "{\n.param .b64 x;\ncvta.shared.u64 %rd2, B+4;\nst.param.b64 [x], %rd2;\n" CALL_F),
		"B", 16);
	expect_touch(CALLED(STORES_BY, "{\n.param .b64 x;\nst.param.b64 [x], %rd1;\n" CALL_F), "", TO_END);
	expect_touch(
		CALLED(STORES_M
	               ".func g(.param .b32 a)\n{\n" PTX_REGS
	               "{\n.param .b32 x;\nst.param.b32 [x], 1;\ncall f, (x);\n}\nst.shared.u32 [N+12], 2;\nret;\n}\n",
	               "{\n.param .b32 x;\nst.param.b32 [x], %r1;\nX: call g, (x);\n}\n"),
		"NM", 16);
	expect_touch(CALLED(".func (.param .b64 c) f(.param .b64 a)\n{\n" PTX_REGS
	                    "ld.param.u64 %rd1, [a];\nadd.s64 %rd1, %rd1, 8;\nst.param.b64 [c], %rd1;\nret;\n}\n",
	                    "{\n.param .b64 x;\n.param .b64 y;\ncvta.shared.u64 %rd2, B+4;\nst.param.b64 [x], "
	                    "%rd2;\ncall (y), f, (x);\n"
	                    "ld.param.b64 %rd3, [y];\n}\nX: st.u32 [%rd3], 1;\n"),
	             "B", 16);
	/* One that calls itself. */
	expect_touch(CALLED(".func f(.param .b32 a)\n{\n" PTX_REGS
	                    "@%p1 ret;\n{\n.param .b32 x;\nst.param.b32 [x], 1;\ncall f, (x);\n}\nst.shared.u32 [N], "
	                    "2;\nret;\n}\n",
	                    "{\n.param .b32 x;\nst.param.b32 [x], %r1;\n" CALL_F),
	             "N", 4);
	/* An address in a variable's initial value lies in memory. */
	expect_touch(CALLED(".global .u64 G[1] = {M};\n",
	                    "st.shared.u32 [M], 1;\nld.global.u64 %rd2, [G];\nX: st.u32 [%rd2], 1;\n"),
	             "M", TO_END);
}

static void calls_of_nobody_knows_whom(void **state)
{
	(void)state;
	expect_touch(CALLED(STORES_M, "p: .callprototype _ (.param .b32 _);\nmov.u64 %rd2, f;\n{\n.param .b32 "
	                              "x;\nst.param.b32 [x], %r1;\n"
	                              "X: call %rd2, (x), p;\n}\n"),
	             "*", TO_END);
	/* A function without code may touch what it is handed, and so may all whose address is not followed then. */
	expect_touch(CALLED(".extern .func f(.param .b64 a);\n",
	                    "{\n.param .b64 x;\ncvta.shared.u64 %rd2, B+4;\nst.param.b64 [x], %rd2;\n" CALL_F),
	             "B", TO_END);
	/* A parameter whose address is taken is not followed by its name. */
	expect_touch(
		CALLED(".func f(.param .align 8 .b8 a[16])\n{\n" PTX_REGS
	               "mov.b64 %rd1, a;\nld.param.u64 %rd2, [%rd1+8];\nst.u32 [%rd2], 1;\nret;\n}\n",
	               "{\n.param .align 8 .b8 x[16];\ncvta.shared.u64 %rd2, B+4;\nst.param.b64 [x+8], %rd2;\n" CALL_F),
		"B", TO_END);
	/* One whose callers do not all store it by its name. */
	expect_touch(CALLED(STORES_BY, "cvta.shared.u64 %rd2, B+4;\ncvta.shared.u64 %rd3, A;\n{\n.param .b64 "
	                               "x;\nst.param.b64 [x], %rd3;\n"
	                               "call f, (%rd2);\n" CALL_F),
	             "AB", TO_END);
	/* Registers as arguments. */
	expect_touch(CALLED(STORES_BY, "cvta.shared.u64 %rd2, B+4;\nX: call f, (%rd2);\n"), "B", TO_END);
	expect_touch(CALLED(".func (.param .b64 c) f()\n{\n" PTX_REGS
	                    "cvta.shared.u64 %rd1, N;\nst.param.b64 [c], %rd1;\nret;\n}\n",
	                    "call (%rd3), f, ();\nX: st.u32 [%rd3], 1;\n"),
	             "N", TO_END);
}

/* Where variables lie: the kernel's own, its callees', the module's as they are named, dynamic memory at a multiple of 16. */
static void variables_lie_as_the_simulator_has_them(void **state)
{
	(void)state;
	struct subject s = look_at(
		PTX_HEAD
		".shared .align 8 .b8 M[4];\n.shared .b8 N[3];\n.shared .b8 O[4];\n.extern .shared .b8 D[], E[];\n"
		".func f()\n{\n.shared .align 2 .b8 F[3];\nst.shared.u8 [M], 1;\nret;\n}\n"
		".visible .entry k()\n{\n" PTX_REGS
		".extern .shared .b8 G[];\n.shared .b8 A[5];\nst.shared.u8 [D], 1;\n"
		"st.shared.u8 [N], 1;\ncall f;\nX: st.shared.u8 [E+3], 1;\nret;\n}\n",
		100);
	static const struct {
		const char *name;
		uint64_t offset;
	} places[] = {{"A", 0}, {"F", 6}, {"N", 9}, {"M", 16}, {"D", 32}};
	assert_int_equal(s.accesses->layout.count, 5);
	for (uint32_t i = 0; i < 5; i++) {
		assert_string_equal(s.accesses->layout.variable[i].variable->name, places[i].name);
		assert_int_equal(s.accesses->layout.variable[i].offset, places[i].offset);
	}
	assert_int_equal(s.accesses->layout.bytes, 132);
	uint32_t x = at(&s, "X");
	assert_true(sharing_touches_from(s.accesses, x, 35));
	assert_false(sharing_touches_from(s.accesses, x, 36));
	done(&s);
}

/* --- where relssp stands --- */

/* The code behind the declarations, without tabs. */
static char *code_of(const char *text)
{
	const char *begin = strstr(text, ".entry k");
	for (const char *now = begin; (now = strpbrk(now, "\n")) != NULL; now++)
		if (strncmp(now, "\n\t.", 3) == 0)
			begin = strchr(now + 1, '\n') + 1;
	char *code = strdup(begin), *to = code;
	for (const char *from = code; *from && *from != '}'; from++)
		if (*from != '\t')
			*to++ = *from;
	*to = 0;
	return code;
}

static void expect_code(const char *text, const char *passes, const char *code)
{
	struct rewritten r = kit_rewrite(text, passes);
	char *found = code_of(r.text);
	if (strcmp(found, code) != 0)
		fail_msg("behind %s:\n%s---\nexpected:\n%s", passes, found, code);
	free(found);
	rewritten_free(&r);
}

#define PLACED(code) PTX_KERNEL(".shared .b8 A[10], B[90];\n" code)
#define COMMON       "st.shared.u8 [B], %rs1;\n"
#define OWN          "st.shared.u8 [A+9], %rs1;\n"

/* Example 6.7, Figure 13(a): behind the last access of the block, at the very place. */
static void within_a_block(void **state)
{
	(void)state;
	expect_code(PLACED(WORK COMMON WORK COMMON WORK OWN "ret;"), "relssp",
	            WORK COMMON WORK COMMON "relssp;\n" WORK OWN "ret;\n");
}

/* Figure 13(b): in BB2 behind its access, in BB3 where it begins; neither in BB1 nor in BB4. */
static void where_ways_part_and_meet(void **state)
{
	(void)state;
	expect_code(PLACED("@%p1 bra BB3;\n" WORK COMMON WORK "bra BB4;\nBB3:\n" WORK "BB4:\n" WORK "ret;"), "relssp",
	            "@%p1 bra BB3;\n" WORK COMMON "relssp;\n" WORK "bra BB4;\nBB3:\nrelssp;\n" WORK "BB4:\n" WORK
	            "ret;\n");
}

/* Example 6.6, Figure 12: L1 in BB3, L2 in BB9; optimal are the places behind them and BB4's begin; the post-dominator is BB12. What
 * lies between is ours. */
#define FIGURE_12(opt1, opt2, opt3, pi)                                                                                \
	"BB1:\n@%p1 bra BB5;\nBB2:\n@%p2 bra BB4;\nBB3:\n" WORK COMMON opt1 WORK "bra BB11;\nBB4:\n" opt2 WORK         \
	"bra BB11;\n"                                                                                                  \
	"BB5:\n" COMMON "BB6:\n" WORK "@%p3 bra BB8;\nBB7:\n" COMMON "BB8:\n" WORK "@%p4 bra BB6;\n"                   \
	"BB9:\n" WORK COMMON opt3 WORK "BB10:\n" WORK "bra BB12;\nBB11:\n" WORK "BB12:\n" pi WORK "ret;\n"

static void the_places_of_figure_12(void **state)
{
	(void)state;
	expect_code(PLACED(FIGURE_12("", "", "", "")), "relssp:place=optimal",
	            FIGURE_12("relssp;\n", "relssp;\n", "relssp;\n", ""));
	expect_code(PLACED(FIGURE_12("", "", "", "")), "relssp:place=postdom", FIGURE_12("", "", "", "relssp;\n"));
	expect_code(PLACED("BB1:\n@%p1 bra L;\n" COMMON "L:\n" WORK "ret;\n"), "relssp:place=exit",
	            "BB1:\n@%p1 bra L;\n" COMMON "L:\n" WORK "relssp;\nret;\n");
}

/* SafeIN, SafeOUT and both INS of Figure 13(b). */
static void the_equations_of_figure_13(void **state)
{
	(void)state;
	struct subject s = look_at(
		PLACED("BB1: @%p1 bra BB3;\nBB2: " WORK COMMON WORK "bra BB4;\nBB3:\n" WORK "BB4:\n" WORK "ret;"), 0);
	bool *accesses = arena_array(&s.arena, s.function->body_count, sizeof *accesses);
	for (uint32_t i = 0; i < s.function->body_count; i++)
		accesses[i] = sharing_touches_from(s.accesses, i, 10);
	const struct sharing_safety safety = sharing_safety(&s.arena, s.cfg, accesses);
	uint32_t bb1 = block_at(&s, "BB1"), bb2 = block_at(&s, "BB2"), bb3 = block_at(&s, "BB3"),
		 bb4 = block_at(&s, "BB4");
	assert_false(safety.in[bb1] || safety.out[bb1] || safety.in[bb2]);
	assert_true(safety.out[bb2] && safety.in[bb3] && safety.out[bb3] && safety.in[bb4] && safety.out[bb4]);
	assert_true(sharing_inserts_in(&safety, bb2));
	assert_false(sharing_inserts_in(&safety, bb1) || sharing_inserts_in(&safety, bb3) ||
	             sharing_inserts_in(&safety, bb4));
	assert_true(sharing_inserts_on(&safety, bb1, bb3));
	assert_false(sharing_inserts_on(&safety, bb1, bb2) || sharing_inserts_on(&safety, bb2, bb4) ||
	             sharing_inserts_on(&safety, bb3, bb4));
	done(&s);
}

/* A critical edge gets a block where it is taken, and none where what falls in can be told; only where relssp goes. */
static void critical_edges(void **state)
{
	(void)state;
	expect_code(PLACED("@%p1 bra L;\n" COMMON WORK "L:\n" WORK "ret;"), "relssp",
	            "@%p1 bra $relssp0;\n" COMMON "relssp;\n" WORK "L:\n" WORK "ret;\n$relssp0:\nrelssp;\nbra L;\n");
	expect_code(PLACED("L:\n" COMMON "@%p1 bra L;\n" WORK "@%p2 bra M;\n" WORK "M:\nret;"), "relssp",
	            "L:\n" COMMON "@%p1 bra L;\nrelssp;\n" WORK "@%p2 bra M;\n" WORK "M:\nret;\n");
	expect_code(PLACED("bra M;\nL:\n" COMMON "@%p1 bra L;\nM:\n" WORK "@%p2 bra L;\nret;"), "relssp",
	            "bra M;\nL:\n" COMMON "@%p1 bra L;\nM:\n" WORK "@%p2 bra L;\nrelssp;\nret;\n");
	expect_code(PLACED("@%p1 bra M;\nL:\n" COMMON "@%p1 bra L;\nM:\n" WORK "ret;"), "relssp",
	            "@%p1 bra $relssp0;\nL:\n" COMMON "@%p1 bra L;\nrelssp;\nbra M;\nM:\n" WORK
	            "ret;\n$relssp0:\nrelssp;\nbra M;\n");
	/* It falls into a block that others lead to: no branch. */
	expect_code(PLACED("@%p1 bra M;\nL:\n" COMMON "@%p1 bra L;\nM:\n" WORK "ret;"), "relssp:branches=needed",
	            "@%p1 bra $relssp0;\nL:\n" COMMON "@%p1 bra L;\nrelssp;\nM:\n" WORK
	            "ret;\n$relssp0:\nrelssp;\nbra M;\n");
}

static void ways_out(void **state)
{
	(void)state;
	expect_code(PLACED("@%p1 exit;\n" COMMON "@%p2 ret;\n" WORK), "relssp",
	            "@%p1 bra $relssp0;\n" COMMON "relssp;\n@%p2 ret;\n" WORK
	            "bra $relssp1;\n$relssp0:\nrelssp;\nexit;\n$relssp1:\n");
	expect_code(PLACED("@%p1 exit;\n" COMMON "@%p2 ret;\n" WORK), "relssp:place=postdom",
	            "@%p1 bra $relssp0;\n" COMMON "@%p2 bra $relssp1;\n" WORK
	            "relssp;\nbra $relssp2;\n$relssp0:\nrelssp;\nexit;\n$relssp1:\nrelssp;\nret;\n$relssp2:\n");
	/* Where nothing runs nothing is put, and a loop without an end has no place behind it. */
	expect_code(PLACED(COMMON "L:\n" WORK "bra L;\n" COMMON "ret;"), "relssp",
	            COMMON "relssp;\nL:\n" WORK "bra L;\n" COMMON "ret;\n");
	expect_code(PLACED("L:\n" COMMON "bra L;\n"), "relssp", "L:\n" COMMON "bra L;\n");
	expect_code(PLACED(COMMON "@%p1 trap;\n" COMMON "ret;\n"), "relssp:place=exit",
	            COMMON "@%p1 bra $relssp0;\n" COMMON "relssp;\nret;\n$relssp0:\nrelssp;\ntrap;\n");
}

/* Nothing is put where nothing leads to. */
static void dead_code_has_none(void **state)
{
	(void)state;
	expect_code(PLACED("bra L;\nDEAD:\n@%p1 bra M;\nL:\n" COMMON "M:\n" WORK "ret;"), "relssp",
	            "bra L;\nDEAD:\n@%p1 bra M;\nL:\n" COMMON "relssp;\nM:\n" WORK "ret;\n");
	expect_code(PLACED("bra L;\nret;\nL:\n" COMMON WORK "ret;"), "relssp:place=exit",
	            "bra L;\nret;\nL:\n" COMMON WORK "relssp;\nret;\n");
}

/* The post-dominator: not in a loop, not where ways pass by, behind its own accesses. */
static void the_post_dominator(void **state)
{
	(void)state;
	expect_code(PLACED(WORK COMMON WORK "@%p1 bra L;\n" WORK "L:\nret;"), "relssp:place=postdom",
	            WORK COMMON "relssp;\n" WORK "@%p1 bra L;\n" WORK "L:\nret;\n");
	expect_code(PLACED("@%p1 bra E;\n" COMMON "L:\n" WORK "@%p2 bra L;\n" WORK "E:\n" WORK "ret;"),
	            "relssp:place=postdom",
	            "@%p1 bra E;\n" COMMON "L:\n" WORK "@%p2 bra L;\n" WORK "E:\nrelssp;\n" WORK "ret;\n");
	expect_code(PLACED("@%p1 bra M;\n" COMMON "M:\n" WORK "@%p2 bra M;\n" WORK "ret;"), "relssp:place=postdom",
	            "@%p1 bra M;\n" COMMON "M:\n" WORK "@%p2 bra M;\nrelssp;\n" WORK "ret;\n");
}

static void expect_edges(const char *text, const char *passes, uint64_t edges)
{
	struct rewritten r = kit_rewrite(text, passes);
	if (kit_counter(&r, "edges") != edges)
		fail_msg("%u edges:\n%s", (unsigned)kit_counter(&r, "edges"), r.text);
	rewritten_free(&r);
}

/* Edges count that got a block of their own. */
static void split_edges_are_counted(void **state)
{
	(void)state;
	const char *both = PLACED("@%p1 bra BB3;\n" WORK COMMON WORK "bra BB4;\nBB3:\n" WORK "BB4:\n" WORK "ret;");
	expect_edges(both, "relssp", 0);
	expect_edges(both, "relssp:place=exit", 0);
	expect_edges(PLACED("L:\n@%p1 exit;\n" COMMON "bra L;\n"), "relssp", 1);
	expect_edges(PLACED("@%p1 bra M;\nL:\n" COMMON "@%p1 bra L;\nM:\n" WORK "ret;"), "relssp", 2);
}

/* The first counter of a pass that places relssp: kernels that have it. */
static void expect_kernels(const char *text, const char *passes, uint64_t kernels)
{
	struct rewritten r = kit_rewrite(text, passes);
	if (kit_counter(&r, "kernels") != kernels || !strstr(r.text, "relssp;") != !kernels)
		fail_msg("%s:\n%s", passes, r.text);
	rewritten_free(&r);
}

static void kernels_that_need_none(void **state)
{
	(void)state;
	expect_kernels(PLACED(OWN "ret;"), "relssp", 0);
	expect_kernels(PLACED(OWN "ret;"), "relssp:t=0.09", 1); /* byte 9 is common */
	expect_kernels(PLACED(COMMON "ret;"), "relssp:t=0.1", 1);
	expect_kernels(PLACED(COMMON "ret;"), "relssp:t=1", 0);
	expect_kernels(PLACED("ret;"), "relssp", 0);
	expect_kernels(PTX_KERNEL("st.global.u32 [%rd1], 1;\nret;"), "relssp", 0);
	/* Room for as many blocks as an SM takes. */
	expect_kernels(PLACED(COMMON "ret;"), "relssp:room=800,blocks=8", 0);
	expect_kernels(PLACED(COMMON "ret;"), "relssp:room=799,blocks=8", 1);
	expect_kernels(PLACED(COMMON "ret;"), "relssp:room=800", 1);
	expect_kernels(PLACED(COMMON "ret;"), "relssp:blocks=8", 1);
	expect_kernels(PTX_KERNEL("st.shared.u32 [4], 1;\nret;"), "relssp", 1);
	/* Dynamic memory: how much decides where the boundary lies; where that is not known all of it is common. */
	expect_kernels(PLACED(COMMON "ret;"), "relssp:dynamic=1000", 0);
	expect_kernels(PTX_HEAD ".extern .shared .b8 D[];\n.visible .entry k()\n{\n" PTX_REGS
	                        "st.shared.u32 [D], 1;\nret;\n}\n",
	               "relssp", 1);
	expect_kernels(PTX_HEAD ".extern .shared .b8 D[];\n.visible .entry k()\n{\n" PTX_REGS
	                        "st.shared.u32 [D], 1;\nret;\n}\n",
	               "relssp:dynamic=40", 0);
	expect_kernels(PTX_HEAD ".extern .shared .b8 D[];\n.visible .entry k()\n{\n" PTX_REGS
	                        "st.shared.u32 [D+4], 1;\nret;\n}\n",
	               "relssp:dynamic=40", 1);
}

/* Neither one by hand nor that of another run is followed by a second. */
static void one_is_enough(void **state)
{
	(void)state;
	struct rewritten r = kit_rewrite(PLACED("relssp;\n" COMMON WORK "ret;"), "relssp");
	assert_int_equal(kit_counter(&r, "left"), 1);
	rewritten_free(&r);
	expect_code(PLACED(COMMON WORK "ret;"), "relssp,relssp:place=exit", COMMON "relssp;\n" WORK "ret;\n");
}

/* Functions get none; a kernel's call is an access where they access. */
static void called_functions(void **state)
{
	(void)state;
	struct rewritten r =
		kit_rewrite(CALLED(STORES_M, "{\n.param .b32 x;\nst.param.b32 [x], %r1;\n" CALL_F), "relssp:t=0");
	assert_non_null(strstr(r.text, "\tcall f, (x);\n\trelssp;\n"));
	const char *first = strstr(r.text, "relssp;");
	assert_null(strstr(first + 1, "relssp;"));
	assert_int_equal(kit_counter(&r, "accesses"), 0);
	rewritten_free(&r);
}

static void what_is_not_followed_is_counted(void **state)
{
	(void)state;
	struct rewritten r = kit_rewrite(TOUCH("mov.u32 %r3, B;\nst.global.u32 [%rd1], %r3;\nld.global.u32 %r2, "
	                                       "[%rd1];\nX: ld.shared.u32 %r3, [%r2];\n"),
	                                 "relssp");
	assert_int_equal(kit_counter(&r, "accesses"), 1);
	assert_int_equal(kit_counter(&r, "variables"), 1);
	assert_int_equal(kit_counter(&r, "instructions"), 1);
	assert_int_equal(kit_counter(&r, "edges"), 0);
	rewritten_free(&r);
	r = kit_rewrite(PLACED("@%p1 exit;\n@%p1 bra L;\n" COMMON WORK "L:\n" WORK "ret;"), "relssp");
	assert_int_equal(kit_counter(&r, "edges"), 2);
	assert_int_equal(kit_counter(&r, "instructions"), 3);
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
		cmocka_unit_test(addresses_are_followed),
		cmocka_unit_test(addresses_are_followed_through_generic_space),
		cmocka_unit_test(what_may_be_several),
		cmocka_unit_test(small_numbers_have_bounds),
		cmocka_unit_test(what_is_not_followed),
		cmocka_unit_test(values_go_round),
		cmocka_unit_test(what_is_no_distance),
		cmocka_unit_test(calls_touch_what_their_callees_do),
		cmocka_unit_test(calls_of_nobody_knows_whom),
		cmocka_unit_test(variables_lie_as_the_simulator_has_them),
		cmocka_unit_test(within_a_block),
		cmocka_unit_test(where_ways_part_and_meet),
		cmocka_unit_test(the_places_of_figure_12),
		cmocka_unit_test(the_equations_of_figure_13),
		cmocka_unit_test(critical_edges),
		cmocka_unit_test(ways_out),
		cmocka_unit_test(dead_code_has_none),
		cmocka_unit_test(the_post_dominator),
		cmocka_unit_test(split_edges_are_counted),
		cmocka_unit_test(kernels_that_need_none),
		cmocka_unit_test(one_is_enough),
		cmocka_unit_test(called_functions),
		cmocka_unit_test(what_is_not_followed_is_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
