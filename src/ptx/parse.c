/* parse: the module level: directives, variables, functions. */
#include "ptx/parse.h"

#include <stdlib.h>
#include <string.h>

static bool parse_version(struct parser *p)
{
	struct token token = p->token;
	if (token.kind != TOKEN_FLOAT && token.kind != TOKEN_INT)
		return fail_expected(p, "a version such as 3.2");
	next_token(p);
	uint32_t part[2] = {0}, at = 0;
	for (uint32_t i = 0; i < token.length; i++) {
		if (token.text[i] == '.' && at == 0)
			at = 1;
		else if (token.text[i] >= '0' && token.text[i] <= '9' && part[at] < 1000)
			part[at] = part[at] * 10 + (uint32_t)(token.text[i] - '0');
		else
			return fail(p, token.place, "version '%.*s'; expected one such as 3.2", (int)token.length,
			            token.text);
	}
	p->module->version_major = part[0];
	p->module->version_minor = part[1];
	return true;
}

/* .target sm_70, debug: only the architecture is used. */
static bool parse_target(struct parser *p)
{
	struct name *name;
	if (!expect_word(p, &name, "an architecture such as sm_20"))
		return false;
	p->module->target = arena_string(p->arena, name->text, name->length);
	while (accept_punct(p, ','))
		if (!expect_word(p, &name, "an option of the target"))
			return false;
	return true;
}

static bool parse_address_size(struct parser *p)
{
	struct diag_place place = p->token.place;
	uint64_t bits;
	if (!expect_int(p, &bits, UINT32_MAX, "32 or 64"))
		return false;
	if (bits != 32 && bits != 64)
		return fail(p, place, "address size %llu; expected 32 or 64", (unsigned long long)bits);
	p->module->address_size = (uint32_t)bits;
	return true;
}

/* .section .debug_info { ... } */
static bool skip_section(struct parser *p)
{
	if (p->token.kind != TOKEN_DOT && p->token.kind != TOKEN_WORD)
		return fail_expected(p, "a section's name");
	next_token(p);
	if (!expect_punct(p, '{'))
		return false;
	while (!at_punct(p, '}')) {
		if (p->token.kind == TOKEN_END)
			return fail_expected(p, "'}'");
		next_token(p);
	}
	next_token(p);
	return true;
}

static bool parse_linked(struct parser *p)
{
	struct linkage linkage = {0};
	for (;;) {
		if (accept_dot(p, "visible"))
			linkage.is_visible = true;
		else if (accept_dot(p, "extern"))
			linkage.is_extern = true;
		else if (accept_dot(p, "weak"))
			linkage.is_weak = true;
		else if (accept_dot(p, "common"))
			linkage.is_common = true;
		else
			break;
	}
	if (at_dot(p, "entry") || at_dot(p, "func"))
		return parse_function(p, linkage);
	if (p->token.kind == TOKEN_DOT) {
		enum ptx_space space = p->token.name->space;
		if (space == PTX_GLOBAL || space == PTX_CONST || space == PTX_SHARED || space == PTX_LOCAL ||
		    space == PTX_TEX)
			return parse_variables(p, linkage);
	}
	return fail_expected(p, "a directive, a variable or a function");
}

static bool parse_directive(struct parser *p)
{
	if (accept_punct(p, ';'))
		return true;
	if (accept_dot(p, "version"))
		return parse_version(p);
	if (accept_dot(p, "target"))
		return parse_target(p);
	if (accept_dot(p, "address_size"))
		return parse_address_size(p);
	if (accept_dot(p, "alias"))
		return parse_alias(p);
	if (accept_dot(p, "section"))
		return skip_section(p);
	if (at_dot(p, "file"))
		return parse_file(p);
	if (at_dot(p, "loc"))
		return parse_loc(p);
	if (at_dot(p, "pragma"))
		return parse_pragma(p);
	return parse_linked(p);
}

