/* Modules and kernels: loading PTX, placing its variables, preparing kernels. */
#include "api/api.h"

#include "base/c_locale.h"
#include "base/arena.h"
#include "flow/flow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum sluice_status fail_with_diag(struct sluice_error *error, enum sluice_status status, struct diag *diag)
{
	size_t length = diag->text ? strlen(diag->text) : 0;
	while (length && diag->text[length - 1] == '\n')
		diag->text[--length] = '\0';
	api_fail(error, status, "%s", diag->text ? diag->text : "unknown error");
	diag_free(diag);
	return status;
}

static bool lives_in_memory(const struct ptx_variable *variable)
{
	return (variable->space == PTX_GLOBAL || variable->space == PTX_CONST) && variable->size;
}

static bool place_variables(sluice_module *module, struct ptx_variable *first)
{
	struct simt_memory *memory = module->gpu->gpu->memory;
	for (struct ptx_variable *v = first; v; v = v->next) {
		if (!lives_in_memory(v))
			continue;
		v->address = simt_alloc_static(memory, v->size, v->align);
		if (!v->address)
			return false;
		if (v->space == PTX_CONST)
			module->constant_bytes += v->size;
		if (v->initial)
			memcpy(simt_host(memory, v->address), v->initial, v->size);
		else
			memset(simt_host(memory, v->address), 0, v->size);
	}
	return true;
}

/* Pointers inside initial values, once all variables have addresses. */
static void relocate(const sluice_module *module, const struct ptx_variable *first)
{
	for (const struct ptx_variable *v = first; v; v = v->next)
		for (uint32_t i = 0; v->address && i < v->relocation_count; i++) {
			const struct ptx_relocation *relocation = &v->relocations[i];
			uint64_t target = relocation->symbol ? relocation->symbol->address : 0;
			if (relocation->function)
				target = simt_function_address(relocation->function);
			uint64_t value = target + (uint64_t)relocation->addend;
			memcpy((char *)simt_host(module->gpu->gpu->memory, v->address) + relocation->offset, &value,
			       relocation->size);
		}
}

static void free_variables(const sluice_module *module, const struct ptx_variable *first)
{
	for (const struct ptx_variable *v = first; v; v = v->next)
		if (v->address)
			simt_free(module->gpu->gpu->memory, v->address);
}

static bool place_all(sluice_module *module)
{
	if (!place_variables(module, module->ptx->variables))
		return false;
	for (struct ptx_function *f = module->ptx->functions; f; f = f->next)
		if (!place_variables(module, f->locals))
			return false;
	relocate(module, module->ptx->variables);
	for (struct ptx_function *f = module->ptx->functions; f; f = f->next)
		relocate(module, f->locals);
	return true;
}

enum { CODE_BYTES = 8 }; /* an instruction */

/* Where that many instructions lie: functions behind each other, in the order of the PTX. */
static uint64_t place_code(sluice_gpu *gpu, uint32_t instructions)
{
	uint64_t align = gpu->machine.code_align, code = (gpu->code_bytes + align - 1) / align * align;
	gpu->code_bytes = code + (uint64_t)instructions * CODE_BYTES;
	return code;
}

static void list_kernels(sluice_module *module)
{
	for (struct ptx_function *f = module->ptx->functions; f; f = f->next)
		module->kernels += f->is_entry && f->has_body;
	module->kernel = xcalloc(module->kernels + 1, sizeof *module->kernel);
	size_t k = 0;
	for (struct ptx_function *f = module->ptx->functions; f; f = f->next) {
		uint64_t code = place_code(module->gpu, f->body_count);
		if (f->is_entry && f->has_body)
			module->kernel[k++] = (struct sluice_kernel){
				.function = f, .module = module, .code = code, .code_room = f->body_count};
	}
}

