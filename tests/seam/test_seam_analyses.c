/* Protects the program analyses that a mechanism can request. They are available at the kernel's begin and in no other
 * hook, and are empty where no analysis exists. */
#include "gate_kit.h"

enum { ROWS = 2 };

static const struct mech_staging_inst staging_rows[ROWS] = {{.pc = 1, .loads = 1, .own = true}, {.pc = 2, .stores = 1}};
static const struct mech_load load_rows[ROWS] = {{.pc = 1, .line = 7}, {.pc = 3, .indirect = true}};

static struct {
	const struct mech_staging_inst *staging;
	const struct mech_load *load;
	uint32_t stagings, loads, kernels, asked;
} told;

static void ask(struct mech_gpu *gpu)
{
	told.kernels++;
	told.staging = mech_staging_code(gpu, &told.stagings);
	told.load = mech_loads(gpu, &told.loads);
}

static const struct mech asks = {.version = MECH_VERSION, .name = "asks", .gpu_kernel_begin = ask};
static const struct mech *const only_asks[] = {&asks, NULL};

static const struct mech_staging_inst *give_staging(void *user, uint32_t *count)
{
	assert_ptr_equal(user, &told);
	told.asked++;
	*count = ROWS;
	return staging_rows;
}

static const struct mech_load *give_loads(void *user, uint32_t *count)
{
	assert_ptr_equal(user, &told);
	*count = ROWS;
	return load_rows;
}

static void run_asks(struct gpu_kit *kit, const struct seam_analyses *analyses)
{
	kit->run.analyses = *analyses;
	kit_run(kit, 1, WARP);
}

static void test_asked(void **state)
{
	struct gpu_kit kit;
	(void)state;
	kit_mechanisms = only_asks;
	KIT_OPEN(&kit, "sm.count=1");
	kit_mechanisms = NULL;
	kit.param = kit_buffer(&kit, NULL, WARP);
	kit_load(&kit, who);
	run_asks(&kit, &(struct seam_analyses){.user = &told, .staging = give_staging, .loads = give_loads});
	assert_ptr_equal(told.staging, staging_rows);
	assert_ptr_equal(told.load, load_rows);
	assert_int_equal(told.stagings, ROWS);
	assert_int_equal(told.loads, ROWS);
	run_asks(&kit, &(struct seam_analyses){0});
	assert_null(told.staging);
	assert_null(told.load);
	assert_int_equal(told.stagings + told.loads, 0);
	assert_int_equal(told.kernels, 2);
	assert_int_equal(told.asked, 1); /* when a mechanism requests them, and then once */
	kit_close(&kit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_asked)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
