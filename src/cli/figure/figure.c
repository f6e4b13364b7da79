/* sluice figure: the papers' figures, by the files of experiments/. */
#include "base/config_find.h"
#include "cli/figure/source.h"
#include "cli/figure/table.h"
#include "cli/figure/timeline.h"
#include "cli/programs/programs.h"
#include "lab/report.h"
#include "lab/store.h"
#include "revision.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEY_SIZE = 512, KEY_SEED, KEY_RESULTS, KEY_OUT, KEY_ANY_BUILD, KEY_AGAIN, KEY_NO_RUN };

struct wish {
	struct program_request programs; /* its name is the command's */
	const char *size, *seed, *results, *out;
	char sluice[PATH_MAX], library[PATH_MAX];
	struct plan_way way;
	bool no_run;
};

static const struct argp_option figure_options[] = {
	{"jobs", 'j', "N", 0, "So many runs at a time; default one for each processor", 0},
	{"size", KEY_SIZE, "SIZE", 0, "tiny, small or paper; default what the experiment says", 0},
	{"seed", KEY_SEED, "N", 0, "Seed of the inputs; default what the experiment says", 0},
	{"results", KEY_RESULTS, "FILE", 0, "Where runs are kept; default results.db", 0},
	{"out", KEY_OUT, "FOLDER", 0, "Where CSV and pictures go; default figures", 0},
	{"any-build", KEY_ANY_BUILD, NULL, 0, "Take results of other builds of Sluice, programs and machines too", 0},
	{"again", KEY_AGAIN, NULL, 0, "Run also what is in the results already", 0},
	{"no-run", KEY_NO_RUN, NULL, 0, "Run nothing; show what is in the results", 0},
	{"quiet", 'q', NULL, 0, "Tell of runs that fail only", 0},
	{0},
};

