#include "lab/gantt.h"

#include <stdlib.h>
#include <string.h>

static void add_series(struct gantt *gantt, const char *name)
{
	for (size_t i = 0; i < gantt->series_count; i++)
		if (strcmp(gantt->series[i], name) == 0)
			return;
	gantt->series[gantt->series_count++] = name;
}

/* Series are the experiment's events; without these, all events drawn. Events of different mechanisms with the same
 * name are one series. */
static void find_series(struct gantt *gantt)
{
	const struct plan *plan = gantt->plan;
	const struct words *asked = &plan->experiment->events;
	size_t most = asked->count;
	for (size_t c = 0; c < plan->experiment->column_count; c++)
		most += plan->drawn[c].count;
	gantt->series = arena_array(&gantt->arena, most + 1, sizeof *gantt->series);
	for (size_t i = 0; i < asked->count; i++)
		add_series(gantt, asked->word[i]);
	for (size_t c = 0; !asked->count && c < plan->experiment->column_count; c++)
		for (size_t i = 0; i < plan->drawn[c].count; i++)
			add_series(gantt, strchr(plan->drawn[c].word[i], '.') + 1);
}

/* Returns the column's name, with the row's if there are several. */
static const char *title_of(struct gantt *gantt, size_t row, size_t column)
{
	const struct experiment *experiment = gantt->plan->experiment;
	char text[256];
	int length = experiment->row_count > 1 ? snprintf(text, sizeof text, "%s, %s", experiment->rows[row].name,
	                                                  experiment->columns[column].name)
	                                       : snprintf(text, sizeof text, "%s", experiment->columns[column].name);
	return arena_string(&gantt->arena, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

static int by_begin(const void *one, const void *other)
{
	const struct gantt_bar *a = one, *b = other;
	if (a->begin != b->begin)
		return (a->begin > b->begin) - (a->begin < b->begin);
	if (a->lane != b->lane)
		return (a->lane > b->lane) - (a->lane < b->lane);
	return (a->end > b->end) - (a->end < b->end);
}

/* Order of lanes: slot, mechanism, number. */
static int by_slot(const void *one, const void *other)
{
	const struct gantt_lane *a = *(struct gantt_lane *const *)one, *b = *(struct gantt_lane *const *)other;
	if (a->slot != b->slot)
		return (a->slot > b->slot) - (a->slot < b->slot);
	int mechanisms = strcmp(a->mechanism, b->mechanism);
	return mechanisms ? mechanisms : (a->number > b->number) - (a->number < b->number);
}

/* Sorts the lanes. */
static void sort_lanes(struct gantt_panel *panel)
{
	struct gantt_lane **order = base_calloc(panel->lane_count + 1, sizeof *order);
	struct gantt_lane *sorted = base_calloc(panel->lane_count + 1, sizeof *sorted);
	size_t *place = base_calloc(panel->lane_count + 1, sizeof *place);
	for (size_t i = 0; i < panel->lane_count; i++)
		order[i] = &panel->lanes[i];
	qsort(order, panel->lane_count, sizeof *order, by_slot);
	for (size_t i = 0; i < panel->lane_count; i++) {
		place[order[i] - panel->lanes] = i;
		sorted[i] = *order[i];
	}
	for (size_t i = 0; i < panel->bar_count; i++)
		panel->bars[i].lane = place[panel->bars[i].lane];
	free(panel->lanes);
	free(order);
	free(place);
	panel->lanes = sorted;
}

/* Whether lanes belong to mechanisms with different names. */
static bool several_mechanisms(const struct gantt_panel *panel)
{
	const char *first = NULL;
	bool several = false;
	for (size_t i = 0; i < panel->lane_count; i++) {
		const char *mechanism = panel->lanes[i].mechanism;
		several |= first && *mechanism && strcmp(first, mechanism) != 0;
		first = *mechanism ? mechanism : first;
	}
	return several;
}

/* Names lanes as the papers do: "b1,0" is track 0 of block 1; if several blocks use a slot, "slot 1,0". The
 * mechanism is named if several have lanes. */
static void name_lanes(const struct gantt *gantt, struct gantt_panel *panel)
{
	uint64_t tracks = gantt->plan->experiment->columns[panel->column].block_tracks;
	bool several = several_mechanisms(panel), of_blocks = true;
	for (size_t i = 0; i < panel->lane_count; i++)
		of_blocks &= panel->lanes[i].any_block && !panel->lanes[i].blocks;
	for (size_t i = 0; i < panel->lane_count; i++) {
		struct gantt_lane *lane = &panel->lanes[i];
		bool named = several && *lane->mechanism, slots = lane->slot != GANTT_NO_SLOT;
		char number[16] = "";
		if (slots && *lane->mechanism && tracks > 1)
			snprintf(number, sizeof number, ",%u", lane->number);
		snprintf(lane->name, sizeof lane->name, "%.15s%s%s%llu%s", named ? lane->mechanism : "",
		         named ? " " : "",
		         !slots      ? "track "
		         : of_blocks ? "b"
		                     : "slot ",
		         (unsigned long long)(!slots      ? lane->number
		                              : of_blocks ? lane->block
		                                          : lane->slot),
		         number);
	}
}

static bool make_panel(struct gantt *gantt, size_t row, size_t column)
{
	struct gantt_panel *panel = &gantt->panels[gantt->panel_count++];
	*panel = (struct gantt_panel){.row = row, .column = column, .title = title_of(gantt, row, column)};
	if (!gantt_read(gantt, panel))
		return false;
	sort_lanes(panel);
	name_lanes(gantt, panel);
	qsort(panel->bars, panel->bar_count, sizeof *panel->bars, by_begin);
	return true;
}

bool gantt_take(struct gantt *gantt, const struct plan *plan)
{
	const struct experiment *experiment = plan->experiment;
	size_t cells = experiment->row_count * experiment->column_count;
	bool fine = true;
	gantt->plan = plan;
	gantt->end = experiment->until;
	gantt->panels = arena_array(&gantt->arena, cells + 1, sizeof *gantt->panels);
	find_series(gantt);
	for (size_t cell = 0; cell < cells; cell++) {
		size_t run = plan->cells[cell];
		if (run == PLAN_NOTHING)
			continue;
		/* the reason of a failure was reported when the run ended */
		fine = !plan->runs[run].failed &&
		       make_panel(gantt, cell / experiment->column_count, cell % experiment->column_count) && fine;
	}
	for (size_t p = 0; !experiment->until && p < gantt->panel_count; p++)
		if (gantt->panels[p].cycles > gantt->end)
			gantt->end = gantt->panels[p].cycles;
	return fine;
}

uint64_t gantt_shown(const struct gantt *gantt, const struct gantt_bar *bar)
{
	uint64_t end = bar->end < gantt->end ? bar->end : gantt->end;
	return end > bar->begin ? end - bar->begin : 0;
}

void gantt_free(struct gantt *gantt)
{
	for (size_t p = 0; p < gantt->panel_count; p++) {
		free(gantt->panels[p].bars);
		free(gantt->panels[p].lanes);
	}
	arena_free(&gantt->arena);
}
