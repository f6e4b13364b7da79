/* rows: computes the bytes that a block reads through an index, for one launch. */
#include "cuda_source/private.h"

#include <stdlib.h>

enum { MOST_VARIABLES = 64, DEEPEST = 16 };

struct evaluation {
	const struct source_loops *loops;
	const struct source_launch *launch;
	const struct reached *reached;
};

/* A loop whose bound is being computed, with the number of values of its symbol for which its condition is
 * evaluated. */
struct reached {
	uint32_t symbol;
	int64_t count;
	const struct reached *outer;
};

/* A thread index or a loop: `count` values, `stride` bytes apart. */
struct variable {
	uint32_t symbol;
	int64_t stride, count;
};

static bool symbol_count(const struct evaluation *of, uint32_t symbol, uint32_t depth, int64_t *count);

/* Returns the value of a symbol that is known at launch. */
static bool symbol_value(const struct evaluation *of, const struct source_symbol *symbol, int64_t *value)
{
	if (symbol->kind == SOURCE_GRID_DIM)
		*value = of->launch->grid[symbol->axis];
	else if (symbol->kind == SOURCE_BLOCK_DIM)
		*value = of->launch->block[symbol->axis];
	else
		return of->launch->argument && of->launch->argument(of->launch->context, symbol->name, value);
	return true;
}

/* Computes the minimum and maximum of a polynomial over all blocks and threads. Its variables are at least 0, so
 * each term is monotonic in each of them. */
static bool range(const struct evaluation *of, const struct poly *poly, uint32_t depth, int64_t *least, int64_t *most)
{
	*least = *most = 0;
	for (uint32_t i = 0; i < poly->count; i++) {
		int64_t low = poly->terms[i].coefficient, value;
		bool varies = false;
		for (uint32_t k = 0; k < poly->terms[i].degree; k++) {
			const struct source_symbol *symbol = of->loops->symbols[poly->terms[i].symbol[k]];
			if (symbol->kind <= SOURCE_LOOP) {
				varies = true;
				if (!symbol_count(of, symbol->number, depth + 1, &value))
					return false;
				value -= value > 0;
			} else if (!symbol_value(of, symbol, &value)) {
				return false;
			}
			if (__builtin_mul_overflow(low, value, &low))
				return false;
		}
		if ((low < 0 || !varies) && __builtin_add_overflow(*least, low, least))
			return false;
		if ((low > 0 || !varies) && __builtin_add_overflow(*most, low, most))
			return false;
	}
	return true;
}

static bool claims_hold(const struct evaluation *of, const struct claim *claims, uint32_t depth)
{
	int64_t least, most;
	for (; claims; claims = claims->next)
		if (depth > DEEPEST || !range(of, claims->poly, depth, &least, &most) || least < claims->least ||
		    most > claims->most)
			return false;
	return true;
}

/* Computes the largest number of times that a loop's body runs. */
static bool trips(const struct evaluation *of, uint32_t symbol, uint32_t depth, int64_t *count)
{
	const struct bound *bound = &of->loops->bounds[symbol];
	int64_t low, high, least, slope;
	if (!bound->known || depth > DEEPEST || !range(of, bound->room, depth, &least, &high) ||
	    !range(of, bound->slope, depth, &low, &slope) || low != slope)
		return false;
	if (bound->either && slope < 0) {
		int64_t back = high;
		if (least == INT64_MIN || slope == INT64_MIN || back == INT64_MIN)
			return false;
		high = -least;
		least = -back;
		slope = -slope;
	}
	/* a counter that misses the number continues */
	bool meets = least >= 0 && (slope == 1 || (least == high && slope > 0 && high % slope == 0));
	if (slope <= 0 || (bound->either && !meets))
		return false;
	if (!bound->inclusive)
		high -= high != INT64_MIN;
	*count = (high < 0 ? 0 : high / slope + 1) + bound->once_more;
	struct reached reached = {symbol, *count + !bound->once_more, of->reached};
	struct evaluation at = {of->loops, of->launch, &reached};
	struct claim sides[2] = {{bound->side[0], bound->least, bound->most, NULL},
	                         {bound->side[1], bound->least, bound->most, NULL}};
	return claims_hold(&at, bound->claims, depth) &&
	       (!bound->side[0] || (claims_hold(&at, &sides[0], depth) && claims_hold(&at, &sides[1], depth)));
}

static bool symbol_count(const struct evaluation *of, uint32_t symbol, uint32_t depth, int64_t *count)
{
	const struct source_symbol *which = of->loops->symbols[symbol];
	for (const struct reached *at = of->reached; at; at = at->outer)
		if (at->symbol == symbol) {
			*count = at->count;
			return true;
		}
	if (which->kind == SOURCE_LOOP)
		return trips(of, symbol, depth, count);
	*count = which->kind == SOURCE_BLOCK_IDX ? of->launch->grid[which->axis] : of->launch->block[which->axis];
	return true;
}

struct footprint {
	struct source_row base; /* of the first thread in the first iteration */
	struct variable variables[MOST_VARIABLES];
	uint32_t count;
	bool never; /* in a loop that never runs */
};

