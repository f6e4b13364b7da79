/* Protects matrix products and moves in cases that random ones do not reach: constants as fragments, numbers at the
 * ends, unused addresses, inactive lanes. */
#include "simt_kit.h"

#define HEAD                                                                                                           \
	".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry kernel(.param .u64 out)\n{\n"                  \
	".reg .b64 %o;\n.reg .b32 %r<9>, %t, %a, %l;\n.reg .f32 %f<9>;\n.reg .f64 %e<9>;\n.reg .pred %p, %q;\n"        \
	".shared .align 16 .b8 s[512];\nld.param.u64 %o, [out];\nmov.u32 %t, %tid.x;\nmad.wide.u32 %o, %t, 32, %o;\n"

enum { LANES = 32, PLACE = 8 /* words per lane */ };

static void run(const char *text, uint32_t out[LANES][PLACE])
{
	struct kit kit;
	kit_open(&kit, text);
	const void *buffer = kit_buffer(&kit, LANES * sizeof *out);
	kit_run(&kit);
	memcpy(out, buffer, LANES * sizeof *out);
	kit_close(&kit);
}

/* All elements of A are 1, of B 2; the elements of C are 1, 2, 3 and 4. */
static void constants_are_fragments(void **state)
{
	(void)state;
	uint32_t out[LANES][PLACE];
	run(HEAD
	    "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f0, %f1, %f2, %f3}, {1065369472, 1065369472}, "
	    "{1073758208}, {0f3F800000, 0f40000000, 0f40400000, 0f40800000};\n"
	    "st.global.v4.f32 [%o], {%f0, %f1, %f2, %f3};\n"
	    "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%e0, %e1}, {0d3FF0000000000000}, {0d4000000000000000}, "
	    "{0d3FF0000000000000, 0d4000000000000000};\n"
	    "st.global.v2.f64 [%o+16], {%e0, %e1};\nret;\n}\n",
	    out);
	for (unsigned t = 0; t < LANES; t++) {
		const float single[] = {17, 18, 19, 20};
		const double wide[] = {9, 10};
		assert_memory_equal(out[t], single, sizeof single);
		assert_memory_equal(&out[t][4], wide, sizeof wide);
	}
}

/* One product of 2^-150 and a sum of 2^-149 are cut off to 2^-149. A NaN in double precision
 * becomes quiet. */
static void sums_are_cut_off(void **state)
{
	(void)state;
	uint32_t out[LANES][PLACE];
	run(HEAD
	    "and.b32 %l, %t, 3;\nsetp.eq.u32 %p, %l, 0;\nselp.b32 %r1, 6656, 0, %p;\n"
	    "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f0, %f1, %f2, %f3}, {%r1, %r1}, {%r1}, "
	    "{0f00000001, 0f00000001, 0f00000001, 0f00000001};\nst.global.v4.f32 [%o], {%f0, %f1, %f2, %f3};\n"
	    "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%e0, %e1}, {0dFFF4000000000001}, {0d4000000000000000}, "
	    "{0d3FF0000000000000, 0d4000000000000000};\n"
	    "st.global.v2.f64 [%o+16], {%e0, %e1};\nret;\n}\n",
	    out);
	for (unsigned t = 0; t < LANES; t++)
		for (unsigned k = 0; k < 4; k++) {
			assert_int_equal(out[t][k], 1);
			assert_int_equal(out[t][4 + k], k % 2 ? 0xfffc0000 : 1);
		}
}

/* Column 0 of A and row 0 of B are the low halves of `a` and `b`, column 1 and row 1 the high ones; the rest is 0. */
#define HALVES(type, d, a, b, c)                                                                                       \
	"selp.b32 %r1, " a ", 0, %p;\nselp.b32 %r2, " b ", 0, %p;\n"                                                   \
	"mma.sync.aligned.m16n8k16.row.col." type ".f16.f16." type " {" d "}, {%r1, %r1, 0, 0}, {%r2, 0}, {" c "};\n"

/* Sums of f16: the largest number is finite, a zero element of C or a zero product has no exponent, and subnormal
 * results are rounded once. A sum of bytes begins at +0. The last bits of tf32 are ignored, also those of a NaN. */
