/* check: checks operands against the form of ops.h that the suffixes selected: their number, kinds and types. */
#include "ptx/matrix.h"
#include "ptx/parse.h"

#include <string.h>

/* A match of operands with a pattern, and the furthest position at which it failed. */
struct match {
	struct parser *p;
	struct ptx_inst *inst;
	uint32_t paired;
	uint32_t destinations;
	uint32_t failed_at; /* operand */
	char failed_letter; /* '\0': no further operand was expected */
	bool failed_destination, failed;
};

static bool is_bits(enum ptx_type type)
{
	return type >= PTX_B8 && type <= PTX_B128;
}

/* Returns true when an operand of type `type` may be the register. PTX's rule: same size, and the same class or
 * either untyped. Loads, stores and conversions accept wider registers, because they have 8-bit types that
 * registers do not have. */
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

static bool is_digit_below(char c, unsigned end)
{
	return c >= '0' && (unsigned)(c - '0') < end;
}

/* A video instruction's selector. For a register of a scalar instruction (vadd) it names one part. For the two
 * sources of vadd2 and vadd4 it names one part per part of the result. For a destination it names parts in
 * descending order. */
static bool selector_fits(enum ptx_opcode op, const char *select, bool destination)
{
	unsigned parts = ptx_op_parts(op), count = (unsigned)strlen(select + 1);
	bool halves = parts == 1 ? select[0] == 'h' : parts == 2;
	if (select[0] != (halves ? 'h' : 'b'))
		return false;
	unsigned kinds = (halves ? 2 : 4) * (parts > 1 && !destination ? 2 : 1);
	if (destination ? count < 1 || count > parts : count != parts)
		return false;
	for (unsigned k = 0; k < count; k++)
		if (!is_digit_below(select[1 + k], kinds) || (destination && k && select[1 + k] >= select[k]))
			return false;
	return true;
}

/* In a scalar instruction, a result has a selector exactly when it is merged into the last source. */
static bool merge_fits(const struct ptx_inst *inst)
{
	bool merges = inst->operand[0].select[0], combines = inst->atomic != PTX_ATOM_NONE;
	return ptx_op_parts(inst->op) > 1 || inst->op == PTX_OP_VMAD ||
	       (inst->operands == 4 ? merges != combines : !merges && !combines);
}

static bool constant_fits(enum ptx_type type, const struct ptx_operand *operand)
{
	if (operand->kind == PTX_OPERAND_FLOAT) {
		if (ptx_type_is_float(type))
			return type != PTX_F32X2;
		return is_bits(type) && (type == PTX_B32 ? operand->is_single : type == PTX_B64 && !operand->is_single);
	}
	/* Pairs, half-precision types and smaller types have no literals: their bits are written as integers. */
	if (type == PTX_PRED || type == PTX_F32X2 || (type >= PTX_F16 && type <= PTX_BF16X2) ||
	    (type >= PTX_E4M3X2 && type <= PTX_E2M1X2))
		return true;
	if (ptx_type_is_float(type))
		return false;
	uint32_t bits = 8 * ptx_type_bytes(type);
	if (bits >= 64)
		return true;
	int64_t value = (int64_t)operand->bits;
	return value >= -(INT64_C(1) << (bits - 1)) && value < INT64_C(1) << bits;
}

static bool is_constant(const struct ptx_operand *operand)
{
	return operand->kind == PTX_OPERAND_INT || operand->kind == PTX_OPERAND_FLOAT;
}

