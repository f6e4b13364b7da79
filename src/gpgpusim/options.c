/* GPGPU-Sim's options, and our keys that they set. */
#include "gpgpusim/private.h"

#include <stdlib.h>
#include <string.h>

/* Each part sets the key at the same index; "" sets nothing. Fewer parts than keys are an error; extra parts are
 * ignored. */
static void set_parts(struct config *config, const char *separators, const char *const *keys, size_t count)
{
	char copy[WORD], *parts[PARTS];
	uint32_t number;
	snprintf(copy, sizeof copy, "%s", config->value);
	if (gpgpusim_part(copy, separators, parts) < count) {
		gpgpusim_fail(config, "'%s' has too few parts; expected %zu", config->value, count);
		return;
	}
	for (size_t i = 0; i < count; i++)
		if (*keys[i] && gpgpusim_number(config, parts[i], &number))
			gpgpusim_set_number(config, keys[i], number);
	config->options->honored++;
}

/* --- options that set one key unchanged --- */

struct direct {
	const char *option;
	const char *keys[14];
};

static const struct direct direct[] = {
	{"-gpgpu_shader_registers", {"sm.registers"}},
	{"-gpgpu_shader_cta", {"sm.blocks"}},
	{"-gpgpu_n_mem", {"map.channels"}},
	{"-gpgpu_n_sub_partition_per_mchannel", {"map.slices_per_channel"}},
	{"-gpgpu_clock_domains", {"clock.core", "clock.network", "clock.l2", "clock.dram"}},
	{"-gpgpu_shmem_size", {"sm.shared_bytes"}},
	{"-gpgpu_shmem_num_banks", {"sm.shared_banks"}},
	{"-gpgpu_smem_latency", {"sm.shared_latency"}},
	{"-gpgpu_l1_latency", {"sm.l1_latency"}},
	{"-gpgpu_l1_banks", {"sm.l1_banks"}},
	{"-gpgpu_l1_cache_write_ratio", {"l1d.dirty_percent"}},
	{"-gpgpu_inst_fetch_throughput", {"sm.fetches"}},
	{"-gpgpu_reg_file_port_throughput", {"sm.operand_steps"}},
	{"-gpgpu_operand_collector_num_in_ports_gen", {"sm.collector_ports"}},
	{"-gpgpu_operand_collector_num_out_ports_gen", {"sm.dispatch_ports"}},
	{"-gpgpu_kernel_launch_latency", {"launch.latency"}},
	{"-gpgpu_max_concurrent_kernel", {"launch.concurrent"}},
	{"-icnt_in_buffer_limit", {"network.injection_flits"}},
	{"-icnt_out_buffer_limit", {"network.boundary_flits"}},
	{"-gpgpu_num_sched_per_core", {"sm.schedulers"}},
	{"-gpgpu_num_sp_units", {"sm.sp.units"}},
	{"-gpgpu_num_sfu_units", {"sm.sfu.units"}},
	{"-gpgpu_num_reg_banks", {"sm.register_banks"}},
	{"-gpgpu_operand_collector_num_units_sp", {"sm.sp.collectors"}},
	{"-gpgpu_operand_collector_num_units_sfu", {"sm.sfu.collectors"}},
	{"-gpgpu_operand_collector_num_units_mem", {"sm.mem.collectors"}},
	{"-gpgpu_operand_collector_num_in_ports_sp", {"sm.sp.in_ports"}},
	{"-gpgpu_operand_collector_num_in_ports_sfu", {"sm.sfu.in_ports"}},
	{"-gpgpu_operand_collector_num_in_ports_mem", {"sm.mem.in_ports"}},
	{"-gpgpu_operand_collector_num_out_ports_sp", {"sm.sp.out_ports"}},
	{"-gpgpu_operand_collector_num_out_ports_sfu", {"sm.sfu.out_ports"}},
	{"-gpgpu_operand_collector_num_out_ports_mem", {"sm.mem.out_ports"}},
	{"-gpgpu_n_cluster_ejection_buffer_size", {"sm.cluster_replies"}},
	{"-gpgpu_n_ldst_response_buffer_size", {"sm.replies"}},
	{"-gpgpu_compute_capability_major", {"compute.major"}},
	{"-gpgpu_compute_capability_minor", {"compute.minor"}},
	{"-gpgpu_max_insn", {"launch.max_instructions"}},
	{"-gpgpu_l2_rop_latency", {"l2.delay"}},
	{"-dram_latency", {"dram.latency"}},
	{"-gpgpu_frfcfs_dram_sched_queue_size", {"dram.queue"}},
	{"-gpgpu_dram_return_queue_size", {"dram.return_queue"}},
	{"-gpgpu_dram_partition_queues",
         {"l2.input_queue", "l2.to_dram_queue", "l2.from_dram_queue", "l2.reply_queue"}},
	{"-ptx_opcode_latency_int",
         {"latency.add.int", "latency.max.int", "latency.mul.int", "latency.mad.int", "latency.div.int"}},
	{"-ptx_opcode_latency_fp",
         {"latency.add.fp32", "latency.max.fp32", "latency.mul.fp32", "latency.mad.fp32", "latency.div.fp32"}},
	{"-ptx_opcode_latency_dp",
         {"latency.add.fp64", "latency.max.fp64", "latency.mul.fp64", "latency.mad.fp64", "latency.div.fp64"}},
	{"-ptx_opcode_initiation_int",
         {"initiation.add.int", "initiation.max.int", "initiation.mul.int", "initiation.mad.int",
          "initiation.div.int"}},
	{"-ptx_opcode_initiation_fp",
         {"initiation.add.fp32", "initiation.max.fp32", "initiation.mul.fp32", "initiation.mad.fp32",
          "initiation.div.fp32"}},
	{"-ptx_opcode_initiation_dp",
         {"initiation.add.fp64", "initiation.max.fp64", "initiation.mul.fp64", "initiation.mad.fp64",
          "initiation.div.fp64"}},
};

