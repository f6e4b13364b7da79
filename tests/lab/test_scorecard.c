/* Protects the list of all published numbers: points, verdicts, signs, orders and counts. */
#include "lab_kit.h"

#include "lab/report.h"
#include "lab/scorecard.h"

#include <math.h>

enum { COLUMNS = 3, ROWS = 5 };

static const char text[] =
	"title: T\n"
	"source: a paper, Fig. 1\n"
	"metric: cycles\n"
	"relative_to: base\n"
	"mean: arithmetic\n"
	"published_mean: [~, 1.5, ~]\n"
	"columns:\n"
	"  base: {machine: m, show: value}\n"
	"  ratio: {machine: n, show: ratio}\n"
	"  share: {machine: m, show: value, unit: percent of the cycles}\n"
	"rows:\n"
	"  near: {published: [100, 1.02, 50]}\n"
	"  far: {published: [200, 1.30, \"> 20\"]}\n"
	"  lost: {published: [~, 1.40, \"< 20\"]}\n"
	"  given: {taken: yes, published: [0, 1.004, ~]}\n"
	"  code: {metric: (thread_instructions + sm.load_lanes) / threads, outside_mean: yes, published: [0, ~, 7]}\n"
	"causes:\n"
	"  - {rows: [far], columns: [ratio], cause: shown, proof: x.2, page: docs/x.md}\n"
	"  - {rows: [far], columns: [base], cause: said, page: docs/y.md}\n";

struct fixture {
	struct lab_read read;
	struct scored of;
	struct scorecard card;
};

static void make(struct fixture *fixture)
{
	static double ours[ROWS * COLUMNS] = {104, 0.98, 58, 150, 1.55, 30, NAN, NAN, 25, 1, 0.99, NAN, 0, 1, 7.0};
	static double means[COLUMNS] = {NAN, 1.40, NAN};
	lab_read_right(&fixture->read, text);
	const struct experiment *experiment = &fixture->read.experiment;
	const struct figure figure = {.experiment = experiment,
	                              .ours = ours,
	                              .ours_mean = means,
	                              .published_mean = experiment->published_mean};
	fixture->of = (struct scored){.experiment = experiment, .paper = "caps", .name = "caps.1", .size = "small"};
	fixture->card = (struct scorecard){.arena = &fixture->read.arena};
	scorecard_figure(&fixture->card, &fixture->of, &figure);
}

static void drop(struct fixture *fixture)
{
	scorecard_free(&fixture->card);
	lab_read_free(&fixture->read);
}

static const struct score *find(const struct fixture *fixture, const char *row, const char *column)
{
	for (size_t i = 0; i < fixture->card.count; i++)
		if (strcmp(fixture->card.list[i].row, row) == 0 && strcmp(fixture->card.list[i].column, column) == 0)
			return &fixture->card.list[i];
	fail_msg("no number of %s, %s", row, column);
	return NULL;
}

static void check(const struct fixture *fixture, const char *row, const char *column, double points,
                  enum score_verdict verdict)
{
	const struct score *score = find(fixture, row, column);
	if (isnan(points))
		assert_true(isnan(score->points));
	else if (isinf(points))
		assert_true(isinf(score->points));
	else
		assert_true(fabs(score->points - points) < 1e-9);
	assert_int_equal(score->verdict, verdict);
}

static void verdicts(void **state)
{
	struct fixture fixture;
	(void)state;
	make(&fixture);
	assert_int_equal(fixture.card.count, 13); /* twelve of rows, and the mean */
	check(&fixture, "near", "base", 4, SCORE_WITHIN_5);
	check(&fixture, "near", "ratio", -4, SCORE_WITHIN_5);
	check(&fixture, "near", "share", 8, SCORE_WITHIN_10); /* points, not percent */
	check(&fixture, "far", "base", -25, SCORE_CLAIMED);
	check(&fixture, "far", "ratio", 25, SCORE_PROVEN);
	check(&fixture, "far", "share", 0, SCORE_WITHIN_5); /* above 20, as stated */
	check(&fixture, "lost", "ratio", NAN, SCORE_MISSING);
	check(&fixture, "lost", "share", 5, SCORE_WITHIN_5); /* not below 20, by 5 points */
	check(&fixture, "given", "base", INFINITY, SCORE_UNKNOWN);
	check(&fixture, "given", "ratio", -1.4, SCORE_WITHIN_5);
	check(&fixture, "code", "base", 0, SCORE_WITHIN_5); /* both are 0 */
	check(&fixture, EXPERIMENT_MEAN, "ratio", -10, SCORE_WITHIN_10);
	assert_string_equal(find(&fixture, "far", "share")->published, "> 20");
	assert_string_equal(find(&fixture, "far", "ratio")->machine, "n");
	assert_int_equal(find(&fixture, "given", "base")->kind, SCORE_TAKEN);
	assert_int_equal(find(&fixture, "near", "base")->kind, SCORE_RUN);
	assert_int_equal(find(&fixture, "code", "share")->kind, SCORE_CODE);
	drop(&fixture);
}

