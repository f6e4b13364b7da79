/* parse_params: heads of kernels and functions, and the prototypes of indirect calls. */
#include "ptx/parse.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PARAM_BYTES = 32764 }; /* of a kernel, PTX's limit since version 8.1 */

/* Parameters during parsing. */
struct params {
	struct ptx_variable *variable;
	struct name **name;
	uint32_t count, capacity;
};

static bool parse_param(struct parser *p, struct params *params)
{
	if (at_dot(p, "reg"))
		return fail(p, p->token.place, "a parameter in a register; expected '.param'");
	if (!accept_dot(p, "param"))
		return fail_expected(p, "'.param'");
	if (params->count == params->capacity) {
		params->capacity = 2 * params->capacity + 8;
		params->variable = base_realloc(params->variable, params->capacity * sizeof *params->variable);
		params->name = base_realloc(params->name, params->capacity * sizeof *params->name);
	}
	struct ptx_variable *variable = &params->variable[params->count];
	*variable = (struct ptx_variable){.space = PTX_PARAM};
	return parse_declarator(p, variable, &params->name[params->count++], true);
}

/* Stores the parameters in their owner and declares the named ones. */
static bool keep_params(struct parser *p, struct ptx_function *owner, struct params *params, bool results,
                        bool declares)
{
	struct ptx_variable *kept = params->count ? arena_array(p->arena, params->count, sizeof *kept) : NULL;
	uint64_t bytes = 0;
	for (uint32_t i = 0; i < params->count; i++) {
		struct name *name = params->name[i];
		kept[i] = params->variable[i];
		kept[i].function = owner;
		kept[i].next = i + 1 < params->count ? &kept[i + 1] : NULL;
		lay_out(&kept[i], &bytes);
		kept[i].name = name ? arena_string(p->arena, name->text, name->length) : "_";
		if (!declares || !name)
			continue;
		struct symbol *symbol = declare(p, SYMBOL_VARIABLE, name, kept[i].place, &kept[i].name);
		if (!symbol)
			return false;
		symbol->variable = &kept[i];
	}
	if (results) {
		owner->results = kept;
		owner->result_count = params->count;
	} else {
		owner->params = kept;
		owner->param_count = params->count;
		owner->param_bytes = bytes;
	}
	return true;
}

/* Parses after '(', including the ')'. */
bool parse_params(struct parser *p, struct ptx_function *owner, bool results, bool declares)
{
	struct params params = {0};
	bool good = true;
	if (!at_punct(p, ')')) {
		do
			good = parse_param(p, &params);
		while (good && accept_punct(p, ','));
	}
	good = good && expect_punct(p, ')') && keep_params(p, owner, &params, results, declares);
	free(params.variable);
	free(params.name);
	return good;
}

bool parse_prototype(struct parser *p, struct name *name, struct diag_place place)
{
	struct ptx_function *prototype = arena_alloc(p->arena, sizeof *prototype);
	prototype->is_prototype = true;
	prototype->place = place;
	prototype->module = p->module;
	struct symbol *symbol = declare(p, SYMBOL_PROTOTYPE, name, place, &prototype->name);
	if (!symbol)
		return false;
	symbol->function = prototype;
	*p->prototype_end = prototype;
	p->prototype_end = &prototype->next;
	if (accept_dot(p, "calltargets")) {
		/* All targets have one signature, so the first target's signature is the prototype. */
		struct name *target;
		struct diag_place target_place = p->token.place;
		if (!expect_word(p, &target, "a function"))
			return false;
		const struct symbol *function = lookup(p, target);
		if (!function || function->kind != SYMBOL_FUNCTION)
			return fail(p, target_place, "unknown function '%.*s'; expected one declared before",
			            (int)target->length, target->text);
		prototype->params = function->function->params;
		prototype->param_count = function->function->param_count;
		prototype->param_bytes = function->function->param_bytes;
		prototype->results = function->function->results;
		prototype->result_count = function->function->result_count;
		while (accept_punct(p, ','))
			if (!expect_word(p, &target, "a function"))
				return false;
		return expect_semicolon(p);
	}
	next_token(p); /* .callprototype */
	struct name *ignored;
	if (accept_punct(p, '(') && !parse_params(p, prototype, true, false))
		return false;
	if (!expect_word(p, &ignored, "'_'"))
		return false;
	if (accept_punct(p, '(') && !parse_params(p, prototype, false, false))
		return false;
	prototype->is_noreturn = accept_dot(p, "noreturn");
	return expect_semicolon(p);
}

