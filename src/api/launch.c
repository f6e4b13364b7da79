/* Kernel launches: checks, records, and the choice between cycles, functional execution and sampling. */
#include "api/launch.h"

#include "api/run_ahead.h"
#include "api/device_launch.h"
#include "api/syscall.h"
#include "base/demangle.h"
#include "base/host_clock.h"
#include "simt/check.h"
#include "sluice_runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* CUDA's limits of a grid. */
enum { MAX_GRID_YZ = 65535, MAX_BLOCK_Z = 64 };

/* Returns UINT64_MAX on overflow. */
static uint64_t threads_of(sluice_dim block)
{
	uint64_t threads;
	return __builtin_mul_overflow((uint64_t)block.x * block.y, block.z, &threads) ? UINT64_MAX : threads;
}

/* Registers were allocated for the block sizes that the kernel declares, so other blocks are refused. CUDA's runtime
 * returns cudaErrorInvalidValue here. */
static enum sluice_status refuse_block(const struct ptx_function *function, sluice_dim block,
                                       struct sluice_error *error)
{
	const uint32_t *required = function->required_threads;
	if (required[0])
		return api_fail(error, SLUICE_BAD_ARGUMENT,
		                "%s: block (%u, %u, %u); the kernel's .reqntid asks for (%u, %u, %u)", function->name,
		                block.x, block.y, block.z, required[0], required[1], required[2]);
	return api_fail(error, SLUICE_BAD_ARGUMENT,
	                "%s: block (%u, %u, %u) has %llu threads; the kernel allows %llu (__launch_bounds__, .maxntid)",
	                function->name, block.x, block.y, block.z, (unsigned long long)threads_of(block),
	                (unsigned long long)ptx_most_block_threads(function));
}

static enum sluice_status check_launch(const sluice_gpu *gpu, const sluice_kernel *kernel, sluice_dim grid,
                                       sluice_dim block, uint64_t shared, const struct occupancy *occupancy,
                                       struct sluice_error *error)
{
	const struct machine *machine = &gpu->machine;
	const char *name = kernel->function->name;
	uint64_t threads = threads_of(block);

	if (!grid.x || !grid.y || !grid.z || grid.x > INT32_MAX || grid.y > MAX_GRID_YZ || grid.z > MAX_GRID_YZ)
		return api_fail(error, SLUICE_BAD_LAUNCH,
		                "%s: grid (%u, %u, %u); each must be at least 1, y and z at most %d", name, grid.x,
		                grid.y, grid.z, MAX_GRID_YZ);
	if (!threads || threads > machine->max_block_threads || block.z > MAX_BLOCK_Z)
		return api_fail(error, SLUICE_BAD_LAUNCH,
		                "%s: block (%u, %u, %u) has %llu threads; machine %s allows 1 to %u, z at most %d",
		                name, block.x, block.y, block.z, (unsigned long long)threads, machine->name,
		                machine->max_block_threads, MAX_BLOCK_Z);
	if (!ptx_allows_block(kernel->function, (const uint32_t[3]){block.x, block.y, block.z}))
		return refuse_block(kernel->function, block, error);
	if (shared > machine->shared_per_block)
		return api_fail(error, SLUICE_BAD_LAUNCH,
		                "%s: a block needs %llu bytes of shared memory; machine %s has %u per block", name,
		                (unsigned long long)shared, machine->name, machine->shared_per_block);
	if (!occupancy->blocks)
		return api_fail(error, SLUICE_BAD_LAUNCH,
		                "%s: a block of %llu threads, %u registers per thread and %llu bytes of shared memory "
		                "does not fit on an SM: machine %s has %u warps, %u registers and %u bytes",
		                name, (unsigned long long)threads, kernel_registers(kernel), (unsigned long long)shared,
		                machine->name, machine->sm.warps, machine->sm.registers, machine->sm.shared_bytes);
	return SLUICE_OK;
}

static enum sluice_status check_arguments(const sluice_kernel *kernel, void *const *arguments,
                                          struct sluice_error *error)
{
	const struct ptx_function *function = kernel->function;
	for (uint32_t i = 0; i < function->param_count; i++)
		if (!arguments || !arguments[i])
			return api_fail(error, SLUICE_BAD_ARGUMENT, "%s: of %u arguments, number %u is missing",
			                function->name, function->param_count, i);
	return SLUICE_OK;
}

