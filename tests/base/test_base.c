/* Protects src/base: memory, diagnostics, option tables, configuration files and CSV. */
#include "base/arena.h"
#include "base/config_file.h"
#include "base/csv.h"
#include "base/diag.h"
#include "base/edit_distance.h"
#include "base/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct settings {
	uint32_t sets, ways, policy;
	bool enabled;
	double scale;
	char name[BASE_OPTION_TEXT_SIZE];
	uint32_t depth, any;
};

static const char *const policies[] = {"lru", "fifo", "random", NULL};

static const struct base_option table[] = {
	{"name", BASE_OPTION_TEXT, offsetof(struct settings, name), 0, 0, NULL, "", "a name"},
	{"l1d.sets", BASE_OPTION_U32, offsetof(struct settings, sets), 1, 1024, NULL, "", "sets"},
	{"l1d.enabled", BASE_OPTION_BOOL, offsetof(struct settings, enabled), 0, 0, NULL, "", "switch"},
	{"dram.scale", BASE_OPTION_F64, offsetof(struct settings, scale), 0.25, 4, NULL, "GHz", "clock"},
	{"l1d.policy", BASE_OPTION_ENUM, offsetof(struct settings, policy), 0, 0, policies, "", "replacement"},
	{"l1d.mshr.depth", BASE_OPTION_U32, offsetof(struct settings, depth), 1, 8, NULL, "lines", "depth"},
	{"l1d.ways", BASE_OPTION_U32, offsetof(struct settings, ways), 1, 16, NULL, "lines", "ways"},
	{"any", BASE_OPTION_U32, offsetof(struct settings, any), 0, 0, NULL, "", "any number"},
};
enum { OPTIONS = sizeof table / sizeof *table };

/* A separate folder for every test that needs files. */
static char folder[64];

