/* Protects the meaning of the DMA instructions without an engine (docs/reference/dma.md). The shape decides the
 * elements' positions. The first command of a buffer moves its data at once. A later one moves them when every live
 * warp has arrived; the warps wait until then. A command that an engine could not execute stops the kernel, with the
 * faulty field in the message. */
#include "simt_kit.h"

enum { THREADS = 96, INTS = 4096 };

/* The kernel's body. Global memory is at %rd0 (parameter 0, INTS numbers that count from 0), the results at %rd1, tid
 * in %r0, and 8 KB of shared memory at 0. */
static void open_body(struct kit *kit, const char *body, uint32_t threads)
{
	static const char head[] = ".version 3.1\n.target sm_20\n.address_size 64\n.shared .align 8 .b8 tile[8192];\n"
				   ".visible .entry kernel(.param .u64 in, .param .u64 out) {\n"
				   ".reg .u32 %r<20>;\n.reg .u64 %rd<20>;\n.reg .pred %p<8>;\n"
				   "ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [out]; mov.u32 %r0, %tid.x;\n"
				   "mul.wide.u32 %rd2, %r0, 4; add.u64 %rd2, %rd1, %rd2; mov.u32 %r19, tile;\n"
				   "shl.b32 %r1, %r0, 2; mov.u32 %r18, 0; mov.u32 %r17, %ntid.x; dma_type 4;\n";
	char text[4096];
	snprintf(text, sizeof text, "%s%s\n}\n", head, body);
	kit_open(kit, text);
	kit->launch.block.x = threads;
	uint32_t *in = kit_buffer(kit, INTS * 4);
	for (uint32_t i = 0; i < INTS; i++)
		in[i] = i;
	kit_buffer(kit, INTS * 4);
}

static const uint32_t *results(const struct kit *kit)
{
	uint64_t address;
	memcpy(&address, kit->params + 8, sizeof address);
	return simt_host(kit->memory, address);
}

#define WRITES_OWN "ld.shared.u32 %r2, [%r1]; st.global.u32 [%rd2], %r2; exit;"

static void test_flat(void **state)
{
	struct kit kit;
	(void)state;
	open_body(&kit, "add.u64 %rd3, %rd0, 40; dma_flat 0, 0, %rd3, 96;" WRITES_OWN, THREADS);
	kit_run(&kit);
	for (uint32_t i = 0; i < THREADS; i++)
		assert_int_equal(results(&kit)[i], i + 10);
	kit_close(&kit);
}

static void test_strided_and_spaced(void **state)
{
	struct kit kit;
	(void)state;
	open_body(&kit, "dma_spaced 2, 8; dma_strided 2, 0, %rd0, 40, 9;" WRITES_OWN, THREADS);
	kit_run(&kit);
	for (uint32_t i = 0; i < 40; i++)
		assert_int_equal(results(&kit)[i + i / 8], 9 * i);
	assert_int_equal(results(&kit)[8], 0); /* the bank that is skipped */
	kit_close(&kit);
}

/* A tile of 3 lines of 4 in the first corner of a matrix of 10 columns, with a halo of 1 line and 2 elements. The halo
 * above and to the left is the constant. */
static void test_halo(void **state)
{
	struct kit kit;
	(void)state;
	open_body(&kit, "dma_halo 1, 1, 2, 1, 7; dma_matrix 1, 0, %rd0, 3, 4, 10;" WRITES_OWN, THREADS);
	kit_run(&kit);
	for (uint32_t line = 0; line < 5; line++)
		for (uint32_t at = 0; at < 8; at++) {
			uint32_t wanted = line < 1 || at < 2 ? 7 : (line - 1) * 10 + at - 2;
			assert_int_equal(results(&kit)[line * 8 + at], wanted);
		}
	kit_close(&kit);
}

/* Warps read the first data, then wait for each other at the second command, whichever warp is late. None sees the
 * second data too early. */
static const char twice[] = "dma_flat 0, 0, %rd0, 96; ld.shared.u32 %r2, [%r1];\n"
			    "setp.ge.u32 %p1, %r0, 64; @!%p1 bra go; mov.u32 %r4, 0;\n"
			    "late: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 9000; @%p2 bra late;\n"
			    "go: ld.shared.u32 %r5, [%r1]; add.u32 %r2, %r2, %r5;\n"
			    "add.u64 %rd3, %rd0, 4000; dma_execute 0, 0, %rd3; ld.shared.u32 %r3, [%r1];\n"
			    "mad.lo.u32 %r2, %r3, 10000, %r2; st.global.u32 [%rd2], %r2; exit;";

