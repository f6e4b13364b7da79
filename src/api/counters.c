/* The counters of a gpu by number: the machine's, then those of attached mechanisms, then derived statistics. */
#include "api/api.h"
#include "attach/sized.h"

#include "gpu/stats.h"

#include <math.h>
#include <string.h>

/* A counter's declaration. */
struct entry {
	const struct base_counter *row; /* NULL: a derived statistic */
	const struct record_formula *derived;
	size_t group;    /* of the machine's counters */
	int mech;        /* number of the mechanism; -1: none */
	bool is_request; /* in the mechanism's account of requests, not in its own counters */
};

/* --- numbers --- */

static size_t count_of_mechanism(const struct mech *mech)
{
	return mech->counter_count + (mech->sends ? seam_request_counter_count : 0);
}

static bool find_in_mechanisms(const sluice_gpu *gpu, size_t *number, struct entry *entry)
{
	for (uint32_t i = 0; i < gpu->records.attachments; i++) {
		const struct mech *mech = gpu->records.attached[i].mech;
		size_t count = count_of_mechanism(mech);
		if (*number >= count) {
			*number -= count;
			continue;
		}
		bool is_request = *number >= mech->counter_count;
		const struct base_counter *row =
			is_request ? &seam_request_counters[*number - mech->counter_count] : &mech->counters[*number];
		*entry = (struct entry){.row = row, .mech = (int)i, .is_request = is_request};
		return true;
	}
	return false;
}

static bool find_entry(const sluice_gpu *gpu, size_t number, struct entry *entry)
{
	for (size_t group = 0; group < gpu_counter_group_count; group++) {
		size_t count = *gpu_counter_groups[group].count;
		if (number < count) {
			*entry = (struct entry){
				.row = &gpu_counter_groups[group].rows[number], .group = group, .mech = -1};
			return true;
		}
		number -= count;
	}
	if (find_in_mechanisms(gpu, &number, entry))
		return true;
	if (number >= record_formula_count)
		return false;
	*entry = (struct entry){.derived = &record_formulas[number], .mech = -1};
	return true;
}

size_t sluice_counter_count(const sluice_gpu *gpu)
{
	size_t count = record_formula_count;
	for (size_t group = 0; group < gpu_counter_group_count; group++)
		count += *gpu_counter_groups[group].count;
	for (uint32_t i = 0; i < gpu->records.attachments; i++)
		count += count_of_mechanism(gpu->records.attached[i].mech);
	return count;
}

/* --- names --- */

/* The part of a name before the dot; NULL for a derived statistic, whose name is whole. */
static const char *group_of(const sluice_gpu *gpu, const struct entry *entry)
{
	if (!entry->row)
		return NULL;
	return entry->mech < 0 ? gpu_counter_groups[entry->group].name : gpu->records.attached[entry->mech].mech->name;
}

static const char *own_name(const struct entry *entry)
{
	return entry->row ? entry->row->name : entry->derived->name;
}

static bool is_called(const sluice_gpu *gpu, const struct entry *entry, const char *name)
{
	const char *group = group_of(gpu, entry);
	size_t length = group ? strlen(group) : 0;
	if (!group)
		return strcmp(name, own_name(entry)) == 0;
	return strncmp(name, group, length) == 0 && name[length] == '.' &&
	       strcmp(name + length + 1, own_name(entry)) == 0;
}

bool sluice_counter_find(const sluice_gpu *gpu, const char *name, size_t *number)
{
	struct entry entry;
	for (size_t i = 0; find_entry(gpu, i, &entry); i++)
		if (is_called(gpu, &entry, name)) {
			*number = i;
			return true;
		}
	return false;
}

/* Whole names, which live as long as the gpu. */
static const char *full_name(sluice_gpu *gpu, size_t number, const struct entry *entry)
{
	const char *group = group_of(gpu, entry);
	if (!group)
		return entry->derived->name;
	if (!gpu->counter_names)
		gpu->counter_names = base_calloc(sluice_counter_count(gpu), sizeof *gpu->counter_names);
	if (!gpu->counter_names[number]) {
		size_t size = strlen(group) + strlen(entry->row->name) + 2;
		gpu->counter_names[number] = base_calloc(1, size);
		snprintf(gpu->counter_names[number], size, "%s.%s", group, entry->row->name);
	}
	return gpu->counter_names[number];
}