static const char *in_folder(const char *name)
{
	static char path[128];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

static void write_text(const char *name, const char *text)
{
	FILE *file = fopen(in_folder(name), "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/sluice-test-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	static const char *const names[] = {"a.yaml",     "b.yaml",           "c.yaml",
	                                    "whole.yaml", "bases/whole.yaml", "bases/middle.yaml"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		unlink(in_folder(names[i]));
	rmdir(in_folder("bases"));
	return rmdir(folder);
}

/* Reads a.yaml with this text and compares the messages, without the folder's name. */
static void expect_messages(const char *yaml, const char *expected)
{
	struct settings settings = {0};
	struct diag diag = {0};
	write_text("a.yaml", yaml);
	bool fine = config_file_read(in_folder("a.yaml"), table, OPTIONS, &settings, &diag);
	char shown[4096] = "";
	size_t end = 0;
	for (const char *at = diag.text ? diag.text : ""; *at && end < sizeof shown - 1;) {
		if (strncmp(at, folder, strlen(folder)) == 0)
			at += strlen(folder) + 1;
		else
			shown[end++] = *at++;
	}
	assert_string_equal(shown, expected);
	assert_int_equal(fine, diag.errors == 0);
	uint32_t told = 0;
	for (const char *at = shown; (at = strstr(at, ": error: ")); at++)
		told++;
	assert_int_equal(diag.errors, told); /* messages taken back do not count */
	diag_free(&diag);
}

/* Rows of lanes start on a cache line, all memory is zero, and old blocks survive new ones. */
static void arena_blocks(void **state)
{
	(void)state;
	struct arena arena = {0};
	unsigned char *first = arena_alloc(&arena, 5);
	memset(first, 7, 5);
	for (size_t size = 1; size < 200000; size = size * 3 + 1) {
		unsigned char *block = arena_alloc(&arena, size);
		assert_int_equal((uintptr_t)block % (size >= 64 ? 64 : _Alignof(max_align_t)), 0);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(block[i], 0);
		memset(block, 0xff, size);
	}
	for (int i = 0; i < 5; i++)
		assert_int_equal(first[i], 7);
	assert_string_equal(arena_string(&arena, "warp lane", 4), "warp");
	assert_non_null(arena_array(&arena, 0, 8));
	arena_free(&arena);
	assert_null(arena.chunk);
	assert_non_null(arena_alloc(&arena, 1)); /* and can be used again */
	arena_free(&arena);
}

/* The exact text of a message: GNU format, the line, and a caret below tabs and two-byte characters. */
static void diag_text(void **state)
{
	(void)state;
	const char *text = "first\n\tadd.s32\t%r1;\r\n\303\244\303\266 x\nlast";
	struct diag_source source = {"k.ptx", text, strlen(text)};
	struct diag diag = {0};
	diag_error(&diag, &source, (struct diag_place){2, 10}, "expected '%s'", ",");
	diag_error(&diag, &source, (struct diag_place){3, 6}, "odd");
	diag_error(&diag, &source, (struct diag_place){4, 5}, "end of file");
	diag_error(&diag, &source, (struct diag_place){3, 99}, "past the line");
	diag_error(&diag, &source, (struct diag_place){0, 0}, "no kernel");
	diag_plain(&diag, "no such machine");
	diag_plain(&diag, "no such \033[31mcolor");
	assert_string_equal(diag.text, "k.ptx:2:10: error: expected ','\n"
	                               "  2 | \tadd.s32\t%r1;\n"
	                               "    | \t       \t^\n"
	                               "k.ptx:3:6: error: odd\n"
	                               "  3 | \303\244\303\266 x\n"
	                               "    |    ^\n"
	                               "k.ptx:4:5: error: end of file\n"
	                               "  4 | last\n"
	                               "    |     ^\n"
	                               "k.ptx:3:99: error: past the line\n"
	                               "  3 | \303\244\303\266 x\n"
	                               "    |     ^\n"
	                               "k.ptx: error: no kernel\n"
	                               "sluice: error: no such machine\n"
	                               "sluice: error: no such ?[31mcolor\n");
	assert_int_equal(diag.errors, 7);
	diag_free(&diag);
}

/* Neither a file full of errors nor a line of a megabyte may flood the terminal. */
static void diag_limits(void **state)
{
	(void)state;
	char line[1001];
	memset(line, 'x', 1000);
	line[1000] = '\0';
	line[500] = '?';
	struct diag_source source = {"k.ptx", line, 1000};
	struct diag diag = {.limit = 1};
	diag_error(&diag, &source, (struct diag_place){1, 501}, "bad");
	assert_null(strstr(diag.text, "too many errors"));
	for (int i = 1; i < 5; i++)
		diag_error(&diag, &source, (struct diag_place){1, 501}, "bad");
	assert_int_equal(diag.errors, 5);
	assert_non_null(strstr(diag.text, "sluice: too many errors; the others are not shown\n"));
	assert_null(strstr(strstr(diag.text, "bad") + 1, "bad"));
	const char *shown = strstr(diag.text, "  1 | "), *caret_line = strstr(shown, "\n") + 1;
	assert_true(strlen(shown) < 400);
	assert_int_equal(strchr(shown, '?') - shown, strchr(caret_line, '^') - caret_line);
	diag_free(&diag);
}

/* Suggestions: found for typing errors, none for words that are merely different. */
static void slips(void **state)
{
	(void)state;
	assert_int_equal(edit_distance("add", "add"), 0);
	assert_int_equal(edit_distance("fmaa", "fma"), 1);
	assert_int_equal(edit_distance("mahcine", "machine"), 1);
	assert_int_equal(edit_distance("L1D.sets", "l1d.sets"), 0);
	assert_int_equal(edit_distance("l1d.miss", "l1d.misses"), 1); /* nearer than l1d.hits, its opposite */
	assert_int_equal(edit_distance("l1d.miss", "l1d.hits"), 2);
	assert_int_equal(edit_distance("gtx48", "gtx480-v4"), EDIT_DISTANCE_FAR);
	assert_int_equal(edit_distance("bar", "xor"), EDIT_DISTANCE_FAR);
	assert_int_equal(edit_distance("x", "y"), EDIT_DISTANCE_FAR);
	assert_string_equal(base_option_nearest(table, OPTIONS, "l1d.stes")->name, "l1d.sets");
	assert_null(base_option_nearest(table, OPTIONS, "scheduler"));
	assert_null(base_option_find(table, OPTIONS, "l1d.stes"));
	assert_ptr_equal(base_option_find(table, OPTIONS, "l1d.ways"), &table[6]);
}

/* base_option_set() reads back every value that base_option_print() writes. */
static void option_round_trip(void **state)
{
	(void)state;
	static const char *const values[][3] = {
		{"name", "GTX 480's", "GTX 480's"}, {"l1d.sets", "1024", "1024"},   {"l1d.sets", "0x20", "32"},
		{"l1d.enabled", "Yes", "true"},     {"l1d.enabled", "0", "false"},  {"dram.scale", "0.3", "0.3"},
		{"dram.scale", "1e0", "1"},         {"l1d.policy", "FIFO", "fifo"}, {"any", "4294967295", "4294967295"},
	};
	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		const struct base_option *option = base_option_find(table, OPTIONS, values[i][0]);
		struct settings settings = {0}, again = {0};
		char message[256], text[128];
		assert_true(base_option_set(option, &settings, values[i][1], message, sizeof message));
		base_option_print(option, &settings, text, sizeof text);
		assert_string_equal(text, values[i][2]);
		assert_true(base_option_set(option, &again, text, message, sizeof message));
		assert_memory_equal(&settings, &again, sizeof settings);
	}
}

/* An invalid value is refused with the range or the choices, and the field is unchanged. */
static void option_refusals(void **state)
{
	(void)state;
	static const char *const refused[][3] = {
		{"l1d.sets", "0", "l1d.sets: expected a whole number from 1 to 1024, not '0'"},
		{"l1d.sets", "1025", "l1d.sets: expected a whole number from 1 to 1024, not '1025'"},
		{"l1d.ways", "-1", "l1d.ways: expected a whole number from 1 to 16 in lines, not '-1'"},
		{"l1d.ways", "4x", "l1d.ways: expected a whole number from 1 to 16 in lines, not '4x'"},
		{"any", "4294967296", "any: expected a whole number, not '4294967296'"},
		{"any", "", "any: expected a whole number, not ''"},
		{"dram.scale", "0.2", "dram.scale: expected a number from 0.25 to 4 in GHz, not '0.2'"},
		{"dram.scale", "nan", "dram.scale: expected a number from 0.25 to 4 in GHz, not 'nan'"},
		{"l1d.enabled", "maybe", "l1d.enabled: expected true or false, not 'maybe'"},
		{"l1d.policy", "plru", "l1d.policy: expected lru, fifo or random, not 'plru'"},
		{"name", "a\nb", "name: expected a text of one line without control characters"},
	};
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		const struct base_option *option = base_option_find(table, OPTIONS, refused[i][0]);
		struct settings settings = {.sets = 3}, before = settings;
		char message[256];
		assert_false(base_option_set(option, &settings, refused[i][1], message, sizeof message));
		assert_string_equal(message, refused[i][2]);
		assert_memory_equal(&settings, &before, sizeof settings);
	}
}

