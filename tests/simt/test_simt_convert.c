/* Protects comparisons, selections and conversions of integers, against values computed with 128-bit integers. */
#include "int_kit.h"

static bool compare(unsigned cmp, wide a, wide b)
{
	bool less = a < b, equal = a == b;
	const bool holds[] = {equal, !equal, less, less || equal, !less && !equal, !less};
	return holds[cmp];
}

/* setp with all comparisons, with a second destination and a predicate to combine with; and set. */
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
	/* Predicates: and, or, xor, not, mov, against the same operations on bits. */
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
					bool contains = t->is_signed == s->is_signed
					                        ? t->bits >= s->bits
					                        : t->is_signed && t->bits > s->bits;
					if (reg < t->bits || (sat && contains)) /* PTX has .sat only where it matters */
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

/* An integer beyond a double's mantissa is rounded once: 2^63 + 2^55 is halfway between two numbers of bf16. */
static void rounded_once(void **state)
{
	(void)state;
	static struct ops_data data;
	static uint64_t expected[OPS_VECTORS];
	for (unsigned i = 0; i < OPS_VECTORS; i++) {
		data.in[i][0] = 0x807fffffffffffff + i % 3; /* below, halfway, above */
		expected[i] = i % 3 == 2 ? 0x5f01 : 0x5f00;
	}
	check("cvt.rn.bf16.u64 %h0, %d1", 'h', 16, &data, expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comparisons),
		cmocka_unit_test(selections),
		cmocka_unit_test(conversions),
		cmocka_unit_test(rounded_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