/* Returns the registers that limit residency: none in a functional run. */
static uint32_t timed_registers(const sluice_kernel *kernel)
{
	return kernel->module->gpu->functional ? 0 : kernel_registers(kernel);
}

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

/* Completes the launch's record. A launch that its parent waited for is written together with the parent. */
static void end_record(sluice_gpu *gpu, struct record *record, bool waited_for, const struct sluice_error *error)
{
	if (record->end != GPU_DONE && error)
		record->message = strndup(error->message, strcspn(error->message, "\n"));
	if (!waited_for)
		stats_file_add(&gpu->stats_file, &gpu->records);
}

struct progress {
	sluice_gpu *gpu;
	const char *kernel;
	double last;
};

/* Calls the user's function at most ten times per second. */
static void pass_progress(void *user, uint64_t done, uint64_t blocks, uint64_t cycles, uint64_t warp_instructions)
{
	struct progress *progress = user;
	double now = host_seconds();
	if (now - progress->last < 0.1)
		return;
	progress->last = now;
	progress->gpu->progress(progress->gpu->progress_user, progress->kernel, done, blocks, cycles,
	                        warp_instructions);
}

static enum sluice_status report_fault(const struct simt_launch *launch, const struct simt_fault *fault,
                                       struct sluice_error *error)
{
	static const enum sluice_fault faults[] = {
		[SIMT_FAULT_ADDRESS] = SLUICE_FAULT_ADDRESS,
		[SIMT_FAULT_MISALIGNED] = SLUICE_FAULT_MISALIGNED,
		[SIMT_FAULT_RANGE] = SLUICE_FAULT_RANGE,
		[SIMT_FAULT_BARRIER] = SLUICE_FAULT_BARRIER,
		[SIMT_FAULT_COUNTS] = SLUICE_FAULT_BARRIER,
		[SIMT_FAULT_DIVERGED] = SLUICE_FAULT_BARRIER,
		[SIMT_FAULT_FREE] = SLUICE_FAULT_RANGE,
		[SIMT_FAULT_CALL] = SLUICE_FAULT_CALL,
		[SIMT_FAULT_INSTRUCTION] = SLUICE_FAULT_INSTRUCTION,
		[SIMT_FAULT_STACK] = SLUICE_FAULT_STACK,
		[SIMT_FAULT_TRAP] = SLUICE_FAULT_TRAP,
		[SIMT_FAULT_ASSERT] = SLUICE_FAULT_ASSERT,
		[SIMT_FAULT_DMA] = SLUICE_FAULT_INSTRUCTION,
		[SIMT_FAULT_MECHANISM] = SLUICE_FAULT_MECHANISM,
	};
	char text[4096];
	simt_fault_print(launch, fault, text, sizeof text);
	api_fail(error, SLUICE_FAULT, "%s%s", text,
	         simt_fault_strays(launch, fault) ? "\n  many GPUs do not report such a read; with 'sluice run "
	                                            "--stray-reads=warn' it returns 0 and the kernel continues"
	                                          : "");
	if (error)
		error->fault = faults[fault->kind];
	return SLUICE_FAULT;
}

/* Stores how the launch ended in its record. */
static void set_end(const sluice_gpu *gpu, struct record *record, enum gpu_end end)
{
	record->end = end;
	if (end == GPU_STOPPED)
		record->stopped_by = gpu->stop ? gpu->stop_cause : "limit of instructions";
}

static enum sluice_status stopped(const sluice_gpu *gpu, const struct simt_launch *launch,
                                  const struct simt_polls *found, const struct record *record,
                                  struct sluice_error *error)
{
	char where[48] = "", polls[2048];
	simt_polls_print(launch, found, polls, sizeof polls);
	if (gpu->stop)
		return api_fail(error, SLUICE_STOPPED, "kernel %s stopped before its end (%s)%s", record->kernel,
		                record->stopped_by, polls);
	if (!record->functional)
		snprintf(where, sizeof where, " at cycle %llu", (unsigned long long)record->cycles);
	return api_fail(
		error, SLUICE_STOPPED,
		"kernel %s (launch %llu) stopped%s: the run has executed %llu thread instructions; its limit is %llu%s",
		record->kernel, (unsigned long long)record->launch, where,
		(unsigned long long)(gpu->instructions + record->stats.sm.thread_instructions),
		(unsigned long long)gpu->max_instructions, polls);
}

