/* report: a figure as a table on the terminal, as CSV, and as a picture by gnuplot. */
#ifndef SLUICE_LAB_REPORT_H
#define SLUICE_LAB_REPORT_H

#include "lab/plan.h"

#include <stdio.h>

/* "IPC of two warp orders (a paper)" */
void report_title(const struct experiment *experiment, FILE *file);

/* Ours beside the paper's, and by how many percent ours is more (percentages: by how many points). */
void report_table(const struct figure *figure, const char *size, FILE *file);

/* A line a cell. */
void report_csv(const struct figure *figure, const struct plan *plan, FILE *file);

/* Writes gnuplot's script, which draws PATH.svg and PATH.pdf. */
void report_script(const struct figure *figure, const char *path, FILE *file);

/* FOLDER/NAME.csv, .gp, .svg and .pdf. False after a message. */
bool report_files(const struct figure *figure, const struct plan *plan, const char *folder, const char *name);

/* A field of CSV, quoted where it must be. */
void report_csv_text(const char *text, FILE *file);

#endif
