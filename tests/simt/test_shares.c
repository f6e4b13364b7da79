/* Protects the table of mapped host memory: its entries stay sorted and never overlap. A list that is searched linearly
 * is the reference. */
#include "simt_kit.h"

#include "simt/shares.h"

enum { MOST = 40, SPACE = 4096, STEPS = 20000 };

struct model {
	struct share share[MOST];
	size_t count;
};

static bool overlap(const struct share *a, const struct share *b)
{
	return a->address < b->address + b->size && b->address < a->address + a->size;
}

static const struct share *model_find(const struct model *model, uint64_t address)
{
	for (size_t i = 0; i < model->count; i++)
		if (address >= model->share[i].address && address < model->share[i].address + model->share[i].size)
			return &model->share[i];
	return NULL;
}

/* The last entry at or below the address, or the first above it. */
static const struct share *model_beside(const struct model *model, uint64_t address, bool above)
{
	const struct share *best = NULL;
	for (size_t i = 0; i < model->count; i++) {
		const struct share *share = &model->share[i];
		if ((share->address > address) != above)
			continue;
		if (!best || (above ? share->address < best->address : share->address > best->address))
			best = share;
	}
	return best;
}

static void check_same(const struct share *found, const struct share *expected)
{
	assert_int_equal(found != NULL, expected != NULL);
	if (found)
		assert_memory_equal(found, expected, sizeof *found);
}

static void add(struct shares *shares, struct model *model, struct share added)
{
	bool free_room = true;
	for (size_t i = 0; i < model->count; i++)
		free_room &= !overlap(&added, &model->share[i]);
	assert_int_equal(shares_add(shares, added), free_room);
	if (free_room)
		model->share[model->count++] = added;
}

static void take_away(struct shares *shares, struct model *model, size_t i)
{
	shares_remove(shares, shares_find(shares, model->share[i].address));
	model->share[i] = model->share[--model->count];
}

static void as_a_list(void **state)
{
	(void)state;
	struct shares shares = {0};
	struct model model = {0};
	uint64_t seed = 1;
	for (unsigned step = 0; step < STEPS; step++) {
		uint64_t random = kit_random(&seed);
		uint64_t address = 256 + random % SPACE, at = 256 + (random >> 16) % SPACE;
		if (model.count == MOST || (model.count && random >> 32 & 1))
			take_away(&shares, &model, (size_t)(random >> 33) % model.count);
		else
			add(&shares, &model, (struct share){address, 1 + (random >> 40) % 200, step});
		check_same(shares_find(&shares, at), model_find(&model, at));
		check_same(shares_beside(&shares, at, false), model_beside(&model, at, false));
		check_same(shares_beside(&shares, at, true), model_beside(&model, at, true));
	}
	shares_free(&shares);
}

/* One byte more would overlap. */
static void neighbours_touch(void **state)
{
	(void)state;
	struct shares shares = {0};
	assert_true(shares_add(&shares, (struct share){100, 10, 0}));
	assert_true(shares_add(&shares, (struct share){120, 10, 0}));
	assert_false(shares_add(&shares, (struct share){109, 5, 0}));
	assert_false(shares_add(&shares, (struct share){115, 6, 0}));
	assert_false(shares_add(&shares, (struct share){90, 100, 0}));
	assert_true(shares_add(&shares, (struct share){110, 10, 0}));
	assert_int_equal(shares.count, 3);
	assert_null(shares_find(&shares, 99));
	assert_int_equal(shares_find(&shares, 119)->address, 110);
	assert_null(shares_find(&shares, 130));
	shares_free(&shares);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(as_a_list), cmocka_unit_test(neighbours_touch)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
