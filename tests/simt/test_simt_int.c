/* Protects integer arithmetic and bit instructions, from a table, against values computed with 128-bit integers or bit
 * by bit. */
#include "int_kit.h"

typedef uwide reference(const struct type *type, const uint64_t *in);

#define V(k) value(type, in[k])

static uwide add(const struct type *type, const uint64_t *in)
{
	return (uwide)(V(0) + V(1));
}

static uwide sub(const struct type *type, const uint64_t *in)
{
	return (uwide)(V(0) - V(1));
}

/* Product as a sum of shifted operands, in two halves of 128 bits. */
static uwide product(const struct type *type, const uint64_t *in)
{
	uwide sum = 0;
	for (unsigned k = 0; k < 128; k++)
		if ((uwide)V(1) >> k & 1)
			sum += (uwide)V(0) << k;
	return sum;
}

static uwide mul_hi(const struct type *type, const uint64_t *in)
{
	return product(type, in) >> type->bits;
}

static uwide mad_lo(const struct type *type, const uint64_t *in)
{
	return product(type, in) + (uwide)V(2);
}

static uwide mad_hi(const struct type *type, const uint64_t *in)
{
	return mul_hi(type, in) + (uwide)V(2);
}

static uwide divide(const struct type *type, const uint64_t *in)
{
	return V(1) == 0 ? ~(uwide)0 : (uwide)(V(0) / V(1));
}

static uwide rest(const struct type *type, const uint64_t *in)
{
	return V(1) == 0 ? ~(uwide)0 : (uwide)(V(0) % V(1));
}

static uwide smaller(const struct type *type, const uint64_t *in)
{
	return (uwide)(V(0) < V(1) ? V(0) : V(1));
}

static uwide larger(const struct type *type, const uint64_t *in)
{
	return (uwide)(V(0) > V(1) ? V(0) : V(1));
}

static uwide sad(const struct type *type, const uint64_t *in)
{
	return (uwide)(V(2) + (V(0) < V(1) ? V(1) - V(0) : V(0) - V(1)));
}

static uwide absolute(const struct type *type, const uint64_t *in)
{
	return (uwide)(V(0) < 0 ? -V(0) : V(0));
}

static uwide negative(const struct type *type, const uint64_t *in)
{
	return (uwide)-V(0);
}

static uwide and_bits(const struct type *type, const uint64_t *in)
{
	(void)type;
	return in[0] & in[1];
}

static uwide or_bits(const struct type *type, const uint64_t *in)
{
	(void)type;
	return in[0] | in[1];
}

static uwide xor_bits(const struct type *type, const uint64_t *in)
{
	(void)type;
	return (in[0] | in[1]) - (in[0] & in[1]);
}

static uwide not_bits(const struct type *type, const uint64_t *in)
{
	(void)type;
	return UINT64_MAX - in[0];
}

static uwide cnot(const struct type *type, const uint64_t *in)
{
	return V(0) == 0;
}

static uwide shift_left(const struct type *type, const uint64_t *in)
{
	uwide result = (uwide)V(0);
	for (uint32_t n = (uint32_t)in[1]; n && result & mask(type->bits); n--)
		result <<= 1;
	return (uint32_t)in[1] >= type->bits ? 0 : result;
}

static uwide shift_right(const struct type *type, const uint64_t *in)
{
	wide result = V(0);
	for (uint32_t n = 0; n < (uint32_t)in[1] && n < 128; n++)
		result = result < 0 ? (result - 1) / 2 : result / 2;
	return (uwide)result;
}

static uwide reverse(const struct type *type, const uint64_t *in)
{
	uint64_t result = 0;
	for (unsigned k = 0; k < type->bits; k++)
		result |= (in[0] >> k & 1) << (type->bits - 1 - k);
	return result;
}

static uwide count(const struct type *type, const uint64_t *in)
{
	unsigned ones = 0;
	for (unsigned k = 0; k < type->bits; k++)
		ones += in[0] >> k & 1;
	return ones;
}

