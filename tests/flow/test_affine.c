/* Protects the static analyzer on PTX: statuses, index expressions and rows of small kernels. No read is missed by the
 * rows, in the reference kernels and in thousands of random ones. */
#include "affine_kit.h"

#include <inttypes.h>

static struct arena arena;
static struct ptx_module *module;

static const struct affine_kernel *analyze(const char *body)
{
	return kit_analyze(&arena, &module, body);
}

static void done(void)
{
	ptx_free(module);
	arena_free(&arena);
}

/* Returns the rows of the kernel's last load, for a grid of x blocks and a block of threads. */
static struct affine_rows rows_at(const struct affine_kernel *kernel, uint32_t blocks, uint32_t x, uint32_t y,
                                  int32_t n, int32_t m)
{
	static uint8_t params[16];
	uint64_t pointer = 0x80000000;
	memcpy(params, &pointer, 8);
	memcpy(params + 8, &n, 4);
	memcpy(params + 12, &m, 4);
	struct affine_launch launch = {.grid = {blocks, 1, 1}, .block = {x, y, 1}, .params = params};
	return affine_footprint(&arena, kernel, &kernel->load[kernel->loads - 1], &launch);
}

static void assert_row(const struct affine_rows *rows, uint32_t number, int64_t ctaid, int64_t low, int64_t high)
{
	if (rows->why)
		fail_msg("no rows: %s", rows->why);
	assert_in_range(number, 0, rows->count - 1);
	assert_int_equal(rows->row[number].ctaid[0], ctaid);
	assert_int_equal(rows->row[number].low, low);
	assert_int_equal(rows->row[number].high, high);
}

static void assert_load(const struct affine_kernel *kernel, enum affine_status status, enum affine_status relaxed,
                        const char *expression)
{
	const struct affine_load *load = &kernel->load[kernel->loads - 1];
	assert_string_equal(affine_status_name(load->status), affine_status_name(status));
	assert_string_equal(affine_status_name(load->relaxed), affine_status_name(relaxed));
	if (expression)
		assert_string_equal(load->expression, expression);
}

/* TELEPORT, Table 1, the first five rows, and a constant index. */
static void plain(void **state)
{
	(void)state;
	const struct affine_kernel *kernel = analyze("mul.wide.s32 %rd2, %r2, 4;\nadd.s64 %rd3, %rd0, %rd2;\n"
	                                             ".loc 1 8 0\nld.global.u32 %r6, [%rd3];\n");
	assert_load(kernel, AFFINE_QUASI_STATIC, AFFINE_QUASI_STATIC, "blockIdx.x*blockDim.x + threadIdx.x");
	assert_int_equal(kernel->arrays, 1);
	assert_int_equal(kernel->load[0].source_line, 8);
	struct affine_rows rows = rows_at(kernel, 10, 256, 1, 0, 0);
	assert_int_equal(rows.count, 1);
	assert_row(&rows, 0, 1024, 0, 1024);
	done();
	kernel = analyze("ld.global.u64 %rd5, [%rd0+16];\n");
	assert_load(kernel, AFFINE_STATIC, AFFINE_STATIC, "2");
	rows = rows_at(kernel, 10, 256, 1, 0, 0);
	assert_row(&rows, 0, 0, 16, 24);
	done();
}

/* One row for each value of the slower index. */
static void tile(void **state)
{
	(void)state;
	const struct affine_kernel *kernel =
		analyze("mov.u32 %r6, %tid.y;\nshl.b32 %r7, %r3, 4;\nadd.s32 %r7, %r7, %r5;\n"
	                "mad.lo.s32 %r8, %r6, %r0, %r7;\ncvt.s64.s32 %rd2, %r8;\nshl.b64 %rd2, %rd2, 2;\n"
	                "add.s64 %rd3, %rd2, %rd0;\nld.global.u32 %r9, [%rd3+-4];\n");
	assert_load(kernel, AFFINE_QUASI_STATIC, AFFINE_QUASI_STATIC,
	            "threadIdx.y*n + 16*blockIdx.x + threadIdx.x - 1");
	struct affine_rows rows = rows_at(kernel, 4, 16, 8, 100, 0);
	assert_int_equal(rows.count, 8);
	for (uint32_t y = 0; y < 8; y++)
		assert_row(&rows, y, 64, 400 * (int64_t)y - 4, 400 * (int64_t)y + 60);
	rows = rows_at(kernel, 4, 16, 8, 16, 0); /* as wide as the tile: one range */
	assert_int_equal(rows.count, 1);
	assert_row(&rows, 0, 64, -4, 508);
	rows = rows_at(kernel, 4, 16, 8, -100, 0);
	assert_int_equal(rows.count, 8);
	assert_row(&rows, 0, 64, -2804, -2740);
	/* Too many rows are merged into one. */
	struct affine_launch launch = {.grid = {4, 1, 1}, .block = {16, 8, 1}, .max_rows = 4};
	uint8_t params[16] = {[8] = 100};
	launch.params = params;
	rows = affine_footprint(&arena, kernel, &kernel->load[0], &launch);
	assert_true(rows.is_hull);
	assert_int_equal(rows.count, 1);
	assert_row(&rows, 0, 64, -4, 2860);
	done();
}

