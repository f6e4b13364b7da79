/* GPGPU-Sim's options without a key of ours: those that change no cycle, and those of which the model has one value. */
#include "gpgpusim/private.h"

#include <string.h>

/* --- options of which the model has one value --- */

struct fixed {
	const char *option, *value, *why;
};

static const struct fixed fixed[] = {
	{"-gpgpu_simd_model", "1", "warps have reconvergence stacks"},
	{"-gpgpu_dram_scheduler", "1", "DRAM is scheduled first ready, first come"},
	{"-gpgpu_perfect_mem", "0", "use sm.zero_latency_memory"},
	{"-gpgpu_cache:dl2_texture_only", "0", "L2 holds data too"},
	{"-gpgpu_shmem_limited_broadcast", "0", "each word of shared memory is broadcast to all lanes that read it"},
	{"-gpgpu_shmem_warp_parts", "1", "a whole warp accesses shared memory at once"},
	{"-gpgpu_ptx_use_cuobjdump", "0", "the code is PTX"},
	{"-gpgpu_ptx_convert_to_ptxplus", "0", "the code is PTX"},
	{"-gpgpu_ptx_sim_mode", "0", "use --functional"},
	{"-gpgpu_concurrent_kernel_sm", "1", "blocks of several kernels share an SM (launch.policy)"},
	{"-dram_seperate_write_queue_enable", "0", "reads and writes share the scheduler's queue"},
	{"-dram_elimnate_rw_turnaround", "0", "use dram.tRTW and dram.tWTR"},
	{"-gpgpu_simple_dram_model", "0", "DRAM has banks and rows"},
	{"-l2_ideal", "0", "L2 has tags"},
	{"-gpgpu_flush_l2_cache", "0", "L2 keeps its lines between kernels"},
	{"-gpgpu_l1_banks_byte_interleaving", "32", "L1's banks have 32 bytes"},
	{"-gpgpu_l1_banks_hashing_function", "0", "the address modulo the banks selects L1's bank"},
	{"-gpgpu_num_mem_units", "1", "there is one load/store unit"},
	{"-gpgpu_mem_unit_ports", "1", "the load/store unit has one port"},
	{"-gpgpu_reg_bank_use_warp_id", "0", "a register's number selects its bank"},
	{"-gpgpu_warpdistro_shader", "-1", "blocks go to SMs in turn"},
	{"-gpgpu_TB_launch_latency", "0", "launch.latency is the same for all grids"},
	{"-gpgpu_cdp_enabled", "0", "launches of device code take no time in their warp"},
	{"-gpgpu_max_cycle", "0", "use launch.max_instructions"},
	{"-gpgpu_max_cta", "0", "use launch.max_instructions"},
	{"-gpgpu_max_completed_cta", "0", "use launch.max_instructions"},
	{"-checkpoint_option", "0", "use --journal"},
	{"-resume_option", "0", "use --journal"},
	{"-icnt_subnets", "2", "requests and replies have a network each"},
	{"-icnt_arbiter_algo", "1", "an output serves its inputs in turn"},
	{"-icnt_grant_cycles", "1", "an output grants a packet per cycle"},
	/* of the network's file */
	{"use_map", "0", "nodes have the order of their numbers"},
	{"topology", "fly", "the network is a crossbar"},
	{"n", "1", "the network has one stage"},
	{"routing_function", "dest_tag", "the network is a crossbar"},
	{"num_vcs", "1", "a port has one virtual channel"},
	{"wait_for_tail_credit", "0", "a channel is free when its last flit has left"},
	{"vc_allocator", "islip", "the allocators are iSLIP"},
	{"sw_allocator", "islip", "the allocators are iSLIP"},
	{"alloc_iters", "1", "the allocators make one iteration"},
	{"credit_delay", "0", "a credit returns in the same cycle"},
	{"routing_delay", "0", "routing takes no cycle"},
	{"vc_alloc_delay", "1", "the allocation of a channel takes a cycle"},
	{"sw_alloc_delay", "1", "the allocation of the switch takes a cycle"},
	{"input_speedup", "1", "use network.speedup"},
	{"output_speedup", "1", "use network.speedup"},
	{"subnets", "2", "requests and replies have a network each"},
	{"read_request_subnet", "0", "requests have the first network"},
	{"write_request_subnet", "0", "requests have the first network"},
	{"read_reply_subnet", "1", "replies have the second network"},
	{"write_reply_subnet", "1", "replies have the second network"},
};

