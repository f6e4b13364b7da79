/* scratchpad-layout: selects the variables below the boundary (section 6.1).
 *
 * If few variables can be moved, all sets that fit below the boundary are tried. Otherwise, variables are added one
 * by one, each time the one that leaves the rest in use for the fewest instructions. */
#include "mech/sharing/accesses.h"
#include "mech/sharing/passes.h"
#include "mech/sharing/ranges.h"

enum { MOST_TRIED = 16 };

struct config {
	double t;
	uint32_t dynamic, loops;
};

static const struct config defaults = {.t = 0.1, .dynamic = 0, .loops = 1};

static const struct base_option options[] = {
	{"t", BASE_OPTION_F64, offsetof(struct config, t), 0, 1, NULL, "",
         "private fraction of a block's shared memory"},
	{"dynamic", BASE_OPTION_U32, offsetof(struct config, dynamic), 0, 1 << 30, NULL, "bytes",
         "of dynamic shared memory in the launch"},
	{"loops", BASE_OPTION_U32, offsetof(struct config, loops), 1, 1 << 16, NULL, "rounds", "assumed per loop"},
};

#define COUNTERS(X)                                                                                                    \
	X(kernels, "kernels", "with shared variables")                                                                 \
	X(changed, "kernels", "with a new order of variables")                                                         \
	X(left, "kernels", "unchanged: too many variables, or code that may depend on their addresses")                \
	X(before, "instructions", "in the access range of the common part, before the pass")                           \
	X(after, "instructions", "in the access range of the common part, after the pass")

struct counters {
#define X(name, unit, meaning) uint64_t name;
	COUNTERS(X)
#undef X
};

