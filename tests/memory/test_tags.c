/* Protects the look-up and replacement of lines against a plain model that scans all ways of a set, as GPGPU-Sim's tag
 * array does. The random traffic uses both orders, several lines per cycle, and dropped, reserved, dirty and partly
 * written lines. Also protects the sets of lines where their number is no power of two. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "memory/tags.h"

enum { LINE = 128, SECTORS = 4, STEPS = 20000 };

static uint32_t draw(uint64_t *state, uint32_t below)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33) % below;
}

static bool is_free(const struct cache_line *line)
{
	return !(line->present | line->reserved);
}

static uint32_t plain_find(const struct tags *tags, uint64_t block, uint32_t set)
{
	for (uint32_t at = set * tags->ways; at < (set + 1) * tags->ways; at++)
		if (tags->line[at].block == block && !is_free(&tags->line[at]))
			return at;
	return TAGS_NONE;
}

static bool may_go(const struct tags *tags, const struct cache_line *line)
{
	bool clean = tags->dirty_lines * 100 < tags->dirty_percent * tags->sets * tags->ways;
	return !line->reserved && !(tags->dirty_percent && clean && line->dirty);
}

/* The last free line, or else the first of the least recently used (or inserted) ones. */
static uint32_t plain_victim(const struct tags *tags, uint32_t set)
{
	uint32_t victim = TAGS_NONE;
	for (uint32_t at = set * tags->ways; at < (set + 1) * tags->ways; at++)
		if (is_free(&tags->line[at]))
			victim = at;
	if (victim != TAGS_NONE)
		return victim;
	for (uint32_t at = set * tags->ways; at < (set + 1) * tags->ways; at++)
		if (may_go(tags, &tags->line[at]) &&
		    (victim == TAGS_NONE || tags->line[at].used < tags->line[victim].used))
			victim = at;
	return victim;
}

static struct tag_probe probe_both(const struct tags *tags, const struct request *request)
{
	const struct tag_probe probe = tags_probe(tags, request);
	uint32_t set = tags_set(tags, request->address, request->slice_address);
	uint32_t at = plain_find(tags, probe.block, set);
	if (at == TAGS_NONE) {
		at = plain_victim(tags, set);
		assert_int_equal(probe.state, at == TAGS_NONE ? TAG_NO_LINE : TAG_MISS);
	} else {
		assert_in_range(probe.state, TAG_HIT, TAG_SECTOR_MISS);
	}
	assert_int_equal(probe.at, at);
	return probe;
}

/* Changes the line of an access as a cache may: fills its sector at once, requests it, or makes it dirty. */
static void come(struct tags *tags, struct cache_line *line, const struct tag_probe *probe, uint64_t *state)
{
	bool was_dirty = tags_is_dirty(line);
	uint32_t how = draw(state, 8);
	if (how == 0) {
		line->reserved |= probe->bit;
		line->present &= (uint8_t)~probe->bit;
		return;
	}
	line->present |= probe->bit;
	line->partial = (uint8_t)((line->partial & ~probe->bit) | (how == 2 ? probe->bit : 0));
	line->dirty |= how == 1 ? probe->bit : 0;
	tags_soil(tags, line, was_dirty);
}

static void use_or_insert(struct tags *tags, const struct tag_probe *probe, uint64_t cycle, uint64_t *state)
{
	struct cache_line *line = &tags->line[probe->at];
	uint64_t used = line->used;
	if (probe->state == TAG_MISS)
		tags_insert(tags, probe->at, probe->block, probe->block, 0, cycle);
	else
		tags_use(tags, probe->at, cycle);
	assert_int_equal(line->used, probe->state == TAG_MISS || tags->by_use ? cycle : used);
	if (probe->state == TAG_MISS || probe->state == TAG_SECTOR_MISS)
		come(tags, line, probe, state);
	else if (probe->state == TAG_HIT && !tags->dirty_percent && !draw(state, 6))
		tags_drop(tags, probe->at, probe->bit);
	else if (probe->state == TAG_RESERVED && draw(state, 2)) {
		line->reserved &= (uint8_t)~probe->bit;
		line->present |= probe->bit;
	}
}

/* Time stops for a while, so that several lines have the same cycle. */
static void run(struct tags *tags, uint32_t blocks, uint64_t *state)
{
	uint64_t cycle = 0;
	uint32_t told[TAG_NO_LINE + 1] = {0};
	for (uint32_t step = 0; step < STEPS; step++) {
		cycle += draw(state, 3) == 0;
		uint64_t address = (uint64_t)draw(state, blocks * SECTORS) * (LINE / SECTORS);
		const struct request request = {.address = address, .slice_address = address};
		const struct tag_probe probe = probe_both(tags, &request);
		told[probe.state]++;
		uint32_t present = tags_find_present(tags, address);
		assert_int_equal(present, probe.state == TAG_HIT ? probe.at : TAGS_NONE);
		if (probe.state != TAG_NO_LINE)
			use_or_insert(tags, &probe, cycle, state);
	}
	for (uint32_t is = TAG_HIT; is <= TAG_MISS; is++)
		assert_true(told[is] > STEPS / 200);
}

/* Consecutive lines use consecutive sets, also where the number of sets is no power of two. */
static void test_modulo(void **state)
{
	static const uint32_t sets[] = {3, 5, 48};
	(void)state;
	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
		const struct cache_config config = {
			.sets = sets[i], .ways = 2, .line_bytes = LINE, .sectors = 1, .index = INDEX_LINEAR};
		struct arena arena = {0};
		struct tags tags;
		tags_open(&tags, &config, CACHE_OF_SLICE, &arena);
		for (uint64_t line = 0; line < 1000; line++) {
			assert_int_equal(tags_set(&tags, 0, line * LINE), line % sets[i]);
			assert_int_equal(tags_set(&tags, 0, line * LINE + LINE - 1), line % sets[i]);
		}
		arena_free(&arena);
	}
}

static void test_against_a_plain_model(void **state)
{
	static const uint32_t shapes[][2] = {{1, 3},  {4, 4},   {3, 4},  {2, 64},
	                                     {1, 65}, {4, 200}, {48, 16}}; /* sets, ways */
	uint64_t random = 1;
	(void)state;
	for (uint32_t i = 0; i < 4 * sizeof shapes / sizeof shapes[0]; i++) {
		const uint32_t *shape = shapes[i / 4];
		const struct cache_config config = {.sets = shape[0],
		                                    .ways = shape[1],
		                                    .line_bytes = LINE,
		                                    .sectors = SECTORS,
		                                    .replacement = i & 1 ? REPLACE_FIFO : REPLACE_LRU,
		                                    .write = WRITE_THROUGH,
		                                    .write_miss = WRITE_MISS_LAZY,
		                                    .dirty_percent = i & 2 ? 25 : 0};
		struct arena arena = {0};
		struct tags tags;
		tags_open(&tags, &config, CACHE_OF_SM, &arena);
		run(&tags, shape[0] * shape[1] * 2, &random);
		tags_set_ways(&tags, (shape[1] + 1) / 2);
		run(&tags, shape[0] * shape[1], &random);
		tags_set_ways(&tags, shape[1]);
		run(&tags, shape[0] * shape[1] * 2, &random);
		arena_free(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_modulo), cmocka_unit_test(test_against_a_plain_model)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
