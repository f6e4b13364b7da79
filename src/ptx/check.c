/* An instruction against its row of ops.h: suffixes that must be there, operands of the right number, kind and type. */
#include "ptx/parse.h"

#include <string.h>

enum condition { ALWAYS, IF_INT, IF_FLOAT };

/* Groups of suffixes of which one must be written. */
static const struct {
	uint32_t groups;
	enum condition condition;
	const char *what;
} required[] = {
	{HALF, IF_INT, "'.lo', '.hi' or '.wide'"},
	{CMP, ALWAYS, "a comparison such as '.eq'"},
	{ATOMIC, ALWAYS, "an operation such as '.add'"},
	{REDUX, ALWAYS, "an operation such as '.add'"},
	{VOTE, ALWAYS, "'.all', '.any', '.uni' or '.ballot'"},
	{MATCH, ALWAYS, "'.any' or '.all'"},
	{SHUFFLE, ALWAYS, "'.up', '.down', '.bfly' or '.idx'"},
	{BARRIER, ALWAYS, "'.sync', '.arrive' or '.red'"},
	{TESTP, ALWAYS, "a property such as '.finite'"},
	{GEOMETRY, ALWAYS, "a geometry such as '.2d'"},
	{APPROX, IF_FLOAT, "a rounding or '.approx'"},
};

/* Groups that only some types have. */
static const struct {
	uint32_t groups;
	bool of_float;
} restricted[] = {
	{ROUND, true}, {FTZ, true}, {APPROX, true}, {HALF, false}, {CARRY, false},
};

static bool check_types(struct parser *p, const struct ptx_inst *inst)
{
	const struct op_row *row = &ptx_ops[inst->op];
	bool optional = row->modifiers & BARRIER && inst->barrier != PTX_BARRIER_RED;
	if (row->types && inst->type == PTX_NO_TYPE && !optional)
		return fail(p, inst->place, "'%s' without a type; expected one such as '.%s'", row->name,
		            ptx_type_name((enum ptx_type)__builtin_ctz(row->types)));
	if (row->modifiers & TWO_TYPES && inst->type2 == PTX_NO_TYPE)
		return fail(p, inst->place, "'%s' with one type; expected two", row->name);
	return true;
}

bool check_suffixes(struct parser *p, const struct ptx_inst *inst, uint32_t written)
{
	const struct op_row *row = &ptx_ops[inst->op];
	if (!check_types(p, inst))
		return false;
	if (inst->half == PTX_WIDE && !strchr(row->operands, 'w'))
		return fail(p, inst->place, "'%s.wide'; expected '.lo' or '.hi'", row->name);
	if (inst->half == PTX_WIDE && ptx_type_bytes(inst->type) == 8)
		return fail(p, inst->place, "'%s.wide' of 64 bits; expected a type of 16 or 32", row->name);
	bool is_float = ptx_type_is_float(inst->type);
	if (inst->op == PTX_OP_FMA && !(written & ROUND)) /* the one that has a rounding, always, and no default */
		return fail(p, inst->place, "'fma.%s' is incomplete; expected a rounding such as '.rn'",
		            ptx_type_name(inst->type));
	for (uint32_t i = 0; i < sizeof required / sizeof *required; i++) {
		uint32_t groups = required[i].groups;
		if (groups == APPROX)
			groups |= ROUND;
		bool applies = required[i].condition == ALWAYS || (required[i].condition == IF_FLOAT) == is_float;
		if (row->modifiers & required[i].groups && applies && !(written & groups))
			return fail(p, inst->place, "'%s.%s' is incomplete; expected %s", row->name,
			            ptx_type_name(inst->type), required[i].what);
	}
	if (row->modifiers & (CMP | CVT_ROUND)) /* the conversions' and comparisons' suffixes concern either type */
		return true;
	for (uint32_t i = 0; i < sizeof restricted / sizeof *restricted; i++)
		if (written & restricted[i].groups && is_float != restricted[i].of_float &&
		    !(row->modifiers & TWO_TYPES))
			return fail(p, inst->place, "'%s.%s' with a suffix for %s types; expected %s type", row->name,
			            ptx_type_name(inst->type), is_float ? "integer" : "floating-point",
			            is_float ? "an integer" : "a floating-point");
	return true;
}

/* A match of operands with a pattern, and the furthest place at which it failed. */
struct match {
	struct parser *p;
	struct ptx_inst *inst;
	uint32_t paired;
	uint32_t destinations;
	uint32_t failed_at; /* operand */
	char failed_letter; /* '\0': nothing more was expected */
	bool failed_destination, failed;
};

