/* Protects alias analysis: which loads may alias a store of the same launch. No such load is missed. Pointers are
 * checked in closed form, and in random code, whose values are followed together with the pointers they derive from. */
#include "ptx_random.h"

#include "flow_kit.h"

#include "flow/alias.h"

#define BIT(source) (UINT64_C(1) << (source))

/* The parameters are two pointers and a number. */
#define ALIAS_HEAD                                                                                                     \
	".version 7.0\n.target sm_80\n.address_size 64\n.global .align 8 .b64 var[4];\n.global .surfref image;\n"      \
	".func f(.param .b64 x)\n{\nret;\n}\n"                                                                         \
	".visible .entry k(.param .align 16 .b8 ab[16], .param .u32 n)\n{\n.shared .align 8 .b64 sh[4];\n"             \
	".local .align 8 .b64 lo[4];\n" REGS                                                                           \
	"ld.param.u64 %rd1, [ab];\nld.param.u64 %rd2, [ab+8];\nld.param.u32 %r1, [n];\n"

struct alias_subject {
	struct ptx_module *module;
	const struct ptx_function *kernel;
	struct arena arena;
	const struct alias_info *alias;
};

static struct alias_subject look_at(const char *body)
{
	static char text[RANDOM_TEXT + sizeof ALIAS_HEAD + 16];
	struct alias_subject s = {0};
	snprintf(text, sizeof text, "%s%s\nret;\n}\n", ALIAS_HEAD, body);
	s.module = parse(text);
	s.kernel = ptx_find_function(s.module, "k");
	s.alias = alias_of(&s.arena, s.kernel);
	return s;
}

static void leave(struct alias_subject *s)
{
	arena_free(&s->arena);
	ptx_free(s->module);
}

/* Names the sources of a set, as bits: 'a' and 'b' for the parameters, 'v' for the variable, 'i' for an image, '.' for
 * inside, '?' for unknown. */
static const char *letters(const struct alias_info *alias, alias_set set)
{
	static char text[8];
	char *to = text;
	alias_set of[2] = {0}, variable = 0;
	for (uint32_t i = 0; i < alias->sources; i++)
		if (alias->source[i].variable)
			variable |= BIT(i);
		else
			of[alias->source[i].offset / 8] |= BIT(i);
	const struct {
		alias_set bits;
		char letter;
	} all[] = {{of[0], 'a'},
	           {of[1], 'b'},
	           {variable, 'v'},
	           {BIT(ALIAS_IMAGE), 'i'},
	           {BIT(ALIAS_INSIDE), '.'},
	           {BIT(ALIAS_UNKNOWN), '?'}};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (set & all[i].bits)
			*to++ = all[i].letter;
	*to = '\0';
	return text;
}

/* Checks the pointers of the last load, and those of all stores. */
static void expect(const char *body, const char *loaded, const char *stored)
{
	struct alias_subject s = look_at(body);
	if (loaded) {
		assert_true(s.alias->loads > 0);
		assert_string_equal(letters(s.alias, s.alias->load[s.alias->loads - 1].from), loaded);
	} else {
		assert_int_equal(s.alias->loads, 0);
	}
	assert_string_equal(letters(s.alias, s.alias->stored), stored);
	leave(&s);
}

static void pointers_are_told_apart(void **state)
{
	(void)state;
	expect("ld.global.u32 %r2, [%rd1];\nst.global.u32 [%rd2], %r2;", "a", "b");
	expect("mul.wide.s32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd3, %rd2;\nadd.s64 %rd4, %rd4, -8;\nld.global.u32 %r2, "
	       "[%rd4+16];",
	       "b", "");
	expect("mov.u64 %rd3, var;\nld.global.u32 %r2, [%rd3];\nst.global.u32 [var+4], %r2;", "v", "v");
	expect("setp.gt.u32 %p1, %r1, 3;\nselp.b64 %rd3, %rd1, %rd2, %p1;\nst.global.u32 [%rd3], %r1;", NULL, "ab");
	expect("cvta.to.global.u64 %rd3, %rd1;\nxor.b64 %rd4, %rd3, %rd2;\nld.u32 %r2, [%rd4];", "ab", "");
	expect("atom.global.add.u32 %r2, [%rd1], 1;\nred.global.add.u32 [%rd2], 1;", NULL, "ab");
	expect("ld.global.u32 %r2, [4096];", "?", "");
}

