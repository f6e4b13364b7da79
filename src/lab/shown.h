/* shown: what all pictures of a figure show: its rows, or what they are sizes of, and behind them the mean, by column. */
#ifndef SLUICE_LAB_SHOWN_H
#define SLUICE_LAB_SHOWN_H

#include "lab/plan.h"

#include <stdio.h>

/* Rows, or spreads where there are any. Number shown_things() is the mean. */
size_t shown_things(const struct figure *figure);
const char *shown_name(const struct figure *figure, size_t thing);
double shown_ours(const struct figure *figure, size_t thing, size_t column);
double shown_published(const struct figure *figure, size_t thing, size_t column);

/* What columns like this show: "IPC over Baseline, percent"; "" when nothing says it. */
void shown_what(const struct experiment_column *column, char *text, size_t size);

/* The same as gnuplot's label of an axis, "y" or "y2", on two lines where it is longer than
 * so many inches. */
void shown_axis_label(const struct experiment_column *column, const char *axis, double height, FILE *file);

#endif