static bool is_bits(enum ptx_type type)
{
	return type >= PTX_B8 && type <= PTX_B128;
}

/* May an operand of type `type` be the register? PTX's rule: same size, and the same class or either untyped. Loads,
 * stores and conversions, which know the types of 8 bits that registers do not have, take wider registers. */
static bool register_fits(enum ptx_type type, enum ptx_type reg, bool wider)
{
	if (type == PTX_PRED || reg == PTX_PRED)
		return type == reg;
	uint32_t bytes = ptx_type_bytes(type), reg_bytes = ptx_type_bytes(reg);
	if (reg_bytes != bytes && !(wider && reg_bytes > bytes))
		return false;
	if (is_bits(type) || is_bits(reg))
		return true;
	if (ptx_type_is_float(type) != ptx_type_is_float(reg))
		return false;
	return !ptx_type_is_float(type) || type == reg;
}

static bool constant_fits(enum ptx_type type, const struct ptx_operand *operand)
{
	if (operand->kind == PTX_OPERAND_FLOAT) {
		if (ptx_type_is_float(type))
			return true;
		return is_bits(type) && (type == PTX_B32 ? operand->is_single : type == PTX_B64 && !operand->is_single);
	}
	/* There are no literals of the half-precision types: their bits are written as integers. */
	if (type == PTX_PRED || type == PTX_F16 || type == PTX_F16X2)
		return true;
	if (ptx_type_is_float(type))
		return false;
	uint32_t bits = 8 * ptx_type_bytes(type);
	if (bits >= 64)
		return true;
	int64_t value = (int64_t)operand->bits;
	return value >= -(INT64_C(1) << (bits - 1)) && value < INT64_C(1) << bits;
}

static bool value_fits(const struct match *m, const struct ptx_operand *operand, enum ptx_type type, bool destination)
{
	bool wider = ptx_ops[m->inst->op].types & TYPES_BYTE;
	if (operand->negated && type != PTX_PRED)
		return false;
	switch (operand->kind) {
	case PTX_OPERAND_REG:
		return register_fits(type, m->p->regs[operand->reg].type, wider) && !(destination && operand->negated);
	case PTX_OPERAND_INT:
	case PTX_OPERAND_FLOAT:
		return !destination && constant_fits(type, operand);
	case PTX_OPERAND_SINK:
		return destination;
	default:
		return false;
	}
}

/* The untyped type of a vector's elements where they together have the size of `type` (mov), or PTX_NO_TYPE. */
static enum ptx_type part_type(enum ptx_type type, uint32_t count)
{
	uint32_t bytes = count ? ptx_type_bytes(type) / count : 0;
	for (enum ptx_type part = PTX_B8; part <= PTX_B128; part++)
		if (ptx_type_bytes(part) == bytes && bytes * count == ptx_type_bytes(type))
			return part;
	return PTX_NO_TYPE;
}

static bool vector_fits(const struct match *m, const struct ptx_operand *operand, bool destination)
{
	const struct ptx_inst *inst = m->inst;
	enum ptx_type type = inst->type;
	if (ptx_ops[inst->op].modifiers & VECTOR) {
		if (operand->count != inst->vector)
			return false;
	} else {
		type = part_type(type, operand->count);
	}
	for (uint32_t i = 0; i < operand->count; i++)
		if (type == PTX_NO_TYPE || !value_fits(m, &operand->element[i], type, destination))
			return false;
	return true;
}

static bool address_fits(const struct match *m, const struct ptx_operand *operand)
{
	if (operand->kind != PTX_OPERAND_ADDRESS)
		return false;
	if (operand->reg != PTX_NO_REG) {
		enum ptx_type type = m->p->regs[operand->reg].type;
		return register_fits(PTX_U64, type, false) || register_fits(PTX_U32, type, false);
	}
	enum ptx_space space = m->inst->space;
	return !operand->symbol || space == PTX_GENERIC || operand->symbol->space == space;
}

static bool texture_fits(const struct match *m, const struct ptx_operand *operand)
{
	if (operand->kind != PTX_OPERAND_TEXTURE || operand->count == 0 || operand->count > 4)
		return false;
	if (operand->reg != PTX_NO_REG && !register_fits(PTX_U64, m->p->regs[operand->reg].type, false))
		return false;
	enum ptx_type type = m->inst->op == PTX_OP_TEX ? m->inst->type2 : PTX_B32;
	for (uint32_t i = 0; i < operand->count; i++) {
		const struct ptx_operand *coordinate = &operand->element[i];
		/* The layer of an array is an integer, whatever the type of the other coordinates. */
		if (!value_fits(m, coordinate, type, false) && !value_fits(m, coordinate, PTX_U32, false))
			return false;
	}
	return true;
}

