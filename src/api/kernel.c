/* Kernels: decoded once, spilled if registers are short, with cached results of analyses. */
#include "api/api.h"
#include "attach/sized.h"

#include "flow/affine.h"
#include "flow/indirect.h"
#include "flow/staging.h"
#include "simt/check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CODE_BYTES = 8 }; /* per instruction */

uint64_t kernel_place_code(sluice_gpu *gpu, uint32_t instructions)
{
	uint64_t align = gpu->machine.code_align, code = (gpu->code_bytes + align - 1) / align * align;
	gpu->code_bytes = code + (uint64_t)instructions * CODE_BYTES;
	return code;
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

/* A compiler that finds undefined behavior may silently remove a kernel's whole body. A kernel without parameters is
 * assumed to be empty on purpose. */
static void warn_if_emptied(const struct ptx_function *function)
{
	if (function->errors || function->param_count == 0 || !does_nothing(function))
		return;
	const struct ptx_inst *inst = function->body_count ? &function->body[0] : NULL;
	const char *file = inst && inst->source_line ? ptx_file_name(function->module, inst->source_file) : NULL;
	fprintf(stderr,
	        "sluice: warning: %s:%" PRIu32 ": kernel '%s' has parameters but only returns; if its source does "
	        "more, the compiler found undefined behavior in it\n",
	        file ? file : function->module->source.name, file ? inst->source_line : function->place.line,
	        function->name);
}

/* Warns that transfers complete at once, because no mechanism models their time (docs/reference/dma.md). Such cycles
 * are no baseline. */
static void warn_if_free(const struct sluice_kernel *kernel, bool has, enum ptx_opcode opcode, const char *what)
{
	const struct sluice_gpu *gpu = kernel->module->gpu;
	if (has && !gpu->functional && !seam_owns_opcode(gpu->gpu->seam, opcode))
		fprintf(stderr, "sluice: warning: kernel '%s' %s\n", kernel->function->name, what);
}

/* Warns that a mechanism turned asynchronous copies into loads and stores. This change
 * affects a comparison with a run without the mechanism. */
static void warn_if_copies_are_split(const struct sluice_kernel *kernel)
{
	const struct sluice_gpu *gpu = kernel->module->gpu;
	const char *mechanism = NULL;
	for (uint32_t i = 0; i < gpu->attachments.count; i++)
		if (gpu->attachments.list[i].mech->splits_copies)
			mechanism = gpu->attachments.list[i].mech->name;
	if (kernel->function->splits_copies && mechanism && gpu->machine.sm.async_copies && !gpu->functional)
		fprintf(stderr,
		        "sluice: warning: kernel '%s': mechanism %s replaces asynchronous copies by loads and stores; "
		        "for a comparable run without it, use -o sm.async_copies=false\n",
		        kernel->function->name, mechanism);
}

/* Reports a kernel that cannot run. Only its own launches fail. */
static enum sluice_status refuse(const sluice_kernel *kernel, struct diag *diag, struct sluice_error *error)
{
	struct diag message = {0};
	char head[160];
	snprintf(head, sizeof head, "kernel '%.100s' cannot run:\n", kernel->function->name);
	diag_append(&message, head, 1);
	diag_append(&message, diag->text, diag->errors);
	diag_free(diag);
	return api_fail_with_diag(error, SLUICE_BAD_PTX, &message);
}

enum sluice_status kernel_prepare(sluice_kernel *kernel, struct sluice_error *error)
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
		return refuse(kernel, &diag, error);
	diag_free(&diag);
	warn_if_free(kernel, kernel->program->has_dma, PTX_OP_DMA_FLAT,
	             "moves data by DMA, which takes no time: no attached mechanism models its engine");
	warn_if_free(kernel, kernel->program->has_bulk, PTX_OP_CP_BULK,
	             "uses bulk copies, which take no time: no attached mechanism models their engine");
	warn_if_copies_are_split(kernel);
	if (kernel->module->gpu->checks)
		simt_check_program(kernel->module->gpu->checks, kernel->program);
	if (kernel->module->gpu->trace_out)
		trace_record_program(kernel->program);
	/* Spills and called functions make a program longer. If it outgrew its space, place it after all others. */
	if (kernel->program->count > kernel->code_room)
		kernel->code = kernel_place_code(kernel->module->gpu, kernel->program->count);
	return SLUICE_OK;
}

const struct affine_kernel *kernel_loads(sluice_kernel *kernel)
{
	if (!kernel->loads)
		kernel->loads = affine_analyze(&kernel->arena, kernel->function);
	return kernel->loads;
}

const struct flow_loads *kernel_all_loads(sluice_kernel *kernel)
{
	if (!kernel->all_loads)
		kernel->all_loads = flow_find_loads(&kernel->arena, kernel->function);
	return kernel->all_loads;
}

const struct flow_staging *kernel_staging(sluice_kernel *kernel)
{
	if (!kernel->staging)
		kernel->staging = flow_staging(&kernel->arena, kernel->function);
	return kernel->staging;
}

const uint32_t *kernel_source_lines(sluice_kernel *kernel)
{
	const struct simt_program *program = kernel->program;
	if (kernel->line)
		return kernel->line;
	kernel->line = arena_array(&kernel->arena, program->count, sizeof *kernel->line);
	for (uint32_t pc = 0; pc < program->count; pc++)
		kernel->line[pc] = program->code[pc].ptx ? program->code[pc].ptx->source_line : 0;
	return kernel->line;
}