/* Stencil offsets merge. */
static void stencil(void **state)
{
	(void)state;
	const struct affine_kernel *kernel =
		analyze("mul.wide.s32 %rd2, %r2, 4;\nadd.s64 %rd3, %rd0, %rd2;\nld.global.u32 %r6, [%rd3+-4];\n"
	                "ld.global.u32 %r6, [%rd3];\nld.global.u32 %r6, [%rd3+4];\n");
	uint8_t params[16] = {0};
	struct affine_launch launch = {.grid = {4, 1, 1}, .block = {32, 1, 1}, .params = params};
	struct affine_rows rows = affine_footprints(&arena, kernel, &launch);
	assert_int_equal(rows.count, 1);
	assert_row(&rows, 0, 128, -4, 132);
	done();
}

#define READ_UNSIGNED "mul.wide.u32 %rd2, %r6, 4;\nadd.s64 %rd3, %rd0, %rd2;\nld.global.u32 %r9, [%rd3];\n"

/* An unsigned index i - 1 wraps in the first thread, unless a branch excludes that thread. */
static void wraps(void **state)
{
	(void)state;
	const struct affine_kernel *kernel = analyze("add.s32 %r6, %r2, -1;\n" READ_UNSIGNED);
	assert_load(kernel, AFFINE_QUASI_STATIC, AFFINE_QUASI_STATIC, NULL);
	struct affine_rows rows = rows_at(kernel, 4, 32, 1, 0, 0);
	assert_int_equal(rows.count, 0);
	assert_string_equal(rows.why, "an index may wrap around its type");
	done();
	kernel = analyze("setp.lt.s32 %p1, %r2, 1;\n@%p1 bra out;\nadd.s32 %r6, %r2, -1;\n" READ_UNSIGNED "out:\n");
	rows = rows_at(kernel, 4, 32, 1, 0, 0);
	assert_row(&rows, 0, 128, -4, 124);
	done();
	/* The condition must hold at the read: not here. */
	kernel = analyze("setp.lt.s32 %p1, %r2, 1;\n@!%p1 bra out;\nadd.s32 %r6, %r2, -1;\n" READ_UNSIGNED "out:\n");
	assert_non_null(rows_at(kernel, 4, 32, 1, 0, 0).why);
	done();
	kernel = analyze("setp.gt.s32 %p1, %r2, 0;\nsetp.lt.s32 %p2, %r2, %r0;\nand.pred %p3, %p1, %p2;\n"
	                 "add.s32 %r6, %r2, -1;\nmul.wide.u32 %rd2, %r6, 4;\nadd.s64 %rd3, %rd0, %rd2;\n"
	                 "@%p3 ld.global.u32 %r9, [%rd3];\n");
	rows = rows_at(kernel, 4, 32, 1, 100, 0);
	assert_row(&rows, 0, 128, -4, 124);
	done();
	/* 2^31 / 4 elements and more in a signed product. */
	kernel = analyze("shl.b32 %r6, %r2, 4;\nmul.wide.s32 %rd2, %r6, 4;\nadd.s64 %rd3, %rd0, %rd2;\n"
	                 "ld.global.u32 %r9, [%rd3];\n");
	assert_null(rows_at(kernel, 1 << 17, 1024, 1, 0, 0).why);
	assert_non_null(rows_at(kernel, 1 << 18, 1024, 1, 0, 0).why);
	done();
	/* A product that wraps to 0 in 32 bits is not 0 times 4 in 64. */
	kernel = analyze("mul.lo.s32 %r6, %r0, 10;\nmul.wide.s32 %rd2, %r6, 4;\nadd.s64 %rd3, %rd0, %rd2;\n"
	                 "ld.global.u32 %r9, [%rd3];\n");
	assert_non_null(rows_at(kernel, 4, 32, 1, INT32_MIN, 0).why);
	rows = rows_at(kernel, 4, 32, 1, -3, 0);
	assert_row(&rows, 0, 0, -120, -116);
	done();
	/* 16 bits. */
	kernel = analyze("cvt.u16.u32 %h1, %r5;\nmul.wide.u16 %r6, %h1, 256;\n" READ_UNSIGNED);
	rows = rows_at(kernel, 4, 4, 1, 0, 0);
	assert_row(&rows, 3, 0, 3072, 3076);
	done();
	kernel = analyze("cvt.u16.u32 %h1, %r2;\ncvt.u32.u16 %r6, %h1;\n" READ_UNSIGNED);
	assert_null(rows_at(kernel, 64, 1024, 1, 0, 0).why);
	assert_non_null(rows_at(kernel, 65, 1024, 1, 0, 0).why);
	done();
}

