/* Reads a timeline in Perfetto's format, as 'sluice run --trace FILE' writes it (output/timeline_perfetto.c). Tracks
 * are described before their events. The end of an event directly follows its begin. */
#include "base/perfetto.h"
#include "base/arena.h"
#include "base/protobuf.h"
#include "cli/report/report.h"
#include "cli/report/unpack.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 257, ARGS_SIZE = 256 };

/* A unit is a track without a parent. */
struct track {
	uint64_t uuid;
	const struct track *parent;
	char name[NAME_SIZE], counts[NAME_SIZE]; /* `counts`: the unit of a counter */
	bool is_counter;
};

struct event {
	uint64_t type, track, time;
	json_int_t kernel, launch;
	double value;
	char name[NAME_SIZE], args[ARGS_SIZE];
};

struct reader {
	struct report_timeline timeline;
	void *tracks;       /* a tree of <search.h> */
	struct event begun; /* an event whose end follows, if it has a type */
	const char *wrong;  /* why the file is not such a trace */
	size_t taken;       /* bytes of complete packets */
};

static int compare(const void *one, const void *other)
{
	const struct track *a = one, *b = other;
	return (a->uuid > b->uuid) - (a->uuid < b->uuid);
}

static struct track *find_track(const struct reader *reader, uint64_t uuid)
{
	const struct track wanted = {.uuid = uuid};
	struct track **place = tfind(&wanted, &reader->tracks, compare);
	return place ? *place : NULL;
}

/* Reads the next field of a message. Returns false at its end, and after an error, which is then stored. */
static bool next(struct reader *reader, struct protobuf *message, struct protobuf_field *field)
{
	if (reader->wrong)
		return false;
	enum protobuf_result result = protobuf_next(message, field);
	if (result != PROTOBUF_FIELD && result != PROTOBUF_END)
		reader->wrong = "a field of a message is malformed";
	return result == PROTOBUF_FIELD;
}

/* --- tracks --- */

static void read_counter(struct reader *reader, struct protobuf message, struct track *track)
{
	struct protobuf_field field;
	track->is_counter = true;
	while (next(reader, &message, &field))
		if (field.number == PERFETTO_COUNTER_UNIT_NAME && field.wire == PROTOBUF_BYTES)
			protobuf_text(&field.inside, track->counts, sizeof track->counts);
}

static void take_track(struct reader *reader, struct protobuf message)
{
	struct track *track = base_calloc(1, sizeof *track);
	struct protobuf_field field;
	while (next(reader, &message, &field)) {
		if (field.number == PERFETTO_TRACK_UUID)
			track->uuid = field.value;
		else if (field.number == PERFETTO_TRACK_PARENT)
			track->parent = find_track(reader, field.value);
		else if (field.number == PERFETTO_TRACK_NAME && field.wire == PROTOBUF_BYTES)
			protobuf_text(&field.inside, track->name, sizeof track->name);
		else if (field.number == PERFETTO_TRACK_COUNTER && field.wire == PROTOBUF_BYTES)
			read_counter(reader, field.inside, track);
	}
	if (!reader->wrong && find_track(reader, track->uuid))
		reader->wrong = "a track is described twice";
	if (reader->wrong)
		free(track);
	else if (!tsearch(track, &reader->tracks, compare))
		abort();
}

/* --- events --- */

/* An annotation is an argument: "warps=8". The event's kernel and launch are also stored separately. */
static void read_annotation(struct reader *reader, struct protobuf message, struct event *event)
{
	char name[NAME_SIZE] = "";
	uint64_t value = 0;
	struct protobuf_field field;
	size_t length = strlen(event->args);
	while (next(reader, &message, &field)) {
		if (field.number == PERFETTO_ANNOTATION_NAME && field.wire == PROTOBUF_BYTES)
			protobuf_text(&field.inside, name, sizeof name);
		else if (field.number == PERFETTO_ANNOTATION_UINT)
			value = field.value;
	}
	if (strcmp(name, "kernel") == 0) {
		event->kernel = (json_int_t)value;
		return;
	}
	if (strcmp(name, "launch") == 0)
		event->launch = (json_int_t)value;
	snprintf(event->args + length, sizeof event->args - length, "%s%s=%llu", length ? " " : "", name,
	         (unsigned long long)value);
}

static void read_event(struct reader *reader, struct protobuf message, struct event *event)
{
	struct protobuf_field field;
	while (next(reader, &message, &field)) {
		if (field.number == PERFETTO_EVENT_TYPE)
			event->type = field.value;
		else if (field.number == PERFETTO_EVENT_TRACK)
			event->track = field.value;
		else if (field.number == PERFETTO_EVENT_DOUBLE_VALUE)
			event->value = protobuf_double(field.value);
		else if (field.number == PERFETTO_EVENT_NAME && field.wire == PROTOBUF_BYTES)
			protobuf_text(&field.inside, event->name, sizeof event->name);
		else if (field.number == PERFETTO_EVENT_ANNOTATION && field.wire == PROTOBUF_BYTES)
			read_annotation(reader, field.inside, event);
	}
}

static void add_event(struct reader *reader, const struct track *track, const struct event *event, uint64_t end)
{
	const char *unit = track->parent ? track->parent->name : "";
	report_timeline_trace(&reader->timeline, &(struct report_traced){.kernel = event->kernel,
	                                                                 .launch = event->launch,
	                                                                 .begin = (json_int_t)event->time,
	                                                                 .end = (json_int_t)end,
	                                                                 .unit = unit,
	                                                                 .track = track->name,
	                                                                 .name = event->name,
	                                                                 .args = event->args});
}

