/* The meaning of every statistic: the counters' declarations, and the formulas of the derived statistics. */
#include "output/record.h"

#include <string.h>

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
		const struct base_counter_group *group = &gpu_counter_groups[g];
		for (size_t i = 0; i < *group->count; i++) {
			const struct base_counter *row = &group->rows[i];
			widen(&widths.name, strlen(group->name) + 1 + strlen(row->name));
			widen(&widths.unit, strlen(row->unit));
			widen(&widths.scope, strlen(base_scope_name(gpu_counter_scope(g))));
		}
	}
	for (size_t i = 0; i < record_formula_count; i++)
		widen(&widths.unit, strlen(record_formulas[i].unit));
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
		const struct base_counter_group *group = &gpu_counter_groups[g];
		for (size_t i = 0; i < *group->count; i++) {
			const struct base_counter *row = &group->rows[i];
			char name[128];
			snprintf(name, sizeof name, "%s.%s", group->name, row->name);
			print_row(file, &widths, name, row->unit, base_scope_name(gpu_counter_scope(g)), row->meaning);
		}
	}
	fputc('\n', file);
	print_row(file, &widths, "DERIVED", "UNIT", "", "FORMULA");
	for (size_t i = 0; i < record_formula_count; i++)
		print_row(file, &widths, record_formulas[i].name, record_formulas[i].unit, "", record_formulas[i].text);
}
