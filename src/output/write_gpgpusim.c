/* The statistics in GPGPU-Sim's format, for scripts that parse its output.
 *
 * As in GPGPU-Sim, gpu_sim_*, gpu_ipc, gpu_occupancy and L2_BW describe one kernel, and all other statistics are sums
 * since the program's start. Lines are omitted when we do not count the statistic in the same sense.
 */
#include "output/record.h"

#include <inttypes.h>

static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

/* Returns the difference, or 0: a stopped kernel has requests in flight. */
static uint64_t less(uint64_t whole, uint64_t part)
{
	return whole > part ? whole - part : 0;
}

/* Slots of the cycle stack in which a warp had an instruction but waited for a register. */
static uint64_t scoreboard_slots(const struct sm_stats *sm)
{
	return sm->stack_arithmetic + sm->stack_shared + sm->stack_l1 + sm->stack_texture + sm->stack_l2 +
	       sm->stack_dram;
}

/* Schedulers count only while their SM has a block. These slots remain after issues and stalls: barrier, no instruction
 * or no warp. Waiting for an atomic's result counts as a scoreboard stall here. */
static uint64_t idle_slots(const struct sm_stats *sm, const struct machine *machine)
{
	uint64_t slots = sm->active_cycles * machine->sm.schedulers;
	uint64_t others = sm->stack_issued + sm->stack_conflict + scoreboard_slots(sm);
	return less(slots, others);
}

/* Returns the occupied warp slots of SMs with a block, in percent. */
static double occupancy(const struct sm_stats *sm, const struct machine *machine)
{
	return 100 * ratio((double)sm->resident_warp_cycles, (double)sm->active_cycles * machine->sm.warps);
}

/* GPGPU-Sim counts 32 bytes per reply packet, whatever its payload. */
static double l2_bandwidth(const struct record *record, const struct machine *machine)
{
	enum { REPLY_BYTES = 32 };
	double seconds = (double)record->cycles / (1e6 * machine->core_mhz);
	return 1e-9 * ratio((double)REPLY_BYTES * (double)record->stats.reply_network.packets, seconds);
}

/* Lines with a whole number: GPGPU-Sim's spelling, and our value. `t` is the sum of all kernels so far. */
#define STALL_LINES(X)                                                                                                 \
	X("gpu_tot_issued_cta = ", t->sm.blocks)                                                                       \
	X("gpu_stall_icnt2sh    = ", t->slice.reply_blocked)

#define CORE_LINES(X)                                                                                                  \
	X("gpgpu_n_tot_thrd_icount = ", t->sm.thread_instructions)                                                     \
	X("gpgpu_n_tot_w_icount = ", t->sm.warp_instructions)                                                          \
	/* Requests that bypassed L1: L2's reads, less misses of the other L1 caches; local memory is included. */     \
	X("gpgpu_n_mem_read_global = ",                                                                                \
	  less(t->l2.read_accesses, t->l1i.read_misses + t->l1c.read_misses + t->l1t.read_misses))                     \
	X("gpgpu_n_mem_write_global = ", t->l2.write_accesses)                                                         \
	X("gpgpu_n_mem_const = ", t->l1c.read_misses)                                                                  \
	X("gpgpu_n_mem_texture = ", t->l1t.read_misses)                                                                \
	X("gpgpu_n_load_insn  = ", t->sm.load_lanes)                                                                   \
	X("gpgpu_n_store_insn = ", t->sm.store_lanes)                                                                  \
	X("gpgpu_n_shmem_insn = ", t->sm.shared_lanes)                                                                 \
	X("gpgpu_n_shmem_bkconflict = ", t->sm.shared_conflict_cycles)                                                 \
	X("gpgpu_stall_shd_mem[s_mem][bk_conf] = ", t->sm.shared_conflict_cycles)

#define DRAM_LINES(X)                                                                                                  \
	X("total dram reads = ", t->dram.reads)                                                                        \
	X("total dram writes = ", t->dram.writes)

