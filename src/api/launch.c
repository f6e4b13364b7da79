/* Kernel launches: checks, records, and the choice between cycles, functional execution and sampling. */
#include "api/launch.h"

#include "api/device_launch.h"
#include "api/journal.h"
#include "api/run_ahead.h"
#include "api/syscall.h"
#include "base/demangle.h"
#include "base/host_clock.h"
#include "sluice_runtime.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t *pack_params(const sluice_kernel *kernel, void *const *arguments)
{
	/* The analyses read every pointer as 64 bits, whatever the parameter's type. */
	uint8_t *params = base_calloc(1, kernel->program->param_bytes + sizeof(uint64_t));
	uint32_t i = 0;
	for (const struct ptx_variable *p = kernel->function->params; p; p = p->next, i++)
		memcpy(params + p->offset, arguments[i], p->size);
	return params;
}

/* Adds a record and returns its index. The records may move when others are added. */
static size_t new_record(sluice_gpu *gpu, const sluice_kernel *kernel)
{
	struct records *records = &gpu->records;
	if (records->count == records->capacity) {
		records->capacity = records->capacity ? 2 * records->capacity : 16;
		records->record = base_realloc(records->record, records->capacity * sizeof *records->record);
	}
	struct record *record = &records->record[records->count++];
	/* what is written for this launch if the process ends during it */
	*record = (struct record){.kernel = base_strdup(kernel->function->name),
	                          .shown = demangle(kernel->function->name),
	                          .launch = records->count,
	                          .end = GPU_STOPPED};
	return records->count - 1;
}

void launch_pass_progress(void *user, uint64_t done, uint64_t blocks, uint64_t cycles, uint64_t warp_instructions)
{
	struct launch_progress *progress = user;
	double now = host_seconds();
	if (now - progress->last < 0.1)
		return;
	progress->last = now;
	progress->gpu->progress(progress->gpu->progress_user, progress->kernel, done, blocks, cycles,
	                        warp_instructions);
}

/* Returns the time that sluice_time() adds for a functional launch. Each scheduler of the SMs with blocks issues one
 * warp instruction per core cycle. The minimum is one cycle. */
static double estimate_seconds(const struct machine *machine, struct dim3 grid, uint64_t warp_instructions)
{
	uint64_t blocks = (uint64_t)grid.x * grid.y * grid.z, sms = blocks < machine->sms ? blocks : machine->sms;
	uint64_t issued = sms * machine->sm.schedulers;
	uint64_t cycles = (warp_instructions + issued - 1) / issued;
	return (double)(cycles ? cycles : 1) / (machine->core_mhz * 1e6);
}

void launch_prepare_functional(sluice_gpu *gpu, struct simt_launch *launch, uint32_t blocks_per_sm)
{
	launch->memory = gpu->gpu->memory;
	launch->sm_count = gpu->machine.sms;
	launch->first_path = gpu->machine.sm.first_path;
	launch->id = ++gpu->functional_launches;
	launch->resident = (uint64_t)blocks_per_sm * gpu->machine.sms;
}

void launch_run_functional(sluice_gpu *gpu, struct simt_launch *launch, uint32_t blocks_per_sm, struct simt_run *run)
{
	launch_prepare_functional(gpu, launch, blocks_per_sm);
	simt_run(launch, gpu->max_instructions ? gpu->max_instructions - gpu->instructions : 0, run);
}

enum sluice_status launch_keep_functional(sluice_gpu *gpu, const struct simt_launch *launch, const struct simt_run *run,
                                          size_t number, struct sluice_error *error)
{
	struct record *record = &gpu->records.record[number];
	record->functional = true;
	gpu->estimated_seconds += estimate_seconds(&gpu->machine, launch->grid, run->warp_instructions);
	record->stats.sm.warp_instructions = run->warp_instructions;
	record->stats.sm.thread_instructions = run->thread_instructions;
	launch_set_end(gpu, record, run->fault.what ? GPU_FAULT : run->stopped ? GPU_STOPPED : GPU_DONE);
	if (run->fault.what)
		return launch_report_fault(launch, &run->fault, error);
	return run->stopped ? launch_report_stop(gpu, launch, &run->polls, record, error) : SLUICE_OK;
}

