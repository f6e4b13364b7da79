/* sluice stats: explains the counters, and prints stored statistics as a table. */
#include "cli/commands.h"
#include "cli/json_file.h"
#include "cli/stats_limits.h"
#include "cli/stats_loads.h"
#include "cli/stats_units.h"

#include <fnmatch.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_DESCRIBE = 256, KEY_COUNTERS, KEY_LOADS, KEY_UNITS, KEY_CSV, KEY_LIMITS, KEY_JSON, PATTERNS = 64 };

struct stats {
	const char *name; /* "sluice stats" */
	const char *file;
	bool describe, counters, loads, units, as_csv, limits, as_json;
	/* with --units: the counters; with --limits: names of kernels; NULL-terminated */
	const char *pattern[PATTERNS + 1];
	size_t patterns;
};

static const struct argp_option stats_options[] = {
	{"describe", KEY_DESCRIBE, NULL, 0,
         "Print the name, unit, scope and meaning of every counter, or only of the counters that match PATTERN: "
         "l1d.*, or a part of a line",
         0},
	{"counters", KEY_COUNTERS, NULL, 0, "Also print all counters of each kernel, and all elements of vectors", 0},
	{"loads", KEY_LOADS, NULL, 0, "Also print the prefetchers' counts for each load of each kernel", 0},
	{"units", KEY_UNITS, NULL, 0,
         "Print the counters of each SM, L2 slice and DRAM channel, with the spread, from a file of 'sluice run "
         "--units'. COUNTER is a name or a pattern: 'sm.stack_*'",
         0},
	{"limits", KEY_LIMITS, NULL, 0,
         "Print what limits each kernel: occupancy, the use of each unit against its peak, roofline, bytes on each "
         "link, and findings with the most that each could gain. KERNEL is a name or a pattern",
         0},
	{"json", KEY_JSON, NULL, 0, "With --limits: as JSON", 0},
	{"csv", KEY_CSV, NULL, 0, "With --units: as CSV, a row for each unit and counter", 0},
	{0},
};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct stats *stats = state->input;
	switch (key) {
	case KEY_DESCRIBE:
		stats->describe = true;
		return 0;
	case KEY_COUNTERS:
		stats->counters = true;
		return 0;
	case KEY_LOADS:
		stats->loads = true;
		return 0;
	case KEY_UNITS:
		stats->units = true;
		return 0;
	case KEY_LIMITS:
		stats->limits = true;
		return 0;
	case KEY_JSON:
		stats->as_json = true;
		return 0;
	case KEY_CSV:
		stats->as_csv = true;
		return 0;
	case ARGP_KEY_ARG:
		if (!stats->file)
			stats->file = value;
		else if (stats->patterns < PATTERNS)
			stats->pattern[stats->patterns++] = value;
		else
			cli_usage(state, "expected at most %d counters or kernels", PATTERNS);
		return 0;
	case ARGP_KEY_END:
		if (!stats->file && !stats->describe)
			cli_usage(state, "expected --describe or a file of statistics");
		if (stats->patterns && !stats->units && !stats->limits)
			cli_usage(state, "expected one file, found '%s' too", stats->pattern[0]);
		if (stats->as_csv && !stats->units)
			cli_usage(state, "--csv is for --units");
		if (stats->as_json && !stats->limits)
			cli_usage(state, "--json is for --limits");
		if (stats->units && stats->limits)
			cli_usage(state, "expected --units or --limits, found both");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp stats_argp = {
	.options = stats_options,
	.parser = parse_option,
	.args_doc = "FILE.json\n--units [--csv] FILE.json [COUNTER...]\n--limits [--json] FILE.json "
		    "[KERNEL...]\n--describe [PATTERN]",
	.doc = "Show the kernels of a statistics file that 'sluice run --stats FILE.json' wrote, or explain the "
	       "counters.",
};

/* Writes "32x8x1". */
static void format_dim(const json_t *kernel, const char *key, char *text, size_t size)
{
	const json_t *dim = json_object_get(kernel, key);
	snprintf(text, size, "%lldx%lldx%lld", (long long)json_integer_value(json_array_get(dim, 0)),
	         (long long)json_integer_value(json_array_get(dim, 1)),
	         (long long)json_integer_value(json_array_get(dim, 2)));
}

static void print_counters(const json_t *kernel)
{
	const char *name;
	json_t *value;
	/* jansson's iteration takes a non-const pointer, but does not modify the object */
	json_object_foreach((json_t *)json_object_get(kernel, "counters"), name, value)
	{
		if (json_is_integer(value))
			printf("    %-36s %20lld\n", name, (long long)json_integer_value(value));
	}
}

/* Writes the label of a vector's element, or the smallest value of its bin. */
static void format_element(const json_t *vector, size_t index, char *text, size_t size)
{
	const json_t *label = json_array_get(json_object_get(vector, "labels"), index);
	if (label)
		snprintf(text, size, "%s", json_string_value(label));
	else
		snprintf(text, size, "from %lld",
		         (long long)json_integer_value(json_array_get(json_object_get(vector, "bins"), index)));
}

static void print_vectors(const json_t *kernel)
{
	const char *name;
	json_t *vector;
	json_object_foreach((json_t *)json_object_get(kernel, "vectors"), name, vector)
	{
		const json_t *values = json_object_get(vector, "values");
		for (size_t i = 0; i < json_array_size(values); i++) {
			char element[128], full[256];
			format_element(vector, i, element, sizeof element);
			snprintf(full, sizeof full, "%s[%s]", name, element);
			printf("    %-36s %20lld\n", full, (long long)json_integer_value(json_array_get(values, i)));
		}
	}
}

static void print_kernel(const struct stats *stats, const json_t *kernel)
{
	char grid[64], block[64];
	const char *name = json_string_value(json_object_get(kernel, "demangled"));
	format_dim(kernel, "grid", grid, sizeof grid);
	format_dim(kernel, "block", block, sizeof block);
	long long cycles = json_integer_value(json_object_get(kernel, "cycles"));
	long long instructions = json_integer_value(json_object_get(kernel, "warp_instructions"));
	if (json_is_null(json_object_get(kernel, "cycles"))) /* it ran functionally */
		printf("%-32s %14s %10s %12s %14lld %9s\n", name ? name : "?", grid, block, "-", instructions, "-");
	else
		printf("%-32s %14s %10s %12lld %14lld %9.3f\n", name ? name : "?", grid, block, cycles, instructions,
		       json_number_value(json_object_get(kernel, "ipc")));
	if (stats->counters) {
		print_counters(kernel);
		print_vectors(kernel);
	}
	if (stats->loads)
		stats_print_loads(kernel);
}

/* Kernels that ran together: their cycles overlap, so the session's are fewer than the sum. */
static void print_session(const struct stats *stats, const json_t *session)
{
	const json_t *launches = json_object_get(session, "launches");
	size_t count = json_array_size(launches);
	char which[64];
	snprintf(which, sizeof which, "launches %lld to %lld together",
	         (long long)json_integer_value(json_array_get(launches, 0)),
	         (long long)json_integer_value(json_array_get(launches, count ? count - 1 : 0)));
	printf("%-32s %14s %10s %12lld %14lld %9.3f\n", which, "", "",
	       (long long)json_integer_value(json_object_get(session, "cycles")),
	       (long long)json_integer_value(json_object_get(session, "warp_instructions")),
	       json_number_value(json_object_get(session, "ipc")));
	if (stats->counters) {
		print_counters(session);
		print_vectors(session);
	}
}

static int show(const struct stats *stats)
{
	json_t *root = cli_read_json(stats->name, stats->file);
	if (!root)
		return CLI_USAGE;
	const json_t *kernels = json_object_get(root, "kernels");
	const char *machine = json_string_value(json_object_get(root, "machine"));
	const char *ended = json_string_value(json_object_get(root, "ended"));
	int status = CLI_USAGE;
	if (json_integer_value(json_object_get(root, "version")) != 1 || !json_is_array(kernels) || !machine) {
		cli_error(stats->name, "%s: not statistics of version 1 as 'sluice run --stats' writes them",
		          stats->file);
	} else if (stats->units) {
		status = stats_print_units(stats->name, stats->file, root, stats->pattern, stats->as_csv);
	} else if (stats->limits) {
		status = stats_print_limits(stats->name, stats->file, root, stats->pattern, stats->as_json);
	} else {
		printf("machine %s, %s\n", machine, ended ? ended : "?");
		printf("%-32s %14s %10s %12s %14s %9s\n", "kernel", "grid", "block", "cycles", "warp instr.", "IPC");
		for (size_t i = 0; i < json_array_size(kernels); i++)
			print_kernel(stats, json_array_get(kernels, i));
		const json_t *sessions = json_object_get(root, "sessions");
		for (size_t i = 0; i < json_array_size(sessions); i++)
			print_session(stats, json_array_get(sessions, i));
		status = 0;
	}
	json_decref(root);
	return status;
}

/* True when the name before the line's first blanks matches the pattern. */
static bool is_named(const char *line, const char *pattern)
{
	char name[128];
	snprintf(name, sizeof name, "%.*s", (int)strcspn(line, " "), line);
	return fnmatch(pattern, name, 0) == 0;
}

/* Prints the lines below a heading that matches the pattern. */
static int describe_some(const struct stats *stats)
{
	char *text = NULL, *rest;
	size_t length = 0, found = 0;
	const char *head = NULL;
	FILE *file = open_memstream(&text, &length);
	if (!file)
		abort();
	sluice_stats_describe(file);
	fclose(file);
	rest = text;
	for (char *line; (line = strsep(&rest, "\n"));) {
		bool is_head = strncmp(line, "COUNTER ", 8) == 0 || strncmp(line, "DERIVED ", 8) == 0;
		if (is_head)
			head = line;
		if (is_head || !(is_named(line, stats->file) || strcasestr(line, stats->file)))
			continue;
		if (head)
			puts(head);
		head = NULL;
		puts(line);
		found++;
	}
	free(text);
	if (!found)
		cli_error(stats->name, "no counter matches '%s'; --describe without a pattern lists them all",
		          stats->file);
	return found ? 0 : CLI_FAILED;
}

int command_stats(int argc, char **argv)
{
	struct stats stats = {.name = argv[0]};
	if (cli_parse(&stats_argp, argc, argv, 0, &stats) != 0)
		return CLI_USAGE;
	if (!stats.describe)
		return show(&stats);
	if (stats.file)
		return describe_some(&stats);
	sluice_stats_describe(stdout);
	return 0;
}
