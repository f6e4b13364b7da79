/* Protects the outputs that users and scripts read, all written from the same records: the table, the JSON file,
 * GPGPU-Sim's format and the counter declarations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "output/record.h"

#include <jansson.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

static const struct machine machine = {
	.name = "toy",
	.core_mhz = 700,
	.sms = 2,
	.sm = {.schedulers = 2,
               .warps = 48,
               .l1d = {.allocation = ALLOCATE_ON_MISS},
               .l1i = {.allocation = ALLOCATE_ON_FILL},
               .l1c = {.allocation = ALLOCATE_ON_FILL}},
	.l2 = {.allocation = ALLOCATE_ON_MISS},
	.dram = {.atom_bytes = 64},
};
static const char *const program[] = {"./bfs", "graph\xff", NULL};

/* A launch in which each counter has its own value. The cycle stack consists of thirds, whose rounded percentages do
 * not add up to 100. */
static struct record make_record(const char *kernel, uint64_t launch)
{
	struct record record = {.kernel = (char *)(uintptr_t)kernel,
	                        .shown = (char *)(uintptr_t)kernel,
	                        .launch = launch,
	                        .grid = {60, 2, 1},
	                        .block = {256, 1, 1},
	                        .registers = 14,
	                        .shared_bytes = 4096,
	                        .blocks_per_sm = 6,
	                        .cycles = 1000 * launch,
	                        .host_seconds = 0.5};
	uint64_t *counter = (uint64_t *)&record.stats;
	for (size_t i = 0; i < sizeof record.stats / sizeof *counter; i++)
		counter[i] = 1000 * launch + i;
	struct sm_stats *sm = &record.stats.sm;
	sm->stack_issued = sm->stack_dram = sm->stack_idle = 1;
	sm->stack_arithmetic = sm->stack_shared = sm->stack_l1 = sm->stack_texture = sm->stack_l2 = 0;
	sm->stack_barrier = sm->stack_held = sm->stack_replayed = sm->stack_conflict = sm->stack_no_instruction = 0;
	sm->active_cycles = 4 * launch;
	sm->resident_warp_cycles = 96 * launch;
	sm->thread_instructions = 96000 * launch;
	struct gpu_stats *stats = &record.stats;
	stats->l1d = (struct cache_stats){.accesses = 100,
	                                  .hits = 25,
	                                  .misses = 60,
	                                  .merged = 15,
	                                  .refused = 7,
	                                  .global_reads = 70,
	                                  .global_read_hits = 20,
	                                  .global_writes = 11,
	                                  .global_write_hits = 2};
	stats->l1i = (struct cache_stats){.accesses = 50, .hits = 30, .misses = 12, .merged = 8, .read_misses = 12};
	stats->l1c = (struct cache_stats){.accesses = 40, .hits = 30, .misses = 9, .merged = 1, .read_misses = 9};
	stats->l1t = (struct cache_stats){.accesses = 30, .hits = 20, .misses = 6, .merged = 4, .read_misses = 6};
	stats->l2 = (struct cache_stats){.accesses = 200,
	                                 .hits = 150,
	                                 .misses = 50,
	                                 .read_accesses = 120,
	                                 .write_accesses = 80,
	                                 .global_reads = 90,
	                                 .global_read_hits = 40,
	                                 .global_writes = 60,
	                                 .global_write_hits = 50};
	stats->reply_network.packets = 50;
	stats->dram = (struct dram_stats){.reads = 70,
	                                  .writes = 30,
	                                  .requests = 50,
	                                  .row_hits = 40,
	                                  .activates = 10,
	                                  .cycles = 1000,
	                                  .data_cycles = 200};
	return record;
}

enum { MANY = 12 };
static struct record storage[MANY];

static struct records make_records(size_t count)
{
	static const char *const names[] = {"bfs_kernel", "update"};
	for (size_t i = 0; i < count; i++)
		storage[i] = make_record(names[i % 2], i + 1);
	return (struct records){.record = storage, .count = count, .machine = &machine, .program = program};
}

/* The caller frees the text. */
static char *capture(const struct records *records, void (*write)(const struct records *records, FILE *file))
{
	static char *text;
	static size_t size;
	FILE *file = open_memstream(&text, &size);
	assert_non_null(file);
	write(records, file);
	fclose(file);
	return text;
}