static bool add_variable(struct footprint *to, uint32_t symbol, int64_t stride)
{
	for (uint32_t i = 0; i < to->count; i++)
		if (to->variables[i].symbol == symbol)
			return !__builtin_add_overflow(to->variables[i].stride, stride, &to->variables[i].stride);
	if (to->count == MOST_VARIABLES)
		return false;
	to->variables[to->count++] = (struct variable){.symbol = symbol, .stride = stride};
	return true;
}

static bool add_term(const struct evaluation *of, const struct source_term *term, struct footprint *to)
{
	int64_t factor = term->coefficient, value;
	const struct source_symbol *variable = NULL;
	for (uint32_t k = 0; k < term->count; k++) {
		const struct source_symbol *symbol = term->symbols[k];
		if (symbol->kind > SOURCE_LOOP) {
			if (!symbol_value(of, symbol, &value) || __builtin_mul_overflow(factor, value, &factor))
				return false;
		} else {
			variable = symbol;
		}
	}
	if (!variable)
		return !__builtin_add_overflow(to->base.least, factor, &to->base.least);
	if (variable->kind == SOURCE_BLOCK_IDX)
		return !__builtin_add_overflow(to->base.stride[variable->axis], factor,
		                               &to->base.stride[variable->axis]);
	return add_variable(to, variable->number, factor);
}

static int by_stride(const void *a, const void *b)
{
	const struct variable *first = a, *second = b;
	return first->stride < second->stride ? -1 : first->stride > second->stride;
}

/* Computes the counts of the variables. Strides are made positive by starting at the other end. */
static bool find_ranges(const struct evaluation *of, struct footprint *to)
{
	for (uint32_t i = 0; i < to->count; i++) {
		struct variable *variable = &to->variables[i];
		int64_t length;
		if (!symbol_count(of, variable->symbol, 0, &variable->count))
			return false;
		to->never |= variable->count <= 0;
		if (variable->count < 1)
			variable->count = 1;
		if (__builtin_mul_overflow(variable->stride, variable->count - 1, &length))
			return false;
		if (variable->stride < 0) {
			if (variable->stride == INT64_MIN ||
			    __builtin_add_overflow(to->base.least, length, &to->base.least))
				return false;
			variable->stride = -variable->stride;
		}
	}
	qsort(to->variables, to->count, sizeof *to->variables, by_stride);
	return true;
}

/* Folds variables with small strides into one range; each remaining variable gives separate rows. */
static bool fold(struct footprint *to, int64_t size, int64_t gap)
{
	int64_t span = size;
	uint32_t left = 0;
	for (uint32_t i = 0; i < to->count; i++) {
		struct variable *variable = &to->variables[i];
		int64_t length;
		if (variable->count == 1 || variable->stride == 0)
			continue;
		if (variable->stride - span <= gap) {
			if (__builtin_mul_overflow(variable->stride, variable->count - 1, &length) ||
			    __builtin_add_overflow(span, length, &span))
				return false;
		} else {
			to->variables[left++] = *variable;
		}
	}
	to->count = left;
	return !__builtin_add_overflow(to->base.least, span, &to->base.most);
}

static void write_rows(const struct footprint *from, uint64_t total, struct source_row *rows, uint32_t capacity)
{
	for (uint64_t i = 0; i < total && i < capacity; i++) {
		uint64_t rest = i;
		rows[i] = from->base;
		for (uint32_t v = 0; v < from->count; v++) {
			int64_t offset =
				from->variables[v].stride * (int64_t)(rest % (uint64_t)from->variables[v].count);
			rest /= (uint64_t)from->variables[v].count;
			rows[i].least += offset;
			rows[i].most += offset;
		}
	}
}

static bool read_size(const struct evaluation *of, const struct source_index *index, int64_t *size)
{
	char name[256];
	*size = index->size;
	if (*size > 0)
		return true;
	snprintf(name, sizeof name, "sizeof(%s)", index->type ? index->type : "?");
	return of->launch->argument && of->launch->argument(of->launch->context, name, size);
}

bool source_rows(const struct source_kernel *kernel, const struct source_index *index,
                 const struct source_launch *launch, struct source_row *rows, uint32_t capacity, uint32_t *count)
{
	struct evaluation of = {kernel->loops, launch, NULL};
	struct footprint footprint = {0};
	int64_t size, end;
	*count = 0;
	if (!index->affine || !read_size(&of, index, &size))
		return false;
	for (uint32_t i = 0; i < index->term_count; i++)
		if (!add_term(&of, &index->terms[i], &footprint))
			return false;
	if (!find_ranges(&of, &footprint) || !fold(&footprint, size, launch->gap))
		return false;
	if (footprint.never)
		return true;
	if (!claims_hold(&of, index->claims, 0))
		return false;
	uint64_t total = 1;
	end = footprint.base.most;
	for (uint32_t i = 0; i < footprint.count; i++) {
		const struct variable *variable = &footprint.variables[i];
		int64_t length;
		if (__builtin_mul_overflow(total, (uint64_t)variable->count, &total) || total > UINT32_MAX ||
		    __builtin_mul_overflow(variable->stride, variable->count - 1, &length) ||
		    __builtin_add_overflow(end, length, &end))
			return false;
	}
	write_rows(&footprint, total, rows, capacity);
	*count = (uint32_t)total;
	return true;
}
