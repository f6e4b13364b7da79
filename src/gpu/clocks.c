#include "gpu/clocks.h"

#include "gpu/machine.h"

#define FEMTOSECONDS_PER_MHZ_CYCLE 1000000000ull /* 1 / 1 MHz */

void clocks_open(struct clock clock[CLOCKS], const struct machine *machine)
{
	const uint32_t mhz[CLOCKS] = {[CLOCK_CORE] = machine->core_mhz,
	                              [CLOCK_NETWORK] = machine->network_mhz,
	                              [CLOCK_DRAM] = machine->dram_mhz,
	                              [CLOCK_L2] = machine->l2_mhz};
	for (int d = 0; d < CLOCKS; d++) {
		assert(mhz[d]);
		clock[d] = (struct clock){.period = (FEMTOSECONDS_PER_MHZ_CYCLE + mhz[d] / 2) / mhz[d]};
	}
}

void clocks_skip_to(struct clock clock[CLOCKS], uint64_t time)
{
	for (int d = 0; d < CLOCKS; d++)
		if (clock_time(&clock[d]) < time)
			clock[d].cycle = clock_from(&clock[d], time);
}

void clocks_set(struct clock clock[CLOCKS], uint64_t time)
{
	for (int d = 0; d < CLOCKS; d++)
		clock[d].cycle = clock_from(&clock[d], time);
}
