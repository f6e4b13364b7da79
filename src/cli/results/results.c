/* sluice results: shows the runs that figures have stored. */
#include "base/arena.h"
#include "base/csv.h"
#include "cli/commands.h"
#include "cli/results/actions.h"
#include "cli/run_filters.h"
#include "lab/metric.h"
#include "lab/report.h"
#include "lab/run_energy.h"
#include "lab/store.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_COUNTER = 512, KEY_CSV, KEY_JSON, KEY_FILE, KEY_KERNEL, KEY_FILTER };

struct query {
	const char *name, *file, *kernel;
	struct run_filters filters;
	struct arena arena;
	const char **counters;
	const struct formula **formulas;
	size_t counter_count, rows;
	bool csv, json;
	bool energy; /* at least one requested counter needs it */
	struct energies energies;
	json_t *list; /* with --json */
};

static void add_counter(struct query *query, const char *text, const struct argp_state *state)
{
	char message[FORMULA_MESSAGE];
	const struct formula *formula = metric_parse(&query->arena, text, message);
	if (!formula)
		cli_usage(state, "--counter: %s", message);
	size_t count = ++query->counter_count;
	query->counters = base_realloc(query->counters, count * sizeof *query->counters);
	query->formulas = base_realloc(query->formulas, count * sizeof *query->formulas);
	query->counters[count - 1] = text;
	query->formulas[count - 1] = formula;
	query->energy |= formula_needs(formula) & FORMULA_ENERGY;
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct query *query = state->input;
	switch (key) {
	case KEY_COUNTER:
		add_counter(query, value, state);
		return 0;
	case KEY_KERNEL:
		query->kernel = value;
		return 0;
	case KEY_CSV:
		query->csv = true;
		return 0;
	case KEY_JSON:
		query->json = true;
		return 0;
	case KEY_FILE:
		query->file = cli_text("--results", value, state);
		return 0;
	case ARGP_KEY_ARG:
		cli_usage(state,
		          "expected merge, export, check or why, not '%s'; --program NAME and other filters choose "
		          "runs",
		          value);
		return 0;
	case ARGP_KEY_END:
		if (query->csv && query->json)
			cli_usage(state, "--csv and --json exclude each other");
		return 0;
	default:
		if (key < KEY_FILTER || key >= KEY_FILTER + RUN_FIELDS)
			return ARGP_ERR_UNKNOWN;
		run_filters_add(&query->filters, key - KEY_FILTER, value, state);
		return 0;
	}
}

static double value_of(const struct query *query, size_t counter, const json_t *stats)
{
	char message[FORMULA_MESSAGE];
	return stats ? formula_value(query->formulas[counter], stats, query->kernel, message) : NAN;
}

static void json_row(struct query *query, const struct run_config *config, const struct run_result *result,
                     json_t *stats)
{
	json_t *object = json_object(), *values = json_object();
	char room[32];
	for (int i = 0; i < RUN_FIELDS; i++)
		json_object_set_new(object, run_fields[i].name, json_string(run_field_text(i, config, result, room)));
	json_object_set_new(object, "run", json_integer((json_int_t)result->id));
	json_object_set_new(object, "seed", json_integer((json_int_t)config->seed));
	json_object_set_new(object, "finished", json_string(result->finished));
	json_object_set_new(object, "seconds", json_real(result->seconds));
	json_object_set_new(object, "peak", json_integer((json_int_t)result->peak));
	json_object_set_new(object, "host", json_string(result->host));
	if (*result->output)
		json_object_set_new(object, "output", json_string(result->output));
	for (size_t i = 0; i < query->counter_count; i++) {
		double value = value_of(query, i, stats);
		json_object_set_new(values, query->counters[i], isfinite(value) ? json_real(value) : json_null());
	}
	if (query->counter_count)
		json_object_set(object, "counters", values);
	else
		json_object_set(object, "stats", stats ? stats : json_null());
	json_decref(values);
	json_array_append_new(query->list, object);
}

static void csv_row(const struct query *query, const struct run_config *config, const struct run_result *result,
                    const json_t *stats)
{
	char room[32];
	for (int i = 0; i < RUN_FIELDS; i++) {
		csv_text(run_field_text(i, config, result, room), stdout);
		putchar(',');
	}
	printf("%s,%.3f,%llu,%llu", result->finished, result->seconds, (unsigned long long)result->peak,
	       (unsigned long long)result->id);
	for (size_t i = 0; i < query->counter_count; i++) {
		double value = value_of(query, i, stats);
		putchar(',');
		if (isfinite(value))
			printf("%.12g", value);
	}
	putchar('\n');
}

static int counter_width(const char *counter)
{
	return strlen(counter) > 14 ? (int)strlen(counter) : 14;
}

/* Prints a text on one line, padded to a width: control characters of arguments must not change the table. */
static void print_text(const char *text, int width)
{
	for (; *text; text++) {
		if (iscntrl((unsigned char)*text))
			width -= printf("\\x%02x", (unsigned char)*text);
		else
			width -= putchar(*text) != EOF;
	}
	for (; width > 0; width--)
		putchar(' ');
}