static enum sluice_status run_functional(sluice_gpu *gpu, struct simt_launch *launch, uint32_t blocks_per_sm,
                                         size_t number, struct sluice_error *error)
{
	struct simt_run run = {0};
	launch_run_functional(gpu, launch, blocks_per_sm, &run);
	return launch_keep_functional(gpu, launch, &run, number, error);
}

enum sluice_status launch_timed(sluice_gpu *gpu, sluice_kernel *kernel, struct gpu_run *run, size_t number,
                                struct sluice_error *error)
{
	run->l1_may_be_stale = gpu->sampling.skipped;
	gpu->sampling.skipped = false;
	gpu_renew(gpu->gpu);
	run->visitor = recorders_begin(&gpu->recorders);
	if (!run->profile)
		run->profile = profile_file_begin(&gpu->recorders.profile, &kernel->profile, kernel->program,
		                                  kernel_registers(kernel));
	gpu->live.launch = number + 1;
	gpu_run(gpu->gpu, run);
	gpu->live.launch = 0;
	return launch_keep_timed(gpu, kernel, run, number, error);
}

enum sluice_status launch_keep_timed(sluice_gpu *gpu, sluice_kernel *kernel, struct gpu_run *run, size_t number,
                                     struct sluice_error *error)
{
	char text[512];
	struct record *record = &gpu->records.record[number];
	launch_keep_counters(gpu, kernel, number + 1, record);
	launch_keep_times(gpu, run, record);
	record->stats = run->stats;
	profile_file_add(&gpu->recorders.profile, kernel->profile, record);
	switch (run->end) {
	case GPU_FAULT:
		return launch_report_fault(&run->launch, &run->fault, error);
	case GPU_STALLED:
		if (run->livelock)
			return launch_report_livelock(gpu, &run->launch, &run->polls, record, error);
		return api_fail(error, SLUICE_STALLED, "kernel %s stalled at cycle %llu: no warp can make progress\n%s",
		                record->kernel, (unsigned long long)run->cycles, run->message);
	case GPU_MISTAKE:
		return api_fail(error, SLUICE_BAD_MECHANISM, "kernel %s stopped: %s", record->kernel, run->message);
	default:
		if (!gpu_check_stats(gpu->gpu, run, text, sizeof text))
			return api_fail(error, SLUICE_INTERNAL,
			                "internal error: the statistics of kernel %s do not add up: %s", record->kernel,
			                text);
		return run->end == GPU_STOPPED ? launch_report_stop(gpu, &run->launch, &run->polls, record, error)
		                               : SLUICE_OK;
	}
}

/* Describes the launch to the machine. */
static struct gpu_run *new_run(struct launch *launch, const struct simt_launch *described)
{
	const sluice_gpu *gpu = launch->gpu;
	struct gpu_run *run = base_calloc(1, sizeof *run);
	run->launch = *described;
	run->stream = gpu->stream;
	run->blocks_per_sm = launch->checked.occupancy.blocks;
	run->occupancy = &launch->checked.occupancy;
	run->line = gpu->records.attachments ? kernel_source_lines(launch->checked.kernel) : NULL;
	if (gpu->progress) {
		run->progress = launch_pass_progress;
		run->progress_user = &launch->progress;
	}
	return run;
}

static struct launch *new_launch(sluice_gpu *gpu, const struct checked_launch *checked)
{
	struct launch *launch = base_calloc(1, sizeof *launch);
	*launch = (struct launch){.gpu = gpu,
	                          .checked = *checked,
	                          .progress = {.gpu = gpu, .kernel = checked->kernel->function->name},
	                          .ranges = ranges_now(),
	                          .knows_ranges = ranges_are_used()};
	return launch;
}

static bool run_waited_for(struct device_runtime *runtime, const struct device_launch *child);