/* After an error: skips to the next token that can begin a module directive. */
static void skip_directive(struct parser *p, uint32_t line)
{
	uint32_t depth = 0;
	while (p->token.kind != TOKEN_END) {
		if (at_punct(p, '{')) {
			depth++;
		} else if (at_punct(p, '}') && depth <= 1) {
			next_token(p);
			return;
		} else if (at_punct(p, '}')) {
			depth--;
		} else if (depth == 0 && p->token.place.line > line && p->token.kind == TOKEN_DOT &&
		           !p->token.name->type && p->token.name->space != PTX_PARAM) {
			return;
		} else if (depth == 0 && at_punct(p, ';')) {
			next_token(p);
			return;
		}
		next_token(p);
	}
}

/* Functions without a body first, then the others in definition order: the order of the printer. */
static void order_functions(struct parser *p)
{
	struct ptx_function *next, **end = &p->module->functions;
	for (struct ptx_function *function = p->module->functions; function; function = next) {
		next = function->next;
		if (!function->has_body) {
			*end = function;
			end = &function->next;
		}
	}
	for (uint32_t i = 0; i < p->defined_count; i++) {
		*end = p->defined[i];
		end = &p->defined[i]->next;
	}
	*end = NULL;
	for (struct ptx_function *function = p->module->functions; function; function = function->next)
		function->index = p->module->function_count++;
}

static void parse_module(struct parser *p)
{
	struct scope scope;
	scope_open(p, &scope);
	next_token(p);
	if (!at_dot(p, "version"))
		fail_expected(p, "'.version' at the start of the module");
	bool is_ptx = p->token.kind == TOKEN_DOT; /* if not, one message is enough */
	while (is_ptx && p->token.kind != TOKEN_END) {
		uint32_t line = p->token.place.line;
		if (!parse_directive(p))
			skip_directive(p, line);
	}
	if (!p->module->target && p->diag->errors == 0)
		fail(p, p->token.place, "the module has no target; expected '.target'");
	resolve_aliases(p);
	order_functions(p);
	lay_out_all(p->module->variables);
	scope_close(p);
}

static struct ptx_module *parse(const char *name, const char *text, size_t length, bool keeps_apart, bool has_copies,
                                struct diag *diag)
{
	struct ptx_module *module = base_calloc(1, sizeof *module);
	module->has_copies = has_copies;
	module->source = (struct diag_source){.name = arena_string(&module->arena, name, strlen(name)),
	                                      .text = arena_string(&module->arena, text, length),
	                                      .length = length};
	module->address_size = 32; /* default if the file has none */
	struct parser p = {.module = module,
	                   .arena = &module->arena,
	                   .diag = diag,
	                   .keeps_apart = keeps_apart,
	                   .at = module->source.text,
	                   .end = module->source.text + length,
	                   .line_start = module->source.text,
	                   .line = 1,
	                   .variable_end = &module->variables,
	                   .function_end = &module->functions,
	                   .file_end = &module->files};
	uint32_t errors_before = diag->errors;
	names_open(&p);
	parse_module(&p);
	names_close(&p);
	free(p.defined);
	free(p.body);
	free(p.regs);
	if (diag->errors == errors_before)
		return module;
	ptx_free(module);
	return NULL;
}

struct ptx_module *ptx_parse(const char *name, const char *text, size_t length, struct diag *diag)
{
	return parse(name, text, length, false, false, diag);
}

struct ptx_module *ptx_load(const char *name, const char *text, size_t length, struct diag *diag)
{
	return parse(name, text, length, true, false, diag);
}

struct ptx_module *ptx_load_with_copies(const char *name, const char *text, size_t length, struct diag *diag)
{
	return parse(name, text, length, true, true, diag);
}

void ptx_free(struct ptx_module *module)
{
	if (!module)
		return;
	struct arena arena = module->arena;
	free(module);
	arena_free(&arena);
}

struct ptx_function *ptx_find_function(const struct ptx_module *module, const char *name)
{
	struct ptx_function *function = module->functions;
	while (function && strcmp(function->name, name) != 0)
		function = function->next;
	return function;
}

struct ptx_variable *ptx_find_variable(const struct ptx_module *module, const char *name)
{
	struct ptx_variable *variable = module->variables;
	while (variable && strcmp(variable->name, name) != 0)
		variable = variable->next;
	return variable;
}

const char *ptx_file_name(const struct ptx_module *module, uint32_t number)
{
	const struct ptx_file *file = module->files;
	while (file && file->number != number)
		file = file->next;
	return file ? file->name : NULL;
}
