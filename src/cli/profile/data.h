/* data: reads a file of `sluice run --profile`: the cost of each instruction, or of each source line. */
#ifndef SLUICE_CLI_PROFILE_DATA_H
#define SLUICE_CLI_PROFILE_DATA_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Causes of lost slots, in display order: the name in the file, the name for readers. */
#define PROFILE_SHOWN_CAUSES(X)                                                                                        \
	X(dram, "DRAM")                                                                                                \
	X(l2, "L2")                                                                                                    \
	X(l1, "L1")                                                                                                    \
	X(texture, "texture cache")                                                                                    \
	X(shared, "shared memory")                                                                                     \
	X(arithmetic, "arithmetic")                                                                                    \
	X(barrier, "barrier")                                                                                          \
	X(conflict, "pipe full")                                                                                       \
	X(no_instruction, "no instruction")                                                                            \
	X(held, "held")                                                                                                \
	X(replayed, "replayed")

enum profile_shown_cause {
#define X(name, shown) SHOWN_##name,
	PROFILE_SHOWN_CAUSES(X)
#undef X
		SHOWN_CAUSES
};
extern const char *const profile_cause_names[SHOWN_CAUSES];

struct profile_costs {
	uint64_t issues, lanes, diverged;
	uint64_t lost[SHOWN_CAUSES];
	uint64_t transactions, requests;    /* `requests`: issues that generated the transactions */
	uint64_t bank_cycles, shared;       /* `shared`: issues that used the banks */
	uint64_t l1_accesses, l1_hits, l2_accesses, l2_hits, dram_bytes;
	uint64_t answers;
	double latency, p95; /* of all replies; `p95`: the largest of the instructions' values */
};

/* An instruction or a source line. */
struct profile_site {
	const char *kernel, *function; /* `kernel`: C++ name; `function`: symbol, when it is not the kernel */
	const char *file;              /* NULL: unknown */
	uint32_t line, index;
	const char *text; /* the instruction as PTX; NULL for a line */
	const json_t *waiters;
	struct profile_costs costs;
};

struct profile_data {
	json_t *json;
	const char *path, *command; /* path of the file; command line of the program */
	struct profile_site *site;
	size_t sites;
	uint64_t slots, idle, cycles, launches; /* sums over all kernels that were read */
};

enum profile_by { PROFILE_BY_LINE, PROFILE_BY_INSTRUCTION };

/* Reads a file: one kernel (by its C++ or PTX name) or all (NULL). Returns false after a message in the name of
 * `command`. */
bool profile_data_read(struct profile_data *data, const char *command, const char *path, const char *kernel,
                       enum profile_by by);
void profile_data_close(struct profile_data *data);

/* Returns the slots in which it issued plus those lost at it; profile_costs_lost() returns only those lost. */
uint64_t profile_costs_slots(const struct profile_costs *costs);
uint64_t profile_costs_lost(const struct profile_costs *costs);
void profile_costs_add(struct profile_costs *sum, const struct profile_costs *costs);
/* Writes the largest share of its slots: issued, or lost by a cause; "DRAM 53 %". */
enum { PROFILE_WHY = 48 };
void profile_costs_why(const struct profile_costs *costs, char why[PROFILE_WHY]);

/* Print the column heads of a cost table, and one row. Shares refer to `slots`. Each column begins with a blank. */
void profile_print_heads(FILE *out);
void profile_print_costs(const struct profile_costs *costs, uint64_t slots, FILE *out);

#endif
