/* A run of the report:
 *
 *   label, file, facts   facts: indexes of texts, by name
 *   kept                 true: from a results file; otherwise the run has its own file
 *   configuration        its index
 *   profile, sources     kernels as in the profile; lines of the files that they name, null when not found
 *   command, options, mechanisms, observers, passes, ended, energy, vectors as in the statistics; the last two are
 *     those of the totals
 *
 * and its launches (launches.c, streams.c).
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

/* Returns the differences of a configuration from the first one. */
static json_t *differences(const json_t *from, const json_t *to)
{
	json_t *object = json_object(), *value;
	const char *key;
	/* jansson's iteration takes a non-const pointer, but does not modify the object */
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
	/* the first configuration has index 0, and so has one without differences from it */
	if (!json_array_size(collection->configuration_numbers.names))
		json_decref(dictionary_number(&collection->configuration_numbers, "{}"));
	json_t *number = dictionary_value(&collection->configuration_numbers, list, differing);
	json_decref(differing);
	return number;
}

/* Stores a value only if it has the type that statistics have: the page's scripts rely on it. */
static void keep_text(json_t *run, const char *name, json_t *value)
{
	if (json_is_string(value))
		json_object_set(run, name, value);
}

static void keep_object(json_t *run, const char *name, json_t *value)
{
	if (json_is_object(value))
		json_object_set(run, name, value);
}

static void keep_words(json_t *run, const char *name, json_t *list)
{
	json_t *words = json_array();
	for (size_t i = 0; i < json_array_size(list); i++)
		if (json_is_string(json_array_get(list, i)))
			json_array_append(words, json_array_get(list, i));
	if (json_array_size(words))
		json_object_set(run, name, words);
	json_decref(words);
}

/* Stores only vectors with a label or a bin for each value. */
static void keep_vectors(json_t *run, json_t *vectors)
{
	json_t *kept = json_object(), *vector;
	const char *name;
	json_object_foreach(vectors, name, vector)
	{
		const json_t *values = json_object_get(vector, "values"), *labels = json_object_get(vector, "labels");
		const json_t *named = labels ? labels : json_object_get(vector, "bins");
		if (json_is_array(values) && json_is_array(named) && json_array_size(values) == json_array_size(named))
			json_object_set(kept, name, vector);
	}
	if (json_object_size(kept))
		json_object_set(run, "vectors", kept);
	json_decref(kept);
}

void report_statistics(struct collection *collection, json_t *run, const json_t *stats)
{
	static const char *const lists[] = {"options", "mechanisms", "observers", "passes"};
	json_t *configuration = json_object_get(stats, "configuration");
	const json_t *totals = json_object_get(stats, "totals");
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		keep_words(run, lists[i], json_object_get(stats, lists[i]));
	keep_words(run, "command", json_object_get(stats, "program"));
	keep_text(run, "ended", json_object_get(stats, "ended"));
	keep_object(run, "energy", json_object_get(totals, "energy"));
	keep_vectors(run, json_object_get(totals, "vectors"));
	if (json_is_object(configuration))
		json_object_set_new(run, "configuration", configuration_number(collection, configuration));
	report_launches(collection, run, stats);
}