static const struct base_counter counters[] = {
#define X(name, unit, meaning)                                                                                         \
	{#name, unit, BASE_SCOPE_GPU, offsetof(struct counters, name), meaning, BASE_COMBINE_SUM},
	COUNTERS(X)
#undef X
};

struct search {
	struct pass_job *job;
	const struct config *config;
	const struct sharing_accesses *accesses;
	struct sharing_stretches stretches;
	struct sharing_layout given, tried;
	uint64_t movable, all; /* sets of variables */
};

/* --- movable variables --- */

static bool names(const struct ptx_operand *operand, uint32_t count, const struct ptx_variable *variable)
{
	for (uint32_t i = 0; i < count; i++)
		if (operand[i].symbol == variable)
			return true;
	return false;
}

static bool is_named_by(const struct ptx_function *function, const struct ptx_variable *variable)
{
	for (uint32_t i = 0; i < function->body_count; i++)
		if (names(function->body[i].operand, function->body[i].operands, variable))
			return true;
	return false;
}

/* Whether a variable of the module is visible outside of it or named by another function. */
static bool is_anybodys(const struct pass_job *job, const struct ptx_variable *variable)
{
	if (variable->is_extern || variable->is_visible || variable->is_weak || variable->is_common)
		return true;
	for (const struct ptx_function *f = job->module->functions; f; f = f->next)
		if (f != job->function && is_named_by(f, variable))
			return true;
	return false;
}

/* Movable are the kernel's own variables, and those of the module that only the kernel names; the latter become its
 * own. */
static bool is_movable(const struct search *search, const struct sharing_variable *variable)
{
	if (variable->is_dynamic)
		return false;
	if (variable->variable->function)
		return variable->variable->function == search->job->function;
	return !is_anybodys(search->job, variable->variable);
}

static void find_movable(struct search *search)
{
	for (uint32_t i = 0; i < search->given.count; i++) {
		search->all |= sharing_bit(i);
		if (is_movable(search, &search->given.variable[i]))
			search->movable |= sharing_bit(i);
	}
}

/* --- evaluation of an order --- */

/* Arranges the variables: those in `below`, the other movable ones, the rest. */
static void arrange(struct search *search, uint64_t below)
{
	struct sharing_layout *tried = &search->tried;
	tried->count = 0;
	const uint64_t turn[3] = {below, search->movable & ~below, ~search->movable};
	for (int part = 0; part < 3; part++)
		for (uint32_t i = 0; i < search->given.count; i++)
			if (turn[part] & sharing_bit(i))
				tried->variable[tried->count++] = search->given.variable[i];
	sharing_place(tried);
}

static uint64_t boundary_of(const struct search *search, const struct sharing_layout *layout)
{
	return sharing_own_bytes(search->config->t, layout->bytes);
}

/* Whether the set lies below the boundary when it is placed first, without increasing the block's bytes. */
static bool fits(struct search *search, uint64_t below)
{
	uint32_t count = (uint32_t)__builtin_popcountll(below);
	arrange(search, below);
	if (search->tried.bytes > search->given.bytes)
		return false;
	const struct sharing_variable *last = count ? &search->tried.variable[count - 1] : NULL;
	return !last || last->offset + last->size <= boundary_of(search, &search->tried);
}

/* Instructions in the access range of the variables that are not in the set. */
static uint64_t cost_of(const struct search *search, uint64_t below)
{
	return sharing_range_weight(&search->stretches, search->all & ~below);
}

/* The variables below the boundary in the original order. */
static uint64_t below_as_given(const struct search *search)
{
	uint64_t below = 0, boundary = boundary_of(search, &search->given);
	for (uint32_t i = 0; i < search->given.count; i++) {
		const struct sharing_variable *variable = &search->given.variable[i];
		if (!variable->is_dynamic && variable->offset + variable->size <= boundary)
			below |= sharing_bit(i);
	}
	return below;
}

/* --- the search --- */

/* Fewer instructions are better; among equals, fewer variables. */
static bool is_better(const struct search *search, uint64_t below, uint64_t than)
{
	uint64_t a = cost_of(search, below), b = cost_of(search, than);
	return a != b ? a < b : __builtin_popcountll(below) < __builtin_popcountll(than);
}

/* The subset of `all` after `set`; 0 after the last. */
static uint64_t next_set(uint64_t set, uint64_t all)
{
	return (set - all) & all;
}

static uint64_t best_of_all(struct search *search)
{
	uint64_t best = 0;
	for (uint64_t below = next_set(0, search->movable); below; below = next_set(below, search->movable))
		if (is_better(search, below, best) && fits(search, below))
			best = below;
	return best;
}

static uint64_t best_step(struct search *search, uint64_t below)
{
	uint64_t best = 0;
	for (uint32_t i = 0; i < search->given.count; i++) {
		uint64_t bit = sharing_bit(i) & search->movable & ~below;
		if (bit && fits(search, below | bit) && (!best || cost_of(search, below | bit) < cost_of(search, best)))
			best = below | bit;
	}
	return best;
}

static uint64_t best_by_steps(struct search *search)
{
	uint64_t below = 0, best = 0;
	while ((below = best_step(search, below)) != 0)
		if (is_better(search, below, best))
			best = below;
	return best;
}

/* --- the new order --- */

static void take_from_module(struct pass_job *job, struct ptx_variable *variable)
{
	struct ptx_variable **link = &job->module->variables;
	while (*link != variable)
		link = &(*link)->next;
	*link = variable->next;
	variable->next = NULL;
	variable->function = job->function;
}

/* Unlinks the variable from the function's variables. */
static void take_from_function(struct pass_job *job, const struct ptx_variable *variable)
{
	struct ptx_variable **link = &job->function->locals;
	while (*link && *link != variable)
		link = &(*link)->next;
	if (*link)
		*link = variable->next;
}

/* Declares the movable variables first in the kernel, in the order of the last arrangement. */
static void declare_anew(struct search *search)
{
	struct ptx_variable *first = NULL, **end = &first;
	for (uint32_t i = 0; i < search->tried.count; i++) {
		struct ptx_variable *variable = (struct ptx_variable *)search->tried.variable[i].variable;
		if (!is_movable(search, &search->tried.variable[i]))
			continue;
		if (variable->function)
			take_from_function(search->job, variable);
		else
			take_from_module(search->job, variable);
		*end = variable;
		end = &variable->next;
	}
	*end = search->job->function->locals;
	search->job->function->locals = first;
}

static uint64_t *accessed_by(struct pass_job *job, const struct sharing_accesses *accesses)
{
	uint32_t count = job->function->body_count;
	uint64_t *accessed = pass_alloc(job, (count + 1) * sizeof *accessed);
	for (uint32_t i = 0; i < count; i++)
		accessed[i] = accesses->touch[i].variables;
	return accessed;
}

static bool improve(struct search *search, struct counters *count)
{
	uint64_t given = below_as_given(search);
	uint64_t best =
		__builtin_popcountll(search->movable) <= MOST_TRIED ? best_of_all(search) : best_by_steps(search);
	bool gains = cost_of(search, best) < cost_of(search, given);
	count->before += cost_of(search, given);
	count->after += cost_of(search, gains ? best : given);
	if (!gains)
		return false;
	arrange(search, best);
	declare_anew(search);
	count->changed++;
	return true;
}

static enum pass_result rearrange(struct pass_job *job, struct arena *arena)
{
	struct counters *count = job->counters;
	const struct config *config = job->config;
	struct search search = {
		.job = job, .config = config, .accesses = sharing_accesses(arena, job->function, config->dynamic)};
	search.given = search.tried = search.accesses->layout;
	if (search.given.count == 0)
		return PASS_LEFT;
	count->kernels++;
	if (search.accesses->by_place || search.given.count > SHARING_SET) {
		count->left++;
		return PASS_LEFT;
	}
	search.stretches = sharing_stretches(arena, pass_cfg(job), pass_loops(job), config->loops,
	                                     accessed_by(job, search.accesses));
	search.tried.variable = arena_array(arena, search.given.count, sizeof *search.tried.variable);
	find_movable(&search);
	return improve(&search, count) ? PASS_CHANGED : PASS_LEFT;
}

static enum pass_result run(struct pass_job *job)
{
	struct arena arena = {0};
	enum pass_result result = rearrange(job, &arena);
	arena_free(&arena);
	return result;
}

const struct flow_pass sharing_pass_layout = {
	.name = "scratchpad-layout",
	.meaning =
		"orders shared variables so that the common part of two blocks is in use for the fewest instructions",
	.stem = "layout",
	.scope = PASS_KERNELS,
	.requires = ANALYSIS_SET(CFG) | ANALYSIS_SET(LOOPS),
	.keeps = ANALYSES_NONE,
	.options = options,
	.option_count = sizeof options / sizeof *options,
	.config_size = sizeof(struct config),
	.defaults = &defaults,
	.counters = counters,
	.counter_count = sizeof counters / sizeof *counters,
	.counters_size = sizeof(struct counters),
	.run = run,
};
