/* Protects generic addresses of a kernel's parameters, which compilers take of __grid_constant__ parameters and
 * structures. Covers loads by them in any function and together with other spaces, and their forbidden uses. */
#include "simt_kit.h"

#define HEAD                                                                                                           \
	".version 8.3\n.target sm_90\n.address_size 64\n.global .align 4 .u32 g[2] = {500, 501};\n"                    \
	".func (.param .b32 r) read(.param .b64 p)\n{\n.reg .b64 %d;\n.reg .b32 %r;\nld.param.b64 %d, [p];\n"          \
	"ld.b32 %r, [%d+4];\nst.param.b32 [r], %r;\nret;\n}\n"                                                         \
	".visible .entry kernel(.param .u64 out, .param .u64 in, .param .align 8 .b8 s[32])\n{\n"                      \
	".reg .b64 %d<9>, %o, %i;\n.reg .b32 %r<9>, %t, %n;\n.reg .pred %p;\n.shared .align 8 .b8 sh[8];\n"            \
	".local .align 8 .b8 l[8];\nld.param.u64 %o, [out];\nld.param.u64 %i, [in];\nmov.u32 %t, %tid.x;\n"            \
	"mad.wide.u32 %o, %t, 32, %o;\nmov.b64 %d1, s;\ncvta.param.u64 %d2, %d1;\n"

enum { LANES = 32, PLACE = 8 /* words per lane */, WORDS = 8 /* of s */ };

struct result {
	struct simt_fault fault;
	uint32_t out[LANES][PLACE];
	char message[1024];
};

/* s holds 100, 101 and so on; in holds 200 and so on. */
static void run(const char *text, struct result *result)
{
	struct kit kit;
	kit_open(&kit, text);
	const void *out = kit_buffer(&kit, sizeof result->out);
	uint32_t *in = kit_buffer(&kit, WORDS * sizeof *in);
	for (uint32_t k = 0; k < WORDS; k++) {
		kit_param32(&kit, 100 + k);
		in[k] = 200 + k;
	}
	simt_run(&kit.launch, 0, &kit.run);
	memcpy(result->out, out, sizeof result->out);
	result->fault = kit.run.fault;
	result->message[0] = '\0';
	if (kit.run.fault.what)
		simt_fault_print(&kit.launch, &kit.run.fault, result->message, sizeof result->message);
	kit_close(&kit);
}

/* One address for all lanes, one for each, a vector, and the conversion back to a .param address, which ld.param takes.
 * A variable is in the same kernel. */
static void loads(void **state)
{
	(void)state;
	struct result result;
	run(HEAD "ld.b32 %r1, [%d2];\nand.b32 %n, %t, 7;\nmad.wide.u32 %d3, %n, 4, %d2;\nld.u32 %r2, [%d3];\n"
	         "ld.v2.u32 {%r3, %r4}, [%d2+24];\ncvta.to.param.u64 %d4, %d3;\nld.param.u32 %r5, [%d4];\n"
	         "cvta.param::entry.u64 %d5, s+8;\nld.u32 %r6, [%d5];\nsub.u64 %d6, %d5, %d2;\n"
	         "st.global.v4.u32 [%o], {%r1, %r2, %r3, %r4};\nst.global.v2.u32 [%o+16], {%r5, %r6};\n"
	         "ld.u32 %r7, [g+4];\nst.global.u32 [%o+24], %d6;\nst.global.u32 [%o+28], %r7;\nret;\n}\n",
	    &result);
	assert_string_equal(result.message, "");
	for (unsigned t = 0; t < LANES; t++) {
		const uint32_t expected[] = {100, 100 + t % 8, 106, 107, 100 + t % 8, 102, 8, 501};
		assert_memory_equal(result.out[t], expected, sizeof expected);
	}
}

/* Some lanes read a parameter while others read global, shared and local memory, in a function that does not know the
 * space. */
static void spaces_mix(void **state)
{
	(void)state;
	struct result result;
	run(HEAD "st.shared.u32 [sh+4], 300;\nst.local.u32 [l+4], 400;\nand.b32 %n, %t, 3;\nmov.u64 %d3, %d2;\n"
	         "setp.eq.u32 %p, %n, 1;\n@%p mov.u64 %d3, %i;\nsetp.eq.u32 %p, %n, 2;\n"
	         "@%p cvta.shared.u64 %d3, sh;\nsetp.eq.u32 %p, %n, 3;\n@%p cvta.local.u64 %d3, l;\n"
	         "call (%r1), read, (%d3);\nst.global.u32 [%o], %r1;\nret;\n}\n",
	    &result);
	assert_string_equal(result.message, "");
	for (unsigned t = 0; t < LANES; t++) {
		const uint32_t expected[] = {101, 201, 300, 400};
		assert_int_equal(result.out[t][0], expected[t % 4]);
	}
}

/* Parameters can only be read, and only within their size. */
static void mistakes(void **state)
{
	(void)state;
	static const struct {
		const char *code, *message;
	} rows[] = {
		{"st.u32 [%d2], 1;\n", "store to a parameter of the kernel, which can only be read"},
		{"atom.add.u32 %r1, [%d2+4], 1;\n", "atomic on a parameter of the kernel, which can only be read"},
		{"ld.u64 %d3, [%d2+32];\n", "parameter load beyond the parameters"},
		{"ld.u64 %d3, [%d2+28];\n", "parameter load at a misaligned address"},
		{"setp.eq.u32 %p, %t, 3;\n@%p mov.u64 %d2, %i;\nst.u32 [%d2], 1;\n",
	         "parameter store beyond the parameters"},
	};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct result result;
		char text[4096];
		snprintf(text, sizeof text, "%s%sret;\n}\n", HEAD, rows[k].code);
		run(text, &result);
		if (!strstr(result.message, rows[k].message))
			fail_msg("%s: %s", rows[k].code, result.message);
	}
	static const char function[] = ".version 8.3\n.target sm_90\n.address_size 64\n.func f(.param .b32 x)\n{\n"
				       ".reg .b64 %d;\ncvta.param.u64 %d, x;\nret;\n}\n.entry kernel()\n{\n"
				       "call f, (1);\nret;\n}\n";
	struct diag diag = {0};
	struct ptx_module *module = ptx_parse("f.ptx", function, strlen(function), &diag);
	assert_non_null(module);
	assert_null(simt_decode(ptx_find_function(module, "kernel"), kit_reconverge, &diag));
	assert_non_null(strstr(diag.text, "'cvta' of a function's parameters is not supported; expected a kernel's"));
	ptx_free(module);
	diag_free(&diag);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(loads), cmocka_unit_test(spaces_mix),
	                                   cmocka_unit_test(mistakes)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
