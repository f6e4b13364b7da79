/* Protects the parsing of user input: machine files, -o, --mech, --check, experiments, energy tables and program
 * descriptions, drawn and mutated at random.
 * Each input is accepted, or refused with a message that names the error. An accepted machine runs a kernel to its
 * correct result: no crash, no stall, no division by zero. The seed is fixed, so each run is the same:
 *
 *   test_fuzz_settings [CASES [SEED [TEST]]]    more cases, run manually */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/programs/program_file.h"
#include "energy/price.h"
#include "lab/experiment.h"
#include "sluice.h"

#include "base/arena.h"
#include "base/file.h"
#include "gpu/machine.h"
#include "mech/list.h"

#include <glob.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

static unsigned cases = 60;
static uint64_t random_state = 1;

/* xorshift64*: the same numbers on every host. */
static uint32_t below(uint32_t limit)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return (uint32_t)((random_state * 0x2545f4914f6cdd1du) >> 32) % limit;
}

static const char *any_value(void)
{
	static const char *const values[] = {
		"0",          "1",        "2",     "3",           "4",         "5",        "7",
		"8",          "16",       "31",    "32",          "33",        "48",       "64",
		"65",         "100",      "127",   "128",         "255",       "256",      "512",
		"1000",       "1024",     "1025",  "4096",        "16384",     "65535",    "65536",
		"1048576",    "16777216", "-1",    "-2147483648", "nan",       "inf",      "4294967295",
		"4294967296", "1e30",     "0x10",  "0x",          "1.5",       "",         "true",
		"off",        "lru",      "fifo",  "on_fill",     "on_miss",   "through",  "back",
		"evict",      "lazy",     "fetch", "none",        "hashed",    "linear",   "either",
		"sp",         "sfu",      "gto",   "lrr:x=1",     "two_level", "teleport", "two_level:ready=0",
		"%s%n%d",     "a: b",     "'",     "\377\376\001"};
	return values[below(sizeof values / sizeof *values)];
}

/* Replaces `gone` bytes by the `bytes` bytes at `added`, if the text then still fits into `room`. */
static void splice(char *text, size_t room, size_t at, size_t gone, const char *added, size_t bytes)
{
	size_t length = strlen(text);
	if (length - gone + bytes >= room)
		return;
	memmove(text + at + bytes, text + at + gone, length - at - gone + 1);
	memcpy(text + at, added, bytes);
}

/* Draws a value that the option accepts, or an arbitrary one. */
static void draw_value(const struct base_option *option, char *text, size_t size)
{
	uint32_t choices = 0;
	while (option->choices && option->choices[choices])
		choices++;
	snprintf(text, size, "%s", any_value());
	if (below(3) == 0)
		return;
	if (option->type == BASE_OPTION_BOOL)
		snprintf(text, size, "%s", below(2) ? "true" : "no");
	else if (choices)
		snprintf(text, size, "%s", option->choices[below(choices)]);
	/* small values more often than large ones */
	else if (option->type == BASE_OPTION_U32 && option->max > option->min)
		snprintf(text, size, "%.0f", option->min + below(1u << below(17)));
}

/* Removes a line, inserts a copy of it elsewhere, or both. */
static void mutate_lines(char *text, size_t room)
{
	char line[160];
	size_t length = strlen(text), from = below((uint32_t)length);
	while (from && text[from - 1] != '\n')
		from--;
	size_t bytes = strcspn(text + from, "\n");
	bytes += text[from + bytes] == '\n';
	if (bytes > sizeof line)
		return;
	memcpy(line, text + from, bytes);
	if (below(2))
		splice(text, room, from, bytes, "", 0);
	for (from = below((uint32_t)strlen(text) + 1); from && text[from - 1] != '\n';)
		from--;
	if (below(2))
		splice(text, room, from, 0, line, bytes);
}

