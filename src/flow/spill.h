/* spill: moves registers to local memory. Internal to flow. */
#ifndef SLUICE_FLOW_SPILL_H
#define SLUICE_FLOW_SPILL_H

#include "flow/edit.h"

/* How an instruction uses a spilled register: loaded before it, stored after it. A result under a guard needs both:
 * lanes whose guard is false keep the old value. */
struct spill_site {
	uint32_t reg;
	bool loads, stores;
};

enum { SPILL_MAX_SITES = 2 * PTX_MAX_IDS };
/* Lists the registers of an instruction, each once. Guards and other predicates are included, though they are never
 * spilled. */
uint32_t spill_sites(const struct ptx_inst *inst, struct spill_site site[SPILL_MAX_SITES]);

/* Chooses registers to spill among a function's first `candidates`, so that at most `limit` 32-bit registers are
 * live at any program point. `callee_registers` has, by instruction, the registers that a call's target needs. Returns
 * NULL when no choice helps. */
const uint64_t *spill_choose(struct arena *arena, const struct ptx_function *function, uint32_t candidates,
                             uint32_t limit, const uint32_t *callee_registers);

/* A function during rewriting. */
struct spill_function {
	struct edit edit;
	struct ptx_variable *depot; /* its variable in local memory for spilled registers, or NULL */
};
void spill_begin(struct spill_function *spilled, struct ptx_module *module, struct ptx_function *function);
/* Moves a set of the original registers to the depot. Each instruction that uses one gets a load before it or a
 * store after it, through a new register with a short live range. */
void spill_rewrite(struct spill_function *spilled, const uint64_t *set, struct flow_spills *spills);

#endif
