/* Protects the checks of hand-written PTX that no compiler emits: each error is found once, with the documented words.
 * Also protects the fault reported for a stopped kernel. CUDA programs are in tests/cuda/checks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sluice.h"

enum { TEXTS = 8 };

struct bench {
	sluice_gpu *gpu;
	sluice_module *module;
	uint64_t out, in;
	char text[TEXTS][2048];
	unsigned texts;
	struct sluice_error error;
};

static void take(void *user, const char *text)
{
	struct bench *bench = user;
	assert_true(bench->texts < TEXTS);
	strncpy(bench->text[bench->texts++], text, sizeof bench->text[0] - 1);
}

static void open_bench(struct bench *bench, const char *check, bool functional)
{
	static const char *const one_sm[] = {"sm.count=1", NULL};
	*bench = (struct bench){0};
	struct sluice_settings settings = {SLUICE_SIZED(settings), .options = one_sm, .functional = functional,
	                                   .check = check,         .finding = take,   .finding_user = bench};
	assert_int_equal(sluice_open(&bench->gpu, &settings, &bench->error), SLUICE_OK);
	assert_int_equal(sluice_alloc(bench->gpu, 1024, &bench->out, NULL), SLUICE_OK);
	assert_int_equal(sluice_alloc(bench->gpu, 1024, &bench->in, NULL), SLUICE_OK);
}

/* Registers: %t thread in block, %w its warp, %o and %i the addresses of out and in, %s 4 * %t in shared memory. */
static void load(struct bench *bench, const char *body)
{
	char text[4096];
	snprintf(text, sizeof text,
	         ".version 7.0\n.target sm_70\n.address_size 64\n.file 1 \"k.cu\"\n"
	         ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
	         ".reg .pred %%p<8>;\n.reg .b16 %%h<8>;\n.reg .b32 %%r<16>, %%t, %%w, %%s;\n"
	         ".reg .b64 %%d<8>, %%o, %%i;\n.shared .align 16 .b8 sh[1024];\n"
	         "ld.param.u64 %%o, [out];\nld.param.u64 %%i, [in];\nmov.u32 %%t, %%tid.x;\n"
	         "shr.u32 %%w, %%t, 5;\nshl.b32 %%s, %%t, 2;\n%s\nret;\n}\n",
	         body);
	if (bench->module)
		sluice_unload(bench->gpu, bench->module);
	if (sluice_load(bench->gpu, text, strlen(text), "k.ptx", &bench->module, &bench->error) != SLUICE_OK)
		fail_msg("%s", bench->error.message);
}

static enum sluice_status launch(struct bench *bench, uint32_t threads)
{
	void *arguments[] = {&bench->out, &bench->in};
	bench->texts = 0;
	return sluice_launch(bench->gpu, sluice_find_kernel(bench->module, "k"), (sluice_dim){2, 1, 1},
	                     (sluice_dim){threads, 1, 1}, 0, arguments, &bench->error);
}

/* Runs a kernel of two warps. `check` must report `count` errors, the first with this text. */
static void finds(const char *check, const char *body, unsigned count, const char *text)
{
	struct bench bench;
	open_bench(&bench, check, true);
	load(&bench, body);
	assert_int_equal(launch(&bench, 64), SLUICE_OK);
	assert_int_equal(bench.texts, count);
	assert_int_equal(sluice_findings(bench.gpu), count);
	if (count && !strstr(bench.text[0], text))
		fail_msg("'%s' is not in '%s'", text, bench.text[0]);
	sluice_close(bench.gpu);
}

