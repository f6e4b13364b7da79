/* Protects device memory and its allocations; loads, stores and atomics in all spaces; faults and their messages. */
#include "simt_kit.h"

#define HEAD ".version 7.0\n.target sm_80\n.address_size 64\n"
#define KERNEL                                                                                                         \
	".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .b16 %h<8>;\n.reg .b32 %t, %r<16>;\n"             \
	".reg .b64 %i, %o, %d<16>;\n.reg .pred %p<8>;\nld.param.u64 %i, [in];\nld.param.u64 %o, [out];\n"              \
	"mov.u32 %t, %tid.x;\n"
#define END "ret;\n}\n"

/* First fit: a hole is reused, and adjacent freed blocks merge into one hole. */
static void allocations(void **state)
{
	(void)state;
	struct simt_memory *memory = simt_memory_open(0x80000000, 1 << 20, true);
	uint64_t a = simt_alloc(memory, 1), b = simt_alloc(memory, 300), c = simt_alloc(memory, 256);
	assert_int_equal(a, 0x80000000);
	assert_int_equal(b, 0x80000100);
	assert_int_equal(c, 0x80000300);
	assert_int_equal(simt_bytes_free(memory), (1 << 20) - 256 - 512 - 256);
	assert_false(simt_free(memory, b + 1));
	assert_true(simt_free(memory, a));
	assert_true(simt_free(memory, b));
	assert_false(simt_free(memory, b));
	assert_int_equal(simt_alloc(memory, 768), 0x80000000);
	assert_int_equal(simt_alloc(memory, 1 << 20), 0);
	assert_int_equal(simt_alloc_static(memory, 8, 1024), SIMT_STATIC_BASE);
	assert_true(simt_valid(memory, c, 256));
	assert_false(simt_valid(memory, c, 257));
	assert_null(simt_find(memory, c + 256));
	assert_int_equal(simt_nearest(memory, c + 1000)->address, c);
	assert_int_equal(simt_nearest(memory, 0)->address, SIMT_STATIC_BASE);
	simt_memory_close(memory);
}

/* Every size and sign into a wide register, in vectors of 4, 2 and 1; then stored back narrow. */
static void sizes_and_vectors(void **state)
{
	(void)state;
	struct kit kit;
	kit_open(&kit,
	         HEAD KERNEL "mad.wide.u32 %i, %t, 16, %i;\nmad.wide.u32 %o, %t, 64, %o;\n"
	                     "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%i];\n"
	                     "st.global.v4.u32 [%o], {%r4, %r3, %r2, %r1};\n"
	                     "ld.global.v2.u64 {%d1, %d2}, [%i];\nadd.u64 %d1, %d1, %d2;\n"
	                     "ld.global.s8 %d3, [%i+3];\nld.global.u8 %d4, [%i+3];\nld.global.s16 %r5, [%i+6];\n"
	                     "ld.global.s32 %d5, [%i+8];\nld.global.u16 %h1, [%i+2];\n"
	                     "st.global.v2.u64 [%o+16], {%d1, %d3};\nst.global.u64 [%o+32], %d4;\n"
	                     "st.global.u32 [%o+40], %r5;\nst.global.u16 [%o+44], %h1;\nst.global.u8 [%o+46], %d5;\n"
	                     "st.global.u64 [%o+48], %d5;\nst.global.u64 [%o+56], -2;\n" END);
	uint8_t *in = kit_buffer(&kit, 32 * 16), *out = kit_buffer(&kit, 32 * 64);
	uint64_t random = 2;
	for (unsigned i = 0; i < 32 * 16; i++)
		in[i] = (uint8_t)kit_random(&random);
	kit_run(&kit);
	for (unsigned i = 0; i < 32; i++, in += 16, out += 64) {
		uint32_t word[4], got[4];
		memcpy(word, in, 16);
		memcpy(got, out, 16);
		for (unsigned k = 0; k < 4; k++)
			assert_int_equal(got[k], word[3 - k]);
		uint64_t d[6], a, b;
		memcpy(d, out + 16, 48);
		memcpy(&a, in, 8);
		memcpy(&b, in + 8, 8);
		assert_int_equal(d[0], a + b);
		assert_int_equal(d[1], (int64_t)(int8_t)in[3]);
		assert_int_equal(d[2], in[3]);
		assert_int_equal((uint32_t)d[3], (uint32_t)(int32_t)(int16_t)(in[6] | in[7] << 8));
		assert_int_equal(d[3] >> 32 & 0xffff, in[2] | in[3] << 8);
		assert_int_equal(d[3] >> 48 & 0xff, in[8]);
		assert_int_equal(d[4], (int64_t)(int32_t)b);
		assert_int_equal(d[5], -2);
	}
	kit_close(&kit);
}