static void test_second_command(void **state)
{
	struct kit kit;
	(void)state;
	open_body(&kit, twice, THREADS);
	kit_run(&kit);
	for (uint32_t i = 0; i < THREADS; i++)
		assert_int_equal(results(&kit)[i], 2 * i + (1000 + i) * 10000);
	kit_close(&kit);
}

/* A thread that returns early may wait at the kernel's end for the others of its warp. */
static void test_returned(void **state)
{
	struct kit kit;
	(void)state;
	open_body(&kit,
	          "setp.ge.u32 %p1, %r0, 40; @%p1 bra END; setp.ge.u32 %p1, %r0, 36; @%p1 bra END;\n"
	          "dma_flat 0, 0, %rd0, 36; dma_execute 0, 0, %rd0;\n"
	          "ld.shared.u32 %r2, [%r1]; st.global.u32 [%rd2], %r2; END: ret;",
	          THREADS);
	kit_run(&kit);
	for (uint32_t i = 0; i < THREADS; i++)
		assert_int_equal(results(&kit)[i], i < 36 ? i : 0);
	kit_close(&kit);
}

/* Warps that have exited are not waited for. */
static void test_exited(void **state)
{
	struct kit kit;
	(void)state;
	open_body(&kit,
	          "dma_flat 0, 0, %rd0, 96; setp.ge.u32 %p1, %r0, 32; @%p1 exit;\n"
	          "add.u64 %rd3, %rd0, 4000; dma_execute 0, 0, %rd3;" WRITES_OWN,
	          THREADS);
	kit_run(&kit);
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(results(&kit)[i], 1000 + i);
	kit_close(&kit);
}

/* One warp waits at a transfer, the others at a barrier: no warp can continue. */
static void test_stuck(void **state)
{
	static const struct {
		const char *others, *says[2];
	} row[] = {
		{"ge.u32 %p1, %r0, 32",
	         {"the transfer of DMA buffer 0 waits for 96 threads, 32 have arrived", "waits at barrier 0"}},
		/* the last warp arrives at the transfer */
		{"lt.u32 %p1, %r0, 64",
	         {"barrier 0 waits for 96 threads, 64 have arrived", "waits at the transfer of DMA buffer 0"}},
	};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct kit kit;
		char text[1024], body[512];
		snprintf(body, sizeof body,
		         "dma_flat 0, 0, %%rd0, 96; setp.%s; @%%p1 bra other;\n"
		         "dma_execute 0, 0, %%rd0; exit;\nother: bar.sync 0; exit;",
		         row[i].others);
		open_body(&kit, body, THREADS);
		simt_run(&kit.launch, 0, &kit.run);
		assert_non_null(kit.run.fault.what);
		simt_fault_print(&kit.launch, &kit.run.fault, text, sizeof text);
		if (!strstr(text, row[i].says[0]) || !strstr(text, row[i].says[1]))
			fail_msg("%s", text);
		kit_close(&kit);
	}
}

