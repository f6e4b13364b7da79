#include "cli/run_filters.h"

#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

enum { SEED = 3 };

const struct run_field run_fields[RUN_FIELDS] = {
	{"program", "Only runs of this program", 16},
	{"variant", "Only runs of this variant", 14},
	{"size", "Only runs of this size", 5},
	[SEED] = {"seed", "Only runs with this seed", 4},
	{"arguments", "Only runs with these arguments", 0},
	{"machine", "Only runs on this machine", 16},
	{"options", "Only runs with these options of the machine", 0},
	{"mechanisms", "Only runs with these mechanisms", 0},
	{"library", "Only runs of this build of the library", 0},
	{"revision", "Only runs of this revision of the source", 0},
	{"verdict", "Only runs with this verdict, such as PASS", 0},
};

void run_filter_options(struct argp_option options[RUN_FILTER_OPTIONS], int first_key, int group)
{
	options[0] = (struct argp_option){.doc = "Filters of stored runs:", .group = group};
	for (int i = 0; i < RUN_FIELDS; i++)
		options[i + 1] = (struct argp_option){run_fields[i].name,    first_key + i, "VALUE", 0,
		                                      run_fields[i].meaning, group};
}

void run_filters_add(struct run_filters *filters, int field, const char *value, const struct argp_state *state)
{
	const char *column = run_fields[field].name;
	for (size_t i = 0; i < filters->count; i++)
		if (strcmp(filters->filter[i].column, column) == 0)
			cli_usage(state, "--%s is given twice", column);
	filters->filter[filters->count++] = (struct store_filter){column, value};
}

const char *run_field_text(int field, const struct run_config *config, const struct run_result *result, char room[32])
{
	const char *const texts[RUN_FIELDS] = {config->program,   config->variant,  config->size,    NULL,
	                                       config->arguments, config->machine,  config->options, config->mechanisms,
	                                       config->library,   result->revision, result->verdict};
	if (field != SEED)
		return texts[field];
	snprintf(room, 32, "%llu", (unsigned long long)config->seed);
	return room;
}
