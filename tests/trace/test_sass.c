/* Protects the timing of SASS instruction traces, in closed forms. The small traces of Volta opcodes are written by
 * hand and run on the machine whose stages docs/explanation/timing-model.md gives in closed form.
 * Protects also that addresses mean the same in all formats of instruction traces. */
#include "trace_kit.h"

enum { VOLTA = 70, AMPERE = 86, WARP = 32, CODE = 16 };

/* One SM with a perfect instruction cache: a fetch costs the same wherever the code lies. */
static const char *const options[] = {"sm.count=1", "l1i.perfect=true", NULL};
static const struct sluice_settings gtx480 = {SLUICE_SIZED(settings), .machine = "gtx480", .options = options};

/* A block of warps that all run the same lines, each many times at one pc, and exit. */
static struct record run_lines(uint32_t warps, const char *line, uint32_t times)
{
	struct trace_kit kit;
	kit_open(&kit);
	kit_header(&kit, VOLTA, 1, warps * WARP);
	kit_block(&kit, 0);
	for (uint32_t w = 0; w < warps; w++) {
		kit_warp(&kit, w, times + 1);
		for (uint32_t i = 0; i < times; i++)
			fprintf(kit.file, "%04x %s\n", i * CODE, line);
		fprintf(kit.file, "%04x ffffffff 0 EXIT 0 0\n", times * CODE);
	}
	kit_end_block(&kit);
	struct record record = kit_run(&kit, &gtx480);
	kit_close(&kit);
	return record;
}

/* Returns the cycles of ten more lines, without start and end. */
static uint64_t cost(uint32_t warps, const char *line)
{
	return run_lines(warps, line, 20).cycles - run_lines(warps, line, 10).cycles;
}

/* latency + operands + 5 from one link of a chain to the next (docs/explanation/timing-model.md, Operand collectors).
 */
static void test_chains(void **state)
{
	static const struct {
		const char *line, *latency;
		uint32_t operands;
	} row[] = {
		{"ffffffff 1 R1 FADD 2 R1 R2 0", "latency.add.fp32", 2},
		{"ffffffff 1 R1 FFMA 3 R1 R2 R3 0", "latency.fma.fp32", 3},
		{"ffffffff 1 R1 FMUL.FTZ 2 R1 R2 0", "latency.mul.fp32", 2},
		{"ffffffff 1 R1 IADD3 3 R1 R2 R3 0", "latency.add.int", 3},
		{"ffffffff 1 R1 IADD3 3 R1 R255 R255 0", "latency.add.int", 1}, /* RZ is not read from any bank */
		{"ffffffff 1 R1 IMAD.MOV.U32 2 R255 R1 0", "latency.mad.int", 1},
		{"ffffffff 1 R1 DFMA 3 R1 R2 R4 0", "latency.fma.fp64", 3},
		{"ffffffff 1 R1 MUFU.RCP 1 R1 0", "latency.special.fp32", 1},
		{"ffffffff 1 R1 MOV 1 R1 0", "latency.move.int", 1},
		{"0000ffff 1 R1 MOV 1 R1 0", "latency.move.int", 1}, /* partial masks cost the same */
		{"00000000 1 R1 MOV 1 R1 0", "latency.move.int", 1}, /* so does an empty mask */
	};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		uint64_t want = 10 * (kit_option("gtx480", row[i].latency) + row[i].operands + 5);
		uint64_t got = cost(1, row[i].line);
		if (got != want)
			fail_msg("ten links of '%s' cost %llu cycles, not %llu", row[i].line, (unsigned long long)got,
			         (unsigned long long)want);
	}
}