/* The messages about invalid bodies. */
static void test_mistakes(void **state)
{
	static const struct {
		const char *body, *what, *field;
	} row[] = {
		{"dma_flat 4, 0, %rd0, 96;", "a value does not fit its field of a DMA transfer",
	         "field: buffer, value: 4, limit: 3"},
		{"dma_flat 0, 0, %rd0, 65536;", "a value does not fit its field of a DMA transfer",
	         "field: elements, value: 65536, limit: 65535"},
		{"dma_flat 0, 0, %rd0, 0;", "a value is too small for its field of a DMA transfer",
	         "field: elements, value: 0"},
		{"dma_flat 0, 70000, %rd0, 1;", "a value does not fit its field of a DMA transfer",
	         "field: shared base, value: 70000, limit: 65535"},
		{"dma_strided 0, 0, %rd0, 4, 70000;", "a value does not fit its field of a DMA transfer",
	         "field: stride, value: 70000, limit: 65535"},
		{"dma_matrix 0, 0, %rd0, 300, 300, 300;", "a value does not fit its field of a DMA transfer",
	         "field: elements, value: 90000, limit: 65535"},
		{"dma_halo 0, 70000, 1, 9, 0;", "a value does not fit its field of a DMA transfer",
	         "field: halo lines, value: 70000, limit: 65535"},
		{"dma_halo 0, 1, 1, 10, 0;", "a value does not fit its field of a DMA transfer",
	         "field: region, value: 10, limit: 9"},
		{"dma_halo 0, 1, 1, 0, 0;", "a value is too small for its field of a DMA transfer",
	         "field: region, value: 0"},
		{"dma_halo 0, 1, 70000, 9, 0;", "a value does not fit its field of a DMA transfer",
	         "field: halo elements of a line, value: 70000, limit: 65535"},
		{"dma_halo 0, 1, 1, 9, 70000;", "a value does not fit its field of a DMA transfer",
	         "field: constant, value: 70000, limit: 65535"},
		{"dma_spaced 0, 0;", "a value is too small for its field of a DMA transfer",
	         "field: elements per bank, value: 0"},
		{"dma_spaced 0, 65536;", "a value does not fit its field of a DMA transfer",
	         "field: elements per bank, value: 65536, limit: 65535"},
		{"dma_strided 0, 0, %rd0, 4, 0;", "a value is too small for its field of a DMA transfer",
	         "field: stride, value: 0"},
		{"dma_strided 0, 0, %rd0, 0, 4;", "a value is too small for its field of a DMA transfer",
	         "field: elements, value: 0"},
		{"dma_matrix 0, 0, %rd0, 4, 4, 0;", "a value is too small for its field of a DMA transfer",
	         "field: leading dimension, value: 0"},
		{"dma_matrix 0, 0, %rd0, 4, 4, 65536;", "a value does not fit its field of a DMA transfer",
	         "field: leading dimension, value: 65536, limit: 65535"},
		{"dma_matrix 0, 0, %rd0, 0, 4, 4;", "a value is too small for its field of a DMA transfer",
	         "field: lines, value: 0"},
		{"dma_matrix 0, 0, %rd0, 4, 0, 4;", "a value is too small for its field of a DMA transfer",
	         "field: elements of a line, value: 0"},
		{"dma_matrix 0, 0, %rd0, 4096, 16, 16;", "a value does not fit its field of a DMA transfer",
	         "field: elements, value: 65536, limit: 65535"},
		{"dma_halo 0, 1, 1, 9, 0; dma_strided 0, 0, %rd0, 4, 2;", "a halo around data that is not a matrix",
	         "field: halo"},
		{"dma_halo 0, 1, 1, 9, 0; dma_flat 0, 0, %rd0, 4;", "a halo around data that is not a matrix",
	         "field: halo"},
		{"dma_type 3;", "a DMA transfer of elements that are not 1, 2, 4 or 8 bytes",
	         "field: element size, value: 3"},
		{"dma_type 6;", "a DMA transfer of elements that are not 1, 2, 4 or 8 bytes",
	         "field: element size, value: 6"},
		{"dma_type 1; dma_flat 0, 8000, %rd0, 193;", "a DMA transfer goes beyond the block's shared memory",
	         "field: shared base, value: 8193, limit: 8192"},
		{"dma_flat 0, 0, %rd0, 4; dma_execute 0, 8184, %rd0;",
	         "a DMA transfer goes beyond the block's shared memory",
	         "field: shared base, value: 8200, limit: 8192"},
		{"add.u64 %rd3, %rd0, 16376; dma_flat 0, 0, %rd3, 3;", "a DMA transfer reads outside the array",
	         "field: global base"},
		{"dma_flat 0, 8000, %rd0, 49;", "a DMA transfer goes beyond the block's shared memory",
	         "field: shared base, value: 8196, limit: 8192"},
		{"dma_flat 0, 2, %rd0, 4;", "a DMA transfer to a misaligned shared address",
	         "field: shared base, value: 2"},
		{"add.u64 %rd3, %rd0, 2; dma_flat 0, 0, %rd3, 4;", "a DMA transfer from a misaligned global address",
	         "field: global base"},
		{"add.u64 %rd3, %rd0, 16380; dma_strided 0, 0, %rd3, 2, 4096;",
	         "a DMA transfer reads outside the array", "field: global base"},
		{"mov.u64 %rd3, 64; dma_flat 0, 0, %rd3, 4;", "a DMA transfer reads outside the array",
	         "field: global base, value: 64"},
		{"dma_halo 0, 1, 1, 9, 0; dma_matrix 0, 0, %rd0, 4, 4, 16;", "a DMA transfer reads outside the array",
	         "field: global base"},
		{"dma_execute 0, 0, %rd0;", "a DMA buffer is executed that the warp has not configured",
	         "field: buffer, value: 0"},
		{"setp.lt.u32 %p1, %r0, 32; @%p1 dma_flat 0, 0, %rd0, 4; dma_execute 0, 0, %rd0;",
	         "a DMA buffer is executed that the warp has not configured", "warp 1"},
		{"setp.lt.u32 %p1, %r0, 8; @%p1 dma_flat 0, 0, %rd0, 4;",
	         "only some threads of a warp call the DMA engine", "field: threads, value: 8, limit: 32"},
		{"setp.ge.u32 %p1, %r0, 8; @%p1 bra END; dma_flat 0, 0, %rd0, 4; END: mov.u32 %r2, 0;",
	         "only some threads of a warp call the DMA engine", "field: threads, value: 8, limit: 32"},
		{"dma_flat 0, %r1, %rd0, 4;", "threads of a warp give a DMA transfer different values",
	         "field: shared base"},
		{"shr.u32 %r4, %r0, 5; shl.b32 %r4, %r4, 3; dma_flat 0, %r4, %rd0, 4;",
	         "warps of a block request different DMA transfers", "warp 1"},
		{"dma_flat 0, 0, %rd0, 4; shr.u32 %r4, %r0, 5; shl.b32 %r4, %r4, 3; dma_execute 0, %r4, %rd0;",
	         "warps of a block request different DMA transfers", "warp 1"},
	};
	char text[1024], body[512];
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct kit kit;
		snprintf(body, sizeof body, "%s exit;", row[i].body);
		open_body(&kit, body, THREADS);
		simt_run(&kit.launch, 0, &kit.run);
		if (!kit.run.fault.what)
			fail_msg("no message about %s", row[i].body);
		simt_fault_print(&kit.launch, &kit.run.fault, text, sizeof text);
		if (!strstr(text, row[i].what) || !strstr(text, row[i].field) || !strstr(text, "test.ptx:"))
			fail_msg("message about %s:\n%s", row[i].body, text);
		kit_close(&kit);
	}
}

