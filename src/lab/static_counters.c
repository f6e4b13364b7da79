#include "lab/static_counters.h"

#include "base/table.h"

#include <stdio.h>
#include <string.h>

#define ROW(field, name, unit, meaning)                                                                                \
	{                                                                                                              \
		name, unit, BASE_SCOPE_GPU, offsetof(struct static_counters, field), meaning, BASE_COMBINE_SUM         \
	}

static const struct base_counter source_rows_of[] = {
	ROW(arrays, "arrays", "arrays", "pointer parameters of the kernel"),
	ROW(indexes, "indexes", "indexes", "reads of these arrays in the source"),
	ROW(lines, "lines", "lines", "lines between the braces of the kernel's body that hold code"),
};

#define STATUSES(verdict)                                                                                              \
	ROW(verdict[SOURCE_STATIC], "static", "indexes", "known when the kernel is launched"),                         \
		ROW(verdict[SOURCE_QUASI_STATIC], "quasi_static", "indexes", "known when the block is dispatched"),    \
		ROW(verdict[SOURCE_INDUCTION], "induction", "indexes", "depends on an induction variable"),            \
		ROW(verdict[SOURCE_INDIRECT], "indirect", "indexes", "depends on a load"),                             \
		ROW(verdict[SOURCE_CONTROL], "control", "indexes", "depends on a condition"),                          \
		ROW(verdict[SOURCE_OPERATOR], "operator", "indexes", "an operator other than + - *")

static const struct base_counter strict_rows[] = {STATUSES(strict)};
static const struct base_counter relaxed_rows[] = {STATUSES(relaxed)};

static const struct base_counter mix_rows[] = {
#define KIND(id, name, meaning) ROW(mix[PTX_MIX_##id], name, "instructions", meaning),
	PTX_MIX_KINDS(KIND)
#undef KIND
		ROW(instructions, "total", "instructions", "all instructions of the kernel in PTX"),
};

#define COUNT(rows) (sizeof rows / sizeof *rows)
static const size_t source_count_of = COUNT(source_rows_of), status_count = COUNT(strict_rows),
		    mix_count = COUNT(mix_rows);

static const struct base_counter_group groups[] = {
	{"source", source_rows_of, &source_count_of, 0},
	{"strict", strict_rows, &status_count, 0},
	{"relaxed", relaxed_rows, &status_count, 0},
	{"mix", mix_rows, &mix_count, 0},
};

const struct base_counter_group *static_counters_group(size_t number)
{
	return number < COUNT(groups) ? &groups[number] : NULL;
}

bool static_counters_of_ptx(const struct base_counter_group *group)
{
	return group->rows == mix_rows;
}

json_t *static_counters_kernel(const char *name, const struct static_counters *facts, bool ptx)
{
	json_t *counters = json_object();
	const struct base_counter_group *group;
	for (size_t g = 0; (group = static_counters_group(g)); g++)
		for (size_t i = 0; i < *group->count && (ptx || !static_counters_of_ptx(group)); i++) {
			char full[64];
			snprintf(full, sizeof full, "%s.%s", group->name, group->rows[i].name);
			json_object_set_new(
				counters, full,
				json_integer((json_int_t)base_counter_value(group, &group->rows[i], facts)));
		}
	return json_pack("{s:s, s:o}", "name", name, "counters", counters);
}
