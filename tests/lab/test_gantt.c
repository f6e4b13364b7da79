/* Protects the pictures of timelines: the legend has an entry for each event that the shown panels draw, and no
 * other. */
#include "lab/gantt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct experiment experiment = {.title = "Made up"};
static const struct plan plan = {.experiment = &experiment};
static const char *series[] = {"fills", "hits", "misses"};
static struct gantt_bar first_bars[] = {{0, 0, GANTT_NO_BLOCK, 0, 10}, {1, 0, GANTT_NO_BLOCK, 20, 30}};
static struct gantt_bar second_bars[] = {{2, 0, GANTT_NO_BLOCK, 5, 40}};
static struct gantt_lane lanes[] = {{.mechanism = "", .name = "slot 0"}};
static struct gantt_panel panels[] = {
	{.title = "plain", .kernel = "k", .bars = first_bars, .bar_count = 2, .lanes = lanes, .lane_count = 1},
	{.title = "other", .kernel = "k", .bars = second_bars, .bar_count = 1, .lanes = lanes, .lane_count = 1}};

static char *script_of(size_t panel_count)
{
	const struct gantt gantt = {.plan = &plan,
	                            .series = series,
	                            .series_count = 3,
	                            .panels = panels,
	                            .panel_count = panel_count,
	                            .end = 50};
	char *text = NULL;
	size_t length = 0;
	FILE *file = open_memstream(&text, &length);
	assert_non_null(file);
	gantt_script(&gantt, "picture", file);
	fclose(file);
	return text;
}

/* The second panel is not shown: its event gets no legend entry and no space. */
static void legend_names_what_is_shown(void **state)
{
	(void)state;
	char *one = script_of(1), *two = script_of(2);
	assert_non_null(strstr(one, "title \"fills\""));
	assert_non_null(strstr(one, "title \"hits\""));
	assert_null(strstr(one, "title \"misses\""));
	assert_non_null(strstr(two, "title \"misses\""));
	assert_null(strstr(one, "(a)")); /* a letter is needed only with several panels */
	assert_non_null(strstr(two, "\"(b) other\""));
	free(one);
	free(two);
}

/* Each panel and event has a data block, which holds exactly its bars. */
static void bars_stand_in_their_series(void **state)
{
	(void)state;
	char *text = script_of(2);
	assert_non_null(strstr(text, "$panel1_1 << END\n0 10 0\nEND\n"));
	assert_non_null(strstr(text, "$panel1_2 << END\n20 30 0\nEND\n"));
	assert_non_null(strstr(text, "$panel1_3 << END\nEND\n"));
	assert_non_null(strstr(text, "$panel2_3 << END\n5 40 0\nEND\n"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(legend_names_what_is_shown),
	                                   cmocka_unit_test(bars_stand_in_their_series)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