/* The analysis finds a pointer's origin wherever the instruction that sets the register is. */
static void loops_and_guards_are_followed(void **state)
{
	(void)state;
	expect("mov.u64 %rd3, %rd1;\nL:\nld.global.u32 %r2, [%rd3];\nmov.u64 %rd3, %rd4;\nmov.u64 %rd4, %rd2;\n"
	       "setp.lt.u32 %p1, %r2, %r1;\n@%p1 bra L;",
	       "ab", "");
	expect("mov.u64 %rd3, %rd1;\n@%p1 mov.u64 %rd3, %rd2;\nst.global.u32 [%rd3], 0;", NULL, "ab");
}

static void what_is_inside_meets_nobody(void **state)
{
	(void)state;
	expect("mov.u64 %rd3, sh;\nld.shared.u32 %r2, [%rd3];\nst.shared.u32 [%rd3], %r2;\nst.local.u32 [lo], %r2;",
	       NULL, "");
	expect("cvta.shared.u64 %rd3, %rd4;\nmov.u64 %rd4, sh;\nld.u32 %r2, [%rd3];\nst.u32 [%rd3], %r2;", ".", ".");
	expect("ld.global.nc.u32 %r2, [%rd1];", NULL, "");
}

/* A value from memory is unknown, unless only this kernel can have stored it. */
static void pointers_in_memory_are_not_known(void **state)
{
	(void)state;
	expect("ld.global.u64 %rd3, [%rd1];\nst.global.u32 [%rd3], 0;", "a", "?");
	expect("ld.global.nc.u64 %rd3, [%rd1];\nadd.u64 %rd4, %rd3, %rd2;\nld.global.u32 %r2, [%rd4];", "b?", "");
	expect("atom.global.exch.b64 %rd3, [%rd1], 0;\nld.global.u32 %r2, [%rd3];", "?", "a");
	expect("ld.const.u64 %rd3, [%rd1];\nst.u32 [%rd3], 0;", NULL, "?");
	expect("st.shared.u64 [sh], %rd1;\nld.shared.u64 %rd3, [sh+8];\nld.global.u32 %r2, [%rd3];", "a", "");
	expect("ld.local.u64 %rd3, [lo];\nst.local.u64 [lo], %rd2;\nld.global.u32 %r2, [%rd3];", "b", "");
	expect("st.local.v2.u64 [lo], {%rd1, %rd2};\nld.local.u64 %rd3, [lo];\nst.global.u32 [%rd3], 0;", NULL, "ab");
	expect("cvta.local.u64 %rd3, %rd4;\nmov.u64 %rd4, lo;\nst.u64 [%rd3], %rd1;\nld.shared.u64 %rd5, "
	       "[sh];\nld.global.u32 %r2, [%rd5];",
	       "a", ".");
	expect("atom.shared.cas.b64 %rd3, [sh], %rd4, %rd2;\nld.shared.u64 %rd5, [sh];\nld.global.u32 %r2, [%rd5];",
	       "b", "");
	expect("cp.async.ca.shared.global [sh], [%rd1], 8;\nld.shared.u64 %rd3, [sh];\nst.global.u32 [%rd3], 0;", "a",
	       "?");
	expect("mov.b64 %rd3, {%r1, %r2};\nst.global.u32 [%rd3], 0;", NULL, "?");
}

static void parameters_are_told_by_their_place(void **state)
{
	(void)state;
	expect("ld.param.u64 %rd3, [ab+8];\nld.global.u32 %r2, [%rd3];", "b", "");
	expect("ld.param.v2.u64 {%rd3, %rd4}, [ab];\nld.global.u32 %r2, [%rd4];", "b", "");
	expect("cvt.u64.u32 %rd5, %r1;\nmov.u64 %rd6, ab;\nadd.u64 %rd6, %rd6, %rd5;\nld.param.u64 %rd3, "
	       "[%rd6];\nst.global.u32 [%rd3], 0;",
	       NULL, "?");
}

/* It is not among the sources that a launch supplies. */
static void what_a_call_gives_back_is_no_parameter(void **state)
{
	(void)state;
	struct alias_subject s = look_at("{\n.param .b64 given;\ncall f, (%rd1);\nld.param.b64 %rd3, [given];\n}\n");
	assert_int_equal(s.alias->sources, 2);
	leave(&s);
}

