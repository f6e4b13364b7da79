/* The units and tracks that timelines show. */
#include "output/timeline_format.h"

#include "base/arena.h"

#include <search.h>
#include <stdlib.h>

const char *timeline_unit_name(enum seam_unit unit, uint32_t index, char name[32])
{
	static const char *const names[] = {
		[SEAM_OF_GPU] = "GPU", [SEAM_OF_SM] = "SM", [SEAM_OF_PARTITION] = "L2 slice"};
	if (unit == SEAM_OF_GPU)
		return names[unit];
	snprintf(name, 32, "%s %u", names[unit], index);
	return name;
}

uint32_t timeline_unit_number(const struct timeline_file *file, enum seam_unit unit, uint32_t index)
{
	return unit == SEAM_OF_GPU ? 0 : unit == SEAM_OF_SM ? 1 + index : 1 + file->records->machine->sms + index;
}

uint32_t timeline_units(const struct timeline_file *file)
{
	return 1 + file->records->machine->sms + file->gpu->slices;
}

enum seam_unit timeline_unit_at(const struct timeline_file *file, uint32_t number, uint32_t *index)
{
	uint32_t sms = file->records->machine->sms;
	*index = number == 0 ? 0 : number <= sms ? number - 1 : number - 1 - sms;
	return number == 0 ? SEAM_OF_GPU : number <= sms ? SEAM_OF_SM : SEAM_OF_PARTITION;
}

/* A track of a unit that has a number and whose name is in the file. */
struct track {
	uint64_t key;
	uint32_t number;
};

static int compare(const void *one, const void *other)
{
	const struct track *a = one, *b = other;
	return (a->key > b->key) - (a->key < b->key);
}

uint32_t timeline_track(struct timeline_file *file, const struct shown *shown, uint32_t track, bool *is_new)
{
	uint64_t unit = timeline_unit_number(file, shown->unit, shown->index);
	const struct track wanted = {.key = unit << 40 | (uint64_t)shown->number << 32 | track};
	struct track **place = tsearch(&wanted, &file->tracks, compare);
	if (!place)
		abort();
	*is_new = *place == &wanted;
	if (!*is_new)
		return (*place)->number;
	*place = base_calloc(1, sizeof **place);
	**place = (struct track){wanted.key, ++file->track_count};
	return file->track_count;
}

void timeline_track_name(const struct shown *shown, uint32_t track, char *name, size_t size)
{
	const struct mech *mech = shown->mech;
	const char *kind = mech ? mech->name : shown->row->name;
	uint32_t first = 0;
	for (size_t i = 0; mech && i < mech->track_count && mech->tracks[i].first <= track; i++) {
		kind = mech->tracks[i].name;
		first = mech->tracks[i].first;
	}
	snprintf(name, size, "%s %u", kind, track - first);
}

uint32_t timeline_track_order(const struct shown *shown, uint32_t track)
{
	uint32_t mechanism = shown->number == MECH_MAX ? 0 : shown->number + 1;
	return mechanism << 16 | (track < UINT16_MAX ? track : UINT16_MAX);
}
