/* sluice sweep: many runs, from a plan with axes or from axes on the command line. */
#include "cli/sweep/sweep.h"

#include "lab/report_sweep.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_DRY_RUN = 512, KEY_RETRY, KEY_MECH, KEY_AXIS, KEY_METRIC, KEY_NAME, SHOWN = 60 };

struct sweep {
	struct study study;
	struct quick quick;
	const char *name;
	bool dry, retry;
};

static const struct argp_option sweep_options[] = {
	{"dry-run", KEY_DRY_RUN, NULL, 0,
         "Run nothing; print the number of runs, how many are stored already, and the expected time", 0},
	{"retry", KEY_RETRY, NULL, 0, "Also rerun runs that failed before", 0},
	{NULL, 0, NULL, 0, "Instead of a plan, values separated by commas:", 2}, /* 1: the options of a cluster */
	{"machine", 'm', "LIST", 0, "Machines", 0},
	{"option", 'o', "KEY=LIST", 0, "Values of a key of the machine", 0},
	{"mech", KEY_MECH, "LIST", 0, "Mechanisms, none, or several together as a+b", 0},
	{"axis", KEY_AXIS, "NAME=LIST", 0, "Any other axis of a plan: program, size, MECHANISM:OPTION, a word in {}",
         0},
	{"metric", KEY_METRIC, "FORMULA", 0, "Value to show for each run; default cycles", 0},
	{"name", KEY_NAME, "NAME", 0, "Name of the sweep; default from its plan", 0},
	{0},
};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct sweep *sweep = state->input;
	struct words *names = &sweep->study.programs.names;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &sweep->study;
		return 0;
	case KEY_DRY_RUN:
		sweep->dry = true;
		return 0;
	case KEY_RETRY:
		sweep->retry = true;
		return 0;
	case 'm':
		quick_axis(&sweep->quick, "-m", "machine", value, state);
		return 0;
	case 'o':
		quick_assignment(&sweep->quick, "-o", value, state);
		return 0;
	case KEY_MECH:
		quick_mechanisms(&sweep->quick, value, state);
		return 0;
	case KEY_AXIS:
		quick_assignment(&sweep->quick, "--axis", value, state);
		return 0;
	case KEY_METRIC:
		sweep->quick.metric = cli_text("--metric", value, state);
		return 0;
	case KEY_NAME:
		sweep->name = cli_text("--name", value, state);
		if (strchr(value, '/') || *value == '.')
			cli_usage(state, "--name: expected a name without a slash, not '%s'", value);
		return 0;
	case ARGP_KEY_ARG:
		names->word = base_realloc(names->word, (names->count + 1) * sizeof *names->word);
		names->word[names->count++] = value;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child sweep_children[] = {{&study_argp, 0, NULL, 0}, {0}};

static const struct argp sweep_argp = {
	.options = sweep_options,
	.parser = parse_option,
	.children = sweep_children,
	.args_doc = "PLAN.yaml...\n[-- PROGRAM [ARGUMENT...]]\nstatus SWEEP\ncancel SWEEP\nfailed SWEEP",
	.doc = "Run all combinations of a plan's axes (experiments/README.md, Sweeps), or of the axes given here, on "
	       "this computer or on a cluster. Store every run; print and write one line for each. Or show a sweep's "
	       "progress, cancel it, or show its failed runs. SWEEP is its plan, its name or its folder, "
	       "sweeps/NAME.\v"
	       "Each run is stored when it ends, so an interrupted sweep continues where it stopped. A failed run is "
	       "rerun only with --retry. The exit status is 1 when a run failed.",
};

static int show(struct sweep *sweep, struct plan *plan, struct store *store, const char *name)
{
	struct study *study = &sweep->study;
	struct figure figure;
	if (!plan_figure(plan, store, study->way.any_build, &figure))
		return CLI_FAILED;
	if (!study->way.quiet)
		report_sweep_table(&figure, plan, SHOWN, stdout);
	fflush(stdout);
	if (!report_sweep_csv(&figure, plan, study->out, name))
		return CLI_FAILED;
	struct figure stored = figure;
	stored.missing -= figure.unstored; /* their runs failed, which is reported already */
	plan_tell_missing(plan, &stored, name, "");
	printf("%s%s/%s.runs.csv\n", study->way.quiet ? "" : "\n", study->out, name);
	return 0;
}

static int run(struct sweep *sweep, struct plan *plan, struct store *store, const char *name)
{
	struct study *study = &sweep->study;
	int failed = plan_run(plan, store, &study->way);
	if (failed < 0)
		return CLI_FAILED;
	if (study->slurm.detached)
		return 0;
	int status = show(sweep, plan, store, name);
	if (failed)
		cli_error(study->programs.name,
		          "%d run%s failed; 'sluice sweep failed %s' shows them, --retry runs them again", failed,
		          failed == 1 ? "" : "s", name);
	return failed && !status ? CLI_FAILED : status;
}