void api_free_counter_names(sluice_gpu *gpu)
{
	size_t count = gpu->counter_names ? sluice_counter_count(gpu) : 0;
	for (size_t i = 0; i < count; i++)
		free(gpu->counter_names[i]);
	free(gpu->counter_names);
}

/* --- declarations --- */

static enum base_scope scope_of(const struct entry *entry)
{
	return entry->mech < 0 ? gpu_counter_scope(entry->group) : entry->row->scope;
}

static uint32_t units_of(const sluice_gpu *gpu, const struct entry *entry)
{
	if (!entry->row || gpu->functional)
		return 0;
	if (entry->mech < 0)
		return stats_units(gpu->gpu, entry->group);
	switch (entry->row->scope) {
	case BASE_SCOPE_SM:
		return gpu->machine.sms;
	case BASE_SCOPE_SLICE:
		return gpu->gpu->slices;
	case BASE_SCOPE_GPU:
		return 1;
	default:
		return 0;
	}
}

static enum sluice_status no_counter(size_t number, struct sluice_error *error)
{
	return api_fail(error, SLUICE_BAD_ARGUMENT, "no counter has the number %zu: see sluice_counter_count()",
	                number);
}

enum sluice_status sluice_counter_describe(sluice_gpu *gpu, size_t number, struct sluice_counter *counter,
                                           struct sluice_error *error)
{
	static const enum sluice_scope scopes[] = {[BASE_SCOPE_SM] = SLUICE_SCOPE_SM,
	                                           [BASE_SCOPE_SLICE] = SLUICE_SCOPE_SLICE,
	                                           [BASE_SCOPE_CHANNEL] = SLUICE_SCOPE_CHANNEL,
	                                           [BASE_SCOPE_NETWORK] = SLUICE_SCOPE_NETWORK,
	                                           [BASE_SCOPE_GPU] = SLUICE_SCOPE_GPU};
	struct entry entry;
	if (!find_entry(gpu, number, &entry))
		return no_counter(number, error);
	const struct base_counter *row = entry.row;
	const struct sluice_counter value = {.name = full_name(gpu, number, &entry),
	                                     .unit = row ? row->unit : entry.derived->unit,
	                                     .meaning = row ? row->meaning : entry.derived->text,
	                                     .scope = row ? scopes[scope_of(&entry)] : SLUICE_SCOPE_GPU,
	                                     .units = units_of(gpu, &entry),
	                                     .is_derived = !row,
	                                     .is_largest = row && row->combination == BASE_COMBINE_LARGEST};
	return sized_write(counter, &value, sizeof value) ? api_succeed(error) : sized_refuse("counter", error);
}

/* --- values of all units --- */

static double value_in(const void *stats, const struct base_counter *row)
{
	return (double)*(const uint64_t *)(const void *)((const char *)stats + row->offset);
}

static double combine(const struct base_counter *row, double sum, double value)
{
	if (row->combination == BASE_COMBINE_SUM)
		return sum + value;
	return value > sum ? value : sum;
}

static double derived_of(const sluice_gpu *gpu, const struct record_formula *row, const struct record *record)
{
	const struct derived derived = record_derive(&gpu->records, record);
	if (!record_knows_formula(record, row))
		return NAN;
	return *(const double *)(const void *)((const char *)&derived + row->offset);
}

/* A mechanism's counter in a launch that has ended. */
static double mechanism_in_record(const struct entry *entry, const struct record *record)
{
	const struct record_mech *mech = record->mech ? &record->mech[entry->mech] : NULL;
	if (!mech || mech->is_unknown || record->sample.is_partial)
		return NAN;
	return value_in(entry->is_request ? (const void *)&mech->requests : mech->stats, entry->row);
}

