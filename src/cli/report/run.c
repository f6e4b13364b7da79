/* A run of the report:
 *
 *   label, file, facts   facts: numbers of texts, by name
 *   kept                 true: in a file of results; else the file is the run's own
 *   configuration        its number
 *   command, options, mechanisms, passes, ended, energy, vectors   as in the statistics; the last two those of the totals
 *
 * and its launches (launches.c).
 */
#include "cli/report/report.h"

#include "base/json_text.h"

json_t *report_run(struct collection *collection, const char *label)
{
	json_t *run = json_object();
	json_object_set_new(run, "label", json_text(label));
	json_object_set_new(run, "file", json_integer((json_int_t)json_array_size(collection->files) - 1));
	json_object_set_new(run, "facts", json_object());
	json_array_append_new(collection->runs, run);
	return run;
}

void report_fact(struct collection *collection, json_t *run, const char *name, const char *value)
{
	if (*value)
		json_object_set_new(json_object_get(run, "facts"), name, dictionary_number(&collection->texts, value));
}

/* What of a configuration is not as in the first one. */
static json_t *differences(const json_t *from, const json_t *to)
{
	json_t *object = json_object(), *value;
	const char *key;
	/* jansson's iteration takes a pointer to what it only reads. */
	json_object_foreach((json_t *)to, key, value)
	{
		if (!json_equal(json_object_get(from, key), value))
			json_object_set(object, key, value);
	}
	json_object_foreach((json_t *)from, key, value)
	{
		if (!json_object_get(to, key))
			json_object_set_new(object, key, json_null());
	}
	return object;
}

static json_t *configuration_number(struct collection *collection, json_t *configuration)
{
	json_t *list = collection->configurations;
	if (!json_array_size(list))
		json_array_append(list, configuration);
	json_t *differing = differences(json_array_get(list, 0), configuration);
	/* The first of all has number 0, and so has what differs from it in nothing. */
	if (!json_array_size(collection->configuration_numbers.names))
		json_decref(dictionary_number(&collection->configuration_numbers, "{}"));
	json_t *number = dictionary_value(&collection->configuration_numbers, list, differing);
	json_decref(differing);
	return number;
}

static void keep(json_t *run, const char *name, json_t *value)
{
	if (value && !json_is_null(value))
		json_object_set(run, name, value);
}

void report_statistics(struct collection *collection, json_t *run, const json_t *stats)
{
	static const char *const as_they_are[] = {"options", "mechanisms", "passes", "ended"};
	json_t *configuration = json_object_get(stats, "configuration");
	const json_t *totals = json_object_get(stats, "totals");
	for (size_t i = 0; i < sizeof as_they_are / sizeof *as_they_are; i++)
		keep(run, as_they_are[i], json_object_get(stats, as_they_are[i]));
	keep(run, "command", json_object_get(stats, "program"));
	keep(run, "energy", json_object_get(totals, "energy"));
	keep(run, "vectors", json_object_get(totals, "vectors"));
	if (json_is_object(configuration))
		json_object_set_new(run, "configuration", configuration_number(collection, configuration));
	report_launches(collection, run, json_object_get(stats, "kernels"));
}
