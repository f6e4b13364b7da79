/* record: what is kept of one kernel launch, and the writers that show records.
 *
 * All three formats are made from the counters' declarations (gpu_counter_groups) and the figures derived here.
 */
#ifndef SLUICE_API_RECORD_H
#define SLUICE_API_RECORD_H

#include "gpu/gpu.h"

struct record {
	char *kernel;
	uint64_t launch; /* number of the launch in the run, from 1 */
	struct dim3 grid, block;
	uint32_t registers, shared_bytes; /* a thread; a block, dynamic included */
	uint32_t blocks_per_sm;           /* that the dispatcher allowed */
	bool functional;                  /* no cycles, only instruction counts */
	enum gpu_end end;
	uint64_t cycles;
	double host_seconds;
	struct gpu_stats stats;
};

struct records {
	struct record *record;
	size_t count, capacity;
	const struct machine *machine;
	const char *const *program; /* command line, NULL-terminated, or NULL */
};

/* Figures that are formulas of counters. */
struct derived {
	double ipc;                       /* thread instructions a cycle */
	double l1d_hit_rate, l2_hit_rate; /* hits / accesses; 0 without accesses */
	double dram_bandwidth;            /* bytes a second */
	double dram_utilisation;          /* of the pins' cycles, 0..1 */
	double row_hit_rate;              /* of requests, 0..1 */
	double row_locality;              /* requests an activate */
	double warp_instructions_per_host_second;
};
struct derived derive(const struct records *records, const struct record *record);

/* A cause that the cycle stack charges slots to: the counter sm.stack_NAME. */
struct stack_part {
	const char *name; /* "dram" */
	uint64_t slots;
};
enum { RECORD_STACK_PARTS = 16 };
/* Fills `parts`, in the order of the counters; returns how many there are. */
size_t record_stack(const struct record *record, struct stack_part parts[RECORD_STACK_PARTS]);

/* Adds what adds up: cycles, host seconds, counters. */
void record_add(struct record *sum, const struct record *record);
/* Sum of all records, as one record named "totals"; its `launch` is the number of launches. */
struct record records_total(const struct records *records);

void records_write_table(const struct records *records, FILE *file);
/* False when the file could not be written. */
bool records_write_json(const struct records *records, FILE *file);
void records_write_gpgpusim(const struct records *records, FILE *file);
/* Every counter's declaration, one a line, and the derived figures with their formulas. */
void records_describe(FILE *file);

#endif
