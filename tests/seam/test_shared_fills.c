/* Protects the account of fills of shared memory. Each fill has one outcome: from the first of its words that is read,
 * the last that is overwritten, or its block's end. A word has 4 bytes, whatever part of it an access touches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "seam/shared_fills.h"

enum { BLOCKS = 3, BYTES = 66, SENDER = 7 }; /* 17 words per block; the last has 2 bytes */

static const struct base_prefetch kept = {.sender = SENDER};
static struct arena arena;
static struct shared_fills fills;
static uint32_t told[4];

static uint64_t now, waited;

static void tell(void *user, enum base_prefetch_outcome outcome, const struct base_prefetch *prefetch)
{
	(void)user;
	assert_int_equal(prefetch->sender, SENDER);
	told[outcome]++;
}

static void came_late(void *user, const struct base_prefetch *prefetch)
{
	(void)user;
	waited += prefetch->came - prefetch->wanted;
}

static int open_fills(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 4; i++)
		told[i] = 0;
	const struct base_prefetch_listener listener = {NULL, &now, tell, came_late};
	now = 1;
	waited = 0;
	shared_fills_open(&fills, BLOCKS, BYTES, &listener, &arena);
	return 0;
}

static int close_fills(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static void expect(uint32_t useful, uint32_t late, uint32_t early_evicted, uint32_t redundant)
{
	assert_int_equal(told[BASE_PREFETCH_USEFUL], useful);
	assert_int_equal(told[BASE_PREFETCH_LATE], late);
	assert_int_equal(told[BASE_PREFETCH_EARLY_EVICTED], early_evicted);
	assert_int_equal(told[BASE_PREFETCH_REDUNDANT], redundant);
}

static struct shared_fill *send(uint32_t block, uint32_t byte, uint32_t bytes)
{
	const struct mech_request request = {.to = MECH_TO_SHARED, .block = block, .shared = byte, .bytes = bytes};
	struct shared_fill *fill = shared_fills_new(&fills, &request);
	shared_fills_sent(&fills, fill, &kept);
	return fill;
}

static void bring(uint32_t block, uint32_t byte, uint32_t bytes)
{
	shared_fills_arrived(&fills, send(block, byte, bytes));
}

static void read_bytes(uint32_t block, uint64_t byte, uint32_t bytes)
{
	shared_fills_read(&fills, block, &byte, 1, bytes);
}

static void write_bytes(uint32_t block, uint64_t byte, uint32_t bytes)
{
	shared_fills_written(&fills, block, &byte, 1, bytes);
}

/* An access to any byte of a word counts for the word. An access to another block's word or to an adjacent word does
 * not. */
static void test_words(void **state)
{
	(void)state;
	bring(1, 9, 6); /* words 2 and 3 */
	read_bytes(1, 7, 1);
	read_bytes(1, 16, 1);
	read_bytes(0, 8, 8);
	expect(0, 0, 0, 0);
	read_bytes(1, 15, 1);
	expect(1, 0, 0, 0);
	read_bytes(1, 8, 8); /* once */
	expect(1, 0, 0, 0);
	bring(1, 32, 4);
	read_bytes(1, 26, 8); /* the middle of a vector */
	expect(2, 0, 0, 0);
}

/* The last word, of which the block has only a part. */
static void test_last_word(void **state)
{
	(void)state;
	bring(0, 64, 2);
	bring(1, 0, 4);
	read_bytes(0, 65, 1);
	expect(1, 0, 0, 0);
	read_bytes(1, 0, 1);
	expect(2, 0, 0, 0);
}

/* A fill that is under way is late once, only for its own block. After its arrival nothing more is reported. */
static void test_late(void **state)
{
	(void)state;
	struct shared_fill *first = send(0, 0, 8), *second = send(1, 0, 8);
	read_bytes(2, 0, 4);
	expect(0, 0, 0, 0);
	read_bytes(1, 4, 1);
	read_bytes(1, 0, 4);
	expect(0, 1, 0, 0);
	now += 30;
	shared_fills_arrived(&fills, second);
	assert_int_equal(waited, 30);
	shared_fills_arrived(&fills, first);
	read_bytes(1, 0, 4);
	expect(0, 1, 0, 0);
	shared_fills_block_ended(&fills, 1);
	shared_fills_block_ended(&fills, 0);
	expect(0, 1, 0, 1);
}

/* Stores and later fills overwrite a fill; its outcome is set by the last of its words. */
static void test_overwritten(void **state)
{
	(void)state;
	bring(0, 0, 12);
	write_bytes(0, 0, 4);
	bring(0, 4, 4);
	expect(0, 0, 0, 0);
	write_bytes(0, 11, 1);
	expect(0, 0, 1, 0);
	read_bytes(0, 4, 4);
	expect(1, 0, 1, 0);
	write_bytes(0, 4, 4);
	expect(1, 0, 1, 0);
}

/* A request that names a word twice counts it once. A request whose block has ended fills nothing, and its entry is
 * reused. */
static void test_lost(void **state)
{
	static const uint32_t twice[] = {5, 5, 6};
	const struct mech_request request = {.to = MECH_TO_SHARED, .block = 2, .word = twice, .words = 3};
	(void)state;
	struct shared_fill *fill = shared_fills_new(&fills, &request);
	shared_fills_sent(&fills, fill, &kept);
	shared_fills_arrived(&fills, fill);
	expect(0, 0, 0, 0);
	write_bytes(2, 20, 4);
	expect(0, 0, 0, 0);
	write_bytes(2, 24, 4);
	expect(0, 0, 1, 0);
	struct shared_fill *lost = send(2, 0, 4);
	shared_fills_lost(&fills, lost);
	expect(0, 0, 1, 1);
	read_bytes(2, 0, 4); /* no longer under way */
	expect(0, 0, 1, 1);
	shared_fills_free(&fills, lost);
	assert_ptr_equal(send(2, 0, 4), lost);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_words, open_fills, close_fills),
		cmocka_unit_test_setup_teardown(test_last_word, open_fills, close_fills),
		cmocka_unit_test_setup_teardown(test_late, open_fills, close_fills),
		cmocka_unit_test_setup_teardown(test_overwritten, open_fills, close_fills),
		cmocka_unit_test_setup_teardown(test_lost, open_fills, close_fills),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
