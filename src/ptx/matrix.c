#include "ptx/matrix.h"

enum { LANES = 32 };

struct ptx_extent ptx_extent(enum ptx_shape shape)
{
	static const struct ptx_extent extent[] = {
		[PTX_M8N8K4] = {8, 8, 4},       [PTX_M8N8K16] = {8, 8, 16},     [PTX_M8N8K32] = {8, 8, 32},
		[PTX_M8N8K128] = {8, 8, 128},   [PTX_M16N8K4] = {16, 8, 4},     [PTX_M16N8K8] = {16, 8, 8},
		[PTX_M16N8K16] = {16, 8, 16},   [PTX_M16N8K32] = {16, 8, 32},   [PTX_M16N8K64] = {16, 8, 64},
		[PTX_M16N8K128] = {16, 8, 128}, [PTX_M16N8K256] = {16, 8, 256}, [PTX_M16N16K16] = {16, 16, 16},
		[PTX_M16N16K8] = {16, 16, 8},   [PTX_M8N32K16] = {8, 32, 16},   [PTX_M32N8K16] = {32, 8, 16},
		[PTX_M8N8] = {8, 8, 0},
	};
	return extent[shape];
}

/* mma.m8n8k4 of f16: threads 4q to 4q + 3 and 16 + 4q to 19 + 4q compute product q. */
static bool has_quads(const struct ptx_inst *inst)
{
	return inst->op == PTX_OP_MMA && inst->shape == PTX_M8N8K4 && inst->type != PTX_F64;
}

uint32_t ptx_matrix_products(const struct ptx_inst *inst)
{
	return has_quads(inst) ? 4 : 1;
}

uint32_t ptx_matrix_rows(const struct ptx_inst *inst, enum ptx_matrix matrix)
{
	struct ptx_extent extent = ptx_extent(inst->shape);
	return matrix == PTX_MATRIX_B ? extent.k : extent.m;
}

uint32_t ptx_matrix_columns(const struct ptx_inst *inst, enum ptx_matrix matrix)
{
	struct ptx_extent extent = ptx_extent(inst->shape);
	return matrix == PTX_MATRIX_A ? extent.k : extent.n;
}

uint32_t ptx_element_bits(enum ptx_type type)
{
	return type == PTX_B1 ? 1 : type == PTX_U4 || type == PTX_S4 ? 4 : 8 * ptx_type_bytes(type);
}

enum ptx_type ptx_element_type(const struct ptx_inst *inst, enum ptx_matrix matrix)
{
	bool has_four = inst->type4 != PTX_NO_TYPE; /* otherwise f16, with the types of D and C */
	switch (matrix) {
	case PTX_MATRIX_A:
		return has_four ? inst->type2 : PTX_F16;
	case PTX_MATRIX_B:
		return has_four ? inst->type3 : PTX_F16;
	case PTX_MATRIX_C:
		return has_four ? inst->type4 : inst->type2;
	default:
		return inst->type;
	}
}

enum ptx_matrix ptx_matrix_of_letter(char letter)
{
	return letter == 'D' ? PTX_MATRIX_D : PTX_MATRIX_A + (enum ptx_matrix)(letter - 'A');
}

/* wmma fragments of f16 have 16 elements in all shapes; some elements occur several times. */
static bool is_padded(const struct ptx_inst *inst, enum ptx_matrix matrix)
{
	return inst->op == PTX_OP_WMMA && (matrix == PTX_MATRIX_A || matrix == PTX_MATRIX_B) &&
	       ptx_element_type(inst, matrix) == PTX_F16;
}

uint32_t ptx_fragment_registers(const struct ptx_inst *inst, enum ptx_matrix matrix)
{
	if (inst->matrices)
		return inst->matrices;
	if (is_padded(inst, matrix))
		return 8;
	enum ptx_type type = ptx_element_type(inst, matrix);
	uint32_t elements =
		ptx_matrix_products(inst) * ptx_matrix_rows(inst, matrix) * ptx_matrix_columns(inst, matrix);
	return elements * ptx_element_bits(type) / (type == PTX_F64 ? 64 : 32) / LANES;
}

enum ptx_type ptx_fragment_type(const struct ptx_inst *inst, enum ptx_matrix matrix)
{
	enum ptx_type type = inst->matrices ? PTX_B32 : ptx_element_type(inst, matrix);
	return type == PTX_F64 || type == PTX_F32 || type == PTX_S32 ? type : PTX_B32;
}