enum sluice_status sluice_load(sluice_gpu *gpu, const char *ptx, size_t length, const char *name,
                               sluice_module **loaded, struct sluice_error *error)
{
	IN_C_LOCALE;
	struct diag diag = {0};
	*loaded = NULL;
	struct ptx_module *parsed = ptx_parse(name, ptx, length, &diag);
	if (!parsed)
		return fail_with_diag(error, SLUICE_BAD_PTX, &diag);
	diag_free(&diag);
	sluice_module *module = xcalloc(1, sizeof *module);
	module->gpu = gpu;
	module->ptx = parsed;
	module->next = gpu->modules;
	gpu->modules = module;
	if (!place_all(module)) {
		sluice_unload(gpu, module);
		return api_fail(error, SLUICE_NO_MEMORY, "%s: no room for the module's variables", name);
	}
	list_kernels(module);
	*loaded = module;
	return api_succeed(error);
}

void sluice_unload(sluice_gpu *gpu, sluice_module *module)
{
	sluice_module **link = &gpu->modules;
	while (*link && *link != module)
		link = &(*link)->next;
	if (!*link)
		return;
	*link = module->next;
	free_variables(module, module->ptx->variables);
	for (struct ptx_function *f = module->ptx->functions; f; f = f->next)
		free_variables(module, f->locals);
	for (size_t k = 0; k < module->kernels; k++)
		kernel_close(&module->kernel[k]);
	free(module->kernel);
	ptx_free(module->ptx);
	free(module);
}

sluice_kernel *sluice_find_kernel(sluice_module *module, const char *name)
{
	for (size_t k = 0; k < module->kernels; k++)
		if (strcmp(module->kernel[k].function->name, name) == 0)
			return &module->kernel[k];
	return NULL;
}

bool sluice_find_variable(sluice_module *module, const char *name, uint64_t *address, uint64_t *size)
{
	const struct ptx_variable *variable = ptx_find_variable(module->ptx, name);
	if (!variable || !variable->address)
		return false;
	*address = variable->address;
	*size = variable->size;
	return true;
}

static uint32_t *reconvergence(struct arena *arena, const struct ptx_function *function)
{
	return flow_reconvergence(arena, flow_cfg_build(arena, function));
}

static bool does_nothing(const struct ptx_function *function)
{
	for (uint32_t i = 0; i < function->body_count; i++)
		if (function->body[i].op != PTX_OP_RET && function->body[i].op != PTX_OP_EXIT)
			return false;
	return true;
}

/* A compiler that finds undefined behaviour may leave nothing of a kernel, without a word. A kernel without parameters is
 * empty because it was written so. */
static void warn_if_emptied(const struct ptx_function *function)
{
	if (function->param_count == 0 || !does_nothing(function))
		return;
	const struct ptx_inst *inst = function->body_count ? &function->body[0] : NULL;
	const char *file = inst && inst->source_line ? ptx_file_name(function->module, inst->source_file) : NULL;
	fprintf(stderr,
	        "sluice: warning: %s:%" PRIu32
	        ": kernel '%s' has parameters and does nothing but return; if that is not how it "
	        "was written, the compiler found undefined behaviour in it\n",
	        file ? file : function->module->source.name, file ? inst->source_line : function->place.line,
	        function->name);
}

enum sluice_status prepare_kernel(sluice_kernel *kernel, struct sluice_error *error)
{
	struct diag diag = {0};
	if (kernel->program)
		return SLUICE_OK;
	warn_if_emptied(kernel->function);
	enum sluice_status status = kernel_allocate(kernel, error);
	if (status != SLUICE_OK)
		return status;
	kernel->program = simt_decode(kernel->function, reconvergence, &diag);
	if (!kernel->program)
		return fail_with_diag(error, SLUICE_BAD_PTX, &diag);
	diag_free(&diag);
	if (kernel->module->gpu->checks)
		simt_check_program(kernel->module->gpu->checks, kernel->program);
	/* What has grown, by spills or by the functions that it calls, lies behind all others. */
	if (kernel->program->count > kernel->code_room)
		kernel->code = place_code(kernel->module->gpu, kernel->program->count);
	return SLUICE_OK;
}