static void sums_at_the_ends(void **state)
{
	/* 65504; 2^-25 + 2^-40; 1.5 * 2^-24 - 2^-40; 0 * 65504 + 2^-30; 0 * -0 - 0; infinity */
	static const uint32_t sums[] = {0x7bff7bff, 0x00010001, 0x00010001, 0x30800000, 0, 0x7f800000};
	uint32_t out[LANES][PLACE];
	(void)state;
	run(HEAD
	    "and.b32 %l, %t, 3;\nsetp.eq.u32 %p, %l, 0;\n" HALVES("f16", "%r4, %r0", "0x7bff", "0x3c00", "0, 0") HALVES(
		    "f16", "%r5, %r0", "0x00100c00", "0x00100800", "0, 0") HALVES("f16", "%r6, %r0", "0x80100e00",
	                                                                          "0x00100c00", "0, 0")
	            HALVES("f32", "%f1, %f0, %f0, %f0", "0x00100000", "0x14007bff",
	                   "0f00000000, 0f00000000, 0f00000000, 0f00000000") "mma.sync.aligned.m16n8k32.row.col.f32."
	                                                                     "e4m3.e4m3.f32 {%f2, %f0, %f0, %f0}, {0, "
	                                                                     "0, 0, 0}, "
	                                                                     "{0x80808080, 0x80808080}, {0f80000000, "
	                                                                     "0f80000000, 0f80000000, 0f80000000};\n"
	                                                                     "mma.sync.aligned.m16n8k4.row.col.f32."
	                                                                     "tf32.tf32.f32 {%f3, %f0, %f0, %f0}, "
	                                                                     "{0x7f800001, 0x7f800001}, "
	                                                                     "{0x3f800000}, {0f00000000, 0f00000000, "
	                                                                     "0f00000000, 0f00000000};\n"
	                                                                     "st.global.v2.u32 [%o], {%r4, "
	                                                                     "%r5};\nst.global.u32 [%o+8], "
	                                                                     "%r6;\nst.global.f32 [%o+12], %f1;\n"
	                                                                     "st.global.v2.f32 [%o+16], {%f2, "
	                                                                     "%f3};\nret;\n}\n",
	    out);
	for (unsigned t = 0; t < LANES; t++)
		assert_memory_equal(out[t], sums, sizeof sums);
}

/* Row r of s holds 8 r and up. Lanes above %l have an invalid address. */
#define ROWS(most)                                                                                                     \
	"shl.b32 %r8, %t, 4;\nmov.u32 %a, s;\nadd.u32 %a, %a, %r8;\nshl.b32 %r7, %t, 3;\nadd.u32 %r6, %r7, 1;\n"       \
	"shl.b32 %r6, %r6, 16;\nor.b32 %r7, %r7, %r6;\nst.shared.u32 [%a], %r7;\nadd.u32 %r7, %r7, 131074;\n"          \
	"st.shared.u32 [%a+4], %r7;\nadd.u32 %r7, %r7, 131074;\nst.shared.u32 [%a+8], %r7;\nadd.u32 %r7, %r7, "        \
	"131074;\n"                                                                                                    \
	"st.shared.u32 [%a+12], %r7;\nmov.u32 %l, " most ";\nsetp.ge.u32 %p, %t, %l;\n@%p mov.u32 %a, -16;\n"

static uint32_t pair_of(unsigned lane)
{
	uint32_t first = lane / 4 * 8 + lane % 4 * 2;
	return first | (first + 1) << 16;
}

/* The first eight lanes give a matrix's rows, and the addresses of the others are ignored. For the timing they repeat
 * the same addresses. */
