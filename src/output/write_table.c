/* The readable table. With few launches it shows each kernel in detail, otherwise one line per kernel and the details
 * of all together. */
#include "attach/attach.h"
#include "output/grouped.h"
#include "output/record.h"

#include "base/arena.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	COLUMNS = 100,
	DETAILED_LAUNCHES = 8, /* beyond this number, launches are summed by kernel */
	NAME_WIDTH = 33,
	SHOWN_ELEMENTS = 3, /* per vector */
	BAR = 12,           /* characters for 100 % */
};

struct label {
	const char *stack, *text;
};

static const struct label labels[] = {
	{"issued", "issued"},
	{"arithmetic", "waits: arithmetic"},
	{"shared", "waits: shared memory"},
	{"l1", "waits: L1"},
	{"texture", "waits: texture"},
	{"l2", "waits: L2"},
	{"dram", "waits: DRAM"},
	{"barrier", "waits: barrier"},
	{"held", "held by mechanism"},
	{"replayed", "replayed: mechanism"},
	{"conflict", "pipe full"},
	{"no_instruction", "no instruction"},
	{"idle", "idle"},
};

static const char *label_of(const char *stack)
{
	for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++)
		if (strcmp(labels[i].stack, stack) == 0)
			return labels[i].text;
	return stack;
}

/* Computes tenths of a percent that add up to exactly 1000. The units lost by rounding down go to the values with the
 * largest remainders. */
static void share_out(const uint64_t *value, size_t count, uint32_t *tenths)
{
	uint64_t sum = 0;
	uint32_t left = 1000;
	for (size_t i = 0; i < count; i++) {
		tenths[i] = 0;
		sum += value[i];
	}
	if (!sum)
		return;
	uint64_t *lost = base_calloc(count, sizeof *lost);
	for (size_t i = 0; i < count; i++) {
		tenths[i] = (uint32_t)(value[i] * 1000 / sum);
		lost[i] = value[i] * 1000 % sum;
		left -= tenths[i];
	}
	for (; left; left--) {
		size_t most = 0;
		for (size_t i = 1; i < count; i++)
			if (lost[i] > lost[most])
				most = i;
		tenths[most]++;
		lost[most] = 0;
	}
	free(lost);
}

static void print_part(FILE *file, const char *label, uint32_t tenths, bool last)
{
	char bar[BAR + 1] = "";
	memset(bar, '#', (tenths * BAR + 500) / 1000);
	fprintf(file, "%-20s %3" PRIu32 ".%" PRIu32 " %%", label, tenths / 10, tenths % 10);
	if (!last)
		fprintf(file, " %-*s  ", BAR, bar);
	else
		fprintf(file, "%s%s\n", *bar ? " " : "", bar);
}

/* True for causes that are shown only when not 0. Without mechanisms nothing is held or replayed; without textures
 * nothing waits for one. */
static bool is_rare(const char *name)
{
	return strcmp(name, "held") == 0 || strcmp(name, "replayed") == 0 || strcmp(name, "texture") == 0;
}

/* Selects the causes to show. */
static size_t shown_stack(const struct record *record, struct stack_part parts[RECORD_STACK_PARTS])
{
	size_t count = record_stack(record, parts), shown = 0;
	for (size_t i = 0; i < count; i++)
		if (parts[i].slots || !is_rare(parts[i].name))
			parts[shown++] = parts[i];
	return shown;
}

/* Prints two columns, read downwards. */
static void print_stack(FILE *file, const struct record *record)
{
	struct stack_part parts[RECORD_STACK_PARTS];
	uint64_t slots[RECORD_STACK_PARTS], sum = 0;
	uint32_t tenths[RECORD_STACK_PARTS];
	size_t count = shown_stack(record, parts), rows = (count + 1) / 2;
	for (size_t i = 0; i < count; i++)
		sum += slots[i] = parts[i].slots;
	if (!sum)
		return;
	share_out(slots, count, tenths);
	for (size_t row = 0; row < rows; row++) {
		fprintf(file, "  %-14s", row ? "" : "cycle stack");
		print_part(file, label_of(parts[row].name), tenths[row], row + rows >= count);
		if (row + rows < count)
			print_part(file, label_of(parts[row + rows].name), tenths[row + rows], true);
	}
}