static struct launch *open_checked(sluice_gpu *gpu, const struct checked_launch *checked)
{
	struct launch *launch = new_launch(gpu, checked);
	const struct launch_request *request = &launch->checked.request;
	sluice_kernel *kernel = checked->kernel;
	launch->params = pack_params(kernel, request->arguments);
	launch->runtime = (struct device_runtime){.gpu = gpu,
	                                          .module = kernel->module,
	                                          .depth = request->depth,
	                                          .is_waited_for = request->waited_for,
	                                          .run = run_waited_for};
	const struct simt_launch described = {.program = kernel->program,
	                                      .code = kernel->code,
	                                      .grid = {request->grid.x, request->grid.y, request->grid.z},
	                                      .block = {request->block.x, request->block.y, request->block.z},
	                                      .dynamic_shared_bytes = request->dynamic_shared_bytes,
	                                      .carve_out = request->carve_out,
	                                      .params = launch->params,
	                                      .cooperative = request->cooperative,
	                                      .textures = &gpu->textures,
	                                      .system_call = syscall_run,
	                                      .user = &launch->runtime,
	                                      .stop = &gpu->stop};
	launch->run = new_run(launch, &described);
	launch->runtime.launch = &launch->run->launch;
	launch->known = (struct launch_analyses){.gpu = gpu, .kernel = kernel, .launch = &launch->run->launch};
	launch->run->analyses = api_analyses(&launch->known);
	return launch;
}

void launch_close(struct launch *launch)
{
	arena_free(&launch->known.arena);
	device_runtime_close(&launch->runtime);
	run_ahead_free(launch->run);
	free(launch->params);
	free(launch->run);
	free(launch->ranges.range);
	free(launch);
}

static enum launch_choice choose(sluice_gpu *gpu, const struct record *record)
{
	if (!selection_is_used(&gpu->selection))
		return LAUNCH_SELECTED;
	return selection_choose(&gpu->selection, record->launch, record->kernel, record->shown, &record->ranges);
}

void launch_begin_record(struct launch *launch)
{
	sluice_gpu *gpu = launch->gpu;
	const struct gpu_run *run = launch->run;
	const sluice_kernel *kernel = launch->checked.kernel;
	launch->number = new_record(gpu, kernel);
	struct record *record = &gpu->records.record[launch->number];
	record->grid = run->launch.grid;
	record->block = run->launch.block;
	record->registers = kernel_registers(kernel);
	record->spill_bytes = kernel->spills.bytes;
	record->shared_bytes = (uint32_t)launch->checked.shared;
	record->stream = run->stream;
	record->launched_by = launch->launched_by;
	record->ranges = launch->ranges;
	record->knows_ranges = launch->knows_ranges;
	launch->ranges = (struct range_list){0};
	record->choice = choose(gpu, record);
	launch->begin = launch->progress.last = host_seconds();
}

void launch_end_record(struct launch *launch, const struct sluice_error *error)
{
	sluice_gpu *gpu = launch->gpu;
	struct record *record = &gpu->records.record[launch->number];
	record->host_seconds = host_seconds() - launch->begin;
	record_price(&gpu->records, record);
	if (record->end != GPU_DONE && error)
		record->message = strndup(error->message, strcspn(error->message, "\n"));
	gpu->instructions += record->stats.sm.thread_instructions;
}

static enum sluice_status run_in_cycles(struct launch *launch, struct sluice_error *error)
{
	sluice_gpu *gpu = launch->gpu;
	struct gpu_run *run = launch->run;
	if (gpu->max_instructions)
		run->max_thread_instructions = gpu->max_instructions - gpu->instructions;
	if (gpu->journal && launch->params) /* a trace's launch has none */
		return journal_launch(launch, error);
	return (gpu->sampling.wish.launches ? launch_sampled
	        : gpu->sampling.wish.blocks ? launch_sampled_blocks
	                                    : launch_timed)(gpu, launch->checked.kernel, run, launch->number, error);
}

/* Runs the launch and records it. If a block waits for it (`waited_for`), it runs functionally while the machine's time
 * stands still. */
