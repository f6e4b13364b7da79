/* sluice figure: reproduces the papers' figures from the files of experiments/. */
#include "cli/figure/scorecard.h"
#include "cli/figure/source.h"
#include "cli/figure/study.h"
#include "cli/figure/table.h"
#include "cli/figure/timeline.h"
#include "lab/report.h"
#include "lab/store.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEY_NO_RUN = 512, KEY_SCORECARD };

static const struct argp_option figure_options[] = {
	{"scorecard", KEY_SCORECARD, NULL, 0,
         "List every published number next to ours; each NAME is then a paper, by default all papers", 0},
	{"no-run", KEY_NO_RUN, NULL, 0, "Run nothing; show the stored results", 0},
	{0},
};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct study *study = state->input;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = study;
		return 0;
	case KEY_NO_RUN:
		study->no_run = true;
		return 0;
	case KEY_SCORECARD:
		study->scorecard = true;
		return 0;
	case ARGP_KEY_ARG:
		study_add_name(study, value);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child figure_children[] = {{&study_argp, 0, NULL, 0}, {0}};

static const struct argp figure_argp = {
	.options = figure_options,
	.parser = parse_option,
	.children = figure_children,
	.args_doc = "[NAME...]",
	.doc = "Make figures of the papers: run the missing runs, store every run, print our numbers next to the "
	       "published ones, and write NAME.csv, NAME.svg, NAME.pdf and gnuplot's NAME.gp. Without a NAME, list "
	       "the figures. A NAME with a slash is a file, as is NAME.yaml in the current folder.\v"
	       "Each run is stored when it ends. An interrupted figure continues where it stopped. The exit status "
	       "is 1 when a run failed.",
};

static int is_experiment(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && study_ends_in_yaml(entry->d_name);
}

static int list(struct study *study)
{
	char room[PATH_MAX], path[2 * PATH_MAX];
	const char *folder = study_folder(room);
	struct dirent **entries;
	int status = 0, count = study_scan(study, folder, is_experiment, &entries);
	if (count < 0)
		return CLI_USAGE;
	for (int i = 0; i < count; i++) {
		struct experiment experiment;
		char *name = entries[i]->d_name;
		snprintf(path, sizeof path, "%s/%s", folder, name);
		if (study_read(study, &experiment, path, NULL) && study_check_named(study, &experiment, folder))
			printf("%-*.*s %s\n", 22, (int)strlen(name) - 5, name, experiment.title);
		else
			status = CLI_USAGE;
		free(entries[i]);
	}
	free(entries);
	return status;
}

/* Shows the plan's results. */
static int show(struct study *study, struct plan *plan, struct store *store, const char *name)
{
	struct figure figure;
	if (!plan_figure(plan, store, study->way.any_build, &figure))
		return CLI_FAILED;
	report_table(&figure, plan->source->size, stdout);
	fflush(stdout);
	if (!report_files(&figure, plan, study->out, name))
		return CLI_FAILED;
	printf("\n%s/%s: .csv, .svg, .pdf, .gp\n", study->out, name);
	plan_tell_missing(plan, &figure, name, "");
	return figure.missing ? CLI_FAILED : 0;
}

static int make(struct study *study, const struct experiment *experiment, const char *name)
{
	char message[STORE_MESSAGE];
	struct plan plan = {0};
	const struct plan_source source = study_source(study, experiment);
	int status = CLI_USAGE;
	if (study->way.slurm || study->way.journal)
		study_set_folder(study, name);
	if (experiment->show == SHOW_TIMELINE && study->way.slurm) {
		cli_error(study->programs.name, "%s: a timeline is read on the computer of its run; leave out --slurm",
		          name);
		return status;
	}
	if (experiment->show == SHOW_TIMELINE && study->no_run) {
		cli_error(study->programs.name, "%s: a timeline needs a new run, which --no-run forbids", name);
		return status;
	}
	if (experiment->show == SHOW_TIMELINE)
		return figure_timeline(experiment, &source, &study->way, study->results, study->out, name);
	if (plan_make(&plan, experiment, &source)) {
		struct store *store = store_open(study->results, study->no_run, message);
		status = CLI_FAILED;
		if (!store)
			cli_error(study->programs.name, "%s", message);
		else if (study->no_run || plan_run(&plan, store, &study->way) >= 0)
			status = show(study, &plan, store, name);
		store_close(store);
	}
	plan_free(&plan);
	return status;
}

static int make_all(struct study *study)
{
	struct program_request *programs = &study->programs;
	int worst = 0;
	if (!study_prepare(study))
		return CLI_USAGE;
	for (size_t i = 0; i < programs->names.count; i++) {
		struct experiment experiment;
		char name[NAME_MAX];
		int status = CLI_USAGE;
		if (i)
			putchar('\n');
		if (!study_find(study, programs->names.word[i], &experiment, name) ||
		    !study_take_paper(study, &experiment))
			status = CLI_USAGE;
		else if (experiment.show == SHOW_INDEXES)
			status = figure_indexes(programs, &experiment, study->out, name);
		else if (experiment_is_table(&experiment))
			status = figure_table(programs, &experiment, study->out, name);
		else
			status = make(study, &experiment, name);
		worst = status > worst ? status : worst;
	}
	return worst;
}

int command_figure(int argc, char **argv)
{
	struct study study;
	int status = CLI_USAGE;
	study_begin(&study, argv[0]);
	if (cli_parse(&figure_argp, argc, argv, 0, &study) == 0)
		status = study.scorecard              ? figure_scorecard(&study)
		         : study.programs.names.count ? make_all(&study)
		                                      : list(&study);
	study_end(&study);
	return status;
}
