/* Protects the parts of the lab: formulas over statistics, the content of experiment files, the store, and jobs. */
#include "lab/jobs.h"
#include "lab/metric.h"
#include "lab_kit.h"

#include <math.h>

static const char statistics[] =
	"{\"configuration\": {\"sm.count\": 15, \"dram.atom_bytes\": 64}, \"kernels\": ["
	"{\"energy\": {\"total\": 6, \"seconds\": 2, \"dram\": 5}, \"name\": \"_Z3addPf\", \"grid\": [2, 3, 1], "
	"\"block\": [32, 2, 1], \"cycles\": 100, \"blocks_per_sm\": 3,"
	" \"thread_instructions\": 600, \"counters\": {\"l1d.hits\": 30, \"l1d.accesses\": 40, \"mine.sent\": null},"
	" \"vectors\": {\"mine.by_array\": {\"labels\": [\"A\", \"B 2\"], \"values\": [10, 30]},"
	" \"mine.lanes\": {\"bins\": [0, 1, 2], \"sum\": 20, \"values\": [0, 0, 5]},"
	" \"mine.gaps\": {\"bins\": [0, 1, 4, 8], \"sum\": 9, \"values\": [3, 0, 0, 1]}}},"
	"{\"energy\": {\"total\": 3, \"seconds\": 1, \"dram\": 1}, \"name\": \"_Z3addPf\", \"grid\": [1, 1, 1], "
	"\"block\": [64, 1, 1], \"cycles\": 50, \"blocks_per_sm\": 2,"
	" \"thread_instructions\": 300, \"counters\": {\"l1d.hits\": 0, \"l1d.accesses\": 10, \"mine.sent\": 4},"
	" \"vectors\": {\"mine.by_array\": {\"labels\": [\"A\", \"C\"], \"values\": [1, 7]},"
	" \"mine.lanes\": {\"bins\": [0, 1, 2], \"sum\": 4, \"values\": [0, 1, 2]},"
	" \"mine.gaps\": {\"bins\": [0, 1, 4, 8], \"sum\": 22, \"values\": [0, 0, 4, 0]}}},"
	"{\"name\": \"_Z4add2Pf\", \"grid\": [1, 1, 1], \"block\": [1, 1, 1], \"cycles\": 7, \"blocks_per_sm\": 8,"
	" \"thread_instructions\": 10, \"counters\": {\"l1d.hits\": 1, \"l1d.accesses\": 0, \"mine.sent\": 5},"
	" \"vectors\": {\"mine.empty\": {\"bins\": [0, 1], \"sum\": 0, \"values\": [0, 0]}}}]}";

/* Launches 1 and 2 ran together. */
static const char overlapping[] =
	"{\"kernels\": [{\"name\": \"a\", \"cycles\": 100, \"session\": 1, \"thread_instructions\": 30,"
	" \"grid\": [2, 1, 1], \"counters\": {\"l1d.hits\": null, \"mine.sent\": 4}},"
	"{\"name\": \"b\", \"cycles\": 80, \"session\": 1, \"thread_instructions\": 20,"
	" \"grid\": [5, 1, 1], \"counters\": {\"l1d.hits\": null, \"mine.sent\": 5}},"
	"{\"name\": \"a\", \"cycles\": 10, \"thread_instructions\": 1,"
	" \"grid\": [1, 1, 1], \"counters\": {\"l1d.hits\": 2, \"mine.sent\": 1}}],"
	" \"sessions\": [{\"session\": 1, \"cycles\": 120, \"thread_instructions\": 50,"
	" \"counters\": {\"l1d.hits\": 6, \"mine.sent\": 9}}]}";

static const char *source = statistics;

static double evaluate(const char *text, const char *kernel, char *message)
{
	struct arena arena = {0};
	json_t *stats = json_loads(source, 0, NULL);
	const struct formula *formula = metric_parse(&arena, text, message);
	assert_non_null(stats);
	double value = formula ? formula_value(formula, stats, kernel, message) : NAN;
	json_decref(stats);
	arena_free(&arena);
	return value;
}