const struct affine_kernel *kernel_loads(sluice_kernel *kernel)
{
	if (!kernel->loads)
		kernel->loads = affine_analyze(&kernel->arena, kernel->function);
	return kernel->loads;
}

uint32_t kernel_max_threads(const struct machine *machine, const struct ptx_function *function)
{
	uint32_t most = machine->max_block_threads;
	const uint32_t *said = function->required_threads[0] ? function->required_threads : function->max_threads;
	uint64_t threads = said[0];
	for (unsigned i = 1; i < 3; i++)
		threads *= said[i] ? said[i] : 1;
	return threads && threads < most ? (uint32_t)threads : most;
}

enum sluice_status sluice_kernel_info(sluice_gpu *gpu, sluice_kernel *kernel, struct sluice_kernel_info *info,
                                      struct sluice_error *error)
{
	enum sluice_status status = prepare_kernel(kernel, error);
	if (status != SLUICE_OK)
		return status;
	const struct simt_program *program = kernel->program;
	*info = (struct sluice_kernel_info){.name = kernel->function->name,
	                                    .registers = kernel_registers(kernel),
	                                    .spill_bytes = kernel->spills.bytes,
	                                    .spill_loads = kernel->spills.loads,
	                                    .spill_stores = kernel->spills.stores,
	                                    .shared_bytes = program->shared_bytes,
	                                    .local_bytes = program->local_bytes,
	                                    .constant_bytes = (uint32_t)kernel->module->constant_bytes,
	                                    .param_count = kernel->function->param_count,
	                                    .param_bytes = program->param_bytes,
	                                    .max_block_threads = kernel_max_threads(&gpu->machine, kernel->function),
	                                    .instructions = program->count};
	return api_succeed(error);
}

bool sluice_kernel_param(const sluice_kernel *kernel, uint32_t i, uint32_t *offset, uint32_t *size)
{
	const struct ptx_variable *param = kernel->function->params;
	while (param && i--)
		param = param->next;
	if (!param)
		return false;
	*offset = (uint32_t)param->offset;
	*size = (uint32_t)param->size;
	return true;
}

enum sluice_status sluice_occupancy(sluice_gpu *gpu, sluice_kernel *kernel, uint32_t block_threads,
                                    uint32_t dynamic_shared_bytes, struct sluice_occupancy *result,
                                    struct sluice_error *error)
{
	static const enum sluice_limit limits[] = {[LIMIT_THREADS] = SLUICE_BY_THREADS,
	                                           [LIMIT_REGISTERS] = SLUICE_BY_REGISTERS,
	                                           [LIMIT_SHARED] = SLUICE_BY_SHARED,
	                                           [LIMIT_BLOCK_SLOTS] = SLUICE_BY_BLOCK_SLOTS};
	enum sluice_status status = prepare_kernel(kernel, error);
	if (status != SLUICE_OK)
		return status;
	if (!block_threads)
		return api_fail(error, SLUICE_BAD_ARGUMENT, "occupancy of a block with no threads");
	uint64_t shared = (uint64_t)kernel->program->shared_bytes + dynamic_shared_bytes;
	status = kernel_for_block(&kernel, block_threads, shared, error);
	if (status != SLUICE_OK)
		return status;
	struct occupancy occupancy = occupancy_of(&gpu->machine, block_threads, kernel_registers(kernel), shared);
	*result = (struct sluice_occupancy){.blocks_per_sm = occupancy.blocks,
	                                    .warps_per_sm = occupancy.warps,
	                                    .occupancy = (double)occupancy.warps / gpu->machine.sm.warps,
	                                    .limit = limits[occupancy.limit],
	                                    .registers = kernel_registers(kernel),
	                                    .spill_bytes = kernel->spills.bytes};
	return api_succeed(error);
}
