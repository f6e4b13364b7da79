/* Protects the simulator's own memory from device code. An invalid address in any space, from any source, is refused
 * when the module is parsed, or stops the kernel with the address.
 * Run it with the sanitizers, which find accesses that are not checked. */
#include "simt_kit.h"

/* A kernel with variables in all spaces: parameters a (4 bytes), b (8 bytes at 8), c (16 bytes at 16). */
#define HEAD                                                                                                           \
	".version 7.0\n.target sm_80\n.address_size 64\n"                                                              \
	".global .align 8 .b8 g[16];\n.const .align 8 .b8 k[16];\n.extern .shared .align 8 .b8 dynamic[];\n"           \
	".extern .func (.param .b32 r) vprintf(.param .b64 x, .param .b64 y);\n"                                       \
	".func (.param .b32 r) callee(.param .align 8 .b8 x[8])\n{\n.reg .b32 %r<4>;\nld.param.b32 %r1, [x];\n"        \
	"st.param.b32 [r], %r1;\nret;\n}\n"                                                                            \
	".visible .entry kernel(.param .u32 a, .param .u64 b, .param .align 8 .b8 c[16])\n{\n"                         \
	".reg .pred %p<4>;\n.reg .b16 %h<4>;\n.reg .b32 %r<8>;\n.reg .b64 %d<8>;\n.shared .align 8 .b8 s[16];\n"       \
	".local .align 8 .b8 l[16];\nproto: .callprototype (.param .b32 _) _ (.param .align 8 .b8 _[8]);\n"            \
	"mov.u32 %r7, %tid.x;\n"
#define TAIL         "\nret;\n}\n"
#define MODULE(body) HEAD body TAIL

static struct ptx_module *parse(const char *body, struct diag *diag)
{
	char text[4096];
	int length = snprintf(text, sizeof text, "%s%s%s", HEAD, body, TAIL);
	assert_true(length > 0 && (size_t)length < sizeof text);
	return ptx_parse("access.ptx", text, (size_t)length, diag);
}

/* The statement is refused in its line of the module, with these words. */
static void check_refused(const char *statement, const char *words)
{
	struct diag diag = {0};
	struct ptx_module *module = parse(statement, &diag);
	if (module || diag.errors != 1 || !strstr(diag.text, words) || !strstr(diag.text, "access.ptx:25:") ||
	    !strstr(diag.text, "^"))
		fail_msg("%s\n%s", statement, module ? "is accepted" : diag.text);
	diag_free(&diag);
}

