/* analyze: produces the table of each kernel's indexes from a file. */
#include "cuda_source/private.h"

#include <stdlib.h>

struct whole {
	struct source_module module; /* first member: the caller holds a pointer to it */
	struct arena arena;
	char *text;
};

static void analyze_kernel(struct arena *arena, const struct function *function, struct source_kernel *kernel)
{
	struct frame frame = {.function = function};
	struct walk walk = {.arena = arena, .now.alive = true, .frame = &frame};
	/* phase 1: the pointer parameters, in order */
	for (uint32_t i = 0; i < function->parameter_count; i++)
		walk_slot(&walk, function->parameters[i], "", &function->parameters[i]->type);
	walk_statement(&walk, function->body);
	walk_finish(&walk, function, kernel);
	/* functions that several kernels call are used by the next kernel now */
	for (uint32_t i = 0; i < walk.slots; i++)
		walk.owners[i].decl->slots = NULL;
	free(walk.symbols);
	free(walk.bounds);
	free(walk.arrays);
	free(walk.reads);
	free(walk.initial);
	free(walk.owners);
}

struct source_module *source_analyze(const char *file, const struct source_options *options, struct diag *diag)
{
	struct whole *whole = base_calloc(1, sizeof *whole);
	struct tree tree = {.arena = &whole->arena};
	size_t length;
	whole->text = source_preprocess(file, options, &length, diag);
	if (!whole->text || !source_parse(&tree, file, whole->text, length, diag)) {
		source_free(&whole->module);
		return NULL;
	}
	struct source_kernel *kernels = arena_array(&whole->arena, tree.kernel_count + 1, sizeof *kernels);
	for (uint32_t i = 0; i < tree.kernel_count; i++)
		analyze_kernel(&whole->arena, tree.kernels[i], &kernels[i]);
	whole->module = (struct source_module){file, kernels, tree.kernel_count};
	return &whole->module;
}

void source_free(struct source_module *module)
{
	struct whole *whole = (struct whole *)module;
	if (!whole)
		return;
	arena_free(&whole->arena);
	free(whole->text);
	free(whole);
}

bool source_precalculable(enum source_status status)
{
	return status == SOURCE_STATIC || status == SOURCE_QUASI_STATIC;
}

const char *source_status_name(enum source_status status)
{
	static const char *const names[SOURCE_STATUSES] = {
		[SOURCE_STATIC] = "static",     [SOURCE_QUASI_STATIC] = "quasi-static",
		[SOURCE_OPERATOR] = "operator", [SOURCE_INDIRECT] = "indirect",
		[SOURCE_CONTROL] = "control",   [SOURCE_INDUCTION] = "induction",
	};
	return names[status];
}

void source_count(const struct source_kernel *kernel, struct source_counts *counts)
{
	counts->kernels++;
	counts->arrays += kernel->array_count;
	counts->indexes += kernel->index_count;
	for (uint32_t i = 0; i < kernel->index_count; i++) {
		counts->strict[kernel->indexes[i].status]++;
		counts->relaxed[kernel->indexes[i].relaxed]++;
	}
}