/* Nested mappings, dotted keys, a base whose values are overridden: all forms of a machine file. */
static void yaml_read(void **state)
{
	(void)state;
	struct settings settings = {0};
	struct diag diag = {0};
	write_text("a.yaml", "base: b\nl1d:\n  sets: 64\n  mshr: {depth: 2}\nname: 'A # b'\n");
	write_text("b.yaml", "# a comment\nl1d: {sets: 32, ways: 4}\nl1d.policy: random\ndram.scale: 1.5\n");
	bool fine = config_file_read(in_folder("a.yaml"), table, OPTIONS, &settings, &diag);
	assert_null(diag.text);
	assert_true(fine);
	assert_int_equal(settings.sets, 64);
	assert_int_equal(settings.ways, 4);
	assert_int_equal(settings.depth, 2);
	assert_int_equal(settings.policy, 2);
	assert_true(settings.scale == 1.5);
	assert_string_equal(settings.name, "A # b");
	write_text("c.yaml", "");
	assert_true(config_file_read(in_folder("c.yaml"), table, OPTIONS, &settings, &diag));
	diag_free(&diag);
}

/* Each kind of mistake in a file, with its exact message: this is what a user of machine files reads most. */
static void yaml_errors(void **state)
{
	(void)state;
	expect_messages("l1d:\n  stes: 32\n  ways: 99\n",
	                "a.yaml:2:3: error: unknown option 'l1d.stes'; did you mean 'l1d.sets'?\n"
	                "  2 |   stes: 32\n"
	                "    |   ^\n"
	                "a.yaml:3:9: error: l1d.ways: expected a whole number from 1 to 16 in lines, not '99'\n"
	                "  3 |   ways: 99\n"
	                "    |         ^\n");
	expect_messages("l1x:\n  sets: 1\n  other: [1, {a: b}]\nany: 1\n",
	                "a.yaml:1:1: error: unknown option 'l1x'; did you mean 'l1d'?\n"
	                "  1 | l1x:\n"
	                "    | ^\n");
	expect_messages("any: 1\nl1d.sets: 1\nany: 2\n",
	                "a.yaml:3:1: error: 'any' is set a second time; the first is in line 1\n"
	                "  3 | any: 2\n"
	                "    | ^\n");
	expect_messages("any: [1, 2]\nl1d: 3\nname: {a: b}\n",
	                "a.yaml:1:6: error: any: expected one value, not a list\n"
	                "  1 | any: [1, 2]\n"
	                "    |      ^\n"
	                "a.yaml:2:6: error: l1d: expected its options, "
	                "indented below it or in { }\n"
	                "  2 | l1d: 3\n"
	                "    |      ^\n"
	                "a.yaml:3:7: error: name: expected one value, "
	                "not a mapping\n"
	                "  3 | name: {a: b}\n"
	                "    |       ^\n");
	expect_messages("- any\n", "a.yaml:1:1: error: expected 'NAME: VALUE' lines\n"
	                           "  1 | - any\n"
	                           "    | ^\n");
	/* The column counts bytes although libyaml counts characters. */
	expect_messages("{name: \303\244, any: x}\n", "a.yaml:1:17: error: any: expected a whole number, not 'x'\n"
	                                              "  1 | {name: \303\244, any: x}\n"
	                                              "    |                ^\n");
	/* The message about invalid UTF-8 shows where it is. */
	expect_messages("any: 1\nname: a\377b\n", "a.yaml:2:8: error: not YAML: invalid leading UTF-8 octet\n"
	                                          "  2 | name: a\377b\n"
	                                          "    |        ^\n");
	/* Only the invalid text is reported, not the unknown key before it. */
	expect_messages("nay: 1\nl1d: {sets: 2\n", "a.yaml:3:1: error: not YAML: while parsing a flow mapping, "
	                                           "did not find expected ',' or '}'\n"
	                                           "  3 | \n"
	                                           "    | ^\n");
}