/* An access to a line in flight merges with the pending miss: it is neither a hit nor a new miss. */
static void print_textures(FILE *file, const struct cache_stats *textures)
{
	double each = 100.0 / (double)textures->accesses;
	char accesses[NUMBER_SIZE];
	fprintf(file, "  %-14shits %.1f %% of %s, on their way %.1f %%\n", "textures", each * (double)textures->hits,
	        grouped(textures->accesses, accesses), each * (double)textures->merged);
}

static void print_memory(FILE *file, const struct record *record, const struct derived *derived)
{
	const struct gpu_stats *stats = &record->stats;
	char l1[NUMBER_SIZE], l2[NUMBER_SIZE];
	fprintf(file, "  %-14sL1 hits %.1f %% of %s, L2 hits %.1f %% of %s\n", "caches", 100 * derived->l1d_hit_rate,
	        grouped(stats->l1d.accesses, l1), 100 * derived->l2_hit_rate, grouped(stats->l2.accesses, l2));
	if (stats->l1t.accesses)
		print_textures(file, &stats->l1t);
	if (!stats->dram.requests) {
		fprintf(file, "  %-14snot used\n", "DRAM");
		return;
	}
	fprintf(file, "  %-14s%.1f GB/s, pins busy %.1f %%, row hits %.1f %%, ", "DRAM", 1e-9 * derived->dram_bandwidth,
	        100 * derived->dram_utilization, 100 * derived->row_hit_rate);
	if (stats->dram.activates)
		fprintf(file, "%.1f requests per row\n", derived->row_locality);
	else
		fputs("all in rows that were open before\n", file);
}

/* The counters of mechanisms, which follow each other by mechanism. */
struct mech_counters {
	FILE *file;
	const struct mech *mech; /* of the counters so far; NULL: none */
	bool counted;            /* one of its counters is not 0 */
};

/* Shows that a mechanism was attached, although it counted nothing. */
static void end_mech(const struct mech_counters *counters)
{
	if (counters->mech && !counters->counted)
		fprintf(counters->file, "  %-13s all counters are 0\n", counters->mech->name);
}

/* Prints one counter per line, unless it is 0. */
static void print_mech_counter(void *user, const struct record_counter *counter)
{
	struct mech_counters *counters = user;
	char value[NUMBER_SIZE];
	if (counters->mech != counter->mech) {
		end_mech(counters);
		*counters = (struct mech_counters){counters->file, counter->mech, false};
	}
	if (!counter->value)
		return;
	counters->counted = true;
	fprintf(counters->file, "  %-13s %s %s: %s\n", counter->mech->name, grouped(counter->value, value),
	        counter->name, counter->meaning);
}

/* Finds the largest elements that are not 0, largest first. Returns their number, up to `most`. */
static uint32_t find_largest(const struct vector *vector, uint32_t *index, uint32_t most)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < vector->length; i++) {
		uint32_t at = count;
		while (at && vector->value[index[at - 1]] < vector->value[i])
			at--;
		if (at == most || !vector->value[i])
			continue;
		count += count < most;
		memmove(&index[at + 1], &index[at], (count - 1 - at) * sizeof *index);
		index[at] = i;
	}
	return count;
}

/* Prints one line per vector with its largest elements, if it counted anything. */
static void print_mech_vector(void *user, const struct mech *mech, const struct base_counter_vector *row,
                              const struct vector *vector)
{
	uint32_t index[SHOWN_ELEMENTS], count = find_largest(vector, index, SHOWN_ELEMENTS);
	char value[NUMBER_SIZE], label[VECTOR_LABEL];
	if (!count)
		return;
	fprintf(user, "  %-13s %s %s (", mech->name, grouped(vector_total(vector), value), row->name);
	if (row->kind != BASE_VECTOR_COUNTERS)
		fprintf(user, "mean %.1f%s%s; ", vector_mean(row, vector), *row->unit ? " " : "", row->unit);
	for (uint32_t i = 0; i < count; i++) {
		vector_label(row, vector, index[i], label);
		fprintf(user, "%s%s: %s", i ? "; " : "", label, grouped(vector->value[index[i]], value));
	}
	fprintf(user, "): %s\n", row->meaning);
}

static void print_host(FILE *file, const struct record *record, const struct derived *derived)
{
	char rate[NUMBER_SIZE];
	fprintf(file, "  %-14s%.3f s, %s warp instructions per second\n", "host", record->host_seconds,
	        grouped((uint64_t)derived->warp_instructions_per_host_second, rate));
}

