/* study: what 'sluice figure' and 'sluice sweep' share: which file of experiments is meant, the plan that is made of it, and how
 * its runs are to be made. */
#ifndef SLUICE_CLI_STUDY_H
#define SLUICE_CLI_STUDY_H

#include "cli/programs/programs.h"
#include "lab/plan.h"
#include "lab/slurm.h"

#include <limits.h>

struct study {
	struct program_request programs; /* its name is the command's */
	const char *size, *seed, *results, *out;
	char sluice[PATH_MAX], library[PATH_MAX];
	struct plan_way way; /* its slurm is the one here, with --slurm */
	struct slurm_way slurm;
	char folder[PATH_MAX]; /* of a sweep, when `way` has it */
	bool no_run; /* nothing is compiled or run */
};

/* What a study is before options are read. */
void study_begin(struct study *study, const char *command);
void study_end(struct study *study);

/* One more figure that is meant; the text stays the caller's. */
void study_add_name(struct study *study, const char *name);

/* The options that both take, for argp's children; the input is the struct study. */
extern const struct argp study_argp;

/* Looks up where the programs and the library are, and takes away what the environment says of machines and statistics, which is
 * not what an experiment says. False after a message. */
bool study_prepare(struct study *study);

/* The folder of the papers' experiments; `room` has PATH_MAX bytes. */
const char *study_folder(char *room);
bool study_ends_in_yaml(const char *name);

/* Reads a file, or with `text` what would stand in it. False after messages. */
bool study_read(struct study *study, struct experiment *experiment, const char *path, const char *text);

/* The experiment of that name or file; `name` becomes that of its figure. False after messages. */
bool study_find(struct study *study, const char *word, struct experiment *experiment, char name[NAME_MAX]);

/* Names of programs count as the experiment's paper has them. False after a message. */
bool study_take_paper(struct study *study, const struct experiment *experiment, const char *name);

/* Where the sweep of that name keeps what it is about. */
void study_set_folder(struct study *study, const char *name);

/* What a plan of the experiment knows. */
struct plan_source study_source(struct study *study, const struct experiment *experiment);

#endif