/* A base that is missing, misplaced or circular. */
static void yaml_base_errors(void **state)
{
	(void)state;
	expect_messages("base: a\n", "a.yaml:1:7: error: base: 'a' is based on itself\n"
	                             "  1 | base: a\n"
	                             "    |       ^\n");
	expect_messages("base: nothing\n", "a.yaml:1:7: error: base: there is no 'nothing'\n"
	                                   "  1 | base: nothing\n"
	                                   "    |       ^\n");
	write_text("whole.yaml", "");
	expect_messages("base: whale\n", "a.yaml:1:7: error: base: there is no 'whale'; did you mean 'whole'?\n"
	                                 "  1 | base: whale\n"
	                                 "    |       ^\n");
	expect_messages("base: ./none.yaml\n",
	                "a.yaml:1:7: error: base: cannot read ./none.yaml: No such file or directory\n"
	                "  1 | base: ./none.yaml\n"
	                "    |       ^\n");
	expect_messages("base: ../no/../a.yaml\n",
	                "a.yaml:1:7: error: base: cannot read ../no/../a.yaml: No such file or directory\n"
	                "  1 | base: ../no/../a.yaml\n"
	                "    |       ^\n");
	/* The same file by another path. */
	expect_messages("base: ././a.yaml\n", "a.yaml:1:7: error: base: '././a.yaml' is based on itself\n"
	                                      "  1 | base: ././a.yaml\n"
	                                      "    |       ^\n");
	expect_messages("any: 1\nbase: b\n",
	                "a.yaml:2:1: error: 'base' must be the first key: the keys after it change the base\n"
	                "  2 | base: b\n"
	                "    | ^\n");
	write_text("b.yaml", "any: no\n");
	expect_messages("base: b\nany: 1\n", "b.yaml:1:6: error: any: expected a whole number, not 'no'\n"
	                                     "  1 | any: no\n"
	                                     "    |      ^\n");
	write_text("b.yaml", "base: a\n");
	expect_messages("base: b\n", "b.yaml:1:7: error: base: 'a' is based on itself\n"
	                             "  1 | base: a\n"
	                             "    |       ^\n");
}

