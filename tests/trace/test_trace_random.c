/* Protects instruction traces with random valid ones. Each is read and runs to its end, on several machines, with the
 * same result for one and two host threads. The counts equal the generator's, and a functional run has the same number
 * of instructions. */
#include "trace_kit.h"

enum { ROUNDS = 12, WARP = 32 };

/* Counts of what the generator has written. */
struct written {
	uint64_t warp_instructions, thread_instructions, loads, stores, shared, local, atomics, barriers, branches;
};

struct random {
	uint64_t state;
	FILE *file;
	struct written written;
	uint32_t lanes; /* of the warp */
};

static uint32_t below(struct random *random, uint32_t limit)
{
	random->state = random->state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(random->state >> 33) % limit;
}

/* Some lanes of the warp: all, none, or any. */
static uint32_t some_lanes(struct random *random)
{
	uint32_t kind = below(random, 8);
	uint32_t any = below(random, 1u << 31) * 2 + below(random, 2);
	return kind == 0 ? 0 : kind < 5 ? random->lanes : any & random->lanes;
}

/* Addresses from `base` on, in one of the formats. */
static void write_addresses(struct random *random, uint32_t lanes, uint64_t base, uint32_t span, uint32_t size)
{
	uint32_t form = below(random, 3);
	uint64_t last = base;
	if (form == 1) {
		fprintf(random->file, " 1 0x%llx %u", (unsigned long long)base, size * below(random, 9));
		return;
	}
	fprintf(random->file, " %u", form);
	for (bool first = true; lanes || first; lanes &= lanes - 1, first = false) {
		uint64_t next = base + (uint64_t)size * below(random, span / size);
		if (form == 2 && !first)
			fprintf(random->file, " %lld", (long long)(next - last));
		else if (lanes || form == 2)
			fprintf(random->file, " 0x%llx", (unsigned long long)next);
		last = next;
		if (!lanes)
			break;
	}
}

struct row {
	const char *text; /* from the destinations to the sources */
	uint32_t size;    /* 0: no access */
	uint64_t base;
	size_t counter; /* in struct written */
};

#define COUNT(name) offsetof(struct written, name)
static const struct row rows[] = {
	{"1 R%u FADD 2 R3 R%u", 0, 0, 0},
	{"1 R%u FFMA.FTZ 3 R1 R2 R%u", 0, 0, 0},
	{"1 R%u MUFU.RSQ 1 R%u", 0, 0, 0},
	{"2 R%u R9 IMAD.WIDE.U32 3 R2 R255 R%u", 0, 0, 0},
	{"4 R%u R5 R6 R7 HMMA.16816.F32 6 R8 R9 R10 R11 R12 R%u", 0, 0, 0},
	{"1 R%u LDG.E.SYS 1 R%u", 4, 0x7f0000000000, COUNT(loads)},
	{"1 R%u LDG.E.64.SYS 1 R%u", 8, 0x7f0000000000, COUNT(loads)},
	{"0 STG.E.128.SYS 2 R%u R%u", 16, 0x7f0000100000, COUNT(stores)},
	{"1 R%u LDS.U.64 1 R%u", 8, 0, COUNT(shared)},
	{"0 STS 2 R%u R%u", 4, 0x7f1000000000, COUNT(shared)},
	{"1 R%u ATOMS.ADD 2 R2 R%u", 4, 0, COUNT(shared)},
	{"1 R%u LDL 1 R%u", 4, 64, COUNT(local)},
	{"1 R%u LD.E 1 R%u", 4, 0x7f2000000000, COUNT(local)},
	{"0 RED.E.ADD.STRONG.GPU 2 R%u R%u", 4, 0x7f0000200000, COUNT(atomics)},
	{"0 BRA 2 R%u R%u", 0, 0, COUNT(branches)},
	{"0 MEMBAR.SC.GPU 2 R%u R%u", 0, 0, 0},
};

