/* Protects the reader of instruction traces: each kind of error in a file has one message, with file, line and column.
 * Files of different tracer versions are read alike. */
#include "trace_kit.h"

#include <zstd.h>

enum { ROOM = 4096 };

static const char good[] = "-kernel name = k\n"
			   "-grid dim = (2,1,1)\n"
			   "-block dim = (33,1,1)\n"
			   "-shmem = 16\n"
			   "-nregs = 8\n"
			   "-binary version = 70\n"
			   "-shmem base_addr = 0x1000000\n"
			   "-local mem base_addr = 0x2000000\n"
			   "-accelsim tracer version = 4\n"
			   "#BEGIN_TB\n"
			   "thread block = 0,0,0\n"
			   "warp = 0\n"
			   "insts = 3\n"
			   "0000 ffffffff 1 R1 FADD 2 R2 R3 0 \n"
			   "0010 0000000f 1 R4 LDG.E.SYS 1 R2 4 2 0x7f00 8 -4 16 \n"
			   "0020 ffffffff 0 EXIT 0 0 \n"
			   "warp = 1\n"
			   "insts = 1\n"
			   "0020 00000001 0 EXIT 0 0 \n"
			   "#END_TB\n"
			   "#BEGIN_TB\n"
			   "thread block = 1,0,0\n"
			   "#END_TB\n";

/* The file's text with the first `from` replaced by `to`. */
static void with(const char *from, const char *to, char *text)
{
	const char *at = strstr(good, from);
	assert_non_null(at);
	snprintf(text, ROOM, "%.*s%s%s", (int)(at - good), good, to, at + strlen(from));
}

static struct trace_kernel *read_text(const char *text, struct diag *diag)
{
	struct trace_kit kit;
	kit_open(&kit);
	fputs(text, kit.file);
	fflush(kit.file);
	struct trace_kernel *kernel = trace_kernel_read(kit.path, diag);
	kit_close(&kit);
	return kernel;
}

static void test_good(void **state)
{
	struct diag diag = {0};
	struct trace_kernel *kernel = read_text(good, &diag);
	(void)state;
	assert_non_null(kernel);
	assert_null(diag.text);
	assert_int_equal(kernel->instructions, 4);
	assert_int_equal(kernel->program.count, 4); /* and an EXIT for the warps without instructions */
	assert_int_equal(kernel->program.registers, 5);
	assert_int_equal(kernel->program.code[1].size, 4);
	trace_kernel_free(kernel);
}

