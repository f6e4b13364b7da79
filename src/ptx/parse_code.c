/* parse_code: parses instructions to be inserted into an existing function; passes write them as text. */
#include "ptx/parse.h"

#include <stdlib.h>
#include <string.h>

/* Declares an existing name. Names inside a function are unique, so nothing is declared twice. */
static struct symbol *know(struct parser *p, enum symbol_kind kind, const char *text)
{
	return declare(p, kind, intern(p, text, (uint32_t)strlen(text)), (struct diag_place){0}, NULL);
}

static void know_variables(struct parser *p, const struct ptx_variable *first)
{
	for (; first; first = first->next)
		know(p, SYMBOL_VARIABLE, first->name)->variable = (struct ptx_variable *)first;
}

static void know_functions(struct parser *p, enum symbol_kind kind, const struct ptx_function *first)
{
	for (; first; first = first->next)
		know(p, kind, first->name)->function = (struct ptx_function *)first;
}

/* Parameters are in an array. */
static void know_params(struct parser *p, struct ptx_variable *params, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (strcmp(params[i].name, "_") != 0)
			know(p, SYMBOL_VARIABLE, params[i].name)->variable = &params[i];
}

static void know_function(struct parser *p, const struct ptx_function *function)
{
	know_params(p, function->params, function->param_count);
	know_params(p, function->results, function->result_count);
	know_variables(p, function->locals);
	know_functions(p, SYMBOL_PROTOTYPE, function->prototypes);
	for (uint32_t i = 0; i < function->reg_count; i++)
		know(p, SYMBOL_REG, function->regs[i].name)->reg = i;
	for (const struct ptx_label *label = function->labels; label; label = label->next)
		know(p, SYMBOL_LABEL, label->name)->reg = label->target;
}

static void parse_for(struct parser *p, const struct ptx_function *function)
{
	struct scope module, body;
	scope_open(p, &module);
	know_variables(p, p->module->variables);
	know_functions(p, SYMBOL_FUNCTION, p->module->functions);
	scope_open(p, &body);
	know_function(p, function);
	next_token(p);
	parse_instructions(p);
	scope_close(p);
	scope_close(p);
}

struct ptx_inst *ptx_parse_code(struct ptx_module *module, const struct ptx_function *function, const char *text,
                                uint32_t *count, struct diag *diag)
{
	/* The same module with another text, to which messages point. */
	struct ptx_module shown = *module;
	shown.source = (struct diag_source){"inserted code", text, strlen(text)};
	struct parser p = {.module = &shown,
	                   .arena = &module->arena,
	                   .diag = diag,
	                   .at = text,
	                   .end = text + shown.source.length,
	                   .line_start = text,
	                   .line = 1,
	                   .function = (struct ptx_function *)function,
	                   .regs = function->regs,
	                   .reg_count = function->reg_count};
	uint32_t errors_before = diag->errors;
	struct ptx_inst *code = NULL;
	names_open(&p);
	parse_for(&p, function);
	names_close(&p);
	if (diag->errors == errors_before) {
		code = arena_array(&module->arena, p.body_count, sizeof *code);
		if (p.body_count)
			memcpy(code, p.body, p.body_count * sizeof *code);
		*count = p.body_count;
	}
	free(p.body);
	return code;
}
