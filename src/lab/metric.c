#include "lab/metric.h"

#include "gpu/gpu.h"
#include "lab/static_counters.h"

/* With several launches, these are computed from the sums. */
static const struct formula_alias aliases[] = {
	{"energy.watts", "energy.total / energy.seconds"},
	{"energy.delay", "energy.total * energy.seconds"},
	{"energy.instruction", "energy.total / thread_instructions"},
	{0},
};

const struct formula *metric_parse(struct arena *arena, const char *text, char message[FORMULA_MESSAGE])
{
	struct formula_names names = {.groups = {{gpu_counter_groups, gpu_counter_group_count, FORMULA_RUN}},
	                              .keys = machine_options,
	                              .key_count = machine_option_count,
	                              .mechanisms = true,
	                              .energies = true,
	                              .units = true,
	                              .aliases = aliases};
	const struct base_counter_group *facts;
	for (size_t i = 0; (facts = static_counters_group(i)); i++)
		names.groups[i + 1] = (struct formula_groups){
			facts, 1, FORMULA_SOURCE | (static_counters_of_ptx(facts) ? FORMULA_PTX : 0)};
	return formula_parse(arena, text, &names, message);
}
