/* product: rows and columns of an experiment with `axes`: one for each combination of the axes' values.
 *
 * An axis is for columns (how programs run: machines, their keys, mechanisms and their options) or for rows (what
 * runs: programs, variants, commands, arguments, sizes, seeds, and user-defined words that replace {WORD} in
 * arguments). experiments/README.md explains the file; `sluice sweep -o KEY=A,B` generates one from its arguments. */
#ifndef SLUICE_LAB_PRODUCT_H
#define SLUICE_LAB_PRODUCT_H

#include "base/document.h"

struct experiment;
struct experiment_column;

enum product_kind {
	/* For columns: */
	PRODUCT_MACHINE,
	PRODUCT_MECHANISMS,
	PRODUCT_OPTION,           /* "sm.l1d.sets" */
	PRODUCT_MECHANISM_OPTION, /* "caps:distance": for columns with the mechanism */
	PRODUCT_POINT,            /* "cache", whose values set several of the others at once */
	/* For rows: */
	PRODUCT_PROGRAM,
	PRODUCT_VARIANT,
	PRODUCT_COMMAND,
	PRODUCT_ARGUMENTS,
	PRODUCT_SIZE,
	PRODUCT_SEED,
	PRODUCT_WORD, /* "n": replaces {n} in arguments */
};

struct product_setting {
	const char *name;
	enum product_kind kind;
	struct words words; /* one, except for mechanisms, arguments and commands */
	struct diag_place place;
};

struct product_value {
	const char *label; /* name of the value in filters and in names of rows and columns */
	struct product_setting *settings; /* one, except for points */
	size_t count;
	struct diag_place place;
};

struct product_axis {
	const char *name;
	enum product_kind kind;
	struct product_value *values;
	size_t count;
	struct diag_place place;
};

struct product_axes {
	struct product_axis *list;
	size_t count;
};

/* In a row or column of a product: index of its value on each axis; PRODUCT_NONE for an axis that does not apply. */
#define PRODUCT_NONE SIZE_MAX

/* A filter of `exclude` or `relative_to`: every condition must hold, and a condition holds for any of its labels. */
struct product_match {
	struct product_condition {
		const char *axis;
		struct words labels;
		struct diag_place place;
	} *list;
	size_t count;
	struct diag_place place;
};
struct product_matches {
	struct product_match *list;
	size_t count;
};

static inline bool product_is_of_rows(enum product_kind kind)
{
	return kind >= PRODUCT_PROGRAM;
}

/* Readers for tables of keys; `into` is a struct product_axes, a struct product_matches, a struct product_match. */
void product_read_axes(struct document *document, const char *key, const yaml_node_t *value, void *into);
void product_read_exclude(struct document *document, const char *key, const yaml_node_t *value, void *into);
void product_read_match(struct document *document, const char *key, const yaml_node_t *value, void *into);

/* Expands the experiment's rows and columns, from those in the file or from none, by its axes. Errors go to the
 * document. */
void product_expand(struct document *document, struct experiment *experiment);

/* Whether a cell of the product is excluded. */
bool product_excludes(const struct experiment *experiment, size_t row, size_t column);

/* Returns the axis of that name. NULL after a message that begins with `key`, such as "over: ". */
const struct product_axis *product_find_axis(struct document *document, const struct product_axes *axes,
                                             const char *key, const char *name, struct diag_place place);

/* Finds the place in the file that a message about a column refers to, by the axis or value that it names; line 0:
 * it names none. */
struct diag_place product_place(const struct experiment *experiment, const struct experiment_column *column,
                           const char *message);

#endif
