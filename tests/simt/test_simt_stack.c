/* Protects a thread's stack: alloca, stacksave, stackrestore. Each lane's allocations are its own, do not overlap, and
 * are aligned. A function's return frees its allocations. An allocation that does not fit stops the kernel. */
#include "simt_kit.h"

/* nest allocates 64 bytes and its number, stores the number there and calls itself with one less. It returns the sum of
 * the stored numbers. */
#define HEAD                                                                                                           \
	".version 8.0\n.target sm_90\n.address_size 64\n"                                                              \
	".func (.param .b32 r) nest(.param .b32 n)\n{\n.reg .pred %p;\n.reg .b32 %r<6>;\n.reg .b64 %d<4>;\n"           \
	"ld.param.b32 %r1, [n];\nmov.u32 %r3, 0;\nsetp.eq.u32 %p, %r1, 0;\n@%p bra done;\n"                            \
	"cvt.u64.u32 %d1, %r1;\nadd.u64 %d1, %d1, 64;\nalloca.u64 %d2, %d1, 32;\nst.local.u32 [%d2+60], %r1;\n"        \
	"sub.u32 %r2, %r1, 1;\ncall (%r3), nest, (%r2);\nld.local.u32 %r4, [%d2+60];\nadd.u32 %r3, %r3, %r4;\n"        \
	"done:\nst.param.b32 [r], %r3;\nret;\n}\n"                                                                     \
	".visible .entry kernel(.param .u64 out)\n{\n.reg .b64 %d<9>, %g<9>, %o;\n.reg .b32 %r<9>, %t, %n;\n.reg "     \
	".pred %p;\n"                                                                                                  \
	".local .align 16 .b8 own[20];\nld.param.u64 %o, [out];\nmov.u32 %t, %tid.x;\nmad.wide.u32 %o, %t, 64, %o;\n"

enum { LANES = 32, PLACE = 16 /* words per lane */ };

static void run(struct kit *kit, const char *text, uint32_t out[LANES][PLACE])
{
	kit_open(kit, text);
	const uint32_t *buffer = kit_buffer(kit, LANES * PLACE * sizeof **out);
	simt_run(&kit->launch, 0, &kit->run);
	memcpy(out, buffer, LANES * PLACE * sizeof **out);
}

/* Lane t allocates t + 1 bytes, then 4 aligned to 64, then, in half of the lanes, 16 more. None overlaps another or the
 * kernel's variable, and each has its alignment. Generic addresses reach them, and stackrestore frees all. */
static void pieces_lie_apart(void **state)
{
	(void)state;
	struct kit kit;
	uint32_t out[LANES][PLACE];
	run(&kit,
	    HEAD "add.u32 %n, %t, 1;\ncvt.u64.u32 %d1, %n;\nstacksave.u64 %d7;\nalloca.u64 %d2, %d1;\n"
	         "alloca.u32 %r3, 4, 64;\ncvt.u64.u32 %d3, %r3;\nmov.u64 %d4, own;\nmov.u64 %d5, 0;\n"
	         "setp.gt.u32 %p, %t, 15;\n@%p alloca.u64 %d5, 16, 4;\nst.local.u8 [%d2], 7;\nst.local.u32 [%d3], %t;\n"
	         "cvta.local.u64 %g3, %d3;\nld.u32 %r4, [%g3];\nld.local.u8 %r5, [%d2];\n"
	         "stacksave.u64 %d6;\nstackrestore.u64 %d7;\nalloca.u64 %d8, 4;\n"
	         "st.global.u32 [%o], %d2;\nst.global.u32 [%o+4], %d3;\nst.global.u32 [%o+8], %d4;\n"
	         "st.global.u32 [%o+12], %d5;\nst.global.u32 [%o+16], %r4;\nst.global.u32 [%o+20], %r5;\n"
	         "st.global.u32 [%o+24], %d6;\nst.global.u32 [%o+28], %d7;\nst.global.u32 [%o+32], %d8;\nret;\n}\n",
	    out);
	assert_null(kit.run.fault.what);
	for (unsigned t = 0; t < LANES; t++) {
		const uint32_t *o = out[t], first = o[0], second = o[1], own = o[2], third = o[3];
		assert_int_equal(first % 8, 0);
		assert_int_equal(second % 64, 0);
		assert_true(first >= own + 20 && second >= first + t + 1);
		assert_int_equal(third % 8, 0);
		assert_true(t > 15 ? third >= second + 4 : third == 0);
		assert_int_equal(o[4], t);
		assert_int_equal(o[5], 7);
		assert_int_equal(o[6], t > 15 ? third + 16 : second + 4);
		assert_true(o[7] <= first);
		assert_int_equal(o[8], first);
	}
	kit_close(&kit);
}

