/* Protects coalescing and bank conflicts. Every result is compared with a slow model that follows the definitions, on
 * worked cases and on random addresses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sm/coalesce.h"
#include "sm/shared_memory.h"

#define ALL UINT32_MAX
enum { RANDOM_CASES = 4000 };

struct expected {
	struct access access[OP_MAX_ACCESSES];
	uint32_t count;
};

static uint64_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return *seed >> 24;
}

/* A random stride: from a fraction of the datum to several lines, odd values included. In one case of four, lanes swap
 * addresses. */
static void random_stride(uint64_t *seed, uint64_t *address, uint32_t size)
{
	static const uint32_t most[] = {2, 5, 9, 33, 70, 1024};
	int64_t stride = (int64_t)(next_random(seed) % most[next_random(seed) % 6] * size);
	bool mirrored = next_random(seed) % 2;
	uint64_t base = address[0];
	for (int64_t lane = 0; lane < WARP_SIZE; lane++)
		address[lane] = base + (uint64_t)(stride * (mirrored ? WARP_SIZE - 1 - lane : lane));
	if (next_random(seed) % 4)
		return;
	uint32_t one = (uint32_t)next_random(seed) % WARP_SIZE, other = (uint32_t)next_random(seed) % WARP_SIZE;
	uint64_t kept = address[one];
	address[one] = address[other];
	address[other] = kept;
}

/* Random addresses of several shapes: all lanes at one address, anywhere in memory, consecutive, or a stride apart,
 * rising or mirrored. Sometimes a lane or two deviate. Often some lanes are inactive. */
static uint32_t random_case(uint64_t *seed, uint64_t *address, uint32_t size)
{
	static const uint64_t spread[] = {1, 4, 32, 64, 256, 1024, 4096, 1 << 20};
	uint64_t elements = spread[next_random(seed) % 8], base = next_random(seed) % (1 << 30) * 256;
	for (uint32_t lane = 0; lane < WARP_SIZE; lane++)
		address[lane] = base + next_random(seed) % elements * size;
	if (next_random(seed) % 4 == 0)
		for (uint32_t lane = 1; lane < WARP_SIZE; lane++)
			address[lane] = address[0] + (uint64_t)lane * size;
	if (next_random(seed) % 3 == 0)
		random_stride(seed, address, size);
	uint32_t lanes = (uint32_t)next_random(seed);
	return next_random(seed) % 3 ? lanes : ALL;
}

static bool lane_in(uint32_t lanes, uint32_t lane)
{
	return lanes >> lane & 1;
}

static int by_address(const void *a, const void *b)
{
	const struct access *x = a, *y = b;
	return x->address < y->address ? -1 : x->address > y->address;
}

static void compare(const struct op *op, struct expected *want)
{
	qsort(want->access, want->count, sizeof want->access[0], by_address);
	assert_int_equal(op->accesses, want->count);
	for (uint32_t i = 0; i < want->count; i++) {
		assert_int_equal(op->access[i].address, want->access[i].address);
		assert_int_equal(op->access[i].bytes, want->access[i].bytes);
		assert_int_equal(op->access[i].lanes, want->access[i].lanes);
	}
}

/* One access for each distinct segment. While one half of an access contains all its addresses, the access shrinks to
 * that half. */
static void model_global(const uint64_t *address, uint32_t lanes, uint32_t size, uint32_t most, struct expected *want)
{
	uint32_t segment = size == 1 ? 32 : size == 2 ? 64 : 128;
	segment = segment < most ? segment : most;
	want->count = 0;
	for (uint32_t done = 0; done != lanes;) {
		uint32_t first = (uint32_t)__builtin_ctz(lanes & ~done), in = 0;
		uint64_t base = address[first] / segment * segment, low = UINT64_MAX, high = 0;
		for (uint32_t lane = 0; lane < WARP_SIZE; lane++)
			if (lane_in(lanes, lane) && address[lane] / segment * segment == base) {
				in |= 1u << lane;
				low = address[lane] < low ? address[lane] : low;
				high = address[lane] > high ? address[lane] : high;
			}
		uint32_t bytes = segment;
		while (bytes > 32 && low / (bytes / 2) == high / (bytes / 2))
			bytes /= 2;
		want->access[want->count++] =
			(struct access){.address = low / bytes * bytes, .bytes = bytes, .lanes = in};
		done |= in;
	}
}

