/* Protects snapshots and digests: the saved values are restored; own members stay; a short snapshot gives zeros. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/digest.h"
#include "base/snapshot.h"

#include <string.h>

struct unit {
	uint64_t count;
	int *pointer;
	uint32_t turn;
};

static const struct snapshot_own own[] = {SNAPSHOT_OWN(struct unit, pointer)};

static void restores_what_was_saved(void **state)
{
	int here = 0, there = 0;
	uint16_t list[3] = {1, 2, 3}, other[3] = {0};
	struct unit one = {.count = 7, .pointer = &here, .turn = 3}, two = {.pointer = &there};
	struct snapshot snapshot = {0};
	(void)state;
	snapshot_all_but(&snapshot, &one, own);
	snapshot_array(&snapshot, list, 3, sizeof *list);
	snapshot.restores = true;
	assert_false(snapshot_is_complete(&snapshot));
	snapshot_all_but(&snapshot, &two, own);
	snapshot_array(&snapshot, other, 3, sizeof *other);
	assert_true(snapshot_is_complete(&snapshot));
	assert_int_equal(two.count, 7);
	assert_int_equal(two.turn, 3);
	assert_ptr_equal(two.pointer, &there);
	assert_memory_equal(list, other, sizeof list);
	snapshot_free(&snapshot);
}

/* Pointers would make two snapshots of one state differ. */
static void saves_no_pointers(void **state)
{
	int here = 0, there = 0;
	struct unit one, two;
	struct snapshot first = {0}, second = {0};
	(void)state;
	memset(&one, 0, sizeof one);
	memset(&two, 0, sizeof two);
	one.pointer = &here;
	two.pointer = &there;
	snapshot_all_but(&first, &one, own);
	snapshot_all_but(&second, &two, own);
	assert_int_equal(first.size, second.size);
	assert_memory_equal(first.data, second.data, first.size);
	snapshot_free(&first);
	snapshot_free(&second);
}

static void short_snapshot_gives_zeros(void **state)
{
	uint32_t saved = UINT32_MAX;
	uint64_t restored = UINT64_MAX;
	struct snapshot snapshot = {0};
	(void)state;
	snapshot_value(&snapshot, saved);
	snapshot.restores = true;
	snapshot_value(&snapshot, restored);
	assert_true(snapshot.is_short);
	assert_int_equal(restored, UINT32_MAX);
	assert_false(snapshot_is_complete(&snapshot));
	snapshot_free(&snapshot);
}

static struct digest digest_of(const void *bytes, size_t size)
{
	struct digest digest = {{0}};
	digest_add(&digest, bytes, size);
	return digest;
}

/* Every bit, the length and the order count. */
static void digests_differ(void **state)
{
	uint8_t bytes[100] = {0};
	struct digest known[sizeof bytes * 8 + sizeof bytes + 1];
	size_t count = 0;
	(void)state;
	for (size_t bit = 0; bit < sizeof bytes * 8; bit++) {
		bytes[bit / 8] = (uint8_t)(1u << bit % 8);
		known[count++] = digest_of(bytes, sizeof bytes);
		bytes[bit / 8] = 0;
	}
	for (size_t size = 0; size <= sizeof bytes; size++)
		known[count++] = digest_of(bytes, size);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < i; k++) {
			assert_int_not_equal(known[i].word[0], known[k].word[0]);
			assert_int_not_equal(known[i].word[1], known[k].word[1]);
		}
	struct digest ab = {{0}}, ba = {{0}};
	digest_add_text(&ab, "a");
	digest_add_text(&ab, "b");
	digest_add_text(&ba, "b");
	digest_add_text(&ba, "a");
	assert_false(digest_is_same(&ab, &ba));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(restores_what_was_saved), cmocka_unit_test(saves_no_pointers),
		cmocka_unit_test(short_snapshot_gives_zeros), cmocka_unit_test(digests_differ)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