#define READ_SIGNED(index) "mul.wide.s32 %rd2, " index ", 4;\nadd.s64 %rd3, %rd0, %rd2;\nld.global.u32 %r9, [%rd3];\n"

/* A loop that a compiler has unrolled by two; the branch skips it if there is only one iteration. Rows for all threads
 * alike do not know that. */
static void branches(void **state)
{
	(void)state;
	const struct affine_kernel *kernel = analyze(
		"setp.eq.s32 %p1, %r0, 1;\n@%p1 bra out;\nand.b32 %r7, %r0, -2;\nmov.u32 %r6, 0;\ntop:\n" READ_SIGNED(
			"%r6") "add.s32 %r6, %r6, 2;\nsetp.ne.s32 %p2, %r6, %r7;\n@%p2 bra top;\nout:\n");
	struct affine_rows rows = rows_at(kernel, 4, 32, 1, 1, 0);
	assert_null(rows.why);
	assert_int_equal(rows.count, 0);
	assert_int_equal(rows_at(kernel, 4, 32, 1, 7, 0).count, 3);
	done();
	uint8_t params[16] = {[8] = 7};
	struct affine_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .params = params};
	kernel = analyze("setp.gt.s32 %p1, %r5, 7;\n@%p1 bra out;\n" READ_SIGNED("%r5") "out:\n");
	rows = affine_footprint(&arena, kernel, &kernel->load[0], &launch);
	assert_row(&rows, 0, 0, 0, 32);
	launch.all_threads = true;
	rows = affine_footprint(&arena, kernel, &kernel->load[0], &launch);
	assert_row(&rows, 0, 0, 0, 128);
	done();
}

