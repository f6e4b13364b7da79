/* report: a figure as a table on the terminal, as CSV, and as a picture (lab/picture.h). */
#ifndef SLUICE_LAB_REPORT_H
#define SLUICE_LAB_REPORT_H

#include "base/file.h"
#include "lab/plan.h"

#include <stdio.h>

enum { REPORT_WIDTH = 100 }; /* letters of a line, at most, where a single column does not take more */

/* "IPC of two warp orders (a paper)" */
void report_title(const struct experiment *experiment, FILE *file);

/* Ours beside the paper's and the difference, at most REPORT_WIDTH wide: more columns go below, with the rows again. */
void report_table(const struct figure *figure, const char *size, FILE *file);

/* A text of any length, on lines of that width. */
void report_text(const char *text, FILE *file);

/* A line a cell. */
void report_csv(const struct figure *figure, const struct plan *plan, FILE *file);

/* What writes a figure's files. */
struct report_writer {
	const void *context;
	void (*csv)(const void *context, FILE *file);
	void (*script)(const void *context, const char *path,
	               FILE *file); /* gnuplot's, which draws PATH.svg and PATH.pdf */
};

/* Puts a file of a figure, which file_new_stream() has opened (NULL: has not), in its place. False after a message. */
bool report_close(struct file_new *place, FILE *file, const char *command, const char *path);

/* FOLDER/NAME.csv, .gp, .svg and .pdf. False after a message. */
bool report_write(const struct report_writer *writer, const char *command, const char *folder, const char *name);

/* The same of a figure of bars. */
bool report_files(const struct figure *figure, const struct plan *plan, const char *folder, const char *name);

/* The larger of `largest` and the size of `value`; `largest` where `value` is not finite. */
double report_larger(double largest, double value);

/* How many digits after the point a column of a table has whose largest number is `largest`: 0 to 4. All its numbers have
 * these, so that their points stand below each other. */
int report_digits(double largest);

/* Writes a number of a table; "-" for what is not finite. */
void report_number(double value, int digits, char text[32]);

/* By how many percent ours is more than the paper's; of percentages, by how many points. */
double report_difference(const struct experiment_column *column, double ours, double published);

const char *report_mean_name(enum experiment_mean mean);

#endif
