/* Protects the helpers that mechanisms share: tables of rows by pc and strides (seam/mech_table.h), lines for L1
 * (mech_lines.h) and a scheduler's two levels of warps (mech_levels.h). */
#include "gpu_kit.h"

#include "seam/mech_levels.h"
#include "seam/mech_lines.h"
#include "seam/mech_table.h"

/* --- tables --- */

struct row {
	struct mech_key key;
	uint32_t value;
};

static void *from_heap(struct mech_pool *pool, size_t bytes)
{
	(void)pool;
	return base_calloc(1, bytes);
}

static struct mech_table open_table(uint32_t rows)
{
	struct mech_pool pool = {.alloc = from_heap};
	struct mech_table table;
	mech_table_open(&table, &pool, rows, sizeof(struct row));
	return table;
}

static bool has(const struct mech_table *table, uint32_t pc, uint32_t whose)
{
	return mech_table_find(table, pc, whose) != NULL;
}

/* A row is identified by pc and owner and begins with zeros. The victim is the row that was claimed or touched longest
 * ago; a lookup that hits does not protect a row. */
static void test_table(void **state)
{
	struct mech_table table = open_table(2);
	(void)state;
	assert_false(has(&table, 0, 0)); /* a free row has no owner */
	struct row *a = mech_table_claim(&table, 5, 1);
	a->value = 7;
	mech_table_claim(&table, 5, 2);
	assert_ptr_equal(mech_table_find(&table, 5, 1), a);
	assert_false(has(&table, 6, 1));
	struct row *c = mech_table_claim(&table, 6, 1); /* replaces the first */
	assert_ptr_equal(c, a);
	assert_int_equal(c->value, 0);
	assert_true(has(&table, 5, 2) && !has(&table, 5, 1));
	mech_table_touch(&table, mech_table_find(&table, 5, 2));
	mech_table_claim(&table, 7, 0);
	assert_true(has(&table, 5, 2) && !has(&table, 6, 1) && has(&table, 7, 0));
	mech_table_claim(&table, 8, 0); /* replaces a row that was touched before the last claim */
	assert_true(!has(&table, 5, 2) && has(&table, 7, 0) && has(&table, 8, 0));
	free(table.row);
}

static void test_free_rows(void **state)
{
	struct mech_table table = open_table(4);
	(void)state;
	for (uint32_t whose = 0; whose < 4; whose++)
		mech_table_claim(&table, 9, whose);
	mech_table_free(mech_table_find(&table, 9, 2));
	assert_false(has(&table, 9, 2));
	mech_table_claim(&table, 8, 0); /* present */
	assert_true(has(&table, 9, 0) && has(&table, 9, 1) && has(&table, 9, 3));
	mech_table_free_of(&table, 1, 2);
	assert_true(has(&table, 9, 0) && !has(&table, 9, 1) && has(&table, 9, 3) && has(&table, 8, 0));
	mech_table_clear(&table);
	assert_false(has(&table, 9, 0) || has(&table, 9, 3) || has(&table, 8, 0));
	free(table.row);
}

static void test_stride(void **state)
{
	static const struct {
		uint64_t address;
		int64_t bytes;
		uint32_t same;
	} row[] = {{1000, 0, 0}, {1128, 128, 1}, {1256, 128, 2}, {1256, 0, 1}, {1128, -128, 1}, {1000, -128, 2}};
	struct mech_stride stride = {0};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		mech_stride_add(&stride, row[i].address);
		assert_int_equal(stride.bytes, row[i].bytes);
		assert_int_equal(stride.same, row[i].same);
		assert_int_equal(stride.address, row[i].address);
	}
}

/* --- lines --- */

enum { MOST = 16, LINE = 128 };

static struct mech_request asked[MOST];
static uint32_t asked_count;

static bool note(struct mech_sm *sm, const struct mech_request *request)
{
	(void)sm;
	assert_in_range(asked_count, 0, MOST - 1);
	asked[asked_count++] = *request;
	return true;
}

/* Splits a request into pieces by line or by sector, from a multiple of 32 on. The end of the address space does not
 * wrap around. */
static void test_bytes(void **state)
{
	static const struct {
		uint32_t sector;
		uint64_t first, bytes;
		uint32_t count;
		struct {
			uint64_t address;
			uint32_t bytes;
		} piece[4];
	} row[] = {
		{128, 256, 128, 1, {{256, 128}}},
		{32, 256, 128, 4, {{256, 32}, {288, 32}, {320, 32}, {352, 32}}},
		{128, 304, 128, 2, {{288, 96}, {384, 48}}},
		{32, 308, 16, 2, {{288, 32}, {320, 4}}},
		{128, 308, 4, 1, {{288, 24}}},
		{128, 256, 0, 0, {{0, 0}}},
		{128, 0ull - 96, 64, 1, {{0ull - 96, 64}}},
		{32, 0ull - 48, 32, 2, {{0ull - 64, 32}, {0ull - 32, 16}}},
		{128, 0ull - 64, 128, 0, {{0, 0}}}, /* would wrap around to 0 */
	};
	static const struct mech_services services = {.send = note};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const struct mech_machine machine = {.line_bytes = LINE, .l1_sector_bytes = row[i].sector};
		const struct mech_request like = {.to = MECH_TO_L1, .pc = 3, .bound = true, .warp = 5};
		struct mech_sm sm = {.machine = &machine, .services = &services};
		asked_count = 0;
		mech_send_bytes(&sm, &like, row[i].first, row[i].first + row[i].bytes);
		assert_int_equal(asked_count, row[i].count);
		assert_int_equal(mech_requests_for(&sm, row[i].first, row[i].first + row[i].bytes), row[i].count);
		for (uint32_t k = 0; k < asked_count; k++) {
			assert_int_equal(asked[k].address, row[i].piece[k].address);
			assert_int_equal(asked[k].bytes, row[i].piece[k].bytes);
			assert_true(asked[k].pc == 3 && asked[k].bound && asked[k].warp == 5);
		}
	}
}

