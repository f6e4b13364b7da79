/* parse_operand: parses operands one by one. check.c checks them, except for the operands of calls, which have
 * their own form. */
#include "ptx/parse.h"

#include <string.h>

enum { MOST_ELEMENTS = 256, MOST_LIST_REGISTERS = 24 };

static bool parse_constant_operand(struct parser *p, struct ptx_operand *operand)
{
	struct constant value;
	if (!parse_constant(p, &value))
		return false;
	operand->kind = value.is_float ? PTX_OPERAND_FLOAT : PTX_OPERAND_INT;
	operand->is_single = value.is_single;
	operand->bits = value.bits;
	return true;
}

/* The current token follows the word. %tid has components, %laneid has none. */
static bool parse_sreg(struct parser *p, enum ptx_sreg first, struct ptx_operand *operand)
{
	operand->kind = PTX_OPERAND_SREG;
	operand->sreg = first;
	if (!strchr(ptx_sreg_name(first), '.'))
		return true;
	if (p->token.kind != TOKEN_DOT || p->token.name->length != 1 || p->token.name->text[0] < 'x' ||
	    p->token.name->text[0] > 'z')
		return fail_expected(p, "'.x', '.y' or '.z'");
	operand->sreg = first + (enum ptx_sreg)(p->token.name->text[0] - 'x');
	next_token(p);
	return true;
}

/* Parses "+ constant" or "- constant" after a symbol or an address base. */
static bool parse_offset(struct parser *p, int64_t *offset)
{
	bool plus = accept_punct(p, '+');
	return (!plus && !at_punct(p, '-')) || parse_integer(p, offset);
}

static bool parse_word(struct parser *p, struct ptx_operand *operand)
{
	struct name *name = p->token.name;
	const struct symbol *symbol = lookup(p, name);
	next_token(p);
	if (!symbol && name->sreg)
		return parse_sreg(p, name->sreg, operand);
	if (!symbol && name->length == 1 && name->text[0] == '_') {
		operand->kind = PTX_OPERAND_SINK;
		return true;
	}
	if (!symbol)
		return fail(p, operand->place, "unknown name '%.*s'; expected a declared register or symbol",
		            (int)name->length, name->text);
	switch (symbol->kind) {
	case SYMBOL_REG:
		operand->kind = PTX_OPERAND_REG;
		operand->reg = symbol->reg;
		return true;
	case SYMBOL_VARIABLE:
		operand->kind = PTX_OPERAND_SYMBOL;
		operand->symbol = symbol->variable;
		return parse_offset(p, &operand->offset);
	case SYMBOL_FUNCTION:
		operand->kind = PTX_OPERAND_FUNCTION;
		operand->function = symbol->function;
		return true;
	case SYMBOL_LABEL:
	case SYMBOL_PROTOTYPE:
	case SYMBOL_TARGETS:
		break;
	}
	return fail(p, operand->place, "'%.*s' is a label; expected a register, constant or symbol", (int)name->length,
	            name->text);
}

/* Parses a register, constant or symbol: the operands allowed inside braces and lists. */
static bool parse_simple(struct parser *p, struct ptx_operand *operand)
{
	*operand = (struct ptx_operand){.reg = PTX_NO_REG, .place = p->token.place};
	bool is_constant = p->token.kind != TOKEN_WORD ||
	                   (!p->token.name->symbol && p->token.length == 7 && memcmp(p->token.text, "WARP_SZ", 7) == 0);
	return is_constant ? parse_constant_operand(p, operand) : parse_word(p, operand);
}

static bool read_elements(struct parser *p, struct ptx_operand *operand, char close)
{
	struct ptx_operand element[MOST_ELEMENTS];
	uint32_t count = 0;
	if (!at_punct(p, close)) {
		do {
			if (count == MOST_ELEMENTS)
				return fail(p, p->token.place, "too many elements; expected at most %d", MOST_ELEMENTS);
			if (!parse_simple(p, &element[count++]))
				return false;
		} while (accept_punct(p, ','));
	}
	if (!expect_punct(p, close))
		return false;
	operand->count = count;
	operand->element = count ? arena_array(p->arena, count, sizeof *element) : NULL;
	if (count)
		memcpy(operand->element, element, count * sizeof *element);
	return true;
}

/* After an error inside braces: skips to after them, so that their '}' is not taken as the end of the body. */
static void skip_braces(struct parser *p)
{
	while (p->token.kind != TOKEN_END && !at_punct(p, ';') && !at_punct(p, '}'))
		next_token(p);
	accept_punct(p, '}');
}

/* Parses elements, including `close`. */
static bool parse_elements(struct parser *p, struct ptx_operand *operand, char close)
{
	bool good = read_elements(p, operand, close);
	if (!good && close == '}')
		skip_braces(p);
	return good;
}

/* Appends one element. */
static bool add_element(struct parser *p, struct ptx_operand *operand, const struct ptx_operand *element)
{
	struct ptx_operand *all = arena_array(p->arena, operand->count + 1, sizeof *all);
	if (operand->count)
		memcpy(all, operand->element, operand->count * sizeof *all);
	all[operand->count++] = *element;
	operand->element = all;
	return true;
}

/* Parses after '[': an address, or a texture with its coordinates. Coordinates are in braces; a single one may have
 * none. A sampler may precede them. */
