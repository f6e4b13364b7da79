/* parse_var: variables: types, dimensions, initial values, layout. */
#include "ptx/parse.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DIMENSIONS = 4, LARGEST_ALIGN = 1 << 20 };
static const uint64_t largest_variable = 1ull << 40;
static const uint64_t largest_initial = 1ull << 28;

bool parse_type(struct parser *p, enum ptx_type *type)
{
	bool is_element =
		p->token.kind == TOKEN_DOT && p->token.name->type >= PTX_F32X2 && p->token.name->type <= PTX_E2M1X2;
	if (p->token.kind != TOKEN_DOT || p->token.name->type == PTX_NO_TYPE || is_element)
		return fail_expected(p, "a type");
	*type = p->token.name->type;
	next_token(p);
	return true;
}

static bool parse_align(struct parser *p, struct ptx_variable *variable)
{
	struct diag_place place = p->token.place;
	uint64_t align;
	if (!expect_int(p, &align, LARGEST_ALIGN, "an alignment"))
		return false;
	if (align == 0 || (align & (align - 1)))
		return fail(p, place, "alignment %llu; expected a power of two", (unsigned long long)align);
	variable->align = (uint32_t)align;
	return true;
}

/* Skips ".ptr .global .align 4", the target space of a kernel's pointer, which is not used. */
static bool skip_pointer_facts(struct parser *p)
{
	struct ptx_variable pointee;
	if (p->token.kind == TOKEN_DOT && p->token.name->space)
		next_token(p);
	return !accept_dot(p, "align") || parse_align(p, &pointee);
}

static bool skip_attributes(struct parser *p)
{
	if (!expect_punct(p, '('))
		return false;
	while (p->token.kind == TOKEN_DOT || p->token.kind == TOKEN_INT || at_punct(p, ',') || at_punct(p, '('))
		next_token(p);
	return expect_punct(p, ')');
}

static bool parse_qualifiers(struct parser *p, struct ptx_variable *variable)
{
	variable->vector = 1;
	while (p->token.kind == TOKEN_DOT) {
		bool good = true;
		if (accept_dot(p, "align"))
			good = parse_align(p, variable);
		else if (accept_dot(p, "v2"))
			variable->vector = 2;
		else if (accept_dot(p, "v4"))
			variable->vector = 4;
		else if (accept_dot(p, "ptr"))
			good = skip_pointer_facts(p);
		else if (accept_dot(p, "attribute"))
			good = skip_attributes(p);
		else
			good = parse_type(p, &variable->type);
		if (!good)
			return false;
	}
	return variable->type != PTX_NO_TYPE || fail_expected(p, "a type");
}

static bool parse_dimensions(struct parser *p, struct ptx_variable *variable)
{
	while (at_punct(p, '[')) {
		struct diag_place place = p->token.place;
		int64_t extent = 0;
		next_token(p);
		if (!at_punct(p, ']') && !parse_integer(p, &extent))
			return false;
		if (variable->dimensions == MOST_DIMENSIONS)
			return fail(p, place, "too many dimensions; expected at most %d", MOST_DIMENSIONS);
		if (extent < 0 || (uint64_t)extent > largest_variable)
			return fail(p, place, "dimension %lld; expected 0 to %llu", (long long)extent,
			            (unsigned long long)largest_variable);
		variable->dimension[variable->dimensions++] = (uint64_t)extent;
		if (!expect_punct(p, ']'))
			return false;
	}
	return true;
}

/* Returns the elements of the array from dimension `level` inwards, including vector elements; UINT64_MAX on
 * overflow. */
static uint64_t span(const struct ptx_variable *variable, uint32_t level)
{
	uint64_t count = variable->vector;
	for (uint32_t i = level; i < variable->dimensions; i++)
		if (__builtin_mul_overflow(count, variable->dimension[i], &count))
			return UINT64_MAX;
	return count;
}