static bool set_directly(struct config *config)
{
	for (size_t i = 0; i < sizeof direct / sizeof *direct; i++) {
		size_t count = 0;
		if (strcmp(direct[i].option, config->option) != 0)
			continue;
		while (count < sizeof direct[i].keys / sizeof *direct[i].keys && direct[i].keys[count])
			count++;
		set_parts(config, ":,", direct[i].keys, count);
		return true;
	}
	return false;
}

/* --- options that the model supports with one value only --- */

static const struct fixed {
	const char *option, *value, *why;
} fixed[] = {
	{"-gpgpu_simd_model", "1", "warps have reconvergence stacks"},
	{"-gpgpu_dram_scheduler", "1", "DRAM is scheduled first ready, first come"},
	{"-gpgpu_perfect_mem", "0", "use sm.zero_latency_memory"},
	{"-gpgpu_cache:dl2_texture_only", "0", "L2 holds data too"},
	{"-gpgpu_shmem_limited_broadcast", "0", "each word of shared memory is broadcast to all lanes that read it"},
	{"-gpgpu_shmem_warp_parts", "1", "a whole warp accesses shared memory at once"},
	{"-gpgpu_ptx_use_cuobjdump", "0", "the code is PTX"},
	{"-gpgpu_ptx_convert_to_ptxplus", "0", "the code is PTX"},
	{"-gpgpu_concurrent_kernel_sm", "1", "blocks of several kernels share an SM (launch.policy)"},
};

static bool is_fixed(struct config *config)
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

/* --- options with their own function --- */

static void take_number(struct config *config, uint32_t *number)
{
	if (gpgpusim_number(config, config->value, number))
		config->options->honored++;
}

static void set_clusters(struct config *config)
{
	take_number(config, &config->clusters);
}

static void set_cores(struct config *config)
{
	take_number(config, &config->cores);
}

static void set_shared_per_block(struct config *config)
{
	take_number(config, &config->shared_per_block);
}

static void set_chips(struct config *config)
{
	take_number(config, &config->chips);
}

