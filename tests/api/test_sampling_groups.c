/* Protects which launches are alike: less than a tenth of what they run differs, and all of their shape is equal, dynamic shared memory too. */
#include "api/sampling.h"

#include "ptx/module.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { INSTRUCTIONS = 2 };

static const struct ptx_function kernel = {.name = "k"};
static const struct simt_program program = {.kernel = &kernel, .count = INSTRUCTIONS};

static struct simt_launch shape(void)
{
	return (struct simt_launch){.program = &program, .grid = {8, 1, 1}, .block = {64, 1, 1}};
}

/* The number of the group that a launch with these counts comes to. */
static uint32_t group_of(struct sampling *sampling, const struct simt_launch *launch, uint64_t first, uint64_t second)
{
	const uint64_t steps[INSTRUCTIONS] = {first, second};
	bool is_first;
	return sampling_find(sampling, launch, steps, &is_first)->number;
}

static void test_like(void **state)
{
	struct sampling sampling = {0};
	const struct simt_launch launch = shape();
	(void)state;
	assert_int_equal(group_of(&sampling, &launch, 600, 400), 1);
	assert_int_equal(group_of(&sampling, &launch, 600, 499), 1);  /* 99 of 1,099 */
	assert_int_equal(group_of(&sampling, &launch, 600, 301), 1);  /* 99 of 1,000 */
	assert_int_equal(group_of(&sampling, &launch, 600, 300), 2);  /* 100 of 1,000: not less than a tenth */
	assert_int_equal(group_of(&sampling, &launch, 1000, 400), 3); /* 400 of 1,400 */
	assert_int_equal(group_of(&sampling, &launch, 750, 400),
	                 4); /* 150 of 1,150 from the first, 250 of 1,400 from the third */
	assert_int_equal(group_of(&sampling, &launch, 745, 400), 4); /* the nearest */
	sampling_close(&sampling);
}

static void test_shapes(void **state)
{
	struct sampling sampling = {0};
	(void)state;
	const struct simt_launch plain = shape();
	struct simt_launch other[5] = {shape(), shape(), shape(), shape(), shape()};
	const struct ptx_function other_kernel = {.name = "other"};
	const struct simt_program other_program = {.kernel = &other_kernel, .count = INSTRUCTIONS};
	other[0].dynamic_shared_bytes = 1024;
	other[1].dynamic_shared_bytes = 2048;
	other[2].grid.y = 2;
	other[3].block.x = 32;
	other[4].program = &other_program;
	assert_int_equal(group_of(&sampling, &plain, 10, 10), 1);
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(group_of(&sampling, &other[i], 10, 10), i + 2);
	assert_int_equal(group_of(&sampling, &other[0], 10, 10), 2);
	sampling_close(&sampling);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_like),
		cmocka_unit_test(test_shapes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
