/* Protects the address map: the location of an address against a table worked by hand and an implementation that moves
 * bits one by one. No two addresses share a location. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "memory/address_map.h"

/* GTX 480: 6 channels of 2 slices, 256 consecutive bytes, 16 banks, 4 column bits between the bank bits. */
static struct address_map gtx480(void)
{
	struct address_map map = {
		.channels = 6, .slices_per_channel = 2, .interleave_bits = 8, .banks = 16, .column_bits = 4};
	address_map_open(&map);
	return map;
}

/* QV100 and RTX 3070 of GPGPU-Sim 4.2.0: hashed slices. */
static struct address_map qv100(void)
{
	struct address_map map = {.channels = 32,
	                          .slices_per_channel = 2,
	                          .interleave_bits = 8,
	                          .banks = 16,
	                          .column_bits = 3,
	                          .slice_hash = SLICE_HASH_POLYNOMIAL};
	address_map_open(&map);
	return map;
}

static struct address_map rtx3070(void)
{
	struct address_map map = {.channels = 16,
	                          .slices_per_channel = 2,
	                          .interleave_bits = 8,
	                          .banks = 16,
	                          .column_bits = 4,
	                          .slices_inside = true,
	                          .slice_hash = SLICE_HASH_POLYNOMIAL};
	address_map_open(&map);
	return map;
}

/* TITAN V of GPGPU-Sim 4.2.0: 24 channels, and the hash of 32 of them. */
static struct address_map titan_v(void)
{
	struct address_map map = {.channels = 24,
	                          .slices_per_channel = 2,
	                          .interleave_bits = 8,
	                          .banks = 16,
	                          .column_bits = 3,
	                          .slice_hash = SLICE_HASH_POLYNOMIAL,
	                          .bank_hash = BANK_HASH_XOR};
	address_map_open(&map);
	return map;
}

static struct request place(const struct address_map *map, uint64_t address)
{
	struct request request = {.address = address};
	address_map_place(map, &request);
	return request;
}

/* By hand: piece p = address / 256; channel p % 6; q = p / 6; bit 0 of q is the slice and the low bank bit, bits
 * 1-4 are columns, bits 5-7 the high bank bits, the rest is the row. */
static void test_table(void **state)
{
	static const struct {
		uint64_t address;
		uint32_t slice, bank, row;
		uint64_t local;
	} row[] = {
		{0, 0, 0, 0, 0},
		{255, 0, 0, 0, 255},
		{256, 2, 0, 0, 0},                    /* p 1: channel 1, its first slice */
		{5 * 256 + 7, 10, 0, 0, 7},           /* p 5: channel 5 */
		{6 * 256, 1, 1, 0, 0},                /* p 6: channel 0, q 1: second slice, bank 1 */
		{12 * 256, 0, 0, 0, 256},             /* q 2: a column further */
		{6 * 32 * 256, 0, 2, 0, 16 * 256},    /* q 32: bank 2 */
		{6 * 255 * 256, 1, 15, 0, 127 * 256}, /* q 255: the last piece of row 0 */
		{6 * 256 * 256, 0, 0, 1, 128 * 256},  /* q 256: row 1 */
		/* 0x80000000: p 8388608 = 6 x 1398101 + 2: channel 2; q odd: slice 5; q = 5461 x 256 + 85; 85 = 2 x
		 * 32 + 21 */
		{0x80000000, 5, 5, 5461, 699050ull * 256},
	};
	struct address_map map = gtx480();
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		struct request got = place(&map, row[i].address);
		assert_int_equal(got.slice, row[i].slice);
		assert_int_equal(got.bank, row[i].bank);
		assert_int_equal(got.row, row[i].row);
		assert_int_equal(got.slice_address, row[i].local);
	}
}

/* A number whose bits are taken from its low end and put elsewhere. */
struct bits {
	uint64_t value;
	uint32_t at;
};

static void move_bits(struct bits *from, struct bits *to, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		to->value |= (from->value >> from->at++ & 1) << to->at++;
}

