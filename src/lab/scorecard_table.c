/* The list of all published numbers on the terminal. */
#include "base/diag.h"
#include "lab/report.h"
#include "lab/scorecard.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 46, NUMBER = 11, NOTES = 64 };

static size_t sum(const size_t by[SCORE_VERDICTS])
{
	size_t total = 0;
	for (size_t v = 0; v < SCORE_VERDICTS; v++)
		total += by[v];
	return total;
}

/* --- counts --- */

static int count_width(size_t verdict)
{
	return verdict == SCORE_WITHIN_5 ? 8 : verdict == SCORE_WITHIN_10 ? 9 : 12;
}

static void print_counts(const char *name, const char *kind, const size_t by[SCORE_VERDICTS], bool taken, FILE *file)
{
	fprintf(file, "%-12s %-8s %5zu", name, kind, sum(by));
	for (size_t v = 0; v < SCORE_VERDICTS; v++)
		if (taken)
			fprintf(file, " %*s", count_width(v), "-");
		else
			fprintf(file, " %*zu", count_width(v), by[v]);
	fputc('\n', file);
}

static void print_paper(const struct scorecard *card, const char *paper, FILE *file)
{
	const struct score_counts counts = scorecard_count(card, paper);
	const char *name = paper ? paper : "all";
	for (size_t kind = 0; kind < SCORE_KINDS; kind++) {
		if (!sum(counts.by[kind]))
			continue;
		print_counts(name, score_kind_name((enum score_kind)kind), counts.by[kind], kind == SCORE_TAKEN, file);
		name = "";
	}
}

__attribute__((format(printf, 2, 3))) static void print_text(FILE *file, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	char *text = diag_format(format, arguments);
	va_end(arguments);
	report_text(text, file);
	free(text);
}

static void print_share(const struct scorecard *card, FILE *file)
{
	const struct score_counts counts = scorecard_count(card, NULL);
	const size_t *runs = counts.by[SCORE_RUN];
	size_t total = sum(runs), good = runs[SCORE_WITHIN_5] + runs[SCORE_WITHIN_10];
	if (total)
		print_text(file,
		           "Numbers of runs within 10 points: %.0f %% of %zu; these and those with a proven cause: "
		           "%.0f %%.",
		           100 * (double)good / (double)total, total,
		           100 * (double)(good + runs[SCORE_PROVEN]) / (double)total);
}

static void print_signs(const struct scorecard *card, FILE *file)
{
	size_t gains = 0, turned = 0, pairs = 0, ordered = 0;
	const struct scored *last = NULL;
	for (size_t i = 0; i < card->count; last = card->list[i++].of) {
		const struct score *score = &card->list[i];
		gains += score->is_gain;
		turned += score->turned;
		pairs += score->of == last ? 0 : score->of->pairs;
		ordered += score->of == last ? 0 : score->of->ordered;
	}
	if (gains)
		print_text(file, "Gains and losses of half a point or more with the paper's sign: %zu of %zu.",
		           gains - turned, gains);
	if (pairs)
		print_text(file,
		           "Pairs of a column's numbers, a point or more apart, in the paper's order: %zu of %zu.",
		           ordered, pairs);
}

static void print_summary(const struct scorecard *card, FILE *file)
{
	const char *last = NULL;
	size_t papers = 0;
	fprintf(file, "Published numbers and ours\n\n%-12s %-8s %5s %8s %9s %12s %12s %12s %12s\n", "", "from", "count",
	        "within 5", "within 10", "cause proven", "cause stated", "no cause", "no value");
	for (size_t i = 0; i < card->count; i++) {
		const char *paper = card->list[i].of->paper;
		if (last && strcmp(paper, last) == 0)
			continue;
		print_paper(card, last = paper, file);
		papers++;
	}
	if (papers > 1)
		print_paper(card, NULL, file);
	fputc('\n', file);
	print_share(card, file);
	print_signs(card, file);
	print_text(file, "Points: ratios and percentages are subtracted; other numbers differ by percent of the "
	                 "published one. Taken: our value is the published one.");
}

