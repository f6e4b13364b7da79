/* Figures that are formulas of counters, and sums of records. */
#include "api/record.h"

#include "gpu/stats.h"

#include <assert.h>
#include <string.h>

static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

struct derived derive(const struct records *records, const struct record *record)
{
	const struct gpu_stats *stats = &record->stats;
	const struct machine *machine = records->machine;
	double seconds = (double)record->cycles / (1e6 * machine->core_mhz);
	double dram_bytes = (double)(stats->dram.reads + stats->dram.writes) * machine->dram.atom_bytes;
	return (struct derived){
		.ipc = ratio((double)stats->sm.thread_instructions, (double)record->cycles),
		.l1d_hit_rate = ratio((double)stats->l1d.hits, (double)stats->l1d.accesses),
		.l2_hit_rate = ratio((double)stats->l2.hits, (double)stats->l2.accesses),
		.dram_bandwidth = ratio(dram_bytes, seconds),
		.dram_utilisation = ratio((double)stats->dram.data_cycles, (double)stats->dram.cycles),
		.row_hit_rate = ratio((double)stats->dram.row_hits, (double)stats->dram.requests),
		.row_locality = ratio((double)stats->dram.requests, (double)stats->dram.activates),
		.warp_instructions_per_host_second = ratio((double)stats->sm.warp_instructions, record->host_seconds),
	};
}

size_t record_stack(const struct record *record, struct stack_part parts[RECORD_STACK_PARTS])
{
	static const char prefix[] = "stack_";
	const struct counter_group sm = {"sm", sm_counters, &sm_counter_count, offsetof(struct gpu_stats, sm)};
	size_t count = 0;
	for (size_t i = 0; i < sm_counter_count; i++) {
		const struct counter *row = &sm_counters[i];
		if (strncmp(row->name, prefix, sizeof prefix - 1) != 0)
			continue;
		assert(count < RECORD_STACK_PARTS);
		parts[count++] =
			(struct stack_part){row->name + sizeof prefix - 1, counter_value(&sm, row, &record->stats)};
	}
	return count;
}

void record_add(struct record *sum, const struct record *record)
{
	sum->functional |= record->functional;
	if (sum->end == GPU_DONE)
		sum->end = record->end;
	sum->cycles += record->cycles;
	sum->host_seconds += record->host_seconds;
	stats_add(&sum->stats, &record->stats);
}

struct record records_total(const struct records *records)
{
	struct record total = {.kernel = "totals", .launch = records->count};
	for (size_t i = 0; i < records->count; i++)
		record_add(&total, &records->record[i]);
	return total;
}
