/* The link to the host. */
#include "gpu/machine.h"

#include "base/bits.h"

bool machine_times_copies(const struct machine *machine)
{
	return machine->link.bandwidth || machine->link.latency;
}

/* Bytes per MB/s are microseconds. */
uint64_t machine_copy_cycles(const struct machine *machine, uint64_t bytes)
{
	uint64_t mhz = machine->core_mhz, bandwidth = machine->link.bandwidth;
	uint64_t latency = (machine->link.latency * mhz + 999) / 1000;
	uint64_t moved = bandwidth ? (bytes * mhz + bandwidth - 1) / bandwidth : 0;
	return max_u64(latency + moved, 1);
}