bool gpgpusim_apply_fixed(struct config *config)
{
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
		if (strcmp(fixed[i].option, config->option) != 0)
			continue;
		if (strcmp(fixed[i].value, config->value) == 0)
			config->options->honored++;
		else
			gpgpusim_leave(config, fixed[i].why);
		return true;
	}
	return false;
}

/* --- options that change no cycle --- */

/* Each with its subject. A '*' in a name stands for any text. */
static const struct idle {
	const char *option, *what;
} idle[] = {
	{"-gpgpu_ptx_instruction_classification", "statistics"},
	{"-gpgpu_memlatency_stat", "statistics"},
	{"-gpgpu_runtime_stat", "statistics"},
	{"-gpgpu_cflog_interval", "statistics"},
	{"-enable_ptx_file_line_stats", "statistics"},
	{"-save_embedded_ptx", "output"},
	{"-keep", "output"},
	{"-visualizer*", "output"},
	{"-trace_*", "output"},
	{"-icnt_verbose", "output"},
	{"-liveness_message_freq", "output"},
	{"-gpgpu_ptx_inst_debug*", "output"},
	{"-gpgpu_ptx_save_converted_ptxplus", "output"},
	{"-power*", "energy"},
	{"-gpuwattch*", "energy"},
	{"-accelwattch*", "energy"},
	{"-hw_perf*", "energy"},
	{"-dvfs_enabled", "energy"},
	{"-aggregate_power_stats", "energy"},
	{"-steady*", "energy"},
	{"-gpgpu_clock_gated*", "energy"},
	{"-n_regfile_gating_group", "energy"},
	{"-icnt_flit_size", "statistics; network.flit_bytes has the flits' size"},
	{"-gpgpu_ptx_force_max_capability", "choice of PTX"},
	{"-gpgpu_occupancy_sm_number", "choice of registers by the assembler"},
	{"-gpgpu_experimental_lib_support", "reading of programs"},
	{"-gpgpu_ignore_resources_limitation", "checks"},
	{"-gpgpu_deadlock_detect", "checks"},
	{"-gpgpu_mem_addr_test", "checks"},
	{"-gpgpu_num_cta_barriers", "checks"},
	{"-gpgpu_registers_per_block", "device properties"},
	{"-gpgpu_stack_size_limit", "device properties"},
	{"-gpgpu_heap_size_limit", "device properties"},
	{"-gpgpu_runtime_sync_depth_limit", "device properties"},
	{"-gpgpu_runtime_pending_launch_count_limit", "device properties"},
	{"-gpgpu_mem_address_mask", "map without -gpgpu_mem_addr_mapping"},
	{"-gpgpu_warp_issue_shader", "no part of the model"},
	{"-checkpoint_*", "checkpoints"},
	{"-resume_*", "checkpoints"},
	{"-dram_write_queue_size", "queue of -dram_seperate_write_queue_enable"},
	/* of the network's file: its traffic generators and the numbers of its parts */
	{"k", "number of the network's nodes, which follows from SMs and slices"},
	{"network_count", "no part of the model"},
	{"traffic", "traffic without a GPU"},
	{"packet_size*", "traffic without a GPU"},
	{"sim_type", "traffic without a GPU"},
	{"injection_rate", "traffic without a GPU"},
	{"read_re*_vc", "numbers of the only virtual channel"},
	{"write_re*_vc", "numbers of the only virtual channel"},
};

/* True when the name is the pattern, in which a '*' stands for any text. */
static bool matches(const char *pattern, const char *name)
{
	const char *star = strchr(pattern, '*');
	if (!star)
		return strcmp(pattern, name) == 0;
	size_t before = (size_t)(star - pattern), after = strlen(star + 1), length = strlen(name);
	return length >= before + after && strncmp(pattern, name, before) == 0 &&
	       strcmp(star + 1, name + length - after) == 0;
}

bool gpgpusim_apply_idle(struct config *config)
{
	for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
		if (matches(idle[i].option, config->option)) {
			config->options->others++;
			fprintf(config->list, "%s:%u: %s %s: changes no cycle (%s)\n", config->source.name,
			        config->place.line, config->option, config->value, idle[i].what);
			return true;
		}
	return false;
}
