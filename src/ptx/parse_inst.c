/* parse_inst: an instruction: opcode, suffixes, operands. */
#include "ptx/parse.h"

#include <stdlib.h>
#include <string.h>

static bool fail_suffix(struct parser *p, enum ptx_opcode op, const char *problem)
{
	const char *word = ptx_ops[op].name;
	if (refused(p, intern(p, word, (uint32_t)strlen(word)), p->token.place))
		return false;
	const struct name *name = p->token.name;
	const char *nearest = nearest_suffix(p, name, op);
	int length = name->length < 40 ? (int)name->length : 40;
	if (nearest)
		return fail(p, p->token.place, "%s '.%.*s' of '%s'; expected '.%s'?", problem, length, name->text,
		            ptx_ops[op].name, nearest);
	return fail(p, p->token.place, "%s '.%.*s' of '%s'; expected a type or modifier of this instruction", problem,
	            length, name->text, ptx_ops[op].name);
}

static bool add_type(struct parser *p, struct ptx_inst *inst, struct written *written)
{
	enum ptx_type *const type[] = {&inst->type, &inst->type2, &inst->type3, &inst->type4};
	const struct op_forms *forms = &p->forms[inst->op];
	const struct form *longest = &forms->first[forms->count - 1];
	unsigned most = has_fourth_type(longest) ? 4 : has_third_type(longest) ? 3 : forms->types2 ? 2 : 1, k = 0;
	while (k < most && *type[k] != PTX_NO_TYPE)
		k++;
	bool is_second = k < most && (k != 1 || forms->first->types2 || has_type(forms->types2, p->token.name->type));
	if (k && !is_second)
		return fail(p, p->token.place, "too many types for '%s'; expected %u", ptx_ops[inst->op].name, k);
	uint64_t types = k == 2 && inst->op == PTX_OP_CVT_PACK ? third_types(longest)
	                 : k == 1 || k == 2                    ? forms->types2
	                                                       : forms->types;
	if (!has_type(types, p->token.name->type))
		return fail_suffix(p, inst->op, forms->types ? "unsuitable type" : "superfluous type");
	*type[k] = p->token.name->type;
	written->type[k] = p->token.place;
	return true;
}

/* Returns the word's first row, from `row` on, that applies to the opcode; 0: there is none. */
static uint32_t next_row(const struct parser *p, enum ptx_opcode op, uint32_t row)
{
	while (row && !(ptx_suffixes[row - 1].groups & ptx_ops[op].modifiers))
		row = p->next_suffix[row - 1];
	return row;
}

static bool add_modifier(struct parser *p, struct ptx_inst *inst, struct written *written)
{
	uint32_t row = next_row(p, inst->op, p->token.name->suffix);
	if (!row)
		return fail_suffix(p, inst->op, "unknown suffix");
	uint32_t again = next_row(p, inst->op, p->next_suffix[row - 1]);
	if (again && suffix_field(&ptx_suffixes[row - 1], inst))
		row = again; /* a word that may occur twice has two rows */
	const struct suffix *suffix = &ptx_suffixes[row - 1];
	if (suffix_field(suffix, inst))
		return fail(p, p->token.place, "'.%s' after a suffix that excludes it; expected one of them",
		            suffix->word);
	if (written->count == MOST_SUFFIXES)
		return fail(p, p->token.place, "too many suffixes of '%s'; expected an operand",
		            ptx_ops[inst->op].name);
	written->suffix[written->count] = suffix;
	written->place[written->count++] = p->token.place;
	char *field = (char *)inst + suffix->offset;
	if (suffix->size == 1)
		*(uint8_t *)field = (uint8_t)suffix->value;
	else if (suffix->size == 2)
		*(uint16_t *)field = suffix->value;
	else
		*(uint32_t *)field = suffix->value;
	return true;
}

/* A vector has at most 16 bytes. Loads and stores of global memory may have 32: of four or eight elements. */
static bool check_vector(struct parser *p, const struct ptx_inst *inst)
{
	uint32_t bytes = ptx_type_bytes(inst->type), all = bytes * inst->vector;
	bool wide = (inst->op == PTX_OP_LD || inst->op == PTX_OP_ST) && bytes <= 8 &&
	            (inst->space == PTX_GENERIC || inst->space == PTX_GLOBAL);
	if (inst->vector == 1 || inst->op == PTX_OP_TEX || inst->op == PTX_OP_TLD4 || all <= (wide ? 32 : 16))
		return true;
	return fail(p, inst->place, "'%s' of %u bytes; expected at most %u", ptx_ops[inst->op].name, all,
	            wide ? 32u : 16u);
}

static const struct form *parse_suffixes(struct parser *p, struct ptx_inst *inst)
{
	struct written written;
	written.count = 0;
	while (p->token.kind == TOKEN_DOT) {
		if (inst->op == PTX_OP_PREFETCH_TENSORMAP && accept_dot(p, "tensormap"))
			continue; /* after the space */
		if (p->token.name->type ? !add_type(p, inst, &written) : !add_modifier(p, inst, &written))
			return NULL;
		next_token(p);
	}
	if (!inst->vector)
		inst->vector = 1;
	const struct form *form = check_form(p, inst, &written);
	return form && check_vector(p, inst) ? form : NULL;
}

