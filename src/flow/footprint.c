/* footprint: the affine footprint: the bytes that a block reads, as rows whose ends are affine functions of the
 * block's index. */
#include "flow/evaluate.h"
#include "flow/sets.h"

#include <stdlib.h>

enum { DEFAULT_MAX_ROWS = 4096 };
static const wide MOST_READS = (wide)1 << 48; /* prevents overflow of sums of reads */

/* A thread index or loop counter that moves the address. */
struct span {
	wide stride; /* bytes, positive */
	wide count;
};

static int by_stride(const void *a, const void *b)
{
	const struct span *x = a, *y = b;
	if (x->stride != y->stride)
		return x->stride < y->stride ? -1 : 1;
	return (x->count > y->count) - (x->count < y->count);
}

/* Orders arrays by their declaration in the program; NULL (unknown) comes first. Host addresses must not matter. */
static int by_declaration(const struct ptx_variable *x, const struct ptx_variable *y)
{
	if (!x || !y)
		return (x != NULL) - (y != NULL);
	if (x->place.line != y->place.line)
		return x->place.line < y->place.line ? -1 : 1;
	return (x->place.column > y->place.column) - (x->place.column < y->place.column);
}

static int by_place(const void *a, const void *b)
{
	const struct affine_row *x = a, *y = b;
	int order = by_declaration(x->array, y->array);
	if (order)
		return order;
	if (x->array_offset != y->array_offset)
		return x->array_offset < y->array_offset ? -1 : 1;
	for (uint32_t i = 0; i < 3; i++)
		if (x->ctaid[i] != y->ctaid[i])
			return x->ctaid[i] < y->ctaid[i] ? -1 : 1;
	return (x->low > y->low) - (x->low < y->low);
}

static bool move_alike(const struct affine_row *a, const struct affine_row *b)
{
	return a->array == b->array && a->array_offset == b->array_offset && a->ctaid[0] == b->ctaid[0] &&
	       a->ctaid[1] == b->ctaid[1] && a->ctaid[2] == b->ctaid[2];
}

/* Sorts the rows and joins adjacent ones. */
static void join(struct affine_rows *rows, uint32_t gap)
{
	uint32_t kept = 0;
	if (rows->count)
		qsort(rows->row, rows->count, sizeof *rows->row, by_place);
	for (uint32_t i = 1; i < rows->count; i++) {
		struct affine_row *last = &rows->row[kept];
		const struct affine_row *row = &rows->row[i];
		if (!move_alike(last, row) || row->low > last->high + gap)
			rows->row[++kept] = *row;
		else {
			last->high = row->high > last->high ? row->high : last->high;
			last->reads += row->reads;
			last->inst = row->inst < last->inst ? row->inst : last->inst;
		}
	}
	rows->count = rows->count ? kept + 1 : 0;
}

/* Makes one row for each value of the indexes that leave gaps. Smallest strides are merged first, so that rows are
 * as long as possible. */
static void split(struct arena *arena, struct affine_row whole, wide low, struct span *span, uint32_t spans,
                  const struct affine_launch *launch, struct affine_rows *rows)
{
	uint32_t most = launch->max_rows ? launch->max_rows : DEFAULT_MAX_ROWS, splits = 0;
	wide length = whole.high - whole.low, count = 1;
	qsort(span, spans, sizeof *span, by_stride);
	for (uint32_t i = 0; i < spans; i++) {
		if (span[i].stride <= length + launch->gap || count * span[i].count > most) {
			rows->is_hull |= span[i].stride > length + launch->gap;
			length += span[i].stride * (span[i].count - 1);
			continue;
		}
		count *= span[i].count;
		span[splits++] = span[i];
	}
	whole.reads /= (uint64_t)count;
	rows->row = arena_array(arena, (size_t)count, sizeof *rows->row);
	for (wide n = 0; n < count; n++) {
		wide at = low, rest = n;
		for (uint32_t i = 0; i < splits; i++) {
			at += span[i].stride * (rest % span[i].count);
			rest /= span[i].count;
		}
		whole.low = (int64_t)at;
		whole.high = (int64_t)(at + length);
		rows->row[rows->count++] = whole;
	}
	join(rows, launch->gap);
}

/* Returns how often the lanes of a block execute the location: once each per iteration of the enclosing loops. A
 * loop without bounds counts as one iteration. */
static uint64_t runs_of(struct eval *eval)
{
	const struct affine_state *state = eval->state;
	wide runs = 1;
	for (uint32_t v = EVAL_TID; v < eval->variables && runs; v++) {
		bool around = v < EVAL_LOOPS || set_has(state->sym.loop[v - EVAL_LOOPS].body, eval->block);
		wide values = around && eval_is_bounded(eval, v) ? (wide)eval->high[v] - eval->low[v] + 1 : 1;
		runs = values <= 0 ? 0 : runs > MOST_READS / values ? MOST_READS : runs * values;
	}
	return (uint64_t)runs;
}