static void assert_value(double expected, const char *text, const char *kernel)
{
	char message[FORMULA_MESSAGE] = "";
	double value = evaluate(text, kernel, message);
	if (!(fabs(value - expected) < 1e-12))
		fail_msg("%s is %g, expected %g: %s", text, value, expected, message);
}

static void assert_no_value(const char *text, const char *kernel, const char *reason)
{
	char message[FORMULA_MESSAGE] = "";
	assert_true(isnan(evaluate(text, kernel, message)));
	assert_string_equal(message, reason);
}

static void test_formula_values(void **state)
{
	(void)state;
	assert_value(14, "2 + 3 * 4", NULL);
	assert_value(20, "(2+3)*4", NULL);
	assert_value(3, "12 / 2 / 2", NULL);
	assert_value(5, "10 - 3 - 2", NULL);
	assert_value(150, "cycles", "add");
	assert_value(157, "cycles", NULL);
	assert_value(7, "cycles", "add2"); /* excludes a kernel whose name starts with the same letters */
	assert_value(6, "thread_instructions / cycles", "add");
	assert_value(60, "100 * l1d.hits / l1d.accesses", "add");
	assert_value(3, "blocks_per_sm", "add"); /* the maximum, not the sum */
	assert_value(40, "largest(l1d.accesses)", NULL);
	assert_value(2, "largest( cycles ) / blocks_per_sm * 6 / 100", "add");
	assert_value(7, "blocks", "add");
	assert_value(64, "block_threads", "add");
	assert_value(6 * 64 + 64, "threads", "add");
	assert_value(2, "launches", "add");
	assert_value(5, "mine.sent", "add2"); /* a counter group that this machine lacks */
	assert_value(11, "mine.by_array[A]", "add");
	assert_value(30, "mine.by_array[B 2]", "add"); /* the second launch lacks this element */
	assert_value(10, "largest(mine.by_array[A])", "add");
	assert_value(37, "mine.by_array[1]", "add");
	assert_value(48, "sum(mine.by_array)", "add");
	assert_value(8, "sum(mine.lanes)", "add");
	assert_value(3, "mean(mine.lanes)", "add");
	assert_value(12, "mean(mine.by_array)", "add");
	/* over both launches: of 8 values the fourth is the first of four in the bin from 4 to 7 */
	assert_value(4.75, "median(mine.gaps)", "add");
	assert_value(2, "median( mine.lanes ) * sm.count / 15", "add"); /* in the last bin: its lower bound */
	assert_value(30, "2 * sm.count", "add"); /* a machine setting counts once, not per launch */
	assert_value(64 * 150, "cycles * dram.atom_bytes", "add");
	assert_value(6, "energy.dram", "add");
	assert_value(5, "largest(energy.dram)", "add");
	assert_value(3, "energy.watts", "add"); /* computed from the sums */
	assert_value(27, "energy.delay", "add");
	assert_value(9.0 / 900, "energy.instruction", "add");
	assert_value(2, "6 / energy.watts", "add"); /* an alias is a single term */
}

/* Two launches on three SMs, and a launch that ran functionally. */
static const char by_unit[] =
	"{\"kernels\": [{\"name\": \"a\", \"counters\": {\"l1d.hits\": 9}, \"units\": {\"l1d.hits\": [2, 3, 4]}},"
	"{\"name\": \"b\", \"counters\": {\"l1d.hits\": 12}, \"units\": {\"l1d.hits\": [5, 0, 7]}},"
	"{\"name\": \"c\", \"selected\": \"no\"}]}";

