/* report: declarations shared by the files of `sluice report`. Runs are collected from the given files as JSON, which
 * the page's scripts read (report/data.js). Each name occurs once, in a list; elsewhere it is replaced by its index.
 * The figures of a run are arrays of numbers.
 *
 *   files           file names
 *   texts           values of the runs' facts
 *   counters        names; `meanings`: [unit, scope, meaning, "sum" or "largest"] of the known ones, by name
 *   causes          names of the causes of the cycle stack
 *   kernels         [symbol, name in C++]
 *   shapes          lists of counter indexes: the counters that a run has, in order
 *   configurations  machines: the first complete; for all others the keys that differ from it (null: missing)
 *   keys            [unit, meaning] of the machine's keys and of mechanisms' options (NAME.KEY), by name
 *   figures         figures of experiments: see figures.c; scorecard: see scorecard.c
 *   runs            see run.c, launches.c, streams.c and limits.c; additional data: samples.c, timeline.c; profiles are
 *                   included unchanged
 */
#ifndef SLUICE_CLI_REPORT_H
#define SLUICE_CLI_REPORT_H

#include "cli/commands.h"
#include "cli/figure/study.h"
#include "cli/run_filters.h"

#include <jansson.h>

/* Names and their indexes. */
struct dictionary {
	json_t *names, *numbers;
};

/* Returns the name's index, and adds the name when it is new. */
json_t *dictionary_number(struct dictionary *dictionary, const char *name);
/* Returns the index of a value, and appends it to `list` when it is new. */
json_t *dictionary_value(struct dictionary *dictionary, json_t *list, json_t *value);
void dictionary_close(struct dictionary *dictionary);

struct collection {
	const char *command; /* "sluice report" */
	size_t launches;     /* at most this many launches of a run are stored separately */
	struct run_filters filters;
	json_t *files, *figures, *scorecard, *runs, *shapes, *kernels, *configurations;
	struct dictionary texts, counters, causes, kernel_numbers, shape_numbers, configuration_numbers;
	/* the run of the last statistics file, which following samples, timelines and profiles extend; or NULL */
	json_t *last;
};

void collection_open(struct collection *collection, const char *command);
void collection_close(struct collection *collection);

/* Returns all collected data, with the meanings of names. */
json_t *collection_json(const struct collection *collection);

/* Adds the contents of a file, whose type is detected. Returns false after a message. */
bool report_take(struct collection *collection, const char *path);

/* --- one function per file type; each returns false after a message that names the file --- */

/* True when the file is a results file (SQLite). */
bool report_is_store(const char *path);
bool report_take_store(struct collection *collection, const char *path);
bool report_take_statistics(struct collection *collection, const char *path, json_t *root);
bool report_take_profile(struct collection *collection, const char *path, json_t *root);
/* Modifies the text. */
bool report_take_samples(struct collection *collection, const char *path, char *text);
bool report_take_timeline(struct collection *collection, const char *path, char *text);
bool report_take_trace(struct collection *collection, const char *path, const json_t *root);
/* report_take_perfetto() reads Perfetto's format, also compressed. report_is_perfetto() recognizes it by its first
 * bytes. */
bool report_take_perfetto(struct collection *collection, const char *path, const char *bytes, size_t length);
bool report_is_perfetto(const char *bytes, size_t length);

/* Adds the figures that the study names, from the runs in its results file. */
bool report_take_figures(struct collection *collection, struct study *study);
/* Adds all published numbers, from the runs in the study's results file. */
bool report_take_scorecard(struct collection *collection, struct study *study);

/* --- runs --- */

/* Adds a run that has only a name. */
json_t *report_run(struct collection *collection, const char *label);
/* Adds a fact to the run, unless the value is empty. */
void report_fact(struct collection *collection, json_t *run, const char *name, const char *value);
/* Adds the run's statistics, in the layout of docs/reference/statistics.md. */
void report_statistics(struct collection *collection, json_t *run, const json_t *stats);
/* Adds what limits the kernels of these statistics (limits.c). */
void report_limits(struct collection *collection, json_t *run, const json_t *stats);
/* Adds the launches and sessions of these statistics (launches.c). */
void report_launches(struct collection *collection, json_t *run, const json_t *stats);
/* Adds when launches and copies ran, if there are several streams or copies (streams.c). `rows`: of each launch, its
 * index among those of the run, where launches may be summed. */
void report_streams(json_t *run, const json_t *kernels, const json_t *rows, const json_t *copies);

/* --- events of a timeline --- */

struct report_event {
	json_int_t kernel, begin, end; /* in core cycles */
	const char *unit, *name, *args;
	json_int_t track;
};
struct report_timeline {
	json_t *columns[7]; /* in the order of the struct; texts are indexes */
	json_t *counters;   /* by name: {unit, kernel: [], cycle: [], value: []} */
	struct dictionary texts;
	/* launches whose beginnings are subtracted from cycles; none: cycles are already relative to the launch */
	struct report_launch *launches;
	size_t launch_count;
	size_t left_out, counted;
};
void report_timeline_open(struct report_timeline *timeline);
/* Records that a counter of the machine has this value from this cycle on. */
void report_timeline_count(struct report_timeline *timeline, const char *name, const char *unit, json_int_t cycle,
                           double value);
/* Adds the timeline to the collection's last run. Returns false after a message. */
bool report_timeline_close(struct report_timeline *timeline, struct collection *collection, const char *path);
/* Discards the timeline. */
void report_timeline_drop(struct report_timeline *timeline);

/* An event as in traces. Its cycles are relative to the machine's opening, also for a launch. Tracks have names: "warp
 * 3". */
struct report_traced {
	json_int_t kernel, launch, begin, end; /* `launch`: number of the launch that the event represents, else 0 */
	const char *unit, *track, *name, *args;
};
void report_timeline_trace(struct report_timeline *timeline, const struct report_traced *event);

/* True when there is a run for samples, a timeline or a profile; otherwise prints a message. */
bool report_has_run(const struct collection *collection, const char *path, const char *what);

/* --- the page --- */

/* Writes the page with the data. Returns false after a message; an existing file is then unchanged. */
bool report_write_page(const char *command, const char *path, const json_t *data);

#endif
