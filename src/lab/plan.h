/* plan: the runs that an experiment needs, and what it needs of sources, each once; which runs are missing; the figures.
 */
#ifndef SLUICE_LAB_PLAN_H
#define SLUICE_LAB_PLAN_H

#include "lab/experiment.h"
#include "lab/store.h"

#include <jansson.h>
#include <stdio.h>

/* A program as the caller found it. */
struct plan_program {
	/* Its own name; what the paper or the program itself means where no variant was named; a path, NULL while it is
	 * not compiled. */
	const char *name, *variant, *binary;
	bool own; /* the user's: it takes no options of ours, and need not print PASS */
};

/* What the caller knows. Texts last as long as the plan. */
struct plan_source {
	void *context;
	/* False after an error message. `variant` may be NULL. */
	bool (*find)(void *context, const char *name, const char *variant, struct plan_program *program);
	/* The path of the compiled program, which was missing; NULL after an error message. May be NULL: nothing is compiled. */
	const char *(*compile)(void *context, const char *name);
	/* What is known of the variant's kernels without running them (lab/facts.h), in the form of statistics; with
	 * `ptx` also what needs their PTX. NULL after an error message. */
	json_t *(*examine)(void *context, const struct plan_program *program, bool ptx);
	const char *command; /* for messages */
	const char *sluice;  /* the path of the program that runs programs */
	const char *library; /* the path of the library that simulates */
	const char *folder;  /* where runs leave their timelines, if the experiment shows these; else NULL */
	const char *size;
	uint64_t seed;
	const char *revision; /* of the source */
};

struct planned {
	struct run_config config;
	char **words;  /* the command line */
	const char *binary; /* the program that it runs */
	const struct words *files; /* that it reads, as of a row (lab/experiment.h); it runs in a folder of its own that has them */
	json_t *facts; /* instead of a run: what is known without one */
	const char *timeline; /* the file of the run's timeline, or NULL */
	bool own;      /* it runs a program of the user's */
	bool failed;
};

struct plan {
	struct arena arena;
	const struct experiment *experiment;
	const struct plan_source *source;
	struct planned *runs;
	size_t count;
	struct words *drawn; /* with SHOW_TIMELINE, one a column: the events that its runs draw */
	size_t *cells; /* row by row: the number of the run, PLAN_NOTHING where the file has "~" */
	size_t *found; /* numbers of runs by what they are (plan.c), PLAN_NOTHING where a place is free; found_size is a power of 2 */
	size_t found_size;
	struct plan_digest {
		const char *path, *digest;
	} *digests; /* of files that were read */
	size_t digest_count;
	struct {
		const char *text;
		struct place place;
	} told; /* the last message about a column */
	const char **missing; /* programs that cannot run, which messages have told */
	size_t missing_count;
};

#define PLAN_NOTHING SIZE_MAX

/* Tries out every machine and every program. False after messages. Zero-initialise; plan_free() afterwards. */
bool plan_make(struct plan *plan, const struct experiment *experiment, const struct plan_source *source);
void plan_free(struct plan *plan);

struct plan_way {
	size_t parallel;
	bool any_build; /* results of other builds will do */
	bool again;     /* also what is there already */
	bool quiet;
	bool keeps_failed; /* runs that have failed before are not made again */
	uint64_t memory;   /* bytes that runs may hold together; 0: as much as is free */
	const char *folder;  /* where others can see how far it is (lab/sweep_folder.h); NULL: nowhere, of local runs */
	const char *results; /* the path of the store, for them */
	const struct slurm_way *slurm; /* on a cluster (lab/slurm.h); NULL: here */
};

/* What is to be done, on `file`: how many runs, what is there, how long and how much memory by past runs. False after a message. */
bool plan_foresee(struct plan *plan, struct store *store, const struct plan_way *way, FILE *file);

/* Runs what the store does not have, and keeps it there. Returns how many runs failed, or -1 after a message when the
 * store did. */
int plan_run(struct plan *plan, struct store *store, const struct plan_way *way);

/* A figure that was made of it, row by row. */
/* Rows that are sizes of one thing: their mean (an arithmetic one), and the least and the most, a number a column; NAN where a row
 * has none. */
struct spread {
	const char *name;
	size_t first, end; /* of the rows */
	double *mean, *least, *most;
	const double *published; /* of the first row */
};

struct figure {
	const struct experiment *experiment;
	double *ours;      /* NAN where there is none */
	double *ours_mean; /* one a column; with spreads, of their means */
	double *published_mean;
	struct spread *spreads; /* all rows, where one of them says what it is a size of; else none */
	size_t spread_count;
	bool *empty;    /* by cell: a share of nothing, which is no value and in no mean */
	bool *cut;      /* by cell: a limit of instructions has ended the run, */
	bool any_cut;   /* or one of them */
	size_t missing; /* cells that should have a value and have none */
};

/* Takes the figures out of the store, into the plan's arena; tells on standard error why a cell has none. False after a
 * message when the store failed. */
bool plan_figure(struct plan *plan, struct store *store, bool any_build, struct figure *figure);

/* 16 hexadecimal digits that stand for the contents; NULL when the file cannot be read. */
const char *plan_digest_file(struct arena *arena, const char *path);

#endif