/* Prints "about 12,345 cycles, 95 % within 2.3 %". */
static void print_estimate(FILE *file, const struct estimate *cycles)
{
	char text[NUMBER_SIZE];
	fprintf(file, "  %-14sabout %s cycles, ", "estimate", grouped((uint64_t)(cycles->value + 0.5), text));
	if (cycles->unknown)
		fprintf(file, "error not known\n");
	else if (cycles->variance > 0)
		fprintf(file, "%.0f %% within %.1f %%\n", 100 * ESTIMATE_CONFIDENCE,
		        100 * estimate_error(cycles) / cycles->value);
	else
		fprintf(file, "no spread seen\n");
}

/* Prints the totals of a sampled run, and a line on what the estimate is based on. */
static void print_sampled_total(FILE *file, const struct records *records)
{
	struct sampled_sum sum;
	sampling_sum(records, NULL, &sum);
	fprintf(file, "\n  %-14s%zu of %zu launches simulated wholly", "sampled", sum.simulated, sum.launches);
	if (sum.groups)
		fprintf(file, ", %" PRIu32 " %s of similar launches", sum.groups, sum.groups == 1 ? "group" : "groups");
	fputc('\n', file);
	print_estimate(file, &sum.cycles);
}

/* Prints what is known of a launch, or of a sum of launches. */
static void print_account(FILE *file, const struct records *records, const struct record *record)
{
	const struct sm_stats *sm = &record->stats.sm;
	struct derived derived = record_derive(records, record);
	char a[NUMBER_SIZE], b[NUMBER_SIZE];
	if (record->sample.blocks && record->sample.is_partial)
		print_estimate(file, &record->sample.estimate);
	else if (record->sample.is_partial)
		fprintf(file, "  %-14snot simulated in cycles: sampled\n", "time");
	else if (record->functional)
		fprintf(file, "  %-14sfunctional run, no cycles\n", "time");
	else
		fprintf(file, "  %-14s%s cycles, IPC %.2f\n", "time", grouped(record->cycles, a), derived.ipc);
	fprintf(file, "  %-14s%s of warps, %s of threads\n", "instructions", grouped(sm->warp_instructions, a),
	        grouped(sm->thread_instructions, b));
	if (record->session)
		fprintf(file, "  %-14swith other kernels, from cycle %s (session %zu)\n", "ran",
		        grouped(record->started, a), record->session);
	if (!record->functional && !record->session) {
		print_stack(file, record);
		print_memory(file, record, &derived);
	}
	if (!record->functional) {
		struct mech_counters counters = {.file = file};
		record_mech_counters(records, record, print_mech_counter, &counters);
		end_mech(&counters);
		record_mech_vectors(records, record, print_mech_vector, file);
	}
	if (records->prices && record->energy.joules)
		energy_print(file, records->prices, &record->energy);
	print_host(file, record, &derived);
}

/* Returns how a kernel ended, if not normally. */
static const char *ending(enum gpu_end end)
{
	switch (end) {
	case GPU_FAULT:
		return ", stopped by a fault";
	case GPU_MISTAKE:
		return ", stopped by a mechanism's mistake";
	case GPU_STALLED:
		return ", stalled";
	case GPU_STOPPED:
		return ", stopped before its end";
	default:
		return "";
	}
}

static void print_spills(FILE *file, const struct record *record)
{
	const struct sm_stats *sm = &record->stats.sm;
	char loads[NUMBER_SIZE], stores[NUMBER_SIZE];
	fprintf(file, "  %-14s%u bytes per thread", "spills", record->spill_bytes);
	if (!record->functional)
		fprintf(file, ", %s loads and %s stores of warps", grouped(sm->spill_loads, loads),
		        grouped(sm->spill_stores, stores));
	fputc('\n', file);
}

static void print_launch(FILE *file, const struct records *records, const struct record *record)
{
	const struct dim3 *grid = &record->grid, *block = &record->block;
	char shared[NUMBER_SIZE];
	const char *cause = record->stopped_by;
	fprintf(file, "\n%s, launch %" PRIu64 "%s%s%s%s\n", record->shown, record->launch, ending(record->end),
	        cause ? " (" : "", cause ? cause : "", cause ? ")" : "");
	fprintf(file, "  %-14sgrid %ux%ux%u, block %ux%ux%u\n", "shape", grid->x, grid->y, grid->z, block->x, block->y,
	        block->z);
	fprintf(file, "  %-14s%u registers per thread, %s bytes of shared memory per block", "resources",
	        record->registers, grouped(record->shared_bytes, shared));
	if (!record->functional)
		fprintf(file, ", %u %s per SM", record->blocks_per_sm, record->blocks_per_sm == 1 ? "block" : "blocks");
	fputc('\n', file);
	if (record->spill_bytes)
		print_spills(file, record);
	print_account(file, records, record);
}