/* Addresses from a variable's name and a constant. */
static void refused_when_read(void **state)
{
	(void)state;
	static const char *const accesses[] = {
		"ld.param.u32 %r1, [a+4];",
		"ld.param.u32 %r1, [a+-4];",
		"ld.param.u32 %r1, [b+4096];",
		"ld.param.u32 %r1, [b+-4096];",
		"ld.param.v4.u32 {%r1,%r2,%r3,%r4}, [a];",
		"ld.param.u64 %d1, [a];",
		"ld.param.u32 %r1, [c+16];",
		"ld.param.v2.u64 {%d1,%d2}, [c+8];",
		"ld.param.u8 %r1, [b+9223372036854775807];",
		"ld.param.u32 %r1, [b+-9223372036854775808];",
		"ld.global.u32 %r1, [g+16];",
		"st.global.u64 [g+12], %d1;",
		"ld.global.u8 %r1, [g+-1];",
		"ld.global.nc.u32 %r1, [g+1048576];",
		"ld.const.u32 %r1, [k+16];",
		"ld.const.v4.u32 {%r1,%r2,%r3,%r4}, [k+8];",
		"ld.shared.u32 %r1, [s+16];",
		"st.shared.u32 [s+-4], %r1;",
		"ld.local.u32 %r1, [l+16];",
		"st.local.v2.u64 [l+8], {%d1,%d2};",
		"ld.u32 %r1, [g+16];",
		"st.u32 [s+16], %r1;",
		"atom.global.add.u32 %r1, [g+16], 1;",
		"atom.shared.cas.b64 %d1, [s+12], %d2, %d3;",
		"red.shared.add.u32 [s+4294967296], 1;",
		"red.global.add.u64 [g+-8], %d1;",
		"prefetch.global.L1 [g+17];",
		"ldu.global.u64 %d1, [g+16];",
		"{ .param .b32 q; st.param.b64 [q], %d1; }",
		"{ .param .b32 q; ld.param.b32 %r1, [q+4]; }",
		"{ .param .b8 q[12]; st.param.v4.b32 [q], {%r1,%r2,%r3,%r4}; }",
	};
	static const char *const misaligned[] = {
		"ld.param.u32 %r1, [b+2];",  "ld.param.u64 %d1, [c+4];", "ld.global.u32 %r1, [g+1];",
		"st.shared.u64 [s+4], %d1;", "ld.const.u16 %h1, [k+3];", "atom.global.add.u32 %r1, [g+2], 1;",
	};
	static const char *const read_only[] = {
		"st.param.u32 [a], %r1;",
		"st.param.v2.u64 [c], {%d1,%d2};",
	};
	for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++)
		check_refused(accesses[i], "expected an address inside it");
	for (size_t i = 0; i < sizeof misaligned / sizeof *misaligned; i++)
		check_refused(misaligned[i], "misaligned");
	for (size_t i = 0; i < sizeof read_only / sizeof *read_only; i++)
		check_refused(read_only[i], "can only be read");
}

/* Protects against a parameter of zero bytes, which has no address to read. */
static void empty_parameter(void **state)
{
	(void)state;
	static const char text[] = ".version 7.0\n.target sm_80\n.address_size 64\n"
				   ".visible .entry kernel(.param .b8 a[0])\n{\n.reg .b32 %r<2>;\n"
				   "ld.param.u32 %r1, [a];\nret;\n}\n";
	struct diag diag = {0};
	assert_null(ptx_parse("access.ptx", text, strlen(text), &diag));
	assert_non_null(strstr(diag.text, "access.ptx:7:19: error: 4 bytes at 'a'+0; expected an address inside it"));
	diag_free(&diag);
}

/* Statements that would use an address that its space does not have, or need space for one. */
static void refused_uses(void **state)
{
	(void)state;
	static const struct {
		const char *statement, *words;
	} uses[] = {
		{"ld.param.u32 %r1, [8];", "expected the name of a parameter"},
		{"st.param.u32 [%d1], %r1;", "expected the name of a parameter"},
		{"st.param.u32 [16], %r1;", "expected the name of a parameter"},
		{"ld.u32 %r1, [a];", "'a' is a .param variable"},
		{"ld.shared.u32 %r1, [g];", "'g' is a .global variable"},
		{"st.const.u32 [k], %r1;", "there is no 'st.const.u32'"},
		{"atom.param.add.u32 %r1, [a], 1;", "there is no"},
		{"atom.local.add.u32 %r1, [l], 1;", "there is no"},
		{"atom.const.add.u32 %r1, [k], 1;", "there is no"},
		{"red.param.add.u32 [a], 1;", "there is no"},
		{"prefetch.shared.L1 [s];", "there is no"},
		{"prefetch.param.L1 [a];", "there is no"},
		{"ldu.shared.u32 %r1, [s];", "there is no"},
		{"cvta.shared.u64 %d1, g;", "'g' is a .global variable"},
		{"cvta.u64 %d1, g;", "there is no 'cvta.u64'"},
		{"call kernel, (%r1, %d1, %d2);", "'kernel' is a kernel"},
		{"call (%r1), callee, (%r2);", "expected 8 for argument 1"},
		{"call (%d1), callee, (%d2);", "expected 4 for result 1"},
		{"call (5), callee, (%d2);", "a constant cannot receive a result"},
		{"{ .param .b8 q[64]; call (%r1), callee, (q); }", "expected 8 for argument 1"},
		{"{ .param .b8 q[64]; call (q), callee, (%d1); }", "expected 4 for result 1"},
		{"call (%r1), %d1, (%r2), proto;", "expected 8 for argument 1"},
		{"call (%r1), %d1, (%d2);", "without a prototype"},
		{".shared .u32 x = 5;", "an initial value in .shared"},
		{".local .u32 x[2] = {1, 2};", "an initial value in .local"},
	};
	for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
		check_refused(uses[i].statement, uses[i].words);
}