static void whole_texts(void **state)
{
	(void)state;
	finds("race",
	      ".loc 1 7 3\nst.shared.u32 [%s], %t;\n.loc 1 8 3\nld.shared.u32 %r1, [sh+64];\nst.global.u32 [%o], %r1;",
	      1,
	      "kernel 'k': race on shared memory: two warps that nothing orders\n"
	      "  write at k.ptx:18 (k.cu:7), thread (16,0,0)\n"
	      "  read at k.ptx:20 (k.cu:8), thread (32,0,0)\n"
	      "  block (0,0,0), shared address 0x40, 4 bytes, 'sh' + 64\n"
	      "  2 times in this launch");
	finds("init", "ld.global.u32 %r1, [%i+8];\nadd.u32 %r1, %r1, 1;\nst.global.u32 [%o], %r1;", 1,
	      "kernel 'k': read of device memory that nobody wrote\n"
	      "  read at k.ptx:17, thread (0,0,0)\n"
	      "  block (0,0,0), address 0x80000408, 4 bytes\n"
	      "  allocation: 0x80000400, 1024 bytes, offset 8\n"
	      "  128 times in this launch");
	finds("shared-init", "ld.shared.v2.u32 {%r1, %r2}, [sh+8];", 1,
	      "kernel 'k': read of shared memory that nobody wrote\n"
	      "  read at k.ptx:17, thread (0,0,0)\n"
	      "  block (0,0,0), shared address 0x8, 8 bytes, 'sh' + 8\n"
	      "  128 times in this launch");
}

/* One warp writes %t to an address, the other accesses it. */
static void races(const char *first, const char *second, bool expected)
{
	char body[1024];
	snprintf(body, sizeof body, "setp.eq.u32 %%p1, %%w, 0;\n@!%%p1 bra B;\n%s\nbra C;\nB:\n%s\nC:\n", first,
	         second);
	finds("race", body, expected, "race on shared memory");
}

static void overlaps(void **state)
{
	(void)state;
	races("st.shared.v4.u32 [sh], {%t, %t, %t, %t};", "ld.shared.u32 %r1, [sh+12];", true);
	races("st.shared.v4.u32 [sh], {%t, %t, %t, %t};", "ld.shared.u32 %r1, [sh+16];", false);
	races("st.shared.u8 [sh+3], %t;", "ld.shared.u64 %d1, [sh];", true);
	races("st.shared.u8 [sh+3], %t;", "ld.shared.u16 %h1, [sh];", false);
	races("st.shared.u16 [sh+2], %t;", "st.shared.u8 [sh+3], 77;", true);
	races("ld.shared.u32 %r1, [sh];", "st.shared.u8 [sh+1], %t;", true);
	races("ld.shared.u32 %r1, [sh];", "ld.shared.u8 %r1, [sh+1];", false);
	/* one warp alternates between accesses to parts and to the whole */
	races("st.shared.u8 [sh+1], %t;\nld.shared.u32 %r1, [sh];\nst.shared.u32 [sh], %r1;", "mov.u32 %r1, 0;", false);
	races("ld.shared.u32 %r1, [sh];\nld.shared.u8 %r2, [sh];", "st.shared.u8 [sh+3], %t;", true);
}

