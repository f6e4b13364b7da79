/* scoreboard: per warp, the registers that instructions in flight will write. An instruction waits for registers
 * that it reads (RAW) and writes (WAW). Nothing waits for a read (WAR), because values are read at issue. This is
 * GPGPU-Sim's rule; tests/micro/issue.cu measures dependent instructions. */
#ifndef SLUICE_SM_SCOREBOARD_H
#define SLUICE_SM_SCOREBOARD_H

#include "simt/simt.h"

/* A warp's scoreboard: the registers that instructions in flight will write, and the subset written by loads, which
 * may take long. Both are folded to 64 bits like simt_inst.touches. A program with more than 64 registers also has
 * them in full. */
struct scoreboard {
	uint64_t folded, folded_load;
	uint64_t *pending, *pending_load;
};

/* Sizes of the SM's scoreboards. */
struct scoreboard_size {
	uint32_t words;    /* words per full set; 0: the folded sets are exact */
	uint32_t capacity; /* words allocated for all warps */
};

enum hazard { HAZARD_NONE, HAZARD_ARITHMETIC, HAZARD_LOAD };

struct sm;

/* Before the first kernel: the scoreboards are as small as they can be. */
void scoreboard_begin(struct sm *sm);
/* Makes the scoreboards large enough for a program with this number of registers, also while others run. */
void scoreboard_widen(struct sm *sm, uint32_t registers);
void scoreboard_close(struct sm *sm);

/* Clears a new warp's scoreboard: nothing is in flight. */
void scoreboard_clear(struct scoreboard *board, const struct scoreboard_size *size);

/* The instruction issues; its results are pending. */
void scoreboard_reserve(struct scoreboard *board, const struct scoreboard_size *size, const struct simt_inst *inst,
                        bool by_load);
/* Its results are written. */
void scoreboard_release(struct scoreboard *board, const struct scoreboard_size *size, const struct simt_inst *inst);

/* False: the instruction would wait for nothing. Registers outside the folded sets are free. In a large program a
 * register inside may be a different one. */
static inline bool scoreboard_may_wait(const struct scoreboard *board, const struct simt_inst *inst)
{
	return inst->touches & board->folded;
}
/* The kind of result that the instruction would wait for. */
enum hazard scoreboard_check(const struct scoreboard *board, const struct scoreboard_size *size,
                             const struct simt_inst *inst);

/* The number of registers that the instruction would wait for; *of_loads: those that a load writes. */
uint32_t scoreboard_count(const struct scoreboard *board, const struct scoreboard_size *size,
                          const struct simt_inst *inst, uint32_t *of_loads);

static inline bool scoreboard_is_empty(const struct scoreboard *board)
{
	return !(board->folded | board->folded_load);
}

#endif