/* Global, constant, shared (static and dynamic) and local memory, and generic addresses of each in one warp. */
static void spaces(void **state)
{
	(void)state;
	struct kit kit;
	kit_open(&kit,
	         HEAD ".const .align 4 .u32 table[4] = {10, 20, 30, 40};\n.global .u32 counter = 5;\n"
	              ".extern .shared .align 4 .b8 dynamic[];\n" KERNEL
	              ".shared .align 4 .b32 fixed[3];\n.local .align 4 .b32 own[32];\n"
	              "mad.wide.u32 %o, %t, 4, %o;\n"
	              /* constant, by lane */
	              "and.b32 %r1, %t, 3;\nmul.wide.u32 %d1, %r1, 4;\nmov.u64 %d2, table;\nadd.u64 %d2, %d2, %d1;\n"
	              "ld.const.u32 %r2, [%d2];\nld.global.u32 %r3, [counter];\nadd.u32 %r2, %r2, %r3;\n"
	              /* dynamic shared memory after the static part */
	              "mov.u32 %r4, dynamic;\nmad.lo.u32 %r4, %t, 4, %r4;\nst.shared.u32 [%r4], %r2;\n"
	              "mov.u32 %r5, 77;\nst.shared.u32 [fixed+8], %r5;\n"
	              /* local, at a different address in each lane */
	              "mov.u64 %d3, own;\nmad.wide.u32 %d4, %t, 4, %d3;\nst.local.u32 [%d4], %t;\n"
	              /* generic: one third of the lanes for each space */
	              "cvt.u64.u32 %d5, %r4;\ncvta.shared.u64 %d5, %d5;\ncvta.local.u64 %d6, %d4;\nmov.u64 %d7, %i;\n"
	              "rem.u32 %r6, %t, 3;\nsetp.eq.u32 %p1, %r6, 0;\nsetp.eq.u32 %p2, %r6, 1;\n"
	              "selp.u64 %d8, %d5, %d6, %p1;\nselp.u64 %d8, %d7, %d8, %p2;\nld.u32 %r7, [%d8];\n"
	              "isspacep.shared %p3, %d8;\nisspacep.local %p4, %d8;\nisspacep.global %p5, %d8;\n"
	              "@%p3 add.u32 %r7, %r7, 1000;\n@%p4 add.u32 %r7, %r7, 2000;\n@%p5 add.u32 %r7, %r7, 4000;\n"
	              "setp.eq.u32 %p6, %t, 4;\n@!%p6 add.u32 %r8, %r7, 1;\n@!%p6 st.u32 [%d8], %r8;\n"
	              "ld.shared.u32 %r9, [%r4];\nld.local.u32 %r10, [%d4];\nmad.lo.u32 %r7, %r9, 10000, %r7;\n"
	              "mad.lo.u32 %r7, %r10, 100000000, %r7;\nst.global.u32 [%o], %r7;\n" END);
	uint32_t *in = kit_buffer(&kit, 4), *out = kit_buffer(&kit, 32 * 4);
	*in = 9;
	kit.launch.dynamic_shared_bytes = 32 * 4;
	assert_int_equal(kit.program->shared_bytes, 16);
	kit_run(&kit);
	for (uint32_t i = 0; i < 32; i++) {
		uint32_t shared = i % 4 * 10 + 15, local = i;
		uint32_t read = i % 3 == 0 ? shared + 1000 : i % 3 == 1 ? 9 + 4000 : local + 2000;
		if (i % 3 == 0)
			shared = read + 1;
		if (i % 3 == 2)
			local = read + 1;
		assert_int_equal(out[i], read + shared * 10000 + local * 100000000);
	}
	assert_int_equal(*in, 9 + 4000 + 1);
	kit_close(&kit);
}

