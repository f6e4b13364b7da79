/* Protects the rows of teleport: those that a program announces (Eq. 2 and 3), those that analysis finds, and the
 * selection when the table is full. The tests use the public API, as programs do. */
#include "host_kit.h"

#include <unistd.h>

enum { SECTOR = 32, WORDS = 4096, BYTES = WORDS * 4 };

/* Kernels have the parameters `array`, in %rd0, and `n`, in %r0. Block indexes are in %r1 to %r3, thread indexes in
 * %r4 and %r5. */
static struct host opened(const char *mechanism, const char *kernels)
{
	/* each block of a 3 x 3 x 3 grid gets its own SM */
	return host_open(mechanism, (const char *const[]){"sm.count=27", NULL}, kernels, BYTES);
}

#define HEAD ".version 3.1\n.target sm_20\n.address_size 64\n"
#define KERNEL(name, body)                                                                                             \
	".visible .entry " name "(.param .u64 array, .param .u32 n) {\n"                                               \
	".reg .u32 %r<20>;\n.reg .u64 %rd<20>;\n.reg .pred %p<4>;\n"                                                   \
	"ld.param.u64 %rd1, [array];\ncvta.to.global.u64 %rd0, %rd1;\nld.param.u32 %r0, [n];\n"                        \
	"mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ctaid.y;\nmov.u32 %r3, %ctaid.z;\n"                                     \
	"mov.u32 %r4, %tid.x;\nmov.u32 %r5, %tid.y;\n" body "\nret;\n}\n"
/* loads %r10 from the array's word %r9 + offset / 4 */
#define LOAD(offset) "mul.wide.u32 %rd2, %r9, 4;\nadd.s64 %rd3, %rd2, %rd0;\nld.global.u32 %r10, [%rd3+" #offset "];\n"

static void launch(const struct host *host, const char *name, sluice_dim grid, sluice_dim block, uint32_t n)
{
	uint64_t array = host->array;
	host_launch(host, name, grid, block, (void *[]){&array, &n});
}

static void announce(const struct host *host, struct sluice_range range)
{
	struct sluice_error error;
	range.base += host->array;
	host_must(sluice_announce_range(host->gpu, &range, &error), &error);
}

/* The block whose indexes x, y and z are n's upper digits in base 4 reads word 8 * (n % 512), the first of a sector. */
#define PROBE                                                                                                          \
	KERNEL("probe",                                                                                                \
	       "mad.lo.u32 %r6, %r3, 4, %r2;\nmad.lo.u32 %r6, %r6, 4, %r1;\nshr.u32 %r7, %r0, 9;\n"                    \
	       "setp.ne.u32 %p1, %r6, %r7;\n@%p1 ret;\nand.b32 %r8, %r0, 511;\nshl.b32 %r9, %r8, 3;\n" LOAD(0))

/* The smallest packet (sector, half line or line) that holds a line's bytes [low, high). */
static uint64_t packet(uint64_t low, uint64_t high)
{
	return low / SECTOR == (high - 1) / SECTOR ? SECTOR : low / 64 == (high - 1) / 64 ? 64 : 128;
}

/* Whether the packet for bytes [low, high) of the sector's line contains the sector. */
static bool is_brought(uint32_t sector, uint64_t low, uint64_t high)
{
	uint64_t line = sector / 4 * 128;
	low = low > line ? low : line;
	high = high < line + 128 ? high : line + 128;
	return low < high && sector * (uint64_t)SECTOR / packet(low, high) == low / packet(low, high);
}

static uint64_t rounded(uint64_t low, uint64_t high)
{
	uint64_t bytes = 0;
	for (uint32_t sector = 0; sector < BYTES / SECTOR; sector++)
		bytes += is_brought(sector, low, high) ? SECTOR : 0;
	return bytes;
}

