/* empty: an empty function for every read-only hook. A mechanism uses those that it needs. */
#ifndef SLUICE_TESTS_MECH_EMPTY_H
#define SLUICE_TESTS_MECH_EMPTY_H

#include "seam/mech.h"

#define EMPTY(hook, ...)                                                                                               \
	__attribute__((unused)) static void empty_##hook(__VA_ARGS__)                                                  \
	{                                                                                                              \
	}

/* Their parameters are unused. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
EMPTY(gpu_open, struct mech_gpu *gpu)
EMPTY(gpu_kernel_begin, struct mech_gpu *gpu)
EMPTY(gpu_kernel_end, struct mech_gpu *gpu)
EMPTY(gpu_block, struct mech_gpu *gpu, const struct mech_block *block)
EMPTY(sm_open, struct mech_sm *sm)
EMPTY(kernel_begin, struct mech_sm *sm)
EMPTY(kernel_end, struct mech_sm *sm)
EMPTY(block_begin, struct mech_sm *sm, const struct mech_block *block)
EMPTY(block_end, struct mech_sm *sm, const struct mech_block *block)
EMPTY(issue, struct mech_sm *sm, const struct mech_issue *issue)
EMPTY(memory, struct mech_sm *sm, const struct mech_memory *memory)
EMPTY(access, struct mech_sm *sm, const struct mech_access *access)
EMPTY(fill, struct mech_sm *sm, const struct mech_fill *fill)
EMPTY(evict, struct mech_sm *sm, const struct mech_eviction *eviction)
EMPTY(on_reply, struct mech_sm *sm, const struct mech_reply *reply)
EMPTY(on_outcome, struct mech_sm *sm, const struct mech_outcome *outcome)
EMPTY(packet_out, struct mech_sm *sm, const struct mech_packet *packet)
EMPTY(packet_in, struct mech_sm *sm, const struct mech_packet *packet)
EMPTY(partition_packet_in, struct mech_partition *partition, const struct mech_packet *packet)
EMPTY(partition_packet_out, struct mech_partition *partition, const struct mech_packet *packet)
EMPTY(partition_open, struct mech_partition *partition)
EMPTY(partition_access, struct mech_partition *partition, const struct mech_access *access)
EMPTY(partition_fill, struct mech_partition *partition, const struct mech_fill *fill)
EMPTY(partition_command, struct mech_partition *partition, const struct mech_command *command)
EMPTY(partition_evict, struct mech_partition *partition, const struct mech_eviction *eviction)

__attribute__((unused)) static uint64_t empty_cycle(struct mech_sm *sm, uint64_t cycle)
{
	return MECH_NEVER;
}

__attribute__((unused)) static uint64_t empty_gpu_cycle(struct mech_gpu *gpu, uint64_t cycle)
{
	return MECH_NEVER;
}
#pragma GCC diagnostic pop

#endif
