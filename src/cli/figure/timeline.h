/* figure_timeline: the figure of an experiment that shows timelines, whose runs are made anew each time. */
#ifndef SLUICE_CLI_FIGURE_TIMELINE_H
#define SLUICE_CLI_FIGURE_TIMELINE_H

#include "lab/plan.h"

/* Makes the runs, which are kept in the file `results` as others are, and the figure OUT/NAME. Returns the exit status. */
int figure_timeline(const struct experiment *experiment, const struct plan_source *source, const struct plan_way *way,
                    const char *results, const char *out, const char *name);

#endif