/* Whether sector `sector` of the array is in the buffer of block (x, y, z) of 3 x 3 x 3. */
static bool is_loaded(const struct host *host, uint32_t x, uint32_t y, uint32_t z, uint32_t sector)
{
	launch(host, "probe", (sluice_dim){3, 3, 3}, (sluice_dim){1, 1, 1}, (z * 16 + y * 4 + x) << 9 | sector);
	assert_int_equal(host_counter(host, "demand"), 1);
	return host_counter(host, "demand_hits");
}

/* Eq. 2 and 3 for blocks of a three-dimensional grid: the packets from the minimum to the maximum and no others,
 * clipped to the allocation. The range is empty if it lies outside the allocation, or if the maximum is below the
 * minimum. */
static void test_equations(void **state)
{
	static const struct sluice_range ranges[] = {
		{.low = 64, .high = 160, .low_by = {256, 1024, 4096}, .high_by = {256, 1024, 4096}},
		{.low = 31, .high = 33},
		{.base = 4096, .low = -65, .high = 1, .low_by = {-512}, .high_by = {128, 64, 32}},
		{.low = -4096, .high = BYTES, .low_by = {0, 4096}, .high_by = {0, 0, -8192}},
		{.base = BYTES - 4, .low = 0, .high = 4, .low_by = {4}, .high_by = {4}},
		{.low = 100, .high = 100, .high_by = {0, 0, 1}},
		{.low = 1ll << 62,
	         .high = 1ll << 62,
	         .low_by = {1ll << 62, 1ll << 62},
	         .high_by = {1ll << 62, 1ll << 62}},
		{.low = -(1ll << 62), .high = 96, .low_by = {-(1ll << 62), -(1ll << 62), -(1ll << 62)}},
	};
	static const uint32_t blocks[][3] = {{0, 0, 0}, {2, 0, 0}, {0, 1, 2}, {2, 2, 1}};
	struct host host = opened("teleport:model=I,field_bits=64", HEAD PROBE);
	uint64_t seen = 0;
	(void)state;
	for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
		const struct sluice_range *range = &ranges[r];
		sluice_forget_ranges(host.gpu);
		announce(&host, *range);
		for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
			const uint32_t *at = blocks[b];
			double low = (double)range->base + (double)range->low,
			       high = (double)range->base + (double)range->high;
			for (uint32_t d = 0; d < 3; d++) {
				low += (double)range->low_by[d] * at[d];
				high += (double)range->high_by[d] * at[d];
			}
			low = low < 0 ? 0 : low;
			high = high > BYTES ? BYTES : high;
			uint32_t first = low < high ? (uint32_t)low / SECTOR : 1;
			uint32_t last = low < high ? ((uint32_t)high - 1) / SECTOR : 0;
			const uint32_t probes[] = {0, first - 1, first, last, last + 1, BYTES / SECTOR - 1};
			for (size_t p = 0; p < sizeof probes / sizeof *probes; p++) {
				if (probes[p] >= BYTES / SECTOR)
					continue;
				bool expected = low < high && is_brought(probes[p], (uint64_t)low, (uint64_t)high);
				seen += expected;
				if (is_loaded(&host, at[0], at[1], at[2], probes[p]) != expected)
					fail_msg("range %zu, block %zu, sector %u", r, b, probes[p]);
			}
		}
	}
	assert_true(seen > 20);
	sluice_close(host.gpu);
}

/* The largest block is the one with the most bytes, in packets, after clipping; and in bytes of its rows. */
static void test_largest_block(void **state)
{
	struct host host = opened("teleport:model=I", HEAD PROBE);
	(void)state;
	announce(&host, (struct sluice_range){.low = 16, .high = 80, .high_by = {100}}); /* 0 to 288 at x = 2 */
	is_loaded(&host, 0, 0, 0, 0);
	assert_int_equal(host_counter(&host, "largest_block_bytes"), 288);
	assert_int_equal(host_counter(&host, "largest_block_row_bytes"), 80 + 200 - 16);
	assert_int_equal(host_counter(&host, "loaded_blocks"), 27);
	announce(&host, (struct sluice_range){.low = BYTES - 4096, .high = BYTES, .low_by = {1500}});
	is_loaded(&host, 0, 0, 0, 0);
	assert_int_equal(host_counter(&host, "rows"), 2);
	assert_int_equal(host_counter(&host, "largest_block_bytes"), 128 + 4096); /* now at x = 0 */
	assert_int_equal(host_counter(&host, "largest_block_row_bytes"), 64 + 4096);
	sluice_close(host.gpu);
}

