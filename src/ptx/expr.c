/* expr: constant expressions: C's operators on 64-bit integers; for floats only a sign. */
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

/* clang-format off */
enum binary {
	/* two-character operators first, since some begin with a one-character operator */
	OR_ELSE, AND_ALSO, EQUAL, NOT_EQUAL, LESS_EQUAL, GREATER_EQUAL, SHIFT_LEFT, SHIFT_RIGHT,
	BIT_OR, BIT_XOR, BIT_AND, LESS, GREATER, PLUS, MINUS, TIMES, DIVIDE, MODULO, BINARIES
};

static const struct {
	char text[3];
	uint8_t precedence;
} binaries[BINARIES] = {
	[OR_ELSE] = {"||", 1}, [AND_ALSO] = {"&&", 2}, [BIT_OR] = {"|", 3}, [BIT_XOR] = {"^", 4}, [BIT_AND] = {"&", 5},
	[EQUAL] = {"==", 6}, [NOT_EQUAL] = {"!=", 6},
	[LESS] = {"<", 7}, [LESS_EQUAL] = {"<=", 7}, [GREATER] = {">", 7}, [GREATER_EQUAL] = {">=", 7},
	[SHIFT_LEFT] = {"<<", 8}, [SHIFT_RIGHT] = {">>", 8},
	[PLUS] = {"+", 9}, [MINUS] = {"-", 9},
	[TIMES] = {"*", 10}, [DIVIDE] = {"/", 10}, [MODULO] = {"%", 10},
};
/* clang-format on */

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

static uint64_t compute(enum binary op, uint64_t x, uint64_t y)
{
	int64_t sx = (int64_t)x, sy = (int64_t)y;
	switch (op) {
	case OR_ELSE:
		return x || y;
	case AND_ALSO:
		return x && y;
	case BIT_OR:
		return x | y;
	case BIT_XOR:
		return x ^ y;
	case BIT_AND:
		return x & y;
	case EQUAL:
		return x == y;
	case NOT_EQUAL:
		return x != y;
	case LESS_EQUAL:
		return sx <= sy;
	case GREATER_EQUAL:
		return sx >= sy;
	case LESS:
		return sx < sy;
	case GREATER:
		return sx > sy;
	case SHIFT_LEFT:
		return y < 64 ? x << y : 0;
	case SHIFT_RIGHT:
		return (uint64_t)(sx >> (y < 64 ? y : 63));
	case PLUS:
		return x + y;
	case MINUS:
		return x - y;
	case TIMES:
		return x * y;
	case DIVIDE: /* x / -1 is -x, even where the signed quotient overflows */
		return sy == -1 ? 0 - x : (uint64_t)(sx / sy);
	case MODULO:
		return sy == -1 ? 0 : (uint64_t)(sx % sy);
	case BINARIES:
		break;
	}
	return 0;
}

static bool apply(struct parser *p, enum binary op, struct diag_place place, struct constant *a,
                  const struct constant *b)
{
	if (a->is_float || b->is_float)
		return fail(p, place, "'%s' with a float; expected integers", binaries[op].text);
	if ((op == DIVIDE || op == MODULO) && b->bits == 0)
		return fail(p, place, "division by zero; expected another divisor");
	a->bits = compute(op, a->bits, b->bits);
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
		struct diag_place place = p->token.place;
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
	struct diag_place place = p->token.place;
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
	struct diag_place place = p->token.place;
	if (!parse_constant(p, &constant))
		return false;
	if (constant.is_float)
		return fail(p, place, "a float; expected an integer");
	*value = (int64_t)constant.bits;
	return true;
}
