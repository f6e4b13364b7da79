/* shown: the contents that all pictures of a figure share: its rows, or the things that rows are sizes of, followed
 * by the mean; by column. */
#ifndef SLUICE_LAB_SHOWN_H
#define SLUICE_LAB_SHOWN_H

#include "lab/plan.h"

#include <stdio.h>

/* Number of rows, or of spreads if there are any. The index shown_things() is the mean. */
size_t shown_things(const struct figure *figure);
const char *shown_name(const struct figure *figure, size_t thing);
double shown_ours(const struct figure *figure, size_t thing, size_t column);
double shown_published(const struct figure *figure, size_t thing, size_t column);

/* Whether pictures draw the column's ratios as percent over the base: true when the ratios of all columns that share
 * its axis lie between 0.5 and 2. Bars of such ratios on an axis from zero differ too little. */
bool shown_in_percent(const struct figure *figure, size_t column);

/* Returns a ratio as percent over the base: 1.05 is 5. */
double shown_percent(double ratio);

/* Writes the axis label of a column: "IPC over Baseline", "speedup over Baseline, %"; "" when the experiment has
 * neither unit nor base. `percent` is shown_in_percent() of the column. */
void shown_what(const struct experiment_column *column, bool percent, char *text, size_t size);

/* Writes gnuplot's label of the axis `axis` ("x", "y" or "y2"), in two lines if it is longer than `height` inches. */
void shown_axis_label(const char *text, const char *axis, double height, FILE *file);

#endif