/* Reads a.yaml as a file that must set every option, with a folder of bases next to its own. */
static char *read_whole(const char *yaml, struct settings *settings)
{
	char bases[sizeof folder + 8];
	const char *const folders[] = {bases, NULL};
	struct diag diag = {0};
	snprintf(bases, sizeof bases, "%s/bases", folder);
	write_text("a.yaml", yaml);
	bool fine = config_file_read_whole(in_folder("a.yaml"), folders, table, OPTIONS, settings, &diag);
	assert_int_equal(fine, diag.text == NULL);
	return diag.text;
}

/* A base is found by name in the folders of bases from anywhere. A file in the same folder takes precedence. A path is
 * relative to the file that names it, at every step of a chain. */
static void yaml_bases(void **state)
{
	(void)state;
	struct settings settings = {0};
	assert_int_equal(mkdir(in_folder("bases"), 0777), 0);
	write_text("bases/whole.yaml", "name: w\nl1d: {sets: 2, enabled: yes, policy: fifo, mshr.depth: 3, ways: 4}\n"
	                               "dram.scale: 2\nany: 1\n");
	write_text("bases/middle.yaml", "base: ../b.yaml\nany: 5\n");
	write_text("b.yaml", "base: whole\nl1d.sets: 8\n");
	assert_null(read_whole("base: middle\nl1d.ways: 9\n", &settings));
	assert_string_equal(settings.name, "w");
	assert_int_equal(settings.sets, 8);
	assert_int_equal(settings.any, 5);
	assert_int_equal(settings.ways, 9);
	write_text("whole.yaml", "base: bases/whole.yaml\nl1d.sets: 16\n");
	assert_null(read_whole("base: whole\n", &settings));
	assert_int_equal(settings.sets, 16);
}

/* Options that a file and its bases leave unset are listed: nothing is 0 by oversight. */
static void yaml_missing(void **state)
{
	(void)state;
	struct settings settings = {0};
	write_text("b.yaml", "name: b\nl1d: {enabled: yes, policy: lru}\nany: 0\n");
	char *text = read_whole("base: b\nl1d: {sets: 16, ways: 1}\n", &settings);
	assert_non_null(text);
	assert_non_null(strstr(text, "a.yaml: error: 2 of its 8 keys have no value;"));
	assert_non_null(strstr(text, ":\n  dram.scale\n  l1d.mshr.depth\n"));
	free(text);
}