/* The 32-byte pieces of each access: those that its lanes touch, and those that they cover completely. Where an access
 * touches one piece, each byte. */
static void check_chunks(const struct op *op, const uint64_t *address, uint32_t size)
{
	for (uint32_t i = 0; i < op->accesses; i++) {
		const struct access *access = &op->access[i];
		bool touched[128] = {false};
		uint32_t chunks = 0, whole = 0;
		for (uint32_t lane = 0; lane < WARP_SIZE; lane++)
			if (lane_in(access->lanes, lane))
				memset(&touched[address[lane] - access->address], 1, size);
		for (uint32_t c = 0; c < access->bytes / 32; c++) {
			uint32_t bytes = 0;
			for (uint32_t byte = 0; byte < 32; byte++)
				bytes += touched[c * 32 + byte];
			chunks |= (uint32_t)(bytes > 0) << c;
			whole |= (uint32_t)(bytes == 32) << c;
		}
		if (access->bytes == 32)
			for (uint32_t byte = 0; byte < 32; byte++)
				assert_int_equal(access->written >> byte & 1, touched[byte]);
		assert_int_equal(access->chunks, chunks);
		assert_int_equal(access->full_chunks, whole);
	}
}

static void test_global_against_model(void **state)
{
	static const uint32_t size[] = {1, 2, 4, 8, 16};
	uint64_t seed = 3, address[WARP_SIZE];
	(void)state;
	for (uint32_t n = 0; n < RANDOM_CASES; n++) {
		struct op op;
		struct expected want;
		uint32_t bytes = size[n % 5], most = 32u << n % 3, lanes = random_case(&seed, address, bytes);
		coalesce_global(&op, address, lanes, bytes, most);
		model_global(address, lanes, bytes, most, &want);
		compare(&op, &want);
		check_chunks(&op, address, bytes);
	}
}

/* Local memory: the words of a wide access lie a pitch apart, and each is coalesced like a single word. */
static void test_local_against_model(void **state)
{
	static const uint32_t sizes[] = {1, 2, 4, 8, 16};
	uint64_t seed = 5, address[WARP_SIZE];
	(void)state;
	for (uint32_t n = 0; n < RANDOM_CASES; n++) {
		struct op op;
		struct expected want, of_word;
		uint32_t size = sizes[n % 5], word = size < 4 ? size : 4, most = 32u << n % 3;
		/* more than one word's accesses span */
		uint64_t pitch = (1ull << 32) + 128 * (next_random(&seed) % 64);
		uint32_t lanes = random_case(&seed, address, word);
		coalesce_local(&op, address, lanes, size, pitch, most);
		want.count = 0;
		for (uint32_t k = 0; k < size / word; k++) {
			model_global(address, lanes, word, most, &of_word);
			for (uint32_t i = 0; i < of_word.count; i++)
				want.access[want.count++] = of_word.access[i];
			for (uint32_t lane = 0; lane < WARP_SIZE; lane++)
				address[lane] += pitch;
		}
		compare(&op, &want);
	}
}

/* The standard cases of a warp that reads 4-byte words from an aligned address. */
static void test_global_worked_cases(void **state)
{
	static const struct {
		uint64_t offset, stride;
		uint32_t lanes, size, accesses, first_bytes;
	} row[] = {
		{0, 4, ALL, 4, 1, 128},        /* consecutive words: one line */
		{4, 4, ALL, 4, 2, 128},        /* one word off: two lines */
		{0, 8, ALL, 4, 2, 128},        /* every other word */
		{0, 128, ALL, 4, 32, 32},      /* one line per lane, 32 bytes of it used */
		{0, 0, ALL, 4, 1, 32},         /* the same word */
		{0, 4, 0x0000FFFF, 4, 1, 64},  /* half a warp */
		{0, 4, 0x000000FF, 4, 1, 32},  /* a quarter */
		{0, 4, 0x0001FF00, 4, 1, 128}, /* bytes 32 to 67: both halves */
		{64, 4, 0x0000FFFF, 4, 1, 64}, /* the upper half of a line */
		{0, 1, ALL, 1, 1, 32},         /* bytes */
		{0, 2, ALL, 2, 1, 64},         /* half words */
		{0, 8, ALL, 8, 2, 128},        /* double words */
		{0, 16, ALL, 16, 4, 128},      /* vectors of four words */
		{0, 4, 0x80000000, 4, 1, 32},  /* one lane */
		{0, 4, 0, 4, 0, 0},            /* no lanes */
	};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		struct op op;
		uint64_t address[WARP_SIZE];
		for (uint32_t lane = 0; lane < WARP_SIZE; lane++)
			address[lane] = 0x80000000 + row[i].offset + lane * row[i].stride;
		coalesce_global(&op, address, row[i].lanes, row[i].size, 128);
		assert_int_equal(op.accesses, row[i].accesses);
		if (row[i].accesses)
			assert_int_equal(op.access[0].bytes, row[i].first_bytes);
	}
}