static void test_formula_units(void **state)
{
	(void)state;
	source = by_unit;
	assert_value(7, "l1d.hits[0]", NULL);
	assert_value(0, "l1d.hits[1]", "b");
	assert_value(11, "max(l1d.hits)", NULL);
	assert_value(3, "min( l1d.hits )", NULL);
	assert_value(7, "mean(l1d.hits)", NULL);
	assert_value(11.0 / 7, "max(l1d.hits) / mean(l1d.hits)", NULL);
	assert_value(7, "largest(l1d.hits[2])", NULL);
	assert_no_value("l1d.hits[3]", NULL, "'l1d.hits' has no unit 3; it has 3");
	assert_no_value("max(l1d.misses)", NULL, "the statistics have no values of 'l1d.misses' by unit");
	source = statistics;
}

/* The time of kernels that ran together counts once, and their common counters are those of their session. */
static void test_formula_sessions(void **state)
{
	(void)state;
	source = overlapping;
	assert_value(130, "cycles", NULL);
	assert_value(8, "l1d.hits", NULL);
	assert_value(10, "mine.sent", NULL);
	assert_value(51, "thread_instructions", NULL);
	assert_value(3, "launches", NULL);
	assert_value(8, "blocks", NULL);
	assert_value(110, "cycles", "a");
	assert_value(5, "mine.sent", "a");
	assert_value(80, "cycles", "b");
	assert_no_value("l1d.hits", "b", "the statistics have no 'l1d.hits'");
	source = statistics;
}

static void test_formula_errors(void **state)
{
	(void)state;
	assert_no_value("l1d.hist", NULL, "no counter 'l1d.hist'; did you mean 'l1d.hits'?");
	assert_no_value("cycels", NULL, "no counter 'cycels'; did you mean 'cycles'?");
	assert_no_value("l1.hits", NULL, "no counter 'l1.hits'; did you mean 'l1d.hits'?");
	/* a mechanism's counter, no misspelling of l1d.refused */
	assert_no_value("cap.refused", NULL, "the statistics have no 'cap.refused'");
	assert_no_value("1 +", NULL, "expected a number, a counter or '(' at the end");
	assert_no_value("(1 + 2", NULL, "expected ')' at the end");
	assert_no_value("largest(cycles", NULL, "expected ')' at the end");
	assert_no_value("largest(cycels)", NULL, "no counter 'cycels'; did you mean 'cycles'?");
	assert_no_value("1 2", NULL, "expected an operator at '2'");
	assert_no_value("", NULL, "expected a number, a counter or '(' at the end");
	assert_no_value("cycles", "sub", "no kernel sub ran");
	assert_no_value("l1d.hits / l1d.accesses", "add2", "division by 0");
	assert_no_value("100 * (l1d.accesses / l1d.accesses)", "add2", ""); /* 0 / 0 */
	assert_no_value("mean(mine.empty)", "add2", "");
	assert_no_value("median(mine.empty)", "add2", "");
	assert_no_value("median(mine.by_array)", "add", "the statistics have no histogram 'mine.by_array'");
	assert_no_value("median(mine.lanes)", "add2", "the statistics have no histogram 'mine.lanes'");
	assert_no_value("median(mine.lanes)", "sub", "no kernel sub ran");
	assert_no_value("median(mine.lanes[0])", "add", "expected a whole vector at ')'");
	assert_no_value("median(cycles)", "add", "'cycles' is not a vector");
	assert_no_value("l1d.accesses / l1d.accesses + mine.sent / l1d.accesses", "add2", "division by 0");
	assert_no_value("mine.sent", "add", "the statistics have no 'mine.sent'"); /* null in one launch */
	assert_no_value("registers", NULL, "the statistics have no 'registers'");
	assert_no_value("energy.l1", "add", "the statistics have no 'energy.l1'");
	assert_no_value("energy.watts", "add2", "the statistics have no 'energy.seconds'");
	assert_no_value("sm.counts", NULL, "no counter 'sm.counts'; did you mean 'sm.count'?");
	assert_no_value("l1d.replacement", NULL, "'l1d.replacement' is not a number");
	assert_no_value("l1d.sets", NULL, "the statistics have no 'l1d.sets'");
	assert_no_value("mine.by_array[D]", "add", "'mine.by_array' has no element 'D'");
	assert_no_value("mine.by_array[2]", "add", "'mine.by_array' has no element '2'");
	assert_no_value("mine.by_array[A", "add", "expected ']' at the end");
	assert_no_value("sum(mine.by_array[A])", "add", "expected a whole vector at ')'");
	assert_no_value("mine.by_array", "add", "the statistics have no 'mine.by_array'");
	assert_no_value("sum(mine.absent)", "add", "the statistics have no 'mine.absent'");
	assert_no_value("l1d.hits[0]", "add", "the statistics have no values of 'l1d.hits' by unit");
	assert_no_value("max(l1d.hits)", "add", "the statistics have no values of 'l1d.hits' by unit");
	assert_no_value("l1d.hits[one]", "add", "l1d.hits[]: expected the number of a unit, from 0");
	assert_no_value("l1d.hits[]", "add", "l1d.hits[]: expected the number of a unit, from 0");
	assert_no_value("cycles[0]", "add", "'cycles' is not a vector");
	assert_no_value("sum(l1d.hits)", "add", "'l1d.hits' is not a vector");
	assert_no_value("median(l1d.hits)", "add", "'l1d.hits' is not a vector");
	assert_no_value("max(cycles)", "add", "'cycles' has no values by unit");
	assert_no_value("min(mine.lanes)", "add", "'mine.lanes' has no values by unit");
	assert_no_value("max(sm.count)", NULL, "'sm.count' has no values by unit");
	assert_no_value("max(l1d.hits[0])", NULL, "expected a whole vector at ')'");
	assert_no_value("mean(cycles)", "add", "'cycles' is not a vector");
	char deep[400];
	memset(deep, '(', sizeof deep - 1);
	deep[sizeof deep - 1] = '\0';
	char message[FORMULA_MESSAGE] = "";
	assert_true(isnan(evaluate(deep, NULL, message)));
}