static enum sluice_status livelocked(const sluice_gpu *gpu, const struct gpu_run *run, const struct record *record,
                                     struct sluice_error *error)
{
	char polls[2048];
	simt_polls_print(&run->launch, &run->polls, polls, sizeof polls);
	return api_fail(error, SLUICE_STALLED,
	                "kernel %s stalled at cycle %llu: for %u cycles (launch.livelock) its warps have only polled "
	                "locations that none of them writes%s",
	                record->kernel, (unsigned long long)run->cycles, gpu->machine.livelock, polls);
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

void launch_run_functional(sluice_gpu *gpu, struct simt_launch *launch, uint32_t blocks_per_sm, struct simt_run *run)
{
	launch->memory = gpu->gpu->memory;
	launch->sm_count = gpu->machine.sms;
	launch->first_path = gpu->machine.sm.first_path;
	launch->id = ++gpu->functional_launches;
	launch->resident = (uint64_t)blocks_per_sm * gpu->machine.sms;
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
	set_end(gpu, record, run->fault.what ? GPU_FAULT : run->stopped ? GPU_STOPPED : GPU_DONE);
	if (run->fault.what)
		return report_fault(launch, &run->fault, error);
	return run->stopped ? stopped(gpu, launch, &run->polls, record, error) : SLUICE_OK;
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
	char text[512];
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
	unit_totals_add(&gpu->unit_totals, gpu->gpu, number + 1);
	struct record *record = &gpu->records.record[number];
	units_store(&gpu->records, record);
	api_record_mechanisms(gpu, kernel, record);
	set_end(gpu, record, run->end);
	record->cycles = run->cycles;
	record->blocks_per_sm = run->blocks_limit;
	record->stats = run->stats;
	profile_file_add(&gpu->recorders.profile, kernel->profile, record);
	switch (run->end) {
	case GPU_FAULT:
		return report_fault(&run->launch, &run->fault, error);
	case GPU_STALLED:
		if (run->livelock)
			return livelocked(gpu, run, record, error);
		return api_fail(error, SLUICE_STALLED, "kernel %s stalled at cycle %llu: no warp can make progress\n%s",
		                record->kernel, (unsigned long long)run->cycles, run->message);
	case GPU_MISTAKE:
		return api_fail(error, SLUICE_BAD_MECHANISM, "kernel %s stopped: %s", record->kernel, run->message);
	default:
		if (!gpu_check_stats(gpu->gpu, run, text, sizeof text))
			return api_fail(error, SLUICE_INTERNAL,
			                "internal error: the statistics of kernel %s do not add up: %s", record->kernel,
			                text);
		return run->end == GPU_STOPPED ? stopped(gpu, &run->launch, &run->polls, record, error) : SLUICE_OK;
	}
}

/* Refuses a launch after the run was stopped or has used up its instructions. */
static enum sluice_status check_may_start(sluice_gpu *gpu, const sluice_kernel *kernel, struct sluice_error *error)
{
	const char *name = kernel->function->name;
	bool used_up = gpu->max_instructions && gpu->instructions >= gpu->max_instructions;
	if (!gpu->stop && !used_up && !gpu->selection.is_over)
		return SLUICE_OK;
	gpu->records.stopped = true;
	if (gpu->stop)
		return api_fail(error, SLUICE_STOPPED, "kernel %s not started: the run was stopped", name);
	if (gpu->selection.is_over)
		return api_fail(error, SLUICE_STOPPED,
		                "kernel %s not started: the run ends after the last selected launch", name);
	return api_fail(error, SLUICE_STOPPED,
	                "kernel %s not started: the run has executed %llu thread instructions; its limit is %llu", name,
	                (unsigned long long)gpu->instructions, (unsigned long long)gpu->max_instructions);
}

/* Chooses the kernel's version for this block size, spilled if registers are short, and computes its occupancy. */
static enum sluice_status fit_block(sluice_kernel **kernel, sluice_dim grid, sluice_dim block, uint64_t shared,
                                    struct occupancy *occupancy, struct sluice_error *error)
{
	const sluice_gpu *gpu = (*kernel)->module->gpu;
	uint64_t threads = threads_of(block);
	*occupancy = (struct occupancy){0};
	if (threads && threads <= gpu->machine.max_block_threads) {
		enum sluice_status status =
			gpu->functional ? SLUICE_OK : kernel_for_block(kernel, (uint32_t)threads, shared, error);
		if (status != SLUICE_OK)
			return status;
		*occupancy = occupancy_of(&gpu->machine, (uint32_t)threads, timed_registers(*kernel), shared);
	}
	return check_launch(gpu, *kernel, grid, block, shared, occupancy, error);
}

/* Describes the launch to the machine. */
static struct gpu_run *new_run(sluice_gpu *gpu, sluice_kernel *kernel, const struct simt_launch *launch,
                               const struct occupancy *occupancy, struct progress *progress)
{
	struct gpu_run *run = base_calloc(1, sizeof *run);
	run->launch = *launch;
	run->blocks_per_sm = occupancy->blocks;
	run->occupancy = occupancy;
	run->line = gpu->records.attachments ? kernel_source_lines(kernel) : NULL;
	if (gpu->max_instructions)
		run->max_thread_instructions = gpu->max_instructions - gpu->instructions;
	if (gpu->progress) {
		run->progress = pass_progress;
		run->progress_user = progress;
	}
	return run;
}

static enum launch_choice choose(sluice_gpu *gpu, const struct record *record)
{
	if (!selection_is_used(&gpu->selection))
		return LAUNCH_SELECTED;
	return selection_choose(&gpu->selection, record->launch, record->kernel, record->shown);
}

/* Runs a checked launch and records it. If a block waits for it (`waited_for`), it runs functionally while the
 * machine's time stands still. */
static enum sluice_status run_recorded(sluice_gpu *gpu, sluice_kernel *kernel, struct gpu_run *run, uint64_t shared,
                                       bool waited_for, struct sluice_error *error)
{
	size_t number = new_record(gpu, kernel);
	struct record *record = &gpu->records.record[number];
	record->grid = run->launch.grid;
	record->block = run->launch.block;
	record->registers = kernel_registers(kernel);
	record->spill_bytes = kernel->spills.bytes;
	record->shared_bytes = (uint32_t)shared;
	record->choice = choose(gpu, record);
	bool left_out = record->choice == LAUNCH_LEFT_OUT, functional = gpu->functional || waited_for || left_out;
	api_begin_checks(gpu, kernel, &run->launch, waited_for);
	double begin = host_seconds();
	enum sluice_status status =
		waited_for || left_out ? SLUICE_OK : trace_out_begin(gpu, kernel, &run->launch, error);
	gpu->sampling.skipped |= left_out;
	if (status == SLUICE_OK)
		status = functional ? run_functional(gpu, &run->launch, run->blocks_per_sm, number, error)
		         : gpu->sampling.wish.launches ? launch_sampled(gpu, kernel, run, number, error)
		         : gpu->sampling.wish.blocks   ? launch_sampled_blocks(gpu, kernel, run, number, error)
		                                       : launch_timed(gpu, kernel, run, number, error);
	record = &gpu->records.record[number];
	if (trace_out_end(&run->launch, record->end == GPU_DONE, error) != SLUICE_OK && status == SLUICE_OK)
		status = SLUICE_IO;
	record->host_seconds = host_seconds() - begin;
	record_price(&gpu->records, record);
	end_record(gpu, record, waited_for, error);
	api_end_checks(gpu, &run->launch, waited_for);
	gpu->instructions += record->stats.sm.thread_instructions;
	return status;
}

/* Checks that all blocks of a cooperative launch can be resident together, using the occupancy that programs are given.
 * It applies in a functional run too, although registers are otherwise no limit there. */
static enum sluice_status check_together(sluice_gpu *gpu, sluice_kernel *kernel, sluice_dim grid, sluice_dim block,
                                         uint32_t dynamic_shared_bytes, struct sluice_error *error)
{
	const struct machine *machine = &gpu->machine;
	struct sluice_occupancy occupancy = {SLUICE_SIZED(occupancy)};
	enum sluice_status status =
		sluice_occupancy(gpu, kernel, (uint32_t)threads_of(block), dynamic_shared_bytes, &occupancy, error);
	uint64_t blocks = (uint64_t)grid.x * grid.y * grid.z;
	uint64_t room = (uint64_t)occupancy.blocks_per_sm * machine->sms;
	if (status != SLUICE_OK || blocks <= room)
		return status;
	return api_fail(error, SLUICE_TOO_LARGE,
	                "%s: a cooperative launch of %llu blocks; machine %s has space for %llu at a time, %u on each "
	                "of %u SMs",
	                kernel->function->name, (unsigned long long)blocks, machine->name, (unsigned long long)room,
	                occupancy.blocks_per_sm, machine->sms);
}

/* The parameters of a requested launch. */
struct launch_request {
	sluice_dim grid, block;
	uint32_t dynamic_shared_bytes;
	void *const *arguments;
	bool cooperative;
	unsigned depth;     /* nesting level: number of ancestor kernels */
	bool waited_for;    /* the launching block waits for it */
	uint32_t carve_out; /* as in struct simt_launch */
};

static enum sluice_status run_children(sluice_gpu *gpu, const struct device_runtime *runtime,
                                       struct sluice_error *error);
static bool run_waited_for(struct device_runtime *runtime, const struct device_launch *launch);

/* Runs the launch, then the grids that it launched. */
static enum sluice_status run_with_children(sluice_gpu *gpu, sluice_kernel *kernel,
                                            const struct launch_request *request, const struct occupancy *occupancy,
                                            uint64_t shared, struct sluice_error *error)
{
	uint8_t *params = pack_params(kernel, request->arguments);
	struct device_runtime runtime = {.gpu = gpu,
	                                 .module = kernel->module,
	                                 .depth = request->depth,
	                                 .is_waited_for = request->waited_for,
	                                 .run = run_waited_for};
	struct simt_launch launch = {.program = kernel->program,
	                             .code = kernel->code,
	                             .grid = {request->grid.x, request->grid.y, request->grid.z},
	                             .block = {request->block.x, request->block.y, request->block.z},
	                             .dynamic_shared_bytes = request->dynamic_shared_bytes,
	                             .carve_out = request->carve_out,
	                             .params = params,
	                             .cooperative = request->cooperative,
	                             .textures = &gpu->textures,
	                             .system_call = syscall_run,
	                             .user = &runtime,
	                             .stop = &gpu->stop};
	struct progress progress = {.gpu = gpu, .kernel = kernel->function->name, .last = host_seconds()};
	struct gpu_run *run = new_run(gpu, kernel, &launch, occupancy, &progress);
	struct launch_analyses known = {.gpu = gpu, .kernel = kernel, .launch = &run->launch};
	run->analyses = api_analyses(&known);
	run_ahead_find(gpu, kernel, run);
	runtime.launch = &run->launch;
	enum sluice_status status = run_recorded(gpu, kernel, run, shared, request->waited_for, error);
	arena_free(&known.arena);
	free(params);
	run_ahead_free(run);
	free(run);
	if (status == SLUICE_OK)
		status = run_children(gpu, &runtime, error);
	device_runtime_close(&runtime);
	return status;
}

/* A trace states its registers, so nothing is spilled. */
enum sluice_status launch_replay(sluice_gpu *gpu, sluice_kernel *kernel, const struct simt_launch *launch,
                                 const struct seam_analyses *analyses, struct sluice_error *error)
{
	const sluice_dim grid = {launch->grid.x, launch->grid.y, launch->grid.z};
	const sluice_dim block = {launch->block.x, launch->block.y, launch->block.z};
	uint64_t threads = threads_of(block), shared = launch->program->shared_bytes;
	struct occupancy occupancy = {0};
	enum sluice_status status = check_may_start(gpu, kernel, error);
	if (status != SLUICE_OK)
		return status;
	if (threads <= gpu->machine.max_block_threads)
		occupancy = occupancy_of(&gpu->machine, (uint32_t)threads, timed_registers(kernel), shared);
	status = check_launch(gpu, kernel, grid, block, shared, &occupancy, error);
	if (status != SLUICE_OK)
		return status;
	struct progress progress = {.gpu = gpu, .kernel = kernel->function->name, .last = host_seconds()};
	struct gpu_run *run = new_run(gpu, kernel, launch, &occupancy, &progress);
	run->analyses = *analyses;
	status = run_recorded(gpu, kernel, run, shared, false, error);
	free(run);
	return status;
}

static enum sluice_status run_launch(sluice_gpu *gpu, sluice_kernel *kernel, const struct launch_request *request,
                                     struct sluice_error *error)
{
	enum sluice_status status = kernel_prepare(kernel, error);
	if (status == SLUICE_OK)
		status = check_may_start(gpu, kernel, error);
	if (status != SLUICE_OK)
		return status;
	struct occupancy occupancy;
	uint64_t shared = (uint64_t)kernel->program->shared_bytes + request->dynamic_shared_bytes;
	sluice_kernel *given = kernel;
	struct launch_request carved = *request;
	status = fit_block(&kernel, request->grid, request->block, shared, &occupancy, error);
	if (status == SLUICE_OK && given->prefers_shared)
		carved.carve_out = occupancy_carve(&gpu->gpu->machine, given->prefers_shared - 1, shared, &occupancy);
	if (status == SLUICE_OK && request->cooperative)
		status =
			check_together(gpu, given, request->grid, request->block, request->dynamic_shared_bytes, error);
	if (status == SLUICE_OK)
		status = check_arguments(kernel, request->arguments, error);
	if (status == SLUICE_OK)
		status = run_with_children(gpu, kernel, &carved, &occupancy, shared, error);
	return status == SLUICE_OK ? api_succeed(error) : status;
}

static enum sluice_status run_child(sluice_gpu *gpu, const struct device_launch *child, unsigned depth, bool waited_for,
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
	                                       .depth = depth,
	                                       .waited_for = waited_for};
	enum sluice_status status = run_launch(gpu, child->kernel, &request, error);
	free(arguments);
	return status;
}

