/* Modules: loads PTX, places its variables, lists its kernels. */
#include "api/api.h"

#include "base/c_locale.h"
#include "base/arena.h"
#include "sluice_runtime.h"

#include <stdlib.h>
#include <string.h>

static bool lives_in_memory(const struct ptx_variable *variable)
{
	return (variable->space == PTX_GLOBAL || variable->space == PTX_CONST) && variable->size;
}

/* A texture, surface or sampler has no memory. Its handle serves as its address. */
static bool is_texture(const struct ptx_variable *variable)
{
	return variable->type >= PTX_TEXREF || variable->space == PTX_TEX;
}

/* Returns the host memory that backs a variable; NULL: none does. */
static void *host_of(const struct sluice_host_variable *list, const struct ptx_variable *variable)
{
	for (; list && list->name; list++)
		if (variable->space == PTX_GLOBAL && strcmp(list->name, variable->name) == 0)
			return list->host;
	return NULL;
}

static void *host_address(const struct simt_memory *memory, const struct ptx_variable *variable)
{
	return simt_host(memory, simt_address(memory, variable->address));
}

static bool place_variables(sluice_module *module, struct ptx_variable *first,
                            const struct sluice_host_variable *on_host)
{
	struct simt_memory *memory = module->gpu->gpu->memory;
	for (struct ptx_variable *v = first; v; v = v->next) {
		if (is_texture(v) && !v->is_extern)
			v->address = textures_add(&module->gpu->textures);
		if (is_texture(v) || !lives_in_memory(v))
			continue;
		void *host = host_of(on_host, v);
		v->address = host ? simt_map_host(memory, host, v->size) : simt_alloc_static(memory, v->size, v->align);
		if (!v->address)
			return false;
		if (v->space == PTX_CONST)
			module->constant_bytes += v->size;
		if (v->initial)
			memcpy(host_address(memory, v), v->initial, v->size);
		else
			memset(host_address(memory, v), 0, v->size);
	}
	return true;
}

/* Resolves pointers in initial values, once all variables have addresses. */
static void relocate(const sluice_module *module, const struct ptx_variable *first)
{
	for (const struct ptx_variable *v = first; v; v = v->next)
		for (uint32_t i = 0; v->address && i < v->relocation_count; i++) {
			const struct ptx_relocation *relocation = &v->relocations[i];
			uint64_t target = relocation->symbol ? relocation->symbol->address : 0;
			if (relocation->function)
				target = simt_function_address(relocation->function);
			uint64_t value = target + (uint64_t)relocation->addend;
			memcpy((char *)host_address(module->gpu->gpu->memory, v) + relocation->offset, &value,
			       relocation->size);
		}
}

static void free_variables(const sluice_module *module, const struct ptx_variable *first)
{
	struct simt_memory *memory = module->gpu->gpu->memory;
	for (const struct ptx_variable *v = first; v; v = v->next)
		if (v->address && is_texture(v))
			textures_remove(&module->gpu->textures, v->address);
		else if (v->address && !simt_unmap_host(memory, host_address(memory, v)))
			simt_free(memory, v->address);
}

static bool place_all(sluice_module *module, const struct sluice_host_variable *on_host)
{
	if (!place_variables(module, module->ptx->variables, on_host))
		return false;
	for (struct ptx_function *f = module->ptx->functions; f; f = f->next)
		if (!place_variables(module, f->locals, on_host))
			return false;
	relocate(module, module->ptx->variables);
	for (struct ptx_function *f = module->ptx->functions; f; f = f->next)
		relocate(module, f->locals);
	return true;
}

static void list_kernels(sluice_module *module)
{
	for (struct ptx_function *f = module->ptx->functions; f; f = f->next)
		module->kernels += f->is_entry && f->has_body;
	module->kernel = base_calloc(module->kernels + 1, sizeof *module->kernel);
	size_t k = 0;
	for (struct ptx_function *f = module->ptx->functions; f; f = f->next) {
		uint64_t code = kernel_place_code(module->gpu, f->body_count);
		if (f->is_entry && f->has_body)
			module->kernel[k++] = (struct sluice_kernel){
				.function = f, .module = module, .code = code, .code_room = f->body_count};
	}
}

enum sluice_status sluice_load(sluice_gpu *gpu, const char *ptx, size_t length, const char *name,
                               sluice_module **loaded, struct sluice_error *error)
{
	return sluice_load_with(gpu, ptx, length, name, NULL, loaded, error);
}

enum sluice_status sluice_load_with(sluice_gpu *gpu, const char *ptx, size_t length, const char *name,
                                    const struct sluice_host_variable *variables, sluice_module **loaded,
                                    struct sluice_error *error)
{
	IN_C_LOCALE;
	struct diag diag = {0};
	*loaded = NULL;
	struct ptx_module *parsed = passes_parse(&gpu->passes, name, ptx, length, &diag);
	if (!parsed)
		return api_fail_with_diag(error, SLUICE_BAD_PTX, &diag);
	diag_free(&diag);
	sluice_module *module = base_calloc(1, sizeof *module);
	module->gpu = gpu;
	module->ptx = parsed;
	if (gpu->journal)
		digest_add(&module->code, ptx, length);
	module->next = gpu->modules;
	gpu->modules = module;
	if (!place_all(module, variables)) {
		sluice_unload(gpu, module);
		return api_fail(error, SLUICE_NO_MEMORY, "%s: no space for the module's variables", name);
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
	sluice_order_all(gpu); /* findings name its lines */
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

const char *sluice_kernel_name(const sluice_module *module, size_t number)
{
	return number < module->kernels ? module->kernel[number].function->name : NULL;
}

bool sluice_find_variable(sluice_module *module, const char *name, uint64_t *address, uint64_t *size)
{
	const struct ptx_variable *variable = ptx_find_variable(module->ptx, name);
	if (!variable || !variable->address || is_texture(variable))
		return false;
	if (address)
		*address = variable->address;
	if (size)
		*size = variable->size;
	return true;
}

bool sluice_find_texture(sluice_module *module, const char *name, uint64_t *handle)
{
	const struct ptx_variable *variable = ptx_find_variable(module->ptx, name);
	if (!variable || !variable->address || !is_texture(variable))
		return false;
	*handle = variable->address;
	return true;
}
