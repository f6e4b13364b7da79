/* Protects the whole path: the 16 reference kernels, compiled to exactly the measured PTX, run under our CUDA runtime
 * on machines/gtx480.yaml. They check their own results and execute exactly the thread and warp instructions of
 * GPGPU-Sim 3.2.2. Their cycles differ from its by at most 2 % on average. Prints the table. */
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#define KERNELS TEST_DATA "/reference/kernels"
#define WORK    BUILD_DIR "/reference"

enum { MAX_ROWS = 32, MAX_COLUMNS = 80, MAX_PATH = 1024 };

struct row {
	char kernel[32];
	double registers, thread_instructions, warp_instructions, cycles;
};

struct reference {
	struct row row[MAX_ROWS];
	int rows;
};

/* The output and the counters of one run. */
struct measured {
	bool passed;
	double thread_instructions, warp_instructions, cycles, host_seconds;
};

static int split(char *line, char **field)
{
	int count = 0;
	line[strcspn(line, "\r\n")] = '\0';
	for (char *at = line; at && count < MAX_COLUMNS;)
		field[count++] = strsep(&at, ",");
	return count;
}

static int column(char **names, int count, const char *name)
{
	for (int i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	fail_msg("results.csv has no column %s", name);
	return -1;
}

static void read_reference(struct reference *reference, const char *version)
{
	char head[4096], line[4096], *names[MAX_COLUMNS], *field[MAX_COLUMNS];
	FILE *file = fopen(TEST_DATA "/reference/results.csv", "r");
	assert_non_null(file);
	assert_non_null(fgets(head, sizeof head, file));
	int count = split(head, names);
	int kernel = column(names, count, "kernel"), of_version = column(names, count, "version");
	int registers = column(names, count, "regs"), threads = column(names, count, "thread_insn");
	int warps = column(names, count, "warp_insn"), cycles = column(names, count, "cycles");
	while (fgets(line, sizeof line, file)) {
		split(line, field);
		if (strcmp(field[of_version], version) != 0)
			continue;
		struct row *row = &reference->row[reference->rows++];
		snprintf(row->kernel, sizeof row->kernel, "%s", field[kernel]);
		row->registers = atof(field[registers]);
		row->thread_instructions = atof(field[threads]);
		row->warp_instructions = atof(field[warps]);
		row->cycles = atof(field[cycles]);
	}
	fclose(file);
}

static void run_command(const char *command, char *output, size_t size)
{
	FILE *pipe = popen(command, "r");
	assert_non_null(pipe);
	size_t length = fread(output, 1, size - 1, pipe);
	output[length] = '\0';
	int status = pclose(pipe);
	if (status != 0)
		fail_msg("status %d of: %s\n%s", status, command, output);
}

static struct measured run_kernel(const struct row *row)
{
	char command[4 * MAX_PATH], output[65536];
	/* The only kernel whose name differs from its program's. */
	const char *entry = strcmp(row->kernel, "fma") == 0 ? "fma4" : row->kernel;
	const char *name = row->kernel;

	snprintf(command, sizeof command,
	         BUILD_DIR "/bin/sluice cc " KERNELS "/%s.cu --device-ptx " KERNELS "/%s.ptx -o " WORK "/%s 2>&1", name,
	         name, name);
	run_command(command, output, sizeof output);
	/* If libcudart uses AddressSanitizer, the sanitizer must be loaded first. */
	snprintf(command, sizeof command,
	         "sluice=" BUILD_DIR "/bin/sluice; . " SOURCE_DIR
	         "/tests/cuda/preload.sh; LD_PRELOAD=$preload $sluice run -m gtx480 "
	         "-o kernel.%s.registers=%.0f --stats " WORK "/%s.json -- " WORK "/%s 2>&1",
	         entry, row->registers, name, name);
	run_command(command, output, sizeof output);

	struct measured measured = {0};
	char expected[64];
	snprintf(expected, sizeof expected, "HOST_RESULT %s PASS", name);
	measured.passed = strstr(output, expected) != NULL;
	json_error_t error;
	snprintf(command, sizeof command, WORK "/%s.json", name);
	json_t *stats = json_load_file(command, 0, &error);
	if (!stats)
		fail_msg("%s: %s", command, error.text);
	json_t *totals = json_object_get(stats, "totals");
	measured.thread_instructions = json_number_value(json_object_get(totals, "thread_instructions"));
	measured.warp_instructions = json_number_value(json_object_get(totals, "warp_instructions"));
	measured.cycles = json_number_value(json_object_get(totals, "cycles"));
	measured.host_seconds = json_number_value(json_object_get(totals, "host_seconds"));
	json_decref(stats);
	return measured;
}

static void test_counts_and_cycles(void **state)
{
	(void)state;
	struct reference reference = {0};
	double error_sum = 0;
	int wrong = 0;
	mkdir(WORK, 0777);
	read_reference(&reference, "v3.2.2");
	assert_int_equal(reference.rows, 16);
	printf("%-18s %12s %12s %8s %14s %14s\n", "kernel", "cycles", "v3.2.2", "error", "warp insns", "per second");
	for (int i = 0; i < reference.rows; i++) {
		const struct row *row = &reference.row[i];
		struct measured m = run_kernel(row);
		double error = m.cycles / row->cycles - 1;
		error_sum += fabs(error);
		printf("%-18s %12.0f %12.0f %+7.1f%% %14.0f %14.0f\n", row->kernel, m.cycles, row->cycles, 100 * error,
		       m.warp_instructions, m.warp_instructions / m.host_seconds);
		/* bfs has races: its counts depend on timing. */
		double slack = strcmp(row->kernel, "bfs") == 0 ? 0.01 : 0;
		bool right =
			m.passed &&
			fabs(m.thread_instructions - row->thread_instructions) <= slack * row->thread_instructions &&
			fabs(m.warp_instructions - row->warp_instructions) <= slack * row->warp_instructions;
		if (!right) {
			printf("  WRONG: self-check %s, thread instructions %.0f (%.0f), warp instructions %.0f "
			       "(%.0f)\n",
			       m.passed ? "passed" : "failed", m.thread_instructions, row->thread_instructions,
			       m.warp_instructions, row->warp_instructions);
			wrong++;
		}
	}
	double mean = error_sum / reference.rows;
	printf("mean absolute error of cycles: %.1f %%\n", 100 * mean);
	assert_int_equal(wrong, 0);
	assert_true(mean <= 0.02); /* measured: 1.2 %; docs/explanation/fidelity.md */
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts_and_cycles)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
