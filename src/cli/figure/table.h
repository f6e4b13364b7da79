/* table: tables of texts compared with a paper: a machine's keys, a mechanism's costs, programs. Nothing is
 * run. */
#ifndef SLUICE_CLI_FIGURE_TABLE_H
#define SLUICE_CLI_FIGURE_TABLE_H

#include "cli/programs/programs.h"
#include "lab/experiment.h"

/* Prints the table and writes OUT/NAME.csv. Returns the exit status. */
int figure_table(struct program_request *request, const struct experiment *experiment, const char *out, const char *name);

#endif