static uint32_t bits_of(uint32_t power)
{
	uint32_t bits = 0;
	while (1u << bits < power)
		bits++;
	return bits;
}

static struct request place_bit_by_bit(const struct address_map *map, uint64_t address)
{
	uint64_t stay = 1ull << map->interleave_bits, piece = address / stay;
	struct bits packed = {piece / map->channels * stay + address % stay, 0};
	uint32_t slices = bits_of(map->slices_per_channel), banks = bits_of(map->banks);
	uint32_t low_banks = slices ? slices : 1, below = map->columns_lowest ? map->column_bits : 0;
	if (low_banks > banks)
		low_banks = banks;

	struct bits local = {0}, slice = {0}, unused = {0}, bank = {0}, column = {0}, row = {0}, all = packed;
	move_bits(&all, &local, map->interleave_bits + below);
	move_bits(&all, &slice, slices);
	move_bits(&all, &local, 64 - map->interleave_bits - below - slices);
	all = packed;
	move_bits(&all, &unused, map->interleave_bits);
	move_bits(&all, &column, below);
	move_bits(&all, &bank, low_banks);
	move_bits(&all, &column, map->column_bits - below);
	move_bits(&all, &bank, banks - low_banks);
	move_bits(&all, &row, 64 - all.at);
	return (struct request){.slice = (uint16_t)(piece % map->channels * map->slices_per_channel + slice.value),
	                        .slice_address = local.value,
	                        .bank = (uint8_t)bank.value,
	                        .row = (uint32_t)row.value};
}

/* Returns the address at a location of a slice: the inverse of the map. */
static uint64_t address_of(const struct address_map *map, uint32_t slice, uint64_t local)
{
	uint64_t stay = 1ull << map->interleave_bits;
	uint64_t below = map->columns_lowest ? 1ull << map->column_bits : 1;
	uint64_t above = local / stay / below * map->slices_per_channel + slice % map->slices_per_channel;
	uint64_t q = above * below + local / stay % below;
	return (q * map->channels + slice / map->slices_per_channel) * stay + local % stay;
}

static uint64_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return *seed >> 20;
}

/* Machines of all shapes, including one bank and one slice. Both implementations agree, and bank and slice are in
 * range. The inverse map returns the address from slice and local address, so no two addresses share them. */
static void test_against_bit_by_bit(void **state)
{
	static const struct address_map shape[] = {
		{.channels = 6, .slices_per_channel = 2, .interleave_bits = 8, .banks = 16, .column_bits = 4},
		{.channels = 8, .slices_per_channel = 1, .interleave_bits = 8, .banks = 8, .column_bits = 3},
		{.channels = 6,
	         .slices_per_channel = 1,
	         .interleave_bits = 8,
	         .banks = 16,
	         .column_bits = 4,
	         .columns_lowest = true},
		{.channels = 5,
	         .slices_per_channel = 4,
	         .interleave_bits = 9,
	         .banks = 16,
	         .column_bits = 3,
	         .columns_lowest = true},
		{.channels = 5, .slices_per_channel = 4, .interleave_bits = 7, .banks = 16, .column_bits = 0},
		{.channels = 1, .slices_per_channel = 8, .interleave_bits = 12, .banks = 64, .column_bits = 6},
		{.channels = 3, .slices_per_channel = 1, .interleave_bits = 8, .banks = 1, .column_bits = 4},
		{.channels = 2, .slices_per_channel = 4, .interleave_bits = 8, .banks = 2, .column_bits = 4},
	};
	uint64_t seed = 1;
	(void)state;
	for (size_t i = 0; i < sizeof shape / sizeof shape[0]; i++) {
		struct address_map map = shape[i];
		address_map_open(&map);
		for (uint32_t n = 0; n < 20000; n++) {
			/* dense from 0, then anywhere below 2^40, where rows fit 32 bits */
			uint64_t address = n < 10000 ? n * 97ull : next_random(&seed) & ((1ull << 40) - 1);
			struct request got = place(&map, address), want = place_bit_by_bit(&map, address);
			assert_int_equal(got.slice, want.slice);
			assert_int_equal(got.slice_address, want.slice_address);
			assert_int_equal(got.bank, want.bank);
			assert_int_equal(got.row, want.row);
			assert_in_range(got.slice, 0, map.channels * map.slices_per_channel - 1);
			assert_in_range(got.bank, 0, map.banks - 1);
			assert_int_equal(address_of(&map, got.slice, got.slice_address), address);
		}
	}
}