/* word n * tid.y + tid.x + 64 * ctaid.x: a tile of 2-D blocks; STENCIL also reads the neighbors */
#define TILE_INDEX "mad.lo.u32 %r9, %r5, %r0, %r4;\nmad.lo.u32 %r9, %r1, 64, %r9;\n"
#define TILE       KERNEL("tile", TILE_INDEX LOAD(0))
#define STENCIL    KERNEL("stencil", TILE_INDEX LOAD(128) LOAD(124) LOAD(132))
/* A tile, and two words that all its threads read. The words' row has fewer bytes and more reads than a row of the
 * tile. */
#define TILE_AND_WORDS                                                                                                 \
	KERNEL("tile_and_words",                                                                                       \
	       TILE_INDEX LOAD(0) "ld.global.u32 %r10, [%rd0+16000];\nld.global.u32 %r10, [%rd0+16004];\n")

/* Analysis gives a tile one row per line, and merges neighboring loads into one row; all reads of the blocks hit. */
static void test_analysis(void **state)
{
	enum { X = 16, Y = 8, N = 100 };
	static const struct {
		const char *kernel;
		uint32_t n, rows, before, behind, loads; /* bytes next to the tile's own */
	} row[] = {{"tile", N, Y, 0, 0, 1}, {"tile", X, 1, 0, 0, 1}, {"stencil", N, Y, 4, 4, 3}};
	struct host host = opened("teleport:model=R", HEAD TILE STENCIL);
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		uint64_t largest = 0, offset = row[i].before ? 128 : 0;
		for (uint64_t block = 0; block < 4; block++) {
			uint64_t bytes = 0;
			for (uint64_t y = 0; y < row[i].rows; y++) {
				uint64_t low = offset + 256 * block + 4 * N * y - row[i].before;
				bytes += rounded(low, low + row[i].before + X * 4 * (Y / row[i].rows) + row[i].behind);
			}
			largest = bytes > largest ? bytes : largest;
		}
		launch(&host, row[i].kernel, (sluice_dim){4, 1, 1}, (sluice_dim){X, Y, 1}, row[i].n);
		assert_int_equal(host_counter(&host, "rows"), row[i].rows);
		assert_int_equal(host_counter(&host, "largest_block_bytes"), largest);
		assert_int_equal(host_counter(&host, "demand_hits"), host_counter(&host, "demand"));
		assert_true(host_counter(&host, "demand") >= 4 * row[i].loads * Y / 2);
		assert_int_equal(host_counter(&host, "dropped_rows"), 0);
	}
	sluice_close(host.gpu);
}

