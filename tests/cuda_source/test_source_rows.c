/* Protects the rows of an array that an index covers in a launch. */
#include "source_kit.h"

/* Values of n and width, and the template arguments of `generic`. */
static bool argument(void *context, const char *name, int64_t *value)
{
	const int64_t *n = context;
	*value = strcmp(name, "sizeof(T)") == 0 ? 8 : strcmp(name, "WIDTH") == 0 ? 32 : *n;
	return strcmp(name, "unknown") != 0;
}

static uint32_t rows_of(const char *name, uint32_t index, struct source_launch launch, int64_t n,
                        struct source_row *rows, uint32_t capacity)
{
	const struct source_kernel *kernel = find(reads, name);
	uint32_t count;
	launch.argument = argument;
	launch.context = &n;
	assert_true(source_rows(kernel, &kernel->indexes[index], &launch, rows, capacity, &count));
	return count;
}

static void a_tile_is_a_row_for_each_line_of_threads(void **state)
{
	(void)state;
	struct source_launch launch = {.grid = {4, 4, 1}, .block = {16, 8, 1}, .gap = 127};
	struct source_row rows[64];
	assert_int_equal(rows_of("tile", 0, launch, 1000, rows, 64), 8);
	for (int y = 0; y < 8; y++) {
		assert_int_equal(rows[y].least, 4000 * y);
		assert_int_equal(rows[y].most, 4000 * y + 64);
		assert_int_equal(rows[y].stride[0], 64);
		assert_int_equal(rows[y].stride[1], 8 * 4000);
		assert_int_equal(rows[y].stride[2], 0);
	}
	/* rows as wide as the tile adjoin: a cache line that both touch is read in any case */
	assert_int_equal(rows_of("tile", 0, launch, 16, rows, 64), 1);
	assert_int_equal(rows[0].most, 16 * 8 * 4);
	assert_int_equal(rows_of("tile", 0, launch, 47, rows, 64), 1);
	assert_int_equal(rows_of("tile", 0, launch, 48, rows, 64), 8);
	/* the row above; a column; a column downwards */
	assert_int_equal(rows_of("tile", 1, launch, 1000, rows, 64), 8);
	assert_int_equal(rows[0].least, -4000);
	assert_int_equal(rows_of("tile", 2, launch, 1000, rows, 64), 16);
	assert_int_equal(rows[15].least, 15 * 4000);
	assert_int_equal(rows[15].most, 15 * 4000 + 4);
	assert_int_equal(rows_of("tile", 3, launch, 1000, rows, 64), 1);
	assert_int_equal(rows[0].least, -15 * 4);
	assert_int_equal(rows[0].most, 4);
	assert_int_equal(rows[0].stride[0], -64);
	/* threads three elements apart, and a loop over the elements between them */
	assert_int_equal(rows_of("tile", 4, launch, 1000, rows, 64), 1);
	assert_int_equal(rows[0].most, 16 * 3 * 4);
	/* rows beyond the array's capacity are counted but not stored */
	assert_int_equal(rows_of("tile", 2, launch, 1000, rows, 2), 16);
}

static void rows_of_loops_cover_their_range(void **state)
{
	(void)state;
	struct source_launch launch = {.grid = {4, 1, 1}, .block = {32, 1, 1}, .gap = 127};
	struct source_row rows[64];
	assert_int_equal(rows_of("loops", 0, launch, 10, rows, 64), 1); /* t + i */
	assert_int_equal(rows[0].least, 0);
	assert_int_equal(rows[0].most, (31 + 9 + 1) * 4);
	assert_int_equal(rows_of("loops", 1, launch, 300, rows, 64), 3); /* consecutive rows are 128 elements apart */
	assert_int_equal(rows[2].least, 2 * 128 * 4);
	assert_int_equal(rows[2].most, (2 * 128 + 32) * 4);
	assert_int_equal(rows_of("loops", 1, launch, 257, rows, 64), 3);
	assert_int_equal(rows_of("loops", 1, launch, 256, rows, 64), 2);
	assert_int_equal(rows_of("loops", 2, launch, 10, rows, 64), 1); /* n - 1 down to 0 */
	assert_int_equal(rows[0].least, 0);
	assert_int_equal(rows[0].most, 40);
	assert_int_equal(rows_of("loops", 3, launch, 10, rows, 64), 1); /* n down to 0, with the condition last */
	assert_int_equal(rows[0].least, 0);
	assert_int_equal(rows[0].most, 44);
	assert_int_equal(rows_of("loops", 4, launch, 1000, rows, 64), 4); /* a pointer advanced by n */
	assert_int_equal(rows[3].least, 3 * 4000);
	assert_int_equal(rows_of("loops", 8, launch, 10, rows, 64), 1); /* the inner bound is the outer variable */
	assert_int_equal(rows[0].most, (3 * 8 + 3 + 1) * 4);
	assert_int_equal(rows_of("loops", 0, launch, 0, rows, 64), 0); /* no iterations */
	assert_int_equal(rows_of("generic", 0, launch, 0, rows, 64), 1);
	assert_int_equal(rows[0].least, 32 * 8);
	assert_int_equal(rows[0].most, 64 * 8);
}

