/* Protects the register limit that a launch applies and the cost of spilling. The machine, the program, the user and
 * the block size may each set a limit below the kernel's demand. */
#include "spill_kit.h"

#include "sluice.h"

#include <jansson.h>

/* Registers of many_values(VALUES) before spilling: the values and the address. */
enum { VALUES = 60, WRITTEN = VALUES + 2 };
/* Demand without any limit: the stack pointer adds one. */
enum { WANTED = WRITTEN + 1 };

struct bench {
	sluice_gpu *gpu;
	sluice_kernel *kernel;
	uint64_t buffer;
	struct sluice_error error;
};

static void open_bench(struct bench *bench, const char *text, bool functional, const char *option)
{
	const char *const options[] = {"sm.count=1", option, NULL};
	struct sluice_settings settings = {SLUICE_SIZED(settings), .options = options, .functional = functional};
	*bench = (struct bench){0};
	assert_int_equal(sluice_open(&bench->gpu, &settings, &bench->error), SLUICE_OK);
	sluice_module *module;
	if (sluice_load(bench->gpu, text, strlen(text), "k.ptx", &module, &bench->error) != SLUICE_OK)
		fail_msg("%s", bench->error.message);
	bench->kernel = sluice_find_kernel(module, "k");
	assert_int_equal(sluice_alloc(bench->gpu, BUFFER, &bench->buffer, NULL), SLUICE_OK);
	uint64_t seed = 1, *numbers = malloc(BUFFER);
	for (size_t i = 0; i < BUFFER / sizeof *numbers; i++)
		numbers[i] = kit_random(&seed);
	assert_int_equal(sluice_write(bench->gpu, bench->buffer, numbers, BUFFER, NULL), SLUICE_OK);
	free(numbers);
}

static enum sluice_status launch(struct bench *bench, uint32_t threads)
{
	void *arguments[] = {&bench->buffer};
	return sluice_launch(bench->gpu, bench->kernel, (sluice_dim){1, 1, 1}, (sluice_dim){threads, 1, 1}, 0,
	                     arguments, &bench->error);
}

static void read_buffer(struct bench *bench, void *bytes)
{
	assert_int_equal(sluice_read(bench->gpu, bytes, bench->buffer, BUFFER, NULL), SLUICE_OK);
}

/* Returns a field of the last launch, or one of its counters. */
static long long number(struct bench *bench, const char *key)
{
	char *text = NULL;
	size_t length;
	FILE *file = open_memstream(&text, &length);
	assert_int_equal(sluice_stats_write(bench->gpu, file, SLUICE_STATS_JSON, NULL), SLUICE_OK);
	fclose(file);
	json_t *root = json_loads(text, 0, NULL), *kernels = json_object_get(root, "kernels");
	json_t *kernel = json_array_get(kernels, json_array_size(kernels) - 1);
	json_t *value = json_object_get(strchr(key, '.') ? json_object_get(kernel, "counters") : kernel, key);
	long long result = json_is_integer(value) ? json_integer_value(value) : -1;
	json_decref(root);
	free(text);
	return result;
}

static struct sluice_kernel_info info_of(struct bench *bench)
{
	struct sluice_kernel_info info = {SLUICE_SIZED(kernel_info)};
	assert_int_equal(sluice_kernel_info(bench->gpu, bench->kernel, &info, &bench->error), SLUICE_OK);
	return info;
}

/* gtx480 has 32768 registers: a block of 1024 threads leaves 32 for each thread, and the kernel wants more. The launch
 * was once refused. */
static void a_block_without_room_spills(void **state)
{
	(void)state;
	char *text = many_values(VALUES, "");
	uint32_t spilled = WRITTEN - 32, warps = 1024 / 32;
	struct bench bench;
	struct sluice_occupancy occupancy = {SLUICE_SIZED(occupancy)};
	open_bench(&bench, text, false, NULL);
	assert_int_equal(info_of(&bench).registers, WANTED);
	assert_int_equal(sluice_occupancy(bench.gpu, bench.kernel, 1024, 0, &occupancy, NULL), SLUICE_OK);
	assert_int_equal(occupancy.blocks_per_sm, 1);
	assert_int_equal(occupancy.registers, 32);
	assert_int_equal(occupancy.spill_bytes, 4 * spilled);
	assert_int_equal(launch(&bench, 1024), SLUICE_OK);
	assert_int_equal(number(&bench, "registers"), 32);
	assert_int_equal(number(&bench, "spill_bytes"), 4 * spilled);
	assert_int_equal(number(&bench, "sm.spill_loads"), spilled * warps);
	assert_int_equal(number(&bench, "sm.spill_stores"), spilled * warps);
	assert_int_equal(number(&bench, "sm.local_accesses"), 2 * spilled * warps);
	uint32_t *words = malloc(BUFFER);
	read_buffer(&bench, words);
	assert_memory_equal(words, words + 256, VALUES * sizeof *words);
	free(words);
	/* A block that fits uses the kernel without spills. */
	assert_int_equal(launch(&bench, 256), SLUICE_OK);
	assert_int_equal(number(&bench, "registers"), WANTED);
	assert_int_equal(number(&bench, "spill_bytes"), 0);
	assert_int_equal(number(&bench, "sm.local_accesses"), 0);
	sluice_close(bench.gpu);
	free(text);
}

