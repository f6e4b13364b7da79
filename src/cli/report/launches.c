/* The launches of a run. With many launches, they are summed by kernel:
 *
 *   launches   lists: the kernel's index, the number of launches, the figures in `kept`, and where there is one a role.
 *              Launches of different roles are summed separately:
 *                "yes", "warm", "no"   in a run with a selection (`sluice run --kernel`)
 *                "together"            ran at the same time as others: most counters are null
 *                "session"             no launch, but what launches counted that ran together; the kernel's name is
 *                                      "session N"; many sessions are summed as "sessions"
 *   causes     indexes of the cycle stack's causes; `stacks`: a list of slots per launch
 *   shape      indexes of the counters; `counters`: a list of values per launch
 *   loads      summed over all launches of a kernel: lists of the kernel's index, the mechanism and {name: value}
 */
#include "cli/report/meanings.h"
#include "cli/report/report.h"

#include <string.h>

static const char *const kept[] = {"launch",
                                   "ended",
                                   "message",
                                   "grid",
                                   "block",
                                   "registers",
                                   "spill_bytes",
                                   "shared_bytes",
                                   "blocks_per_sm",
                                   "cycles", /* figures from here on are summed */
                                   "thread_instructions",
                                   "warp_instructions",
                                   "host_seconds"};
enum { KERNEL, LAUNCHES, FIRST_KEPT, ENDED = FIRST_KEPT + 1, MESSAGE, FIRST_SUM = FIRST_KEPT + 9 };
enum { ANALYSES = FIRST_KEPT + sizeof kept / sizeof *kept };

struct reader {
	struct collection *collection;
	json_t *launches, *stacks, *counters, *loads; /* of the run */
	const json_t *first;                          /* the first launch, whose names all launches have */
	json_t *places; /* when launches are summed: index of each kernel's sum; otherwise NULL */
	json_t *rows;   /* of each launch: its index in `launches` */
};

/* NULL: none */
static const char *role_of(const json_t *launch)
{
	if (json_is_array(json_object_get(launch, "launches")))
		return "session";
	if (json_object_get(launch, "session"))
		return "together";
	return json_string_value(json_object_get(launch, "selected"));
}

/* A session has the number of its launches. */
static json_int_t launches_in(const json_t *launch)
{
	const json_t *list = json_object_get(launch, "launches");
	return json_is_array(list) ? (json_int_t)json_array_size(list) : 1;
}

static json_t *kernel_number(struct collection *collection, const json_t *launch)
{
	const char *symbol = json_string_value(json_object_get(launch, "name"));
	const char *shown = json_string_value(json_object_get(launch, "demangled"));
	symbol = symbol ? symbol : "?";
	json_t *number = dictionary_number(&collection->kernel_numbers, symbol);
	if ((size_t)json_integer_value(number) == json_array_size(collection->kernels))
		json_array_append_new(collection->kernels, json_pack("[s, s]", symbol, shown ? shown : symbol));
	return number;
}

/* Returns the indexes of the object's names. */
static json_t *numbers(struct dictionary *dictionary, const json_t *object)
{
	json_t *list = json_array(), *value;
	const char *name;
	/* jansson's iteration takes a non-const pointer, but does not modify the object */
	json_object_foreach((json_t *)object, name, value)
		json_array_append_new(list, dictionary_number(dictionary, name));
	return list;
}

static json_t *incref_or_null(json_t *value)
{
	return value ? json_incref(value) : json_null();
}

/* Returns the values of an object, in the order of the first launch's names. */
static json_t *values(const struct reader *reader, const json_t *launch, const char *key)
{
	const json_t *object = json_object_get(launch, key);
	json_t *list = json_array(), *value;
	const char *name;
	json_object_foreach(json_object_get(reader->first, key), name, value)
		json_array_append_new(list, incref_or_null(json_object_get(object, name)));
	return list;
}

