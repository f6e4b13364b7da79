/* cap: what the files of this folder share. */
#ifndef SLUICE_MECH_CAP_H
#define SLUICE_MECH_CAP_H

#include "seam/mech_lines.h"
#include "seam/mech_table.h"

enum {
	CAP_MAX_ACCESSES = 32,
	CAP_MOST_MISPREDICTIONS = UINT8_MAX, /* one byte: Table I */
};

enum cap_case_a { CAP_SAME_WARP, CAP_WHOLE_BLOCK };

struct cap_config {
	uint32_t block_entries, stride_entries;
	uint32_t accesses;  /* that a load may have */
	uint32_t threshold; /* mispredictions */
	uint32_t runs;      /* that wait for the generator */
	uint32_t case_a;    /* enum cap_case_a */
	bool indirect, retry, keep_strides;
};

#define CAP_COUNTERS(X)                                                                                                \
	X(loads, "loads", "of warps that looked into the tables")                                                      \
	X(wide, "loads", "of warps that did not: more accesses than a row has addresses for")                          \
	X(indirect, "loads", "of warps that did not: their addresses come out of memory")                              \
	X(bases, "rows", "of blocks that got their leading warp")                                                      \
	X(rebased, "rows", "of blocks whose leading warp came again, as in a loop")                                    \
	X(strides, "strides", "found between two warps of a block")                                                    \
	X(unequal, "rows", "of blocks made invalid: two warps were not one stride apart in all accesses")              \
	X(verified, "loads", "of warps that were compared with what was predicted")                                    \
	X(mispredicted, "loads", "of these that were elsewhere")                                                       \
	X(silenced, "loads", "that caused no prefetch: their stride had been wrong too often")                         \
	X(for_same_warp, "warps", "prefetched for because that warp of the leading block came")                        \
	X(for_block, "warps", "prefetched for because their block's leading warp came")                                \
	X(addresses, "addresses", "that the generator made")                                                           \
	X(generator_full, "runs", "of prefetches that were lost: too many waited for the generator")                   \
	X(table_accesses, "accesses", "of tables: one a load, one a block whose rows a prefetch is looked for in")

struct cap_stats {
#define X(name, unit, meaning) uint64_t name;
	CAP_COUNTERS(X)
#undef X
};

/* A row of a block's table. */
struct cap_base {
	struct mech_key key;
	uint32_t warp; /* the leading one, by its number in the block */
	uint32_t accesses;
	uint64_t address[CAP_MAX_ACCESSES];
	uint32_t bytes[CAP_MAX_ACCESSES];
};

/* A row of the SM's table of strides. */
struct cap_stride {
	struct mech_key key;
	int64_t bytes; /* from a warp to the next */
	uint32_t mispredictions;
	uint32_t leader; /* slot of the block whose warps gave the stride, until it ends; MECH_NOWHERE */
};

/* Prefetches for some warps of a block, one behind the other, that the generator makes of what the tables held when they were asked for. */
struct cap_run {
	struct cap_base base;
	int64_t stride;
	uint64_t block;      /* its number */
	uint32_t slot;
	uint32_t warp, end;  /* the next warp, by its number in the block; behind the last */
	uint32_t access;     /* of that warp, the next */
	uint64_t ready;      /* the first cycle in which the generator can make one */
};

struct cap_state {
	struct mech_table block[MECH_MAX_BLOCKS]; /* by slot */
	struct mech_table stride;
	struct mech_block resident[MECH_MAX_BLOCKS]; /* by slot; without warps: none */
	struct cap_run *run;                         /* a ring of config->runs */
	uint32_t first, runs;
};

/* A kernel that has been launched. */
struct cap_kernel {
	const char *name;
	uint32_t number;
	struct cap_kernel *next;
};

struct cap_gpu {
	const uint8_t *is_indirect; /* by pc */
	struct cap_kernel *kernels;
	uint32_t kernel; /* the number of the one that runs: its loads are others than another one's */
};

/* generator.c: prefetches for the warps of a resident block from `warp` up to, and not with, `end`, but for the leading one. Gives for how many; none
 * where too many runs wait. */
uint32_t cap_generate(struct mech_sm *sm, uint32_t slot, const struct cap_base *base, int64_t stride, uint32_t warp,
                      uint32_t end, uint64_t cycle);
uint64_t cap_cycle(struct mech_sm *sm, uint64_t cycle);

/* costs.c */
uint32_t cap_costs(const void *config, const struct mech_machine *machine, struct mech_cost cost[MECH_MAX_COSTS]);
uint32_t cap_energies(const void *config, const struct mech_machine *machine,
                      struct mech_energy energy[MECH_MAX_ENERGIES]);

#endif