/* Round k takes the k-th lane of every address. Each round has one access for each distinct piece. */
static void model_atomic(const uint64_t *address, uint32_t lanes, uint32_t piece, struct expected *want)
{
	uint32_t round[WARP_SIZE] = {0};
	want->count = 0;
	for (uint32_t lane = 0; lane < WARP_SIZE; lane++)
		for (uint32_t other = 0; other < lane; other++)
			round[lane] += lane_in(lanes, other) && address[other] == address[lane];
	for (uint32_t lane = 0; lane < WARP_SIZE; lane++) {
		uint32_t in = 0;
		for (uint32_t other = 0; other < WARP_SIZE; other++)
			if (lane_in(lanes, other) && round[other] == round[lane] &&
			    address[other] / piece == address[lane] / piece)
				in |= 1u << other;
		if (lane_in(lanes, lane) && (uint32_t)__builtin_ctz(in) == lane)
			want->access[want->count++] =
				(struct access){.address = address[lane] / piece * piece, .bytes = piece, .lanes = in};
	}
}

static int by_address_and_lanes(const void *a, const void *b)
{
	const struct access *x = a, *y = b;
	int order = by_address(a, b);
	return order ? order : x->lanes < y->lanes ? -1 : x->lanes > y->lanes;
}

static void test_atomic_against_model(void **state)
{
	static const uint32_t piece[] = {32, 64, 128};
	uint64_t seed = 5, address[WARP_SIZE];
	(void)state;
	for (uint32_t n = 0; n < RANDOM_CASES; n++) {
		struct op op;
		struct expected want;
		uint32_t bytes = piece[n % 3], lanes = random_case(&seed, address, 4);
		coalesce_atomic(&op, address, lanes, bytes);
		model_atomic(address, lanes, bytes, &want);
		for (uint32_t i = 1; i < op.accesses; i++)
			assert_true(op.access[i - 1].address <= op.access[i].address);
		/* the rounds may list the pieces of one address in any order */
		qsort(op.access, op.accesses, sizeof op.access[0], by_address_and_lanes);
		qsort(want.access, want.count, sizeof want.access[0], by_address_and_lanes);
		assert_int_equal(op.accesses, want.count);
		for (uint32_t i = 0; i < want.count; i++) {
			assert_int_equal(op.access[i].address, want.access[i].address);
			assert_int_equal(op.access[i].lanes, want.access[i].lanes);
			assert_int_equal(op.access[i].bytes, bytes);
		}
	}
}

/* 32 consecutive words in pieces of 64 bytes are 2 requests; 32 lanes on one word are 32. */
static void test_atomic_worked_cases(void **state)
{
	struct op op;
	uint64_t address[WARP_SIZE];
	(void)state;
	for (uint32_t lane = 0; lane < WARP_SIZE; lane++)
		address[lane] = 0x80000000 + 4 * lane;
	coalesce_atomic(&op, address, ALL, 64);
	assert_int_equal(op.accesses, 2);
	for (uint32_t lane = 0; lane < WARP_SIZE; lane++)
		address[lane] = 0x80000000;
	coalesce_atomic(&op, address, ALL, 64);
	assert_int_equal(op.accesses, 32);
}

