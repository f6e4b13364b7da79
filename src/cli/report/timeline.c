/* Timelines of a run (docs/how-to/over-time.md): its `timeline`, with columns, texts and counters. This file reads CSV,
 * trace.c the Trace Event Format, perfetto.c Perfetto's format. */
#include "cli/report/report.h"

#include "base/arena.h"
#include "base/csv.h"

#include <stdlib.h>
#include <string.h>

/* Limits per page for events and counter values; launches are always included. */
enum { MOST_EVENTS = 200000, MOST_COUNTS = 200000 };

/* In the order of struct report_event. */
enum { KERNEL, BEGIN, CYCLES, UNIT, NAME, ARGS, TRACK, COLUMNS };

/* When a kernel ran, in cycles since the machine was opened. */
struct report_launch {
	json_int_t kernel, begin, end;
};

void report_timeline_open(struct report_timeline *timeline)
{
	*timeline = (struct report_timeline){.counters = json_object()};
	for (size_t i = 0; i < COLUMNS; i++)
		timeline->columns[i] = json_array();
}

static void add_event(struct report_timeline *timeline, const struct report_event *event)
{
	json_t *const values[COLUMNS] = {json_integer(event->kernel),
	                                 json_integer(event->begin),
	                                 json_integer(event->end - event->begin),
	                                 dictionary_number(&timeline->texts, event->unit),
	                                 dictionary_number(&timeline->texts, event->name),
	                                 dictionary_number(&timeline->texts, event->args),
	                                 json_integer(event->track)};
	for (size_t i = 0; i < COLUMNS; i++)
		json_array_append_new(timeline->columns[i], values[i]);
}

static void report_timeline_add(struct report_timeline *timeline, const struct report_event *event)
{
	if (json_array_size(timeline->columns[KERNEL]) < MOST_EVENTS)
		add_event(timeline, event);
	else
		timeline->left_out++;
}

void report_timeline_count(struct report_timeline *timeline, const char *name, const char *unit, json_int_t cycle,
                           double value)
{
	json_t *counter = json_object_get(timeline->counters, name);
	if (timeline->counted++ >= MOST_COUNTS)
		return;
	if (!counter) {
		counter = json_pack("{s: s, s: [], s: [], s: []}", "unit", unit, "kernel", "cycle", "value");
		json_object_set_new(timeline->counters, name, counter);
	}
	json_array_append_new(json_object_get(counter, "cycle"), json_integer(cycle));
	json_array_append_new(json_object_get(counter, "value"), json_real(value));
}

/* --- conversion of cycles since the machine's opening to cycles of kernels --- */

void report_timeline_trace(struct report_timeline *timeline, const struct report_traced *event)
{
	const char *number = strrchr(event->track, ' ');
	char name[512];
	bool is_machines = event->launch || strcmp(event->name, "block") == 0;
	size_t length = number && !is_machines ? (size_t)(number - event->track) : 0;
	snprintf(name, sizeof name, "%.*s%s%s", (int)length, event->track, is_machines ? "" : ".", event->name);
	const struct report_event shown = {.kernel = event->kernel,
	                                   .begin = event->begin,
	                                   .end = event->end,
	                                   .unit = event->unit,
	                                   .name = name,
	                                   .args = event->args,
	                                   .track = number ? strtoll(number, NULL, 10) : 0};
	if (!event->launch) {
		report_timeline_add(timeline, &shown);
		return;
	}
	add_event(timeline, &shown);
	timeline->launches =
		base_realloc(timeline->launches, (timeline->launch_count + 1) * sizeof *timeline->launches);
	timeline->launches[timeline->launch_count++] =
		(struct report_launch){.kernel = event->launch, .begin = event->begin, .end = event->end};
}

static int by_kernel(const void *one, const void *other)
{
	const struct report_launch *a = one, *b = other;
	return (a->kernel > b->kernel) - (a->kernel < b->kernel);
}

