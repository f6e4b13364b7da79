/* Protects src/limits/: the bounds of findings are those of the derivations in rules.c, with and without counters by
 * SM; the machine comes back from its JSON; peaks follow from its keys. */
#include "limits/limits.h"

#include "base/config_file.h"
#include "output/record.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct machine load_machine(const char *name)
{
	struct machine machine = {0};
	struct diag diag = {0};
	char path[256];
	snprintf(path, sizeof path, SOURCE_DIR "/machines/%s.yaml", name);
	if (!config_file_read(path, machine_options, machine_option_count, &machine, &diag) ||
	    !machine_check(&machine, &diag))
		fail_msg("%s", diag.text);
	machine_derive(&machine);
	return machine;
}

/* 10 SMs, of which each has blocks for 80 of 100 cycles, and 20 conflict cycles. */
static struct limits_account made_up(void)
{
	struct limits_account account = {.machine = load_machine("gtx480"), .cycles = 100};
	struct sm_stats *sm = &account.stats.sm;
	account.machine.sms = 10;
	sm->active_cycles = 800;
	sm->resident_warp_cycles = 800 * 12;
	sm->warp_instructions = sm->stack_issued = 200;
	sm->thread_instructions = 200 * 32;
	sm->shared_accesses = 100;
	sm->shared_conflict_cycles = 230;
	sm->shared_wide_cycles = 30;
	sm->shared_busy = 330;
	account.stats.dram.cycles = 1000;
	return account;
}

static double gain_of(const struct limits *limits, const char *name)
{
	for (size_t i = 0; i < limits->rules; i++)
		if (strcmp(limits->rule[i].name, name) == 0)
			return limits->rule[i].gain;
	return 0;
}

#define assert_near(value, wanted) assert_true(fabs((value) - (wanted)) < 1e-9)

static void test_bounds(void **state)
{
	struct limits_account account = made_up();
	struct limits limits;
	(void)state;
	limits_of(&account, &limits);
	/* issue slots: 200 of 10 x 100 x 2; shared memory: 330 of 10 x 100, which is the busiest */
	assert_near(limits.use[LIMITS_ISSUE].used, 0.1);
	assert_int_equal(limits.busiest, LIMITS_SHARED);
	assert_near(gain_of(&limits, "latency"), 1 / 0.33);
	/* 12 of 48 warps: at most four times as fast, but shared memory allows less */
	assert_near(limits.occupancy.achieved, 0.25);
	assert_near(gain_of(&limits, "occupancy"), 1 / 0.33);
	assert_near(gain_of(&limits, "idle SMs"), 1 / 0.8);
	/* 800 - 200 cycles of SMs remain: the mean is 60 of 100 */
	assert_near(gain_of(&limits, "bank conflicts"), 1 / 0.6);
	assert_near(gain_of(&limits, "inactive lanes"), 0);
	assert_near(gain_of(&limits, "uncoalesced accesses"), 0);
	for (size_t i = 2; i < limits.rules; i++)
		assert_true(limits.rule[i].gain <= limits.rule[i - 1].gain);
}

/* The SM with all conflicts has 100 cycles of blocks, and 80 of these remain. */
static void test_bounds_by_unit(void **state)
{
	struct limits_account account = made_up();
	struct limits limits;
	(void)state;
	json_t *units = json_pack("{s:[i,i], s:[i,i], s:[i,i]}", "sm.active_cycles", 100, 60,
	                          "sm.shared_conflict_cycles", 20, 0, "sm.shared_wide_cycles", 0, 0);
	account.units = units;
	limits_of(&account, &limits);
	assert_near(gain_of(&limits, "bank conflicts"), 1 / 0.8);
	json_decref(units);
}

static void test_work(void **state)
{
	struct limits_account account = made_up();
	struct limits limits;
	(void)state;
	/* Three quarters of the transactions vanish, and at most the same part of DRAM's 900 cycles. */
	account.stats.sm.transactions = 400;
	account.stats.sm.least_transactions = 100;
	account.stats.dram.data_cycles = 900;
	account.stats.sm.thread_instructions = 200 * 16;
	limits_of(&account, &limits);
	assert_near(gain_of(&limits, "throughput"), 1 / 0.9);
	assert_near(gain_of(&limits, "uncoalesced accesses"), 1 / 0.33); /* shared memory remains */
	assert_near(gain_of(&limits, "inactive lanes"), 1 / 0.9);        /* DRAM remains */
	account.is_sum = true;
	limits_of(&account, &limits);
	assert_int_equal(limits.rules, 0);
}

static void test_peaks(void **state)
{
	struct limits_account account = made_up();
	struct limits limits;
	(void)state;
	account.machine.sms = 15;
	limits_of(&account, &limits);
	/* NVIDIA's numbers for a GTX 480: 1345 GFLOP/s and 177.4 GB/s */
	assert_near(limits.roofline.compute[0].peak, 15 * 32 * 2 * 2 * 700e6);
	assert_near(limits.roofline.memory[LIMITS_LEVEL_DRAM].peak, 384 / 8 * 4 * 924e6);
	assert_near(limits.roofline.memory[LIMITS_LEVEL_L1].peak, 15 * 128 * 700e6);
	assert_near(limits.roofline.seconds, 100 / 700e6);
}

static void test_machine(void **state)
{
	static const char *const names[] = {"gtx480", "qv100", "rtx3070", "hopper-like"};
	char message[LIMITS_MESSAGE];
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct machine machine = load_machine(names[i]), read;
		json_t *configuration = records_configuration(&machine), *again;
		assert_true(limits_read_machine(configuration, &read, message));
		again = records_configuration(&read);
		assert_true(json_equal(configuration, again));
		json_decref(again);
		json_object_del(configuration, "sm.count");
		assert_false(limits_read_machine(configuration, &read, message));
		assert_non_null(strstr(message, "sm.count"));
		json_decref(configuration);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bounds), cmocka_unit_test(test_bounds_by_unit), cmocka_unit_test(test_work),
		cmocka_unit_test(test_peaks),  cmocka_unit_test(test_machine),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