/* Consecutive pieces are spread evenly: 6 x 256 pieces fill a row of every bank of every channel, 16 pieces each. */
static void test_even_spread(void **state)
{
	struct address_map map = gtx480();
	uint32_t pieces[6][16] = {{0}};
	(void)state;
	for (uint64_t piece = 0; piece < 6 * 256; piece++) {
		struct request got = place(&map, piece * 256);
		assert_int_equal(got.row, 0);
		pieces[got.slice / 2][got.bank]++;
	}
	for (uint32_t channel = 0; channel < 6; channel++)
		for (uint32_t bank = 0; bank < 16; bank++)
			assert_int_equal(pieces[channel][bank], 16);
}

/* One bit of the hash: the sum of the bits of `above` listed up to -1, and of the same bit of the index. */
static uint32_t sum_of(uint64_t above, const int8_t *named)
{
	uint32_t sum = 0;
	for (; *named >= 0; named++)
		sum ^= (uint32_t)(above >> *named & 1);
	return sum;
}

/* The taps of the hash for 32 and 64 slices, read bit by bit in that simulator. */
static const int8_t taps_of_32[5][12] = {{0, 3, 5, 6, 9, 10, 11, 12, 13, -1},
                                         {1, 4, 6, 7, 10, 11, 12, 13, 14, -1},
                                         {0, 2, 3, 6, 7, 8, 9, 10, 14, -1},
                                         {1, 3, 4, 7, 8, 9, 10, 11, -1},
                                         {2, 4, 5, 8, 9, 10, 11, 12, -1}};
static const int8_t taps_of_64[6][12] = {{0, 5, 6, 10, 12, 15, 16, 17, 18, -1}, {0, 1, 5, 7, 10, 11, 12, 13, 15, -1},
                                         {1, 2, 6, 8, 11, 12, 13, 14, 16, -1},  {2, 3, 7, 9, 12, 13, 14, 15, 17, -1},
                                         {3, 4, 8, 10, 13, 14, 15, 16, 18, -1}, {4, 5, 9, 11, 14, 15, 16, 17, -1}};

static uint32_t bits(uint64_t address, uint32_t high, uint32_t low)
{
	return (uint32_t)(address >> low & ((1ull << (high - low + 1)) - 1));
}

/* Computed from the address bits: slice, bank, row and the input of L2's set index. */
static void test_hashed_machines(void **state)
{
	struct address_map volta = qv100(), ampere = rtx3070();
	uint64_t seed = 7;
	(void)state;
	for (uint32_t n = 0; n < 20000; n++) {
		uint64_t a = 0xC0000000ull + (n < 10000 ? n * 32ull : next_random(&seed) & ((1ull << 34) - 1));
		uint32_t slice = bits(a, 12, 8) << 1 | bits(a, 13, 13);
		for (uint32_t bit = 0; bit < 6; bit++)
			slice ^= sum_of(a >> 14, taps_of_64[bit]) << bit;
		struct request got = place(&volta, a);
		assert_int_equal(got.slice, slice);
		assert_int_equal(got.bank, bits(a, 19, 17) << 1 | bits(a, 13, 13));
		assert_int_equal(got.row, a >> 20);
		assert_int_equal(got.slice_address >> 7 & 31, bits(a, 17, 14) << 1 | bits(a, 7, 7));
		assert_int_equal(got.slice_address >> 12, a >> 18);

		slice = bits(a, 11, 8) << 1 | bits(a, 7, 7);
		for (uint32_t bit = 0; bit < 5; bit++)
			slice ^= sum_of(a >> 13, taps_of_32[bit]) << bit;
		got = place(&ampere, a);
		assert_int_equal(got.slice, slice);
		assert_int_equal(got.bank, bits(a, 18, 16) << 1 | bits(a, 7, 7));
		assert_int_equal(got.row, a >> 19);
		assert_int_equal(got.slice_address >> 7 & 63, bits(a, 17, 12));
		assert_int_equal(got.slice_address >> 13, a >> 18);
	}
}