#define LINE(spelling, value) fprintf(file, "%s%" PRIu64 "\n", spelling, (uint64_t)(value));

/* Prints a cache's five lines. If the cache allocates on fill, an access merged into a pending miss counts as a miss.
 * Otherwise it counts as a pending hit. */
static void print_cache(FILE *file, const char *name, const struct cache_stats *cache,
                        const struct cache_config *config)
{
	bool on_fill = config->allocation == ALLOCATE_ON_FILL;
	uint64_t misses = cache->misses + (on_fill ? cache->merged : 0);
	fprintf(file, "%s_total_cache_accesses = %" PRIu64 "\n", name, cache->accesses);
	fprintf(file, "%s_total_cache_misses = %" PRIu64 "\n", name, misses);
	fprintf(file, "%s_total_cache_miss_rate = %.4f\n", name, ratio((double)misses, (double)cache->accesses));
	fprintf(file, "%s_total_cache_pending_hits = %" PRIu64 "\n", name, on_fill ? 0 : cache->merged);
	fprintf(file, "%s_total_cache_reservation_fails = %" PRIu64 "\n", name, cache->refused);
}

/* Prints a cache's accesses to global memory, where GPGPU-Sim's counts and ours mean the same. */
static void print_breakdown(FILE *file, const char *name, const struct cache_stats *cache)
{
	const char *format = "\t%s_cache_stats_breakdown[GLOBAL_ACC_%c][%s] = %" PRIu64 "\n";
	fprintf(file, format, name, 'R', "HIT", cache->global_read_hits);
	fprintf(file, format, name, 'R', "TOTAL_ACCESS", cache->global_reads);
	fprintf(file, format, name, 'W', "HIT", cache->global_write_hits);
	fprintf(file, format, name, 'W', "TOTAL_ACCESS", cache->global_writes);
}

static void print_caches(FILE *file, const struct gpu_stats *t, const struct machine *machine)
{
	fprintf(file, "\n========= Core cache stats =========\nL1I_cache:\n");
	print_cache(file, "\tL1I", &t->l1i, &machine->sm.l1i);
	fprintf(file, "L1D_cache:\n");
	print_cache(file, "\tL1D", &t->l1d, &machine->sm.l1d);
	fprintf(file, "L1C_cache:\n");
	print_cache(file, "\tL1C", &t->l1c, &machine->sm.l1c);
	fprintf(file, "L1T_cache:\n");
	print_cache(file, "\tL1T", &t->l1t, &machine->sm.texture.cache);
	fprintf(file, "Total_core_cache_stats:\n");
	print_breakdown(file, "Total_core", &t->l1d);
}

static void print_memory(FILE *file, const struct gpu_stats *t, const struct machine *machine)
{
	fprintf(file, "average row locality = %" PRIu64 "/%" PRIu64 " = %f\n", t->dram.requests, t->dram.activates,
	        ratio((double)t->dram.requests, (double)t->dram.activates));
	DRAM_LINES(LINE)
	fprintf(file, "\n========= L2 cache stats =========\n");
	print_cache(file, "L2", &t->l2, &machine->l2);
	fprintf(file, "L2_cache_stats_breakdown:\n");
	print_breakdown(file, "L2", &t->l2);
}

static void print_schedulers(FILE *file, const struct gpu_stats *t, const struct machine *machine)
{
	fprintf(file,
	        "Warp Occupancy Distribution:\nStall:%" PRIu64 "\tW0_Idle:%" PRIu64 "\tW0_Scoreboard:%" PRIu64 "\n",
	        t->sm.stack_conflict, idle_slots(&t->sm, machine), scoreboard_slots(&t->sm));
}

