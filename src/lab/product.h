/* product: rows and columns that are products: an experiment with `axes` has one for each combination of their values.
 *
 * An axis is of columns (how programs run: machines, their keys, mechanisms and their options) or of rows (what runs: programs,
 * variants, commands, arguments, sizes, seeds, and words of one's own that stand in arguments as {WORD}). experiments/README.md
 * explains the file; `sluice sweep -o KEY=A,B` makes one of its words.
 */
#ifndef SLUICE_LAB_PRODUCT_H
#define SLUICE_LAB_PRODUCT_H

#include "base/document.h"

struct experiment;
struct experiment_column;

enum product_kind {
	/* Of columns: */
	PRODUCT_MACHINE,
	PRODUCT_MECHANISMS,
	PRODUCT_OPTION,           /* "sm.l1d.sets" */
	PRODUCT_MECHANISM_OPTION, /* "caps:distance": of columns that have the mechanism */
	PRODUCT_POINT,            /* "cache", whose values are several of the others at a time */
	/* Of rows: */
	PRODUCT_PROGRAM,
	PRODUCT_VARIANT,
	PRODUCT_COMMAND,
	PRODUCT_ARGUMENTS,
	PRODUCT_SIZE,
	PRODUCT_SEED,
	PRODUCT_WORD, /* "n": stands in arguments as {n} */
};

struct product_setting {
	const char *name;
	enum product_kind kind;
	struct words words; /* one, but for mechanisms, arguments and commands */
	struct place place;
};

struct product_value {
	const char *label; /* what filters and names of rows and columns call it */
	struct product_setting *settings; /* one, but for points */
	size_t count;
	struct place place;
};

struct product_axis {
	const char *name;
	enum product_kind kind;
	struct product_value *values;
	size_t count;
	struct place place;
};

struct product_axes {
	struct product_axis *list;
	size_t count;
};

/* Of a row or column of a product: which value of each axis it has; PRODUCT_NONE where the axis is not its. */
#define PRODUCT_NONE SIZE_MAX

/* What `exclude` and `relative_to` say: all of these, of each one of the labels. */
struct product_match {
	struct product_condition {
		const char *axis;
		struct words labels;
		struct place place;
	} *list;
	size_t count;
	struct place place;
};
struct product_matches {
	struct product_match *list;
	size_t count;
};

static inline bool product_is_of_rows(enum product_kind kind)
{
	return kind >= PRODUCT_PROGRAM;
}

/* For tables of keys: into a struct product_axes, a struct product_matches, a struct product_match. */
void product_read_axes(struct document *document, const char *key, const yaml_node_t *value, void *into);
void product_read_exclude(struct document *document, const char *key, const yaml_node_t *value, void *into);
void product_read_match(struct document *document, const char *key, const yaml_node_t *value, void *into);

/* Makes the experiment's rows and columns of those that the file has, or of none, and its axes. Errors go to the document. */
void product_expand(struct document *document, struct experiment *experiment);

/* Whether a cell of the product is left out. */
bool product_excludes(const struct experiment *experiment, size_t row, size_t column);

/* Where in the file is what a message about a column speaks of, as it names the axis or its value; line 0: unknown. */
struct place product_place(const struct experiment *experiment, const struct experiment_column *column,
                           const char *message);

#endif
