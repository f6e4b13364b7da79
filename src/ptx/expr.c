/* Constant expressions: C's operators on 64-bit integers; on floats only a sign. */
#include "ptx/parse.h"

#include <string.h>

enum { DEEPEST = 64 };

static bool parse_ternary(struct parser *p, struct constant *value, uint32_t depth);

double constant_double(const struct constant *value)
{
	double wide;
	float single;
	uint32_t low = (uint32_t)value->bits;
	if (!value->is_float)
		return (double)(int64_t)value->bits;
	memcpy(&wide, &value->bits, sizeof wide);
	memcpy(&single, &low, sizeof single);
	return value->is_single ? (double)single : wide;
}

static bool parse_cast_or_group(struct parser *p, struct constant *value, uint32_t depth)
{
	if (p->token.kind != TOKEN_DOT)
		return parse_ternary(p, value, depth + 1) && expect_punct(p, ')');
	if (!accept_dot(p, "s64") && !accept_dot(p, "u64"))
		return fail_expected(p, "'.s64' or '.u64'");
	return expect_punct(p, ')') && parse_ternary(p, value, depth + 1);
}

static bool parse_unary(struct parser *p, struct constant *value, uint32_t depth)
{
	const struct token token = p->token;
	if (depth > DEEPEST)
		return fail(p, token.place, "an expression nested too deep; expected at most %d levels", DEEPEST);
	if (token.kind == TOKEN_INT || token.kind == TOKEN_FLOAT) {
		*value = (struct constant){token.kind == TOKEN_FLOAT, token.is_single, token.bits};
		next_token(p);
		return true;
	}
	if (token.kind == TOKEN_WORD && token.length == 7 && memcmp(token.text, "WARP_SZ", 7) == 0) {
		*value = (struct constant){.bits = 32};
		next_token(p);
		return true;
	}
	if (accept_punct(p, '('))
		return parse_cast_or_group(p, value, depth);
	if (!at_punct(p, '-') && !at_punct(p, '+') && !at_punct(p, '~') && !at_punct(p, '!'))
		return fail_expected(p, "a number");
	next_token(p);
	if (!parse_unary(p, value, depth + 1))
		return false;
	char sign = token.text[0];
	if (value->is_float && (sign == '~' || sign == '!'))
		return fail(p, token.place, "'%c' before a float; expected an integer", sign);
	if (sign == '-' && value->is_float)
		value->bits ^= value->is_single ? 1u << 31 : 1ull << 63;
	else if (sign == '-')
		value->bits = 0 - value->bits;
	else if (sign == '~')
		value->bits = ~value->bits;
	else if (sign == '!')
		value->bits = !value->bits;
	return true;
}

enum binary {
	OR_ELSE,
	AND_ALSO,
	BIT_OR,
	BIT_XOR,
	BIT_AND,
	EQUAL,
	NOT_EQUAL,
	LESS_EQUAL,
	GREATER_EQUAL,
	SHIFT_LEFT,
	SHIFT_RIGHT,
	LESS,
	GREATER,
	PLUS,
	MINUS,
	TIMES,
	DIVIDE,
	MODULO,
	BINARIES
};

/* Two-character operators stand before those that they begin with. */
static const struct {
	char text[3];
	uint8_t precedence;
} binaries[BINARIES] = {
	[OR_ELSE] = {"||", 1},	   [AND_ALSO] = {"&&", 2},	[BIT_OR] = {"|", 3},	 [BIT_XOR] = {"^", 4},
	[BIT_AND] = {"&", 5},	   [EQUAL] = {"==", 6},		[NOT_EQUAL] = {"!=", 6}, [LESS_EQUAL] = {"<=", 7},
	[LESS] = {"<", 7},	   [GREATER_EQUAL] = {">=", 7}, [GREATER] = {">", 7},	 [SHIFT_LEFT] = {"<<", 8},
	[SHIFT_RIGHT] = {">>", 8}, [PLUS] = {"+", 9},		[MINUS] = {"-", 9},	 [TIMES] = {"*", 10},
	[DIVIDE] = {"/", 10},	   [MODULO] = {"%", 10},
};