/* The transactions of a load's lanes, for each format of its addresses: counters, and the same cycles. */
static void test_addresses(void **state)
{
	static const struct {
		const char *form[3]; /* list, stride, differences; NULL: not possible */
		uint64_t accesses;
	} row[] = {
		{{"0000000f 1 R4 LDG.E.SYS 1 R2 4 0 0x7f0000000000 0x7f0000000004 0x7f0000000008 0x7f000000000c",
	          "0000000f 1 R4 LDG.E.SYS 1 R2 4 1 0x7f0000000000 4",
	          "0000000f 1 R4 LDG.E.SYS 1 R2 4 2 0x7f0000000000 4 4 4"},
	         1},
		{{"00000013 1 R4 LDG.E.64.SYS 1 R2 8 0 0x7f0000001000 0x7f0000000000 0x7f0000000080", NULL,
	          "00000013 1 R4 LDG.E.64.SYS 1 R2 8 2 0x7f0000001000 -4096 128"},
	         3},
		{{NULL, "ffffffff 1 R4 LDG.E.128.SYS 1 R2 16 1 0x7f0000000000 16", NULL}, 4},
		{{NULL, "ffffffff 1 R4 LDG.E.SYS 1 R2 4 1 0x7f0000000000 128", NULL}, 32},
		{{NULL, "00000000 1 R4 LDG.E.SYS 1 R2 4 1 0x0 0", NULL}, 0},
	};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		uint64_t cycles = 0;
		for (uint32_t k = 0; k < 3; k++) {
			if (!row[i].form[k])
				continue;
			struct record record = run_lines(1, row[i].form[k], 1);
			assert_int_equal(record.stats.l1d.accesses, row[i].accesses);
			assert_int_equal(record.stats.sm.global_loads, row[i].accesses != 0);
			if (cycles)
				assert_int_equal(record.cycles, cycles);
			cycles = record.cycles;
		}
	}
}

/* Spaces: by opcode, and for generic addresses by the windows in the header. */
static void test_spaces(void **state)
{
	struct record record = run_lines(1, "ffffffff 1 R4 LDS.U 1 R2 4 1 0x0 8", 1);
	assert_int_equal(record.stats.sm.shared_accesses, 1);
	assert_int_equal(record.stats.sm.shared_conflict_cycles, 1); /* every other bank: two words in each */
	record = run_lines(1, "ffffffff 1 R4 LD.E 1 R2 4 1 0x7f1000000000 8", 1);
	assert_int_equal(record.stats.sm.shared_conflict_cycles, 1);
	record = run_lines(1, "ffffffff 1 R4 LD.E 1 R2 4 1 0x7f2000000100 0", 1);
	assert_int_equal(record.stats.sm.local_accesses, 1);
	record = run_lines(1, "ffffffff 0 STL 2 R2 R3 4 1 0x100 0", 1);
	assert_int_equal(record.stats.sm.local_accesses, 1);
	record = run_lines(1, "ffffffff 0 ST.E 2 R2 R3 4 1 0x7f0000000000 4", 1);
	assert_int_equal(record.stats.sm.global_stores, 1);
	record = run_lines(1, "ffffffff 1 R4 ATOMG.E.ADD.STRONG.GPU 2 R2 R3 4 1 0x7f0000000000 4", 1);
	assert_int_equal(record.stats.sm.atomics, 1);
	record = run_lines(1, "ffffffff 1 R4 LDC 1 R2 0", 1); /* tracers write no addresses for constants */
	assert_int_equal(record.stats.sm.constant_accesses, 0);
	(void)state;
}

/* Past L1: data that other SMs may have written. */
static void test_strong(void **state)
{
	(void)state;
	assert_int_equal(run_lines(1, "ffffffff 1 R4 LDG.E.STRONG.GPU 1 R2 4 1 0x7f0000000000 4", 1).stats.l1d.accesses,
	                 0);
	assert_int_equal(run_lines(1, "ffffffff 1 R4 LDG.E.STRONG.CTA 1 R2 4 1 0x7f0000000000 4", 1).stats.l1d.accesses,
	                 1);
}

