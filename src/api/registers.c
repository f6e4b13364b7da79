/* Registers per thread: the limit of a kernel, and rewriting a kernel that needs more. */
#include "api/api.h"

#include <string.h>

/* Returns the settings for the kernel's name; the last one of each kind counts. */
static struct kernel_setting setting_of(const sluice_kernel *kernel)
{
	const sluice_gpu *gpu = kernel->module->gpu;
	struct kernel_setting setting = {0};
	for (size_t i = 0; i < gpu->kernel_setting_count; i++) {
		const struct kernel_setting *said = &gpu->kernel_settings[i];
		if (strcmp(said->kernel, kernel->function->name) != 0)
			continue;
		setting.registers = said->registers ? said->registers : setting.registers;
		setting.max_registers = said->max_registers ? said->max_registers : setting.max_registers;
	}
	return setting;
}

uint32_t kernel_registers(const sluice_kernel *kernel)
{
	uint32_t said = setting_of(kernel).registers, registers = said ? said : kernel->registers;
	return registers ? registers : 1;
}

uint32_t kernel_max_threads(const struct machine *machine, const struct ptx_function *function)
{
	uint32_t most = machine->max_block_threads;
	uint64_t threads = ptx_most_block_threads(function);
	return threads && threads < most ? (uint32_t)threads : most;
}

bool kernel_registers_are_set(const sluice_kernel *kernel)
{
	return setting_of(kernel).registers;
}

static uint32_t lower_of(uint32_t limit, uint32_t other)
{
	return !limit || (other && other < limit) ? other : limit;
}

/* Returns the lowest limit set by the user, the program (.maxnreg, .minnctapersm) or the machine; 0: no limit. */
static uint32_t asked_limit(const sluice_kernel *kernel)
{
	const struct ptx_function *function = kernel->function;
	const struct machine *machine = &kernel->module->gpu->machine;
	uint32_t limit = lower_of(setting_of(kernel).max_registers, function->max_registers);
	if (function->min_blocks && ptx_most_block_threads(function)) /* min_blocks requires the block size */
		limit = lower_of(limit, occupancy_registers(machine, kernel_max_threads(machine, function),
		                                            function->min_blocks));
	return lower_of(limit, machine->sm.registers_per_thread);
}

static void share_addresses(struct ptx_variable *copy, const struct ptx_variable *original)
{
	for (; copy && original; copy = copy->next, original = original->next)
		copy->address = original->address;
}

/* Parses the module again, for rewriting. Its variables get the original's addresses. */
static struct ptx_module *copy_module(sluice_gpu *gpu, const struct ptx_module *original)
{
	struct diag diag = {0};
	struct ptx_module *copy = passes_parse(&gpu->passes, original->source.name, original->source.text,
	                                       original->source.length, &diag);
	diag_free(&diag);
	share_addresses(copy->variables, original->variables);
	const struct ptx_function *from = original->functions;
	for (struct ptx_function *to = copy->functions; to; to = to->next, from = from->next)
		share_addresses(to->locals, from->locals);
	return copy;
}

/* Rewrites the kernel with spills. A functional run has no register limit: if spilling fails there, the kernel stays
 * unchanged. */
static enum sluice_status spill(sluice_kernel *kernel, uint32_t limit, struct sluice_error *error)
{
	struct ptx_module *copy = copy_module(kernel->module->gpu, kernel->module->ptx);
	const struct ptx_function *function = ptx_find_function(copy, kernel->function->name);
	struct flow_spills spills;
	bool fits = flow_spill(copy, function, limit, &spills);
	uint32_t registers = flow_kernel_registers(function);
	if (fits) {
		kernel->rewritten = copy;
		kernel->function = function;
		kernel->registers = limit;
		kernel->spills = spills;
		return SLUICE_OK;
	}
	ptx_free(copy);
	if (kernel->module->gpu->functional)
		return SLUICE_OK;
	return api_fail(error, SLUICE_BAD_LAUNCH,
	                "%s: a thread may have %u registers but needs %u, even with all others spilled to local "
	                "memory; allow more, or launch smaller blocks",
	                kernel->function->name, limit, registers);
}

enum sluice_status kernel_allocate(sluice_kernel *kernel, struct sluice_error *error)
{
	uint32_t limit = kernel->limit ? kernel->limit : asked_limit(kernel);
	kernel->registers = flow_assembled_registers(kernel->function).wanted;
	if (!limit || kernel->registers <= limit || kernel_registers_are_set(kernel))
		return SLUICE_OK;
	if (flow_kernel_fits(kernel->function, limit)) {
		kernel->registers = limit;
		return SLUICE_OK;
	}
	return spill(kernel, limit, error);
}
