/* gnuplot: sizes and helpers shared by the scripts of all pictures. */
#ifndef SLUICE_LAB_GNUPLOT_H
#define SLUICE_LAB_GNUPLOT_H

#include "lab/axis.h"

#include <stdbool.h>
#include <stdio.h>

/* Inches, for a two-column page of the usual conferences, and for letters of POINTS. */
static const double column_width = 3.5, page_width = 7.16, letter_width = 0.056, line_height = 0.125;
enum { POINTS = 7 };

/* Writes a double-quoted string, in which a backslash is an escape character. */
void gnuplot_quote(const char *text, FILE *file);

/* Writes a blank and the number; non-finite values become a missing value. */
void gnuplot_number(double value, FILE *file);

/* Writes color, dashes and marks of a line. */
void gnuplot_line(size_t series, FILE *file);

/* Writes color and hatching of a series, one of 16 that differ in print, with or without a black outline. */
void gnuplot_fill(size_t series, bool outlined, FILE *file);

/* Writes range and marks of an axis: "x", "y" or "y2". Wide numbers are written in thousands, millions or thousands
 * of millions. */
void gnuplot_marks(const struct axis *axis, const char *which, FILE *file);

/* Begins and ends a picture with several panels, PATH.KIND, of this size in inches; `kind` is "svg" or "pdf". When
 * gnuplot's variable `suffix` is set, the file's name ends in it. */
void gnuplot_open(double width, double height, const char *path, const char *kind, FILE *file);
void gnuplot_close(FILE *file);

#endif
