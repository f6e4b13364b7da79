/* Events of a timeline, as known before any run. */
#include "lab/gantt.h"
#include "sluice_runtime.h"

#include <stdlib.h>
#include <string.h>

static const char block[] = "block";

bool gantt_is(const char *drawn, const char *wanted)
{
	const char *dot = strchr(drawn, '.');
	return strcmp(drawn, wanted) == 0 || (dot && strcmp(dot + 1, wanted) == 0);
}

bool gantt_look(struct plan *plan, size_t column, const sluice_gpu *gpu)
{
	struct words *drawn = &plan->drawn[column];
	struct sluice_machine_info machine = {SLUICE_SIZED(machine_info)};
	char name[128];
	size_t count = 0;
	sluice_machine_info(gpu, &machine);
	if (plan->experiment->sm >= machine.sm_count) {
		plan_tell(plan, &plan->experiment->columns[column], experiment_key_place(plan->experiment, "sm"),
		          "sm: there is no SM %llu; the machine has %u, numbered from 0",
		          (unsigned long long)plan->experiment->sm, machine.sm_count);
		return false;
	}
	while (sluice_mechanisms_event(gpu, count, name, sizeof name))
		count++;
	drawn->word = arena_array(&plan->arena, count + 1, sizeof *drawn->word);
	for (; drawn->count < count; drawn->count++) {
		sluice_mechanisms_event(gpu, drawn->count, name, sizeof name);
		drawn->word[drawn->count] = arena_string(&plan->arena, name, strlen(name));
	}
	return true;
}

static bool draws(const struct words *drawn, const char *wanted)
{
	bool any = strcmp(wanted, block) == 0;
	for (size_t i = 0; i < drawn->count; i++)
		any |= gantt_is(drawn->word[i], wanted);
	return any;
}

static bool any_draws(const struct plan *plan, const char *wanted)
{
	bool any = false;
	for (size_t c = 0; c < plan->experiment->column_count; c++)
		any |= draws(&plan->drawn[c], wanted);
	return any;
}

/* Returns "d2ma.agen, block": the events of one column or, with column_count, of all. From malloc. */
static char *list_events(const struct plan *plan, size_t column)
{
	const struct experiment *experiment = plan->experiment;
	char *text = NULL;
	size_t length = 0;
	FILE *file = open_memstream(&text, &length);
	if (!file)
		abort();
	for (size_t c = 0; c < experiment->column_count; c++)
		for (size_t i = 0; (column == experiment->column_count || column == c) && i < plan->drawn[c].count; i++)
			fprintf(file, "%s, ", plan->drawn[c].word[i]);
	fputs(block, file);
	fclose(file);
	return text;
}

/* Returns false after a message when the column has none of the events. */
static bool check_column(struct plan *plan, size_t c)
{
	const struct experiment *experiment = plan->experiment;
	const struct experiment_column *column = &experiment->columns[c];
	bool any = !experiment->events.count && plan->drawn[c].count;
	for (size_t i = 0; i < experiment->events.count; i++)
		any |= draws(&plan->drawn[c], experiment->events.word[i]);
	if (any)
		return true;
	char *events = list_events(plan, c);
	struct diag_place name = experiment_column_place(experiment, column, "");
	plan_tell(plan, column, document_place_of(&experiment->keys, "events", name),
	          "none of the events occurs in it; there are %s", events);
	free(events);
	return false;
}

bool gantt_check_events(struct plan *plan)
{
	const struct experiment *experiment = plan->experiment;
	bool fine = true;
	for (size_t i = 0; i < experiment->events.count && fine; i++) {
		if (any_draws(plan, experiment->events.word[i]))
			continue;
		char *events = list_events(plan, experiment->column_count);
		plan_tell(plan, NULL, experiment_key_place(experiment, "events"),
		          "events: no column has an event '%s'; there are %s", experiment->events.word[i], events);
		free(events);
		fine = false;
	}
	for (size_t c = 0; fine && c < experiment->column_count; c++)
		fine = check_column(plan, c);
	return fine;
}

const char *gantt_path(struct plan *plan, size_t run)
{
	const char *folder = plan->source->folder;
	size_t size = strlen(folder) + 32;
	char *path = arena_alloc(&plan->arena, size);
	snprintf(path, size, "%s/%zu.csv", folder, run);
	return path;
}
