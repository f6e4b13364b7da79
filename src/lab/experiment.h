/* experiment: a file of experiments/, which describes a figure or a table of a paper.
 *
 * Columns are ways to run (machine, options, mechanisms, variant) with a metric, or static facts of the source that
 * need no run. Rows are programs. experiments/README.md explains each key. */
#ifndef SLUICE_LAB_EXPERIMENT_H
#define SLUICE_LAB_EXPERIMENT_H

#include "base/document.h"
#include "lab/metric.h"
#include "lab/product.h"

/* How a cell shows the metric. */
enum experiment_show {
	SHOW_VALUE,
	SHOW_RATIO,   /* divided by the same metric in the column `relative_to` */
	SHOW_PERCENT, /* by how many percent it exceeds the value there */
	/* Kinds of whole experiments, without a metric: */
	SHOW_INDEXES,  /* a table of the indexes of each row's kernels */
	SHOW_TIMELINE, /* the timeline of an SM */
	SHOW_MACHINE,  /* a table of texts: keys of machines compared with the paper's values; nothing runs */
	SHOW_COSTS,    /* the same for costs of mechanisms */
	SHOW_PROGRAMS, /* the same for programs */
	SHOW_UNSET,
};

enum experiment_mean { MEAN_NONE, MEAN_GEOMETRIC, MEAN_ARITHMETIC };

struct experiment_column {
	const char *name;
	const char *machine; /* NULL: nothing runs, the metric is of the source */
	const char *variant; /* for rows that name none, or NULL */
	struct words options, mechanisms, arguments;
	/* Copied from the experiment where the file gives the column none. */
	const struct formula *metric;
	const char *unit, *relative_name;
	size_t relative_to; /* index of that column */
	enum experiment_show show;
	double at;        /* position in a figure over numbers; NAN: none */
	const char *line; /* name of its line; NULL or "": the only line */
	const size_t *chosen; /* in a product: index of the value on each axis; else NULL */
	bool has_base;        /* in a product: relative_to was found by the file's conditions */
	size_t of_template;   /* in a product: index of the file's column from which it was made */
	struct document_keys keys;
	uint64_t block_tracks; /* number of a mechanism's tracks per block slot; 0: tracks do not belong to slots */
	struct diag_place place;
};

/* Published numbers, one per column. */
struct published {
	double *number; /* NAN where the paper gives none */
	char *bound;    /* '<' or '>': the paper states only that the number is below or above this one; else 0 */
};

/* Why some of our numbers differ from the published ones. */
struct experiment_cause {
	struct words rows, columns; /* their names, EXPERIMENT_MEAN for the mean; none: all */
	const char *cause; /* the text */
	const char *proof; /* name of the experiment that brings the difference about, or NULL */
	const char *page;  /* where to read more, or NULL */
	struct document_keys keys;
};

#define EXPERIMENT_MEAN "mean"

struct experiment_row {
	const char *name, *program, *kernel; /* one kernel, or all when NULL */
	const char *path; /* of a compiled program of the user; NULL: a built-in program */
	/* with SHOW_MACHINE, keys and numbers; with SHOW_COSTS, the name of a cost; NULL: the row's name */
	const char *value;
	const struct formula *metric;        /* in all columns, or NULL: each column's */
	struct words variants;               /* none: the column's; one: for all; else one per column */
	struct words arguments;
	/* input files of the user's program, in pairs: a path like `path`, and the name where the program runs */
	struct words files;
	const char *size; /* NULL: the experiment's */
	bool has_seed;    /* else the seed is the experiment's */
	uint64_t seed;
	const size_t *chosen; /* as in a column */
	struct words stated; /* the published numbers as written; with SHOW_INDEXES, one word per index */
	struct published published;
	bool taken; /* our value is the published one: no result of ours */
	struct document_keys keys;
	bool outside_mean;
	const char *of; /* name of a thing of which consecutive rows are sizes; NULL: the row is independent */
	struct diag_place place;
};

