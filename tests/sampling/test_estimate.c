/* Protects the estimates of sampling and their errors (docs/how-to/sampling.md). The formulas are compared with closed
 * forms and with a simple model that visits each member. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sampling/estimate.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 60, ROUNDS = 2000 };

static void near(double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-9 * (1 + fabs(expected))))
		fail_msg("%.12g, expected %.12g", value, expected);
}

static double number(double least, double most)
{
	return least + (most - least) * (double)rand() / RAND_MAX;
}

static void test_student(void **state)
{
	(void)state;
	assert_float_equal(estimate_student(1), 12.7062, 1e-4);
	assert_float_equal(estimate_student(4), 2.7764, 1e-4);
	assert_float_equal(estimate_student(9), 2.2622, 2e-3); /* between two rows of the table */
	assert_float_equal(estimate_student(40), 2.0211, 2e-3);
	assert_float_equal(estimate_student(0.5), 12.7062, 1e-4); /* at least one degree of freedom */
	assert_float_equal(estimate_student(1e12), 1.96, 1e-4);
	for (double freedom = 1; freedom < 100; freedom += 0.1)
		assert_true(estimate_student(freedom + 0.1) < estimate_student(freedom));
}

/* Two simulated members, two between them and one after them; expected values computed by hand. */
static void test_by_hand(void **state)
{
	(void)state;
	struct estimate_member member[] = {{.work = 10, .value = 20, .simulated = true},
	                                   {.work = 5},
	                                   {.work = 15},
	                                   {.work = 20, .value = 60, .simulated = true},
	                                   {.work = 7}};
	const struct estimate estimate = estimate_members(member, 5);
	near(estimate.value, 20 + 20 * 2.5 + 60 + 7 * 3);
	near(member[0].weight, 1 + 10.0 / 10);
	near(member[3].weight, 1 + 10.0 / 20 + 7.0 / 20);
	near(member[1].weight, 0);
	double error = 20 * 1.0 / 2 * sqrt(2.0 / 4) + 7 * 1.0;
	near(estimate.variance, error * error);
	near(estimate_error(&estimate), 12.7062 * error);
	assert_false(estimate.unknown);
}

static void test_nothing_left_out(void **state)
{
	(void)state;
	struct estimate_member member[] = {{.work = 1, .value = 5, .simulated = true},
	                                   {.work = 1, .value = 9, .simulated = true}};
	const struct estimate estimate = estimate_members(member, 2);
	near(estimate.value, 14);
	near(estimate_error(&estimate), 0);
	assert_false(estimate.unknown);
}

static void test_one_says_nothing_of_its_error(void **state)
{
	(void)state;
	struct estimate_member member[] = {{.work = 2, .value = 5, .simulated = true}, {.work = 4}};
	const struct estimate estimate = estimate_members(member, 2);
	near(estimate.value, 15);
	assert_true(estimate.unknown);
	assert_false(estimate_members(member, 1).unknown);
	const struct estimate_batch batch = {.work = 3, .cycles = 6};
	assert_true(estimate_rest(&batch, 1, 10).unknown);
	near(estimate_rest(&batch, 1, 10).value, 20);
	assert_false(estimate_rest(&batch, 1, 0).unknown);
}

static double rate_of(const struct estimate_member *member)
{
	return member->value / member->work;
}

/* The nearest simulated member on one side, or NULL. */
static const struct estimate_member *beside(const struct estimate_member *member, int count, int at, int step)
{
	for (at += step; at >= 0 && at < count; at += step)
		if (member[at].simulated)
			return &member[at];
	return NULL;
}

/* Estimates each member separately. */
static void plain_model(const struct estimate_member *member, int count, double *value, double *error)
{
	double squares_free = 0;
	*value = 0;
	for (int i = 0; i < count; i++) {
		const struct estimate_member *before = beside(member, count, i, -1),
					     *after = beside(member, count, i, 1);
		if (member[i].simulated)
			*value += member[i].value;
		else if (before && after)
			*value += member[i].work * (rate_of(before) + rate_of(after)) / 2;
		else
			*value += member[i].work * rate_of(before ? before : after);
		if (member[i].simulated || !before)
			continue;
		if (after) {
			double between = (double)(after - before - 1);
			squares_free += member[i].work * fabs(rate_of(after) - rate_of(before)) / 2 *
			                sqrt(between / (between + 2));
		} else {
			const struct estimate_member *earlier = beside(member, count, (int)(before - member), -1);
			squares_free += earlier ? member[i].work * fabs(rate_of(before) - rate_of(earlier)) : 0;
		}
	}
	*error = squares_free;
}

