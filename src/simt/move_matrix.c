/* move_matrix: moves matrices of 8 x 8 16-bit elements between shared memory and registers, and between registers.
 * Lane i has elements 2 (i % 4) and 2 (i % 4) + 1 of row i / 4, or of column i / 4 with .trans. Lane 8 m + r gives
 * the address of row r of matrix m. */
#include "simt/access.h"
#include "simt/matrix.h"

enum { SIDE = 8 };

typedef uint16_t square[SIDE][SIDE];

/* Returns the two elements of a lane. */
static uint32_t take(square from, unsigned lane, bool transposes)
{
	unsigned line = lane / 4, at = lane % 4 * 2;
	return transposes ? from[at][line] | (uint32_t)from[at + 1][line] << 16
	                  : from[line][at] | (uint32_t)from[line][at + 1] << 16;
}

static void put(square to, unsigned lane, bool transposes, uint32_t pair)
{
	unsigned line = lane / 4, at = lane % 4 * 2;
	*(transposes ? &to[at][line] : &to[line][at]) = (uint16_t)pair;
	*(transposes ? &to[at + 1][line] : &to[line][at + 1]) = (uint16_t)(pair >> 16);
}

/* Finds the rows. Lanes after those that give addresses repeat these addresses. Returns false after a fault. */
static bool reach_rows(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step,
                       struct reach *reach)
{
	uint32_t lanes = step->lanes, rows = SIDE * inst->vector;
	step->lanes &= UINT32_MAX >> (WARP_SIZE - rows);
	bool good = step->lanes == 0 || access_reach(warp, inst, step, reach);
	if (good && step->lanes && step->space != PTX_SHARED) {
		fault_set(warp, inst, step, SIMT_FAULT_INSTRUCTION, "matrix that lies outside shared memory",
		          (unsigned)__builtin_ctz(step->lanes));
		good = false;
	}
	good = good && step->lanes;
	step->lanes = lanes;
	for (unsigned i = rows; good && i < WARP_SIZE; i++)
		step->address[i] = step->address[i % rows];
	return good;
}

void matrix_load(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	struct reach reach;
	if (UNLIKELY(!reach_rows(warp, inst, step, &reach)))
		return;
	for (unsigned m = 0; m < inst->vector; m++) {
		square from = {{0}};
		lane32 *d = destination(warp, inst, m);
		for (unsigned row = 0; row < SIDE; row++)
			if (step->lanes & lane_bit[m * SIDE + row])
				memcpy(from[row], (const void *)(reach.base + reach.where[m * SIDE + row]),
				       sizeof from[row]);
		for (uint32_t rest = step->lanes; rest; rest &= rest - 1) {
			unsigned lane = (unsigned)__builtin_ctz(rest);
			d[lane] = take(from, lane, inst->ptx->transposes);
		}
	}
}

void matrix_store(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	struct reach reach;
	if (UNLIKELY(!reach_rows(warp, inst, step, &reach)))
		return;
	for (unsigned m = 0; m < inst->vector; m++) {
		square to;
		SOURCE(s, lane32, 1 + m);
		for (unsigned lane = 0; lane < WARP_SIZE; lane++)
			put(to, lane, inst->ptx->transposes, s[lane]);
		for (unsigned row = 0; row < SIDE; row++)
			if (step->lanes & lane_bit[m * SIDE + row])
				memcpy((void *)(reach.base + reach.where[m * SIDE + row]), to[row], sizeof to[row]);
	}
}

void matrix_move(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	square matrix;
	SOURCE(s, lane32, 0);
	lane32 *d = destination(warp, inst, 0);
	for (unsigned lane = 0; lane < WARP_SIZE; lane++)
		put(matrix, lane, false, s[lane]);
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		d[lane] = take(matrix, lane, true);
	}
}
