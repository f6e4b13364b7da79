#include "lab/run_record.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 12 }; /* significant digits of numbers in statistics */

struct text_field {
	const char *name;
	size_t offset;
};

static const struct text_field config_fields[] = {
	{"program", offsetof(struct run_config, program)},
	{"variant", offsetof(struct run_config, variant)},
	{"size", offsetof(struct run_config, size)},
	{"arguments", offsetof(struct run_config, arguments)},
	{"machine", offsetof(struct run_config, machine)},
	{"options", offsetof(struct run_config, options)},
	{"mechanisms", offsetof(struct run_config, mechanisms)},
	{"library", offsetof(struct run_config, library)},
	{"binary", offsetof(struct run_config, binary)},
	{"description", offsetof(struct run_config, description)},
	{"inputs", offsetof(struct run_config, inputs)},
	{0},
};

static const struct text_field result_fields[] = {
	{"verdict", offsetof(struct run_result, verdict)},   {"output", offsetof(struct run_result, output)},
	{"revision", offsetof(struct run_result, revision)}, {"finished", offsetof(struct run_result, finished)},
	{"host", offsetof(struct run_result, host)},         {0},
};

/* Text that is not UTF-8, which a program may print, gets a question mark for each such byte. */
static json_t *text_json(const char *text)
{
	json_t *json = json_string(text);
	if (json)
		return json;
	char *copy = strdup(text);
	for (char *c = copy; c && *c; c++)
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	json = json_string(copy);
	free(copy);
	return json;
}

static void add_texts(json_t *json, const struct text_field *fields, const void *from)
{
	for (; fields->name; fields++) {
		const char *text = *(const char *const *)((const char *)from + fields->offset);
		if (text)
			json_object_set_new(json, fields->name, text_json(text));
	}
}

/* Missing texts become "". Returns false when a value is not a text. */
static bool read_texts(const json_t *json, const struct text_field *fields, void *into)
{
	for (; fields->name; fields++) {
		const json_t *value = json_object_get(json, fields->name);
		const char *text = value ? json_string_value(value) : "";
		if (!text)
			return false;
		*(const char **)((char *)into + fields->offset) = text;
	}
	return true;
}

json_t *run_record_config_json(const struct run_config *config)
{
	json_t *json = json_object();
	add_texts(json, config_fields, config);
	json_object_set_new(json, "seed", json_integer((json_int_t)config->seed));
	return json;
}

bool run_record_config_read(const json_t *json, struct run_config *config)
{
	const json_t *seed = json_object_get(json, "seed");
	*config = (struct run_config){.seed = (uint64_t)json_integer_value(seed)};
	return json_is_integer(seed) && json_object_get(json, "program") && read_texts(json, config_fields, config);
}

json_t *run_record_json(const struct run_config *config, const struct run_result *result)
{
	json_t *json = run_record_config_json(config), *stats = json_loads(result->stats, 0, NULL);
	add_texts(json, result_fields, result);
	json_object_set_new(json, "seconds", json_real(result->seconds));
	json_object_set_new(json, "peak", json_integer((json_int_t)result->peak));
	json_object_set_new(json, "stats", stats ? stats : json_null());
	return json;
}

char *run_record_stats(const json_t *stats)
{
	return json_dumps(stats, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS));
}

bool run_record_read(const json_t *json, struct run_record *record)
{
	struct run_result *result = &record->result;
	const json_t *stats = json_object_get(json, "stats");
	*record = (struct run_record){0};
	if (!run_record_config_read(json, &record->config) || !read_texts(json, result_fields, result) ||
	    !*result->verdict)
		return false;
	if (!*result->finished)
		result->finished = NULL;
	result->seconds = json_number_value(json_object_get(json, "seconds"));
	result->peak = (uint64_t)json_integer_value(json_object_get(json, "peak"));
	record->stats = json_is_object(stats) ? run_record_stats(stats) : NULL;
	result->stats = record->stats ? record->stats : "";
	return true;
}

void run_record_free(struct run_record *record)
{
	free(record->stats);
	record->stats = NULL;
}
