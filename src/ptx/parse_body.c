/* parse_body: the statements of a function's body. */
#include "ptx/parse.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST_SCOPE = 64, MOST_REGISTERS = 1 << 20 };

bool parse_pragma(struct parser *p)
{
	next_token(p);
	do {
		if (p->token.kind != TOKEN_STRING)
			return fail_expected(p, "a string");
		next_token(p);
	} while (accept_punct(p, ','));
	return expect_semicolon(p);
}

bool parse_file(struct parser *p)
{
	uint64_t number, ignored;
	next_token(p);
	if (!expect_int(p, &number, UINT32_MAX, "a file number"))
		return false;
	if (p->token.kind != TOKEN_STRING)
		return fail_expected(p, "a file name");
	struct ptx_file *file = arena_alloc(p->arena, sizeof *file);
	file->number = (uint32_t)number;
	file->name = arena_string(p->arena, p->token.text, p->token.length);
	*p->file_end = file;
	p->file_end = &file->next;
	next_token(p);
	while (accept_punct(p, ',')) /* time stamp and size */
		if (!expect_int(p, &ignored, UINT64_MAX, "a number"))
			return false;
	return true;
}

/* Skips the words after the comma of .loc: function_name label+offset, inlined_at file line column. */
static bool skip_inlining(struct parser *p)
{
	struct name *ignored;
	uint64_t number;
	if (!expect_word(p, &ignored, "'function_name' or 'inlined_at'"))
		return false;
	if (p->token.kind == TOKEN_WORD) {
		int64_t offset;
		next_token(p);
		return !accept_punct(p, '+') || parse_integer(p, &offset);
	}
	return expect_int(p, &number, UINT32_MAX, "a file number") && expect_int(p, &number, UINT32_MAX, "a line") &&
	       expect_int(p, &number, UINT32_MAX, "a column");
}

bool parse_loc(struct parser *p)
{
	uint64_t file, line, column;
	next_token(p);
	if (!expect_int(p, &file, UINT32_MAX, "a file number") || !expect_int(p, &line, UINT32_MAX, "a line") ||
	    !expect_int(p, &column, UINT32_MAX, "a column"))
		return false;
	p->source_file = (uint32_t)file;
	p->source_line = (uint32_t)line;
	p->source_column = (uint32_t)column;
	while (accept_punct(p, ','))
		if (!skip_inlining(p))
			return false;
	return true;
}