/* Addresses known only at run time: each lane has a different one, 8 times its number after the wrong one. */
static void stopped_when_run(void **state)
{
	(void)state;
	static const char *const bases[] = {
		"mov.u64 %d1, 0;",
		"mov.u64 %d1, -4;",
		"mov.u64 %d1, 0xfffffffffffffff8;",
		"mov.u64 %d1, 0x7ffffffffffffff8;",
		"mov.u64 %d1, 0x01000000;", /* the windows of shared and local memory, and the addresses after them */
		"mov.u64 %d1, 0x01fffff8;",
		"mov.u64 %d1, 0x02fffff8;",
		"mov.u64 %d1, 0x03fffff8;",
		"mov.u64 %d1, g; add.u64 %d1, %d1, -8;",
		"mov.u64 %d1, s; add.u64 %d1, %d1, 4088;",
		"mov.u64 %d1, l; add.u64 %d1, %d1, -264;",
		"mov.u64 %d1, c;",
		"mov.u64 %d1, callee;",
		"mov.u64 %d1, -4; mul.wide.u32 %d2, %r7, 4; add.u64 %d1, %d1, %d2;", /* around 0, lane next to lane */
		"mov.u64 %d1, -8; mul.wide.u32 %d2, %r7, 8; add.u64 %d1, %d1, %d2;",
		"mul.wide.u32 %d1, %r7, 4096;",
		"mul.wide.u32 %d1, %r7, -1; shl.b64 %d1, %d1, 3;",
	};
	static const char *const accesses[] = {
		"ld.global.u32 %r1, [%d1];",
		"ld.shared.u32 %r1, [%d1];",
		"ld.local.u32 %r1, [%d1];",
		"ld.const.u32 %r1, [%d1];",
		"ld.param.u32 %r1, [%d1];",
		"ld.u32 %r1, [%d1];",
		"ld.shared.u64 %d2, [%d1];",
		"ld.local.v4.u32 {%r1,%r2,%r3,%r4}, [%d1];",
		"ld.v2.u64 {%d2,%d3}, [%d1];",
		"st.global.u32 [%d1], %r7;",
		"st.shared.u32 [%d1], %r7;",
		"st.local.u32 [%d1], %r7;",
		"st.u32 [%d1], %r7;",
		"st.shared.v4.u32 [%d1], {%r1,%r2,%r3,%r4};",
		"st.local.u64 [%d1], %d1;",
		"st.u8 [%d1+7], %r7;",
		"atom.global.add.u32 %r1, [%d1], 1;",
		"atom.shared.add.u32 %r1, [%d1], 1;",
		"atom.add.u64 %d2, [%d1], 1;",
		"atom.shared.cas.b64 %d2, [%d1], %d3, %d4;",
		"red.shared.add.u32 [%d1], 1;",
		"red.and.b32 [%d1], 1;",
		"prefetch.global.L1 [%d1];",
		"prefetch.local.L2 [%d1];",
		"prefetchu.L1 [%d1];",
		"ldu.global.u32 %r1, [%d1];",
		"cvt.u32.u64 %r1, %d1; ld.shared.u32 %r2, [%r1+4096];",
		"cvt.u32.u64 %r1, %d1; st.local.u32 [%r1+4096], %r7;",
		"cvta.to.shared.u64 %d2, %d1; ld.shared.u64 %d3, [%d2+64];",
		"cvta.to.local.u64 %d2, %d1; st.local.u64 [%d2+4096], %d3;",
		"isspacep.shared %p1, %d1; @%p1 ld.u32 %r1, [%d1+4096];",
		"call (%r1), %d1, (%d2), proto;",
		"call (%r1), vprintf, (%d1, %d1);",
		"cvt.u32.u64 %r1, %d1; and.b32 %r1, %r1, 65535; or.b32 %r1, %r1, 16; bar.sync %r1;",
		"cvt.u32.u64 %r1, %d1; or.b32 %r1, %r1, 31; bar.arrive 1, %r1;",
	};
	for (size_t b = 0; b < sizeof bases / sizeof *bases; b++)
		for (size_t a = 0; a < sizeof accesses / sizeof *accesses; a++) {
			char text[4096];
			struct kit kit;
			snprintf(text, sizeof text, "%s%s\n%s%s", HEAD, bases[b], accesses[a], TAIL);
			kit_open(&kit, text);
			simt_run(&kit.launch, 1 << 16, &kit.run);
			if (kit.run.fault.what)
				simt_fault_print(&kit.launch, &kit.run.fault, text, sizeof text);
			kit_close(&kit);
		}
}

