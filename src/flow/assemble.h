/* assemble: transforms a function as an assembler does before register allocation. Internal to flow.
 *
 * The result is used only to count registers; it is never run.
 */
#ifndef SLUICE_FLOW_ASSEMBLE_H
#define SLUICE_FLOW_ASSEMBLE_H

#include "flow/flow.h"

/* The known content of a register, independent of its readers. */
enum assemble_kind {
	ASSEMBLE_OWN,      /* the result of its instructions */
	ASSEMBLE_COPY,     /* a copy of another register */
	ASSEMBLE_CONSTANT, /* a value that an instruction can encode: an immediate or a word of the constant bank */
	ASSEMBLE_ZERO,     /* the constant that has a dedicated register */
};

struct assemble_value {
	enum assemble_kind kind;
	uint32_t of; /* COPY: the register */
};

/* By register. */
struct assemble_values {
	struct assemble_value *value;
	const struct ptx_inst **defined; /* the only instruction that writes it, unconditionally, or NULL */
	bool *is_narrow;                 /* a 64-bit register whose high half is unused */
};

/* Analyzes a function. The result is on the arena. */
struct assemble_values assemble_values(struct arena *arena, const struct ptx_function *function);

/* Returns a copy of the function in machine-like instructions. Instructions whose results are unused are removed. */
struct ptx_function *assemble_fold(struct arena *arena, const struct ptx_function *function);

/* Orders the instructions of each block as an assembler that hides latencies issues them. At most `limit` 32-bit
 * registers are live. */
void assemble_schedule(struct arena *arena, struct ptx_function *function, uint32_t limit);

/* Like flow_registers(), for an assembler with registers to spare: see ranges.h. */
struct flow_registers *assemble_registers(struct arena *arena, const struct flow_cfg *cfg,
                                          const struct flow_liveness *live);

#endif