static void signs_and_orders(void **state)
{
	struct fixture fixture;
	(void)state;
	make(&fixture);
	assert_true(find(&fixture, "near", "ratio")->turned); /* a gain that is a loss */
	assert_false(find(&fixture, "far", "ratio")->turned);
	assert_true(find(&fixture, "far", "ratio")->is_gain);
	assert_false(find(&fixture, "given", "ratio")->is_gain || find(&fixture, "given", "ratio")->turned);
	assert_false(find(&fixture, "near", "base")->is_gain);
	/* base: near, far, given, code: five pairs, all in order; given and code are equal. ratio: near, far, given: of
	 * the pairs, near is above given in the paper and below it here. share: near and code. Bounds and missing
	 * values make no pairs. */
	assert_int_equal(fixture.of.pairs, 9);
	assert_int_equal(fixture.of.ordered, 8);
	drop(&fixture);
}

static void counts_and_table(void **state)
{
	struct fixture fixture;
	char *out;
	size_t length;
	(void)state;
	make(&fixture);
	const struct experiment_row *row = &fixture.read.experiment.rows[0];
	scorecard_text(&fixture.card, &fixture.of, row, "key", "m", SCORE_SETTING, "lru", "LRU");
	scorecard_text(&fixture.card, &fixture.of, row, "key", "m", SCORE_SETTING, "lru", "fifo");
	scorecard_text(&fixture.card, &fixture.of, row, "key", "m", SCORE_SETTING, "33", "32");
	const struct score_counts counts = scorecard_count(&fixture.card, "caps"),
				  none = scorecard_count(&fixture.card, "sharing");
	assert_int_equal(counts.by[SCORE_RUN][SCORE_WITHIN_5], 4);
	assert_int_equal(counts.by[SCORE_RUN][SCORE_WITHIN_10], 2);
	assert_int_equal(counts.by[SCORE_RUN][SCORE_PROVEN], 1);
	assert_int_equal(counts.by[SCORE_RUN][SCORE_CLAIMED], 1);
	assert_int_equal(counts.by[SCORE_RUN][SCORE_MISSING], 1);
	assert_int_equal(counts.by[SCORE_TAKEN][SCORE_UNKNOWN] + counts.by[SCORE_TAKEN][SCORE_WITHIN_5], 2);
	assert_int_equal(counts.by[SCORE_SETTING][SCORE_WITHIN_5], 2);
	assert_int_equal(counts.by[SCORE_SETTING][SCORE_UNKNOWN], 1);
	assert_int_equal(none.by[SCORE_RUN][SCORE_WITHIN_5], 0);
	FILE *file = open_memstream(&out, &length);
	scorecard_table(&fixture.card, file);
	fclose(file);
	static const char counts_of_runs[] =
		"\ncaps         runs         9        4         2            1            1            0"
		"            1\n";
	static const char *const expected[] = {
		counts_of_runs,
		"\nNumbers of runs within 10 points: 67 % of 9; these and those with a proven cause: 78 %.\n",
		"\nGains and losses of half a point or more with the paper's sign: 2 of 3.\n",
		"\na paper, Fig. 1 (caps.1): T; size small, m, n\n",
		" +25.0  beyond (2)\n",
		" -25.0  beyond (1)\n",
		"  taken\n",
		"  same\n",
		"  other\n",
		" -4.0  within 5, sign\n",
		"\n(1) said Not proven by an experiment; see docs/y.md.\n(2) shown Proven by x.2; see docs/x.md.\n"};
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
		if (!strstr(out, expected[i]))
			fail_msg("expected '%s' in\n%s", expected[i], out);
	for (const char *line = out; *line; line += strcspn(line, "\n") + 1)
		assert_true(strcspn(line, "\n") <= REPORT_WIDTH);
	free(out);
	drop(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(verdicts), cmocka_unit_test(signs_and_orders),
	                                   cmocka_unit_test(counts_and_table)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
