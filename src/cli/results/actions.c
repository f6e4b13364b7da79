#include "cli/results/actions.h"

#include "base/file.h"
#include "cli/commands.h"
#include "cli/run_filters.h"
#include "lab/merge.h"
#include "lab/reuse_reason.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { KEY_FILE = 512, KEY_FILTER };

/* The arguments of an action. */
struct asked {
	const char *name, *file;
	char **words;
	size_t count, least, most; /* number of words that it takes */
	struct run_filters filters;
	bool filtered; /* it takes filters */
};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct asked *asked = state->input;
	switch (key) {
	case KEY_FILE:
		asked->file = cli_text("--results", value, state);
		return 0;
	case ARGP_KEY_ARGS:
		asked->words = state->argv + state->next;
		asked->count = (size_t)(state->argc - state->next);
		return 0;
	case ARGP_KEY_END:
		if (asked->count < asked->least)
			cli_usage(state, "expected %s", asked->least == 1 && asked->most == 1 ? "one name" : "names");
		if (asked->count > asked->most)
			cli_usage(state, "unexpected argument '%s'", asked->words[asked->most]);
		return 0;
	default:
		if (!asked->filtered || key < KEY_FILTER || key >= KEY_FILTER + RUN_FIELDS)
			return ARGP_ERR_UNKNOWN;
		run_filters_add(&asked->filters, key - KEY_FILTER, value, state);
		return 0;
	}
}

/* Returns false when --help or a usage error has ended it. */
static bool read_line(struct asked *asked, int argc, char **argv, const char *words, const char *doc)
{
	struct argp_option options[RUN_FILTER_OPTIONS + 2] = {
		{"results", KEY_FILE, "FILE", 0, "The file of results; default results.db", 0}, {0}};
	const struct argp argp = {.options = options, .parser = parse_option, .args_doc = words, .doc = doc};
	if (asked->filtered)
		run_filter_options(options + 1, KEY_FILTER, 1);
	asked->name = argv[0];
	asked->file = asked->file ? asked->file : "results.db";
	return cli_parse(&argp, argc, argv, 0, asked) == 0;
}

static int failed(const struct asked *asked, const char *message)
{
	cli_error(asked->name, "%s", message);
	return CLI_FAILED;
}

static void tell_merged(const char *path, const struct merge_count *count)
{
	printf("%s: %zu added, %zu present already, %zu replaced failed ones\n", path, count->added, count->had,
	       count->replaced);
}

static int merge(int argc, char **argv)
{
	char message[STORE_MESSAGE];
	struct asked asked = {.least = 1, .most = SIZE_MAX};
	int status = 0;
	if (!read_line(
		    &asked, argc, argv, "FILE...",
		    "Add the runs of other files to the file of results, each once. FILE is a file of results of any "
		    "version, or has one record per line, as 'sluice results export' writes. If one run of a file "
		    "cannot be added, none of that file's runs is added."))
		return CLI_USAGE;
	struct store *store = store_open(asked.file, false, message);
	if (!store)
		return failed(&asked, message);
	for (size_t i = 0; i < asked.count; i++) {
		struct merge_count count = {0};
		if (!merge_file(store, asked.words[i], &count, message)) {
			status = failed(&asked, message);
			continue;
		}
		tell_merged(asked.words[i], &count);
		if (!count.differ)
			continue;
		cli_error(asked.name,
		          "%s: %zu runs differ in cycles from the same runs in %s, which were left "
		          "unchanged",
		          asked.words[i], count.differ, asked.file);
		status = CLI_FAILED;
	}
	store_close(store);
	return status;
}

/* Writes a new file in the same folder, then renames it, so that an existing file stays until the new one is
 * complete. */
static int export_to(const struct asked *asked, struct store *store, const char *path)
{
	char message[STORE_MESSAGE] = "";
	struct file_new new;
	FILE *file = file_new_stream(&new, path);
	if (!file) {
		cli_error(asked->name, "cannot write %s: %s", path, file_write_reason());
		return CLI_FAILED;
	}
	bool fine = merge_export(store, asked->filters.filter, asked->filters.count, file, message);
	if (fine)
		fine = file_new_finish(&new, file);
	else
		file_new_abandon(&new, file);
	if (!fine && !*message)
		snprintf(message, sizeof message, "cannot write %s: %s", path, file_write_reason());
	return fine ? 0 : failed(asked, message);
}

static int export(int argc, char **argv)
{
	char message[STORE_MESSAGE];
	struct asked asked = {.least = 0, .most = 1, .filtered = true};
	if (!read_line(
		    &asked, argc, argv, "[FILE]",
		    "Write the runs that meet all filters to FILE, or else to standard output. Each run is one "
		    "record: a line of JSON with all facts about the run. 'sluice results merge' reads the records."))
		return CLI_USAGE;
	struct store *store = store_open(asked.file, true, message);
	if (!store)
		return failed(&asked, message);
	int status = 0;
	if (asked.count && strcmp(asked.words[0], "-") != 0)
		status = export_to(&asked, store, asked.words[0]);
	else if (!merge_export(store, asked.filters.filter, asked.filters.count, stdout, message))
		status = failed(&asked, message);
	store_close(store);
	return status;
}

static int check(int argc, char **argv)
{
	char message[STORE_MESSAGE];
	struct asked asked = {0};
	size_t runs;
	if (!read_line(&asked, argc, argv, NULL,
	               "Check that the file of results is whole, and each run in it. The exit status is 1 when a "
	               "fault is found."))
		return CLI_USAGE;
	struct store *store = store_open(asked.file, true, message);
	if (!store)
		return failed(&asked, message);
	long wrong = merge_check(store, stdout, &runs, message);
	store_close(store);
	if (wrong < 0)
		return failed(&asked, message);
	printf("%s: %zu run%s, %ld of them wrong\n", asked.file, runs, runs == 1 ? "" : "s", wrong);
	return wrong ? CLI_FAILED : 0;
}

static int why(int argc, char **argv)
{
	char message[STORE_MESSAGE];
	struct asked asked = {.least = 1, .most = 1};
	if (!read_line(&asked, argc, argv, "RUN",
	               "Print the identity of the run with that number (column 'run' of 'sluice results'). Also print "
	               "why it was made although a run of the same name existed."))
		return CLI_USAGE;
	struct store *store = store_open(asked.file, true, message);
	bool fine = store && reuse_reason_print(store, asked.words[0], stdout, message);
	store_close(store);
	return fine ? 0 : failed(&asked, message);
}

const char *const results_actions[] = {"merge", "export", "check", "why", NULL};

int results_action(int argc, char **argv)
{
	static int (*const run[])(int argc, char **argv) = {merge, export, check, why};
	static const char *const titles[] = {"sluice results merge", "sluice results export", "sluice results check",
	                                     "sluice results why"};
	for (size_t i = 0; argc > 1 && results_actions[i]; i++) {
		if (strcmp(argv[1], results_actions[i]) != 0)
			continue;
		argv[1] = (char *)titles[i];
		return run[i](argc - 1, argv + 1);
	}
	return -1;
}