static void set_bus(struct config *config)
{
	take_number(config, &config->bus_bytes);
}

static void set_burst(struct config *config)
{
	take_number(config, &config->burst);
}

static void set_data_rate(struct config *config)
{
	take_number(config, &config->data_rate);
}

/* Parses THREADS:WARP_SIZE. */
static void set_threads(struct config *config)
{
	char copy[WORD], *parts[PARTS];
	uint32_t threads, lanes;
	snprintf(copy, sizeof copy, "%s", config->value);
	if (gpgpusim_part(copy, ":", parts) < 2) {
		gpgpusim_fail(config, "'%s': expected THREADS:WARP_SIZE", config->value);
		return;
	}
	if (!gpgpusim_number(config, parts[0], &threads) || !gpgpusim_number(config, parts[1], &lanes))
		return;
	if (lanes != WARP_SIZE || threads % WARP_SIZE)
		gpgpusim_fail(config, "'%s': warps have 32 threads", config->value);
	else
		gpgpusim_set_number(config, "sm.warps", threads / WARP_SIZE);
	config->options->honored++;
}

/* Sets the widths into the pipes, out of the collectors, and of the result bus. Version 4 has additional pipes for
 * double precision and integers in between, and more at the end. */
static void set_widths(struct config *config)
{
	static const char *const three[] = {"sm.sp.issue_width", "sm.sfu.issue_width", "sm.mem.issue_width", "", "", "",
	                                    "sm.result_bus"};
	static const char *const five[] = {
		"sm.sp.issue_width", "", "", "sm.sfu.issue_width", "sm.mem.issue_width", "", "", "", "", "",
		"sm.result_bus"};
	size_t commas = 0;
	for (const char *at = config->value; (at = strchr(at, ',')); at++)
		commas++;
	bool has_five = commas + 1 >= sizeof five / sizeof *five;
	set_parts(config, ",", has_five ? five : three,
	          has_five ? sizeof five / sizeof *five : sizeof three / sizeof *three);
}

/* Sets one value for all types of SFU operations. */
static void set_special(struct config *config, const char *what)
{
	static const char *const types[] = {"int", "fp32", "fp64"};
	char key[64];
	uint32_t number;
	if (!gpgpusim_number(config, config->value, &number))
		return;
	for (size_t i = 0; i < 3; i++) {
		snprintf(key, sizeof key, "%s.special.%s", what, types[i]);
		gpgpusim_set_number(config, key, number);
	}
	config->options->honored++;
}

static void set_special_latency(struct config *config)
{
	set_special(config, "latency");
}

static void set_special_initiation(struct config *config)
{
	set_special(config, "initiation");
}

static void set_scheduler(struct config *config)
{
	uint32_t ready;
	if (strcmp(config->value, "gto") == 0 || strcmp(config->value, "lrr") == 0) {
		gpgpusim_set(config, "sm.warp_order", config->value);
	} else if (sscanf(config->value, "two_level_active:%u", &ready) == 1) {
		char text[64];
		snprintf(text, sizeof text, "two_level:ready=%u", ready);
		gpgpusim_set(config, "sm.warp_order", text);
	} else {
		gpgpusim_leave(config, "warp orders are gto, lrr and two_level_active");
		return;
	}
	config->options->honored++;
}

static void set_flag(struct config *config, const char *key, const char *on)
{
	gpgpusim_set(config, key, strcmp(config->value, on) == 0 ? "true" : "false");
	config->options->honored++;
}

static void set_sub_cores(struct config *config)
{
	set_flag(config, "sm.sub_cores", "1");
}

static void set_dual_bus(struct config *config)
{
	set_flag(config, "dram.dual_bus", "1");
}

static void set_perfect_code(struct config *config)
{
	set_flag(config, "l1c.perfect", "1");
	set_flag(config, "l1i.perfect", "1");
	config->options->honored--;
}

static void set_collectors(struct config *config)
{
	take_number(config, &config->collectors);
}