/* The record of a launch. That of the launch in progress is made in `live`, with the counters up to the visit. */
static const struct record *record_now(const sluice_gpu *gpu, uint64_t launch, struct record *live)
{
	const struct record *record = &gpu->records.record[launch - 1];
	if (launch != gpu->live.launch)
		return record;
	*live = *record;
	live->cycles = gpu->live.cycle;
	stats_collect(gpu->gpu, &live->stats);
	return live;
}

static double mechanism_live(const sluice_gpu *gpu, const struct entry *entry)
{
	const struct mech *mech = gpu->records.attached[entry->mech].mech;
	struct mech_requests requests;
	uint64_t *stats = base_calloc(1, mech->stats_size + sizeof *stats);
	seam_stats(gpu->gpu->seam, (uint32_t)entry->mech, stats, &requests, NULL);
	double value = value_in(entry->is_request ? (const void *)&requests : stats, entry->row);
	free(stats);
	return value;
}

static double in_record(const sluice_gpu *gpu, const struct entry *entry, const struct record *record)
{
	if (entry->mech >= 0)
		return mechanism_in_record(entry, record);
	if (entry->derived)
		return derived_of(gpu, entry->derived, record);
	const struct base_counter_group *group = &gpu_counter_groups[entry->group];
	return record_knows(record, group, entry->row) ? (double)base_counter_value(group, entry->row, &record->stats)
	                                               : NAN;
}

static double in_launch(const sluice_gpu *gpu, const struct entry *entry, uint64_t launch)
{
	struct record live;
	if (entry->mech >= 0 && launch == gpu->live.launch)
		return mechanism_live(gpu, entry);
	return in_record(gpu, entry, record_now(gpu, launch, &live));
}

/* A functional launch makes sums unknown when the whole run was functional or sampled. A
 * launch that a block waited for has no cycles in any run: it adds nothing. */
static bool makes_sum_unknown(const sluice_gpu *gpu, const struct record *record)
{
	return gpu->functional || record->sample.is_partial;
}

/* As records_account(), with the launch in progress. */
static const struct record *account_now(const sluice_gpu *gpu, size_t i, struct record *live)
{
	const struct record *record = records_account(&gpu->records, i);
	return record && i < gpu->records.count ? record_now(gpu, i + 1, live) : record;
}

static double derived_of_run(const sluice_gpu *gpu, const struct record_formula *row)
{
	struct record sum = {0}, live;
	for (size_t i = 0; i < records_accounts(&gpu->records); i++) {
		const struct record *record = account_now(gpu, i, &live);
		if (!record)
			continue;
		sum.functional |= makes_sum_unknown(gpu, record);
		sum.cycles += record->cycles;
		sum.host_seconds += record->host_seconds;
		stats_add(&sum.stats, &record->stats);
	}
	return derived_of(gpu, row, &sum);
}

static double in_run(const sluice_gpu *gpu, const struct entry *entry)
{
	double sum = 0;
	if (entry->derived)
		return derived_of_run(gpu, entry->derived);
	for (size_t i = 0; i < records_accounts(&gpu->records); i++) {
		const struct record *record = records_account(&gpu->records, i);
		if (!record)
			continue;
		double value = i < gpu->records.count ? in_launch(gpu, entry, i + 1) : in_record(gpu, entry, record);
		if (!isnan(value))
			sum = combine(entry->row, sum, value);
		else if (makes_sum_unknown(gpu, record))
			return NAN;
	}
	return sum;
}

/* --- values of one unit --- */

/* In the units themselves, which have the counters of the last launch that ran in cycles. */
static double unit_now(const sluice_gpu *gpu, const struct entry *entry, uint32_t unit)
{
	const struct mech_requests *requests;
	if (entry->mech < 0)
		return (double)stats_unit_value(gpu->gpu, NULL, entry->group, entry->row, unit);
	enum seam_unit kind = entry->row->scope == BASE_SCOPE_SM ? SEAM_OF_SM : SEAM_OF_PARTITION;
	const void *stats = seam_unit_stats(gpu->gpu->seam, (uint32_t)entry->mech, kind, unit, &requests);
	return value_in(entry->is_request ? (const void *)requests : stats, entry->row);
}

