/* Protects mapped host memory (sluice_map_host). Kernels access it in place with loads, stores and atomics, timed and
 * functional. Cycle counts do not depend on its host address, module variables can lie in it, and an access after the
 * unmapping is a fault. */
#include "host_kit.h"
#include "sluice_runtime.h"

static const char ptx[] =
	".version 6.0\n.target sm_30\n.address_size 64\n"
	".visible .global .align 4 .u32 counter = 40;\n"
	".visible .entry add(.param .u64 to, .param .u64 from) {\n"
	".reg .u32 %r<6>; .reg .u64 %d<6>;\n"
	"ld.param.u64 %d1, [to]; ld.param.u64 %d2, [from];\n"
	"mov.u32 %r1, %tid.x; mul.wide.u32 %d3, %r1, 4;\n"
	"add.u64 %d1, %d1, %d3; add.u64 %d2, %d2, %d3;\n"
	"ld.global.u32 %r2, [%d1]; ld.u32 %r3, [%d2]; add.u32 %r2, %r2, %r3; st.global.u32 [%d1], %r2;\n"
	"atom.global.add.u32 %r4, [counter], 1;\n"
	"ret;\n}\n";
enum { COUNT = 256, PAGE = 4096 };

struct sharing {
	sluice_gpu *gpu;
	sluice_module *module;
	uint32_t counter;
};

static void open_sharing(struct sharing *own, bool functional, bool has_variable)
{
	struct sluice_error error;
	const char *options[] = {"sm.count=2", NULL};
	struct sluice_settings settings = {SLUICE_SIZED(settings), .machine = SOURCE_DIR "/machines/gtx480.yaml",
	                                   .options = options, .functional = functional};
	const struct sluice_host_variable variables[] = {{"counter", &own->counter}, {"no such variable", NULL}, {0}};
	host_must(sluice_open(&own->gpu, &settings, &error), &error);
	host_must(sluice_load_with(own->gpu, ptx, sizeof ptx - 1, "test.ptx", has_variable ? variables : NULL,
	                           &own->module, &error),
	          &error);
}

static enum sluice_status add(const struct sharing *own, uint64_t to, uint64_t from, struct sluice_error *error)
{
	void *arguments[] = {&to, &from};
	return sluice_launch(own->gpu, sluice_find_kernel(own->module, "add"), (sluice_dim){1, 1, 1},
	                     (sluice_dim){COUNT, 1, 1}, 0, arguments, error);
}

static uint64_t share(const struct sharing *own, void *host, uint64_t size)
{
	struct sluice_error error;
	uint64_t address;
	host_must(sluice_map_host(own->gpu, host, size, &address, &error), &error);
	return address;
}

/* Copies between mapped host memory at any offset and device memory. */
static void test_results(void **state)
{
	(void)state;
	for (int functional = 0; functional < 2; functional++) {
		struct sharing own = {0};
		struct sluice_error error;
		static uint32_t a[COUNT + 8], b[COUNT + 8];
		uint64_t device, address, size;
		open_sharing(&own, functional, true);
		assert_int_equal(own.counter, 40);
		for (uint32_t i = 0; i < COUNT + 8; i++)
			a[i] = i, b[i] = 1000 * i;
		uint64_t at_a = share(&own, a + 3, COUNT * sizeof *a), at_b = share(&own, b + 5, COUNT * sizeof *b);
		host_must(sluice_alloc(own.gpu, COUNT * sizeof *a, &device, &error), &error);
		host_must(sluice_write(own.gpu, device, b, COUNT * sizeof *b, &error), &error);
		host_must(add(&own, at_a, at_b, &error), &error);
		host_must(add(&own, at_a, device, &error), &error);
		host_must(add(&own, device, at_a, &error), &error);
		for (uint32_t i = 0; i < COUNT; i++)
			assert_int_equal(a[i + 3], i + 3 + 1000 * (i + 5) + 1000 * i);
		assert_true(a[2] == 2 && a[COUNT + 3] == COUNT + 3 && b[5] == 5000);
		uint32_t value;
		host_must(sluice_read(own.gpu, &value, device + 4, sizeof value, &error), &error);
		assert_int_equal(value, 1000 + a[4]);
		assert_int_equal(own.counter, 40 + 3 * COUNT);
		assert_true(sluice_find_variable(own.module, "counter", &address, &size));
		assert_true(address == (uintptr_t)&own.counter && size == sizeof own.counter);
		assert_true(sluice_find_variable(own.module, "counter", NULL, NULL));
		assert_true(sluice_find_allocation(own.gpu, device, NULL, NULL));
		/* mapped memory is no device allocation */
		assert_false(sluice_find_allocation(own.gpu, at_a, &address, &size));
		assert_int_equal(sluice_free(own.gpu, at_a, &error), SLUICE_BAD_ARGUMENT);
		sluice_close(own.gpu);
	}
}

static uint64_t cycles_at(void *a, void *b)
{
	struct sharing own = {0};
	struct sluice_error error;
	open_sharing(&own, false, false);
	memset(a, 1, COUNT * 4);
	memset(b, 1, COUNT * 4);
	host_must(add(&own, share(&own, a, COUNT * 4), share(&own, b, COUNT * 4), &error), &error);
	uint64_t cycles = own.gpu->records.record[0].cycles;
	sluice_close(own.gpu);
	return cycles;
}

