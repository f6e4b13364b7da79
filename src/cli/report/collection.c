#include "cli/report/report.h"

#include "base/json_text.h"
#include "cli/report/meanings.h"

#include <stdlib.h>
#include <string.h>

json_t *dictionary_number(struct dictionary *dictionary, const char *name)
{
	json_t *number = json_object_get(dictionary->numbers, name);
	if (number)
		return json_incref(number);
	json_t *text = json_text(name);
	const char *kept = json_string_value(text); /* names with invalid UTF-8 may become equal */
	if (strcmp(kept, name) != 0) {
		number = dictionary_number(dictionary, kept);
		json_decref(text);
		return number;
	}
	if (!dictionary->names) {
		dictionary->names = json_array();
		dictionary->numbers = json_object();
	}
	number = json_integer((json_int_t)json_array_size(dictionary->names));
	json_object_set(dictionary->numbers, name, number);
	json_array_append_new(dictionary->names, text);
	return number;
}

json_t *dictionary_value(struct dictionary *dictionary, json_t *list, json_t *value)
{
	char *text = json_dumps(value, JSON_COMPACT);
	json_t *number = dictionary_number(dictionary, text);
	if ((size_t)json_integer_value(number) == json_array_size(list))
		json_array_append(list, value);
	free(text);
	return number;
}

void dictionary_close(struct dictionary *dictionary)
{
	json_decref(dictionary->names);
	json_decref(dictionary->numbers);
}

void collection_open(struct collection *collection, const char *command)
{
	*collection = (struct collection){
		.command = command,
		.launches = 50,
		.files = json_array(),
		.figures = json_array(),
		.scorecard = json_array(),
		.runs = json_array(),
		.shapes = json_array(),
		.kernels = json_array(),
		.configurations = json_array(),
	};
}

void collection_close(struct collection *collection)
{
	struct dictionary *const dictionaries[] = {&collection->texts,         &collection->counters,
	                                           &collection->causes,        &collection->kernel_numbers,
	                                           &collection->shape_numbers, &collection->configuration_numbers};
	for (size_t i = 0; i < sizeof dictionaries / sizeof *dictionaries; i++)
		dictionary_close(dictionaries[i]);
	json_decref(collection->files);
	json_decref(collection->figures);
	json_decref(collection->scorecard);
	json_decref(collection->runs);
	json_decref(collection->shapes);
	json_decref(collection->kernels);
	json_decref(collection->configurations);
}

static void set_names(json_t *object, const char *key, const struct dictionary *dictionary)
{
	json_object_set_new(object, key, dictionary->names ? json_incref(dictionary->names) : json_array());
}

json_t *collection_json(const struct collection *collection)
{
	json_t *object = json_object();
	json_object_set_new(object, "report", json_integer(1));
	json_object_set_new(object, "sluice", json_string(sluice_version()));
	json_object_set(object, "files", collection->files);
	set_names(object, "texts", &collection->texts);
	set_names(object, "counters", &collection->counters);
	set_names(object, "causes", &collection->causes);
	json_object_set_new(object, "meanings", meanings_of_counters(collection->counters.numbers));
	json_object_set_new(object, "keys", meanings_of_keys());
	json_object_set(object, "kernels", collection->kernels);
	json_object_set(object, "shapes", collection->shapes);
	json_object_set(object, "configurations", collection->configurations);
	json_object_set(object, "figures", collection->figures);
	json_object_set(object, "scorecard", collection->scorecard);
	json_object_set(object, "runs", collection->runs);
	return object;
}

bool report_has_run(const struct collection *collection, const char *path, const char *what)
{
	if (collection->last)
		return true;
	cli_error(collection->command, "%s: %s of which run? Name the run's statistics (--stats) before it", path,
	          what);
	return false;
}
