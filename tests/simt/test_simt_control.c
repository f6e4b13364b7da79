/* Protects branches, reconvergence, calls, barriers and the exchange of values between lanes. */
#include "simt_kit.h"

#define HEAD ".version 7.0\n.target sm_80\n.address_size 64\n"
/* A kernel with its thread number in %t and the address of its word of `out` in %o. */
#define KERNEL                                                                                                         \
	".visible .entry k(.param .u64 out)\n{\n.reg .b32 %t, %n, %r<16>;\n.reg .b64 %o, %d<8>;\n"                     \
	".reg .pred %p<8>;\nld.param.u64 %o, [out];\nmov.u32 %t, %tid.x;\nmul.wide.u32 %d0, %t, 4;\n"                  \
	"add.u64 %o, %o, %d0;\n"
#define END "st.global.u32 [%o], %r1;\nret;\n}\n"

/* Runs one block of a kernel whose only parameter is a buffer with one word per thread. Returns the words in `out`. */
static void run(const char *text, uint32_t threads, uint32_t *out, struct simt_run *counts)
{
	struct kit kit;
	kit_open(&kit, text);
	uint32_t *buffer = kit_buffer(&kit, threads * sizeof *buffer);
	kit.launch.block.x = threads;
	kit_run(&kit);
	memcpy(out, buffer, threads * sizeof *out);
	if (counts)
		*counts = kit.run;
	kit_close(&kit);
}

/* Both sides of a branch run and reconverge after it: the add at the join counts once for the warp. */
static void branch_and_join(void **state)
{
	(void)state;
	uint32_t out[32];
	struct simt_run counts;
	run(HEAD KERNEL "setp.lt.u32 %p1, %t, 10;\n@%p1 bra LESS;\nmov.u32 %r1, 100;\nbra.uni JOIN;\n"
	                "LESS:\nmov.u32 %r1, 200;\nJOIN:\nadd.u32 %r1, %r1, %t;\n" END,
	    32, out, &counts);
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(out[i], (i < 10 ? 200 : 100) + i);
	/* 4 + setp, bra, both sides (2 and 1), add, st, ret */
	assert_int_equal(counts.warp_instructions, 12);
	/* a branch counts the lanes that take it */
	assert_int_equal(counts.thread_instructions, 4 * 32 + 32 + 10 + 2 * 22 + 10 + 3 * 32);
}

/* The launch selects the path that runs first: each lane reports how many lanes had counted before its path. */
static void first_path(void **state)
{
	static const char text[] =
		HEAD KERNEL ".shared .u32 count;\nmov.u32 %n, count;\nst.shared.u32 [%n], 0;\n"
			    "setp.BRANCH.u32 %p1, %t, 10;\n@%p1 bra TAKEN;\natom.shared.add.u32 %r2, [%n], 1;\n"
			    "mov.u32 %r1, %r2;\nbra.uni JOIN;\n"
			    "TAKEN:\natom.shared.add.u32 %r1, [%n], 1;\nJOIN:\n" END;
	static const struct {
		enum simt_first_path asked;
		const char *compare; /* with 10, for the lanes that take the branch */
		bool taken_first;
	} row[] = {
		{SIMT_FALL_THROUGH_FIRST, "lt", false}, {SIMT_FALL_THROUGH_FIRST, "ge", false},
		{SIMT_TAKEN_FIRST, "lt", true},         {SIMT_TAKEN_FIRST, "ge", true},
		{SIMT_LOW_LANES_FIRST, "lt", true},     {SIMT_LOW_LANES_FIRST, "ge", false},
	};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char own[sizeof text];
		snprintf(own, sizeof own, "%s", text);
		char *compare = strstr(own, "BRANCH");
		memmove(compare + 2, compare + 6, strlen(compare + 6) + 1);
		memcpy(compare, row[i].compare, 2);
		struct kit kit;
		kit_open(&kit, own);
		uint32_t *out = kit_buffer(&kit, 32 * sizeof *out);
		kit.launch.block.x = 32;
		kit.launch.first_path = row[i].asked;
		kit_run(&kit);
		bool is_less = row[i].compare[0] == 'l';
		for (uint32_t lane = 0; lane < 32; lane++) {
			bool takes = (lane < 10) == is_less;
			uint32_t others = takes == row[i].taken_first ? 0 : (lane < 10 ? 22 : 10);
			assert_true(out[lane] >= others && out[lane] < others + (lane < 10 ? 10 : 22));
		}
		kit_close(&kit);
	}
}

