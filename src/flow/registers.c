/* registers: registers per thread, by linear scan over live ranges with holes.
 *
 * Each physical register has a set of program points at which it is in use. A virtual register takes the first one that
 * is free at all its program points.
 */
#include "flow/assemble.h"
#include "flow/ranges.h"
#include "flow/sets.h"

#include <stdlib.h>
#include <string.h>

/* One file of physical registers: 32-bit registers, or predicates. */
struct register_file {
	uint64_t **taken; /* by physical register: program points at which it is in use */
	uint32_t count, capacity;
	uint32_t words; /* words per set of program points */
};

/* A virtual register that needs a physical one. */
struct request {
	uint32_t reg, width, align, begin;
};

uint32_t flow_register_width(enum ptx_type type)
{
	uint32_t bytes = ptx_type_bytes(type);
	return bytes <= 4 ? 1 : bytes / 4;
}

static bool is_free(const struct register_file *file, uint32_t physical, const struct live_range *range)
{
	if (physical >= file->count)
		return true;
	for (; range; range = range->next)
		if (set_aliases_range(file->taken[physical], range->range.begin, range->range.end))
			return false;
	return true;
}

static bool all_free(const struct register_file *file, uint32_t physical, uint32_t width,
                     const struct live_range *range)
{
	for (uint32_t i = 0; i < width; i++)
		if (!is_free(file, physical + i, range))
			return false;
	return true;
}

static void take(struct arena *scratch, struct register_file *file, uint32_t physical, const struct live_range *range)
{
	if (physical >= file->capacity) {
		uint32_t capacity = 2 * (physical + 1);
		uint64_t **taken = arena_array(scratch, capacity, sizeof *taken);
		if (file->count)
			memcpy(taken, file->taken, file->count * sizeof *taken);
		file->taken = taken;
		file->capacity = capacity;
	}
	for (; file->count <= physical; file->count++)
		file->taken[file->count] = arena_array(scratch, file->words, sizeof **file->taken);
	for (; range; range = range->next)
		set_add_range(file->taken[physical], range->range.begin, range->range.end);
}

/* Chooses a physical register. A single register prefers the free half of a pair that is already split, so that
 * whole pairs remain for 64-bit values. */
static uint32_t choose(const struct register_file *file, const struct request *request, const struct live_range *range)
{
	uint32_t lowest = UINT32_MAX;
	for (uint32_t physical = 0; physical < file->count; physical += request->align) {
		if (!all_free(file, physical, request->width, range))
			continue;
		uint32_t partner = physical ^ 1;
		bool breaks_pair = request->width == 1 &&
		                   (partner >= file->count || !set_has(file->taken[partner], request->begin));
		if (!breaks_pair)
			return physical;
		if (lowest == UINT32_MAX)
			lowest = physical;
	}
	if (lowest != UINT32_MAX)
		return lowest;
	return (file->count + request->align - 1) / request->align * request->align;
}

static uint32_t fill_file(const struct ranges *ranges, const struct request *requests, uint32_t count, uint32_t words,
                          uint32_t *assigned)
{
	struct arena scratch = {0};
	struct register_file file = {.words = words};
	for (uint32_t i = 0; i < count; i++) {
		const struct live_range *range = ranges->of[requests[i].reg];
		uint32_t physical = choose(&file, &requests[i], range);
		for (uint32_t k = 0; k < requests[i].width; k++)
			take(&scratch, &file, physical + k, range);
		assigned[requests[i].reg] = physical;
	}
	uint32_t used = file.count;
	arena_free(&scratch);
	return used;
}

/* Finds narrow registers that an assembler places in even registers: values stored to a 64-bit address. */
static const bool *find_even(struct arena *scratch, const struct ptx_function *function)
{
	bool *is_even = arena_array(scratch, function->reg_count, sizeof *is_even);
	for (uint32_t i = 0; i < function->body_count; i++) {
		const struct ptx_inst *inst = &function->body[i];
		if (inst->op != PTX_OP_ST || inst->operand[1].kind != PTX_OPERAND_REG ||
		    inst->operand[0].reg == PTX_NO_REG)
			continue;
		is_even[inst->operand[1].reg] |= flow_register_width(function->regs[inst->operand[0].reg].type) == 2;
	}
	return is_even;
}

static int by_begin(const void *a, const void *b)
{
	const struct request *x = a, *y = b;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->reg < y->reg ? -1 : x->reg > y->reg;
}

static int by_width_and_begin(const void *a, const void *b)
{
	const struct request *x = a, *y = b;
	if (x->width != y->width)
		return x->width > y->width ? -1 : 1;
	return by_begin(a, b);
}

/* Assigns the registers of one file in order of their first use. If their widths differ, it also tries wide
 * registers first, and the better result is used. */
static uint32_t assign_file(struct arena *scratch, const struct flow_cfg *cfg, const struct ranges *ranges,
                            const bool *is_even, bool predicates, uint32_t *assigned)
{
	const struct ptx_function *function = cfg->function;
	uint32_t count = 0, widths = 0, words = function->body_count / 32 + 1;
	struct request *requests = arena_array(scratch, function->reg_count, sizeof *requests);
	for (uint32_t reg = 0; reg < function->reg_count; reg++) {
		enum ptx_type type = function->regs[reg].type;
		if (!ranges->of[reg] || (type == PTX_PRED) != predicates)
			continue;
		uint32_t width = predicates ? 1 : flow_register_width(type);
		uint32_t align = width == 1 && is_even && is_even[reg] ? 2 : width;
		requests[count++] = (struct request){reg, width, align, ranges->of[reg]->range.begin};
		widths |= width;
	}
	qsort(requests, count, sizeof *requests, by_begin);
	uint32_t used = fill_file(ranges, requests, count, words, assigned);
	if ((widths & (widths - 1)) == 0)
		return used;

	uint32_t *other = arena_array(scratch, function->reg_count, sizeof *other);
	qsort(requests, count, sizeof *requests, by_width_and_begin);
	uint32_t used_otherwise = fill_file(ranges, requests, count, words, other);
	if (used_otherwise >= used)
		return used;
	for (uint32_t i = 0; i < count; i++)
		assigned[requests[i].reg] = other[requests[i].reg];
	return used_otherwise;
}

static struct flow_registers *allocate(struct arena *arena, const struct flow_cfg *cfg,
                                       const struct flow_liveness *live, bool has_spare)
{
	struct arena scratch = {0};
	struct ranges ranges;
	struct flow_registers *result = arena_alloc(arena, sizeof *result);
	result->assigned = arena_array(arena, cfg->function->reg_count, sizeof *result->assigned);
	for (uint32_t reg = 0; reg < cfg->function->reg_count; reg++)
		result->assigned[reg] = FLOW_NONE;
	ranges_find(&scratch, cfg, live, has_spare, &ranges);
	const bool *is_even = has_spare ? find_even(&scratch, cfg->function) : NULL;
	result->registers = assign_file(&scratch, cfg, &ranges, is_even, false, result->assigned);
	result->predicates = assign_file(&scratch, cfg, &ranges, NULL, true, result->assigned);
	arena_free(&scratch);
	return result;
}

struct flow_registers *flow_registers(struct arena *arena, const struct flow_cfg *cfg, const struct flow_liveness *live)
{
	return allocate(arena, cfg, live, false);
}

struct flow_registers *assemble_registers(struct arena *arena, const struct flow_cfg *cfg,
                                          const struct flow_liveness *live)
{
	return allocate(arena, cfg, live, true);
}