/* Warps wait for each other: the second arrives as late as its chain is long, and both continue together. */
static void test_barrier(void **state)
{
	struct trace_kit kit;
	(void)state;
	kit_open(&kit);
	kit_header(&kit, VOLTA, 1, 2 * WARP);
	kit_block(&kit, 0);
	kit_warp(&kit, 1, 12); /* warps are in any order */
	for (uint32_t i = 0; i < 10; i++)
		fprintf(kit.file, "%04x ffffffff 1 R1 MUFU.RCP 1 R1 0\n", i * CODE);
	fputs("00a0 ffffffff 0 BAR.SYNC.DEFER_BLOCKING 1 R1 0 0 \n00b0 ffffffff 0 EXIT 0 0\n", kit.file);
	kit_warp(&kit, 0, 2);
	fputs("00a0 ffffffff 0 BAR.SYNC.DEFER_BLOCKING 1 R1 0 0 \n00b0 ffffffff 0 EXIT 0 0\n", kit.file);
	kit_end_block(&kit);
	struct record record = kit_run(&kit, &gtx480);
	kit_close(&kit);
	uint64_t chain = 10 * (kit_option("gtx480", "latency.special.fp32") + 6ull);
	assert_int_equal(record.stats.sm.barriers, 2);
	assert_true(record.stats.sm.stack_barrier > 0);
	assert_true(record.cycles > chain && record.cycles < chain + 200);
}

/* A block's warps, each with its own lines up to a NULL, and an EXIT. */
static void write_block(struct trace_kit *kit, uint32_t version, uint32_t warps, const char *const *line)
{
	kit_open(kit);
	kit_header(kit, version, 1, warps * WARP);
	kit_block(kit, 0);
	for (uint32_t w = 0; w < warps; w++, line++) {
		uint32_t count = 0;
		while (line[count])
			count++;
		kit_warp(kit, w, count + 1);
		for (uint32_t i = 0; i < count; i++)
			fprintf(kit->file, "%04x %s\n", i * CODE, line[i]);
		fprintf(kit->file, "%04x ffffffff 0 EXIT 0 0\n", count * CODE);
		line += count;
	}
	kit_end_block(kit);
	fflush(kit->file);
}

/* Two warps at barriers of different names stall. If the name is not known, both are at barrier 0. */
static void test_named_barriers(void **state)
{
#define CHAIN "ffffffff 1 R1 MUFU.RCP 1 R1 0", "ffffffff 1 R1 MUFU.RCP 1 R1 0"
#define SYNC  "ffffffff 0 BAR.SYNC.DEFER_BLOCKING "
	static const struct {
		const char *line[6];
		bool stalls;
	} row[] = {{{SYNC "0 0 5 ", NULL, CHAIN, SYNC "0 0 5 ", NULL}, false},
	           {{SYNC "0 0 5 ", NULL, CHAIN, SYNC "0 0 6 ", NULL}, true},
	           {{SYNC "0 0 5 ", NULL, CHAIN, SYNC "0 0 ", NULL}, true},
	           {{SYNC "0 0 64 ", NULL, CHAIN, SYNC "0 0 96 ", NULL}, false},      /* counts of threads */
	           {{SYNC "1 R3 0 5 ", NULL, CHAIN, SYNC "1 R3 0 6 ", NULL}, false}}; /* the name is in R3 */
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sluice_error error = {0};
		struct trace_kit kit;
		sluice_gpu *gpu;
		write_block(&kit, VOLTA, 2, row[i].line);
		assert_int_equal(sluice_open(&gpu, &gtx480, &error), SLUICE_OK);
		assert_int_equal(sluice_run_trace(gpu, kit.folder, NULL, &error) == SLUICE_OK, !row[i].stalls);
		sluice_close(gpu);
		kit_close(&kit);
	}
}

static struct record run_ampere(const char *const *line, bool copies)
{
	static const char *const with[] = {"sm.count=1", "l1i.perfect=true", "sm.async_copies=true", NULL};
	const struct sluice_settings settings = {SLUICE_SIZED(settings), .machine = "gtx480",
	                                         .options = copies ? with : options};
	struct trace_kit kit;
	write_block(&kit, AMPERE, 1, line);
	struct record record = kit_run(&kit, &settings);
	kit_close(&kit);
	return record;
}

/* A wait for copies holds its warp until at most N groups are left, or none if the tracer does not give N. On a machine
 * without asynchronous copies it waits for nothing. */