static void print_host(FILE *file, const struct record *total, const struct machine *machine)
{
	uint64_t seconds = (uint64_t)total->host_seconds;
	double instruction_rate = ratio((double)total->stats.sm.thread_instructions, total->host_seconds);
	double cycle_rate = ratio((double)total->cycles, total->host_seconds);
	fprintf(file,
	        "\ngpgpu_simulation_time = %" PRIu64 " days, %" PRIu64 " hrs, %" PRIu64 " min, %" PRIu64
	        " sec (%" PRIu64 " sec)\n",
	        seconds / 86400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60, seconds);
	fprintf(file, "gpgpu_simulation_rate = %.0f (inst/sec)\n", instruction_rate);
	if (total->functional)
		return;
	fprintf(file, "gpgpu_simulation_rate = %.0f (cycle/sec)\n", cycle_rate);
	fprintf(file, "gpgpu_silicon_slowdown = %.0fx\n", ratio(1e6 * machine->core_mhz, cycle_rate));
}

/* Prints timing statistics, which a functional run does not have. */
static void print_timed(FILE *file, const struct records *records, const struct record *record,
                        const struct record *total)
{
	const struct machine *machine = records->machine;
	const struct gpu_stats *t = &total->stats;
	fprintf(file, "gpu_sim_cycle = %" PRIu64 "\n", record->cycles);
	fprintf(file, "gpu_sim_insn = %" PRIu64 "\n", record->stats.sm.thread_instructions);
	fprintf(file, "gpu_ipc = %12.4f\n", record_derive(records, record).ipc);
	fprintf(file, "gpu_tot_sim_cycle = %" PRIu64 "\n", total->cycles);
	fprintf(file, "gpu_tot_sim_insn = %" PRIu64 "\n", t->sm.thread_instructions);
	fprintf(file, "gpu_tot_ipc = %12.4f\n", record_derive(records, total).ipc);
	fprintf(file, "gpu_occupancy = %.4f%%\n", occupancy(&record->stats.sm, machine));
	fprintf(file, "gpu_tot_occupancy = %.4f%%\n", occupancy(&t->sm, machine));
	fprintf(file, "L2_BW  = %12.4f GB/Sec\n", l2_bandwidth(record, machine));
	fprintf(file, "L2_BW_total  = %12.4f GB/Sec\n", l2_bandwidth(total, machine));
	STALL_LINES(LINE)
	print_caches(file, t, machine);
	fputc('\n', file);
	CORE_LINES(LINE)
	print_schedulers(file, t, machine);
	print_memory(file, t, machine);
}

static void print_kernel(FILE *file, const struct records *records, const struct record *record,
                         const struct record *total)
{
	fprintf(file, "kernel_name = %s\n", record->kernel);
	fprintf(file, "kernel_launch_uid = %" PRIu64 "\n", record->launch);
	if (record->functional) {
		fprintf(file, "gpu_sim_insn = %" PRIu64 "\n", record->stats.sm.thread_instructions);
		fprintf(file, "gpu_tot_sim_insn = %" PRIu64 "\n", total->stats.sm.thread_instructions);
	} else {
		print_timed(file, records, record, total);
	}
	print_host(file, total, records->machine);
	fputc('\n', file);
}

/* Adds a launch to the sum; the first launch of a session adds the session. `sessions`: those added so far. */
static void add_so_far(const struct records *records, struct record *total, size_t *sessions,
                       const struct record *record)
{
	if (!record->session)
		record_add(records, total, record);
	else if (record->session > *sessions)
		record_add(records, total, &records->session[(*sessions)++]);
}

void records_write_gpgpusim(const struct records *records, FILE *file)
{
	struct record total = {0};
	size_t sessions = 0;
	for (size_t i = 0; i < records->count; i++) {
		if (records->record[i].choice != LAUNCH_SELECTED)
			continue;
		add_so_far(records, &total, &sessions, &records->record[i]);
		print_kernel(file, records, &records->record[i], &total);
	}
	/* Scripts recognize by these lines that the run completed, or that its last kernel was stopped. */
	if (total.end == GPU_DONE)
		fprintf(file, "GPGPU-Sim: *** exit detected ***\n");
	else if (total.end == GPU_STOPPED)
		fprintf(file, "GPGPU-Sim: ** break due to reaching the maximum cycles (or instructions) **\n");
}
