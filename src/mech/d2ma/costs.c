/* Costs and power of the engine (sections 4.1 and 5.5, Table 3): the authors' synthesis for 45 nm, with controllers
 * for 8 blocks. They give only powers, so there are no energies per event. */
#include "mech/d2ma/d2ma.h"

enum {
	/* bits of a buffer's entry: global and shared base, elements, element size, stride, dimensions, mode; halo
	 * rows and columns, region, constant */
	ENTRY_BITS = 64 + 16 + 16 + 2 + 16 + 1 + 2 + 16 + 16 + 8 + 16,
	SHARED_ADDRESS_BITS = 16, /* per MSHR */
	CONTROLLERS = 8,          /* in the published areas */
	NODE = 45,
};
#define CONTROLLERS_UM2 45169.4
#define AGEN_UM2        2246.6
#define COMPARATORS_UM2 1493.8
#define TOTAL_UM2       54604.3 /* as published: 5694.5 more than the sum of the three */
#define CONTROLLERS_MW  2.40
#define AGEN_MW         0.16
#define COMPARATORS_MW  0.29
#define TOTAL_MW        3.72
#define DIE_GTX480_MM2  529.0
#define TDP_GTX480_W    250.0

uint32_t d2ma_costs(const void *options, const struct mech_machine *machine, struct mech_cost cost[MECH_MAX_COSTS])
{
	const struct d2ma_config *config = options;
	double scale = (double)machine->blocks / CONTROLLERS;
	uint32_t mshrs = config->mshrs ? config->mshrs : machine->l1_mshrs;
	double area = TOTAL_UM2 - (CONTROLLERS_UM2 + COMPARATORS_UM2) * (1 - scale);
	double power = TOTAL_MW - (CONTROLLERS_MW + COMPARATORS_MW) * (1 - scale);
	double area_of_all = area * machine->sms / 1e6, power_of_all = power * machine->sms / 1e3;
	const struct mech_cost rows[] = {
		{"an entry of the buffer management table", "bits", ENTRY_BITS},
		{"a controller", "bits", ENTRY_BITS * DMA_BUFFERS},
		{"controllers, per SM", "bytes", ENTRY_BITS * DMA_BUFFERS * machine->blocks / 8.0},
		{"shared addresses of MSHRs, per SM", "bytes", mshrs * SHARED_ADDRESS_BITS / 8.0},
		{"controller array, area at 45 nm, per SM", "um2", CONTROLLERS_UM2 * scale},
		{"AGEN logic, area at 45 nm, per SM", "um2", AGEN_UM2},
		{"comparators, area at 45 nm, per SM", "um2", COMPARATORS_UM2 * scale},
		{"all together, area at 45 nm, per SM", "um2", area},
		{"controller array, power, per SM", "mW", CONTROLLERS_MW * scale},
		{"AGEN logic, power, per SM", "mW", AGEN_MW},
		{"comparators, power, per SM", "mW", COMPARATORS_MW * scale},
		{"all together, power, per SM", "mW", power},
		{"all SMs, of a GTX 480's die (529 mm2)", "%", 100 * area_of_all / DIE_GTX480_MM2},
		{"all SMs, of a GTX 480's power (250 W)", "%", 100 * power_of_all / TDP_GTX480_W},
	};
	uint32_t count = sizeof rows / sizeof *rows;
	for (uint32_t i = 0; i < count; i++)
		cost[i] = rows[i];
	return count;
}

uint32_t d2ma_energies(const void *options, const struct mech_machine *machine,
                       struct mech_energy energy[MECH_MAX_ENERGIES])
{
	static const char source[] = "Jamshidi et al., PACT 2014, Table 3: synthesis for 45 nm, of 8 controllers";
	double scale = (double)machine->blocks / CONTROLLERS;
	const struct {
		const char *what;
		double milliwatts;
	} rows[] = {
		{"controller array", CONTROLLERS_MW * scale},
		{"AGEN logic", AGEN_MW},
		{"RAW consistency logic", COMPARATORS_MW * scale},
		{"the rest of the engine", TOTAL_MW - CONTROLLERS_MW - AGEN_MW - COMPARATORS_MW},
	};
	uint32_t count = sizeof rows / sizeof *rows;
	(void)options;
	for (uint32_t i = 0; i < count; i++)
		energy[i] = (struct mech_energy){
			.what = rows[i].what, .source = source, .node = NODE, .watts = rows[i].milliwatts / 1e3};
	return count;
}
