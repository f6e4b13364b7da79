/* Protects that statistics and results are the same for SMs that run ahead and SMs in step, with kernels that race. No
 * SM may issue a load ahead of the others if the load may alias one of their stores, whatever the origin of its
 * pointer.
 * All blocks load and store a few words all the time. A load that comes a cycle too early, or sees one store too many,
 * thus changes everything after it. */
#include "random_runs.h"

enum { WORDS = 64, BLOCKS = 6, MOST_THREADS = 288 };

/* %rd1: the address of its loads; %rd2: of its stores. */
#define KERNEL(pointers, load, store)                                                                                  \
	".version 7.0\n.target sm_80\n.address_size 64\n.global .align 4 .b32 variable[64];\n"                         \
	".func (.param .b32 r) get(.param .b64 p)\n{\n.reg .b64 %d;\n.reg .b32 %r;\nld.param.b64 %d, [p];\n"           \
	"ld.b32 %r, [%d];\nst.param.b32 [r], %r;\nret;\n}\n"                                                           \
	".visible .entry k(.param .u64 words, .param .u64 again, .param .u64 table, .param .u64 out)\n{\n"             \
	".reg .pred %p;\n.reg .b32 %a, %v, %x, %i, %t, %b;\n.reg .b64 %rd<8>;\n.shared .align 8 .b8 sh[256];\n"        \
	"mov.u32 %t, %tid.x;\nmov.u32 %b, %ctaid.x;\nmad.lo.u32 %a, %b, 77, %t;\nmov.u32 %i, 0;\n" pointers "\n"       \
	"L:\nmad.lo.u32 %x, %a, 7, %i;\nand.b32 %x, %x, 63;\nmad.wide.u32 %rd3, %x, 4, %rd1;\n" load "\n"              \
	"mad.lo.u32 %a, %a, 5, %v;\nxor.b32 %x, %a, %b;\nand.b32 %x, %x, 63;\nmad.wide.u32 %rd4, %x, 4, %rd2;\n"       \
	"and.b32 %v, %a, 3;\nsetp.ne.u32 %p, %v, 0;\n@%p bra N;\n" store "\nN:\nadd.u32 %i, %i, 1;\n"                  \
	"setp.lt.u32 %p, %i, 150;\n@%p bra L;\nld.param.u64 %rd5, [out];\nmov.u32 %x, %ntid.x;\n"                      \
	"mad.lo.u32 %x, %b, %x, %t;\n"                                                                                 \
	"mad.wide.u32 %rd5, %x, 4, %rd5;\nst.global.b32 [%rd5], %a;\nret;\n}\n"

#define BOTH  "ld.param.u64 %rd1, [words];\nmov.u64 %rd2, %rd1;"
#define LOAD  "ld.global.b32 %v, [%rd3];"
#define STORE "st.global.b32 [%rd4], %a;"

static const struct {
	const char *name, *text;
} kernels[] = {
	{"one pointer", KERNEL(BOTH, LOAD, STORE)},
	{"two pointers to one allocation",
         KERNEL("ld.param.u64 %rd1, [words];\nld.param.u64 %rd2, [again];", LOAD, STORE)},
	{"a pointer out of memory that loads",
         KERNEL("ld.param.u64 %rd2, [words];\nld.param.u64 %rd1, [table];\nld.global.u64 %rd1, [%rd1];", LOAD, STORE)},
	{"a pointer out of memory that stores",
         KERNEL("ld.param.u64 %rd1, [words];\nld.param.u64 %rd2, [table];\nld.global.u64 %rd2, [%rd2];", LOAD, STORE)},
	{"a pointer through shared memory",
         KERNEL("ld.param.u64 %rd2, [words];\nst.shared.u64 [sh], %rd2;\nbar.sync 0;\nld.shared.u64 %rd1, [sh];", LOAD,
                STORE)},
	{"generic", KERNEL(BOTH, "ld.b32 %v, [%rd3];", "st.b32 [%rd4], %a;")},
	{"volatile", KERNEL(BOTH, "ld.volatile.global.b32 %v, [%rd3];", "st.volatile.global.b32 [%rd4], %a;")},
	{"atomics", KERNEL(BOTH, LOAD, "red.global.add.u32 [%rd4], %a;")},
	{"a variable", KERNEL("mov.u64 %rd1, variable;\nmov.u64 %rd2, %rd1;", LOAD, STORE)},
	{"a function", KERNEL(BOTH,
                              "{\n.param .b64 p;\n.param .b32 r;\nst.param.b64 [p], %rd3;\ncall (r), get, "
                              "(p);\nld.param.b32 %v, [r];\n}",
                              STORE)},
	{"a copy", KERNEL(BOTH,
                          "mad.wide.u32 %rd6, %t, 4, 0;\nmov.u64 %rd7, sh;\nadd.u64 %rd6, %rd6, %rd7;\n"
                          "cp.async.ca.shared.global [%rd6], [%rd3], 4;\ncp.async.wait_all;\nld.shared.b32 %v, [%rd6];",
                          STORE)},
};