static json_t *facts(struct collection *collection, const json_t *launch)
{
	json_t *list = json_array();
	json_array_append_new(list, kernel_number(collection, launch));
	json_array_append_new(list, json_integer(launches_in(launch)));
	for (size_t i = FIRST_KEPT; i < ANALYSES; i++)
		json_array_append_new(list, incref_or_null(json_object_get(launch, kept[i - FIRST_KEPT])));
	if (role_of(launch))
		json_array_append_new(list, json_string(role_of(launch)));
	return list;
}

/* --- sums --- */

static json_t *sum(const json_t *one, const json_t *other, bool largest)
{
	if (!json_is_integer(one) || !json_is_integer(other))
		return json_real(json_number_value(one) + json_number_value(other));
	json_int_t a = json_integer_value(one), b = json_integer_value(other);
	return json_integer(!largest ? a + b : a > b ? a : b);
}

/* Adds to a number of the list; unknown values stay unknown. */
static void add_number(json_t *list, size_t i, const json_t *more, bool largest)
{
	if (json_is_number(json_array_get(list, i)) && json_is_number(more))
		json_array_set_new(list, i, sum(json_array_get(list, i), more, largest));
}

static void add_values(const struct reader *reader, json_t *to, const json_t *launch, const char *key)
{
	const json_t *object = json_object_get(launch, key);
	json_t *value;
	const char *name;
	size_t i = 0;
	json_object_foreach(json_object_get(reader->first, key), name, value)
		add_number(to, i++, json_object_get(object, name), meanings_is_largest(name));
}

static void add_facts(json_t *to, const json_t *launch)
{
	const char *ended = json_string_value(json_object_get(launch, "ended"));
	json_t *message = json_object_get(launch, "message");
	json_int_t count = json_integer_value(json_array_get(to, LAUNCHES)) + launches_in(launch);
	json_array_set_new(to, LAUNCHES, json_integer(count));
	for (size_t i = FIRST_SUM; i < ANALYSES; i++)
		add_number(to, i, json_object_get(launch, kept[i - FIRST_KEPT]), false);
	if (ended && strcmp(ended, "done") != 0) {
		json_array_set(to, ENDED, json_object_get(launch, "ended"));
		json_array_set_new(to, MESSAGE, incref_or_null(message));
	}
}

/* Returns the index of the launch to add to, or the index at which to append the first launch of a kernel. */
static size_t place_of(struct reader *reader, const json_t *launch)
{
	size_t next = json_array_size(reader->launches);
	if (!reader->places)
		return next;
	const char *symbol = json_string_value(json_object_get(launch, "name"));
	const char *role = role_of(launch);
	json_t *key = json_sprintf("%s %s", symbol ? symbol : "?", role ? role : "");
	const json_t *place = json_object_get(reader->places, json_string_value(key));
	size_t at = place ? (size_t)json_integer_value(place) : next;
	if (!place)
		json_object_set_new(reader->places, json_string_value(key), json_integer((json_int_t)next));
	json_decref(key);
	return at;
}

static void take_launch(struct reader *reader, const json_t *launch)
{
	size_t place = place_of(reader, launch);
	json_array_append_new(reader->rows, json_integer((json_int_t)place));
	if (place < json_array_size(reader->launches)) {
		add_facts(json_array_get(reader->launches, place), launch);
		add_values(reader, json_array_get(reader->stacks, place), launch, "cycle_stack");
		add_values(reader, json_array_get(reader->counters, place), launch, "counters");
	} else {
		json_array_append_new(reader->launches, facts(reader->collection, launch));
		json_array_append_new(reader->stacks, values(reader, launch, "cycle_stack"));
		json_array_append_new(reader->counters, values(reader, launch, "counters"));
	}
}

/* --- sessions --- */

/* Returns the launch; if it was the only one of its session, with all that the session counted. */
static json_t *completed(json_t *launch, const json_t *sessions)
{
	static const char *const keys[] = {"cycle_stack", "counters"};
	json_int_t number = json_integer_value(json_object_get(launch, "session"));
	const json_t *session = number > 0 ? json_array_get(sessions, (size_t)number - 1) : NULL;
	if (!session || launches_in(session) > 1)
		return json_incref(launch);
	json_t *own = json_copy(launch);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		json_object_set(own, keys[i], json_object_get(session, keys[i]));
	json_object_del(own, "session");
	return own;
}

