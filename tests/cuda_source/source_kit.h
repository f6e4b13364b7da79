/* source_kit: the analyzed files of tests/data/source, and a comparison of their indexes with expected ones. */
#ifndef SLUICE_TESTS_SOURCE_KIT_H
#define SLUICE_TESTS_SOURCE_KIT_H

#include "cuda_source/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct source_options options = {.toolkit = BUILD_DIR "/toolkit"};
static struct source_module *reads, *traps; /* from tests/data/source */

static inline struct source_module *read_file(const char *file)
{
	struct diag diag = {0};
	struct source_module *module = source_analyze(file, &options, &diag);
	if (diag.text)
		fputs(diag.text, stderr);
	diag_free(&diag);
	return module;
}

static inline int read_files(void **state)
{
	(void)state;
	reads = read_file(TEST_DATA "/source/reads.cu");
	traps = read_file(TEST_DATA "/source/traps.cu");
	return reads && traps ? 0 : -1;
}

static inline int free_files(void **state)
{
	(void)state;
	source_free(reads);
	source_free(traps);
	return 0;
}

static inline const struct source_kernel *find(const struct source_module *module, const char *name)
{
	for (uint32_t i = 0; i < module->kernel_count; i++)
		if (strcmp(module->kernels[i].name, name) == 0)
			return &module->kernels[i];
	fail_msg("no kernel %s", name);
	return NULL;
}

struct expected {
	const char *array, *text;
	enum source_status strict, relaxed;
	const char *expanded; /* NULL: absent */
};

static inline void check(const struct source_kernel *kernel, const struct expected *expected, uint32_t count)
{
	for (uint32_t i = 0; i < count && i < kernel->index_count; i++) {
		const struct source_index *index = &kernel->indexes[i];
		if (strcmp(index->text, expected[i].text) != 0)
			fail_msg("%s, read %u: '%s', expected '%s'", kernel->name, i, index->text, expected[i].text);
		assert_string_equal(kernel->arrays[index->array].name, expected[i].array);
		if (index->status != expected[i].strict || index->relaxed != expected[i].relaxed)
			fail_msg("%s, '%s' of line %u: %s, relaxed %s", kernel->name, index->text, index->line,
			         source_status_name(index->status), source_status_name(index->relaxed));
		if (!expected[i].expanded)
			assert_null(index->expanded);
		else
			assert_string_equal(index->expanded, expected[i].expanded);
	}
	assert_int_equal(kernel->index_count, count);
}

#define CHECK(name, list) check(find(reads, name), list, sizeof(list) / sizeof *(list))
#define TRAPS(name, list) check(find(traps, name), list, sizeof(list) / sizeof *(list))
#define QUASI             SOURCE_QUASI_STATIC, SOURCE_QUASI_STATIC
#define STATIC            SOURCE_STATIC, SOURCE_STATIC
#define NOT(cause)        SOURCE_##cause, SOURCE_##cause
#define RELAXED           SOURCE_INDUCTION, SOURCE_QUASI_STATIC
#define X                 "blockIdx.x*blockDim.x + threadIdx.x"

#endif
