/* dependences: the dependencies of instructions, in a kernel with the functions that it calls. An instruction
 * depends on those whose values it may read, and on those that decide whether it runs. Source: Ferrante, Ottenstein
 * and Warren, "The Program Dependence Graph", 1987. Backward slices follow both kinds (Weiser, "Program Slicing",
 * 1981). The instructions of all these functions are numbered consecutively.
 *
 * Values pass through registers, and to functions and back through parameters and results, but not through other
 * memory. All call sites of a function count. Calls by address are not followed. Requires nothing.
 */
#ifndef SLUICE_FLOW_DEPENDENCES_H
#define SLUICE_FLOW_DEPENDENCES_H

#include "flow/flow.h"

/* An instruction that provides a value that another reads: in a register or, for parameters, PTX_NO_REG. */
struct flow_use {
	uint32_t reg, giver;
};

/* One of these functions, with the numbers of its first instruction and first block. */
struct flow_part {
	const struct ptx_function *function;
	const struct flow_cfg *cfg;
	uint32_t first_inst, first_block;
};

struct flow_dependences {
	struct flow_part *part; /* the first is the kernel */
	uint32_t parts;
	uint32_t count; /* number of instructions */
	const struct ptx_inst **inst;
	uint32_t *part_of, *block_of;
	/* by instruction: start of its uses, which end at the next instruction's; uses of one register are adjacent */
	uint32_t *first_use;
	struct flow_use *use;
	uint32_t *first_decider; /* the same, by block */
	uint32_t *decider;       /* branches, and calls of its function */
};

/* Analyzes a kernel with all functions that it calls. The result is on the arena. */
struct flow_dependences *flow_dependences(struct arena *arena, const struct ptx_function *kernel);

/* Returns the number of an instruction of one of the functions, or FLOW_NONE. */
uint32_t flow_number(const struct flow_dependences *dependences, const struct ptx_inst *inst);

/* Returns true when an operand reads a register, as a value, in a vector or in an address. */
bool flow_operand_reads(const struct ptx_operand *operand, uint32_t reg);

/* Marks an instruction and all instructions that it depends on. serves[] has one byte per instruction; the bits of
 * `set` are added to it. */
void flow_slice(const struct flow_dependences *dependences, uint32_t inst, uint8_t set, uint8_t *serves);

#endif
