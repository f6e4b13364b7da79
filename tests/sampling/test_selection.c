/* Protects the selection of launches (--kernel, --warm, --region, --range, --stop-after): which text selects which
 * launch, and which texts are refused. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sampling/selection.h"

/* The launches of all cases, in order. */
static const struct {
	const char *symbol, *shown;
} launches[] = {
	{"_Z3oneiPf", "one(int, float*)"},
	{"_Z3twoIiEvT_", "void two<int>(int)"},
	{"_ZN5space5innerEv", "space::inner()"},
	{"_Z3oneiPf", "one(int, float*)"},
	{"plain", "plain"},
	{"_Z3twoIfEvT_", "void two<float>(float)"},
	{"_Z6one_moPf", "one_mo(float*)"},
	{"_Z3oneiPf", "one(int, float*)"},
};
enum { LAUNCHES = sizeof launches / sizeof *launches };

static const struct range_list no_ranges;

/* A letter per launch: Simulated, w: warms, '.': left out. */
static void choose_all(struct selection *selection, char letters[LAUNCHES + 1])
{
	static const char names[] = {[LAUNCH_SELECTED] = 'S', [LAUNCH_WARMS] = 'w', [LAUNCH_LEFT_OUT] = '.'};
	for (uint32_t i = 0; i < LAUNCHES; i++)
		letters[i] =
			names[selection_choose(selection, i + 1, launches[i].symbol, launches[i].shown, &no_ranges)];
	letters[LAUNCHES] = '\0';
}

static void expect(const char *kernels, uint32_t warm, const char *expected)
{
	struct selection selection;
	struct diag diag = {0};
	char letters[LAUNCHES + 1];
	const struct selection_wish wish = {.kernels = kernels, .warm = warm};
	selection_open(&selection, &wish, &diag);
	if (diag.errors)
		fail_msg("%s: %s", kernels, diag.text);
	assert_true(selection_is_used(&selection));
	choose_all(&selection, letters);
	assert_string_equal(letters, expected);
	assert_false(selection.is_over);
	selection_close(&selection);
	diag_free(&diag);
}

static void test_which(void **state)
{
	(void)state;
	expect("1", 0, "S.......");
	expect("8", 0, ".......S");
	expect("9", 0, "........");
	expect("3-5", 0, "..SSS...");
	expect("2,4-5,4", 0, ".S.SS...");
	expect("one", 0, "S..S...S");
	expect("one:2", 0, "...S....");
	expect("one:4", 0, "........");
	expect("two", 0, ".S...S..");
	expect("two:2", 0, ".....S..");
	expect("space::inner", 0, "..S.....");
	expect("space::inner:1", 0, "..S.....");
	expect("inner", 0, "........");
	expect("plain", 0, "....S...");
	expect("_Z3oneiPf", 0, "S..S...S");
	expect("one(int, float*)", 0, "........"); /* the comma separates items */
	expect("two<int>", 0, ".S......");
	expect("one:1,8", 0, "S......S");
	expect("one_mo", 0, "......S.");
	expect("18446744073709551615", 0, "........");
}

static void test_warm(void **state)
{
	(void)state;
	expect("4", 1, "..wS....");
	expect("4", 3, "wwwS....");
	expect("4", 1000, "wwwS....");
	expect("2,6-7", 2, "wS.wwSS.");
	expect("1", 5, "S.......");
}

static void refuse(const struct selection_wish *wish, const char *words)
{
	struct selection selection;
	struct diag diag = {0};
	selection_open(&selection, wish, &diag);
	if (!diag.errors || !strstr(diag.text, words))
		fail_msg("'%s' gives '%s', without '%s'", wish->kernels ? wish->kernels : "",
		         diag.text ? diag.text : "", words);
	selection_close(&selection);
	diag_free(&diag);
}