/* 48 slices: the hash of 64 of all bits above the channel, modulo 48; the bank is combined with the row. */
static void test_hash_modulo(void **state)
{
	struct address_map map = titan_v();
	uint32_t count[48] = {0};
	(void)state;
	for (uint32_t n = 0; n < 20000; n++) {
		uint64_t a = 0xC0000000ull + n * 256ull, above = (a >> 8) / 24, packed = above << 8;
		uint32_t slice = (uint32_t)((a >> 8) % 24) << 1 | bits(packed, 8, 8);
		for (uint32_t bit = 0; bit < 6; bit++)
			slice ^= sum_of(above, taps_of_64[bit]) << bit;
		struct request got = place(&map, a);
		assert_int_equal(got.slice, slice % 48);
		assert_int_equal(got.row, packed >> 15);
		assert_int_equal(got.bank, (bits(packed, 14, 12) << 1 | bits(packed, 8, 8)) ^ (got.row & 15));
		count[got.slice]++;
	}
	/* as there: results of 48 to 63 fall on the first 16 slices, which get twice as much */
	for (uint32_t slice = 0; slice < 48; slice++)
		assert_in_range(count[slice], 20000 / 64 * (slice < 16 ? 2 : 1) * 8 / 10,
		                20000 / 64 * (slice < 16 ? 2 : 1) * 12 / 10);
}

/* At random: the 128 bytes of a slice stay together, and all slices get the same share. The rest of the place is that
 * of the map without a hash. The polynomial of banks is that of 16 sets. */
static void test_random_slices(void **state)
{
	struct address_map map = {.channels = 12,
	                          .slices_per_channel = 2,
	                          .interleave_bits = 8,
	                          .banks = 16,
	                          .column_bits = 4,
	                          .slices_inside = true};
	struct address_map random = map, polynomial = map;
	struct polynomial_hash hash;
	uint32_t count[24] = {0}, next_differs = 0;
	(void)state;
	random.slice_hash = SLICE_HASH_RANDOM;
	polynomial.bank_hash = BANK_HASH_POLYNOMIAL;
	polynomial_hash_open(&hash, 16);
	address_map_open(&map);
	address_map_open(&random);
	address_map_open(&polynomial);
	for (uint64_t a = 0; a < 24000 * 128; a += 128) {
		struct request plain = place(&map, a), got = place(&random, a), banks = place(&polynomial, a);
		assert_in_range(got.slice, 0, 23);
		assert_int_equal(place(&random, a + 127).slice, got.slice);
		assert_int_equal(got.slice_address, plain.slice_address);
		assert_int_equal(got.bank, plain.bank);
		assert_int_equal(got.row, plain.row);
		assert_int_equal(banks.bank, polynomial_hash_place(&hash, plain.row, plain.bank));
		next_differs += place(&random, a + 128).slice != got.slice;
		count[got.slice]++;
	}
	for (uint32_t slice = 0; slice < 24; slice++)
		assert_in_range(count[slice], 850, 1150); /* of 1000: within five standard deviations */
	assert_in_range(next_differs, 24000 * 23 / 24 - 200, 24000 * 23 / 24 + 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hash_modulo), cmocka_unit_test(test_random_slices),
		cmocka_unit_test(test_table),       cmocka_unit_test(test_against_bit_by_bit),
		cmocka_unit_test(test_even_spread), cmocka_unit_test(test_hashed_machines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
