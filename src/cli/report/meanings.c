#include "cli/report/meanings.h"

#include "output/record.h"
#include "gpu/gpu.h"
#include "mech/list.h"

#include <stdio.h>
#include <string.h>

enum { NAME = 128 };

/* Selects counters whose names are keys of an object. */
struct wanted {
	const json_t *names;
	json_t *meanings;
};

static void add_counter(const struct wanted *wanted, const char *name, const char *unit, const char *scope,
                        const char *meaning, enum base_combination combination)
{
	if (json_object_get(wanted->names, name))
		json_object_set_new(wanted->meanings, name,
		                    json_pack("[s, s, s, s]", unit, scope, meaning,
		                              combination == BASE_COMBINE_SUM ? "sum" : "largest"));
}

static void add_group(const struct wanted *wanted, const struct base_counter_group *group)
{
	for (size_t i = 0; i < *group->count; i++) {
		const struct base_counter *row = &group->rows[i];
		char name[NAME];
		snprintf(name, sizeof name, "%s.%s", group->name, row->name);
		add_counter(wanted, name, row->unit, base_scope_name(row->scope), row->meaning, row->combination);
	}
}

static void add_of_mechanism(void *user, const struct record_counter *counter)
{
	char name[NAME];
	snprintf(name, sizeof name, "%s.%s", counter->mech->name, counter->name);
	add_counter(user, name, counter->unit, "", counter->meaning, counter->combination);
}

json_t *meanings_of_counters(const json_t *names)
{
	struct wanted wanted = {names, json_object()};
	for (size_t i = 0; i < gpu_counter_group_count; i++)
		add_group(&wanted, &gpu_counter_groups[i]);
	for (size_t i = 0; i < mech_list_count; i++)
		record_describe_counters(mech_list[i], NULL, add_of_mechanism, &wanted);
	return wanted.meanings;
}

static void add_options(json_t *meanings, const char *prefix, const struct base_option *options, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char name[NAME];
		snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? "." : "", options[i].name);
		json_object_set_new(meanings, name, json_pack("[s, s]", options[i].unit, options[i].meaning));
	}
}

json_t *meanings_of_keys(void)
{
	json_t *meanings = json_object();
	add_options(meanings, "", machine_options, machine_option_count);
	for (size_t i = 0; i < mech_list_count; i++) {
		const struct mech *mech = mech_list[i];
		add_options(meanings, mech->name, mech->options, mech->option_count);
		json_object_set_new(meanings, mech->name, json_pack("[s, s]", "", mech->summary));
	}
	return meanings;
}

struct asked {
	const char *name; /* the counter's name without its mechanism */
	bool is_largest;
};

static void compare(void *user, const struct record_counter *counter)
{
	struct asked *asked = user;
	if (strcmp(asked->name, counter->name) == 0)
		asked->is_largest = counter->combination == BASE_COMBINE_LARGEST;
}

/* All counters of the machine are sums. */
bool meanings_is_largest(const char *counter)
{
	const char *dot = strchr(counter, '.');
	struct asked asked = {dot ? dot + 1 : "", false};
	for (size_t i = 0; dot && i < mech_list_count; i++)
		if (strlen(mech_list[i]->name) == (size_t)(dot - counter) &&
		    strncmp(mech_list[i]->name, counter, (size_t)(dot - counter)) == 0)
			record_describe_counters(mech_list[i], NULL, compare, &asked);
	return asked.is_largest;
}