static json_t *all_completed(const json_t *kernels, const json_t *sessions)
{
	json_t *list = json_array();
	for (size_t i = 0; i < json_array_size(kernels); i++)
		json_array_append_new(list, completed(json_array_get(kernels, i), sessions));
	return list;
}

static void take_sessions(struct reader *reader, const json_t *sessions)
{
	bool summed = json_array_size(sessions) > reader->collection->launches;
	for (size_t i = 0; i < json_array_size(sessions); i++) {
		if (launches_in(json_array_get(sessions, i)) < 2)
			continue;
		json_t *session = json_copy(json_array_get(sessions, i));
		json_object_set_new(session, "name",
		                    summed ? json_string("sessions") : json_sprintf("session %zu", i + 1));
		take_launch(reader, session);
		json_decref(session);
	}
}

/* --- loads --- */

static void add_load(json_t *to, const json_t *load)
{
	const char *name;
	json_t *value;
	json_object_foreach((json_t *)load, name, value)
	{
		if (json_is_number(value) && strcmp(name, "pc") != 0 && strcmp(name, "line") != 0)
			json_object_set_new(to, name, sum(json_object_get(to, name), value, false));
	}
}

/* Returns the same load of another launch, or NULL. */
static json_t *find_load(const json_t *loads, const json_t *kernel, const char *mechanism, const json_t *pc)
{
	for (size_t i = 0; i < json_array_size(loads); i++) {
		const json_t *row = json_array_get(loads, i);
		json_t *load = json_array_get(row, 2);
		if (json_equal(json_array_get(row, 0), kernel) && json_equal(json_object_get(load, "pc"), pc) &&
		    strcmp(json_string_value(json_array_get(row, 1)), mechanism) == 0)
			return load;
	}
	return NULL;
}

static void take_loads(struct reader *reader, const json_t *launch)
{
	json_t *kernel = kernel_number(reader->collection, launch), *list, *load;
	const char *mechanism;
	json_object_foreach(json_object_get(launch, "loads"), mechanism, list)
	{
		size_t i;
		json_array_foreach(list, i, load)
		{
			json_t *same = find_load(reader->loads, kernel, mechanism, json_object_get(load, "pc"));
			if (same)
				add_load(same, load);
			else
				json_array_append_new(reader->loads,
				                      json_pack("[O, s, o]", kernel, mechanism, json_copy(load)));
		}
	}
	json_decref(kernel);
}

void report_launches(struct collection *collection, json_t *run, const json_t *stats)
{
	const json_t *sessions = json_object_get(stats, "sessions");
	json_t *kernels = all_completed(json_object_get(stats, "kernels"), sessions);
	size_t count = json_array_size(kernels);
	struct reader reader = {
		.collection = collection,
		.launches = json_array(),
		.stacks = json_array(),
		.counters = json_array(),
		.loads = json_array(),
		.first = json_array_get(kernels, 0),
		.places = count > collection->launches ? json_object() : NULL,
		.rows = json_array(),
	};
	json_t *shape = numbers(&collection->counters, json_object_get(reader.first, "counters"));
	for (size_t i = 0; i < count; i++) {
		take_launch(&reader, json_array_get(kernels, i));
		take_loads(&reader, json_array_get(kernels, i));
	}
	report_streams(run, kernels, reader.rows, json_object_get(stats, "copies"));
	take_sessions(&reader, sessions);
	json_object_set_new(run, "launches", reader.launches);
	json_object_set_new(run, "stacks", reader.stacks);
	json_object_set_new(run, "counters", reader.counters);
	json_object_set_new(run, "causes", numbers(&collection->causes, json_object_get(reader.first, "cycle_stack")));
	json_object_set_new(run, "shape", dictionary_value(&collection->shape_numbers, collection->shapes, shape));
	if (json_array_size(reader.loads))
		json_object_set(run, "loads", reader.loads);
	json_decref(reader.loads);
	json_decref(reader.places);
	json_decref(reader.rows);
	json_decref(kernels);
	json_decref(shape);
}
