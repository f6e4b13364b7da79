/* The options of GPGPU-Sim's files by the keys of ours that they set. */
#include "api/gpgpusim_config.h"

#include "base/arena.h"
#include "base/config_file.h"
#include "base/file.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 512, PARTS = 32 };

/* A file while it is read. */
struct config {
	struct source source;
	struct machine *machine;
	struct gpgpusim_options *options;
	struct diag *diag;
	FILE *list;
	const char *option, *value; /* the one just read */
	struct place place;
	/* of several options together */
	uint32_t shared_per_block; /* 0: as much as there is */
	uint32_t clusters, cores, chips, bus_bytes, burst, data_rate;
	uint32_t ccd, rrd, rcd, ras, rp, rc, cl, wl, cdlr, wr, groups, ccdl, rtpl; /* dram timing; 0: not given */
	char network[PATH_MAX];
};

__attribute__((format(printf, 2, 3))) static void fail(struct config *config, const char *format, ...)
{
	char text[WORD];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	diag_error(config->diag, &config->source, config->place, "%s: %s", config->option, text);
}

/* The model has no place for it. */
static void leave(struct config *config, const char *why)
{
	config->options->others++;
	fprintf(config->list, "%s:%u: %s %s: %s\n", config->source.name, config->place.line, config->option,
	        config->value, why);
}

/* Sets one of our keys; its range is that of the key. */
static void set(struct config *config, const char *key, const char *value)
{
	struct diag diag = {0};
	char *assignment;
	if (asprintf(&assignment, "%s=%s", key, value) < 0)
		abort();
	if (!config_assign(assignment, machine_options, machine_option_count, config->machine, &diag))
		fail(config, "'%s' is no value for %s ('sluice machine show' lists its range)", value, key);
	diag_free(&diag);
	free(assignment);
}

static void set_number(struct config *config, const char *key, uint32_t number)
{
	char text[16];
	snprintf(text, sizeof text, "%u", number);
	set(config, key, text);
}

/* A whole number from 0; fractions are rounded. */
static bool number_of(struct config *config, const char *text, uint32_t *number)
{
	char *end;
	errno = 0;
	double value = strtod(text, &end);
	if (!isdigit((unsigned char)*text) || *end || errno || value >= UINT32_MAX) {
		fail(config, "'%s' is no number", text);
		return false;
	}
	*number = (uint32_t)(value + 0.5);
	return true;
}

/* Parts the value at any of the separators, in place. Returns how many there are. */
static size_t part(char *text, const char *separators, char *parts[PARTS])
{
	size_t count = 0;
	for (char *rest = text; rest && count < PARTS;)
		parts[count++] = strsep(&rest, separators);
	return count;
}

/* Each part sets the key at its place; "" sets nothing. Fewer parts than keys are an error, more are not looked at. */
static void set_parts(struct config *config, const char *separators, const char *const *keys, size_t count)
{
	char copy[WORD], *parts[PARTS];
	uint32_t number;
	snprintf(copy, sizeof copy, "%s", config->value);
	if (part(copy, separators, parts) < count) {
		fail(config, "'%s' has too few parts; expected %zu", config->value, count);
		return;
	}
	for (size_t i = 0; i < count; i++)
		if (*keys[i] && number_of(config, parts[i], &number))
			set_number(config, keys[i], number);
	config->options->honoured++;
}

/* --- options that set keys as they are --- */

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

/* --- options that the model has with one value alone --- */

static const struct fixed {
	const char *option, *value, *why;
} fixed[] = {
	{"-gpgpu_simd_model", "1", "warps have reconvergence stacks"},
	{"-network_mode", "1", "the network is intersim2's crossbar"},
	{"-gpgpu_dram_scheduler", "1", "DRAM is scheduled first ready, first come"},
	{"-gpgpu_perfect_mem", "0", "use sm.zero_latency_memory"},
	{"-gpgpu_cache:dl2_texture_only", "0", "L2 holds data too"},
	{"-gpgpu_shmem_limited_broadcast", "0", "any words of shared memory are read for all lanes that want them"},
	{"-gpgpu_shmem_warp_parts", "1", "a whole warp accesses shared memory at once"},
	{"-gpgpu_ptx_use_cuobjdump", "0", "the code is PTX"},
	{"-gpgpu_ptx_convert_to_ptxplus", "0", "the code is PTX"},
	{"-gpgpu_concurrent_kernel_sm", "0", "kernels run one behind the other"},
	{"-gpgpu_memory_partition_indexing", "0", "channels are chosen by the address modulo their number"},
};