/* Calls, some recursive and some by a subset of the lanes, each with its own allocations: 8 levels at a time. Together
 * they need more than the stack holds, if returns freed nothing. */
static void returns_give_back(void **state)
{
	(void)state;
	struct kit kit;
	uint32_t out[LANES][PLACE];
	run(&kit,
	    HEAD
	    "mov.u32 %n, 100;\nmov.u32 %r5, 0;\nalloca.u64 %d1, 8;\nst.local.u32 [%d1], %t;\nloop:\n"
	    "and.b32 %r1, %t, 7;\ncall (%r2), nest, (%r1);\nadd.u32 %r5, %r5, %r2;\nsetp.gt.u32 %p, %t, 9;\n"
	    "@%p bra over;\ncall (%r2), nest, (8);\nover:\nsub.u32 %n, %n, 1;\nsetp.ne.u32 %p, %n, 0;\n@%p bra loop;\n"
	    "stacksave.u64 %d2;\nsub.u64 %d3, %d2, %d1;\nld.local.u32 %r6, [%d1];\nst.global.u32 [%o], %r5;\n"
	    "st.global.u32 [%o+4], %d3;\nst.global.u32 [%o+8], %r6;\nst.global.u32 [%o+12], %r2;\nret;\n}\n",
	    out);
	if (kit.run.fault.what)
		fail_msg("%s", kit.run.fault.what);
	for (unsigned t = 0; t < LANES; t++) {
		uint32_t n = t & 7;
		assert_int_equal(out[t][0], 100 * n * (n + 1) / 2);
		assert_int_equal(out[t][1], 8);
		assert_int_equal(out[t][2], t);
		assert_int_equal(out[t][3], t > 9 ? n * (n + 1) / 2 : 36);
	}
	kit_close(&kit);
}

/* Allocations that are too large by one byte, and values that no stacksave has returned. */
static void mistakes_stop_the_kernel(void **state)
{
	(void)state;
	static const struct {
		const char *code, *what;
	} mistakes[] = {
		{"alloca.u64 %d1, 16384;\nst.local.u32 [%d1+16380], 1;\n", NULL},
		{"alloca.u64 %d1, 16385;\n", "stack overflow by alloca"},
		{"alloca.u64 %d1, 16376;\nalloca.u64 %d1, 9;\n", "stack overflow by alloca"},
		{"alloca.u64 %d1, -8;\n", "stack overflow by alloca"},
		{"stacksave.u64 %d1;\nadd.u64 %d1, %d1, 16384;\nstackrestore.u64 %d1;\n", NULL},
		{"stacksave.u64 %d1;\nadd.u64 %d1, %d1, 16385;\nstackrestore.u64 %d1;\n",
	         "stackrestore of an address that no stacksave returned"},
	};
	for (size_t k = 0; k < sizeof mistakes / sizeof *mistakes; k++) {
		struct kit kit;
		uint32_t out[LANES][PLACE];
		char text[4096];
		snprintf(text, sizeof text, "%s%sret;\n}\n", HEAD, mistakes[k].code);
		run(&kit, text, out);
		if (!mistakes[k].what) {
			assert_null(kit.run.fault.what);
		} else {
			assert_non_null(kit.run.fault.what);
			assert_string_equal(kit.run.fault.what, mistakes[k].what);
			assert_int_equal(kit.run.fault.kind, SIMT_FAULT_STACK);
		}
		kit_close(&kit);
	}
}

/* An invalid alignment is reported when the kernel is parsed. */
static void alignments_are_powers_of_two(void **state)
{
	(void)state;
	static const struct {
		unsigned align;
		bool good;
	} rows[] = {{0, false}, {1, true}, {12, false}, {1 << 23, true}, {1 << 24, false}};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		char text[4096];
		struct diag diag = {0};
		snprintf(text, sizeof text, "%salloca.u64 %%d1, 8, %u;\nret;\n}\n", HEAD, rows[k].align);
		struct ptx_module *module = ptx_parse("align.ptx", text, strlen(text), &diag);
		assert_non_null(module);
		struct simt_program *program = simt_decode(ptx_find_function(module, "kernel"), kit_reconverge, &diag);
		assert_int_equal(program != NULL, rows[k].good);
		assert_true(rows[k].good || strstr(diag.text, "'alloca.u64' in this form is not supported"));
		simt_program_free(program);
		ptx_free(module);
		diag_free(&diag);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(pieces_lie_apart), cmocka_unit_test(returns_give_back),
	                                   cmocka_unit_test(mistakes_stop_the_kernel),
	                                   cmocka_unit_test(alignments_are_powers_of_two)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
