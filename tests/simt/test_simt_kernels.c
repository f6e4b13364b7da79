/* Protects functional runs of the reference kernels: correct results, and exactly the instruction counts of
 * data/reference/results.csv (thread_insn, warp_insn). */
#include "simt_kit.h"

#include <math.h>

static uint32_t random_state;

static uint32_t number(void)
{
	random_state = random_state * 1664525u + 1013904223u;
	return random_state >> 8;
}

static float fraction(void)
{
	return (float)(number() & 0xffff) / 65536.0f;
}

static void open_kernel(struct kit *kit, const char *name)
{
	char path[512];
	snprintf(path, sizeof path, "%s/reference/kernels/%s.ptx", TEST_DATA, name);
	char *text = kit_read_file(path);
	kit_open(kit, text);
	free(text);
	random_state = 12345;
}

static void finish(struct kit *kit, uint64_t thread_instructions, uint64_t warp_instructions)
{
	assert_int_equal(kit->run.thread_instructions, thread_instructions);
	assert_int_equal(kit->run.warp_instructions, warp_instructions);
	kit_close(kit);
}

static void vecadd(void **state)
{
	(void)state;
	struct kit kit;
	const int n = 1 << 19;
	open_kernel(&kit, "vecadd");
	float *a = kit_buffer(&kit, n * sizeof *a), *b = kit_buffer(&kit, n * sizeof *b);
	float *c = kit_buffer(&kit, n * sizeof *c);
	kit_param32(&kit, n);
	for (int i = 0; i < n; i++) {
		a[i] = fraction();
		b[i] = fraction();
	}
	kit.launch.grid.x = 2048;
	kit.launch.block.x = 256;
	kit_run(&kit);
	for (int i = 0; i < n; i++)
		assert_true(c[i] == a[i] + b[i]);
	finish(&kit, 11010048, 360448);
}

/* Divergence in a loop: every thread leaves it at its own iteration. */
static void collatz(void **state)
{
	(void)state;
	struct kit kit;
	const int n = 32768;
	open_kernel(&kit, "collatz");
	int *out = kit_buffer(&kit, n * sizeof *out);
	kit_param32(&kit, 1);
	kit_param32(&kit, n);
	kit.launch.grid.x = 256;
	kit.launch.block.x = 128;
	kit_run(&kit);
	for (int i = 0; i < n; i++) {
		int steps = 0;
		for (uint32_t v = 1 + (uint32_t)i; v > 1; steps++)
			v = v & 1 ? 3 * v + 1 : v / 2;
		assert_int_equal(out[i], steps);
	}
	finish(&kit, 25773937, 1553144);
}

static void transpose(const char *name, uint64_t thread_instructions, uint64_t warp_instructions)
{
	struct kit kit;
	const int n = 1024;
	open_kernel(&kit, name);
	float *in = kit_buffer(&kit, n * n * sizeof *in), *out = kit_buffer(&kit, n * n * sizeof *out);
	kit_param32(&kit, n);
	for (int i = 0; i < n * n; i++)
		in[i] = fraction();
	kit.launch.grid = (struct dim3){n / 32, n / 32, 1};
	kit.launch.block = (struct dim3){32, 8, 1};
	kit_run(&kit);
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			assert_true(out[j * n + i] == in[i * n + j]);
	finish(&kit, thread_instructions, warp_instructions);
}

static void transpose_naive(void **state)
{
	(void)state;
	transpose("transpose_naive", 12320768, 385024);
}

static void transpose_padded(void **state)
{
	(void)state;
	transpose("transpose_padded", 23592960, 737280);
}

/* Shared memory, barriers, loops without divergence. */
static void matmul(const char *name, int n, uint64_t thread_instructions, uint64_t warp_instructions)
{
	struct kit kit;
	open_kernel(&kit, name);
	float *a = kit_buffer(&kit, (uint64_t)(n * n) * sizeof *a),
	      *b = kit_buffer(&kit, (uint64_t)(n * n) * sizeof *b);
	float *c = kit_buffer(&kit, (uint64_t)(n * n) * sizeof *c);
	kit_param32(&kit, (uint32_t)n);
	for (int i = 0; i < n * n; i++) {
		a[i] = fraction();
		b[i] = fraction();
	}
	kit.launch.grid = (struct dim3){(uint32_t)n / 16, (uint32_t)n / 16, 1};
	kit.launch.block = (struct dim3){16, 16, 1};
	kit_run(&kit);
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			float sum = 0;
			for (int k = 0; k < n; k++)
				sum = fmaf(a[i * n + k], b[k * n + j], sum);
			assert_true(c[i * n + j] == sum);
		}
	finish(&kit, thread_instructions, warp_instructions);
}

static void matmul_tiled(void **state)
{
	(void)state;
	matmul("matmul_tiled", 208, 37033984, 1160016);
}

static void matmul_naive(void **state)
{
	(void)state;
	matmul("matmul_naive", 160, 41676800, 1430400);
}

/* Atomics on shared and on global memory. */
static void histogram(void **state)
{
	(void)state;
	struct kit kit;
	const int n = 1 << 19;
	uint32_t expected[256] = {0};
	open_kernel(&kit, "histogram");
	uint32_t *in = kit_buffer(&kit, n * sizeof *in), *bins = kit_buffer(&kit, sizeof expected);
	kit_param32(&kit, n);
	for (int i = 0; i < n; i++) {
		in[i] = number() * number() >> 9;
		expected[in[i] & 255]++;
	}
	kit.launch.grid.x = 60;
	kit.launch.block.x = 256;
	kit_run(&kit);
	assert_memory_equal(bins, expected, sizeof expected);
	finish(&kit, 5087232, 159936);
}

/* Two launches; divergence around barriers. */
static void reduce(void **state)
{
	(void)state;
	struct kit kit;
	const uint32_t n = 1 << 18;
	open_kernel(&kit, "reduce");
	uint64_t a = simt_alloc(kit.memory, n * sizeof(float)), b = simt_alloc(kit.memory, 512 * sizeof(float));
	uint64_t c = simt_alloc(kit.memory, sizeof(float));
	float *in = simt_host(kit.memory, a), *part = simt_host(kit.memory, b), *total = simt_host(kit.memory, c);
	double exact = 0;
	for (uint32_t i = 0; i < n; i++)
		exact += in[i] = fraction();
	uint64_t threads = 0, warps = 0;
	for (uint32_t launch = 0; launch < 2; launch++) {
		kit.param_bytes = 0;
		kit_param(&kit, launch ? &b : &a, sizeof a);
		kit_param(&kit, launch ? &c : &b, sizeof b);
		kit_param32(&kit, launch ? 512 : n);
		kit.launch.grid.x = launch ? 1 : 512;
		kit.launch.block.x = 256;
		kit_run(&kit);
		threads += kit.run.thread_instructions;
		warps += kit.run.warp_instructions;
	}
	double parts = 0;
	for (uint32_t i = 0; i < 512; i++)
		parts += part[i];
	assert_true(fabs(parts - exact) < 1e-3 * exact);
	assert_true(fabs(*total - exact) < 1e-3 * exact);
	kit.run.thread_instructions = threads;
	kit.run.warp_instructions = warps;
	finish(&kit, 6699267, 230850);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vecadd),           cmocka_unit_test(collatz),      cmocka_unit_test(transpose_naive),
		cmocka_unit_test(transpose_padded), cmocka_unit_test(matmul_tiled), cmocka_unit_test(matmul_naive),
		cmocka_unit_test(histogram),        cmocka_unit_test(reduce),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
