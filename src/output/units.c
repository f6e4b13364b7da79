#include "output/units.h"

#include "base/arena.h"
#include "gpu/stats.h"

#include <inttypes.h>
#include <stdlib.h>

enum { NAME = 128 };

void units_store(const struct records *records, struct record *record)
{
	if (!records->units_of)
		return;
	units_free(record);
	record->units = base_calloc(1, sizeof *record->units);
	unit_totals_add(record->units, records->units_of, record->launch);
	unit_totals_keep_blocks(record->units, records->units_of);
}

void units_add(const struct records *records, struct record *sum, const struct record *record)
{
	if (!record->units)
		return;
	if (!sum->units)
		sum->units = base_calloc(1, sizeof *sum->units);
	unit_totals_combine(sum->units, record->units, records->units_of);
}

void units_free(struct record *record)
{
	if (record->units)
		unit_totals_free(record->units);
	free(record->units);
	record->units = NULL;
}

/* --- JSON --- */

/* A counter of the machine (`row` of `group`), or of a mechanism. */
struct counter {
	const struct base_counter *row;
	size_t group;  /* of the machine's counters */
	uint32_t mech; /* the mechanism's number, if `of` is not NULL */
	const struct mech *of;
	bool is_request;
};

typedef void show_counter(void *user, const char *name, const struct counter *counter);

static void show_rows(const char *prefix, const struct base_counter *rows, size_t count, struct counter counter,
                      show_counter *show, void *user)
{
	for (size_t i = 0; i < count; i++) {
		char name[NAME];
		snprintf(name, sizeof name, "%s.%s", prefix, rows[i].name);
		counter.row = &rows[i];
		show(user, name, &counter);
	}
}

/* Calls `show` for every counter, in the order of the statistics. */
static void each_counter(const struct records *records, show_counter *show, void *user)
{
	for (size_t g = 0; g < gpu_counter_group_count; g++) {
		const struct base_counter_group *group = &gpu_counter_groups[g];
		show_rows(group->name, group->rows, *group->count, (struct counter){.group = g}, show, user);
	}
	for (uint32_t i = 0; i < records->attachments; i++) {
		const struct mech *mech = records->attached[i].mech;
		struct counter counter = {.mech = i, .of = mech};
		show_rows(mech->name, mech->counters, mech->counter_count, counter, show, user);
		counter.is_request = true;
		if (mech->sends)
			show_rows(mech->name, seam_request_counters, seam_request_counter_count, counter, show, user);
	}
}

struct values {
	const struct gpu *gpu;
	const struct unit_totals *units;
	json_t *object;
};

static json_t *machine_values(const struct values *values, const struct counter *counter)
{
	json_t *list = json_array();
	for (uint32_t unit = 0; unit < stats_units(values->gpu, counter->group); unit++)
		json_array_append_new(list,
		                      json_integer((json_int_t)stats_unit_value(values->gpu, values->units->machine,
		                                                                counter->group, counter->row, unit)));
	return list;
}

/* Appends the values of SMs or of partitions. Returns false when all are 0. */
static bool append_units(json_t *list, const struct values *values, const struct counter *counter,
                         enum unit_totals_kind kind)
{
	bool is_any = false;
	for (uint32_t unit = 0; unit < unit_totals_units(values->gpu, kind); unit++) {
		uint64_t value = unit_totals_value(values->units, counter->of, counter->mech, counter->row,
		                                   counter->is_request, kind, unit);
		json_array_append_new(list, json_integer((json_int_t)value));
		is_any |= value != 0;
	}
	return is_any;
}

static json_t *mechanism_values(const struct values *values, const struct counter *counter)
{
	json_t *list = json_array();
	bool is_of_sms = counter->row->scope == BASE_SCOPE_SM;
	append_units(list, values, counter, is_of_sms ? UNIT_TOTALS_SMS : UNIT_TOTALS_PARTITIONS);
	json_t *rest = json_array();
	if (append_units(rest, values, counter, is_of_sms ? UNIT_TOTALS_PARTITIONS : UNIT_TOTALS_SMS))
		json_array_extend(list, rest);
	json_decref(rest);
	return list;
}

/* True for the counters whose values by unit are stored: those of the GPU have only one value. */
static bool has_units(const struct counter *counter)
{
	return !counter->of || counter->row->scope == BASE_SCOPE_SM || counter->row->scope == BASE_SCOPE_SLICE;
}

static void add_values(void *user, const char *name, const struct counter *counter)
{
	const struct values *values = user;
	if (!has_units(counter))
		return;
	json_t *list = counter->of ? mechanism_values(values, counter) : machine_values(values, counter);
	if (json_array_size(list))
		json_object_set_new(values->object, name, list);
	else
		json_decref(list);
}

json_t *units_json(const struct records *records, const struct record *record)
{
	struct values values = {records->units_of, record->units, json_object()};
	each_counter(records, add_values, &values);
	return values.object;
}

json_t *units_blocks_json(const struct record *record)
{
	json_t *sms = json_array(), *begins = json_array(), *ends = json_array(), *instructions = json_array();
	for (size_t i = 0; i < record->units->blocks; i++) {
		const struct unit_block *block = &record->units->block[i];
		json_array_append_new(sms, json_integer((json_int_t)block->sm));
		json_array_append_new(begins, json_integer((json_int_t)block->life.begin));
		json_array_append_new(ends, json_integer((json_int_t)block->life.end));
		json_array_append_new(instructions, json_integer((json_int_t)block->life.warp_instructions));
	}
	return json_pack("{s:o, s:o, s:o, s:o}", "sm", sms, "begin", begins, "end", ends, "warp_instructions",
	                 instructions);
}

static void add_scope(void *user, const char *name, const struct counter *counter)
{
	const struct values *values = user;
	enum base_scope scope = counter->of ? counter->row->scope : gpu_counter_scope(counter->group);
	if (has_units(counter) && (counter->of || stats_units(values->gpu, counter->group)))
		json_object_set_new(values->object, name, json_string(base_scope_name(scope)));
}

json_t *units_scopes(const struct records *records)
{
	struct values values = {records->units_of, NULL, json_object()};
	each_counter(records, add_scope, &values);
	return values.object;
}

/* --- samples --- */

void units_sample_columns(const struct gpu *gpu, FILE *file)
{
	for (uint32_t sm = 0; sm < gpu->machine.sms; sm++)
		fprintf(file, ",sm.warp_instructions[%" PRIu32 "]", sm);
}

void units_sample(const struct gpu *gpu, uint64_t *before, FILE *file)
{
	for (uint32_t sm = 0; sm < gpu->machine.sms; sm++) {
		uint64_t now = gpu->sm[sm].stats.warp_instructions;
		fprintf(file, ",%" PRIu64, now - before[sm]);
		before[sm] = now;
	}
}
