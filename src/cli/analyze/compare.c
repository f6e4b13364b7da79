/* sluice analyze: finds the differences between the source form and the PTX form of a kernel, and those that the
 * compiler explains.
 *
 * Reads are matched by array and line. The compiler may merge two reads, omit a read whose value is unused, unroll a
 * loop, or split a wide read. Then the numbers of reads differ, or an induction is missing. A loop counter combined
 * with a loaded value looks the same in PTX in two cases. In the source the counter may start at that value, which is
 * an induction, or be added to it, which is indirect. All other differences are disagreements: one of the two analyzers
 * has less information, or is wrong.
 */
#include "cli/analyze/analyze.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct comparison {
	struct analyze *analyze;
	const struct listing *source, *ptx;
	struct difference *first, **last;
};

__attribute__((format(printf, 5, 6))) static void add(struct comparison *of, bool explained, const char *array,
                                                      uint32_t line, const char *format, ...)
{
	char text[512];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	for (const struct difference *old = of->first; old; old = old->next)
		if (old->line == line && strcmp(old->array, array) == 0 && strcmp(old->text, text) == 0)
			return;
	struct difference *difference = arena_alloc(&of->analyze->arena, sizeof *difference);
	*difference = (struct difference){explained, array, line, arena_string(&of->analyze->arena, text, strlen(text)),
	                                  NULL};
	*of->last = difference;
	of->last = &difference->next;
}

/* --- statuses --- */

static bool same_file(const char *a, const char *b)
{
	const char *slash[2] = {a ? strrchr(a, '/') : NULL, b ? strrchr(b, '/') : NULL};
	return !a || !b || strcmp(slash[0] ? slash[0] + 1 : a, slash[1] ? slash[1] + 1 : b) == 0;
}

static bool same_array(const struct index *a, const struct index *b)
{
	return strcmp(a->array, b->array) == 0;
}

static bool same_line(const struct index *a, const struct index *b)
{
	return a->line == b->line && same_file(a->file, b->file);
}

/* The PTX form does not always know the array. */
static bool matches(const struct index *a, const struct index *b)
{
	return same_line(a, b) && (same_array(a, b) || strcmp(a->array, "?") == 0 || strcmp(b->array, "?") == 0);
}

static bool same_status(const struct index *a, const struct index *b)
{
	return a->status == b->status && a->relaxed == b->relaxed;
}

/* True when an unrolled loop explains the difference: no induction remains in PTX, and with known loop bounds both
 * forms are precalculable. */
static bool is_unrolled(const struct index *source, const struct index *ptx)
{
	return source->status == AFFINE_INDUCTION && ptx->status <= AFFINE_QUASI_STATIC &&
	       source->relaxed <= AFFINE_QUASI_STATIC;
}

/* Reads of the other form at the same array and line: their number, the first one, and one with the same status or
 * NULL. */
struct partners {
	uint32_t count;
	const struct index *any, *equal;
	bool precalculable; /* at least one is precalculable */
};

static struct partners find_partners(const struct listing *in, const struct index *of)
{
	struct partners partners = {0};
	for (uint32_t i = 0; i < in->indexes; i++) {
		const struct index *other = &in->index[i];
		if (!matches(of, other))
			continue;
		partners.count++;
		partners.precalculable |= other->relaxed <= AFFINE_QUASI_STATIC;
		partners.any = partners.any ? partners.any : other;
		if (same_status(of, other))
			partners.equal = other;
	}
	return partners;
}

/* Returns another read in the source of the same element that exists in PTX; NULL: none. */
static const struct index *find_same_element(const struct comparison *of, const struct index *read)
{
	for (uint32_t i = 0; i < of->source->indexes && read->expanded; i++) {
		const struct index *other = &of->source->index[i];
		if (other != read && same_array(read, other) && other->expanded && !same_line(read, other) &&
		    strcmp(read->expanded, other->expanded) == 0 && find_partners(of->ptx, other).count)
			return other;
	}
	return NULL;
}