/* A loop that lanes leave one by one, inside another that they leave in groups. */
static void nested_loops(void **state)
{
	(void)state;
	uint32_t out[32];
	run(HEAD KERNEL "mov.u32 %r1, 0;\nmov.u32 %r2, 0;\nOUTER:\nmov.u32 %r3, 0;\nINNER:\nadd.u32 %r1, %r1, 1;\n"
	                "add.u32 %r3, %r3, 1;\nsetp.le.u32 %p1, %r3, %t;\n@%p1 bra INNER;\nadd.u32 %r2, %r2, 1;\n"
	                "and.b32 %r4, %t, 3;\nsetp.le.u32 %p2, %r2, %r4;\n@%p2 bra OUTER;\n" END,
	    32, out, NULL);
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(out[i], (i + 1) * (i % 4 + 1));
}

/* Lanes that exit inside a branch do not take part in the join. */
static void exit_in_branch(void **state)
{
	(void)state;
	uint32_t out[32];
	run(HEAD KERNEL
	    "and.b32 %r2, %t, 1;\nsetp.eq.u32 %p1, %r2, 0;\nmov.u32 %r1, 5;\nst.global.u32 [%o], %r1;\n"
	    "@%p1 exit;\nsetp.lt.u32 %p2, %t, 16;\n@%p2 bra A;\nmov.u32 %r1, 7;\nbra B;\nA:\nret;\nB:\n" END,
	    32, out, NULL);
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(out[i], i % 2 == 1 && i >= 16 ? 7 : 5);
}

/* A device function that returns from several points under divergence. Parameters and result pass through memory. */
static void calls_and_divergent_returns(void **state)
{
	(void)state;
	uint32_t out[32];
	run(HEAD ".func (.param .b32 result) f(.param .b32 a, .param .b32 b)\n{\n.reg .b32 %r<8>;\n.reg .pred %p<2>;\n"
	         "ld.param.u32 %r1, [a];\nld.param.u32 %r2, [b];\nsetp.gt.u32 %p1, %r1, 20;\n@%p1 bra BIG;\n"
	         "mul.lo.u32 %r3, %r1, %r2;\nst.param.b32 [result+0], %r3;\nret;\nBIG:\n"
	         "st.param.b32 [result+0], %r2;\nret;\n}\n" KERNEL
	         "{\n.param .b32 x;\n.param .b32 y;\n.param .b32 z;\nst.param.b32 [x+0], %t;\nst.param.b32 [y+0], 3;\n"
	         "call.uni (z), f, (x, y);\nld.param.b32 %r1, [z+0];\n}\n"
	         "add.u32 %r1, %r1, 1;\n" END,
	    32, out, NULL);
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(out[i], (i > 20 ? 3 : i * 3) + 1);
}

/* Recursion to a depth that differs by lane: every activation needs its own registers and parameters. */
static void recursion(void **state)
{
	(void)state;
	uint32_t out[32];
	run(HEAD ".func (.param .b32 result) fib(.param .b32 a)\n{\n.reg .b32 %r<8>;\n.reg .pred %p<2>;\n"
	         "ld.param.u32 %r1, [a];\nsetp.lt.u32 %p1, %r1, 2;\n@%p1 bra SMALL;\n"
	         "{\n.param .b32 x;\n.param .b32 z;\nsub.u32 %r2, %r1, 1;\nst.param.b32 [x], %r2;\n"
	         "call.uni (z), fib, (x);\nld.param.b32 %r3, [z];\n}\n"
	         "{\n.param .b32 x;\n.param .b32 z;\nsub.u32 %r4, %r1, 2;\nst.param.b32 [x], %r4;\n"
	         "call.uni (z), fib, (x);\nld.param.b32 %r5, [z];\n}\n"
	         "add.u32 %r1, %r3, %r5;\nSMALL:\nst.param.b32 [result], %r1;\nret;\n}\n" KERNEL
	         "and.b32 %r2, %t, 7;\n{\n.param .b32 x;\n.param .b32 z;\nst.param.b32 [x], %r2;\n"
	         "call.uni (z), fib, (x);\nld.param.b32 %r1, [z];\n}\n" END,
	    32, out, NULL);
	static const uint32_t fib[] = {0, 1, 1, 2, 3, 5, 8, 13};
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(out[i], fib[i % 8]);
}