/* A transfer that just fits is accepted: at the ends of shared memory and of the array, with a constant halo outside,
 * and with the widest fields. */
static void test_fits(void **state)
{
	static const char *const bodies[] = {
		"dma_flat 0, 8000, %rd0, 48;",
		"dma_type 1; dma_flat 3, 8191, %rd0, 1;",
		"add.u64 %rd3, %rd0, 16192; dma_flat 0, 0, %rd3, 48;",
		"dma_strided 0, 0, %rd0, 1, 65535;",
		"dma_spaced 0, 65535; dma_flat 0, 0, %rd0, 4;",
		"dma_halo 0, 1, 2, 1, 65535; dma_matrix 0, 0, %rd0, 3, 4, 10;",
		"add.u64 %rd3, %rd0, 16288; dma_halo 0, 1, 2, 8, 0; dma_matrix 0, 0, %rd3, 3, 4, 10;",
		"dma_type 8; dma_flat 0, 8184, %rd0, 1; dma_type 2; dma_flat 0, 8190, %rd0, 1;",
	};
	(void)state;
	for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
		struct kit kit;
		char body[512];
		snprintf(body, sizeof body, "%s exit;", bodies[i]);
		open_body(&kit, body, THREADS);
		kit_run(&kit);
		kit_close(&kit);
	}
}

/* If warps do not wait at their commands, one may be a command ahead of the others, and no more. */
static void test_used_again(void **state)
{
	struct kit kit;
	(void)state;
	open_body(&kit, "dma_flat 0, 0, %rd0, 4; dma_execute 0, 0, %rd0; exit;", THREADS);
	kit.launch.dma_overlaps = true;
	kit_run(&kit);
	kit_close(&kit);
	open_body(&kit, "dma_flat 0, 0, %rd0, 4; dma_execute 0, 0, %rd0; dma_execute 0, 0, %rd0; exit;", THREADS);
	kit.launch.dma_overlaps = true;
	simt_run(&kit.launch, 0, &kit.run);
	assert_string_equal(kit.run.fault.what,
	                    "a DMA buffer is used again before all warps have reached its last command");
	kit_close(&kit);
}

/* No element size has been set. */
static void test_no_type(void **state)
{
	struct kit kit;
	(void)state;
	kit_open(&kit, ".version 3.1\n.target sm_20\n.address_size 64\n"
	               ".visible .entry kernel(.param .u64 in) { .reg .u64 %rd<2>; ld.param.u64 %rd0, [in];\n"
	               "dma_flat 0, 0, %rd0, 4; exit; }\n");
	kit.launch.dynamic_shared_bytes = 64;
	kit_buffer(&kit, 64);
	simt_run(&kit.launch, 0, &kit.run);
	assert_string_equal(kit.run.fault.what, "a DMA transfer without an element size");
	kit_close(&kit);
}