/* In a sum over launches. */
static double unit_in(const sluice_gpu *gpu, const struct unit_totals *totals, const struct entry *entry, uint32_t unit)
{
	if (!totals->machine)
		return 0;
	if (entry->mech < 0)
		return (double)stats_unit_value(gpu->gpu, totals->machine, entry->group, entry->row, unit);
	return (double)unit_totals_value(
		totals, gpu->records.attached[entry->mech].mech, (uint32_t)entry->mech, entry->row, entry->is_request,
		entry->row->scope == BASE_SCOPE_SM ? UNIT_TOTALS_SMS : UNIT_TOTALS_PARTITIONS, unit);
}

static enum sluice_status of_unit(const sluice_gpu *gpu, const struct entry *entry, uint64_t launch, uint32_t unit,
                                  double *value, struct sluice_error *error)
{
	uint64_t now = gpu->live.launch ? gpu->live.launch : gpu->unit_totals.launch;
	bool is_gpu = entry->mech >= 0 && entry->row->scope == BASE_SCOPE_GPU;
	if (is_gpu) {
		*value = launch ? in_launch(gpu, entry, launch) : in_run(gpu, entry);
	} else if (!launch) {
		*value = unit_in(gpu, &gpu->unit_totals, entry, unit);
		if (gpu->live.launch)
			*value = combine(entry->row, *value, unit_now(gpu, entry, unit));
	} else if (launch == now) {
		*value = unit_now(gpu, entry, unit);
	} else if (gpu->records.record[launch - 1].units) {
		*value = unit_in(gpu, gpu->records.record[launch - 1].units, entry, unit);
	} else if (launch == gpu->records.count || gpu->records.units_of || gpu->records.record[launch - 1].session) {
		*value = NAN; /* it ran functionally, or with others */
	} else {
		return api_fail(error, SLUICE_BAD_ARGUMENT,
		                "values per unit of launch %llu are not stored, only those of the last launch",
		                (unsigned long long)launch);
	}
	return api_succeed(error);
}

/* --- calls --- */

uint64_t sluice_launch_count(const sluice_gpu *gpu)
{
	return gpu->records.count;
}

enum sluice_status sluice_counter_value(sluice_gpu *gpu, size_t number, uint64_t launch, int64_t unit, double *value,
                                        struct sluice_error *error)
{
	struct entry entry;
	if (!find_entry(gpu, number, &entry))
		return no_counter(number, error);
	if (gpu->live.launch && !gpu->live.is_visited)
		return api_fail(error, SLUICE_BAD_ARGUMENT,
		                "a kernel runs: counters can be read in on_interval only (struct sluice_settings)");
	if (launch > gpu->records.count)
		return api_fail(error, SLUICE_BAD_ARGUMENT, "no launch %llu: there are %zu so far",
		                (unsigned long long)launch, gpu->records.count);
	if (unit != SLUICE_ALL_UNITS) {
		uint32_t units = units_of(gpu, &entry);
		if (unit >= 0 && unit < units)
			return of_unit(gpu, &entry, launch, (uint32_t)unit, value, error);
		return api_fail(error, SLUICE_BAD_ARGUMENT, "%s: no unit %lld: %u units count it",
		                full_name(gpu, number, &entry), (long long)unit, units);
	}
	*value = launch ? in_launch(gpu, &entry, launch) : in_run(gpu, &entry);
	return api_succeed(error);
}

enum sluice_status sluice_counter_read(sluice_gpu *gpu, const char *name, uint64_t launch, int64_t unit, double *value,
                                       struct sluice_error *error)
{
	size_t number;
	if (!sluice_counter_find(gpu, name, &number))
		return api_fail(error, SLUICE_BAD_ARGUMENT,
		                "no counter '%s': sluice_counter_describe() or 'sluice stats --describe' lists them",
		                name);
	return sluice_counter_value(gpu, number, launch, unit, value, error);
}
