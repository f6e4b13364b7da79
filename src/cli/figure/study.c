/* Functions shared by figures and sweeps. */
#include "cli/figure/study.h"

#include "base/file.h"
#include "base/config_find.h"
#include "cli/figure/source.h"
#include "revision.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	KEY_SIZE = 1024,
	KEY_SEED,
	KEY_RESULTS,
	KEY_OUT,
	KEY_ANY_BUILD,
	KEY_AGAIN,
	KEY_MEMORY,
	KEY_JOURNAL,
	KEY_SLURM,
	KEY_PARTITION,
	KEY_ACCOUNT,
	KEY_TIME,
	KEY_CONSTRAINT,
	KEY_SBATCH,
	KEY_TRIES,
	KEY_PER_TASK,
	KEY_DETACH,
};

static const struct argp_option options[] = {
	{"jobs", 'j', "N", 0, "Run N at a time; default one per processor", 0},
	{"size", KEY_SIZE, "SIZE", 0, "tiny, small or paper; default the experiment's", 0},
	{"seed", KEY_SEED, "N", 0, "Seed of the inputs; default the experiment's", 0},
	{"results", KEY_RESULTS, "FILE", 0, "Where runs are stored; default results.db", 0},
	{"out", KEY_OUT, "FOLDER", 0, "Folder of CSV files and pictures; default figures", 0},
	{"any-build", KEY_ANY_BUILD, NULL, 0, "Also take results of other builds of Sluice, programs and machines", 0},
	{"again", KEY_AGAIN, NULL, 0, "Also rerun runs that are already in the results", 0},
	{"memory", KEY_MEMORY, "SIZE", 0,
         "Memory that all runs together may use, such as 12G; default nine tenths of the free memory. With --slurm, "
         "the memory that a task requests",
         0},
	{"journal", KEY_JOURNAL, NULL, 0,
         "Runs keep journals in the sweep's folder: a run that was killed, or that a time limit ended, goes on after "
         "its last complete launch (docs/how-to/journal.md)",
         0},
	{"quiet", 'q', NULL, 0, "Report only runs that fail", 0},
	{NULL, 0, NULL, 0, "On a cluster (docs/how-to/clusters.md):", 1},
	{"slurm", KEY_SLURM, NULL, 0, "Run as job arrays of Slurm", 1},
	{"partition", KEY_PARTITION, "NAME", 0, "Option of sbatch", 1},
	{"account", KEY_ACCOUNT, "NAME", 0, "Option of sbatch", 1},
	{"time", KEY_TIME, "TIME", 0, "Option of sbatch: time limit of a task", 1},
	{"constraint", KEY_CONSTRAINT, "LIST", 0, "Option of sbatch", 1},
	{"sbatch", KEY_SBATCH, "OPTION", 0, "Any other option of sbatch, such as --sbatch=--qos=long; may be repeated",
         1},
	{"tries", KEY_TRIES, "N", 0,
         "Start a run at most N times when its node or task ends first, with --journal N times in a row without "
         "another "
         "launch; default 3",
         1},
	{"per-task", KEY_PER_TASK, "N", 0, "Runs per task; default enough for about 20 seconds", 1},
	{"detach", KEY_DETACH, NULL, 0, "Submit and do not wait; the same command continues later", 1},
	{0},
};

/* Returns "12G" as bytes. */
static uint64_t memory_of(const char *text, const struct argp_state *state)
{
	static const char units[] = "KMGT";
	char *end;
	double number = strtod(text, &end);
	const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
	for (const char *u = unit; u && u >= units; u--)
		number *= 1024;
	end += unit != NULL;
	if (*end || end == text || !(number >= 1) || number > 1e18)
		cli_usage(state, "--memory: expected a size such as 12G, not '%s'", text);
	return (uint64_t)number;
}

static void add_sbatch(struct study *study, const char *option, const char *value)
{
	struct words *words = &study->slurm.options;
	size_t size = strlen(option) + strlen(value) + 1;
	char *word = arena_alloc(&study->programs.arena, size);
	snprintf(word, size, "%s%s", option, value);
	const char **all = arena_array(&study->programs.arena, words->count + 1, sizeof *all);
	for (size_t i = 0; i < words->count; i++)
		all[i] = words->word[i];
	all[words->count++] = word;
	words->word = all;
	study->way.slurm = &study->slurm;
}

