/* Opens a GPU from its machine file and options. */
#include "api/api.h"
#include "attach/data_folder.h"
#include "api/footprint.h"
#include "api/journal.h"
#include "attach/sized.h"

#include "base/c_locale.h"
#include "base/config_file.h"
#include "base/config_find.h"
#include "host/gate.h"
#include "simt/check.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

const char *sluice_version(void)
{
	return SLUICE_VERSION;
}

void sluice_version_numbers(unsigned *major, unsigned *minor, unsigned *patch)
{
	if (major)
		*major = SLUICE_VERSION_MAJOR;
	if (minor)
		*minor = SLUICE_VERSION_MINOR;
	if (patch)
		*patch = SLUICE_VERSION_PATCH;
}

static const char *own_machines(void)
{
	const char *folder = getenv("SLUICE_MACHINES");
	return folder && *folder ? folder : NULL;
}

static void standard_machines(char path[PATH_MAX])
{
	data_folder(SLUICE_INSTALLED_MACHINES, SLUICE_SOURCE_MACHINES, path);
}

void sluice_machines_folder(char *path, size_t size)
{
	const char *own = own_machines();
	char standard[PATH_MAX];
	if (!own)
		standard_machines(standard);
	snprintf(path, size, "%s", own ? own : standard);
}

/* Reads a path as it is. Looks up a name in the user's machines folder, then in ours. Names of base files that are not
 * next to their file are looked up the same way. */
static void read_machine_file(struct machine *machine, const char *name, struct diag *diag)
{
	char standard[PATH_MAX];
	standard_machines(standard);
	const char *const both[] = {own_machines(), standard, NULL}, *const *folders = both + !both[0];
	char nearest[CONFIG_NAME_SIZE];
	char *path = config_is_path(name) ? base_strdup(name) : config_find(name, folders);
	if (path) {
		config_file_read_whole(path, folders, machine_options, machine_option_count, machine, diag);
	} else {
		config_nearest(name, folders, nearest);
		if (*nearest)
			diag_plain(diag, "no machine '%s'; did you mean '%s'?", name, nearest);
		else
			diag_plain(diag, "no machine '%s'; 'sluice machine list' lists them", name);
	}
	free(path);
}

static void read_machine(sluice_gpu *gpu, const char *name, struct diag *diag)
{
	if (!gpgpusim_config_is(name)) {
		read_machine_file(&gpu->machine, name, diag);
		return;
	}
	const char *base = gpgpusim_config_base(name, diag);
	if (!base)
		return;
	read_machine_file(&gpu->machine, base, diag);
	if (!diag->errors)
		gpgpusim_config_read(name, &gpu->machine, &gpu->gpgpusim, diag);
}

static bool is_kernel_option(const char *option)
{
	return strncmp(option, "kernel.", 7) == 0;
}

/* Parses kernel.NAME.registers=N and kernel.NAME.max_registers=N. NAME may contain dots. */
static void add_kernel_setting(sluice_gpu *gpu, const char *option, struct diag *diag)
{
	static const char registers[] = "registers", max_registers[] = "max_registers";
	const char *name = option + 7, *equals = strchr(name, '='), *dot = NULL;
	size_t key = 0;
	if (equals && (dot = memrchr(name, '.', (size_t)(equals - name))))
		key = (size_t)(equals - dot - 1);
	bool is_limit = dot && key == strlen(max_registers) && strncmp(dot + 1, max_registers, key) == 0;
	bool is_number = dot && key == strlen(registers) && strncmp(dot + 1, registers, key) == 0;
	char *end = NULL;
	unsigned long value = equals ? strtoul(equals + 1, &end, 10) : 0;
	if ((!is_limit && !is_number) || dot == name || *end || value < 1 || value > 1024) {
		diag_plain(diag,
		           "option '%s'; expected kernel.NAME.registers=N or kernel.NAME.max_registers=N with N "
		           "from 1 to 1024",
		           option);
		return;
	}
	gpu->kernel_settings =
		base_realloc(gpu->kernel_settings, (gpu->kernel_setting_count + 1) * sizeof *gpu->kernel_settings);
	gpu->kernel_settings[gpu->kernel_setting_count++] =
		(struct kernel_setting){.kernel = strndup(name, (size_t)(dot - name)),
	                                .registers = is_number ? (uint32_t)value : 0,
	                                .max_registers = is_limit ? (uint32_t)value : 0};
}