/* Footnote 6: an induction variable whose bounds are known at launch. */
static void loops(void **state)
{
	(void)state;
	static const char *const counted[] = {
		/* tested before and after the body; upwards, downwards, until equal, by a moving pointer */
		("mov.u32 %r6, 0;\ntop: setp.ge.s32 %p1, %r6, %r0;\n@%p1 bra out;\n" READ_SIGNED(
			"%r6") "add.s32 %r6, %r6, 2;\nbra top;\nout:\n"),
		("mov.u32 %r6, 0;\ntop:\n" READ_SIGNED(
			"%r6") "add.s32 %r6, %r6, 2;\nsetp.lt.s32 %p1, %r6, %r0;\n@%p1 bra top;\n"),
		("and.b32 %r7, %r0, -2;\nsub.s32 %r6, %r7, 2;\ntop:\n" READ_SIGNED(
			"%r6") "add.s32 %r6, %r6, -2;\nsetp.gt.s32 %p1, %r6, -1;\n@%p1 bra top;\n"),
		("mov.u32 %r6, 0;\ntop:\n" READ_SIGNED(
			"%r6") "add.s32 %r6, %r6, 2;\nsetp.ne.s32 %p1, %r6, %r0;\n@!%p1 bra out;\nbra top;\nout:\n"),
		("mov.u64 %rd3, %rd0;\nmul.wide.s32 %rd4, %r0, 4;\nadd.s64 %rd4, %rd4, %rd0;\ntop:\n"
	         "ld.global.u32 %r9, [%rd3];\nadd.s64 %rd3, %rd3, 8;\nsetp.lt.u64 %p1, %rd3, %rd4;\n@%p1 bra top;\n"),
	};
	for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
		const struct affine_kernel *kernel = analyze(counted[i]);
		assert_load(kernel, i == 2 ? AFFINE_OPERATOR : AFFINE_INDUCTION, AFFINE_QUASI_STATIC, NULL);
		struct affine_rows rows = rows_at(kernel, 4, 32, 1, 6, 0);
		assert_int_equal(rows.count, 3);
		for (uint32_t k = 0; k < 3; k++)
			assert_row(&rows, k, 0, 8 * k, 8 * k + 4);
		done();
	}
	/* Never equal to an odd number: unbounded. */
	const struct affine_kernel *kernel = analyze(counted[3]);
	assert_non_null(rows_at(kernel, 4, 32, 1, 7, 0).why);
	done();
	kernel = analyze("mov.u32 %r6, 0;\ntop:\n" READ_SIGNED(
		"%r6") "add.s32 %r6, %r6, %r1;\nsetp.lt.s32 %p1, %r6, %r0;\n@%p1 bra top;\n");
	struct affine_rows rows = rows_at(kernel, 4, 32, 1, 7, 0); /* an endless loop at one address */
	assert_row(&rows, 0, 0, 0, 4);
	assert_non_null(rows_at(kernel, 4, 32, 1, 7, -1).why);
	rows = rows_at(kernel, 4, 32, 1, 7, 3);
	assert_int_equal(rows.count, 3);
	assert_row(&rows, 2, 0, 24, 28);
	done();
	/* A loop whose test is false at once reads nothing. */
	kernel = analyze(counted[0]);
	rows = rows_at(kernel, 4, 32, 1, 0, 0);
	assert_null(rows.why);
	assert_int_equal(rows.count, 0);
	done();
}

/* A variable that starts at -2 and is truncated to 16 bits in each iteration is 65535 in the second. The reads begin
 * there, but facts about the current iteration do not hold for the previous one. */
static void wraps_on_the_way(void **state)
{
	(void)state;
	const struct affine_kernel *kernel = analyze(
		"mov.u32 %r6, -2;\nmov.u32 %r7, 0;\ntop: setp.lt.s32 %p1, %r7, 1;\n@%p1 bra skip;\n" READ_SIGNED(
			"%r6") "skip: cvt.u16.u32 %h1, %r6;\nadd.u16 %h1, %h1, 1;\ncvt.u32.u16 %r6, %h1;\n"
			       "add.s32 %r7, %r7, 1;\nsetp.lt.s32 %p2, %r7, %r0;\n@%p2 bra top;\n");
	assert_load(kernel, AFFINE_INDUCTION, AFFINE_QUASI_STATIC, "i0 - 2");
	assert_non_null(rows_at(kernel, 4, 32, 1, 4, 0).why);
	done();
}

