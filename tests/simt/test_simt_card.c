/* Protects results that PTX leaves open or that a reader of it would not expect, and that an H100 gave. Each row is an
 * instruction, its operands, and the bits of the card's result. */
#include "card_mma.h"
#include "simt_ops.h"

struct fact {
	const char *text;
	char destination;
	uint64_t in[OPS_SOURCES], out;
};

static const struct fact facts[] = {
	/* double precision: a NaN operand, made quiet; the second operand counts first, and of fma the third before the
         * first */
	{"add.f64 %d0, %d1, %d2", 'd', {0xfff0000000000001, 0x404b200000000000}, 0xfff8000000000001},
	{"add.rz.f64 %d0, %d1, %d2", 'd', {0xfff0000000000001, 0x7ff0000000000001}, 0x7ff8000000000001},
	{"sub.f64 %d0, %d1, %d2", 'd', {0x7ff0000000000000, 0x7ff0000000000000}, 0xfff8000000000000},
	{"mul.f64 %d0, %d1, %d2", 'd', {0, 0x7ff0000000000000}, 0xfff8000000000000},
	{"div.rn.f64 %d0, %d1, %d2", 'd', {0xfff0000000000001, 0x7ff0000000000001}, 0xfff8000000000001},
	{"fma.rn.f64 %d0, %d1, %d2, %d3", 'd', {0x7ff8000000000005, 1, 0xfff0000000000001}, 0xfff8000000000001},
	{"fma.rn.f64 %d0, %d1, %d2, %d3", 'd', {1, 0x7ff8000000000005, 0xfff0000000000001}, 0x7ff8000000000005},
	{"mad.rm.f64 %d0, %d1, %d2, %d3", 'd', {0x7ff8000000000005, 0xfff8000000000000, 1}, 0xfff8000000000000},
	{"min.f64 %d0, %d1, %d2", 'd', {0xfff0000000000001, 0x7ff0000000000001}, 0x7ff8000000000001},
	{"sqrt.rn.f64 %d0, %d1", 'd', {0x8000000000000002}, 0xfff8000000000000},
	{"rcp.rn.f64 %d0, %d1", 'd', {0xfff0000000000001}, 0xfff8000000000001},
	{"abs.f64 %d0, %d1", 'd', {0xfff0000000000001}, 0xfff8000000000001},
	{"neg.f64 %d0, %d1", 'd', {0xfff8000000000000}, 0xfff8000000000000},
	/* the sign of a NaN */
	{"abs.f32 %r0, %r1", 'r', {0xffc00005}, 0x7fffffff},
	{"neg.ftz.f32 %r0, %r1", 'r', {0x7fc00005}, 0x7fffffff},
	{"abs.f16x2 %r0, %r1", 'r', {0x7c0176f5}, 0x7fff76f5},
	{"neg.bf16 %h0, %h1", 'h', {0xffc5}, 0x7fff},
	/* a result is flushed before it is rounded */
	{"mul.ftz.f16x2 %r0, %r1, %r2", 'r', {0xbbffe837, 0x400208f}, 0x8000ccce},
	/* division by zero, bit fields, the lowest offset */
	{"rem.u16 %h0, %h1, %h2", 'h', {0x3e92, 0}, 0xffff},
	{"rem.s64 %d0, %d1, %d2", 'd', {0x344a60b91ba03e92, 0}, UINT64_MAX},
	{"bfe.u64 %d0, %d1, %r2, %r3", 'd', {0xf0dfb4a5d8a064df, 0x964b2d2b, 0x3e2434e3}, 0},
	{"bfi.b64 %d0, %d1, %d2, %r3, %r4", 'd', {0x80000000, 0x40, 0x8000, 0x78e51061}, 0x40},
	{"fns.b32 %r0, %r1, %r2, %r3", 'r', {0xffffffff, 0x442e3d43, 0x80000000}, 0},
	/* a subtraction after an addition without a carry borrows */
	{"add.cc.u32 %r6, %r4, %r4; subc.u32 %r0, %r1, %r2", 'r', {0x80000000, 0x40, 0, 0x78e51061}, 0x7fffffbf},
	{"add.cc.u32 %r6, %r4, %r4; subc.s64 %d0, %d1, %d2", 'd', {0x80000000, 0x40, 0, 0x78e51061}, 0x7fffffbf},
	/* conversions of NaN */
	{"cvt.rni.s8.f64 %h0, %d1; cvt.u32.u16 %r0, %h0", 'r', {0xfff0000000000001}, 0xff80},
	{"cvt.rn.f32.f64 %r0, %d1", 'r', {0x7ffc0320f0b7ed68}, 0x7fe01907},
	{"cvt.rz.ftz.f32.f64 %r0, %d1", 'r', {0xfff0000000000001}, 0xffc00000},
	{"cvt.rn.f16.f64 %h0, %d1", 'h', {0x7ffc0320f0b7ed68}, 0x7f00},
	{"cvt.rp.bf16.f64 %h0, %d1", 'h', {0xfff8000000000005}, 0xffc0},
	{"cvt.f32.f32 %r0, %r1", 'r', {0xff800209}, 0xff800209},
	{"cvt.f64.f64 %d0, %d1", 'd', {0xfff0000000000001}, 0xfff0000000000001},
	{"cvt.rni.f64.f64 %d0, %d1", 'd', {0xfff0000000000001}, 0xfff8000000000001},
	{"cvt.f32.bf16 %r0, %h1", 'r', {0x7f81}, 0x7f810000},
	{"cvt.f64.f32 %d0, %r1", 'd', {0xff800209}, 0xfff8004120000000},
	{"cvt.ftz.f64.f32 %d0, %r1", 'd', {0xff800209}, 0x7fffffffe0000000},
	{"cvt.f64.f16 %d0, %h1", 'd', {0xfd36}, 0xfffcd80000000000},
	{"cvt.f64.bf16 %d0, %h1", 'd', {0x7f81}, 0x7ff8200000000000},
	{"cvt.rna.tf32.f32 %r0, %r1", 'r', {0xffc00005}, 0xffc00000},
	{"cvt.rna.tf32.f32 %r0, %r1", 'r', {0x7f800001}, 0x7f800000},
	{"cvt.rna.satfinite.tf32.f32 %r0, %r1", 'r', {0x7f800001}, 0x7f7fe000},
	{"cvt.rz.relu.tf32.f32 %r0, %r1", 'r', {0xffc00005}, 0x7fffe000},
	/* .ftz does not flush the source of a conversion to f16 */
	{"cvt.rm.ftz.f16.f32 %h0, %r1", 'h', {0x80000001}, 0x8001},
	{"cvt.rp.ftz.sat.f16.f32 %h0, %r1", 'h', {1}, 1},
};

