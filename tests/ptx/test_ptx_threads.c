/* Protects a kernel's limits of its block shape (ptx/threads.c): .maxntid limits the product of the dimensions,
 * .reqntid each dimension. Launches are refused by these limits, and passes rely on them. */
#include "ptx/module.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct ptx_function kernel_of(const uint32_t most[3], const uint32_t required[3])
{
	struct ptx_function kernel = {0};
	for (unsigned d = 0; d < 3; d++) {
		kernel.max_threads[d] = most[d];
		kernel.required_threads[d] = required[d];
	}
	return kernel;
}

static bool allows(const struct ptx_function *kernel, uint32_t x, uint32_t y, uint32_t z)
{
	return ptx_allows_block(kernel, (const uint32_t[3]){x, y, z});
}

static void nothing_said(void **state)
{
	const struct ptx_function kernel = {0};
	(void)state;
	assert_int_equal(ptx_most_block_threads(&kernel), 0);
	assert_true(allows(&kernel, 1, 1, 1) && allows(&kernel, 1024, 1024, 64));
}

static void the_product_binds(void **state)
{
	const struct ptx_function kernel = kernel_of((const uint32_t[3]){16, 8, 2}, (const uint32_t[3]){0});
	(void)state;
	assert_int_equal(ptx_most_block_threads(&kernel), 256);
	for (uint32_t d = 0; d < 3; d++)
		assert_int_equal(ptx_most_threads(&kernel, d), 256);
	assert_true(allows(&kernel, 256, 1, 1) && allows(&kernel, 1, 1, 256) && allows(&kernel, 4, 8, 8));
	assert_false(allows(&kernel, 257, 1, 1) || allows(&kernel, 16, 8, 3) || allows(&kernel, 1, 129, 2));
}

/* A product beyond 64 bits saturates. */
static void large_products(void **state)
{
	const uint32_t all = UINT32_MAX;
	const struct ptx_function kernel = kernel_of((const uint32_t[3]){all, all, all}, (const uint32_t[3]){0});
	const struct ptx_function small = kernel_of((const uint32_t[3]){1024, 1, 1}, (const uint32_t[3]){0});
	(void)state;
	assert_true(ptx_most_block_threads(&kernel) == UINT64_MAX);
	assert_true(allows(&kernel, 1024, 1, 1));
	assert_false(allows(&small, 1u << 31, 1u << 31, 4)); /* 2^64 threads */
}

static void each_dimension_binds(void **state)
{
	const struct ptx_function kernel = kernel_of((const uint32_t[3]){0}, (const uint32_t[3]){16, 8, 2});
	const struct ptx_function both = kernel_of((const uint32_t[3]){512, 1, 1}, (const uint32_t[3]){16, 8, 2});
	const struct ptx_function never = kernel_of((const uint32_t[3]){128, 1, 1}, (const uint32_t[3]){16, 8, 2});
	(void)state;
	assert_int_equal(ptx_most_block_threads(&kernel), 256);
	assert_int_equal(ptx_most_block_threads(&both), 256);
	assert_int_equal(ptx_most_threads(&kernel, 0), 16);
	assert_int_equal(ptx_most_threads(&kernel, 1), 8);
	assert_int_equal(ptx_most_threads(&both, 2), 2);
	assert_true(allows(&kernel, 16, 8, 2) && allows(&both, 16, 8, 2));
	assert_false(allows(&never, 16, 8, 2));
	assert_false(allows(&kernel, 8, 16, 2) || allows(&kernel, 16, 7, 2) || allows(&kernel, 16, 8, 1) ||
	             allows(&kernel, 15, 8, 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_said), cmocka_unit_test(the_product_binds),
	                                   cmocka_unit_test(large_products), cmocka_unit_test(each_dimension_binds)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
