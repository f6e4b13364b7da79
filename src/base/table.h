/* table: options and counters, each declared once.
 *
 * An option is a field of a configuration struct with a name, a type, a range, a unit and a meaning. Files, the
 * command line, range checks, --help and `sluice machine diff` are all generated from the row. A counter is a
 * uint64_t field of a statistics struct with a name, a unit, a scope and a meaning. Every output format is generated
 * from the row.
 */
#ifndef SLUICE_BASE_TABLE_H
#define SLUICE_BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum option_type {
	OPTION_U32,  /* uint32_t, min..max (min == max: any value) */
	OPTION_BOOL, /* bool: true/false, yes/no, on/off, 1/0 */
	OPTION_F64,  /* double, min..max (min == max: any value) */
	OPTION_ENUM, /* uint32_t index into `choices` */
	OPTION_TEXT, /* char[OPTION_TEXT_SIZE] */
};

enum { OPTION_TEXT_SIZE = 64 };

struct option {
	const char *name; /* dotted: "l1d.sets" */
	enum option_type type;
	size_t offset; /* of the field in the configuration struct */
	double min, max;
	const char *const *choices; /* OPTION_ENUM: names, NULL-terminated */
	const char *unit;           /* "" for none */
	const char *meaning;
};

/* The row of that name, or NULL. */
const struct option *option_find(const struct option *table, size_t count, const char *name);

/* The row whose name is nearest to `name` (for "did you mean"), or NULL when none is near. */
const struct option *option_nearest(const struct option *table, size_t count, const char *name);

/* Parses `value` into the field of `config`. False, with a message that states the expected form, when it does not
 * fit. */
bool option_set(const struct option *option, void *config, const char *value, char *message, size_t message_size);

/* Writes the field's value as text that option_set() accepts. */
void option_print(const struct option *option, const void *config, char *text, size_t size);

/* The units that count a counter, and how values of several units or launches are combined. */
enum counter_scope { SCOPE_SM, SCOPE_SLICE, SCOPE_CHANNEL, SCOPE_NETWORK, SCOPE_GPU };
enum counter_combination { COMBINE_SUM, COMBINE_LARGEST };

struct counter {
	const char *name; /* within its group: "accesses" */
	const char *unit;
	enum counter_scope scope;
	size_t offset; /* of the uint64_t in the statistics struct */
	const char *meaning;
	enum counter_combination combination;
};

/* Combines a counter's value in the struct at `from` with that in the struct at `to`. */
static inline void counter_combine(const struct counter *row, void *to, const void *from)
{
	uint64_t *sum = (uint64_t *)((char *)to + row->offset);
	uint64_t value = *(const uint64_t *)((const char *)from + row->offset);
	if (row->combination == COMBINE_SUM)
		*sum += value;
	else if (value > *sum)
		*sum = value;
}

/* A group of counters that lie in one struct; the full name of a counter is "group.name". */
struct counter_group {
	const char *name; /* "l1d" */
	const struct counter *rows;
	const size_t *count;
	size_t offset; /* of the group's struct in the whole statistics struct */
};

static inline uint64_t counter_value(const struct counter_group *group, const struct counter *row, const void *stats)
{
	return *(const uint64_t *)((const char *)stats + group->offset + row->offset);
}

const char *counter_scope_name(enum counter_scope scope);

/* Counters with an index. VECTOR_COUNTERS: for example one per bank, warp slot or array. VECTOR_LINEAR,
 * VECTOR_POWERS: one per bin of a histogram. Bins of powers of two are 0, 1, 2 to 3, 4 to 7 ... The last bin also
 * takes all larger values. */
enum vector_kind { VECTOR_COUNTERS, VECTOR_LINEAR, VECTOR_POWERS };

struct counter_vector {
	const char *name, *unit, *meaning; /* unit: of the counts; for a histogram, of its values */
	enum counter_scope scope;
	enum vector_kind kind;
	enum counter_combination combination; /* of each element */
	uint32_t length;                      /* number of elements; 0: known only with a machine */
	uint32_t bin;                         /* VECTOR_LINEAR: values per bin */
	const char *const *labels;            /* one per element, then NULL; or NULL: elements have numbers */
	bool named;                           /* elements have their own names in each launch */
};

#endif