/* Runs with standard error redirected to a file, and returns the text. */
static char *said_by(void (*run)(struct host *host), struct host *host)
{
	FILE *file = tmpfile();
	fflush(stderr);
	int real = dup(STDERR_FILENO);
	assert_true(file && real >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
	run(host);
	fflush(stderr);
	dup2(real, STDERR_FILENO);
	close(real);
	rewind(file);
	char *text = calloc(1, 4096);
	assert_non_null(text);
	size_t length = fread(text, 1, 4095, file);
	text[length] = '\0';
	fclose(file);
	return text;
}

static void overflow_twice(struct host *host)
{
	for (uint32_t i = 0; i < 2; i++)
		launch(host, "tile_and_words", (sluice_dim){1, 1, 1}, (sluice_dim){16, 8, 1}, 100);
}

/* Four of nine rows stay: the words that 128 threads read twice, and the tile's three lowest. Five rows of 16 reads
 * are dropped, which is reported once. */
static void test_full_table(void **state)
{
	struct host host = opened("teleport:model=I,table_entries=4", HEAD TILE_AND_WORDS);
	(void)state;
	char *text = said_by(overflow_twice, &host);
	assert_string_equal(
		text, "sluice: teleport: kernel tile_and_words: the preload table's 4 entries are full, 5 rows are "
		      "dropped (80 lane reads of a block)\n");
	free(text);
	assert_int_equal(host_counter(&host, "rows"), 4);
	assert_int_equal(host_counter(&host, "dropped_rows"), 5);
	assert_int_equal(host_counter(&host, "largest_block_bytes"),
	                 rounded(0, 64) + rounded(400, 464) + rounded(800, 864) + rounded(16000, 16008));
	/* Four warps: each reads the words twice, and the first three of the tile's lines. */
	assert_int_equal(host_counter(&host, "demand_hits"), 4 * 2 + 3);
	sluice_close(host.gpu);
}

static void announce_three(struct host *host)
{
	for (int64_t i = 0; i < 3; i++)
		announce(host, (struct sluice_range){.low = 1024 * i, .high = 1024 * i + 32});
	is_loaded(host, 0, 0, 0, 0);
}

/* The reads of rows that a program announces are unknown, so the first rows stay. */
static void test_full_table_of_a_program(void **state)
{
	struct host host = opened("teleport:model=I,table_entries=2", HEAD PROBE);
	(void)state;
	char *text = said_by(announce_three, &host);
	assert_string_equal(
		text, "sluice: teleport: kernel probe: the preload table's 2 entries are full, 1 rows are dropped\n");
	free(text);
	assert_true(is_loaded(&host, 0, 0, 0, 0));
	assert_true(is_loaded(&host, 0, 0, 0, 32));
	assert_false(is_loaded(&host, 0, 0, 0, 64));
	sluice_close(host.gpu);
}

/* The table's fields: products and offsets are multiples of a type size of at most 255 bytes, and the smallest
 * offset may be folded into the pointer. Rows that do not fit are not loaded. */
static void test_fields(void **state)
{
	static const struct {
		struct sluice_range range;
		const char *mechanism;
		bool fits;
	} row[] = {
		{{.high = 4, .low_by = {4 * 32767}, .high_by = {4 * 32767}}, "teleport:model=I", true},
		{{.high = 4, .low_by = {4 * 32768}, .high_by = {4}}, "teleport:model=I", false},
		{{.high = 4, .low_by = {4}, .high_by = {0, 4 * 32768}}, "teleport:model=I", false},
		{{.high = 4, .low_by = {4}, .high_by = {0, 0, -4 * 32768}}, "teleport:model=I", true},
		{{.high = 4, .low_by = {4}, .high_by = {0, 0, -4 * 32769}}, "teleport:model=I", false},
		{{.high = 64, .low_by = {64 * 32767}, .high_by = {64 * 32767}}, "teleport:model=I", true},
		{{.high = 4 * 32768, .low_by = {4}}, "teleport:model=I", true}, /* the largest index is 32767 */
		{{.high = 4 * 32769, .low_by = {4}}, "teleport:model=I", false},
		{{.low = 4 * 40000, .high = 4 * 40001, .low_by = {4}}, "teleport:model=I", true},
		{{.low = -4 * 40000, .high = 4 * 1000, .low_by = {4}}, "teleport:model=I", false},
		{{.high = 4, .low_by = {4 * 32768}, .high_by = {4}}, "teleport:model=I,field_bits=17", true},
		{{.high = 4, .low_by = {4 * 128}, .high_by = {4}}, "teleport:model=I,field_bits=8", false},
	};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct host host = opened(row[i].mechanism, HEAD PROBE);
		announce(&host, row[i].range);
		is_loaded(&host, 0, 0, 0, 0);
		if (host_counter(&host, "rows") != row[i].fits || host_counter(&host, "unfit_rows") == row[i].fits)
			fail_msg("range %zu", i);
		sluice_close(host.gpu);
	}
}