/* A global store takes effect at the commit, a shared one at the step. */
static void commits(void **state)
{
	(void)state;
	struct kit kit;
	struct simt_block block = {0};
	struct simt_step step;
	kit_open(&kit,
	         HEAD KERNEL "mad.wide.u32 %o, %t, 4, %o;\nst.global.u32 [%o], %t;\natom.global.add.u32 %r1, [%i], 1;\n"
	                     "st.global.u32 [%o], %r1;\n" END);
	uint32_t *in = kit_buffer(&kit, 4), *out = kit_buffer(&kit, 32 * 4);
	simt_block_start(&block, &kit.launch, 0, 0);
	for (unsigned i = 0; i < 5; i++) {
		simt_step(&block.warp[0], &step);
		assert_int_equal(step.commits, i == 4);
	}
	assert_int_equal(step.inst->kind, SIMT_STORE);
	assert_int_equal(step.space, PTX_GLOBAL);
	assert_int_equal(step.address[3], 0x80000100 + 12);
	assert_true(step.unit_stride);
	assert_int_equal(out[31], 0);
	simt_commit(&block.warp[0], &step);
	assert_int_equal(out[31], 31);
	simt_step(&block.warp[0], &step);
	assert_true(step.commits);
	assert_int_equal(*in, 0);
	simt_commit(&block.warp[0], &step);
	assert_int_equal(*in, 32);
	simt_step(&block.warp[0], &step);
	simt_commit(&block.warp[0], &step);
	assert_int_equal(out[5], 5); /* lane after lane */
	simt_block_free(&block);
	kit_close(&kit);
}

/* One atomic instruction with all lanes on one word: `instruction` names its address [%d1]. */
static uint64_t atomic(const char *instruction, const char *space, uint64_t initial, unsigned bytes)
{
	char text[2048];
	struct kit kit;
	bool shared = strcmp(space, "shared") == 0;
	snprintf(text, sizeof text,
	         "%s.shared .align 8 .b64 place[1];\n%s\nld.global.b64 %%d2, [%%i];\nmov.u64 %%d3, place;\n"
	         "st.shared.b64 [%%d3], %%d2;\ncvt.u64.u32 %%d4, %%t;\nadd.u32 %%r4, %%t, 1;\n%s;\n"
	         "setp.eq.u32 %%p1, %%t, 0;\nld.%s.b64 %%d5, [%%d1];\n@%%p1 st.global.b64 [%%o], %%d5;\n%s",
	         HEAD KERNEL, shared ? "mov.u64 %d1, place;" : "mov.u64 %d1, %i;", instruction, space, END);
	kit_open(&kit, text);
	uint64_t *in = kit_buffer(&kit, 8), *out = kit_buffer(&kit, 8), result;
	*in = initial;
	kit_run(&kit);
	result = bytes == 8 ? *out : *out & 0xffffffff;
	kit_close(&kit);
	return result;
}

static uint64_t bits32(float value)
{
	return float_bits(value);
}