/* --- element of a slot --- */

struct at {
	uint32_t row, column;
};

/* mma.m8n8k4.f16: thread t of eight; threads 4 to 7 are in the upper half of the warp. */
static struct at quad_element(const struct ptx_inst *inst, enum ptx_matrix matrix, uint32_t lane, uint32_t i)
{
	uint32_t low = lane % 4, high = lane / 16 * 4;
	bool is_row = (matrix == PTX_MATRIX_A ? inst->major_a : inst->major_b) == PTX_ROW;
	if (matrix == PTX_MATRIX_A)
		return is_row ? (struct at){low + high, i} : (struct at){i + high, low};
	if (matrix == PTX_MATRIX_B)
		return is_row ? (struct at){low, i + high} : (struct at){i, low + high};
	if (ptx_element_type(inst, matrix) == PTX_F16)
		return (struct at){low + high, i};
	return (struct at){(lane & 1) + (i & 2) + high, (i & 4) + (lane & 2) + (i & 1)};
}

/* Eight groups of four threads. A group has a row of A, C and D, and a column of B. */
static struct at group_element(const struct ptx_inst *inst, enum ptx_matrix matrix, uint32_t lane, uint32_t i)
{
	uint32_t group = lane / 4, thread = lane % 4, bits = ptx_element_bits(ptx_element_type(inst, matrix));
	/* groups of 8 rows: a thread group has one row of each */
	uint32_t halves = ptx_matrix_rows(inst, PTX_MATRIX_D) / 8;
	uint32_t part = bits < 32 ? 32 / bits : 1, reg = i / part, in = i % part;
	if (matrix == PTX_MATRIX_A)
		return (struct at){group + 8 * (reg % halves), reg / halves * 4 * part + thread * part + in};
	if (matrix == PTX_MATRIX_B)
		return (struct at){reg * 4 * part + thread * part + in, group};
	return (struct at){group + i / 2 * 8, 2 * thread + i % 2};
}

/* wmma: consecutive lines of memory. */
static struct at line_element(const struct ptx_inst *inst, enum ptx_matrix matrix, uint32_t lane, uint32_t i)
{
	uint32_t rows = ptx_matrix_rows(inst, matrix), columns = ptx_matrix_columns(inst, matrix);
	uint32_t bits = ptx_element_bits(ptx_element_type(inst, matrix));
	uint32_t each = ptx_fragment_registers(inst, matrix) * (bits < 32 ? 32 / bits : 1);
	uint32_t element = (lane * each + i) % (rows * columns);
	enum ptx_major major = matrix == PTX_MATRIX_A   ? inst->major_a
	                       : matrix == PTX_MATRIX_B ? inst->major_b
	                                                : PTX_ROW;
	return major == PTX_COL ? (struct at){element % rows, element / rows}
	                        : (struct at){element / columns, element % columns};
}

uint32_t ptx_fragment_element(const struct ptx_inst *inst, enum ptx_matrix matrix, uint32_t lane, uint32_t i)
{
	uint32_t rows = ptx_matrix_rows(inst, matrix), columns = ptx_matrix_columns(inst, matrix);
	if (has_quads(inst)) {
		struct at at = quad_element(inst, matrix, lane, i);
		return lane / 4 % 4 * rows * columns + at.row * columns + at.column;
	}
	struct at at =
		inst->op == PTX_OP_WMMA ? line_element(inst, matrix, lane, i) : group_element(inst, matrix, lane, i);
	return at.row * columns + at.column;
}

/* --- time --- */

enum ptx_latency ptx_inst_latency(const struct ptx_inst *inst)
{
	if (inst->op != PTX_OP_MMA && inst->op != PTX_OP_WMMA)
		return ptx_op_latency(inst->op);
	struct ptx_extent extent = ptx_extent(inst->shape);
	uint32_t multiplications = ptx_matrix_products(inst) * extent.m * extent.n * extent.k;
	if (inst->type2 == PTX_B1)
		multiplications /= 32; /* 32 one-bit elements count as one */
	return PTX_LATENCY_MMA_256 + (enum ptx_latency)__builtin_ctz(multiplications / 256);
}