static bool find_size(struct parser *p, struct ptx_variable *variable)
{
	uint64_t elements = span(variable, 0), bytes = ptx_type_bytes(variable->type);
	if (elements > largest_variable / bytes)
		return fail(p, variable->place, "the variable is too large; expected at most %llu bytes",
		            (unsigned long long)largest_variable);
	variable->size = elements * bytes;
	if (!variable->align)
		variable->align = (uint32_t)bytes * variable->vector;
	return true;
}

bool parse_declarator(struct parser *p, struct ptx_variable *variable, struct name **name, bool anonymous)
{
	*name = NULL;
	variable->place = p->token.place;
	if (!parse_qualifiers(p, variable))
		return false;
	variable->place = p->token.place;
	bool left_out = p->token.kind != TOKEN_WORD || (p->token.length == 1 && p->token.text[0] == '_');
	if (!anonymous || !left_out) {
		if (!expect_word(p, name, "a name"))
			return false;
	} else if (p->token.kind == TOKEN_WORD) {
		next_token(p);
	}
	return parse_dimensions(p, variable) && find_size(p, variable);
}

void lay_out(struct ptx_variable *variable, uint64_t *end)
{
	uint64_t align = variable->align;
	variable->offset = (*end + align - 1) / align * align;
	*end = variable->offset + variable->size;
}

void lay_out_all(struct ptx_variable *variables)
{
	uint64_t end[PTX_SPACES] = {0};
	for (struct ptx_variable *variable = variables; variable; variable = variable->next)
		if (variable->size)
			lay_out(variable, &end[variable->space]);
}

/* An initial value during parsing: the values may determine the variable's size. */
struct initial {
	struct ptx_variable *variable;
	uint8_t *bytes;
	uint64_t filled, capacity;
	struct ptx_relocation *relocations;
	uint32_t relocation_count, relocation_capacity;
};

static bool reserve(struct parser *p, struct initial *initial, uint64_t end)
{
	const struct ptx_variable *variable = initial->variable;
	bool open = variable->dimensions && variable->dimension[0] == 0;
	if (!open && end > variable->size)
		return fail(p, p->token.place, "too many values; expected %llu bytes",
		            (unsigned long long)variable->size);
	if (end > largest_initial)
		return fail(p, p->token.place, "the initial value is too large; expected at most %llu bytes",
		            (unsigned long long)largest_initial);
	if (end > initial->capacity) {
		uint64_t capacity = end < 32 ? 64 : 2 * end;
		initial->bytes = base_realloc(initial->bytes, capacity);
		memset(initial->bytes + initial->capacity, 0, capacity - initial->capacity);
		initial->capacity = capacity;
	}
	initial->filled = end > initial->filled ? end : initial->filled;
	return true;
}

/* symbol, symbol + 8, generic(symbol) - 4 */
static bool parse_symbol_value(struct parser *p, struct initial *initial, uint64_t at, uint32_t bytes)
{
	struct token token = p->token;
	struct name *name;
	if (!expect_word(p, &name, "a symbol"))
		return false;
	bool generic = token.length == 7 && memcmp(token.text, "generic", 7) == 0 && accept_punct(p, '(');
	if (generic) {
		token = p->token;
		if (!expect_word(p, &name, "a symbol") || !expect_punct(p, ')'))
			return false;
	}
	const struct symbol *symbol = lookup(p, name);
	if (!symbol || (symbol->kind != SYMBOL_VARIABLE && symbol->kind != SYMBOL_FUNCTION))
		return fail(p, token.place, "unknown symbol '%.*s'; expected a variable or function declared before",
		            (int)name->length, name->text);
	if (bytes != 4 && bytes != 8)
		return fail(p, token.place, "an address in %u bytes; expected a type of 4 or 8", bytes);
	int64_t addend = 0;
	bool plus = accept_punct(p, '+');
	if ((plus || at_punct(p, '-')) && !parse_integer(p, &addend))
		return false;
	if (symbol->kind == SYMBOL_FUNCTION)
		symbol->function->is_declared = true; /* the printer writes variables before functions */
	if (initial->relocation_count == initial->relocation_capacity) {
		initial->relocation_capacity = 2 * initial->relocation_capacity + 8;
		initial->relocations =
			base_realloc(initial->relocations, initial->relocation_capacity * sizeof *initial->relocations);
	}
	initial->relocations[initial->relocation_count++] =
		(struct ptx_relocation){.offset = at,
	                                .symbol = symbol->variable,
	                                .function = symbol->kind == SYMBOL_FUNCTION ? symbol->function : NULL,
	                                .addend = addend,
	                                .size = bytes};
	return true;
}

