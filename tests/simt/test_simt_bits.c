/* Protects integer instructions on the bits of several operands: carries, funnel shifts, permutations, logic tables,
 * dot products. */
#include "int_kit.h"

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

/* The selectors of the modes by the manual's description: bytes of a and b in a window, replicated, or clamped. */
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
	/* the parts of the first source, and the first bit of the second */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(carries),           cmocka_unit_test(funnels_and_permutations),
		cmocka_unit_test(permutation_modes), cmocka_unit_test(logic_tables),
		cmocka_unit_test(dot_products),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
