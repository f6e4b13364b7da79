/* record: the result of one kernel launch, and the writers that print records.
 *
 * All three formats are generated from the counters' declarations (gpu_counter_groups) and the statistics derived here.
 */
#ifndef SLUICE_OUTPUT_RECORD_H
#define SLUICE_OUTPUT_RECORD_H

#include "sampling/sampling.h"
#include "sampling/selection.h"
#include "base/document.h"
#include "base/vector.h"
#include "energy/price.h"
#include "gpu/gpu.h"
#include "output/copies.h"

/* The requests that a mechanism sent for one load. */
struct record_load {
	uint32_t pc, line; /* line of the CUDA source; 0: unknown */
	struct seam_load sent;
};

/* The statistics that a mechanism counted in one launch. */
struct record_mech {
	void *stats; /* mech->stats_size bytes */
	struct mech_requests requests;
	struct record_load *load; /* loads with requests, by pc; of one launch only */
	uint32_t loads;
	struct vector *vector; /* by output_row(); may be NULL */
	bool is_unknown;       /* it has counted only for all kernels of the session together */
};

struct record {
	char *kernel, *shown; /* its symbol; its name in the source */
	char *message;        /* one line: why it did not end normally; may be NULL */
	uint64_t launch; /* number of the launch in the run, from 1 */
	uint64_t launched_by;             /* number of the launch whose kernel launched it; 0: the host did */
	struct dim3 grid, block;
	uint32_t registers, shared_bytes; /* per thread; per block, dynamic included */
	uint32_t spill_bytes;             /* per thread, of registers in local memory */
	uint32_t blocks_per_sm;           /* the dispatcher's limit */
	bool functional;                  /* no cycles, only instruction counts */
	enum launch_choice choice;        /* only selected launches are in the totals */
	struct range_list ranges;         /* of the program, in which it was launched */
	bool knows_ranges;                /* false: the program has not used ranges before it */
	enum gpu_end end;
	const char *stopped_by; /* the cause, if it was stopped before its end */
	uint64_t stream;        /* number of its stream, as the caller numbers them */
	/* Number of the session in which it ran with other kernels, from 1; 0: it ran alone. A launch in a session
	 * knows only some counters (record_knows()). */
	size_t session;
	uint64_t started, first_block; /* core cycles since the run's beginning; not of a functional launch */
	uint64_t cycles;
	double host_seconds;
	struct gpu_stats stats;
	struct record_mech *mech; /* by records.attached; NULL: nothing counted yet */
	struct record_sample sample;
	struct unit_totals *units;    /* the counters by unit (units.h); NULL: not requested, or not run in cycles */
	struct energy_account energy; /* no joules: unknown or not requested */
};

enum { RECORDS_ENDED = 48 };

struct records {
	struct record *record;
	size_t count, capacity;
	struct record *session; /* what sessions counted; `launch` is their number */
	size_t sessions;
	struct copies copies; /* none if copies take no time */
	const struct machine *machine;
	const struct seam_attached *attached; /* the attached mechanisms */
	uint32_t attachments;
	const struct energy_prices *prices; /* NULL: no energies requested */
	/* The other inputs of the run. */
	const char *const *program; /* command line, NULL-terminated, or NULL */
	struct words options;       /* "KEY=VALUE", as given, in order */
	struct words passes;       /* over the PTX, named by the user */
	const char *checks;         /* NULL: none */
	const struct sampling_wish *sampling; /* NULL: everything is simulated */
	const struct selection *selection;    /* NULL: all launches are selected */
	const struct gpu *units_of; /* the machine whose units' counters are stored; NULL: not requested */
	/* the reason for which launches of several streams ran in turn; NULL: none did */
	const char *in_turn;
	bool functional;
	uint32_t threads;
	uint64_t max_instructions; /* 0: no limit */
	bool stopped; /* a launch was refused because the run was stopped or had used up its instructions */
	char ended[RECORDS_ENDED]; /* how the process ended: "running", "exit 0", "fault, exit 1", "signal 11" */
};

/* "yes", "warm" (it only warmed the caches) or "no" (it ran functionally). */
const char *record_choice_name(enum launch_choice choice);

/* Statistics that are formulas of counters, and those that they start from. */
struct derived {
	double cycles, host_seconds;
	double ipc;                       /* thread instructions per cycle */
	double l1d_hit_rate, l2_hit_rate; /* hits / accesses; 0 without accesses */
	double dram_bandwidth;            /* bytes per second */
	double dram_utilization;          /* busy fraction of the pins' cycles, 0 to 1 */
	double row_hit_rate;              /* fraction of requests that hit, 0 to 1 */
	double row_locality;              /* requests per activate */
	double warp_instructions_per_host_second;
};
/* Computes the derived statistics of a record, or of a sum of records. */
struct derived record_derive(const struct records *records, const struct record *record);

