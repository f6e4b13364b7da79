/* Cells of an experiment: their values, and the runs that they need. */
#include "lab/experiment.h"

#include <string.h>

bool experiment_same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

bool experiment_alike(const struct experiment_column *a, const struct experiment_column *b)
{
	return experiment_same_text(a->unit, b->unit) && a->show == b->show &&
	       (a->show == SHOW_VALUE || a->relative_to == b->relative_to || (a->has_base && b->has_base));
}

bool experiment_needs(const struct experiment *experiment, unsigned needs)
{
	unsigned all = 0;
	for (size_t r = 0; r < experiment->row_count; r++)
		for (size_t c = 0; c < experiment->column_count; c++)
			all |= formula_needs(experiment_metric(experiment, r, c));
	return all & needs;
}

bool experiment_has_units(const struct experiment *experiment)
{
	return experiment->show < SHOW_INDEXES && experiment_needs(experiment, FORMULA_UNITS);
}

bool experiment_has_size(const struct experiment *experiment)
{
	bool any = false;
	for (size_t r = 0; r < experiment->row_count; r++)
		any |= !experiment->rows[r].path && !experiment->rows[r].size;
	return any;
}

const char *experiment_table(const struct experiment *experiment)
{
	bool has_metrics = experiment->show < SHOW_INDEXES;
	if (!has_metrics || !experiment_needs(experiment, FORMULA_ENERGY))
		return NULL;
	return experiment->energy ? experiment->energy : "default";
}

const struct formula *experiment_metric(const struct experiment *experiment, size_t row, size_t column)
{
	const struct formula *own = experiment->rows[row].metric;
	return own ? own : experiment->columns[column].metric;
}

const char *experiment_variant(const struct experiment *experiment, size_t row, size_t column)
{
	const struct words *variants = &experiment->rows[row].variants;
	if (experiment->exclude.count && product_excludes(experiment, row, column))
		return "~";
	if (!variants->count)
		return experiment->columns[column].variant;
	return variants->word[variants->count == 1 ? 0 : column];
}