static void test_experiment(void **state)
{
	struct lab_read read;
	(void)state;
	lab_read_right(&read, "title: T\n"
	                      "metric: cycles\n"
	                      "relative_to: B\n"
	                      "show: percent\n"
	                      "columns:\n"
	                      "  A: {machine: m, variant: shared, options: [a=1, b=2]}\n"
	                      "  B: {machine: m, metric: 1 / cycles}\n"
	                      "rows:\n"
	                      "  one: {published: [1.5, ~]}\n"
	                      "  two: {program: three, variant: [~, plain], kernel: k, outside_mean: yes}\n");
	const struct experiment *experiment = &read.experiment;
	assert_int_equal(experiment->column_count, 2);
	assert_int_equal(experiment->row_count, 2);
	assert_int_equal(experiment->columns[0].relative_to, 1);
	assert_int_equal(experiment->show, SHOW_PERCENT);
	assert_string_equal(experiment->size, "small");
	assert_int_equal(experiment->columns[0].options.count, 2);
	assert_ptr_equal(experiment->columns[0].metric, experiment->metric);
	assert_ptr_not_equal(experiment->columns[1].metric, experiment->metric);
	assert_string_equal(experiment->rows[0].program, "one");
	assert_true(experiment->rows[0].published.number[0] == 1.5);
	assert_true(isnan(experiment->rows[0].published.number[1]));
	assert_true(isnan(experiment->published_mean.number[0]));
	assert_true(experiment->rows[1].outside_mean);
	assert_string_equal(experiment_variant(experiment, 0, 0), "shared");
	assert_null(experiment_variant(experiment, 0, 1));
	assert_true(experiment_is_nothing(experiment_variant(experiment, 1, 0)));
	assert_string_equal(experiment_variant(experiment, 1, 1), "plain");
	lab_read_free(&read);
}

