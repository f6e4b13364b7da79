/* Protects the buffer in front of L1: its choice of victims, its lifetime of a block's lines, the sectors that are
 * present, and the space that shared memory leaves it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "seam/line_buffer.h"

enum { LINE = 128, ONE = 1, ALL = 15 };

static uint32_t outcomes[BASE_PREFETCH_REDUNDANT + 1];
static uint64_t last_tag;

static void tell(void *user, enum base_prefetch_outcome outcome, const struct base_prefetch *prefetch)
{
	(void)user;
	outcomes[outcome]++;
	last_tag = prefetch->tag;
}

/* Inserts the bytes that the request with this tag returns. */
static void put(struct line_buffer *buffer, uint64_t address, uint32_t bytes, uint32_t block, uint64_t tag)
{
	const struct base_prefetch brought = {.sender = 1, .tag = tag};
	line_buffer_put(buffer, address, bytes, block, &brought);
}

static struct line_buffer opened(uint32_t sets, uint32_t ways, uint32_t shared_bytes)
{
	struct line_buffer buffer;
	const struct mech_buffer config = {
		.sets = sets, .ways = ways, .in_shared = shared_bytes > 0, .bytes = shared_bytes};
	memset(outcomes, 0, sizeof outcomes);
	line_buffer_open(&buffer, &config, LINE, &(struct base_prefetch_listener){.outcome = tell});
	return buffer;
}

static void put_line(struct line_buffer *buffer, uint64_t line, uint32_t block)
{
	put(buffer, line * LINE, LINE, block, line + 1);
}

static bool has_line(struct line_buffer *buffer, uint64_t line)
{
	return line_buffer_find(buffer, line * LINE, ALL);
}

static void assert_outcomes(uint32_t used, uint32_t evicted, uint32_t unused)
{
	assert_int_equal(outcomes[BASE_PREFETCH_USEFUL], used);
	assert_int_equal(outcomes[BASE_PREFETCH_EARLY_EVICTED], evicted);
	assert_int_equal(outcomes[BASE_PREFETCH_REDUNDANT], unused);
}

/* A full set evicts its least recently used line. A hit is a use, and so is another insertion of the line. */
static void test_least_recently_used(void **state)
{
	struct line_buffer buffer = opened(2, 3, 0);
	(void)state;
	put_line(&buffer, 0, 0);
	put_line(&buffer, 2, 0);
	put_line(&buffer, 4, 0);
	put_line(&buffer, 1, 0); /* the other set */
	assert_true(has_line(&buffer, 0));
	put_line(&buffer, 2, 0); /* already present */
	assert_outcomes(1, 0, 1);
	put_line(&buffer, 6, 0);
	assert_int_equal(last_tag, 5);
	assert_outcomes(1, 1, 1);
	assert_true(has_line(&buffer, 0) && has_line(&buffer, 2) && has_line(&buffer, 6) && has_line(&buffer, 1));
	assert_false(has_line(&buffer, 4));
	line_buffer_empty(&buffer);
	assert_outcomes(4, 1, 1); /* each request has one outcome */
	line_buffer_close(&buffer);
}

/* A lookup hits when every sector that it touches is present. Data that arrived in two pieces count as two. */
static void test_sectors(void **state)
{
	struct line_buffer buffer = opened(4, 0, 0);
	(void)state;
	put(&buffer, LINE + 32, 64, 0, 7);
	assert_false(line_buffer_find(&buffer, LINE, ONE));
	assert_false(line_buffer_find(&buffer, LINE, 3));
	assert_false(line_buffer_find(&buffer, LINE + 96, ONE));
	assert_true(line_buffer_find(&buffer, LINE + 64, ONE));
	assert_true(line_buffer_find(&buffer, LINE, 6));
	assert_outcomes(1, 0, 0);
	put(&buffer, LINE + 96, 32, 0, 8);
	assert_true(line_buffer_find(&buffer, LINE + 64, 3));
	put(&buffer, LINE + 32, 32, 0, 9); /* brings nothing new */
	assert_outcomes(2, 0, 1);
	line_buffer_close(&buffer);
}

/* A line stays while at least one block that it was fetched for is resident. */
static void test_owners(void **state)
{
	struct line_buffer buffer = opened(4, 2, 0);
	(void)state;
	put_line(&buffer, 0, 3);
	put_line(&buffer, 0, 63);
	put_line(&buffer, 1, 3);
	line_buffer_block_ended(&buffer, 3);
	assert_true(has_line(&buffer, 0));
	assert_false(has_line(&buffer, 1));
	line_buffer_block_ended(&buffer, 63);
	assert_false(has_line(&buffer, 0));
	put_line(&buffer, 0, 3);
	line_buffer_drop(&buffer, 0);
	line_buffer_drop(&buffer, 5 * LINE); /* absent */
	assert_false(has_line(&buffer, 0));
	assert_outcomes(1, 1, 2);
	line_buffer_close(&buffer);
}

/* The buffer has 4 sets of 8 ways in 4 KB. A block that allocates shared memory takes whole ways and the lines in them.
 * Its end returns them. */
static void test_shared_memory(void **state)
{
	struct line_buffer buffer = opened(4, 8, 4096);
	(void)state;
	for (uint64_t line = 0; line < 32; line++)
		put_line(&buffer, line, 0);
	assert_outcomes(0, 0, 0);
	line_buffer_allocated(&buffer, 1);
	assert_int_equal(buffer.ways, 7);
	assert_outcomes(0, 4, 0);
	for (uint64_t line = 0; line < 32; line++)
		assert_int_equal(has_line(&buffer, line), line >= 4);
	line_buffer_allocated(&buffer, 4096 - 511);
	assert_int_equal(buffer.ways, 0);
	put_line(&buffer, 40, 0);
	assert_false(has_line(&buffer, 40));
	assert_outcomes(28, 5, 0);
	line_buffer_allocated(&buffer, 8192); /* more than the memory has */
	assert_int_equal(buffer.ways, 0);
	line_buffer_allocated(&buffer, 0);
	assert_int_equal(buffer.ways, 8);
	put_line(&buffer, 40, 0);
	assert_true(has_line(&buffer, 40));
	line_buffer_close(&buffer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_least_recently_used), cmocka_unit_test(test_sectors),
	                                   cmocka_unit_test(test_owners), cmocka_unit_test(test_shared_memory)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