/* Random tiles of a matrix, with halos, against plain loops over rows and columns. */
enum { SHARED = 8192, CASES = 400 };

struct tile {
	uint32_t bytes, lines, length, pitch, halo_lines, halo_length, region, constant, shared, first;
};

static struct tile random_tile(uint64_t *random)
{
	struct tile t = {.bytes = 1u << kit_random(random) % 4};
	t.lines = 1 + kit_random(random) % 9;
	t.length = 1 + kit_random(random) % 12;
	t.halo_lines = kit_random(random) % 3;
	t.halo_length = kit_random(random) % 4;
	t.region = 1 + kit_random(random) % 9;
	t.constant = kit_random(random) & 0xffff;
	t.pitch = t.length + 2 * t.halo_length + kit_random(random) % 20;
	t.shared = kit_random(random) % 64 * 8;
	t.first = (t.halo_lines + kit_random(random) % 3) * t.pitch + t.halo_length + kit_random(random) % 5;
	return t;
}

/* One byte of an element, by the tile's shape. */
static uint8_t byte_of(const struct tile *t, const uint8_t *in, uint32_t line, uint32_t at, uint32_t byte)
{
	static const char top[] = "123", bottom[] = "678", left[] = "146", right[] = "358";
	char region = (char)('0' + t->region);
	bool above = line < t->halo_lines, below = line >= t->halo_lines + t->lines;
	bool before = at < t->halo_length, behind = at >= t->halo_length + t->length;
	if ((above && strchr(top, region)) || (below && strchr(bottom, region)) || (before && strchr(left, region)) ||
	    (behind && strchr(right, region)))
		return byte < 2 ? (uint8_t)(t->constant >> 8 * byte) : 0;
	int32_t element = (int32_t)t->first + ((int32_t)line - (int32_t)t->halo_lines) * (int32_t)t->pitch +
	                  ((int32_t)at - (int32_t)t->halo_length);
	return in[element * (int32_t)t->bytes + (int32_t)byte];
}

static void check_tile(const struct kit *kit, const struct tile *t)
{
	uint64_t address;
	uint8_t wanted[SHARED] = {0};
	uint32_t element = 0;
	memcpy(&address, kit->params, sizeof address);
	const uint8_t *in = simt_host(kit->memory, address);
	for (uint32_t line = 0; line < t->lines + 2 * t->halo_lines; line++)
		for (uint32_t at = 0; at < t->length + 2 * t->halo_length; at++, element++)
			for (uint32_t byte = 0; byte < t->bytes; byte++)
				wanted[t->shared + element * t->bytes + byte] = byte_of(t, in, line, at, byte);
	assert_memory_equal(results(kit), wanted, SHARED);
}

static void test_random_tiles(void **state)
{
	uint64_t random = 20261122;
	(void)state;
	for (uint32_t i = 0; i < CASES; i++) {
		struct kit kit;
		char body[1024];
		const struct tile t = random_tile(&random);
		snprintf(body, sizeof body,
		         "dma_type %u; dma_halo 3, %u, %u, %u, %u; add.u64 %%rd3, %%rd0, %u; dma_matrix 3, %u, %%rd3, "
		         "%u, %u, %u;\n"
		         "again: add.u32 %%r3, %%r18, %%r1; ld.shared.u32 %%r2, [%%r3]; cvt.u64.u32 %%rd4, %%r18;\n"
		         "add.u64 %%rd4, %%rd2, %%rd4; st.global.u32 [%%rd4], %%r2; add.u32 %%r18, %%r18, 256;\n"
		         "setp.lt.u32 %%p1, %%r18, 8192; @%%p1 bra again; exit;",
		         t.bytes, t.halo_lines, t.halo_length, t.region, t.constant, t.first * t.bytes, t.shared,
		         t.lines, t.length, t.pitch);
		open_body(&kit, body, 64);
		kit_run(&kit);
		check_tile(&kit, &t);
		kit_close(&kit);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flat),       cmocka_unit_test(test_strided_and_spaced),
		cmocka_unit_test(test_halo),       cmocka_unit_test(test_second_command),
		cmocka_unit_test(test_returned),   cmocka_unit_test(test_exited),
		cmocka_unit_test(test_stuck),      cmocka_unit_test(test_mistakes),
		cmocka_unit_test(test_no_type),    cmocka_unit_test(test_fits),
		cmocka_unit_test(test_used_again), cmocka_unit_test(test_random_tiles),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
