/* Values of GPGPU-Sim's files that depend on several options, and those of options that a file does not name. */
#include "gpgpusim/private.h"

#include <string.h>

static void finish_dram(struct config *config, bool is_old)
{
	struct machine *machine = config->machine;
	struct dram_config *dram = &machine->dram;
	uint32_t burst = config->data_rate ? config->burst / config->data_rate : 0;
	if (config->chips && config->bus_bytes && config->burst) {
		dram->atom_bytes = config->chips * config->bus_bytes * config->burst;
		machine->memory_bus_bits = machine->map.channels * config->chips * config->bus_bytes * 8;
	}
	dram->burst_cycles = burst ? burst : dram->burst_cycles;
	if (!config->ccd || !config->cl)
		return;
	burst = dram->burst_cycles;
	dram->ccd = config->ccd;
	dram->ccd_long = config->ccdl ? config->ccdl : config->ccd;
	dram->rrd = config->rrd;
	dram->rcd = config->rcd;
	dram->rcd_write = config->rcd > config->wl + 1 ? config->rcd - (config->wl + 1) : 1;
	dram->ras = config->ras;
	dram->rp = config->rp;
	dram->rc = config->rc;
	dram->cl = config->cl;
	dram->wl = config->wl;
	dram->rtw = config->cl + burst + 2 > config->wl ? config->cl + burst + 2 - config->wl : 1;
	dram->wtr = config->wl + burst + config->cdlr;
	dram->rtp = burst;
	dram->rtp_long = config->rtpl ? config->rtpl : burst;
	dram->wtp = config->wl + burst + config->wr;
	/* version 3 counts one bit too many in a bank's group number */
	uint32_t groups = config->groups ? config->groups : 1;
	dram->bank_groups = is_old && groups > 1 ? groups / 2 : groups;
}

/* Divides the collector units of all sub-cores. Sets the memory shared by L1 and shared memory: the file gives L1's
 * lines for only part of it. */
static void finish_sm(struct config *config)
{
	struct sm_config *sm = &config->machine->sm;
	if (config->collectors && sm->schedulers)
		sm->sub_core_collectors = config->collectors / sm->schedulers;
	if (config->adaptive)
		sm->unified_bytes = config->unified_kib * 1024;
	if (sm->unified_bytes && sm->l1d.sets && sm->l1d.line_bytes)
		sm->l1d.ways = sm->unified_bytes / (sm->l1d.sets * sm->l1d.line_bytes);
}

/* In version 4 other kinds of operations have the times of those that the options name. */
static void finish_latencies(struct sm_config *sm)
{
	uint32_t(*const times[])[PTX_DATA_TYPES] = {sm->latency, sm->initiation};
	for (size_t i = 0; i < 2; i++) {
		uint32_t(*of)[PTX_DATA_TYPES] = times[i];
		memcpy(of[PTX_LATENCY_FMA], of[PTX_LATENCY_MAD], sizeof of[0]);
		of[PTX_LATENCY_MUL24][PTX_DATA_INT] = of[PTX_LATENCY_MUL][PTX_DATA_INT] + 1;
		of[PTX_LATENCY_MAD24][PTX_DATA_INT] = of[PTX_LATENCY_MAD][PTX_DATA_INT] + 1;
		of[PTX_LATENCY_REM][PTX_DATA_INT] = of[PTX_LATENCY_DIV][PTX_DATA_INT];
	}
}

/* Moves what runs on a pipe that the machine lacks to another one. */
static void move_pipe(struct sm_config *sm, enum arithmetic_pipe from, enum arithmetic_pipe to)
{
	for (uint32_t kind = 0; kind < PTX_LATENCIES; kind++)
		for (uint32_t type = 0; type < PTX_DATA_TYPES; type++)
			if (sm->runs_on[kind][type] == from)
				sm->runs_on[kind][type] = to;
}

static void leave_number(struct config *config, const char *option, uint32_t number, const char *why)
{
	char text[16];
	snprintf(text, sizeof text, "%u", number);
	config->option = option;
	config->value = text;
	gpgpusim_leave(config, why);
}

