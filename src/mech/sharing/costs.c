/* Storage of the hardware (section 7.1), and relssp's bits (Figure 11), which the paper does not count. */
#include "mech/sharing/sharing.h"

static uint32_t log2_up(uint32_t value)
{
	uint32_t bits = 0;
	while (1u << bits < value)
		bits++;
	return bits;
}

uint32_t sharing_costs(const void *config, const struct mech_machine *machine, struct mech_cost cost[MECH_MAX_COSTS])
{
	(void)config;
	uint32_t blocks = machine->blocks, partners = blocks * log2_up(blocks + 1),
		 locks = blocks / 2 * log2_up(blocks);
	const struct mech_cost rows[] = {
		{"an SM shares or does not", "bits", 1},
		{"partners of blocks, per SM", "bits", partners},
		{"owner warps, per SM", "bits", machine->warps},
		{"locks of pairs, per SM", "bits", locks},
		{"all of these, per SM", "bits", 1 + partners + machine->warps + locks},
		{"all of these, all SMs", "bits", (1.0 + partners + machine->warps + locks) * machine->sms},
		{"comparators, per scheduler", "circuits", 2},
		{"arithmetic to set a lock, per scheduler", "circuits", 1},
		{"relssp: release bits of threads, per SM", "bits", machine->warps * (double)MECH_LANES},
	};
	uint32_t count = sizeof rows / sizeof *rows;
	for (uint32_t i = 0; i < count; i++)
		cost[i] = rows[i];
	return count;
}