static void atomics(void **state)
{
	(void)state;
	static const char *const spaces[] = {"shared", "global"};
	char text[96];
	for (unsigned s = 0; s < 2; s++) {
		const char *space = spaces[s];
#define ATOMIC(format, initial, bytes, expected)                                                                       \
	snprintf(text, sizeof text, format, space);                                                                    \
	assert_int_equal(atomic(text, space, initial, bytes), expected)
		ATOMIC("atom.%s.add.u32 %%r1, [%%d1], %%t", 1000, 4, 1000 + 31 * 16);
		ATOMIC("red.%s.add.u64 [%%d1], %%d4", (uint64_t)1 << 40, 8, ((uint64_t)1 << 40) + 31 * 16);
		ATOMIC("atom.%s.min.s32 %%r1, [%%d1], -5", 3, 4, 0xfffffffb);
		ATOMIC("atom.%s.min.u32 %%r1, [%%d1], -5", 3, 4, 3);
		ATOMIC("atom.%s.max.u32 %%r1, [%%d1], %%t", 3, 4, 31);
		ATOMIC("atom.%s.max.s64 %%d6, [%%d1], %%d4", UINT64_MAX, 8, 31);
		ATOMIC("atom.%s.and.b32 %%r1, [%%d1], %%t", 0xff, 4, 0);
		ATOMIC("atom.%s.or.b32 %%r1, [%%d1], %%t", 0x100, 4, 0x11f);
		ATOMIC("atom.%s.xor.b32 %%r1, [%%d1], %%t", 7, 4, 7);
		ATOMIC("atom.%s.exch.b32 %%r1, [%%d1], %%t", 7, 4, 31);
		/* from 3 on each lane finds its number */
		ATOMIC("atom.%s.cas.b32 %%r1, [%%d1], %%t, %%r4", 3, 4, 32);
		ATOMIC("atom.%s.inc.u32 %%r1, [%%d1], 6", 0, 4, 32 % 7);
		ATOMIC("atom.%s.dec.u32 %%r1, [%%d1], 4", 2, 4, 0 + (2 + 5 * 6 - 32));
		ATOMIC("atom.%s.add.f32 %%r1, [%%d1], 0f3F000000", bits32(1.0f), 4, bits32(17.0f));
		ATOMIC("atom.%s.add.f64 %%d6, [%%d1], 0d3FE0000000000000", double_bits(1), 8, double_bits(17));
	}
}

/* Checks the complete text of a fault's message. */
static void fault(const char *body, const char *expected)
{
	char text[4096], message[1024];
	struct kit kit;
	snprintf(text, sizeof text, "%s%s%s", HEAD ".file 1 \"a.cu\"\n" KERNEL "mad.wide.u32 %d1, %t, 4, %i;\n", body,
	         END);
	kit_open(&kit, text);
	kit_buffer(&kit, 100);
	kit_buffer(&kit, 4);
	kit.launch.block = (struct dim3){16, 4, 1};
	kit.launch.grid.y = 2;
	simt_run(&kit.launch, 0, &kit.run);
	assert_non_null(kit.run.fault.what);
	simt_fault_print(&kit.launch, &kit.run.fault, message, sizeof message);
	assert_string_equal(message, expected);
	kit_close(&kit);
}

