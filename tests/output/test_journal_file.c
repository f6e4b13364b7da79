/* Protects the files of a journal: a launch reads as it was written; a file with any change is not used, and reading it
 * is safe. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "output/journal_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHANGES = 1000, CONTENT = 20000 };

static char folder[] = "/tmp/sluice-journal-XXXXXX";
static const struct journal_setup setup = {{{{1, 2}}, {{3, 4}}, {{5, 6}}, {{7, 8}}}};
static const struct journal_identity identity = {.before = {{1, 2}}, .memory = {{3, 4}}, .kernel = "scale"};

static void open_journal(struct journal_file *file, bool resumes)
{
	char message[JOURNAL_MESSAGE] = "";
	if (!journal_file_open(file, folder, resumes, &setup, message))
		fail_msg("%s", message);
}

static struct snapshot content_of(uint64_t seed)
{
	struct snapshot content = {0};
	for (uint32_t i = 0; i < CONTENT; i++) {
		uint8_t byte = (uint8_t)(seed * i >> 7);
		snapshot_value(&content, byte);
	}
	return content;
}

static void write_file(const char *path, const char *bytes, size_t size)
{
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static void reads_what_was_written(void **state)
{
	char message[JOURNAL_MESSAGE];
	struct journal_file file;
	struct journal_identity known;
	struct snapshot written = content_of(3), read;
	(void)state;
	open_journal(&file, false);
	assert_int_equal(journal_file_read(&file, 1, &known, &read, message), JOURNAL_ABSENT);
	assert_true(journal_file_write(&file, 1, &identity, &written, message));
	assert_int_equal(journal_file_read(&file, 1, &known, &read, message), JOURNAL_FOUND);
	assert_memory_equal(&known, &identity, sizeof known);
	assert_int_equal(read.size, written.size);
	assert_memory_equal(read.data, written.data, read.size);
	snapshot_free(&read);
	snapshot_free(&written);
	journal_file_close(&file);
}

/* A random change: a byte, a piece that is missing, or something at the end. Returns the new size. */
static size_t change(char *bytes, size_t size)
{
	switch (rand() % 4) {
	case 0:
		return (size_t)rand() % size;
	case 1:
		bytes[size] = (char)rand();
		return size + 1;
	case 2: /* in the header, most often */
		bytes[(size_t)rand() % 480] ^= (char)(1 << rand() % 8);
		return size;
	default:
		bytes[(size_t)rand() % size] ^= (char)(1 + rand() % 255);
		return size;
	}
}

static void refuses_changed_files(void **state)
{
	char path[64], message[JOURNAL_MESSAGE];
	struct journal_file file;
	struct journal_identity known;
	struct snapshot read;
	size_t size;
	(void)state;
	open_journal(&file, true);
	snprintf(path, sizeof path, "%s/00000001.launch", folder);
	char *whole = file_read(path, &size), *bytes = malloc(size + 1);
	assert_non_null(whole);
	assert_non_null(bytes);
	srand(1);
	for (int i = 0; i < CHANGES; i++) {
		memcpy(bytes, whole, size);
		write_file(path, bytes, change(bytes, size));
		assert_int_equal(journal_file_read(&file, 1, &known, &read, message), JOURNAL_DAMAGED);
		assert_non_null(strstr(message, "00000001.launch is not used: "));
	}
	write_file(path, whole, size);
	assert_int_equal(journal_file_read(&file, 1, &known, &read, message), JOURNAL_FOUND);
	snapshot_free(&read);
	journal_file_close(&file);
	free(bytes);
	free(whole);
}

/* A launch's file under another number is another launch. */
static void refuses_other_numbers(void **state)
{
	char path[64], other[64], message[JOURNAL_MESSAGE];
	struct journal_file file;
	struct journal_identity known;
	struct snapshot read;
	(void)state;
	open_journal(&file, true);
	snprintf(path, sizeof path, "%s/00000001.launch", folder);
	snprintf(other, sizeof other, "%s/00000002.launch", folder);
	assert_int_equal(link(path, other), 0);
	assert_int_equal(journal_file_read(&file, 2, &known, &read, message), JOURNAL_DAMAGED);
	assert_int_equal(unlink(other), 0);
	journal_file_close(&file);
}

static void belongs_to_one_setup(void **state)
{
	char message[JOURNAL_MESSAGE], path[64];
	struct journal_file file;
	(void)state;
	assert_false(journal_file_open(&file, folder, false, &setup, message));
	assert_non_null(strstr(message, "has launches already"));
	for (int part = 0; part < JOURNAL_SETUP; part++) {
		struct journal_setup other = setup;
		other.part[part].word[1]++;
		assert_false(journal_file_open(&file, folder, true, &other, message));
		assert_non_null(strstr(message, journal_setup_names[part]));
	}
	snprintf(path, sizeof path, "%s/setup", folder);
	write_file(path, "x", 1);
	assert_false(journal_file_open(&file, folder, true, &setup, message));
	assert_non_null(strstr(message, "setup is absent or damaged"));
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	static const char *const names[] = {"00000001.launch", "setup", "lock"};
	char path[64];
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, names[i]);
		unlink(path);
	}
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_was_written), cmocka_unit_test(refuses_changed_files),
		cmocka_unit_test(refuses_other_numbers), cmocka_unit_test(belongs_to_one_setup)};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