/* Applies one to three small mutations to the text. */
static void mutate(char *text, size_t room)
{
	static const char marks[] = ":,{}[]~#'\"-|>&*!%@\n\t x0\\\001\377";
	for (uint32_t i = 1 + below(3); i && *text; i--) {
		char copy[64];
		size_t length = strlen(text), at = below((uint32_t)length), some = 1 + below(sizeof copy - 1);
		some = some < length - at ? some : length - at;
		memcpy(copy, text + at, some);
		const char *value = any_value();
		switch (below(6)) {
		case 0:
			splice(text, room, at, 1, marks + below(sizeof marks - 1), 1);
			break;
		case 1:
			splice(text, room, at, some, "", 0);
			break;
		case 2: /* the value after the next key */
			at += strcspn(text + at, ":=");
			at += at < length;
			splice(text, room, at, strcspn(text + at, ",}]\n"), value, strlen(value));
			break;
		case 3:
			splice(text, room, below((uint32_t)length), 0, copy, some);
			break;
		case 4:
			mutate_lines(text, room);
			break;
		default:
			text[below(4) ? at : 0] = ' ';
			break;
		}
	}
}

/* The input under test; "" after it has succeeded. */
static char current[1 << 16];
enum { PATIENCE = 5 }; /* seconds of CPU time */

static void begin_case(const char *text)
{
	snprintf(current, sizeof current, "%s", text);
	setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = PATIENCE}, NULL);
}

static void end_case(void)
{
	*current = '\0';
}

/* Prints the case in which a test failed or crashed. */
static int tell_case(void **state)
{
	(void)state;
	if (*current)
		fprintf(stderr, "the case was:\n%s\n", current);
	end_case();
	return 0;
}

static void too_long(int number)
{
	void *nothing = NULL;
	(void)number;
	tell_case(&nothing);
	abort();
}

static char folder[64];

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/sluice-fuzz-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	char path[128];
	snprintf(path, sizeof path, "%s/x.yaml", folder);
	unlink(path);
	tell_case(state);
	return rmdir(folder);
}

static const char ptx[] =
	".version 6.0\n.target sm_20\n.address_size 64\n"
	".visible .entry k(.param .u64 p) {\n"
	".reg .b32 %r<6>; .reg .b64 %d<4>; .shared .align 4 .b8 s[256];\n"
	"ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 64, %r1;\n"
	"mul.wide.u32 %d2, %r3, 4; add.u64 %d1, %d1, %d2; ld.global.u32 %r4, [%d1];\n"
	"mov.u64 %d3, s; mul.wide.u32 %d2, %r1, 4; add.u64 %d3, %d3, %d2; st.shared.u32 [%d3], %r4;\n"
	"bar.sync 0; ld.shared.u32 %r5, [%d3]; add.u32 %r5, %r5, 1; st.global.u32 [%d1], %r5; ret; }\n";

enum { BLOCKS = 3, THREADS = 64 * BLOCKS };

/* An accepted machine computes correct results, rejects the launch, or stops at an instruction limit. */
static void run_kernel(sluice_gpu *gpu)
{
	uint32_t data[THREADS];
	uint64_t address;
	struct sluice_error error = {0};
	sluice_module *module;
	void *arguments[] = {&address};
	for (uint32_t i = 0; i < THREADS; i++)
		data[i] = 7 * i;
	assert_int_equal(sluice_load(gpu, ptx, sizeof ptx - 1, "k.ptx", &module, &error), SLUICE_OK);
	assert_int_equal(sluice_alloc(gpu, sizeof data, &address, &error), SLUICE_OK);
	assert_int_equal(sluice_write(gpu, address, data, sizeof data, &error), SLUICE_OK);
	enum sluice_status status = sluice_launch(gpu, sluice_find_kernel(module, "k"), (sluice_dim){BLOCKS, 1, 1},
	                                          (sluice_dim){64, 1, 1}, 0, arguments, &error);
	bool cut = status == SLUICE_STOPPED && strstr(current, "max_instructions");
	if (status == SLUICE_BAD_LAUNCH || cut)
		return;
	if (status != SLUICE_OK)
		fail_msg("%s", error.message);
	assert_int_equal(sluice_read(gpu, data, address, sizeof data, &error), SLUICE_OK);
	for (uint32_t i = 0; i < THREADS; i++)
		if (data[i] != 7 * i + 1)
			fail_msg("thread %u: %u", i, data[i]);
}