/* A table of function pointers in global memory; lanes of one warp call different functions. */
static void calls_by_address(void **state)
{
	(void)state;
	uint32_t out[32];
	run(HEAD ".func (.param .b32 result) one(.param .b32 a)\n{\n.reg .b32 %r<4>;\nld.param.u32 %r1, [a];\n"
	         "add.u32 %r1, %r1, 1;\nst.param.b32 [result], %r1;\nret;\n}\n"
	         ".func (.param .b32 result) two(.param .b32 a)\n{\n.reg .b32 %r<4>;\nld.param.u32 %r1, [a];\n"
	         "mul.lo.u32 %r1, %r1, 2;\nst.param.b32 [result], %r1;\nret;\n}\n"
	         ".global .align 8 .u64 table[2] = {one, two};\n" KERNEL
	         "and.b32 %r2, %t, 1;\nmul.wide.u32 %d1, %r2, 8;\nmov.u64 %d2, table;\nadd.u64 %d1, %d1, %d2;\n"
	         "ld.global.u64 %d3, [%d1];\n{\n.param .b32 x;\n.param .b32 z;\nst.param.b32 [x], %t;\n"
	         "prototype_0: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
	         "call (z), %d3, (x), prototype_0;\nld.param.b32 %r1, [z];\n}\n" END,
	    32, out, NULL);
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(out[i], i % 2 ? i * 2 : i + 1);
}

/* An alias of a function, called and with its address taken, before and after the .alias directive. */
static void aliases(void **state)
{
	(void)state;
	uint32_t out[32];
	struct diag diag = {0};
	static const char nothing[] = HEAD ".func own()\n{\nret;\n}\n.func other();\n.alias other, none;\n";
	static const char twice[] = HEAD ".func own()\n{\nret;\n}\n.func other()\n{\nret;\n}\n.alias other, own;\n";
	run(HEAD ".func (.param .b32 result) other(.param .b32 a);\n"
	         ".func (.param .b32 result) own(.param .b32 a)\n{\n.reg .b32 %r<4>;\nld.param.u32 %r1, [a];\n"
	         "add.u32 %r1, %r1, 7;\nst.param.b32 [result], %r1;\nret;\n}\n.alias other, own;\n"
	         ".global .align 8 .u64 table[2] = {other, own};\n" KERNEL
	         "and.b32 %r2, %t, 1;\nmul.wide.u32 %d1, %r2, 8;\nmov.u64 %d2, table;\nadd.u64 %d1, %d1, %d2;\n"
	         "ld.global.u64 %d3, [%d1];\n"
	         "prototype_0: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
	         "call (%r1), %d3, (%t), prototype_0;\ncall (%r1), other, (%r1);\n" END,
	    32, out, NULL);
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(out[i], i + 14);
	assert_null(ptx_parse("nothing.ptx", nothing, strlen(nothing), &diag));
	assert_null(ptx_parse("twice.ptx", twice, strlen(twice), &diag));
	assert_int_equal(diag.errors, 2);
	diag_free(&diag);
}

/* Warps exchange values through shared memory around a barrier; a warp that has exited does not hold the others. */
static void barrier_and_exited_warp(void **state)
{
	(void)state;
	uint32_t out[96];
	run(HEAD KERNEL ".shared .align 4 .b32 s[96];\nsetp.ge.u32 %p1, %t, 64;\nmov.u32 %r1, 9;\n"
	                "st.global.u32 [%o], %r1;\n@%p1 ret;\nmul.lo.u32 %r2, %t, 4;\nmov.u32 %r3, s;\n"
	                "add.u32 %r2, %r2, %r3;\nst.shared.u32 [%r2], %t;\nbar.sync 0;\nsub.u32 %r4, 63, %t;\n"
	                "mul.lo.u32 %r4, %r4, 4;\nadd.u32 %r4, %r4, %r3;\nld.shared.u32 %r1, [%r4];\n" END,
	    96, out, NULL);
	for (uint32_t i = 0; i < 96; i++)
		assert_int_equal(out[i], i < 64 ? 63 - i : 9);
}