/* A kernel's address is not a function's. A wrong number of arguments to a runtime function is reported. */
static void refused_when_decoded(void **state)
{
	(void)state;
	static const char text[] = ".version 7.0\n.target sm_80\n.address_size 64\n"
				   ".extern .func (.param .b32 r) vprintf(.param .b64 x);\n"
				   ".visible .entry kernel()\n{\n.reg .b32 %r<2>;\n.reg .b64 %d<2>;\n"
				   "call (%r1), vprintf, (%d1);\nret;\n}\n";
	struct diag diag = {0};
	struct ptx_module *module = ptx_parse("access.ptx", text, strlen(text), &diag);
	assert_non_null(module);
	assert_null(simt_decode(ptx_find_function(module, "kernel"), kit_reconverge, &diag));
	assert_non_null(strstr(diag.text, "access.ptx:9:13: error: function 'vprintf' takes 2 arguments, not 1"));
	diag_free(&diag);
	ptx_free(module);
}

/* Protects lanes with consecutive addresses around the end of the address space: these are not one range. */
static void wraps_around(void **state)
{
	(void)state;
	struct kit kit;
	kit_open(&kit, MODULE("mul.wide.u32 %d1, %r7, 4; add.u64 %d1, %d1, -4; ld.shared.u32 %r1, [%d1];"));
	kit.launch.dynamic_shared_bytes = 4096;
	simt_run(&kit.launch, 0, &kit.run);
	assert_string_equal(kit.run.fault.what, "shared load beyond the block's shared memory");
	assert_int_equal(kit.run.fault.address, UINT64_MAX - 3);
	kit_close(&kit);
}

/* Protects against calls of addresses that are not functions: a kernel, which has no space for its arguments; a
 * function that the program does not have; an address between two functions, and one after all of them. */
static void wrong_addresses(void **state)
{
	(void)state;
	static const char *const addresses[] = {
		"kernel", "0", "1", "16", "32", "17", "64", "160000", "0xfffffffffffffff0"};
	for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
		struct kit kit;
		char text[4096];
		snprintf(text, sizeof text, "%s%s%s", HEAD "mov.u64 %d1, ", addresses[i],
		         "; call (%r1), %d1, (%d2), proto;" TAIL);
		kit_open(&kit, text);
		simt_run(&kit.launch, 0, &kit.run);
		assert_non_null(kit.run.fault.what);
		assert_string_equal(kit.run.fault.what, "call of an address that is not a function");
		kit_close(&kit);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_parameter),      cmocka_unit_test(refused_when_read),
		cmocka_unit_test(refused_uses),         cmocka_unit_test(stopped_when_run),
		cmocka_unit_test(refused_when_decoded), cmocka_unit_test(wraps_around),
		cmocka_unit_test(wrong_addresses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
