/* assemble: what an assembler makes of a function before it gives registers, inside flow.
 *
 * All this is for counting registers: what results is never run.
 */
#ifndef SLUICE_FLOW_ASSEMBLE_H
#define SLUICE_FLOW_ASSEMBLE_H

#include "flow/flow.h"

/* What a register is known to hold, whoever reads it. */
enum assemble_kind {
	ASSEMBLE_OWN,      /* what its instructions compute */
	ASSEMBLE_COPY,     /* what another register holds */
	ASSEMBLE_CONSTANT, /* what an instruction can name: an immediate, a word of the constant bank */
	ASSEMBLE_ZERO,     /* the constant that has a register for ever */
};

struct assemble_value {
	enum assemble_kind kind;
	uint32_t of; /* COPY: the register */
};

/* By register. */
struct assemble_values {
	struct assemble_value *value;
	const struct ptx_inst **defined; /* the one instruction that writes it, always, or NULL */
	bool *is_narrow;                 /* 64 bits of which nobody asks for the high half */
};

struct assemble_values assemble_values(struct arena *arena, const struct ptx_function *function);

/* A copy of the function in instructions as a machine has them: those that nobody needs are gone. */
struct ptx_function *assemble_fold(struct arena *arena, const struct ptx_function *function);

/* Brings the instructions of each block into the order in which an assembler that hides latencies issues them, while no
 * more than `limit` 32-bit registers are live. */
void assemble_schedule(struct arena *arena, struct ptx_function *function, uint32_t limit);

/* As flow_registers(), by an assembler that has registers to spare: see ranges.h. */
struct flow_registers *assemble_registers(struct arena *arena, const struct flow_cfg *cfg,
                                          const struct flow_liveness *live);

#endif
