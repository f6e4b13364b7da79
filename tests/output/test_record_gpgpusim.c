/* Protects GPGPU-Sim's format, which users' scripts read. */
#include "record_kit.h"

#include <math.h>
#include <regex.h>
#include <stdlib.h>

/* Returns what a scraping script finds: the last match of a pattern with one group. */
static double scrape(const char *text, const char *pattern)
{
	regex_t regex;
	regmatch_t match[2];
	double value = NAN;
	assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NEWLINE), 0);
	while (regexec(&regex, text, 2, match, 0) == 0) {
		value = strtod(text + match[1].rm_so, NULL);
		text += match[0].rm_eo;
	}
	regfree(&regex);
	if (isnan(value))
		fail_msg("nothing matches %s", pattern);
	return value;
}

/* Scripts for GPGPU-Sim's output find their lines. Values that GPGPU-Sim accumulates over kernels are accumulated. */
static void test_gpgpusim(void **state)
{
	(void)state;
	static const struct {
		const char *pattern;
		double value;
	} lines[] = {
		{"^kernel_launch_uid = ([0-9]+)", 2},
		{"^gpu_sim_cycle = ([0-9]+)", 2000},
		{"^gpu_tot_sim_cycle[ ]*=[ ]*(.*)$", 3000},
		{"^gpu_sim_insn = ([0-9]+)$", 192000},
		{"^gpu_tot_sim_insn[ ]*=[ ]*(.*)$", 288000},
		{"^gpu_ipc = +([0-9.]+)$", 96},
		{"^gpu_tot_ipc[ ]*=[ ]*(.*)$", 96},
		{"^gpu_occupancy = ([0-9.]+)%", 50},
		{"^gpgpu_n_tot_w_icount[ ]*=[ ]*(.*)$", 3000},
		{"^\tL1D_total_cache_accesses = ([0-9]+)$", 200},
		{"^\tL1D_total_cache_misses = ([0-9]+)$", 120},
		{"^\tL1D_total_cache_miss_rate = ([0-9.]+)$", 0.6},
		{"^\tL1D_total_cache_pending_hits = ([0-9]+)$", 30},
		{"^\tL1D_total_cache_reservation_fails = ([0-9]+)$", 14},
		{"^\tL1I_total_cache_misses = ([0-9]+)$", 40},
		{"^\tL1C_total_cache_misses = ([0-9]+)$", 20},
		{"^L2_total_cache_accesses = ([0-9]+)$", 400},
		{"^L2_total_cache_misses = ([0-9]+)$", 100},
		{"^L2_total_cache_miss_rate = ([0-9.]+)$", 0.25},
		{"^L2_total_cache_pending_hits = ([0-9]+)$", 0},
		{"^L2_total_cache_reservation_fails = ([0-9]+)$", 0},
		/* Patterns of Accel-Sim's collector: white space precedes the name of a cache. */
		{"^[[:space:]]+Total_core_cache_stats_breakdown\\[GLOBAL_ACC_R\\]\\[HIT\\] *= *(.*)$", 40},
		{"^[[:space:]]+Total_core_cache_stats_breakdown\\[GLOBAL_ACC_R\\]\\[TOTAL_ACCESS\\] *= *(.*)$", 140},
		{"^[[:space:]]+Total_core_cache_stats_breakdown\\[GLOBAL_ACC_W\\]\\[HIT\\] *= *(.*)$", 4},
		{"^[[:space:]]+Total_core_cache_stats_breakdown\\[GLOBAL_ACC_W\\]\\[TOTAL_ACCESS\\] *= *(.*)$", 22},
		{"^[[:space:]]+L2_cache_stats_breakdown\\[GLOBAL_ACC_R\\]\\[HIT\\] *= *(.*)$", 80},
		{"^[[:space:]]+L2_cache_stats_breakdown\\[GLOBAL_ACC_R\\]\\[TOTAL_ACCESS\\] *= *(.*)$", 180},
		{"^[[:space:]]+L2_cache_stats_breakdown\\[GLOBAL_ACC_W\\]\\[HIT\\] *= *(.*)$", 100},
		{"^[[:space:]]+L2_cache_stats_breakdown\\[GLOBAL_ACC_W\\]\\[TOTAL_ACCESS\\] *= *(.*)$", 120},
		/* The last kernel sent 50 packets of 32 bytes in 2000 cycles at 700 MHz; with the kernel before it, 100
		 * packets in 3000 cycles. */
		{"^L2_BW *= *([0-9.]+) *GB/Sec$", 0.56},
		{"^L2_BW_total *= *([0-9.]+) *GB/Sec$", 0.7467},
		{"^gpgpu_n_mem_read_global = ([0-9]+)$", 186},
		{"^gpgpu_n_mem_texture = ([0-9]+)$", 12},
		{"^\tL1T_total_cache_misses = ([0-9]+)$", 12},
		{"^gpgpu_n_mem_write_global = ([0-9]+)$", 160},
		{"^gpgpu_n_load_insn[ ]*=[ ]*(.*)$", 3048},
		{"^gpgpu_n_store_insn[ ]*=[ ]*(.*)$", 3050},
		{"^gpgpu_n_shmem_insn[ ]*=[ ]*(.*)$", 3052},
		{"^total dram reads[ ]*=[ ]*(.*)$", 140},
		{"^total dram writes = ([0-9]+)$", 60},
		{"^average row locality = 100/20 = ([0-9.]+)$", 5},
		/* 12 cycles with a resident block and 2 schedulers give 24 issue slots: 2 issued and 2 waited for
		 * data. */
		{"^Stall:([0-9]+)\t", 0},
		{"\tW0_Idle:([0-9]+)\t", 20},
		{"\tW0_Scoreboard:([0-9]+)", 2},
		{"^gpgpu_simulation_time = .*\\(([0-9]+) sec\\)$", 1},
		{"^gpgpu_simulation_rate = ([0-9]+) \\(inst/sec\\)$", 288000},
		{"^gpgpu_simulation_rate = ([0-9]+) \\(cycle/sec\\)$", 3000},
	};
	struct records records = make_records(2);
	char *text = capture(&records, records_write_gpgpusim);
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		double value = scrape(text, lines[i].pattern);
		if (fabs(value - lines[i].value) > 1e-9)
			fail_msg("%s found %g, not %g", lines[i].pattern, value, lines[i].value);
	}
	assert_contains(text, "kernel_name = update\n");
	assert_contains(text, "*** exit detected ***\n");
	free(text);
	/* The output of an interrupted run differs from that of a complete run. */
	storage[1].end = GPU_STOPPED;
	text = capture(&records, records_write_gpgpusim);
	assert_absent(text, "exit detected");
	assert_contains(text, "** break due to reaching the maximum cycles (or instructions) **\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gpgpusim),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