static void faults(void **state)
{
	(void)state;
	fault(".loc 1 77 3\nld.global.u32 %r1, [%d1+64];\n",
	      "kernel 'k' stopped: global load outside every allocation\n  at test.ptx:16 (a.cu:77)\n"
	      "  block (0,0,0), thread (9,0,0), address 0x80000064, 4 bytes\n"
	      "  nearest allocation: 0x80000000, 100 bytes, ends 0 bytes before the address");
	fault("st.global.u32 [%i+-8], %t;\n",
	      "kernel 'k' stopped: global store outside every allocation\n  at test.ptx:15\n"
	      "  block (0,0,0), thread (0,0,0), address 0x7ffffff8, 4 bytes\n"
	      "  nearest allocation: 0x80000000, 100 bytes, begins 8 bytes after the address");
	fault("ld.global.u32 %r1, [%i+2];\n",
	      "kernel 'k' stopped: global load at a misaligned address\n  at test.ptx:15\n"
	      "  block (0,0,0), thread (0,0,0), address 0x80000002, 4 bytes\n"
	      "  nearest allocation: 0x80000000, 100 bytes, which holds the address");
	fault("mov.u64 %d2, 0;\nld.u32 %r1, [%d2];\n",
	      "kernel 'k' stopped: global load outside every allocation\n  at test.ptx:16\n"
	      "  block (0,0,0), thread (0,0,0), address 0x0, 4 bytes\n"
	      "  nearest allocation: 0x80000000, 100 bytes, begins 2147483648 bytes after the address");
	fault(".shared .b32 s[20];\nmov.u32 %r2, s;\nmad.lo.u32 %r2, %t, 8, %r2;\nst.shared.u32 [%r2], %t;\n",
	      "kernel 'k' stopped: shared store beyond the block's shared memory\n  at test.ptx:18\n"
	      "  block (0,0,0), thread (10,0,0), address 0x50, 4 bytes\n"
	      "  the block has 80 bytes; nearest variable: 's', 0x0, 80 bytes, ends 0 bytes before the address");
	/* an index slightly below zero, in 32 bits and in 64 */
	fault(".shared .b32 s[20];\nmov.u64 %d2, s;\nst.shared.u32 [%d2+-68], %t;\n",
	      "kernel 'k' stopped: shared store beyond the block's shared memory\n  at test.ptx:17\n"
	      "  block (0,0,0), thread (0,0,0), address 0xffffffffffffffbc, 4 bytes\n"
	      "  the block has 80 bytes; nearest variable: 's', 0x0, 80 bytes, begins 68 bytes after the address");
	fault(".shared .b32 s[20];\nmov.u32 %r2, s;\nsub.u32 %r2, %r2, 68;\nst.shared.u32 [%r2], %t;\n",
	      "kernel 'k' stopped: shared store beyond the block's shared memory\n  at test.ptx:18\n"
	      "  block (0,0,0), thread (0,0,0), address 0xffffffbc, 4 bytes\n"
	      "  the block has 80 bytes; nearest variable: 's', 0x0, 80 bytes, begins 68 bytes after the address");
	fault("mov.u64 %d2, 0;\nld.global.u32 %r1, [%d2+-64];\n",
	      "kernel 'k' stopped: global load outside every allocation\n  at test.ptx:16\n"
	      "  block (0,0,0), thread (0,0,0), address 0xffffffffffffffc0, 4 bytes\n"
	      "  nearest allocation: 0x80000000, 100 bytes, begins 2147483712 bytes after the address");
	fault("setp.eq.u32 %p1, %t, 3;\n@%p1 trap;\n",
	      "kernel 'k' stopped: trap\n  at test.ptx:16\n  block (0,0,0), thread (3,0,0)");
	fault("bar.sync %t;\nmov.u32 %r1, 16;\nbar.sync %r1;\n",
	      "kernel 'k' stopped: barrier number beyond 15\n  at test.ptx:17\n  block (0,0,0), thread (0,2,0)");
}

/* Cached allocations must not outlive the allocations: the same kernel runs again after its buffer was freed. */
static void use_after_free(void **state)
{
	(void)state;
	struct kit kit;
	kit_open(&kit, HEAD KERNEL "ld.global.u32 %r1, [%i];\n" END);
	kit_buffer(&kit, 4);
	kit_buffer(&kit, 4);
	kit_run(&kit);
	assert_true(simt_free(kit.memory, 0x80000000));
	simt_run(&kit.launch, 0, &kit.run);
	assert_string_equal(kit.run.fault.what, "global load to freed memory");
	kit_close(&kit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(allocations),    cmocka_unit_test(sizes_and_vectors), cmocka_unit_test(spaces),
		cmocka_unit_test(commits),        cmocka_unit_test(atomics),           cmocka_unit_test(faults),
		cmocka_unit_test(use_after_free),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