static void test_refused(void **state)
{
	(void)state;
	refuse(&(struct selection_wish){.kernels = ""}, "expected a number");
	refuse(&(struct selection_wish){.kernels = "1,,2"}, "expected a number");
	refuse(&(struct selection_wish){.kernels = "1,"}, "expected a number");
	refuse(&(struct selection_wish){.kernels = "0"}, "'0' contains no launch");
	refuse(&(struct selection_wish){.kernels = "5-3"}, "'5-3' contains no launch");
	refuse(&(struct selection_wish){.kernels = "0-3"}, "'0-3' contains no launch");
	refuse(&(struct selection_wish){.kernels = "one:0"}, "'one:0' contains no launch");
	refuse(&(struct selection_wish){.kernels = "one", .warm = 1}, "'one' cannot warm");
	refuse(&(struct selection_wish){.warm = 1}, "need selected numbers");
	refuse(&(struct selection_wish){.kernels = "one", .stops = true}, "NAME:NUMBER has a last one");
	refuse(&(struct selection_wish){.stops = true}, "none is selected");
	refuse(&(struct selection_wish){.ranges = ""}, "expected NAME");
	refuse(&(struct selection_wish){.ranges = "a,,b"}, "expected NAME");
	refuse(&(struct selection_wish){.ranges = "a@b:0"}, "'a@b:0' is no range");
	refuse(&(struct selection_wish){.ranges = "a", .warm = 1}, "need selected numbers");
}

/* The run is over at the last launch that can be selected, not before. */
static void expect_end(const char *kernels, uint32_t last)
{
	struct selection selection;
	struct diag diag = {0};
	const struct selection_wish wish = {.kernels = kernels, .stops = true};
	selection_open(&selection, &wish, &diag);
	assert_int_equal(diag.errors, 0);
	for (uint32_t i = 0; i < LAUNCHES; i++) {
		selection_choose(&selection, i + 1, launches[i].symbol, launches[i].shown, &no_ranges);
		assert_int_equal(selection.is_over, i + 1 >= last);
	}
	selection_close(&selection);
}

static void test_end(void **state)
{
	(void)state;
	expect_end("3", 3);
	expect_end("5,2-3", 5);
	expect_end("one:2", 4);
	expect_end("one:2,6", 6);
	expect_end("one:9", LAUNCHES + 1);
}

static void test_region(void **state)
{
	(void)state;
	struct selection selection;
	struct diag diag = {0};
	selection_open(&selection, &(struct selection_wish){.by_region = true, .stops = true}, &diag);
	assert_true(selection_is_used(&selection) && !diag.errors);
	assert_int_equal(selection_choose(&selection, 1, "a", "a", &no_ranges), LAUNCH_LEFT_OUT);
	selection_region(&selection, true);
	assert_int_equal(selection_choose(&selection, 2, "a", "a", &no_ranges), LAUNCH_SELECTED);
	selection_region(&selection, true);
	assert_int_equal(selection_choose(&selection, 3, "a", "a", &no_ranges), LAUNCH_SELECTED);
	assert_false(selection.is_over);
	selection_region(&selection, false);
	assert_true(selection.is_over);
	selection_close(&selection);

	/* an end without a begin ends nothing */
	selection_open(&selection, &(struct selection_wish){.by_region = true, .stops = true}, &diag);
	selection_region(&selection, false);
	assert_false(selection.is_over);
	selection_close(&selection);

	/* with a list, both must hold, and the list says where the run ends */
	selection_open(&selection, &(struct selection_wish){.kernels = "2,4", .by_region = true, .stops = true}, &diag);
	selection_region(&selection, true);
	selection_region(&selection, false);
	assert_false(selection.is_over);
	assert_int_equal(selection_choose(&selection, 2, "a", "a", &no_ranges), LAUNCH_LEFT_OUT);
	selection_region(&selection, true);
	assert_int_equal(selection_choose(&selection, 3, "a", "a", &no_ranges), LAUNCH_LEFT_OUT);
	assert_int_equal(selection_choose(&selection, 4, "a", "a", &no_ranges), LAUNCH_SELECTED);
	assert_true(selection.is_over);
	selection_close(&selection);
}

/* The next launch is in the calling thread's ranges. */
static enum launch_choice choose_in_ranges(struct selection *selection, uint64_t number)
{
	struct range_list now = ranges_now();
	enum launch_choice choice = selection_choose(selection, number, "a", "a", &now);
	free(now.range);
	return choice;
}

static void open_with(struct selection *selection, const struct selection_wish *wish)
{
	struct diag diag = {0};
	selection_open(selection, wish, &diag);
	assert_int_equal(diag.errors, 0);
	assert_true(selection_is_used(selection));
}