static bool parse_value(struct parser *p, struct initial *initial, uint64_t index)
{
	enum ptx_type type = initial->variable->type;
	uint32_t bytes = ptx_type_bytes(type);
	uint64_t at = index * bytes;
	struct diag_place place = p->token.place;
	if (!reserve(p, initial, at + bytes))
		return false;
	if (p->token.kind == TOKEN_WORD)
		return parse_symbol_value(p, initial, at, bytes);
	struct constant value;
	if (!parse_constant(p, &value))
		return false;
	if (at_punct(p, '('))
		return fail(
			p, place,
			"masks of addresses, as 0xFF(symbol), are not supported; expected the whole address in 4 or 8 "
			"bytes");
	if (value.is_float && !ptx_type_is_float(type))
		return fail(p, place, "a float as initial value of type .%s; expected an integer", ptx_type_name(type));
	double wide = constant_double(&value);
	float single = (float)wide;
	uint64_t bits = value.bits;
	if (type == PTX_F32)
		memcpy(&bits, &single, sizeof single);
	else if (type == PTX_F64)
		memcpy(&bits, &wide, sizeof wide);
	else if (value.is_float)
		return fail(p, place, "a float as initial value of type .%s; expected its bits", ptx_type_name(type));
	for (uint32_t i = 0; i < bytes && i < 8; i++)
		initial->bytes[at + i] = (uint8_t)(bits >> 8 * i);
	return true;
}

/* Parses values in braces, starting at element `first`: of dimension `level`, or of a vector after the last
 * dimension. */
static bool parse_braces(struct parser *p, struct initial *initial, uint32_t level, uint64_t first)
{
	const struct ptx_variable *variable = initial->variable;
	bool open = level == 0 && variable->dimensions && variable->dimension[0] == 0;
	uint64_t inner = span(variable, level + 1), index = first;
	uint64_t end = open ? UINT64_MAX : first + span(variable, level);
	next_token(p);
	while (!at_punct(p, '}')) {
		if (index >= end)
			return fail(p, p->token.place, "too many values; expected at most %llu in these braces",
			            (unsigned long long)(end - first));
		if (at_punct(p, '{')) {
			if (level >= variable->dimensions)
				return fail(p, p->token.place, "braces nested too deep; expected a value");
			if (!parse_braces(p, initial, level + 1, index))
				return false;
			index += inner;
		} else if (!parse_value(p, initial, index++)) {
			return false;
		}
		if (!accept_punct(p, ','))
			break;
	}
	return expect_punct(p, '}');
}

static void keep_initial(struct parser *p, struct initial *initial)
{
	struct ptx_variable *variable = initial->variable;
	if (variable->dimensions && variable->dimension[0] == 0) {
		uint64_t row = span(variable, 1) * ptx_type_bytes(variable->type);
		variable->dimension[0] = row ? (initial->filled + row - 1) / row : 0;
		variable->size = variable->dimension[0] * row;
	}
	variable->initial = arena_alloc(p->arena, variable->size ? variable->size : 1);
	memcpy(variable->initial, initial->bytes, initial->filled < variable->size ? initial->filled : variable->size);
	variable->relocation_count = initial->relocation_count;
	if (initial->relocation_count) {
		size_t bytes = initial->relocation_count * sizeof *initial->relocations;
		variable->relocations = arena_alloc(p->arena, bytes);
		memcpy(variable->relocations, initial->relocations, bytes);
	}
}