/* True when the PTX has a load without a line, which the compiler makes from reads on several lines. */
static bool has_load_without_line(const struct comparison *of, const struct index *read)
{
	for (uint32_t i = 0; i < of->ptx->indexes; i++)
		if (of->ptx->index[i].line == 0 &&
		    (same_array(read, &of->ptx->index[i]) || strcmp(of->ptx->index[i].array, "?") == 0))
			return true;
	return false;
}

static void compare_missing(struct comparison *of, const struct index *read)
{
	const struct index *same = find_same_element(of, read);
	if (same)
		add(of, true, read->array, read->line, "read once, with line %u", same->line);
	else if (has_load_without_line(of, read))
		add(of, true, read->array, read->line, "read once for several lines");
	else
		add(of, true, read->array, read->line, "the compiler removed the read");
}

static void compare_numbers(struct comparison *of, const struct index *read, uint32_t in_ptx)
{
	uint32_t in_source = 0;
	for (uint32_t i = 0; i < of->source->indexes; i++)
		in_source += matches(read, &of->source->index[i]);
	if (in_ptx < in_source)
		add(of, true, read->array, read->line, "%u reads in the source, %u in PTX", in_source, in_ptx);
	else if (in_ptx > in_source)
		add(of, true, read->array, read->line, "%u read%s in the source, %u in PTX", in_source,
		    in_source == 1 ? "" : "s", in_ptx);
}

static bool is_counter_on_load(const struct index *source, const struct index *ptx)
{
	return source->status == AFFINE_INDIRECT && ptx->status == AFFINE_INDUCTION && ptx->relaxed == AFFINE_INDUCTION;
}

static void compare_status(struct comparison *of, const struct index *source, const struct index *ptx)
{
	bool neither = source->relaxed > AFFINE_QUASI_STATIC && ptx->relaxed > AFFINE_QUASI_STATIC;
	if (is_counter_on_load(source, ptx))
		add(of, true, source->array, source->line, "a loop's counter on top of a loaded value");
	else if (is_unrolled(source, ptx))
		add(of, true, source->array, source->line, "the compiler unrolled the loop");
	else
		add(of, false, source->array, source->line, "source form: %s, relaxed %s; PTX form: %s, relaxed %s%s",
		    affine_status_name(source->status), affine_status_name(source->relaxed),
		    affine_status_name(ptx->status), affine_status_name(ptx->relaxed),
		    neither ? "; precalculable in neither" : "");
}

/* True when every source read at the load's array and line has a load with its status, and PTX has additional loads.
 * Then this load is an iteration that the compiler peeled off a loop. */
static bool is_extra(const struct comparison *of, const struct index *load)
{
	uint32_t in_source = 0, in_ptx = 0;
	for (uint32_t i = 0; i < of->source->indexes; i++) {
		const struct index *read = &of->source->index[i];
		if (!matches(load, read))
			continue;
		struct partners partners = find_partners(of->ptx, read);
		if (!partners.equal)
			return false;
		in_ptx = partners.count;
		in_source++;
	}
	return in_ptx > in_source;
}

static void compare_statuses(struct comparison *of)
{
	for (uint32_t i = 0; i < of->source->indexes; i++) {
		const struct index *read = &of->source->index[i];
		struct partners partners = find_partners(of->ptx, read);
		if (!partners.count) {
			compare_missing(of, read);
			continue;
		}
		compare_numbers(of, read, partners.count);
		if (!partners.equal)
			compare_status(of, read, partners.any);
	}
	for (uint32_t i = 0; i < of->ptx->indexes; i++) {
		const struct index *load = &of->ptx->index[i];
		struct partners partners = find_partners(of->source, load);
		if (!partners.count && load->is_variable)
			add(of, true, load->array, load->line, "a variable of the module, not a parameter");
		else if (!partners.count && load->line)
			add(of, false, load->array, load->line, "only the PTX form has a read here (%s)",
			    affine_status_name(load->status));
		else if (partners.count && !partners.equal && !is_extra(of, load))
			compare_status(of, partners.any, load);
	}
}

