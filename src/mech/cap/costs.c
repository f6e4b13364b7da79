/* What the hardware costs: Tables I and II, section V-D. */
#include "cap.h"

enum { PC = 4, WARP = 1, ADDRESS = 4, STRIDE = 4, COUNTER = 1 }; /* bytes of fields: Table I */

uint32_t cap_costs(const void *options, const struct mech_machine *machine, struct mech_cost cost[MECH_MAX_COSTS])
{
	const struct cap_config *config = options;
	double row = PC + WARP + ADDRESS * (double)config->accesses;
	double blocks = row * config->block_entries * machine->blocks;
	double strides = (double)(PC + STRIDE + COUNTER) * config->stride_entries;
	const struct mech_cost costs[] = {
		{"row of a PerCTA table", "bytes", row},
		{"row of the DIST table", "bytes", PC + STRIDE + COUNTER},
		{"PerCTA tables of each SM", "bytes", blocks},
		{"DIST table of each SM", "bytes", strides},
		{"tables of each SM", "bytes", blocks + strides},
		/* of the default sizes, in 45 nm: synthesised by the paper */
		{"area of each SM", "mm2", 0.018},
		{"area, of an SM's 22 mm2", "%", 100 * 0.018 / 22},
		{"energy of an access", "pJ", 15.07},
		{"static power of each SM", "uW", 550},
	};
	memcpy(cost, costs, sizeof costs);
	return sizeof costs / sizeof *costs;
}
