#include "gpu/machine.h"
#include "gpu/machine_lists.h"

#include "sm/sm.h"

#include <stdlib.h>

static const char *const replacement_names[] = {"lru", "fifo", NULL};
static const char *const allocation_names[] = {"on_miss", "on_fill", NULL};
static const char *const write_names[] = {"evict", "through", "back", NULL};
static const char *const write_miss_names[] = {"none", "fetch", "lazy", NULL};
static const char *const pipe_names[] = {"sp", "sfu", "either", "int", "dp", "tensor", NULL};
static const char *const path_names[] = {"fall_through", "taken", "low_lanes", NULL};
static const char *const layout_names[] = {"by_block", "by_sm", NULL};
static const char *const crossbar_names[] = {"router", "local", NULL};
static const char *const slice_hash_names[] = {"none", "polynomial", "random", NULL};
static const char *const bank_hash_names[] = {"none", "xor", "polynomial", NULL};
static const char *const policy_names[] = {"leftover", "even", "partitions", "shares", NULL};
static const char *const turns_names[] = {"by_cycle", "held", NULL};
static const char *const index_names[] = {"linear", "hashed", "polynomial", NULL};

#define AT(field) offsetof(struct machine, field)
#define U32(name, field, low, high, unit, meaning)                                                                     \
	{                                                                                                              \
		name, BASE_OPTION_U32, AT(field), low, high, NULL, unit, meaning                                       \
	}
#define BOOL(name, field, meaning)                                                                                     \
	{                                                                                                              \
		name, BASE_OPTION_BOOL, AT(field), 0, 1, NULL, "", meaning                                             \
	}
#define ENUM(name, field, names, meaning)                                                                              \
	{                                                                                                              \
		name, BASE_OPTION_ENUM, AT(field), 0, 0, names, "", meaning                                            \
	}

#define CACHE_SHAPE(prefix, field)                                                                                     \
	U32(prefix ".sets", field.sets, 1, 65536, "sets", "sets, a power of two unless the index is linear"),          \
		U32(prefix ".ways", field.ways, 1, 1024, "lines", "lines per set"),                                    \
		U32(prefix ".sectors", field.sectors, 1, CACHE_MAX_SECTORS, "sectors",                                 \
	            "sectors per line, each filled and written back separately"),                                      \
		ENUM(prefix ".index", field.index, index_names,                                                        \
	             "how a line's address selects its set; hashed: as Fermi's L1; polynomial: for 16, 32 or 64 "      \
	             "sets"),                                                                                          \
		U32(prefix ".line_bytes", field.line_bytes, 32, 1024, "bytes", "bytes per line, a power of two"),      \
		ENUM(prefix ".replacement", field.replacement, replacement_names, "which line of a set is replaced"),  \
		ENUM(prefix ".allocation", field.allocation, allocation_names, "when a miss reserves its line")
#define CACHE_MISSES(prefix, field)                                                                                    \
	U32(prefix ".mshrs", field.mshrs, 1, 65536, "registers", "largest number of lines in flight"),                 \
		U32(prefix ".merges", field.merges, 1, 65536, "requests",                                              \
	            "largest number of requests that wait for one line"),                                              \
		U32(prefix ".miss_queue", field.miss_queue, 1, 65536, "requests",                                      \
	            "capacity of the queue to the next level"),                                                        \
		U32(prefix ".port_bytes", field.port_bytes, 0, 1024, "bytes",                                          \
	            "bytes that the data port moves per cycle; 0: a line")
#define CACHE(prefix, field)                                                                                           \
	CACHE_SHAPE(prefix, field), ENUM(prefix ".write_hit", field.write, write_names, "the effect of a write hit"),  \
		ENUM(prefix ".write_miss", field.write_miss, write_miss_names,                                         \
	             "the effect of a write miss, besides the write to the next level"),                               \
		CACHE_MISSES(prefix, field),                                                                           \
		U32(prefix ".dirty_percent", field.dirty_percent, 0, 100, "percent",                                   \
	            "smallest share of dirty lines, of all lines, with which a dirty line may be replaced; for "       \
	            "writes that go through and stay (lazy)")
#define READ_CACHE(prefix, field) CACHE_SHAPE(prefix, field), CACHE_MISSES(prefix, field) /* takes no writes */

#define PIPE(prefix, field)                                                                                            \
	U32(prefix ".issue_width", field.issue_width, 1, 8, "instructions",                                            \
	    "instructions issued into the pipe per cycle"),                                                            \
		U32(prefix ".units", field.units, 1, SM_MAX_UNITS, "units", "execution units"),                        \
		U32(prefix ".collectors", field.collectors, 1, 32, "units", "operand collector units"),                \
		U32(prefix ".in_ports", field.in_ports, 1, 8, "ports", "instructions into collectors per cycle"),      \
		U32(prefix ".out_ports", field.out_ports, 1, SM_MAX_UNITS, "ports",                                    \
	            "instructions out of collectors per cycle")