/* Opens the energy table and makes prices for the run's counters. */
static void open_energies(sluice_gpu *gpu, const char *table, struct diag *diag)
{
	char message[ENERGY_MESSAGE] = "a functional run has no cycles, and therefore no energy";
	struct records *records = &gpu->records;
	if (!table)
		return;
	if (gpu->functional)
		diag_plain(diag, "energy: %s", message);
	else if (energies_open(&gpu->energies, table, diag)) {
		json_t *configuration = records_configuration(&gpu->machine);
		if (energies_price(&gpu->energies, configuration, records->attached, records->attachments, &gpu->prices,
		                   message))
			records->prices = &gpu->prices;
		else
			diag_plain(diag, "energy: %s", message);
		json_decref(configuration);
	}
}

/* True when asynchronous copies to shared memory stay single instructions. Checks, and mechanisms that judge loads and
 * stores, do not know these. */
static bool keeps_copies(const sluice_gpu *gpu, const struct sluice_settings *settings)
{
	bool keeps = gpu->machine.sm.async_copies && !settings->check;
	for (uint32_t i = 0; i < gpu->attachments.count; i++)
		keeps &= !gpu->attachments.list[i].mech->splits_copies;
	return keeps;
}

/* A mechanism may need kernels to run one after the other. */
static void note_one_kernel(sluice_gpu *gpu)
{
	const struct mech *mech;
	char text[128];
	if (seam_kernels_at_once(gpu->attachments.list, gpu->attachments.count, &mech) > 1 || !mech)
		return;
	snprintf(text, sizeof text, "mechanism %s sees one kernel at a time", mech->name);
	gpu->in_turn = base_strdup(text);
}

/* Attaches the mechanisms. A functional run refuses them, unless one of them is already an error. */
static void add_mechanisms(sluice_gpu *gpu, const struct sluice_settings *settings, struct diag *diag)
{
	bool fine = true;
	for (const char *const *mechanism = settings->mechanisms; mechanism && *mechanism; mechanism++)
		fine = attachments_add(&gpu->attachments, *mechanism, diag) && fine;
	if (fine && settings->functional && settings->mechanisms && *settings->mechanisms)
		diag_plain(diag, "mechanism %s: a functional run has no cycles, so a mechanism has no effect on it",
		           *settings->mechanisms);
}

/* A mechanism that chooses the kernel does so instead of launch.policy. */
static void check_policy(const sluice_gpu *gpu, struct diag *diag)
{
	for (uint32_t i = 0; i < gpu->attachments.count && gpu->machine.policy; i++)
		if (gpu->attachments.list[i].mech->policies & MECH_POLICY_KERNEL)
			diag_plain(diag, "mechanism %s chooses the kernels: launch.policy must be leftover",
			           gpu->attachments.list[i].mech->name);
}