/* %rd12: 12. The first number after the letters is the register's number; an appended number does not count. */
static uint32_t number_in_name(const char *name)
{
	name += *name == '%';
	while ((*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') || *name == '_')
		name++;
	uint32_t number = 0;
	for (; *name >= '0' && *name <= '9'; name++)
		number = number * 10 + (uint32_t)(*name - '0');
	return number;
}

static bool add_register(struct parser *p, enum ptx_type type, struct name *name, struct diag_place place)
{
	if (p->reg_count == MOST_REGISTERS)
		return fail(p, place, "too many registers; expected at most %d in a function", MOST_REGISTERS);
	const char *unique;
	struct symbol *symbol = declare(p, SYMBOL_REG, name, place, &unique);
	if (!symbol)
		return false;
	if (p->reg_count == p->reg_capacity) {
		p->reg_capacity = 2 * p->reg_capacity + 64;
		p->regs = base_realloc(p->regs, p->reg_capacity * sizeof *p->regs);
	}
	symbol->reg = p->reg_count;
	p->regs[p->reg_count] = (struct ptx_reg){unique, type, p->reg_count, number_in_name(unique)};
	p->reg_count++;
	return true;
}

/* %r<22>: %r0 to %r21 */
static bool add_registers(struct parser *p, enum ptx_type type, const struct name *stem, struct diag_place place)
{
	uint64_t count;
	if (!expect_int(p, &count, MOST_REGISTERS, "a number of registers") || !expect_punct(p, '>'))
		return false;
	for (uint64_t i = 0; i < count; i++) {
		char digits[16];
		uint32_t length = (uint32_t)snprintf(digits, sizeof digits, "%llu", (unsigned long long)i);
		char *text = arena_alloc(&p->scratch, stem->length + length);
		memcpy(text, stem->text, stem->length);
		memcpy(text + stem->length, digits, length);
		if (!add_register(p, type, intern(p, text, stem->length + length), place))
			return false;
	}
	return true;
}

static bool parse_registers(struct parser *p)
{
	enum ptx_type type;
	next_token(p);
	if (at_dot(p, "v2") || at_dot(p, "v4"))
		return fail(p, p->token.place, "a vector register; expected a scalar type");
	struct diag_place type_place = p->token.place;
	if (!parse_type(p, &type))
		return false;
	if (type >= PTX_TEXREF)
		return fail(p, type_place, "a register of type .%s; expected a fundamental type", ptx_type_name(type));
	do {
		struct diag_place place = p->token.place;
		struct name *name;
		if (!expect_word(p, &name, "a register's name"))
			return false;
		if (accept_punct(p, '<') ? !add_registers(p, type, name, place) : !add_register(p, type, name, place))
			return false;
	} while (accept_punct(p, ','));
	return expect_semicolon(p);
}

static bool parse_declaration(struct parser *p)
{
	struct linkage linkage = {0};
	if (at_dot(p, "reg"))
		return parse_registers(p);
	if (at_dot(p, "loc"))
		return parse_loc(p);
	if (at_dot(p, "file"))
		return parse_file(p);
	if (at_dot(p, "pragma"))
		return parse_pragma(p);
	for (;;) {
		if (accept_dot(p, "extern"))
			linkage.is_extern = true;
		else if (accept_dot(p, "weak"))
			linkage.is_weak = true;
		else if (accept_dot(p, "visible"))
			linkage.is_visible = true;
		else
			break;
	}
	if (p->token.kind == TOKEN_DOT && p->token.name->space > PTX_SREG && p->token.name->space != PTX_TEX)
		return parse_variables(p, linkage);
	return fail_expected(p, "an instruction or a declaration");
}

static bool parse_label(struct parser *p, struct name *name, struct diag_place place)
{
	if (at_dot(p, "callprototype") || at_dot(p, "calltargets"))
		return parse_prototype(p, name, place);
	if (at_dot(p, "branchtargets"))
		return parse_targets(p, name, place);
	struct ptx_label *label = arena_alloc(p->arena, sizeof *label);
	struct symbol *symbol = declare(p, SYMBOL_LABEL, name, place, &label->name);
	if (!symbol)
		return false;
	symbol->reg = label->target = p->body_count;
	*p->label_end = label;
	p->label_end = &label->next;
	return true;
}

static bool parse_guard(struct parser *p, struct guard *guard)
{
	next_token(p);
	guard->negated = accept_punct(p, '!');
	struct diag_place place = p->token.place;
	struct name *name;
	if (!expect_word(p, &name, "a predicate register"))
		return false;
	const struct symbol *symbol = lookup(p, name);
	if (!symbol || symbol->kind != SYMBOL_REG)
		return fail(p, place, "unknown register '%.*s'; expected a declared predicate register",
		            (int)name->length, name->text);
	if (p->regs[symbol->reg].type != PTX_PRED)
		return fail(p, place, "%s is a .%s register; expected a predicate register", p->regs[symbol->reg].name,
		            ptx_type_name(p->regs[symbol->reg].type));
	guard->reg = symbol->reg;
	return true;
}

static bool parse_statement(struct parser *p)
{
	if (accept_punct(p, ';'))
		return true;
	if (p->token.kind == TOKEN_DOT)
		return parse_declaration(p);
	struct guard guard = {.reg = PTX_NO_REG};
	bool guarded = at_punct(p, '@');
	if (guarded && !parse_guard(p, &guard))
		return false;
	struct diag_place place = p->token.place;
	struct name *name;
	if (!expect_word(p, &name, guarded ? "an instruction" : "an instruction, a declaration or '}'"))
		return false;
	if (!guarded && accept_punct(p, ':'))
		return parse_label(p, name, place);
	if (name->length == 3 && memcmp(name->text, "brx", 3) == 0)
		return parse_indexed_branch(p, place, guard);
	if (name->length == 4 && memcmp(name->text, "wmma", 4) == 0 && (at_dot(p, "load") || at_dot(p, "store")))
		return parse_wmma_access(p, place, guard);
	if (name->length == 2 && memcmp(name->text, "cp", 2) == 0)
		return parse_async_copy(p, place, guard);
	return parse_instruction(p, name, place, guard);
}

bool parse_instructions(struct parser *p)
{
	while (p->token.kind != TOKEN_END) {
		struct guard guard = {.reg = PTX_NO_REG};
		if (at_punct(p, '@') && !parse_guard(p, &guard))
			return false;
		struct diag_place place = p->token.place;
		struct name *name;
		if (!expect_word(p, &name, "an instruction") || !parse_instruction(p, name, place, guard))
			return false;
	}
	return true;
}

bool skip_block(struct parser *p)
{
	uint32_t depth = 0;
	do {
		depth += at_punct(p, '{');
		depth -= at_punct(p, '}');
		next_token(p);
	} while (depth && p->token.kind != TOKEN_END);
	return depth == 0;
}

/* Parses statements, including the '}'. */
static bool parse_block(struct parser *p)
{
	while (!at_punct(p, '}')) {
		if (p->token.kind == TOKEN_END)
			return fail_expected(p, "'}'");
		if (!at_punct(p, '{')) {
			if (!parse_statement(p))
				skip_statement(p);
			continue;
		}
		struct scope scope;
		if (p->scope->depth == DEEPEST_SCOPE) {
			fail(p, p->token.place, "blocks nested too deep; expected at most %d levels", DEEPEST_SCOPE);
			skip_block(p);
			continue;
		}
		next_token(p);
		scope_open(p, &scope);
		bool good = parse_block(p);
		scope_close(p);
		if (!good)
			return false;
	}
	next_token(p);
	return true;
}

bool parse_inserted(struct parser *p, const char *text, size_t length, struct diag_place place)
{
	const char *at = p->at, *end = p->end, *line_start = p->line_start;
	const struct token token = p->token;
	const struct diag_place previous_end = p->previous_end;
	uint32_t line = p->line;
	struct scope scope;
	p->at = p->line_start = text + 1; /* after '{' */
	p->end = text + length;
	p->line = place.line;
	next_token(p);
	scope_open(p, &scope);
	bool good = parse_block(p);
	scope_close(p);
	p->at = at;
	p->end = end;
	p->line_start = line_start;
	p->line = line;
	p->token = token;
	p->previous_end = previous_end;
	return good;
}

bool parse_body(struct parser *p)
{
	struct ptx_function *function = p->function;
	p->body_count = p->reg_count = 0;
	p->source_file = p->source_line = p->source_column = 0;
	p->local_end = &function->locals;
	p->label_end = &function->labels;
	p->prototype_end = &function->prototypes;
	bool good = parse_block(p);
	lay_out_all(function->locals);
	function->body_count = p->body_count;
	if (p->body_count) {
		function->body = arena_array(p->arena, p->body_count, sizeof *p->body);
		memcpy(function->body, p->body, p->body_count * sizeof *p->body);
	}
	function->reg_count = p->reg_count;
	if (p->reg_count) {
		function->regs = arena_array(p->arena, p->reg_count, sizeof *p->regs);
		memcpy(function->regs, p->regs, p->reg_count * sizeof *p->regs);
	}
	return good;
}
