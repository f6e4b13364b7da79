/* index_table: turns the recorded reads into the kernel's table of indexes. */
#include "cuda_source/private.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Returns true when a launch determines the bounds of all loops whose counters the polynomial uses. */
static bool has_known_bounds(const struct walk *walk, const struct poly *poly, uint32_t depth)
{
	for (uint32_t i = 0; i < poly->count; i++)
		for (uint32_t k = 0; k < poly->terms[i].degree; k++) {
			uint32_t symbol = poly->terms[i].symbol[k];
			const struct bound *bound = &walk->bounds[symbol];
			if (walk->symbols[symbol]->kind == SOURCE_LOOP &&
			    (depth > 16 || !bound->known || !has_known_bounds(walk, bound->room, depth + 1) ||
			     !has_known_bounds(walk, bound->slope, depth + 1)))
				return false;
		}
	return true;
}

static bool term_varies(const struct walk *walk, const struct monomial *term)
{
	for (uint32_t k = 0; k < term->degree; k++)
		if (walk->symbols[term->symbol[k]]->kind <= SOURCE_LOOP)
			return true;
	return false;
}

static enum source_status status_of_read(const struct walk *walk, const struct read *read)
{
	if (read->causes & CAUSE_OPERATOR || (!read->causes && !read->poly))
		return SOURCE_OPERATOR;
	if (read->causes)
		return read->causes & CAUSE_INDIRECT  ? SOURCE_INDIRECT
		       : read->causes & CAUSE_CONTROL ? SOURCE_CONTROL
		                                      : SOURCE_INDUCTION;
	for (uint32_t i = 0; i < read->poly->count; i++)
		if (term_varies(walk, &read->poly->terms[i]))
			return SOURCE_QUASI_STATIC;
	return SOURCE_STATIC;
}

/* Returns true for degree one in the symbols that differ between threads and blocks of a launch. */
static bool is_affine(const struct walk *walk, const struct poly *poly)
{
	for (uint32_t i = 0; i < poly->count; i++) {
		uint32_t variables = 0;
		for (uint32_t k = 0; k < poly->terms[i].degree; k++)
			variables += walk->symbols[poly->terms[i].symbol[k]]->kind <= SOURCE_LOOP;
		if (variables > 1)
			return false;
	}
	return true;
}

static void copy_terms(struct walk *walk, const struct poly *poly, struct source_index *index)
{
	struct source_term *terms = arena_array(walk->arena, poly->count + 1, sizeof *terms);
	for (uint32_t i = 0; i < poly->count; i++) {
		const struct monomial *from = &poly->terms[i];
		const struct source_symbol **symbols = arena_array(walk->arena, from->degree + 1, sizeof *symbols);
		for (uint32_t k = 0; k < from->degree; k++)
			symbols[k] = walk->symbols[from->symbol[k]];
		terms[i] = (struct source_term){from->coefficient, from->degree, symbols};
	}
	index->terms = terms;
	index->term_count = poly->count;
}

/* Returns the text without line breaks, markers and repeated spaces. */
static const char *one_line(struct walk *walk, const char *text, uint32_t length)
{
	char *line = arena_alloc(walk->arena, length + 1);
	uint32_t count = 0;
	for (uint32_t i = 0; i < length; i++) {
		if (text[i] == '#' && i && text[i - 1] == '\n') {
			while (i < length && text[i] != '\n')
				i++;
		} else if (!isspace((unsigned char)text[i])) {
			line[count++] = text[i];
		} else if (count && line[count - 1] != ' ') {
			line[count++] = ' ';
		}
	}
	line[count] = '\0';
	return line;
}

/* Divides a term in bytes by the element's size. Returns false when the term is no whole number of elements; the index
 * is then shown in bytes. A member's offset in its element is not shown. */
static bool divide_term(const struct walk *walk, const struct read *read, struct monomial *term)
{
	if (read->unit_size > 0) {
		int64_t rest = term->coefficient % read->unit_size;
		if (term->degree == 0 && rest)
			term->coefficient -= rest > 0 ? rest : rest + read->unit_size;
		bool whole = term->coefficient % read->unit_size == 0;
		term->coefficient /= whole ? read->unit_size : 1;
		return whole;
	}
	char name[256];
	snprintf(name, sizeof name, "sizeof(%s)", read->unit ? read->unit : "?");
	for (uint32_t k = 0; k < term->degree; k++)
		if (strcmp(walk->symbols[term->symbol[k]]->name, name) == 0) {
			memmove(&term->symbol[k], &term->symbol[k + 1], (term->degree - k - 1) * sizeof *term->symbol);
			term->degree--;
			return true;
		}
	return false;
}

