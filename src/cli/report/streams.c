/* When launches and copies ran, for the lanes of streams. Only a run with launches in several streams, with sessions or
 * with copies that took time has
 *
 *   streams   columns with an element for each launch that ran in cycles: `row`, its index among the run's launches,
 *             and `members`; `session` is null where it ran alone, `launched_by` where the host launched it
 *   copies    columns with an element for each copy; absent if there are none
 */
#include "cli/report/report.h"

static const char *const members[] = {"launch", "stream", "session", "started",           "first_block",
                                      "cycles", "grid",   "block",   "warp_instructions", "launched_by"};
enum { MEMBERS = sizeof members / sizeof *members };
static const char *const copy_members[] = {"stream", "to", "bytes", "started", "cycles"};
enum { COPY_MEMBERS = sizeof copy_members / sizeof *copy_members };

static bool has_cycles(const json_t *launch)
{
	return json_is_integer(json_object_get(launch, "stream")) &&
	       json_is_integer(json_object_get(launch, "started")) &&
	       json_is_integer(json_object_get(launch, "first_block")) &&
	       json_is_integer(json_object_get(launch, "cycles"));
}

static bool has_streams(const json_t *kernels)
{
	const json_t *first = json_object_get(json_array_get(kernels, 0), "stream");
	for (size_t i = 0; i < json_array_size(kernels); i++) {
		const json_t *launch = json_array_get(kernels, i);
		if (json_object_get(launch, "session") || !json_equal(json_object_get(launch, "stream"), first))
			return true;
	}
	return false;
}

static void append(json_t *columns, const char *name, json_t *value)
{
	json_t *column = json_object_get(columns, name);
	if (!column)
		json_object_set_new(columns, name, column = json_array());
	json_array_append_new(column, value ? json_incref(value) : json_null());
}

static void add_copies(json_t *run, const json_t *copies)
{
	json_t *columns = json_object();
	for (size_t i = 0; i < json_array_size(copies); i++)
		for (size_t k = 0; k < COPY_MEMBERS; k++)
			append(columns, copy_members[k], json_object_get(json_array_get(copies, i), copy_members[k]));
	if (json_object_size(columns))
		json_object_set(run, "copies", columns);
	json_decref(columns);
}

void report_streams(json_t *run, const json_t *kernels, const json_t *rows, const json_t *copies)
{
	json_t *columns = json_object();
	bool has_lanes = json_array_size(copies) || has_streams(kernels);
	size_t count = has_lanes ? json_array_size(kernels) : 0;
	for (size_t i = 0; i < count; i++) {
		const json_t *launch = json_array_get(kernels, i);
		if (!has_cycles(launch))
			continue;
		append(columns, "row", json_array_get(rows, i));
		for (size_t k = 0; k < MEMBERS; k++)
			append(columns, members[k], json_object_get(launch, members[k]));
	}
	if (json_object_size(columns))
		json_object_set(run, "streams", columns);
	json_decref(columns);
	add_copies(run, copies);
}
