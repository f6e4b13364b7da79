/* Protects the comparison of reads with predicted rows. Tests the hook in simt, the full report of a wrong prediction,
 * and that concurrent blocks do not disturb each other. */
#include "simt_kit.h"

#include "flow/affine.h"
#include "simt/check.h"
#include "sluice.h"

/* Thread i of block b reads in[32 * b + i] through a generic address. It also reads shared memory, which is not
 * compared. */
static const char kernel_text[] =
	".version 3.1\n.target sm_20\n.address_size 64\n.file 1 \"k.cu\"\n"
	".visible .entry k(.param .u64 in) {\n.reg .u32 %r<8>;\n.reg .u64 %rd<8>;\n.shared .u32 s[64];\n"
	"ld.param.u64 %rd1, [in];\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %tid.x;\nmad.lo.s32 %r3, %r1, 32, %r2;\n"
	"mul.wide.u32 %rd2, %r3, 4;\nadd.s64 %rd3, %rd1, %rd2;\n.loc 1 7 0\nld.u32 %r4, [%rd3];\n"
	"ld.shared.u32 %r5, [s];\nret;\n}\n";

struct judge {
	uint32_t begun, ended, reads, wrong_block;
	struct dim3 now;
};

static void *judge_begin(void *user, struct dim3 block)
{
	struct judge *judge = user;
	judge->begun++;
	judge->now = block;
	return judge;
}

static uint32_t judge_read(void *block, uint32_t inst, uint32_t lanes, const uint64_t *address)
{
	struct judge *judge = block;
	judge->reads++;
	assert_int_equal(inst, 6);
	assert_int_equal(lanes, UINT32_MAX);
	assert_int_equal(address[5], 0x80000000 + 4 * (32 * judge->now.x + 5));
	return judge->now.x == judge->wrong_block ? 0x30 : 0; /* lanes 4 and 5 */
}

static void judge_end(void *block)
{
	((struct judge *)block)->ended++;
}

static void judge_describe(void *user, uint32_t inst, char *text, size_t size)
{
	(void)user;
	snprintf(text, size, "what instruction %u reads", inst);
}

static void take(void *user, const char *text)
{
	strncat(user, text, 1023);
}

static void take_no_stray(void *user, bool is_stray, const char *text)
{
	assert_false(is_stray);
	take(user, text);
}

/* Every global load is compared once per warp, between its block's begin and end. A wrong prediction is reported. */
static void hook(void **state)
{
	(void)state;
	static const char *const parts[] = {
		"kernel 'k': read outside the rows predicted for its index",
		"read at test.ptx:16 (k.cu:7), thread (4,0,0)",
		"block (2,0,0), address 0x80000110, 4 bytes",
		"allocation: 0x80000000, 512 bytes, offset 272",
		"predicted: what instruction 6 reads",
		"2 times in this launch",
	};
	struct kit kit;
	struct judge judge = {.wrong_block = 2};
	struct simt_reads reads = {judge_begin, judge_read, judge_end, judge_describe, &judge};
	struct simt_checks *checks = simt_checks_open(SIMT_CHECK_READS);
	char text[1024] = "";
	kit_open(&kit, kernel_text);
	kit_buffer(&kit, 512);
	simt_check_program(checks, kit.program);
	kit.launch.checks = checks;
	kit.launch.reads = &reads;
	kit.launch.grid.x = 4;
	kit_run(&kit);
	assert_int_equal(judge.begun, 4);
	assert_int_equal(judge.ended, 4);
	assert_int_equal(judge.reads, 4);
	simt_checks_report(checks, &kit.launch, take_no_stray, text);
	assert_int_equal(simt_checks_found(checks), 1);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (!strstr(text, parts[i]))
			fail_msg("'%s' is not in '%s'", parts[i], text);
	simt_checks_close(checks);
	kit_close(&kit);
}

static bool one_array(void *user, uint64_t address, uint64_t *low, uint64_t *high)
{
	(void)user;
	*low = 0x80000000;
	*high = 0x80000000 + 512;
	return address >= *low && address < *high;
}

/* Two blocks read in turns: each is compared with its own rows, and predicted words that a block does not read are
 * counted. */
static void interleaved(void **state)
{
	(void)state;
	struct arena arena = {0};
	struct diag diag = {0};
	struct ptx_module *module = ptx_parse("test.ptx", kernel_text, strlen(kernel_text), &diag);
	const struct affine_kernel *kernel = affine_analyze(&arena, module->functions);
	uint64_t pointer = 0x80000000;
	struct affine_launch launch = {.grid = {4, 1, 1}, .block = {32, 1, 1}, .params = (const uint8_t *)&pointer};
	struct affine_check *check = affine_check_open(kernel, &launch, one_array, NULL);
	struct affine_block *block[2] = {affine_block_open(), affine_block_open()};
	struct affine_counts counts = {0};
	for (uint32_t i = 0; i < 2; i++)
		affine_block_begin(block[i], check, (const uint32_t[]){i + 1, 0, 0});
	for (uint32_t lane = 0; lane < 30; lane++) /* the last two do not read */
		for (uint32_t i = 0; i < 2; i++)
			assert_true(affine_block_read(block[i], 6, pointer + 128 * (i + 1) + 4 * lane));
	assert_false(affine_block_read(block[0], 6, pointer + 124)); /* in the rows of blocks 0 and 2 */
	assert_false(affine_block_read(block[0], 6, pointer + 256));
	assert_true(affine_block_read(block[0], FLOW_NONE, pointer));
	for (uint32_t i = 0; i < 2; i++)
		affine_block_end(block[i], &counts);
	assert_int_equal(counts.reads, 62);
	assert_int_equal(counts.missed, 2);
	assert_int_equal(counts.other, 1);
	assert_int_equal(counts.read_bytes, 248);
	assert_int_equal(counts.over_bytes, 16);
	for (uint32_t i = 0; i < 2; i++)
		affine_block_close(block[i]);
	affine_check_close(check);
	ptx_free(module);
	arena_free(&arena);
}

/* A correct prediction prints nothing: timed or functional, on several host threads, after a kernel that stopped with
 * resident blocks, and after the module is reloaded. */
static void library(void **state)
{
	(void)state;
	for (uint32_t mode = 0; mode < 3; mode++) {
		char text[1024] = "";
		struct sluice_settings settings = {SLUICE_SIZED(settings), .functional = mode == 0,
		                                   .threads = mode,        .check = "footprint",
		                                   .finding = take,        .finding_user = text};
		sluice_gpu *gpu;
		assert_int_equal(sluice_open(&gpu, &settings, NULL), SLUICE_OK);
		for (uint32_t time = 0; time < 3; time++) {
			sluice_module *module;
			uint64_t in, bad = 0x70000000;
			assert_int_equal(sluice_load(gpu, kernel_text, strlen(kernel_text), "k.ptx", &module, NULL),
			                 SLUICE_OK);
			assert_int_equal(sluice_alloc(gpu, 1 << 16, &in, NULL), SLUICE_OK);
			enum sluice_status status =
				sluice_launch(gpu, sluice_find_kernel(module, "k"), (sluice_dim){300, 1, 1},
			                      (sluice_dim){32, 1, 1}, 0, (void *[]){time == 1 ? &bad : &in}, NULL);
			assert_int_equal(status, time == 1 ? SLUICE_FAULT : SLUICE_OK);
			sluice_unload(gpu, module);
		}
		assert_int_equal(sluice_findings(gpu), 0);
		assert_string_equal(text, "");
		sluice_close(gpu);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hook),
		cmocka_unit_test(interleaved),
		cmocka_unit_test(library),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