/* Cycle counts depend on the program only: not on the data before it in its page, and not on the page's address. */
static void test_cycles(void **state)
{
	(void)state;
	char *room = aligned_alloc(PAGE, 64 * PAGE);
	uint64_t expected = cycles_at(room + 16, room + PAGE + 16);
	for (unsigned k = 0; k < 12; k++)
		assert_int_equal(cycles_at(room + 5 * k * PAGE + 48 + 208 * k, room + (63 - k) * PAGE + 32 + 16 * k),
		                 expected);
	/* page-aligned memory is placed separately; no other property of its address matters */
	expected = cycles_at(room, room + PAGE);
	assert_int_equal(cycles_at(room + 9 * PAGE, room + 2 * PAGE), expected);
	free(room);
}

static void test_refusals(void **state)
{
	struct sharing own = {0};
	struct sluice_error error;
	static uint32_t a[4 * COUNT];
	uint64_t address;
	(void)state;
	open_sharing(&own, false, false);
	uint64_t device = share(&own, a, COUNT * 4);
	assert_int_equal(sluice_map_host(own.gpu, a + COUNT - 1, 4, &address, &error), SLUICE_BAD_ARGUMENT);
	assert_int_equal(sluice_map_host(own.gpu, NULL, 4, &address, &error), SLUICE_BAD_ARGUMENT);
	assert_int_equal(sluice_map_host(own.gpu, a + COUNT, 0, &address, &error), SLUICE_BAD_ARGUMENT);
	assert_int_equal(sluice_map_host(own.gpu, a + COUNT, UINT64_MAX / 2, &address, &error), SLUICE_BAD_ARGUMENT);
	assert_int_equal(sluice_unmap_host(own.gpu, a + 1, &error), SLUICE_BAD_ARGUMENT);
	share(&own, a + COUNT, COUNT * 4); /* adjacent */
	host_must(sluice_unmap_host(own.gpu, a + COUNT, &error), &error);
	assert_int_equal(sluice_map_host_place(own.gpu, PAGE) % PAGE, 0);
	/* an access beyond its end, and one after the unmapping */
	assert_int_equal(add(&own, device + 4, device, &error), SLUICE_FAULT);
	assert_int_equal(error.fault, SLUICE_FAULT_ADDRESS);
	host_must(sluice_unmap_host(own.gpu, a, &error), &error);
	assert_int_equal(add(&own, device, device, &error), SLUICE_FAULT);
	sluice_close(own.gpu);
}

/* One range mapped at two device addresses. Kernels and device memory calls cross their border; misuse is refused. */
static void test_mappings(void **state)
{
	enum { SIZE = COUNT * 4 };
	const uint64_t place = UINT64_C(1) << 42;
	struct sharing own = {0};
	struct sluice_error error;
	uint64_t device, base, size;
	uint32_t word = 5, back = 0;
	(void)state;
	open_sharing(&own, false, false);
	host_must(sluice_alloc(own.gpu, SIZE, &device, &error), &error);
	host_must(sluice_fill(own.gpu, device, 1, 4, COUNT, &error), &error);
	host_must(sluice_map(own.gpu, place, SIZE, device, &error), &error);
	host_must(sluice_map(own.gpu, place + SIZE, SIZE, device, &error), &error);
	host_must(sluice_write(own.gpu, place + SIZE, &word, sizeof word, &error), &error);
	host_must(sluice_read(own.gpu, &back, place, sizeof back, &error), &error);
	assert_int_equal(back, 5);
	host_must(sluice_fill(own.gpu, place + SIZE - 4, 9, 4, 2, &error), &error); /* the last word and the first */
	host_must(sluice_read(own.gpu, &back, device, sizeof back, &error), &error);
	assert_int_equal(back, 9);
	host_must(add(&own, place, place, &error), &error);
	assert_true(sluice_find_allocation(own.gpu, place + SIZE + 8, &base, &size));
	assert_true(base == place + SIZE && size == SIZE);

	assert_int_equal(sluice_map(own.gpu, place + 16, 16, device, &error), SLUICE_BAD_ARGUMENT);
	assert_int_equal(sluice_map(own.gpu, place + 4 * SIZE, SIZE + 16, device, &error), SLUICE_BAD_ARGUMENT);
	assert_int_equal(sluice_map(own.gpu, place + 4 * SIZE + 4, 16, device, &error), SLUICE_BAD_ARGUMENT);
	assert_int_equal(sluice_map(own.gpu, device, SIZE, device, &error), SLUICE_BAD_ARGUMENT);
	assert_int_equal(sluice_unmap(own.gpu, place + 16, &error), SLUICE_BAD_ARGUMENT);
	assert_int_equal(sluice_unmap_host(own.gpu, (void *)(uintptr_t)place, &error), SLUICE_BAD_ARGUMENT);
	assert_int_equal(sluice_read(own.gpu, &back, place + 2 * SIZE - 2, 4, &error), SLUICE_BAD_ARGUMENT);
	host_must(sluice_unmap(own.gpu, place, &error), &error);
	assert_int_equal(add(&own, place, device, &error), SLUICE_FAULT);
	sluice_close(own.gpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_results),
		cmocka_unit_test(test_cycles),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_mappings),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
