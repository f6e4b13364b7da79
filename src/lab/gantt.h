/* gantt: timelines of runs on one SM, for several ways to run, with a common axis of cycles. Output as a table, as
 * CSV, and as a picture (a Gantt chart).
 *
 * The runs write their timelines (`sluice run --timeline`, docs/how-to/over-time.md) into files, which are read when
 * they have ended. A lane is a track of a mechanism, or a block slot. A series is a kind of event, with its own color.
 */
#ifndef SLUICE_LAB_GANTT_H
#define SLUICE_LAB_GANTT_H

#include "lab/plan.h"
#include "sluice.h"

#include <stdio.h>

enum { GANTT_MOST = 10000000 }; /* events of a run, on all of its SMs */
#define GANTT_MOST_TEXT "10000000"

struct gantt_lane {
	const char *mechanism; /* "" for blocks */
	/* block slot and number of the track in it; without slots (slot == GANTT_NO_SLOT), number is the track */
	uint32_t slot, number;
	char name[48];
	bool any_block, blocks; /* any_block: a bar's block is known; blocks: bars of several blocks */
	uint64_t block;
};
#define GANTT_NO_SLOT UINT32_MAX
#define GANTT_NO_BLOCK UINT64_MAX

struct gantt_bar {
	size_t series, lane;
	uint64_t block;     /* number of the block; GANTT_NO_BLOCK: unknown */
	uint64_t begin, end; /* core cycles of the kernel */
};

/* A run, of which one launch is shown. */
struct gantt_panel {
	size_t row, column;
	const char *title, *kernel;
	uint32_t launch;
	uint64_t cycles; /* of the launch */
	struct gantt_bar *bars; /* sorted by begin */
	struct gantt_lane *lanes;
	size_t bar_count, lane_count;
};

struct gantt {
	const struct plan *plan;
	struct arena arena;
	const char **series; /* names, as in the experiment */
	size_t series_count;
	struct gantt_panel *panels;
	size_t panel_count;
	uint64_t end; /* of the cycles shown */
};

/* --- planning --- */

/* Collects the events that a column's mechanisms draw. Its machine must have the SM. Returns false after a message. */
bool gantt_look(struct plan *plan, size_t column, const sluice_gpu *gpu);
/* Checks that some column draws each event of the experiment, and that each column draws at least one of them.
 * Returns false after a message. */
bool gantt_check_events(struct plan *plan);
/* Returns the path of the file for a run's timeline. */
const char *gantt_path(struct plan *plan, size_t run);
/* Whether the experiment's name `wanted` matches "MECHANISM.event" or "block". */
bool gantt_is(const char *drawn, const char *wanted);

/* --- results --- */

/* Reads the timelines of a plan whose runs have ended. Returns false after messages. Zero-initialize; call
 * gantt_free() afterwards. */
bool gantt_take(struct gantt *gantt, const struct plan *plan);
void gantt_free(struct gantt *gantt);

/* Reads the launch that a panel shows, with its bars and blocks. Returns false after a message. */
bool gantt_read(struct gantt *gantt, struct gantt_panel *panel);

/* Returns the number of a bar's cycles that are shown. */
uint64_t gantt_shown(const struct gantt *gantt, const struct gantt_bar *bar);

void gantt_table(const struct gantt *gantt, FILE *file);
void gantt_csv(const struct gantt *gantt, FILE *file);
/* Writes gnuplot's script, which draws PATH.svg and PATH.pdf. */
void gantt_script(const struct gantt *gantt, const char *path, FILE *file);

#endif
