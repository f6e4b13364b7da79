/* plan: the runs and static facts that an experiment needs, each once; which runs are missing; and the resulting
 * figures. */
#ifndef SLUICE_LAB_PLAN_H
#define SLUICE_LAB_PLAN_H

#include "lab/experiment.h"
#include "lab/store.h"

#include <jansson.h>
#include <stdio.h>

/* A program as found by the caller. */
struct plan_program {
	/* Its name; the variant that the paper or the program itself uses by default; the path of the binary, NULL
	 * while it is not compiled. */
	const char *name, *variant, *binary;
	bool own; /* a program of the user: it gets none of our options, and need not print PASS */
};

/* Functions and values that the caller provides. Texts last as long as the plan. */
struct plan_source {
	void *context;
	/* Returns false after an error message that begins with where[0] for the name, where[1] for the variant.
	 * `variant` may be NULL. */
	bool (*find)(void *context, const char *const where[2], const char *name, const char *variant,
	             struct plan_program *program);
	/* Compiles a missing program and returns its path; NULL after an error message. May be NULL: nothing is
	 * compiled. */
	const char *(*compile)(void *context, const char *name);
	/* Returns static facts of the variant's kernels (lab/static_counters.h), in the form of statistics; with `ptx`,
	 * including those that need PTX. Returns NULL after an error message. */
	json_t *(*examine)(void *context, const struct plan_program *program, bool ptx);
	const char *command; /* for messages */
	const char *sluice;  /* path of the program that runs programs */
	const char *library; /* path of the library that simulates */
	const char *folder;  /* for timelines of runs, if the experiment shows them; else NULL */
	const char *size;
	uint64_t seed;
	const char *revision; /* of the source */
};

struct planned {
	struct run_config config;
	char **words;  /* the command line */
	const char *binary; /* the program that it runs */
	/* its input files, as in a row (lab/experiment.h); it runs in a separate folder with these files */
	const struct words *files;
	json_t *facts; /* static facts, in place of a run */
	const char *timeline; /* file of the run's timeline, or NULL */
	const char *no_journal; /* why it cannot keep a journal; NULL: it can */
	bool own;      /* it runs a program of the user */
	bool failed;
};

struct plan {
	struct arena arena;
	const struct experiment *experiment;
	const struct plan_source *source;
	bool has_units; /* its runs keep counters by unit */
	struct planned *runs;
	size_t count;
	const char **no_journal; /* for each column: why its runs cannot keep a journal; or NULL */
	struct words *drawn; /* with SHOW_TIMELINE, for each column: the events that its runs draw */
	size_t *cells; /* row by row: the number of the run, PLAN_NOTHING where the file has "~" */
	/* hash table of runs' numbers by configuration (plan.c), PLAN_NOTHING where an entry is free; found_size is
	 * a power of 2 */
	size_t *found;
	size_t found_size;
	struct plan_digest {
		const char *path, *digest;
	} *digests; /* of files that were read */
	size_t digest_count;
	struct plan_told {
		const char *text;
		struct diag_place place;
		struct plan_told *next;
	} *told; /* messages about the file */
	struct words missing; /* programs that cannot run, already reported */
};

#define PLAN_NOTHING SIZE_MAX

/* Checks every machine and every program. Returns false after messages. Zero-initialize; call plan_free()
 * afterwards. */
bool plan_make(struct plan *plan, const struct experiment *experiment, const struct plan_source *source);
void plan_free(struct plan *plan);

struct plan_way {
	size_t parallel;
	bool any_build; /* accept results of other builds */
	bool again;     /* rerun runs that have results */
	bool quiet;
	bool keeps_failed; /* do not rerun runs that have failed before */
	uint64_t memory;   /* bytes that concurrent runs may use; 0: the free memory */
	const char *folder;  /* for others to see the progress of local runs (lab/sweep_folder.h); NULL: none */
	const char *results; /* path of the store, for them */
	bool journal; /* each run keeps a journal in the folder until it has ended (lab/run_journal.h) */
	const struct slurm_way *slurm; /* how to run on a cluster (lab/slurm.h); NULL: run locally */
};

/* Prints the outlook on `file`: the number of runs, existing results, and the time and memory expected from the cost
 * history. Returns false after a message. */
bool plan_foresee(struct plan *plan, struct store *store, const struct plan_way *way, FILE *file);

/* Makes the runs that are not in the store, and stores them. Returns the number of failed runs, or -1 after a
 * message when the store failed. */
int plan_run(struct plan *plan, struct store *store, const struct plan_way *way);

/* The place in the file that a message about a column refers to. */
struct diag_place plan_column_place(const struct experiment *experiment, const struct experiment_column *column,
                                    const char *message);

/* Reports a mistake in the file. A mistake at the same place, or with the same message, is reported once. `column` may
 * be NULL. */
__attribute__((format(printf, 4, 5))) void plan_tell(struct plan *plan, const struct experiment_column *column,
                                                     struct diag_place place, const char *format, ...);

/* The figure of a plan, row by row. */
/* Rows that are sizes of one thing: for each column, their arithmetic mean, minimum and maximum; NAN if a row has no
 * value. */
struct spread {
	const char *name;
	size_t first, end; /* rows [first, end) */
	double *mean, *least, *most;
	struct published published; /* of the first row */
};

struct figure {
	const struct experiment *experiment;
	double *ours;      /* NAN where there is none */
	double *ours_mean; /* one per column; with spreads, the mean of their means */
	struct published published_mean;
	struct spread *spreads; /* cover all rows if one of them names the thing of which it is a size; else none */
	size_t spread_count;
	bool *empty;    /* by cell: 0 / 0, a fraction of nothing: the cell has no value and is in no mean */
	const char **reason; /* by cell: why it has no value, NULL if that is not known */
	bool *cut;      /* by cell: a limit of instructions has ended the run */
	bool any_cut;   /* any cell is cut */
	size_t missing; /* cells that should have a value and have none */
	size_t unstored; /* missing cells of which no run is stored */
};

/* Prints how many cells have no value, then the first of them with the reason. `name` is the figure's; `advice`
 * ends the first line. */
void plan_tell_missing(const struct plan *plan, const struct figure *figure, const char *name, const char *advice);

/* Computes the figure from the store, in the plan's arena. Returns false after a message when the store failed. */
bool plan_figure(struct plan *plan, struct store *store, bool any_build, struct figure *figure);

/* Returns a digest of the file's contents as 16 hexadecimal digits; NULL when the file cannot be read. */
const char *plan_digest_file(struct arena *arena, const char *path);

#endif
