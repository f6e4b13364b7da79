/* sluice energy: computes the energy of a run in a statistics file, or of runs in a results file. */
#include "base/arena.h"
#include "base/formula.h"
#include "cli/commands.h"
#include "cli/json_file.h"
#include "cli/run_filters.h"
#include "lab/run_energy.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_TABLE = 512, KEY_KERNELS, KEY_PRICES, KEY_JSON, KEY_MECH, KEY_RESULTS, KEY_FILTER };
enum { OWN_OPTIONS = 6 };

struct energy {
	const char *name; /* name of the command */
	const char *file, *table, *results;
	struct cli_options objects; /* shared objects, NULL-terminated */
	struct run_filters filters;
	bool kernels, prices, json;
	struct energies energies;
	json_t *list; /* of runs, with --json */
	size_t unpriced;
};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct energy *energy = state->input;
	switch (key) {
	case KEY_TABLE:
		energy->table = cli_text("--table", value, state);
		return 0;
	case KEY_KERNELS:
		energy->kernels = true;
		return 0;
	case KEY_PRICES:
		energy->prices = true;
		return 0;
	case KEY_JSON:
		energy->json = true;
		return 0;
	case KEY_MECH:
		cli_add_word(&energy->objects, cli_text("--mech", value, state));
		return 0;
	case KEY_RESULTS:
		energy->results = cli_text("--results", value, state);
		return 0;
	case ARGP_KEY_ARG:
		if (energy->file)
			cli_usage(state, "expected one file, found '%s' too", value);
		energy->file = value;
		return 0;
	case ARGP_KEY_END:
		if (energy->file && (energy->filters.count || energy->results))
			cli_usage(state, "a file of statistics is one run: it has no filters and no --results");
		if (!energy->file && (energy->kernels || energy->prices || energy->objects.count))
			cli_usage(state, "--kernels, --prices and --mech need a file of statistics");
		return 0;
	default:
		if (key < KEY_FILTER || key >= KEY_FILTER + RUN_FIELDS)
			return ARGP_ERR_UNKNOWN;
		run_filters_add(&energy->filters, key - KEY_FILTER, value, state);
		return 0;
	}
}

/* --- a file --- */

/* Returns NULL after a message. */
static json_t *load(const struct energy *energy)
{
	json_t *root = cli_read_json(energy->name, energy->file);
	if (root && !json_is_array(json_object_get(root, "kernels"))) {
		cli_error(energy->name, "%s: not statistics as 'sluice run --stats' writes them", energy->file);
		json_decref(root);
		root = NULL;
	}
	return root;
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	return text ? text : "?";
}

static json_t *prices_json(const struct energy_prices *prices, const struct energy_account *account)
{
	json_t *list = json_array();
	for (size_t i = 0; i < prices->price_count; i++) {
		const struct energy_price *price = &prices->prices[i];
		json_t *row = json_object();
		json_object_set_new(row, "component", json_string(prices->components[price->component].name));
		json_object_set_new(row, "what", json_string(price->name));
		json_object_set_new(row, price->amount ? "events" : "each",
		                    price->text ? json_string(price->text) : json_integer(1));
		json_object_set_new(row, price->amount ? "joules_an_event" : "watts", json_real(price->value));
		json_object_set_new(row, "joules", json_real(account->joules ? account->joules[i] : 0));
		json_object_set_new(row, "source", json_string(price->source));
		json_array_append_new(list, row);
	}
	return list;
}