static bool parse_threads(struct parser *p, uint32_t threads[3])
{
	uint32_t i = 0;
	threads[0] = threads[1] = threads[2] = 1;
	do {
		uint64_t value;
		if (!expect_int(p, &value, UINT32_MAX, "a number of threads"))
			return false;
		if (i == 3)
			return fail(p, p->token.place, "too many dimensions; expected at most 3");
		threads[i++] = (uint32_t)value;
	} while (accept_punct(p, ','));
	return true;
}

static bool is_cluster_directive(const struct parser *p)
{
	return at_dot(p, "reqnctapercluster") || at_dot(p, "explicitcluster") || at_dot(p, "blocksareclusters");
}

static bool parse_directives(struct parser *p, struct ptx_function *function)
{
	while (p->token.kind == TOKEN_DOT) {
		uint64_t value = 0;
		bool good = true;
		if (accept_dot(p, "maxntid")) {
			good = parse_threads(p, function->max_threads);
		} else if (accept_dot(p, "reqntid")) {
			good = parse_threads(p, function->required_threads);
		} else if (accept_dot(p, "minnctapersm") || accept_dot(p, "maxnctapersm")) {
			good = expect_int(p, &value, UINT32_MAX, "a number of blocks");
			function->min_blocks = (uint32_t)value;
		} else if (accept_dot(p, "maxnreg")) {
			good = expect_int(p, &value, UINT32_MAX, "a number of registers");
			function->max_registers = (uint32_t)value;
		} else if (accept_dot(p, "noreturn")) {
			function->is_noreturn = true;
		} else if (accept_dot(p, "maxclusterrank")) {
			good = expect_int(p, &value, UINT32_MAX,
			                  /* for clusters; kernels are not launched in clusters */
			                  "a number of blocks");
		} else if (is_cluster_directive(p)) {
			return fail(p, p->token.place, "'.%.*s': clusters of blocks are not supported",
			            (int)p->token.name->length, p->token.name->text);
		} else if (at_dot(p, "pragma")) {
			good = parse_pragma(p);
		} else {
			return fail_expected(p, "a directive of a function, ';' or '{'");
		}
		if (!good)
			return false;
	}
	return true;
}

static void add_definition(struct parser *p, struct ptx_function *function)
{
	if (p->defined_count == p->defined_capacity) {
		p->defined_capacity = 2 * p->defined_capacity + 16;
		p->defined = base_realloc(p->defined, p->defined_capacity * sizeof *p->defined);
	}
	p->defined[p->defined_count++] = function;
	function->has_body = true;
}

/* Returns the function of that name: a new one, or the one declared before. */
static struct ptx_function *enter_function(struct parser *p, struct name *name, struct diag_place place, bool is_entry)
{
	const struct symbol *old = name->symbol;
	if (old && old->kind == SYMBOL_FUNCTION && old->function->is_entry == is_entry)
		return old->function;
	struct ptx_function *function = arena_alloc(p->arena, sizeof *function);
	struct symbol *symbol = declare(p, SYMBOL_FUNCTION, name, place, &function->name);
	if (!symbol)
		return NULL;
	function->is_entry = is_entry;
	function->module = p->module;
	function->place = place;
	symbol->function = function;
	*p->function_end = function;
	p->function_end = &function->next;
	return function;
}

