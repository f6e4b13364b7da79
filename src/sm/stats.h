/* stats: the counters of an SM, one row per counter with unit and meaning. All stages count into one struct. */
#ifndef SLUICE_SM_STATS_H
#define SLUICE_SM_STATS_H

#include "base/table.h"

#define SM_COUNTERS(X)                                                                                                 \
	X(warp_instructions, "instructions", "warp instructions issued, exits included")                               \
	X(thread_instructions, "instructions",                                                                         \
	  "active lanes, summed over issued warp instructions; a branch counts the lanes that take it")                \
	X(sp_instructions, "instructions", "warp instructions issued to the SP pipes")                                 \
	X(sfu_instructions, "instructions", "warp instructions issued to the SFU pipe")                                \
	X(mem_instructions, "instructions", "warp instructions issued to the load/store pipe")                         \
	X(int_instructions, "instructions", "warp instructions issued to the INT pipes of sub-cores")                  \
	X(dp_instructions, "instructions", "warp instructions issued to the DP pipes of sub-cores")                    \
	X(tensor_instructions, "instructions", "warp instructions issued to the tensor pipes of sub-cores")            \
	X(fp32_instructions, "instructions", "single-precision warp instructions on the SP and SFU pipes")             \
	X(fp64_instructions, "instructions", "double-precision warp instructions on the SP and SFU pipes")             \
	X(fp32_operations, "operations",                                                                               \
	  "single- and half-precision additions, multiplications, divisions and special functions of lanes; a fused "  \
	  "multiply-add is two, and packed halves count each")                                                         \
	X(fp64_operations, "operations", "the same in double precision")                                               \
	X(tensor_operations, "operations", "multiplications and additions of matrix products")                         \
	X(sp_busy, "cycles", "cycles in which an SP unit could take no instruction after one that it had taken, and "  \
	  "the cycle of taking it, summed over units: initiation intervals")                                           \
	X(sfu_busy, "cycles", "the same for SFU units")                                                                \
	X(int_busy, "cycles", "the same for INT units of sub-cores")                                                   \
	X(dp_busy, "cycles", "the same for DP units of sub-cores")                                                     \
	X(tensor_busy, "cycles", "the same for tensor units of sub-cores")                                             \
	X(global_loads, "instructions", "warp loads of global memory")                                                 \
	X(global_stores, "instructions", "warp stores to global memory")                                               \
	X(local_accesses, "instructions", "warp loads and stores of local memory")                                     \
	X(shared_accesses, "instructions", "warp loads, stores and atomics of shared memory")                          \
	X(constant_accesses, "instructions", "warp loads of constant memory and parameters")                           \
	X(atomics, "instructions", "warp atomics on global memory")                                                    \
	X(load_lanes, "lanes", "lanes that loaded from global or local memory, or ran an atomic on it")                \
	X(store_lanes, "lanes", "lanes that stored to global or local memory")                                         \
	X(shared_lanes, "lanes", "lanes that accessed shared memory")                                                  \
	X(load_bytes, "bytes", "bytes of load_lanes")                                                                  \
	X(store_bytes, "bytes", "bytes of store_lanes")                                                                \
	X(shared_lane_bytes, "bytes", "bytes of shared_lanes")                                                         \
	X(transactions, "requests",                                                                                    \
	  "accesses of lines, or of sectors, into which loads and stores of global and local memory were split")       \
	X(least_transactions, "requests",                                                                              \
	  "transactions that the same instructions would need if their lanes' data lay side by side")                  \
	X(copies, "instructions", "global_loads that are warp copies to shared memory (cp.async)")                     \
	X(phase_waits, "instructions", "warp waits for an unfinished mbarrier phase (mbarrier.try_wait)")              \
	X(barriers, "instructions", "warp arrivals at a barrier")                                                      \
	X(branches, "instructions", "warp branches, calls and returns")                                                \
	X(divergent_branches, "instructions", "warp branches whose lanes went both ways")                              \
	X(active_cycles, "cycles", "cycles in which the SM had a resident block")                                      \
	X(resident_warp_cycles, "warps", "resident warps, summed over cycles")                                         \
	X(blocks, "blocks", "blocks that ended")                                                                       \
	X(fetches, "fetches", "fetches that the instruction cache accepted")                                           \
	X(buffer_flushes, "flushes", "instruction buffers emptied by a change of control flow")                        \
	X(register_reads, "operands", "operands read from the register banks")                                         \
	X(register_conflicts, "operands", "operand reads that waited for their bank or collector, summed over cycles") \
	X(collector_full, "cycles", "cycles in which an issued instruction waited for a collector unit")               \
	X(result_bus_full, "cycles", "cycles in which an instruction waited for a result-bus slot or its unit")        \
	X(shared_conflict_cycles, "cycles",                                                                            \
	  "extra cycles in which a shared-memory access held the banks: bank conflicts, or more bytes than the "       \
	  "banks deliver per cycle (32 lanes of 8 bytes take 2 cycles without a conflict, of 16 bytes 4)")             \
	X(shared_wide_cycles, "cycles",                                                                                \
	  "shared_conflict_cycles that the number of different words demands: they remain without conflicts")          \
	X(shared_busy, "cycles", "cycles in which shared memory's port was used: accesses, their conflicts, copies, "  \
	  "a mechanism's data")                                                                                        \
	X(lsu_stall_cycles, "cycles", "cycles in which the load/store unit could not finish its instruction")          \
	X(network_full, "cycles", "cycles in which a request waited for space in the crossbar")                        \
	X(memory_requests, "requests", "loads and atomics sent beyond L1 that were answered")                          \
	X(memory_latency, "cycles", "cycles from the L1 miss to the reply, summed over memory_requests")               \
	X(spill_loads, "instructions", "local_accesses that load spilled registers")                                   \
	X(spill_stores, "instructions", "local_accesses that store spilled registers")                                 \
	X(texture_reads, "instructions", "warp reads of textures")                                                     \
	X(stack_issued, "slots", "scheduler cycles that issued an instruction")                                        \
	X(issued_along, "instructions",                                                                                \
	  "instructions issued in the same cycle and from the same warp as another one (sm.issue_per_warp)")           \
	X(stack_arithmetic, "slots",                                                                                   \
	  "scheduler cycles in which the oldest warp with an instruction waited for an arithmetic result")             \
	X(stack_shared, "slots", "scheduler cycles in which the oldest warp waited for data from shared memory")       \
	X(stack_l1, "slots",                                                                                           \
	  "scheduler cycles in which the oldest warp waited for data that L1 or the constant cache had")               \
	X(stack_texture, "slots",                                                                                      \
	  "scheduler cycles in which the oldest warp waited for data that the texture cache had")                      \
	X(stack_l2, "slots", "scheduler cycles in which the oldest warp waited for data that L2 had")                  \
	X(stack_dram, "slots", "scheduler cycles in which the oldest warp waited for data from DRAM")                  \
	X(stack_barrier, "slots",                                                                                      \
	  "scheduler cycles in which every warp waited or was held, the oldest at a barrier or fence")                 \
	X(stack_held, "slots",                                                                                         \
	  "scheduler cycles in which every warp waited or was held, the oldest in a block that a mechanism held")      \
	X(stack_replayed, "slots",                                                                                     \
	  "scheduler cycles in which every warp waited or was held, the oldest by a mechanism, which may have "        \
	  "refused its instruction")                                                                                   \
	X(stack_conflict, "slots", "scheduler cycles in which an instruction was ready but its pipe was full")         \
	X(stack_no_instruction, "slots", "scheduler cycles in which no warp had an instruction: fetch or a branch")    \
	X(stack_idle, "slots", "scheduler cycles without a live warp")

struct sm_stats {
#define X(name, unit, meaning) uint64_t name;
	SM_COUNTERS(X)
#undef X
};

extern const struct base_counter sm_counters[];
extern const size_t sm_counter_count;

#endif