/* Prints what the kernels of a session did together. */
static void print_session(FILE *file, const struct records *records, const struct record *session)
{
	const char *separator = "";
	fprintf(file, "\nsession %" PRIu64 "%s: launches ", session->launch, ending(session->end));
	for (size_t i = 0; i < records->count; i++) {
		if (records->record[i].session != session->launch)
			continue;
		fprintf(file, "%s%" PRIu64, separator, records->record[i].launch);
		separator = ", ";
	}
	fputs(" at the same time\n", file);
	print_account(file, records, session);
}

static size_t launches_with(const struct records *records, enum launch_choice choice)
{
	size_t count = 0;
	for (size_t i = 0; i < records->count; i++)
		count += records->record[i].choice == choice;
	return count;
}

/* Makes one record per kernel name, in order of first launch; `launch` counts the launches. */
static size_t sum_by_kernel(const struct records *records, struct record *sum)
{
	size_t count = 0;
	for (size_t i = 0; i < records->count; i++) {
		const struct record *record = &records->record[i];
		if (record->choice != LAUNCH_SELECTED)
			continue;
		size_t at = 0;
		while (at < count && strcmp(sum[at].kernel, record->kernel) != 0)
			at++;
		if (at == count)
			sum[count++] = (struct record){.kernel = record->kernel, .shown = record->shown};
		sum[at].launch++;
		if (record->session)
			sum[at].session = record->session;
		record_add(records, &sum[at], record);
	}
	return count;
}

static void print_kernel_row(FILE *file, const struct records *records, const struct record *sum, uint32_t tenths)
{
	char cycles[NUMBER_SIZE], warps[NUMBER_SIZE], threads[NUMBER_SIZE];
	const char *name = sum->shown;
	if (strlen(name) > NAME_WIDTH) { /* a long name gets its own line */
		fprintf(file, "%s\n", name);
		name = "";
	}
	fprintf(file, "%-*s %9" PRIu64, NAME_WIDTH, name, sum->launch);
	if (sum->functional) {
		fprintf(file, " %22s %22s\n", grouped(sum->stats.sm.warp_instructions, warps),
		        grouped(sum->stats.sm.thread_instructions, threads));
		return;
	}
	struct derived derived = record_derive(records, sum);
	fprintf(file, " %16s %5" PRIu32 ".%" PRIu32 " %% %8.2f", grouped(sum->cycles, cycles), tenths / 10, tenths % 10,
	        derived.ipc);
	if (sum->session)
		fprintf(file, " %8s %8s\n", "-", "-");
	else
		fprintf(file, " %6.1f %% %6.1f %%\n", 100 * derived.l1d_hit_rate, 100 * derived.l2_hit_rate);
}

/* Replaces the lines of a sampled run by estimates. */
static void estimate_kernels(const struct records *records, struct record *sum, size_t count)
{
	for (size_t i = 0; records->sampling && i < count; i++) {
		struct sampled_sum estimated;
		sampling_sum(records, sum[i].kernel, &estimated);
		sum[i].functional = false;
		sum[i].cycles = (uint64_t)(estimated.cycles.value + 0.5);
		sum[i].stats = estimated.stats;
	}
}

static void print_kernels(FILE *file, const struct records *records, const struct record *total)
{
	struct record *sum = base_calloc(records->count, sizeof *sum);
	size_t count = sum_by_kernel(records, sum);
	estimate_kernels(records, sum, count);
	uint64_t *cycles = base_calloc(count, sizeof *cycles);
	uint32_t *tenths = base_calloc(count, sizeof *tenths);
	for (size_t i = 0; i < count; i++)
		cycles[i] = sum[i].cycles;
	share_out(cycles, count, tenths);
	fprintf(file, "\n%-*s %9s", NAME_WIDTH, "kernel", "launches");
	if (total->functional && !records->sampling)
		fprintf(file, " %22s %22s\n", "warp instructions", "thread instructions");
	else
		fprintf(file, " %16s %9s %8s %8s %8s\n", records->sampling ? "estimated cycles" : "cycles", "share",
		        "IPC", "L1 hits", "L2 hits");
	for (size_t i = 0; i < count; i++) {
		print_kernel_row(file, records, &sum[i], tenths[i]);
		record_free(records, &sum[i]);
	}
	fprintf(file, "\n%zu launches together%s (the JSON form has each)\n", launches_with(records, LAUNCH_SELECTED),
	        ending(total->end));
	print_account(file, records, total);
	free(cycles);
	free(tenths);
	free(sum);
}