static struct affine_rows rows_of_form(struct eval *eval, const struct affine_load *load, const struct eval_form *form)
{
	struct affine_rows rows = {0};
	struct affine_row whole = {.array = load->array, .array_offset = load->array_offset, .inst = load->inst};
	struct span *span = arena_array(eval->arena, eval->variables, sizeof *span);
	uint32_t spans = 0;
	wide low, high, start = form->constant;
	const wide limit = INT64_MAX / 2;
	bool all = eval->launch->all_threads;
	/* The full range, without facts that narrow a variable below its bounds: rows apply to every block alike. */
	if (!eval_range(eval, form, true, &low, &high) || low < -limit || high > limit) {
		rows.why = eval->why ? eval->why : "an index may wrap around its type";
		return rows;
	}
	for (uint32_t i = 0; i < 3; i++)
		whole.ctaid[i] = (int64_t)form->coef[EVAL_CTAID + i];
	for (uint32_t v = EVAL_TID; v < eval->variables; v++) {
		wide coef = form->coef[v];
		if (!coef)
			continue;
		int64_t least = all ? eval->first[v] : eval->low[v], most = all ? eval->last[v] : eval->high[v];
		start += coef * (coef > 0 ? least : most);
		span[spans++] = (struct span){coef > 0 ? coef : -coef, (wide)most - least + 1};
	}
	whole.high = load->bytes;
	whole.reads = runs_of(eval);
	split(eval->arena, whole, start, span, spans, eval->launch, &rows);
	return rows;
}

struct affine_rows affine_footprint(struct arena *arena, const struct affine_kernel *kernel,
                                    const struct affine_load *load, const struct affine_launch *launch)
{
	static const char *const causes[AFFINE_STATUSES] = {
		[AFFINE_INDUCTION] = "a loop's induction variable has no bounds known at launch",
		[AFFINE_INDIRECT] = "depends on a value read from memory",
		[AFFINE_CONTROL] = "depends on a branch",
		[AFFINE_OPERATOR] = "depends on an operation other than + - *",
	};
	const struct affine_state *state = kernel->state;
	const struct affine_form *form = load->form;
	struct affine_rows rows = {.why = causes[load->relaxed]};
	struct eval eval;
	struct eval_form address;
	if (rows.why)
		return rows;
	eval_open(&eval, arena, state, launch, state->sym.cfg->block_of[load->inst], form->guards, NULL);
	eval.why = NULL;
	if (!launch->all_threads && eval_is_unreachable(&eval))
		return rows;
	if (!eval_poly(&eval, form->index.poly, 64, &address) || !eval_proves(&eval, form->index.needs)) {
		rows.why = eval.why;
		return rows;
	}
	return rows_of_form(&eval, load, &address);
}

static bool is_wanted(const struct affine_load *load, enum affine_loops loops)
{
	bool strict = load->status <= AFFINE_QUASI_STATIC;
	return strict || (loops == AFFINE_LOOPS_IN_CODE && !load->loops_at_launch) || loops == AFFINE_LOOPS_AT_LAUNCH;
}

static struct affine_rows all_rows(struct arena *arena, const struct affine_kernel *kernel,
                                   const struct affine_launch *launch, enum affine_loops loops)
{
	struct affine_rows all = {0}, *each = arena_array(arena, kernel->loads, sizeof *each);
	uint32_t count = 0;
	for (uint32_t i = 0; i < kernel->loads; i++) {
		if (!is_wanted(&kernel->load[i], loops))
			continue;
		each[i] = affine_footprint(arena, kernel, &kernel->load[i], launch);
		count += each[i].count;
		all.is_hull |= each[i].is_hull;
	}
	all.row = arena_array(arena, count, sizeof *all.row);
	for (uint32_t i = 0; i < kernel->loads; i++)
		for (uint32_t k = 0; k < each[i].count; k++)
			all.row[all.count++] = each[i].row[k];
	join(&all, launch->gap);
	return all;
}

struct affine_rows affine_footprints(struct arena *arena, const struct affine_kernel *kernel,
                                     const struct affine_launch *launch)
{
	return all_rows(arena, kernel, launch, AFFINE_LOOPS_AT_LAUNCH);
}

/* Rows with most reads first; no two rows have the same place. */
static int by_reads(const void *a, const void *b)
{
	const struct affine_row *const *x = a, *const *y = b;
	if ((*x)->reads != (*y)->reads)
		return (*x)->reads > (*y)->reads ? -1 : 1;
	return by_place(*x, *y);
}

struct affine_rows affine_table(struct arena *arena, const struct affine_kernel *kernel,
                                const struct affine_launch *launch, uint32_t entries, enum affine_loops loops,
                                struct affine_dropped *dropped)
{
	struct affine_rows all = all_rows(arena, kernel, launch, loops);
	*dropped = (struct affine_dropped){0};
	if (all.count <= entries)
		return all;
	const struct affine_row **ranked = arena_array(arena, all.count, sizeof *ranked);
	bool *drop = arena_array(arena, all.count, sizeof *drop);
	for (uint32_t i = 0; i < all.count; i++)
		ranked[i] = &all.row[i];
	qsort(ranked, all.count, sizeof *ranked, by_reads);
	for (uint32_t i = entries; i < all.count; i++) {
		drop[ranked[i] - all.row] = true;
		dropped->rows++;
		dropped->reads += ranked[i]->reads;
	}
	uint32_t kept = 0;
	for (uint32_t i = 0; i < all.count; i++)
		if (!drop[i])
			all.row[kept++] = all.row[i];
	all.count = kept;
	return all;
}
