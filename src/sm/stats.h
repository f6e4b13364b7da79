/* stats: the counters of an SM, one row per counter with unit and meaning. All stages count into one struct. */
#ifndef SLUICE_SM_STATS_H
#define SLUICE_SM_STATS_H

#include "base/table.h"

#define SM_COUNTERS(X)                                                                                                 \
	X(warp_instructions, "instructions", "warp instructions issued, exits included")                               \
	X(thread_instructions, "instructions",                                                                         \
	  "lanes that ran, summed over issued warp instructions; a branch counts the lanes that take it")              \
	X(sp_instructions, "instructions", "issued to the SP pipes")                                                   \
	X(sfu_instructions, "instructions", "issued to the SFU pipe")                                                  \
	X(mem_instructions, "instructions", "issued to the load/store pipe")                                           \
	X(int_instructions, "instructions", "issued to the INT pipes of sub-cores")                                    \
	X(dp_instructions, "instructions", "issued to the DP pipes of sub-cores")                                      \
	X(tensor_instructions, "instructions", "issued to the tensor pipes of sub-cores")                              \
	X(fp32_instructions, "instructions", "of those on the SP and SFU pipes, with values of single precision")        \
	X(fp64_instructions, "instructions", "of those on the SP and SFU pipes, with values of double precision")        \
	X(global_loads, "instructions", "warp loads of global memory")                                                 \
	X(global_stores, "instructions", "warp stores to global memory")                                               \
	X(local_accesses, "instructions", "warp loads and stores of local memory")                                     \
	X(shared_accesses, "instructions", "warp loads, stores and atomics of shared memory")                          \
	X(constant_accesses, "instructions", "warp loads of constant memory and parameters")                           \
	X(atomics, "instructions", "warp atomics on global memory")                                                    \
	X(load_lanes, "lanes", "that loaded global or local memory, or ran an atomic on it")                           \
	X(store_lanes, "lanes", "that stored to global or local memory")                                               \
	X(shared_lanes, "lanes", "that accessed shared memory")                                                        \
	X(copies, "instructions", "of global_loads: warp copies to shared memory (cp.async)")                                \
	X(phase_waits, "instructions", "warp waits for an mbarrier's phase that was not over (mbarrier.try_wait)")           \
	X(barriers, "instructions", "warp arrivals at a barrier")                                                      \
	X(branches, "instructions", "warp branches, calls and returns")                                                \
	X(divergent_branches, "instructions", "warp branches whose lanes went both ways")                              \
	X(active_cycles, "cycles", "cycles with a resident block")                                                     \
	X(resident_warp_cycles, "warps", "resident warps, summed over cycles")                                         \
	X(blocks, "blocks", "blocks that ended")                                                                       \
	X(fetches, "fetches", "accepted by the instruction cache")                                                     \
	X(buffer_flushes, "flushes", "instruction buffers emptied because control went elsewhere")                     \
	X(register_reads, "operands", "operands read from the register banks")                                         \
	X(register_conflicts, "operands",                                                                              \
	  "operand reads, summed over cycles, that waited for their bank or collector")                                \
	X(collector_full, "cycles", "cycles that an issued instruction waited for a collector unit")                   \
	X(result_bus_full, "cycles", "cycles that an instruction waited for a result-bus slot or its unit")            \
	X(shared_conflict_cycles, "cycles", \
	  "cycles beyond the first that shared-memory accesses held the banks: by conflicts, and by more bytes than the " \
	  "banks give in a cycle (of 32 lanes, 8 bytes each take 2 cycles without a conflict, 16 bytes 4)")      \
	X(lsu_stall_cycles, "cycles", "cycles that the load/store unit could not finish its instruction")              \
	X(network_full, "cycles", "cycles that a request waited for room in the crossbar")                             \
	X(memory_requests, "requests", "loads and atomics sent beyond L1 that were answered")                          \
	X(memory_latency, "cycles", "summed over memory_requests: from L1's miss to the answer")                       \
	X(spill_loads, "instructions", "of local_accesses: loads of registers that a thread has no room for")          \
	X(spill_stores, "instructions", "of local_accesses: stores of such registers")                                 \
	X(texture_reads, "instructions", "warp reads of textures")                                                     \
	X(stack_issued, "slots", "scheduler cycles that issued")                                                       \
	X(stack_arithmetic, "slots", "oldest ready-to-run warp waited for an arithmetic result")                       \
	X(stack_shared, "slots", "waited for data from shared memory")                                                 \
	X(stack_l1, "slots", "waited for data that L1 or the constant cache had")                                      \
	X(stack_texture, "slots", "waited for data that the texture cache had")                                        \
	X(stack_l2, "slots", "waited for data that L2 had")                                                            \
	X(stack_dram, "slots", "waited for data from DRAM")                                                            \
	X(stack_barrier, "slots", "all warps with an instruction waited at a barrier or fence")                        \
	X(stack_held, "slots", "... or in blocks that a mechanism held; the oldest did")                               \
	X(stack_replayed, "slots",                                                                                     \
	  "... or held by a mechanism, as one whose instruction it turned away; the oldest was")                       \
	X(stack_conflict, "slots", "an instruction was ready but its pipe had no room")                                \
	X(stack_no_instruction, "slots", "no warp had an instruction: fetch or a branch")                              \
	X(stack_idle, "slots", "no warp was alive")

struct sm_stats {
#define X(name, unit, meaning) uint64_t name;
	SM_COUNTERS(X)
#undef X
};

extern const struct base_counter sm_counters[];
extern const size_t sm_counter_count;

#endif
