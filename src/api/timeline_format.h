/* timeline_format: how an event, or a counter's value, is written: a row for each kind of file. */
#ifndef SLUICE_API_TIMELINE_FORMAT_H
#define SLUICE_API_TIMELINE_FORMAT_H

#include "api/timeline_file.h"

/* What an event is of, and what it is called. */
struct shown {
	enum seam_unit unit;
	uint32_t index, number;
	const struct mech *mech; /* NULL: the machine's own */
	const struct mech_event_row *row;
	const char *kernel; /* of a launch, its name; else NULL */
};

/* A value of a counter of the whole machine. */
struct shown_count {
	const char *name, *unit;
	double value;
	uint64_t cycle; /* from the machine's opening on */
};

struct timeline_format {
	const char *suffix, *closing;
	/* Each prints into the piece. */
	void (*head)(struct timeline_file *file);
	void (*event)(struct timeline_file *file, const struct shown *shown, const struct mech_event *event);
	void (*count)(struct timeline_file *file, const struct shown_count *count); /* NULL: it has none */
};

extern const struct timeline_format timeline_csv, timeline_json, timeline_perfetto;

/* "SM 3" */
const char *timeline_unit_name(enum seam_unit unit, uint32_t index, char name[32]);
/* Units in the order in which they are shown: the GPU, then SMs, then slices, from 0 on. */
uint32_t timeline_unit_number(const struct timeline_file *file, enum seam_unit unit, uint32_t index);
uint32_t timeline_units(const struct timeline_file *file);
enum seam_unit timeline_unit_at(const struct timeline_file *file, uint32_t number, uint32_t *index);

/* The number of the track that shows such an event, from 1 on; a new one has not been named. */
uint32_t timeline_track(struct timeline_file *file, const struct shown *shown, uint32_t track, bool *is_new);
/* What it is called, "warp 3", and its place among the unit's: blocks first, then one mechanism's after the other. */
void timeline_track_name(const struct shown *shown, uint32_t track, char *name, size_t size);
uint32_t timeline_track_order(const struct shown *shown, uint32_t track);

#endif