/* Parses the options for a cluster. Giving one of them selects the cluster. */
static error_t parse_slurm(int key, const char *value, struct argp_state *state)
{
	struct study *study = state->input;
	switch (key) {
	case KEY_PARTITION:
		add_sbatch(study, "--partition=", cli_text("--partition", value, state));
		break;
	case KEY_ACCOUNT:
		add_sbatch(study, "--account=", cli_text("--account", value, state));
		break;
	case KEY_TIME:
		add_sbatch(study, "--time=", cli_text("--time", value, state));
		break;
	case KEY_CONSTRAINT:
		add_sbatch(study, "--constraint=", cli_text("--constraint", value, state));
		break;
	case KEY_SBATCH:
		if (*value != '-')
			cli_usage(state, "--sbatch: expected an option of sbatch with its dashes, not '%s'", value);
		add_sbatch(study, "", value);
		break;
	case KEY_TRIES:
		study->slurm.tries = cli_number("--tries", value, 1, state);
		break;
	case KEY_PER_TASK:
		study->slurm.per_task = cli_number("--per-task", value, 1, state);
		break;
	case KEY_DETACH:
		study->slurm.detached = true;
		break;
	case KEY_SLURM:
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	study->way.slurm = &study->slurm;
	return 0;
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct study *study = state->input;
	switch (key) {
	case 'j':
		study->way.parallel = cli_number("-j", value, 1, state);
		return 0;
	case KEY_SIZE:
		study->size = cli_choice("--size", value, cli_sizes, state);
		return 0;
	case KEY_SEED:
		cli_number("--seed", value, 0, state);
		study->seed = value;
		return 0;
	case KEY_RESULTS:
		study->results = cli_text("--results", value, state);
		return 0;
	case KEY_OUT:
		study->out = cli_text("--out", value, state);
		return 0;
	case KEY_ANY_BUILD:
		study->way.any_build = true;
		return 0;
	case KEY_AGAIN:
		study->way.again = true;
		return 0;
	case KEY_MEMORY:
		study->way.memory = memory_of(value, state);
		return 0;
	case KEY_JOURNAL:
		study->way.journal = true;
		return 0;
	case 'q':
		study->way.quiet = true;
		return 0;
	default:
		return parse_slurm(key, value, state);
	}
}

const struct argp study_argp = {.options = options, .parser = parse_option};

void study_begin(struct study *study, const char *command)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	*study = (struct study){.programs.name = command,
	                        .results = "results.db",
	                        .out = "figures",
	                        .way.parallel = processors > 0 ? (size_t)processors : 1,
	                        .slurm.tries = 3};
}

void study_add_name(struct study *study, const char *name)
{
	struct words *names = &study->programs.names;
	names->word = base_realloc(names->word, (names->count + 1) * sizeof *names->word);
	names->word[names->count++] = name;
}

void study_end(struct study *study)
{
	programs_free(&study->programs.known);
	arena_free(&study->programs.arena);
	free(study->programs.names.word);
}

const char *study_folder(char *room)
{
	static const char *const installed[] = {CLI_INSTALLED_EXPERIMENTS, NULL};
	return cli_data_folder("SLUICE_EXPERIMENTS", installed, "README.md", CLI_SOURCE_EXPERIMENTS, room);
}

bool study_ends_in_yaml(const char *name)
{
	return file_has_suffix(name, strlen(name), ".yaml");
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

int study_scan(const struct study *study, const char *folder, int (*select)(const struct dirent *entry),
               struct dirent ***entries)
{
	int count = scandir(folder, entries, select, by_name);
	if (count < 0)
		cli_error(study->programs.name, "cannot read the experiments in %s: %s", folder, strerror(errno));
	return count;
}

bool study_read(struct study *study, struct experiment *experiment, const char *path, const char *text)
{
	struct document document = {.arena = &study->programs.arena, .source = {.name = path}};
	char *own = text ? NULL : cli_read_file(path, &document.source.length);
	if (!text && !own) {
		cli_error(study->programs.name, "cannot read %s: %s", path, file_reason());
		return false;
	}
	document.source.text = text ? text : own;
	if (text)
		document.source.length = strlen(text);
	bool fine = experiment_read(experiment, &document);
	if (!fine)
		fputs(document.diag.text, stderr);
	diag_free(&document.diag);
	free(own);
	return fine;
}

static bool find_program(void *context, const char *const where[2], const char *name, const char *variant,
                         struct plan_program *found)
{
	return figure_find(context, where, name, variant, found);
}

/* The experiment states its own machines and statistics, so those of the environment are removed. */
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
		unsetenv(name); /* removes the entry from environ */
		free(name);
	}
}

