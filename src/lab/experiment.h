/* experiment: a file of experiments/, which says what a figure or a table of a paper shows.
 *
 * Columns are ways to run (machine, options, mechanisms, variant) with what is measured, or what is counted in the
 * source without running it; rows are programs.
 * experiments/README.md explains each key.
 */
#ifndef SLUICE_LAB_EXPERIMENT_H
#define SLUICE_LAB_EXPERIMENT_H

#include "base/document.h"
#include "lab/metric.h"
#include "lab/product.h"

/* What a cell shows of the metric. */
enum experiment_show {
	SHOW_VALUE,
	SHOW_RATIO,   /* over the same metric in the column `relative_to` */
	SHOW_PERCENT, /* by how many percent it is more than there */
	/* Of the whole experiment, which has no metric: */
	SHOW_INDEXES,  /* a table of the indexes of each row's kernels */
	SHOW_TIMELINE, /* what happened when on an SM */
	SHOW_MACHINE,  /* keys of machines beside what the paper says: a table of texts, for which nothing runs */
	SHOW_COSTS,    /* the same of what mechanisms cost */
	SHOW_PROGRAMS, /* the same of programs */
	SHOW_UNSET,
};

enum experiment_mean { MEAN_NONE, MEAN_GEOMETRIC, MEAN_ARITHMETIC };

struct experiment_column {
	const char *name;
	const char *machine; /* NULL: nothing runs, the metric is of the source */
	const char *variant; /* where the row names none, or NULL */
	struct words options, mechanisms, arguments;
	/* These are the experiment's where the file gives the column none of its own. */
	const struct formula *metric;
	const char *unit, *relative_name;
	size_t relative_to; /* its number */
	enum experiment_show show;
	double at;        /* where it stands in a figure over numbers; NAN: nowhere */
	const char *line; /* which it is a point of; NULL: of the only one */
	const size_t *chosen; /* of a product: an axis' value, one an axis; else NULL */
	bool has_base;        /* of a product: relative_to is what the file's conditions find */
	size_t of_template;   /* of a product: of which column of the file it is */
	uint64_t block_tracks; /* so many of a mechanism's tracks are a block slot's; 0: tracks have nothing to do with slots */
	struct place place;
};

struct experiment_row {
	const char *name, *program, *kernel; /* one kernel, or all when NULL */
	const char *path; /* of a compiled program of the user's own; NULL: it is one of those there are */
	const char *value; /* with SHOW_MACHINE keys and numbers, with SHOW_COSTS the name of a cost; NULL: the row's name */
	const struct formula *metric;        /* in all columns, or NULL: each column's */
	struct words variants;               /* none: the column's; one: for all; else one a column */
	struct words arguments;
	struct words files; /* that the program of the user's own reads: paths as `path`, in pairs with what they are called where it runs */
	const char *size; /* NULL: the experiment's */
	bool has_seed;    /* else the seed is the experiment's */
	uint64_t seed;
	const size_t *chosen; /* as of a column */
	struct words stated; /* the published numbers as written; with SHOW_INDEXES words, one an index */
	double *published;   /* one a column, NAN where the paper states none */
	bool outside_mean;
	const char *of; /* rows that follow each other and are sizes of one thing: its name; NULL: the row stands for itself */
	struct place place;
};

struct experiment {
	const char *title, *source, *paper, *unit, *size, *note; /* paper: whose names for programs count */
	uint64_t seed;
	const struct formula *metric;
	const char *relative_name;
	const char *energy; /* a table of energies; NULL: each machine's */
	enum experiment_show show;
	enum experiment_mean mean;
	const char *over, *over_name; /* what the numbers of columns are, of a product an axis, and what it is called: the picture has lines over them; NULL: bars */
	bool stacked; /* in pictures, columns that show the same thing are parts of one bar */
	/* With SHOW_TIMELINE: */
	struct words events; /* "MECHANISM.event", "event" of any mechanism, "block"; none: all of the columns' mechanisms */
	uint64_t sm, until;  /* of which SM; core cycles of the kernel that are shown, 0: all */
	struct words stated_mean;
	double *published_mean;
	/* Of a product: */
	const char *file;
	const char *machine; /* of columns of a product that have none */
	struct words files;  /* of all rows whose programs are the user's own, as the file has them */
	struct product_axes axes;
	struct product_matches exclude;
	struct product_match relative; /* `relative_to` of a product */
	struct experiment_column *columns;
	struct experiment_row *rows;
	size_t column_count, row_count;
};

/* Reads the text of the file, keeping what is read in the document's arena. False when its diag got errors. */
bool experiment_read(struct experiment *experiment, struct document *document);

/* Whether it is a table of texts: columns are machines with mechanisms, or there are none. */
bool experiment_is_table(const struct experiment *experiment);

/* What a cell measures; NULL when the experiment shows indexes. */
const struct formula *experiment_metric(const struct experiment *experiment, size_t row, size_t column);

/* Whether some cell needs that (FORMULA_RUN, ...). */
bool experiment_needs(const struct experiment *experiment, unsigned needs);

/* The table of energies, "default" where the file names none; NULL: no cell needs one. */
const char *experiment_table(const struct experiment *experiment);

/* The variant for a cell, "~": there is nothing in it; NULL: what the paper means by the program's name, else its default. */
const char *experiment_variant(const struct experiment *experiment, size_t row, size_t column);

/* Columns that stand against one axis: unit, show and relative_to are the same. */
bool experiment_alike(const struct experiment_column *a, const struct experiment_column *b);

/* Of two texts that a file may leave out. */
bool experiment_same_text(const char *a, const char *b);

/* "~" in a file: nothing there. */
bool experiment_is_nothing(const char *word);

#endif
