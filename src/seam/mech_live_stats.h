/* mech_live_stats: live statistics of the machine, computed when a mechanism reads them. A mechanism includes
 * seam/mech.h, which includes this.
 *
 * One row per statistic: name, unit, meaning. Counts run from the kernel's begin to now and include cycles that the
 * unit slept through. They are the same with and without sleep (launch.sleep), and with any number of host threads. In
 * the SM's hook `cycle` and in hooks of the GPU they include the cycle in progress. In other hooks of the SM, its
 * stages may or may not have counted their part of that cycle. */
#ifndef SLUICE_SEAM_MECH_LIVE_STATS_H
#define SLUICE_SEAM_MECH_LIVE_STATS_H

#include <stdint.h>

/* Statistics of an SM: mech_look_at_sm(). The warps_* add up to live_warps. The stack_* add up to cycles x schedulers:
 * they are the levels of the cycle stack, which also classify warps. A slot that waits for a load has no level before
 * its data arrive. */
#define MECH_SM_LIVE_STATS(X)                                                                                          \
	X(l1_mshrs, "MSHRs", "MSHRs of the L1 data cache in use")                                                      \
	X(l1_mshrs_all, "MSHRs", "MSHRs of the L1 data cache")                                                         \
	X(l1_miss_queue, "requests", "misses of the L1 data cache that wait for the network")                          \
	X(l1_miss_queue_all, "requests", "capacity of the L1 miss queue")                                              \
	X(network_flits, "flits", "flits in the SM's port to the request network")                                     \
	X(network_flits_all, "flits", "capacity of the port")                                                          \
	X(mechanism_requests, "requests", "requests of mechanisms that wait in the SM's queue")                        \
	X(instructions_in_flight, "instructions", "instructions that have issued and are not complete")                \
	X(stores_in_flight, "requests", "stores that are not acknowledged")                                            \
	X(atomics_in_flight, "requests", "atomics that are not answered")                                              \
	X(blocks, "blocks", "resident blocks")                                                                         \
	X(live_warps, "warps", "warps with a thread that has not exited")                                              \
	X(warps_ready, "warps", "warps whose next instruction waits for no register")                                  \
	X(warps_arithmetic, "warps", "warps whose next instruction waits for an arithmetic result")                    \
	X(warps_load, "warps", "warps whose next instruction waits for a load, or that wait for an atomic")            \
	X(warps_barrier, "warps", "warps at a barrier or a fence")                                                     \
	X(warps_held, "warps", "warps that a mechanism holds, or whose block it holds")                                \
	X(warps_no_instruction, "warps", "warps without an instruction: fetch or a branch")                            \
	X(warp_instructions, "instructions", "warp instructions issued so far")                                        \
	X(thread_instructions, "instructions", "lanes that ran these instructions, so far")                            \
	X(memory_requests, "requests", "loads and atomics sent beyond L1 that were answered, so far")                  \
	X(memory_latency, "cycles", "latency summed over memory_requests")                                             \
	X(stack_issued, "slots", "scheduler cycles so far that issued an instruction")                                 \
	X(stack_arithmetic, "slots", "... in which the oldest warp waited for an arithmetic result")                   \
	X(stack_shared, "slots", "... for data from shared memory")                                                    \
	X(stack_l1, "slots", "... for data from L1 or the constant cache")                                             \
	X(stack_texture, "slots", "... for data from the texture cache")                                               \
	X(stack_l2, "slots", "... for data from L2")                                                                   \
	X(stack_dram, "slots", "... for data from DRAM")                                                               \
	X(stack_load, "slots", "... for data that have not arrived yet")                                               \
	X(stack_barrier, "slots", "... at a barrier or a fence")                                                       \
	X(stack_held, "slots", "... in a block that a mechanism held")                                                 \
	X(stack_replayed, "slots", "... held by a mechanism itself")                                                   \
	X(stack_conflict, "slots", "... for a free entry in its pipe")                                                 \
	X(stack_no_instruction, "slots", "... for an instruction")                                                     \
	X(stack_idle, "slots", "... with no warp alive")

/* Statistics of a memory partition, an L2 slice with its DRAM channel: mech_look_at_partition(). Slices that share a
 * channel see the same values of it. */
#define MECH_PARTITION_LIVE_STATS(X)                                                                                   \
	X(l2_mshrs, "MSHRs", "MSHRs of the slice in use")                                                              \
	X(l2_mshrs_all, "MSHRs", "MSHRs of the slice")                                                                 \
	X(l2_miss_queue, "requests", "misses that wait for the port to DRAM")                                          \
	X(l2_delay, "requests", "requests between the network and the slice's input queue")                            \
	X(l2_input, "requests", "requests in the input queue")                                                         \
	X(l2_reply, "requests", "replies that wait for the network")                                                   \
	X(l2_accesses, "requests", "requests looked up so far")                                                        \
	X(l2_misses, "requests", "requests that did not find their line, so far")                                      \
	X(dram_queue, "requests", "requests in the queue of the channel's scheduler")                                  \
	X(dram_queue_all, "requests", "capacity of this queue")                                                        \
	X(dram_coming, "requests", "requests in transit to that queue")                                                \
	X(dram_transfers, "bursts", "requests whose data pass the pins")                                               \
	X(dram_returned, "requests", "served requests that wait for their slice")                                      \
	X(dram_cycle, "cycles", "cycle of the command clock at this step, counted from the machine's opening")         \
	X(dram_data_cycles, "cycles", "cycles in which data held the pins, so far")                                    \
	X(dram_requests, "requests", "requests taken by the scheduler so far")                                         \
	X(dram_row_hits, "requests", "of these, requests for the row that was open in their bank")                     \
	X(dram_reads, "commands", "column reads so far")                                                               \
	X(dram_writes, "commands", "column writes so far")                                                             \
	X(dram_activates, "commands", "rows opened so far")

#define MECH_LIVE_STAT(name, unit, meaning) uint64_t name;
struct mech_sm_live_stats {
	MECH_SM_LIVE_STATS(MECH_LIVE_STAT)
};
struct mech_partition_live_stats {
	MECH_PARTITION_LIVE_STATS(MECH_LIVE_STAT)
};
#undef MECH_LIVE_STAT

#endif
