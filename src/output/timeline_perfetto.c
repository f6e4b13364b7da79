/* Perfetto's trace format. A track's descriptor precedes its first event; an event's end directly follows its begin. */
#include "output/timeline_format.h"

#include "base/perfetto.h"
#include "base/protobuf.h"

#include <string.h>

/* A message under construction. None of ours is longer; longer names are cut. */
struct message {
	uint8_t byte[1024];
	size_t length;
};

enum { MOST_TEXT = 256 };

static void put_varint(struct message *message, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		message->byte[message->length++] = (uint8_t)(value | 0x80);
	message->byte[message->length++] = (uint8_t)value;
}

static void put_key(struct message *message, uint32_t field, enum protobuf_wire wire)
{
	put_varint(message, (uint64_t)field << 3 | wire);
}

static void put_number(struct message *message, uint32_t field, uint64_t value)
{
	put_key(message, field, PROTOBUF_VARINT);
	put_varint(message, value);
}

static void put_bytes(struct message *message, uint32_t field, const void *bytes, size_t length)
{
	put_key(message, field, PROTOBUF_BYTES);
	put_varint(message, length);
	memcpy(message->byte + message->length, bytes, length);
	message->length += length;
}

static void put_message(struct message *message, uint32_t field, const struct message *inner)
{
	put_bytes(message, field, inner->byte, inner->length);
}

/* Writes a text. Kernel names may contain invalid UTF-8, so characters outside printable ASCII become '?'. */
static void put_text(struct message *message, uint32_t field, const char *text)
{
	char plain[MOST_TEXT];
	size_t length = 0;
	for (; text[length] && length < sizeof plain; length++)
		plain[length] = text[length] >= ' ' && text[length] <= '~' ? text[length] : '?';
	put_bytes(message, field, plain, length);
}

static void put_double(struct message *message, uint32_t field, double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	put_key(message, field, PROTOBUF_FIXED64);
	for (uint32_t i = 0; i < 8; i++)
		message->byte[message->length++] = (uint8_t)(bits >> 8 * i);
}

/* Writes a packet with one message in it. `cycle` NULL: without a time stamp. */
static void write_packet(const struct timeline_file *file, uint32_t field, const struct message *inner,
                         const uint64_t *cycle)
{
	struct message packet = {.length = 0}, whole = {.length = 0};
	if (cycle)
		put_number(&packet, PERFETTO_PACKET_TIMESTAMP, *cycle);
	put_number(&packet, PERFETTO_PACKET_SEQUENCE, PERFETTO_SEQUENCE);
	put_message(&packet, field, inner);
	put_message(&whole, PERFETTO_PACKET, &packet);
	fwrite(whole.byte, 1, whole.length, file->piece.file);
}

/* Track ids: units first, then counters, then the tracks of events. */
enum { COUNTERS_FROM = 1 << 16, TRACKS_FROM = 1 << 20 };

static void name_unit(struct timeline_file *file, uint32_t number)
{
	struct message track = {.length = 0};
	char name[32];
	uint32_t index;
	enum seam_unit unit = timeline_unit_at(file, number, &index);
	put_number(&track, PERFETTO_TRACK_UUID, 1 + number);
	put_text(&track, PERFETTO_TRACK_NAME, timeline_unit_name(unit, index, name));
	put_number(&track, PERFETTO_TRACK_CHILD_ORDERING, PERFETTO_ORDER_BY_RANK);
	put_number(&track, PERFETTO_TRACK_SIBLING_RANK, number);
	write_packet(file, PERFETTO_PACKET_TRACK_DESCRIPTOR, &track, NULL);
}

static void head(struct timeline_file *file)
{
	for (uint32_t number = 0; number < timeline_units(file); number++)
		name_unit(file, number);
}

