/* Timelines of a run (docs/over-time.md): its `timeline`, of columns and texts. In CSV here, in the Trace Event Format in trace.c. */
#include "cli/report/report.h"

#include "base/csv.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_EVENTS = 200000, COLUMNS = 7 };

void report_timeline_open(struct report_timeline *timeline)
{
	*timeline = (struct report_timeline){0};
	for (size_t i = 0; i < COLUMNS; i++)
		timeline->columns[i] = json_array();
}

void report_timeline_add(struct report_timeline *timeline, const struct report_event *event)
{
	if (json_array_size(timeline->columns[0]) == MOST_EVENTS) {
		timeline->left_out++;
		return;
	}
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

bool report_timeline_close(struct report_timeline *timeline, struct collection *collection, const char *path)
{
	static const char *const names[COLUMNS] = {"kernel", "begin", "cycles", "unit", "name", "args", "track"};
	bool fine = json_array_size(timeline->columns[0]) > 0;
	json_t *object = json_object();
	for (size_t i = 0; i < COLUMNS; i++)
		json_object_set_new(object, names[i], timeline->columns[i]);
	if (fine)
		json_object_set(object, "texts", timeline->texts.names);
	json_object_set_new(object, "left_out", json_integer((json_int_t)timeline->left_out));
	if (fine)
		json_object_set(collection->last, "timeline", object);
	else
		cli_error(collection->command, "%s: a timeline without events: no kernel was launched", path);
	json_decref(object);
	dictionary_close(&timeline->texts);
	return fine;
}

/* False where the line is no whole event, as that may be at which a process was killed. */
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
