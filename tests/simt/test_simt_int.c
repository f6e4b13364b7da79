/* Integer, bit, comparison and conversion instructions against values computed with 128-bit integers or bit by bit. */
#include "simt_ops.h"

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 uwide;

/* An integer type, and a source's value in it. */
struct type {
	const char *name;
	unsigned bits;
	bool is_signed;
};

static const struct type u16 = {"u16", 16, false}, s16 = {"s16", 16, true}, u32 = {"u32", 32, false},
			 s32 = {"s32", 32, true}, u64 = {"u64", 64, false}, s64 = {"s64", 64, true},
			 u8 = {"u8", 8, false}, s8 = {"s8", 8, true};

static uint64_t mask(unsigned bits)
{
	return bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

static wide value(const struct type *type, uint64_t bits)
{
	bits &= mask(type->bits);
	bool negative = type->is_signed && bits >> (type->bits - 1) & 1;
	return negative ? (wide)bits - ((wide)1 << type->bits) : (wide)bits;
}

static char class_of(unsigned bits)
{
	return bits == 64 ? 'd' : bits == 32 ? 'r' : 'h';
}

/* Edge cases crossed with each other, then random numbers of random widths. */
static void fill(struct ops_data *data)
{
	static const uint64_t edge[] = {0,
	                                1,
	                                2,
	                                31,
	                                32,
	                                33,
	                                0x7f,
	                                0x80,
	                                0xff,
	                                0x7fff,
	                                0x8000,
	                                0xffff,
	                                0x7fffffff,
	                                0x80000000,
	                                0xffffffff,
	                                0x7fffffffffffffff,
	                                0x8000000000000000,
	                                UINT64_MAX,
	                                64,
	                                0x5555aaaa};
	const unsigned edges = sizeof edge / sizeof *edge;
	uint64_t state = 1;
	for (unsigned i = 0; i < OPS_VECTORS; i++)
		for (unsigned k = 0; k < OPS_SOURCES; k++) {
			uint64_t random = kit_random(&state), choice = kit_random(&state);
			data->in[i][k] = choice % 4 == 0 ? edge[random % edges] : random >> (choice >> 8) % 64;
			if (i < edges * edges && k < 2)
				data->in[i][k] = edge[k ? i / edges : i % edges];
		}
}

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
	return V(1) == 0 ? (uwide)V(0) : (uwide)(V(0) % V(1));
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

/* bfe as the PTX manual describes it: bit by bit, the sign from the last bit of the field that exists. */
static uwide extract(const struct type *type, const uint64_t *in)
{
	unsigned position = in[1] & 0xff, length = in[2] & 0xff, top = type->bits - 1;
	unsigned last = position + length - 1 < top ? position + length - 1 : top;
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
	unsigned position = in[2] & 0xff, length = in[3] & 0xff;
	uint64_t result = in[1];
	for (unsigned k = 0; k < length && position + k < type->bits; k++) {
		uint64_t bit = (uint64_t)1 << (position + k);
		result = in[0] >> k & 1 ? result | bit : result & ~bit;
	}
	return result;
}

static const char *const both[] = {"u16", "s16", "u32", "s32", "u64", "s64", NULL};
static const char *const large[] = {"u32", "s32", "u64", "s64", NULL};
static const char *const sign[] = {"s16", "s32", "s64", NULL};
static const char *const bits_of[] = {"b16", "b32", "b64", NULL};
static const char *const large_bits[] = {"b32", "b64", NULL};

static struct type type_named(const char *name)
{
	const struct type *const all[] = {&u8, &s8, &u16, &s16, &u32, &s32, &u64, &s64};
	for (unsigned k = 0; k < 8; k++)
		if (strcmp(all[k]->name + 1, name + 1) == 0 && all[k]->is_signed == (name[0] == 's'))
			return *all[k];
	fail();
	return u8;
}

/* `sources`: a letter each: t of the type, u 32 bits, w of twice the width. `to`: t, u or w. */
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

/* Runs on every level of the host's instructions; all must agree with `expected`. */
static void check(const char *instruction, char destination, unsigned bits, struct ops_data *data,
                  const uint64_t *expected)
{
	for (unsigned level = 0; exec_levels()[level]; level++) {
		ops_run(instruction, destination, level, data);
		for (unsigned i = 0; i < OPS_VECTORS; i++)
			if ((data->out[i] & mask(bits)) != (expected[i] & mask(bits)))
				fail_msg("%s (%s) of %llx %llx %llx %llx gives %llx, expected %llx", instruction,
				         exec_levels()[level]->name, (unsigned long long)data->in[i][0],
				         (unsigned long long)data->in[i][1], (unsigned long long)data->in[i][2],
				         (unsigned long long)data->in[i][3], (unsigned long long)data->out[i],
				         (unsigned long long)expected[i]);
	}
}

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

/* 128-bit sums of two 64-bit halves, in pieces of 32 and of 64 bits, through the carry flag. */
static void carries(void **state)
{
	(void)state;
	static struct ops_data data;
	static uint64_t expected[OPS_VECTORS];
	fill(&data);
	for (unsigned i = 0; i < OPS_VECTORS; i++)
		expected[i] = data.in[i][0] + data.in[i][1];
	check("mov.b64 {%r5, %r6}, %d1; mov.b64 {%r7, %r8}, %d2; add.cc.u32 %r5, %r5, %r7; addc.u32 %r6, %r6, %r8; "
	      "mov.b64 %d0, {%r5, %r6}",
	      'd', 64, &data, expected);
	for (unsigned i = 0; i < OPS_VECTORS; i++)
		expected[i] = data.in[i][0] - data.in[i][1];
	check("mov.b64 {%r5, %r6}, %d1; mov.b64 {%r7, %r8}, %d2; sub.cc.u32 %r5, %r5, %r7; subc.u32 %r6, %r6, %r8; "
	      "mov.b64 %d0, {%r5, %r6}",
	      'd', 64, &data, expected);
	for (unsigned i = 0; i < OPS_VECTORS; i++)
		expected[i] = (uint64_t)(((uwide)data.in[i][0] + data.in[i][1]) >> 64) + data.in[i][2];
	check("add.cc.u64 %d5, %d1, %d2; addc.u64 %d0, %d3, 0", 'd', 64, &data, expected);
	for (unsigned i = 0; i < OPS_VECTORS; i++)
		expected[i] = (uint64_t)(((uwide)data.in[i][0] * data.in[i][1] + data.in[i][2]) >> 64);
	check("mad.lo.cc.u64 %d5, %d1, %d2, %d3; madc.hi.u64 %d0, %d1, %d2, 0", 'd', 64, &data, expected);
}

static void funnels_and_permutations(void **state)
{
	(void)state;
	static struct ops_data data;
	static uint64_t expected[5][OPS_VECTORS];
	fill(&data);
	for (unsigned i = 0; i < OPS_VECTORS; i++) {
		uint64_t both_words = (data.in[i][1] << 32) | (uint32_t)data.in[i][0];
		uint32_t c = (uint32_t)data.in[i][2], most = c < 32 ? c : 32;
		expected[0][i] = (uint64_t)((uwide)both_words << (c % 32) >> 32);
		expected[1][i] = (uint64_t)((uwide)both_words >> (c % 32));
		expected[2][i] = (uint64_t)((uwide)both_words << most >> 32);
		expected[3][i] = (uint64_t)((uwide)both_words >> most);
		expected[4][i] = 0;
		for (unsigned k = 0; k < 4; k++) {
			unsigned selector = c >> (4 * k) & 15;
			uint64_t byte = both_words >> (8 * (selector % 8)) & 255;
			expected[4][i] |= (selector < 8 ? byte : byte > 127 ? 255 : 0) << (8 * k);
		}
	}
	check("shf.l.wrap.b32 %r0, %r1, %r2, %r3", 'r', 32, &data, expected[0]);
	check("shf.r.wrap.b32 %r0, %r1, %r2, %r3", 'r', 32, &data, expected[1]);
	check("shf.l.clamp.b32 %r0, %r1, %r2, %r3", 'r', 32, &data, expected[2]);
	check("shf.r.clamp.b32 %r0, %r1, %r2, %r3", 'r', 32, &data, expected[3]);
	check("prmt.b32 %r0, %r1, %r2, %r3", 'r', 32, &data, expected[4]);
}

/* The modes' selectors by what the manual says they do: bytes from a and b in a window, replicated, or clamped. */
static void permutation_modes(void **state)
{
	(void)state;
	static struct ops_data data;
	static uint64_t expected[OPS_VECTORS];
	static const char *const mode[] = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
	char text[64];
	fill(&data);
	for (unsigned m = 0; m < 6; m++) {
		for (unsigned i = 0; i < OPS_VECTORS; i++) {
			uint64_t bytes = data.in[i][1] << 32 | (uint32_t)data.in[i][0];
			unsigned n = data.in[i][2] & 3;
			expected[i] = 0;
			for (unsigned k = 0; k < 4; k++) {
				unsigned from[] = {n + k,         (n + 8 - k) % 8, n,
				                   k < n ? n : k, k < n ? k : n,   2 * (n & 1) + (k & 1)};
				expected[i] |= (bytes >> (8 * from[m]) & 255) << (8 * k);
			}
		}
		snprintf(text, sizeof text, "prmt.b32.%s %%r0, %%r1, %%r2, %%r3", mode[m]);
		check(text, 'r', 32, &data, expected);
	}
}

static void logic_tables(void **state)
{
	(void)state;
	static struct ops_data data;
	static uint64_t expected[OPS_VECTORS];
	char text[64];
	fill(&data);
	for (unsigned table = 0; table < 256; table += 29) {
		for (unsigned i = 0; i < OPS_VECTORS; i++) {
			expected[i] = 0;
			for (unsigned k = 0; k < 32; k++) {
				unsigned row = (data.in[i][0] >> k & 1) * 4 + (data.in[i][1] >> k & 1) * 2 +
				               (data.in[i][2] >> k & 1);
				expected[i] |= (uint64_t)(table >> row & 1) << k;
			}
		}
		snprintf(text, sizeof text, "lop3.b32 %%r0, %%r1, %%r2, %%r3, %u", table);
		check(text, 'r', 32, &data, expected);
	}
}

static void dot_products(void **state)
{
	(void)state;
	static struct ops_data data;
	static uint64_t expected[OPS_VECTORS];
	char text[64];
	fill(&data);
	/* the first source's parts, and the second one's first bit */
	static const struct {
		const char *name;
		unsigned bits, first;
	} row[] = {{"dp4a", 8, 0}, {"dp2a.lo", 16, 0}, {"dp2a.hi", 16, 16}};
	for (unsigned m = 0; m < 12; m++) {
		unsigned r = m / 4, bits = row[r].bits;
		const struct type a = type_named(m & 1 ? bits == 8 ? "s8" : "s16" : bits == 8 ? "u8" : "u16");
		const struct type *b = m & 2 ? &s8 : &u8;
		for (unsigned i = 0; i < OPS_VECTORS; i++) {
			wide sum = (int32_t)data.in[i][2];
			for (unsigned k = 0; k < 32 / bits; k++)
				sum += value(&a, data.in[i][0] >> k * bits) *
				       value(b, data.in[i][1] >> (k * 8 + row[r].first));
			expected[i] = (uint64_t)sum;
		}
		snprintf(text, sizeof text, "%s.%s.%s %%r0, %%r1, %%r2, %%r3", row[r].name, m & 1 ? "s32" : "u32",
		         m & 2 ? "s32" : "u32");
		check(text, 'r', 32, &data, expected);
	}
}

static bool compare(unsigned cmp, wide a, wide b)
{
	bool less = a < b, equal = a == b;
	const bool holds[] = {equal, !equal, less, less || equal, !less && !equal, !less};
	return holds[cmp];
}

/* setp in all comparisons, with a second destination and a predicate to combine with; and set. */
static void comparisons(void **state)
{
	(void)state;
	static struct ops_data data;
	static uint64_t expected[OPS_VECTORS];
	static const char *const name[] = {"eq", "ne", "lt", "le", "gt", "ge"};
	static const char *const unsigned_name[] = {NULL, NULL, "lo", "ls", "hi", "hs"};
	char text[160];
	fill(&data);
	for (const char *const *type_name = both; *type_name; type_name++) {
		const struct type type = type_named(*type_name);
		char c = class_of(type.bits);
		for (unsigned cmp = 0; cmp < 6; cmp++) {
			for (unsigned i = 0; i < OPS_VECTORS; i++)
				expected[i] = compare(cmp, value(&type, data.in[i][0]), value(&type, data.in[i][1]));
			snprintf(text, sizeof text, "setp.%s.%s %%p0, %%%c1, %%%c2", name[cmp], *type_name, c, c);
			check(text, 'p', 32, &data, expected);
			if (!type.is_signed && unsigned_name[cmp]) {
				snprintf(text, sizeof text, "setp.%s.%s %%p0, %%%c1, %%%c2", unsigned_name[cmp],
				         *type_name, c, c);
				check(text, 'p', 32, &data, expected);
			}
			for (unsigned i = 0; i < OPS_VECTORS; i++)
				expected[i] = expected[i] ? UINT32_MAX : 0;
			snprintf(text, sizeof text, "set.%s.u32.%s %%r0, %%%c1, %%%c2", name[cmp], *type_name, c, c);
			check(text, 'r', 32, &data, expected);
		}
	}
	for (unsigned i = 0; i < OPS_VECTORS; i++)
		expected[i] = !((int32_t)data.in[i][0] < (int32_t)data.in[i][1]) ^ !(data.in[i][3] & 1);
	check("setp.lt.xor.s32 %p2|%p0, %r1, %r2, !%p1", 'p', 32, &data, expected);
	for (unsigned i = 0; i < OPS_VECTORS; i++)
		expected[i] = (int32_t)data.in[i][0] < (int32_t)data.in[i][1] && data.in[i][3] & 1;
	check("setp.lt.and.s32 %p0|%p2, %r1, %r2, %p1", 'p', 32, &data, expected);
}

static void selections(void **state)
{
	(void)state;
	static struct ops_data data;
	static uint64_t expected[OPS_VECTORS];
	fill(&data);
	for (unsigned i = 0; i < OPS_VECTORS; i++)
		expected[i] = data.in[i][3] & 1 ? data.in[i][0] : data.in[i][1];
	check("selp.b16 %h0, %h1, %h2, %p1", 'h', 16, &data, expected);
	check("selp.b32 %r0, %r1, %r2, %p1", 'r', 32, &data, expected);
	check("selp.b64 %d0, %d2, %d1, !%p1", 'd', 64, &data, expected);
	for (unsigned i = 0; i < OPS_VECTORS; i++)
		expected[i] = (int32_t)data.in[i][2] >= 0 ? data.in[i][0] : data.in[i][1];
	check("slct.u64.s32 %d0, %d1, %d2, %r3", 'd', 64, &data, expected);
	check("slct.b32.s32 %r0, %r1, %r2, %r3", 'r', 32, &data, expected);
	/* Predicates: and, or, xor, not, mov, against the same on bits. */
	for (unsigned i = 0; i < OPS_VECTORS; i++)
		expected[i] =
			((data.in[i][3] & 1) & (data.in[i][0] & 1)) ^ !((data.in[i][3] & 1) | (data.in[i][1] & 1));
	check("and.b32 %r5, %r1, 1; setp.eq.u32 %p2, %r5, 1; and.b32 %r6, %r2, 1; setp.eq.u32 %p3, %r6, 1; "
	      "and.pred %p4, %p1, %p2; or.pred %p5, %p1, %p3; not.pred %p5, %p5; xor.pred %p4, %p4, %p5; mov.pred %p0, "
	      "%p4",
	      'p', 32, &data, expected);
}

/* Every pair of integer types, plain and saturating, into the smallest register and into wider ones. */
static void conversions(void **state)
{
	(void)state;
	static struct ops_data data;
	static uint64_t expected[OPS_VECTORS];
	const struct type *const all[] = {&u8, &s8, &u16, &s16, &u32, &s32, &u64, &s64};
	char text[64];
	fill(&data);
	for (unsigned from = 0; from < 8; from++)
		for (unsigned to = 0; to < 8; to++)
			for (unsigned reg = 16; reg <= 64; reg *= 2)
				for (unsigned sat = 0; sat < 2; sat++) {
					const struct type *s = all[from], *t = all[to];
					if (reg < t->bits)
						continue;
					for (unsigned i = 0; i < OPS_VECTORS; i++) {
						wide v = value(s, data.in[i][0]);
						wide low = t->is_signed ? -((wide)1 << (t->bits - 1)) : 0;
						wide high = low + (wide)mask(t->bits);
						if (sat)
							v = v < low ? low : v > high ? high : v;
						expected[i] = (uint64_t)value(t, (uint64_t)v);
					}
					snprintf(text, sizeof text, "cvt%s.%s.%s %%%c0, %%%c1", sat ? ".sat" : "",
					         t->name, s->name, class_of(reg),
					         class_of(s->bits > 16 ? s->bits : 32));
					check(text, class_of(reg), reg, &data, expected);
				}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arithmetic),
		cmocka_unit_test(wide_results),
		cmocka_unit_test(special_forms),
		cmocka_unit_test(carries),
		cmocka_unit_test(funnels_and_permutations),
		cmocka_unit_test(permutation_modes),
		cmocka_unit_test(logic_tables),
		cmocka_unit_test(dot_products),
		cmocka_unit_test(comparisons),
		cmocka_unit_test(selections),
		cmocka_unit_test(conversions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