static uint64_t track_of(struct timeline_file *file, const struct shown *shown, uint32_t number)
{
	struct message track = {.length = 0};
	char name[96];
	bool is_new;
	uint64_t uuid = TRACKS_FROM + timeline_track(file, shown, number, &is_new);
	if (!is_new)
		return uuid;
	timeline_track_name(shown, number, name, sizeof name);
	put_number(&track, PERFETTO_TRACK_UUID, uuid);
	put_text(&track, PERFETTO_TRACK_NAME, name);
	put_number(&track, PERFETTO_TRACK_PARENT, 1 + timeline_unit_number(file, shown->unit, shown->index));
	put_number(&track, PERFETTO_TRACK_SIBLING_RANK, timeline_track_order(shown, number));
	write_packet(file, PERFETTO_PACKET_TRACK_DESCRIPTOR, &track, NULL);
	return uuid;
}

static void put_annotation(struct message *event, const char *name, uint64_t value)
{
	struct message annotation = {.length = 0};
	put_text(&annotation, PERFETTO_ANNOTATION_NAME, name);
	put_number(&annotation, PERFETTO_ANNOTATION_UINT, value);
	put_message(event, PERFETTO_EVENT_ANNOTATION, &annotation);
}

static void write_begin(struct timeline_file *file, const struct shown *shown, const struct mech_event *event,
                        uint64_t track)
{
	struct message begin = {.length = 0};
	put_number(&begin, PERFETTO_EVENT_TYPE, event->end > event->begin ? PERFETTO_SLICE_BEGIN : PERFETTO_INSTANT);
	put_number(&begin, PERFETTO_EVENT_TRACK, track);
	put_text(&begin, PERFETTO_EVENT_NAME, shown->kernel ? shown->kernel : shown->row->name);
	put_annotation(&begin, "kernel", file->records->count);
	for (uint32_t i = 0; i < 2; i++)
		if (shown->row->arguments[i])
			put_annotation(&begin, shown->row->arguments[i], event->arguments[i]);
	write_packet(file, PERFETTO_PACKET_TRACK_EVENT, &begin, &event->begin);
}

static void write_event(struct timeline_file *file, const struct shown *shown, const struct mech_event *event)
{
	struct message end = {.length = 0};
	uint64_t track = track_of(file, shown, event->track);
	write_begin(file, shown, event, track);
	if (event->end == event->begin)
		return;
	put_number(&end, PERFETTO_EVENT_TYPE, PERFETTO_SLICE_END);
	put_number(&end, PERFETTO_EVENT_TRACK, track);
	write_packet(file, PERFETTO_PACKET_TRACK_EVENT, &end, &event->end);
}

/* Counters are tracks of the GPU, identified by name. Each track is described before its first value. */
static uint64_t counter_track(struct timeline_file *file, const struct shown_count *count)
{
	struct message track = {.length = 0}, unit = {.length = 0};
	uint32_t number = 0;
	while (number < file->counter_names && strcmp(file->counter_name[number], count->name) != 0)
		number++;
	if (number < file->counter_names)
		return COUNTERS_FROM + number;
	file->counter_name[file->counter_names++] = count->name;
	put_text(&unit, PERFETTO_COUNTER_UNIT_NAME, count->unit);
	put_number(&track, PERFETTO_TRACK_UUID, COUNTERS_FROM + number);
	put_text(&track, PERFETTO_TRACK_NAME, count->name);
	put_number(&track, PERFETTO_TRACK_PARENT, 1);
	put_message(&track, PERFETTO_TRACK_COUNTER, &unit);
	write_packet(file, PERFETTO_PACKET_TRACK_DESCRIPTOR, &track, NULL);
	return COUNTERS_FROM + number;
}

static void write_count(struct timeline_file *file, const struct shown_count *count)
{
	struct message value = {.length = 0};
	put_number(&value, PERFETTO_EVENT_TYPE, PERFETTO_COUNTER);
	put_number(&value, PERFETTO_EVENT_TRACK, counter_track(file, count));
	put_double(&value, PERFETTO_EVENT_DOUBLE_VALUE, count->value);
	write_packet(file, PERFETTO_PACKET_TRACK_EVENT, &value, &count->cycle);
}

const struct timeline_format timeline_perfetto = {
	.suffix = ".perfetto", .closing = "", .head = head, .event = write_event, .count = write_count};
