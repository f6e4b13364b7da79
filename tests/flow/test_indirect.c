/* Protects the detection of indirect loads, which a stride prefetcher must ignore. */
#include "flow_kit.h"

#include "flow/indirect.h"

/* The loads of a kernel's body, in order, as letters: i for indirect, d for direct. */
static void check(const char *functions, const char *body, const char *expected)
{
	static char text[8192], found[64];
	uint32_t loads = 0;
	struct arena arena = {0};
	snprintf(text, sizeof text,
	         HEAD "%s.visible .entry k(.param .u64 p, .param .u32 n)\n{\n.reg .u64 %%rd<20>;\n"
	              ".reg .u32 %%r<20>;\n.reg .pred %%p<4>;\n.shared .u32 s[64];\n.const .u32 c[4];\n%s\nret;\n}\n",
	         functions, body);
	struct ptx_module *module = parse(text);
	const struct flow_loads *all = flow_find_loads(&arena, ptx_find_function(module, "k"));
	for (uint32_t inst = 0; inst < all->on->count; inst++)
		if (flow_is_global_load(all->on->inst[inst]))
			found[loads++] = all->indirect[inst] ? 'i' : 'd';
	found[loads] = '\0';
	assert_string_equal(found, expected);
	arena_free(&arena);
	ptx_free(module);
}

#define THREAD  "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmad.wide.u32 %rd2, %r1, 4, %rd1;\n"
#define LOAD    "ld.global.u32 %r2, [%rd2];\n"
#define BY(reg) "mad.wide.u32 %rd3, " reg ", 4, %rd1;\nld.global.u32 %r9, [%rd3];\n"

static void test_values(void **state)
{
	(void)state;
	check("", THREAD LOAD, "d");
	check("", THREAD LOAD BY("%r2"), "di");
	check("", THREAD LOAD "add.u32 %r3, %r2, 1;\nshr.u32 %r4, %r3, 2;\n" BY("%r4"), "di");
	check("", THREAD "ld.param.u32 %r2, [n];\n" BY("%r2"), "d");
	check("", THREAD "ld.const.u32 %r2, [c+4];\n" BY("%r2"), "d");
	check("", THREAD "mov.u32 %r3, c;\nadd.u32 %r3, %r3, %r1;\nld.const.u32 %r2, [%r3];\n" BY("%r2"), "d");
	check("", THREAD LOAD "mov.u32 %r3, c;\nadd.u32 %r3, %r3, %r2;\nld.const.u32 %r4, [%r3];\n" BY("%r4"), "di");
	check("", THREAD "ld.shared.u32 %r2, [s+4];\n" BY("%r2"), "i");
	check("", THREAD "atom.global.add.u32 %r2, [%rd2], 1;\n" BY("%r2"), "i");
	check("", THREAD "ld.u32 %r2, [%rd2];\n" BY("%r2"), "di");
	check("", THREAD "ldu.global.u32 %r2, [%rd2];\n" BY("%r2"), "di");
}

/* The analysis of one load leaves no state for the next: neither visited values nor others. */
static void test_several_loads(void **state)
{
	(void)state;
	check("", THREAD LOAD BY("%r2") BY("%r2") "ld.global.u32 %r9, [%rd2+4];\n", "diid");
	check("",
	      THREAD LOAD
	      "ld.global.u32 %r4, [%rd2+4];\nadd.u32 %r5, %r2, %r4;\n" BY("%r5") "ld.global.u32 %r9, [%rd2+8];\n",
	      "ddid");
}

/* An overwritten value does not count, and neither does a loop's own step. A value from another path counts. */
static void test_ways(void **state)
{
	(void)state;
	check("", THREAD LOAD "mov.u32 %r2, 5;\n" BY("%r2"), "dd");
	check("", THREAD "mov.u32 %r2, 5;\nsetp.eq.u32 %p1, %r1, 3;\n@%p1 bra B;\n" LOAD "B:\n" BY("%r2"), "di");
	check("", THREAD "L:\n" LOAD "add.u64 %rd2, %rd2, 128;\nsetp.ne.u64 %p1, %rd2, 4096;\n@%p1 bra L;", "d");
	check("", THREAD LOAD "setp.eq.u32 %p1, %r2, 3;\n@%p1 bra B;\nadd.u32 %r1, %r1, 1;\nB:\n" BY("%r1"), "dd");
	check("", THREAD LOAD "setp.eq.u32 %p1, %r2, 3;\nselp.u32 %r3, %r1, 7, %p1;\n" BY("%r3"), "di");
	check("", THREAD LOAD "setp.eq.u32 %p1, %r2, 3;\n@%p1 ld.global.u32 %r9, [%rd2+4];", "dd");
}

/* A linked list: the load's address is direct on the entry path, and the load's own value on the loop path. */
static void test_pointers(void **state)
{
	(void)state;
	check("", THREAD "L:\nld.global.u64 %rd2, [%rd2];\nsetp.ne.u64 %p1, %rd2, 0;\n@%p1 bra L;", "i");
}

static void test_calls(void **state)
{
	static const char function[] =
		".func (.param .u32 o) f(.param .u64 a)\n{\n.reg .u64 %rd<3>;\n.reg .u32 %r<3>;\n"
		"ld.param.u64 %rd1, [a];\nld.global.u32 %r1, [%rd1];\nst.param.u32 [o], %r1;\nret;\n}\n";
#define CALL(address, result)                                                                                          \
	"{\n.param .u64 a;\n.param .u32 b;\nst.param.u64 [a], " address ";\ncall (b), f, (a);\nld.param.u32 " result   \
	", [b];\n}\n"
	(void)state;
	check(function, THREAD CALL("%rd2", "%r5"), "d");
	check(function, THREAD CALL("%rd2", "%r5") BY("%r5"), "id");
	check(function, THREAD LOAD "mad.wide.u32 %rd3, %r2, 4, %rd1;\n" CALL("%rd3", "%r5"), "di");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_several_loads),
	                                   cmocka_unit_test(test_ways), cmocka_unit_test(test_pointers),
	                                   cmocka_unit_test(test_calls)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
