/* Protects the grouping of similar launches: same kernel and shape, with per-instruction counts that differ by less
 * than a tenth. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sampling/sampling.h"
#include "simt/program.h"

enum { INSTRUCTIONS = 4 };

static const struct ptx_function kernels[] = {{.name = "k"}, {.name = "other"}};
static const struct simt_program programs[] = {{.kernel = &kernels[0], .count = INSTRUCTIONS},
                                               {.kernel = &kernels[1], .count = INSTRUCTIONS}};
static const struct simt_launch plain = {.program = &programs[0], .grid = {8, 1, 1}, .block = {64, 1, 1}};

static uint32_t group_of(struct sampling *sampling, const struct simt_launch *launch, const uint64_t *steps)
{
	bool first;
	return sampling_find(sampling, launch, steps, &first)->number;
}

/* A new group begins when the difference reaches a tenth of the larger sum. */
static void a_tenth_divides(void **state)
{
	(void)state;
	struct sampling sampling = {0};
	const uint64_t base[INSTRUCTIONS] = {1000, 0, 0, 0}, near[INSTRUCTIONS] = {1000, 111, 0, 0};
	const uint64_t far[INSTRUCTIONS] = {1000, 112, 0, 0}, moved[INSTRUCTIONS] = {960, 40, 0, 0};
	const uint64_t gone[INSTRUCTIONS] = {940, 60, 0, 0};
	assert_int_equal(group_of(&sampling, &plain, base), 1);
	assert_int_equal(group_of(&sampling, &plain, near), 1);
	assert_int_equal(group_of(&sampling, &plain, moved), 1);
	assert_int_equal(group_of(&sampling, &plain, far), 2);
	assert_int_equal(group_of(&sampling, &plain, near), 2); /* the nearest group is chosen */
	assert_int_equal(group_of(&sampling, &plain, gone), 3);
	sampling_close(&sampling);
}

/* Launches that executed nothing are similar to each other. */
static void nothing_is_like_nothing(void **state)
{
	(void)state;
	struct sampling sampling = {0};
	const uint64_t none[INSTRUCTIONS] = {0}, some[INSTRUCTIONS] = {1, 0, 0, 0};
	assert_int_equal(group_of(&sampling, &plain, none), 1);
	assert_int_equal(group_of(&sampling, &plain, none), 1);
	assert_int_equal(group_of(&sampling, &plain, some), 2);
	sampling_close(&sampling);
}

/* Each part of a launch's shape distinguishes kinds of launches. The first launch of each kind is reported. */
static void shapes_are_kinds(void **state)
{
	(void)state;
	struct sampling sampling = {0};
	const uint64_t steps[INSTRUCTIONS] = {10, 10, 10, 10};
	struct simt_launch launches[5] = {plain, plain, plain, plain, plain};
	launches[1].program = &programs[1];
	launches[2].grid.y = 2;
	launches[3].block.z = 2;
	launches[4].dynamic_shared_bytes = 4;
	for (unsigned turn = 0; turn < 2; turn++)
		for (uint32_t i = 0; i < 5; i++) {
			bool first;
			assert_int_equal(sampling_find(&sampling, &launches[i], steps, &first)->number, i + 1);
			assert_int_equal(first, turn == 0);
		}
	assert_int_equal(sampling.kinds, 5);
	sampling_close(&sampling);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_tenth_divides), cmocka_unit_test(nothing_is_like_nothing),
	                                   cmocka_unit_test(shapes_are_kinds)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