static void write_term(FILE *out, const struct walk *walk, const struct monomial *term, bool first)
{
	uint64_t size = term->coefficient < 0 ? 0 - (uint64_t)term->coefficient : (uint64_t)term->coefficient;
	fputs(term->coefficient < 0 ? (first ? "-" : " - ") : first ? "" : " + ", out);
	bool written = size != 1 || term->degree == 0;
	if (written)
		fprintf(out, "%llu", (unsigned long long)size);
	for (uint32_t k = 0; k < term->degree; k++) {
		fprintf(out, "%s%s", written ? "*" : "", walk->symbols[term->symbol[k]]->name);
		written = true;
	}
}

static const char *expand(struct walk *walk, const struct read *read)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	if (!out)
		return NULL;
	bool elements = true;
	for (uint32_t i = 0; i < read->poly->count; i++) {
		struct monomial term = read->poly->terms[i];
		elements = divide_term(walk, read, &term) && elements;
	}
	bool first = true;
	for (uint32_t i = 0; i < read->poly->count; i++) {
		struct monomial term = read->poly->terms[i];
		if (elements)
			divide_term(walk, read, &term);
		if (term.coefficient)
			write_term(out, walk, &term, first);
		first = first && !term.coefficient;
	}
	if (first)
		fputc('0', out);
	if (!elements)
		fputs(" bytes", out);
	fclose(out);
	const char *kept = arena_string(walk->arena, text, length);
	free(text);
	return kept;
}

static void finish_index(struct walk *walk, const struct read *read, struct source_index *index)
{
	const struct node *at = read->at;
	*index = (struct source_index){
		.array = read->array,
		.file = at->file,
		.line = at->line,
		.column = at->column,
		.text = one_line(walk, read->index->text, read->index->length),
		.status = status_of_read(walk, read),
		.type = read->type.name,
		.size = read->type.size,
	};
	index->relaxed = index->status;
	if (index->status == SOURCE_INDUCTION && read->poly && has_known_bounds(walk, read->poly, 0))
		index->relaxed = SOURCE_QUASI_STATIC;
	if (!source_precalculable(index->relaxed))
		return;
	index->affine = is_affine(walk, read->poly);
	index->claims = read->claims;
	index->expanded = expand(walk, read);
	copy_terms(walk, read->poly, index);
}

void walk_finish(struct walk *walk, const struct function *function, struct source_kernel *kernel)
{
	struct source_index *indexes = arena_array(walk->arena, walk->read_count + 1, sizeof *indexes);
	for (uint32_t i = 0; i < walk->read_count; i++) {
		walk->reads[i].causes |= walk->lost ? CAUSE_CONTROL : 0;
		finish_index(walk, &walk->reads[i], &indexes[i]);
	}

	struct source_array *arrays = arena_array(walk->arena, walk->array_count + 1, sizeof *arrays);
	const struct source_symbol **symbols = arena_array(walk->arena, walk->symbol_count + 1, sizeof *symbols);
	struct bound *bounds = arena_array(walk->arena, walk->symbol_count + 1, sizeof *bounds);
	struct source_loops *loops = arena_alloc(walk->arena, sizeof *loops);
	const char **parameters = arena_array(walk->arena, function->parameter_count + 1, sizeof *parameters);
	for (uint32_t i = 0; i < function->parameter_count; i++)
		parameters[i] = function->parameters[i]->name;
	if (walk->array_count)
		memcpy(arrays, walk->arrays, walk->array_count * sizeof *arrays);
	if (walk->symbol_count) {
		memcpy(symbols, walk->symbols, walk->symbol_count * sizeof *symbols);
		memcpy(bounds, walk->bounds, walk->symbol_count * sizeof *bounds);
	}
	*loops = (struct source_loops){symbols, bounds, walk->symbol_count};
	*kernel = (struct source_kernel){
		.name = function->name,
		.file = function->file,
		.line = function->line,
		.body_first = function->body_first,
		.body_last = function->body_last,
		.parameters = parameters,
		.parameter_count = function->parameter_count,
		.arrays = arrays,
		.array_count = walk->array_count,
		.indexes = indexes,
		.index_count = walk->read_count,
		.loops = loops,
	};
}