/* Barrier 1 for two warps: one arrives, the other waits. Then a reduction over all three warps. */
static void named_barriers_and_reductions(void **state)
{
	(void)state;
	uint32_t out[96];
	run(HEAD KERNEL ".shared .align 4 .b32 s[1];\nmov.u32 %r5, 1;\nsetp.ge.u32 %p1, %t, 64;\n@%p1 bra REST;\n"
	                "setp.lt.u32 %p2, %t, 32;\n@%p2 bra WAIT;\nmov.u32 %r2, 42;\nst.shared.u32 [s], %r2;\n"
	                "bar.arrive %r5, 64;\nbra REST;\nWAIT:\nbar.sync %r5, 64;\nREST:\n"
	                "setp.lt.u32 %p3, %t, 70;\nbar.red.popc.u32 %r1, 0, %p3;\nbar.red.and.pred %p4, 0, %p3;\n"
	                "bar.red.or.pred %p5, 0, %p3;\nselp.u32 %r3, 1000, 0, %p4;\nselp.u32 %r4, 2000, 0, %p5;\n"
	                "add.u32 %r1, %r1, %r3;\nadd.u32 %r1, %r1, %r4;\nsetp.lt.u32 %p6, %t, 96;\nbar.red.and.pred "
	                "%p7, 0, %p6;\n@%p7 add.u32 %r1, %r1, 5000;\n"
	                "ld.shared.u32 %r6, [s];\n"
	                "mad.lo.u32 %r1, %r6, 10000, %r1;\n" END,
	    96, out, NULL);
	for (uint32_t i = 0; i < 96; i++)
		assert_int_equal(out[i], 42 * 10000 + 5000 + 2000 + 70);
}

/* A cluster has one block. A thread that waits for it sees everything that the block did before arrival. Its barrier is
 * none of the sixteen. Warps that have ended are not waited for, and its registers report one block. */
static void cluster_barrier(void **state)
{
	(void)state;
	uint32_t out[96];
	run(HEAD KERNEL
	    ".shared .align 4 .b32 s[96];\nsetp.ge.u32 %p1, %t, 64;\nmov.u32 %r1, 9;\n"
	    "st.global.u32 [%o], %r1;\n@%p1 ret;\nmul.lo.u32 %r2, %t, 4;\nmov.u32 %r3, s;\n"
	    "add.u32 %r2, %r2, %r3;\nst.shared.u32 [%r2], %t;\nbarrier.cluster.arrive.release;\n"
	    "setp.lt.u32 %p2, %t, 32;\n@%p2 bar.sync 15, 32;\nbarrier.cluster.wait.acquire;\n"
	    "sub.u32 %r4, 63, %t;\nmul.lo.u32 %r4, %r4, 4;\nadd.u32 %r4, %r4, %r3;\n"
	    "ld.shared::cluster.u32 %r1, [%r4];\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n"
	    "st.shared.u32 [%r2], "
	    "%r1;\nbarrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;\nld.shared.u32 %r5, [%r4];\n"
	    "mad.lo.u32 %r1, %r5, 1000, %r1;\n" END,
	    96, out, NULL);
	for (uint32_t i = 0; i < 96; i++)
		assert_int_equal(out[i], i < 64 ? 1000 * i + 63 - i : 9);
	run(HEAD KERNEL
	    "mov.u32 %r1, %cluster_ctarank;\nmov.u32 %r2, %cluster_nctarank;\nmad.lo.u32 %r1, %r1, 10, %r2;\n"
	    "mov.u32 %r2, %cluster_ctaid.x;\nmad.lo.u32 %r1, %r1, 10, %r2;\nmov.u32 %r2, %cluster_nctaid.y;\n"
	    "mad.lo.u32 %r1, %r1, 10, %r2;\nmov.u32 %r2, %clusterid.x;\nmad.lo.u32 %r1, %r1, 10, %r2;\n"
	    "mov.u32 %r2, %nclusterid.z;\nmad.lo.u32 %r1, %r1, 10, %r2;\nmov.pred %p1, %is_explicit_cluster;\n"
	    "selp.u32 %r2, 1, 2, %p1;\nmad.lo.u32 %r1, %r1, 10, %r2;\nmov.u64 %d1, %current_graph_exec;\n"
	    "cvt.u32.u64 %r2, %d1;\nadd.u32 %r1, %r1, %r2;\n" END,
	    32, out, NULL);
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(out[i], 101012);
}