static void atomics_and_orders(void **state)
{
	(void)state;
	races("red.shared.add.u32 [sh], 1;", "atom.shared.add.u32 %r1, [sh], 1;", false);
	races("red.shared.add.u32 [sh], 1;", "ld.shared.u32 %r1, [sh];", true);
	races("red.shared.add.u32 [sh], 1;", "ld.volatile.shared.u32 %r1, [sh];", false);
	races("ld.shared.u32 %r1, [sh];", "red.shared.add.u32 [sh], 1;", true);
	races("red.shared.add.u32 [sh], 1;", "st.shared.u32 [sh], %t;", true);
	races("st.relaxed.cta.shared.u32 [sh], %t;", "ld.relaxed.cta.shared.u32 %r1, [sh];", false);
	races("st.relaxed.cta.shared.u32 [sh], %t;", "ld.shared.u32 %r1, [sh];", true);
	races("st.volatile.shared.u32 [sh], %t;", "ld.volatile.shared.u32 %r1, [sh];", true);
	races("membar.cta;\nst.volatile.shared.u32 [sh], %t;", "ld.volatile.shared.u32 %r1, [sh];", false);
	races("membar.cta;\nst.shared.u32 [sh+4], %t;\nst.volatile.shared.u32 [sh], %t;",
	      "ld.volatile.shared.u32 %r1, [sh];", true);
	/* stores of one value, or of several values whose last lane's is the same */
	races("st.shared.u32 [sh], 5;", "st.shared.u32 [sh], 5;", false);
	races("st.shared.u32 [sh], 4;\nst.shared.u32 [sh], 5;", "st.shared.u32 [sh], 5;", true);
	/* an atomic after a fence orders the accesses that precede the fence */
	races("st.shared.u32 [sh], %t;\nmembar.cta;\natom.shared.exch.b32 %r1, [sh+4], 1;",
	      "A:\natom.shared.cas.b32 %r1, [sh+4], 1, 1;\nsetp.ne.u32 %p2, %r1, 1;\n@%p2 bra A;\nmembar.cta;\n"
	      "ld.shared.u32 %r1, [sh];",
	      false);
	races("st.shared.u32 [sh], %t;\nmembar.cta;\natom.shared.exch.b32 %r1, [sh+4], 1;",
	      "A:\natom.shared.cas.b32 %r1, [sh+4], 1, 1;\nsetp.ne.u32 %p2, %r1, 1;\n@%p2 bra A;\n"
	      "ld.shared.u32 %r1, [sh];",
	      true);
	races("st.shared.u32 [sh], %t;\nmembar.cta;\natom.shared.exch.b32 %r1, [sh+4], 1;\nst.shared.u32 [sh], 1;",
	      "A:\natom.shared.cas.b32 %r1, [sh+4], 1, 1;\nsetp.ne.u32 %p2, %r1, 1;\n@%p2 bra A;\nmembar.cta;\n"
	      "ld.shared.u32 %r1, [sh];",
	      true);
	races("st.shared.u32 [sh], %t;\natom.release.cta.shared.exch.b32 %r1, [sh+4], 1;",
	      "A:\natom.acquire.cta.shared.cas.b32 %r1, [sh+4], 1, 1;\nsetp.ne.u32 %p2, %r1, 1;\n@%p2 bra A;\n"
	      "ld.shared.u32 %r1, [sh];",
	      false);
}

/* An arrival on an mbarrier releases and a wait acquires, unless their qualifiers say otherwise. Arrivals of
 * asynchronous copies count as arrivals. */
static void mbarriers(void **state)
{
	(void)state;
#define MBARRIER_WAIT(order)                                                                                           \
	"W:\nmbarrier.try_wait.parity" order ".shared.b64 %p2, [sh+8], 0;\n@!%p2 bra W;\nld.shared.u32 %r1, [sh];"
	static const struct {
		const char *first, *second;
		bool expected;
	} pairs[] = {
		{"mbarrier.arrive.shared.b64 %d1, [sh+8];", MBARRIER_WAIT(""), false},
		{"mbarrier.arrive.release.cta.shared.b64 %d1, [sh+8];", MBARRIER_WAIT(".acquire.cta"), false},
		{"mbarrier.arrive_drop.shared.b64 %d1, [sh+8];", MBARRIER_WAIT(""), false},
		{"cp.async.mbarrier.arrive.noinc.shared.b64 [sh+8];", MBARRIER_WAIT(""), false},
		{"mbarrier.arrive.relaxed.cta.shared.b64 %d1, [sh+8];", MBARRIER_WAIT(""), true},
		{"mbarrier.arrive.shared.b64 %d1, [sh+8];", MBARRIER_WAIT(".relaxed.cta"), true},
		{"mbarrier.arrive.shared.b64 %d1, [sh+8];", "ld.shared.u32 %r1, [sh];", true},
		{"mbarrier.arrive.shared.b64 %d1, [sh+8];\nst.shared.u32 [sh], %w;", MBARRIER_WAIT(""), true},
	};
	for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		char body[1024];
		snprintf(body, sizeof body,
		         "setp.eq.u32 %%p1, %%t, 0;\n@%%p1 mbarrier.init.shared.b64 [sh+8], 32;\nbar.sync 0;\n"
		         "setp.eq.u32 %%p1, %%w, 0;\n@!%%p1 bra B;\nst.shared.u32 [sh], %%t;\n%s\nbra C;\nB:\n%s\nC:\n",
		         pairs[i].first, pairs[i].second);
		finds("race", body, pairs[i].expected, "race on shared memory");
	}
	finds("shared-init",
	      "mbarrier.init.shared.b64 [sh+8], 64;\nmbarrier.test_wait.parity.shared.b64 %p1, [sh+8], 0;", 0, "");
	finds("shared-init", "mbarrier.test_wait.parity.shared.b64 %p1, [sh+8], 0;", 1,
	      "read of shared memory that nobody wrote");
}

