/* Protects the findings of `--check race` about DMA transfers (docs/how-to/checks.md): the accesses that the engine
 * orders with them, and those that only barriers order. The findings do not depend on which warp came first. Each racy
 * program has a counterpart that is just free of races. */
#include "simt_kit.h"

#include "simt/check.h"

enum { WARPS = 3, INTS = 4096 };

/* Three warps; 8 KB of shared memory at 0, with data outside DMA from 4096 on; global memory at %rd0, whose ints the
 * transfers read. Registers of each thread: %r0: its number. %r1: its element of a tile at 0. %r2: that of its
 * neighbor in the next warp. %rd2: its int in global memory. %p1: the selected warp. %p2: the next one. */
static const char head[] =
	".version 3.1\n.target sm_20\n.address_size 64\n.shared .align 8 .b8 tile[8192];\n"
	".visible .entry kernel(.param .u64 in, .param .u32 other) {\n"
	".reg .u32 %r<20>;\n.reg .u64 %rd<20>;\n.reg .pred %p<8>;\n"
	"ld.param.u64 %rd0, [in]; ld.param.u32 %r3, [other]; mov.u32 %r0, %tid.x; mov.u32 %r19, tile;\n"
	"shl.b32 %r1, %r0, 2; add.u32 %r2, %r0, 32; rem.u32 %r2, %r2, 96; shl.b32 %r2, %r2, 2;\n"
	"mul.wide.u32 %rd2, %r0, 4; add.u64 %rd2, %rd0, %rd2; shr.u32 %r4, %r0, 5; setp.eq.u32 %p1, %r4, %r3;\n"
	"add.u32 %r5, %r3, 1; rem.u32 %r5, %r5, 3; setp.eq.u32 %p2, %r4, %r5;\n"
	"add.u64 %rd5, %rd0, 4000; add.u64 %rd6, %rd0, 8000; mov.u32 %r17, 5; dma_type 4;\n";

#define WARP_ONLY(instruction) "@%p1 " instruction " "
#define OTHERS(instruction)    "@!%p1 " instruction " "
#define CONFIGURE              "dma_flat 0, 0, %rd0, 96;\n"
#define EXECUTE                "dma_execute 0, 0, %rd5;\n"
#define EXECUTE_AGAIN          "dma_execute 0, 0, %rd6;\n"
#define READ                   "ld.shared.u32 %r6, [%r1];\n"
#define READ_NEIGHBOR          "ld.shared.u32 %r6, [%r2];\n"
#define STORE                  "st.shared.u32 [%r1], %r0;\n"
#define STORE_ASIDE            "st.shared.u32 [%r1+4096], %r0;\n"
#define READ_ASIDE             "ld.shared.u32 %r6, [%r2+4096];\n"
#define BARRIER                "bar.sync 0;\n"
#define STORE_SOURCE           "st.global.u32 [%rd2], %r0;\n"

/* The findings about a body: the number of pairs of lines, and the texts of one of them. */
struct row {
	const char *body;
	uint64_t pairs;
	const char *says[2];
};

static void take(void *user, bool is_stray, const char *text)
{
	assert_false(is_stray);
	char *all = user;
	strcat(strcat(all, text), "\n");
}

static bool overlaps; /* warps continue after their commands, as with an engine */

static void find(const char *body, uint32_t other, char *all, uint64_t *pairs)
{
	struct kit kit;
	char text[4096];
	snprintf(text, sizeof text, "%s%s\nexit;\n}\n", head, body);
	kit_open(&kit, text);
	struct simt_checks *checks = simt_checks_open(SIMT_CHECK_RACE);
	simt_check_program(checks, kit.program);
	kit.launch.checks = checks;
	kit.launch.block.x = WARPS * 32;
	kit.launch.dma_overlaps = overlaps;
	memset(kit_buffer(&kit, INTS * 4), 1, INTS * 4);
	kit_param32(&kit, other);
	kit_run(&kit);
	*pairs = simt_checks_found(checks);
	*all = '\0';
	simt_checks_report(checks, &kit.launch, take, all);
	simt_checks_close(checks);
	kit_close(&kit);
}

static void check_row(const struct row *row)
{
	char all[8192];
	for (uint32_t other = 0; other < WARPS; other++) {
		uint64_t pairs;
		find(row->body, other, all, &pairs);
		if (pairs != row->pairs)
			fail_msg("%llu pairs, with warp %u different, of\n%s\n%s", (unsigned long long)pairs, other,
			         row->body, all);
		for (uint32_t i = 0; i < 2 && row->says[i]; i++)
			if (!strstr(all, row->says[i]))
				fail_msg("with warp %u different, of\n%s\n%s", other, row->body, all);
	}
}

