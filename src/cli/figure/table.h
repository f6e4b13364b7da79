/* table: tables of texts compared with a paper: a machine's keys, a mechanism's costs, programs. Nothing is
 * run. */
#ifndef SLUICE_CLI_FIGURE_TABLE_H
#define SLUICE_CLI_FIGURE_TABLE_H

#include "cli/programs/programs.h"
#include "lab/experiment.h"

/* Returns our texts of the table's cells, row by row; a table of programs has one column. NULL after messages. */
const char **figure_table_texts(struct program_request *request, const struct experiment *experiment);

/* Prints the table and writes OUT/NAME.csv. Returns the exit status. */
int figure_table(struct program_request *request, const struct experiment *experiment, const char *out,
                 const char *name);

#endif