static void test_ranges(void **state)
{
	(void)state;
	struct selection selection;
	open_with(&selection, &(struct selection_wish){.ranges = "loop:2,s@lib", .stops = true});
	assert_false(ranges_are_used());
	assert_int_equal(choose_in_ranges(&selection, 1), LAUNCH_LEFT_OUT);
	assert_int_equal(ranges_push(NULL, "loop"), 0);
	assert_true(ranges_are_used());
	assert_int_equal(choose_in_ranges(&selection, 2), LAUNCH_LEFT_OUT);
	assert_int_equal(ranges_push(NULL, "loop"), 1);
	assert_int_equal(ranges_push("lib", "loop"), 0);
	assert_int_equal(choose_in_ranges(&selection, 3), LAUNCH_SELECTED);
	/* each domain has its own stack */
	assert_int_equal(ranges_pop(NULL), 1);
	assert_int_equal(choose_in_ranges(&selection, 4), LAUNCH_LEFT_OUT);
	assert_int_equal(ranges_pop(NULL), 0);
	assert_int_equal(ranges_pop(NULL), RANGES_NONE);
	assert_int_equal(ranges_pop("lib"), 0);
	assert_int_equal(ranges_pop("lib"), RANGES_NONE);
	uint64_t first = ranges_start("lib", "s"), second = ranges_start("lib", "s");
	assert_true(first && second && first != second);
	assert_true(ranges_end(first));
	assert_false(ranges_end(first));
	assert_int_equal(choose_in_ranges(&selection, 5), LAUNCH_SELECTED);
	assert_false(selection_is_over(&selection));
	assert_true(ranges_end(second));
	assert_true(selection_is_over(&selection));
	selection_close(&selection);
}

/* With a list of launches, both must hold, and the list says where the run ends. The region must hold too. */
static void test_ranges_combined(void **state)
{
	(void)state;
	struct selection selection;
	open_with(&selection, &(struct selection_wish){.kernels = "2,4", .warm = 1, .ranges = "both", .stops = true});
	assert_int_equal(choose_in_ranges(&selection, 1), LAUNCH_WARMS);
	assert_int_equal(choose_in_ranges(&selection, 2), LAUNCH_LEFT_OUT);
	uint64_t range = ranges_start(NULL, "both");
	assert_int_equal(choose_in_ranges(&selection, 3), LAUNCH_WARMS);
	assert_true(ranges_end(range));
	assert_false(selection_is_over(&selection));
	range = ranges_start(NULL, "both");
	assert_int_equal(choose_in_ranges(&selection, 4), LAUNCH_SELECTED);
	assert_true(selection_is_over(&selection));
	selection_close(&selection);

	open_with(&selection, &(struct selection_wish){.by_region = true, .ranges = "both:2"});
	assert_int_equal(choose_in_ranges(&selection, 1), LAUNCH_LEFT_OUT);
	selection_region(&selection, true);
	assert_int_equal(choose_in_ranges(&selection, 2), LAUNCH_SELECTED);
	assert_true(ranges_end(range));
	assert_int_equal(choose_in_ranges(&selection, 3), LAUNCH_LEFT_OUT);
	assert_false(selection_is_over(&selection)); /* without `stops` */
	selection_close(&selection);
}

/* A thread's pushed ranges are its own, and end with it. */
static void *push_in_thread(void *unused)
{
	(void)unused;
	struct range_list now = ranges_now();
	assert_int_equal(now.count, 1); /* the started one */
	free(now.range);
	assert_int_equal(ranges_push(NULL, "thread"), 0);
	ranges_push(NULL, "thread");
	now = ranges_now();
	assert_int_equal(now.count, 3);
	assert_string_equal(range_text(now.range[0].name), "all");
	assert_int_equal(now.range[2].number, 2);
	free(now.range);
	return NULL;
}

static void test_ranges_of_threads(void **state)
{
	(void)state;
	struct selection selection;
	pthread_t thread;
	open_with(&selection, &(struct selection_wish){.ranges = "thread", .stops = true});
	ranges_push(NULL, "main");
	uint64_t all = ranges_start(NULL, "all");
	ranges_pop(NULL);
	assert_int_equal(pthread_create(&thread, NULL, push_in_thread, NULL), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(selection_is_over(&selection));
	assert_true(ranges_end(all));
	selection_close(&selection);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_which),           cmocka_unit_test(test_warm),
		cmocka_unit_test(test_refused),         cmocka_unit_test(test_end),
		cmocka_unit_test(test_region),          cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_ranges_combined), cmocka_unit_test(test_ranges_of_threads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
