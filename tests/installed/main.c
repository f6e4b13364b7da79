/* Runs one kernel through libsluice, as a program outside the tree does. */
#include <sluice.h>

#include <string.h>

static const char ptx[] = ".version 6.0\n.target sm_20\n.address_size 64\n"
			  ".visible .entry store(.param .u64 out)\n{\n"
			  ".reg .b64 %rd<2>;\n.reg .b32 %r<2>;\n"
			  "ld.param.u64 %rd1, [out];\nmov.u32 %r1, 42;\nst.global.u32 [%rd1], %r1;\nret;\n}\n";

static int failed(const struct sluice_error *error)
{
	fprintf(stderr, "%s\n", error->message);
	return 1;
}

int main(void)
{
	struct sluice_error error;
	const struct sluice_settings settings = {SLUICE_SIZED(settings), .machine = "gtx480"};
	sluice_gpu *gpu;
	if (sluice_open(&gpu, &settings, &error) != SLUICE_OK)
		return failed(&error);
	sluice_module *module;
	uint64_t out;
	void *arguments[] = {&out};
	const sluice_dim one = {1, 1, 1};
	uint32_t value = 0;
	if (sluice_load(gpu, ptx, strlen(ptx), "store.ptx", &module, &error) != SLUICE_OK ||
	    sluice_alloc(gpu, sizeof value, &out, &error) != SLUICE_OK ||
	    sluice_launch(gpu, sluice_find_kernel(module, "store"), one, one, 0, arguments, &error) != SLUICE_OK ||
	    sluice_read(gpu, &value, out, sizeof value, &error) != SLUICE_OK)
		return failed(&error);
	sluice_close(gpu);
	return value == 42 ? 0 : 1;
}