static void of_calls_nothing_is_known(void **state)
{
	(void)state;
	expect("call f, (%rd1);\nld.global.u32 %r2, [%rd2];", "?", "?");
	expect("ld.global.u32 %r2, [%rd2];\ncall f, (%rd1);", "?", "?");
}

static void images_meet_images(void **state)
{
	(void)state;
	expect("suld.b.1d.b32.trap %r2, [image, {%r1}];\nst.global.u32 [%rd1], %r2;", "i", "a");
	expect("sust.b.1d.b32.trap [image, {%r1}], %r1;\nld.global.u32 %r2, [%rd1];", "a", "i");
}

static void what_goes_on_by_itself_is_told(void **state)
{
	static const struct {
		const char *body;
		bool expected;
	} cases[] = {
		{"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sh], [%rd1], 16, [sh+16];", true},
		{"cp.async.bulk.global.shared::cta.bulk_group [%rd1], [sh], 16;", true},
		{"cp.async.bulk.commit_group;", false},
		{"cp.async.ca.shared.global [sh], [%rd1], 8;", false},
		{"st.global.u32 [%rd1], 0;", false}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct alias_subject s = look_at(cases[i].body);
		assert_int_equal(alias_is_asynchronous(&s.kernel->body[3]), cases[i].expected);
		leave(&s);
	}
}

/* More variables than the analysis distinguishes. */
static void too_many_pointers_are_not_known(void **state)
{
	static char text[1 << 14];
	int length = snprintf(text, sizeof text, "%s", HEAD);
	(void)state;
	for (int i = 0; i < 70; i++)
		length += snprintf(text + length, sizeof text - (size_t)length, ".global .b32 v%d;\n", i);
	length += snprintf(text + length, sizeof text - (size_t)length, ".visible .entry k()\n{\n%s", REGS);
	for (int i = 0; i < 70; i++)
		length += snprintf(text + length, sizeof text - (size_t)length, "ld.global.u32 %%r1, [v%d];\n", i);
	snprintf(text + length, sizeof text - (size_t)length, "ret;\n}\n");
	struct alias_subject s = {.module = parse(text)};
	const struct alias_info *alias = alias_of(&s.arena, ptx_find_function(s.module, "k"));
	assert_int_equal(alias->loads, 70);
	for (uint32_t i = 0; i < 70; i++)
		assert_int_equal(alias->load[i].from, BIT(i < ALIAS_SOURCES ? i : ALIAS_UNKNOWN));
	leave(&s);
}

/* --- random code with tracked values --- */

enum { INSTS = 24, REGISTERS = 6, SLOTS = 3, ROUNDS = 6, KERNELS = 400 };

/* `to` and `from` are registers, or slots of shared or local memory. */
struct move {
	enum { MOVE, ADD, CLEAR, TO_SHARED, FROM_SHARED, TO_LOCAL, FROM_LOCAL, LOAD, STORE, KINDS } kind;
	uint32_t to, from;
	bool guarded; /* it runs in every second iteration */
};

static void print_move(struct random_text *text, const struct move *move)
{
	uint32_t to = 1 + move->to, from = 1 + move->from;
	random_add(text, "%s", move->guarded ? "@%p1 " : "");
	switch (move->kind) {
	case MOVE:
		random_add(text, "mov.b64 %%rd%u, %%rd%u;\n", to, from);
		break;
	case ADD:
		random_add(text, "add.s64 %%rd%u, %%rd%u, %%rd%u;\n", to, from, to);
		break;
	case CLEAR:
		random_add(text, "mov.b64 %%rd%u, 0;\n", to);
		break;
	case TO_SHARED:
	case TO_LOCAL:
		random_add(text, "st.%s.b64 [%s+%u], %%rd%u;\n", move->kind == TO_SHARED ? "shared" : "local",
		           move->kind == TO_SHARED ? "sh" : "lo", 8 * move->to, from);
		break;
	case FROM_SHARED:
	case FROM_LOCAL:
		random_add(text, "ld.%s.b64 %%rd%u, [%s+%u];\n", move->kind == FROM_SHARED ? "shared" : "local", to,
		           move->kind == FROM_SHARED ? "sh" : "lo", 8 * move->from);
		break;
	case LOAD:
		random_add(text, "ld.global.b32 %%r9, [%%rd%u];\n", from);
		break;
	default:
		random_add(text, "st.global.b32 [%%rd%u], %%r9;\n", from);
		break;
	}
}

