/* profile_data: a file of `sluice run --profile`, read: what each instruction, or each line of the source, has cost. */
#ifndef SLUICE_CLI_PROFILE_DATA_H
#define SLUICE_CLI_PROFILE_DATA_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Why slots are lost, in the order in which they are shown: name in the file, name for readers. */
#define PROFILE_SHOWN_CAUSES(X)                                                                                        \
	X(dram, "DRAM")                                                                                                \
	X(l2, "L2")                                                                                                    \
	X(l1, "L1")                                                                                                    \
	X(texture, "texture cache")                                                                                    \
	X(shared, "shared memory")                                                                                     \
	X(arithmetic, "arithmetic")                                                                                    \
	X(barrier, "barrier")                                                                                          \
	X(conflict, "pipe without room")                                                                               \
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
	uint64_t transactions, requests;    /* memory: and the issues that made them */
	uint64_t bank_cycles, shared;       /* shared memory: and the issues that took them */
	uint64_t l1_accesses, l1_hits, l2_accesses, l2_hits, dram_bytes;
	uint64_t answers;
	double latency, p95; /* of all answers together; the largest of its instructions' */
};

/* An instruction, or a line. */
struct profile_site {
	const char *kernel, *function; /* by C++ name; the function's symbol, where it is not the kernel */
	const char *file;              /* NULL: not known */
	uint32_t line, index;
	const char *text; /* as PTX; NULL: a line */
	const json_t *waiters;
	struct profile_costs costs;
};

struct profile_data {
	json_t *json;
	const char *path, *command; /* of the file; the program's command line */
	struct profile_site *site;
	size_t sites;
	uint64_t slots, idle, cycles, launches; /* of all kernels that were read */
};

enum profile_by { PROFILE_BY_LINE, PROFILE_BY_INSTRUCTION };

/* Reads a file, of one kernel (by its name in C++ or in PTX) or of all (NULL). False after an error message in the name of `command`. */
bool profile_data_read(struct profile_data *data, const char *command, const char *path, const char *kernel,
                       enum profile_by by);
void profile_data_close(struct profile_data *data);

/* Slots in which it issued or that were lost at it; those lost. */
uint64_t profile_costs_slots(const struct profile_costs *costs);
uint64_t profile_costs_lost(const struct profile_costs *costs);
void profile_costs_add(struct profile_costs *sum, const struct profile_costs *costs);
/* What most of its slots are: issued, or lost by some cause; "DRAM 53 %". */
enum { PROFILE_WHY = 48 };
void profile_costs_why(const struct profile_costs *costs, char why[PROFILE_WHY]);

/* Columns of a table of costs: their heads, and a row; shares are of `slots`. Each column begins with a blank. */
void profile_print_heads(FILE *out);
void profile_print_costs(const struct profile_costs *costs, uint64_t slots, FILE *out);

#endif
