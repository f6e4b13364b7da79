/* Protects the selection of launches (--kernel, --warm, --region, --stop-after): which text selects which launch, and
 * which texts are refused. */
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

/* A letter per launch: Simulated, w: warms, '.': left out. */
static void choose_all(struct selection *selection, char letters[LAUNCHES + 1])
{
	static const char names[] = {[LAUNCH_SELECTED] = 'S', [LAUNCH_WARMS] = 'w', [LAUNCH_LEFT_OUT] = '.'};
	for (uint32_t i = 0; i < LAUNCHES; i++)
		letters[i] = names[selection_choose(selection, i + 1, launches[i].symbol, launches[i].shown)];
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
		selection_choose(&selection, i + 1, launches[i].symbol, launches[i].shown);
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
	assert_int_equal(selection_choose(&selection, 1, "a", "a"), LAUNCH_LEFT_OUT);
	selection_region(&selection, true);
	assert_int_equal(selection_choose(&selection, 2, "a", "a"), LAUNCH_SELECTED);
	selection_region(&selection, true);
	assert_int_equal(selection_choose(&selection, 3, "a", "a"), LAUNCH_SELECTED);
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
	assert_int_equal(selection_choose(&selection, 2, "a", "a"), LAUNCH_LEFT_OUT);
	selection_region(&selection, true);
	assert_int_equal(selection_choose(&selection, 3, "a", "a"), LAUNCH_LEFT_OUT);
	assert_int_equal(selection_choose(&selection, 4, "a", "a"), LAUNCH_SELECTED);
	assert_true(selection.is_over);
	selection_close(&selection);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_which), cmocka_unit_test(test_warm),   cmocka_unit_test(test_refused),
		cmocka_unit_test(test_end),   cmocka_unit_test(test_region),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
