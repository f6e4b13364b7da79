/* cap: types and functions shared by the files of this folder. */
#ifndef SLUICE_MECH_CAP_H
#define SLUICE_MECH_CAP_H

#include "seam/mech_lines.h"
#include "seam/mech_table.h"

enum {
	CAP_MAX_ACCESSES = 32,
	CAP_MOST_MISPREDICTIONS = UINT8_MAX, /* one byte: Table I */
};

enum cap_case_a { CAP_SAME_WARP, CAP_WHOLE_BLOCK };
enum cap_loops { CAP_FOLLOW, CAP_VERIFY };
enum cap_full { CAP_REPLACE, CAP_IGNORE };

struct cap_config {
	uint32_t block_entries, stride_entries;
	uint32_t accesses;  /* per load, at most */
	uint32_t threshold; /* mispredictions */
	uint32_t runs;      /* that can wait for the generator */
	uint32_t case_a;    /* enum cap_case_a */
	uint32_t loops;     /* enum cap_loops */
	uint32_t full;      /* enum cap_full */
	bool indirect, retry, keep_strides;
};

#define CAP_COUNTERS(X)                                                                                                \
	X(loads, "loads", "warp loads looked up in the tables")                                                        \
	X(wide, "loads", "warp loads not looked up: more accesses than a row has addresses")                           \
	X(indirect, "loads", "warp loads not looked up: the address depends on loaded data")                           \
	X(bases, "rows", "rows of block tables claimed by a leading warp")                                             \
	X(rebased, "rows", "rows set again: the leading warp repeated the load, as in a loop")                         \
	X(strides, "strides", "strides found between two warps of a block")                                            \
	X(unequal, "rows", "rows invalidated: two warps were not one stride apart in all accesses")                    \
	X(verified, "loads", "warp loads compared with their prediction")                                              \
	X(mispredicted, "loads", "verified loads whose prediction was wrong")                                          \
	X(foreseen, "loads", "verified loads of warps that the row had been used to prefetch for")                     \
	X(foreseen_wrong, "loads", "such loads whose prediction was wrong")                                            \
	X(silenced, "loads", "loads that triggered no prefetch: their stride had too many mispredictions")             \
	X(for_same_warp, "warps", "warps prefetched for after the same warp of the leading block loaded")              \
	X(for_block, "warps", "warps prefetched for after their own block's leading warp loaded")                      \
	X(addresses, "addresses", "addresses that the generator made")                                                 \
	X(generator_full, "runs", "prefetch runs lost: the generator's queue was full")                                \
	X(table_accesses, "accesses", "accesses to tables: one per load, and one per block table searched for a base")

struct cap_stats {
#define X(name, unit, meaning) uint64_t name;
	CAP_COUNTERS(X)
#undef X
};

/* A row of a block's table (PerCTA). */
struct cap_base {
	struct mech_key key;
	uint32_t warp; /* the leading warp, by its number in the block */
	uint64_t foreseen; /* warps of the block with a prefetch from these addresses, as bits; only for counting */
	uint32_t accesses;
	uint64_t address[CAP_MAX_ACCESSES];
	uint32_t bytes[CAP_MAX_ACCESSES];
};

/* A row of the SM's table of strides (DIST). */
struct cap_stride {
	struct mech_key key;
	int64_t bytes; /* from one warp to the next */
	uint32_t mispredictions;
	uint32_t leader; /* slot of the resident block that gave the stride; MECH_NOWHERE after that block has ended */
};

/* A run: the prefetches for consecutive warps of one block, which the generator makes one after the other. The base
 * and the stride are copies of the table rows at the time of the trigger. */
struct cap_run {
	struct cap_base base;
	int64_t stride;
	uint64_t block;      /* number of the block */
	uint32_t slot;
	uint32_t warp, end;  /* the next warp, and one past the last warp, by their numbers in the block */
	uint32_t access;     /* index of that warp's next access */
	uint64_t ready;      /* first cycle in which the generator may take the run */
};

struct cap_state {
	struct mech_table block[MECH_MAX_BLOCKS]; /* by block slot */
	struct mech_table stride;
	struct mech_block resident[MECH_MAX_BLOCKS]; /* by block slot; a slot without warps is empty */
	struct cap_run *run;                         /* a ring of config->runs */
	uint32_t first, runs;
};

/* A kernel that has been launched at least once. */
struct cap_kernel {
	const char *name;
	uint32_t number;
	struct cap_kernel *next;
};

struct cap_gpu {
	const uint8_t *is_indirect; /* by pc */
	struct cap_kernel *kernels;
	uint32_t kernel; /* number of the running kernel, which tells its loads from other kernels' loads */
};

/* generator.c: queues a run for warps [warp, end) of a resident block, without its leading warp. Returns the number
 * of warps in the run; 0 when the queue is full. */
uint32_t cap_generate(struct mech_sm *sm, uint32_t slot, struct cap_base *base, int64_t stride, uint32_t warp,
                      uint32_t end, uint64_t cycle);
uint64_t cap_cycle(struct mech_sm *sm, uint64_t cycle);

/* costs.c */
uint32_t cap_costs(const void *config, const struct mech_machine *machine, struct mech_cost cost[MECH_MAX_COSTS]);
uint32_t cap_energies(const void *config, const struct mech_machine *machine,
                      struct mech_energy energy[MECH_MAX_ENERGIES]);

#endif
