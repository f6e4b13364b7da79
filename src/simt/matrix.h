/* matrix: mma, wmma.mma, ldmatrix, stmatrix, movmatrix. */
#ifndef SLUICE_SIMT_MATRIX_H
#define SLUICE_SIMT_MATRIX_H

#include "ptx/matrix.h"
#include "simt/exec.h"

enum { MATRIX_REGISTERS = 8, MATRIX_SLOTS = 32 /* elements of a lane at most */, MATRIX_ELEMENTS = 1024 /* of one matrix at most */ };

/* A fragment: its registers' rows, in the warp's registers or in the program's constants, and which element of the matrix (ptx/matrix.h)
 * each slot has, slots of a lane behind each other. Of bits 32 count as one element. */
struct matrix_fragment {
	enum ptx_type type;
	uint32_t registers, slots;
	uint32_t row[MATRIX_REGISTERS];
	bool is_constant[MATRIX_REGISTERS];
	uint16_t element[WARP_SIZE * MATRIX_SLOTS];
};

/* An instruction's operands; simt_inst.immediate points here. */
struct matrix_operands {
	struct matrix_fragment fragment[PTX_MATRICES];
	uint32_t products, m, n, k;
};

static inline const struct matrix_operands *matrix_operands(const struct simt_inst *inst)
{
	return (const struct matrix_operands *)(uintptr_t)inst->immediate;
}

simt_exec matrix_load, matrix_store, matrix_move;

#endif
