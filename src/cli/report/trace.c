/* Reads a timeline in the Trace Event Format, as 'sluice run --timeline FILE' writes it. A process is a unit; a thread
 * is one of its tracks. */
#include "cli/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct trace {
	const json_t *events;
	json_t *units;  /* names of processes, by number */
	json_t *tracks; /* names of threads, by number: "d2ma 3" */
	struct report_timeline timeline;
};

static const char *text_of(const json_t *event, const char *key)
{
	const char *text = json_string_value(json_object_get(event, key));
	return text ? text : "";
}

static json_int_t number_of(const json_t *event, const char *key)
{
	return json_integer_value(json_object_get(event, key));
}

static void set_by_number(json_t *object, json_int_t key, json_t *value)
{
	char text[32];
	snprintf(text, sizeof text, "%lld", (long long)key);
	json_object_set(object, text, value);
}

static const json_t *get_by_number(const json_t *object, json_int_t key)
{
	char text[32];
	snprintf(text, sizeof text, "%lld", (long long)key);
	return json_object_get(object, text);
}

/* Stores the name of a unit or a track. */
static void store_name(struct trace *trace, const json_t *event)
{
	const json_t *args = json_object_get(event, "args");
	const char *name = text_of(event, "name");
	if (strcmp(name, "process_name") == 0)
		set_by_number(trace->units, number_of(event, "pid"), json_object_get(args, "name"));
	else if (strcmp(name, "thread_name") == 0)
		set_by_number(trace->tracks, number_of(event, "tid"), json_object_get(args, "name"));
}

/* Writes "number=17 warps=8". */
static void write_args(const json_t *args, char *text, size_t size)
{
	const char *name;
	json_t *value;
	*text = '\0';
	json_object_foreach((json_t *)args, name, value)
	{
		size_t length = strlen(text);
		if (strcmp(name, "kernel") != 0 && json_is_integer(value) && length < size)
			snprintf(text + length, size - length, "%s%s=%lld", length ? " " : "", name,
			         (long long)json_integer_value(value));
	}
}

static void take_event(struct trace *trace, const json_t *event)
{
	const json_t *args = json_object_get(event, "args");
	const char *unit = json_string_value(get_by_number(trace->units, number_of(event, "pid")));
	const char *track = json_string_value(get_by_number(trace->tracks, number_of(event, "tid")));
	char texts[256];
	if (!track || !unit)
		return;
	write_args(args, texts, sizeof texts);
	json_int_t begin = number_of(event, "ts");
	report_timeline_trace(&trace->timeline, &(struct report_traced){.kernel = number_of(args, "kernel"),
	                                                                .launch = number_of(args, "launch"),
	                                                                .begin = begin,
	                                                                .end = begin + number_of(event, "dur"),
	                                                                .unit = unit,
	                                                                .track = track,
	                                                                .name = text_of(event, "name"),
	                                                                .args = texts});
}

/* "args": {"thread instructions per cycle": 3.5} */
static void take_count(struct trace *trace, const json_t *event)
{
	const char *unit;
	json_t *value;
	json_object_foreach(json_object_get(event, "args"), unit, value) report_timeline_count(
		&trace->timeline, text_of(event, "name"), unit, number_of(event, "ts"), json_number_value(value));
}

static void take_record(struct trace *trace, const json_t *event)
{
	const char *phase = text_of(event, "ph");
	if (strcmp(phase, "C") == 0)
		take_count(trace, event);
	else if (strcmp(phase, "M") != 0)
		take_event(trace, event);
}

bool report_take_trace(struct collection *collection, const char *path, const json_t *root)
{
	struct trace trace = {
		.events = json_object_get(root, "traceEvents"), .units = json_object(), .tracks = json_object()};
	bool fine = report_has_run(collection, path, "a timeline");
	if (fine) {
		report_timeline_open(&trace.timeline);
		for (size_t i = 0; i < json_array_size(trace.events); i++)
			store_name(&trace, json_array_get(trace.events, i));
		for (size_t i = 0; i < json_array_size(trace.events); i++)
			take_record(&trace, json_array_get(trace.events, i));
		fine = report_timeline_close(&trace.timeline, collection, path);
	}
	json_decref(trace.units);
	json_decref(trace.tracks);
	return fine;
}