/* --- two levels --- */

static struct mech_warps warps_of(uint64_t live, uint64_t hazard)
{
	return (struct mech_warps){.live = live, .held = ~live, .load_hazard = hazard, .warps = 64};
}

static void assert_pending(const struct mech_levels *levels, const char *order)
{
	assert_int_equal(levels->count, strlen(order));
	for (uint32_t i = 0; i < levels->count; i++)
		assert_int_equal(levels->pending[(levels->head + i) % MECH_MAX_SCHEDULER_WARPS], order[i] - '0');
}

/* One scheduler's calls in one cycle. */
static void turn(struct mech_levels *levels, uint64_t live, uint64_t hazard, uint64_t first, uint32_t places)
{
	const struct mech_warps warps = warps_of(live, hazard);
	mech_levels_leave(levels, &warps);
	mech_levels_join(levels, &warps);
	mech_levels_enter_first(levels, &warps, first, places);
	mech_levels_enter(levels, &warps, places);
}

/* The ready set takes the warps that have waited longest and can run. A warp that waits leaves the ready set and
 * rejoins the queue at its end. */
static void test_levels(void **state)
{
	struct mech_levels levels = {0};
	(void)state;
	turn(&levels, 0x3f, 0, 0, 2);
	assert_int_equal(levels.ready, 0x3);
	assert_pending(&levels, "2345");
	turn(&levels, 0x3f, 0x1, 0, 2);
	assert_int_equal(levels.ready, 0x6);
	assert_pending(&levels, "3450");
	turn(&levels, 0x3f, 0xa, 0, 2); /* 3 is checked and cannot run: it moves to the end of the queue */
	assert_int_equal(levels.ready, 0x14);
	assert_pending(&levels, "5013");
	turn(&levels, 0x3e, 0, 0, 3); /* 0 has ended before any check of it */
	assert_int_equal(levels.ready, 0x34);
	assert_pending(&levels, "013");
	turn(&levels, 0x3a, 0, 0, 3); /* 2 ends: a warp that ends waits for nothing */
	assert_int_equal(levels.ready, 0x32);
	assert_pending(&levels, "3");
}

/* Warps of a given set enter first; the others keep their order. */
static void test_enter_first(void **state)
{
	struct mech_levels levels = {0};
	(void)state;
	turn(&levels, 0x3f, 0x10, 0x38, 2); /* of 3, 4 and 5, 4 waits */
	assert_int_equal(levels.ready, 0x28);
	assert_pending(&levels, "0124");
	turn(&levels, 0x3f, 0x8, 0x10, 2);
	assert_int_equal(levels.ready, 0x30);
	assert_pending(&levels, "0123");
}

/* A slot's warp has ended and another warp has the slot. The new warp joins the queue at its end, whatever the old
 * warp's position was. */
static void test_forget(void **state)
{
	struct mech_levels levels = {0};
	(void)state;
	turn(&levels, 0xf, 0, 0, 2);
	mech_levels_forget(&levels, 0x5);
	assert_int_equal(levels.ready, 0x2);
	assert_pending(&levels, "3");
	turn(&levels, 0xf, 0, 0, 2);
	assert_int_equal(levels.ready, 0xa);
	assert_pending(&levels, "02");
}

/* The largest number of warps that a scheduler can have. */
static void test_most_warps(void **state)
{
	struct mech_levels levels = {0};
	(void)state;
	for (uint32_t i = 0; i < 100; i++) {
		turn(&levels, UINT64_MAX, 1ull << (i * 7 % 64), 0, 1);
		assert_int_equal(__builtin_popcountll(levels.ready), 1);
		assert_int_equal(levels.count, 63);
	}
	turn(&levels, UINT64_MAX, 0, 0, 64);
	assert_int_equal(levels.ready, UINT64_MAX);
	assert_int_equal(levels.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_table),  cmocka_unit_test(test_free_rows),
	                                   cmocka_unit_test(test_stride), cmocka_unit_test(test_bytes),
	                                   cmocka_unit_test(test_levels), cmocka_unit_test(test_enter_first),
	                                   cmocka_unit_test(test_forget), cmocka_unit_test(test_most_warps)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