static struct move random_move(struct random_text *text)
{
	struct move move = {.kind = random_below(text, KINDS), .guarded = random_below(text, 4) == 0};
	bool to_slot = move.kind == TO_SHARED || move.kind == TO_LOCAL;
	bool from_slot = move.kind == FROM_SHARED || move.kind == FROM_LOCAL;
	move.to = random_below(text, to_slot ? SLOTS : REGISTERS);
	move.from = random_below(text, from_slot ? SLOTS : REGISTERS);
	return move;
}

/* The pointers from which values derive while the code runs: 1: `a`, 2: `b`. */
struct values {
	uint32_t reg[REGISTERS], slot[2][SLOTS];
};

/* The origin of the move's address, if it is an access. */
static uint32_t make(struct values *values, const struct move *move)
{
	uint32_t *reg = values->reg;
	switch (move->kind) {
	case MOVE:
		reg[move->to] = reg[move->from];
		break;
	case ADD:
		reg[move->to] |= reg[move->from];
		break;
	case CLEAR:
		reg[move->to] = 0;
		break;
	case TO_SHARED:
	case TO_LOCAL:
		values->slot[move->kind == TO_LOCAL][move->to] = reg[move->from];
		break;
	case FROM_SHARED:
	case FROM_LOCAL:
		reg[move->to] = values->slot[move->kind == FROM_LOCAL][move->from];
		break;
	default:
		return reg[move->from];
	}
	return 0;
}

/* The parameters that letters() names. */
static uint32_t parameters(const struct alias_info *alias, alias_set set)
{
	const char *text = letters(alias, set);
	return (strchr(text, 'a') ? 1 : 0) | (strchr(text, 'b') ? 2 : 0) | (strchr(text, '?') ? 3 : 0);
}

/* Runs the code in a loop: no address derives from a pointer that the analysis does not report. */
static void follow(const struct alias_info *alias, const struct move *move, const char *text)
{
	struct values values = {.reg = {1, 2}};
	for (uint32_t round = 0; round < ROUNDS; round++) {
		uint32_t load = 0;
		for (const struct move *m = move; m < move + INSTS; m++) {
			bool happens = !m->guarded || round % 2;
			uint32_t made = happens ? make(&values, m) : 0;
			alias_set told = m->kind == STORE ? alias->stored : 0;
			if (m->kind == LOAD)
				told = alias->load[load++].from;
			if (made & ~parameters(alias, told))
				fail_msg("instruction %u, round %u: derived from %u, reported %s, in\n%s",
				         (unsigned)(m - move), round, made, letters(alias, told), text);
		}
		assert_int_equal(load, alias->loads);
	}
}

static void random_code_has_no_pointer_that_is_not_told(void **state)
{
	uint64_t stream = 1;
	static struct random_text text;
	(void)state;
	text.state = &stream;
	for (uint32_t i = 0; i < KERNELS; i++) {
		struct move move[INSTS];
		text.length = 0;
		random_add(&text, "mov.b64 %%rd3, 0;\nL:\n");
		for (struct move *m = move; m < move + INSTS; m++) {
			*m = random_move(&text);
			print_move(&text, m);
		}
		random_add(&text, "bra L;\n");
		struct alias_subject s = look_at(text.text);
		follow(s.alias, move, text.text);
		leave(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(pointers_are_told_apart),
	                                   cmocka_unit_test(loops_and_guards_are_followed),
	                                   cmocka_unit_test(what_is_inside_meets_nobody),
	                                   cmocka_unit_test(pointers_in_memory_are_not_known),
	                                   cmocka_unit_test(parameters_are_told_by_their_place),
	                                   cmocka_unit_test(what_a_call_gives_back_is_no_parameter),
	                                   cmocka_unit_test(of_calls_nothing_is_known),
	                                   cmocka_unit_test(images_meet_images),
	                                   cmocka_unit_test(what_goes_on_by_itself_is_told),
	                                   cmocka_unit_test(too_many_pointers_are_not_known),
	                                   cmocka_unit_test(random_code_has_no_pointer_that_is_not_told)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
