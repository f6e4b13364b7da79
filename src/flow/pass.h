/* pass: a change of a function's PTX before it is decoded, as a row of a table (docs/tutorials/your-pass.md). A mechanism's passes include
 * this file, a shared object's too: what they may call lies behind pointers.
 *
 * A pass looks at the facts of the code and records changes; they are made when it returns. So facts and indexes of instructions
 * stay true while it runs.
 */
#ifndef SLUICE_FLOW_PASS_H
#define SLUICE_FLOW_PASS_H

#include "base/table.h"
#include "flow/facts.h"

struct edit_list; /* a place for instructions */
struct affine_kernel;

enum pass_result {
	PASS_LEFT, /* as it was */
	PASS_CHANGED,
	PASS_REFUSED, /* pass_refuse() has said why: the whole run of passes has failed */
};

/* What a pass is given: a function with code. */
struct pass_job {
	struct ptx_module *module;
	struct ptx_function *function; /* operands of its instructions may be changed where they stand */
	const void *config;            /* its options */
	void *counters;                /* its counters: they add up over functions */
	const struct pass_tools *tools;
};

/* Which functions a pass is called for. */
enum pass_scope {
	PASS_FUNCTIONS, /* each, and it changes that one alone */
	PASS_KERNELS,   /* kernels, and it may change what they call too */
};

struct pass {
	const char *name; /* small letters, digits and - */
	const char *meaning;
	const char *stem; /* of the names that it makes: "split" for $split0 */
	enum pass_scope scope;
	unsigned requires; /* the facts that it asks for: sets of enum fact */
	unsigned keeps;    /* those that still hold when it has changed something; it breaks all others */

	/* Options: fields of a struct of config_size bytes that begins as a copy of *defaults. */
	const struct option *options;
	size_t option_count, config_size;
	const void *defaults;
	/* Counters: uint64_t fields of a struct of counters_size bytes. */
	const struct counter *counters;
	size_t counter_count, counters_size;

	enum pass_result (*run)(struct pass_job *job);
};

/* What stands behind the functions below. */
struct pass_tools {
	const void *(*fact)(struct pass_job *job, enum fact fact);
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

/* --- facts, which the pass requires --- */

static inline const struct flow_cfg *pass_cfg(struct pass_job *job)
{
	return (const struct flow_cfg *)job->tools->fact(job, FACT_CFG);
}

static inline const uint32_t *pass_dominators(struct pass_job *job)
{
	return (const uint32_t *)job->tools->fact(job, FACT_DOMINATORS);
}

static inline const uint32_t *pass_post_dominators(struct pass_job *job)
{
	return (const uint32_t *)job->tools->fact(job, FACT_POST_DOMINATORS);
}

static inline const struct fact_loops *pass_loops(struct pass_job *job)
{
	return (const struct fact_loops *)job->tools->fact(job, FACT_LOOPS);
}

static inline const struct flow_liveness *pass_liveness(struct pass_job *job)
{
	return (const struct flow_liveness *)job->tools->fact(job, FACT_LIVENESS);
}

static inline const struct flow_definitions *pass_definitions(struct pass_job *job)
{
	return (const struct flow_definitions *)job->tools->fact(job, FACT_DEFINITIONS);
}

static inline const struct affine_kernel *pass_affine(struct pass_job *job)
{
	return (const struct affine_kernel *)job->tools->fact(job, FACT_AFFINE);
}

/* The registers that an instruction reads, its guard too, and writes; `ids` has room for PTX_MAX_IDS. How many. */
static inline uint32_t pass_reads(const struct pass_job *job, const struct ptx_inst *inst, uint32_t *ids)
{
	return job->tools->reads(inst, ids);
}

static inline uint32_t pass_writes(const struct pass_job *job, const struct ptx_inst *inst, uint32_t *ids)
{
	return job->tools->writes(inst, ids);
}

/* The instructions whose values a register may have in front of an instruction, of reaching definitions and control flow: stores
 * the first `room`, returns how many there are. */
static inline uint32_t pass_reaching(struct pass_job *job, uint32_t at, uint32_t reg, uint32_t *inst, uint32_t room)
{
	return job->tools->reaching(pass_definitions(job), pass_cfg(job), at, reg, inst, room);
}

/* --- places --- */

/* In front of an instruction, for all that comes to it; behind it, for what goes on from there and does not leave by a branch. */
static inline struct edit_list *pass_before(struct pass_job *job, uint32_t at)
{
	return job->tools->before(job, at);
}

static inline struct edit_list *pass_after(struct pass_job *job, uint32_t at)
{
	return job->tools->fall(job, at + 1);
}

/* In front of all instructions, once, though a branch lead back to the first. */
static inline struct edit_list *pass_entry(struct pass_job *job)
{
	return job->tools->fall(job, 0);
}

/* On the way on which a branch, an exit or a return leaves. */
static inline struct edit_list *pass_taken(struct pass_job *job, uint32_t at)
{
	return job->tools->taken(job, at);
}

/* Where a block begins; where it ends, in front of its branch. Not of the virtual exit. */
static inline struct edit_list *pass_block_begin(struct pass_job *job, uint32_t block)
{
	return job->tools->block_begin(job, block);
}

static inline struct edit_list *pass_block_end(struct pass_job *job, uint32_t block)
{
	return job->tools->block_end(job, block);
}

/* An edge becomes a block of its own, at the price of a branch where it is one of a branch or nothing is put there. */
static inline struct edit_list *pass_split(struct pass_job *job, uint32_t from, uint32_t to)
{
	return job->tools->split(job, from, to);
}

/* What is executed when an edge is taken and at no other time: splits it only if it must. */
static inline struct edit_list *pass_on_edge(struct pass_job *job, uint32_t from, uint32_t to)
{
	return job->tools->on_edge(job, from, to);
}

/* --- changes --- */

/* A copy of an instruction goes behind what is in the list; it has the line of source of the instruction beside it. */
static inline struct ptx_inst *pass_add(struct pass_job *job, struct edit_list *list, const struct ptx_inst *inst)
{
	return job->tools->add(job, list, inst);
}

/* Instructions as PTX has them: "add.s32 %r1, %r1, 1;". Registers, variables and labels are the function's. False when they are
 * none, which has been said: the pass then returns PASS_REFUSED. Each call reads all names of the function: where many
 * instructions are to be added, pass_add() is quicker. */
static inline bool pass_add_text(struct pass_job *job, struct edit_list *list, const char *text)
{
	return job->tools->add_text(job, list, text);
}

/* What led to the instruction leads to what follows it. */
static inline void pass_remove(struct pass_job *job, uint32_t at)
{
	job->tools->remove(job, at);
}

/* A register of its own. The function's table of registers may have moved then. */
static inline struct ptx_reg pass_register(struct pass_job *job, enum ptx_type type)
{
	return job->tools->fresh_register(job, type);
}

/* An array of bytes of its own, in .local or .shared memory. */
static inline struct ptx_variable *pass_variable(struct pass_job *job, enum ptx_space space, uint32_t bytes,
                                                 uint32_t align)
{
	return job->tools->variable(job, space, bytes, align);
}

/* Zeroed memory that lives until the pass returns. */
static inline void *pass_alloc(struct pass_job *job, size_t bytes)
{
	return job->tools->alloc(job, bytes);
}

/* Says, at the instruction or (NULL) at the function, why it cannot be; for `return pass_refuse(...)`. */
static inline enum pass_result pass_refuse(struct pass_job *job, const struct ptx_inst *inst, const char *text)
{
	return job->tools->refuse(job, inst, text);
}

#endif
