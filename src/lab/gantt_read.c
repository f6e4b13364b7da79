/* Reads timeline files, as the simulator writes them (docs/how-to/over-time.md). */
#include "lab/gantt.h"

#include "base/arena.h"
#include "base/csv.h"
#include "base/diag.h"
#include "base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A row of the file; its texts last until the next one. */
struct row {
	uint32_t launch, track;
	uint64_t begin, end;
	char unit[32];
	char *name, *args;
};

/* The request, and the results so far. */
struct reader {
	struct gantt *gantt;
	struct gantt_panel *panel;
	const struct experiment_row *wanted;
	const char *path;
	char unit[32];
	struct gantt_bar *blocks; /* their lane is the slot */
	size_t block_count, block_room, bar_room;
	uint64_t rows;
};

static bool read_row(char *line, struct row *row)
{
	int rest = 0;
	unsigned long long begin, end;
	if (sscanf(line, "%u,%llu,%llu,%31[^,],%u,%n", &row->launch, &begin, &end, row->unit, &row->track, &rest) < 5 ||
	    !rest)
		return false;
	row->begin = begin;
	row->end = end;
	char *texts = line + rest;
	row->name = csv_field(&texts);
	row->args = csv_field(&texts);
	return true;
}

/* Calls back for each row of the file. Returns false after a message. */
static bool each_row(struct reader *reader, void (*take)(struct reader *reader, const struct row *row))
{
	const char *command = reader->gantt->plan->source->command;
	char *line = NULL;
	size_t size = 0;
	FILE *file = file_open(reader->path);
	bool fine = file;
	reader->rows = 0;
	while (fine && getline(&line, &size, file) > 0) {
		struct row row;
		if (!read_row(line, &row))
			continue; /* the heading */
		take(reader, &row);
		reader->rows++;
	}
	fine = fine && !ferror(file);
	if (!fine)
		diag_say(command, "cannot read %s: %s", reader->path, file_reason());
	if (file)
		fclose(file);
	free(line);
	return fine;
}

/* Whether the shown name is "add", or "void add<float>(...)", for the name "add". */
static bool is_kernel(const char *shown, const char *name)
{
	size_t length = strlen(name);
	for (const char *at = shown; (at = strstr(at, name)); at++)
		if ((at == shown || at[-1] == ' ') && (!at[length] || strchr("<(", at[length])))
			return true;
	return false;
}

/* Takes the first launch of the wanted kernel. */
static void find_launch(struct reader *reader, const struct row *row)
{
	struct gantt_panel *panel = reader->panel;
	const char *kernel = reader->wanted->kernel;
	if (panel->launch || strcmp(row->unit, "GPU") != 0 || strncmp(row->args, "launch=", 7) != 0 ||
	    (kernel && !is_kernel(row->name, kernel)))
		return;
	panel->launch = row->launch;
	panel->cycles = row->end;
	panel->kernel = arena_string(&reader->gantt->arena, row->name, strlen(row->name));
}

static void add_bar(struct gantt_bar **list, size_t *count, size_t *room, const struct gantt_bar *bar)
{
	if (*count == *room)
		*list = base_realloc(*list, (*room = 2 * *room + 64) * sizeof **list);
	(*list)[(*count)++] = *bar;
}

/* Returns the index of the series; the number of series when there is none. */
static size_t series_of(const struct gantt *gantt, const char *name)
{
	size_t number = 0;
	while (number < gantt->series_count && !gantt_is(name, gantt->series[number]))
		number++;
	return number;
}

/* Returns the mechanism's name, stored once in the arena. */
static const char *mechanism_of(struct gantt *gantt, const struct gantt_panel *panel, const char *name)
{
	const char *dot = strchr(name, '.');
	size_t length = dot ? (size_t)(dot - name) : 0;
	for (size_t i = 0; i < panel->lane_count; i++)
		if (strlen(panel->lanes[i].mechanism) == length &&
		    strncmp(panel->lanes[i].mechanism, name, length) == 0)
			return panel->lanes[i].mechanism;
	return arena_string(&gantt->arena, name, length);
}