/* The cluster barrier has no number; a cluster's number is its block's. */
static void cluster_numbers(void **state)
{
	(void)state;
	struct kit kit;
	kit_open(&kit, HEAD KERNEL "mov.u32 %r1, 16;\nbar.sync %r1;\n" END);
	kit_buffer(&kit, 32 * 4);
	simt_run(&kit.launch, 0, &kit.run);
	assert_string_equal(kit.run.fault.what, "barrier number beyond 15");
	kit_close(&kit);
	kit_open(&kit, HEAD KERNEL
	         "mov.u32 %r1, %clusterid.x;\nmov.u32 %r2, %clusterid.y;\nmov.u32 %r3, %clusterid.z;\n"
	         "mov.u32 %r4, %nclusterid.x;\nmov.u32 %r5, %nclusterid.y;\nmov.u32 %r6, %nclusterid.z;\n"
	         "mad.lo.u32 %r2, %r3, %r5, %r2;\nmad.lo.u32 %r1, %r2, %r4, %r1;\n"
	         "mul.wide.u32 %d1, %r1, 128;\nadd.u64 %o, %o, %d1;\nmad.lo.u32 %r1, %r6, 1000, %r1;\n" END);
	const uint32_t *out = kit_buffer(&kit, 24 * 128);
	kit.launch.grid = (struct dim3){2, 3, 4};
	kit_run(&kit);
	for (uint32_t i = 0; i < 24 * 32; i++)
		assert_int_equal(out[i], 4000 + i / 32);
	kit_close(&kit);
}

/* All live warps wait, some at a barrier that not all warps reach: a fault, not an endless run. */
static void stuck_barrier(void **state)
{
	(void)state;
	struct kit kit;
	kit_open(&kit, HEAD KERNEL
	         "setp.ge.u32 %p1, %t, 32;\n@%p1 bra A;\nbar.sync 1;\nA:\nbar.sync 2;\nmov.u32 %r1, 1;\n" END);
	kit_buffer(&kit, 64 * 4);
	kit.launch.block.x = 64;
	simt_run(&kit.launch, 0, &kit.run);
	assert_string_equal(kit.run.fault.what, "barrier that can never complete");
	kit_close(&kit);
}

static void votes(void **state)
{
	(void)state;
	uint32_t out[32];
	run(HEAD KERNEL
	    "setp.lt.u32 %p1, %t, 5;\nvote.sync.ballot.b32 %r1, %p1, -1;\nvote.sync.any.pred %p2, %p1, -1;\n"
	    "vote.sync.all.pred %p3, %p1, -1;\nvote.sync.uni.pred %p4, %p1, -1;\n@%p2 add.u32 %r1, %r1, 100;\n"
	    "@%p3 add.u32 %r1, %r1, 1000;\n@%p4 add.u32 %r1, %r1, 10000;\nsetp.lt.u32 %p5, %t, 8;\n"
	    "@!%p5 bra JOIN;\nactivemask.b32 %r2;\nvote.all.pred %p6, !%p1;\nmov.u32 %r1, %r2;\n"
	    "@%p6 add.u32 %r1, %r1, 1;\nJOIN:\n" END,
	    32, out, NULL);
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(out[i], i < 8 ? 0xff : 0x1f + 100);
}