static void set_unified(struct config *config)
{
	take_number(config, &config->unified_kib);
}

static void set_adaptive(struct config *config)
{
	take_number(config, &config->adaptive);
}

static void set_carve_outs(struct config *config)
{
	gpgpusim_set(config, "sm.carve_outs", config->value);
	config->options->honored++;
}

/* For an option with several values, some of which the model supports. NUMBER sets KEY to the text at that index. */
static void set_choice(struct config *config, const char *key, const char *const *texts, size_t count, const char *why)
{
	uint32_t number;
	if (!gpgpusim_number(config, config->value, &number))
		return;
	if (number >= count || !texts[number]) {
		gpgpusim_leave(config, why);
		return;
	}
	gpgpusim_set(config, key, texts[number]);
	config->options->honored++;
}

static void set_network(struct config *config)
{
	static const char *const kinds[] = {NULL, "router", "local"};
	set_choice(config, "network.kind", kinds, 3, "networks are intersim2's crossbar (1) and the local one (2)");
}

static void set_channel_hash(struct config *config)
{
	static const char *const hashes[] = {"none", NULL, "polynomial"};
	set_choice(config, "map.slice_hash", hashes, 3,
	           "channels are chosen by the address modulo their number (0) or by a polynomial (2)");
}

static void set_skip(struct config *config)
{
	set_flag(config, "sm.global_skips_l1", "1");
}

static void set_flush(struct config *config)
{
	set_flag(config, "sm.flush_l1", "1");
}

static void set_local_map(struct config *config)
{
	gpgpusim_set(config, "sm.local_layout", strcmp(config->value, "1") == 0 ? "by_block" : "by_sm");
	config->options->honored++;
}

static void set_turns(struct config *config)
{
	gpgpusim_set(config, "sm.cluster_turns", strcmp(config->value, "1") == 0 ? "by_cycle" : "held");
	config->options->honored++;
}

/* Parses NAME=NUMBER:... */
static void set_timing(struct config *config)
{
	const struct {
		const char *name;
		uint32_t *number;
	} names[] = {{"CCD", &config->ccd},       {"RRD", &config->rrd},
	             {"RCD", &config->rcd},       {"RAS", &config->ras},
	             {"RP", &config->rp},         {"RC", &config->rc},
	             {"CL", &config->cl},         {"WL", &config->wl},
	             {"CDLR", &config->cdlr},     {"WR", &config->wr},
	             {"nbkgrp", &config->groups}, {"CCDL", &config->ccdl},
	             {"RTPL", &config->rtpl},     {"nbk", &config->machine->map.banks}};
	char copy[WORD], *parts[PARTS];
	snprintf(copy, sizeof copy, "%s", config->value);
	size_t count = gpgpusim_part(copy, ":", parts);
	if (count == 1)
		gpgpusim_leave(config, "expected NAME=NUMBER:...; the older form is a list without names");
	for (size_t i = 0; count > 1 && i < count; i++) {
		char *name = strsep(&parts[i], "=");
		size_t known = 0;
		while (known < sizeof names / sizeof *names && strcmp(names[known].name, name) != 0)
			known++;
		if (known == sizeof names / sizeof *names || !parts[i])
			gpgpusim_fail(config, "'%s' is not a DRAM timing", name);
		else
			gpgpusim_number(config, parts[i], names[known].number);
	}
	config->options->honored += count > 1;
}

/* Returns the number of the lowest bank bit in a map's letters, the last of which is bit 0. Dots separate letters. */
static uint32_t lowest_bank_bit(const char *map)
{
	const char *bank = strrchr(map, 'B');
	uint32_t bit = 0;
	for (const char *at = bank ? bank + 1 : ""; *at; at++)
		bit += *at != '.';
	return bank ? bit : UINT32_MAX;
}