static void generic_addresses(void **state)
{
	(void)state;
	/* one instruction: even lanes write to shared memory, odd lanes to global memory */
	races("mov.u64 %d1, sh;\ncvta.shared.u64 %d1, %d1;\nand.b32 %r1, %t, 1;\nsetp.ne.u32 %p2, %r1, 0;\n"
	      "selp.b64 %d2, %o, %d1, %p2;\nst.u32 [%d2], %t;",
	      "ld.shared.u32 %r1, [sh];", true);
	races("mov.u64 %d1, sh;\ncvta.shared.u64 %d1, %d1;\nst.u32 [%d1+4], %t;", "ld.shared.u32 %r1, [sh];", false);
}

/* A load that mixes written and unwritten bytes is not reported. The use of its unwritten bytes is, once. */
static void uses(const char *body, const char *text)
{
	struct bench bench;
	open_bench(&bench, "init", true);
	assert_int_equal(sluice_fill(bench.gpu, bench.in, 7, 1, 10, NULL), SLUICE_OK);
	load(&bench, body);
	assert_int_equal(launch(&bench, 32), SLUICE_OK);
	assert_int_equal(bench.texts, text != NULL);
	if (text && !strstr(bench.text[0], text))
		fail_msg("'%s' is not in '%s'", text, bench.text[0]);
	sluice_close(bench.gpu);
}

static void parts(void **state)
{
	(void)state;
#define PART "ld.global.u32 %r1, [%i+8];\n" /* its lower half is written */
	uses(PART, NULL);
	uses(PART "add.u32 %r2, %r1, 1;", "a part of it was written; used at k.ptx:18");
	uses(PART "mov.u32 %r2, %r1;\nmov.b32 %r3, %r2;\nadd.u32 %r3, %r3, 1;", "used at k.ptx:20");
	uses(PART "mov.u32 %r1, 4;\nadd.u32 %r2, %r1, 1;", NULL);
	uses(PART "and.b32 %r2, %r1, 0xffff;\nadd.u32 %r2, %r2, 1;", NULL);
	uses(PART "and.b32 %r2, %r1, 0xff00ff;\nadd.u32 %r2, %r2, 1;", "used at k.ptx:19");
	uses(PART "shl.b32 %r2, %r1, 16;\nadd.u32 %r2, %r2, 1;", NULL);
	uses(PART "shr.u32 %r2, %r1, 16;\nadd.u32 %r2, %r2, 1;", "used at k.ptx:19");
	uses(PART "bfe.u32 %r2, %r1, 8, 8;\nadd.u32 %r2, %r2, 1;", NULL);
	uses(PART "mov.b32 {%h1, %h2}, %r1;\nadd.u16 %h3, %h1, 1;", NULL);
	uses(PART "mov.b32 {%h1, %h2}, %r1;\nadd.u16 %h3, %h2, 1;", "used at k.ptx:19");
	uses(PART "cvt.u16.u32 %h1, %r1;\nadd.u16 %h1, %h1, 1;", NULL);
	uses(PART "shl.b32 %r2, %t, 16;\nor.b32 %r2, %r2, %r1;\nadd.u32 %r2, %r2, 1;", "used at k.ptx:20");
	uses(PART "setp.eq.u32 %p1, %r1, 3;", "used at k.ptx:18");
	uses(PART "cvt.u64.u32 %d1, %r1;\nadd.u64 %d1, %d1, %o;\n", "used at k.ptx:19");
	/* only the lanes that hold the unwritten bytes are reported */
	uses("ld.global.u32 %r1, [%i];\nsetp.eq.u32 %p1, %t, 3;\n@%p1 ld.global.u32 %r1, [%i+8];\n@!%p1 add.u32 %r2, "
	     "%r1, 1;",
	     NULL);
	uses("ld.global.u32 %r1, [%i];\nsetp.eq.u32 %p1, %t, 3;\n@%p1 ld.global.u32 %r1, [%i+8];\nadd.u32 %r2, %r1, 1;",
	     "thread (3,0,0)");
	/* a copy through memory: the written half may be read, a read of the other half is reported */
	uses(PART "st.global.u32 [%i+64], %r1;\nld.global.u16 %h1, [%i+64];\nadd.u16 %h1, %h1, 1;", NULL);
	uses(PART "st.global.u32 [%i+64], %r1;\nld.global.u16 %h1, [%i+66];", "k.ptx:19");
	uses("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%i];\nadd.u32 %r5, %r1, %r2;", NULL);
	uses("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%i];\nadd.u32 %r5, %r1, %r4;", "address 0x80000400, 16 bytes");
}