static bool find_places(struct study *study)
{
	char folder[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", study->sluice, sizeof study->sluice - 1);
	if (length <= 0 || !cli_library_folder(folder)) {
		cli_error(study->programs.name, "found no libcudart.so of Sluice next to this program");
		return false;
	}
	study->sluice[length] = '\0';
	return snprintf(study->library, sizeof study->library, "%s/libcudart.so", folder) < PATH_MAX;
}

bool study_prepare(struct study *study)
{
	char room[PATH_MAX];
	struct program_request *programs = &study->programs;
	if (!find_places(study) || !programs_read(&programs->known, programs_folder(room), programs->name))
		return false;
	clear_environment();
	return true;
}

const char *study_paper(const char *where, const char *key, const char *name)
{
	for (size_t i = 0; i < PROGRAM_PAPERS; i++)
		if (strcmp(program_papers[i], name) == 0)
			return program_papers[i];
	cli_error(where, "%s: expected teleport, prefetch-cta, d2ma, caps or sharing, not '%s'", key, name);
	return NULL;
}

bool study_take_paper(struct study *study, const struct experiment *experiment)
{
	study->programs.paper = NULL;
	if (!experiment->paper)
		return true;
	const char *where =
		experiment_where(&study->programs.arena, experiment, experiment_key_place(experiment, "paper"));
	study->programs.paper = study_paper(where, "paper", experiment->paper);
	return study->programs.paper;
}

/* Whether the folder has an experiment of that name; NULL counts as such a name. Otherwise prints a message. */
static bool has_experiment(struct study *study, const struct experiment *experiment, const char *folder,
                           struct diag_place place, const char *key, const char *name)
{
	char path[2 * PATH_MAX], nearest[CONFIG_NAME_SIZE];
	const char *const folders[] = {folder, NULL};
	snprintf(path, sizeof path, "%s/%s.yaml", folder, name ? name : "");
	if (!name || access(path, F_OK) == 0)
		return true;
	config_nearest(name, folders, nearest);
	cli_error(experiment_where(&study->programs.arena, experiment, place), "%s: no experiment '%s'%s%s%s", key,
	          name, *nearest ? "; did you mean '" : "", nearest, *nearest ? "'?" : "");
	return false;
}

bool study_check_named(struct study *study, const struct experiment *experiment, const char *folder)
{
	bool fine = has_experiment(study, experiment, folder, experiment_key_place(experiment, "repeats"), "repeats",
	                           experiment->repeats);
	for (size_t i = 0; i < experiment->cause_count; i++) {
		const struct experiment_cause *cause = &experiment->causes[i];
		struct diag_place place =
			document_place_of(&cause->keys, "proof", experiment_key_place(experiment, "causes"));
		fine = has_experiment(study, experiment, folder, place, "proof", cause->proof) && fine;
	}
	return fine;
}

bool study_find(struct study *study, const char *word, struct experiment *experiment, char name[NAME_MAX])
{
	char room[PATH_MAX], path[2 * PATH_MAX];
	const char *slash = strrchr(word, '/');
	size_t length = strlen(slash ? slash + 1 : word);
	snprintf(name, NAME_MAX, "%.*s", (int)(study_ends_in_yaml(word) ? length - 5 : length),
	         slash ? slash + 1 : word);
	bool is_path = slash || (study_ends_in_yaml(word) && access(word, F_OK) == 0);
	if (is_path)
		snprintf(path, sizeof path, "%s", word);
	else
		snprintf(path, sizeof path, "%s/%s.yaml", study_folder(room), name);
	if (!is_path && access(path, F_OK) != 0) {
		const char *const folders[] = {study_folder(room), NULL};
		char nearest[CONFIG_NAME_SIZE];
		config_nearest(name, folders, nearest);
		if (study_ends_in_yaml(word))
			cli_error(study->programs.name,
			          "cannot read %s: there is no such file, and no figure of that name%s%s%s", word,
			          *nearest ? "; did you mean '" : "", nearest, *nearest ? "'?" : "");
		else if (*nearest)
			cli_error(study->programs.name, "no figure '%s'; did you mean '%s'?", word, nearest);
		else
			cli_error(study->programs.name, "no figure '%s'; 'sluice figure' lists all figures", word);
		return false;
	}
	return study_read(study, experiment, path, NULL);
}

void study_set_folder(struct study *study, const char *name)
{
	snprintf(study->folder, sizeof study->folder, "sweeps/%s", name);
	study->way.folder = study->folder;
	study->way.results = study->results;
}

struct plan_source study_source(struct study *study, const struct experiment *experiment)
{
	return (struct plan_source){.context = &study->programs,
	                            .find = find_program,
	                            .compile = study->no_run ? NULL : figure_compile,
	                            .examine = figure_examine,
	                            .command = study->programs.name,
	                            .sluice = study->sluice,
	                            .library = study->library,
	                            .size = study->size ? study->size : experiment->size,
	                            .seed = study->seed ? strtoull(study->seed, NULL, 10) : experiment->seed,
	                            .revision = SLUICE_REVISION};
}
