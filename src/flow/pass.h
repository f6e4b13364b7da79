/* pass: a transformation of a function's PTX before it is decoded, as a row of a table (docs/reference/passes.md).
 * Passes of mechanisms, including those in shared objects, include this file. They call the simulator only through
 * function pointers.
 *
 * A pass inspects results of analyses of the code and records changes, which are applied when it returns. The results
 * and instruction indexes therefore stay valid while it runs.
 */
#ifndef SLUICE_FLOW_PASS_H
#define SLUICE_FLOW_PASS_H

#include "base/table.h"
#include "flow/analyses.h"

struct edit_list; /* an insertion point for instructions */
struct affine_kernel;

enum pass_result {
	PASS_LEFT, /* the code is unchanged */
	PASS_CHANGED,
	PASS_REFUSED, /* pass_refuse() has reported why: the whole pipeline fails */
};

/* The input of a pass: a function with code. */
struct pass_job {
	struct ptx_module *module;
	struct ptx_function *function; /* operands of its instructions may be changed in place */
	const void *config;            /* its options */
	void *counters;                /* its counters, which accumulate over functions */
	const struct pass_tools *tools;
};

/* The functions for which a pass is called. */
enum pass_scope {
	PASS_FUNCTIONS, /* each function; the pass changes only that one */
	PASS_KERNELS,   /* kernels; the pass may also change the functions that they call */
};

struct flow_pass {
	const char *name; /* lower-case letters, digits and - */
	const char *meaning;
	const char *stem; /* prefix of new names: "split" for $split0 */
	enum pass_scope scope;
	unsigned requires; /* analyses that the pass uses: a set of enum flow_analysis */
	unsigned keeps;    /* analyses whose results stay valid after a change; all others are invalidated */

	/* Options: fields of a struct of config_size bytes that begins as a copy of *defaults. */
	const struct base_option *options;
	size_t option_count, config_size;
	const void *defaults;
	/* Counters: uint64_t fields of a struct of counters_size bytes. */
	const struct base_counter *counters;
	size_t counter_count, counters_size;

	enum pass_result (*run)(struct pass_job *job);
};

/* The implementations of the functions below. */
struct pass_tools {
	const void *(*analysis)(struct pass_job *job, enum flow_analysis analysis);
	uint32_t (*reads)(const struct ptx_inst *inst, uint32_t *ids);
	uint32_t (*writes)(const struct ptx_inst *inst, uint32_t *ids);
	uint32_t (*reaching)(const struct flow_definitions *definitions, const struct flow_cfg *cfg, uint32_t at, uint32_t reg,
	                     uint32_t *inst, uint32_t room);
	struct edit_list *(*before)(struct pass_job *job, uint32_t at);
	struct edit_list *(*fall)(struct pass_job *job, uint32_t at);
	struct edit_list *(*taken)(struct pass_job *job, uint32_t at);
	struct edit_list *(*block_begin)(struct pass_job *job, uint32_t block);
	struct edit_list *(*block_end)(struct pass_job *job, uint32_t block);
	struct edit_list *(*split)(struct pass_job *job, uint32_t from, uint32_t to);
	struct edit_list *(*on_edge)(struct pass_job *job, uint32_t from, uint32_t to);
	struct ptx_inst *(*add)(struct pass_job *job, struct edit_list *list, const struct ptx_inst *inst);
	bool (*add_text)(struct pass_job *job, struct edit_list *list, const char *text);
	void (*remove)(struct pass_job *job, uint32_t at);
	struct ptx_reg (*fresh_register)(struct pass_job *job, enum ptx_type type);
	struct ptx_variable *(*variable)(struct pass_job *job, enum ptx_space space, uint32_t bytes, uint32_t align);
	void *(*alloc)(struct pass_job *job, size_t bytes);
	enum pass_result (*refuse)(struct pass_job *job, const struct ptx_inst *inst, const char *text);
};

/* --- analyses, which the pass must list in `requires` --- */

static inline const struct flow_cfg *pass_cfg(struct pass_job *job)
{
	return (const struct flow_cfg *)job->tools->analysis(job, ANALYSIS_CFG);
}

static inline const uint32_t *pass_dominators(struct pass_job *job)
{
	return (const uint32_t *)job->tools->analysis(job, ANALYSIS_DOMINATORS);
}

static inline const uint32_t *pass_post_dominators(struct pass_job *job)
{
	return (const uint32_t *)job->tools->analysis(job, ANALYSIS_POST_DOMINATORS);
}

static inline const struct analysis_loops *pass_loops(struct pass_job *job)
{
	return (const struct analysis_loops *)job->tools->analysis(job, ANALYSIS_LOOPS);
}

static inline const struct flow_liveness *pass_liveness(struct pass_job *job)
{
	return (const struct flow_liveness *)job->tools->analysis(job, ANALYSIS_LIVENESS);
}