/* Accesses that are not precalculable, and the reasons. */
static void causes(void **state)
{
	(void)state;
	static const struct {
		enum affine_status status, relaxed;
		const char *body;
	} kernels[] = {
		{AFFINE_INDIRECT, AFFINE_INDIRECT, "ld.global.u32 %r6, [%rd0];\n" READ_SIGNED("%r6")},
		{AFFINE_CONTROL, AFFINE_CONTROL,
	         "setp.lt.s32 %p1, %r2, %r0;\nselp.b32 %r6, %r2, 0, %p1;\n" READ_SIGNED("%r6")},
		{AFFINE_CONTROL, AFFINE_CONTROL,
	         "mov.u32 %r6, 0;\nsetp.lt.s32 %p1, %r2, %r0;\n@%p1 bra on;\nmov.u32 %r6, 7;\non:\n" READ_SIGNED(
			 "%r6")},
		{AFFINE_CONTROL, AFFINE_CONTROL,
	         "mov.u32 %r6, 0;\nsetp.lt.s32 %p1, %r2, %r0;\n@%p1 mov.u32 %r6, 7;\n" READ_SIGNED("%r6")},
		{AFFINE_OPERATOR, AFFINE_OPERATOR, "and.b32 %r6, %r2, 31;\n" READ_SIGNED("%r6")},
		{AFFINE_OPERATOR, AFFINE_OPERATOR, "shr.u32 %r6, %r5, 1;\n" READ_SIGNED("%r6")},
		{AFFINE_OPERATOR, AFFINE_QUASI_STATIC,
	         "shr.u32 %r6, %r4, 1;\nadd.u32 %r6, %r6, %r5;\n" READ_SIGNED("%r6")},
		/* a linked list, a loop that doubles, a loop whose end depends on data */
		{AFFINE_INDIRECT, AFFINE_INDIRECT,
	         "mov.u64 %rd3, %rd0;\ntop: ld.global.u64 %rd3, [%rd3];\nsetp.ne.s64 %p1, %rd3, 0;\n@%p1 bra top;\n"},
		{AFFINE_INDUCTION, AFFINE_INDUCTION,
	         "mov.u32 %r6, 1;\ntop:\n" READ_SIGNED("%r6") "shl.b32 %r6, %r6, 1;\nsetp.lt.s32 %p1, %r6, %r0;\n"
	                                                      "@%p1 bra top;\n"},
		{AFFINE_INDUCTION, AFFINE_INDUCTION,
	         "mov.u32 %r6, 1;\ntop:\n" READ_SIGNED("%r6") "add.s32 %r6, %r6, 1;\nsetp.lt.s32 %p1, %r9, %r0;\n"
	                                                      "@%p1 bra top;\n"},
	};
	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
		const struct affine_kernel *kernel = analyze(kernels[i].body);
		assert_load(kernel, kernels[i].status, kernels[i].relaxed, NULL);
		assert_int_equal(rows_at(kernel, 4, 32, 1, 64, 1).why != NULL,
		                 kernels[i].relaxed > AFFINE_QUASI_STATIC);
		done();
	}
	/* A test that an iteration can bypass is no bound. */
	const struct affine_kernel *kernel =
		analyze("mov.u32 %r6, 0;\ntop:\n" READ_SIGNED("%r6") "add.s32 %r6, %r6, 1;\nsetp.ne.s32 %p2, %r9, 0;\n"
	                                                             "@%p2 bra top;\nsetp.lt.s32 %p1, %r6, %r0;\n"
	                                                             "@%p1 bra top;\n");
	assert_load(kernel, AFFINE_INDUCTION, AFFINE_INDUCTION, "i0");
	done();
	/* Both paths give the same value: the path does not matter. */
	kernel = analyze("setp.lt.s32 %p1, %r2, %r0;\n@%p1 bra on;\nadd.s32 %r6, %r2, 1;\nbra read;\n"
	                 "on: sub.s32 %r6, %r2, -1;\nread:\n" READ_SIGNED("%r6"));
	assert_load(kernel, AFFINE_QUASI_STATIC, AFFINE_QUASI_STATIC, "blockIdx.x*blockDim.x + threadIdx.x + 1");
	done();
	/* or as an addition, and only where it is one */
	kernel = analyze("shl.b32 %r6, %r3, 5;\nor.b32 %r6, %r6, %r5;\n" READ_SIGNED("%r6"));
	assert_load(kernel, AFFINE_QUASI_STATIC, AFFINE_QUASI_STATIC, "32*blockIdx.x + threadIdx.x");
	assert_null(rows_at(kernel, 4, 32, 1, 0, 0).why);
	assert_non_null(rows_at(kernel, 4, 33, 1, 0, 0).why);
	done();
}

static void check_reference(const char *name, struct dim3 grid, struct dim3 block, uint32_t buffers, uint64_t bytes,
                            const uint32_t *numbers, uint32_t count, uint64_t others)
{
	char path[512];
	struct kit kit;
	snprintf(path, sizeof path, "%s/reference/kernels/%s.ptx", TEST_DATA, name);
	char *text = kit_read_file(path);
	kit_open(&kit, text);
	free(text);
	for (uint32_t i = 0; i < buffers; i++)
		kit_buffer(&kit, bytes);
	for (uint32_t i = 0; i < count; i++)
		kit_param32(&kit, numbers[i]);
	kit.launch.grid = grid;
	kit.launch.block = block;
	struct kit_misses misses;
	if (!kit_run_checked(&kit, affine_analyze(&arena, kit.program->kernel), &misses, UINT64_MAX))
		fail_msg("%s does not end", name);
	if (misses.counts.missed)
		fail_msg("%s: %" PRIu64 " reads missed", name, misses.counts.missed);
	assert_true(misses.counts.reads + misses.counts.other > 0);
	assert_int_equal(misses.counts.other, others);
	arena_free(&arena);
	kit_close(&kit);
}

