/* alias: .alias declares another name for a function. When the module is complete, the function replaces its
 * aliases. */
#include "ptx/parse.h"

struct alias {
	struct name *name, *function;
	struct diag_place place;
	struct alias *next;
};

bool parse_alias(struct parser *p)
{
	struct alias *alias = arena_alloc(&p->scratch, sizeof *alias);
	*alias = (struct alias){.place = p->token.place, .next = p->aliases};
	p->aliases = alias;
	return expect_word(p, &alias->name, "a function") && expect_punct(p, ',') &&
	       expect_word(p, &alias->function, "a function") && expect_semicolon(p);
}

static struct ptx_function *function_named(struct parser *p, struct name *name)
{
	const struct symbol *symbol = name ? lookup(p, name) : NULL;
	return symbol && symbol->kind == SYMBOL_FUNCTION ? symbol->function : NULL;
}

static void replace_in(struct ptx_function *in, const struct ptx_function *alias, const struct ptx_function *function)
{
	for (uint32_t i = 0; i < in->body_count; i++)
		for (uint32_t k = 0; k < in->body[i].operands; k++)
			if (in->body[i].operand[k].function == alias)
				in->body[i].operand[k].function = function;
}

static void replace(struct ptx_module *module, const struct ptx_function *alias, const struct ptx_function *function)
{
	for (struct ptx_function *in = module->functions; in; in = in->next)
		replace_in(in, alias, function);
	for (struct ptx_variable *variable = module->variables; variable; variable = variable->next)
		for (uint32_t k = 0; k < variable->relocation_count; k++)
			if (variable->relocations[k].function == alias)
				variable->relocations[k].function = function;
}

void resolve_aliases(struct parser *p)
{
	for (const struct alias *alias = p->aliases; alias; alias = alias->next) {
		struct ptx_function *other = function_named(p, alias->name),
				    *function = function_named(p, alias->function);
		if (!other || !function || other->has_body)
			fail(p, alias->place,
			     "an alias of unknown functions; expected a declared function without a body, and one with "
			     "a body");
		else
			replace(p->module, other, function);
	}
}