static error_t parse(int key, char *value, struct argp_state *state)
{
	struct wish *wish = state->input;
	struct words *names = &wish->programs.names;
	switch (key) {
	case 'j':
		wish->way.parallel = cli_number("-j", value, 1, state);
		return 0;
	case KEY_SIZE:
		wish->size = cli_choice("--size", value, cli_sizes, state);
		return 0;
	case KEY_SEED:
		cli_number("--seed", value, 0, state);
		wish->seed = value;
		return 0;
	case KEY_RESULTS:
		wish->results = cli_text("--results", value, state);
		return 0;
	case KEY_OUT:
		wish->out = cli_text("--out", value, state);
		return 0;
	case KEY_ANY_BUILD:
		wish->way.any_build = true;
		return 0;
	case KEY_AGAIN:
		wish->way.again = true;
		return 0;
	case KEY_NO_RUN:
		wish->no_run = true;
		return 0;
	case 'q':
		wish->way.quiet = true;
		return 0;
	case ARGP_KEY_ARG:
		names->word = xrealloc(names->word, (names->count + 1) * sizeof *names->word);
		names->word[names->count++] = value;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp figure_argp = {
	.options = figure_options,
	.parser = parse,
	.args_doc = "[NAME...]",
	.doc = "Make figures of the papers: run what is missing, keep every run, print ours beside the published "
	       "numbers, "
	       "and write NAME.csv, NAME.svg, NAME.pdf and gnuplot's NAME.gp. Without a NAME, list the figures there "
	       "are. "
	       "A NAME with a slash is a file, and so is NAME.yaml in the current folder.\v"
	       "A run that has ended is kept at once: an interrupted figure goes on where it was. The exit status is 1 "
	       "when a run failed.",
};

/* The user's, else the installed one, else the source tree's. */
static const char *experiments_folder(char *room)
{
	static const char *const installed[] = {CLI_INSTALLED_EXPERIMENTS, NULL};
	const char *own = getenv("SLUICE_EXPERIMENTS");
	if (own && *own)
		return own;
	return cli_find_folder(installed, "README.md", room) ? room : CLI_SOURCE_EXPERIMENTS;
}

static bool ends_in_yaml(const char *name)
{
	size_t length = strlen(name);
	return length > 5 && strcmp(name + length - 5, ".yaml") == 0;
}

static int is_experiment(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && ends_in_yaml(entry->d_name);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name); /* NAME.5 before NAME.10 */
}

static bool read_experiment(struct experiment *experiment, struct arena *arena, const char *path, const char *command)
{
	struct document document = {.arena = arena, .source = {.name = path}};
	char *text = cli_read_file(path, &document.source.length);
	if (!text) {
		cli_error(command, "cannot read %s: %s", path, strerror(errno));
		return false;
	}
	document.source.text = text;
	bool fine = experiment_read(experiment, &document);
	if (!fine)
		fputs(document.diag.text, stderr);
	diag_free(&document.diag);
	free(text);
	return fine;
}

static int list(struct wish *wish)
{
	char room[PATH_MAX], path[2 * PATH_MAX];
	const char *folder = experiments_folder(room);
	struct dirent **entries;
	int status = 0, count = scandir(folder, &entries, is_experiment, by_name);
	if (count < 0) {
		cli_error(wish->programs.name, "cannot read the experiments in %s: %s", folder, strerror(errno));
		return CLI_USAGE;
	}
	for (int i = 0; i < count; i++) {
		struct experiment experiment;
		char *name = entries[i]->d_name;
		snprintf(path, sizeof path, "%s/%s", folder, name);
		if (read_experiment(&experiment, &wish->programs.arena, path, wish->programs.name))
			printf("%-*.*s %s\n", 22, (int)strlen(name) - 5, name, experiment.title);
		else
			status = CLI_USAGE;
		free(entries[i]);
	}
	free(entries);
	return status;
}

static bool find_program(void *context, const char *name, const char *variant, struct plan_program *found)
{
	return figure_find(context, name, variant, found);
}

/* What the environment says of machines and statistics is not what the experiment says. */
static void clear_environment(void)
{
	static const char *const kept[] = {"SLUICE_MACHINES=", "SLUICE_PROGRAMS=", "SLUICE_EXPERIMENTS=",
	                                   "SLUICE_THREADS=",  "SLUICE_CLANG=",    "SLUICE_TOOLKIT="};
	for (size_t i = 0; environ[i];) {
		bool keep = strncmp(environ[i], "SLUICE_", 7) != 0;
		for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
			keep |= strncmp(environ[i], kept[k], strlen(kept[k])) == 0;
		if (keep) {
			i++;
			continue;
		}
		char *name = strndup(environ[i], strcspn(environ[i], "="));
		unsetenv(name); /* takes it out of environ */
		free(name);
	}
}

static bool find_places(struct wish *wish)
{
	char folder[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", wish->sluice, sizeof wish->sluice - 1);
	if (length <= 0 || !cli_library_folder(folder)) {
		cli_error(wish->programs.name, "found no libcudart.so of ours beside the program");
		return false;
	}
	wish->sluice[length] = '\0';
	return snprintf(wish->library, sizeof wish->library, "%s/libcudart.so", folder) < PATH_MAX;
}

/* Shows what the plan gave. */
static int show(struct wish *wish, struct plan *plan, struct store *store, const char *name)
{
	struct figure figure;
	if (!plan_figure(plan, store, wish->way.any_build, &figure))
		return CLI_FAILED;
	report_table(&figure, plan->source->size, stdout);
	fflush(stdout);
	if (!report_files(&figure, plan, wish->out, name))
		return CLI_FAILED;
	printf("\n%s/%s: .csv, .svg, .pdf, .gp\n", wish->out, name);
	if (figure.missing)
		cli_error(wish->programs.name, "%s: %zu of its cells have no value", name, figure.missing);
	return figure.missing ? CLI_FAILED : 0;
}

static int make(struct wish *wish, const struct experiment *experiment, const char *name)
{
	char message[STORE_MESSAGE];
	struct plan plan = {0};
	const struct plan_source source = {.context = &wish->programs,
	                                   .find = find_program,
	                                   .compile = wish->no_run ? NULL : figure_compile,
	                                   .examine = figure_examine,
	                                   .command = wish->programs.name,
	                                   .sluice = wish->sluice,
	                                   .library = wish->library,
	                                   .size = wish->size ? wish->size : experiment->size,
	                                   .seed = wish->seed ? strtoull(wish->seed, NULL, 10) : experiment->seed,
	                                   .revision = SLUICE_REVISION};
	int status = CLI_USAGE;
	if (experiment->show == SHOW_TIMELINE && wish->no_run) {
		cli_error(wish->programs.name,
		          "%s: a timeline is of a run, which is made anew; --no-run has none to show", name);
		return status;
	}
	if (experiment->show == SHOW_TIMELINE)
		return figure_timeline(experiment, &source, &wish->way, wish->results, wish->out, name);
	if (plan_make(&plan, experiment, &source)) {
		struct store *store = store_open(wish->results, wish->no_run, message);
		status = CLI_FAILED;
		if (!store)
			cli_error(wish->programs.name, "%s", message);
		else if (wish->no_run || plan_run(&plan, store, &wish->way) >= 0)
			status = show(wish, &plan, store, name);
		store_close(store);
	}
	plan_free(&plan);
	return status;
}

/* Names of programs count as the experiment's paper has them. False after a message. */
static bool take_paper(struct wish *wish, const struct experiment *experiment, const char *name)
{
	wish->programs.paper = NULL;
	for (size_t i = 0; experiment->paper && i < PROGRAM_PAPERS; i++)
		if (strcmp(program_papers[i], experiment->paper) == 0)
			wish->programs.paper = program_papers[i];
	if (!experiment->paper || wish->programs.paper)
		return true;
	cli_error(wish->programs.name, "%s: paper: expected teleport, prefetch-cta, d2ma, caps or sharing, not '%s'",
	          name, experiment->paper);
	return false;
}

/* The experiment of that name or file; `name` becomes that of its figure. */
static bool find_experiment(struct wish *wish, const char *word, struct experiment *experiment, char name[NAME_MAX])
{
	char room[PATH_MAX], path[2 * PATH_MAX];
	const char *slash = strrchr(word, '/');
	size_t length = strlen(slash ? slash + 1 : word);
	snprintf(name, NAME_MAX, "%.*s", (int)(ends_in_yaml(word) ? length - 5 : length), slash ? slash + 1 : word);
	bool is_path = slash || (ends_in_yaml(word) && access(word, F_OK) == 0);
	if (is_path)
		snprintf(path, sizeof path, "%s", word);
	else
		snprintf(path, sizeof path, "%s/%s.yaml", experiments_folder(room), name);
	if (!is_path && access(path, F_OK) != 0) {
		const char *const folders[] = {experiments_folder(room), NULL};
		char nearest[CONFIG_NAME_SIZE];
		config_nearest(name, folders, nearest);
		if (*nearest)
			cli_error(wish->programs.name, "no figure '%s'; did you mean '%s'?", word, nearest);
		else
			cli_error(wish->programs.name, "no figure '%s'; 'sluice figure' lists those there are", word);
		return false;
	}
	return read_experiment(experiment, &wish->programs.arena, path, wish->programs.name);
}

static int make_all(struct wish *wish)
{
	char room[PATH_MAX];
	struct program_request *programs = &wish->programs;
	int worst = 0;
	if (!find_places(wish) || !programs_read(&programs->known, programs_folder(room), programs->name))
		return CLI_USAGE;
	clear_environment();
	for (size_t i = 0; i < programs->names.count; i++) {
		struct experiment experiment;
		char name[NAME_MAX];
		int status = CLI_USAGE;
		if (i)
			putchar('\n');
		if (!find_experiment(wish, programs->names.word[i], &experiment, name) ||
		    !take_paper(wish, &experiment, name))
			status = CLI_USAGE;
		else if (experiment.show == SHOW_INDEXES)
			status = figure_indexes(programs, &experiment, wish->out, name);
		else if (experiment_is_table(&experiment))
			status = figure_table(programs, &experiment, wish->out, name);
		else
			status = make(wish, &experiment, name);
		worst = status > worst ? status : worst;
	}
	return worst;
}

int command_figure(int argc, char **argv)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	struct wish wish = {.programs.name = argv[0],
	                    .results = "results.db",
	                    .out = "figures",
	                    .way.parallel = processors > 0 ? (size_t)processors : 1};
	int status = CLI_USAGE;
	if (argp_parse(&figure_argp, argc, argv, 0, NULL, &wish) == 0)
		status = wish.programs.names.count ? make_all(&wish) : list(&wish);
	programs_free(&wish.programs.known);
	arena_free(&wish.programs.arena);
	free(wish.programs.names.word);
	return status;
}
