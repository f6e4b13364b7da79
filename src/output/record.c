/* Statistics that are formulas of counters, and sums of records. */
#include "output/record.h"

#include "gpu/stats.h"
#include "output/units.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

struct derived record_derive(const struct records *records, const struct record *record)
{
	const struct gpu_stats *stats = &record->stats;
	const struct machine *machine = records->machine;
	double seconds = (double)record->cycles / (1e6 * machine->core_mhz);
	double dram_bytes = (double)(stats->dram.reads + stats->dram.writes) * machine->dram.atom_bytes;
	return (struct derived){
		.cycles = (double)record->cycles,
		.host_seconds = record->host_seconds,
		.ipc = ratio((double)stats->sm.thread_instructions, (double)record->cycles),
		.l1d_hit_rate = ratio((double)stats->l1d.hits, (double)stats->l1d.accesses),
		.l2_hit_rate = ratio((double)stats->l2.hits, (double)stats->l2.accesses),
		.dram_bandwidth = ratio(dram_bytes, seconds),
		.dram_utilization = ratio((double)stats->dram.data_cycles, (double)stats->dram.cycles),
		.row_hit_rate = ratio((double)stats->dram.row_hits, (double)stats->dram.requests),
		.row_locality = ratio((double)stats->dram.requests, (double)stats->dram.activates),
		.warp_instructions_per_host_second = ratio((double)stats->sm.warp_instructions, record->host_seconds),
	};
}

const struct record_formula record_formulas[] = {
#define ROW(name, unit, text, field, functional, own)                                                                  \
	{                                                                                                              \
		name, unit, text, offsetof(struct derived, field), functional, own                                     \
	}
	ROW("cycles", "cycles", "core cycles from launch to the last reply (measured)", cycles, false, true),
	ROW("host_seconds", "seconds", "host time of the launch (measured; differs from run to run)", host_seconds,
            true, true),
	ROW("ipc", "instructions/cycle", "sm.thread_instructions / cycles", ipc, false, true),
	ROW("l1d.hit_rate", "", "l1d.hits / l1d.accesses", l1d_hit_rate, false, false),
	ROW("l2.hit_rate", "", "l2.hits / l2.accesses", l2_hit_rate, false, false),
	ROW("dram.bandwidth", "bytes/second", "(dram.reads + dram.writes) x dram.atom_bytes x clock.core / cycles",
            dram_bandwidth, false, false),
	ROW("dram.utilization", "", "dram.data_cycles / dram.cycles", dram_utilization, false, false),
	ROW("dram.row_hit_rate", "", "dram.row_hits / dram.requests", row_hit_rate, false, false),
	ROW("dram.row_locality", "requests/activate", "dram.requests / dram.activates", row_locality, false, false),
	ROW("host_rate", "instructions/second", "sm.warp_instructions / host_seconds",
            warp_instructions_per_host_second, true, true),
#undef ROW
};
const size_t record_formula_count = sizeof record_formulas / sizeof record_formulas[0];

bool record_knows_formula(const struct record *record, const struct record_formula *formula)
{
	return (!record->functional || formula->is_functional) && (!record->session || formula->is_own);
}

bool record_knows(const struct record *record, const struct base_counter_group *group, const struct base_counter *row)
{
	size_t offset = group->offset + row->offset;
	if (offset == offsetof(struct gpu_stats, sm.warp_instructions) ||
	    offset == offsetof(struct gpu_stats, sm.thread_instructions))
		return true;
	return !record->functional && (!record->session || offset == offsetof(struct gpu_stats, sm.blocks));
}

size_t record_stack(const struct record *record, struct stack_part parts[RECORD_STACK_PARTS])
{
	static const char prefix[] = "stack_";
	const struct base_counter_group sm = {"sm", sm_counters, &sm_counter_count, offsetof(struct gpu_stats, sm)};
	size_t count = 0;
	for (size_t i = 0; i < sm_counter_count; i++) {
		const struct base_counter *row = &sm_counters[i];
		if (strncmp(row->name, prefix, sizeof prefix - 1) != 0)
			continue;
		assert(count < RECORD_STACK_PARTS);
		parts[count++] = (struct stack_part){row->name + sizeof prefix - 1,
		                                     base_counter_value(&sm, row, &record->stats)};
	}
	return count;
}

static void add_vectors(const struct mech *mech, struct record_mech *sum, const struct record_mech *record)
{
	if (!record->vector)
		return;
	if (!sum->vector)
		sum->vector = base_calloc(output_vectors(mech), sizeof *sum->vector);
	for (uint32_t i = 0; i < output_vectors(mech); i++)
		vector_add(output_row(mech, i), &sum->vector[i], &record->vector[i]);
}

static void add_mechanisms(const struct records *records, struct record *sum, const struct record *record)
{
	if (!record->mech)
		return;
	if (!sum->mech)
		sum->mech = base_calloc(records->attachments, sizeof *sum->mech);
	for (uint32_t i = 0; i < records->attachments; i++) {
		const struct mech *mech = records->attached[i].mech;
		struct record_mech *to = &sum->mech[i];
		const struct record_mech *from = &record->mech[i];
		if (!to->stats)
			to->stats = base_calloc(1, mech->stats_size + 1);
		seam_stats_add(mech, to->stats, from->stats);
		seam_requests_add(&to->requests, &from->requests);
		to->is_unknown |= from->is_unknown;
		add_vectors(mech, to, from);
	}
}

static void free_vectors(const struct mech *mech, struct record_mech *kept)
{
	for (uint32_t i = 0; kept->vector && i < output_vectors(mech); i++)
		vector_free(&kept->vector[i]);
	free(kept->vector);
	kept->vector = NULL;
}

