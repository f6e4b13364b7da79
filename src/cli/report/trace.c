/* A timeline in the Trace Event Format, as 'sluice run --timeline FILE' writes it: cycles are counted from the machine's opening, a process is a unit,
 * a thread one of its tracks. */
#include "cli/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct trace {
	const json_t *events;
	json_t *units;  /* names of processes, by number */
	json_t *tracks; /* names of threads, by number: "d2ma 3" */
	json_t *starts; /* of launches, by number */
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

static void set(json_t *object, json_int_t key, json_t *value)
{
	char text[32];
	snprintf(text, sizeof text, "%lld", (long long)key);
	json_object_set(object, text, value);
}

static const json_t *get(const json_t *object, json_int_t key)
{
	char text[32];
	snprintf(text, sizeof text, "%lld", (long long)key);
	return json_object_get(object, text);
}

/* What other events are told by: names of units and tracks, and the launches. */
static void note(struct trace *trace, const json_t *event)
{
	const json_t *args = json_object_get(event, "args");
	const char *name = text_of(event, "name");
	if (strcmp(text_of(event, "ph"), "M") != 0) {
		if (json_object_get(args, "launch"))
			set(trace->starts, number_of(args, "launch"), json_object_get(event, "ts"));
	} else if (strcmp(name, "process_name") == 0) {
		set(trace->units, number_of(event, "pid"), json_object_get(args, "name"));
	} else if (strcmp(name, "thread_name") == 0) {
		set(trace->tracks, number_of(event, "tid"), json_object_get(args, "name"));
	}
}

/* "number=17 warps=8" */
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

static void take(const struct trace *trace, struct report_timeline *timeline, const json_t *event)
{
	const json_t *args = json_object_get(event, "args");
	const char *unit = json_string_value(get(trace->units, number_of(event, "pid")));
	const char *track = json_string_value(get(trace->tracks, number_of(event, "tid")));
	char name[256], texts[256];
	if (!track || !unit)
		return;
	const char *number = strrchr(track, ' ');
	size_t length = number ? (size_t)(number - track) : 0;
	bool is_machines = json_object_get(args, "launch") || strcmp(text_of(event, "name"), "block") == 0;
	snprintf(name, sizeof name, "%.*s%s%s", is_machines ? 0 : (int)length, track, is_machines ? "" : ".",
	         text_of(event, "name"));
	write_args(args, texts, sizeof texts);
	json_int_t kernel = number_of(args, "kernel");
	json_int_t begin = number_of(event, "ts") - json_integer_value(get(trace->starts, kernel));
	report_timeline_add(timeline, &(struct report_event){.kernel = kernel,
	                                                     .begin = begin,
	                                                     .end = begin + number_of(event, "dur"),
	                                                     .unit = unit,
	                                                     .name = name,
	                                                     .args = texts,
	                                                     .track = number ? strtoll(number, NULL, 10) : 0});
}

bool report_take_trace(struct collection *collection, const char *path, const json_t *root)
{
	struct trace trace = {json_object_get(root, "traceEvents"), json_object(), json_object(), json_object()};
	struct report_timeline timeline;
	bool fine = report_has_run(collection, path, "a timeline");
	if (fine) {
		report_timeline_open(&timeline);
		for (size_t i = 0; i < json_array_size(trace.events); i++)
			note(&trace, json_array_get(trace.events, i));
		for (size_t i = 0; i < json_array_size(trace.events); i++)
			if (strcmp(text_of(json_array_get(trace.events, i), "ph"), "M") != 0)
				take(&trace, &timeline, json_array_get(trace.events, i));
		fine = report_timeline_close(&timeline, collection, path);
	}
	json_decref(trace.units);
	json_decref(trace.tracks);
	json_decref(trace.starts);
	return fine;
}
