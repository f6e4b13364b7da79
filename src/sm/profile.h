/* profile: the costs of each instruction of a program: its issues, the scheduler slots lost at it, its accesses, and
 * their hits and latencies. Each SM records a profile when a run requests it (docs/how-to/profiling.md). The slices'
 * part is added at a kernel's end (gpu/profile.h).
 *
 * Slots are those of the cycle stack (sm/cpi_stack.c). Each lost slot is attributed to the instruction at which the
 * warp that causes it stands. So for each cause the sum over all instructions equals its counter of the stack.
 */
#ifndef SLUICE_SM_PROFILE_H
#define SLUICE_SM_PROFILE_H

#include "memory/request.h"
#include "simt/simt.h"
#include "sm/limits.h"

/* The causes of lost slots: names of counters stack_NAME. A slot of an idle scheduler is attributed to no
 * instruction. */
#define PROFILE_CAUSES(X)                                                                                              \
	X(arithmetic)                                                                                                  \
	X(shared)                                                                                                      \
	X(l1)                                                                                                          \
	X(texture)                                                                                                     \
	X(l2)                                                                                                          \
	X(dram)                                                                                                        \
	X(barrier)                                                                                                     \
	X(held)                                                                                                        \
	X(replayed)                                                                                                    \
	X(conflict)                                                                                                    \
	X(no_instruction)

enum profile_cause {
#define X(name) PROFILE_##name,
	PROFILE_CAUSES(X)
#undef X
		PROFILE_CAUSE_COUNT
};

/* Latencies are sorted into eight bins per octave, from 1 cycle to 2^20. */
enum { PROFILE_BINS_PER_OCTAVE = 8, PROFILE_BINS = 20 * PROFILE_BINS_PER_OCTAVE };

/* Slots lost at an instruction because it needs data of this load. */
struct profile_wait {
	uint32_t pc; /* of the waiting instruction */
	uint64_t slots;
};

struct profile_inst {
	uint64_t issues, lanes; /* issues by warps; threads that executed it */
	uint64_t diverged;      /* branches after which lanes take different paths */
	uint64_t transactions;  /* memory: accesses that its issues made */
	/* shared memory: cycles in which it occupies the banks; one per request without conflicts */
	uint64_t bank_cycles;
	uint64_t l1_accesses, l1_hits; /* of the SM's cache that it accesses: data, constants, texture */
	uint64_t l2_accesses, l2_hits; /* on its behalf */
	uint64_t dram_bytes; /* bytes that L2 read and wrote on its behalf */
	uint64_t lost[PROFILE_CAUSE_COUNT];
	/* loads and atomics: number of completed ones, and the sum of their core cycles from issue to completion */
	uint64_t answers, latency;
	uint32_t *bin;             /* PROFILE_BINS elements; NULL: no answers */
	struct profile_wait *wait; /* instructions that waited for it */
	uint32_t waits, wait_capacity;
};

/* The load that a warp waits for. */
struct profile_warp {
	uint32_t last; /* pc of its last issued instruction */
	uint32_t at;   /* pc at which it waits for a load whose level is not known yet */
	uint64_t unmatched; /* slots lost there and charged to a level, for which the load is not known yet */
};

struct profile {
	uint32_t count;            /* number of the program's instructions; inst[count] stands for no instruction */
	struct profile_inst *inst; /* count + 1 elements, by pc */
	struct profile_warp warp[SM_MAX_WARPS];
};

struct op;
struct sm_warp;

/* Kept out of the stages' own code, which must have no extra cost without a profile. */
#define PROFILE_ASIDE __attribute__((cold, noinline))

/* Opens a profile for a program of `count` instructions. */
void profile_open(struct profile *profile, uint32_t count);
void profile_close(struct profile *profile);
/* Adds a profile of the same program. */
void profile_add(struct profile *sum, const struct profile *profile);

/* An instruction was issued, with the accesses that it will make. */
PROFILE_ASIDE void profile_issued(struct profile *profile, struct op *op, const struct simt_step *step, uint64_t cycle);
/* The instruction has all its data. */
PROFILE_ASIDE void profile_completed(struct profile *profile, const struct op *op, uint64_t cycle);
/* One of its accesses has looked up a cache of the SM. */
PROFILE_ASIDE void profile_looked_up(struct profile *profile, uint32_t pc, bool hit);

/* Slots are lost at that instruction. */
PROFILE_ASIDE void profile_lost(struct profile *profile, uint32_t pc, enum profile_cause cause, uint64_t slots);
/* The warp waits at that instruction for a load. */
PROFILE_ASIDE void profile_waits(struct profile *profile, const struct sm_warp *warp, uint32_t pc);
/* Data of `op` (NULL: none) have arrived from that level. The slots that the warp has waited since the last arrival
 * are charged to it. */
PROFILE_ASIDE void profile_resolved(struct profile *profile, const struct sm_warp *warp, const struct op *op,
                      const struct simt_inst *code, uint32_t level);

/* The latency that a fraction `share` of the answers (0 to 1) did not exceed, accurate to a bin's width. */
double profile_quantile(const struct profile_inst *inst, double share);

#endif