static void as_on_the_card(void **state)
{
	(void)state;
	static struct ops_data data;
	for (unsigned k = 0; k < sizeof facts / sizeof *facts; k++)
		for (unsigned level = 0; exec_levels()[level]; level++) {
			const struct fact *fact = &facts[k];
			for (unsigned i = 0; i < OPS_VECTORS; i++)
				memcpy(data.in[i], fact->in, sizeof fact->in);
			ops_run(fact->text, fact->destination, level, &data);
			uint64_t mask = fact->destination == 'd'   ? UINT64_MAX
			                : fact->destination == 'h' ? UINT16_MAX
			                                           : UINT32_MAX;
			if ((data.out[0] & mask) != fact->out)
				fail_msg("%s (%s) gives %llx, expected %llx", fact->text, exec_levels()[level]->name,
				         (unsigned long long)(data.out[0] & mask), (unsigned long long)fact->out);
		}
}

/* Runs a product on `in`, lanes of `words` registers, of which the last `results` are the expected ones. */
static void multiply(const char *instruction, const uint32_t *in, unsigned words, unsigned results)
{
	char text[4096];
	for (unsigned level = 0; exec_levels()[level]; level++) {
		int length = snprintf(text, sizeof text,
		                      ".version 8.7\n.target sm_90\n.address_size 64\n"
		                      ".visible .entry op(.param .u64 in, .param .u64 out)\n{\n"
		                      ".reg .b32 %%r<16>, %%d<8>, %%t;\n.reg .b64 %%a, %%b;\n"
		                      "ld.param.u64 %%a, [in];\nld.param.u64 %%b, [out];\nmov.u32 %%t, %%tid.x;\n"
		                      "mad.wide.u32 %%a, %%t, %u, %%a;\nmad.wide.u32 %%b, %%t, %u, %%b;\n",
		                      4 * words, 4 * results);
		for (unsigned k = 0; k < words - results; k++)
			length += snprintf(text + length, sizeof text - (size_t)length,
			                   "ld.global.b32 %%r%u, [%%a+%u];\n", k, 4 * k);
		length += snprintf(text + length, sizeof text - (size_t)length, "%s;\n", instruction);
		for (unsigned k = 0; k < results; k++)
			length += snprintf(text + length, sizeof text - (size_t)length,
			                   "st.global.b32 [%%b+%u], %%d%u;\n", 4 * k, k);
		snprintf(text + length, sizeof text - (size_t)length, "ret;\n}\n");
		struct kit kit;
		kit_open_level(&kit, text, level);
		void *operands = kit_buffer(&kit, 32 * words * 4);
		const uint32_t *got = kit_buffer(&kit, 32 * results * 4);
		memcpy(operands, in, 32 * words * 4);
		kit.launch.block.x = 32;
		kit_run(&kit);
		for (unsigned lane = 0; lane < 32; lane++)
			assert_memory_equal(&got[lane * results], &in[lane * words + words - results], results * 4);
		kit_close(&kit);
	}
}

static void products(void **state)
{
	(void)state;
	multiply("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%d0, %d1, %d2, %d3}, {%r0, %r1, %r2, %r3}, {%r4, "
	         "%r5}, "
	         "{%r6, %r7, %r8, %r9}",
	         halves[0], 14, 4);
	multiply("mma.sync.aligned.m16n8k16.row.col.f16.e5m2.e4m3.f16 {%d0, %d1}, {%r0, %r1}, {%r2}, {%r3, %r4}",
	         bytes[0], 7, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(as_on_the_card), cmocka_unit_test(products)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
