/* gantt: timelines of runs: what happened when on one SM, of several ways to run, one below the other with one axis of cycles: as a table, as CSV, and as
 * a picture (a Gantt chart).
 *
 * The runs write their timelines (`sluice run --timeline`, docs/how-to/over-time.md) into files that are read when they have ended. A lane is a
 * track of a mechanism, or a block slot; a series is a kind of event, which has a colour.
 */
#ifndef SLUICE_LAB_GANTT_H
#define SLUICE_LAB_GANTT_H

#include "lab/plan.h"
#include "sluice.h"

#include <stdio.h>

enum { GANTT_MOST = 10000000 }; /* events of a run, on all of its SMs */
#define GANTT_MOST_TEXT "10000000"

struct gantt_lane {
	const char *mechanism; /* "" of blocks */
	uint32_t slot, number; /* of a block; without slots (GANTT_NO_SLOT) the track */
	char name[48];
	bool any_block, blocks; /* its bars are of one block; of several */
	uint64_t block;
};
#define GANTT_NO_SLOT UINT32_MAX
#define GANTT_NO_BLOCK UINT64_MAX

struct gantt_bar {
	size_t series, lane;
	uint64_t block;     /* its number; GANTT_NO_BLOCK: not known */
	uint64_t begin, end; /* core cycles of the kernel */
};

/* A run, of which one launch is shown. */
struct gantt_panel {
	size_t row, column;
	const char *title, *kernel;
	uint32_t launch;
	uint64_t cycles; /* of the launch */
	struct gantt_bar *bars; /* in the order in which they begin */
	struct gantt_lane *lanes;
	size_t bar_count, lane_count;
};

struct gantt {
	const struct plan *plan;
	struct arena arena;
	const char **series; /* their names, as the experiment has them */
	size_t series_count;
	struct gantt_panel *panels;
	size_t panel_count;
	uint64_t end; /* of what is shown */
};

/* --- of the plan --- */

/* Takes down what a column's mechanisms draw; its machine must have the SM. False after a message. */
bool gantt_look(struct plan *plan, size_t column, const sluice_gpu *gpu);
/* Each event of the experiment is drawn in some column, and in each column one of them. False after a message. */
bool gantt_check_events(const struct plan *plan);
/* The file for a run's timeline. */
const char *gantt_path(struct plan *plan, size_t run);
/* Whether "MECHANISM.event" or "block" is what an experiment calls so. */
bool gantt_is(const char *drawn, const char *wanted);

/* --- what is shown --- */

/* Reads the timelines of a plan whose runs have ended. False after messages. Zero-initialise; gantt_free() afterwards. */
bool gantt_take(struct gantt *gantt, const struct plan *plan);
void gantt_free(struct gantt *gantt);

/* The launch that a panel shows, and all bars and blocks of it. False after a message. */
bool gantt_read(struct gantt *gantt, struct gantt_panel *panel);

/* How many cycles of a bar are shown. */
uint64_t gantt_shown(const struct gantt *gantt, const struct gantt_bar *bar);

void gantt_table(const struct gantt *gantt, FILE *file);
void gantt_csv(const struct gantt *gantt, FILE *file);
/* Writes gnuplot's script, which draws PATH.svg and PATH.pdf. */
void gantt_script(const struct gantt *gantt, const char *path, FILE *file);

#endif