/* Prints "sluice 0.1.0, machine gtx480: ./vecadd 1000", cut to one line. */
static void print_title(FILE *file, const struct records *records)
{
	int column = fprintf(file, "sluice %s, machine %s", SLUICE_VERSION, records->machine->name);
	const char *separator = ": ";
	for (const char *const *word = records->program; word && *word; word++) {
		if (column + (int)strlen(separator) + (int)strlen(*word) > COLUMNS - 4) {
			fprintf(file, "%s...", separator);
			break;
		}
		column += fprintf(file, "%s%s", separator, *word);
		separator = " ";
	}
	fputc('\n', file);
}

/* Prints the mechanisms that can change the run, or those that only observe. */
static void print_mechanisms(FILE *file, const struct records *records, const char *title, bool only_looks)
{
	for (uint32_t i = 0; i < records->attachments; i++) {
		char line[1024];
		if (records->attached[i].mech->only_looks != only_looks)
			continue;
		attachments_print(&records->attached[i], line, sizeof line);
		fprintf(file, "  %-14s%s\n", title, line);
		title = "";
	}
}

/* Prints the machine's and the run's settings, and how the run ended if not successfully. */
static void print_run(FILE *file, const struct records *records)
{
	for (size_t i = 0; i < records->options.count; i++)
		fprintf(file, "  %-14s%s\n", i ? "" : "options", records->options.word[i]);
	print_mechanisms(file, records, "mechanisms", false);
	print_mechanisms(file, records, "observers", true);
	for (size_t i = 0; i < records->passes.count; i++)
		fprintf(file, "  %-14s%s\n", i ? "" : "passes", records->passes.word[i]);
	if (records->checks)
		fprintf(file, "  %-14s%s\n", "checks", records->checks);
	if (records->max_instructions)
		fprintf(file, "  %-14sat most %" PRIu64 " thread instructions\n", "limit", records->max_instructions);
	if (*records->ended && strcmp(records->ended, "exit 0") != 0)
		fprintf(file, "  %-14s%s\n", "ended", records->ended);
}

static void print_no_selection(FILE *file, const struct selection *selection)
{
	const char *kernels = selection->text, *ranges = selection->ranges.text;
	fprintf(file, "\nno launch was selected: %s", kernels ? kernels : ranges ? "" : "the region had none");
	if (ranges)
		fprintf(file, "%srange %s", kernels ? ", " : "", ranges);
	fputc('\n', file);
}

static void print_selection(FILE *file, const struct records *records)
{
	size_t warm = launches_with(records, LAUNCH_WARMS), out = launches_with(records, LAUNCH_LEFT_OUT);
	if (!records->selection || out + warm == 0)
		return;
	if (out + warm == records->count)
		print_no_selection(file, records->selection);
	fprintf(file, "\n%zu other %s functionally", out, out == 1 ? "launch ran" : "launches ran");
	if (warm)
		fprintf(file, ", %zu warmed the caches", warm);
	fprintf(file, ", and %s not counted here\n", out + warm == 1 ? "is" : "are");
}

void records_write_table(const struct records *records, FILE *file)
{
	print_title(file, records);
	print_run(file, records);
	if (!records->count) {
		fprintf(file, "\nno kernel was launched\n");
		return;
	}
	struct record total = records_total(records);
	size_t shown = launches_with(records, LAUNCH_SELECTED);
	if (shown > DETAILED_LAUNCHES) {
		print_kernels(file, records, &total);
	} else {
		for (size_t i = 0; i < records->count; i++)
			if (records->record[i].choice == LAUNCH_SELECTED)
				print_launch(file, records, &records->record[i]);
		for (size_t i = 0; i < records->sessions; i++)
			print_session(file, records, &records->session[i]);
		if (shown > 1) {
			fprintf(file, "\n%zu launches together\n", shown);
			print_account(file, records, &total);
		}
	}
	copies_print(&records->copies, file);
	print_selection(file, records);
	if (records->selection)
		range_wishes_print_missed(&records->selection->ranges, file);
	if (records->sampling)
		print_sampled_total(file, records);
	record_free(records, &total);
}