static enum sluice_status run_children(sluice_gpu *gpu, const struct device_runtime *runtime,
                                       struct sluice_error *error)
{
	enum sluice_status status = SLUICE_OK;
	for (size_t i = 0; i < runtime->waiting.count && status == SLUICE_OK; i++)
		status = run_child(gpu, &runtime->waiting.launch[i], runtime->depth + 1, runtime->is_waited_for, error);
	return status;
}

/* Runs a nested launch while its parent is still running. Returns false after a message. */
static bool run_waited_for(struct device_runtime *runtime, const struct device_launch *launch)
{
	struct sluice_error error = {0};
	api_report_checks(runtime->gpu, runtime->launch);
	bool fine = run_child(runtime->gpu, launch, runtime->depth + 1, true, &error) == SLUICE_OK;
	if (!fine)
		fprintf(stderr, "%s\n", error.message);
	return fine;
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

enum sluice_status sluice_check_launch(sluice_gpu *gpu, sluice_kernel *kernel, sluice_dim grid, sluice_dim block,
                                       uint32_t dynamic_shared_bytes, bool cooperative, struct sluice_error *error)
{
	struct occupancy occupancy;
	sluice_kernel *fitting = kernel;
	enum sluice_status status = kernel_prepare(kernel, error);
	if (status == SLUICE_OK)
		status = fit_block(&fitting, grid, block,
		                   (uint64_t)kernel->program->shared_bytes + dynamic_shared_bytes, &occupancy, error);
	if (status == SLUICE_OK && cooperative)
		status = check_together(gpu, kernel, grid, block, dynamic_shared_bytes, error);
	return status == SLUICE_OK ? api_succeed(error) : status;
}

void sluice_region(sluice_gpu *gpu, bool begins)
{
	selection_region(&gpu->selection, begins);
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
