/* spill: registers that go to local memory, inside flow. */
#ifndef SLUICE_FLOW_SPILL_H
#define SLUICE_FLOW_SPILL_H

#include "flow/edit.h"

/* What an instruction asks of a register that lies in memory: that it is loaded before, that it is stored behind. A
 * result under a guard asks for both: lanes whose guard is off keep the old value. */
struct spill_site {
	uint32_t reg;
	bool loads, stores;
};

enum { SPILL_MAX_SITES = 2 * PTX_MAX_IDS };
/* The registers of an instruction, each once; guards and other predicates too, which are never spilled. */
uint32_t spill_sites(const struct ptx_inst *inst, struct spill_site site[SPILL_MAX_SITES]);

/* Chooses among a function's first `candidates` registers those that must go so that no more than `limit` 32-bit
 * registers are live at any time; `below` has, by instruction, what a call's target needs. NULL: none that would help. */
const uint64_t *spill_choose(struct arena *arena, const struct ptx_function *function, uint32_t candidates,
                             uint32_t limit, const uint32_t *below);

/* A function that is being rewritten. */
struct spill_function {
	struct edit edit;
	struct ptx_variable *depot; /* its variable in local memory that holds the spilled registers, or NULL */
};
void spill_begin(struct spill_function *spilled, struct ptx_module *module, struct ptx_function *function);
/* Puts the registers of a set, of those that it had at first, into the depot: loads them before and stores them behind the
 * instructions that use them, by way of fresh registers, which live no longer. */
void spill_rewrite(struct spill_function *spilled, const uint64_t *set, struct flow_spills *spills);

#endif