#define CHECK_ROWS(rows)                                                                                               \
	for (size_t i = 0; i < sizeof(rows) / sizeof *(rows); i++)                                                     \
	check_row(&(rows)[i])

static const char title[] = "race on shared memory: a DMA transfer that nothing orders";

/* A warp reads the transferred data after its own command, or after another warp's command and a barrier. */
static void test_behind_the_command(void **state)
{
	static const struct row rows[] = {
		{CONFIGURE READ READ_NEIGHBOR, 0, {0}},
		{CONFIGURE STORE READ, 0, {0}},
		{CONFIGURE READ_NEIGHBOR EXECUTE READ READ_NEIGHBOR EXECUTE READ, 0, {0}},
		{CONFIGURE READ_NEIGHBOR CONFIGURE READ_NEIGHBOR, 0, {0}},
		{CONFIGURE STORE EXECUTE READ_NEIGHBOR, 0, {0}}, /* all had stored before the transfer began */
		{CONFIGURE WARP_ONLY("exit;") READ EXECUTE READ, 0, {0}},
		{WARP_ONLY(CONFIGURE) BARRIER READ OTHERS(CONFIGURE), 0, {0}},
		{CONFIGURE "dma_execute 0, 512, %rd5;\n" READ "dma_execute 0, 0, %rd6;\n" READ, 0, {0}},
		/* stores after the transfer follow the usual rules */
		{CONFIGURE STORE READ_NEIGHBOR, 1, {"write at test.ptx:", "read at test.ptx:"}},
		{CONFIGURE STORE BARRIER READ_NEIGHBOR, 0, {0}},
		{CONFIGURE READ_NEIGHBOR STORE, 1, {"write at test.ptx:", "read at test.ptx:"}},
	};
	(void)state;
	CHECK_ROWS(rows);
}

/* A buffer's first transfer overwrites memory. Only a barrier orders it with earlier accesses, whichever warp begins
 * it. */
static void test_before_the_first(void **state)
{
	static const struct row rows[] = {
		{OTHERS(READ) CONFIGURE, 1, {title, "transfer of DMA buffer 0 at test.ptx:"}},
		{WARP_ONLY(READ) CONFIGURE, 1, {title, "read at test.ptx:"}},
		{WARP_ONLY(STORE) CONFIGURE, 1, {title, "write at test.ptx:"}},
		{WARP_ONLY("st.shared.u8 [%r1+1], %r0;\n") CONFIGURE, 1, {title, "1 bytes"}},
		{OTHERS(STORE) CONFIGURE, 1, {title, "write at test.ptx:"}},
		{READ BARRIER CONFIGURE, 0, {0}},
		{STORE BARRIER CONFIGURE READ, 0, {0}},
		/* one warp is ordered with it, the third is not */
		{WARP_ONLY(READ) WARP_ONLY("bar.sync 1, 64;\n") "@%p2 bar.sync 1, 64;\n" CONFIGURE, 1, {title}},
		{WARP_ONLY(READ) WARP_ONLY("bar.sync 1, 64;\n") "@%p2 bar.sync 1, 64;\n" BARRIER CONFIGURE, 0, {0}},
		/* of a warp's accesses the last one counts, whatever its address */
		{WARP_ONLY("ld.shared.u32 %r6, [256];\n") BARRIER WARP_ONLY("ld.shared.u32 %r6, [0];\n") CONFIGURE,
	         1,
	         {title}},
		{WARP_ONLY("ld.shared.u32 %r6, [0];\n") BARRIER WARP_ONLY("ld.shared.u32 %r6, [256];\n") CONFIGURE,
	         1,
	         {title}},
		/* outside the range */
		{STORE_ASIDE CONFIGURE, 0, {0}},
		{OTHERS("st.shared.u32 [384], %r17;\n") CONFIGURE, 0, {0}},
		{OTHERS("st.shared.u32 [380], %r17;\n") CONFIGURE, 1, {title, "shared address 0x17c, 4 bytes"}},
		/* the bank that is skipped */
		{OTHERS("st.shared.u32 [16], %r17;\n") "dma_spaced 0, 4;\n" CONFIGURE, 0, {0}},
		{OTHERS("st.shared.u32 [20], %r17;\n") "dma_spaced 0, 4;\n" CONFIGURE, 1, {title}},
		{"dma_type 1;\n" OTHERS("st.shared.u8 [3], %r17;\n") "dma_flat 0, 0, %rd0, 3;\n", 0, {0}},
		{"dma_type 1;\n" OTHERS("st.shared.u8 [2], %r17;\n") "dma_flat 0, 0, %rd0, 3;\n", 1, {title}},
	};
	(void)state;
	CHECK_ROWS(rows);
}