static void references(void **state)
{
	(void)state;
	const struct dim3 line = {64, 1, 1}, threads = {256, 1, 1}, square = {4, 4, 1}, tile = {16, 16, 1};
	const uint32_t n = 16000, side = 64;
	check_reference("vecadd", line, threads, 3, 4 * 16384, &n, 1, 0);
	check_reference("streamcopy", line, threads, 2, 16 * 16384, &n, 1, 0);
	check_reference("matmul_naive", square, tile, 3, 4 * 4096, &side, 1, 0);
	check_reference("matmul_tiled", square, tile, 3, 4 * 4096, &side, 1, 0);
	check_reference("reduce", (struct dim3){32, 1, 1}, threads, 2, 4 * 16384, &n, 1, 0);
}

/* Random kernels: integers of all widths, branches, loops, guarded reads. */
struct writer {
	uint64_t random;
	char text[1 << 15];
	size_t length;
	uint32_t labels, depth, statements;
};

static uint32_t pick(struct writer *writer, uint32_t count)
{
	return (uint32_t)(kit_random(&writer->random) % count);
}

__attribute__((format(printf, 2, 3))) static void put(struct writer *writer, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	writer->length += (size_t)vsnprintf(writer->text + writer->length, sizeof writer->text - writer->length, format,
	                                    arguments);
	va_end(arguments);
	assert_in_range(writer->length, 0, sizeof writer->text - 1);
}

/* Registers 0 to 9 hold any value, 10 to 15 the indexes, extents and arguments, 20 and up the loops' counters. */
static uint32_t some(struct writer *writer)
{
	uint32_t number = pick(writer, 16 + 2 * writer->depth);
	return number < 16 ? number : 20 + (number - 16) % writer->depth;
}

static void put_operation(struct writer *writer)
{
	static const char *const cmp[] = {"lt.s32", "ge.s32", "lt.u32", "gt.u32", "ne.s32", "le.s32"};
	uint32_t to = pick(writer, 10), a = some(writer), b = some(writer);
	int32_t small = (int32_t)pick(writer, 21) - 5;
	switch (pick(writer, 16)) {
	case 0:
		put(writer, "add.s32 %%r%u, %%r%u, %%r%u;\n", to, a, b);
		break;
	case 1:
		put(writer, "sub.s32 %%r%u, %%r%u, %%r%u;\n", to, a, b);
		break;
	case 2:
		put(writer, "add.s32 %%r%u, %%r%u, %d;\n", to, a, small);
		break;
	case 3:
		put(writer, "mul.lo.s32 %%r%u, %%r%u, %d;\n", to, a, small);
		break;
	case 4:
		put(writer, "mad.lo.s32 %%r%u, %%r%u, %%r%u, %%r%u;\n", to, a, 12 + pick(writer, 4), b);
		break;
	case 5:
		put(writer, "shl.b32 %%r%u, %%r%u, %u;\n", to, a, pick(writer, 6));
		break;
	case 6:
		put(writer, "or.b32 %%r%u, %%r%u, %%r%u;\n", to, a, b);
		break;
	case 7:
		put(writer, "and.b32 %%r%u, %%r%u, %d;\n", to, a, -(1 << pick(writer, 5)));
		break;
	case 8:
		put(writer, "not.b32 %%r%u, %%r%u;\n", to, a);
		break;
	case 9:
		put(writer, "cvt.u16.u32 %%h0, %%r%u;\ncvt.%s %%r%u, %%h0;\n", a,
		    pick(writer, 2) ? "s32.s16" : "u32.u16", to);
		break;
	case 10:
		put(writer, "shr.%s %%r%u, %%r%u, %u;\n", pick(writer, 2) ? "s32" : "u32", to, a, pick(writer, 4));
		break;
	case 11:
		put(writer, "setp.%s %%p1, %%r%u, %%r%u;\n@%%p1 add.s32 %%r%u, %%r%u, 1;\n", cmp[pick(writer, 6)], a, b,
		    to, to);
		break;
	case 12:
		put(writer, "setp.%s %%p1, %%r%u, %%r%u;\nselp.b32 %%r%u, %%r%u, %%r%u, %%p1;\n", cmp[pick(writer, 6)],
		    a, b, to, a, pick(writer, 2) ? a : b);
		break;
	case 13:
		put(writer, "%s.s32 %%r%u, %%r%u, %%r%u;\n", pick(writer, 2) ? "min" : "max", to, a, b);
		break;
	case 14:
		put(writer, "cvt.%s.%s32 %%rd4, %%r%u;\nadd.s64 %%rd4, %%rd4, %d;\ncvt.u32.u64 %%r%u, %%rd4;\n", "s64",
		    pick(writer, 2) ? "s" : "u", a, small, to);
		break;
	default:
		put(writer, "mov.u32 %%r%u, %%r%u;\n", to, a);
		break;
	}
}