/* shfl against the manual's rule, lane by lane, in all modes with segments of 8 lanes. */
static void shuffles(void **state)
{
	(void)state;
	static const char *const mode[] = {"up", "down", "bfly", "idx"};
	static const uint32_t c[] = {0x1800, 0x181f, 0x181f, 0x181f};
	for (unsigned m = 0; m < 4; m++) {
		uint32_t out[32];
		char shuffle[128], text[2048];
		snprintf(shuffle, sizeof shuffle, "shfl.sync.%s.b32 %%r1|%%p1, %%r2, 3, 0x%x, -1;\n", mode[m], c[m]);
		snprintf(text, sizeof text, "%s%s%s", HEAD KERNEL "mul.lo.u32 %r2, %t, 3;\n", shuffle,
		         "@!%p1 add.u32 %r1, %r1, 1000;\n" END);
		run(text, 32, out, NULL);
		for (int i = 0; i < 32; i++) {
			int first = i / 8 * 8, last = first + 7;
			int from[] = {i - 3, i + 3, i ^ 3, first + 3};
			bool inside = from[m] >= first && from[m] <= last;
			assert_int_equal(out[i], inside ? from[m] * 3 : i * 3 + 1000);
		}
	}
}

static void matches_and_reductions(void **state)
{
	(void)state;
	uint32_t out[32];
	run(HEAD KERNEL "and.b32 %r2, %t, 3;\nmatch.any.sync.b32 %r1, %r2, -1;\nmatch.all.sync.b32 %r3|%p1, %r2, -1;\n"
	                "@%p1 mov.u32 %r1, 0;\nredux.sync.add.u32 %r4, %t, -1;\nredux.sync.max.s32 %r5, %t, -1;\n"
	                "add.u32 %r1, %r1, %r4;\nadd.u32 %r1, %r1, %r5;\n" END,
	    32, out, NULL);
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(out[i], (0x11111111u << i % 4) + 31 * 32 / 2 + 31);
}

/* Special registers of a block in three dimensions, of a lane, and of the launch. */
static void special_registers(void **state)
{
	(void)state;
	struct kit kit;
	kit_open(&kit, HEAD ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<16>;\n.reg .b64 %d<4>;\n"
	                    "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\nmov.u32 %r3, %tid.z;\nmov.u32 %r4, %ntid.x;\n"
	                    "mov.u32 %r5, %ntid.y;\nmad.lo.u32 %r6, %r3, %r5, %r2;\nmad.lo.u32 %r6, %r6, %r4, %r1;\n"
	                    "mov.u32 %r7, %ctaid.y;\nmov.u32 %r8, %nctaid.x;\nmov.u32 %r9, %ctaid.x;\n"
	                    "mad.lo.u32 %r7, %r7, %r8, %r9;\nmad.lo.u32 %r7, %r7, 60, %r6;\nmul.wide.u32 %d1, %r7, 4;\n"
	                    "ld.param.u64 %d2, [out];\nadd.u64 %d1, %d1, %d2;\nmov.u32 %r10, %laneid;\n"
	                    "mov.u32 %r11, %lanemask_lt;\npopc.b32 %r11, %r11;\nsub.u32 %r10, %r10, %r11;\n"
	                    "add.u32 %r6, %r6, %r10;\nst.global.u32 [%d1], %r6;\nret;\n}\n");
	kit.launch.block = (struct dim3){5, 4, 3};
	kit.launch.grid = (struct dim3){3, 2, 1};
	uint32_t *out = kit_buffer(&kit, 6 * 60 * 4);
	kit_run(&kit);
	for (uint32_t i = 0; i < 6 * 60; i++)
		assert_int_equal(out[i], i % 60);
	kit_close(&kit);
}

struct heard {
	enum ptx_system call;
	uint64_t argument[2];
	uint32_t value;
	unsigned calls;
};

static uint64_t hear(void *user, enum ptx_system call, const uint64_t *arguments, const struct simt_windows *windows)
{
	struct heard *heard = user;
	heard->call = call;
	memcpy(heard->argument, arguments, sizeof heard->argument);
	memcpy(&heard->value, windows->local + (arguments[1] - SIMT_LOCAL_WINDOW), sizeof heard->value);
	heard->calls++;
	return 7;
}

/* vprintf: called once per lane at the commit, with a pointer to the lane's own local memory. Its result is
 * returned. */
