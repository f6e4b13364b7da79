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
	{"-smem_latency", {"sm.shared_latency"}}, /* its name in SM3_KEPLER_TITAN */
	{"-gpgpu_shmem_sizeDefault", {"sm.shared_bytes"}},
	{"-gpgpu_max_insn_issue_per_warp", {"sm.issue_per_warp"}},
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
	{"-ptx_opcode_latency_fp",
         {"latency.add.fp32", "latency.max.fp32", "latency.mul.fp32", "latency.mad.fp32", "latency.div.fp32"}},
	{"-ptx_opcode_latency_dp",
         {"latency.add.fp64", "latency.max.fp64", "latency.mul.fp64", "latency.mad.fp64", "latency.div.fp64"}},
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

/* --- options with their own function --- */

/* Numbers that are combined with others, in finish.c. */
static const struct number {
	const char *option;
	size_t field;
} numbers[] = {
	{"-gpgpu_n_clusters", offsetof(struct config, clusters)},
	{"-gpgpu_n_cores_per_cluster", offsetof(struct config, cores)},
	{"-gpgpu_shmem_per_block", offsetof(struct config, shared_per_block)},
	{"-gpgpu_n_mem_per_ctrlr", offsetof(struct config, chips)},
	{"-gpgpu_dram_buswidth", offsetof(struct config, bus_bytes)},
	{"-gpgpu_dram_burst_length", offsetof(struct config, burst)},
	{"-dram_data_command_freq_ratio", offsetof(struct config, data_rate)},
	{"-gpgpu_operand_collector_num_units_gen", offsetof(struct config, collectors)},
	{"-gpgpu_unified_l1d_size", offsetof(struct config, unified_kib)},
	{"-gpgpu_adaptive_cache_config", offsetof(struct config, adaptive)},
	{"-gpgpu_num_dp_units", offsetof(struct config, dp_units)},
	{"-gpgpu_num_int_units", offsetof(struct config, int_units)},
	{"-gpgpu_num_tensor_core_units", offsetof(struct config, tensor_units)},
	{"-gpgpu_tensor_core_avail", offsetof(struct config, has_tensor)},
	{"-gpgpu_coalesce_arch", offsetof(struct config, coalescing)},
	{"-gpgpu_enable_specialized_operand_collector", offsetof(struct config, own_collectors)},
};

static bool take_number(struct config *config)
{
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		if (strcmp(numbers[i].option, config->option) != 0)
			continue;
		uint32_t *number = (uint32_t *)(void *)((char *)config + numbers[i].field);
		config->options->honored += gpgpusim_number(config, config->value, number);
		return true;
	}
	return false;
}