static enum sluice_status run_recorded(struct launch *launch, struct sluice_error *error)
{
	sluice_gpu *gpu = launch->gpu;
	struct gpu_run *run = launch->run;
	bool waited_for = launch->checked.request.waited_for;
	launch_begin_record(launch);
	bool left_out = gpu->records.record[launch->number].choice == LAUNCH_LEFT_OUT;
	bool functional = gpu->functional || waited_for || left_out;
	api_begin_checks(gpu, launch->checked.kernel, &run->launch, waited_for);
	enum sluice_status status =
		waited_for || left_out ? SLUICE_OK : trace_out_begin(gpu, launch->checked.kernel, &run->launch, error);
	gpu->sampling.skipped |= left_out;
	if (status == SLUICE_OK)
		status = functional ? run_functional(gpu, &run->launch, run->blocks_per_sm, launch->number, error)
		                    : run_in_cycles(launch, error);
	bool is_done = gpu->records.record[launch->number].end == GPU_DONE;
	if (trace_out_end(&run->launch, is_done, error) != SLUICE_OK && status == SLUICE_OK)
		status = SLUICE_IO;
	launch_end_record(launch, error);
	if (!waited_for)
		stats_file_add(&gpu->stats_file, &gpu->records);
	api_end_checks(gpu, &run->launch, waited_for);
	return status;
}

/* A trace's launch is described already. */
enum sluice_status launch_replay(sluice_gpu *gpu, sluice_kernel *kernel, const struct simt_launch *described,
                                 const struct seam_analyses *analyses, struct sluice_error *error)
{
	const sluice_dim grid = {described->grid.x, described->grid.y, described->grid.z};
	const sluice_dim block = {described->block.x, described->block.y, described->block.z};
	struct checked_launch checked;
	enum sluice_status status = launch_check_replay(gpu, kernel, grid, block, &checked, error);
	if (status != SLUICE_OK)
		return status;
	struct launch *launch = new_launch(gpu, &checked);
	launch->run = new_run(launch, described);
	launch->run->analyses = *analyses;
	status = run_recorded(launch, error);
	launch_close(launch);
	return status;
}

struct launch *launch_open(sluice_gpu *gpu, sluice_kernel *kernel, const struct launch_request *request,
                           struct sluice_error *error)
{
	struct checked_launch checked;
	return launch_check(gpu, kernel, request, &checked, error) == SLUICE_OK ? open_checked(gpu, &checked) : NULL;
}

struct launch *launch_open_child(const struct launch *parent, const struct device_launch *child, bool waited_for,
                                 struct sluice_error *error)
{
	const struct ptx_function *function = child->kernel->function;
	void **arguments = base_calloc(function->param_count + 1, sizeof *arguments);
	uint32_t i = 0;
	for (const struct ptx_variable *param = function->params; param; param = param->next)
		arguments[i++] = child->arguments + param->offset;
	const struct launch_request request = {.grid = child->grid,
	                                       .block = child->block,
	                                       .dynamic_shared_bytes = child->shared,
	                                       .arguments = arguments,
	                                       .depth = parent->runtime.depth + 1,
	                                       .waited_for = waited_for};
	struct launch *launch = launch_open(parent->gpu, child->kernel, &request, error);
	free(arguments);
	if (!launch)
		return NULL;
	launch->launched_by = parent->number + 1;
	launch->run->stream = parent->run->stream;
	launch->run->priority = parent->run->priority;
	return launch;
}

/* Runs an opened launch and closes it. `launch` NULL: it could not be opened. */
static enum sluice_status run_and_close(struct launch *launch, struct sluice_error *error)
{
	if (!launch)
		return error->status;
	enum sluice_status status = launch_run_alone(launch, error);
	launch_close(launch);
	return status == SLUICE_OK ? api_succeed(error) : status;
}

/* Runs the grids that a launch has launched, one after the other: those for its tail stream, or the others. */
static enum sluice_status run_children(const struct launch *launch, bool tail, enum sluice_status status,
                                       struct sluice_error *error)
{
	const struct device_runtime *runtime = &launch->runtime;
	const struct device_launches *waiting = &runtime->waiting;
	for (size_t i = 0; i < waiting->count && status == SLUICE_OK; i++) {
		const struct device_launch *child = &waiting->launch[i];
		if ((child->stream == DEVICE_STREAM_TAIL) != tail)
			continue;
		status = run_and_close(launch_open_child(launch, child, runtime->is_waited_for, error), error);
	}
	return status;
}