/* Computes a launch's energy. Prints it or appends it to `list`, if given, and adds it to `all`. */
static bool take_kernel(const struct energy *energy, const struct energy_prices *prices, const json_t *kernel,
                        json_t *list, struct energy_account *all, char message[ENERGY_MESSAGE])
{
	struct energy_account account = {0};
	bool fine = energy_add(prices, kernel, &account, message);
	if (fine) {
		json_t *row = json_object();
		json_object_set_new(row, "kernel", json_string(text_of(kernel, "demangled")));
		json_object_set(row, "launch", json_object_get(kernel, "launch"));
		json_object_set_new(row, "energy", energy_json(prices, &account));
		json_array_append_new(list, row);
		energy_accumulate(prices, all, &account);
	}
	if (fine && energy->kernels && !energy->json) {
		printf("\n%s, launch %lld\n", text_of(kernel, "demangled"),
		       (long long)json_integer_value(json_object_get(kernel, "launch")));
		energy_print(stdout, prices, &account);
	}
	energy_free(&account);
	return fine;
}

static void print_json(json_t *object)
{
	json_dumpf(object, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
	putchar('\n');
}

static void show_all(const struct energy *energy, const json_t *root, const struct energy_prices *prices,
                     json_t *kernels, const struct energy_account *all)
{
	if (energy->json) {
		json_t *object = json_object();
		json_object_set_new(object, "machine", json_string(text_of(root, "machine")));
		json_object_set_new(object, "idle_watts", json_real(energy_idle_watts(prices)));
		if (energy->kernels)
			json_object_set(object, "kernels", kernels);
		json_object_set_new(object, "energy", energy_json(prices, all));
		if (energy->prices)
			json_object_set_new(object, "prices", prices_json(prices, all));
		print_json(object);
		json_decref(object);
		return;
	}
	printf("%s%zu launch%s on %s, %s\n", energy->kernels ? "\n" : "", json_array_size(kernels),
	       json_array_size(kernels) == 1 ? "" : "es together", text_of(root, "machine"), text_of(root, "ended"));
	energy_print(stdout, prices, all);
	printf("  %-14s%.1f W while no kernel runs; that time is not simulated and not part of the sums\n", "idle",
	       energy_idle_watts(prices));
	printf("  %-14s%s: %s\n", "table", prices->table->name, prices->table->title);
	if (energy->prices) {
		putchar('\n');
		energy_print_prices(stdout, prices, all);
	}
}

static int show_file(struct energy *energy)
{
	char message[ENERGY_MESSAGE];
	struct energy_prices prices = {0};
	struct energy_account all = {0};
	json_t *root = load(energy), *list = json_array();
	const json_t *kernels = json_object_get(root, "kernels");
	bool fine = root && energies_price_stats(&energy->energies, root, energy->objects.list, &prices, message);
	for (size_t i = 0; fine && i < json_array_size(kernels); i++)
		if (formula_counts(json_array_get(kernels, i)))
			fine = take_kernel(energy, &prices, json_array_get(kernels, i), list, &all, message);
	if (fine)
		show_all(energy, root, &prices, list, &all);
	else if (root)
		cli_error(energy->name, "%s: %s", energy->file, message);
	energy_free(&all);
	energy_close(&prices);
	json_decref(list);
	json_decref(root);
	return fine ? 0 : root ? CLI_FAILED : CLI_USAGE;
}

/* --- stored runs --- */

static void json_row(struct energy *energy, const struct run_config *config, const struct run_result *result,
                     json_t *cost, const char *message)
{
	json_t *object = json_object();
	char room[32];
	for (int i = 0; i < RUN_FIELDS; i++)
		json_object_set_new(object, run_fields[i].name, json_string(run_field_text(i, config, result, room)));
	json_object_set(object, "energy", cost ? cost : json_null());
	if (!cost)
		json_object_set_new(object, "message", json_string(message));
	json_array_append_new(energy->list, object);
}

static double number_of(const json_t *cost, const char *key)
{
	return json_number_value(json_object_get(cost, key));
}

static void table_row(const struct run_config *config, const struct run_result *result, const json_t *cost,
                      const char *message)
{
	char room[32];
	for (int i = 0; i < RUN_FIELDS; i++)
		if (run_fields[i].width)
			printf("%-*s ", run_fields[i].width, run_field_text(i, config, result, room));
	if (cost)
		printf("%12.4g %8.1f %12.4g %12.2f", number_of(cost, "total"), number_of(cost, "watts"),
		       number_of(cost, "delay"), 1e12 * number_of(cost, "instruction"));
	else
		printf("%12s %8s %12s %12s", "-", "-", "-", "-");
	const char *const others[] = {config->options, config->mechanisms, config->arguments};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (*others[i])
			printf("  %s", others[i]);
	printf(cost ? "\n" : "  (%s)\n", message);
}

static void show_run(void *context, const struct run_config *config, const struct run_result *result)
{
	struct energy *energy = context;
	char message[ENERGY_MESSAGE] = "it has no statistics";
	json_t *stats = json_loads(result->stats, 0, NULL);
	bool fine = stats && run_energy(&energy->energies, stats, config->mechanisms, message);
	json_t *cost = fine ? json_object_get(json_object_get(stats, "totals"), "energy") : NULL;
	if (energy->json)
		json_row(energy, config, result, cost, message);
	else
		table_row(config, result, cost, message);
	energy->unpriced += !cost;
	json_decref(stats);
}

static void print_heading(void)
{
	for (int i = 0; i < RUN_FIELDS; i++)
		if (run_fields[i].width)
			printf("%-*s ", run_fields[i].width, run_fields[i].name);
	printf("%12s %8s %12s %12s  options, mechanisms, arguments\n", "J", "W", "J s", "pJ/instr.");
}

static int show_runs(struct energy *energy)
{
	char message[STORE_MESSAGE];
	struct store *store = store_open(energy->results ? energy->results : "results.db", true, message);
	energy->list = json_array();
	if (store && !energy->json)
		print_heading();
	bool fine =
		store && store_each(store, energy->filters.filter, energy->filters.count, show_run, energy, message);
	if (fine && energy->json)
		print_json(energy->list);
	if (!fine)
		cli_error(energy->name, "%s", message);
	json_decref(energy->list);
	store_close(store);
	if (energy->unpriced)
		cli_error(energy->name, "%zu run%s no energy; the reason is printed with each", energy->unpriced,
		          energy->unpriced == 1 ? " has" : "s have");
	return fine && !energy->unpriced ? 0 : CLI_FAILED;
}

static int answer(struct energy *energy)
{
	struct diag diag = {0};
	bool fine = energies_open(&energy->energies, energy->table, &diag);
	if (!fine)
		fputs(diag.text, stderr);
	diag_free(&diag);
	int status = !fine ? CLI_USAGE : energy->file ? show_file(energy) : show_runs(energy);
	energies_close(&energy->energies);
	return status;
}

int command_energy(int argc, char **argv)
{
	struct energy energy = {.name = argv[0]};
	struct argp_option options[RUN_FILTER_OPTIONS + OWN_OPTIONS + 1] = {
		{"table", KEY_TABLE, "TABLE", 0,
	         "Table of energies: a name in energies/, or a YAML file; default the machine's", 0},
		{"kernels", KEY_KERNELS, NULL, 0, "With FILE.json: also show each launch", 0},
		{"prices", KEY_PRICES, NULL, 0,
	         "With FILE.json: also show each price, its source and the energy from it", 0},
		{"mech", KEY_MECH, "FILE.so", 0, "With FILE.json: a shared object of its mechanisms; may be repeated",
	         0},
		{"json", KEY_JSON, NULL, 0, "As JSON", 0},
		{"results", KEY_RESULTS, "FILE", 0, "The file of results; default results.db", 0},
	};
	const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.args_doc = "[FILE.json]",
		.doc = "Show the energy of runs by component. With FILE.json, show the run whose statistics 'sluice "
		       "run --stats' wrote there. Without it, show the stored runs of 'sluice figure' that meet all "
		       "filters. Nothing is run again.",
	};
	run_filter_options(options + OWN_OPTIONS, KEY_FILTER, 1);
	int status = CLI_USAGE;
	if (cli_parse(&argp, argc, argv, 0, &energy) == 0)
		status = answer(&energy);
	free(energy.objects.list);
	return status;
}
