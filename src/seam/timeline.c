#include "seam/private.h"

#include <stdlib.h>

void timeline_add(struct timeline *timeline, const struct mech_event *event)
{
	if (timeline->count == timeline->most)
		return;
	if (timeline->count == timeline->capacity) {
		timeline->capacity = timeline->capacity ? 2 * timeline->capacity : 64;
		timeline->event = base_realloc(timeline->event, timeline->capacity * sizeof *timeline->event);
	}
	timeline->event[timeline->count++] = *event;
}

void timeline_free(struct timeline *timeline)
{
	free(timeline->event);
}

static void open_output(struct output *output, uint32_t most)
{
	output->seen.draws = most;
	output->timeline.most = most;
}

void seam_draw(struct seam *seam, uint64_t most)
{
	uint32_t bound = most < UINT32_MAX / 2 ? (uint32_t)most : UINT32_MAX / 2;
	seam->draws = most;
	for (uint32_t s = 0; s < seam->machine.sms; s++)
		seam->sm[s].blocks.most = bound;
	for (uint32_t i = 0; i < seam->count; i++) {
		open_output(&seam->gpu.output[i], bound);
		for (uint32_t s = 0; s < seam->machine.sms; s++)
			open_output(&seam->sm[s].output[i], bound);
		for (uint32_t s = 0; s < seam->machine.partitions; s++)
			open_output(&seam->partition[s].output[i], bound);
	}
}

static void show_events(struct timeline *timeline, const struct seam_drawer *drawer, enum seam_unit unit,
                        uint32_t index, uint32_t number, const struct mech *mech)
{
	for (uint32_t i = 0; i < timeline->count; i++)
		drawer->show(drawer->user, unit, index, number, mech, &timeline->event[i]);
	timeline->count = 0;
}

void seam_take_events(struct seam *seam, const struct seam_drawer *drawer)
{
	for (uint32_t s = 0; s < seam->machine.sms; s++)
		show_events(&seam->sm[s].blocks, drawer, SEAM_OF_SM, s, MECH_MAX, NULL);
	for (uint32_t i = 0; i < seam->count; i++) {
		const struct mech *mech = seam->attached[i].mech;
		show_events(&seam->gpu.output[i].timeline, drawer, SEAM_OF_GPU, 0, i, mech);
		for (uint32_t s = 0; s < seam->machine.sms; s++)
			show_events(&seam->sm[s].output[i].timeline, drawer, SEAM_OF_SM, s, i, mech);
		for (uint32_t s = 0; s < seam->machine.partitions; s++)
			show_events(&seam->partition[s].output[i].timeline, drawer, SEAM_OF_PARTITION, s, i, mech);
	}
}

void seam_draw_block(struct seam_sm *sm, uint32_t slot, uint64_t end)
{
	const struct mech_block *block = &sm->block[slot];
	timeline_add(&sm->blocks, &(struct mech_event){.track = slot,
	                                               .begin = block->cycle,
	                                               .end = end,
	                                               .arguments = {block->number, block->warps}});
}

void seam_cut_blocks(struct seam *seam, uint64_t cycle)
{
	for (uint32_t s = 0; s < seam->machine.sms; s++)
		for (uint64_t left = seam->sm[s].slots; left; left &= left - 1)
			seam_draw_block(&seam->sm[s], (uint32_t)__builtin_ctzll(left), cycle);
}