/* A derived statistic: its name, its formula and its offset in struct derived. */
struct record_formula {
	const char *name, *unit, *text;
	size_t offset;      /* of the double in struct derived */
	bool is_functional; /* a launch that ran functionally has it too */
	bool is_own;        /* a launch in a session has it too */
};
extern const struct record_formula record_formulas[];
extern const size_t record_formula_count;
bool record_knows_formula(const struct record *record, const struct record_formula *formula);

/* True when the record has the counter: a launch that ran functionally has only the counts of instructions, a launch in
 * a session those and its blocks. */
bool record_knows(const struct record *record, const struct base_counter_group *group, const struct base_counter *row);

/* A cause of the cycle stack and the slots charged to it: the counter sm.stack_NAME. */
struct stack_part {
	const char *name; /* "dram" */
	uint64_t slots;
};
enum { RECORD_STACK_PARTS = 16 };
/* Fills `parts` in the order of the counters. Returns the number of parts. */
size_t record_stack(const struct record *record, struct stack_part parts[RECORD_STACK_PARTS]);

/* All counters are in accounts: of each launch that ran alone, and of each session. Returns account `i` of
 * records_accounts(); NULL for a launch in a session. */
const struct record *records_account(const struct records *records, size_t i);
size_t records_accounts(const struct records *records);
/* Adds an empty session, and returns it. Pointers to sessions become invalid. */
struct record *records_add_session(struct records *records);
/* Adds a record to a sum: cycles, host seconds, counters. */
void record_add(const struct records *records, struct record *sum, const struct record *record);
/* Returns the sum of all records as one record named "totals". Its `launch` is the number of launches. Free it with
 * record_free(). */
struct record records_total(const struct records *records);
/* Returns how a kernel ended: "done", "fault", "stalled", "stopped", "mistake". */
const char *record_end_name(enum gpu_end end);
/* Stores how the process ended, such as "exit 0". If a kernel ended abnormally, that comes first. */
void records_set_ended(struct records *records, const char *how);
/* Frees what the record holds of mechanisms and energies. */
void record_free(const struct records *records, struct record *record);

/* One counter of a mechanism: its own (from `stats`) or one of its requests (from `requests`). */
struct record_counter {
	const struct mech *mech;
	const char *name, *unit, *meaning;
	enum base_combination combination;
	uint64_t value;
};
/* Calls `show` for every counter of one mechanism; `values` NULL: all are 0. record_mech_counters() does so for every
 * mechanism of the record. */
void record_describe_counters(const struct mech *mech, const struct record_mech *values,
                            void (*show)(void *user, const struct record_counter *counter), void *user);
void record_mech_counters(const struct records *records, const struct record *record,
                          void (*show)(void *user, const struct record_counter *counter), void *user);

/* Gives a session the vectors that mechanisms have counted for its kernels one by one. */
void record_add_kernel_vectors(const struct records *records, struct record *session);
/* Frees what the mechanisms have counted. */
void record_free_mechanisms(const struct records *records, struct record *record);

/* Calls `show` for every vector of every mechanism of the record. */
void record_mech_vectors(const struct records *records, const struct record *record,
                         void (*show)(void *user, const struct mech *mech, const struct base_counter_vector *row,
                                      const struct vector *vector),
                         void *user);

/* Computes the energies of a complete record, if they were requested. */
void record_price(const struct records *records, struct record *record);
/* Returns every key of a machine. */
json_t *records_configuration(const struct machine *machine);

/* Writers of the three formats. */
void records_write_table(const struct records *records, FILE *file);
/* Returns false when the file could not be written. */
bool records_write_json(const struct records *records, FILE *file);
/* The parts of the JSON: all before the kernels; one kernel with its separator; the end, with totals. */
void records_json_head(const struct records *records, FILE *file);
void records_json_kernel(const struct records *records, const struct record *record, FILE *file);
void records_json_end(const struct records *records, FILE *file);
/* Text that closes the file until more is added. */
extern const char records_json_closing[];
/* The line of the head that states how the process ended, and its offset in the file. Safe in a signal handler. */
enum { RECORDS_ENDED_AT = 2, RECORDS_ENDED_LINE = RECORDS_ENDED + 16 };
void records_json_ended(char line[RECORDS_ENDED_LINE], const char *ended);
void records_write_gpgpusim(const struct records *records, FILE *file);
/* Prints every counter's declaration, one per line, and the derived statistics with their formulas. */
void records_describe(FILE *file);

#endif