static void end_event(struct reader *reader, const struct track *track, const struct event *end)
{
	struct event *begun = &reader->begun;
	if (!begun->type || begun->track != end->track)
		reader->wrong = "an event ends that did not begin";
	else if (end->time < begun->time)
		reader->wrong = "an event ends before it begins";
	else
		add_event(reader, track, begun, end->time);
	begun->type = 0;
}

static void take_event(struct reader *reader, const struct event *event)
{
	const struct track *track = find_track(reader, event->track);
	if (!track)
		reader->wrong = "an event belongs to a track without a description";
	else if (track->is_counter != (event->type == PERFETTO_COUNTER))
		reader->wrong = "a counter's track has an event, or another track has a value";
	else if (event->time > INT64_MAX / 2)
		reader->wrong = "a time is too large for any run";
	else if (event->type == PERFETTO_COUNTER)
		report_timeline_count(&reader->timeline, track->name, track->counts, (json_int_t)event->time,
		                      event->value);
	else if (event->type == PERFETTO_SLICE_BEGIN)
		reader->begun = *event;
	else if (event->type == PERFETTO_SLICE_END)
		end_event(reader, track, event);
	else if (event->type == PERFETTO_INSTANT)
		add_event(reader, track, event, event->time);
}

/* --- packets --- */

static void take_packet(struct reader *reader, struct protobuf message)
{
	struct event event = {.type = 0};
	struct protobuf_field field, track = {.number = 0};
	bool has_event = false;
	while (next(reader, &message, &field)) {
		if (field.number == PERFETTO_PACKET_TIMESTAMP)
			event.time = field.value;
		else if (field.wire != PROTOBUF_BYTES)
			continue;
		else if (field.number == PERFETTO_PACKET_TRACK_DESCRIPTOR)
			track = field;
		else if (field.number == PERFETTO_PACKET_TRACK_EVENT) {
			read_event(reader, field.inside, &event);
			has_event = true;
		}
	}
	if (track.number && !reader->wrong)
		take_track(reader, track.inside);
	if (has_event && !reader->wrong)
		take_event(reader, &event);
}

/* Consumes complete packets. */
static bool take_packets(void *context, const uint8_t *bytes, size_t length, size_t *taken)
{
	struct reader *reader = context;
	struct protobuf trace = {bytes, bytes + length};
	struct protobuf_field field;
	enum protobuf_result result = PROTOBUF_FIELD;
	while (!reader->wrong) {
		*taken = (size_t)(trace.at - bytes);
		result = protobuf_next(&trace, &field);
		if (result != PROTOBUF_FIELD)
			break;
		if (field.number == PERFETTO_PACKET && field.wire == PROTOBUF_BYTES)
			take_packet(reader, field.inside);
	}
	reader->taken += *taken;
	if (result == PROTOBUF_BROKEN)
		reader->wrong = "a packet is malformed";
	return !reader->wrong;
}

/* Returns false after a message. A truncated end, left by a killed process, is accepted. */
static bool read_trace(struct reader *reader, const struct collection *collection, const char *path, const char *bytes,
                       size_t length)
{
	const char *of = unpack_is_packed(bytes, length) ? "unpacked, " : "";
	switch (unpack(bytes, length, take_packets, reader)) {
	case UNPACK_ALL:
		return true;
	case UNPACK_CUT:
		cli_error(collection->command, "%s: %scut in byte %zu: only the part before it is shown", path, of,
		          reader->taken);
		return true;
	case UNPACK_BROKEN:
		cli_error(collection->command,
		          "%s: it cannot be unpacked: no valid zstd data from byte %zu (unpacked) on", path,
		          reader->taken);
		return false;
	case UNPACK_ENDED:
		break;
	}
	cli_error(collection->command, "%s: %sbyte %zu: not a trace of 'sluice run --trace': %s", path, of,
	          reader->taken, reader->wrong ? reader->wrong : "a packet is longer than any that Sluice writes");
	return false;
}

/* Each of our packets begins with its sequence id. So the head of the first one has two bytes that no text has. */
bool report_is_perfetto(const char *bytes, size_t length)
{
	struct protobuf trace = {(const uint8_t *)bytes, (const uint8_t *)bytes + length};
	struct protobuf_field field;
	if (unpack_is_packed(bytes, length))
		return true;
	if (protobuf_next(&trace, &field) != PROTOBUF_FIELD || field.number != PERFETTO_PACKET ||
	    field.wire != PROTOBUF_BYTES)
		return false;
	trace = field.inside;
	return protobuf_next(&trace, &field) == PROTOBUF_FIELD && field.number == PERFETTO_PACKET_SEQUENCE &&
	       field.value == PERFETTO_SEQUENCE;
}

bool report_take_perfetto(struct collection *collection, const char *path, const char *bytes, size_t length)
{
	struct reader reader = {0};
	if (!report_has_run(collection, path, "a timeline"))
		return false;
	report_timeline_open(&reader.timeline);
	bool fine = read_trace(&reader, collection, path, bytes, length);
	if (fine)
		fine = report_timeline_close(&reader.timeline, collection, path);
	else
		report_timeline_drop(&reader.timeline);
	tdestroy(reader.tracks, free);
	return fine;
}