static void note_children_in_turn(const struct launch *launch)
{
	sluice_gpu *gpu = launch->gpu;
	const char *reason = sluice_queue_refused(gpu);
	if (!reason)
		reason = gpu_kernels_at_once(gpu->gpu) > 1 ? "a cooperative kernel needs the whole machine"
		                                           : "one kernel runs at a time (launch.concurrent)";
	gpu->records.in_turn = gpu->children_in_turn = reason;
}

enum sluice_status launch_run_alone(struct launch *launch, struct sluice_error *error)
{
	run_ahead_find(launch->gpu, launch->checked.kernel, launch->run);
	enum sluice_status status = run_recorded(launch, error);
	if (launch->runtime.waiting.count && !launch->runtime.is_waited_for)
		note_children_in_turn(launch);
	status = run_children(launch, false, status, error);
	return run_children(launch, true, status, error);
}

static const struct launch *launch_of(const struct device_runtime *runtime)
{
	return (const struct launch *)((const char *)runtime - offsetof(struct launch, runtime));
}

/* Runs a nested launch while its parent is still running. Returns false after a message. */
static bool run_waited_for(struct device_runtime *runtime, const struct device_launch *child)
{
	struct sluice_error error = {0};
	api_report_checks(runtime->gpu, runtime->launch);
	struct launch *launch = launch_open_child(launch_of(runtime), child, true, &error);
	bool fine = run_and_close(launch, &error) == SLUICE_OK;
	if (!fine)
		fprintf(stderr, "%s\n", error.message);
	return fine;
}

static enum sluice_status run_launch(sluice_gpu *gpu, sluice_kernel *kernel, const struct launch_request *request,
                                     struct sluice_error *error)
{
	struct sluice_error own = {0};
	struct sluice_error *told = error ? error : &own;
	struct launch *launch = launch_open(gpu, kernel, request, told);
	bool overlaps = launch && !request->cooperative && queue_takes_children(launch) && !sluice_queue_refused(gpu);
	return overlaps ? queue_run_family(gpu, launch, error) : run_and_close(launch, told);
}

enum sluice_status sluice_launch(sluice_gpu *gpu, sluice_kernel *kernel, sluice_dim grid, sluice_dim block,
                                 uint32_t dynamic_shared_bytes, void *const *arguments, struct sluice_error *error)
{
	const struct launch_request request = {grid, block, dynamic_shared_bytes, arguments, .cooperative = false};
	return run_launch(gpu, kernel, &request, error);
}

enum sluice_status sluice_launch_cooperative(sluice_gpu *gpu, sluice_kernel *kernel, sluice_dim grid, sluice_dim block,
                                             uint32_t dynamic_shared_bytes, void *const *arguments,
                                             struct sluice_error *error)
{
	const struct launch_request request = {grid, block, dynamic_shared_bytes, arguments, .cooperative = true};
	return run_launch(gpu, kernel, &request, error);
}

void sluice_region(sluice_gpu *gpu, bool begins)
{
	selection_region(&gpu->selection, begins);
}

int sluice_range_push(const char *domain, const char *name)
{
	return ranges_push(domain, name);
}

int sluice_range_pop(const char *domain)
{
	return ranges_pop(domain);
}

uint64_t sluice_range_start(const char *domain, const char *name)
{
	return ranges_start(domain, name);
}

void sluice_range_end(uint64_t range)
{
	ranges_end(range);
}

void sluice_stop_for(sluice_gpu *gpu, const char *cause)
{
	const char *none = NULL;
	atomic_compare_exchange_strong(&gpu->stop_cause, &none, cause); /* only the first cause is stored */
	gpu->stop = true;
}

void sluice_stop(sluice_gpu *gpu)
{
	sluice_stop_for(gpu, "end of the process");
}
