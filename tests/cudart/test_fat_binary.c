/* Protects the reading of fat binaries: which PTX is chosen, and that a truncated or corrupt one causes no
 * out-of-bounds read. */
#include "cudart/fat_binary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 4096, ROUNDS = 200000 };

struct container {
	char bytes[MOST];
	size_t used;
};

static void put(char *at, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		at[i] = (char)(value >> 8 * i);
}

static void open_container(struct container *container)
{
	memset(container, 0, sizeof *container);
	container->used = 16;
	put(container->bytes, 0xba55ed50, 4);
	put(container->bytes + 4, 1, 2);
	put(container->bytes + 6, 16, 2);
}

static void add(struct container *container, unsigned kind, unsigned architecture, const char *text)
{
	char *entry = container->bytes + container->used;
	size_t padded = (strlen(text) + 7) & ~(size_t)7;
	put(entry, kind, 2);
	put(entry + 4, 64, 4);
	put(entry + 8, padded, 8);
	put(entry + 28, architecture, 4);
	memcpy(entry + 64, text, strlen(text));
	container->used += 64 + padded;
	put(container->bytes + 8, container->used - 16, 8);
}

static void check_found(const struct container *container, unsigned newest, const char *text)
{
	struct fat_code code;
	assert_int_equal(fat_find(container->bytes, container->used, newest, &code), FAT_PTX);
	assert_int_equal(code.length, strlen(text));
	assert_memory_equal(code.text, text, code.length);
	free(code.owned);
}

/* The newest PTX that the machine's compute capability allows, else the oldest. */
static void test_choice(void **state)
{
	struct container container;
	struct fat_code code;
	(void)state;
	open_container(&container);
	assert_int_equal(fat_find(container.bytes, container.used, 20, &code), FAT_EMPTY);
	add(&container, 2, 90, "machine");
	assert_int_equal(fat_find(container.bytes, container.used, 20, &code), FAT_MACHINE_CODE);
	assert_int_equal(code.architecture, 90);
	add(&container, 1, 60, "sixty");
	add(&container, 1, 35, "thirty-five");
	add(&container, 1, 80, "eighty of sixteen");
	check_found(&container, 20, "thirty-five");
	check_found(&container, 35, "thirty-five");
	check_found(&container, 75, "sixty");
	check_found(&container, 90, "eighty of sixteen");
}

/* Every length that is too short, in memory of exactly that size (for AddressSanitizer). */
static void test_cut(void **state)
{
	struct container container;
	struct fat_code code;
	(void)state;
	open_container(&container);
	add(&container, 1, 60, "a text of thirty-two characters.");
	for (size_t length = 0; length < container.used; length++) {
		char *cut = malloc(length + !length);
		memcpy(cut, container.bytes, length);
		assert_int_equal(fat_container_bytes(cut, length), 0);
		assert_int_equal(fat_find(cut, length, 60, &code), FAT_BROKEN);
		free(cut);
	}
	put(container.bytes + 8, 32, 8); /* the container's own length is too short */
	assert_int_equal(fat_find(container.bytes, container.used, 60, &code), FAT_BROKEN);
}

/* Random byte changes: every result lies inside the input. */
static void test_random(void **state)
{
	struct container whole;
	(void)state;
	open_container(&whole);
	add(&whole, 1, 60, "first");
	add(&whole, 2, 60, "second, which is longer");
	add(&whole, 1, 30, "third");
	srand(7);
	for (int round = 0; round < ROUNDS; round++) {
		struct container container = whole;
		struct fat_code code;
		for (int changes = rand() % 4; changes >= 0; changes--)
			container.bytes[(size_t)rand() % container.used] = (char)(rand() % 3 ? rand() : 0xff);
		if (fat_find(container.bytes, container.used, 60, &code) == FAT_PTX && !code.owned) {
			assert_true(code.text >= container.bytes);
			assert_true(code.text + code.length <= container.bytes + container.used);
		}
		free(code.owned);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_choice),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_random),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