static void table_row(const struct query *query, const struct run_config *config, const struct run_result *result,
                      const json_t *stats)
{
	char room[32];
	for (int i = 0; i < RUN_FIELDS; i++)
		if (run_fields[i].width) {
			print_text(run_field_text(i, config, result, room), run_fields[i].width);
			putchar(' ');
		}
	for (size_t i = 0; i < query->counter_count; i++) {
		double value = value_of(query, i, stats);
		if (isfinite(value))
			printf("%*.10g ", counter_width(query->counters[i]), value);
		else
			printf("%*s ", counter_width(query->counters[i]), "-");
	}
	printf("%8.1f %6llu  %s", result->seconds, (unsigned long long)result->id, result->verdict);
	const char *const others[] = {config->options, config->mechanisms, config->arguments};
	for (size_t i = 0; i < 3; i++)
		if (*others[i]) {
			fputs("  ", stdout);
			print_text(others[i], 0);
		}
	putchar('\n');
}

static void show_row(void *context, const struct run_config *config, const struct run_result *result)
{
	struct query *query = context;
	json_t *stats = query->json || query->counter_count ? json_loads(result->stats, 0, NULL) : NULL;
	char message[ENERGY_MESSAGE];
	query->rows++;
	if (stats && query->energy && !run_energy(&query->energies, stats, config->mechanisms, message))
		cli_error(query->name, "energy of %s on %s: %s", config->program, config->machine, message);
	if (query->json)
		json_row(query, config, result, stats);
	else if (query->csv)
		csv_row(query, config, result, stats);
	else
		table_row(query, config, result, stats);
	json_decref(stats);
}

static void print_heading(const struct query *query)
{
	for (int i = 0; i < RUN_FIELDS; i++)
		if (query->csv)
			printf("%s,", run_fields[i].name);
		else if (run_fields[i].width)
			printf("%-*s ", run_fields[i].width, run_fields[i].name);
	if (query->csv)
		fputs("finished,seconds,peak,run", stdout);
	for (size_t i = 0; i < query->counter_count; i++)
		if (query->csv) {
			putchar(',');
			csv_text(query->counters[i], stdout);
		} else {
			printf("%*s ", counter_width(query->counters[i]), query->counters[i]);
		}
	puts(query->csv ? "" : " seconds    run  verdict, options, mechanisms, arguments");
}

static int answer(struct query *query)
{
	char message[STORE_MESSAGE];
	struct store *store = store_open(query->file, true, message);
	bool fine = store;
	if (fine) {
		query->list = json_array();
		if (!query->json)
			print_heading(query);
		fine = store_each(store, query->filters.filter, query->filters.count, show_row, query, message);
		if (query->json && fine) {
			json_dumpf(query->list, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
			putchar('\n');
		}
		json_decref(query->list);
	}
	if (!fine)
		cli_error(query->name, "%s", message);
	store_close(store);
	return fine ? 0 : CLI_FAILED;
}

static bool is_among(const char *word, const char *const *list)
{
	while (*list && strcmp(word, *list) != 0)
		list++;
	return *list;
}

/* Moves an action before options that precede it. All options take a value except the listed ones. */
static char **action_first(int argc, char **argv)
{
	static const char *const alone[] = {"--csv", "--json", "--help", "--usage", "-?", NULL};
	int at = 1;
	while (at < argc && *argv[at] == '-' && strcmp(argv[at], "--") != 0)
		at += strchr(argv[at], '=') || is_among(argv[at], alone) ? 1 : 2;
	if (at >= argc || !is_among(argv[at], results_actions))
		return argv;
	char *action = argv[at];
	memmove(argv + 2, argv + 1, (size_t)(at - 1) * sizeof *argv);
	argv[1] = action;
	return argv;
}

int command_results(int argc, char **argv)
{
	int acted = results_action(argc, action_first(argc, argv));
	if (acted >= 0)
		return acted;
	struct query query = {.name = argv[0], .file = "results.db"};
	struct argp_option options[RUN_FILTER_OPTIONS + 8] = {
		{"counter", KEY_COUNTER, "NAME", 0, "Show this counter, or a formula of several; may be repeated", 0},
		{"kernel", KEY_KERNEL, "NAME", 0, "Only this kernel", 0},
		{"csv", KEY_CSV, NULL, 0, "As CSV", 0},
		{"json", KEY_JSON, NULL, 0, "As JSON; without --counter, with all statistics", 0},
		{"results", KEY_FILE, "FILE", 0, "The file of results; default results.db", 0},
	};
	const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.args_doc = "[--FILTER=VALUE...]\nmerge FILE...\nexport [FILE]\ncheck\nwhy RUN",
		.doc = "Show the stored runs of 'sluice figure' and 'sluice sweep' that meet all filters, in the "
		       "order in which they were made. Or merge the runs of other files, export runs, check the file, "
		       "or explain why a run was made. Each of these commands has a --help.",
	};
	run_filter_options(options + 5, KEY_FILTER, 1);
	int status = CLI_USAGE;
	if (cli_parse(&argp, argc, argv, 0, &query) == 0)
		status = answer(&query);
	free(query.counters);
	free(query.formulas);
	energies_close(&query.energies);
	arena_free(&query.arena);
	return status;
}
