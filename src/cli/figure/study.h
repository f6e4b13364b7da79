/* study: declarations shared by 'sluice figure' and 'sluice sweep': which experiment file is meant, its plan, and how
 * its runs are executed. */
#ifndef SLUICE_CLI_STUDY_H
#define SLUICE_CLI_STUDY_H

#include "cli/programs/programs.h"
#include "lab/plan.h"
#include "lab/slurm.h"

#include <dirent.h>
#include <limits.h>

struct study {
	struct program_request programs; /* its name is the command's */
	const char *size, *seed, *results, *out;
	char sluice[PATH_MAX], library[PATH_MAX];
	struct plan_way way; /* with --slurm its slurm is the member below */
	struct slurm_way slurm;
	char folder[PATH_MAX]; /* of a sweep, if `way` uses it */
	bool no_run;           /* compile and run nothing */
	bool scorecard; /* all published numbers are wanted; for 'sluice figure', of the papers that are the names */
};

/* Initializes a study, before options are read. */
void study_begin(struct study *study, const char *command);
void study_end(struct study *study);

/* Adds a figure's name; the caller keeps ownership of the text. */
void study_add_name(struct study *study, const char *name);

/* The options of both commands, for argp's children; the input is the struct study. */
extern const struct argp study_argp;

/* Finds the programs and the library. Removes settings of machines and statistics from the environment, because an
 * experiment states its own. Returns false after a message. */
bool study_prepare(struct study *study);

/* Returns the folder of the papers' experiments; `room` has PATH_MAX bytes. */
const char *study_folder(char *room);
bool study_ends_in_yaml(const char *name);

/* Lists the files of the folder that `select` chooses, NAME.5 before NAME.10. The caller frees each entry and the list.
 * Returns their number, or -1 after a message. */
int study_scan(const struct study *study, const char *folder, int (*select)(const struct dirent *entry),
               struct dirent ***entries);

/* Reads an experiment from a file or, if not NULL, from `text`. Returns false after messages. */
bool study_read(struct study *study, struct experiment *experiment, const char *path, const char *text);

/* Finds an experiment by name or file, and writes the name of its figure to `name`. Returns false after messages. */
bool study_find(struct study *study, const char *word, struct experiment *experiment, char name[NAME_MAX]);

/* Checks that the experiments that this one names (repeats, proofs of causes) exist in the folder. Returns false after
 * messages. */
bool study_check_named(struct study *study, const struct experiment *experiment, const char *folder);

/* Returns the one of program_papers with this name; NULL if there is none, after a message that begins with `where` and
 * `key`. */
const char *study_paper(const char *where, const char *key, const char *name);

/* Makes program names mean what the experiment's paper means by them. Returns false after a message. */
bool study_take_paper(struct study *study, const struct experiment *experiment);

/* Sets the folder in which the sweep of that name stores its files. */
void study_set_folder(struct study *study, const char *name);

/* Returns the information source for a plan of the experiment. */
struct plan_source study_source(struct study *study, const struct experiment *experiment);

#endif
