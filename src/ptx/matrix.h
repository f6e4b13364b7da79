/* matrix: where the elements of a product of matrices lie in a warp's registers.
 *
 * A is m x k, B k x n, C and D m x n. Each lane has a fragment: as many registers of each matrix as ptx_fragment_registers() says, each
 * with as many elements as fit it. mma's fragments are those of the PTX ISA (9.7.14, "Matrix Fragments for mma"). wmma's are ours, as
 * the ISA leaves them open: slot s of a matrix, lane by lane, has element s modulo the number of elements, counted in the order in
 * which they lie in memory: line by line of A and B as they are stored, row by row of C and D.
 */
#ifndef SLUICE_PTX_MATRIX_H
#define SLUICE_PTX_MATRIX_H

#include "ptx/module.h"

enum ptx_matrix { PTX_MATRIX_D, PTX_MATRIX_A, PTX_MATRIX_B, PTX_MATRIX_C, PTX_MATRICES };

struct ptx_extent {
	uint16_t m, n, k;
};

struct ptx_extent ptx_extent(enum ptx_shape shape);
/* The products that one instruction makes, side by side: 4 of mma.m8n8k4.f16, whose threads work in groups of 8, else 1. */
uint32_t ptx_matrix_products(const struct ptx_inst *inst);
uint32_t ptx_matrix_rows(const struct ptx_inst *inst, enum ptx_matrix matrix);
uint32_t ptx_matrix_columns(const struct ptx_inst *inst, enum ptx_matrix matrix);
/* Bits of an element, and the type that it has. */
uint32_t ptx_element_bits(enum ptx_type type);
enum ptx_type ptx_element_type(const struct ptx_inst *inst, enum ptx_matrix matrix);
/* The letter of a pattern of ops.h: 'D', 'A', 'B' or 'C'. */
enum ptx_matrix ptx_matrix_of_letter(char letter);
/* The registers of a fragment, and the type that they must have. Of ldmatrix and stmatrix D is what is moved. */
uint32_t ptx_fragment_registers(const struct ptx_inst *inst, enum ptx_matrix matrix);
enum ptx_type ptx_fragment_type(const struct ptx_inst *inst, enum ptx_matrix matrix);
/* The element that is number i of a lane's fragment: row by row of the matrix, and the products' matrices behind each other. */
uint32_t ptx_fragment_element(const struct ptx_inst *inst, enum ptx_matrix matrix, uint32_t lane, uint32_t i);

#endif