static bool is_of_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr("._/-", c));
}

/* True when the message names its subject: a position in the file, a machine option, or a part of the text. A part is a
 * name or a quoted text. */
static bool is_about(const char *message, const char *text)
{
	char part[400];
	if (strstr(message, "/x.yaml:"))
		return true;
	for (size_t i = 0; i < machine_option_count; i++)
		if (strstr(message, machine_options[i].name))
			return true;
	for (const char *at = strchr(message, '\''), *end; at && (end = strchr(at + 1, '\'')); at = end) {
		snprintf(part, sizeof part, "%.*s", (int)(end - at - 1), at + 1);
		if (strstr(text, part))
			return true;
	}
	for (size_t length; *text; text += length + (text[length] != '\0')) {
		for (length = 0; is_of_name(text[length]);)
			length++;
		snprintf(part, sizeof part, "%.*s", (int)length, text);
		if (length && strstr(message, part))
			return true;
	}
	return false;
}

/* Opens a machine: it is accepted, or refused with a message. */
static bool try_settings(const struct sluice_settings *settings, const char *text)
{
	struct sluice_error error = {0};
	sluice_gpu *gpu;
	begin_case(text);
	if (sluice_open(&gpu, settings, &error) != SLUICE_OK) {
		if (!is_about(error.message, text))
			fail_msg("refused without a message that names what is wrong: %s", error.message);
		end_case();
		return false;
	}
	run_kernel(gpu);
	sluice_close(gpu);
	end_case();
	return true;
}

/* Every key alone, at the ends of its range and just inside. */
static void limits(void **state)
{
	(void)state;
	for (size_t i = 0; i < machine_option_count; i++) {
		const struct base_option *option = &machine_options[i];
		const double values[] = {option->min, option->min + 1, 2 * option->min, option->max, option->max - 1};
		for (size_t k = 0; option->type == BASE_OPTION_U32 && k < sizeof values / sizeof *values; k++) {
			char text[160];
			const char *const list[] = {text, NULL};
			const struct sluice_settings settings = {SLUICE_SIZED(settings), .options = list};
			snprintf(text, sizeof text, "%s=%.0f", option->name, values[k]);
			try_settings(&settings, text);
		}
		for (size_t k = 0; option->type == BASE_OPTION_ENUM && option->choices[k]; k++) {
			char text[160];
			const char *const list[] = {text, NULL};
			const struct sluice_settings settings = {SLUICE_SIZED(settings), .options = list};
			snprintf(text, sizeof text, "%s=%s", option->name, option->choices[k]);
			try_settings(&settings, text);
		}
	}
}

static void assignments(void **state)
{
	(void)state;
	unsigned taken = 0;
	for (unsigned i = 0; i < 4 * cases; i++) {
		char text[5][160], all[5 * 160 + 5] = "";
		const char *list[6] = {0};
		uint32_t count = 1 + below(5);
		for (uint32_t k = 0; k < count; k++) {
			const struct base_option *option =
				&machine_options[1 + below((uint32_t)machine_option_count - 1)];
			int length = snprintf(text[k], sizeof text[k], "%s=", option->name);
			draw_value(option, text[k] + length, sizeof text[k] - (size_t)length);
			if (below(16) == 0)
				mutate(text[k], sizeof text[k]);
			list[k] = text[k];
			strcat(strcat(all, text[k]), "\n");
		}
		const struct sluice_settings settings = {SLUICE_SIZED(settings), .options = list};
		taken += try_settings(&settings, all);
	}
	assert_true(taken > 0);
}

