/* machine: a GPU's configuration, as a machine file sets it. Every field is an option of machine_options. */
#ifndef SLUICE_GPU_MACHINE_H
#define SLUICE_GPU_MACHINE_H

#include "base/table.h"
#include "memory/address_map.h"
#include "memory/crossbar.h"
#include "memory/dram.h"
#include "memory/slice.h"
#include "sm/cluster.h"
#include "sm/config.h"

enum { MACHINE_MAX_SMS = 1024, MACHINE_MAX_QUEUES = 1024, MACHINE_MAX_PARTITIONS = 32 };

/* launch.policy (gpu/policy.h). */
enum launch_policy { POLICY_LEFTOVER, POLICY_EVEN, POLICY_PARTITIONS, POLICY_SHARES };

struct machine {
	char name[BASE_OPTION_TEXT_SIZE];
	uint32_t compute_major, compute_minor;
	uint32_t sms;
	uint32_t core_mhz, network_mhz, l2_mhz, dram_mhz;
	char mechanisms[BASE_OPTION_TEXT_SIZE]; /* built-in mechanisms, separated by spaces */
	char warp_order[BASE_OPTION_TEXT_SIZE]; /* the mechanism that owns the warp order, unless another one does */
	uint32_t send_queue;               /* capacity for mechanisms' requests, of each SM and of the dispatcher */
	uint32_t max_block_threads;
	uint32_t shared_per_block;
	uint32_t heap_base_mib, memory_mib; /* base device address of allocations; size of their memory */
	uint32_t memory_bus_bits;
	uint32_t pitch_bytes; /* rows of cudaMallocPitch() are rounded up to a multiple of this */
	bool copies_fill_l2;  /* what copies between host and device move is then in L2 */
	bool reuse_freed;     /* freed device memory is allocated again */
	uint32_t code_align;  /* bytes; alignment of a function's code */
	bool spread_small_grids; /* a grid that does not fill the machine is spread evenly, with fewer blocks per SM */
	uint32_t max_instructions; /* thread instructions over all kernels after which simulation stops; 0: no limit */
	uint32_t window; /* maximum length of a window in core cycles (gpu/cycle.c) */
	uint32_t concurrent; /* most kernels that run at the same time */
	uint32_t queues; /* hardware queues; launches of the same queue start in order */
	uint32_t policy; /* enum launch_policy */
	char partitions[BASE_OPTION_TEXT_SIZE]; /* numbers of SMs, separated by commas */
	uint32_t partition_count, partition_end[MACHINE_MAX_PARTITIONS]; /* derived: the SM after each partition */
	struct {
		uint32_t bandwidth; /* MB/s in each direction; 0: unlimited */
		uint32_t latency;   /* nanoseconds of each copy; if both are 0, copies take no time */
		uint32_t engines;   /* copy engines: 1: for both directions; 2: one for each */
	} link;                     /* to the host */
	uint32_t launch_cycles; /* core cycles between a launch and its first block */
	char carve_outs[BASE_OPTION_TEXT_SIZE]; /* of sm.unified_bytes, in KiB, separated by commas */
	/* core cycles in which warps only poll after which a kernel counts as stalled; 0: never */
	uint32_t livelock;
	uint32_t watchdog; /* core cycles without progress after which a kernel counts as stalled */
	struct sm_config sm;
	struct cluster_config cluster;
	struct crossbar_config network;
	struct address_map map;
	uint32_t interleave_bytes;
	struct slice_config slice;
	struct cache_config l2;
	struct dram_config dram;
};

extern const struct base_option machine_options[];
extern const size_t machine_option_count;

/* Checks the relations between options. False, with a message, when the machine is invalid. */
bool machine_check(const struct machine *machine, struct diag *diag);

/* True when copies between host and device take time. */
bool machine_times_copies(const struct machine *machine);
/* The core cycles that a copy of this size takes on the link. */
uint64_t machine_copy_cycles(const struct machine *machine, uint64_t bytes);

/* Computes derived fields (address map shifts, ...). To be called after all options are set. */
void machine_derive(struct machine *machine);

#endif
