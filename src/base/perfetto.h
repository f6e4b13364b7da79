/* perfetto: field numbers of the Perfetto trace messages that Sluice writes and reads
 * (perfetto.dev/docs/reference/trace-packet-proto). A Perfetto trace is a sequence of packets. Each packet describes
 * a track or an event of a track. In Sluice's execution traces a nanosecond represents a core cycle. */
#ifndef SLUICE_BASE_PERFETTO_H
#define SLUICE_BASE_PERFETTO_H

enum {
	PERFETTO_PACKET = 1, /* of the Perfetto trace */

	PERFETTO_PACKET_TIMESTAMP = 8,
	PERFETTO_PACKET_SEQUENCE = 10,
	PERFETTO_PACKET_TRACK_EVENT = 11,
	PERFETTO_PACKET_TRACK_DESCRIPTOR = 60,

	PERFETTO_TRACK_UUID = 1,
	PERFETTO_TRACK_NAME = 2,
	PERFETTO_TRACK_PARENT = 5,
	PERFETTO_TRACK_COUNTER = 8,
	PERFETTO_TRACK_CHILD_ORDERING = 11,
	PERFETTO_TRACK_SIBLING_RANK = 12,
	PERFETTO_COUNTER_UNIT_NAME = 6,

	PERFETTO_EVENT_ANNOTATION = 4,
	PERFETTO_EVENT_TYPE = 9,
	PERFETTO_EVENT_TRACK = 11,
	PERFETTO_EVENT_NAME = 23,
	PERFETTO_EVENT_DOUBLE_VALUE = 44,
	PERFETTO_ANNOTATION_UINT = 3,
	PERFETTO_ANNOTATION_NAME = 10,
};

/* Values of these fields. */
enum { PERFETTO_ORDER_BY_RANK = 3, PERFETTO_SEQUENCE = 1 };
enum perfetto_type {
	PERFETTO_SLICE_BEGIN = 1,
	PERFETTO_SLICE_END = 2,
	PERFETTO_INSTANT = 3,
	PERFETTO_COUNTER = 4,
};

#endif
