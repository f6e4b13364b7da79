#include "cli/figure/source.h"

#include "cli/kernel_ptx.h"
#include "cli/source_file.h"
#include "lab/static_counters.h"

#include <stdio.h>
#include <string.h>

static const struct program *known_program(const struct program_request *request, const char *name)
{
	size_t i = 0;
	while (strcmp(request->known.list[i].name, name) != 0)
		i++;
	return &request->known.list[i];
}

bool figure_find(struct program_request *request, const char *const where[2], const char *name, const char *variant,
                 struct plan_program *found)
{
	const char *command = request->name;
	request->name = where[0];
	const struct program *program = program_request_find(request, name);
	request->name = command;
	if (!program)
		return false;
	if (variant && !words_have(&program->variants, variant)) {
		cli_error(where[1], "%s has no variant '%s'", program->name, variant);
		return false;
	}
	*found = (struct plan_program){.name = program->name,
	                               .variant = variant ? variant : program_request_variant(request, program, name),
	                               .binary = program_request_binary(request, program)};
	return true;
}

bool figure_find_of_row(struct program_request *request, const struct experiment *experiment,
                        const struct experiment_row *row, const char *variant, struct plan_program *found)
{
	struct arena *arena = &request->arena;
	const char *const where[] = {experiment_where(arena, experiment, experiment_program_place(experiment, row)),
	                             experiment_where(arena, experiment, experiment_variant_place(experiment, row))};
	return figure_find(request, where, row->program, variant, found);
}

const char *figure_compile(void *context, const char *name)
{
	struct program_request *request = context;
	const struct program *program = program_request_find(request, name);
	return program ? programs_compiled(request, program) : NULL;
}

const char *figure_source_path(struct program_request *request, const char *name)
{
	char room[PATH_MAX], path[2 * PATH_MAX];
	int length = snprintf(path, sizeof path, "%s/%s/%s.cu", programs_folder(room), name, name);
	return arena_string(&request->arena, path, (size_t)length);
}

struct source_module *figure_analyze(struct program_request *request, const char *path)
{
	struct cli_source file;
	struct diag diag = {0};
	struct source_module *module = NULL;
	if (cli_source_open(&file, request->name, path, NULL)) {
		module = source_analyze(path, &file.options, &diag);
		cli_source_close(&file);
	}
	if (diag.text)
		fputs(diag.text, stderr);
	diag_free(&diag);
	return module;
}

bool figure_kernel_runs(const struct program_request *request, const struct plan_program *program, const char *kernel,
                        bool *runs)
{
	const struct program *known = known_program(request, program->name);
	for (size_t i = 0; i < known->kernel_count; i++) {
		const struct words *variants = &known->kernels[i].variants;
		if (strcmp(known->kernels[i].name, kernel) != 0)
			continue;
		*runs = !variants->count || words_have(variants, program->variant);
		return true;
	}
	cli_error(request->name, "%s: program.yaml does not say in which variants the kernel '%s' runs", program->name,
	          kernel);
	return false;
}

static bool take_mix(const struct program_request *request, const struct ptx_module *module, const char *kernel,
                     struct static_counters *facts)
{
	const struct ptx_function *function = cli_find_kernel(module, kernel);
	struct ptx_mix mix;
	if (!function) {
		cli_error(request->name, "%s: the PTX has no kernel '%s'", module->source.name, kernel);
		return false;
	}
	ptx_mix_count(function, &mix);
	for (int kind = 0; kind < PTX_MIX_KIND_COUNT; kind++)
		facts->mix[kind] = mix.kind[kind];
	facts->instructions = mix.instructions;
	return true;
}

static bool take_source(const struct source_kernel *kernel, struct static_counters *facts)
{
	struct source_counts counts = {0};
	struct diag diag = {0};
	uint32_t lines = 0;
	source_count(kernel, &counts);
	bool fine = source_effort(kernel, &lines, &diag);
	if (diag.text)
		fputs(diag.text, stderr);
	diag_free(&diag);
	facts->arrays = counts.arrays;
	facts->indexes = counts.indexes;
	facts->lines = lines;
	for (int i = 0; i < SOURCE_STATUSES; i++) {
		facts->strict[i] = counts.strict[i];
		facts->relaxed[i] = counts.relaxed[i];
	}
	return fine;
}

/* Returns the facts of the variant's kernels; NULL after a message. `ptx` may be NULL. */
static json_t *collect(const struct program_request *request, const struct plan_program *program,
                       const struct source_module *module, const struct ptx_module *ptx)
{
	json_t *kernels = json_array();
	bool fine = true;
	for (uint32_t i = 0; i < module->kernel_count; i++) {
		const struct source_kernel *kernel = &module->kernels[i];
		struct static_counters facts = {0};
		bool runs = false;
		fine = figure_kernel_runs(request, program, kernel->name, &runs) && fine;
		if (!runs)
			continue;
		fine = take_source(kernel, &facts) && (!ptx || take_mix(request, ptx, kernel->name, &facts)) && fine;
		json_array_append_new(kernels, static_counters_kernel(kernel->name, &facts, ptx));
	}
	if (fine)
		return json_pack("{s:o}", "kernels", kernels);
	json_decref(kernels);
	return NULL;
}

json_t *figure_examine(void *context, const struct plan_program *program, bool ptx)
{
	struct program_request *request = context;
	const char *path = figure_source_path(request, program->name);
	struct source_module *module = figure_analyze(request, path);
	struct ptx_module *compiled = NULL;
	if (module && ptx)
		cli_read_ptx(request->name, path, NULL, &compiled);
	json_t *stats = NULL;
	if (module && (compiled || !ptx))
		stats = collect(request, program, module, compiled);
	if (compiled)
		ptx_free(compiled);
	source_free(module);
	return stats;
}