static int make(struct sweep *sweep, const struct experiment *experiment, const char *name)
{
	char message[STORE_MESSAGE];
	struct study *study = &sweep->study;
	const struct plan_source source = study_source(study, experiment);
	struct plan plan = {0};
	int status = CLI_USAGE;
	if (experiment->show >= SHOW_INDEXES) {
		cli_error(study->programs.name, "%s: a sweep needs measured runs; 'sluice figure' shows this one",
		          name);
		return status;
	}
	study->way.keeps_failed = !sweep->retry;
	study_set_folder(study, sweep->name ? sweep->name : name);
	if (plan_make(&plan, experiment, &source)) {
		struct store *store = store_open(study->results, false, message);
		status = CLI_FAILED;
		if (!store)
			cli_error(study->programs.name, "%s", message);
		else if (sweep->dry)
			status = plan_foresee(&plan, store, &study->way, stdout) ? 0 : CLI_FAILED;
		else
			status = run(sweep, &plan, store, name);
		store_close(store);
	}
	plan_free(&plan);
	return status;
}

/* Writes "sweep-1a2b": the same command always gives the same sweep. */
static void name_of(const char *plan, char name[NAME_MAX])
{
	uint32_t digest = 2166136261u; /* FNV-1a */
	for (; *plan; plan++)
		digest = (digest ^ (unsigned char)*plan) * 16777619u;
	snprintf(name, NAME_MAX, "sweep-%08x", digest);
}

static int make_quick(struct sweep *sweep)
{
	struct experiment experiment;
	char name[NAME_MAX], *plan = quick_plan(&sweep->quick);
	int status = CLI_USAGE;
	json_t *text = json_string(plan); /* NULL if it is not UTF-8 */
	name_of(plan, name);
	if (!text)
		cli_error(sweep->study.programs.name, "the command line is not valid UTF-8");
	else if (study_read(&sweep->study, &experiment, "the command line as a plan", plan) &&
	         study_take_paper(&sweep->study, &experiment))
		status = make(sweep, &experiment, sweep->name ? sweep->name : name);
	json_decref(text);
	free(plan);
	return status;
}

static int make_all(struct sweep *sweep)
{
	const struct words *names = &sweep->study.programs.names;
	int worst = 0;
	if (!study_prepare(&sweep->study))
		return CLI_USAGE;
	if (!names->count)
		return make_quick(sweep);
	for (size_t i = 0; i < names->count; i++) {
		struct experiment experiment;
		char name[NAME_MAX];
		bool found = study_find(&sweep->study, names->word[i], &experiment, name) &&
		             study_take_paper(&sweep->study, &experiment);
		int status = found ? make(sweep, &experiment, name) : CLI_USAGE;
		worst = status > worst ? status : worst;
	}
	return worst;
}

/* Runs the action that the words name. Returns -1 when they name none. */
static int act(struct sweep *sweep)
{
	const struct words *words = &sweep->study.programs.names;
	static const struct {
		const char *name;
		int (*run)(struct study *study, const char *sweep);
	} actions[] = {{"status", sweep_status}, {"cancel", sweep_cancel}, {"failed", sweep_failed}};
	if (words->count == 3 && strcmp(words->word[0], "task") == 0)
		return sweep_task(&sweep->study, words->word[1], words->word[2]);
	for (size_t i = 0; words->count && i < sizeof actions / sizeof *actions; i++) {
		if (strcmp(words->word[0], actions[i].name) != 0)
			continue;
		if (words->count == 2)
			return actions[i].run(&sweep->study, words->word[1]);
		cli_error(sweep->study.programs.name, "%s: expected one sweep: its plan, name or folder",
		          actions[i].name);
		return CLI_USAGE;
	}
	return -1;
}

static int perform(struct sweep *sweep)
{
	bool quick = sweep->quick.axes || sweep->quick.file || sweep->quick.command;
	size_t names = sweep->study.programs.names.count;
	if (names && quick) {
		cli_error(sweep->study.programs.name,
		          "'%s' is a plan with its own axes; give either the plan, or axes and a command after --",
		          sweep->study.programs.names.word[0]);
		return CLI_USAGE;
	}
	if (!names && !quick) {
		cli_error(sweep->study.programs.name, "expected a plan, or axes and a command after --; try --help");
		return CLI_USAGE;
	}
	int acted = act(sweep);
	return acted >= 0 ? acted : make_all(sweep);
}

/* Cuts off the words after "--": the command, with its own options. */
static int split_line(struct sweep *sweep, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--") != 0)
			continue;
		sweep->quick.command = argv[i + 1] ? argv + i + 1 : NULL;
		return i;
	}
	return argc;
}

int command_sweep(int argc, char **argv)
{
	struct sweep sweep = {0};
	int status = CLI_USAGE;
	study_begin(&sweep.study, argv[0]);
	sweep.quick.study = &sweep.study;
	if (cli_parse(&sweep_argp, split_line(&sweep, argc, argv), argv, 0, &sweep) == 0)
		status = perform(&sweep);
	if (sweep.quick.file)
		fclose(sweep.quick.file);
	free(sweep.quick.axes);
	study_end(&sweep.study);
	return status;
}