/* Two buffers whose transfers write the same memory. */
static void test_two_buffers(void **state)
{
#define CONFIGURE_OTHER "dma_flat 1, 128, %rd5, 96;\n"
	static const struct row rows[] = {
		{CONFIGURE CONFIGURE_OTHER, 1, {"transfer of DMA buffer 0", "transfer of DMA buffer 1"}},
		{CONFIGURE BARRIER CONFIGURE_OTHER, 1, {"transfer of DMA buffer 0", "transfer of DMA buffer 1"}},
		{CONFIGURE READ BARRIER CONFIGURE_OTHER READ_NEIGHBOR, 0, {0}},
		{CONFIGURE WARP_ONLY(READ) BARRIER CONFIGURE_OTHER, 0, {0}},
		/* the warp that has waited for the first may begin the second: but any other one might, too */
		{CONFIGURE WARP_ONLY("ld.shared.u32 %r6, [128];\n") CONFIGURE_OTHER,
	         2,
	         {"transfer of DMA buffer 0", "transfer of DMA buffer 1"}},
		{CONFIGURE "dma_flat 1, 384, %rd5, 96;\n", 0, {0}},
		{CONFIGURE "dma_flat 1, 1024, %rd5, 96;\n" READ "dma_execute 1, 0, %rd6;\n" READ, 0, {0}},
		{CONFIGURE "dma_flat 1, 1024, %rd5, 96;\n dma_execute 1, 0, %rd6;\n", 1, {"buffer 0", "buffer 1"}},
	};
	(void)state;
	CHECK_ROWS(rows);
}

/* A command is not a barrier. Only an access to its data orders other data. */
static void test_other_data(void **state)
{
	static const struct row rows[] = {
		{CONFIGURE STORE_ASIDE EXECUTE READ_ASIDE, 1, {"race on shared memory: two warps"}},
		{CONFIGURE STORE_ASIDE EXECUTE READ READ_ASIDE, 0, {0}},
		{CONFIGURE STORE_ASIDE READ READ_ASIDE, 1, {"race on shared memory: two warps"}},
		{CONFIGURE STORE_ASIDE EXECUTE BARRIER READ_ASIDE, 0, {0}},
		{CONFIGURE WARP_ONLY(STORE_ASIDE) READ READ_ASIDE, 1, {"race on shared memory: two warps"}},
		/* accesses after the command */
		{CONFIGURE EXECUTE STORE_ASIDE READ READ_ASIDE, 1, {"race on shared memory: two warps"}},
	};
	(void)state;
	CHECK_ROWS(rows);
}