static bool parse_initial(struct parser *p, struct ptx_variable *variable)
{
	struct initial initial = {.variable = variable};
	if (variable->type >= PTX_TEXREF)
		return fail(p, p->token.place, "an initial value of type .%s; expected ';'",
		            ptx_type_name(variable->type));
	if (variable->space != PTX_GLOBAL && variable->space != PTX_CONST)
		return fail(p, p->token.place,
		            "an initial value in .%s; expected ';', or a variable in .global or .const",
		            ptx_space_name(variable->space));
	if (variable->size > largest_initial)
		return fail(p, p->token.place, "an initial value for %llu bytes; expected at most %llu",
		            (unsigned long long)variable->size, (unsigned long long)largest_initial);
	bool good = reserve(p, &initial, 0) &&
	            (at_punct(p, '{') ? parse_braces(p, &initial, 0, 0) : parse_value(p, &initial, 0));
	if (good && initial.filled)
		keep_initial(p, &initial);
	free(initial.bytes);
	free(initial.relocations);
	return good;
}

/* Returns the variable of that name: a new one, or the one that an .extern declaration announced. */
static struct ptx_variable *enter(struct parser *p, struct ptx_variable *parsed, struct name *name)
{
	const struct symbol *old = name->symbol;
	if (old && old->depth == 0 && p->scope->depth == 0 && old->kind == SYMBOL_VARIABLE &&
	    (old->variable->is_extern || parsed->is_extern)) {
		struct ptx_variable *variable = old->variable;
		if (variable->is_extern) {
			parsed->name = variable->name;
			parsed->next = variable->next;
			*variable = *parsed;
		}
		return variable;
	}
	struct symbol *symbol = declare(p, SYMBOL_VARIABLE, name, parsed->place, &parsed->name);
	if (!symbol)
		return NULL;
	struct ptx_variable *variable = arena_alloc(p->arena, sizeof *variable);
	*variable = *parsed;
	symbol->variable = variable;
	struct ptx_variable ***end = p->scope->depth ? &p->local_end : &p->variable_end;
	**end = variable;
	*end = &variable->next;
	return variable;
}

bool parse_variables(struct parser *p, struct linkage linkage)
{
	const struct ptx_variable start = {.space = p->token.name->space,
	                                   .is_extern = linkage.is_extern,
	                                   .is_visible = linkage.is_visible,
	                                   .is_weak = linkage.is_weak,
	                                   .is_common = linkage.is_common,
	                                   .function = p->scope->depth ? p->function : NULL};
	struct ptx_variable first = start;
	next_token(p);
	do {
		/* After a comma only the name and the dimensions change. */
		struct ptx_variable parsed = first;
		struct name *name;
		if (first.type == PTX_NO_TYPE) {
			struct diag_place place = p->token.place;
			if (!parse_declarator(p, &parsed, &name, false))
				return false;
			if (parsed.type == PTX_PRED)
				return fail(p, place, "a variable of type .pred; expected a type that memory can hold");
			first = parsed;
		} else {
			parsed.place = p->token.place;
			parsed.dimensions = 0;
			memset(parsed.dimension, 0, sizeof parsed.dimension);
			if (!expect_word(p, &name, "a name") || !parse_dimensions(p, &parsed) || !find_size(p, &parsed))
				return false;
		}
		struct ptx_variable *variable = enter(p, &parsed, name);
		if (!variable)
			return false;
		if (accept_punct(p, '=') && !parse_initial(p, variable))
			return false;
	} while (accept_punct(p, ','));
	return expect_semicolon(p);
}