/* Draws "NAME:OPTION=VALUE,...". */
static void draw_mechanism(char *text, size_t room)
{
	const struct mech *mech = mech_list[below((uint32_t)mech_list_count)];
	size_t length = (size_t)snprintf(text, room, "%s", below(16) ? mech->name : "./none.so");
	for (uint32_t k = mech->option_count ? below(4) : 0; k; k--) {
		const struct base_option *option = &mech->options[below((uint32_t)mech->option_count)];
		length += (size_t)snprintf(text + length, room - length, "%c%s=", strchr(text, ':') ? ',' : ':',
		                           option->name);
		draw_value(option, text + length, room - length);
		length = strlen(text);
	}
	if (below(4) == 0)
		mutate(text, room);
}

static void mechanisms(void **state)
{
	(void)state;
	unsigned taken = 0;
	for (unsigned i = 0; i < cases; i++) {
		char text[3][400], all[3 * 400 + 3] = "";
		const char *list[4] = {0};
		uint32_t count = 1 + below(6) / 4;
		for (uint32_t k = 0; k < count; k++) {
			draw_mechanism(text[k], sizeof text[k]);
			list[k] = text[k];
			strcat(strcat(all, text[k]), "\n");
		}
		const struct sluice_settings settings = {SLUICE_SIZED(settings), .mechanisms = list};
		taken += try_settings(&settings, all);
	}
	assert_true(taken > 0);
}

static void checks(void **state)
{
	(void)state;
	static const char *const words[] = {
		"race", "init",  "shared-init", "divergence", "footprint", "footprint-counts",
		"all",  "leaks", "bounds",      "masks",      "warp-race", "footprin",
		"",     "RACE",  "%s"};
	unsigned taken = 0;
	for (unsigned i = 0; i < cases; i++) {
		char text[200] = "";
		for (uint32_t k = below(5); k < 5; k++)
			strcat(strcat(text, *text ? "," : ""),
			       words[below(below(4) ? 11 : sizeof words / sizeof *words)]);
		if (below(4) == 0)
			mutate(text, sizeof text);
		const struct sluice_settings settings = {SLUICE_SIZED(settings), .check = text};
		taken += try_settings(&settings, text);
	}
	assert_true(taken > 0);
}

/* Calls `use` with a mutant of each file that matches the pattern. */
static void each_mutant(const char *pattern, void (*use)(char *text))
{
	glob_t files;
	assert_int_equal(glob(pattern, 0, NULL, &files), 0);
	for (unsigned i = 0; i < cases; i++) {
		size_t length;
		char *original = file_read(files.gl_pathv[below((uint32_t)files.gl_pathc)], &length);
		assert_non_null(original);
		size_t room = length + 256;
		char *text = base_calloc(1, room);
		memcpy(text, original, length);
		mutate(text, room);
		begin_case(text);
		use(text);
		end_case();
		free(original);
		free(text);
	}
	globfree(&files);
}

static void use_machine(char *text)
{
	char path[128];
	snprintf(path, sizeof path, "%s/x.yaml", folder);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	const struct sluice_settings settings = {SLUICE_SIZED(settings), .machine = path};
	try_settings(&settings, text);
}

static void machine_files(void **state)
{
	(void)state;
	each_mutant(SOURCE_DIR "/machines/*.yaml", use_machine);
}

/* A user's machine based on another: some keys with drawn values. */
static void own_machines(void **state)
{
	(void)state;
	for (unsigned i = 0; i < cases; i++) {
		char text[2048] = "", value[80];
		size_t length = (size_t)sprintf(text, "base: %s\nname: x\n", below(16) ? "gtx480" : any_value());
		for (uint32_t k = below(6); k; k--) {
			const struct base_option *option =
				&machine_options[1 + below((uint32_t)machine_option_count - 1)];
			const char *dot = strchr(option->name, '.');
			draw_value(option, value, sizeof value);
			length += (size_t)(dot ? snprintf(text + length, sizeof text - length, "%.*s: {%s: %s}\n",
			                                  (int)(dot - option->name), option->name, dot + 1, value)
			                       : snprintf(text + length, sizeof text - length, "%s: %s\n", option->name,
			                                  value));
		}
		if (below(4) == 0)
			mutate(text, sizeof text);
		use_machine(text);
	}
}

