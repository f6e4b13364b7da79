/* timeline_format: how an event or a counter's value is written: one row of functions per file format. */
#ifndef SLUICE_OUTPUT_TIMELINE_FORMAT_H
#define SLUICE_OUTPUT_TIMELINE_FORMAT_H

#include "output/timeline_file.h"

/* The owner and the name of an event. */
struct shown {
	enum seam_unit unit;
	uint32_t index, number;
	const struct mech *mech; /* NULL: the machine itself */
	const struct mech_event_row *row;
	const char *kernel; /* of a launch: the kernel's name; else NULL */
};

/* A value of a counter of the whole machine. */
struct shown_count {
	const char *name, *unit;
	double value;
	uint64_t cycle; /* since the machine was opened */
};

struct timeline_format {
	const char *suffix, *closing;
	/* Each prints into file->piece. */
	void (*head)(struct timeline_file *file);
	void (*event)(struct timeline_file *file, const struct shown *shown, const struct mech_event *event);
	/* NULL: the format has no counters */
	void (*count)(struct timeline_file *file, const struct shown_count *count);
};

extern const struct timeline_format timeline_csv, timeline_json, timeline_perfetto;

/* "SM 3" */
const char *timeline_unit_name(enum seam_unit unit, uint32_t index, char name[32]);
/* Units in display order: the GPU, then SMs, then slices, numbered from 0. */
uint32_t timeline_unit_number(const struct timeline_file *file, enum seam_unit unit, uint32_t index);
uint32_t timeline_units(const struct timeline_file *file);
enum seam_unit timeline_unit_at(const struct timeline_file *file, uint32_t number, uint32_t *index);

/* Returns the number of the track that shows such an event, from 1. *is_new: the track has no name yet. */
uint32_t timeline_track(struct timeline_file *file, const struct shown *shown, uint32_t track, bool *is_new);
/* Writes the track's name, such as "warp 3". timeline_track_order() returns its position among the unit's tracks:
 * blocks first, then each mechanism's in turn. */
void timeline_track_name(const struct shown *shown, uint32_t track, char *name, size_t size);
uint32_t timeline_track_order(const struct shown *shown, uint32_t track);

#endif