/* Columns with different sources together with columns of runs, and settings of a single column. */
static void test_experiment_columns(void **state)
{
	struct lab_read read;
	(void)state;
	lab_read(&read, "title: T\n"
	                "metric: cycles\n"
	                "unit: cycles\n"
	                "show: ratio\n"
	                "relative_to: A\n"
	                "columns:\n"
	                "  A: {machine: m}\n"
	                "  B: {machine: m, show: percent, relative_to: C}\n"
	                "  C: {machine: m, show: value, unit: s}\n"
	                "  D: {metric: source.lines, show: value}\n"
	                "rows: {one: {variant: [a, a, ~, a]}, two: {variant: [~, ~, a, a]}}\n");
	/* "one": its B has no base to be relative to; "two": no cell is shown relative to another */
	assert_false(read.fine);
	assert_non_null(
		strstr(read.document.diag.text, "11:23: error: one: column C, the base of relative_to, has no value"));
	assert_int_equal(read.document.diag.errors, 1);
	const struct experiment_column *column = read.experiment.columns;
	assert_int_equal(column[0].show, SHOW_RATIO);
	assert_int_equal(column[1].show, SHOW_PERCENT);
	assert_int_equal(column[1].relative_to, 2);
	assert_string_equal(column[1].unit, "cycles");
	assert_int_equal(column[2].show, SHOW_VALUE);
	assert_string_equal(column[2].unit, "s");
	assert_true(experiment_needs(&read.experiment, FORMULA_SOURCE));
	assert_false(experiment_needs(&read.experiment, FORMULA_PTX));
	lab_read_free(&read);
}

/* Two quantities may have values at one number of the axis, also without names of lines; one quantity may not. */
static void test_experiment_points(void **state)
{
	struct lab_read read;
	(void)state;
	lab_read_right(&read, "title: T\nover: x\ncolumns:\n"
	                      "  A: {machine: m, at: 2, metric: cycles, unit: cycles}\n"
	                      "  B: {machine: m, at: 2, metric: launches, unit: launches}\nrows: {p: {}}\n");
	lab_read_free(&read);
	lab_read_wrong("title: T\nover: x\nmetric: cycles\ncolumns:\n"
	               "  A: {machine: m, at: 2}\n  B: {machine: m, at: 2}\nrows: {p: {}}\n",
	               "6:23: error: B: another column of the line has the same number");
}

#define HEAD "title: T\nmetric: cycles\ncolumns: {A: {machine: m}, B: {machine: m}}\n"

