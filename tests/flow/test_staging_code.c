/* Protects the detection of code that stages tiles in shared memory: the loads and stores of transfers, the
 * instructions that generate their addresses, those that serve no other purpose, and the array of each. */
#include "flow_kit.h"

#include "flow/staging.h"

struct staged {
	struct ptx_module *module;
	struct arena arena;
	const struct flow_staging *staging;
	const struct ptx_function *kernel;
};

static struct staged stage(const char *text)
{
	struct staged s = {.module = parse(text)};
	s.kernel = ptx_find_function(s.module, "k");
	s.staging = flow_staging(&s.arena, s.kernel);
	return s;
}

static void leave(struct staged *s)
{
	arena_free(&s->arena);
	ptx_free(s->module);
}

/* The role of the instruction after a label of a function, by default the kernel. */
static struct flow_role role_in(const struct staged *s, const char *function, const char *label)
{
	const struct ptx_function *f = ptx_find_function(s->module, function);
	for (const struct ptx_label *l = f->labels; l; l = l->next)
		if (strcmp(l->name, label) == 0)
			return s->staging->inst[flow_number(s->staging->on, &f->body[l->target])];
	fail_msg("no label %s", label);
	return (struct flow_role){0};
}

static struct flow_role role(const struct staged *s, const char *label)
{
	return role_in(s, "k", label);
}

enum { FIRST = 1, SECOND = 2 };

#define TILES ".shared .align 4 .b8 tile[512];\n.shared .align 4 .b8 other[512];\n"
#define BEGIN "ld.param.u64 %rd0, [k_param_0];\nmov.u32 %r1, %tid.x;\n"

static void expect(const struct staged *s, const char *label, struct flow_role wanted)
{
	const struct flow_role is = role(s, label);
	if (is.loads != wanted.loads || is.handles != wanted.handles || is.stores != wanted.stores ||
	    is.addresses != wanted.addresses || is.own != wanted.own)
		fail_msg("%s: loads %x, handles %x, stores %x, addresses %x, own %d", label, is.loads, is.handles,
		         is.stores, is.addresses, is.own);
}

static const struct flow_role nothing, loads = {.loads = FIRST, .own = true}, handles = {.handles = FIRST, .own = true},
				       stores = {.handles = FIRST, .stores = FIRST, .own = true},
				       addresses = {.addresses = FIRST, .own = true},
				       addresses_too = {.addresses = FIRST};

/* A loop over tiles that scales each element on its way. Its counter also serves the barrier. The sum and its reads
 * belong to no transfer. */
static void test_loop(void **state)
{
	struct staged s = stage(KERNEL(
		TILES BEGIN "A: mul.wide.u32 %rd1, %r1, 4;\nB: mov.u64 %rd2, tile;\nC: add.u64 %rd2, %rd2, %rd1;\n"
			    "mov.u32 %r5, 0;\nmov.f32 %f3, 0f00000000;\n"
			    "D: add.u64 %rd3, %rd0, %rd1;\n"
			    "E: ld.global.f32 %f1, [%rd3];\nF: mul.f32 %f2, %f1, 0f40000000;\n"
			    "G: st.shared.f32 [%rd2], %f2;\nH: bar.sync 0;\n"
			    "I: ld.shared.f32 %f4, [tile];\nJ: add.f32 %f3, %f3, %f4;\n"
			    "bar.sync 0;\nK: add.u64 %rd0, %rd0, 512;\n"
			    "L: add.u32 %r5, %r5, 1;\nM: setp.lt.u32 %p1, %r5, 4;\nN: @%p1 bra D;\n"
			    "O: st.global.f32 [%rd0], %f3;\nret;"));
	(void)state;
	assert_int_equal(s.staging->arrays, 1);
	expect(&s, "A", addresses);
	expect(&s, "B", addresses);
	expect(&s, "C", addresses);
	expect(&s, "D", addresses);
	expect(&s, "E", loads);
	expect(&s, "F", handles);
	expect(&s, "G", stores);
	expect(&s, "H", nothing);
	expect(&s, "I", nothing);
	expect(&s, "J", nothing);
	expect(&s, "K", addresses_too); /* also for the last store's address */
	expect(&s, "L", addresses_too);
	expect(&s, "M", addresses_too);
	expect(&s, "N", addresses_too);
	expect(&s, "O", nothing);
	leave(&s);
}

/* A halo: a constant, or the pixel if it is inside. The conditions are address generation. */
static void test_halo(void **state)
{
	struct staged s = stage(
		KERNEL(TILES BEGIN
	               "A: setp.gt.u32 %p1, %r1, 5;\nB: mov.f32 %f1, 0f00000000;\nC: @%p1 bra H;\n"
	               "D: mul.wide.u32 %rd1, %r1, 4;\nE: add.u64 %rd1, %rd0, %rd1;\nF: ld.global.f32 %f1, [%rd1];\n"
	               "H: st.shared.f32 [tile], %f1;\nbar.sync 0;\nret;"));
	(void)state;
	expect(&s, "A", addresses);
	expect(&s, "B", addresses);
	expect(&s, "C", addresses);
	expect(&s, "D", addresses);
	expect(&s, "E", addresses);
	expect(&s, "F", loads);
	expect(&s, "H", stores);
	leave(&s);
}