static bool is_fixed(struct config *config)
{
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
		if (strcmp(fixed[i].option, config->option) != 0)
			continue;
		if (strcmp(fixed[i].value, config->value) == 0)
			config->options->honoured++;
		else
			leave(config, fixed[i].why);
		return true;
	}
	return false;
}

/* --- caches --- */

/* A letter of a cache's description, and what it means in ours. */
struct letter {
	char letter;
	const char *value;
};

static const struct letter replacements[] = {{'L', "lru"}, {'F', "fifo"}, {0, NULL}};
static const struct letter writes[] = {{'R', NULL},    {'B', "back"},  {'T', "through"},
                                       {'E', "evict"}, {'L', "evict"}, {0, NULL}};
static const struct letter allocations[] = {{'m', "on_miss"}, {'f', "on_fill"}, {'s', "on_miss"}, {0, NULL}};
static const struct letter write_misses[] = {{'N', "none"}, {'W', "fetch"}, {'F', "fetch"}, {'L', "lazy"}, {0, NULL}};
static const struct letter indexes[] = {{'L', "linear"}, {'H', "hashed"}, {'P', NULL}, {'X', NULL}, {0, NULL}};

static void set_letter(struct config *config, const char *prefix, const char *key, const struct letter *letters,
                       const char *text)
{
	char name[64];
	snprintf(name, sizeof name, "%s.%s", prefix, key);
	while (letters->letter && letters->letter != *text)
		letters++;
	if (!letters->letter || text[1])
		fail(config, "'%s' is no letter for %s", text, name);
	else if (letters->value)
		set(config, name, letters->value);
}

static void set_cache_number(struct config *config, const char *prefix, const char *key, const char *text)
{
	char name[64];
	uint32_t number;
	snprintf(name, sizeof name, "%s.%s", prefix, key);
	if (number_of(config, text, &number))
		set_number(config, name, number);
}

/* Sets:line:ways */
static void set_geometry(struct config *config, const char *prefix, char *text)
{
	static const char *const keys[] = {"sets", "line_bytes", "ways"};
	char *parts[PARTS], *kind = text;
	bool sectored = false;
	if (isalpha((unsigned char)*kind) && kind[1] == ':') { /* N: lines, S: sectors; of version 4 */
		sectored = *kind == 'S';
		text += 2;
	}
	if (part(text, ":", parts) != 3) {
		fail(config, "'%s' is no geometry; expected SETS:LINE:WAYS", text);
		return;
	}
	for (size_t i = 0; i < 3; i++)
		set_cache_number(config, prefix, keys[i], parts[i]);
	if (strcmp(prefix, "l2") == 0) {
		set(config, "l2.sectors", sectored ? "4" : "1");
		set(config, "l2.by_sectors", sectored ? "true" : "false");
	}
}

/* Replacement:write:allocation:write miss:index; the index came later */
static void set_policies(struct config *config, const char *prefix, char *text)
{
	char *parts[PARTS];
	size_t count = part(text, ":", parts);
	bool is_texture = strcmp(prefix, "l1t") == 0;
	if (count < 4) {
		fail(config, "'%s' are too few policies; expected REPLACEMENT:WRITE:ALLOCATION:WRITE_MISS", text);
		return;
	}
	set_letter(config, prefix, "replacement", replacements, parts[0]);
	if (!is_texture) {
		/* local write-back and global write-evict is what L1's "evict" is */
		set_letter(config, prefix, "write_hit", writes, parts[1]);
		set_letter(config, prefix, "allocation", allocations, parts[2]);
		set_letter(config, prefix, "write_miss", write_misses, parts[3]);
	}
	if (count > 4)
		set_letter(config, prefix, "index", indexes, parts[4]);
}

static void set_mshrs(struct config *config, const char *prefix, char *text)
{
	bool is_texture = strcmp(prefix, "l1t") == 0;
	char *parts[PARTS];
	if (part(text, ":", parts) < 3) {
		fail(config, "'%s' are no MSHRs; expected KIND:ENTRIES:MERGES", text);
		return;
	}
	set_cache_number(config, prefix, is_texture ? "fragments" : "mshrs", parts[1]);
	set_cache_number(config, prefix, is_texture ? "requests" : "merges", parts[2]);
}