static void test_copies(void **state)
{
#define COPY   "ffffffff 0 LDGSTS.E 2 R2 R4 4 1 0x7f0000000000 4 0 "
#define COMMIT "ffffffff 0 LDGDEPBAR 0 0 0 "
#define WAIT   "ffffffff 0 DEPBAR.LE 0 0 "
	static const char *const all[] = {COPY, COMMIT, WAIT "0 ", CHAIN, NULL},
				 *const one[] = {COPY, COMMIT, WAIT "1 ", CHAIN, NULL},
				 *const unsaid[] = {COPY, COMMIT, WAIT, CHAIN, NULL},
				 *const second[] = {COPY, COMMIT, COMMIT, WAIT "1 ", CHAIN, NULL},
				 *const open[] = {COPY, WAIT "0 ", CHAIN, NULL};
	uint64_t chain = 2 * (kit_option("gtx480", "latency.special.fp32") + 6ull);
	uint64_t held = run_ampere(all, true).cycles, passed = run_ampere(one, true).cycles;
	(void)state;
	assert_true(held > passed && held - passed > chain / 2); /* the chain begins after the copy, or in parallel */
	assert_int_equal(run_ampere(unsaid, true).cycles, held);
	assert_int_equal(run_ampere(second, true).cycles, held); /* an empty group counts as a group */
	assert_true(run_ampere(open, true).cycles < held);       /* of no group */
	assert_int_equal(run_ampere(all, false).cycles, run_ampere(one, false).cycles);
	assert_int_equal(run_ampere(all, true).stats.sm.copies, 1);
	assert_int_equal(run_ampere(all, false).stats.sm.copies, 0);
	assert_int_equal(run_ampere(all, false).stats.sm.global_loads, 1);
}

/* The bytes that a copy reads: .BYPASS bypasses L1, and a lane with address 0 reads nothing. The data are written
 * contiguously. */
static void test_copied(void **state)
{
	static const char *const bypass[] = {"ffffffff 0 LDGSTS.E.BYPASS.128 2 R2 R4 16 1 0x7f0000000000 16 0", NULL},
				 *const nothing[] = {"ffffffff 0 LDGSTS.E.128.ZFILL 2 R2 R4 16 1 0x0 0 0", NULL},
				 *const half[] = {
					 "0000000f 0 LDGSTS.E.64 2 R2 R4 8 0 0x7f0000000000 0x0 0x7f0000000080 0x0 0",
					 NULL};
	(void)state;
	struct record record = run_ampere(bypass, true);
	assert_int_equal(record.stats.l1d.accesses, 0);
	assert_int_equal(record.stats.sm.memory_requests, 4);
	record = run_ampere(nothing, true);
	assert_int_equal(record.stats.l1d.accesses, 0);
	assert_int_equal(record.stats.sm.copies, 1);
	record = run_ampere(half, true);
	assert_int_equal(record.stats.l1d.accesses, 2);
	assert_int_equal(record.stats.sm.shared_lanes, 4);
}

/* A warp without instructions in the trace ends at once; one without EXIT ends after its last instruction. */
static void test_ends(void **state)
{
	struct trace_kit kit;
	(void)state;
	kit_open(&kit);
	kit_header(&kit, VOLTA, 2, 3 * WARP);
	for (uint32_t block = 0; block < 2; block++) {
		kit_block(&kit, 1 - block); /* blocks are in any order */
		kit_warp(&kit, 1, 1);
		fputs("0000 ffffffff 1 R1 MOV 0 0\n", kit.file);
		kit_warp(&kit, 2, 0);
		kit_end_block(&kit);
	}
	struct record record = kit_run(&kit, &gtx480);
	kit_close(&kit);
	assert_int_equal(record.stats.sm.blocks, 2);
	assert_int_equal(record.stats.sm.warp_instructions, 2 * 3);
}

/* Mechanisms' requests count as inside memory in the 2 MiB pages that the kernel accesses, and nowhere else: the line
 * after a page's end is outside. */