/* A transfer's source may be written once the transfer is known to be over. */
static void test_source(void **state)
{
#define IS_WRITTEN "race on global memory: written while a DMA transfer may read it"
#define LANE                                                                                                           \
	"and.b32 %r7, %r0, 31; mov.u32 %r8, 0; mul.wide.u32 %rd9, %r7, 4; add.u64 %rd9, %rd9, %rd0;\n"                 \
	"cvt.u64.u32 %rd10, %r7; add.u64 %rd10, %rd10, %rd0;\n"
	static const struct row rows[] = {
		{CONFIGURE STORE_SOURCE, 1, {IS_WRITTEN, "transfer of DMA buffer 0 at test.ptx:"}},
		{CONFIGURE "atom.global.add.u32 %r6, [%rd2], 1;\n", 1, {IS_WRITTEN, "atomic at test.ptx:"}},
		{CONFIGURE "st.u32 [%rd2], %r0;\n", 1, {IS_WRITTEN, "4 bytes\n  allocation: "}},
		{CONFIGURE READ STORE_SOURCE, 0, {0}},
		{CONFIGURE READ_NEIGHBOR STORE_SOURCE, 0, {0}},
		{CONFIGURE "ld.global.u32 %r6, [%rd2];\n", 0, {0}},
		{CONFIGURE BARRIER STORE_SOURCE, 1, {IS_WRITTEN}},
		{CONFIGURE WARP_ONLY(READ) STORE_SOURCE, 1, {IS_WRITTEN}},
		{CONFIGURE WARP_ONLY(READ) BARRIER STORE_SOURCE, 0, {0}},
		/* over when the next one of the buffer has begun, which a command does not guarantee */
		{CONFIGURE EXECUTE STORE_SOURCE, 1, {IS_WRITTEN}},
		{CONFIGURE EXECUTE READ STORE_SOURCE, 0, {0}},
		{CONFIGURE READ EXECUTE STORE_SOURCE, 0, {0}},
		{CONFIGURE WARP_ONLY(READ) EXECUTE READ STORE_SOURCE, 0, {0}},
		{CONFIGURE EXECUTE EXECUTE_AGAIN STORE_SOURCE, 0, {0}},
		{CONFIGURE EXECUTE EXECUTE_AGAIN "st.global.u32 [%rd2+4000], %r0;\n", 1, {IS_WRITTEN}},
		{CONFIGURE EXECUTE EXECUTE_AGAIN "st.global.u32 [%rd2+8000], %r0;\n", 1, {IS_WRITTEN}},
		{CONFIGURE EXECUTE READ "st.global.u32 [%rd2+4000], %r0;\n", 0, {0}},
		/* of two sources, the one that was waited for */
		{CONFIGURE "dma_execute 0, 512, %rd5;\n" READ STORE_SOURCE, 0, {0}},
		{CONFIGURE "dma_execute 0, 512, %rd5;\n" READ "st.global.u32 [%rd2+4000], %r0;\n", 1, {IS_WRITTEN}},
		{CONFIGURE
	         "dma_execute 0, 512, %rd5; ld.shared.u32 %r6, [%r1+512];\n st.global.u32 [%rd2+4000], %r0;\n",
	         0,
	         {0}},
		/* before a first transfer, whichever warp begins it; before a later one, everything is over */
		{STORE_SOURCE CONFIGURE, 1, {IS_WRITTEN}},
		{WARP_ONLY(STORE_SOURCE) CONFIGURE, 1, {IS_WRITTEN}},
		{OTHERS(STORE_SOURCE) CONFIGURE, 1, {IS_WRITTEN}},
		{STORE_SOURCE BARRIER CONFIGURE, 0, {0}},
		{WARP_ONLY(STORE_SOURCE) WARP_ONLY("bar.sync 1, 64;\n") "@%p2 bar.sync 1, 64;\n" CONFIGURE,
	         1,
	         {IS_WRITTEN}},
		{"st.global.u32 [%rd2+384], %r0;\n" CONFIGURE, 0, {0}},
		{"dma_flat 0, 0, %rd5, 96;\n" STORE_SOURCE "dma_execute 0, 0, %rd0;\n" READ, 0, {0}},
		{WARP_ONLY("st.global.u32 [%rd0], %r0;\n") BARRIER "@%p2 st.global.u32 [%rd0+4], %r0;\n" CONFIGURE,
	         1,
	         {IS_WRITTEN}},
		/* stores that are recorded together: two iterations of a loop, the first ordered by a barrier; bytes of
		 * several ints */
		{LANE "again: " WARP_ONLY(
			 "st.global.u32 [%rd9], %r0;") "add.u64 %rd9, %rd9, 128; add.u32 %r8, %r8, 1;\n"
	                                               "setp.eq.u32 %p3, %r8, 1; @%p3 bar.sync 0; setp.lt.u32 %p4, "
	                                               "%r8, 2; @%p4 bra again;\n"
	                                               "add.u64 %rd8, %rd0, 128; dma_flat 0, 0, %rd8, 32;\n",
	         1,
	         {IS_WRITTEN}},
		{LANE WARP_ONLY("st.global.u32 [%rd9], %r0;\n") WARP_ONLY(
			 "st.global.u32 [%rd9+128], %r0;\n") "add.u64 %rd8, %rd0, 128; dma_flat 0, 0, %rd8, 32;\n",
	         1,
	         {"write at test.ptx:17, thread"}},
		{LANE WARP_ONLY("st.global.u8 [%rd10+5], %r0;\n") "dma_strided 0, 0, %rd0, 2, 9;\n", 1, {IS_WRITTEN}},
		{LANE WARP_ONLY("st.global.u8 [%rd10+4], %r0;\n") "dma_strided 0, 0, %rd0, 2, 9;\n", 0, {0}},
		/* outside the source */
		{CONFIGURE "st.global.u32 [%rd2+384], %r0;\n", 0, {0}},
		{CONFIGURE "st.global.u32 [%rd2+380], %r0;\n", 1, {IS_WRITTEN}},
		{CONFIGURE "st.global.u8 [%rd0+383], %r0;\n", 1, {IS_WRITTEN}},
		{"dma_flat 0, 0, %rd5, 96;\n st.global.u32 [%rd0+3996], %r0;\n", 0, {0}},
		{"add.u64 %rd5, %rd5, 4; dma_flat 0, 0, %rd5, 96;\n st.global.v2.u32 [%rd0+4000], {%r0, %r0};\n",
	         1,
	         {IS_WRITTEN}},
		{"dma_strided 0, 0, %rd0, 40, 9;\n st.global.u32 [%rd0+32], %r0;\n", 0, {0}},
		{"dma_strided 0, 0, %rd0, 40, 9;\n st.global.u32 [%rd0+36], %r0;\n", 1, {IS_WRITTEN}},
		{"dma_strided 0, 0, %rd0, 40, 9;\n st.global.u32 [%rd0+1404], %r0;\n", 1, {IS_WRITTEN}},
		{"dma_strided 0, 0, %rd0, 40, 9;\n st.global.u32 [%rd0+1440], %r0;\n", 0, {0}},
		/* overlapping lines; a halo that is constant at the matrix's first line: 3 lines of 4 at line 2,
		 * element 3 of 10 */
		{"dma_matrix 0, 0, %rd0, 3, 4, 2;\n st.global.u32 [%rd0+28], %r0;\n", 1, {IS_WRITTEN}},
		{"dma_matrix 0, 0, %rd0, 3, 4, 2;\n st.global.u32 [%rd0+32], %r0;\n", 0, {0}},
#define HALO(region) "dma_halo 0, 1, 2, " region ", 7; add.u64 %rd7, %rd0, 92; dma_matrix 0, 0, %rd7, 3, 4, 10;\n"
		{HALO("9") "st.global.u32 [%rd0+44], %r0;\n", 1, {IS_WRITTEN}},
		{HALO("9") "st.global.u32 [%rd0+40], %r0;\n", 0, {0}},
		{HALO("2") "st.global.u32 [%rd0+44], %r0;\n", 0, {0}},
		{HALO("2") "st.global.u32 [%rd0+84], %r0;\n", 1, {IS_WRITTEN}},
		{HALO("4") "st.global.u32 [%rd0+84], %r0;\n", 0, {0}},
		{HALO("4") "st.global.u32 [%rd0+112], %r0;\n", 1, {IS_WRITTEN}},
		{HALO("9") "st.global.u32 [%rd0+196], %r0;\n", 0, {0}},
		{HALO("9") "st.global.u32 [%rd0+192], %r0;\n", 1, {IS_WRITTEN}},
	};
	(void)state;
	CHECK_ROWS(rows);
}