/* A value is not an element of a tile if it combines two loaded values, or one with shared memory. Two of the kernels
 * accumulate it around a loop. */
static void test_no_transfers(void **state)
{
	static const char *const bodies[] = {
		"ld.global.f32 %f1, [%rd0];\nld.global.f32 %f2, [%rd0+4];\nadd.f32 %f3, %f1, %f2;\n",
		"ld.global.f32 %f1, [%rd0];\nld.shared.f32 %f2, [other];\nadd.f32 %f3, %f1, %f2;\n",
		"mov.f32 %f3, 0f00000000;\nL: ld.global.f32 %f1, [%rd0];\nadd.f32 %f3, %f3, %f1;\n"
		"setp.gt.f32 %p1, %f3, %f1;\n@%p1 bra L;\n",
		"mov.f32 %f3, 0f00000000;\nL: ld.global.f32 %f1, [%rd0];\nfma.rn.f32 %f3, %f1, %f1, %f3;\n"
		"setp.gt.f32 %p1, %f3, %f1;\n@%p1 bra L;\n",
		"ld.shared.f32 %f3, [other];\n",
		"mov.f32 %f3, 0f00000000;\n",
		"atom.global.add.f32 %f3, [%rd0], 0f00000000;\n",
	};
	(void)state;
	for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
		char text[2048];
		snprintf(text, sizeof text, "%s%s%s",
		         HEAD ".visible .entry k(.param .u64 k_param_0)\n{\n" REGS TILES BEGIN, bodies[i],
		         "A: st.shared.f32 [tile], %f3;\nret;\n}\n");
		struct staged s = stage(text);
		assert_int_equal(s.staging->arrays, 0);
		for (uint32_t inst = 0; inst < s.staging->on->count; inst++)
			assert_false(s.staging->inst[inst].addresses || s.staging->inst[inst].own);
		leave(&s);
	}
}

/* The square of one loaded value is an element; so are a vector's elements and a selection's result. */
static void test_transfers(void **state)
{
	static const char *const bodies[] = {
		"ld.global.f32 %f1, [%rd0];\nmul.f32 %f3, %f1, %f1;\n",
		("ld.global.f32 %f1, [%rd0];\nld.global.f32 %f2, [%rd0+4];\nsetp.gt.f32 %p1, %f1, %f2;\n"
	         "selp.f32 %f3, %f1, %f2, %p1;\n"),
		"ld.global.v2.f32 {%f3, %f1}, [%rd0];\nst.shared.f32 [tile+4], %f1;\n",
		"ld.global.u8 %rs1, [%rd0];\ncvt.rn.f32.u16 %f3, %rs1;\n",
		"mov.f32 %f3, 0f00000000;\n@%p1 ld.global.f32 %f3, [%rd0];\n",
	};
	(void)state;
	for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
		char text[2048];
		snprintf(text, sizeof text, "%s%s%s",
		         HEAD ".visible .entry k(.param .u64 k_param_0)\n{\n" REGS TILES BEGIN, bodies[i],
		         "A: st.shared.f32 [tile], %f3;\nret;\n}\n");
		struct staged s = stage(text);
		if (s.staging->arrays != 1)
			fail_msg("%s", bodies[i]);
		assert_int_equal(role(&s, "A").stores, FIRST);
		leave(&s);
	}
}

/* Two arrays, in the order of their stores, and one load for both. A loaded index is address generation. */
static void test_arrays(void **state)
{
	struct staged s = stage(KERNEL(
		TILES BEGIN
		"A: ld.global.u32 %r2, [%rd0];\nB: mul.wide.u32 %rd1, %r2, 4;\nC: add.u64 %rd1, %rd0, %rd1;\n"
		"D: ld.global.f32 %f1, [%rd1];\nE: ld.global.f32 %f2, [%rd0+8];\n"
		"F: st.shared.f32 [other], %f1;\nG: st.shared.f32 [tile], %f2;\nH: st.shared.f32 [tile+4], %f1;\n"
		"mov.u64 %rd4, tile;\nmov.u64 %rd5, other;\nsetp.gt.u32 %p1, %r1, 5;\n"
		"selp.u64 %rd6, %rd4, %rd5, %p1;\nI: st.shared.f32 [%rd6], %f2;\n"
		"bar.sync 0;\nret;"));
	(void)state;
	assert_int_equal(s.staging->arrays, 3);
	expect(&s, "A", (struct flow_role){.addresses = FIRST | SECOND, .own = true});
	expect(&s, "C", (struct flow_role){.addresses = FIRST | SECOND, .own = true});
	expect(&s, "D", (struct flow_role){.loads = FIRST | SECOND, .own = true});
	expect(&s, "E", (struct flow_role){.loads = SECOND | 4, .own = true});
	assert_int_equal(role(&s, "F").stores, FIRST);
	assert_int_equal(role(&s, "G").stores, SECOND);
	assert_int_equal(role(&s, "H").stores, SECOND);
	assert_int_equal(role(&s, "I").stores, 4); /* of both arrays */
	leave(&s);
}