static uwide zeros(const struct type *type, const uint64_t *in)
{
	unsigned n = 0;
	while (n < type->bits && !(in[0] >> (type->bits - 1 - n) & 1))
		n++;
	return n;
}

static uwide find(const struct type *type, const uint64_t *in)
{
	bool sign = V(0) < 0;
	for (int k = (int)type->bits - 1; k >= 0; k--)
		if ((in[0] >> k & 1) != sign)
			return (uwide)k;
	return UINT32_MAX;
}

static uwide find_shift(const struct type *type, const uint64_t *in)
{
	uwide at = find(type, in);
	return at == UINT32_MAX ? at : type->bits - 1 - at;
}

/* A position or length: its low 8 bits, and with 64 bits all 32. */
static uint64_t used(const struct type *type, uint64_t bits)
{
	return bits & (type->bits == 64 ? UINT32_MAX : 0xff);
}

/* bfe as the PTX manual describes it: bit by bit, with the sign from the last existing bit of the field. */
static uwide extract(const struct type *type, const uint64_t *in)
{
	uint64_t position = used(type, in[1]), length = used(type, in[2]), top = type->bits - 1;
	uint64_t last = position + length - 1 < top ? position + length - 1 : top;
	bool sign = type->is_signed && length && in[0] >> last & 1;
	uint64_t result = 0;
	for (unsigned k = 0; k <= top; k++) {
		bool bit = k < length && position + k <= top ? in[0] >> (position + k) & 1 : sign;
		result |= (uint64_t)bit << k;
	}
	return result;
}

static uwide insert(const struct type *type, const uint64_t *in)
{
	uint64_t position = used(type, in[2]), length = used(type, in[3]);
	uint64_t result = in[1];
	for (unsigned k = 0; k < length && position + k < type->bits; k++) {
		uint64_t bit = (uint64_t)1 << (position + k);
		result = in[0] >> k & 1 ? result | bit : result & ~bit;
	}
	return result;
}

/* `sources`: one letter each: t for the type, u for 32 bits, w for twice the width. `to`: t, u or w. */
static const struct row {
	const char *op;
	const char *const *types;
	const char *sources;
	char to;
	reference *reference;
} rows[] = {
	{"add", both, "tt", 't', add},
	{"sub", both, "tt", 't', sub},
	{"mul.lo", both, "tt", 't', product},
	{"mul.hi", both, "tt", 't', mul_hi},
	{"mad.lo", both, "ttt", 't', mad_lo},
	{"mad.hi", both, "ttt", 't', mad_hi},
	{"div", both, "tt", 't', divide},
	{"rem", both, "tt", 't', rest},
	{"min", both, "tt", 't', smaller},
	{"max", both, "tt", 't', larger},
	{"sad", both, "ttt", 't', sad},
	{"abs", sign, "t", 't', absolute},
	{"neg", sign, "t", 't', negative},
	{"and", bits_of, "tt", 't', and_bits},
	{"or", bits_of, "tt", 't', or_bits},
	{"xor", bits_of, "tt", 't', xor_bits},
	{"not", bits_of, "t", 't', not_bits},
	{"cnot", bits_of, "t", 't', cnot},
	{"shl", bits_of, "tu", 't', shift_left},
	{"shr", both, "tu", 't', shift_right},
	{"shr", bits_of, "tu", 't', shift_right},
	{"brev", large_bits, "t", 't', reverse},
	{"popc", large_bits, "t", 'u', count},
	{"clz", large_bits, "t", 'u', zeros},
	{"bfind", large, "t", 'u', find},
	{"bfind.shiftamt", large, "t", 'u', find_shift},
	{"bfe", large, "tuu", 't', extract},
	{"bfi", large_bits, "ttuu", 't', insert},
};