static bool value_fits(const struct match *m, const struct ptx_operand *operand, enum ptx_type type, bool destination)
{
	bool wider = m->p->forms[m->inst->op].types & TYPES_BYTE;
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

/* Returns the untyped type of a vector's elements that together have the size of `type` (mov), or PTX_NO_TYPE. */
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

static bool address_fits(const struct match *m, const struct ptx_operand *operand, enum ptx_space space)
{
	if (operand->kind != PTX_OPERAND_ADDRESS)
		return false;
	if (operand->reg != PTX_NO_REG) {
		enum ptx_type type = m->p->regs[operand->reg].type;
		if (space == PTX_PARAM && m->inst->op != PTX_OP_LD)
			return false;
		return register_fits(PTX_U64, type, false) || register_fits(PTX_U32, type, false);
	}
	/* A parameter has a name and no generic address. */
	if (!operand->symbol)
		return space != PTX_PARAM;
	if (space == PTX_GENERIC)
		return operand->symbol->space != PTX_PARAM;
	return operand->symbol->space == space;
}

/* Returns the number of coordinates, including the layer. Vectors have 1, 2 or 4 elements. */
static uint32_t coordinates_of(enum ptx_geometry geometry)
{
	static const uint8_t count[] = {[PTX_1D] = 1,  [PTX_2D] = 2,   [PTX_3D] = 4,   [PTX_A1D] = 2,
	                                [PTX_A2D] = 4, [PTX_CUBE] = 4, [PTX_ACUBE] = 4};
	return count[geometry];
}

/* A texture, surface or sampler: a variable, or a register with the value that `mov` gives for one. */
static bool is_handle(const struct match *m, const struct ptx_operand *operand)
{
	return operand->reg == PTX_NO_REG ? operand->symbol != NULL
	                                  : register_fits(PTX_U64, m->p->regs[operand->reg].type, false);
}

/* A derivative by each coordinate except the layer. PTX requires four elements for three coordinates. */
static bool gradient_fits(const struct match *m, const struct ptx_operand *operand)
{
	if (operand->kind != PTX_OPERAND_VECTOR)
		return value_fits(m, operand, PTX_F32, false);
	bool good = operand->count >= 1 && operand->count <= 4;
	for (uint32_t i = 0; good && i < operand->count; i++)
		good = value_fits(m, &operand->element[i], PTX_F32, false);
	return good;
}

static bool texture_fits(const struct match *m, const struct ptx_operand *operand)
{
	uint32_t count = operand->count - operand->has_sampler;
	/* More elements have no meaning; they are from versions of PTX in which all vectors had four. */
	if (operand->kind != PTX_OPERAND_TEXTURE || (count != coordinates_of(m->inst->geometry) && count != 4))
		return false;
	if (!is_handle(m, operand) || (operand->has_sampler && !is_handle(m, &operand->element[count])))
		return false;
	enum ptx_type type = m->inst->type2 != PTX_NO_TYPE ? m->inst->type2 : PTX_B32;
	for (uint32_t i = 0; i < count; i++) {
		const struct ptx_operand *coordinate = &operand->element[i];
		/* The layer of an array is an integer, whatever the type of the other coordinates. */
		if (!value_fits(m, coordinate, type, false) && !value_fits(m, coordinate, PTX_U32, false))
			return false;
	}
	return true;
}

/* The tensor map has a generic address, in a register. */
static bool tensor_fits(const struct match *m, const struct ptx_operand *operand)
{
	if (operand->kind != PTX_OPERAND_TEXTURE || operand->has_sampler || operand->count != m->inst->rank ||
	    operand->reg == PTX_NO_REG || !register_fits(PTX_U64, m->p->regs[operand->reg].type, false))
		return false;
	for (uint32_t i = 0; i < operand->count; i++)
		if (!value_fits(m, &operand->element[i], PTX_B32, false))
			return false;
	return true;
}

/* Checks the registers of a matrix fragment. A single register may be written without braces. */
static bool fragment_fits(const struct match *m, const struct ptx_operand *operand, char letter, bool destination)
{
	enum ptx_matrix matrix = ptx_matrix_of_letter(letter);
	enum ptx_type type = ptx_fragment_type(m->inst, matrix);
	uint32_t count = ptx_fragment_registers(m->inst, matrix);
	if (operand->kind != PTX_OPERAND_VECTOR)
		return count == 1 && value_fits(m, operand, type, destination);
	bool good = operand->count == count;
	for (uint32_t i = 0; good && i < count; i++)
		good = value_fits(m, &operand->element[i], type, destination);
	return good;
}

static enum ptx_type letter_type(const struct ptx_inst *inst, char letter)
{
	switch (letter) {
	case 's':
		return inst->type2;
	case 'u':
	case 'j':
	case 'i':
	case 'V':
		return PTX_B32;
	case 'h':
		return PTX_B64;
	case 'o':
		return PTX_B16;
	case 'p':
	case 'q':
	case 'Q':
		return PTX_PRED;
	case 'w':
		if (inst->half == PTX_WIDE)
			return inst->type + 1; /* the types of one class are in order of size */
		return inst->type;
	default:
		return inst->type;
	}
}

static bool operand_fits(const struct match *m, char letter, uint32_t at, bool destination)
{
	const struct ptx_operand *operand = &m->inst->operand[at];
	bool paired = m->paired >> at & 1;
	if (paired != (letter == 'q' || letter == 'Q'))
		return false;
	enum ptx_type type = letter_type(m->inst, letter);
	if (operand->select[0] && (letter != 'V' || !selector_fits(m->inst->op, operand->select, destination)))
		return false;
	switch (letter) {
	case 'n':
		return value_fits(m, operand, PTX_B32, destination) || value_fits(m, operand, type, destination);
	case 'N':
		return value_fits(m, operand, PTX_B32, false) ||
		       (operand->kind == PTX_OPERAND_REG && value_fits(m, operand, PTX_PRED, false));
	case 'i':
		return operand->kind == PTX_OPERAND_INT && value_fits(m, operand, type, false);
	case 'm':
		return address_fits(m, operand, m->inst->space);
	case 'k':
		return address_fits(m, operand, m->inst->from);
	case 'b':
		return address_fits(m, operand, PTX_SHARED);
	case 'y':
		return tensor_fits(m, operand);
	case 'A':
	case 'B':
	case 'C':
	case 'D':
		return fragment_fits(m, operand, letter, destination);
	case 'x':
		return texture_fits(m, operand);
	case 'c':
		return value_fits(m, operand, PTX_F32, false);
	case 'g':
		return gradient_fits(m, operand);
	case 'v':
		return operand->kind == PTX_OPERAND_SYMBOL ? operand->symbol->space == m->inst->space
		                                           : value_fits(m, operand, type, destination);
	case 'a':
		return value_fits(m, operand, PTX_B64, false) || value_fits(m, operand, PTX_B32, false);
	case 'r':
		return !is_constant(operand) && value_fits(m, operand, type, destination);
	case 'R':
		return operand->kind == PTX_OPERAND_VECTOR
		               ? operand->count == 2 && vector_fits(m, operand, destination)
		               : !is_constant(operand) && value_fits(m, operand, type, destination);
	case 'S':
		if (operand->kind == PTX_OPERAND_SREG)
			return operand->sreg == PTX_IS_EXPLICIT_CLUSTER ? type == PTX_PRED
			                                                : !ptx_type_is_float(type) && type != PTX_PRED;
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
	char letter = *pattern;
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

/* Describes an operand for messages. */
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
		snprintf(text, size, "%s%s%s%s is a %s.%s register", operand->negated ? "!" : "",
		         regs[operand->reg].name, operand->select[0] ? "." : "", operand->select,
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

/* Describes a pattern letter for messages. */
static void describe_letter(const struct match *m, char *text, size_t size)
{
	const struct ptx_inst *inst = m->inst;
	char letter = m->failed_letter;
	const char *type = ptx_type_name(letter_type(inst, letter));
	const char *or_constant = m->failed_destination || letter == 'r' || letter == 'R' ? "" : " or constant";
	enum ptx_space space = letter == 'k' ? inst->from : letter == 'b' ? PTX_SHARED : inst->space;
	switch (letter) {
	case 'm':
	case 'k':
	case 'b':
		if (space == PTX_PARAM)
			snprintf(text, size, "the name of a parameter such as [param0+4]");
		else if (space == PTX_GENERIC)
			snprintf(text, size, "an address such as [%%rd1+4]");
		else
			snprintf(text, size, "an address in .%s such as [%%rd1+4]", ptx_space_name(space));
		break;
	case 'y':
		snprintf(text, size, "a tensor with %u coordinates such as [%%rd1, {%%r1}]", inst->rank);
		break;
	case 'x':
		snprintf(text, size, "a texture with coordinates such as [name, {%%f1, %%f2}]");
		break;
	case 'a':
		snprintf(text, size, "a register with an address");
		break;
	case 'A':
	case 'B':
	case 'C':
	case 'D':
		snprintf(text, size, "a vector of %u .%s registers",
		         ptx_fragment_registers(inst, ptx_matrix_of_letter(letter)),
		         ptx_type_name(ptx_fragment_type(inst, ptx_matrix_of_letter(letter))));
		break;
	case 'p':
	case 'q':
	case 'Q':
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
		return fail(m->p, inst->operand[m->failed_at].place, "too many operands for '%s'; expected %u", op,
		            m->failed_at);
	describe_letter(m, expected, sizeof expected);
	if (m->failed_at >= inst->operands)
		return fail(m->p, inst->operands ? m->p->token.place : inst->place,
		            "'%s' ends after %u operand%s; expected %s as operand %u", op, inst->operands,
		            inst->operands == 1 ? "" : "s", expected, m->failed_at + 1);
	describe(m, &inst->operand[m->failed_at], is, sizeof is);
	return fail(m->p, inst->operand[m->failed_at].place, "%s; expected %s as operand %u of '%s'", is, expected,
	            m->failed_at + 1, op);
}

static bool is_kernel_param(const struct parser *p, const struct ptx_variable *variable)
{
	const struct ptx_function *function = p->function;
	return function->is_entry && function->param_count && variable >= function->params &&
	       variable < function->params + function->param_count;
}

/* For an address in a variable: checks that the access lies inside it, is aligned for its type, and is allowed. */
static bool check_access(struct parser *p, const struct ptx_inst *inst, const struct ptx_operand *operand)
{
	const struct ptx_variable *variable = operand->symbol;
	bool is_line = inst->op == PTX_OP_PREFETCH || inst->op == PTX_OP_PREFETCHU ||
	               inst->op == PTX_OP_APPLYPRIORITY || inst->op == PTX_OP_DISCARD ||
	               inst->op == PTX_OP_CREATEPOLICY || inst->op == PTX_OP_FENCE || ptx_op_is_bulk(inst->op);
	uint64_t bytes = is_line                       ? 1
	                 : inst->op == PTX_OP_CP_ASYNC ? inst->operand[2].bits
	                                               : ptx_type_bytes(inst->type) * (uint64_t)inst->vector;
	uint64_t offset = (uint64_t)operand->offset;
	bool is_param = is_kernel_param(p, variable);
	bool is_open = variable->size == 0 && variable->space != PTX_PARAM; /* its size is known only at launch */
	if (is_param && inst->op != PTX_OP_LD && inst->op != PTX_OP_PREFETCH_TENSORMAP)
		return fail(p, operand->place, "'%s' is a parameter of the kernel, which can only be read; expected ld",
		            variable->name);
	if (!is_open && (offset > variable->size || variable->size - offset < bytes))
		return fail(p, operand->place,
		            "%llu bytes at '%s'%+lld; expected an address inside it, which has %llu bytes",
		            (unsigned long long)bytes, variable->name, (long long)operand->offset,
		            (unsigned long long)variable->size);
	uint64_t align = is_param || bytes < variable->align ? bytes : variable->align;
	if ((offset + (is_param ? variable->offset : 0)) % align)
		return fail(p, operand->place, "%llu bytes at '%s'%+lld are misaligned; expected a multiple of %llu",
		            (unsigned long long)bytes, variable->name, (long long)operand->offset,
		            (unsigned long long)align);
	return true;
}

/* Forms do not check the order of words: a copy to shared memory must name that space first. */
static bool check_spaces(struct parser *p, const struct ptx_inst *inst)
{
	bool to_shared = inst->op == PTX_OP_CP_ASYNC || inst->by_mbarrier;
	if (!to_shared || inst->space == PTX_SHARED)
		return true;
	return fail(p, inst->place, "'%s' from shared to global memory; expected '.shared' before '.global'",
	            ptx_ops[inst->op].name);
}

/* cp.async copies 4, 8 or 16 bytes; with .cg (bypassing L1) only 16. */
static bool check_copy(struct parser *p, const struct ptx_inst *inst)
{
	uint64_t bytes = inst->operand[2].bits;
	if (bytes == 16 || (inst->cache != PTX_CG && (bytes == 4 || bytes == 8)))
		return true;
	return fail(p, inst->operand[2].place, "a copy of %llu bytes; expected %s", (unsigned long long)bytes,
	            inst->cache == PTX_CG ? "16" : "4, 8 or 16");
}

bool check_operands(struct parser *p, struct ptx_inst *inst, uint32_t paired)
{
	struct match m = {.p = p, .inst = inst, .paired = paired};
	if (!match_from(&m, inst->pattern, 0, true))
		return fail_match(&m);
	inst->destinations = (uint8_t)m.destinations;
	if (inst->from && !check_spaces(p, inst))
		return false;
	if (inst->op == PTX_OP_CP_ASYNC && !check_copy(p, inst))
		return false;
	if (ptx_op_is_video(inst->op) && !merge_fits(inst))
		return fail(p, inst->place,
		            "a selector of '%s' and a third source belong together: the result is merged into it; "
		            "expected both or neither",
		            ptx_ops[inst->op].name);
	for (uint32_t i = 0; i < inst->operands; i++)
		if (inst->operand[i].kind == PTX_OPERAND_ADDRESS && inst->operand[i].symbol &&
		    !check_access(p, inst, &inst->operand[i]))
			return false;
	return true;
}

static bool check_list(struct parser *p, const struct ptx_inst *inst, const struct ptx_operand *list,
                       const struct ptx_variable *params, uint32_t count, const char *what)
{
	if (list->count != count)
		return fail(p, inst->place, "a call with %u %s%s; expected %u", list->count, what,
		            list->count == 1 ? "" : "s", count);
	for (uint32_t i = 0; i < count; i++) {
		const struct ptx_operand *element = &list->element[i];
		bool is_register = element->kind == PTX_OPERAND_REG;
		if (!element->symbol && !is_register)
			continue;
		const char *name = is_register ? p->regs[element->reg].name : element->symbol->name;
		uint64_t bytes = is_register ? ptx_type_bytes(p->regs[element->reg].type) : element->symbol->size;
		if (bytes != params[i].size)
			return fail(p, element->place, "'%s' has %llu bytes; expected %llu for %s %u", name,
			            (unsigned long long)bytes, (unsigned long long)params[i].size, what, i + 1);
	}
	return true;
}

bool check_call(struct parser *p, const struct ptx_inst *inst, const struct ptx_operand *operand,
                const struct ptx_function *signature)
{
	return check_list(p, inst, &operand[0], signature->results, signature->result_count, "result") &&
	       check_list(p, inst, &operand[2], signature->params, signature->param_count, "argument");
}
