/* int_kit: integer types, operands at their edges, and runs of one instruction on them at every instruction-set level
 * of the host. */
#ifndef SLUICE_TESTS_INT_KIT_H
#define SLUICE_TESTS_INT_KIT_H

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

static inline uint64_t mask(unsigned bits)
{
	return bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

static inline wide value(const struct type *type, uint64_t bits)
{
	bits &= mask(type->bits);
	bool negative = type->is_signed && bits >> (type->bits - 1) & 1;
	return negative ? (wide)bits - ((wide)1 << type->bits) : (wide)bits;
}

static inline char class_of(unsigned bits)
{
	return bits == 64 ? 'd' : bits == 32 ? 'r' : 'h';
}

/* Edge cases crossed with each other, then random numbers of random widths. */
static inline void fill(struct ops_data *data)
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

static const char *const both[] = {"u16", "s16", "u32", "s32", "u64", "s64", NULL};
static const char *const large[] = {"u32", "s32", "u64", "s64", NULL};
static const char *const sign[] = {"s16", "s32", "s64", NULL};
static const char *const bits_of[] = {"b16", "b32", "b64", NULL};
static const char *const large_bits[] = {"b32", "b64", NULL};

static inline struct type type_named(const char *name)
{
	const struct type *const all[] = {&u8, &s8, &u16, &s16, &u32, &s32, &u64, &s64};
	for (unsigned k = 0; k < 8; k++)
		if (strcmp(all[k]->name + 1, name + 1) == 0 && all[k]->is_signed == (name[0] == 's'))
			return *all[k];
	fail();
	return u8;
}

/* Runs the instruction at every instruction-set level of the host; all results must equal `expected`. */
static inline void check(const char *instruction, char destination, unsigned bits, struct ops_data *data,
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

#endif