/* "op.type %dst, %src1, .." */
static char write_instruction(const struct row *row, const char *name, const struct type *type, char *text, size_t size)
{
	char to = row->to == 'u' ? 'r' : class_of(row->to == 'w' ? 2 * type->bits : type->bits);
	int length = snprintf(text, size, "%s.%s %%%c0", row->op, name, to);
	for (unsigned k = 0; row->sources[k]; k++) {
		unsigned bits = row->sources[k] == 'u' ? 32 : row->sources[k] == 'w' ? 2 * type->bits : type->bits;
		length += snprintf(text + length, size - (size_t)length, ", %%%c%u", class_of(bits), k + 1);
	}
	return to;
}

static void check_rows(const struct row *row, size_t count)
{
	static struct ops_data data;
	static uint64_t expected[OPS_VECTORS];
	char text[128];
	fill(&data);
	for (; count--; row++)
		for (const char *const *name = row->types; *name; name++) {
			const struct type type = type_named(*name);
			char to = write_instruction(row, *name, &type, text, sizeof text);
			for (unsigned i = 0; i < OPS_VECTORS; i++)
				expected[i] = (uint64_t)row->reference(&type, data.in[i]);
			check(text, to, to == 'd' ? 64 : to == 'r' ? 32 : 16, &data, expected);
		}
}

static void arithmetic(void **state)
{
	(void)state;
	check_rows(rows, sizeof rows / sizeof *rows);
}

static uwide mad_wide(const struct type *type, const uint64_t *in)
{
	return product(type, in) + in[2];
}

static void wide_results(void **state)
{
	(void)state;
	static const char *const narrow[] = {"u16", "s16", "u32", "s32", NULL};
	const struct row table[] = {{"mul.wide", narrow, "tt", 'w', product},
	                            {"mad.wide", narrow, "ttw", 'w', mad_wide}};
	check_rows(table, 2);
}

static wide narrow24(const struct type *type, uint64_t bits)
{
	const struct type t = {"", 24, type->is_signed};
	return value(&t, bits);
}

static uwide mul24_lo(const struct type *type, const uint64_t *in)
{
	return (uwide)(narrow24(type, in[0]) * narrow24(type, in[1]));
}

static uwide mul24_hi(const struct type *type, const uint64_t *in)
{
	return mul24_lo(type, in) >> 16;
}

static uwide mad24_lo(const struct type *type, const uint64_t *in)
{
	return mul24_lo(type, in) + in[2];
}

static uwide mad24_hi(const struct type *type, const uint64_t *in)
{
	return mul24_hi(type, in) + in[2];
}

static uwide saturated(wide sum)
{
	return (uwide)(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
}

static uwide add_sat(const struct type *type, const uint64_t *in)
{
	return saturated(V(0) + V(1));
}

static uwide sub_sat(const struct type *type, const uint64_t *in)
{
	return saturated(V(0) - V(1));
}

static uwide mad_sat(const struct type *type, const uint64_t *in)
{
	return saturated((V(0) * V(1) >> 32) + V(2));
}

static uwide mad24_sat(const struct type *type, const uint64_t *in)
{
	return saturated((narrow24(type, in[0]) * narrow24(type, in[1]) >> 16) + V(2));
}

static void special_forms(void **state)
{
	(void)state;
	static const char *const words[] = {"u32", "s32", NULL}, *const word[] = {"s32", NULL};
	const struct row table[] = {
		{"mul24.lo", words, "tt", 't', mul24_lo},  {"mul24.hi", words, "tt", 't', mul24_hi},
		{"mad24.lo", words, "ttt", 't', mad24_lo}, {"mad24.hi", words, "ttt", 't', mad24_hi},
		{"add.sat", word, "tt", 't', add_sat},     {"sub.sat", word, "tt", 't', sub_sat},
		{"mad.hi.sat", word, "ttt", 't', mad_sat}, {"mad24.hi.sat", word, "ttt", 't', mad24_sat},
	};
	check_rows(table, sizeof table / sizeof *table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arithmetic),
		cmocka_unit_test(wide_results),
		cmocka_unit_test(special_forms),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
