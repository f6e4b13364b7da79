/* Hardware costs: Tables I and II and section V-D of the paper. */
#include "cap.h"

enum { PC = 4, WARP = 1, ADDRESS = 4, STRIDE = 4, COUNTER = 1 }; /* field sizes in bytes: Table I */
enum { NODE = 45 };
#define ACCESS_PJ 15.07
#define STATIC_UW 550

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
		/* the paper's synthesis in 45 nm, for the default sizes */
		{"area of each SM", "mm2", 0.018},
		{"area, of an SM's 22 mm2", "%", 100 * 0.018 / 22},
		{"energy of an access", "pJ", ACCESS_PJ},
		{"static power of each SM", "uW", STATIC_UW},
	};
	memcpy(cost, costs, sizeof costs);
	return sizeof costs / sizeof *costs;
}

uint32_t cap_energies(const void *options, const struct mech_machine *machine,
                      struct mech_energy energy[MECH_MAX_ENERGIES])
{
	static const char source[] = "Koo et al., IPDPS 2018, section V-D: CACTI and synthesis for FreePDK 45 nm";
	(void)options;
	(void)machine;
	energy[0] = (struct mech_energy){.what = "accesses of the tables",
	                                 .source = source,
	                                 .node = NODE,
	                                 .events = "table_accesses",
	                                 .picojoules = ACCESS_PJ};
	energy[1] = (struct mech_energy){
		.what = "tables at rest", .source = source, .node = NODE, .watts = STATIC_UW / 1e6};
	return 2;
}