static enum ptx_type letter_type(const struct ptx_inst *inst, char letter)
{
	switch (letter) {
	case 's':
		return inst->type2;
	case 'u':
		return PTX_B32;
	case 'p':
	case 'q':
		return PTX_PRED;
	case 'w':
		if (inst->half == PTX_WIDE)
			return inst->type + 1; /* the types of one class stand in order of size */
		return inst->type;
	default:
		return inst->type;
	}
}

static bool operand_fits(const struct match *m, char letter, uint32_t at, bool destination)
{
	const struct ptx_operand *operand = &m->inst->operand[at];
	bool paired = m->paired >> at & 1;
	if (paired != (letter == 'q'))
		return false;
	enum ptx_type type = letter_type(m->inst, letter);
	switch (letter) {
	case 'm':
		return address_fits(m, operand);
	case 'x':
		return texture_fits(m, operand);
	case 'a':
		return value_fits(m, operand, PTX_B64, false) || value_fits(m, operand, PTX_B32, false);
	case 'S':
		if (operand->kind == PTX_OPERAND_SREG)
			return !ptx_type_is_float(type) && type != PTX_PRED;
		if (operand->kind == PTX_OPERAND_SYMBOL || operand->kind == PTX_OPERAND_FUNCTION)
			return !ptx_type_is_float(type) && ptx_type_bytes(type) >= 4;
		__attribute__((fallthrough));
	case 'T':
		if (operand->kind == PTX_OPERAND_VECTOR)
			return vector_fits(m, operand, destination);
		return m->inst->vector == 1 && value_fits(m, operand, type, destination);
	default:
		return value_fits(m, operand, type, destination);
	}
}

static void note_failure(struct match *m, uint32_t at, char letter, bool destination)
{
	if (m->failed && at < m->failed_at)
		return;
	m->failed = true;
	m->failed_at = at;
	m->failed_letter = letter;
	m->failed_destination = destination;
}

static bool match_from(struct match *m, const char *pattern, uint32_t at, bool destination)
{
	if (*pattern == '>') {
		m->destinations = at;
		return match_from(m, pattern + 1, at, false);
	}
	char letter = *pattern == '|' ? '\0' : *pattern;
	if (!letter) {
		if (at < m->inst->operands)
			note_failure(m, at, '\0', false);
		return at == m->inst->operands;
	}
	bool optional = letter == 'q' || pattern[1] == '?';
	const char *rest = pattern + (pattern[1] == '?' ? 2 : 1);
	if (at < m->inst->operands && operand_fits(m, letter, at, destination) &&
	    match_from(m, rest, at + 1, destination))
		return true;
	if (optional && match_from(m, rest, at, destination))
		return true;
	if (!optional)
		note_failure(m, at, letter, destination);
	return false;
}

/* What an operand is, for messages. */
static void describe(const struct match *m, const struct ptx_operand *operand, char *text, size_t size)
{
	static const char *const kinds[] = {
		[PTX_OPERAND_LABEL] = "a label",
		[PTX_OPERAND_ADDRESS] = "an address in brackets",
		[PTX_OPERAND_TEXTURE] = "a texture with coordinates",
		[PTX_OPERAND_LIST] = "a list",
		[PTX_OPERAND_SINK] = "'_'",
		[PTX_OPERAND_NONE] = "nothing",
	};
	const struct ptx_reg *regs = m->p->regs;
	switch (operand->kind) {
	case PTX_OPERAND_REG:
		snprintf(text, size, "%s%s is a %s.%s register", operand->negated ? "!" : "", regs[operand->reg].name,
		         operand->negated ? "negated " : "", ptx_type_name(regs[operand->reg].type));
		break;
	case PTX_OPERAND_INT: {
		enum ptx_type type = letter_type(m->inst, m->failed_letter);
		bool is_value = !m->failed_destination && strchr("tsuwTS", m->failed_letter);
		bool too_large = is_value && type >= PTX_B8 && type <= PTX_S64;
		snprintf(text, size, "%lld %s", (long long)operand->bits, too_large ? "is too large" : "is an integer");
		break;
	}
	case PTX_OPERAND_VECTOR:
		snprintf(text, size, "this is a vector of %u elements", operand->count);
		break;
	case PTX_OPERAND_FLOAT:
		snprintf(text, size, "this is a %s-precision constant", operand->is_single ? "single" : "double");
		break;
	case PTX_OPERAND_SREG:
		snprintf(text, size, "%s is a special register", ptx_sreg_name(operand->sreg));
		break;
	case PTX_OPERAND_SYMBOL:
		snprintf(text, size, "'%s' is a .%s variable", operand->symbol->name,
		         ptx_space_name(operand->symbol->space));
		break;
	case PTX_OPERAND_FUNCTION:
		snprintf(text, size, "'%s' is a function", operand->function->name);
		break;
	case PTX_OPERAND_ADDRESS:
		if (operand->symbol) {
			snprintf(text, size, "'%s' is a .%s variable", operand->symbol->name,
			         ptx_space_name(operand->symbol->space));
			break;
		}
		if (operand->reg != PTX_NO_REG) {
			snprintf(text, size, "[%s] is an address in a .%s register", regs[operand->reg].name,
			         ptx_type_name(regs[operand->reg].type));
			break;
		}
		__attribute__((fallthrough));
	default:
		snprintf(text, size, "this is %s", kinds[operand->kind]);
	}
}