static void read_settings(sluice_gpu *gpu, const struct sluice_settings *settings, struct diag *diag)
{
	read_machine(gpu, settings->machine ? settings->machine : "gtx480", diag);
	for (const char *const *option = settings->options; option && *option; option++) {
		if (is_kernel_option(*option))
			add_kernel_setting(gpu, *option, diag);
		else
			config_assign(*option, machine_options, machine_option_count, &gpu->machine, diag);
	}
	attachments_add_machine(&gpu->attachments, gpu->machine.mechanisms, diag);
	add_mechanisms(gpu, settings, diag);
	if (!diag->errors && machine_check(&gpu->machine, diag)) {
		const struct mech_machine seen = gpu_mech_machine(&gpu->machine);
		attachments_sort(&gpu->attachments);
		attachments_complete(&gpu->attachments, gpu->machine.warp_order, &seen, diag);
		if (!diag->errors)
			passes_open(&gpu->passes, settings->passes, gpu->attachments.list, gpu->attachments.count,
			            &seen, diag);
		gpu->passes.keeps_copies = keeps_copies(gpu, settings);
		gpu->records.attached = gpu->attachments.list;
		gpu->records.attachments = gpu->attachments.count - gpu->attachments.implied;
		note_one_kernel(gpu);
		check_policy(gpu, diag);
		if (!diag->errors)
			open_energies(gpu, settings->energy, diag);
	}
}

/* Threads beyond the number of cores would only wait for each other at every step. */
static uint32_t useful_threads(uint32_t wanted)
{
	uint32_t cores = gate_cores();
	return wanted < 1 ? 1 : wanted < cores ? wanted : cores;
}

/* Reads which launches are simulated, and refuses combinations that contradict it. */
static void open_selection(sluice_gpu *gpu, const struct sluice_settings *settings, struct diag *diag)
{
	const struct selection_wish wish = {.kernels = settings->kernels,
	                                    .warm = settings->warm_launches,
	                                    .by_region = settings->only_region,
	                                    .stops = settings->stop_after_kernels,
	                                    .ranges = settings->ranges};
	selection_open(&gpu->selection, &wish, diag);
	if (!selection_is_used(&gpu->selection))
		return;
	if (settings->functional)
		diag_plain(diag, "selected kernels: a functional run simulates none in cycles");
	if (gpu->sampling.wish.launches || gpu->sampling.wish.blocks)
		diag_plain(diag, "selected kernels and sampling exclude each other");
}

/* Stores the run's inputs for its records. */
static void keep_settings(sluice_gpu *gpu, const struct sluice_settings *settings)
{
	struct records *records = &gpu->records;
	size_t count = 0;
	while (settings->options && settings->options[count])
		count++;
	records->machine = &gpu->machine;
	records->program = settings->program;
	records->options.word = base_calloc(count + 1, sizeof *records->options.word);
	for (; records->options.count < count; records->options.count++)
		records->options.word[records->options.count] = base_strdup(settings->options[records->options.count]);
	records->passes = gpu->passes.named;
	records->checks = settings->check ? base_strdup(settings->check) : NULL;
	records->sampling = gpu->sampling.wish.launches || gpu->sampling.wish.blocks ? &gpu->sampling.wish : NULL;
	records->selection = selection_is_used(&gpu->selection) ? &gpu->selection : NULL;
	records->functional = settings->functional;
	records->threads = useful_threads(settings->threads);
	records->max_instructions = gpu->max_instructions;
	snprintf(records->ended, sizeof records->ended, "running");
}

/* A mechanism that does not say where it comes from still runs. */
static void warn_of_citations(sluice_gpu *gpu)
{
	size_t size = 0;
	FILE *file = NULL;
	for (uint32_t i = 0; i < gpu->attachments.count; i++) {
		const struct mech *mech = gpu->attachments.list[i].mech;
		if (mech->citation)
			continue;
		if (!file)
			file = open_memstream(&gpu->warnings, &size);
		if (file)
			fprintf(file, "mechanism %s has no citation: state its paper or its author in .citation\n",
			        mech->name);
	}
	if (file)
		fclose(file);
}

const char *sluice_warnings(const sluice_gpu *gpu)
{
	return gpu->warnings;
}

static void visit_interval(void *user, uint64_t cycle)
{
	sluice_gpu *gpu = user;
	gpu->live.cycle = cycle;
	gpu->live.is_visited = true;
	gpu->on_interval(gpu->interval_user, gpu->live.launch, cycle);
	gpu->live.is_visited = false;
}