/* Options of pipes that only machines without sub-cores have, and of which the model has no counterpart there. */
static bool is_of_missing_pipe(struct config *config)
{
	static const char *const pipes[] = {"_dp", "_int", "_tensor_core"};
	if (strncmp(config->option, "-gpgpu_operand_collector_num_", 29) != 0)
		return false;
	for (size_t i = 0; i < sizeof pipes / sizeof *pipes; i++) {
		size_t length = strlen(config->option), end = strlen(pipes[i]);
		if (strcmp(config->option + length - end, pipes[i]) != 0)
			continue;
		if (config->has_sub_cores || strcmp(config->value, "0") == 0)
			config->options->honored++;
		else
			gpgpusim_leave(config, "pipes besides SP, SFU and memory need sub-cores");
		return true;
	}
	return false;
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

/* Sets one value of a kind of operations for all data types. */
static void set_types(struct config *config, const char *what, const char *kind, const char *text)
{
	static const char *const types[] = {"int", "fp32", "fp64"};
	char key[64];
	uint32_t number;
	if (!gpgpusim_number(config, text, &number))
		return;
	for (size_t i = 0; i < 3; i++) {
		snprintf(key, sizeof key, "%s.%s.%s", what, kind, types[i]);
		gpgpusim_set_number(config, key, number);
	}
}

static void set_special(struct config *config, const char *what)
{
	set_types(config, what, "special", config->value);
	config->options->honored++;
}

static void set_tensor(struct config *config, const char *what)
{
	static const char *const kinds[] = {"mma_256", "mma_512", "mma_1k", "mma_2k", "mma_4k", "mma_8k"};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		set_types(config, what, kinds[i], config->value);
	config->options->honored++;
}

/* Parses ADD,MAX,MUL,MAD,DIV[,SHUFFLE]; the last one is newer. */
static void set_int(struct config *config, const char *what)
{
	static const char *const kinds[] = {"add", "max", "mul", "mad", "div"};
	char copy[WORD], *parts[PARTS], key[64];
	uint32_t number;
	snprintf(copy, sizeof copy, "%s", config->value);
	size_t count = gpgpusim_part(copy, ",", parts);
	if (count < 5)
		gpgpusim_fail(config, "'%s' has too few parts; expected 5", config->value);
	for (size_t i = 0; i < 5 && i < count; i++) {
		snprintf(key, sizeof key, "%s.%s.int", what, kinds[i]);
		if (gpgpusim_number(config, parts[i], &number))
			gpgpusim_set_number(config, key, number);
	}
	if (count > 5)
		set_types(config, what, "shuffle", parts[5]);
	config->options->honored++;
}

static void set_int_latency(struct config *config)
{
	set_int(config, "latency");
}

static void set_int_initiation(struct config *config)
{
	set_int(config, "initiation");
}

static void set_tensor_latency(struct config *config)
{
	set_tensor(config, "latency");
}

static void set_tensor_initiation(struct config *config)
{
	set_tensor(config, "initiation");
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
	static const char *const hashes[] = {"none", NULL, "polynomial", NULL, "random"};
	set_choice(config, "map.slice_hash", hashes, 5,
	           "slices are chosen by the address modulo their number (0), by a polynomial (2) or at random (4)");
}

static void set_bank_hash(struct config *config)
{
	static const char *const hashes[] = {"none", "xor", "polynomial"};
	set_choice(config, "map.bank_hash", hashes, 3, "banks are numbered (0), or hashed with the row (1, 2)");
}

static void set_bank_groups(struct config *config)
{
	static const char *const low[] = {"false", "true"};
	set_choice(config, "dram.group_low_bits", low, 2, "a group is the bank's high bits (0) or its low bits (1)");
}

static void set_fill_by_copies(struct config *config)
{
	set_flag(config, "memory.copies_fill_l2", "1");
}

static void set_issue_other_pipe(struct config *config)
{
	set_flag(config, "sm.issue_other_pipe", "1");
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

static const char preferences[] = "a program's preference for L1 or shared memory changes nothing";

/* A description that differs from that of -gpgpu_cache:dl1 holds for programs that call cudaFuncSetCacheConfig(). */
static void take_preference(struct config *config)
{
	if (strcmp(config->value, config->dl1) == 0)
		config->options->honored++;
	else
		gpgpusim_leave(config, preferences);
}

static void take_preferred_size(struct config *config)
{
	uint32_t bytes;
	if (!gpgpusim_number(config, config->value, &bytes))
		return;
	if (bytes == config->machine->sm.shared_bytes)
		config->options->honored++;
	else
		gpgpusim_leave(config, preferences);
}

static const struct own {
	const char *option;
	void (*apply)(struct config *config);
} own[] = {
	{"-gpgpu_dram_timing_opt", set_timing},
	{"-gpgpu_mem_addr_mapping", set_mapping},
	{"-gpgpu_sub_core_model", set_sub_cores},
	{"-sub_core_model", set_sub_cores},
	{"-dram_dual_bus_interface", set_dual_bus},
	{"-dual_bus_interface", set_dual_bus},
	{"-gpgpu_perfect_inst_const_cache", set_perfect_code},
	{"-gpgpu_shmem_option", set_carve_outs},
	{"-network_mode", set_network},
	{"-gpgpu_memory_partition_indexing", set_channel_hash},
	{"-dram_bnk_indexing_policy", set_bank_hash},
	{"-dram_bnkgrp_indexing_policy", set_bank_groups},
	{"-gpgpu_perf_sim_memcpy", set_fill_by_copies},
	{"-gpgpu_dual_issue_diff_exec_units", set_issue_other_pipe},
	{"-gpgpu_cache:dl1PrefL1", take_preference},
	{"-gpgpu_cache:dl1PrefShared", take_preference},
	{"-gpgpu_shmem_size_PrefL1", take_preferred_size},
	{"-gpgpu_shmem_size_PrefShared", take_preferred_size},
	{"-ptx_opcode_latency_int", set_int_latency},
	{"-ptx_opcode_initiation_int", set_int_initiation},
	{"-ptx_opcode_latency_tesnor", set_tensor_latency}, /* as it is spelled there */
	{"-ptx_opcode_initiation_tensor", set_tensor_initiation},
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

/* Units of trace-driven runs: ENABLED,UNITS,... */
static bool is_off(struct config *config)
{
	if (strncmp(config->option, "-specialized_unit_", 18) != 0 || *config->value != '0')
		return false;
	config->options->honored++;
	return true;
}

void gpgpusim_apply(struct config *config)
{
	if (!*config->value)
		gpgpusim_fail(config, "expected a value");
	else if (!set_directly(config) && !take_number(config) && !gpgpusim_apply_fixed(config) &&
	         !gpgpusim_apply_cache(config) && !is_own(config) && !is_of_missing_pipe(config) && !is_off(config) &&
	         !gpgpusim_apply_idle(config))
		gpgpusim_leave(config, "the model does not have it");
}
