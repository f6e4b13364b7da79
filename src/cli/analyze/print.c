/* sluice analyze: tables of indexes, counts of them, and JSON. */
#include "cli/analyze/analyze.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN_ROWS = 16, RANGE = 36 };

/* Returns the unit of the index: the element size if all offsets are whole elements, else 1 byte. A member has the
 * index of its element. */
static int64_t unit_of(const struct index *index)
{
	const struct affine_row *row = &index->rows.row[0];
	for (uint32_t i = 0; i < 3; i++)
		if (row->ctaid[i] % index->unit)
			return 1;
	return row->low % index->unit && !index->is_member ? 1 : index->unit;
}

static int64_t floor_divide(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* Writes a1 for each dimension that has one, and a0 as least/greatest. */
static void describe_range(const struct index *index, char *text, size_t size)
{
	const struct affine_rows *rows = &index->rows;
	int64_t low = INT64_MAX, high = INT64_MIN;
	if (index->relaxed > AFFINE_QUASI_STATIC) {
		snprintf(text, size, "-");
		return;
	}
	if (!rows->count) {
		snprintf(text, size, "%s", rows->why ? rows->why : "never read");
		return;
	}
	for (uint32_t i = 0; i < rows->count; i++) {
		low = rows->row[i].low < low ? rows->row[i].low : low;
		high = rows->row[i].high > high ? rows->row[i].high : high;
	}
	int64_t unit = unit_of(index);
	const int64_t *ctaid = rows->row[0].ctaid;
	int used = snprintf(text, size, "a1");
	for (uint32_t i = 0; i < 3; i++)
		if (ctaid[i])
			used += snprintf(text + used, size - (size_t)used, " %c:%" PRId64, "xyz"[i], ctaid[i] / unit);
	used += snprintf(text + used, size - (size_t)used, "%s  a0 %" PRId64 "/%" PRId64 "%s",
	                 ctaid[0] || ctaid[1] || ctaid[2] ? "" : " 0", floor_divide(low, unit),
	                 floor_divide(high - index->last, unit), unit == 1 && index->unit > 1 ? " bytes" : "");
	if (rows->count > 1)
		used += snprintf(text + used, size - (size_t)used, "  %u rows", rows->count);
	if (rows->is_hull)
		snprintf(text + used, size - (size_t)used, " (joined)");
}

static const char *form_name(const struct listing *listing)
{
	return listing->is_source ? "source" : "PTX";
}

struct counts {
	uint32_t arrays, indexes, strict[AFFINE_STATUSES], relaxed[AFFINE_STATUSES];
};

static void count(const struct listing *listing, struct counts *counts)
{
	counts->arrays += listing->arrays;
	counts->indexes += listing->indexes;
	for (uint32_t i = 0; i < listing->indexes; i++) {
		counts->strict[listing->index[i].status]++;
		counts->relaxed[listing->index[i].relaxed]++;
	}
}

static void print_counts(const struct counts *counts)
{
	printf(": %u array%s, %u index%s\n", counts->arrays, counts->arrays == 1 ? "" : "s", counts->indexes,
	       counts->indexes == 1 ? "" : "es");
	for (uint32_t form = 0; form < 2; form++) {
		const uint32_t *of = form ? counts->relaxed : counts->strict;
		printf("  %-8s", form ? "relaxed" : "strict");
		for (uint32_t s = 0; s < AFFINE_STATUSES; s++)
			printf("%s%u %s", s ? ", " : "", of[s], affine_status_name((enum affine_status)s));
		putchar('\n');
	}
}

void analyze_print_total(const char *title, const struct listings *listings)
{
	struct counts counts = {0};
	for (uint32_t i = 0; i < listings->count; i++)
		count(listings->list[i], &counts);
	if (!listings->count)
		return;
	printf("%s, %s form, %u kernel%s", title, form_name(listings->list[0]), listings->count,
	       listings->count == 1 ? "" : "s");
	print_counts(&counts);
}

/* Returns the array name of the row, found through an index. */
static const char *row_array(const struct listing *listing, const struct affine_row *row)
{
	for (uint32_t i = 0; i < listing->indexes; i++) {
		const struct affine_rows *rows = &listing->index[i].rows;
		if (rows->count && rows->row[0].array == row->array && rows->row[0].array_offset == row->array_offset)
			return listing->index[i].array;
	}
	return "?";
}

static void print_together(const struct listing *listing)
{
	const struct affine_rows *rows = &listing->together;
	puts("  bytes that a block reads, [low, high) + x, y, z times blockIdx:");
	for (uint32_t i = 0; i < rows->count && i < SHOWN_ROWS; i++) {
		const struct affine_row *row = &rows->row[i];
		printf("    %-12s [%" PRId64 ", %" PRId64 ")  x %" PRId64 "  y %" PRId64 "  z %" PRId64 "\n",
		       row_array(listing, row), row->low, row->high, row->ctaid[0], row->ctaid[1], row->ctaid[2]);
	}
	if (rows->count > SHOWN_ROWS)
		printf("    and %u rows more\n", rows->count - SHOWN_ROWS);
}

void analyze_print_listing(const struct analyze *analyze, const struct listing *listing)
{
	struct counts counts = {0};
	count(listing, &counts);
	printf("%s", listing->name);
	if (listing->file)
		printf(" (%s:%u)", listing->file, listing->line);
	printf(", %s form", form_name(listing));
	print_counts(&counts);
	if (listing->calls)
		puts("  it calls functions, whose loads are not shown");
	if (listing->indexes)
		printf("  %-12s %5s  %-12s %-12s %-*s%s\n", "array", "line", "status", "relaxed",
		       analyze->launched ? RANGE + 2 : 0, analyze->launched ? "min/max" : "", "index");
	for (uint32_t i = 0; i < listing->indexes; i++) {
		const struct index *index = &listing->index[i];
		char range[128];
		bool expanded = index->expanded && strcmp(index->expanded, index->expression) != 0;
		printf("  %-12s %5u  %-12s %-12s ", index->array, index->line, affine_status_name(index->status),
		       affine_status_name(index->relaxed));
		if (analyze->launched) {
			describe_range(index, range, sizeof range);
			printf("%-*s  ", RANGE, range);
		}
		printf("%s%s%s\n", index->expression, expanded ? " = " : "", expanded ? index->expanded : "");
	}
	if (listing->together.count)
		print_together(listing);
}

static void print_some(const struct difference *differences, bool explained, const char *title)
{
	for (const struct difference *at = differences; at; at = at->next) {
		if (at->explained != explained)
			continue;
		if (title)
			printf("  %s:\n", title);
		title = NULL;
		printf("    %-12s %5u  %s\n", at->array, at->line, at->text);
	}
}

void analyze_print_differences(const struct listing *ptx, const struct difference *differences)
{
	bool agree = true;
	for (const struct difference *at = differences; at; at = at->next)
		agree = agree && at->explained;
	printf("comparison with %s: %s\n", ptx->name, agree ? "both forms agree" : "the forms disagree");
	print_some(differences, false, "disagreements, by array and line");
	print_some(differences, true, "explained");
}

/* --- JSON --- */

static json_t *text_json(const char *text)
{
	return text ? json_string(text) : json_null();
}

static json_t *row_json(const struct affine_row *row)
{
	return json_pack("{s:[III], s:I, s:I}", "ctaid", (json_int_t)row->ctaid[0], (json_int_t)row->ctaid[1],
	                 (json_int_t)row->ctaid[2], "low", (json_int_t)row->low, "high", (json_int_t)row->high);
}

static json_t *index_json(const struct index *index, bool is_source)
{
	bool has_array = strcmp(index->array, "?") != 0;
	json_t *object = json_pack("{s:s?, s:I, s:s, s:s, s:s, s:I}", "array", has_array ? index->array : NULL, "line",
	                           (json_int_t)index->line, "expression", index->expression, "status",
	                           affine_status_name(index->status), "relaxed", affine_status_name(index->relaxed),
	                           "bytes", (json_int_t)index->bytes);
	json_object_set_new(object, "file", text_json(index->file));
	if (is_source)
		json_object_set_new(object, "expanded", text_json(index->expanded));
	else
		json_object_set_new(object, "ptx_line", json_integer((json_int_t)index->ptx_line));
	json_object_set_new(object, "element_bytes", json_integer((json_int_t)index->unit));
	json_t *list = json_array();
	for (uint32_t i = 0; i < index->rows.count; i++)
		json_array_append_new(list, row_json(&index->rows.row[i]));
	json_object_set_new(object, "rows", list);
	json_object_set_new(object, "joined", json_boolean(index->rows.is_hull));
	json_object_set_new(object, "why", text_json(index->rows.why));
	return object;
}

static json_t *statuses_json(const uint32_t *of)
{
	json_t *object = json_object();
	for (uint32_t s = 0; s < AFFINE_STATUSES; s++)
		json_object_set_new(object, affine_status_name((enum affine_status)s), json_integer(of[s]));
	return object;
}

json_t *analyze_listing_json(const struct listing *listing)
{
	struct counts counts = {0};
	json_t *indexes = json_array();
	count(listing, &counts);
	for (uint32_t i = 0; i < listing->indexes; i++)
		json_array_append_new(indexes, index_json(&listing->index[i], listing->is_source));
	return json_pack("{s:s, s:s, s:I, s:b, s:o, s:o, s:o}", "name", listing->name, "form",
	                 listing->is_source ? "source" : "ptx", "arrays", (json_int_t)listing->arrays, "calls",
	                 listing->calls, "strict", statuses_json(counts.strict), "relaxed",
	                 statuses_json(counts.relaxed), "indexes", indexes);
}

void analyze_differences_json(json_t *kernel, const struct listing *ptx, const struct difference *differences)
{
	static const char *const names[] = {"disagreements", "explained"};
	for (int i = 0; i < 2; i++)
		if (!json_object_get(kernel, names[i]))
			json_object_set_new(kernel, names[i], json_array());
	for (const struct difference *at = differences; at; at = at->next)
		json_array_append_new(json_object_get(kernel, names[at->explained]),
		                      json_pack("{s:s, s:s, s:I, s:s}", "ptx", ptx->name, "array", at->array, "line",
		                                (json_int_t)at->line, "what", at->text));
}
