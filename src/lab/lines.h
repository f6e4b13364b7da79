/* lines: a figure over numbers: each column has a position (`at`), and the columns of a line are its points. Output
 * as tables with one line per number, and as a picture with lines. Its left axis is for the quantity shown first,
 * its right axis for the second. */
#ifndef SLUICE_LAB_LINES_H
#define SLUICE_LAB_LINES_H

#include "lab/plan.h"

#include <stdio.h>

/* The columns of a line, sorted by position. */
struct line {
	const char *name;                      /* "" if the file gives none */
	const struct experiment_column *shown; /* one of the columns, which represents the quantity that all show */
	size_t *columns, count;
	size_t axis; /* 0: axis of the quantity shown first, 1, ... */
};

struct lines {
	struct line *line;
	size_t count, axes;
	double *at; /* all positions of columns, ascending */
	size_t at_count;
};

/* Builds the lines of an experiment with `over`; free with lines_free(). */
struct lines lines_of(const struct experiment *experiment);
void lines_free(struct lines *lines);

/* Returns the line's column at a position; SIZE_MAX when there is none. */
size_t lines_column(const struct experiment *experiment, const struct line *line, double at);

/* Whether pictures put the numbers on a logarithmic axis: three or more, which are all powers of two or form a
 * geometric sequence. */
bool lines_are_logarithmic(const struct lines *lines);

/* Writes a table for each row, and one for the mean if there is one. A table has a line per number and a column per
 * line of the figure. */
void lines_table(const struct figure *figure, FILE *file);

/* Writes gnuplot's script, which draws PATH.svg and PATH.pdf: a panel for the mean if there is one, and one for each
 * row. */
void lines_script(const struct figure *figure, const char *path, FILE *file);

#endif