/* Warps that have reached a later transfer and continued before it began. */
static void test_gone_on(void **state)
{
	static const struct row rows[] = {
		{"dma_flat 0, 0, %rd5, 96;\n dma_execute 0, 0, %rd0;\n" STORE_SOURCE, 1, {IS_WRITTEN}},
		{"dma_flat 0, 0, %rd5, 96;\n" STORE_SOURCE "dma_execute 0, 0, %rd0;\n", 0, {0}},
		{CONFIGURE STORE_ASIDE EXECUTE READ_ASIDE, 1, {"race on shared memory: two warps"}},
	};
	(void)state;
	overlaps = true;
	CHECK_ROWS(rows);
	overlaps = false;
}

/* Successive blocks in one slot do not affect each other. */
static void test_blocks(void **state)
{
	struct kit kit;
	char text[4096];
	(void)state;
	snprintf(text, sizeof text, "%s%s\nexit;\n}\n", head, STORE BARRIER CONFIGURE STORE BARRIER READ_NEIGHBOR);
	kit_open(&kit, text);
	struct simt_checks *checks = simt_checks_open(SIMT_CHECK_RACE);
	simt_check_program(checks, kit.program);
	kit.launch.checks = checks;
	kit.launch.block.x = WARPS * 32;
	kit.launch.grid.x = 5;
	kit_buffer(&kit, INTS * 4);
	kit_param32(&kit, 0);
	kit_run(&kit);
	assert_int_equal(simt_checks_found(checks), 0);
	simt_checks_close(checks);
	kit_close(&kit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_behind_the_command),
		cmocka_unit_test(test_before_the_first),
		cmocka_unit_test(test_two_buffers),
		cmocka_unit_test(test_other_data),
		cmocka_unit_test(test_source),
		cmocka_unit_test(test_gone_on),
		cmocka_unit_test(test_blocks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
