/* scorecard: every published number of the papers next to ours ('sluice figure --scorecard'). */
#ifndef SLUICE_CLI_FIGURE_SCORECARD_H
#define SLUICE_CLI_FIGURE_SCORECARD_H

#include "cli/figure/study.h"
#include "lab/scorecard.h"

/* Adds the published numbers of all experiments of the papers, which are some of program_papers, NULL-terminated. Makes
 * missing runs unless study->no_run. The study is prepared. Returns the exit status, after messages. */
int figure_take_scores(struct study *study, const char *const *papers, struct scorecard *card);

/* Prints the list for the papers that are the study's names, or for all papers, and writes its files. Returns the exit
 * status. */
int figure_scorecard(struct study *study);

#endif