/* --- rows --- */

struct span {
	int64_t low, high;
};

struct spans {
	struct span *span;
	size_t count;
};

static int by_low(const void *a, const void *b)
{
	const struct span *x = a, *y = b;
	return (x->low > y->low) - (x->low < y->low);
}

/* Collects the bytes that block `ctaid` reads of the array of `like`, through all indexes of one form or through
 * `only`. `all`: as if no branch excluded a thread. */
static struct spans collect(struct comparison *of, const struct listing *listing, const struct index *only,
                            const struct index *like, const uint32_t *ctaid, bool all)
{
	struct spans spans = {0};
	size_t room = 0;
	for (uint32_t i = 0; i < listing->indexes; i++)
		room += all ? listing->index[i].all_rows.count : listing->index[i].rows.count;
	spans.span = arena_array(&of->analyze->arena, room, sizeof *spans.span);
	for (uint32_t i = 0; i < listing->indexes; i++) {
		const struct index *index = &listing->index[i];
		if (only ? index != only : !same_array(index, like))
			continue;
		const struct affine_rows *rows = all ? &index->all_rows : &index->rows;
		for (uint32_t k = 0; k < rows->count; k++) {
			const struct affine_row *row = &rows->row[k];
			int64_t at = 0;
			for (uint32_t d = 0; d < 3; d++)
				at += row->ctaid[d] * ctaid[d];
			spans.span[spans.count++] = (struct span){at + row->low, at + row->high};
		}
	}
	qsort(spans.span, spans.count, sizeof *spans.span, by_low);
	/* join spans as both forms would */
	size_t kept = 0;
	for (size_t i = 1; i < spans.count; i++) {
		struct span *last = &spans.span[kept];
		if (spans.span[i].low > last->high + (int64_t)of->analyze->launch.gap)
			spans.span[++kept] = spans.span[i];
		else if (spans.span[i].high > last->high)
			last->high = spans.span[i].high;
	}
	spans.count = spans.count ? kept + 1 : 0;
	return spans;
}

/* Returns the number of bytes of `some` that are not in `all`, and the first of them in *first. */
static uint64_t uncovered(const struct spans *some, const struct spans *all, int64_t *first)
{
	uint64_t bytes = 0;
	size_t k = 0;
	for (size_t i = 0; i < some->count; i++) {
		int64_t at = some->span[i].low;
		while (at < some->span[i].high) {
			while (k < all->count && all->span[k].high <= at)
				k++;
			int64_t next = k < all->count ? all->span[k].low : INT64_MAX;
			if (next <= at) {
				at = all->span[k].high;
				continue;
			}
			next = next < some->span[i].high ? next : some->span[i].high;
			*first = bytes ? *first : at;
			bytes += (uint64_t)(next - at);
			at = next;
		}
	}
	return bytes;
}

/* Reports bytes that `read` of one form covers and the other form does not. Checks the corners of the grid: rows are
 * affine in the block index, so any difference shows there. */
