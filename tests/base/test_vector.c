/* Protects vectors of counters: the bin of a value, the combination of vectors, and the names of elements. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct base_counter_vector powers = {.name = "p", .kind = BASE_VECTOR_POWERS, .length = 5};
static const struct base_counter_vector linear = {.name = "l", .kind = BASE_VECTOR_LINEAR, .length = 4, .bin = 10};
static const struct base_counter_vector largest = {.name = "m", .combination = BASE_COMBINE_LARGEST, .length = 2};
static const struct base_counter_vector named = {.name = "n"};

/* A value is in the bin that begins at or below it, and below the next bin. The last bin is unbounded. */
static void test_bins(void **state)
{
	static const struct base_counter_vector *const rows[] = {&powers, &linear};
	(void)state;
	for (size_t r = 0; r < 2; r++)
		for (uint64_t value = 0; value < 100; value++) {
			uint32_t bin = vector_bin(rows[r], rows[r]->length, value);
			assert_true(vector_bin_from(rows[r], bin) <= value);
			assert_true(bin == rows[r]->length - 1 || value < vector_bin_from(rows[r], bin + 1));
		}
	assert_int_equal(vector_bin(&powers, 5, UINT64_MAX), 4);
	assert_int_equal(vector_bin(&powers, 65, UINT64_MAX), 64);
	assert_int_equal(vector_bin_from(&powers, 64), 1ull << 63);
}

static void expect_label(const struct base_counter_vector *row, uint32_t index, const char *expected)
{
	char label[VECTOR_LABEL];
	const struct vector vector = {.length = row->length};
	vector_label(row, &vector, index, label);
	assert_string_equal(label, expected);
}

static void test_labels(void **state)
{
	static const char *const words[] = {"read", "write", NULL};
	static const struct base_counter_vector labeled = {.name = "k", .length = 2, .labels = words};
	(void)state;
	expect_label(&powers, 0, "0");
	expect_label(&powers, 2, "2 to 3");
	expect_label(&powers, 4, "8 and more");
	expect_label(&linear, 1, "10 to 19");
	expect_label(&linear, 3, "30 and more");
	expect_label(&labeled, 1, "write");
	expect_label(&largest, 1, "1");
}

static void test_add_by_index(void **state)
{
	uint64_t one[] = {3, 8}, other[] = {5, 2};
	const struct vector a = {2, one, 0, NULL}, b = {2, other, 0, NULL};
	struct vector sum = {0};
	(void)state;
	vector_add(&largest, &sum, &a);
	vector_add(&largest, &sum, &b);
	assert_int_equal(sum.value[0], 5);
	assert_int_equal(sum.value[1], 8);
	assert_int_equal(vector_total(&sum), 13);
	assert_true(vector_mean(&largest, &sum) == 6.5);
	vector_free(&sum);
}

/* An element that has another index in another launch is added by its name. */
static void test_add_by_name(void **state)
{
	uint64_t one[] = {3, 8}, other[] = {5, 2};
	char *ab[] = {"a", "b"}, *ca[] = {"c", "a"};
	const struct vector first = {2, one, 0, ab}, second = {2, other, 0, ca};
	struct vector sum = {0};
	(void)state;
	vector_add(&named, &sum, &first);
	vector_add(&named, &sum, &second);
	assert_int_equal(sum.length, 3);
	assert_string_equal(sum.label[2], "c");
	assert_int_equal(sum.value[0], 3 + 2);
	assert_int_equal(sum.value[1], 8);
	assert_int_equal(sum.value[2], 5);
	vector_free(&sum);
}

/* A histogram's mean is that of its values, not of its bins. */
static void test_mean(void **state)
{
	uint64_t bins[] = {1, 0, 3, 0, 0};
	const struct vector vector = {5, bins, 0 + 2 + 3 + 3, NULL}, empty = {0};
	(void)state;
	assert_true(vector_mean(&powers, &vector) == 2);
	assert_true(vector_mean(&powers, &empty) == 0);
	assert_true(vector_mean(&named, &empty) == 0);
}

/* Bins of one value are exact; the last is unbounded. */
static void test_median(void **state)
{
	const uint64_t from[] = {0, 1, 2, 4, 8};
	const uint64_t ones[] = {1, 3, 0, 0, 1}, wide[] = {1, 0, 0, 4, 1}, last[] = {1, 0, 0, 0, 3},
		       none[] = {0, 0, 0, 0, 0};
	(void)state;
	assert_true(vector_median(ones, from, 5) == 1);
	assert_true(vector_median(wide, from, 5) == 4 + 3 * 2.0 / 4);
	assert_true(vector_median(last, from, 5) == 8);
	assert_true(isnan(vector_median(none, from, 5)));
	assert_true(isnan(vector_median(NULL, NULL, 0)));
}

static int compare(const void *one, const void *other)
{
	uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
	return (a > b) - (a < b);
}

/* It lies in the bin of the lower of the two middle values, whatever the values are. */
static void test_median_is_in_its_bin(void **state)
{
	enum { BINS = 12, MOST = 40 };
	uint64_t from[BINS], value[MOST];
	(void)state;
	for (uint32_t i = 0; i < BINS; i++)
		from[i] = vector_bin_from(&powers, i);
	srand(1);
	for (int round = 0; round < 5000; round++) {
		uint64_t count[BINS] = {0};
		size_t values = 1 + (size_t)rand() % MOST;
		for (size_t i = 0; i < values; i++) {
			value[i] = (uint64_t)rand() >> (16 + rand() % 15);
			count[vector_bin(&powers, BINS, value[i])]++;
		}
		qsort(value, values, sizeof *value, compare);
		double median = vector_median(count, from, BINS);
		assert_int_equal(vector_bin(&powers, BINS, (uint64_t)median),
		                 vector_bin(&powers, BINS, value[(values - 1) / 2]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bins),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_add_by_index),
		cmocka_unit_test(test_add_by_name),
		cmocka_unit_test(test_mean),
		cmocka_unit_test(test_median),
		cmocka_unit_test(test_median_is_in_its_bin),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