static enum binary current_binary(const struct parser *p)
{
	if (p->token.kind != TOKEN_PUNCT)
		return BINARIES;
	size_t left = (size_t)(p->end - p->token.text);
	for (enum binary op = OR_ELSE; op < BINARIES; op++) {
		size_t length = strlen(binaries[op].text);
		if (length <= left && memcmp(p->token.text, binaries[op].text, length) == 0)
			return op;
	}
	return BINARIES;
}

static bool apply(struct parser *p, enum binary op, struct place place, struct constant *a, const struct constant *b)
{
	if (a->is_float || b->is_float)
		return fail(p, place, "'%s' with a float; expected integers", binaries[op].text);
	uint64_t x = a->bits, y = b->bits;
	int64_t sx = (int64_t)x, sy = (int64_t)y;
	if ((op == DIVIDE || op == MODULO) && y == 0)
		return fail(p, place, "division by zero; expected another divisor");
	switch (op) {
	case OR_ELSE:
		a->bits = x || y;
		break;
	case AND_ALSO:
		a->bits = x && y;
		break;
	case BIT_OR:
		a->bits = x | y;
		break;
	case BIT_XOR:
		a->bits = x ^ y;
		break;
	case BIT_AND:
		a->bits = x & y;
		break;
	case EQUAL:
		a->bits = x == y;
		break;
	case NOT_EQUAL:
		a->bits = x != y;
		break;
	case LESS_EQUAL:
		a->bits = sx <= sy;
		break;
	case GREATER_EQUAL:
		a->bits = sx >= sy;
		break;
	case LESS:
		a->bits = sx < sy;
		break;
	case GREATER:
		a->bits = sx > sy;
		break;
	case SHIFT_LEFT:
		a->bits = y < 64 ? x << y : 0;
		break;
	case SHIFT_RIGHT:
		a->bits = (uint64_t)(sx >> (y < 64 ? y : 63));
		break;
	case PLUS:
		a->bits = x + y;
		break;
	case MINUS:
		a->bits = x - y;
		break;
	case TIMES:
		a->bits = x * y;
		break;
	/* x / -1 is -x also where the signed quotient overflows */
	case DIVIDE:
		a->bits = sy == -1 ? 0 - x : (uint64_t)(sx / sy);
		break;
	case MODULO:
		a->bits = sy == -1 ? 0 : (uint64_t)(sx % sy);
		break;
	case BINARIES:
		break;
	}
	return true;
}

static bool parse_binary(struct parser *p, struct constant *value, uint32_t least, uint32_t depth)
{
	if (!parse_unary(p, value, depth))
		return false;
	for (;;) {
		enum binary op = current_binary(p);
		if (op == BINARIES || binaries[op].precedence < least)
			return true;
		struct place place = p->token.place;
		next_token(p);
		if (binaries[op].text[1])
			next_token(p);
		struct constant right;
		if (!parse_binary(p, &right, binaries[op].precedence + 1u, depth + 1) ||
		    !apply(p, op, place, value, &right))
			return false;
	}
}

static bool parse_ternary(struct parser *p, struct constant *value, uint32_t depth)
{
	struct constant yes, no;
	struct place place = p->token.place;
	if (!parse_binary(p, value, 1, depth))
		return false;
	if (!accept_punct(p, '?'))
		return true;
	if (value->is_float)
		return fail(p, place, "a float before '?'; expected an integer");
	if (!parse_ternary(p, &yes, depth + 1) || !expect_punct(p, ':') || !parse_ternary(p, &no, depth + 1))
		return false;
	*value = value->bits ? yes : no;
	return true;
}

bool parse_constant(struct parser *p, struct constant *value)
{
	return parse_ternary(p, value, 0);
}

bool parse_integer(struct parser *p, int64_t *value)
{
	struct constant constant;
	struct place place = p->token.place;
	if (!parse_constant(p, &constant))
		return false;
	if (constant.is_float)
		return fail(p, place, "a float; expected an integer");
	*value = (int64_t)constant.bits;
	return true;
}