/* A finding is reported once, even when the kernel runs again or its module is reloaded. Another kernel's finding is
 * new. */
static void told_once(void **state)
{
	(void)state;
	struct bench bench;
	static const char body[] = "st.shared.u32 [sh], %w;";
	open_bench(&bench, "race,init", true);
	for (unsigned i = 0; i < 3; i++) {
		load(&bench, body);
		assert_int_equal(launch(&bench, 96), SLUICE_OK);
		assert_int_equal(bench.texts, i == 0);
		assert_int_equal(launch(&bench, 64), SLUICE_OK);
		assert_int_equal(bench.texts, 0);
	}
	load(&bench, "mov.u32 %r1, 1;\nst.shared.u32 [sh], %w;\nld.shared.u32 %r1, [sh+4];\nld.global.u32 %r2, [%i];");
	assert_int_equal(launch(&bench, 64), SLUICE_OK);
	assert_int_equal(bench.texts, 2);
	assert_int_equal(sluice_findings(bench.gpu), 3);
	sluice_close(bench.gpu);
}

/* The host's writes, copies and frees change what counts as written. */
static void host_writes(void **state)
{
	(void)state;
	struct bench bench;
	uint64_t other;
	uint32_t words[4] = {0};
	open_bench(&bench, "init", true);
	load(&bench, "ld.global.u32 %r1, [%i];\nst.global.u32 [%i+8], %t;");
	assert_int_equal(sluice_write(bench.gpu, bench.in, words, 4, NULL), SLUICE_OK);
	assert_int_equal(launch(&bench, 32), SLUICE_OK);
	assert_int_equal(bench.texts, 0);
	/* an overlapping copy by one word: the first word is still unwritten */
	assert_int_equal(sluice_copy(bench.gpu, bench.in, bench.in + 4, 16, NULL), SLUICE_OK);
	assert_int_equal(launch(&bench, 32), SLUICE_OK);
	assert_int_equal(bench.texts, 1);
	load(&bench, "mov.u32 %r2, 0;\nld.global.u32 %r1, [%i+4];");
	assert_int_equal(launch(&bench, 32), SLUICE_OK);
	assert_int_equal(bench.texts, 0); /* the kernel wrote this word before the copy */
	assert_int_equal(sluice_fill(bench.gpu, bench.in, 0, 4, 256, NULL), SLUICE_OK);
	assert_int_equal(sluice_free(bench.gpu, bench.in, NULL), SLUICE_OK);
	assert_int_equal(sluice_alloc(bench.gpu, 1024, &other, NULL), SLUICE_OK);
	assert_int_equal(other, bench.in);
	assert_int_equal(launch(&bench, 32), SLUICE_OK);
	assert_int_equal(bench.texts, 1);
	/* the host may read the unwritten word */
	assert_int_equal(sluice_read(bench.gpu, words, bench.in, 16, NULL), SLUICE_OK);
	assert_int_equal(sluice_findings(bench.gpu), 2);
	sluice_close(bench.gpu);
}