struct experiment {
	const char *title, *source, *paper, *unit, *size, *note; /* paper: the paper whose names of programs apply */
	uint64_t seed;
	const struct formula *metric;
	const char *relative_name;
	const char *energy; /* a table of energies; NULL: each machine's */
	enum experiment_show show;
	enum experiment_mean mean;
	/* quantity or, in a product, axis of the columns' numbers, and its title; the picture then has lines over
	 * them. NULL: bars */
	const char *over, *over_name;
	bool stacked; /* in pictures, columns that show the same quantity are parts of one bar */
	/* With SHOW_TIMELINE: */
	/* "MECHANISM.event", "event" of any mechanism, "block"; none: all of the columns' mechanisms */
	struct words events;
	uint64_t sm, until;  /* the SM; number of core cycles of the kernel to show, 0: all */
	struct words stated_mean;
	struct published published_mean;
	/* For the list of all published numbers (lab/scorecard.h): */
	const char *repeats;   /* the experiment that has the same published numbers; NULL: none */
	const char *scored_at; /* the size at which they are compared; NULL: `size` */
	bool taken;            /* of all rows */
	struct experiment_cause *causes;
	size_t cause_count;
	const char *file;
	struct document_keys keys;
	struct diag_place place; /* its first key */
	struct diag_place told[20]; /* of the first errors */
	size_t told_count;
	/* In a product: */
	const char *machine; /* for columns of a product without a machine */
	struct words files;  /* input files of all rows with programs of the user, as written in the file */
	struct product_axes axes;
	struct product_matches exclude;
	struct product_match relative; /* `relative_to` of a product */
	struct experiment_column *columns;
	struct experiment_row *rows;
	size_t column_count, row_count;
};

/* Reads the text of the file; results are stored in the document's arena. Returns false when its diag has errors. */
bool experiment_read(struct experiment *experiment, struct document *document);

/* Reports an error; only the first with that place, because one mistake may be found for each row and column. A place
 * with line 0 stands for the experiment's first key. */
__attribute__((format(printf, 4, 5))) void experiment_error(struct document *document, struct experiment *experiment,
                                                            struct diag_place place, const char *format, ...);

/* The place of the value of a key of the experiment, of a row and of a column; of the element's name if it does not
 * have the key. */
struct diag_place experiment_key_place(const struct experiment *experiment, const char *key);
struct diag_place experiment_row_place(const struct experiment *experiment, const struct experiment_row *row,
                                       const char *key);
struct diag_place experiment_column_place(const struct experiment *experiment, const struct experiment_column *column,
                                          const char *key);

/* Where a row's program or variant is named: by the row or by an axis of that kind. */
struct diag_place experiment_program_place(const struct experiment *experiment, const struct experiment_row *row);
struct diag_place experiment_variant_place(const struct experiment *experiment, const struct experiment_row *row);

/* The beginning of a message about a place in the file, for diag_say(): "plan.yaml:3:5: error". In the arena. */
const char *experiment_where(struct arena *arena, const struct experiment *experiment, struct diag_place place);

/* The place of the metric of a cell. */
struct diag_place experiment_metric_place(const struct experiment *experiment, size_t row, size_t column);

/* Whether it is a table of texts: columns are machines with mechanisms, or there are none. */
bool experiment_is_table(const struct experiment *experiment);

/* Returns the metric of a cell; NULL when the experiment shows indexes. */
const struct formula *experiment_metric(const struct experiment *experiment, size_t row, size_t column);

/* Whether some cell needs this source of values (FORMULA_RUN, ...). */
bool experiment_needs(const struct experiment *experiment, unsigned needs);

/* Whether some cell needs counters by unit (`sluice run --units`). */
bool experiment_has_units(const struct experiment *experiment);

/* Whether the experiment's size applies to some row: a program of the papers, and a row without its own size. */
bool experiment_has_size(const struct experiment *experiment);

/* Returns the table of energies, "default" if the file names none; NULL when no cell needs one. */
const char *experiment_table(const struct experiment *experiment);

/* Returns the variant for a cell. "~": the cell is empty. NULL: the paper's meaning of the program's name, else its
 * default. */
const char *experiment_variant(const struct experiment *experiment, size_t row, size_t column);

/* Whether two columns use the same axis: unit, show and relative_to are equal. */
bool experiment_alike(const struct experiment_column *a, const struct experiment_column *b);

/* Compares two texts, which may be NULL. */
bool experiment_same_text(const char *a, const char *b);

/* Whether the word is "~", which leaves a cell empty. */
bool experiment_is_nothing(const char *word);

/* Reads published numbers and bounds, such as "1.5" and "> 2". `place` is that of the list. */
struct published experiment_published(struct document *document, struct experiment *experiment, struct diag_place place,
                                      const struct words *stated);

/* Whether a value satisfies a bound. False if the published number is none. */
bool experiment_holds(char bound, double ours, double published);

/* A reader for document_read(): the list of causes, into a struct experiment. */
void experiment_read_causes(struct document *document, const char *key, const yaml_node_t *value, void *into);

/* Checks the names of rows and columns in the causes. */
void experiment_check_causes(struct document *document, struct experiment *experiment);

/* Returns the first cause for the cell with these names; NULL if there is none. */
const struct experiment_cause *experiment_cause_of(const struct experiment *experiment, const char *row,
                                                   const char *column);

#endif