static void keep_callbacks(sluice_gpu *gpu, const struct sluice_settings *settings)
{
	gpu->progress = settings->progress;
	gpu->progress_user = settings->progress_user;
	gpu->finding = settings->finding;
	gpu->finding_user = settings->finding_user;
	gpu->stray_read = settings->stray_read;
	gpu->stray_read_user = settings->stray_read_user;
	gpu->on_interval = settings->on_interval;
	gpu->interval_user = settings->interval_user;
	gpu->interval = settings->on_interval ? settings->interval : 0;
}

enum sluice_status sluice_open(sluice_gpu **opened, const struct sluice_settings *given, struct sluice_error *error)
{
	IN_C_LOCALE;
	struct sluice_settings known = {SLUICE_SIZED(settings)};
	const struct sluice_settings *settings = &known;
	struct diag diag = {0};
	if (!opened)
		return api_fail(error, SLUICE_BAD_ARGUMENT, "sluice_open: `gpu` is NULL");
	*opened = NULL;
	if (given && sized_read(&known, sizeof known, given, "settings", error) != SLUICE_OK)
		return SLUICE_BAD_ARGUMENT;
	sluice_gpu *gpu = base_calloc(1, sizeof *gpu);
	gpu->queue.base = 1;
	gpu->functional = settings->functional;
	keep_callbacks(gpu, settings);
	read_settings(gpu, settings, &diag);
	gpu->max_instructions = settings->max_instructions ? settings->max_instructions : gpu->machine.max_instructions;
	sampling_open(&gpu->sampling, settings, &gpu->attachments, &diag);
	open_selection(gpu, settings, &diag);
	keep_settings(gpu, settings);
	unsigned checks = api_parse_checks(settings->check, &diag);
	if (api_checks_want_one_thread(checks))
		gpu->records.threads = 1;
	enum sluice_status status = SLUICE_OK;
	if (diag.errors) {
		status = api_fail_with_diag(error, SLUICE_BAD_SETTING, &diag);
	} else if (!(gpu->gpu = gpu_open(&gpu->machine, gpu->attachments.list, gpu->attachments.count,
	                                 gpu->records.threads))) {
		status = api_fail(error, SLUICE_NO_MEMORY, "cannot reserve %u MiB for device memory: %s",
		                  gpu->machine.memory_mib, strerror(errno));
	} else {
		gpu->records.units_of = settings->units ? gpu->gpu : NULL;
		if (settings->units)
			gpu_keep_blocks(gpu->gpu);
		status = api_open_checks(gpu, checks, error);
		if (status == SLUICE_OK)
			status = recorders_open(&gpu->recorders, gpu->gpu, &gpu->records, settings, error);
		if (status == SLUICE_OK)
			status = trace_out_open(gpu, settings->trace_out, error);
		if (status == SLUICE_OK)
			status = journal_open(gpu, settings, error);
		gpu->recorders.interval = gpu->interval;
		gpu->recorders.on_interval = visit_interval;
		gpu->recorders.interval_user = gpu;
	}
	diag_free(&diag);
	if (status != SLUICE_OK) {
		sluice_close(gpu);
		return status;
	}
	warn_of_citations(gpu);
	*opened = gpu;
	return api_succeed(error);
}

static void free_list(const struct records *records, struct record *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		record_free(records, &list[i]);
		free(list[i].kernel);
		free(list[i].shown);
		free(list[i].message);
		free(list[i].ranges.range);
	}
	free(list);
}

static void free_records(struct records *records)
{
	free_list(records, records->record, records->count);
	free_list(records, records->session, records->sessions);
	copies_free(&records->copies);
	for (size_t i = 0; i < records->options.count; i++)
		free((char *)records->options.word[i]);
	free(records->options.word);
	free((char *)records->checks);
}