static bool parse_address(struct parser *p, struct ptx_operand *operand)
{
	operand->kind = PTX_OPERAND_ADDRESS;
	if (p->token.kind != TOKEN_WORD)
		return parse_integer(p, &operand->offset) && expect_punct(p, ']');
	struct ptx_operand base;
	if (!parse_simple(p, &base))
		return false;
	if (base.kind != PTX_OPERAND_REG && base.kind != PTX_OPERAND_SYMBOL)
		return fail(p, base.place, "this is not an address; expected a register or a variable");
	operand->reg = base.reg;
	operand->symbol = base.symbol;
	operand->offset = base.offset;
	if (base.kind == PTX_OPERAND_REG && !parse_offset(p, &operand->offset))
		return false;
	if (!accept_punct(p, ','))
		return expect_punct(p, ']');
	operand->kind = PTX_OPERAND_TEXTURE;
	if (operand->offset)
		return fail(p, base.place, "a texture with an offset; expected its name or a register");
	if (accept_punct(p, '{'))
		return parse_elements(p, operand, '}') && expect_punct(p, ']');
	struct ptx_operand first;
	if (!parse_simple(p, &first))
		return false;
	if (!accept_punct(p, ','))
		return add_element(p, operand, &first) && expect_punct(p, ']');
	operand->has_sampler = true;
	return expect_punct(p, '{') && parse_elements(p, operand, '}') && add_element(p, operand, &first) &&
	       expect_punct(p, ']');
}

bool parse_operand(struct parser *p, struct ptx_operand *operand)
{
	*operand = (struct ptx_operand){.reg = PTX_NO_REG, .place = p->token.place};
	if (accept_punct(p, '['))
		return parse_address(p, operand);
	if (accept_punct(p, '{')) {
		operand->kind = PTX_OPERAND_VECTOR;
		return parse_elements(p, operand, '}');
	}
	if (!at_punct(p, '!'))
		return parse_simple(p, operand);
	struct diag_place place = p->token.place;
	next_token(p);
	if (!parse_simple(p, operand))
		return false;
	operand->negated = true;
	operand->place = place;
	return operand->kind == PTX_OPERAND_REG ||
	       fail(p, place, "'!' without a register; expected a predicate register");
}

void parse_selector(struct parser *p, struct ptx_operand *operand)
{
	if (operand->kind != PTX_OPERAND_REG || p->token.kind != TOKEN_DOT || !p->token.glued ||
	    p->token.name->length >= sizeof operand->select)
		return;
	memcpy(operand->select, p->token.name->text, p->token.name->length);
	next_token(p);
}

/* Parses the prototype or the target list that ends an indirect call. */
static bool parse_signature(struct parser *p, struct ptx_inst *inst)
{
	struct diag_place place = p->token.place;
	struct name *name;
	if (!expect_word(p, &name, "a prototype"))
		return false;
	const struct symbol *symbol = lookup(p, name);
	if (!symbol || (symbol->kind != SYMBOL_PROTOTYPE && symbol->kind != SYMBOL_FUNCTION))
		return fail(p, place, "unknown prototype '%.*s'; expected one declared by .callprototype",
		            (int)name->length, name->text);
	inst->prototype = symbol->function;
	return true;
}

static bool check_list(struct parser *p, const struct ptx_operand *list)
{
	uint32_t registers = 0;
	for (uint32_t i = 0; i < list->count; i++) {
		const struct ptx_operand *element = &list->element[i];
		registers += element->kind == PTX_OPERAND_REG;
		if (element->kind == PTX_OPERAND_SYMBOL && (element->symbol->space != PTX_PARAM || element->offset))
			return fail(p, element->place, "'%s' is not a parameter; expected a .param variable",
			            element->symbol->name);
	}
	return registers <= MOST_LIST_REGISTERS ||
	       fail(p, list->place, "%u registers in a list; expected at most %d", registers, MOST_LIST_REGISTERS);
}

static bool parse_list(struct parser *p, struct ptx_operand *list)
{
	*list = (struct ptx_operand){.kind = PTX_OPERAND_LIST, .reg = PTX_NO_REG, .place = p->token.place};
	return !accept_punct(p, '(') || (parse_elements(p, list, ')') && check_list(p, list));
}

bool parse_call(struct parser *p, struct ptx_inst *inst, struct ptx_operand *operand)
{
	struct ptx_operand *results = &operand[0], *target = &operand[1], *arguments = &operand[2];
	bool has_results = at_punct(p, '(');
	inst->operands = 3;
	inst->destinations = 1;
	if (!parse_list(p, results) || (has_results && !expect_punct(p, ',')))
		return false;
	if (p->token.kind != TOKEN_WORD)
		return fail_expected(p, "a function");
	if (!parse_simple(p, target))
		return false;
	for (uint32_t i = 0; i < results->count; i++)
		if (results->element[i].kind != PTX_OPERAND_SYMBOL && results->element[i].kind != PTX_OPERAND_REG)
			return fail(p, results->element[i].place,
			            "a constant cannot receive a result; expected a .param variable or a register");
	if (target->kind == PTX_OPERAND_FUNCTION && target->function->is_entry)
		return fail(p, target->place, "'%s' is a kernel; expected a function declared by .func",
		            target->function->name);
	if (target->kind != PTX_OPERAND_FUNCTION && target->kind != PTX_OPERAND_REG)
		return fail(p, target->place,
		            "this is not a function; expected a function or a register with its address");
	bool more = accept_punct(p, ',');
	if (more && at_punct(p, '(')) {
		if (!parse_list(p, arguments))
			return false;
		more = accept_punct(p, ',');
	} else {
		*arguments = (struct ptx_operand){.kind = PTX_OPERAND_LIST, .reg = PTX_NO_REG, .place = p->token.place};
	}
	if (more && !parse_signature(p, inst))
		return false;
	if (target->kind == PTX_OPERAND_FUNCTION)
		return check_call(p, inst, operand, target->function);
	if (!inst->prototype)
		return fail(p, target->place, "an indirect call without a prototype; expected one after the arguments");
	return check_call(p, inst, operand, inst->prototype);
}
