/* The limits of a run's kernels (src/limits/):
 *
 *   limits   for each launch, session and the totals {of, name, cycles, limits}, as in `sluice stats --limits --json`.
 *            Of a run with more launches than are stored separately, those with the most cycles
 */
#include "cli/report/report.h"

#include "limits/limits.h"

struct taker {
	json_t *list;
	size_t most; /* launches and sessions */
};

static double cycles_of(const json_t *list, size_t i)
{
	return json_number_value(json_object_get(json_array_get(list, i), "cycles"));
}

static void drop_shortest(json_t *list)
{
	size_t least = 0;
	for (size_t i = 1; i < json_array_size(list); i++)
		if (cycles_of(list, i) < cycles_of(list, least))
			least = i;
	json_array_remove(list, least);
}

/* The totals come last, and stay. */
static void take(void *user, const struct limits_of_one *one)
{
	struct taker *taker = user;
	json_array_append_new(taker->list, limits_of_one_json(one));
	if (*one->kind != 't' && json_array_size(taker->list) > taker->most)
		drop_shortest(taker->list);
}

void report_limits(struct collection *collection, json_t *run, const json_t *stats)
{
	char message[LIMITS_MESSAGE];
	struct taker taker = {json_array(), collection->launches};
	limits_of_run(stats, take, &taker, message);
	if (json_array_size(taker.list))
		json_object_set(run, "limits", taker.list);
	json_decref(taker.list);
}
