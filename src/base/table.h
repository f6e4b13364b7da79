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

enum base_option_type {
	BASE_OPTION_U32,  /* uint32_t, min..max (min == max: any value) */
	BASE_OPTION_BOOL, /* bool: true/false, yes/no, on/off, 1/0 */
	BASE_OPTION_F64,  /* double, min..max (min == max: any value) */
	BASE_OPTION_ENUM, /* uint32_t index into `choices` */
	BASE_OPTION_TEXT, /* char[BASE_OPTION_TEXT_SIZE] */
};

enum { BASE_OPTION_TEXT_SIZE = 64 };

struct base_option {
	const char *name; /* dotted: "l1d.sets" */
	enum base_option_type type;
	size_t offset; /* of the field in the configuration struct */
	double min, max;
	const char *const *choices; /* BASE_OPTION_ENUM: names, NULL-terminated */
	const char *unit;           /* "" for none */
	const char *meaning;
};

/* The row of that name, or NULL. */
const struct base_option *base_option_find(const struct base_option *table, size_t count, const char *name);

/* The row whose name is nearest to `name` (for "did you mean"), or NULL when none is near. */
const struct base_option *base_option_nearest(const struct base_option *table, size_t count, const char *name);

/* Parses `value` into the field of `config`. False, with a message that states the expected form, when it does not
 * fit. */
bool base_option_set(const struct base_option *option, void *config, const char *value, char *message, size_t message_size);

/* Writes the field's value as text that base_option_set() accepts. */
void base_option_print(const struct base_option *option, const void *config, char *text, size_t size);

/* The units that count a counter, and how values of several units or launches are combined. */
enum base_scope { BASE_SCOPE_SM, BASE_SCOPE_SLICE, BASE_SCOPE_CHANNEL, BASE_SCOPE_NETWORK, BASE_SCOPE_GPU };
enum base_combination { BASE_COMBINE_SUM, BASE_COMBINE_LARGEST };

struct base_counter {
	const char *name; /* within its group: "accesses" */
	const char *unit;
	enum base_scope scope;
	size_t offset; /* of the uint64_t in the statistics struct */
	const char *meaning;
	enum base_combination combination;
};

/* Combines a counter's value in the struct at `from` with that in the struct at `to`. */
static inline void base_counter_combine(const struct base_counter *row, void *to, const void *from)
{
	uint64_t *sum = (uint64_t *)((char *)to + row->offset);
	uint64_t value = *(const uint64_t *)((const char *)from + row->offset);
	if (row->combination == BASE_COMBINE_SUM)
		*sum += value;
	else if (value > *sum)
		*sum = value;
}

/* A group of counters that lie in one struct; the full name of a counter is "group.name". */
struct base_counter_group {
	const char *name; /* "l1d" */
	const struct base_counter *rows;
	const size_t *count;
	size_t offset; /* of the group's struct in the whole statistics struct */
};

static inline uint64_t base_counter_value(const struct base_counter_group *group, const struct base_counter *row, const void *stats)
{
	return *(const uint64_t *)((const char *)stats + group->offset + row->offset);
}

const char *base_scope_name(enum base_scope scope);

/* Counters with an index. BASE_VECTOR_COUNTERS: for example one per bank, warp slot or array. BASE_VECTOR_LINEAR,
 * BASE_VECTOR_POWERS: one per bin of a histogram. Bins of powers of two are 0, 1, 2 to 3, 4 to 7 ... The last bin also
 * takes all larger values. */
enum base_vector_kind { BASE_VECTOR_COUNTERS, BASE_VECTOR_LINEAR, BASE_VECTOR_POWERS };

struct base_counter_vector {
	const char *name, *unit, *meaning; /* unit: of the counts; for a histogram, of its values */
	enum base_scope scope;
	enum base_vector_kind kind;
	enum base_combination combination; /* of each element */
	uint32_t length;                      /* number of elements; 0: known only with a machine */
	uint32_t bin;                         /* BASE_VECTOR_LINEAR: values per bin */
	const char *const *labels;            /* one per element, then NULL; or NULL: elements have numbers */
	bool named;                           /* elements have their own names in each launch */
};

#endif