/* word tid.x + 32 * i, for i up to `bound` */
#define LOOP(name, bound)                                                                                              \
	KERNEL(name, "mov.u32 %r6, 0;\ntop:\nmad.lo.u32 %r9, %r6, 32, %r4;\n" LOAD(0) "add.u32 %r6, %r6, 1;\n"         \
	                                                                              "setp.lt.u32 %p1, %r6, " bound   \
	                                                                              ";\n@%p1 bra top;")

/* Footnote 6: the loops whose induction variables give rows. */
static void test_loops(void **state)
{
	static const struct {
		const char *mechanism;
		bool in_code, at_launch;
	} row[] = {{"teleport:model=I,loops=none", false, false},
	           {"teleport:model=I", true, false},
	           {"teleport:model=I,loops=launch", true, true}};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct host host = opened(row[i].mechanism, HEAD LOOP("in_code", "6") LOOP("at_launch", "%r0"));
		launch(&host, "in_code", (sluice_dim){1, 1, 1}, (sluice_dim){32, 1, 1}, 6);
		assert_int_equal(host_counter(&host, "demand"), 6);
		assert_int_equal(host_counter(&host, "demand_hits"), row[i].in_code ? 6 : 0);
		assert_int_equal(host_counter(&host, "kernels_without_rows"), !row[i].in_code);
		launch(&host, "at_launch", (sluice_dim){1, 1, 1}, (sluice_dim){32, 1, 1}, 6);
		assert_int_equal(host_counter(&host, "demand"), 6);
		assert_int_equal(host_counter(&host, "demand_hits"), row[i].at_launch ? 6 : 0);
		sluice_close(host.gpu);
	}
}

/* Analysis is used until the program's first call. From then on, only announced rows count, and a flush removes
 * them. */
static void test_program_has_the_word(void **state)
{
	struct host host = opened("teleport:model=R", HEAD TILE);
	const sluice_dim grid = {1, 1, 1}, block = {32, 1, 1};
	struct sluice_error error;
	uint64_t other;
	(void)state;
	launch(&host, "tile", grid, block, 0);
	assert_int_equal(host_counter(&host, "demand_hits"), 1);
	announce(&host, (struct sluice_range){.low = 0, .high = 128, .low_by = {256}, .high_by = {256}});
	launch(&host, "tile", grid, block, 0);
	assert_int_equal(host_counter(&host, "demand_hits"), 1);
	sluice_forget_ranges(host.gpu);
	launch(&host, "tile", grid, block, 0);
	assert_int_equal(host_counter(&host, "demand_hits"), 0);
	assert_int_equal(host_counter(&host, "kernels_without_rows"), 1);
	/* An array that has been freed when the kernel starts gives no row. */
	host_must(sluice_alloc(host.gpu, BYTES, &other, &error), &error);
	announce(&host, (struct sluice_range){.base = other - host.array, .low = 0, .high = 128});
	announce(&host, (struct sluice_range){.low = 0, .high = 128});
	host_must(sluice_free(host.gpu, other, &error), &error);
	launch(&host, "tile", grid, block, 0);
	assert_int_equal(host_counter(&host, "rows"), 1);
	assert_int_equal(host_counter(&host, "demand_hits"), 1);
	assert_int_equal(sluice_announce_range(host.gpu, &(struct sluice_range){.base = other}, &error),
	                 SLUICE_BAD_ARGUMENT);
	assert_non_null(strstr(error.message, "in no allocation"));
	sluice_close(host.gpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equations),
		cmocka_unit_test(test_largest_block),
		cmocka_unit_test(test_analysis),
		cmocka_unit_test(test_full_table),
		cmocka_unit_test(test_full_table_of_a_program),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_loops),
		cmocka_unit_test(test_program_has_the_word),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
