/* Protects scoreboards that grow while warps run: registers in flight stay in flight, and no other becomes so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sm/sm.h"

enum { IDS = 128 };
static uint16_t ids[IDS]; /* ids[i] is i */

static struct simt_inst writes(uint16_t id)
{
	ids[id] = id;
	return (struct simt_inst){
		.writes = 1, .write = &ids[id], .touches = 1ull << id % 64, .defines = 1ull << id % 64};
}

static enum hazard check(const struct sm *sm, uint16_t id)
{
	const struct simt_inst inst = writes(id);
	return scoreboard_check(&sm->warp[0].scoreboard, &sm->scoreboards, &inst);
}

static void expect(const struct sm *sm, uint16_t arithmetic, uint16_t load)
{
	assert_int_equal(check(sm, arithmetic), HAZARD_ARITHMETIC);
	assert_int_equal(check(sm, load), HAZARD_LOAD);
	assert_int_equal(check(sm, 9), HAZARD_NONE);
}

/* From one word, whose folded set is exact, to two and to five. */
static void test_widen(void **state)
{
	(void)state;
	struct sm *sm = calloc(1, sizeof *sm);
	assert_non_null(sm);
	sm->config.warps = 2;
	scoreboard_begin(sm);
	scoreboard_widen(sm, 40);
	assert_int_equal(sm->scoreboards.words, 0);
	struct scoreboard *board = &sm->warp[0].scoreboard;
	scoreboard_clear(board, &sm->scoreboards);
	const struct simt_inst three = writes(3), five = writes(5);
	scoreboard_reserve(board, &sm->scoreboards, &three, false);
	scoreboard_reserve(board, &sm->scoreboards, &five, true);
	expect(sm, 3, 5);

	static const uint32_t registers[] = {100, 300, 200};
	for (size_t i = 0; i < sizeof registers / sizeof *registers; i++) {
		scoreboard_widen(sm, registers[i]);
		expect(sm, 3, 5);
		assert_int_equal(check(sm, 67), HAZARD_NONE); /* folded onto 3 */
		assert_int_equal(check(sm, 69), HAZARD_NONE); /* folded onto 5 */
	}
	assert_int_equal(sm->scoreboards.words, 5);
	scoreboard_release(board, &sm->scoreboards, &three);
	assert_int_equal(check(sm, 3), HAZARD_NONE);
	assert_int_equal(check(sm, 5), HAZARD_LOAD);
	scoreboard_release(board, &sm->scoreboards, &five);
	assert_true(scoreboard_is_empty(board));
	scoreboard_close(sm);
	free(sm);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_widen)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