/* An instruction at any pc: branches have any target. */
static void write_instruction(struct random *random)
{
	uint32_t at = below(random, sizeof rows / sizeof *rows);
	const struct row *row = &rows[at];
	uint32_t lanes = some_lanes(random);
	fprintf(random->file, "%04x %08x ", (at * 3 + below(random, 3)) * 16, lanes);
	fprintf(random->file, row->text, 20 + below(random, 8), 20 + below(random, 8));
	fprintf(random->file, " %u", row->size);
	if (row->size)
		write_addresses(random, lanes, row->base, 4096, row->size);
	fputc('\n', random->file);
	random->written.warp_instructions++;
	random->written.thread_instructions += (uint32_t)__builtin_popcount(lanes);
	bool counts = row->counter && (lanes || !row->size);
	*(uint64_t *)((char *)&random->written + row->counter) += counts;
}

static void write_fixed(struct random *random, const char *text, uint32_t pc)
{
	fprintf(random->file, "%04x %08x %s\n", pc * 16, random->lanes, text);
	random->written.warp_instructions++;
	random->written.thread_instructions += (uint32_t)__builtin_popcount(random->lanes);
}

/* All warps of a block arrive at the same number of barriers. */
static void write_warp(struct random *random, struct trace_kit *kit, uint32_t warp, uint32_t parts, uint32_t length)
{
	kit_warp(kit, warp, parts * (length + 1) + 1);
	for (uint32_t part = 0; part < parts; part++) {
		for (uint32_t i = 0; i < length; i++)
			write_instruction(random);
		write_fixed(random, "0 BAR.SYNC 0 0", 100);
		random->written.barriers++;
	}
	write_fixed(random, "0 EXIT 0 0", 101);
}

static void write_trace(struct random *random, struct trace_kit *kit)
{
	uint32_t blocks = 1 + below(random, 5), threads = 1 + below(random, 200);
	random->file = kit->file;
	kit_header(kit, 80, blocks, threads);
	for (uint32_t b = blocks; b--;) {
		uint32_t parts = below(random, 4), length = below(random, 30);
		kit_block(kit, b);
		for (uint32_t w = 0; w * WARP < threads; w++) {
			uint32_t left = threads - w * WARP;
			random->lanes = left >= WARP ? UINT32_MAX : (1u << left) - 1;
			write_warp(random, kit, w, parts, length);
		}
		kit_end_block(kit);
	}
}

static void check(const struct written *written, const struct record *record)
{
	const struct sm_stats *sm = &record->stats.sm;
	assert_int_equal(sm->warp_instructions, written->warp_instructions);
	assert_int_equal(sm->thread_instructions, written->thread_instructions);
	assert_int_equal(sm->global_loads, written->loads);
	assert_int_equal(sm->global_stores, written->stores);
	assert_int_equal(sm->shared_accesses, written->shared);
	assert_int_equal(sm->local_accesses, written->local);
	assert_int_equal(sm->atomics, written->atomics);
	assert_int_equal(sm->barriers, written->barriers);
	assert_int_equal(sm->branches, written->branches);
}

static void test_random(void **state)
{
	static const char *const machines[] = {"gtx480", "gtx480-v4", "qv100", "rtx3070"};
	(void)state;
	for (uint32_t round = 0; round < ROUNDS; round++) {
		struct trace_kit kit;
		struct random random = {.state = round + 1};
		kit_open(&kit);
		write_trace(&random, &kit);
		const char *machine = machines[round % 4];
		struct record one =
			kit_run(&kit, &(struct sluice_settings){SLUICE_SIZED(settings), .machine = machine});
		struct record two = kit_run(
			&kit, &(struct sluice_settings){SLUICE_SIZED(settings), .machine = machine, .threads = 2});
		check(&random.written, &one);
		assert_int_equal(one.cycles, two.cycles);
		assert_memory_equal(&one.stats, &two.stats, sizeof one.stats);
		struct record plain = kit_run(&kit, &(struct sluice_settings){SLUICE_SIZED(settings),
		                                                              .machine = machine, .functional = true});
		assert_int_equal(plain.stats.sm.thread_instructions, random.written.thread_instructions);
		kit_close(&kit);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