/* Parses dramid@BIT;... Channels are interleaved at bit BIT of the address. */
static void set_mapping(struct config *config)
{
	unsigned bit;
	const char *row = strrchr(config->value, 'R');
	if (sscanf(config->value, "dramid@%u", &bit) != 1 || bit < 7 || bit > 16) {
		gpgpusim_leave(config, "expected dramid@BIT;BITS");
		return;
	}
	gpgpusim_set_number(config, "map.interleave_bytes", 1u << bit);
	gpgpusim_set(config, "map.slices_inside", lowest_bank_bit(config->value) < bit ? "true" : "false");
	/* count the column bits between the low and the high bank bits, or between the channels and the bank bits */
	const char *first = row ? strchr(row, 'B') : NULL, *last = first ? strrchr(first, 'B') : NULL;
	uint32_t columns = 0;
	for (const char *at = first; at && at < last; at++)
		columns += *at == 'C';
	bool columns_lowest = first && !columns && lowest_bank_bit(config->value) > bit;
	if (columns_lowest)
		columns = lowest_bank_bit(config->value) - bit;
	if (first)
		gpgpusim_set_number(config, "map.column_bits", columns);
	gpgpusim_set(config, "map.columns_lowest", columns_lowest ? "true" : "false");
	config->options->honored++;
}

static void take_network(struct config *config)
{
	const char *slash = strrchr(config->source.name, '/');
	int folder = *config->value == '/' || !slash ? 0 : (int)(slash + 1 - config->source.name);
	if (snprintf(config->network, sizeof config->network, "%.*s%s", folder, config->source.name, config->value) >=
	    (int)sizeof config->network)
		gpgpusim_fail(config, "the name is too long");
	config->options->honored++;
}

static const struct own {
	const char *option;
	void (*apply)(struct config *config);
} own[] = {
	{"-gpgpu_n_clusters", set_clusters},
	{"-gpgpu_n_cores_per_cluster", set_cores},
	{"-gpgpu_shmem_per_block", set_shared_per_block},
	{"-gpgpu_n_mem_per_ctrlr", set_chips},
	{"-gpgpu_dram_buswidth", set_bus},
	{"-gpgpu_dram_burst_length", set_burst},
	{"-dram_data_command_freq_ratio", set_data_rate},
	{"-gpgpu_dram_timing_opt", set_timing},
	{"-gpgpu_mem_addr_mapping", set_mapping},
	{"-gpgpu_sub_core_model", set_sub_cores},
	{"-sub_core_model", set_sub_cores},
	{"-dram_dual_bus_interface", set_dual_bus},
	{"-dual_bus_interface", set_dual_bus},
	{"-gpgpu_perfect_inst_const_cache", set_perfect_code},
	{"-gpgpu_operand_collector_num_units_gen", set_collectors},
	{"-gpgpu_unified_l1d_size", set_unified},
	{"-gpgpu_adaptive_cache_config", set_adaptive},
	{"-gpgpu_shmem_option", set_carve_outs},
	{"-network_mode", set_network},
	{"-gpgpu_memory_partition_indexing", set_channel_hash},
	{"-gpgpu_shader_core_pipeline", set_threads},
	{"-gpgpu_pipeline_widths", set_widths},
	{"-ptx_opcode_latency_sfu", set_special_latency},
	{"-ptx_opcode_initiation_sfu", set_special_initiation},
	{"-gpgpu_scheduler", set_scheduler},
	{"-gmem_skip_L1D", set_skip},
	{"-gpgpu_gmem_skip_L1D", set_skip},
	{"-gpgpu_flush_l1_cache", set_flush},
	{"-gpgpu_local_mem_map", set_local_map},
	{"-gpgpu_simt_core_sim_order", set_turns},
	{"-inter_config_file", take_network},
};

static bool is_own(struct config *config)
{
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (strcmp(own[i].option, config->option) == 0) {
			own[i].apply(config);
			return true;
		}
	return false;
}

void gpgpusim_apply(struct config *config)
{
	if (!*config->value)
		gpgpusim_fail(config, "expected a value");
	else if (!set_directly(config) && !is_fixed(config) && !gpgpusim_apply_cache(config) && !is_own(config))
		gpgpusim_leave(config, "the model does not have it");
}