static inline const struct flow_definitions *pass_definitions(struct pass_job *job)
{
	return (const struct flow_definitions *)job->tools->analysis(job, ANALYSIS_DEFINITIONS);
}

static inline const struct affine_kernel *pass_affine(struct pass_job *job)
{
	return (const struct affine_kernel *)job->tools->analysis(job, ANALYSIS_AFFINE);
}

/* Store the registers that an instruction reads, including its guard, and those that it writes. `ids` has space for
 * PTX_MAX_IDS. They return the number of registers. */
static inline uint32_t pass_reads(const struct pass_job *job, const struct ptx_inst *inst, uint32_t *ids)
{
	return job->tools->reads(inst, ids);
}

static inline uint32_t pass_writes(const struct pass_job *job, const struct ptx_inst *inst, uint32_t *ids)
{
	return job->tools->writes(inst, ids);
}

/* Finds the instructions whose values a register may hold before an instruction. Requires reaching definitions and
 * control flow. Stores the first `room` of them and returns their total number. */
static inline uint32_t pass_reaching(struct pass_job *job, uint32_t at, uint32_t reg, uint32_t *inst, uint32_t room)
{
	return job->tools->reaching(pass_definitions(job), pass_cfg(job), at, reg, inst, room);
}

/* --- insertion points --- */

/* Return the point before an instruction, on every way to it, and the point after it, on fall-through only and not
 * on its branch. */
static inline struct edit_list *pass_before(struct pass_job *job, uint32_t at)
{
	return job->tools->before(job, at);
}

static inline struct edit_list *pass_after(struct pass_job *job, uint32_t at)
{
	return job->tools->fall(job, at + 1);
}

/* Returns the point before all instructions. It executes once, even if a branch leads back to the first instruction. */
static inline struct edit_list *pass_entry(struct pass_job *job)
{
	return job->tools->fall(job, 0);
}

/* Returns the point that executes when a branch, an exit or a return leaves. */
static inline struct edit_list *pass_taken(struct pass_job *job, uint32_t at)
{
	return job->tools->taken(job, at);
}

/* Return the points where a block begins, and where it ends, before its branch. The virtual exit has neither. */
static inline struct edit_list *pass_block_begin(struct pass_job *job, uint32_t block)
{
	return job->tools->block_begin(job, block);
}

static inline struct edit_list *pass_block_end(struct pass_job *job, uint32_t block)
{
	return job->tools->block_end(job, block);
}

/* Turns an edge into a separate block. This costs a branch if the edge belongs to a branch or nothing is inserted. */
static inline struct edit_list *pass_split(struct pass_job *job, uint32_t from, uint32_t to)
{
	return job->tools->split(job, from, to);
}

/* Returns a point that executes exactly when an edge is taken. Splits the edge only if necessary. */
static inline struct edit_list *pass_on_edge(struct pass_job *job, uint32_t from, uint32_t to)
{
	return job->tools->on_edge(job, from, to);
}

/* --- changes --- */

/* Appends a copy of an instruction to the list. It takes the source line of the adjacent instruction. */
static inline struct ptx_inst *pass_add(struct pass_job *job, struct edit_list *list, const struct ptx_inst *inst)
{
	return job->tools->add(job, list, inst);
}

/* Appends instructions as PTX text: "add.s32 %r1, %r1, 1;". They may use the function's registers, variables and
 * labels. Returns false, after an error message, when the text is invalid: the pass then returns PASS_REFUSED. Each
 * call reads all names of the function, so pass_add() is faster for many instructions. */
static inline bool pass_add_text(struct pass_job *job, struct edit_list *list, const char *text)
{
	return job->tools->add_text(job, list, text);
}

/* Removes an instruction: branches to it lead to the next one. */
static inline void pass_remove(struct pass_job *job, uint32_t at)
{
	job->tools->remove(job, at);
}

/* Creates a register. The function's table of registers may move. */
static inline struct ptx_reg pass_register(struct pass_job *job, enum ptx_type type)
{
	return job->tools->fresh_register(job, type);
}

/* Creates an array of bytes in .local or .shared memory. */
static inline struct ptx_variable *pass_variable(struct pass_job *job, enum ptx_space space, uint32_t bytes,
                                                 uint32_t align)
{
	return job->tools->variable(job, space, bytes, align);
}

/* Allocates zeroed memory that lives until the pass returns. */
static inline void *pass_alloc(struct pass_job *job, size_t bytes)
{
	return job->tools->alloc(job, bytes);
}

/* Reports an error at the instruction or, if NULL, at the function. Use it as `return pass_refuse(...)`. */
static inline enum pass_result pass_refuse(struct pass_job *job, const struct ptx_inst *inst, const char *text)
{
	return job->tools->refuse(job, inst, text);
}

#endif