/* Parses after the name: parameters, directives, and the body or ';'. */
static bool parse_rest(struct parser *p, struct ptx_function *function, struct diag_place place)
{
	if (accept_punct(p, '(') && !parse_params(p, function, false, true))
		return false;
	if (function->is_entry && function->param_bytes > MOST_PARAM_BYTES)
		return fail(p, place, "the parameters of '%s' have %llu bytes; expected at most %d", function->name,
		            (unsigned long long)function->param_bytes, MOST_PARAM_BYTES);
	if (!parse_directives(p, function))
		return false;
	if (at_punct(p, ';')) {
		function->is_declared = true;
		next_token(p);
		return true;
	}
	if (!at_punct(p, '{'))
		return fail_expected(p, "';' or '{'");
	if (function->has_body)
		return fail(p, place, "'%s' has a body already, in line %u; expected another name", function->name,
		            function->place.line);
	function->place = place;
	add_definition(p, function);
	next_token(p);
	return parse_body(p);
}

/* Parses up to the name, inclusive. Returns the function, declared in the outer scope, or NULL after an error. */
static struct ptx_function *parse_head(struct parser *p, struct linkage linkage, bool is_entry,
                                       struct diag_place *name_place)
{
	struct ptx_function head = {0};
	struct scope *inner = p->scope;
	struct name *name;
	while (!is_entry && accept_dot(p, "noreturn"))
		head.is_noreturn = true;
	if (!is_entry && accept_punct(p, '(') && !parse_params(p, &head, true, true))
		return NULL;
	*name_place = p->token.place;
	if (!expect_word(p, &name, "a name"))
		return NULL;
	p->scope = inner->outer;
	struct ptx_function *function = enter_function(p, name, *name_place, is_entry);
	p->scope = inner;
	if (!function)
		return NULL;
	function->is_visible |= linkage.is_visible;
	function->is_weak |= linkage.is_weak;
	function->is_extern |= linkage.is_extern;
	function->is_noreturn |= head.is_noreturn;
	function->results = head.results;
	function->result_count = head.result_count;
	for (uint32_t i = 0; i < head.result_count; i++)
		head.results[i].function = function;
	return function;
}

/* After an error before a body: skips to after the body, or after the ';' that replaces it. Returns false when
 * neither is found. */
static bool skip_rest(struct parser *p, bool *is_body)
{
	while (!at_punct(p, '{') && !at_punct(p, ';')) {
		if (p->token.kind == TOKEN_END || at_dot(p, "entry") || at_dot(p, "func"))
			return false;
		next_token(p);
	}
	*is_body = at_punct(p, '{');
	if (accept_punct(p, ';'))
		return true;
	return skip_block(p);
}

/* Removes the function's code and stores its errors. */
static void give_up(struct parser *p, struct ptx_function *function, struct diag_place place, const char *errors)
{
	function->errors = arena_string(p->arena, errors, strlen(errors));
	function->place = place;
	function->regs = NULL;
	function->body = NULL;
	function->locals = NULL;
	function->labels = NULL;
	function->prototypes = NULL;
	function->reg_count = function->body_count = 0;
}

/* Parses parameters, directives and body of a function, whose scope ends here. If errors are kept apart, those of
 * the first definition are stored with the function. This requires that the end of the function can be found. */
static bool parse_apart(struct parser *p, struct ptx_function *function, struct diag_place place)
{
	struct diag own = {0}, *all = p->diag;
	bool is_body = false;
	p->diag = p->keeps_apart && !function->has_body ? &own : all;
	bool good = parse_rest(p, function, place);
	if (!good && p->diag == &own)
		good = skip_rest(p, &is_body);
	scope_close(p);
	p->diag = all;
	if (is_body && !function->has_body)
		add_definition(p, function);
	if (good && own.errors)
		give_up(p, function, place, own.text);
	else if (function->has_body)
		function->errors = NULL; /* of a declaration */
	if (!good)
		diag_append(all, own.text, own.errors);
	diag_free(&own);
	return good;
}

bool parse_function(struct parser *p, struct linkage linkage)
{
	struct scope scope;
	struct diag_place place = p->token.place, name_place;
	bool is_entry = at_dot(p, "entry");
	next_token(p);
	p->function_serial++;
	scope_open(p, &scope);
	p->function = parse_head(p, linkage, is_entry, &name_place);
	if (p->function)
		return parse_apart(p, p->function, is_entry ? place : name_place);
	scope_close(p);
	return false;
}
