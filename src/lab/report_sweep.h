/* report_sweep: a sweep as a list: one line per run, with the values of its axes and the experiment's metric. */
#ifndef SLUICE_LAB_REPORT_SWEEP_H
#define SLUICE_LAB_REPORT_SWEEP_H

#include "lab/plan.h"

/* Writes the list for people: only axes with several values, and at most `most` lines. */
void report_sweep_table(const struct figure *figure, const struct plan *plan, size_t most, FILE *file);

/* Writes all runs to FOLDER/NAME.runs.csv. Returns false after a message. */
bool report_sweep_csv(const struct figure *figure, const struct plan *plan, const char *folder, const char *name);

#endif