static const char *text_now;
static uint32_t block_threads = 32;

static void print_kernel(FILE *file)
{
	fprintf(file, "%s\n", text_now);
}

struct results {
	uint32_t words[WORDS + 8], out[BLOCKS * MOST_THREADS], variable[WORDS];
};

static void launch(sluice_gpu *gpu, struct results *results)
{
	struct sluice_error error;
	sluice_module *module;
	uint64_t variable, size;
	memset(results, 0, sizeof *results);
	uint64_t words = new_buffer(gpu, results->words, sizeof results->words);
	uint64_t again = words + 16, table = new_buffer(gpu, &words, sizeof words),
		 out = new_buffer(gpu, results->out, sizeof results->out);
	if (sluice_load(gpu, text_now, strlen(text_now), "races.ptx", &module, &error) != SLUICE_OK)
		FAIL("%s", error.message);
	assert_true(sluice_find_variable(module, "variable", &variable, &size));
	void *arguments[] = {&words, &again, &table, &out};
	if (sluice_launch(gpu, sluice_find_kernel(module, "k"), (sluice_dim){BLOCKS, 1, 1},
	                  (sluice_dim){block_threads, 1, 1}, 0, arguments, &error) != SLUICE_OK)
		FAIL("%s: %s", stage, error.message);
	sluice_read(gpu, results->words, words, sizeof results->words, NULL);
	sluice_read(gpu, results->out, out, sizeof results->out, NULL);
	sluice_read(gpu, results->variable, variable, sizeof results->variable, NULL);
}

static char *run(const char *machine, const char *window, uint32_t threads, struct results *results)
{
	const char *options[] = {"sm.count=3", window, NULL};
	const struct sluice_settings settings = {SLUICE_SIZED(settings), .machine = machine, .options = options};
	sluice_gpu *gpu;
	assert_int_equal(sluice_open(&gpu, &settings, NULL), SLUICE_OK);
	if (threads > 1)
		have_threads(gpu, threads);
	launch(gpu, results);
	char *text = statistics(gpu);
	sluice_close(gpu);
	return text;
}

static void check(const char *machine, const char *window, uint32_t threads, const char *together,
                  const struct results *expected)
{
	static struct results results;
	char *text = run(machine, window, threads, &results);
	if (memcmp(expected, &results, sizeof results) != 0)
		FAIL("%s on %s, %s, %u threads: results differ from those of SMs in step", stage, machine, window,
		     threads);
	check_same(together, text);
	free(text);
}

static void check_kernel(const char *machine, const struct results *expected, const char *together)
{
	check(machine, "launch.window=5", 1, together, expected);
	check(machine, "launch.window=16", 1, together, expected);
	check(machine, "launch.window=64", 2, together, expected);
}

static void races_end_as_where_sms_go_together(void **state)
{
	static const char *const machines[] = {"gtx480", "qv100", "rtx3070"};
	static struct results expected;
	(void)state;
	print_current = print_kernel;
	for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
		for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
			stage = kernels[k].name;
			text_now = kernels[k].text;
			char *together = run(machines[m], "launch.window=1", 1, &expected);
			check_kernel(machines[m], &expected, together);
			free(together);
		}
	print_current = NULL;
}

/* Each scheduler has several warps: any of them can be the one whose load waits. */
static void many_warps(void **state)
{
	static struct results expected;
	(void)state;
	print_current = print_kernel;
	stage = kernels[0].name;
	text_now = kernels[0].text;
	block_threads = MOST_THREADS;
	char *together = run("gtx480", "launch.window=1", 1, &expected);
	check_kernel("gtx480", &expected, together);
	free(together);
	block_threads = 32;
	print_current = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(races_end_as_where_sms_go_together),
	                                   cmocka_unit_test(many_warps)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