static void others_give_no_address(void **state)
{
	(void)state;
	static const char text[] =
		HEAD ROWS("8") "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%a];\nst.global.u32 [%o], %r0;\n"
			       "add.u32 %r1, %r0, 65537;\nstmatrix.sync.aligned.m8n8.x1.shared.b16 [%a], "
			       "{%r1};\nmov.u32 %r2, s;\n"
			       "shl.b32 %r3, %t, 2;\nadd.u32 %r2, %r2, %r3;\nld.shared.u32 %r4, [%r2];\nst.global.u32 "
			       "[%o+4], %r4;\n"
			       "ret;\n}\n";
	uint32_t out[LANES][PLACE];
	run(text, out);
	for (unsigned t = 0; t < LANES; t++) {
		assert_int_equal(out[t][0], pair_of(t));
		assert_int_equal(out[t][1], pair_of(t) + 65537);
	}
	struct kit kit;
	struct simt_block block = {0};
	struct simt_step step;
	kit_open(&kit, text);
	kit_buffer(&kit, sizeof out);
	simt_block_start(&block, &kit.launch, 0, 0);
	do {
		simt_step(&block.warp[0], &step);
		if (step.commits)
			simt_commit(&block.warp[0], &step);
	} while (step.inst->ptx->op != PTX_OP_LDMATRIX);
	for (unsigned t = 0; t < LANES; t++)
		assert_int_equal(step.address[t], t % 8 * 16);
	simt_block_free(&block);
	kit_close(&kit);
}

/* Lanes 8 to 15, which give the rows of the second matrix, are inactive. Their rows are zeros and stay unchanged, and
 * so do their registers. */
static void lanes_that_do_not_run(void **state)
{
	(void)state;
	uint32_t out[LANES][PLACE];
	run(HEAD ROWS(
		    "32") "and.b32 %l, %t, 24;\nsetp.ne.u32 %q, %l, 8;\n@!%q mov.u32 %a, -16;\nmov.u32 %r0, 77;\n"
	                  "mov.u32 %r1, 77;\n@%q ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r0, %r1}, [%a];\n"
	                  "st.global.v2.u32 [%o], {%r0, %r1};\n"
	                  "@%q stmatrix.sync.aligned.m8n8.x2.shared.b16 [%a], {%t, %t};\nmov.u32 %r2, s;\n"
	                  "shl.b32 %r3, %t, 2;\nadd.u32 %r2, %r2, %r3;\nld.shared.u32 %r4, [%r2];\n"
	                  "ld.shared.u32 %r5, [%r2+128];\nst.global.v2.u32 [%o+8], {%r4, %r5};\n"
	                  "movmatrix.sync.aligned.m8n8.trans.b16 %r6, %r4;\nmov.u32 %r7, 99;\n"
	                  "@%q movmatrix.sync.aligned.m8n8.trans.b16 %r7, %r5;\nst.global.v2.u32 [%o+16], {%r6, %r7};\n"
	                  "ret;\n}\n",
	    out);
	for (unsigned t = 0; t < LANES; t++) {
		bool runs = (t & 24) != 8;
		unsigned line = t / 4, at = t % 4 * 2; /* transposed: elements (at, line) and (at + 1, line) */
		uint32_t second = 64 + at * 8 + line;
		assert_int_equal(out[t][0], runs ? pair_of(t) : 77);
		assert_int_equal(out[t][1], runs ? 0 : 77);
		assert_int_equal(out[t][2], t);
		assert_int_equal(out[t][3], pair_of(t) + 64 * 65537);
		assert_int_equal(out[t][4], line % 2 ? 0 : (at * 4 + line / 2) | ((at + 1) * 4 + line / 2) << 16);
		assert_int_equal(out[t][5], runs ? second | (second + 8) << 16 : 99);
	}
}

/* If no lane that gives addresses is active, nothing happens. */
static void nobody_gives_an_address(void **state)
{
	(void)state;
	uint32_t out[LANES][PLACE];
	run(HEAD "mov.u32 %r0, 77;\nmov.u32 %a, -16;\nsetp.ge.u32 %p, %t, 8;\n"
	         "@%p ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%a];\n"
	         "@%p stmatrix.sync.aligned.m8n8.x1.shared.b16 [%a], {%r0};\nst.global.u32 [%o], %r0;\nret;\n}\n",
	    out);
	for (unsigned t = 0; t < LANES; t++)
		assert_int_equal(out[t][0], 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(constants_are_fragments), cmocka_unit_test(sums_are_cut_off),
		cmocka_unit_test(sums_at_the_ends),        cmocka_unit_test(others_give_no_address),
		cmocka_unit_test(lanes_that_do_not_run),   cmocka_unit_test(nobody_gives_an_address)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