/* Miss queue, or of textures: lines on their way, and results. */
static void set_queues(struct config *config, const char *prefix, char *text)
{
	char *parts[PARTS];
	size_t count = part(text, ":", parts);
	bool is_texture = strcmp(prefix, "l1t") == 0;
	set_cache_number(config, prefix, is_texture ? "lines" : "miss_queue", parts[0]);
	if (is_texture && count > 1)
		set_cache_number(config, prefix, "results", parts[1]);
}

/* GEOMETRY,POLICIES,MSHRS,QUEUES[,PORT] */
static void set_cache(struct config *config, const char *prefix)
{
	char copy[WORD], *parts[PARTS];
	snprintf(copy, sizeof copy, "%s", config->value);
	size_t count = part(copy, ",", parts);
	if (count < 4) {
		fail(config, "'%s' is no cache; expected GEOMETRY,POLICIES,MSHRS,QUEUE", config->value);
		return;
	}
	set_geometry(config, prefix, parts[0]);
	set_policies(config, prefix, parts[1]);
	set_mshrs(config, prefix, parts[2]);
	set_queues(config, prefix, parts[3]);
	if (count > 4 && strcmp(prefix, "l1t") != 0)
		set_cache_number(config, prefix, "port_bytes", parts[4]);
	config->options->honoured++;
}

static bool is_cache(struct config *config)
{
	static const struct {
		const char *option, *prefix;
	} caches[] = {{"-gpgpu_cache:dl1", "l1d"},
	              {"-gpgpu_cache:dl2", "l2"},
	              {"-gpgpu_cache:il1", "l1i"},
	              {"-gpgpu_const_cache:l1", "l1c"},
	              {"-gpgpu_tex_cache:l1", "l1t"}};
	for (size_t i = 0; i < sizeof caches / sizeof *caches; i++)
		if (strcmp(caches[i].option, config->option) == 0) {
			set_cache(config, caches[i].prefix);
			return true;
		}
	return false;
}

/* --- options of their own --- */

static void take(struct config *config, uint32_t *number)
{
	if (number_of(config, config->value, number))
		config->options->honoured++;
}

static void set_clusters(struct config *config)
{
	take(config, &config->clusters);
}

static void set_cores(struct config *config)
{
	take(config, &config->cores);
}

static void set_shared_per_block(struct config *config)
{
	take(config, &config->shared_per_block);
}

static void set_chips(struct config *config)
{
	take(config, &config->chips);
}

static void set_bus(struct config *config)
{
	take(config, &config->bus_bytes);
}

static void set_burst(struct config *config)
{
	take(config, &config->burst);
}

static void set_data_rate(struct config *config)
{
	take(config, &config->data_rate);
}

/* THREADS:WARP_SIZE */
static void set_threads(struct config *config)
{
	char copy[WORD], *parts[PARTS];
	uint32_t threads, lanes;
	snprintf(copy, sizeof copy, "%s", config->value);
	if (part(copy, ":", parts) < 2) {
		fail(config, "'%s': expected THREADS:WARP_SIZE", config->value);
		return;
	}
	if (!number_of(config, parts[0], &threads) || !number_of(config, parts[1], &lanes))
		return;
	if (lanes != WARP_SIZE || threads % WARP_SIZE)
		fail(config, "'%s': warps have 32 threads", config->value);
	else
		set_number(config, "sm.warps", threads / WARP_SIZE);
	config->options->honoured++;
}

/* Into the pipes, out of the collectors, and results; version 4 has pipes of double precision and integers between, and more behind. */
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

/* The one latency of what the SFU does. */
static void set_special(struct config *config, const char *what)
{
	static const char *const types[] = {"int", "fp32", "fp64"};
	char key[64];
	uint32_t number;
	if (!number_of(config, config->value, &number))
		return;
	for (size_t i = 0; i < 3; i++) {
		snprintf(key, sizeof key, "%s.special.%s", what, types[i]);
		set_number(config, key, number);
	}
	config->options->honoured++;
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
		set(config, "sm.warp_order", config->value);
	} else if (sscanf(config->value, "two_level_active:%u", &ready) == 1) {
		char text[64];
		snprintf(text, sizeof text, "two_level:ready=%u", ready);
		set(config, "sm.warp_order", text);
	} else {
		leave(config, "warp orders are gto, lrr and two_level_active");
		return;
	}
	config->options->honoured++;
}