static void write_json(const struct records *records, FILE *file)
{
	assert_true(records_write_json(records, file));
}

static void assert_contains(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
}

static void assert_absent(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("'%s' is in:\n%s", part, text);
}

/* Adds up the numbers before " %" in the lines from `from` to `until`. */
static double sum_percents(const char *from, const char *until)
{
	double sum = 0;
	for (const char *at = strstr(from, " %"); at && at < until; at = strstr(at + 1, " %")) {
		const char *number = at;
		while (number > from && strchr("0123456789.", number[-1]))
			number--;
		sum += strtod(number, NULL);
	}
	return sum;
}

/* Derived metrics follow the formulas that --describe prints. */
static void test_derived(void **state)
{
	(void)state;
	struct records records = make_records(1);
	struct derived derived = record_derive(&records, &storage[0]);
	assert_true(derived.ipc == 96.0);
	assert_true(derived.l1d_hit_rate == 0.25);
	assert_true(derived.l2_hit_rate == 0.75);
	assert_true(fabs(derived.dram_bandwidth - 100 * 64 * 700e6 / 1000) < 1);
	assert_true(derived.dram_utilisation == 0.2);
	assert_true(derived.row_hit_rate == 0.8);
	assert_true(derived.row_locality == 5);
	assert_true(derived.warp_instructions_per_host_second == 2000);
	/* A launch in which nothing happened causes no division by zero. */
	storage[0] = (struct record){.kernel = "empty", .shown = "empty"};
	derived = record_derive(&records, &storage[0]);
	assert_true(derived.ipc == 0 && derived.l1d_hit_rate == 0 && derived.dram_bandwidth == 0);
}

/* The printed percentages of every cycle stack add up to 100.0 % in spite of rounding. No line is wider than 100
 * columns. */
static void test_table(void **state)
{
	(void)state;
	struct records records = make_records(3);
	char *text = capture(&records, records_write_table);
	assert_contains(text, "bfs_kernel, launch 3\n");
	assert_contains(text, "grid 60x2x1, block 256x1x1\n");
	assert_contains(text, "14 registers per thread, 4,096 bytes of shared memory per block, 6 blocks per SM\n");
	assert_contains(text, "1,000 cycles, IPC 96.00\n");
	assert_contains(text, "3 launches together\n");
	assert_contains(text, "L1 hits 25.0 % of 100, L2 hits 75.0 % of 200\n");
	assert_contains(text, "pins busy 20.0 %, row hits 80.0 %, 5.0 requests per row\n");
	int stacks = 0;
	for (const char *at = strstr(text, "cycle stack"); at; at = strstr(at + 1, "cycle stack"), stacks++) {
		double sum = sum_percents(at, strstr(at, "caches"));
		assert_true(fabs(sum - 100.0) < 1e-9);
	}
	assert_int_equal(stacks, 4);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		if (strlen(line) > 100)
			fail_msg("%zu columns: %s", strlen(line), line);
	free(text);
}

