/* gnuplot: what the scripts of all pictures share. */
#ifndef SLUICE_LAB_GNUPLOT_H
#define SLUICE_LAB_GNUPLOT_H

#include "lab/axis.h"

#include <stdbool.h>
#include <stdio.h>

/* Inches, of a two-column page of the usual conferences, and of letters of POINTS. */
static const double column_width = 3.5, page_width = 7.16, letter_width = 0.056, line_height = 0.125;
enum { POINTS = 7 };

/* In double quotes, where a backslash means something. */
void gnuplot_quote(const char *text, FILE *file);

/* With a blank before it; what is not finite is not there. */
void gnuplot_number(double value, FILE *file);

/* Colour, dashes and marks of a line. */
void gnuplot_line(size_t series, FILE *file);

/* Colour and hatching of a series: four colours whose greys are apart, then four hatched; with a black outline, or none. */
void gnuplot_fill(size_t series, bool outlined, FILE *file);

/* Range and marks of an axis: "x", "y" or "y2". Numbers that would be wide are written in thousands, millions or thousands of millions. */
void gnuplot_marks(const struct axis *axis, const char *which, FILE *file);

/* Begins and ends a picture of so many inches with several panels, PATH.KIND: "svg" or "pdf". */
void gnuplot_open(double width, double height, const char *path, const char *kind, FILE *file);
void gnuplot_close(FILE *file);

#endif