static void compare_bytes(struct comparison *of, const struct index *read, const struct listing *other)
{
	const uint32_t *grid = of->analyze->launch.grid;
	bool narrowed = false;
	for (uint32_t corner = 0; corner < 8; corner++) {
		uint32_t ctaid[3];
		bool same = false;
		for (uint32_t d = 0; d < 3; d++) {
			ctaid[d] = corner >> d & 1 ? grid[d] - 1 : 0;
			same |= corner >> d & 1 && grid[d] == 1;
		}
		if (same)
			continue;
		struct spans here = collect(of, other == of->ptx ? of->source : of->ptx, read, read, ctaid, false);
		struct spans there = collect(of, other, NULL, read, ctaid, false);
		int64_t first = 0, ignored;
		uint64_t bytes = uncovered(&here, &there, &first);
		if (!bytes)
			continue;
		if (other == of->ptx) {
			there = collect(of, other, NULL, read, ctaid, true);
			if (!uncovered(&here, &there, &ignored)) {
				narrowed = true;
				continue;
			}
		}
		add(of, false, read->array, read->line,
		    "only the %s form covers %" PRIu64 " bytes of block (%u,%u,%u), from %" PRId64 " on",
		    other == of->ptx ? "source" : "PTX", bytes, ctaid[0], ctaid[1], ctaid[2], first);
		return;
	}
	if (narrowed)
		add(of, true, read->array, read->line, "branches, known only in the PTX form, exclude threads");
}

/* Returns the corresponding read of the other form if it has no rows. */
static const struct index *find_without_rows(const struct listing *other, const struct index *read)
{
	for (uint32_t i = 0; i < other->indexes; i++) {
		const struct index *index = &other->index[i];
		if (matches(read, index) && same_array(read, index) && index->rows.why &&
		    index->relaxed <= AFFINE_QUASI_STATIC)
			return index;
	}
	return NULL;
}

/* True when branches exclude threads from the load. */
static bool is_narrowed(const struct index *ptx)
{
	bool same = ptx->rows.count == ptx->all_rows.count;
	for (uint32_t i = 0; i < ptx->rows.count && same; i++)
		same = ptx->rows.row[i].low == ptx->all_rows.row[i].low &&
		       ptx->rows.row[i].high == ptx->all_rows.row[i].high;
	return !same;
}

static void compare_rows(struct comparison *of, const struct listing *listing, const struct listing *other)
{
	const char *name = other == of->ptx ? "PTX" : "source";
	for (uint32_t i = 0; i < listing->indexes; i++) {
		const struct index *read = &listing->index[i];
		const struct index *without = find_without_rows(other, read);
		/* otherwise the status comparison already reports a difference */
		bool has_partner = find_partners(other, read).precalculable;
		if (read->rows.why)
			continue;
		/* overflow is possible only in the rows that branches exclude */
		bool kept_away = without && other == of->source && is_narrowed(read);
		if (kept_away && !without->lacks_argument)
			add(of, true, read->array, read->line, "branches, known only in the PTX form, exclude threads");
		else if (without)
			add(of, without->lacks_argument, read->array, read->line, "no rows in the %s form: %s", name,
			    without->rows.why);
		else if (read->rows.is_hull)
			add(of, true, read->array, read->line, "bytes not compared: too many rows");
		else if (has_partner || read->line == 0)
			compare_bytes(of, read, other);
	}
}

static int by_line(const void *a, const void *b)
{
	const struct difference *const *x = a, *const *y = b;
	return ((*x)->line > (*y)->line) - ((*x)->line < (*y)->line);
}

struct difference *analyze_compare(struct analyze *analyze, const struct listing *source, const struct listing *ptx)
{
	struct comparison of = {analyze, source, ptx, NULL, NULL};
	size_t count = 0;
	of.last = &of.first;
	compare_statuses(&of);
	if (analyze->launched) {
		compare_rows(&of, source, ptx);
		compare_rows(&of, ptx, source);
	}
	for (struct difference *difference = of.first; difference; difference = difference->next)
		count++;
	/* sort by line */
	struct difference **sorted = arena_array(&analyze->arena, count + 1, sizeof *sorted), *at = of.first;
	for (size_t i = 0; i < count; i++, at = at->next)
		sorted[i] = at;
	qsort(sorted, count, sizeof *sorted, by_line);
	for (size_t i = 0; i < count; i++)
		sorted[i]->next = i + 1 < count ? sorted[i + 1] : NULL;
	return count ? sorted[0] : NULL;
}
