/* Protects ptx_load: an error inside a kernel or function of a module stays local to it. */
#include "simt_kit.h"

#define HEAD   ".version 7.0\n.target sm_80\n.address_size 64\n.extern .func ext(.param .b32 a);\n"
#define BEFORE ".visible .entry before(.param .u64 a)\n{\n.reg .b32 %r<2>;\nmov.u32 %r1, 1;\nL: bra M;\nM: ret;\n}\n"
#define AFTER  ".visible .entry after()\n{\n.reg .b32 %r<2>;\nmov.u32 %r1, 2;\nL: bra M;\nM: ret;\n}\n"

static struct ptx_module *load(const char *text, struct diag *diag)
{
	*diag = (struct diag){0};
	return ptx_load("load.ptx", text, strlen(text), diag);
}

static void is_whole(const struct ptx_module *module, const char *name)
{
	const struct ptx_function *function = ptx_find_function(module, name);
	assert_non_null(function);
	assert_null(function->errors);
	assert_true(function->has_body && function->body_count == 3 && function->reg_count == 2);
}

/* Each is a kernel or function whose header begins in line 12 of the module. */
static const char *const apart[][2] = {
	{".visible .entry bad()\n{\nfrobnicate.u32 1;\nret;\n}\n", "load.ptx:14:1: error: unknown opcode 'frobnicate'"},
	{".visible .entry bad()\n{\n{\n{\nfrobnicate.u32 {1, 2;\n}\n}\nret;\n}\n",
         "load.ptx:16:1: error: unknown opcode"},
	{".visible .entry bad()\n{\n.reg .f32 %f<3>;\nadd.fast.f32 %f1, %f2, %f2;\n}\n",
         "15:4: error: unknown suffix '.fast'"},
	{".visible .entry bad()\n{\nmov.u32 %x1, 7;\n}\n", "14:9: error: unknown name '%x1'"},
	{".visible .entry bad()\n{\nbra NOWHERE;\n}\n", "14:5: error: unknown label 'NOWHERE'"},
	{".visible .entry bad()\n{\n{ bra NOWHERE; }\n}\n", "14:7: error: unknown label 'NOWHERE'"},
	{".visible .entry bad()\n{\ncall.uni nobody, ();\n}\n", "14:10: error: unknown name 'nobody'"},
	{".visible .entry bad()\n{\n.reg .b77 %r<3>;\n}\n", "14:6: error: unexpected '.b77'"},
	{".visible .entry bad()\n{\n.pagan 3;\n}\n", "14:1: error: unexpected '.pagan'"},
	{".visible .entry bad()\n{\n`?\n}\n", "14:1: error: "},
	{".visible .entry bad()\n.reqnctapercluster 2, 1, 1\n{\n}\n", "13:1: error: '.reqnctapercluster': clusters"},
	{".visible .entry bad()\n.explicitcluster\n.maxntid 32\n{\nret;\n}\n",
         "13:1: error: '.explicitcluster': clusters"},
	{".visible .entry bad()\n.strange 3\n{\n}\n", "13:1: error: unexpected '.strange'"},
	{".visible .entry bad(.param .b77 x, .param .u32 y)\n{\n{ ret; }\n}\n", "12:28: error: unexpected '.b77'"},
	{".visible .entry bad()\n{\nwgmma.fence.sync.aligned;\n}\n",
         "14:1: error: 'wgmma' is not supported: no simulated machine"},
	{".visible .entry bad()\n{\ntcgen05.alloc.cta_group::1.sync.aligned.b32 [0], 32;\n}\n",
         "14:1: error: 'tcgen05' is"},
	{".visible .entry bad()\n{\nmultimem.st.global.u32 [0], 1;\n}\n", "14:1: error: 'multimem' is not supported"},
	{".visible .entry bad()\n{\n.reg .b32 %r<4>;\nst.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 "
         "[%r1], "
         "%r2, [%r3];\n}\n",
         "15:3: error: 'st.async' is not supported"},
	{".visible .entry bad()\n{\nred.async.add.u32 [0], 1;\n}\n", "14:4: error: 'red.async' is not supported"},
	{".visible .entry bad()\n{\ncp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
         "[0], "
         "[%d1, {0, 0, 0, 0}], [0], {0, 0};\n}\n",
         "'cp.async.bulk.tensor.im2col' is not supported"},
	{".visible .entry bad()\n{\ncp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [0], [0], "
         "16;\n}\n",
         "'cp.reduce.async.bulk.f16' is not supported"},
	{".visible .entry bad()\n{\n.reg .b32 %r<9>;\n.reg .f32 %f<9>;\ncvt.rs.f16x2.f32 %r1, %f1, %f2, %r2;\n}\n",
         "16:4: error: 'cvt.rs' is not supported"},
	{".visible .entry bad()\n{\nmma.sp::ordered_metadata.sync.aligned;\n}\n", "'mma.sp::ordered_metadata' is not"},
	{".visible .entry bad()\n{\ntensormap.replace.tile.rank.shared::cta.b1024.b32 [0], 1;\n}\n",
         "'tensormap' is not supported"},
	{".visible .entry bad()\n{\n.reg .b64 %d<4>;\nistypep.texref %p1, %d2;\n}\n",
         "15:1: error: 'istypep' is not supported"},
	{".func bad()\n{\nfrobnicate;\n}\n", "14:1: error: unknown opcode"},
	{".func bad(.param .b32 x);\n.func bad(.param .b32 x)\n{\nfrobnicate;\n}\n", "15:1: error: unknown opcode"},
};

