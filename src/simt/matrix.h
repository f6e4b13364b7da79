/* matrix: executes mma, wmma.mma, ldmatrix, stmatrix and movmatrix. */
#ifndef SLUICE_SIMT_MATRIX_H
#define SLUICE_SIMT_MATRIX_H

#include "ptx/matrix.h"
#include "simt/exec.h"

/* MATRIX_SLOTS: most elements of a lane. MATRIX_ELEMENTS: most elements of a matrix. MATRIX_TERMS: most products that
 * are added in one step. */
enum { MATRIX_REGISTERS = 8, MATRIX_SLOTS = 32, MATRIX_ELEMENTS = 1024, MATRIX_TERMS = 16 };

/* A fragment: the rows of its registers, in the warp's registers or the program's constants. `element` maps each
 * slot to an element of the matrix (ptx/matrix.h); the slots of a lane are consecutive. For single-bit types 32
 * bits count as one element. */
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
	uint32_t terms; /* products of small floating-point types in a step */
};

static inline const struct matrix_operands *matrix_operands(const struct simt_inst *inst)
{
	return (const struct matrix_operands *)(uintptr_t)inst->immediate;
}

simt_exec matrix_load, matrix_store, matrix_move;

#endif
