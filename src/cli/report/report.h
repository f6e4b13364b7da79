/* report: what the files of `sluice report` share. Runs are collected from the files that are named, as JSON that the page's scripts read
 * (report/data.js): names stand once, in lists, and all else says their number there; figures of a run are arrays of numbers.
 *
 *   files           names of the files
 *   texts           facts of runs: values
 *   counters        names, and `meanings`: [unit, scope, meaning, "sum" or "largest"] of those that are known, by name
 *   causes          of the cycle stack, names
 *   kernels         [symbol, name in C++]
 *   shapes          lists of numbers of counters: which ones a run has, in order
 *   configurations  of machines: the first whole, of all others the keys that are not as there (null: not there)
 *   keys            [unit, meaning] of the machine's keys and of mechanisms' options (NAME.KEY), by name
 *   figures         those of experiments: see figures.c
 *   runs            see run.c, launches.c; what belongs to a run besides: samples.c, timeline.c; a profile stands there as it was
 */
#ifndef SLUICE_CLI_REPORT_H
#define SLUICE_CLI_REPORT_H

#include "cli/commands.h"
#include "cli/figure/study.h"
#include "cli/run_filters.h"

#include <jansson.h>

/* Names and their numbers. */
struct dictionary {
	json_t *names, *numbers;
};

json_t *dictionary_number(struct dictionary *dictionary, const char *name);
/* The same of a value, which is put into `list` when it is new. */
json_t *dictionary_value(struct dictionary *dictionary, json_t *list, json_t *value);
void dictionary_close(struct dictionary *dictionary);

struct collection {
	const char *command; /* "sluice report" */
	size_t launches;     /* of a run that are kept apart, at most */
	struct run_filters filters;
	json_t *files, *figures, *runs, *shapes, *kernels, *configurations;
	struct dictionary texts, counters, causes, kernel_numbers, shape_numbers, configuration_numbers;
	json_t *last; /* the run of the statistics named last, to which samples, timelines and profiles belong; or NULL */
};

void collection_open(struct collection *collection, const char *command);
void collection_close(struct collection *collection);

/* All of it, with what names mean. */
json_t *collection_json(const struct collection *collection);

/* Adds what is in a file, by its contents. False after a message. */
bool report_take(struct collection *collection, const char *path);

/* --- of a file each; false after a message that names it --- */

bool report_is_store(const char *path);
bool report_take_store(struct collection *collection, const char *path);
bool report_take_statistics(struct collection *collection, const char *path, json_t *root);
bool report_take_profile(struct collection *collection, const char *path, json_t *root);
/* The text is changed. */
bool report_take_samples(struct collection *collection, const char *path, char *text);
bool report_take_timeline(struct collection *collection, const char *path, char *text);
bool report_take_trace(struct collection *collection, const char *path, const json_t *root);
/* Of Perfetto's format, also compressed; whether it is that by its first bytes. */
bool report_take_perfetto(struct collection *collection, const char *path, const char *bytes, size_t length);
bool report_is_perfetto(const char *bytes, size_t length);

/* Adds the figures of the study that it names, of the runs in its results. */
bool report_take_figures(struct collection *collection, struct study *study);

/* --- runs --- */

/* A new run, of which nothing is known but its name. */
json_t *report_run(struct collection *collection, const char *label);
/* A fact of it, unless it is empty. */
void report_fact(struct collection *collection, json_t *run, const char *name, const char *value);
/* What its statistics say, in the layout of docs/reference/statistics.md. */
void report_statistics(struct collection *collection, json_t *run, const json_t *stats);
/* Of these, the launches (launches.c). */
void report_launches(struct collection *collection, json_t *run, const json_t *kernels);

/* --- events of a timeline --- */

struct report_event {
	json_int_t kernel, begin, end; /* in core cycles */
	const char *unit, *name, *args;
	json_int_t track;
};
struct report_timeline {
	json_t *columns[7]; /* in the order of the struct; texts are numbers */
	json_t *counters;   /* by name: {unit, kernel: [], cycle: [], value: []} */
	struct dictionary texts;
	struct report_launch *launches; /* those that cycles are to be counted from; none: they are counted from the kernel's launch as they come */
	size_t launch_count;
	size_t left_out, counted;
};
void report_timeline_open(struct report_timeline *timeline);
void report_timeline_add(struct report_timeline *timeline, const struct report_event *event);
/* From this cycle on a counter of the machine has been that much. */
void report_timeline_count(struct report_timeline *timeline, const char *name, const char *unit, json_int_t cycle, double value);
/* Makes it that of the run that samples and timelines belong to. False after a message. */
bool report_timeline_close(struct report_timeline *timeline, struct collection *collection, const char *path);
/* Drops it instead. */
void report_timeline_drop(struct report_timeline *timeline);

/* An event as traces have it: cycles are counted from the machine's opening, of a kernel's launch too; tracks have names: "warp 3". */
struct report_traced {
	json_int_t kernel, launch, begin, end; /* launch: its number when that is what the event is of, else 0 */
	const char *unit, *track, *name, *args;
};
void report_timeline_trace(struct report_timeline *timeline, const struct report_traced *event);

/* Whether there is a run to which samples, a timeline or a profile belongs; else a message. */
bool report_has_run(const struct collection *collection, const char *path, const char *what);

/* --- the page --- */

/* Writes the page with these data. False after a message; there is no file then, or the one that was there. */
bool report_write_page(const char *command, const char *path, const json_t *data);

#endif