/* Parses the name of a label; its target is known when its scope ends. */
static bool parse_target(struct parser *p, struct ptx_operand *operand, struct name **label)
{
	*operand = (struct ptx_operand){.kind = PTX_OPERAND_LABEL, .reg = PTX_NO_REG, .place = p->token.place};
	return expect_word(p, label, "a label");
}

static void use_label(struct parser *p, struct name *label, struct ptx_operand *operand)
{
	struct label_use *use = arena_alloc(&p->scratch, sizeof *use);
	*use = (struct label_use){label, operand, p->scope->uses};
	p->scope->uses = use;
}

/* Parses operands in general; `a|b` counts as two. */
static bool parse_operands(struct parser *p, struct ptx_inst *inst, struct ptx_operand *operand)
{
	uint32_t paired = 0;
	bool more = !at_punct(p, ';');
	while (more) {
		if (inst->operands == PTX_MAX_OPERANDS)
			return fail(p, p->token.place, "too many operands of '%s'; expected ';'",
			            ptx_ops[inst->op].name);
		if (!parse_operand(p, &operand[inst->operands]))
			return false;
		if (ptx_op_is_video(inst->op))
			parse_selector(p, &operand[inst->operands]);
		inst->operands++;
		bool pair = at_punct(p, '|');
		if (pair)
			paired |= 1u << inst->operands;
		more = pair || at_punct(p, ',');
		if (more)
			next_token(p);
	}
	if (!at_punct(p, ';') && (inst->operands == 0 || p->token.place.line == p->previous_end.line))
		return fail_expected(p, inst->operands ? "',' or ';'" : "an operand or ';'");
	return check_operands(p, inst, paired);
}

static void add_instruction(struct parser *p, const struct ptx_inst *inst)
{
	if (p->body_count == p->body_capacity) {
		p->body_capacity = 2 * p->body_capacity + 64;
		p->body = base_realloc(p->body, p->body_capacity * sizeof *p->body);
	}
	p->body[p->body_count++] = *inst;
}

/* Returns true when the text after the current token begins with these characters. */
static bool follows(const struct parser *p, const char *text)
{
	size_t length = strlen(text);
	return (size_t)(p->end - p->at) >= length && memcmp(p->at, text, length) == 0;
}

/* Some opcodes consist of two words; the current token follows the first. */
static struct name *whole_opcode(struct parser *p, struct name *opcode)
{
	if (opcode->opcode == PTX_OP_CVT && accept_dot(p, "pack"))
		return intern(p, "cvt.pack", 8);
	if (opcode->opcode == PTX_OP_PREFETCH && (accept_dot(p, "tensormap") || follows(p, ".tensormap")))
		return intern(p, "prefetch.tensormap", 18);
	if (opcode->opcode == PTX_OP_BARRIER && accept_dot(p, "cluster"))
		return intern(p, "barrier.cluster", 15);
	return opcode;
}

bool parse_instruction(struct parser *p, struct name *opcode, struct diag_place place, struct guard guard)
{
	opcode = whole_opcode(p, opcode);
	if (opcode->opcode == PTX_OPCODES) {
		if (refused(p, opcode, place))
			return false;
		const char *nearest = nearest_opcode(opcode);
		int length = opcode->length < 40 ? (int)opcode->length : 40;
		return fail(p, place, "unknown opcode '%.*s'; expected %s%s%s", length, opcode->text,
		            nearest ? "'" : "an instruction", nearest ? nearest : "", nearest ? "'?" : "");
	}
	struct ptx_inst inst = {.op = opcode->opcode,
	                        .guard = guard.reg,
	                        .guard_negated = guard.negated,
	                        .place = place,
	                        .source_file = p->source_file,
	                        .source_line = p->source_line,
	                        .source_column = p->source_column};
	struct ptx_operand operand[PTX_MAX_OPERANDS];
	struct name *label = NULL;
	const struct form *form = parse_suffixes(p, &inst);
	if (!form)
		return false;
	inst.pattern = form->operands;
	inst.operand = operand;
	bool good;
	if (inst.op == PTX_OP_CALL) {
		good = parse_call(p, &inst, operand);
	} else if (inst.op == PTX_OP_BRA) {
		inst.operands = 1;
		good = parse_target(p, operand, &label);
	} else {
		good = parse_operands(p, &inst, operand);
	}
	if (!good)
		return false;
	inst.operand = NULL;
	if (inst.operands) {
		inst.operand = arena_array(p->arena, inst.operands, sizeof *operand);
		memcpy(inst.operand, operand, inst.operands * sizeof *operand);
	}
	if (label)
		use_label(p, label, inst.operand);
	if (inst.vector > 1 && split_elements(&inst) < inst.vector) {
		if (!split_instruction(p, &inst, add_instruction))
			return false;
	} else {
		add_instruction(p, &inst);
	}
	return expect_semicolon(p);
}