/* Reads array[index] if it is inside: 4096 numbers before the pointer and 4096 after it. */
static void put_read(struct writer *writer)
{
	uint32_t index = some(writer), label = writer->labels++, to = pick(writer, 3);
	bool is_signed = pick(writer, 2);
	put(writer, "mul.wide.%s32 %%rd2, %%r%u, 4;\nadd.s64 %%rd3, %%rd0, %%rd2;\n", is_signed ? "s" : "u", index);
	if (pick(writer, 2))
		put(writer, "setp.lt.s32 %%p2, %%r%u, %s;\n", index, pick(writer, 2) ? "4096" : "1000");
	else
		put(writer, "setp.lt.u32 %%p2, %%r%u, 4096;\n", index);
	put(writer, "setp.ge.s32 %%p3, %%r%u, %s;\nand.pred %%p4, %%p2, %%p3;\n", index,
	    is_signed && pick(writer, 2) ? "-4096" : "0");
	const char *into = to == 0 ? "%r9" : to == 1 ? "%r8" : "%r18";
	if (pick(writer, 2))
		put(writer, "@%%p4 ld.global.u32 %s, [%%rd3];\n", into);
	else
		put(writer, "@!%%p4 bra L%u;\nld.global.u32 %s, [%%rd3];\nL%u:\n", label, into, label);
}

static void put_statements(struct writer *writer, uint32_t count);

static void put_loop(struct writer *writer)
{
	static const char *const stay[] = {"lt.s32", "le.s32", "lt.u32", "ne.s32"};
	uint32_t counter = 20 + writer->depth, label = writer->labels++, first = pick(writer, 3),
		 step = 1 + pick(writer, 3);
	bool before = pick(writer, 2), down = pick(writer, 4) == 0;
	char end[16];
	snprintf(end, sizeof end, pick(writer, 2) ? "%u" : "%%r%u", 12 + pick(writer, 4));
	if (pick(writer, 4) == 0)
		snprintf(end, sizeof end, "%%r%u", some(writer));
	put(writer, "mov.u32 %%r%u, %s%u;\n", counter, first == 2 ? "%r1" : "", first == 2 ? pick(writer, 6) : first);
	if (down)
		put(writer, "mov.u32 %%r%u, 12;\n", counter);
	put(writer, "T%u:\n", label);
	const char *cmp = down ? "gt.s32" : stay[pick(writer, 4)];
	if (down)
		snprintf(end, sizeof end, "0");
	if (before)
		put(writer, "setp.%s %%p0, %%r%u, %s;\n@!%%p0 bra E%u;\n", cmp, counter, end, label);
	writer->depth++;
	put_statements(writer, 1 + pick(writer, 4));
	writer->depth--;
	put(writer, "%s.s32 %%r%u, %%r%u, %u;\n", down ? "sub" : "add", counter, counter, step);
	if (before)
		put(writer, "bra T%u;\nE%u:\n", label, label);
	else
		put(writer, "setp.%s %%p0, %%r%u, %s;\n@%%p0 bra T%u;\n", cmp, counter, end, label);
}

static void put_branch(struct writer *writer)
{
	uint32_t label = writer->labels++;
	put(writer, "setp.%s %%p5, %%r%u, %%r%u;\n@%%p5 bra B%u;\n", pick(writer, 2) ? "lt.s32" : "ge.u32",
	    some(writer), some(writer), label);
	put_statements(writer, 1 + pick(writer, 3));
	if (pick(writer, 2)) {
		put(writer, "bra C%u;\nB%u:\n", label, label);
		put_statements(writer, 1 + pick(writer, 3));
		put(writer, "C%u:\n", label);
	} else {
		put(writer, "B%u:\n", label);
	}
}

