/* dependences: what an instruction depends on, in a kernel with the functions that it calls: the instructions whose values it may read, and
 * those that decide whether it runs (Ferrante, Ottenstein and Warren, "The Program Dependence Graph", 1987); and backward slices over
 * both (Weiser, "Program Slicing", 1981). Instructions of all these functions are numbered together.
 *
 * Values go through registers, and to functions and back through their parameters and results; not through other memory. Of a
 * function that is called from several places all of them count; calls by address are not followed. Requires nothing.
 */
#ifndef SLUICE_FLOW_DEPENDENCES_H
#define SLUICE_FLOW_DEPENDENCES_H

#include "flow/flow.h"

/* An instruction that gives what another reads: in a register, or, of parameters, PTX_NO_REG. */
struct flow_use {
	uint32_t reg, giver;
};

/* A function of these, and the numbers of its first instruction and block. */
struct flow_part {
	const struct ptx_function *function;
	const struct flow_cfg *cfg;
	uint32_t first_inst, first_block;
};

struct flow_dependences {
	struct flow_part *part; /* the first is the kernel */
	uint32_t parts;
	uint32_t count; /* instructions: */
	const struct ptx_inst **inst;
	uint32_t *part_of, *block_of;
	uint32_t *first_use; /* its uses begin there and end where the next one's begin; those of one register lie together */
	struct flow_use *use;
	uint32_t *first_decider; /* by block, likewise: */
	uint32_t *decider;       /* branches, and calls of its function */
};

struct flow_dependences *flow_dependences(struct arena *arena, const struct ptx_function *kernel);

/* The number of an instruction of one of the functions, or FLOW_NONE. */
uint32_t flow_number(const struct flow_dependences *dependences, const struct ptx_inst *inst);

/* Whether an operand reads a register, as a value, in a vector or in an address. */
bool flow_operand_reads(const struct ptx_operand *operand, uint32_t reg);

/* Adds to serves[], by instruction a set of 8 bits, the members of a set at an instruction and at all that it depends on. */
void flow_slice(const struct flow_dependences *dependences, uint32_t inst, uint8_t set, uint8_t *serves);

#endif
