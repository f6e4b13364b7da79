/* The values of each unit in stored statistics: a table for each kernel and kind of unit, with the spread in its last
 * lines; or rows of CSV. */
#include "cli/stats_units.h"

#include "cli/commands.h"

#include "base/arena.h"
#include "base/csv.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_WIDTH = 14, LEAST_WIDTH = 12, KINDS = 5 };

/* The kinds of units, as in the file, and as shown. */
static const char *const kinds[KINDS][2] = {
	{"sm", "SM"}, {"slice", "slice"}, {"channel", "channel"}, {"network", "network"}, {"gpu", "GPU"}};

static const char *const default_patterns[] = {"sm.warp_instructions", "sm.blocks",   "sm.stack_idle", "l1d.accesses",
                                               "l1d.misses",           "l2.accesses", "l2.misses",     "dram.reads",
                                               "dram.writes",          NULL};

/* Lists of one kind and length, which are the columns of a table. */
struct columns {
	const char **name;
	const json_t **list;
	size_t count, length;
	const char *unit; /* kind of the first rows */
	size_t own;       /* the number of units of that kind; slices follow SMs, or SMs slices */
};

static bool is_chosen(const char *name, const char *const *patterns)
{
	for (; *patterns; patterns++)
		if (fnmatch(*patterns, name, 0) == 0)
			return true;
	return false;
}

/* Finds the chosen lists of a kind, of the smallest length above `longer_than`. Returns false if there are none. */
static bool take_columns(struct columns *columns, const json_t *units, const json_t *scopes, const char *kind,
                         const char *const *patterns, size_t longer_than)
{
	const char *name;
	json_t *list;
	*columns = (struct columns){.name = base_calloc(json_object_size(units) + 1, sizeof *columns->name),
	                            .list = base_calloc(json_object_size(units) + 1, sizeof *columns->list)};
	for (int pass = 0; pass < 2; pass++)
		/* jansson's iteration takes a non-const pointer, but does not modify the object */
		json_object_foreach((json_t *)units, name, list)
		{
			const char *scope = json_string_value(json_object_get(scopes, name));
			size_t length = json_array_size(list);
			if (!scope || strcmp(scope, kind) != 0 || !is_chosen(name, patterns) || length <= longer_than)
				continue;
			if (pass == 0) {
				columns->length =
					columns->length && columns->length < length ? columns->length : length;
			} else if (length == columns->length) {
				columns->name[columns->count] = name;
				columns->list[columns->count++] = list;
			}
		}
	return columns->count > 0;
}

/* Returns the kind of unit of a row, and changes `row` to the unit's number. */
static const char *unit_of(const struct columns *columns, size_t *row)
{
	if (*row < columns->own)
		return columns->unit;
	*row -= columns->own;
	return columns->unit == kinds[0][1] ? kinds[1][1] : kinds[0][1];
}

/* Names the rows. A list that is longer than one of the machine's is of units of two kinds. */
static void name_rows(struct columns *columns, const json_t *units, size_t kind)
{
	size_t of_machine = json_array_size(json_object_get(units, kind ? "l2.accesses" : "sm.blocks"));
	bool is_of_both = kind < 2 && of_machine && columns->length > of_machine;
	columns->unit = kinds[kind][1];
	columns->own = is_of_both ? of_machine : columns->length;
}

static void free_columns(struct columns *columns)
{
	free(columns->name);
	free(columns->list);
}

static double value_at(const json_t *list, size_t unit)
{
	return json_number_value(json_array_get(list, unit));
}

struct spread {
	double least, mean, most;
};

static struct spread spread_of(const json_t *list)
{
	struct spread spread = {value_at(list, 0), 0, value_at(list, 0)};
	size_t count = json_array_size(list);
	for (size_t i = 0; i < count; i++) {
		double value = value_at(list, i);
		spread.least = fmin(spread.least, value);
		spread.most = fmax(spread.most, value);
		spread.mean += value / (double)count;
	}
	return spread;
}

static int width_of(const char *name)
{
	return strlen(name) > LEAST_WIDTH ? (int)strlen(name) : LEAST_WIDTH;
}

/* The lines that sum up a column; max / mean is unknown when all values are 0. */
enum { LEAST, MEAN, MOST, RATIO, SUMMARIES };
static const char *const summaries[SUMMARIES] = {"minimum", "mean", "maximum", "maximum/mean"};