static void set_flag(struct config *config, const char *key, const char *on)
{
	set(config, key, strcmp(config->value, on) == 0 ? "true" : "false");
	config->options->honoured++;
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
	set(config, "sm.local_layout", strcmp(config->value, "1") == 0 ? "by_block" : "by_sm");
	config->options->honoured++;
}

static void set_turns(struct config *config)
{
	set(config, "sm.cluster_turns", strcmp(config->value, "1") == 0 ? "by_cycle" : "held");
	config->options->honoured++;
}

/* NAME=NUMBER:... */
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
	size_t count = part(copy, ":", parts);
	if (count == 1)
		leave(config, "expected NAME=NUMBER:...; the older form is a list without names");
	for (size_t i = 0; count > 1 && i < count; i++) {
		char *name = strsep(&parts[i], "=");
		size_t known = 0;
		while (known < sizeof names / sizeof *names && strcmp(names[known].name, name) != 0)
			known++;
		if (known == sizeof names / sizeof *names || !parts[i])
			fail(config, "'%s' is no DRAM time", name);
		else
			number_of(config, parts[i], names[known].number);
	}
	config->options->honoured += count > 1;
}

/* dramid@BIT;... : with a place of the channel, the channel is what divides the address there. */
static void set_mapping(struct config *config)
{
	unsigned bit;
	const char *row = strrchr(config->value, 'R');
	if (sscanf(config->value, "dramid@%u", &bit) != 1 || bit < 7 || bit > 16) {
		leave(config, "expected dramid@BIT;BITS");
		return;
	}
	set_number(config, "map.interleave_bytes", 1u << bit);
	/* columns between the low and the high bits of banks */
	const char *first = row ? strchr(row, 'B') : NULL, *last = first ? strrchr(first, 'B') : NULL;
	uint32_t columns = 0;
	for (const char *at = first; at && at < last; at++)
		columns += *at == 'C';
	if (first)
		set_number(config, "map.column_bits", columns);
	config->options->honoured++;
}

static void take_network(struct config *config)
{
	const char *slash = strrchr(config->source.name, '/');
	int folder = *config->value == '/' || !slash ? 0 : (int)(slash + 1 - config->source.name);
	if (snprintf(config->network, sizeof config->network, "%.*s%s", folder, config->source.name, config->value) >=
	    (int)sizeof config->network)
		fail(config, "the name is too long");
	config->options->honoured++;
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

static void apply(struct config *config)
{
	if (!*config->value)
		fail(config, "expected a value");
	else if (!set_directly(config) && !is_fixed(config) && !is_cache(config) && !is_own(config))
		leave(config, "the model has none");
}

/* --- text --- */

/* Moves to the next word or the text's end; comments go to the line's end. */
static const char *skip_blanks(const char *at, uint32_t *line)
{
	while (isspace((unsigned char)*at) || *at == '#') {
		if (*at == '#')
			at += strcspn(at, "\n");
		else
			*line += *at++ == '\n';
	}
	return at;
}

/* Words up to the next option, with one blank between them; what stands in quotes goes over several lines and loses its blanks. */
static const char *read_value(const char *at, char *value, uint32_t *line)
{
	size_t length = 0;
	bool quoted = false;
	*value = '\0';
	for (at = skip_blanks(at, line); *at && (quoted || !(*at == '-' && isalpha((unsigned char)at[1]))); at++) {
		if (*at == '"')
			quoted = !quoted;
		else if (!isspace((unsigned char)*at) && *at != '\\' && length + 1 < WORD)
			value[length++] = *at;
		*line += *at == '\n';
		if (!quoted && isspace((unsigned char)at[1])) {
			at = skip_blanks(at + 1, line) - 1;
			value[length] = ' ';
			length += length + 1 < WORD;
		}
	}
	length -= length && value[length - 1] == ' ';
	value[length] = '\0';
	return at;
}

static void read_options(struct config *config)
{
	char option[WORD], value[WORD];
	uint32_t line = 1;
	const char *text = config->source.text, *at = skip_blanks(text, &line);
	config->option = option;
	config->value = value;
	while (*at) {
		size_t length = strcspn(at, " \t\r\n");
		const char *start = at;
		while (start > text && start[-1] != '\n')
			start--;
		config->place = (struct place){line, (uint32_t)(at - start) + 1};
		snprintf(option, sizeof option, "%.*s", (int)length, at);
		if (*option != '-') {
			fail(config, "expected an option, with a '-' before its name");
			return;
		}
		at = read_value(at + length, value, &line);
		apply(config);
	}
}

/* --- the network's file: NAME = VALUE; --- */

static void apply_network(struct config *config)
{
	static const struct {
		const char *name, *key;
	} keys[] = {{"flit_size", "network.flit_bytes"},
	            {"internal_speedup", "network.speedup"},
	            {"vc_buf_size", "network.buffer_flits"},
	            {"boundary_buffer_size", "network.boundary_flits"}};
	uint32_t number;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (strcmp(keys[i].name, config->option) == 0) {
			if (number_of(config, config->value, &number))
				set_number(config, keys[i].key, number);
			config->options->honoured++;
			return;
		}
	leave(config, "the model has none");
}

static void read_network(struct config *config)
{
	char option[WORD], value[WORD];
	size_t length;
	char *text = file_read(config->network, &length);
	if (!text) {
		diag_plain(config->diag, "cannot read %s, which %s names: %s", config->network, config->source.name,
		           strerror(errno));
		return;
	}
	config->source = (struct source){config->network, text, length};
	config->option = option;
	config->value = value;
	uint32_t line = 0;
	for (char *rest = text, *row; (row = strsep(&rest, "\n"));) {
		line++;
		config->place = (struct place){line, 1};
		row[strcspn(row, "/#")] = '\0';
		for (char *setting; (setting = strsep(&row, ";"));)
			if (sscanf(setting, " %500[A-Za-z0-9_] = %500[^ \t]", option, value) == 2)
				apply_network(config);
	}
	free(text);
}

/* --- what several options say together --- */

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
	/* version 3 counts the bits of a group's bank one too many */
	uint32_t groups = config->groups ? config->groups : 1;
	dram->bank_groups = is_old && groups > 1 ? groups / 2 : groups;
}

