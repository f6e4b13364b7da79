/* The meaning of every figure: the counters' declarations, and the formulas of the derived figures. */
#include "api/record.h"

#include <string.h>

struct formula {
	const char *name, *unit, *text;
};

/* The figures of record_derive(), in the order of struct derived, and the cycles and host time that they use. */
static const struct formula formulas[] = {
	{"cycles", "cycles", "core cycles from launch to the last reply (measured)"},
	{"host_seconds", "seconds", "host time for the launch (measured; differs from run to run)"},
	{"ipc", "instructions/cycle", "sm.thread_instructions / cycles"},
	{"l1d hit rate", "", "l1d.hits / l1d.accesses"},
	{"l2 hit rate", "", "l2.hits / l2.accesses"},
	{"dram bandwidth", "bytes/second", "(dram.reads + dram.writes) x dram.atom_bytes x clock.core / cycles"},
	{"dram utilisation", "", "dram.data_cycles / dram.cycles"},
	{"row hit rate", "", "dram.row_hits / dram.requests"},
	{"row locality", "requests/activate", "dram.requests / dram.activates"},
	{"host rate", "instructions/second", "sm.warp_instructions / host_seconds"},
};
static const size_t formula_count = sizeof formulas / sizeof formulas[0];

struct widths {
	int name, unit, scope;
};

static void widen(int *width, size_t length)
{
	if ((int)length > *width)
		*width = (int)length;
}

static struct widths measure(void)
{
	struct widths widths = {0};
	for (size_t g = 0; g < gpu_counter_group_count; g++) {
		const struct counter_group *group = &gpu_counter_groups[g];
		for (size_t i = 0; i < *group->count; i++) {
			const struct counter *row = &group->rows[i];
			widen(&widths.name, strlen(group->name) + 1 + strlen(row->name));
			widen(&widths.unit, strlen(row->unit));
			widen(&widths.scope, strlen(counter_scope_name(row->scope)));
		}
	}
	for (size_t i = 0; i < formula_count; i++)
		widen(&widths.unit, strlen(formulas[i].unit));
	return widths;
}

static void print_row(FILE *file, const struct widths *widths, const char *name, const char *unit, const char *scope,
                      const char *meaning)
{
	fprintf(file, "%-*s  %-*s  %-*s  %s\n", widths->name, name, widths->unit, unit, widths->scope, scope, meaning);
}

void records_describe(FILE *file)
{
	struct widths widths = measure();
	print_row(file, &widths, "COUNTER", "UNIT", "SCOPE", "MEANING");
	for (size_t g = 0; g < gpu_counter_group_count; g++) {
		const struct counter_group *group = &gpu_counter_groups[g];
		for (size_t i = 0; i < *group->count; i++) {
			const struct counter *row = &group->rows[i];
			char name[128];
			snprintf(name, sizeof name, "%s.%s", group->name, row->name);
			print_row(file, &widths, name, row->unit, counter_scope_name(row->scope), row->meaning);
		}
	}
	fputc('\n', file);
	print_row(file, &widths, "FIGURE", "UNIT", "", "FORMULA");
	for (size_t i = 0; i < formula_count; i++)
		print_row(file, &widths, formulas[i].name, formulas[i].unit, "", formulas[i].text);
}
