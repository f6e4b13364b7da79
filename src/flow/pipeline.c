/* pipeline: the driver of passes. It invalidates facts as each pass declares. */
#include "flow/pipeline.h"

#include "base/arena.h"
#include "flow/edit.h"

#include <assert.h>
#include <stdlib.h>

/* A job with the state of its tools. */
struct job {
	struct pass_job seen;
	const struct flow_pass *pass;
	struct flow_analyses *analyses;
	struct edit edit;
	struct arena arena;
	struct diag *diag;
};

static const void *tool_analysis(struct pass_job *job, enum flow_analysis analysis)
{
	const struct job *own = (const struct job *)job;
	assert(own->pass->requires & 1u << analysis);
	return analyses_get(own->analyses, analysis);
}

static struct edit *edit_of(struct pass_job *job)
{
	return &((struct job *)job)->edit;
}

static const struct flow_cfg *cfg_of(struct pass_job *job)
{
	return tool_analysis(job, ANALYSIS_CFG);
}

static struct edit_list *tool_before(struct pass_job *job, uint32_t at)
{
	return edit_before(edit_of(job), at);
}

static struct edit_list *tool_fall(struct pass_job *job, uint32_t at)
{
	return edit_fall(edit_of(job), at);
}

static struct edit_list *tool_taken(struct pass_job *job, uint32_t at)
{
	return edit_taken(edit_of(job), at);
}

static struct edit_list *tool_block_begin(struct pass_job *job, uint32_t block)
{
	return edit_block_begin(edit_of(job), cfg_of(job), block);
}

static struct edit_list *tool_block_end(struct pass_job *job, uint32_t block)
{
	return edit_block_end(edit_of(job), cfg_of(job), block);
}

static struct edit_list *tool_split(struct pass_job *job, uint32_t from, uint32_t to)
{
	return edit_split(edit_of(job), cfg_of(job), from, to);
}

static struct edit_list *tool_on_edge(struct pass_job *job, uint32_t from, uint32_t to)
{
	return edit_on_edge(edit_of(job), cfg_of(job), from, to);
}

static struct ptx_inst *tool_add(struct pass_job *job, struct edit_list *list, const struct ptx_inst *inst)
{
	return edit_add(edit_of(job), list, inst);
}

static bool tool_add_text(struct pass_job *job, struct edit_list *list, const char *text)
{
	return edit_add_text(edit_of(job), list, text, ((struct job *)job)->diag);
}

static void tool_remove(struct pass_job *job, uint32_t at)
{
	edit_remove(edit_of(job), at);
}

static struct ptx_reg tool_register(struct pass_job *job, enum ptx_type type)
{
	return edit_register(edit_of(job), type);
}

static struct ptx_variable *tool_variable(struct pass_job *job, enum ptx_space space, uint32_t bytes, uint32_t align)
{
	return edit_variable(edit_of(job), space, bytes, align);
}

static void *tool_alloc(struct pass_job *job, size_t bytes)
{
	return arena_alloc(&((struct job *)job)->arena, bytes);
}

static enum pass_result tool_refuse(struct pass_job *job, const struct ptx_inst *inst, const char *text)
{
	const struct job *own = (const struct job *)job;
	const struct diag_place place = inst ? inst->place : job->function->place;
	diag_error(own->diag, &job->module->source, place, "pass %s: %s", own->pass->name, text);
	return PASS_REFUSED;
}

static const struct pass_tools tools = {
	.analysis = tool_analysis,
	.reads = ptx_inst_reads,
	.writes = ptx_inst_writes,
	.reaching = flow_reaching,
	.before = tool_before,
	.fall = tool_fall,
	.taken = tool_taken,
	.block_begin = tool_block_begin,
	.block_end = tool_block_end,
	.split = tool_split,
	.on_edge = tool_on_edge,
	.add = tool_add,
	.add_text = tool_add_text,
	.remove = tool_remove,
	.fresh_register = tool_register,
	.variable = tool_variable,
	.alloc = tool_alloc,
	.refuse = tool_refuse,
};

static enum pass_result run_on(const struct pipeline_step *step, struct ptx_module *module,
                               struct ptx_function *function, struct flow_analyses *analyses, struct diag *diag)
{
	struct job job = {.seen = {.module = module,
	                           .function = function,
	                           .config = step->config,
	                           .counters = step->counters,
	                           .tools = &tools},
	                  .pass = step->pass,
	                  .analyses = analyses,
	                  .diag = diag};
	edit_open(&job.edit, module, function, step->pass->stem);
	for (uint32_t analysis = 0; analysis < ANALYSES_COUNT; analysis++)
		if (step->pass->requires & 1u << analysis)
			analyses_get(analyses, analysis);
	enum pass_result result = step->pass->run(&job.seen);
	if (result != PASS_REFUSED && edit_apply(&job.edit))
		result = PASS_CHANGED;
	edit_close(&job.edit);
	arena_free(&job.arena);
	return result;
}

/* Drops the facts that a pass has invalidated: of one function, or of all if it may have changed others. */
static void drop_broken(const struct flow_pass *pass, struct flow_analyses *changed, struct flow_analyses *all,
                        uint32_t functions)
{
	if (pass->scope == PASS_FUNCTIONS) {
		analyses_drop(changed, ANALYSES_ALL & ~pass->keeps);
		assert(analyses_hold(changed)); /* the pass really preserves the facts in `keeps` */
		return;
	}
	for (uint32_t i = 0; i < functions; i++)
		analyses_drop(&all[i], ANALYSES_ALL);
}

static bool run_step(const struct pipeline_step *step, struct ptx_module *module, struct flow_analyses *analyses,
                     struct diag *diag)
{
	const struct flow_pass *pass = step->pass;
	for (struct ptx_function *function = module->functions; function; function = function->next) {
		if (!function->has_body || (pass->scope == PASS_KERNELS && !function->is_entry))
			continue;
		struct flow_analyses *own = &analyses[function->index];
		own->function = function;
		enum pass_result result = run_on(step, module, function, own, diag);
		if (result == PASS_REFUSED)
			return false;
		if (result == PASS_CHANGED)
			drop_broken(pass, own, analyses, module->function_count);
	}
	return true;
}

bool pipeline_run(struct pipeline *pipeline, struct ptx_module *module, struct diag *diag)
{
	struct flow_analyses *analyses = base_calloc((size_t)module->function_count + 1, sizeof *analyses);
	bool fine = true;
	for (uint32_t i = 0; fine && i < pipeline->count; i++) {
		fine = run_step(&pipeline->step[i], module, analyses, diag);
		if (fine && pipeline->after)
			pipeline->after(pipeline->user, pipeline->step[i].pass, module);
	}
	for (uint32_t i = 0; i < module->function_count; i++)
		analyses_drop(&analyses[i], ANALYSES_ALL);
	free(analyses);
	return fine;
}