static void system_calls(void **state)
{
	(void)state;
	struct kit kit;
	struct heard heard = {.call = PTX_SYSTEM_CALLS};
	kit_open(&kit, HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
	                    ".global .align 1 .b8 format[4] = {37, 100, 10, 0};\n" KERNEL
	                    ".local .align 8 .b8 buffer[8];\nmov.u64 %d1, buffer;\ncvta.local.u64 %d2, %d1;\n"
	                    "add.u32 %r2, %t, 500;\nst.local.u32 [%d1], %r2;\nmov.u64 %d3, format;\n"
	                    "{\n.param .b64 p;\n.param .b64 q;\n.param .b32 z;\nst.param.b64 [p], %d3;\n"
	                    "st.param.b64 [q], %d2;\ncall.uni (z), vprintf, (p, q);\nld.param.b32 %r1, [z];\n}\n" END);
	kit.launch.block.x = 3;
	kit.launch.system_call = hear;
	kit.launch.user = &heard;
	uint32_t *out = kit_buffer(&kit, 12);
	kit_run(&kit);
	assert_int_equal(heard.calls, 3);
	assert_int_equal(heard.call, PTX_SYSTEM_VPRINTF);
	assert_int_equal(heard.value, 502);
	assert_memory_equal(simt_host(kit.memory, heard.argument[0]), "%d\n", 4);
	assert_int_equal(out[2], 7);
	kit_close(&kit);
}

/* The registers that the scoreboard and the operand collector receive: each once, with the number in its name. */
static void registers_of_an_instruction(void **state)
{
	(void)state;
	struct kit kit;
	kit_open(&kit,
	         HEAD KERNEL "setp.eq.u32 %p3, %t, 0;\n@%p3 mad.lo.u32 %r7, %r5, %r5, %r6;\nmov.u32 %r1, %r7;\n" END);
	const struct simt_inst *mad = &kit.program->code[5];
	assert_int_equal(mad->ptx->op, PTX_OP_MAD);
	assert_int_equal(mad->reads, 3); /* %p3, %r5 once, %r6 */
	assert_int_equal(mad->writes, 1);
	assert_int_equal(mad->bank_reads, 3);
	assert_int_equal(mad->bank_read[0], 5);
	assert_int_equal(mad->bank_read[1], 5);
	assert_int_equal(mad->bank_read[2], 6);
	assert_int_equal(mad->bank_write[0], 7);
	assert_int_equal(kit.program->code[6].read[0], mad->write[0]);
	kit_close(&kit);
}

static void is_refused(const char *text, const char *says)
{
	struct diag diag = {0};
	struct ptx_module *module = ptx_parse("t.ptx", text, strlen(text), &diag);
	if (!module)
		fail_msg("%s", diag.text);
	const struct ptx_function *kernel = module->functions;
	while (!kernel->has_body)
		kernel = kernel->next;
	assert_null(simt_decode(kernel, kit_reconverge, &diag));
	if (!strstr(diag.text, says))
		fail_msg("expected '%s' in:\n%s", says, diag.text);
	ptx_free(module);
	diag_free(&diag);
}

/* An instruction that cannot run is reported with its position. A runtime function takes exactly the arguments that it
 * reads. */
static void unsupported(void **state)
{
	(void)state;
	is_refused(HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 a);\n"
	                ".visible .entry k()\n{\n.param .b64 p;\n.param .b32 z;\nst.param.b64 [p], 0;\n"
	                "call.uni (z), vprintf, (p);\nret;\n}\n",
	           "function 'vprintf' takes 2 arguments, not 1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(branch_and_join),
		cmocka_unit_test(first_path),
		cmocka_unit_test(nested_loops),
		cmocka_unit_test(exit_in_branch),
		cmocka_unit_test(calls_and_divergent_returns),
		cmocka_unit_test(recursion),
		cmocka_unit_test(calls_by_address),
		cmocka_unit_test(aliases),
		cmocka_unit_test(barrier_and_exited_warp),
		cmocka_unit_test(named_barriers_and_reductions),
		cmocka_unit_test(cluster_barrier),
		cmocka_unit_test(cluster_numbers),
		cmocka_unit_test(stuck_barrier),
		cmocka_unit_test(votes),
		cmocka_unit_test(shuffles),
		cmocka_unit_test(matches_and_reductions),
		cmocka_unit_test(special_registers),
		cmocka_unit_test(system_calls),
		cmocka_unit_test(registers_of_an_instruction),
		cmocka_unit_test(unsupported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
