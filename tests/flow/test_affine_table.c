/* Protects the table of rows: the number of reads that each row serves, and the rows that remain when there are too
 * many. */
#include "affine_kit.h"

static struct arena arena;
static struct ptx_module *module;

/* The table of a kernel for one block of x by y threads, with n = `n`. */
static struct affine_rows table(const char *body, uint32_t x, uint32_t y, int32_t n, uint32_t entries,
                                enum affine_loops loops, struct affine_dropped *dropped)
{
	static uint8_t params[16];
	struct affine_launch launch = {.grid = {4, 1, 1}, .block = {x, y, 1}, .params = params};
	memcpy(params + 8, &n, 4);
	return affine_table(&arena, kit_analyze(&arena, &module, body), &launch, entries, loops, dropped);
}

static void done(void)
{
	ptx_free(module);
	arena_free(&arena);
}

static void assert_row(const struct affine_row *row, int64_t low, int64_t high, uint64_t reads)
{
	assert_int_equal(row->low, low);
	assert_int_equal(row->high, high);
	assert_int_equal(row->reads, reads);
}

/* array[n * threadIdx.y + threadIdx.x + offset / 4] */
#define TILE(offset)                                                                                                   \
	"mov.u32 %r6, %tid.y;\nmad.lo.s32 %r8, %r6, %r0, %r5;\nmul.wide.s32 %rd2, %r8, 4;\nadd.s64 %rd3, %rd2, "       \
	"%rd0;\n"                                                                                                      \
	"ld.global.u32 %r9, [%rd3+" offset "];\n"
/* array[threadIdx.x + offset / 4] */
#define LINE(offset) "mul.wide.s32 %rd4, %r5, 4;\nadd.s64 %rd5, %rd4, %rd0;\nld.global.u32 %r10, [%rd5+" offset "];\n"

/* One row for each value of the slower thread index, with the reads of its threads. */
static void tile(void **state)
{
	(void)state;
	struct affine_dropped dropped;
	struct affine_rows rows = table(TILE("0"), 16, 8, 100, 64, AFFINE_NO_LOOPS, &dropped);
	assert_int_equal(rows.count, 8);
	assert_int_equal(dropped.rows, 0);
	assert_int_equal(dropped.reads, 0);
	for (uint32_t y = 0; y < 8; y++) {
		assert_row(&rows.row[y], 400 * (int64_t)y, 400 * (int64_t)y + 64, 16);
		assert_int_equal(module->functions->body[rows.row[y].inst].op, PTX_OP_LD);
	}
	done();
	/* Adjacent rows merge, with the sum of their reads. */
	rows = table(TILE("0"), 16, 8, 16, 64, AFFINE_NO_LOOPS, &dropped);
	assert_int_equal(rows.count, 1);
	assert_row(&rows.row[0], 0, 512, 128);
	done();
}

/* Stencil offsets share a row, which names the first of their loads. */
static void stencil(void **state)
{
	(void)state;
	struct affine_dropped dropped;
	struct affine_rows rows = table(LINE("4") LINE("0") LINE("8"), 32, 1, 0, 64, AFFINE_NO_LOOPS, &dropped);
	assert_int_equal(rows.count, 1);
	assert_row(&rows.row[0], 0, 136, 96);
	assert_int_equal(rows.row[0].inst, 10); /* the one at 4, which begins after the row's start */
	done();
}

/* Of 100 rows of 4 reads and one of 400, which is the last, 64 remain: that one and the lowest of the others. */
static void overflow(void **state)
{
	(void)state;
	struct affine_dropped dropped;
	struct affine_rows rows = table(TILE("0") LINE("1000000"), 4, 100, 256, 64, AFFINE_NO_LOOPS, &dropped);
	assert_int_equal(rows.count, 64);
	for (uint32_t y = 0; y < 63; y++)
		assert_row(&rows.row[y], 1024 * (int64_t)y, 1024 * (int64_t)y + 16, 4);
	assert_row(&rows.row[63], 1000000, 1000016, 400);
	assert_int_equal(dropped.rows, 37);
	assert_int_equal(dropped.reads, 37 * 4);
	done();
}

#define LOOP(read)                                                                                                     \
	"mov.u32 %r6, 0;\ntop:\nmad.lo.s32 %r8, %r6, 32, %r5;\nmul.wide.s32 %rd2, %r8, 4;\nadd.s64 %rd3, %rd2, "       \
	"%rd0;\n"                                                                                                      \
	"ld.global.u32 %r9, [%rd3];\n" read "add.s32 %r6, %r6, 1;\nsetp.lt.s32 %p1, %r6, %r0;\n@%p1 bra top;\n"

/* A loop's reads count once per iteration. In strict mode its index has no rows, but an address that is read repeatedly
 * has. */
static void loop(void **state)
{
	(void)state;
	struct affine_dropped dropped;
	struct affine_rows rows = table(LOOP(LINE("40000")), 32, 1, 6, 64, AFFINE_LOOPS_AT_LAUNCH, &dropped);
	assert_int_equal(rows.count, 2);
	assert_row(&rows.row[0], 0, 6 * 128, 6 * 32);
	assert_row(&rows.row[1], 40000, 40128, 6 * 32);
	done();
	rows = table(LOOP(LINE("40000")), 32, 1, 6, 64, AFFINE_NO_LOOPS, &dropped);
	assert_int_equal(rows.count, 1);
	assert_row(&rows.row[0], 40000, 40128, 6 * 32);
	assert_int_equal(dropped.rows, 0);
	done();
	/* The bound is a parameter, then a number. */
	rows = table(LOOP(LINE("40000")), 32, 1, 6, 64, AFFINE_LOOPS_IN_CODE, &dropped);
	assert_int_equal(rows.count, 1);
	done();
	rows = table("mov.u32 %r0, 6;\n" LOOP(LINE("40000")), 32, 1, 6, 64, AFFINE_LOOPS_IN_CODE, &dropped);
	assert_int_equal(rows.count, 2);
	done();
	/* Only the first 8 threads get here. */
	rows = table("setp.gt.u32 %p1, %r5, 7;\n@%p1 bra out;\n" LINE("0") "out:\n", 32, 1, 6, 64, AFFINE_NO_LOOPS,
	             &dropped);
	assert_int_equal(rows.row[0].reads, 8);
	done();
}

/* Rows have the order in which the program declares their arrays, wherever the host stores the declarations. */
static void order(void **state)
{
	(void)state;
	struct ptx_variable host[2];
	uint8_t params[24] = {0};
	struct affine_launch launch = {.grid = {4, 1, 1}, .block = {32, 1, 1}, .params = params};
	struct affine_kernel kernel = *kit_analyze(&arena, &module, LINE("0") LINE("4096"));
	struct affine_load load[2];
	assert_int_equal(kernel.loads, 2);
	memcpy(load, kernel.load, sizeof load);
	kernel.load = load;
	for (uint32_t first = 0; first < 2; first++) { /* of the two, the one that is declared first */
		for (uint32_t i = 0; i < 2; i++) {
			host[i] = *module->functions->params;
			host[i].place.line = i == first ? 10 : 11;
			load[i].array = &host[i];
		}
		struct affine_rows rows = affine_footprints(&arena, &kernel, &launch);
		assert_int_equal(rows.count, 2);
		assert_ptr_equal(rows.row[0].array, &host[first]);
		assert_ptr_equal(rows.row[1].array, &host[1 - first]);
	}
	done();
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(tile), cmocka_unit_test(stencil),
	                                   cmocka_unit_test(overflow), cmocka_unit_test(loop), cmocka_unit_test(order)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