/* Returns the lane of a row's track; adds it if it is new. */
static size_t lane_of(struct reader *reader, const struct row *row)
{
	struct gantt_panel *panel = reader->panel;
	const struct experiment *experiment = reader->gantt->plan->experiment;
	const char *mechanism = mechanism_of(reader->gantt, panel, row->name);
	uint32_t tracks = *mechanism ? (uint32_t)experiment->columns[panel->column].block_tracks : 1;
	struct gantt_lane lane = {.mechanism = mechanism,
	                          .slot = tracks ? row->track / tracks : GANTT_NO_SLOT,
	                          .number = tracks ? row->track % tracks : row->track};
	for (size_t i = 0; i < panel->lane_count; i++)
		if (panel->lanes[i].mechanism == mechanism && panel->lanes[i].slot == lane.slot &&
		    panel->lanes[i].number == lane.number)
			return i;
	panel->lanes = base_realloc(panel->lanes, (panel->lane_count + 1) * sizeof *panel->lanes);
	panel->lanes[panel->lane_count] = lane;
	return panel->lane_count++;
}

static void take_bar(struct reader *reader, const struct row *row)
{
	struct gantt *gantt = reader->gantt;
	struct gantt_panel *panel = reader->panel;
	struct gantt_bar bar = {.series = series_of(gantt, row->name),
	                        .lane = row->track,
	                        .block = GANTT_NO_BLOCK,
	                        .begin = row->begin,
	                        .end = row->end};
	if (row->launch != panel->launch || strcmp(row->unit, reader->unit) != 0)
		return;
	if (strcmp(row->name, "block") == 0 && strncmp(row->args, "number=", 7) == 0) {
		bar.block = strtoull(row->args + 7, NULL, 10);
		add_bar(&reader->blocks, &reader->block_count, &reader->block_room, &bar);
	}
	if (bar.series == gantt->series_count || (gantt->end && bar.begin >= gantt->end))
		return;
	bar.lane = lane_of(reader, row);
	add_bar(&panel->bars, &panel->bar_count, &reader->bar_room, &bar);
}

static int by_slot(const void *one, const void *other)
{
	const struct gantt_bar *a = one, *b = other;
	return a->lane != b->lane ? (a->lane > b->lane) - (a->lane < b->lane)
	                          : (a->begin > b->begin) - (a->begin < b->begin);
}

/* Returns the block in the bar's slot at the bar's begin: the last one that had begun by then. */
static uint64_t block_of(const struct reader *reader, const struct gantt_bar *bar)
{
	const struct gantt_bar wanted = {.lane = reader->panel->lanes[bar->lane].slot, .begin = bar->begin};
	size_t low = 0, high = reader->block_count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (by_slot(&reader->blocks[middle], &wanted) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	bool found = low && reader->blocks[low - 1].lane == wanted.lane;
	return found ? reader->blocks[low - 1].block : GANTT_NO_BLOCK;
}

static void find_blocks(struct reader *reader)
{
	struct gantt_panel *panel = reader->panel;
	if (reader->block_count)
		qsort(reader->blocks, reader->block_count, sizeof *reader->blocks, by_slot);
	for (size_t i = 0; i < panel->bar_count; i++) {
		struct gantt_bar *bar = &panel->bars[i];
		struct gantt_lane *lane = &panel->lanes[bar->lane];
		if (lane->slot == GANTT_NO_SLOT)
			continue;
		bar->block = block_of(reader, bar);
		lane->blocks |= lane->any_block && lane->block != bar->block;
		lane->any_block = bar->block != GANTT_NO_BLOCK;
		lane->block = bar->block;
	}
}

/* Returns what is wrong with the file as a whole, or NULL. */
static const char *wrong_of(const struct reader *reader)
{
	if (reader->rows >= GANTT_MOST)
		return "more than " GANTT_MOST_TEXT " events, so some are missing; use a smaller size, or fewer SMs";
	return reader->panel->launch ? NULL : "no such kernel was launched";
}

bool gantt_read(struct gantt *gantt, struct gantt_panel *panel)
{
	const struct plan *plan = gantt->plan;
	const struct experiment *experiment = plan->experiment;
	size_t run = plan->cells[panel->row * experiment->column_count + panel->column];
	struct reader reader = {.gantt = gantt,
	                        .panel = panel,
	                        .wanted = &experiment->rows[panel->row],
	                        .path = plan->runs[run].timeline};
	snprintf(reader.unit, sizeof reader.unit, "SM %llu", (unsigned long long)experiment->sm);
	bool fine = each_row(&reader, find_launch);
	const char *wrong = fine ? wrong_of(&reader) : NULL;
	fine = fine && !wrong && each_row(&reader, take_bar);
	if (fine && !panel->bar_count)
		wrong = "none of the events happened on that SM in those cycles";
	if (fine)
		find_blocks(&reader);
	if (wrong)
		diag_say(plan->source->command, "%s: %s", panel->title, wrong);
	free(reader.blocks);
	return fine && !wrong;
}
