#include "trace.h"

void trace_open(struct trace_lanes *lanes, const struct trace_open *open, struct trace_stats *stats)
{
	uint32_t lane = 0;
	while (lane < lanes->used && lanes->open[lane].is_open)
		lane++;
	if (lane == TRACE_OPEN) {
		stats->unseen++;
		return;
	}
	lanes->open[lane] = *open;
	lanes->open[lane].is_open = true;
	if (lane == lanes->used)
		lanes->used++;
}

static bool is_alike(const struct trace_open *one, const struct trace_open *other)
{
	return one->address == other->address && one->kind == other->kind && one->pc == other->pc &&
	       one->warp == other->warp;
}

uint32_t trace_find(const struct trace_lanes *lanes, const struct trace_open *wanted)
{
	uint32_t found = TRACE_OPEN;
	for (uint32_t lane = 0; lane < lanes->used; lane++) {
		const struct trace_open *open = &lanes->open[lane];
		if (open->is_open && is_alike(open, wanted) &&
		    (found == TRACE_OPEN || open->begin < lanes->open[found].begin))
			found = lane;
	}
	return found;
}

void trace_close(struct trace_lanes *lanes, uint32_t lane, struct mech_output *output, enum trace_event event,
                 uint32_t first_track, uint64_t cycle)
{
	struct trace_open *open = &lanes->open[lane];
	mech_draw(output, &(struct mech_event){.row = event,
	                                       .track = first_track + lane,
	                                       .begin = open->begin,
	                                       .end = cycle,
	                                       .arguments = {open->address, open->pc}});
	open->is_open = false;
	while (lanes->used && !lanes->open[lanes->used - 1].is_open)
		lanes->used--;
}
