#include "lab/scorecard.h"

#include "base/csv.h"
#include "lab/figure_values.h"
#include "lab/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Points. */
static const double near_points = 5 + 1e-9, far_points = 10 + 1e-9, /* with room for rounding */
	least_gain = 0.5, least_step = 1;

const char *score_verdict_name(enum score_verdict verdict)
{
	static const char *const names[] = {
		"within 5",         "within 10", "beyond, cause proven", "beyond, cause claimed",
		"beyond, no cause", "no value"};
	return names[verdict];
}

const char *score_kind_name(enum score_kind kind)
{
	static const char *const names[] = {"runs", "code", "sources", "settings", "taken"};
	return names[kind];
}

static struct score *add(struct scorecard *card)
{
	if (card->count == card->room) {
		card->room = card->room ? 2 * card->room : 256;
		card->list = base_realloc(card->list, card->room * sizeof *card->list);
	}
	return &card->list[card->count++];
}

void scorecard_free(struct scorecard *card)
{
	free(card->list);
}

/* --- verdicts --- */

static bool is_percent(const struct experiment_column *column)
{
	return column->show == SHOW_PERCENT ||
	       (column->show == SHOW_VALUE && column->unit && strncmp(column->unit, "percent", 7) == 0);
}

/* By how many percent ours exceeds the published number: infinitely many if that is 0 and ours is not. */
static double percent_of(double ours, double published)
{
	return ours == published ? 0 : 100 * (ours / published - 1);
}

static double points_of(const struct experiment_column *column, double ours, double published)
{
	if (is_percent(column))
		return ours - published;
	return column->show == SHOW_RATIO ? 100 * (ours - published) : percent_of(ours, published);
}

/* Returns a number as the gain that it states, in percent; NAN if it is no comparison with a base. */
static double gain(const struct experiment_column *column, double value)
{
	return column->show == SHOW_PERCENT ? value : column->show == SHOW_RATIO ? figure_percent(value) : NAN;
}

static enum score_verdict beyond(const struct experiment_cause *cause)
{
	return !cause ? SCORE_UNKNOWN : cause->proof ? SCORE_PROVEN : SCORE_CLAIMED;
}

static enum score_verdict judge(double points, const struct experiment_cause *cause)
{
	if (isnan(points))
		return SCORE_MISSING;
	return fabs(points) <= near_points  ? SCORE_WITHIN_5
	       : fabs(points) <= far_points ? SCORE_WITHIN_10
	                                    : beyond(cause);
}

/* --- texts --- */

void scorecard_text(struct scorecard *card, const struct scored *of, const struct experiment_row *row,
                    const char *column, const char *machine, enum score_kind kind, const char *ours,
                    const char *published)
{
	double a, b;
	struct score *score = add(card);
	const struct experiment_cause *cause = experiment_cause_of(of->experiment, row->name, column);
	bool numbers = report_is_number(ours, &a) && report_is_number(published, &b);
	*score = (struct score){.of = of,
	                        .row = row->name,
	                        .column = column,
	                        .machine = machine,
	                        .ours = ours,
	                        .published = published,
	                        .points = numbers ? percent_of(a, b) : NAN,
	                        .quotient = numbers ? a / b : NAN,
	                        .kind = row->taken || of->experiment->taken ? SCORE_TAKEN : kind,
	                        .cause = cause};
	score->verdict = numbers                            ? judge(score->points, cause)
	                 : strcasecmp(ours, published) == 0 ? SCORE_WITHIN_5
	                                                    : beyond(cause);
}

/* --- figures --- */

static const char *keep(const struct scorecard *card, const char *text)
{
	return arena_string(card->arena, text, strlen(text));
}

/* The kind of a number that is not taken. A mean is of the kind of the first row. */
static enum score_kind kind_of(const struct figure *figure, size_t row, size_t column)
{
	const struct experiment *experiment = figure->experiment;
	if (!experiment->columns[column].machine)
		return SCORE_SOURCE;
	return formula_is_of_code(experiment_metric(experiment, row < experiment->row_count ? row : 0, column))
	               ? SCORE_CODE
	               : SCORE_RUN;
}