static sluice_kernel *find_tighter(sluice_kernel *kernel, uint32_t limit)
{
	sluice_kernel **link = &kernel->tighter;
	while (*link && (*link)->limit != limit)
		link = &(*link)->tighter;
	if (!*link) {
		*link = base_calloc(1, sizeof **link);
		**link = (struct sluice_kernel){
			.function = ptx_find_function(kernel->module->ptx, kernel->function->name),
			.module = kernel->module,
			.limit = limit,
		};
	}
	return *link;
}

enum sluice_status kernel_for_block(sluice_kernel **kernel, uint32_t block_threads, uint64_t shared_bytes,
                                    struct sluice_error *error)
{
	const struct machine *machine = &(*kernel)->module->gpu->machine;
	struct occupancy occupancy = occupancy_of(machine, block_threads, kernel_registers(*kernel), shared_bytes);
	uint32_t limit = occupancy_registers(machine, block_threads, 1);
	if (occupancy.blocks || occupancy.limit != LIMIT_REGISTERS || !limit || kernel_registers_are_set(*kernel))
		return SLUICE_OK;
	*kernel = find_tighter(*kernel, limit);
	return kernel_prepare(*kernel, error);
}

void kernel_close(sluice_kernel *kernel)
{
	for (sluice_kernel *tighter = kernel->tighter, *next; tighter; tighter = next) {
		next = tighter->tighter;
		tighter->tighter = NULL;
		kernel_close(tighter);
		free(tighter);
	}
	if (kernel->program)
		simt_program_free(kernel->program);
	if (kernel->rewritten)
		ptx_free(kernel->rewritten);
	arena_free(&kernel->arena);
}

/* Returns 70 for sm_70 and for sm_70a. */
static uint32_t target_number(const char *name)
{
	return (uint32_t)strtoul(name + strcspn(name, "0123456789"), NULL, 10);
}

enum sluice_status sluice_kernel_info(sluice_gpu *gpu, sluice_kernel *kernel, struct sluice_kernel_info *info,
                                      struct sluice_error *error)
{
	enum sluice_status status = kernel_prepare(kernel, error);
	if (status != SLUICE_OK)
		return status;
	const struct simt_program *program = kernel->program;
	const struct sluice_kernel_info value = {SLUICE_SIZED(kernel_info),
	                                         .name = kernel->function->name,
	                                         .registers = kernel_registers(kernel),
	                                         .spill_bytes = kernel->spills.bytes,
	                                         .spill_loads = kernel->spills.loads,
	                                         .spill_stores = kernel->spills.stores,
	                                         .shared_bytes = program->shared_bytes,
	                                         .local_bytes = program->local_bytes,
	                                         .constant_bytes = (uint32_t)kernel->module->constant_bytes,
	                                         .param_count = kernel->function->param_count,
	                                         .param_bytes = program->param_bytes,
	                                         .max_block_threads =
	                                                 kernel_max_threads(&gpu->machine, kernel->function),
	                                         .instructions = program->count,
	                                         .target = target_number(kernel->module->ptx->target)};
	return sized_write(info, &value, sizeof value) ? api_succeed(error) : sized_refuse("kernel_info", error);
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

bool sluice_kernel_prefer_shared(sluice_kernel *kernel, int percent)
{
	kernel->prefers_shared = percent < 0 ? 0 : (uint32_t)(percent < 100 ? percent : 100) + 1;
	return kernel->module->gpu->machine.sm.unified_bytes;
}

enum sluice_status sluice_occupancy(sluice_gpu *gpu, sluice_kernel *kernel, uint32_t block_threads,
                                    uint32_t dynamic_shared_bytes, struct sluice_occupancy *result,
                                    struct sluice_error *error)
{
	static const enum sluice_limit limits[] = {[LIMIT_THREADS] = SLUICE_BY_THREADS,
	                                           [LIMIT_REGISTERS] = SLUICE_BY_REGISTERS,
	                                           [LIMIT_SHARED] = SLUICE_BY_SHARED,
	                                           [LIMIT_BLOCK_SLOTS] = SLUICE_BY_BLOCK_SLOTS};
	enum sluice_status status = kernel_prepare(kernel, error);
	if (status != SLUICE_OK)
		return status;
	if (!block_threads)
		return api_fail(error, SLUICE_BAD_ARGUMENT, "occupancy of a block with no threads");
	uint64_t shared = (uint64_t)kernel->program->shared_bytes + dynamic_shared_bytes;
	uint32_t prefers_shared = kernel->prefers_shared;
	status = kernel_for_block(&kernel, block_threads, shared, error);
	if (status != SLUICE_OK)
		return status;
	struct occupancy occupancy = occupancy_of(&gpu->machine, block_threads, kernel_registers(kernel), shared);
	if (prefers_shared)
		occupancy_carve(&gpu->gpu->machine, prefers_shared - 1, shared, &occupancy);
	if (block_threads > kernel_max_threads(&gpu->machine, kernel->function)) /* a launch is refused */
		occupancy = (struct occupancy){.limit = LIMIT_THREADS};
	const struct sluice_occupancy value = {SLUICE_SIZED(occupancy),
	                                       .blocks_per_sm = occupancy.blocks,
	                                       .warps_per_sm = occupancy.warps,
	                                       .occupancy = (double)occupancy.warps / gpu->machine.sm.warps,
	                                       .limit = limits[occupancy.limit],
	                                       .registers = kernel_registers(kernel),
	                                       .spill_bytes = kernel->spills.bytes};
	return sized_write(result, &value, sizeof value) ? api_succeed(error) : sized_refuse("occupancy", error);
}
