/* figure_values: the values that all pictures of a figure share, by column: of its rows, or of the things that rows are
 * sizes of, followed by the mean. */
#ifndef SLUICE_LAB_FIGURE_VALUES_H
#define SLUICE_LAB_FIGURE_VALUES_H

#include "lab/plan.h"

#include <stdio.h>

/* Number of rows, or of spreads if there are any. The index figure_things() is the mean. */
size_t figure_things(const struct figure *figure);
const char *figure_name(const struct figure *figure, size_t thing);
double figure_ours(const struct figure *figure, size_t thing, size_t column);
double figure_published(const struct figure *figure, size_t thing, size_t column);
char figure_bound(const struct figure *figure, size_t thing, size_t column); /* as in struct published */

/* Whether pictures draw the column's ratios as percent over the base: true when the ratios of all columns that share
 * its axis lie between 0.5 and 2. Bars of such ratios on an axis from zero differ too little. */
bool figure_in_percent(const struct figure *figure, size_t column);

/* Returns a ratio as percent over the base: 1.05 is 5. */
double figure_percent(double ratio);

/* Writes the axis label of a column: "IPC over Baseline", "speedup over Baseline, %"; "" when the experiment has
 * neither unit nor base. `percent` is figure_in_percent() of the column. */
void figure_what(const struct experiment_column *column, bool percent, char *text, size_t size);

/* Writes gnuplot's label of the axis `axis` ("x", "y" or "y2"), in two lines if it is longer than `height` inches. */
void figure_axis_label(const char *text, const char *axis, double height, FILE *file);

#endif