static void add_number(struct scorecard *card, const struct scored *of, const struct figure *figure, size_t thing,
                       size_t c)
{
	const struct experiment *experiment = figure->experiment;
	const struct experiment_column *column = &experiment->columns[c];
	bool mean = thing == figure_things(figure);
	size_t row = mean || !figure->spread_count ? thing : figure->spreads[thing].first;
	double ours = figure_ours(figure, thing, c), published = figure_published(figure, thing, c);
	char bound = figure_bound(figure, thing, c), text[32], paper[40];
	bool holds = experiment_holds(bound, ours, published);
	const char *name = mean ? EXPERIMENT_MEAN : figure_name(figure, thing);
	bool relative = column->show == SHOW_PERCENT;
	bool taken = experiment->taken || (!mean && experiment->rows[row].taken);
	struct score *score = add(card);
	report_number(ours, report_digits(fabs(published)), text);
	snprintf(paper, sizeof paper, "%.1s%s%.10g", bound ? &bound : "", bound ? " " : "", published);
	*score = (struct score){.of = of,
	                        .row = name,
	                        .column = column->name,
	                        .machine = column->machine ? column->machine : "",
	                        .ours = keep(card, text),
	                        .published = keep(card, paper),
	                        .points = !isfinite(ours) ? NAN
	                                  : holds         ? 0
	                                                  : points_of(column, ours, published),
	                        .quotient = bound      ? NAN
	                                    : relative ? (100 + ours) / (100 + published)
	                                               : ours / published,
	                        .kind = taken ? SCORE_TAKEN : kind_of(figure, row, c),
	                        .is_gain = !bound && isfinite(ours) && fabs(gain(column, published)) >= least_gain,
	                        .cause = experiment_cause_of(experiment, name, column->name)};
	score->turned = score->is_gain && gain(column, published) * gain(column, ours) < 0;
	score->verdict = judge(score->points, score->cause);
}

/* Counts the pairs of things of which the column's published numbers differ. */
static void count_pairs(struct scored *of, const struct figure *figure, size_t c)
{
	const struct experiment_column *column = &figure->experiment->columns[c];
	for (size_t a = 0; a < figure_things(figure); a++)
		for (size_t b = 0; b < a; b++) {
			double published =
				points_of(column, figure_published(figure, a, c), figure_published(figure, b, c));
			double ours = figure_ours(figure, a, c) - figure_ours(figure, b, c);
			if (figure_bound(figure, a, c) || figure_bound(figure, b, c) || !isfinite(ours) ||
			    !(fabs(published) >= least_step))
				continue;
			of->pairs++;
			of->ordered += ours * (figure_published(figure, a, c) - figure_published(figure, b, c)) > 0;
		}
}

void scorecard_figure(struct scorecard *card, struct scored *of, const struct figure *figure)
{
	const struct experiment *experiment = figure->experiment;
	size_t things = figure_things(figure);
	for (size_t thing = 0; thing < things; thing++)
		for (size_t c = 0; c < experiment->column_count; c++)
			if (isfinite(figure_published(figure, thing, c)))
				add_number(card, of, figure, thing, c);
	for (size_t c = 0; c < experiment->column_count; c++) {
		if (isfinite(experiment->published_mean.number[c]) && experiment->mean != MEAN_NONE)
			add_number(card, of, figure, things, c);
		count_pairs(of, figure, c);
	}
}

struct score_counts scorecard_count(const struct scorecard *card, const char *paper)
{
	struct score_counts counts = {0};
	for (size_t i = 0; i < card->count; i++)
		if (!paper || strcmp(card->list[i].of->paper, paper) == 0)
			counts.by[card->list[i].kind][card->list[i].verdict]++;
	return counts;
}

/* --- CSV --- */

static void write_csv(const void *context, FILE *file)
{
	const struct scorecard *card = context;
	fputs("paper,place,experiment,row,column,from,machine,size,ours,published,points,verdict,cause,proof,page\n",
	      file);
	for (size_t i = 0; i < card->count; i++) {
		const struct score *score = &card->list[i];
		const struct experiment_cause none = {0}, *cause = score->cause ? score->cause : &none;
		char points[32] = "";
		if (!isnan(score->points))
			snprintf(points, sizeof points, "%.10g", score->points);
		const char *const texts[] = {score->of->paper, score->of->experiment->source,
		                             score->of->name,  score->row,
		                             score->column,    score_kind_name(score->kind),
		                             score->machine,   score->of->size,
		                             score->ours,      score->published,
		                             points,           score_verdict_name(score->verdict),
		                             cause->cause,     cause->proof,
		                             cause->page};
		for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
			fputs(t ? "," : "", file);
			csv_text(texts[t] ? texts[t] : "", file);
		}
		fputc('\n', file);
	}
}

static void write_script(const void *context, const char *path, FILE *file)
{
	scorecard_script(context, path, file);
}

bool scorecard_files(const struct scorecard *card, const char *command, const char *folder, const char *name)
{
	const struct report_writer writer = {card, write_csv, write_script};
	return report_write(&writer, command, folder, name);
}
