/* scorecard: every published number of the papers next to ours, with the difference, a verdict and, for large
 * differences, the cause. It is made from the experiments' own `published` entries. */
#ifndef SLUICE_LAB_SCORECARD_H
#define SLUICE_LAB_SCORECARD_H

#include "lab/plan.h"

#include <stdio.h>

/* Where our value comes from. */
enum score_kind {
	SCORE_RUN,     /* simulated, and depends on the machine */
	SCORE_CODE,    /* counted in a run, but depends only on the compiled program: instructions, threads */
	SCORE_SOURCE,  /* a static fact of a program's source */
	SCORE_SETTING, /* a key of a machine, or a size that a mechanism's configuration implies */
	SCORE_TAKEN,   /* the published number itself: no result of ours */
	SCORE_KINDS
};

/* In points: percentages and ratios are subtracted; other numbers differ by percent of the published one. */
enum score_verdict {
	SCORE_WITHIN_5, /* also: the bound holds, and for texts: equal */
	SCORE_WITHIN_10,
	SCORE_PROVEN,  /* beyond; an experiment brings the difference about */
	SCORE_CLAIMED, /* beyond; a cause is stated, but no experiment proves it */
	SCORE_UNKNOWN, /* beyond; no cause is stated */
	SCORE_MISSING, /* ours has no value: no run is stored, or it failed */
	SCORE_VERDICTS
};

/* An experiment of which numbers are listed. */
struct scored {
	const struct experiment *experiment;
	const char *paper, *name, *size; /* size: NULL if nothing runs */
	size_t pairs,
		ordered; /* pairs of a column's numbers that differ by a point or more; those in the paper's order */
};

struct score {
	const struct scored *of;
	const char *row, *column, *machine; /* column, machine: "" if it has none */
	const char *ours, *published;       /* as texts */
	double points;                      /* NAN: a text, or no value; infinite: the published number is 0 */
	double quotient; /* ours over the published one, of percentages that of what they stand for; NAN: none */
	enum score_kind kind;
	enum score_verdict verdict;
	bool turned;                          /* the paper's gain is a loss here, or the reverse */
	bool is_gain;                         /* the published number is a gain or a loss of half a point or more */
	const struct experiment_cause *cause; /* NULL: none */
};

struct scorecard {
	struct arena *arena; /* the caller's, holds all texts */
	struct score *list;
	size_t count, room;
};

/* Adds a published text. `kind` is ignored for rows and experiments with `taken`. */
void scorecard_text(struct scorecard *card, const struct scored *of, const struct experiment_row *row,
                    const char *column, const char *machine, enum score_kind kind, const char *ours,
                    const char *published);

/* Adds the published numbers of a figure, and counts `of`'s pairs. */
void scorecard_figure(struct scorecard *card, struct scored *of, const struct figure *figure);

void scorecard_free(struct scorecard *card);

/* How many numbers have a verdict, by kind. */
struct score_counts {
	size_t by[SCORE_KINDS][SCORE_VERDICTS];
};

/* Counts the numbers of a paper; NULL: all papers. */
struct score_counts scorecard_count(const struct scorecard *card, const char *paper);

/* The name of a verdict, and of a kind of numbers. */
const char *score_verdict_name(enum score_verdict verdict);
const char *score_kind_name(enum score_kind kind);

/* Prints counts by paper, then each number, grouped by experiment, at most REPORT_WIDTH wide. */
void scorecard_table(const struct scorecard *card, FILE *file);

/* Writes FOLDER/NAME.csv, .gp, .svg and .pdf. Returns false after a message that begins with `command`. */
bool scorecard_files(const struct scorecard *card, const char *command, const char *folder, const char *name);

/* Writes gnuplot's script: ours over the published number, by paper. */
void scorecard_script(const struct scorecard *card, const char *path, FILE *file);

#endif
