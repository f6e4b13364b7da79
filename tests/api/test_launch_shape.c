/* Protects the limits of a launch's grid and block (CUDA C++ Programming Guide, Compute Capabilities): the largest
 * shapes run, and those one larger are refused. */
#include "host_kit.h"

static const char ptx[] = ".version 3.1\n.target sm_20\n.address_size 64\n.visible .entry ends() {\nexit;\n}\n";

static const struct {
	sluice_dim grid, block;
	bool runs;
} shapes[] = {
	{{1, 1, 1}, {1, 1, 1}, true},      {{0, 1, 1}, {1, 1, 1}, false},         {{1, 0, 1}, {1, 1, 1}, false},
	{{1, 1, 0}, {1, 1, 1}, false},     {{1, 1, 1}, {0, 1, 1}, false},         {{1, 65535, 1}, {1, 1, 1}, true},
	{{1, 65536, 1}, {1, 1, 1}, false}, {{1, 1, 65535}, {1, 1, 1}, true},      {{1, 1, 65536}, {1, 1, 1}, false},
	{{65536, 1, 1}, {1, 1, 1}, true},  {{1, 1, 1}, {1024, 1, 1}, true},       {{1, 1, 1}, {1025, 1, 1}, false},
	{{1, 1, 1}, {1, 1024, 1}, true},   {{1, 1, 1}, {1, 1, 64}, true},         {{1, 1, 1}, {1, 1, 65}, false},
	{{1, 1, 1}, {32, 33, 1}, false},   {{1, 1, 1}, {65536, 65536, 1}, false},
};

static void limits(void **state)
{
	struct sluice_error error;
	struct sluice_settings settings = {SLUICE_SIZED(settings), .machine = SOURCE_DIR "/machines/gtx480.yaml",
	                                   .functional = true};
	sluice_gpu *gpu;
	sluice_module *module;
	(void)state;
	host_must(sluice_open(&gpu, &settings, &error), &error);
	host_must(sluice_load(gpu, ptx, sizeof ptx - 1, "test.ptx", &module, &error), &error);
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		enum sluice_status status = sluice_launch(gpu, sluice_find_kernel(module, "ends"), shapes[i].grid,
		                                          shapes[i].block, 0, NULL, &error);
		if (status != (shapes[i].runs ? SLUICE_OK : SLUICE_BAD_LAUNCH))
			fail_msg("shape %zu: status %d, %s", i, status, error.message);
	}
	sluice_close(gpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(limits)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