/* The values that -o on the command line accepts. */
static void assignments(void **state)
{
	(void)state;
	struct settings settings = {0};
	struct diag diag = {0};
	assert_true(config_assign("l1d.sets=16", table, OPTIONS, &settings, &diag));
	assert_true(config_assign("name=a=b", table, OPTIONS, &settings, &diag));
	assert_int_equal(settings.sets, 16);
	assert_string_equal(settings.name, "a=b");
	assert_false(config_assign("l1d.sets", table, OPTIONS, &settings, &diag));
	assert_false(config_assign("l1d.set=1", table, OPTIONS, &settings, &diag));
	assert_false(config_assign("l1d=1", table, OPTIONS, &settings, &diag));
	assert_false(config_assign("any=x", table, OPTIONS, &settings, &diag));
	assert_string_equal(diag.text, "sluice: error: expected KEY=VALUE, not 'l1d.sets'\n"
	                               "sluice: error: unknown option 'l1d.set'; did you mean 'l1d.sets'?\n"
	                               "sluice: error: 'l1d' is a group of options, such as 'l1d.sets'\n"
	                               "sluice: error: any: expected a whole number, not 'x'\n");
	diag_free(&diag);
}

/* A written configuration reads back the same. Each section opens once, even if its options are not adjacent. */
static void yaml_write(void **state)
{
	(void)state;
	struct settings settings = {
		.sets = 2, .ways = 3, .policy = 1, .enabled = true, .scale = 0.7, .depth = 5, .any = 9};
	strcpy(settings.name, "it's");
	FILE *file = fopen(in_folder("a.yaml"), "w");
	config_file_write(file, table, OPTIONS, &settings);
	fclose(file);

	char text[512] = "";
	file = fopen(in_folder("a.yaml"), "r");
	assert_true(fread(text, 1, sizeof text - 1, file) > 0);
	fclose(file);
	assert_string_equal(text, "name: 'it''s'\n"
	                          "l1d:\n"
	                          "  sets: 2\n"
	                          "  enabled: true\n"
	                          "  policy: fifo\n"
	                          "  mshr:\n"
	                          "    depth: 5\n"
	                          "  ways: 3\n"
	                          "dram:\n"
	                          "  scale: 0.7\n"
	                          "any: 9\n");
	struct settings again = {0};
	struct diag diag = {0};
	assert_true(config_file_read(in_folder("a.yaml"), table, OPTIONS, &again, &diag));
	assert_memory_equal(&again, &settings, sizeof again);
}

/* csv_field() reads what csv_text() writes. A line end ends the last field, and the rest of the text stays unread. */
static void csv_round_trip(void **state)
{
	(void)state;
	static const char *const fields[] = {"plain", "", "a, b", "\"quoted\"", "ends in \"", ",", "\"", ""};
	enum { FIELDS = sizeof fields / sizeof *fields };
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	for (size_t i = 0; i < FIELDS; i++) {
		if (i)
			fputc(',', file);
		csv_text(fields[i], file);
	}
	fputs("\nnext,line", file);
	fclose(file);
	char *rest = text, *line = csv_line(&rest);
	for (size_t i = 0; i < FIELDS; i++)
		assert_string_equal(csv_field(&line), fields[i]);
	assert_string_equal(line, "");
	assert_string_equal(csv_field(&line), "");
	assert_string_equal(rest, "next,line");
	line = csv_line(&rest);
	assert_string_equal(csv_field(&line), "next");
	assert_string_equal(csv_field(&line), "line");
	assert_string_equal(rest, "");
	/* Quotes that never end take the rest; a line end outside of quotes ends the field. */
	char open[] = "\"a,b\nc", ended[] = "a\nb,c";
	line = open;
	assert_string_equal(csv_field(&line), "a,b\nc");
	line = ended;
	assert_string_equal(csv_field(&line), "a");
	assert_string_equal(line, "");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arena_blocks),
		cmocka_unit_test(diag_text),
		cmocka_unit_test(diag_limits),
		cmocka_unit_test(slips),
		cmocka_unit_test(option_round_trip),
		cmocka_unit_test(option_refusals),
		cmocka_unit_test_setup_teardown(yaml_read, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(yaml_errors, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(yaml_base_errors, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(yaml_bases, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(yaml_missing, make_folder, remove_folder),
		cmocka_unit_test(assignments),
		cmocka_unit_test_setup_teardown(yaml_write, make_folder, remove_folder),
		cmocka_unit_test(csv_round_trip),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