static void test_reach(void **state)
{
	static const char *const mechanisms[] = {"nlp", NULL};
	static const struct {
		const char *line;
		uint64_t issued, outside;
	} row[] = {{"ffffffff 1 R4 LDG.E.SYS 1 R2 4 1 0x7f0000000000 4", 1, 0},
	           {"ffffffff 1 R4 LDG.E.SYS 1 R2 4 1 0x7f00001fff80 4", 0, 1}};
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct trace_kit kit;
		struct sluice_error error = {0};
		struct sluice_settings settings = {SLUICE_SIZED(settings), .machine = "gtx480",
		                                   .mechanisms = mechanisms};
		sluice_gpu *gpu;
		kit_open(&kit);
		kit_header(&kit, VOLTA, 1, WARP);
		kit_block(&kit, 0);
		kit_warp(&kit, 0, 2);
		fprintf(kit.file, "0000 %s\n0010 ffffffff 0 EXIT 0 0\n", row[i].line);
		kit_end_block(&kit);
		fflush(kit.file);
		assert_int_equal(sluice_open(&gpu, &settings, &error), SLUICE_OK);
		assert_int_equal(sluice_run_trace(gpu, kit.folder, NULL, &error), SLUICE_OK);
		const struct mech_requests *requests = &gpu->records.record[0].mech[0].requests;
		assert_int_equal(requests->issued, row[i].issued);
		assert_int_equal(requests->outside, row[i].outside);
		sluice_close(gpu);
		kit_close(&kit);
	}
}

/* Overlapping and adjacent ranges merge; one common byte is enough. */
static void test_ranges(void **state)
{
	struct trace_ranges ranges = {0};
	(void)state;
	for (uint64_t i = 0; i < 1000; i++)
		trace_ranges_add(&ranges, (i * 7 % 1000) * 100, (i * 7 % 1000) * 100 + (i % 2 ? 100 : 40));
	trace_ranges_merge(&ranges);
	for (uint64_t i = 0; i < 1000; i++) {
		uint64_t begin = (i * 7 % 1000) * 100;
		assert_true(trace_ranges_touch(&ranges, begin + 39, 1));
		assert_int_equal(trace_ranges_touch(&ranges, begin + 40, 60), i % 2);
		assert_true(trace_ranges_touch(&ranges, begin + 99, 2) || begin == 99900);
	}
	assert_false(trace_ranges_touch(&ranges, 100000, 100));
	trace_ranges_free(&ranges);
}

/* Two functions that a tracer numbers from 0 on share their pcs: each gets its own addresses. */
static void test_same_pcs(void **state)
{
	struct trace_kit kit;
	(void)state;
	kit_open(&kit);
	kit_header(&kit, VOLTA, 1, WARP);
	kit_block(&kit, 0);
	kit_warp(&kit, 0, 3);
	fputs("0000 ffffffff 0 CALL.REL.NOINC 0 0\n0000 ffffffff 1 R1 MOV 0 0\n0010 ffffffff 0 EXIT 0 0\n", kit.file);
	kit_end_block(&kit);
	struct diag diag = {0};
	fflush(kit.file);
	struct trace_kernel *kernel = trace_kernel_read(kit.path, &diag);
	assert_non_null(kernel);
	assert_int_equal(kernel->program.count, 3);
	assert_int_equal(kernel->program.code[0].kind, SIMT_BRANCH);
	assert_int_equal(kernel->program.code[1].kind, SIMT_EXIT);
	assert_int_equal(kernel->program.code[2].ptx->op, PTX_OP_MOV);
	trace_kernel_free(kernel);
	kit_close(&kit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chains),         cmocka_unit_test(test_addresses), cmocka_unit_test(test_spaces),
		cmocka_unit_test(test_strong),         cmocka_unit_test(test_barrier),   cmocka_unit_test(test_ends),
		cmocka_unit_test(test_same_pcs),       cmocka_unit_test(test_reach),     cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_named_barriers), cmocka_unit_test(test_copies),    cmocka_unit_test(test_copied),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
