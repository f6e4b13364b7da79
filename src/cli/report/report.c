/* sluice report: runs as a page for a browser, in one file. */
#include "cli/report/report.h"

#include <stdio.h>
#include <stdlib.h>

enum { KEY_LAUNCHES = 512, KEY_FILTER };

struct report {
	const char *name, *output;
	struct cli_options inputs;
	struct collection collection;
};

static error_t parse(int key, char *value, struct argp_state *state)
{
	struct report *report = state->input;
	switch (key) {
	case 'o':
		report->output = cli_text("-o", value, state);
		return 0;
	case KEY_LAUNCHES:
		report->collection.launches = cli_number("--launches", value, 1, state);
		return 0;
	case ARGP_KEY_ARG:
		cli_add_word(&report->inputs, value);
		return 0;
	default:
		if (key < KEY_FILTER || key >= KEY_FILTER + RUN_FIELDS)
			return ARGP_ERR_UNKNOWN;
		run_filters_add(&report->collection.filters, key - KEY_FILTER, value, state);
		return 0;
	}
}

static int make(struct report *report)
{
	struct collection *collection = &report->collection;
	for (size_t i = 0; i < report->inputs.count; i++)
		if (!report_take(collection, report->inputs.list[i]))
			return CLI_USAGE;
	json_t *data = collection_json(collection);
	bool fine = report_write_page(report->name, report->output, data);
	json_decref(data);
	if (!fine)
		return CLI_FAILED;
	size_t runs = json_array_size(collection->runs);
	printf("%s: %zu run%s\n", report->output, runs, runs == 1 ? "" : "s");
	return 0;
}

int command_report(int argc, char **argv)
{
	struct report report = {.name = argv[0], .output = "report.html"};
	struct argp_option options[RUN_FIELDS + 3] = {
		{"output", 'o', "FILE", 0, "The page; default report.html", 0},
		{"launches", KEY_LAUNCHES, "N", 0,
	         "Keep at most N launches of a run apart; of more, those of a kernel are added up; default 50", 0},
	};
	const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[FILE...]",
		.doc = "Make a page for a browser of runs: tables with filters, cycle stacks side by side, counters, "
		       "what a "
		       "run did over time, and the difference of two runs in words. It is one file that needs no "
		       "network.\v"
		       "A FILE is one of results (results.db, which is taken where none is named), or what 'sluice "
		       "run' wrote: "
		       "statistics (--stats FILE.json), and behind these what belongs to the same run: samples "
		       "(--sample), "
		       "a timeline (--timeline), a trace (--trace), a profile (--profile). The filters are of the runs "
		       "of files of "
		       "results.",
	};
	run_filter_options(options + 2, KEY_FILTER, 1);
	collection_open(&report.collection, report.name);
	int status = CLI_USAGE;
	if (argp_parse(&argp, argc, argv, 0, NULL, &report) == 0) {
		if (!report.inputs.count)
			cli_add_word(&report.inputs, "results.db");
		status = make(&report);
	}
	collection_close(&report.collection);
	free(report.inputs.list);
	return status;
}
