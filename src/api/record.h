/* record: what is kept of one kernel launch, and the writers that show records.
 *
 * All three formats are made from the counters' declarations (gpu_counter_groups) and the figures derived here.
 */
#ifndef SLUICE_API_RECORD_H
#define SLUICE_API_RECORD_H

#include "api/sampling.h"
#include "base/document.h"
#include "base/vector.h"
#include "energy/price.h"
#include "gpu/gpu.h"

/* What a mechanism sent for a load. */
struct record_load {
	uint32_t pc, line; /* line of the CUDA source; 0: not known */
	struct seam_load sent;
};

/* What a mechanism counted in a launch. */
struct record_mech {
	void *stats; /* mech->stats_size bytes */
	struct mech_requests requests;
	struct record_load *load; /* those with requests, by pc; of one launch only */
	uint32_t loads;
	struct vector *vector; /* by output_row(); or NULL */
};

struct record {
	char *kernel, *shown; /* its symbol; its name as the program has it */
	char *message;        /* why it did not end well, a line; or NULL */
	uint64_t launch; /* number of the launch in the run, from 1 */
	struct dim3 grid, block;
	uint32_t registers, shared_bytes; /* a thread; a block, dynamic included */
	uint32_t spill_bytes;             /* a thread, of registers that lie in local memory */
	uint32_t blocks_per_sm;           /* that the dispatcher allowed */
	bool functional;                  /* no cycles, only instruction counts */
	enum gpu_end end;
	const char *stopped_by; /* the cause, where it was stopped before its end */
	uint64_t cycles;
	double host_seconds;
	struct gpu_stats stats;
	struct record_mech *mech; /* by records.attached; NULL: nothing was counted yet */
	struct record_sample sample;
	struct energy_account energy; /* without joules: it is not known, or nobody asks */
};

enum { RECORDS_ENDED = 48 };

struct records {
	struct record *record;
	size_t count, capacity;
	const struct machine *machine;
	const struct seam_attached *attached; /* the mechanisms that the user named */
	uint32_t attachments;
	const struct energy_prices *prices; /* NULL: no energies are asked for */
	/* What else made the run. */
	const char *const *program; /* command line, NULL-terminated, or NULL */
	struct words options;       /* "KEY=VALUE", as they were given, in order */
	struct words passes;       /* over the PTX, that the user named */
	const char *checks;         /* NULL: none */
	const struct sampling_wish *sampling; /* NULL: all is simulated */
	bool functional;
	uint32_t threads;
	uint64_t max_instructions; /* 0: no limit */
	bool stopped; /* a launch was refused, since the run had used up its instructions or was stopped */
	char ended[RECORDS_ENDED]; /* how the process did: "running", "exit 0", "fault, exit 1", "signal 11" */
};

/* Figures that are formulas of counters, and those that they start from. */
struct derived {
	double cycles, host_seconds;
	double ipc;                       /* thread instructions a cycle */
	double l1d_hit_rate, l2_hit_rate; /* hits / accesses; 0 without accesses */
	double dram_bandwidth;            /* bytes a second */
	double dram_utilisation;          /* of the pins' cycles, 0..1 */
	double row_hit_rate;              /* of requests, 0..1 */
	double row_locality;              /* requests an activate */
	double warp_instructions_per_host_second;
};
struct derived record_derive(const struct records *records, const struct record *record);

/* A derived figure: its name, its formula and its place in struct derived. */
struct record_figure {
	const char *name, *unit, *text;
	size_t offset;      /* of the double in struct derived */
	bool is_functional; /* a launch that ran functionally has it, too */
};
extern const struct record_figure record_figures[];
extern const size_t record_figure_count;

/* A launch that ran functionally has the counts of instructions, and no other counter of the machine. */
bool record_knows(const struct record *record, const struct counter_group *group, const struct counter *row);

/* A cause that the cycle stack charges slots to: the counter sm.stack_NAME. */
struct stack_part {
	const char *name; /* "dram" */
	uint64_t slots;
};
enum { RECORD_STACK_PARTS = 16 };
/* Fills `parts`, in the order of the counters; returns how many there are. */
size_t record_stack(const struct record *record, struct stack_part parts[RECORD_STACK_PARTS]);

/* Adds what adds up: cycles, host seconds, counters. */
void record_add(const struct records *records, struct record *sum, const struct record *record);
/* Sum of all records, as one record named "totals"; its `launch` is the number of launches. record_free() it. */
struct record records_total(const struct records *records);
/* How a kernel ended: "done", "fault", "stalled", "stopped", "mistake". */
const char *record_end_name(enum gpu_end end);
/* Keeps how the process ended, "exit 0", behind how its kernels did when not well. */
void records_set_ended(struct records *records, const char *how);
/* Frees what it holds of mechanisms and energies. */
void record_free(const struct records *records, struct record *record);

/* A mechanism's counters with those of its requests: its own are in `stats`, those of requests in `requests`. */
struct record_counter {
	const struct mech *mech;
	const char *name, *unit, *meaning;
	enum counter_combination combination;
	uint64_t value;
};
/* Calls `show` for every counter of a mechanism (`values` NULL: of value 0); of every mechanism of the record. */
void record_describe_counters(const struct mech *mech, const struct record_mech *values,
                            void (*show)(void *user, const struct record_counter *counter), void *user);
void record_mech_counters(const struct records *records, const struct record *record,
                          void (*show)(void *user, const struct record_counter *counter), void *user);

/* Calls `show` for every vector of every mechanism of the record. */
void record_mech_vectors(const struct records *records, const struct record *record,
                         void (*show)(void *user, const struct mech *mech, const struct counter_vector *row,
                                      const struct vector *vector),
                         void *user);

/* Prices a record that is whole, where that was asked for. */
void record_price(const struct records *records, struct record *record);
/* Every key of a machine. */
json_t *records_configuration(const struct machine *machine);

void records_write_table(const struct records *records, FILE *file);
/* False when the file could not be written. */
bool records_write_json(const struct records *records, FILE *file);
/* Its parts: all before the kernels; a kernel with what parts it from the one before; the end, with totals. */
void records_json_head(const struct records *records, FILE *file);
void records_json_kernel(const struct records *records, const struct record *record, FILE *file);
void records_json_end(const struct records *records, FILE *file);
/* What ends the file while more may come. */
extern const char records_json_closing[];
/* The line of the head that says how the process ended, and where it begins; safe in the handler of a signal. */
enum { RECORDS_ENDED_AT = 2, RECORDS_ENDED_LINE = RECORDS_ENDED + 16 };
void records_json_ended(char line[RECORDS_ENDED_LINE], const char *ended);
void records_write_gpgpusim(const struct records *records, FILE *file);
/* Every counter's declaration, one a line, and the derived figures with their formulas. */
void records_describe(FILE *file);

#endif
