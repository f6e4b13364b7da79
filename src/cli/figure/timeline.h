/* timeline: the figure of an experiment that shows timelines. Its runs are repeated every time. */
#ifndef SLUICE_CLI_FIGURE_TIMELINE_H
#define SLUICE_CLI_FIGURE_TIMELINE_H

#include "lab/plan.h"

/* Runs the experiment, stores the runs in the file `results` like all others, and writes the figure OUT/NAME. Returns
 * the exit status. */
int figure_timeline(const struct experiment *experiment, const struct plan_source *source, const struct plan_way *way,
                    const char *results, const char *out, const char *name);

#endif
