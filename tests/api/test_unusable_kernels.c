/* Protects modules that contain unusable kernels: the other kernels still run. A launch of an unusable kernel is
 * refused, with its name and the line. */
#include "host_kit.h"

static const char ptx[] =
	".version 7.0\n.target sm_80\n.address_size 64\n.file 1 \"a.cu\"\n"
	".extern .func (.param .b32 r) cudaDeviceGetLimit();\n"
	".extern .func (.param .b32 r) cudaEventElapsedTime(.param .b64 p, .param .b64 s);\n"
	".visible .func other();\n.func own() {\nret;\n}\n.file 2 \"b.cu\"\n"
	".visible .entry bodiless(.param .u64 out) {\n.loc 1 60 1\ncall.uni other, ();\nret;\n}\n"
	".func unread() {\nfrobnicate.b32 1;\nret;\n}\n"
	".func calls_unread() {\ncall.uni unread, ();\nret;\n}\n"
	".visible .entry unknown(.param .u64 out) {\nfrobnicate.b32 2;\nret;\n}\n"
	".visible .entry above(.param .u64 out) {\ncall.uni calls_unread, ();\nret;\n}\n"
	".visible .entry waits(.param .u64 out) {\n.param .b32 r;\n.loc 1 42 7\ncall.uni (r), cudaDeviceGetLimit, "
	"();\nret;\n}\n"
	".visible .entry launches(.param .u64 out) {\n.param .b32 r;\n.param .b64 p;\n.param .b64 s;\n.loc 1 51 3\n"
	"call.uni (r), cudaEventElapsedTime, (p, s);\nret;\n}\n"
	".visible .entry clustered(.param .u64 out)\n.explicitcluster\n{\nret;\n}\n"
	".visible .entry fine(.param .u64 out) {\n.reg .b64 %d; .reg .b32 %r;\nld.param.u64 %d, [out];\nmov.u32 %r, "
	"17;\n"
	"st.global.u32 [%d], %r;\nret;\n}\n";

static const struct {
	const char *kernel, *message[2];
} refused[] = {
	{"bodiless", {"test.ptx:14:10: error: function 'other' is called but has no body (a.cu:60)", "call.uni other"}},
	{"unknown", {"test.ptx:26:1: error: unknown opcode 'frobnicate'", "frobnicate.b32 2"}},
	{"above",
         {"test.ptx:17:7: error: function 'unread', which kernel 'above' needs",
          "test.ptx:18:1: error: unknown opcode"}},
	{"waits", {"error: function 'cudaDeviceGetLimit' is called but has no body (a.cu:42)", "test.ptx:36:"}},
	{"launches", {"error: function 'cudaEventElapsedTime' is called but has no body (a.cu:51)", "test.ptx:44:"}},
	{"clustered", {"error: '.explicitcluster': clusters of blocks are not supported", "test.ptx:48:"}},
};

static void in_mode(bool functional)
{
	struct sluice_error error;
	struct sluice_settings settings = {SLUICE_SIZED(settings), .machine = SOURCE_DIR "/machines/gtx480.yaml",
	                                   .functional = functional};
	sluice_gpu *gpu;
	sluice_module *module;
	uint64_t out;
	uint32_t value = 0;
	void *arguments[] = {&out};
	const sluice_dim one = {1, 1, 1};
	host_must(sluice_open(&gpu, &settings, &error), &error);
	host_must(sluice_load(gpu, ptx, sizeof ptx - 1, "test.ptx", &module, &error), &error);
	host_must(sluice_alloc(gpu, sizeof value, &out, &error), &error);
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		char head[64];
		sluice_kernel *kernel = sluice_find_kernel(module, refused[i].kernel);
		assert_non_null(kernel);
		snprintf(head, sizeof head, "kernel '%s' cannot run:", refused[i].kernel);
		for (unsigned again = 0; again < 2; again++) {
			assert_int_equal(sluice_launch(gpu, kernel, one, one, 0, arguments, &error), SLUICE_BAD_PTX);
			assert_non_null(strstr(error.message, head));
			for (unsigned k = 0; k < 2; k++)
				if (!strstr(error.message, refused[i].message[k]))
					fail_msg("%s\nexpected %s", error.message, refused[i].message[k]);
		}
	}
	host_must(sluice_launch(gpu, sluice_find_kernel(module, "fine"), one, one, 0, arguments, &error), &error);
	host_must(sluice_read(gpu, &value, out, sizeof value, &error), &error);
	assert_int_equal(value, 17);
	sluice_close(gpu);
}

static void others_run(void **state)
{
	(void)state;
	in_mode(true);
	in_mode(false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(others_run)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