void sluice_close(sluice_gpu *gpu)
{
	if (!gpu)
		return;
	queue_close(gpu);
	journal_close(gpu);
	while (gpu->modules)
		sluice_unload(gpu, gpu->modules);
	gpu_close(gpu->gpu);
	textures_free(&gpu->textures);
	simt_checks_close(gpu->checks);
	footprint_close(gpu->footprint);
	for (size_t i = 0; i < gpu->kernel_setting_count; i++)
		free(gpu->kernel_settings[i].kernel);
	free(gpu->kernel_settings);
	free(gpu->gpgpusim.list);
	free(gpu->gpgpusim.moving);
	free(gpu->announced.range);
	stats_file_close(&gpu->stats_file);
	recorders_close(&gpu->recorders);
	trace_out_close(gpu);
	sampling_close(&gpu->sampling);
	selection_close(&gpu->selection);
	api_free_counter_names(gpu);
	unit_totals_free(&gpu->unit_totals);
	free_records(&gpu->records);
	energy_close(&gpu->prices);
	energies_close(&gpu->energies);
	passes_close(&gpu->passes);
	attachments_free(&gpu->attachments);
	free(gpu->warnings);
	free(gpu->in_turn);
	free(gpu);
}

double sluice_time(const sluice_gpu *gpu)
{
	double seconds = gpu->queue.calls ? queue_seconds(gpu) : gpu_seconds(gpu->gpu);
	return seconds + gpu->estimated_seconds;
}

/* Programs compute the bandwidth as two transfers per cycle over the whole bus. Returns the clock for which that equals
 * DRAM's bandwidth. */
static uint32_t memory_clock(const struct machine *machine)
{
	double bytes = (double)machine->map.channels * machine->dram.atom_bytes / machine->dram.burst_cycles;
	return (uint32_t)(bytes * machine->dram_mhz * 8 / machine->memory_bus_bits / 2 + 0.5);
}

bool sluice_machine_info(const sluice_gpu *gpu, struct sluice_machine_info *info)
{
	const struct machine *machine = &gpu->machine;
	struct sluice_machine_info value = {
		SLUICE_SIZED(machine_info),
		.sm_count = machine->sms,
		.warp_size = WARP_SIZE,
		.max_threads_per_block = machine->max_block_threads,
		.max_threads_per_sm = machine->sm.warps * WARP_SIZE,
		.max_blocks_per_sm = machine->sm.blocks,
		.registers_per_sm = machine->sm.registers,
		.shared_bytes_per_sm = machine->sm.shared_bytes,
		.shared_bytes_per_block = machine->shared_per_block,
		.l2_bytes = machine->l2.sets * machine->l2.ways * machine->l2.line_bytes * machine->map.channels *
	                    machine->map.slices_per_channel,
		.core_mhz = machine->core_mhz,
		.memory_mhz = memory_clock(machine),
		.memory_bus_bits = machine->memory_bus_bits,
		.pitch_bytes = machine->pitch_bytes,
		.major = machine->compute_major,
		.minor = machine->compute_minor,
		.memory_bytes = (uint64_t)machine->memory_mib << 20,
		.unified_bytes = machine->sm.unified_bytes,
	};
	memcpy(value.name, machine->name, sizeof value.name);
	return sized_write(info, &value, sizeof value);
}

void sluice_machine_write(const sluice_gpu *gpu, FILE *file)
{
	IN_C_LOCALE;
	config_file_write(file, machine_options, machine_option_count, &gpu->machine);
}

const char *sluice_machine_left_out(const sluice_gpu *gpu, uint32_t *honored, uint32_t *left_out)
{
	if (honored)
		*honored = gpu->gpgpusim.honored;
	if (left_out)
		*left_out = gpu->gpgpusim.others;
	return gpu->gpgpusim.list;
}

const char *sluice_machine_ignored(const sluice_gpu *gpu)
{
	return gpu->gpgpusim.moving;
}
