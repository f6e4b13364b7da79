/* scoreboard: per warp, the registers that instructions in flight will write. An instruction waits for those it reads (RAW) and
 * for those it writes (WAW). Nothing waits for a read (WAR): values are taken when an instruction issues. GPGPU-Sim's rule; tests/micro/issue.cu
 * measures dependent instructions. */
#ifndef SLUICE_SM_SCOREBOARD_H
#define SLUICE_SM_SCOREBOARD_H

#include "simt/simt.h"

/* A warp's. Registers that an instruction in flight will write, and of these those of loads, which may take long: folded to 64
 * bits, as simt_inst.touches is; and in full where a program has more than 64 registers. */
struct scoreboard {
	uint64_t folded, folded_load;
	uint64_t *pending, *pending_load;
};

/* How large the SM's scoreboards are. */
struct scoreboard_size {
	uint32_t words;    /* of a warp's sets in full; 0: its folded sets say all */
	uint32_t capacity; /* words that the warps have */
};

enum hazard { HAZARD_NONE, HAZARD_ARITHMETIC, HAZARD_LOAD };

struct sm;

/* Room for the scoreboards of a program with that many registers. */
void scoreboard_begin(struct sm *sm, uint32_t registers);
void scoreboard_close(struct sm *sm);

/* A new warp's: nothing is in flight. */
void scoreboard_clear(struct scoreboard *board, const struct scoreboard_size *size);

/* The instruction issues: its results come some time. */
void scoreboard_reserve(struct scoreboard *board, const struct scoreboard_size *size, const struct simt_inst *inst,
                        bool by_load);
/* Its results are there. */
void scoreboard_release(struct scoreboard *board, const struct scoreboard_size *size, const struct simt_inst *inst);

/* False: it would wait for nothing. What the folded sets do not name is free; what they name may be another register of a large
 * program. */
static inline bool scoreboard_may_wait(const struct scoreboard *board, const struct simt_inst *inst)
{
	return inst->touches & board->folded;
}
/* What the instruction would wait for. */
enum hazard scoreboard_check(const struct scoreboard *board, const struct scoreboard_size *size,
                             const struct simt_inst *inst);

/* How many registers the instruction would wait for, and of these how many that a load writes. */
uint32_t scoreboard_count(const struct scoreboard *board, const struct scoreboard_size *size,
                          const struct simt_inst *inst, uint32_t *of_loads);

static inline bool scoreboard_is_empty(const struct scoreboard *board)
{
	return !(board->folded | board->folded_load);
}

#endif