/* Protects the published bounds and the causes of differences. */
static void test_published(void **state)
{
	struct lab_read read;
	(void)state;
	lab_read_right(&read, HEAD "repeats: other\nscored_at: paper\n"
	                           "published_mean: [\"<5\", 3]\n"
	                           "rows:\n  p: {published: [\"> 2\", ~], taken: yes}\n  q: {}\n"
	                           "causes:\n"
	                           "  - {rows: [p], columns: [B], cause: first, proof: x.1}\n"
	                           "  - {rows: mean, cause: second}\n"
	                           "  - {columns: [A], cause: third, page: y.md}\n");
	const struct experiment *experiment = &read.experiment;
	assert_true(experiment->rows[0].published.number[0] == 2);
	assert_int_equal(experiment->rows[0].published.bound[0], '>');
	assert_int_equal(experiment->rows[0].published.bound[1], 0);
	assert_int_equal(experiment->published_mean.bound[0], '<');
	assert_int_equal(experiment->published_mean.bound[1], 0);
	assert_true(experiment_holds('<', 1, 2) && !experiment_holds('<', 2, 2) && !experiment_holds('<', 3, 2));
	assert_true(experiment_holds('>', 3, 2) && !experiment_holds('>', 2, 2) && !experiment_holds('>', NAN, 2));
	assert_false(experiment_holds(0, 2, 2));
	assert_true(experiment->rows[0].taken && !experiment->rows[1].taken && !experiment->taken);
	assert_string_equal(experiment->repeats, "other");
	assert_string_equal(experiment->scored_at, "paper");
	assert_string_equal(experiment_cause_of(experiment, "p", "B")->cause, "first");
	assert_string_equal(experiment_cause_of(experiment, "p", "B")->proof, "x.1");
	assert_string_equal(experiment_cause_of(experiment, "p", "A")->cause, "third");
	assert_string_equal(experiment_cause_of(experiment, EXPERIMENT_MEAN, "B")->cause, "second");
	assert_null(experiment_cause_of(experiment, "q", "B"));
	lab_read_free(&read);
	lab_read_wrong(HEAD "rows: {p: {published: [1, \">\"]}}\n", "a bound such as \"> 2\", or ~");
	lab_read_wrong(HEAD "rows: {p: {published: [1, \"=2\"]}}\n", "not '=2'");
	lab_read_wrong(HEAD "rows: {p: {}}\ncauses: {rows: p}\n", "x.yaml:5:9: error: causes: expected a list");
	lab_read_wrong(HEAD "rows: {p: {}}\ncauses: [{rows: [p]}]\n", "causes: expected a text for cause");
	lab_read_wrong(HEAD "rows: {pq: {}}\ncauses: [{rows: [p], cause: c}]\n",
	               "x.yaml:5:17: error: causes: there is no row 'p'; did you mean 'pq'?");
	lab_read_wrong(HEAD "rows: {p: {}}\ncauses: [{columns: [C], cause: c}]\n", "causes: there is no column 'C'");
	lab_read_wrong(HEAD "rows: {p: {}}\nscored_at: huge\n", "scored_at: expected tiny, small or paper, not 'huge'");
}

static void test_experiment_errors(void **state)
{
	(void)state;
	lab_read_wrong("", "x.yaml: error: holds nothing");
	lab_read_wrong("title: [", "error: not YAML");
	lab_read_wrong("metric: cycles\n", "x.yaml:1:1: error: expected a title");
	lab_read_wrong("title: T\nmetric: cycles\n", "x.yaml:1:1: error: expected columns and rows");
	lab_read_wrong("title: T\ncolums: {}\n", "x.yaml:2:1: error: unknown key 'colums'; did you mean 'columns'?");
	lab_read_wrong("title: T\nmetric: cycels\n",
	               "x.yaml:2:9: error: metric: no counter 'cycels'; did you mean 'cycles'?");
	lab_read_wrong("title: T\ncolumns: {A: {machine: m}}\nrows: {p: {}}\n",
	               "x.yaml:2:11: error: A: expected a metric, here or for all columns");
	lab_read_wrong("title: T\nmetric: cycles\ncolumns: {A: {}}\nrows: {p: {}}\n", "A: expected a machine");
	lab_read_wrong(HEAD "rows:\n  p: {published: [1]}\n",
	               "x.yaml:5:18: error: expected 2 published numbers, one per column, not 1");
	lab_read_wrong(HEAD "rows: {p: {published: [1, 2x]}}\n", "expected a number, a bound such as");
	lab_read_wrong(HEAD "rows: {p: {variant: [a, b, c]}}\n", "one for each of the 2 columns, not 3");
	lab_read_wrong(HEAD "rows: {p: {}}\nrelative_to: C\n", "relative_to: there is no column 'C'");
	lab_read_wrong(HEAD "rows: {p: {variant: [a, ~]}}\nrelative_to: B\nshow: ratio\n",
	               "p: column B, the base of relative_to, has no value");
	lab_read_wrong(HEAD "rows: {p: {}}\nshow: ratio\n", "show: a ratio and a percentage need relative_to");
	lab_read_wrong(HEAD "rows: {p: {}}\nshow: much\n",
	               "expected value, ratio, percent, indexes, timeline, machine, costs or programs, not 'much'");
	lab_read_wrong(HEAD "rows: {p: {outside_mean: maybe}}\n", "expected yes or no");
	lab_read_wrong(HEAD "rows: {p: {metric: source.lines}}\n", "A: the metric is a fact of the source");
	lab_read_wrong(HEAD "rows: {p: {metric: mix.ld / cycles}}\n", "A: the metric mixes counters of runs");
	lab_read_wrong("title: T\nshow: indexes\nmetric: cycles\nrows: {p: {}}\n", "can have no columns and no metric");
	lab_read_wrong("title: T\nmetric: source.lines\ncolumns: {A: {show: indexes}}\nrows: {p: {}}\n",
	               "A: only a whole experiment can show indexes");
	lab_read_wrong("title: T\ncolumns:\n"
	               "  A: {machine: m, metric: cycles}\n"
	               "  B: {metric: source.lines, show: ratio, relative_to: A}\n"
	               "rows: {p: {}}\n",
	               "x.yaml:4:3: error: B: a metric of runs cannot be relative to a metric of sources");
}

