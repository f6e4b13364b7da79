/* sluice report: writes runs as one HTML page for a browser. */
#include "cli/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_LAUNCHES = 512, KEY_FIGURE, KEY_SCORECARD, KEY_ANY_BUILD, KEY_FILTER };

struct report {
	const char *name, *output;
	struct cli_options inputs;
	struct collection collection;
	struct study study; /* the requested figures */
};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct report *report = state->input;
	switch (key) {
	case 'o':
		report->output = cli_text("-o", value, state);
		return 0;
	case KEY_LAUNCHES:
		report->collection.launches = cli_number("--launches", value, 1, state);
		return 0;
	case KEY_FIGURE:
		study_add_name(&report->study, cli_text("--figure", value, state));
		return 0;
	case KEY_SCORECARD:
		report->study.scorecard = true;
		return 0;
	case KEY_ANY_BUILD:
		report->study.way.any_build = true;
		return 0;
	case ARGP_KEY_ARG:
		cli_add_word(&report->inputs, value);
		return 0;
	default:
		if (key < KEY_FILTER || key >= KEY_FILTER + RUN_FIELDS)
			return ARGP_ERR_UNKNOWN;
		run_filters_add(&report->collection.filters, key - KEY_FILTER, value, state);
		if (strcmp(run_fields[key - KEY_FILTER].name, "size") == 0)
			report->study.size = cli_choice("--size", value, cli_sizes, state);
		return 0;
	}
}

static bool take_figures(struct report *report)
{
	struct study *study = &report->study;
	study->results = report->inputs.list[0];
	if (report_is_store(study->results))
		return (!study->programs.names.count || report_take_figures(&report->collection, study)) &&
		       (!study->scorecard || report_take_scorecard(&report->collection, study));
	cli_error(report->name, "%s: not a file of results; figures need one, named first", study->results);
	return false;
}

static bool take_all(struct report *report)
{
	struct collection *collection = &report->collection;
	for (size_t i = 0; i < report->inputs.count; i++)
		if (!report_take(collection, report->inputs.list[i]))
			return false;
	return (!report->study.programs.names.count && !report->study.scorecard) || take_figures(report);
}

static int make(struct report *report)
{
	struct collection *collection = &report->collection;
	if (!take_all(report))
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
	struct argp_option options[RUN_FILTER_OPTIONS + 6] = {
		{"output", 'o', "FILE", 0, "The page; default report.html", 0},
		{"launches", KEY_LAUNCHES, "N", 0,
	         "Show at most N launches of a run separately; with more, add up the launches of each kernel; default "
	         "50",
	         0},
		{"figure", KEY_FIGURE, "NAME", 0,
	         "Also show this figure of 'sluice figure', or of a YAML file, from the runs in the first FILE; may "
	         "be repeated",
	         0},
		{"scorecard", KEY_SCORECARD, NULL, 0,
	         "Also list every published number of the papers next to ours, from the runs in the first FILE", 0},
		{"any-build", KEY_ANY_BUILD, NULL, 0,
	         "In figures, also take results of other builds of Sluice, programs and machines", 0},
	};
	const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.args_doc = "[FILE...]",
		.doc = "Make an HTML page of runs: tables with filters, cycle stacks side by side, counters, a run "
		       "over time, and the difference of two runs in words. It is one file that needs no network.\v"
		       "A FILE is a file of results (default results.db) or the statistics of a run (--stats "
		       "FILE.json). After statistics, name other files of the same run: samples (--sample), a "
		       "timeline (--timeline), a trace (--trace), a profile (--profile). The filters select runs from "
		       "files of results.",
	};
	run_filter_options(options + 5, KEY_FILTER, 1);
	collection_open(&report.collection, report.name);
	study_begin(&report.study, report.name);
	report.study.no_run = true;
	int status = CLI_USAGE;
	if (cli_parse(&argp, argc, argv, 0, &report) == 0) {
		if (!report.inputs.count)
			cli_add_word(&report.inputs, "results.db");
		status = make(&report);
	}
	collection_close(&report.collection);
	study_end(&report.study);
	free(report.inputs.list);
	return status;
}