static void faults(void **state)
{
	(void)state;
	static const struct {
		const char *body;
		enum sluice_fault fault;
	} row[] = {
		{"st.global.u32 [%o+4096], %t;", SLUICE_FAULT_ADDRESS},
		{"ld.global.u32 %r1, [%o+2];", SLUICE_FAULT_MISALIGNED},
		{"mov.u32 %r1, sh; st.shared.u32 [%r1+1024], %t;", SLUICE_FAULT_RANGE},
		{"bar.sync 0, 96;", SLUICE_FAULT_BARRIER},
		{"add.u32 %r1, %w, 1;\nshl.b32 %r1, %r1, 6;\nbar.sync 1, %r1;", SLUICE_FAULT_BARRIER},
		{"setp.lt.u32 %p1, %t, 16;\n@%p1 bra A;\nmov.u32 %r1, 1;\nbar.sync 0;\nbra B;\nA:\nbar.sync 0;\nB:",
	         SLUICE_FAULT_BARRIER},
		{"mov.u32 %r1, 16;\nbar.sync %r1;", SLUICE_FAULT_INSTRUCTION},
		{"trap;", SLUICE_FAULT_TRAP},
	};
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
		for (unsigned checked = 0; checked < 2; checked++) {
			struct bench bench;
			open_bench(&bench, checked ? "divergence,race,init,shared-init" : "divergence", true);
			load(&bench, row[i].body);
			assert_int_equal(launch(&bench, 64), SLUICE_FAULT);
			assert_int_equal(bench.error.fault, row[i].fault);
			assert_int_equal(bench.texts, 0);
			sluice_close(bench.gpu);
		}
}

/* Blocks of many shapes run one after another on one SM. State of an earlier block must not leak into a later one. */
static void block_after_block(void **state)
{
	(void)state;
	static const uint32_t threads[] = {32, 1024, 64, 33, 512, 96, 1024, 1, 256, 64};
	struct bench bench;
	open_bench(&bench, "race,init,shared-init", false);
	load(&bench, "rem.u32 %r1, %t, 250;\nshl.b32 %r1, %r1, 2;\nmov.u32 %r2, sh;\nadd.u32 %r1, %r1, %r2;\n"
	             "atom.shared.exch.b32 %r3, [%r1], %t;\nbar.sync 0;\nld.shared.u32 %r3, [%r1];\nbar.sync 0;\n"
	             "setp.lt.u32 %p1, %t, 250;\n@%p1 st.shared.u32 [%r1], %t;\nbar.sync 0;\nld.shared.u8 %r3, [sh];");
	for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
		for (unsigned again = 0; again < 3; again++) {
			assert_int_equal(launch(&bench, threads[i]), SLUICE_OK);
			assert_int_equal(bench.texts, 0);
		}
	sluice_close(bench.gpu);
}

static void settings(void **state)
{
	(void)state;
	struct sluice_error error;
	sluice_gpu *gpu;
	static const char *const wrong[] = {"rase", "race,", "race,,init", "race init", ",race", "RACE"};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct sluice_settings settings = {SLUICE_SIZED(settings), .check = wrong[i]};
		assert_int_equal(sluice_open(&gpu, &settings, &error), SLUICE_BAD_SETTING);
		assert_non_null(strstr(error.message,
		                       "expected bounds, leaks, race, global-race, warp-race, init, shared-init, "
		                       "masks, divergence, all, footprint or footprint-counts"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_texts),       cmocka_unit_test(overlaps), cmocka_unit_test(atomics_and_orders),
		cmocka_unit_test(generic_addresses), cmocka_unit_test(parts),    cmocka_unit_test(told_once),
		cmocka_unit_test(host_writes),       cmocka_unit_test(faults),   cmocka_unit_test(block_after_block),
		cmocka_unit_test(mbarriers),         cmocka_unit_test(settings),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