static void finish(struct config *config, bool is_old)
{
	struct machine *machine = config->machine;
	machine->cluster.sms = config->cores ? config->cores : machine->cluster.sms;
	if (config->clusters || config->cores)
		machine->sms = (config->clusters ? config->clusters : 15) * machine->cluster.sms;
	machine->shared_per_block = config->shared_per_block ? config->shared_per_block : machine->sm.shared_bytes;
	finish_dram(config, is_old);
}

/* --- files --- */

bool gpgpusim_config_is(const char *path)
{
	static const char suffix[] = ".config";
	size_t length = strlen(path), end = sizeof suffix - 1;
	return length > end && strcmp(path + length - end, suffix) == 0;
}

static char *read_text(const char *path, size_t *length, struct diag *diag)
{
	char *text = file_read(path, length);
	if (!text)
		diag_plain(diag, "cannot read %s: %s", path, strerror(errno));
	return text;
}

/* Options that came with version 4. */
static bool is_version_4(const char *text)
{
	static const char *const marks[] = {"-gpgpu_coalesce_arch", "-gpgpu_l1_latency", "-gpgpu_smem_latency",
	                                    "-gpgpu_num_int_units", "-gpgpu_compute_capability_major"};
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (strstr(text, marks[i]))
			return true;
	return false;
}

const char *gpgpusim_config_base(const char *path, struct diag *diag)
{
	size_t length;
	char *text = read_text(path, &length, diag);
	const char *base = !text ? NULL : is_version_4(text) ? "gtx480-v4" : "gtx480";
	free(text);
	return base;
}

static void name_machine(struct machine *machine, const char *path)
{
	const char *slash = strrchr(path, '/');
	snprintf(machine->name, sizeof machine->name, "%s", slash ? slash + 1 : path);
}

bool gpgpusim_config_read(const char *path, struct machine *machine, struct gpgpusim_options *options,
                          struct diag *diag)
{
	size_t length, list_length;
	uint32_t errors = diag->errors;
	char *text = read_text(path, &length, diag);
	*options = (struct gpgpusim_options){0};
	if (!text)
		return false;
	struct config config = {.source = {path, text, length}, .machine = machine, .options = options, .diag = diag};
	config.list = open_memstream(&options->list, &list_length);
	read_options(&config);
	if (*config.network)
		read_network(&config);
	finish(&config, !is_version_4(text));
	name_machine(machine, path);
	fclose(config.list);
	free(text);
	if (!options->others) {
		free(options->list);
		options->list = NULL;
	}
	return diag->errors == errors;
}