/* Without a pipe for integers they run on SP, and without one for double precision that runs on SFU. */
static void finish_pipes(struct config *config)
{
	if (config->has_sub_cores) {
		if (!config->int_units)
			move_pipe(&config->machine->sm, PIPE_INT, PIPE_SP);
		if (!config->dp_units)
			move_pipe(&config->machine->sm, PIPE_DP, PIPE_SFU);
		return;
	}
	if (config->int_units)
		leave_number(config, "-gpgpu_num_int_units", config->int_units, "without sub-cores integers run on SP");
	if (config->dp_units)
		leave_number(config, "-gpgpu_num_dp_units", config->dp_units,
		             "without sub-cores double precision runs on SFU");
}

/* In version 4 the architecture says whether an access is a sector or a line. Here L1's sectors do. */
static void check_coalescing(struct config *config)
{
	const struct sm_config *sm = &config->machine->sm;
	bool sectors = config->coalescing >= 40 || (config->coalescing >= 20 && sm->global_skips_l1);
	if (config->coalescing && sectors != (sm->l1d.sectors > 1))
		leave_number(config, "-gpgpu_coalesce_arch", config->coalescing,
		             "an access has a sector if L1 has sectors, else a line");
}

static void check_collectors(struct config *config)
{
	if (config->own_collectors == config->has_sub_cores)
		leave_number(config, "-gpgpu_enable_specialized_operand_collector", config->own_collectors,
		             "sub-cores have general collector units, other SMs have some for each pipe");
}

void gpgpusim_finish(struct config *config)
{
	struct machine *machine = config->machine;
	machine->cluster.sms = config->cores ? config->cores : machine->cluster.sms;
	if (config->clusters || config->cores)
		machine->sms = (config->clusters ? config->clusters : 15) * machine->cluster.sms;
	machine->shared_per_block = config->shared_per_block ? config->shared_per_block : machine->sm.shared_bytes;
	finish_sm(config);
	finish_dram(config, !config->is_version_4);
	if (!config->is_version_4)
		return;
	machine->dram.row_beside_column = !machine->dram.dual_bus;
	finish_latencies(&machine->sm);
	finish_pipes(config);
	check_coalescing(config);
	check_collectors(config);
}

void gpgpusim_set_defaults(struct config *config)
{
	static const char *const defaults[][2] = {{"-gpgpu_l1_latency", "1"},
	                                          {"-gpgpu_l1_banks", "1"},
	                                          {"-gpgpu_l1_cache_write_ratio", "0"},
	                                          {"-gpgpu_smem_latency", "3"},
	                                          {"-gpgpu_gmem_skip_L1D", "0"},
	                                          {"-gpgpu_flush_l1_cache", "0"},
	                                          {"-gpgpu_perfect_inst_const_cache", "0"},
	                                          {"-gpgpu_inst_fetch_throughput", "1"},
	                                          {"-gpgpu_reg_file_port_throughput", "1"},
	                                          {"-gpgpu_max_insn_issue_per_warp", "2"},
	                                          {"-gpgpu_dual_issue_diff_exec_units", "1"},
	                                          {"-gpgpu_scheduler", "gto"},
	                                          {"-gpgpu_n_cluster_ejection_buffer_size", "8"},
	                                          {"-gpgpu_n_ldst_response_buffer_size", "2"},
	                                          {"-gpgpu_simt_core_sim_order", "1"},
	                                          {"-gpgpu_local_mem_map", "1"},
	                                          {"-gpgpu_shmem_per_block", "49152"},
	                                          {"-gpgpu_enable_specialized_operand_collector", "1"},
	                                          {"-gpgpu_memory_partition_indexing", "0"},
	                                          {"-gpgpu_perf_sim_memcpy", "1"},
	                                          {"-gpgpu_kernel_launch_latency", "0"},
	                                          {"-gpgpu_max_concurrent_kernel", "8"},
	                                          {"-dram_dual_bus_interface", "0"},
	                                          {"-dram_bnk_indexing_policy", "0"},
	                                          {"-dram_bnkgrp_indexing_policy", "0"}};
	for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
		config->option = defaults[i][0];
		config->value = defaults[i][1];
		gpgpusim_apply(config);
	}
	config->options->honored = 0;
	config->machine->sm.unified_bytes = 0; /* -gpgpu_adaptive_cache_config 0 */
}
