/* threads: limits of a kernel's block size. .maxntid limits only the product of the dimensions; .reqntid fixes each
 * dimension (PTX ISA, "Performance-Tuning Directives"). */
#include "ptx/module.h"

static uint64_t product(const uint32_t threads[3])
{
	uint64_t all;
	if (__builtin_mul_overflow((uint64_t)threads[0] * threads[1], threads[2], &all))
		return UINT64_MAX;
	return all;
}

uint64_t ptx_most_block_threads(const struct ptx_function *kernel)
{
	return product(kernel->required_threads[0] ? kernel->required_threads : kernel->max_threads);
}

uint64_t ptx_most_threads(const struct ptx_function *kernel, uint32_t dimension)
{
	return kernel->required_threads[0] ? kernel->required_threads[dimension] : product(kernel->max_threads);
}

bool ptx_allows_block(const struct ptx_function *kernel, const uint32_t block[3])
{
	const uint32_t *required = kernel->required_threads;
	if (required[0] && (block[0] != required[0] || block[1] != required[1] || block[2] != required[2]))
		return false;
	return !kernel->max_threads[0] || product(block) <= product(kernel->max_threads);
}