/* Functional execution has no register file limit. */
static void a_functional_run_has_room_for_all(void **state)
{
	(void)state;
	char *text = many_values(VALUES, "");
	struct bench bench;
	open_bench(&bench, text, true, NULL);
	assert_int_equal(launch(&bench, 1024), SLUICE_OK);
	assert_int_equal(number(&bench, "registers"), WANTED);
	sluice_close(bench.gpu);
	open_bench(&bench, text, true, "sm.registers_per_thread=2"); /* below the demand of one instruction */
	assert_int_equal(launch(&bench, 32), SLUICE_OK);
	sluice_close(bench.gpu);
	free(text);
}

/* The lowest limit of machine, user and program holds. 1536 threads share 32768 registers: 21 each, rounded down to
 * 20. */
static void every_limit_that_is_asked_for_holds(void **state)
{
	(void)state;
	static const struct {
		const char *option, *directives;
		uint32_t registers;
	} cases[] = {
		{NULL, "", WANTED},
		{"sm.registers_per_thread=20", "", 20},
		{"kernel.k.max_registers=24", "", 24},
		{"kernel.other.max_registers=24", "", WANTED},
		{"sm.registers_per_thread=63", "", WANTED},
		{"sm.registers_per_thread=62", "", 62},
		{NULL, ".maxnreg 40\n", 40},
		{NULL, ".maxntid 512, 1, 1\n.minnctapersm 3\n", 20},
		{NULL, ".minnctapersm 3\n", WANTED},
		{"sm.registers_per_thread=30", ".maxnreg 40\n", 30},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *text = many_values(VALUES, cases[i].directives);
		for (unsigned functional = 0; functional < 2; functional++) {
			struct bench bench;
			open_bench(&bench, text, functional, cases[i].option);
			struct sluice_kernel_info info = info_of(&bench);
			uint32_t registers = cases[i].registers;
			assert_int_equal(info.registers, registers);
			assert_int_equal(info.spill_bytes, registers < WRITTEN ? 4 * (WRITTEN - registers) : 0);
			assert_int_equal(info.local_bytes, (info.spill_bytes + 15) / 16 * 16);
			assert_int_equal(launch(&bench, 64), SLUICE_OK);
			assert_int_equal(number(&bench, "spill_bytes"), info.spill_bytes);
			sluice_close(bench.gpu);
		}
		free(text);
	}
}

/* kernel.NAME.registers states the registers that another compiler needed, so the kernel is not spilled. */
static void registers_that_were_measured_are_taken_as_they_are(void **state)
{
	(void)state;
	char *text = many_values(VALUES, ".maxnreg 20\n");
	struct bench bench;
	open_bench(&bench, text, false, "kernel.k.registers=30");
	assert_int_equal(info_of(&bench).registers, 30);
	assert_int_equal(info_of(&bench).spill_bytes, 0);
	assert_int_equal(launch(&bench, 1024), SLUICE_OK);
	sluice_close(bench.gpu);
	free(text);
}

static void a_limit_below_one_instruction_is_an_error(void **state)
{
	(void)state;
	char *text = many_values(VALUES, "");
	struct bench bench;
	open_bench(&bench, text, false, "sm.registers_per_thread=2");
	assert_int_equal(launch(&bench, 32), SLUICE_BAD_LAUNCH);
	assert_string_equal(bench.error.message,
	                    "k: a thread may have 2 registers but needs 3, even with all others spilled to "
	                    "local memory; allow more, or launch smaller blocks");
	sluice_close(bench.gpu);
	free(text);
}

static void timed_runs_compute_the_same(void **state)
{
	(void)state;
	uint8_t *expected = malloc(BUFFER), *found = malloc(BUFFER);
	for (uint64_t seed = 100; seed < 106; seed++) {
		char *text = random_kernel(seed);
		struct bench bench;
		open_bench(&bench, text, true, NULL);
		assert_int_equal(launch(&bench, 64), SLUICE_OK);
		read_buffer(&bench, expected);
		sluice_close(bench.gpu);
		open_bench(&bench, text, false, seed % 2 ? "sm.registers_per_thread=14" : "kernel.k.max_registers=24");
		if (launch(&bench, 64) != SLUICE_OK)
			fail_msg("%s", bench.error.message);
		assert_true(number(&bench, "sm.spill_loads") > 0);
		read_buffer(&bench, found);
		assert_memory_equal(expected, found, BUFFER);
		sluice_close(bench.gpu);
		free(text);
	}
	free(expected);
	free(found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_block_without_room_spills),
		cmocka_unit_test(a_functional_run_has_room_for_all),
		cmocka_unit_test(every_limit_that_is_asked_for_holds),
		cmocka_unit_test(registers_that_were_measured_are_taken_as_they_are),
		cmocka_unit_test(a_limit_below_one_instruction_is_an_error),
		cmocka_unit_test(timed_runs_compute_the_same),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