static const struct run_config config = {.program = "p",
                                         .variant = "plain",
                                         .size = "tiny",
                                         .seed = 1,
                                         .arguments = "",
                                         .machine = "m",
                                         .options = "a=1",
                                         .mechanisms = "",
                                         .library = "l1",
                                         .binary = "b1",
                                         .inputs = "",
                                         .description = "d1"};

static void put(struct store *store, const struct run_config *run, const char *verdict, const char *stats)
{
	lab_put(store, run, (struct run_result){.verdict = verdict, .stats = stats, .seconds = 1.5});
}

static void assert_found(struct store *store, const struct run_config *run, bool any_build, const char *expected)
{
	char message[STORE_MESSAGE];
	char *stats = store_find(store, run, any_build, message);
	assert_string_equal(message, "");
	if (expected)
		assert_string_equal(stats, expected);
	else
		assert_null(stats);
	free(stats);
}

static void count_row(void *context, const struct run_config *run, const struct run_result *result)
{
	assert_true(run->seed == 1 && result->seconds == 1.5 && strlen(result->finished) == 19);
	++*(int *)context;
}

static void test_store(void **state)
{
	char message[STORE_MESSAGE], *path = lab_temporary();
	struct run_config other = config, rebuilt = config;
	const struct store_filter filters[] = {{"options", "a=2"}, {"seed", "1"}};
	int rows = 0;
	(void)state;
	struct store *store = store_open(path, false, message);
	assert_non_null(store);
	other.options = "a=2";
	rebuilt.library = "l2";
	assert_found(store, &config, true, NULL);
	put(store, &config, "FAIL: exit status 1", "{}");
	assert_found(store, &config, true, NULL); /* a failed run must run again */
	put(store, &config, "PASS", "{1}");
	put(store, &config, "PASS", "{2}"); /* replaces the first */
	put(store, &other, "PASS", "{3}");
	assert_found(store, &rebuilt, false, NULL);
	assert_found(store, &rebuilt, true, "{2}");
	store_close(store);
	store = store_open(path, true, message); /* stored results persist */
	assert_non_null(store);
	assert_found(store, &config, false, "{2}");
	assert_found(store, &other, false, "{3}");
	assert_true(store_each(store, NULL, 0, count_row, &rows, message));
	assert_int_equal(rows, 2);
	assert_true(store_each(store, filters, 2, count_row, &rows, message));
	assert_int_equal(rows, 3);
	store_close(store);
	unlink(path);
	free(path);
}