#define LATENCY_OF(name, row, type, column)                                                                            \
	U32("latency." name "." type, sm.latency[PTX_LATENCY_##row][PTX_DATA_##column], 1, SM_MAX_LATENCY_CYCLES - 4,  \
	    "cycles", "execution latency, from entering the unit"),                                                    \
		U32("initiation." name "." type, sm.initiation[PTX_LATENCY_##row][PTX_DATA_##column], 1, 1024,         \
	            "cycles", "interval between two such instructions in one unit")
#define INT_LATENCY(name, row) LATENCY_OF(name, row, "int", INT) /* of rows that exist only for whole numbers */
#define LATENCY(name, row)                                                                                             \
	INT_LATENCY(name, row), LATENCY_OF(name, row, "fp32", FP32), LATENCY_OF(name, row, "fp64", FP64)

#define RUNS_ON_OF(name, row, type, column)                                                                            \
	ENUM("runs_on." name "." type, sm.runs_on[PTX_LATENCY_##row][PTX_DATA_##column], pipe_names,                   \
	     "pipe that executes it; either: SP unless it is full, then SFU; int, dp, tensor: pipes of sub-cores")
#define INT_RUNS_ON(name, row) RUNS_ON_OF(name, row, "int", INT)
#define RUNS_ON(name, row)                                                                                             \
	INT_RUNS_ON(name, row), RUNS_ON_OF(name, row, "fp32", FP32), RUNS_ON_OF(name, row, "fp64", FP64)

const struct base_option machine_options[] = {
	{"name", BASE_OPTION_TEXT, AT(name), 0, 0, NULL, "", "the machine's name"},
	{"mechanisms", BASE_OPTION_TEXT, AT(mechanisms), 0, 0, NULL, "",
         "mechanisms that the machine has built in, separated by spaces, each as --mech takes it; --mech with the name "
         "of one changes its options"},
	U32("compute.major", compute_major, 1, 12, "", "compute capability, major number"),
	U32("compute.minor", compute_minor, 0, 9, "", "compute capability, minor number"),
	U32("clock.core", core_mhz, 1, 100000, "MHz", "clock of the SMs"),
	U32("clock.network", network_mhz, 1, 100000, "MHz", "clock of the crossbars"),
	U32("clock.l2", l2_mhz, 1, 100000, "MHz", "clock of the L2 slices"),
	U32("clock.dram", dram_mhz, 1, 100000, "MHz", "command clock of the memory channels"),
	U32("launch.max_block_threads", max_block_threads, WARP_SIZE, (SIMT_MAX_WARPS * WARP_SIZE), "threads",
            "most threads of a block"),
	BOOL("launch.spread_small_grids", spread_small_grids,
             "a grid that does not fill the machine is spread evenly: each SM gets the same number of blocks"),
	U32("launch.window", window, 1, 1000, "cycles",
            "most core cycles that an SM may run ahead of the others; 1: all SMs in lockstep. Changes no result "
            "(two exceptions: docs/explanation/timing-model.md, Races)"),
	BOOL("launch.sleep", sm.sleep,
             "SMs skip cycles in which nothing can happen in them; changes no result except host time"),
	U32("launch.max_instructions", max_instructions, 0, 4e9, "instructions",
            "thread instructions, over all kernels of a program, after which its run stops; 0: no limit"),
	U32("launch.concurrent", concurrent, 1, SM_MAX_KERNELS, "kernels", "most kernels that run at the same time"),
	U32("launch.queues", queues, 1, MACHINE_MAX_QUEUES, "queues",
            "hardware queues of launches: stream N has queue N modulo this, and launches of a queue start in order"),
	ENUM("launch.policy", policy, policy_names,
             "which of several running kernels starts a block on an SM: the first with blocks left; SMs divided "
             "evenly; "
             "launch.partitions; each SM divided by shares of its resources"),
	{"launch.partitions", BASE_OPTION_TEXT, AT(partitions), 0, 0, NULL, "",
         "numbers of SMs, with commas: groups of SMs; kernels of stream N use group N modulo their number"},
	U32("link.bandwidth", link.bandwidth, 0, 4e9, "MB/s",
            "bandwidth of the link to the host in each direction, for copies; 0: unlimited"),
	U32("link.latency", link.latency, 0, 1e9, "ns",
            "time of each copy besides its bytes; with an unlimited bandwidth and 0 here, copies take no time"),
	U32("link.engines", link.engines, 1, 2, "engines",
            "copy engines, each of which makes one copy at a time; 1: for both directions; 2: one for each"),
	U32("launch.latency", launch_cycles, 0, 1000000, "cycles", "core cycles between a launch and its first block"),
	U32("launch.watchdog", watchdog, 1000, 4e9, "cycles",
            "cycles without progress after which a kernel counts as stalled"),
	U32("launch.livelock", livelock, 0, 4e9, "cycles",
            "cycles after which a kernel counts as stalled while all warps only poll and return to earlier states; at "
            "least 20000; 0: never"),
	U32("memory.heap_base", heap_base_mib, 512, 1048576, "MiB", "device address of the first allocation"),
	U32("memory.size", memory_mib, 1, 1048576, "MiB", "memory for allocations"),
	U32("memory.pitch", pitch_bytes, 1, 65536, "bytes", "cudaMallocPitch() rounds rows up to a multiple of this"),
	BOOL("memory.reuse_freed", reuse_freed,
             "freed memory is allocated again; else each allocation lies above all earlier ones"),
	BOOL("memory.copies_fill_l2", copies_fill_l2,
             "copies between host and device leave what they move in L2, at once and without traffic"),
	U32("memory.code_align", code_align, 8, 4096, "bytes",
            "a function's code begins at a multiple of this; 8: directly after the previous function in the PTX"),
	U32("memory.bus_bits", memory_bus_bits, 8, 65536, "bits",
            "width of the memory interface, as device properties report it"),

	U32("sm.count", sms, 1, MACHINE_MAX_SMS, "SMs", "streaming multiprocessors"),
	U32("sm.per_cluster", cluster.sms, 1, MACHINE_MAX_SMS, "SMs",
            "SMs per cluster, which share a port to the networks; sm.count is a multiple of it. 1: each SM has its own "
            "port"),
	U32("sm.cluster_replies", cluster.replies, 1, 65536, "packets",
            "capacity of the reply queue of a cluster of more than one SM"),
	U32("sm.replies", cluster.own_replies, 1, 65536, "packets",
            "capacity of each SM's own reply queue, in such a cluster"),
	ENUM("sm.cluster_turns", cluster.turns, turns_names,
             "arbitration of SMs at their cluster's port; by_cycle: each SM is first in its cycle, smaller packets may "
             "pass; held: the SM in turn is never passed"),
	U32("sm.warps", sm.warps, 1, SM_MAX_WARPS, "warps", "warp slots"),
	U32("sm.blocks", sm.blocks, 1, SM_MAX_BLOCKS, "blocks", "block slots"),
	U32("sm.registers", sm.registers, 1024, 1048576, "registers", "32-bit registers"),
	U32("sm.registers_per_thread", sm.registers_per_thread, 0, 1024, "registers",
            "most registers per thread, the rest is spilled to local memory; 0: the most with which one block fits"),
	U32("sm.register_unit", sm.register_unit, 1, 64, "registers",
            "registers per thread are rounded up to a multiple of this"),
	U32("sm.shared_bytes", sm.shared_bytes, 0, 1048576, "bytes", "shared memory"),
	U32("sm.shared_per_block", shared_per_block, 0, 1048576, "bytes", "shared memory that one block may have"),
	U32("sm.schedulers", sm.schedulers, 1, SM_MAX_SCHEDULERS, "schedulers",
            "warp schedulers, each of which issues one instruction per cycle"),
	{"sm.warp_order", BASE_OPTION_TEXT, AT(warp_order), 0, 0, NULL, "",
         "the warp-order policy: a mechanism with its options, as --mech takes it"},
	U32("sm.issue_per_warp", sm.issue_per_warp, 1, SM_MAX_ISSUES, "instructions",
            "most instructions that a scheduler issues from its chosen warp per cycle"),
	BOOL("sm.issue_other_pipe", sm.issue_other_pipe, "each of them goes to another pipe than the one before"),
	BOOL("sm.schedulers_alternate", sm.alternate,
             "schedulers alternate in going first; else the first scheduler always does"),
	U32("sm.send_queue", send_queue, 1, 4096, "requests",
            "capacity of the queue of mechanisms' requests; the dispatcher's queue has the same"),
	U32("sm.fetches", sm.fetches, 1, SM_FETCHES, "warps", "warps that fetch per cycle"),
	U32("sm.fetch_bytes", sm.fetch_bytes, 8, 8 * SM_IBUFFER, "bytes", "bytes per fetch; an instruction has 8"),
	BOOL("sm.fetch_hands_over", sm.fetch_hands_over,
             "an arriving line of code is handed to the warp that waits for it; else the warp fetches again"),
	BOOL("sm.sub_cores", sm.sub_cores,
             "each scheduler has its own collectors, register banks (an equal own) and one unit of each pipe; sm.sp, "
             "sm.sfu and sm.mem then have no effect"),
	U32("sm.sub_core_collectors", sm.sub_core_collectors, 1, 8, "units", "collector units per sub-core"),
	U32("sm.collector_ports", sm.collector_ports, 1, 64, "ports",
            "ports into a sub-core's collectors, each for one instruction of each pipe per step"),
	U32("sm.dispatch_ports", sm.dispatch_ports, 1, SM_MAX_DISPATCH_PORTS, "ports",
            "ports out of a sub-core's collectors"),
	U32("sm.operand_steps", sm.operand_steps, 1, 4, "steps", "steps of the operand collectors per cycle"),
	PIPE("sm.sp", sm.pipe[PTX_UNIT_SP]),
	PIPE("sm.sfu", sm.pipe[PTX_UNIT_SFU]),
	PIPE("sm.mem", sm.pipe[PTX_UNIT_MEM]),
	U32("sm.register_banks", sm.register_banks, 1, SM_MAX_BANKS, "banks", "register file banks"),
	BOOL("sm.collectors_read_many", sm.collectors_read_many,
             "a collector unit takes operands from several banks per cycle, as in sub-cores; else from one"),
	BOOL("sm.lsu_takes_late", sm.lsu_takes_late,
             "an instruction enters the load/store unit one cycle before its first access, as with sub-cores; else in "
             "the same cycle"),
	U32("sm.result_bus", sm.result_bus, 1, 24, "results", "arithmetic results per cycle"),
	U32("sm.shared_banks", sm.shared_banks, 1, SHARED_MAX_BANKS, "banks", "shared memory banks, 4 bytes wide"),
	U32("sm.shared_latency", sm.shared_latency, 1, SM_SHARED_PIPE, "cycles",
            "latency of shared memory after the bank access"),
	U32("sm.unified_bytes", sm.unified_bytes, 0, 4194304, "bytes",
            "memory that the L1 data cache and shared memory divide by a kernel's need; l1d.ways then counts all of it "
            "as L1; 0: separate"),
	{"sm.carve_outs", BASE_OPTION_TEXT, AT(carve_outs), 0, 0, NULL, "",
         "sizes that shared memory may take of sm.unified_bytes: KiB in rising order, with commas, as 0,8,16,32"},
	U32("sm.l1_banks", sm.l1_banks, 1, SM_L1_BANKS, "banks",
            "banks of the L1 tags, 32 bytes wide, one access per cycle each, a power of two"),
	U32("sm.l1_latency", sm.l1_latency, 0, SM_L1_PIPE, "cycles",
            "cycles between the load/store unit and the L1 tags; 0: none"),
	ENUM("sm.first_path", sm.first_path, path_names,
             "which path runs first after a branch diverges; low_lanes: the path without the highest lane"),
	ENUM("sm.local_layout", sm.local_layout, layout_names,
             "layout of local memory's words: blocks of neighboring SMs side by side, or SM by SM"),
	BOOL("sm.shared_atomics_hold", sm.shared_atomics_hold,
             "a warp issues nothing while its atomic on shared memory is in flight, as with global atomics"),
	BOOL("sm.async_copies", sm.async_copies,
             "copies from global to shared memory (cp.async) run asynchronously to their warp; else they are a load "
             "and a store"),
	U32("sm.try_wait_cycles", sm.try_wait_cycles, 0, 1000000, "cycles",
            "most cycles that mbarrier.try_wait holds its warp until a phase ends; 0: it returns at once"),
	U32("sm.atomic_bytes", sm.atomic_bytes, 32, 128, "bytes", "size of the pieces in which atomics are sent to L2"),
	BOOL("sm.global_skips_l1", sm.global_skips_l1, "global loads and stores bypass L1"),
	BOOL("sm.flush_l1", sm.flush_l1, "the L1 data cache is invalidated at a kernel's end"),
	BOOL("sm.perfect_l1", sm.l1d.perfect,
             "idealised: loads and stores always hit in L1 and send nothing to L2; atomics still go to L2"),
	BOOL("sm.zero_latency_memory", sm.zero_latency_memory,
             "idealised: each request that leaves an SM is answered in the next cycle, without network, L2 and DRAM"),
	LATENCY("move", MOVE),
	LATENCY("add", ADD),
	LATENCY("max", MAX),
	LATENCY("mul", MUL),
	LATENCY("mad", MAD),
	LATENCY("fma", FMA),
	INT_LATENCY("mul24", MUL24),
	INT_LATENCY("mad24", MAD24),
	LATENCY("div", DIV),
	INT_LATENCY("rem", REM),
	LATENCY("special", SPECIAL),
	LATENCY("mma_256", MMA_256),
	LATENCY("mma_512", MMA_512),
	LATENCY("mma_1k", MMA_1K),
	LATENCY("mma_2k", MMA_2K),
	LATENCY("mma_4k", MMA_4K),
	LATENCY("mma_8k", MMA_8K),
	LATENCY("shuffle", SHUFFLE),
	LATENCY("branch", BRANCH),
	LATENCY("barrier", BARRIER),
	RUNS_ON("move", MOVE),
	RUNS_ON("add", ADD),
	RUNS_ON("max", MAX),
	RUNS_ON("mul", MUL),
	RUNS_ON("mad", MAD),
	RUNS_ON("fma", FMA),
	INT_RUNS_ON("mul24", MUL24),
	INT_RUNS_ON("mad24", MAD24),
	RUNS_ON("div", DIV),
	INT_RUNS_ON("rem", REM),
	RUNS_ON("special", SPECIAL),
	RUNS_ON("mma", MMA_256),
	RUNS_ON("shuffle", SHUFFLE),
	RUNS_ON("branch", BRANCH),
	RUNS_ON("barrier", BARRIER),
	CACHE("l1d", sm.l1d),
	BOOL("l1d.writes_pass", sm.l1d.writes_pass,
             "a write that reserves no line goes to L2 even when no line of its set can be replaced; else it waits "
             "until one can"),
	READ_CACHE("l1i", sm.l1i),
	READ_CACHE("l1c", sm.l1c),
	BOOL("l1i.perfect", sm.l1i.perfect, "idealised: instruction fetches always hit"),
	BOOL("l1c.perfect", sm.l1c.perfect, "idealised: constants and parameters always hit"),
	U32("l1t.sets", sm.texture.cache.sets, 1, 65536, "sets", "sets, a power of two unless the index is linear"),
	U32("l1t.ways", sm.texture.cache.ways, 1, 1024, "lines", "lines per set"),
	U32("l1t.line_bytes", sm.texture.cache.line_bytes, 32, 1024, "bytes", "bytes per line, a power of two"),
	ENUM("l1t.index", sm.texture.cache.index, index_names, "how a line's address selects its set"),
	ENUM("l1t.replacement", sm.texture.cache.replacement, replacement_names, "which line of a set is replaced"),
	U32("l1t.fragments", sm.texture.fragments, 1, 65536, "accesses",
            "capacity of the queue of accesses that wait, in order, for their data"),
	U32("l1t.requests", sm.texture.requests, 1, 65536, "requests",
            "capacity of the queue of misses that wait for the network"),
	U32("l1t.lines", sm.texture.lines, 1, 65536, "lines",
            "capacity of the queue of misses whose data have not been taken"),
	U32("l1t.results", sm.texture.results, 1, 65536, "accesses",
            "capacity of the queue of accesses with data that wait for write-back"),
	U32("l1t.latency", sm.texture.latency, 0, 100000, "cycles",
            "cycles that the texture unit needs per access, besides one cycle per step"),

	ENUM("network.kind", network.kind, crossbar_names,
             "router: transfers flit by flit; local: transfers whole packets, each counted as one flit, from port to "
             "port in one step"),
	U32("network.flit_bytes", network.flit_bytes, 8, 1024, "bytes", "bytes per flit"),
	U32("network.speedup", network.speedup, 1, 8, "steps", "allocation steps of a router per cycle"),
	U32("network.injection_flits", network.injection_flits, 1, CROSSBAR_MAX_FLITS, "flits",
            "capacity of the queue at an input"),
	U32("network.buffer_flits", network.buffer_flits, 1, CROSSBAR_MAX_FLITS, "flits",
            "capacity of each input buffer and each ejection buffer"),
	U32("network.boundary_flits", network.boundary_flits, 1, CROSSBAR_MAX_FLITS, "flits",
            "capacity of the consumer's buffer"),

	U32("map.channels", map.channels, 1, 64, "channels", "memory channels"),
	U32("map.slices_per_channel", map.slices_per_channel, 1, 8, "slices", "L2 slices per channel, a power of two"),
	U32("map.interleave_bytes", interleave_bytes, 128, 65536, "bytes",
            "consecutive bytes on one channel, a power of two"),
	U32("map.banks", map.banks, 1, DRAM_MAX_BANKS, "banks", "DRAM banks per channel, a power of two"),
	U32("map.column_bits", map.column_bits, 0, 16, "bits",
            "column bits between the low and the high bank bits, or below both (map.columns_lowest)"),
	BOOL("map.columns_lowest", map.columns_lowest,
             "all bank bits lie above the columns; not with map.slices_inside"),
	BOOL("map.slices_inside", map.slices_inside,
             "the slices of a channel alternate inside map.interleave_bytes; else the slice bits lie above the "
             "channel's"),
	ENUM("map.slice_hash", map.slice_hash, slice_hash_names,
             "hash of channel and slice with the address bits above; polynomial: for 16, 32 or 64 slices, counted with "
             "the next power of two of channels; random: the address selects any slice"),
	ENUM("map.bank_hash", map.bank_hash, bank_hash_names,
             "combination of the bank's number with the low bits of the row's; polynomial: for 16, 32 or 64 banks"),

	CACHE("l2", l2),
	BOOL("l2.by_sectors", slice.by_sectors,
             "requests are split into sectors, each looked up and answered separately"),
	U32("l2.delay", slice.delay, 0, 100000, "cycles", "delay between the crossbar and the input queue"),
	U32("l2.input_queue", slice.input_queue, 1, 65536, "requests", "capacity of the input queue"),
	U32("l2.reply_queue", slice.reply_queue, 1, 65536, "requests", "capacity of the queue to the reply crossbar"),
	U32("l2.to_dram_queue", slice.to_dram_queue, 1, 65536, "requests",
            "capacity of the queue from L2 to the channel"),
	U32("l2.from_dram_queue", slice.from_dram_queue, 1, 65536, "requests",
            "capacity of the queue from the channel to L2"),

	U32("dram.queue", dram.queue, 1, 65536, "requests", "requests that the scheduler chooses from"),
	U32("dram.urgent_limit", dram.urgent_limit, 1, 1000000, "requests",
            "urgent requests of a bank that may overtake an ordinary one"),
	U32("dram.return_queue", dram.return_queue, 1, 65536, "requests",
            "capacity of the queue of requests that return to L2"),
	U32("dram.atom_bytes", dram.atom_bytes, 16, 1024, "bytes", "bytes that a column command moves"),
	U32("dram.burst_cycles", dram.burst_cycles, 1, 64, "cycles", "cycles that a burst holds the pins"),
	U32("dram.bank_groups", dram.bank_groups, 1, DRAM_MAX_BANKS, "groups", "bank groups, a power of two"),
	BOOL("dram.group_low_bits", dram.group_low_bits,
             "the low bits of a bank's number are its group, else the high bits"),
	BOOL("dram.dual_bus", dram.dual_bus, "a column command and a row command may issue in one cycle"),
	BOOL("dram.row_beside_column", dram.row_beside_column,
             "an activate or precharge and a later bank's read or write may issue in one cycle"),
	U32("dram.latency", dram.latency, 0, 100000, "cycles", "L2 cycles between a slice and the scheduler"),
	U32("dram.tCCD", dram.ccd, 1, 1000, "cycles", "column to column"),
	U32("dram.tCCDL", dram.ccd_long, 1, 1000, "cycles", "column to column in a bank group"),
	U32("dram.tRRD", dram.rrd, 1, 1000, "cycles", "activate to activate of another bank"),
	U32("dram.tRCD", dram.rcd, 1, 1000, "cycles", "activate to read"),
	U32("dram.tRCDWR", dram.rcd_write, 1, 1000, "cycles", "activate to write"),
	U32("dram.tRAS", dram.ras, 1, 1000, "cycles", "activate to precharge"),
	U32("dram.tRP", dram.rp, 1, 1000, "cycles", "precharge to activate"),
	U32("dram.tRC", dram.rc, 1, 1000, "cycles", "activate to activate of one bank"),
	U32("dram.tCL", dram.cl, 1, 1000, "cycles", "read to data"),
	U32("dram.tWL", dram.wl, 1, 1000, "cycles", "write to data"),
	U32("dram.tRTW", dram.rtw, 1, 1000, "cycles", "read to write"),
	U32("dram.tWTR", dram.wtr, 1, 1000, "cycles", "write to read"),
	U32("dram.tRTP", dram.rtp, 1, 1000, "cycles", "read to precharge"),
	U32("dram.tRTPL", dram.rtp_long, 1, 1000, "cycles", "read to precharge in a bank group"),
	U32("dram.tWTP", dram.wtp, 1, 1000, "cycles", "write to precharge"),
};
const size_t machine_option_count = sizeof machine_options / sizeof machine_options[0];

static bool power_of_two(uint32_t value)
{
	return value && !(value & (value - 1));
}

static void check_cache(const char *name, const struct cache_config *cache, bool takes_writes, struct diag *diag)
{
	if (!power_of_two(cache->sectors) || cache->line_bytes / cache->sectors < 32)
		diag_plain(diag,
		           "%s.sectors is %u; expected 1, 2 or 4, of at least 32 bytes each of %s.line_bytes (%u)",
		           name, cache->sectors, name, cache->line_bytes);
	if (cache->index == INDEX_HASHED && cache->sets != 32 && cache->sets != 64)
		diag_plain(diag, "%s.sets is %u; %s.index hashed is defined for 32 and 64 sets", name, cache->sets,
		           name);
	if (cache->index == INDEX_POLYNOMIAL && !polynomial_hash_knows(cache->sets))
		diag_plain(diag, "%s.sets is %u; %s.index polynomial is defined for 16, 32 and 64 sets", name,
		           cache->sets, name);
	if (cache->index == INDEX_HASHED && cache->line_bytes != 128)
		diag_plain(diag, "%s.line_bytes is %u; %s.index hashed is defined for lines of 128 bytes", name,
		           cache->line_bytes, name);
	if (!power_of_two(cache->line_bytes))
		diag_plain(diag, "%s.line_bytes is %u; expected a power of two", name, cache->line_bytes);
	if (cache->write_miss == WRITE_MISS_FETCH && cache->miss_queue < 3)
		diag_plain(diag, "%s.miss_queue is %u; a write miss that fetches (%s.write_miss) needs 3", name,
		           cache->miss_queue, name);
	if (tags_keep_dirty(cache) &&
	    cache->dirty_percent * cache->sets > 100) /* otherwise a set with only dirty lines could not be replaced */
		diag_plain(diag, "%s.dirty_percent is %u; expected at most 100 / %s.sets (%u)", name,
		           cache->dirty_percent, name, cache->sets);
	if (cache->allocation == ALLOCATE_ON_FILL && takes_writes && cache->write_miss == WRITE_MISS_LAZY)
		diag_plain(diag, "%s.allocation is on_fill; with %s.write_miss lazy it must be on_miss", name, name);
	if (cache->allocation == ALLOCATE_ON_MISS && cache->miss_queue < 2)
		diag_plain(diag, "%s.miss_queue is %u; a miss that writes back (%s.allocation on_miss) needs 2", name,
		           cache->miss_queue, name);
}

static void check_texture(const struct cache_config *tags, struct diag *diag)
{
	struct cache_config cache = *tags;
	cache.sectors = 1;
	cache.miss_queue = 2; /* it has separate queues */
	check_cache("l1t", &cache, false, diag);
}

/* Checks that transfers from L1's caches fit a line of L2, which takes them whole or in the pieces of a store's
 * masks. */
static void check_sectors(const struct machine *machine, struct diag *diag)
{
	const struct cache_config *l2 = &machine->l2;
	const struct {
		const char *name;
		uint32_t line_bytes;
	} l1[] = {{"l1d", machine->sm.l1d.line_bytes},
	          {"l1i", machine->sm.l1i.line_bytes},
	          {"l1c", machine->sm.l1c.line_bytes},
	          {"l1t", machine->sm.texture.cache.line_bytes}};
	for (size_t i = 0; i < sizeof l1 / sizeof *l1; i++)
		if (l1[i].line_bytes > l2->line_bytes)
			diag_plain(diag, "%s.line_bytes is %u; expected at most l2.line_bytes (%u)", l1[i].name,
			           l1[i].line_bytes, l2->line_bytes);
	if (machine->slice.by_sectors && l2->line_bytes / l2->sectors != REQUEST_CHUNK_BYTES)
		diag_plain(diag, "l2.line_bytes %u and l2.sectors %u; with l2.by_sectors a sector has %u bytes",
		           l2->line_bytes, l2->sectors, REQUEST_CHUNK_BYTES);
	if (!machine->slice.by_sectors && l2->sectors > 1)
		diag_plain(diag, "l2.sectors is %u; more than 1 needs l2.by_sectors", l2->sectors);
}

/* The name of the option that selects the pipe of an arithmetic kind. */
static const char *runs_on_name(uint32_t latency, uint32_t type)
{
	size_t offset = AT(sm.runs_on) + (latency * PTX_DATA_TYPES + type) * sizeof(uint32_t);
	for (size_t i = 0; i < machine_option_count; i++)
		if (machine_options[i].offset == offset)
			return machine_options[i].name;
	return "runs_on";
}

static void check_sub_cores(const struct sm_config *sm, struct diag *diag)
{
	uint32_t each = sm->register_banks / sm->schedulers;
	for (uint32_t i = 0; i < PTX_LATENCIES; i++)
		for (uint32_t type = 0; type < PTX_DATA_TYPES; type++)
			if (sm->sub_cores ? sm->runs_on[i][type] == PIPE_EITHER : sm->runs_on[i][type] > PIPE_EITHER) {
				diag_plain(diag, "%s is %s, which does not exist %s sm.sub_cores",
				           runs_on_name(i, type), pipe_names[sm->runs_on[i][type]],
				           sm->sub_cores ? "with" : "without");
				return;
			}
	if (!sm->sub_cores)
		return;
	if (sm->schedulers > SM_MAX_SUB_CORES)
		diag_plain(diag, "sm.schedulers is %u; with sm.sub_cores at most %u", sm->schedulers, SM_MAX_SUB_CORES);
	if (each * sm->schedulers != sm->register_banks || !power_of_two(each))
		diag_plain(diag,
		           "sm.register_banks is %u; with sm.sub_cores each scheduler has a power of two of them, and "
		           "sm.schedulers is %u",
		           sm->register_banks, sm->schedulers);
}

static void check_carve_outs(const struct machine *machine, struct diag *diag)
{
	struct sm_config sm = machine->sm;
	bool is_list = machine_read_carve_outs(machine, &sm);
	uint32_t last = sm.carve_outs ? sm.carve_out[sm.carve_outs - 1] : 0;
	if (!is_list)
		diag_plain(diag,
		           "sm.carve_outs is '%s'; expected at most %d numbers of KiB in rising order, with commas",
		           machine->carve_outs, SM_CARVE_OUTS);
	else if (sm.unified_bytes && (last >= sm.unified_bytes || last < sm.shared_bytes))
		diag_plain(diag,
		           "sm.carve_outs ends at %u bytes; expected sm.shared_bytes (%u) or more, below "
		           "sm.unified_bytes (%u)",
		           last, sm.shared_bytes, sm.unified_bytes);
	if (sm.unified_bytes && !sm.flush_l1)
		diag_plain(diag, "sm.unified_bytes is %u; it needs sm.flush_l1", sm.unified_bytes);
}

static void check_slices(const struct machine *machine, struct diag *diag)
{
	if (!power_of_two(machine->map.slices_per_channel))
		diag_plain(diag, "map.slices_per_channel is %u; expected a power of two",
		           machine->map.slices_per_channel);
	if (machine->map.columns_lowest && machine->map.slices_inside)
		diag_plain(diag, "map.columns_lowest and map.slices_inside are both true; expected at most one");
	if (machine->map.slice_hash == SLICE_HASH_POLYNOMIAL &&
	    !polynomial_hash_knows(address_map_hash_places(&machine->map)))
		diag_plain(diag,
		           "map.channels %u and map.slices_per_channel %u; map.slice_hash polynomial is defined for "
		           "16, 32 and 64 slices, with the next power of two of channels",
		           machine->map.channels, machine->map.slices_per_channel);
	if (machine->map.bank_hash == BANK_HASH_POLYNOMIAL && !polynomial_hash_knows(machine->map.banks))
		diag_plain(diag, "map.banks is %u; map.bank_hash polynomial is defined for 16, 32 and 64 banks",
		           machine->map.banks);
	if (machine->map.slices_inside &&
	    machine->interleave_bytes / machine->map.slices_per_channel < machine->l2.line_bytes)
		diag_plain(diag,
		           "map.interleave_bytes is %u; with map.slices_inside each of map.slices_per_channel (%u) "
		           "slices has a line of "
		           "l2.line_bytes (%u) of it",
		           machine->interleave_bytes, machine->map.slices_per_channel, machine->l2.line_bytes);
	if (machine->slice.by_sectors && machine->slice.input_queue < CACHE_MAX_SECTORS)
		diag_plain(diag, "l2.input_queue is %u; with l2.by_sectors it must hold the %u sectors of a line",
		           machine->slice.input_queue, CACHE_MAX_SECTORS);
}

static void check_network(const struct machine *machine, struct diag *diag)
{
	const struct crossbar_config *network = &machine->network;
	uint32_t packet =
		(REQUEST_HEADER_BYTES + machine->l2.line_bytes + network->flit_bytes - 1) / network->flit_bytes;
	if (network->kind == CROSSBAR_LOCAL)
		packet = 1;
	if (packet > network->injection_flits || packet > network->boundary_flits)
		diag_plain(diag,
		           "a packet with a line of l2.line_bytes (%u) has %u flits of network.flit_bytes (%u); "
		           "network.injection_flits (%u) and network.boundary_flits (%u) must hold one",
		           machine->l2.line_bytes, packet, network->flit_bytes, network->injection_flits,
		           network->boundary_flits);
	if (network->flit_bytes % 8)
		diag_plain(diag, "network.flit_bytes is %u; expected a multiple of 8", network->flit_bytes);
}

bool machine_check(const struct machine *machine, struct diag *diag)
{
	const struct sm_config *sm = &machine->sm;
	uint32_t errors = diag->errors;

	check_cache("l1d", &sm->l1d, true, diag);
	check_cache("l1i", &sm->l1i, false, diag);
	check_cache("l1c", &sm->l1c, false, diag);
	check_texture(&sm->texture.cache, diag);
	check_cache("l2", &machine->l2, true, diag);
	check_sectors(machine, diag);
	check_slices(machine, diag);
	if (machine->sms % machine->cluster.sms)
		diag_plain(diag, "sm.count is %u; expected a multiple of sm.per_cluster (%u), the SMs of a cluster",
		           machine->sms, machine->cluster.sms);
	if (!power_of_two(sm->atomic_bytes))
		diag_plain(diag, "sm.atomic_bytes is %u; expected a power of two", sm->atomic_bytes);
	if (!power_of_two(sm->l1_banks) || (sm->l1_banks > 1 && !sm->l1_latency))
		diag_plain(diag, "sm.l1_banks is %u; expected 1, or 2 or 4 with sm.l1_latency of at least 1",
		           sm->l1_banks);
	check_sub_cores(sm, diag);
	check_carve_outs(machine, diag);
	machine_check_partitions(machine, diag);
	if (sm->fetch_bytes % 8)
		diag_plain(diag, "sm.fetch_bytes is %u; expected a multiple of 8", sm->fetch_bytes);
	if (!power_of_two(sm->register_banks))
		diag_plain(diag, "sm.register_banks is %u; expected a power of two", sm->register_banks);
	if (!power_of_two(machine->map.banks))
		diag_plain(diag, "map.banks is %u; expected a power of two", machine->map.banks);
	if (!power_of_two(machine->interleave_bytes) || machine->interleave_bytes < machine->l2.line_bytes)
		diag_plain(diag, "map.interleave_bytes is %u; expected a power of two, at least l2.line_bytes (%u)",
		           machine->interleave_bytes, machine->l2.line_bytes);
	if (!power_of_two(machine->dram.bank_groups) || machine->dram.bank_groups > machine->map.banks)
		diag_plain(diag, "dram.bank_groups is %u; expected a power of two, at most map.banks (%u)",
		           machine->dram.bank_groups, machine->map.banks);
	check_network(machine, diag);
	if ((sm->warps + sm->schedulers - 1) / sm->schedulers > SM_MAX_SCHEDULER_WARPS)
		diag_plain(diag, "sm.warps is %u; a scheduler holds at most %u warps, and sm.schedulers is %u",
		           sm->warps, SM_MAX_SCHEDULER_WARPS, sm->schedulers);
	uint32_t collectors = sm->pipe[0].collectors + sm->pipe[1].collectors + sm->pipe[2].collectors;
	if (collectors > SM_MAX_COLLECTORS)
		diag_plain(diag,
		           "sm.sp.collectors, sm.sfu.collectors and sm.mem.collectors add up to %u; at most %u are "
		           "modeled",
		           collectors, SM_MAX_COLLECTORS);
	if (sm->pipe[PTX_UNIT_MEM].units != 1)
		diag_plain(diag, "sm.mem.units is %u; there is one load/store unit", sm->pipe[PTX_UNIT_MEM].units);
	return diag->errors == errors;
}

void machine_derive(struct machine *machine)
{
	machine->sm.texture.cache.sectors = 1;
	machine_read_carve_outs(machine, &machine->sm);
	machine_read_partitions(machine);
	for (uint32_t mma = PTX_LATENCY_MMA_256 + 1; mma <= PTX_LATENCY_MMA_8K; mma++)
		for (uint32_t type = 0; type < PTX_DATA_TYPES; type++)
			machine->sm.runs_on[mma][type] = machine->sm.runs_on[PTX_LATENCY_MMA_256][type];
	machine->map.interleave_bits = (uint32_t)__builtin_ctz(machine->interleave_bytes);
	address_map_open(&machine->map);
}
