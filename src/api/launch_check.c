/* The checks that a launch must pass before it runs: grid, block, arguments, resources. */
#include "api/launch.h"

#include "gpu/policy.h"
#include "sluice_runtime.h"

/* CUDA's limits of a grid. */
enum { MAX_GRID_YZ = 65535, MAX_BLOCK_Z = 64 };

/* Returns UINT64_MAX on overflow. */
static uint64_t threads_of(sluice_dim block)
{
	uint64_t threads;
	return __builtin_mul_overflow((uint64_t)block.x * block.y, block.z, &threads) ? UINT64_MAX : threads;
}

bool launch_allows_grid(sluice_dim grid)
{
	return grid.x && grid.y && grid.z && grid.x <= INT32_MAX && grid.y <= MAX_GRID_YZ && grid.z <= MAX_GRID_YZ;
}

bool launch_allows_block(const struct machine *machine, sluice_dim block)
{
	uint64_t threads = threads_of(block);
	return threads && threads <= machine->max_block_threads && block.z <= MAX_BLOCK_Z;
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

	if (!launch_allows_grid(grid))
		return api_fail(error, SLUICE_BAD_LAUNCH,
		                "%s: grid (%u, %u, %u); each must be at least 1, y and z at most %d", name, grid.x,
		                grid.y, grid.z, MAX_GRID_YZ);
	if (!launch_allows_block(machine, block))
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

/* Checks that all blocks of a cooperative launch can be resident together, using the occupancy that programs are given.
 * It applies in a functional run too, although registers are otherwise no limit there. */
static enum sluice_status check_together(sluice_gpu *gpu, sluice_kernel *kernel, sluice_dim grid, sluice_dim block,
                                         uint32_t dynamic_shared_bytes, struct sluice_error *error)
{
	const struct machine *machine = &gpu->gpu->machine; /* with its partitions */
	struct sluice_occupancy occupancy = {SLUICE_SIZED(occupancy)};
	enum sluice_status status =
		sluice_occupancy(gpu, kernel, (uint32_t)threads_of(block), dynamic_shared_bytes, &occupancy, error);
	uint64_t blocks = (uint64_t)grid.x * grid.y * grid.z;
	uint32_t sms = policy_sms(machine, gpu->stream);
	uint64_t room = (uint64_t)occupancy.blocks_per_sm * sms;
	if (status != SLUICE_OK || blocks <= room)
		return status;
	return api_fail(error, SLUICE_TOO_LARGE,
	                "%s: a cooperative launch of %llu blocks; machine %s has space for %llu at a time, %u on each "
	                "of %u SMs",
	                kernel->function->name, (unsigned long long)blocks, machine->name, (unsigned long long)room,
	                occupancy.blocks_per_sm, sms);
}

/* Fails when the run was stopped or has used up its instructions. */
static enum sluice_status check_may_start(sluice_gpu *gpu, const sluice_kernel *kernel, struct sluice_error *error)
{
	const char *name = kernel->function->name;
	bool used_up = gpu->max_instructions && gpu->instructions >= gpu->max_instructions;
	if (!gpu->stop && !used_up && !selection_is_over(&gpu->selection))
		return SLUICE_OK;
	gpu->records.stopped = true;
	if (gpu->stop)
		return api_fail(error, SLUICE_STOPPED, "kernel %s not started: the run was stopped", name);
	if (selection_is_over(&gpu->selection))
		return api_fail(error, SLUICE_STOPPED,
		                "kernel %s not started: the run ends after the last selected launch", name);
	return api_fail(error, SLUICE_STOPPED,
	                "kernel %s not started: the run has executed %llu thread instructions; its limit is %llu", name,
	                (unsigned long long)gpu->instructions, (unsigned long long)gpu->max_instructions);
}

enum sluice_status launch_check(sluice_gpu *gpu, sluice_kernel *kernel, const struct launch_request *request,
                                struct checked_launch *checked, struct sluice_error *error)
{
	enum sluice_status status = kernel_prepare(kernel, error);
	if (status == SLUICE_OK)
		status = check_may_start(gpu, kernel, error);
	if (status != SLUICE_OK)
		return status;
	uint64_t shared = (uint64_t)kernel->program->shared_bytes + request->dynamic_shared_bytes;
	*checked = (struct checked_launch){.kernel = kernel, .request = *request, .shared = shared};
	status = fit_block(&checked->kernel, request->grid, request->block, shared, &checked->occupancy, error);
	if (status == SLUICE_OK && kernel->prefers_shared)
		checked->request.carve_out =
			occupancy_carve(&gpu->gpu->machine, kernel->prefers_shared - 1, shared, &checked->occupancy);
	if (status == SLUICE_OK && request->cooperative)
		status = check_together(gpu, kernel, request->grid, request->block, request->dynamic_shared_bytes,
		                        error);
	if (status == SLUICE_OK)
		status = check_arguments(checked->kernel, request->arguments, error);
	return status;
}

enum sluice_status launch_check_replay(sluice_gpu *gpu, sluice_kernel *kernel, sluice_dim grid, sluice_dim block,
                                       struct checked_launch *checked, struct sluice_error *error)
{
	uint64_t threads = threads_of(block), shared = kernel->program->shared_bytes;
	enum sluice_status status = check_may_start(gpu, kernel, error);
	if (status != SLUICE_OK)
		return status;
	*checked =
		(struct checked_launch){.kernel = kernel, .request = {.grid = grid, .block = block}, .shared = shared};
	if (threads <= gpu->machine.max_block_threads)
		checked->occupancy = occupancy_of(&gpu->machine, (uint32_t)threads, timed_registers(kernel), shared);
	return check_launch(gpu, kernel, grid, block, shared, &checked->occupancy, error);
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