static void use_experiment(char *text)
{
	struct arena arena = {0};
	struct experiment experiment;
	struct document document = {.arena = &arena,
	                            .source = {.name = "x.yaml", .text = text, .length = strlen(text)}};
	bool fine = experiment_read(&experiment, &document);
	assert_int_equal(fine, document.diag.errors == 0);
	diag_free(&document.diag);
	arena_free(&arena);
}

static void experiment_files(void **state)
{
	(void)state;
	each_mutant(SOURCE_DIR "/experiments/*.yaml", use_experiment);
}

/* An accepted table prices a launch or reports why not, and can be printed. */
static void use_energies(char *text)
{
	static const char launch[] = "{\"cycles\": 700, \"counters\": {\"sm.warp_instructions\": 5}}",
			  machine[] = "{\"clock.core\": 700, \"sm.count\": 15, \"map.channels\": 6}";
	char message[ENERGY_MESSAGE] = "";
	struct arena arena = {0};
	struct energy_table table;
	struct energy_prices prices = {0};
	struct energy_account account = {0};
	struct document document = {.arena = &arena,
	                            .source = {.name = "x.yaml", .text = text, .length = strlen(text)}};
	bool fine = energy_table_read(&table, &document);
	assert_int_equal(fine, document.diag.errors == 0);
	json_t *configuration = json_loads(machine, 0, NULL), *kernel = json_loads(launch, 0, NULL);
	table.name = "x";
	if (fine && energy_open(&prices, &table, configuration, message) &&
	    energy_add(&prices, kernel, &account, message)) {
		FILE *nowhere = fopen("/dev/null", "w");
		energy_print(nowhere, &prices, &account);
		energy_print_prices(nowhere, &prices, &account);
		json_decref(energy_json(&prices, &account));
		fclose(nowhere);
	} else {
		assert_true(document.diag.errors || *message);
	}
	energy_free(&account);
	energy_close(&prices);
	json_decref(configuration);
	json_decref(kernel);
	diag_free(&document.diag);
	arena_free(&arena);
}

static void energy_files(void **state)
{
	(void)state;
	each_mutant(SOURCE_DIR "/energies/*.yaml", use_energies);
}

static void use_program(char *text)
{
	struct arena arena = {0};
	struct program program = {0};
	struct document document = {.arena = &arena,
	                            .source = {.name = "x.yaml", .text = text, .length = strlen(text)}};
	program_read(&program, &document, "x");
	diag_free(&document.diag);
	arena_free(&arena);
}

static void program_files(void **state)
{
	(void)state;
	each_mutant(SOURCE_DIR "/programs/*/program.yaml", use_program);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(limits, tell_case),
		cmocka_unit_test_teardown(assignments, tell_case),
		cmocka_unit_test_teardown(mechanisms, tell_case),
		cmocka_unit_test_teardown(checks, tell_case),
		cmocka_unit_test_setup_teardown(machine_files, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(own_machines, make_folder, remove_folder),
		cmocka_unit_test_teardown(experiment_files, tell_case),
		cmocka_unit_test_teardown(energy_files, tell_case),
		cmocka_unit_test_teardown(program_files, tell_case),
	};
	if (argc > 1)
		cases = (unsigned)strtoul(argv[1], NULL, 10);
	if (argc > 2)
		random_state = strtoull(argv[2], NULL, 10) | 1;
	if (argc > 3)
		cmocka_set_test_filter(argv[3]);
	signal(SIGPROF, too_long);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
