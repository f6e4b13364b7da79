/* Protects the table of mapped host memory: its entries stay sorted and never overlap. A list that is searched linearly
 * is the reference. */
#include "simt_kit.h"

#include "simt/translations.h"

enum { MOST = 40, SPACE = 4096, STEPS = 20000 };

struct model {
	struct translation translation[MOST];
	size_t count;
};

static bool overlap(const struct translation *a, const struct translation *b)
{
	return a->address < b->address + b->size && b->address < a->address + a->size;
}

static const struct translation *model_find(const struct model *model, uint64_t address)
{
	for (size_t i = 0; i < model->count; i++)
		if (address >= model->translation[i].address &&
		    address < model->translation[i].address + model->translation[i].size)
			return &model->translation[i];
	return NULL;
}

/* The last entry at or below the address, or the first above it. */
static const struct translation *model_beside(const struct model *model, uint64_t address, bool above)
{
	const struct translation *best = NULL;
	for (size_t i = 0; i < model->count; i++) {
		const struct translation *translation = &model->translation[i];
		if ((translation->address > address) != above)
			continue;
		if (!best || (above ? translation->address < best->address : translation->address > best->address))
			best = translation;
	}
	return best;
}

static void check_same(const struct translation *found, const struct translation *expected)
{
	assert_int_equal(found != NULL, expected != NULL);
	if (found)
		assert_memory_equal(found, expected, sizeof *found);
}

static void add(struct translations *translations, struct model *model, struct translation added)
{
	bool free_room = true;
	for (size_t i = 0; i < model->count; i++)
		free_room &= !overlap(&added, &model->translation[i]);
	assert_int_equal(translations_add(translations, added), free_room);
	if (free_room)
		model->translation[model->count++] = added;
}

static void take_away(struct translations *translations, struct model *model, size_t i)
{
	translations_remove(translations, translations_find(translations, model->translation[i].address));
	model->translation[i] = model->translation[--model->count];
}

static void as_a_list(void **state)
{
	(void)state;
	struct translations translations = {0};
	struct model model = {0};
	uint64_t seed = 1;
	for (unsigned step = 0; step < STEPS; step++) {
		uint64_t random = kit_random(&seed);
		uint64_t address = 256 + random % SPACE, at = 256 + (random >> 16) % SPACE;
		if (model.count == MOST || (model.count && random >> 32 & 1))
			take_away(&translations, &model, (size_t)(random >> 33) % model.count);
		else
			add(&translations, &model, (struct translation){address, 1 + (random >> 40) % 200, step});
		check_same(translations_find(&translations, at), model_find(&model, at));
		check_same(translations_beside(&translations, at, false), model_beside(&model, at, false));
		check_same(translations_beside(&translations, at, true), model_beside(&model, at, true));
	}
	translations_free(&translations);
}

/* One byte more would overlap. */
static void neighbors_touch(void **state)
{
	(void)state;
	struct translations translations = {0};
	assert_true(translations_add(&translations, (struct translation){100, 10, 0}));
	assert_true(translations_add(&translations, (struct translation){120, 10, 0}));
	assert_false(translations_add(&translations, (struct translation){109, 5, 0}));
	assert_false(translations_add(&translations, (struct translation){115, 6, 0}));
	assert_false(translations_add(&translations, (struct translation){90, 100, 0}));
	assert_true(translations_add(&translations, (struct translation){110, 10, 0}));
	assert_int_equal(translations.count, 3);
	assert_null(translations_find(&translations, 99));
	assert_int_equal(translations_find(&translations, 119)->address, 110);
	assert_null(translations_find(&translations, 130));
	translations_free(&translations);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(as_a_list), cmocka_unit_test(neighbors_touch)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