/* Protects the module's other kernels, before the bad one and after it, and the text of the error. */
static void errors_stay_with_the_function(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof apart / sizeof *apart; i++) {
		char text[2048];
		struct diag diag;
		snprintf(text, sizeof text, "%s%s%s", HEAD BEFORE, apart[i][0], AFTER);
		struct ptx_module *module = load(text, &diag);
		if (!module || diag.errors)
			fail_msg("%s\n%s", apart[i][0], diag.text ? diag.text : "no module");
		is_whole(module, "before");
		is_whole(module, "after");
		const struct ptx_function *bad = ptx_find_function(module, "bad");
		assert_true(bad && bad->has_body && bad->body_count == 0 && !bad->locals && !bad->labels);
		if (!bad->errors || !strstr(bad->errors, apart[i][1]))
			fail_msg("%s\n%s\nexpected %s", apart[i][0], bad->errors ? bad->errors : "no error",
			         apart[i][1]);
		ptx_free(module);
		assert_null(ptx_parse("load.ptx", text, strlen(text), &diag));
		assert_non_null(strstr(diag.text, apart[i][1]));
		diag_free(&diag);
	}
}

/* Errors that concern the module, or hide the function's end. */
static void errors_of_the_module(void **state)
{
	(void)state;
	static const char *const text[] = {
		BEFORE, /* no version */
		HEAD BEFORE ".visible .entry open()\n{\nret;\n",
		HEAD BEFORE ".visible .entry open()\n{\nfrobnicate;\n{\n}\n",
		HEAD BEFORE ".visible .entry bodiless()\n" AFTER,
		HEAD BEFORE BEFORE,
		HEAD BEFORE ".global .b77 x;\n" AFTER,
		HEAD BEFORE ".visible .entry ()\n{\n}\n",
	};
	for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
		struct diag diag;
		assert_null(load(text[i], &diag));
		assert_true(diag.errors > 0 && diag.text);
		diag_free(&diag);
	}
}

/* A declaration that cannot be read is dropped when its definition can be read. */
static void declarations(void **state)
{
	(void)state;
	struct diag diag;
	struct ptx_module *module =
		load(HEAD ".func late(.param .b77 x);\n" BEFORE AFTER ".func late()\n{\nret;\n}\n", &diag);
	assert_non_null(module);
	assert_null(ptx_find_function(module, "late")->errors);
	assert_int_equal(ptx_find_function(module, "late")->body_count, 1);
	ptx_free(module);
	module = load(HEAD ".func late(.param .b77 x);\n" BEFORE AFTER, &diag);
	assert_non_null(module);
	assert_non_null(strstr(ptx_find_function(module, "late")->errors, "5:19: error: unexpected '.b77'"));
	assert_false(ptx_find_function(module, "late")->has_body);
	ptx_free(module);
}

/* Any range of a module's text is removed. The parser does not crash, and untouched kernels stay whole where a module
 * results. */
static void cuts(void **state)
{
	(void)state;
	static const char whole[] =
		HEAD BEFORE ".visible .entry bad(.param .align 8 .b8 p[16])\n.maxntid 32\n{\n.reg .b64 %d<4>;\n"
			    ".shared .b8 s[8];\n{\n.param .b32 q;\nst.param.b32 [q], 1;\ncall.uni ext, (q);\n}\n"
			    "ld.param.v2.u64 {%d1, %d2}, [p];\nL: @%p bra L;\nret;\n}\n" AFTER;
	const size_t length = sizeof whole - 1, begin = strlen(HEAD BEFORE), end = length - strlen(AFTER);
	uint64_t random = 11;
	for (unsigned i = 0; i < 3000; i++) {
		char text[sizeof whole];
		size_t at = begin + kit_random(&random) % (end - begin), gap = 1 + kit_random(&random) % 12;
		if (at + gap > end)
			gap = end - at;
		memcpy(text, whole, at);
		memcpy(text + at, whole + at + gap, length - at - gap);
		struct diag diag = {0};
		struct ptx_module *module = ptx_load("cut.ptx", text, length - gap, &diag);
		assert_true(!module == (diag.errors > 0));
		if (module)
			is_whole(module, "before");
		ptx_free(module);
		diag_free(&diag);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_stay_with_the_function),
		cmocka_unit_test(errors_of_the_module),
		cmocka_unit_test(declarations),
		cmocka_unit_test(cuts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