void record_add_kernel_vectors(const struct records *records, struct record *session)
{
	for (uint32_t i = 0; session->mech && i < records->attachments; i++) {
		const struct mech *mech = records->attached[i].mech;
		for (size_t r = 0, first = 0; r < records->count; r++) {
			const struct record *kernel = &records->record[r];
			if (kernel->session != session->launch || !kernel->mech || kernel->mech[i].is_unknown)
				continue;
			if (!first++)
				free_vectors(mech, &session->mech[i]);
			add_vectors(mech, &session->mech[i], &kernel->mech[i]);
		}
	}
}

static void free_mech(const struct mech *mech, struct record_mech *kept)
{
	free_vectors(mech, kept);
	free(kept->stats);
	free(kept->load);
}

void record_free_mechanisms(const struct records *records, struct record *record)
{
	for (uint32_t i = 0; record->mech && i < records->attachments; i++)
		free_mech(records->attached[i].mech, &record->mech[i]);
	free(record->mech);
	record->mech = NULL;
}

void record_free(const struct records *records, struct record *record)
{
	record_free_mechanisms(records, record);
	units_free(record);
	energy_free(&record->energy);
}

static void show_counters(const struct mech *mech, const struct base_counter *rows, size_t count, const void *values,
                          void (*show)(void *user, const struct record_counter *counter), void *user)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t value = values ? *(const uint64_t *)((const char *)values + rows[i].offset) : 0;
		const struct record_counter counter = {
			mech, rows[i].name, rows[i].unit, rows[i].meaning, rows[i].combination, value};
		show(user, &counter);
	}
}

void record_describe_counters(const struct mech *mech, const struct record_mech *values,
                              void (*show)(void *user, const struct record_counter *counter), void *user)
{
	show_counters(mech, mech->counters, mech->counter_count, values ? values->stats : NULL, show, user);
	if (mech->sends)
		show_counters(mech, seam_request_counters, seam_request_counter_count,
		              values ? &values->requests : NULL, show, user);
}

void record_mech_counters(const struct records *records, const struct record *record,
                          void (*show)(void *user, const struct record_counter *counter), void *user)
{
	for (uint32_t i = 0; record->mech && i < records->attachments; i++)
		if (!record->mech[i].is_unknown)
			record_describe_counters(records->attached[i].mech, &record->mech[i], show, user);
}

void record_mech_vectors(const struct records *records, const struct record *record,
                         void (*show)(void *user, const struct mech *mech, const struct base_counter_vector *row,
                                      const struct vector *vector),
                         void *user)
{
	for (uint32_t i = 0; record->mech && i < records->attachments; i++) {
		const struct mech *mech = records->attached[i].mech;
		for (uint32_t v = 0; record->mech[i].vector && v < output_vectors(mech); v++)
			show(user, mech, output_row(mech, v), &record->mech[i].vector[v]);
	}
}

size_t records_accounts(const struct records *records)
{
	return records->count + records->sessions;
}

const struct record *records_account(const struct records *records, size_t i)
{
	if (i >= records->count)
		return &records->session[i - records->count];
	return records->record[i].session ? NULL : &records->record[i];
}

struct record *records_add_session(struct records *records)
{
	records->session = base_realloc(records->session, (records->sessions + 1) * sizeof *records->session);
	struct record *session = &records->session[records->sessions++];
	*session = (struct record){.kernel = base_strdup("together"),
	                           .shown = base_strdup("kernels together"),
	                           .launch = records->sessions,
	                           .end = GPU_STOPPED};
	return session;
}

void record_add(const struct records *records, struct record *sum, const struct record *record)
{
	if (record->choice != LAUNCH_SELECTED)
		return;
	sum->sample.is_partial |= record->sample.is_partial;
	sum->functional = records->functional ||
	                  /* nested launches that are waited for never have cycles (device_launch.h) */
	                  sum->sample.is_partial;
	if (sum->end == GPU_DONE)
		sum->end = record->end;
	sum->cycles += record->cycles;
	sum->host_seconds += record->host_seconds;
	stats_add(&sum->stats, &record->stats);
	add_mechanisms(records, sum, record);
	units_add(records, sum, record);
	if (records->prices)
		energy_accumulate(records->prices, &sum->energy, &record->energy);
}

struct record records_total(const struct records *records)
{
	struct record total = {.kernel = "totals", .shown = "totals", .launch = records->count};
	for (size_t i = 0; i < records_accounts(records); i++)
		if (records_account(records, i))
			record_add(records, &total, records_account(records, i));
	return total;
}

const char *record_end_name(enum gpu_end end)
{
	static const char *const names[] = {[GPU_DONE] = "done",
	                                    [GPU_FAULT] = "fault",
	                                    [GPU_STALLED] = "stalled",
	                                    [GPU_STOPPED] = "stopped",
	                                    [GPU_MISTAKE] = "mistake"};
	return names[end];
}

const char *record_choice_name(enum launch_choice choice)
{
	static const char *const names[] = {
		[LAUNCH_SELECTED] = "yes", [LAUNCH_WARMS] = "warm", [LAUNCH_LEFT_OUT] = "no"};
	return names[choice];
}

void records_set_ended(struct records *records, const char *how)
{
	enum gpu_end end = GPU_DONE;
	for (size_t i = 0; i < records->count && (end == GPU_DONE || end == GPU_STOPPED); i++)
		if (records->record[i].end != GPU_DONE) /* a fault stops kernels that ran with it */
			end = records->record[i].end;
	if (end == GPU_DONE && records->stopped)
		end = GPU_STOPPED;
	snprintf(records->ended, sizeof records->ended, "%s%s%s", end == GPU_DONE ? "" : record_end_name(end),
	         end == GPU_DONE ? "" : ", ", how);
}