static void print_summary(const json_t *list, int summary, int width)
{
	struct spread spread = spread_of(list);
	if (summary == RATIO && spread.mean == 0)
		printf("  %*s", width, "-");
	else if (summary == RATIO)
		printf("  %*.3f", width, spread.most / spread.mean);
	else if (summary == MEAN)
		printf("  %*.1f", width, spread.mean);
	else
		printf("  %*.0f", width, summary == LEAST ? spread.least : spread.most);
}

static void print_table(const struct columns *columns)
{
	printf("  %-*s", FIRST_WIDTH, columns->unit);
	for (size_t i = 0; i < columns->count; i++)
		printf("  %*s", width_of(columns->name[i]), columns->name[i]);
	putchar('\n');
	for (size_t row = 0; row < columns->length; row++) {
		size_t number = row;
		const char *unit = unit_of(columns, &number);
		char name[32];
		bool is_own = row < columns->own;
		snprintf(name, sizeof name, "%s%s%zu", is_own ? "" : unit, is_own ? "" : " ", number);
		printf("  %-*s", FIRST_WIDTH, name);
		for (size_t i = 0; i < columns->count; i++)
			printf("  %*.0f", width_of(columns->name[i]), value_at(columns->list[i], row));
		putchar('\n');
	}
	for (int summary = 0; summary < SUMMARIES; summary++) {
		printf("  %-*s", FIRST_WIDTH, summaries[summary]);
		for (size_t i = 0; i < columns->count; i++)
			print_summary(columns->list[i], summary, width_of(columns->name[i]));
		putchar('\n');
	}
}

/* A row for each unit and counter, because kinds of units have different counters. */
static void print_csv(const struct columns *columns, const json_t *kernel)
{
	const char *name = json_string_value(json_object_get(kernel, "demangled"));
	const json_t *launch = json_object_get(kernel, "launch");
	for (size_t i = 0; i < columns->count; i++)
		for (size_t row = 0; row < columns->length; row++) {
			size_t number = row;
			const char *unit = unit_of(columns, &number);
			if (launch)
				printf("%lld", (long long)json_integer_value(launch));
			putchar(',');
			csv_text(name ? name : "totals", stdout);
			printf(",%s,%zu,%s,%.0f\n", unit, number, columns->name[i], value_at(columns->list[i], row));
		}
}

/* Prints a kernel or the totals. Returns the number of lists that were printed. */
static size_t print_units(const json_t *kernel, const json_t *scopes, const char *const *patterns, bool as_csv)
{
	const json_t *units = json_object_get(kernel, "units"), *launch = json_object_get(kernel, "launch");
	const char *name = json_string_value(json_object_get(kernel, "demangled"));
	size_t printed = 0;
	for (size_t kind = 0; units && kind < KINDS; kind++) {
		struct columns columns = {0};
		for (size_t length = 0; take_columns(&columns, units, scopes, kinds[kind][0], patterns, length);
		     length = columns.length, free_columns(&columns)) {
			name_rows(&columns, units, kind);
			if (as_csv) {
				print_csv(&columns, kernel);
			} else {
				if (!printed && launch)
					printf("%s, launch %lld\n", name ? name : "?",
					       (long long)json_integer_value(launch));
				else if (!printed)
					puts("totals");
				print_table(&columns);
				putchar('\n');
			}
			printed += columns.count;
		}
		free_columns(&columns);
	}
	return printed;
}

int stats_print_units(const char *command, const char *file, const json_t *root, const char *const *patterns,
                      bool as_csv)
{
	const json_t *scopes = json_object_get(root, "units"), *kernels = json_object_get(root, "kernels");
	const json_t *totals = json_object_get(root, "totals");
	size_t printed = 0, count = json_array_size(kernels);
	if (!json_is_object(scopes)) {
		cli_error(command, "%s: no counters by unit; 'sluice run --units --stats FILE.json' stores them", file);
		return CLI_FAILED;
	}
	if (!*patterns)
		patterns = default_patterns;
	if (as_csv)
		puts("launch,kernel,unit,number,counter,value");
	for (size_t i = 0; i < count; i++)
		printed += print_units(json_array_get(kernels, i), scopes, patterns, as_csv);
	if (count > 1)
		printed += print_units(totals, scopes, patterns, as_csv);
	if (printed)
		return 0;
	cli_error(
		command,
		"%s: no kernel that ran in cycles has such a counter by unit; 'sluice stats --describe' lists counters",
		file);
	return CLI_FAILED;
}