static void what_has_no_rows(void **state)
{
	(void)state;
	struct source_launch launch = {.grid = {4, 1, 1}, .block = {32, 1, 1}, .gap = 127};
	const struct source_kernel *statuses = find(reads, "statuses"), *loops = find(reads, "loops");
	struct source_row row;
	uint32_t count;
	assert_false(source_rows(statuses, &statuses->indexes[4], &launch, &row, 1, &count));  /* indirect */
	assert_false(source_rows(statuses, &statuses->indexes[21], &launch, &row, 1, &count)); /* of degree two */
	assert_false(source_rows(loops, &loops->indexes[0], &launch, &row, 1, &count));        /* n is unknown */
	assert_true(source_rows(statuses, &statuses->indexes[0], &launch, &row, 1, &count));
}

/* Argument values by name: n = 3, s = 5; u from the context. */
static bool argument_of_wraps(void *context, const char *name, int64_t *value)
{
	*value = *name == 'u' ? *(int64_t *)context : *name == 's' ? 5 : 3;
	return true;
}

/* Where an integer wraps around, its polynomial is wrong: there are no rows. */
static void what_wraps_around_has_no_rows(void **state)
{
	(void)state;
	static const struct {
		uint32_t index;
		int64_t u;
		int64_t least, most; /* in elements; both 0: no rows */
	} expected[] = {
		/* as a 64-bit index, t - 5u is 2^32 - 5 in thread 0 */
		{0, 8, 0, 0},
		{1, 8, -5, 27}, /* as an int it is -5 */
		/* adding 5 before the widening gives t again */
		{2, 8, 0, 32},
		{3, 8, 0, 0}, /* adding 5 after it does not */
		{4, 8, -1, 31},
		{5, 8, 0, 0},
		{5, 0, 0, 32},
		{6, 8, 0, 1},
		{7, 8, 0, 94},
		{8, 12, 0, 3}, /* below 12 - 9 */
		{8, 8, 0, 0},  /* below 2^32 - 1 */
		{9, 8, 5, 8},
		{9, 3, 0, 0}, /* from 5 up to 3: wraps around */
		{10, 8, 0, 5},
		{10, 6, 0, 0}, /* in steps of 4: never 6 */
		{11, 12, 0, 3},
		{12, 8, 0, 8},
	};
	const struct source_kernel *kernel = find(traps, "wraps");
	assert_int_equal(kernel->index_count, 13);
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		struct source_launch launch = {.grid = {1, 1, 1},
		                               .block = {32, 1, 1},
		                               .gap = 127,
		                               .argument = argument_of_wraps,
		                               .context = (void *)&expected[i].u};
		struct source_row row = {0};
		uint32_t count;
		bool known = source_rows(kernel, &kernel->indexes[expected[i].index], &launch, &row, 1, &count);
		if (known != (expected[i].most != expected[i].least) || row.least != 4 * expected[i].least ||
		    row.most != 4 * expected[i].most)
			fail_msg("line %zu of the table: bytes [%lld, %lld)", i, (long long)row.least,
			         (long long)row.most);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tile_is_a_row_for_each_line_of_threads),
		cmocka_unit_test(rows_of_loops_cover_their_range),
		cmocka_unit_test(what_has_no_rows),
		cmocka_unit_test(what_wraps_around_has_no_rows),
	};
	return cmocka_run_group_tests(tests, read_files, free_files);
}
