/* Protects the time of matrix products. Each class of shapes has the latency and the initiation interval that the
 * machine gives it (docs/explanation/timing-model.md).
 * The closed forms are those of test_sm.c. A link of a chain costs latency + operands + 5 cycles. A full pipe of one
 * unit takes a warp instruction every interval. */
#include "gpu_kit.h"

enum { WARP = 32, ALL_WARPS = 1024, LINKS = 10 };

#define ONE_SM  "sm.count=1", "l1i.sets=64", "l1i.ways=8"
#define FOUR(r) "{" r "1, " r "2, " r "3, " r "4}"
#define A_FOUR  "{%r11, %r12, %r13, %r14}"
#define B_TWO   "{%r15, %r16}"
#define A_TWO   "{%r11, %r12}"

static const struct {
	const char *line, *row; /* the machine's latency and initiation */
	uint32_t operands;      /* registers of A, B and C; D is C */
} product[] = {
	{"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd1, %fd2}, {%fd3}, {%fd4}, {%fd1, %fd2};", "mma_256.fp64",
         4},
	{"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 " FOUR("%f") ", " A_TWO ", {%r15}, " FOUR("%f") ";",
         "mma_512.fp32", 7},
	{"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 " FOUR("%f") ", " A_TWO ", {%r15}, " FOUR("%f") ";",
         "mma_1k.fp32", 7},
	{"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r1, %r2}, {%r11}, {%r12}, {%r1, %r2};", "mma_1k.int", 4},
	{"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 " FOUR("%f") ", " A_FOUR ", " B_TWO ", " FOUR("%f") ";",
         "mma_2k.fp32", 10},
	{"mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 " FOUR("%r") ", " A_FOUR ", " B_TWO ", " FOUR("%r") ";",
         "mma_4k.int", 10},
	{"mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 " FOUR("%r") ", " A_FOUR ", " B_TWO ", " FOUR("%r") ";",
         "mma_8k.int", 10},
	{"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc " FOUR("%r") ", " A_FOUR ", " B_TWO
                                                                                 ", " FOUR("%r") ";",
         "mma_1k.int", 10},
};
enum { PRODUCTS = sizeof product / sizeof *product };

static uint32_t option_value(const struct gpu_kit *kit, const char *table, const char *row)
{
	char name[64];
	snprintf(name, sizeof name, "%s.%s", table, row);
	const struct base_option *option = base_option_find(machine_options, machine_option_count, name);
	assert_non_null(option);
	return *(const uint32_t *)((const char *)&kit->machine + option->offset);
}

/* A chain through C, with the machine's latency and with another one. */
static void test_latency(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 2 * PRODUCTS; i++) {
		struct gpu_kit kit;
		char other[64];
		snprintf(other, sizeof other, "latency.%s=300", product[i / 2].row);
		KIT_OPEN(&kit, ONE_SM, i % 2 ? other : "sm.count=1");
		uint64_t want = option_value(&kit, "latency", product[i / 2].row) + product[i / 2].operands + 5;
		assert_true(i % 2 == 0 || want == 305 + product[i / 2].operands);
		uint64_t got = kit_cost(&kit, "", product[i / 2].line, LINKS, WARP);
		if (got != LINKS * want)
			fail_msg("%u links of %s cost %llu cycles, not %llu", LINKS, product[i / 2].line,
			         (unsigned long long)got, (unsigned long long)(LINKS * want));
		kit_close(&kit);
	}
}

/* 32 warps and one unit: never faster than one instruction per interval, and at most a sixteenth slower. An explicit
 * interval below the latency is a bound, too. */
static void test_interval(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 2 * PRODUCTS; i++) {
		struct gpu_kit kit;
		char other[64];
		snprintf(other, sizeof other, "initiation.%s=20", product[i / 2].row);
		KIT_OPEN(&kit, ONE_SM, "sm.sp.units=1", "sm.warp_order=lrr", i % 2 ? other : "sm.count=1");
		uint32_t interval = option_value(&kit, "initiation", product[i / 2].row);
		assert_true(i % 2 == 0 || interval == 20);
		uint64_t least = (uint64_t)LINKS * (ALL_WARPS / WARP) * interval;
		uint64_t got = kit_cost(&kit, "", product[i / 2].line, LINKS, ALL_WARPS);
		uint64_t reads =
			/* the collectors may be the bound */
			(uint64_t)LINKS * (ALL_WARPS / WARP) * product[i / 2].operands;
		uint64_t most = (least > reads ? least : reads) * 17 / 16;
		if (got < least || got > most)
			fail_msg("%s: %llu cycles, not %llu to %llu", product[i / 2].line, (unsigned long long)got,
			         (unsigned long long)least, (unsigned long long)most);
		kit_close(&kit);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_latency), cmocka_unit_test(test_interval)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