/* What a pattern's letter stands for, for messages. */
static void describe_letter(const struct match *m, char *text, size_t size)
{
	const struct ptx_inst *inst = m->inst;
	char letter = m->failed_letter;
	const char *type = ptx_type_name(letter_type(inst, letter));
	const char *or_constant = m->failed_destination ? "" : " or constant";
	switch (letter) {
	case 'm':
		if (inst->space == PTX_GENERIC)
			snprintf(text, size, "an address such as [%%rd1+4]");
		else
			snprintf(text, size, "an address in .%s such as [%%rd1+4]", ptx_space_name(inst->space));
		break;
	case 'x':
		snprintf(text, size, "a texture with coordinates such as [name, {%%f1, %%f2}]");
		break;
	case 'a':
		snprintf(text, size, "a register with an address");
		break;
	case 'p':
	case 'q':
		snprintf(text, size, "a predicate register");
		break;
	case 'T':
	case 'S':
		if (inst->vector > 1) {
			snprintf(text, size, "a vector of %u .%s registers", inst->vector, type);
			break;
		}
		__attribute__((fallthrough));
	default:
		snprintf(text, size, "a .%s register%s", type, or_constant);
	}
}

static bool fail_match(const struct match *m)
{
	const struct ptx_inst *inst = m->inst;
	const char *op = ptx_ops[inst->op].name;
	char is[160], expected[160];
	if (m->failed_at < inst->operands && m->failed_letter == '\0')
		return fail(m->p, inst->operand[m->failed_at].place,
		            "an operand too many for '%s'; expected %u of them", op, m->failed_at);
	describe_letter(m, expected, sizeof expected);
	if (m->failed_at >= inst->operands)
		return fail(m->p, inst->operands ? m->p->token.place : inst->place,
		            "'%s' ends after %u operand%s; expected %s as operand %u", op, inst->operands,
		            inst->operands == 1 ? "" : "s", expected, m->failed_at + 1);
	describe(m, &inst->operand[m->failed_at], is, sizeof is);
	return fail(m->p, inst->operand[m->failed_at].place, "%s; expected %s as operand %u of '%s'", is, expected,
	            m->failed_at + 1, op);
}

bool check_operands(struct parser *p, struct ptx_inst *inst, uint32_t paired)
{
	struct match m = {.p = p, .inst = inst, .paired = paired};
	for (const char *form = ptx_ops[inst->op].operands; form; form = strchr(form, '|')) {
		form += *form == '|';
		if (match_from(&m, form, 0, true)) {
			inst->destinations = (uint8_t)m.destinations;
			return true;
		}
	}
	return fail_match(&m);
}

static bool check_list(struct parser *p, const struct ptx_inst *inst, const struct ptx_operand *list,
                       const struct ptx_variable *params, uint32_t count, const char *what)
{
	if (list->count != count)
		return fail(p, inst->place, "a call with %u %s%s; expected %u", list->count, what,
		            list->count == 1 ? "" : "s", count);
	for (uint32_t i = 0; i < count; i++) {
		const struct ptx_variable *symbol = list->element[i].symbol;
		if (symbol && symbol->size != params[i].size)
			return fail(p, list->element[i].place, "'%s' has %llu bytes; expected %llu for %s %u",
			            symbol->name, (unsigned long long)symbol->size, (unsigned long long)params[i].size,
			            what, i + 1);
	}
	return true;
}

bool check_call(struct parser *p, const struct ptx_inst *inst, const struct ptx_operand *operand,
                const struct ptx_function *signature)
{
	return check_list(p, inst, &operand[0], signature->results, signature->result_count, "result") &&
	       check_list(p, inst, &operand[2], signature->params, signature->param_count, "argument");
}
