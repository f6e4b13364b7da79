/* profile: what each instruction of a program costs: its issues, the schedulers' slots that are lost at it, its accesses, what they hit and
 * how long they took. Kept by each SM when a run asks for it (docs/how-to/profiling.md); the slices' part comes to it at a kernel's end
 * (gpu/profile.h).
 *
 * Slots are those of the cycle stack (sm/cpi_stack.c), each told of the instruction at which the warp stands that the slot is lost to: so
 * over all instructions each cause adds up to its counter of the stack.
 */
#ifndef SLUICE_SM_PROFILE_H
#define SLUICE_SM_PROFILE_H

#include "memory/request.h"
#include "simt/simt.h"
#include "sm/limits.h"

/* The causes of lost slots: names of counters stack_NAME. A slot of an idle scheduler is lost at no instruction. */
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

/* Latencies are sorted into eight bins an octave, from 1 cycle to 2^20. */
enum { PROFILE_BINS_PER_OCTAVE = 8, PROFILE_BINS = 20 * PROFILE_BINS_PER_OCTAVE };

/* Slots lost at an instruction because it needs what this load brings. */
struct profile_wait {
	uint32_t pc; /* of the one that waits */
	uint64_t slots;
};

struct profile_inst {
	uint64_t issues, lanes;    /* of warps; threads that executed it */
	uint64_t diverged;         /* branches after which lanes go different ways */
	uint64_t transactions;     /* memory: accesses that its issues were made of */
	uint64_t bank_cycles;      /* shared memory: cycles in which it has the banks, one a request without conflicts */
	uint64_t l1_accesses, l1_hits; /* of the SM's cache that it asks: data, constants, texture */
	uint64_t l2_accesses, l2_hits; /* on its behalf */
	uint64_t dram_bytes;       /* that L2 read and wrote on its behalf */
	uint64_t lost[PROFILE_CAUSE_COUNT];
	uint64_t answers, latency; /* of loads and atomics: those complete, and their core cycles from issue to that, together */
	uint32_t *bin;             /* PROFILE_BINS of these; NULL: no answers */
	struct profile_wait *wait; /* who waited for it */
	uint32_t waits, wait_capacity;
};

/* What a warp waits for. */
struct profile_warp {
	uint32_t last;     /* pc of what it issued last */
	uint32_t at;       /* where it waits for a load whose level is not known yet */
	uint64_t unmatched; /* slots lost there, charged to a level, of which it is not known yet for which load */
};

struct profile {
	uint32_t count;            /* of the program's instructions, by pc; one behind them stands for no instruction */
	struct profile_inst *inst; /* count + 1 */
	struct profile_warp warp[SM_MAX_WARPS];
};

struct op;
struct sm_warp;

/* Kept out of the stages' own code, which must cost nothing more where no profile is asked for. */
#define PROFILE_ASIDE __attribute__((cold, noinline))

/* For a program of so many instructions. */
void profile_open(struct profile *profile, uint32_t count);
void profile_close(struct profile *profile);
/* Adds one of the same program. */
void profile_add(struct profile *sum, const struct profile *profile);

/* An instruction was issued, with the accesses that it will make. */
PROFILE_ASIDE void profile_issued(struct profile *profile, struct op *op, const struct simt_step *step, uint64_t cycle);
/* It has all its data. */
PROFILE_ASIDE void profile_completed(struct profile *profile, const struct op *op, uint64_t cycle);
/* One of its accesses has looked a cache of the SM up. */
PROFILE_ASIDE void profile_looked_up(struct profile *profile, uint32_t pc, bool hit);

/* Slots are lost at that instruction. */
PROFILE_ASIDE void profile_lost(struct profile *profile, uint32_t pc, enum profile_cause cause, uint64_t slots);
/* The warp waits at that instruction for a load. */
PROFILE_ASIDE void profile_waits(struct profile *profile, const struct sm_warp *warp, uint32_t pc);
/* Data of `op` (NULL: of none) have come from that level, to which the slots are charged that the warp has waited for since the last. */
PROFILE_ASIDE void profile_resolved(struct profile *profile, const struct sm_warp *warp, const struct op *op,
                      const struct simt_inst *code, uint32_t level);

/* The latency that a share of the answers (0 to 1) did not exceed, to a bin's width. */
double profile_quantile(const struct profile_inst *inst, double share);

#endif
