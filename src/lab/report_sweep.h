/* report_sweep: a sweep as a list: a line a run with the values of its axes and what the experiment measures. */
#ifndef SLUICE_LAB_REPORT_SWEEP_H
#define SLUICE_LAB_REPORT_SWEEP_H

#include "lab/plan.h"

/* For people, the axes of several values; at most `most` lines. */
void report_sweep_table(const struct figure *figure, const struct plan *plan, size_t most, FILE *file);

/* FOLDER/NAME.runs.csv: all. False after a message. */
bool report_sweep_csv(const struct figure *figure, const struct plan *plan, const char *folder, const char *name);

#endif
