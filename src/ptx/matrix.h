/* matrix: the layout of matrix operands in a warp's registers.
 *
 * A is m x k, B k x n, C and D m x n. Each lane holds a fragment of each matrix, in ptx_fragment_registers()
 * registers. Registers are filled with elements. Fragments of mma are those of the PTX ISA (9.7.14, "Matrix
 * Fragments for mma"). The ISA leaves fragments of wmma open, so they are Sluice's. Slots are numbered lane by
 * lane. Slot s has element s modulo the number of elements. Elements are counted in memory order: line by line of A
 * and B as stored, row by row of C and D.
 */
#ifndef SLUICE_PTX_MATRIX_H
#define SLUICE_PTX_MATRIX_H

#include "ptx/module.h"

enum ptx_matrix { PTX_MATRIX_D, PTX_MATRIX_A, PTX_MATRIX_B, PTX_MATRIX_C, PTX_MATRICES };

struct ptx_extent {
	uint16_t m, n, k;
};

/* Returns the dimensions m, n and k of a shape. */
struct ptx_extent ptx_extent(enum ptx_shape shape);
/* Returns the number of independent products of one instruction: 4 for mma.m8n8k4.f16, whose threads work in groups
 * of 8, else 1. */
uint32_t ptx_matrix_products(const struct ptx_inst *inst);
uint32_t ptx_matrix_rows(const struct ptx_inst *inst, enum ptx_matrix matrix);
uint32_t ptx_matrix_columns(const struct ptx_inst *inst, enum ptx_matrix matrix);
/* Return the bits of an element, and its type. */
uint32_t ptx_element_bits(enum ptx_type type);
enum ptx_type ptx_element_type(const struct ptx_inst *inst, enum ptx_matrix matrix);
/* Returns the matrix of a pattern letter of ops.h: 'D', 'A', 'B' or 'C'. */
enum ptx_matrix ptx_matrix_of_letter(char letter);
/* Return the number of registers of a fragment, and the type that they must have. For ldmatrix and stmatrix, D is
 * the moved matrix. */
uint32_t ptx_fragment_registers(const struct ptx_inst *inst, enum ptx_matrix matrix);
enum ptx_type ptx_fragment_type(const struct ptx_inst *inst, enum ptx_matrix matrix);
/* Returns the element with index i of a lane's fragment. Elements are numbered row by row; the matrices of several
 * products are consecutive. */
uint32_t ptx_fragment_element(const struct ptx_inst *inst, enum ptx_matrix matrix, uint32_t lane, uint32_t i);

#endif