/* Every cause of the cycle stack has a readable name; none is shown as its counter's name. */
static void test_table_names_causes(void **state)
{
	(void)state;
	struct records records = make_records(1);
	struct stack_part parts[RECORD_STACK_PARTS];
	storage[0].stats.sm.stack_held = storage[0].stats.sm.stack_replayed = storage[0].stats.sm.stack_texture = 1;
	assert_int_equal(record_stack(&storage[0], parts), 13);
	char *text = capture(&records, records_write_table);
	static const char *const names[] = {"waits: arithmetic",
	                                    "waits: shared memory",
	                                    "waits: L1",
	                                    "waits: L2",
	                                    "waits: DRAM",
	                                    "waits: barrier",
	                                    "held by mechanism",
	                                    "replayed: mechanism",
	                                    "pipe full",
	                                    "no instruction",
	                                    "idle"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		assert_contains(text, names[i]);
	assert_absent(text, "no_instruction");
	free(text);
}

/* Many launches are summed to one line per kernel, whose percentages also add up. */
static void test_table_of_many(void **state)
{
	(void)state;
	struct records records = make_records(MANY);
	char *text = capture(&records, records_write_table);
	assert_absent(text, "launch 3");
	assert_contains(text, "12 launches together (the JSON form has each)\n");
	/* The odd launches belong to bfs_kernel: 1 + 3 + ... + 11 thousand cycles of 78 thousand. */
	const char *row = strstr(text, "\nbfs_kernel ");
	unsigned launches, thousands, units;
	assert_non_null(row);
	assert_int_equal(sscanf(row, " bfs_kernel %u %u,%u 46.2 %%", &launches, &thousands, &units), 3);
	assert_int_equal(launches, 6);
	assert_int_equal(1000 * thousands + units, 36000);
	assert_contains(text, " 53.8 %");
	free(text);
}

/* A functional run shows no metric that it did not measure. */
static void test_functional(void **state)
{
	(void)state;
	struct records records = make_records(2);
	records.functional = true;
	for (int i = 0; i < 2; i++) {
		storage[i].functional = true;
		storage[i].cycles = 0;
	}
	char *text = capture(&records, records_write_table);
	assert_contains(text, "functional run, no cycles\n");
	assert_contains(text, "96,000 of threads\n");
	assert_absent(text, "IPC");
	assert_absent(text, "cycle stack");
	assert_absent(text, "DRAM");
	free(text);

	text = capture(&records, write_json);
	json_t *root = json_loads(text, 0, NULL);
	json_t *kernel = json_array_get(json_object_get(root, "kernels"), 0);
	assert_true(json_is_null(json_object_get(kernel, "cycles")));
	json_t *counters = json_object_get(kernel, "counters");
	assert_true(json_is_null(json_object_get(counters, "l1d.accesses")));
	assert_int_equal(json_integer_value(json_object_get(counters, "sm.thread_instructions")), 96000);
	json_decref(root);
	free(text);

	text = capture(&records, records_write_gpgpusim);
	assert_contains(text, "gpu_tot_sim_insn = 288000\n");
	assert_absent(text, "gpu_sim_cycle");
	free(text);
}

static void assert_keys(const json_t *object, const char *const *keys)
{
	const char *key;
	json_t *value;
	size_t i = 0;
	json_object_foreach((json_t *)(uintptr_t)object, key, value)
	{
		assert_non_null(value);
		assert_non_null(keys[i]);
		assert_string_equal(key, keys[i++]);
	}
	assert_null(keys[i]);
}

static int64_t whole(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	if (!json_is_integer(value))
		fail_msg("%s is no whole number", key);
	return json_integer_value(value);
}

/* The JSON file has exactly the documented keys, in order, and each counter under its full name. */
static void test_json(void **state)
{
	(void)state;
	static const char *const root_keys[] = {"ended",         "version",    "sluice",     "program",
	                                        "machine",       "options",    "mechanisms", "observers",
	                                        "checks",        "functional", "threads",    "max_instructions",
	                                        "configuration", "kernels",    "totals",     NULL};
	static const char *const kernel_keys[] = {"name",
	                                          "demangled",
	                                          "launch",
	                                          "ended",
	                                          "grid",
	                                          "block",
	                                          "registers",
	                                          "spill_bytes",
	                                          "shared_bytes",
	                                          "blocks_per_sm",
	                                          "cycles",
	                                          "thread_instructions",
	                                          "warp_instructions",
	                                          "ipc",
	                                          "host_seconds",
	                                          "cycle_stack",
	                                          "counters",
	                                          NULL};
	static const char *const total_keys[] = {
		"cycles", "thread_instructions", "warp_instructions", "host_seconds", "cycle_stack", "counters", NULL};
	static const char *const stack_keys[] = {"issued",   "arithmetic",     "shared",  "l1",   "texture",
	                                         "l2",       "dram",           "barrier", "held", "replayed",
	                                         "conflict", "no_instruction", "idle",    NULL};
	struct records records = make_records(2);
	char *text = capture(&records, write_json);
	json_error_t error;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	if (!root)
		fail_msg("line %d: %s", error.line, error.text);
	assert_keys(root, root_keys);
	assert_int_equal(whole(root, "version"), 1);
	assert_string_equal(json_string_value(json_object_get(root, "sluice")), SLUICE_VERSION);
	assert_string_equal(json_string_value(json_object_get(root, "machine")), "toy");
	const json_t *configuration = json_object_get(root, "configuration");
	assert_int_equal(json_object_size(configuration), machine_option_count);
	assert_int_equal(whole(configuration, "sm.count"), 2);
	/* An argument that is not UTF-8 is replaced, since JSON cannot hold it. */
	assert_string_equal(json_string_value(json_array_get(json_object_get(root, "program"), 1)), "graph?");
	const json_t *kernels = json_object_get(root, "kernels"), *kernel = json_array_get(kernels, 1);
	assert_int_equal(json_array_size(kernels), 2);
	assert_keys(kernel, kernel_keys);
	assert_string_equal(json_string_value(json_object_get(kernel, "name")), "update");
	assert_int_equal(whole(kernel, "launch"), 2);
	assert_int_equal(json_integer_value(json_array_get(json_object_get(kernel, "grid"), 1)), 2);
	assert_int_equal(json_integer_value(json_array_get(json_object_get(kernel, "block"), 0)), 256);
	assert_int_equal(whole(kernel, "cycles"), 2000);
	assert_true(json_real_value(json_object_get(kernel, "ipc")) == 96.0);
	assert_keys(json_object_get(kernel, "cycle_stack"), stack_keys);
	assert_int_equal(whole(json_object_get(kernel, "cycle_stack"), "dram"), 1);

	const json_t *counters = json_object_get(kernel, "counters");
	size_t expected = 0;
	for (size_t g = 0; g < gpu_counter_group_count; g++)
		for (size_t i = 0; i < *gpu_counter_groups[g].count; i++, expected++) {
			const struct base_counter_group *group = &gpu_counter_groups[g];
			char name[128];
			snprintf(name, sizeof name, "%s.%s", group->name, group->rows[i].name);
			assert_int_equal(whole(counters, name),
			                 base_counter_value(group, &group->rows[i], &storage[1].stats));
		}
	assert_int_equal(json_object_size(counters), expected);

	const json_t *totals = json_object_get(root, "totals");
	assert_keys(totals, total_keys);
	assert_int_equal(whole(totals, "cycles"), 3000);
	assert_int_equal(whole(json_object_get(totals, "cycle_stack"), "issued"), 2);
	const char *name;
	json_t *value;
	json_object_foreach(json_object_get(totals, "counters"), name, value)
	{
		int64_t sum = 0;
		for (size_t k = 0; k < 2; k++)
			sum += whole(json_object_get(json_array_get(kernels, k), "counters"), name);
		assert_int_equal(json_integer_value(value), sum);
	}
	json_decref(root);
	free(text);
}

/* A failure to write the file is reported. */
static void test_json_refused(void **state)
{
	(void)state;
	struct records records = make_records(1);
	char room[64];
	FILE *full = fmemopen(room, sizeof room, "w");
	assert_non_null(full);
	assert_false(records_write_json(&records, full));
	fclose(full);
}

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
		{"^gpgpu_n_load_insn[ ]*=[ ]*(.*)$", 3032},
		{"^gpgpu_n_store_insn[ ]*=[ ]*(.*)$", 3034},
		{"^gpgpu_n_shmem_insn[ ]*=[ ]*(.*)$", 3036},
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

static void describe(const struct records *records, FILE *file)
{
	(void)records;
	records_describe(file);
}

/* Every counter is declared once, with its unit, scope and meaning. */
static void test_describe(void **state)
{
	(void)state;
	char *text = capture(NULL, describe);
	for (size_t g = 0; g < gpu_counter_group_count; g++)
		for (size_t i = 0; i < *gpu_counter_groups[g].count; i++) {
			const struct base_counter *row = &gpu_counter_groups[g].rows[i];
			char name[128];
			snprintf(name, sizeof name, "\n%s.%s ", gpu_counter_groups[g].name, row->name);
			const char *line = strstr(text, name);
			if (!line)
				fail_msg("%s is not described", name + 1);
			assert_null(strstr(line + 1, name));
			size_t length = strcspn(++line, "\n");
			const char *parts[] = {row->unit, base_scope_name(gpu_counter_scope(g)), row->meaning};
			for (size_t k = 0; k < 3; k++) {
				const char *found = strstr(line, parts[k]);
				assert_true(*parts[k] && found && found < line + length);
			}
		}
	assert_contains(text, "sm.thread_instructions / cycles\n");
	free(text);
}

/* A mechanism with an indexed vector whose elements are named, and a histogram; two launches. */
static const struct base_counter_vector mine_vectors[] = {
	{.name = "by_array", .unit = "accesses", .meaning = "of arrays", .named = true},
	{.name = "distance", .unit = "cycles", .meaning = "to the demand", .kind = BASE_VECTOR_POWERS, .length = 4},
};
static const struct mech mine = {.name = "mine", .vectors = mine_vectors, .vector_count = 2};
static const struct seam_attached attached = {&mine, NULL};

static struct vector filled(const uint64_t *value, uint32_t length, uint64_t sum, const char *const *label)
{
	struct vector vector = vector_new(length);
	memcpy(vector.value, value, length * sizeof *value);
	vector.sum = sum;
	vector.label = label ? base_calloc(length, sizeof *vector.label) : NULL;
	for (uint32_t i = 0; label && i < length; i++)
		vector.label[i] = base_strdup(label[i]);
	return vector;
}

static void add_vectors(struct record *record, const char *first, const char *second)
{
	record->mech = base_calloc(1, sizeof *record->mech);
	record->mech->stats = base_calloc(1, 1);
	record->mech->vector = base_calloc(2, sizeof *record->mech->vector);
	record->mech->vector[0] = filled((const uint64_t[]){1000, 500}, 2, 0, (const char *const[]){first, second});
	record->mech->vector[1] = filled((const uint64_t[]){0, 1, 0, 3}, 4, 25, NULL);
}

static struct records make_vectors(void)
{
	struct records records = make_records(2);
	records.attached = &attached;
	records.attachments = 1;
	add_vectors(&storage[0], "a", "b");
	add_vectors(&storage[1], "b", "c");
	return records;
}

static void free_vectors(const struct records *records)
{
	record_free(records, &storage[0]);
	record_free(records, &storage[1]);
}

/* For one launch, the table has the largest elements of a vector and the mean of a histogram; for several, the
 * names. */
static void test_table_of_vectors(void **state)
{
	(void)state;
	struct records records = make_vectors();
	char *text = capture(&records, records_write_table);
	assert_contains(text, "  mine          1,500 by_array (a: 1,000; b: 500): of arrays\n");
	assert_contains(text, "  mine          4 distance (mean 6.2 cycles; 4 and more: 3; 1: 1): to the demand\n");
	assert_contains(text, "  mine          3,000 by_array (b: 1,500; a: 1,000; c: 500): of arrays\n");
	free(text);
	free_vectors(&records);
}

/* The JSON file has every element of a vector. Without vectors the key is absent (test_json). */
static void test_json_of_vectors(void **state)
{
	(void)state;
	struct records records = make_vectors();
	char *text = capture(&records, write_json);
	assert_contains(text, "\"vectors\": {\"mine.by_array\": {\"unit\": \"accesses\", \"labels\": [\"b\", \"c\"], "
	                      "\"values\": [1000, 500]}, \"mine.distance\": {\"unit\": \"cycles\", "
	                      "\"bins\": [0, 1, 2, 4], \"sum\": 25, \"values\": [0, 1, 0, 3]}}");
	assert_contains(strstr(text, "totals"), "\"labels\": [\"a\", \"b\", \"c\"], \"values\": [1000, 1500, 500]");
	assert_contains(strstr(text, "totals"), "\"sum\": 50, \"values\": [0, 2, 0, 6]");
	free(text);
	free_vectors(&records);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_derived),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_table_names_causes),
		cmocka_unit_test(test_table_of_many),
		cmocka_unit_test(test_functional),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_json_refused),
		cmocka_unit_test(test_gpgpusim),
		cmocka_unit_test(test_describe),
		cmocka_unit_test(test_table_of_vectors),
		cmocka_unit_test(test_json_of_vectors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