/* More arrays than the analysis distinguishes: the last one collects the rest. */
static void test_many_arrays(void **state)
{
	char text[4096], *end = text;
	(void)state;
	end += sprintf(end, "%s", HEAD ".visible .entry k(.param .u64 k_param_0)\n{\n" REGS);
	for (int i = 0; i < 10; i++)
		end += sprintf(end, ".shared .align 4 .b8 s%d[4];\n", i);
	end += sprintf(end, "ld.param.u64 %%rd0, [k_param_0];\nld.global.f32 %%f1, [%%rd0];\n");
	for (int i = 0; i < 10; i++)
		end += sprintf(end, "L%d: st.shared.f32 [s%d], %%f1;\n", i, i);
	sprintf(end, "ret;\n}\n");
	struct staged s = stage(text);
	assert_int_equal(s.staging->arrays, FLOW_STAGING_ARRAYS);
	assert_int_equal(role(&s, "L6").stores, 1 << 6);
	assert_int_equal(role(&s, "L7").stores, 1 << 7);
	assert_int_equal(role(&s, "L9").stores, 1 << 7);
	leave(&s);
}

/* A function that receives both pointers, as a compiler calls one that it has not inlined. Its accesses are generic,
 * the caller determines their spaces, and a value passes through another function. */
#define CALLEE                                                                                                         \
	HEAD ".func (.param .f32 twice_out) twice(.param .f32 twice_in)\n{\n.reg .f32 %f<4>;\n"                        \
	     "P: ld.param.f32 %f1, [twice_in];\nQ: add.f32 %f2, %f1, %f1;\nR: st.param.f32 [twice_out], "              \
	     "%f2;\nret;\n}\n"                                                                                         \
	     ".func copy(.param .u64 copy_to, .param .u64 copy_from)\n{\n.reg .u64 %rd<9>;\n.reg .f32 %f<9>;\n"        \
	     "A: ld.param.u64 %rd1, [copy_to];\nB: ld.param.u64 %rd2, [copy_from];\nC: ld.f32 %f1, [%rd2];\n"          \
	     "{\n.param .f32 in;\n.param .f32 out;\nD: st.param.f32 [in], %f1;\nE: call (out), twice, (in);\n"         \
	     "F: ld.param.f32 %f2, [out];\n}\nG: st.f32 [%rd1], %f2;\nbar.sync 0;\nH: ld.f32 %f3, [%rd1];\n"           \
	     "I: st.f32 [%rd2], %f3;\nret;\n}\n"

static void test_calls(void **state)
{
	struct staged s = stage(
		CALLEE
		".visible .entry k(.param .u64 k_param_0)\n{\n" REGS TILES BEGIN
		"S: mov.u64 %rd1, tile;\nT: cvta.shared.u64 %rd2, %rd1;\n{\n.param .u64 to;\n.param .u64 from;\n"
		"U: st.param.u64 [to], %rd2;\nV: st.param.u64 [from], %rd0;\nW: call copy, (to, from);\n}\nret;\n}\n");
	(void)state;
	assert_int_equal(s.staging->arrays, 1);
	assert_int_equal(role_in(&s, "copy", "C").loads, FIRST);
	assert_int_equal(role_in(&s, "copy", "D").handles, FIRST);
	assert_int_equal(role_in(&s, "twice", "Q").handles, FIRST);
	assert_int_equal(role_in(&s, "twice", "R").handles, FIRST);
	assert_int_equal(role_in(&s, "copy", "F").handles, FIRST);
	assert_int_equal(role_in(&s, "copy", "G").stores, FIRST);
	assert_int_equal(role_in(&s, "copy", "A").addresses, FIRST);
	assert_int_equal(role_in(&s, "copy", "E").addresses, FIRST);
	assert_int_equal(role_in(&s, "copy", "H").handles + role_in(&s, "copy", "H").loads, 0);
	assert_int_equal(role_in(&s, "copy", "I").stores, 0);
	assert_int_equal(role(&s, "S").addresses, FIRST);
	assert_int_equal(role(&s, "U").addresses, FIRST);
	leave(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loop),      cmocka_unit_test(test_halo),   cmocka_unit_test(test_no_transfers),
		cmocka_unit_test(test_transfers), cmocka_unit_test(test_arrays), cmocka_unit_test(test_many_arrays),
		cmocka_unit_test(test_calls),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