/* Returns the last launch with a kernel number (or begin) of at most `at`; NULL: none. Launches do not overlap. */
static const struct report_launch *last_launch(const struct report_timeline *timeline, bool by_begin, json_int_t at)
{
	size_t low = 0, high = timeline->launch_count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct report_launch *launch = &timeline->launches[middle];
		if ((by_begin ? launch->begin : launch->kernel) <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &timeline->launches[low - 1] : NULL;
}

/* Returns the cycle at which a kernel began. The last launch has no entry when the run or the timeline ended before it
 * did. It began where the previous one ended. */
static json_int_t begin_of(const struct report_timeline *timeline, json_int_t kernel)
{
	const struct report_launch *launch = last_launch(timeline, false, kernel);
	return !launch ? 0 : launch->kernel == kernel ? launch->begin : launch->end;
}

static void shift_number(json_t *list, size_t i, json_int_t by)
{
	json_t *number = json_array_get(list, i);
	json_integer_set(number, json_integer_value(number) - by);
}

/* Assigns a counter's values to kernels, and converts their cycles. */
static void place_counts(const struct report_timeline *timeline, json_t *counter)
{
	json_t *cycles = json_object_get(counter, "cycle");
	for (size_t i = 0; i < json_array_size(cycles); i++) {
		json_int_t cycle = json_integer_value(json_array_get(cycles, i));
		const struct report_launch *launch = last_launch(timeline, true, cycle);
		json_int_t kernel = !launch ? 1 : launch->kernel + (cycle >= launch->end);
		json_array_append_new(json_object_get(counter, "kernel"), json_integer(kernel));
		shift_number(cycles, i, begin_of(timeline, kernel));
	}
}

static void place(const struct report_timeline *timeline)
{
	const char *name;
	json_t *counter;
	if (timeline->launch_count)
		qsort(timeline->launches, timeline->launch_count, sizeof *timeline->launches, by_kernel);
	for (size_t i = 0; timeline->launch_count && i < json_array_size(timeline->columns[BEGIN]); i++) {
		json_int_t kernel = json_integer_value(json_array_get(timeline->columns[KERNEL], i));
		shift_number(timeline->columns[BEGIN], i, begin_of(timeline, kernel));
	}
	json_object_foreach(timeline->counters, name, counter) place_counts(timeline, counter);
}

/* --- adding to the run --- */

void report_timeline_drop(struct report_timeline *timeline)
{
	for (size_t i = 0; i < COLUMNS; i++)
		json_decref(timeline->columns[i]);
	json_decref(timeline->counters);
	dictionary_close(&timeline->texts);
	free(timeline->launches);
}

bool report_timeline_close(struct report_timeline *timeline, struct collection *collection, const char *path)
{
	static const char *const names[COLUMNS] = {"kernel", "begin", "cycles", "unit", "name", "args", "track"};
	bool fine = json_array_size(timeline->columns[KERNEL]) > 0;
	json_t *object = json_object();
	place(timeline);
	for (size_t i = 0; i < COLUMNS; i++)
		json_object_set(object, names[i], timeline->columns[i]);
	if (json_object_size(timeline->counters))
		json_object_set(object, "counters", timeline->counters);
	if (fine)
		json_object_set(object, "texts", timeline->texts.names);
	json_object_set_new(object, "left_out", json_integer((json_int_t)timeline->left_out));
	if (fine)
		json_object_set(collection->last, "timeline", object);
	else
		cli_error(collection->command, "%s: a timeline without events: no kernel was launched", path);
	json_decref(object);
	report_timeline_drop(timeline);
	return fine;
}

/* --- CSV --- */

/* Returns false when the line is not a complete event, for example the last line of a killed process. */
static bool read_event(char *line, struct report_event *event)
{
	char *fields[COLUMNS];
	for (size_t i = 0; i < COLUMNS; i++) {
		if (i + 1 < COLUMNS && !*line)
			return false;
		fields[i] = csv_field(&line);
	}
	*event = (struct report_event){.kernel = strtoll(fields[0], NULL, 10),
	                               .begin = strtoll(fields[1], NULL, 10),
	                               .end = strtoll(fields[2], NULL, 10),
	                               .unit = fields[3],
	                               .track = strtoll(fields[4], NULL, 10),
	                               .name = fields[5],
	                               .args = fields[6]};
	return event->kernel > 0;
}

bool report_take_timeline(struct collection *collection, const char *path, char *text)
{
	struct report_timeline timeline;
	struct report_event event;
	char *rest = text;
	if (!report_has_run(collection, path, "a timeline"))
		return false;
	report_timeline_open(&timeline);
	while (*rest) {
		char *line = csv_line(&rest);
		if (line != text && read_event(line, &event))
			report_timeline_add(&timeline, &event);
	}
	return report_timeline_close(&timeline, collection, path);
}