static void test_random_members(void **state)
{
	(void)state;
	srand(1);
	for (int round = 0; round < ROUNDS; round++) {
		struct estimate_member member[MOST];
		int count = 1 + rand() % MOST, simulated = 0;
		double each = number(0.1, 20), share = number(0, 1), value, error, weighted = 0;
		for (int i = 0; i < count; i++) {
			member[i] = (struct estimate_member){.work = number(1, 1e5), .simulated = number(0, 1) < share};
			member[i].value = member[i].simulated ? member[i].work * each * number(0.5, 1.5) : 0;
		}
		int always = rand() % count;
		member[always].simulated = true;
		member[always].value = member[always].work * each;
		for (int i = 0; i < count; i++)
			simulated += member[i].simulated;
		const struct estimate estimate = estimate_members(member, (size_t)count);
		plain_model(member, count, &value, &error);
		for (int i = 0; i < count; i++)
			weighted += member[i].weight * member[i].value;
		near(estimate.value, value);
		near(weighted, value);
		near(sqrt(estimate.variance), error);
		assert_int_equal(estimate.unknown, simulated < 2 && simulated < count);
		if (error > 0)
			near(estimate_error(&estimate), estimate_student(simulated - 1) * error);
	}
}

/* The mean of a remainder of similar stretches lies within the stated error about as often as the confidence level
 * promises. */
static void test_rest_covers(void **state)
{
	(void)state;
	srand(2);
	int within = 0;
	for (int round = 0; round < ROUNDS; round++) {
		struct estimate_batch batch[6];
		size_t count = 3 + (size_t)(rand() % 4), left = 1 + (size_t)(rand() % 40);
		double truth = 0;
		for (size_t i = 0; i < count + left; i++) {
			double spread = 0;
			for (int k = 0; k < 12; k++)
				spread += number(-0.5, 0.5);
			double cycles = 1000 + 50 * spread;
			if (i < count)
				batch[i] = (struct estimate_batch){.work = 100, .cycles = cycles};
			else
				truth += cycles;
		}
		const struct estimate rest = estimate_rest(batch, count, 100.0 * (double)left);
		within += fabs(rest.value - truth) <= estimate_error(&rest);
	}
	assert_in_range(within, (int)(0.935 * ROUNDS), (int)(0.965 * ROUNDS));
}

static void test_rest_by_work(void **state)
{
	(void)state;
	const struct estimate_batch batch[] = {
		{.work = 10, .cycles = 30}, {.work = 20, .cycles = 60}, {.work = 5, .cycles = 15}};
	const struct estimate rest = estimate_rest(batch, 3, 70);
	near(rest.value, 210);
	near(estimate_error(&rest), 0); /* stretches of other lengths, at one rate */
	const struct estimate_batch other[] = {{.work = 10, .cycles = 30}, {.work = 10, .cycles = 34}};
	const struct estimate spread = estimate_rest(other, 2, 40);
	near(spread.value, 128);
	near(sqrt(spread.variance), 4 * sqrt(8 * (1.0 / 2 + 1.0 / 4)));
}

static void test_sum(void **state)
{
	(void)state;
	const struct estimate parts[] = {{.value = 10, .variance = 9, .fourth = 81.0 / 2},
	                                 {.value = 20, .variance = 16, .fourth = 256.0 / 4},
	                                 {.value = 5}};
	struct estimate sum = {0};
	for (int i = 0; i < 3; i++)
		estimate_add(&sum, &parts[i]);
	near(sum.value, 35);
	near(estimate_error(&sum), 5 * estimate_student(625 / (81.0 / 2 + 256.0 / 4)));
	const struct estimate unknown = {.value = 1, .unknown = true};
	estimate_add(&sum, &unknown);
	estimate_add(&sum, &parts[0]);
	assert_true(sum.unknown);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_student),          cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_nothing_left_out), cmocka_unit_test(test_one_says_nothing_of_its_error),
		cmocka_unit_test(test_random_members),   cmocka_unit_test(test_rest_covers),
		cmocka_unit_test(test_rest_by_work),     cmocka_unit_test(test_sum),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