static void test_store_errors(void **state)
{
	char message[STORE_MESSAGE], *path = lab_temporary();
	(void)state;
	FILE *file = fopen(path, "w");
	for (int i = 0; i < 100; i++)
		fputs("no database at all, but a text that is long enough\n", file);
	fclose(file);
	assert_null(store_open(path, false, message));
	assert_non_null(strstr(message, path));
	assert_non_null(strstr(message, "file is not a database"));
	unlink(path);
	assert_null(store_open(path, true, message));
	assert_non_null(strstr(message, "there is no"));
	assert_null(store_open("/no/such/folder/r.db", false, message));
	assert_non_null(strstr(message, "/no/such/folder/r.db: cannot open it"));
	free(path);
}

struct seen {
	size_t ended, order[4];
	bool stop;
};

static bool note_end(void *context, size_t number)
{
	struct seen *seen = context;
	seen->order[seen->ended++] = number;
	return !seen->stop;
}

static bool skip_second(void *context, size_t number)
{
	(void)context;
	return number != 1;
}

static char *shell[][4] = {{"/bin/sh", "-c", "echo '{}' >$SLUICE_STATS; echo one: PASS", NULL},
                           {"/bin/sh", "-c", "exit 9", NULL},
                           {"/no/such/program", NULL},
                           {"/bin/sh", "-c", "echo one; echo bad; kill -SEGV $$", NULL}};

static void test_jobs(void **state)
{
	struct job jobs[4] = {0};
	struct seen seen = {0};
	const struct jobs_watch watch = {.context = &seen, .needed = skip_second, .ended = note_end};
	char room[96];
	(void)state;
	for (size_t i = 0; i < 4; i++)
		jobs[i].words = shell[i];
	jobs_run(jobs, 4, 2, &watch);
	assert_int_equal(seen.ended, 4);
	assert_string_equal(jobs[0].stats.bytes, "{}\n");
	assert_string_equal(job_verdict(&jobs[0], true, room), "PASS");
	assert_string_equal(job_verdict(&jobs[0], false, room), "FAIL: wrote no statistics");
	assert_true(jobs[1].ended && !jobs[1].started && !jobs[1].error);
	assert_string_equal(job_verdict(&jobs[2], false, room), "FAIL: exit status 126");
	assert_non_null(strstr(jobs[2].output.bytes, "cannot start /no/such/program"));
	assert_string_equal(job_verdict(&jobs[3], true, room), "FAIL: Segmentation fault");
	assert_string_equal(job_last_lines(&jobs[3], 5), "one\nbad\n");
	assert_string_equal(job_last_lines(&jobs[3], 1), "bad\n");
	for (size_t i = 0; i < 4; i++)
		job_free(&jobs[i]);
}

/* When the watcher requests it, running jobs are ended and waiting jobs are not started. */
static void test_jobs_stop(void **state)
{
	static char *words[][4] = {{"/bin/sh", "-c", "true", NULL},
	                           {"/bin/sh", "-c", "exec sleep 100", NULL},
	                           {"/bin/sh", "-c", "true", NULL}};
	struct job jobs[3] = {0};
	struct seen seen = {.stop = true};
	const struct jobs_watch watch = {.context = &seen, .ended = note_end};
	double started = jobs_now();
	(void)state;
	for (size_t i = 0; i < 3; i++)
		jobs[i].words = words[i];
	jobs_run(jobs, 3, 2, &watch);
	assert_true(jobs_now() - started < 50);
	assert_true(jobs[1].ended && !jobs[2].started);
	for (size_t i = 0; i < 3; i++)
		job_free(&jobs[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formula_values),     cmocka_unit_test(test_formula_errors),
		cmocka_unit_test(test_formula_sessions),   cmocka_unit_test(test_formula_units),
		cmocka_unit_test(test_experiment),         cmocka_unit_test(test_published),
		cmocka_unit_test(test_experiment_columns), cmocka_unit_test(test_experiment_points),
		cmocka_unit_test(test_experiment_errors),  cmocka_unit_test(test_store),
		cmocka_unit_test(test_store_errors),       cmocka_unit_test(test_jobs),
		cmocka_unit_test(test_jobs_stop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
