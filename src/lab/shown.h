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

/* Writes the quantity that such columns show: "IPC over Baseline, percent"; "" when nothing states it. */
void shown_what(const struct experiment_column *column, char *text, size_t size);

/* Writes it as gnuplot's label of an axis, "y" or "y2", in two lines if it is longer than `height` inches. */
void shown_axis_label(const struct experiment_column *column, const char *axis, double height, FILE *file);

#endif