static void put_statements(struct writer *writer, uint32_t count)
{
	while (count-- && writer->statements++ < 40) {
		uint32_t kind = pick(writer, 12);
		if (kind == 0 && writer->depth < 3)
			put_loop(writer);
		else if (kind == 1)
			put_branch(writer);
		else if (kind < 6)
			put_read(writer);
		else
			put_operation(writer);
	}
}

static void write_kernel(struct writer *writer)
{
	put(writer, ".version 3.1\n.target sm_20\n.address_size 64\n"
	            ".visible .entry k(.param .u64 array, .param .u32 n, .param .u32 m) {\n"
	            ".reg .u32 %%r<40>;\n.reg .u64 %%rd<8>;\n.reg .u16 %%h<2>;\n.reg .pred %%p<8>;\n"
	            "ld.param.u64 %%rd1, [array];\ncvta.to.global.u64 %%rd0, %%rd1;\n"
	            "mov.u32 %%r10, %%tid.x;\nmov.u32 %%r11, %%ctaid.x;\nld.param.u32 %%r12, [n];\n"
	            "ld.param.u32 %%r13, [m];\nmov.u32 %%r14, %%ntid.x;\nmov.u32 %%r15, %%tid.y;\n"
	            "mad.lo.s32 %%r0, %%r11, %%r14, %%r10;\n");
	for (uint32_t i = 1; i < 10; i++)
		put(writer, "mov.u32 %%r%u, %%r%u;\n", i, 10 + pick(writer, 6));
	put_statements(writer, 18);
	put_read(writer);
	put(writer, "ret;\n}\n");
}

/* No read of any of them is missed, and enough are predicted for a meaningful test. */
static void random_kernels(void **state)
{
	(void)state;
	struct writer *writer = malloc(sizeof *writer);
	uint64_t reads = 0, others = 0, ended = 0, kernels = 1500;
	const char *more = getenv("AFFINE_KERNELS"); /* a longer run, started by hand */
	if (more)
		kernels = strtoull(more, NULL, 10);
	for (uint64_t seed = 1; seed <= kernels; seed++) {
		struct kit kit;
		struct kit_misses misses;
		memset(writer, 0, sizeof *writer);
		writer->random = seed * 1000003;
		write_kernel(writer);
		kit_open(&kit, writer->text);
		uint64_t address = simt_alloc(kit.memory, 4 * 8192) + 4 * 4096;
		uint32_t *array = simt_host(kit.memory, address - 4 * 4096);
		for (uint32_t i = 0; i < 8192; i++)
			array[i] = pick(writer, 2) ? pick(writer, 64) : (uint32_t)kit_random(&writer->random);
		static const uint32_t numbers[] = {0, 1, 4, 7, 16, 31, 100, 0xffffffff, 0x7fffffff, 0x80000000, 70000};
		kit_param(&kit, &address, sizeof address);
		kit_param32(&kit, numbers[pick(writer, 11)]);
		kit_param32(&kit, numbers[pick(writer, 7)]);
		kit.launch.grid.x = 1 + pick(writer, 4);
		kit.launch.block = (struct dim3){1 + pick(writer, 40), 1 + pick(writer, 3), 1};
		ended += kit_run_checked(&kit, affine_analyze(&arena, kit.program->kernel), &misses, 20000);
		if (misses.counts.missed)
			fail_msg("kernel %" PRIu64 ": PTX line %u missed address %#" PRIx64 "\n%s", seed,
			         kit.program->kernel->body[misses.inst].place.line, misses.address, writer->text);
		reads += misses.counts.reads;
		others += misses.counts.other;
		arena_free(&arena);
		kit_close(&kit);
	}
	print_message("%" PRIu64 " kernels, %" PRIu64 " ran to the end; reads: %" PRIu64 " predicted, %" PRIu64
	              " not\n",
	              kernels, ended, reads, others);
	assert_true(ended > kernels / 2);
	assert_true(reads > others / 4);
	free(writer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain),      cmocka_unit_test(tile),
		cmocka_unit_test(stencil),    cmocka_unit_test(wraps),
		cmocka_unit_test(loops),      cmocka_unit_test(causes),
		cmocka_unit_test(references), cmocka_unit_test(wraps_on_the_way),
		cmocka_unit_test(branches),   cmocka_unit_test(random_kernels),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
