/* report: a figure as a table on the terminal, as CSV, and as a picture (lab/picture.h). */
#ifndef SLUICE_LAB_REPORT_H
#define SLUICE_LAB_REPORT_H

#include "base/file.h"
#include "lab/plan.h"

#include <stdio.h>

enum { REPORT_WIDTH = 100 }; /* maximum width of a line in letters, unless a single column is wider */

/* "IPC of two warp orders (a paper)" */
void report_title(const struct experiment *experiment, FILE *file);

/* Writes our values next to the paper's, and the difference, at most REPORT_WIDTH wide. More columns follow below,
 * with the rows repeated. */
void report_table(const struct figure *figure, const char *size, FILE *file);

/* Writes a text of any length, in lines of that width. */
void report_text(const char *text, FILE *file);

/* Writes one line per cell. */
void report_csv(const struct figure *figure, const struct plan *plan, FILE *file);

/* Functions that write a figure's files. */
struct report_writer {
	const void *context;
	void (*csv)(const void *context, FILE *file);
	/* gnuplot's, which draws PATH.svg and PATH.pdf */
	void (*script)(const void *context, const char *path, FILE *file);
};

/* Closes a figure's file that file_new_stream() has opened (NULL: could not open), and moves it into place. Returns
 * false after a message. */
bool report_close(struct file_new *place, FILE *file, const char *command, const char *path);

/* Writes FOLDER/NAME.csv, .gp, .svg and .pdf. Returns false after a message. */
bool report_write(const struct report_writer *writer, const char *command, const char *folder, const char *name);

/* Writes these files for a figure of bars. */
bool report_files(const struct figure *figure, const struct plan *plan, const char *folder, const char *name);

/* Returns the larger of `largest` and the size of `value`; `largest` if `value` is not finite. */
double report_larger(double largest, double value);

/* Returns the number of digits after the point, 0 to 4, for a table's column whose largest number is `largest`. All its
 * numbers have the same number of digits, so that their points are aligned. */
int report_digits(double largest);

/* Formats a number as in tables; "-" for non-finite values. */
void report_number(double value, int digits, char text[32]);

/* Whether the whole text is a number, which is then stored. */
bool report_is_number(const char *text, double *value);

/* Formats a published number, "> 2.00" with a bound. */
void report_published(double published, char bound, int digits, char text[40]);

/* Returns by how many percent ours exceeds the paper's value; for percentages, by how many points. */
double report_difference(const struct experiment_column *column, double ours, double published);

const char *report_mean_name(enum experiment_mean mean);

#endif