/* --- numbers --- */

/* The causes of an experiment's numbers, in the order of their first use. */
struct notes {
	const struct experiment_cause *list[NOTES];
	size_t count;
};

static size_t note_of(struct notes *notes, const struct experiment_cause *cause)
{
	for (size_t i = 0; i < notes->count; i++)
		if (notes->list[i] == cause)
			return i + 1;
	if (notes->count == NOTES)
		return 0;
	notes->list[notes->count++] = cause;
	return notes->count;
}

static void print_score(const struct score *score, struct notes *notes, FILE *file)
{
	char name[256], points[32] = "-", verdict[64];
	bool texts = isnan(score->points), beyond = score->verdict >= SCORE_PROVEN;
	size_t note = beyond && score->cause && score->verdict < SCORE_MISSING ? note_of(notes, score->cause) : 0;
	snprintf(name, sizeof name, "%s%s%s", score->row, *score->column ? ", " : "", score->column);
	if (isfinite(score->points))
		snprintf(points, sizeof points, "%+.1f", fabs(score->points) < 0.05 ? 0 : score->points);
	snprintf(verdict, sizeof verdict, "%s",
	         score->kind == SCORE_TAKEN                          ? "taken"
	         : texts && score->verdict == SCORE_WITHIN_5         ? "same"
	         : beyond && score->verdict < SCORE_MISSING && texts ? "other"
	         : beyond && score->verdict < SCORE_MISSING          ? "beyond"
	                                                             : score_verdict_name(score->verdict));
	fprintf(file, "%-*s %*s %*s %8s  %s%s", NAME, name, NUMBER, score->ours, NUMBER, score->published, points,
	        verdict, score->turned ? ", sign" : "");
	if (note && score->kind != SCORE_TAKEN)
		fprintf(file, " (%zu)", note);
	fputc('\n', file);
}

/* "gtx480-d2ma, gtx480-d2ma-3.2.2" */
static void print_machines(const struct score *first, size_t count, FILE *file)
{
	for (size_t i = 0; i < count; i++) {
		bool told = !*first[i].machine;
		for (size_t k = 0; k < i; k++)
			told |= strcmp(first[k].machine, first[i].machine) == 0;
		if (!told)
			fprintf(file, ", %s", first[i].machine);
	}
}

static void print_heading(const struct score *first, size_t count, FILE *file)
{
	const struct scored *of = first->of;
	char *text = NULL;
	size_t length = 0;
	FILE *line = open_memstream(&text, &length);
	if (!line)
		abort();
	fprintf(line, "%s (%s): %s", of->experiment->source ? of->experiment->source : of->paper, of->name,
	        of->experiment->title);
	if (of->size)
		fprintf(line, "; size %s", of->size);
	print_machines(first, count, line);
	fclose(line);
	fputc('\n', file);
	report_text(text, file);
	free(text);
	fprintf(file, "%-*s %*s %*s %8s  %s\n", NAME, "", NUMBER, "ours", NUMBER, "published", "points", "verdict");
}

static void print_notes(const struct notes *notes, FILE *file)
{
	for (size_t i = 0; i < notes->count; i++) {
		const struct experiment_cause *cause = notes->list[i];
		print_text(file, "(%zu) %s %s%s%s%s.", i + 1, cause->cause,
		           cause->proof ? "Proven by " : "Not proven by an experiment",
		           cause->proof ? cause->proof : "", cause->page ? "; see " : "",
		           cause->page ? cause->page : "");
	}
}

void scorecard_table(const struct scorecard *card, FILE *file)
{
	print_summary(card, file);
	for (size_t i = 0; i < card->count;) {
		struct notes notes = {0};
		size_t count = 0;
		while (i + count < card->count && card->list[i + count].of == card->list[i].of)
			count++;
		print_heading(&card->list[i], count, file);
		for (size_t k = 0; k < count; k++)
			print_score(&card->list[i + k], &notes, file);
		print_notes(&notes, file);
		i += count;
	}
}