static void test_constant_against_model(void **state)
{
	uint64_t seed = 7, address[WARP_SIZE];
	(void)state;
	for (uint32_t n = 0; n < RANDOM_CASES; n++) {
		struct op op;
		struct expected want = {.count = 0};
		uint32_t line = n % 2 ? 64 : 128, lanes = random_case(&seed, address, 4);
		coalesce_constant(&op, address, lanes, line);
		for (uint32_t lane = 0; lane < WARP_SIZE; lane++) {
			uint32_t in = 0;
			for (uint32_t other = 0; other < WARP_SIZE; other++)
				in |= (uint32_t)(lane_in(lanes, other) && address[other] / line == address[lane] / line)
				      << other;
			if (lane_in(lanes, lane) && (uint32_t)__builtin_ctz(in) == lane)
				want.access[want.count++] = (struct access){
					.address = address[lane] / line * line, .bytes = line, .lanes = in};
		}
		compare(&op, &want);
	}
}

/* For every bank, the number of different words that the lanes touch. The result is the largest number, at least 1. */
static uint32_t model_banks(const uint64_t *address, uint32_t lanes, uint32_t size, uint32_t banks)
{
	uint32_t words = size <= 4 ? 1 : size / 4, most = 1;
	uint64_t word[WARP_SIZE * 4];
	uint32_t count = 0;
	for (uint32_t lane = 0; lane < WARP_SIZE; lane++)
		for (uint32_t k = 0; lane_in(lanes, lane) && k < words; k++)
			word[count++] = address[lane] / 4 + k;
	for (uint32_t bank = 0; bank < banks; bank++) {
		uint32_t different = 0;
		for (uint32_t i = 0; i < count; i++) {
			bool repeated = word[i] % banks != bank;
			for (uint32_t j = 0; j < i && !repeated; j++)
				repeated = word[j] == word[i];
			different += !repeated;
		}
		most = different > most ? different : most;
	}
	return most;
}

static void test_banks_against_model(void **state)
{
	static const uint32_t size[] = {1, 2, 4, 8, 16}, banks[] = {32, 16, 64, 1, 24};
	uint64_t seed = 9, address[WARP_SIZE];
	(void)state;
	for (uint32_t n = 0; n < RANDOM_CASES; n++) {
		uint32_t bytes = size[n % 5], of = banks[n / 5 % 5], lanes = random_case(&seed, address, bytes);
		for (uint32_t lane = 0; lane < WARP_SIZE; lane++)
			address[lane] %= 49152;
		assert_int_equal(shared_bank_cycles(address, lanes, bytes, of, NULL),
		                 model_banks(address, lanes, bytes, of));
	}
}

/* A stride of s words over 32 banks has conflict degree gcd(s, 32). One word for all lanes is a broadcast. A 33-word
 * row, as in padded tiles, has no conflict. Consecutive doubles need both halves of every bank. */
static void test_banks_worked_cases(void **state)
{
	static const struct {
		uint64_t stride;
		uint32_t size, cycles;
	} row[] = {{0, 4, 1},    {4, 4, 1},      {8, 4, 2},      {12, 4, 1},   {16, 4, 4}, {32, 4, 8},  {64, 4, 16},
	           {128, 4, 32}, {33 * 4, 4, 1}, {34 * 4, 4, 2}, {256, 4, 32}, {8, 8, 2},  {16, 16, 4}, {1, 1, 1}};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		uint64_t address[WARP_SIZE];
		for (uint32_t lane = 0; lane < WARP_SIZE; lane++)
			address[lane] = lane * row[i].stride;
		assert_int_equal(shared_bank_cycles(address, ALL, row[i].size, 32, NULL), row[i].cycles);
		assert_int_equal(shared_bank_cycles(address, 1u << 17, row[i].size, 32, NULL), 1); /* a single lane */
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_global_against_model), cmocka_unit_test(test_local_against_model),
		cmocka_unit_test(test_global_worked_cases),  cmocka_unit_test(test_atomic_against_model),
		cmocka_unit_test(test_atomic_worked_cases),  cmocka_unit_test(test_constant_against_model),
		cmocka_unit_test(test_banks_against_model),  cmocka_unit_test(test_banks_worked_cases),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