/* Each change of the file, with the position and text of its message. */
static void test_mistakes(void **state)
{
	static const struct {
		const char *from, *to, *place, *says;
	} row[] = {
		{"-kernel name = k", "-kernel name", "1:1", "expected -KEY = VALUE"},
		{"(2,1,1)", "(2,1)", "2:13", "expected (X,Y,Z)"},
		{"(2,1,1)", "(0,1,1)", "10:", "a grid of (0,1,1) blocks"},
		{"(33,1,1)", "(33,100,1)", "10:", "blocks of (33,100,1) threads"},
		{"-shmem = 16", "-shmem = x", "4:10", "expected a number"},
		{"-shmem = 16", "-shmem = 2000000", "10:", "2000000 bytes of shared memory"},
		{"-nregs = 8\n", "", "9:", "no line -nregs"},
		{"version = 70", "version = 20", "10:", "binary version 20"},
		{"tracer version = 4", "tracer version = 6", "10:", "tracer version 6"},
		{"thread block = 0,0,0", "thread block = 2,0,0", "11:1", "a block of a grid of (2,1,1)"},
		{"thread block = 1,0,0", "thread block = 0,0,0", "22:1", "a block for the second time"},
		{"thread block = 0,0,0", "thread block 0", "11:1", "expected thread block = X,Y,Z"},
		{"warp = 1", "warp = 2", "17:1", "a warp of a block of 2"},
		{"warp = 1", "warp = 0", "17:1", "a warp for the second time"},
		{"insts = 1", "insts = 2", "20:1", "expected an instruction's address"},
		{"insts = 3", "insts = 2", "16:1", "expected warp = N or #END_TB"},
		{"insts = 3", "inst = 3", "13:1", "expected insts = N"},
		{"0000 ffffffff", "0000 fffffffff", "14:6", "expected a mask of 32 lanes"},
		{"0000 ffffffff", "pc ffffffff", "14:1", "expected an instruction's address"},
		{"FADD", "FBDD", "14:20", "unknown opcode 'FBDD' of Volta"},
		{"FADD", "VIADD", "14:20", "unknown opcode 'VIADD' of Volta"}, /* Hopper's */
		{"R2 R3 0", "R2 Q3 0", "14:30", "expected a register"},
		{"R2 R3 0", "R2 R256 0", "14:30", "expected a register"},
		{"2 R2 R3 0 ", "2 R2 R3", "14:32", "expected the bytes that a lane accesses"},
		{"4 2 0x7f00", "4 3 0x7f00", "15:37", "0, 1 or 2"},
		{"8 -4 16 ", "8 -4", "15:50", "expected a difference of addresses"},
		{"4 2 0x7f00", "4 2 0x", "15:39", "expected an address"},
		{"0x7f00 8", "0xff00000000000000 8", "15:37",
	         "lane 0 accesses address 0xff00000000000000 of global memory"},
		{"0020 00000001 0 EXIT", "0020 00000003 0 EXIT", "19:1", "the warp has only 0x00000001"},
		{"#BEGIN_TB\nthread block = 1,0,0\n#END_TB\n", "", "20:", "after 1 of the grid's 2 blocks"},
		{"thread block = 1,0,0\n#END_TB\n", "thread block = 1,0,0\n", "22:1", "expected #END_TB"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct diag diag = {0};
		char text[ROOM], place[64];
		with(row[i].from, row[i].to, text);
		struct trace_kernel *kernel = read_text(text, &diag);
		snprintf(place, sizeof place, "kernel-1.traceg:%s", row[i].place);
		if (kernel || diag.errors != 1 || !strstr(diag.text, place) || !strstr(diag.text, row[i].says))
			fail_msg("'%s' for '%s': expected %s: %s, not %s", row[i].to, row[i].from, place, row[i].says,
			         diag.text ? diag.text : "no message");
		diag_free(&diag);
	}
}

/* The same kernel in the format of tracers before version 3, with block and warp in each line; and with source
 * lines. */
static void test_versions(void **state)
{
	static const char *const leading[] = {"0 0 0 0 ", "17 "};
	static const char *const header[] = {"tracer version = 2", "tracer version = 4\n-enable lineinfo = 1"};
	(void)state;
	for (uint32_t k = 0; k < 2; k++) {
		struct diag diag = {0};
		char text[2 * ROOM] = "", changed[ROOM];
		with("tracer version = 4", header[k], changed);
		for (const char *line = changed; *line; line = strchr(line, '\n') + 1) {
			size_t at = strlen(text), length = strcspn(line, "\n") + 1;
			bool is_inst = strncmp(line, "00", 2) == 0;
			snprintf(text + at, sizeof text - at, "%s%.*s", is_inst ? leading[k] : "", (int)length, line);
		}
		struct trace_kernel *kernel = read_text(text, &diag);
		if (!kernel)
			fail_msg("%s", diag.text);
		assert_int_equal(kernel->instructions, 4);
		trace_kernel_free(kernel);
	}
}

/* A block's shared memory has the size in the header, or ends at the last byte that is accessed. */
static void test_shared(void **state)
{
	struct diag diag = {0};
	char text[ROOM];
	(void)state;
	with("1 R4 LDG.E.SYS 1 R2 4 2 0x7f00 8 -4 16 ", "1 R4 LDS.U.64 1 R2 8 1 0x10 8", text);
	struct trace_kernel *kernel = read_text(text, &diag);
	assert_non_null(kernel);
	assert_int_equal(kernel->program.shared_bytes, 0x10 + 4 * 8);
	trace_kernel_free(kernel);
}

/* After the addresses tracers write immediates, which are ignored. Line ends may be those of DOS. */
static void test_rest_of_lines(void **state)
{
	struct diag diag = {0};
	char text[ROOM];
	(void)state;
	with("0000 ffffffff 1 R1 FADD 2 R2 R3 0 \n", "0000 ffffffff 1 R1 FADD 2 R2 R3 0 77 NoVal\r\n", text);
	struct trace_kernel *kernel = read_text(text, &diag);
	assert_non_null(kernel);
	trace_kernel_free(kernel);
}

static void write_file(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
}

/* A compressed file is the same trace. A truncated or invalid one has a message. */
static void test_compressed(void **state)
{
	char packed[ROOM], path[] = "/tmp/sluice-test-XXXXXX.zst";
	size_t size = ZSTD_compress(packed, sizeof packed, good, sizeof good - 1, 3);
	int file = mkstemps(path, 4);
	(void)state;
	assert_true(file >= 0);
	close(file);
	write_file(path, packed, size);
	struct diag diag = {0};
	struct trace_kernel *kernel = trace_kernel_read(path, &diag);
	assert_non_null(kernel);
	assert_int_equal(kernel->instructions, 4);
	trace_kernel_free(kernel);
	write_file(path, packed, size - 9);
	assert_null(trace_kernel_read(path, &diag));
	assert_non_null(strstr(diag.text, "cut off"));
	diag_free(&diag);
	write_file(path, good, sizeof good - 1);
	assert_null(trace_kernel_read(path, &diag));
	assert_int_equal(diag.errors, 1);
	diag_free(&diag);
	unlink(path);
}

/* Lists: copies and kernels in their order; any other word has a message. */
static void test_lists(void **state)
{
	struct trace_kit kit;
	struct trace_list list = {0};
	struct diag diag = {0};
	(void)state;
	kit_open(&kit);
	assert_true(trace_list_read(&list, kit.folder, &diag));
	assert_int_equal(list.count, 2);
	assert_int_equal(list.command[0].kind, TRACE_COPY);
	assert_int_equal(list.command[0].address, 0x7f0000000000);
	assert_int_equal(list.command[0].bytes, 4096);
	assert_string_equal(list.command[1].path, kit.path);
	trace_list_free(&list);
	kit_write(kit.folder, "kernelslist.g", "MemcpyDtoH,0,1\n# nothing\n\nkernel-1.traceg\nMemcpyHtoD,0x10,x\n");
	assert_false(trace_list_read(&list, kit.folder, &diag));
	assert_non_null(strstr(diag.text, "kernelslist.g:5:17: error: expected a number of bytes"));
	trace_list_free(&list);
	diag_free(&diag);
	kit_write(kit.folder, "kernelslist.g", "krnel-1.traceg\n");
	assert_false(trace_list_read(&list, kit.folder, &diag));
	assert_non_null(strstr(diag.text, "kernelslist.g:1:1: error: expected MemcpyHtoD"));
	trace_list_free(&list);
	diag_free(&diag);
	kit_close(&kit);
}

/* Every generation knows the common opcodes, and each name occurs in only one row per generation. */
static void test_opcodes(void **state)
{
	static const char *const all[] = {"FADD", "FFMA", "IMAD", "MOV", "LDG", "STG", "BAR", "EXIT", "BRA", "SHFL"};
	static const uint32_t versions[] = {35, 50, 61, 70, 75, 80, 86, 89, 90};
	enum trace_isa isa;
	(void)state;
	for (size_t v = 0; v < sizeof versions / sizeof *versions; v++) {
		assert_true(trace_isa_of(versions[v], &isa));
		for (size_t i = 0; i < sizeof all / sizeof *all; i++)
			assert_non_null(trace_find_opcode(isa, all[i], strlen(all[i])));
	}
	assert_false(trace_isa_of(20, &isa));
	assert_false(trace_isa_of(100, &isa));
	assert_null(trace_find_opcode(TRACE_VOLTA, "XMAD", 4));
	assert_non_null(trace_find_opcode(TRACE_PASCAL, "XMAD", 4));
}

/* The meaning of suffixes: widths, accesses that bypass L1, shapes of matrices. */
static void test_suffixes(void **state)
{
	static const struct {
		const char *opcode;
		uint32_t size, cache, latency;
	} row[] = {
		{"LDG.E.SYS", 4, PTX_CACHE_NONE, PTX_LATENCY_MEMORY},
		{"LDG.E.U8.SYS", 1, PTX_CACHE_NONE, PTX_LATENCY_MEMORY},
		{"LDG.E.S16.SYS", 2, PTX_CACHE_NONE, PTX_LATENCY_MEMORY},
		{"LDG.E.64.STRONG.GPU", 8, PTX_CG, PTX_LATENCY_MEMORY},
		{"LDG.E.128.CONSTANT.SYS", 16, PTX_CACHE_NONE, PTX_LATENCY_MEMORY},
		{"LDGSTS.E.BYPASS.LTC128B.128", 16, PTX_CG, PTX_LATENCY_MEMORY},
		{"LDGSTS.E", 4, PTX_CACHE_NONE, PTX_LATENCY_MEMORY},
		{"LDSM.16.M88.4", 16, PTX_CACHE_NONE, PTX_LATENCY_MEMORY},
		{"HMMA.884.F32.F32.STEP0", 4, PTX_CACHE_NONE, PTX_LATENCY_MMA_256},
		{"HMMA.16816.F32", 4, PTX_CACHE_NONE, PTX_LATENCY_MMA_2K},
	};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct simt_inst inst = {0};
		struct ptx_inst ptx = {0};
		bool is_bulk;
		const char *at;
		assert_null(
			trace_describe(TRACE_AMPERE, row[i].opcode, strlen(row[i].opcode), &inst, &ptx, &is_bulk, &at));
		assert_int_equal(inst.size, row[i].size);
		assert_int_equal(inst.cache, row[i].cache);
		assert_int_equal(inst.latency, row[i].latency);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),          cmocka_unit_test(test_mistakes),
		cmocka_unit_test(test_versions),      cmocka_unit_test(test_suffixes),
		cmocka_unit_test(test_rest_of_lines), cmocka_unit_test(test_compressed),
		cmocka_unit_test(test_lists),         cmocka_unit_test(test_opcodes),
		cmocka_unit_test(test_shared),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
