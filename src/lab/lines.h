/* lines: a figure over numbers: where columns stand is a number (`at`), and those of a line are its points. A table that goes down with the
 * numbers, and a picture with lines, whose left axis is of what is shown first and whose right axis is of what is shown second. */
#ifndef SLUICE_LAB_LINES_H
#define SLUICE_LAB_LINES_H

#include "lab/plan.h"

#include <stdio.h>

/* The columns of a line, sorted by where they stand. */
struct line {
	const char *name;                      /* "" where the file has none */
	const struct experiment_column *shown; /* one of them: what all show */
	size_t *columns, count;
	size_t axis; /* 0: that of what is shown first, 1, ... */
};

struct lines {
	struct line *line;
	size_t count, axes;
	double *at; /* all numbers at which a column stands, from the least on */
	size_t at_count;
};

/* Of an experiment that is over something; lines_free() them. */
struct lines lines_of(const struct experiment *experiment);
void lines_free(struct lines *lines);

/* The line's column there; SIZE_MAX: none. */
size_t lines_column(const struct experiment *experiment, const struct line *line, double at);

/* Whether pictures put the numbers on a logarithmic axis: three or more, which are all powers of two or each the same
 * multiple of the one before. */
bool lines_are_logarithmic(const struct lines *lines);

/* A table for each row, and one for the mean, if there is one: a number a line, of all lines beside each other. */
void lines_table(const struct figure *figure, FILE *file);

/* gnuplot's script, which writes PATH.svg and PATH.pdf: a panel for the mean, where there is one, and one for each row. */
void lines_script(const struct figure *figure, const char *path, FILE *file);

#endif
