/* Protects staging through the public API: kernels that call a function with generic pointers, and code with spilled
 * registers. */
#include "host_kit.h"

#define HEAD ".version 3.2\n.target sm_20\n.address_size 64\n"

/* One word per thread into the tile, in a function that the compiler has not inlined. */
static const char called[] =
	HEAD ".func copy(.param .u64 copy_to, .param .u64 copy_from)\n{\n.reg .u64 %rd<9>; .reg .u32 %r<9>;\n"
	     "ld.param.u64 %rd1, [copy_to]; ld.param.u64 %rd2, [copy_from]; ld.u32 %r1, [%rd2]; st.u32 [%rd1], %r1;\n"
	     "bar.sync 0; ret;\n}\n"
	     ".visible .entry k(.param .u64 p)\n{\n.reg .u64 %rd<9>; .reg .u32 %r<9>; .shared .align 4 .b8 tile[256];\n"
	     "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;\n"
	     "mov.u64 %rd3, tile; cvta.shared.u64 %rd3, %rd3; add.u64 %rd3, %rd3, %rd2;\n"
	     "{\n.param .u64 to; .param .u64 from; st.param.u64 [to], %rd3; st.param.u64 [from], %rd1; call copy, (to, "
	     "from);\n}\n"
	     "ret;\n}\n";

static void launch(const struct host *host, uint32_t blocks)
{
	uint64_t array = host->array;
	host_launch(host, "k", (sluice_dim){blocks, 1, 1}, (sluice_dim){64, 1, 1}, (void *[]){&array});
}

static void test_called(void **state)
{
	struct host host = host_open("staging", (const char *const[]){NULL}, called, 4096);
	(void)state;
	launch(&host, 5);
	assert_int_equal(host_counter(&host, "transfers"), 5);
	assert_int_equal(host_counter(&host, "bytes"), 5 * 64 * 4);
	launch(&host, 2); /* each launch starts its counters at zero */
	assert_int_equal(host_counter(&host, "transfers"), 2);
	sluice_close(host.gpu);
}

/* Enough live values that some are spilled around the transfer: the executed code differs from the written code. */
static void test_spilled(void **state)
{
	enum { VALUES = 40 };
	char text[8192], *end = text;
	(void)state;
	end += sprintf(end, HEAD ".visible .entry k(.param .u64 p)\n{\n.reg .u64 %%rd<9>; .reg .u32 %%r<99>;\n"
	                         ".shared .align 4 .b8 tile[256];\n"
	                         "ld.param.u64 %%rd1, [p]; mov.u32 %%r90, %%tid.x; mul.wide.u32 %%rd2, %%r90, 4;\n");
	for (int i = 0; i < VALUES; i++)
		end += sprintf(end, "ld.global.u32 %%r%d, [%%rd1+%d];\n", i, 4 * i);
	end += sprintf(end, "add.u64 %%rd3, %%rd1, %%rd2; mov.u64 %%rd4, tile; add.u64 %%rd4, %%rd4, %%rd2;\n"
	                    "ld.global.u32 %%r91, [%%rd3]; st.shared.u32 [%%rd4], %%r91; bar.sync 0;\n");
	for (int i = 0; i < VALUES; i++)
		end += sprintf(end, "st.global.u32 [%%rd1+%d], %%r%d;\n", 2048 + 4 * i, i);
	sprintf(end, "ret;\n}\n");
	struct host host = host_open("staging", (const char *const[]){"kernel.k.max_registers=24", NULL}, text, 4096);
	launch(&host, 3);
	struct sluice_kernel_info info = {SLUICE_SIZED(kernel_info)};
	struct sluice_error error;
	host_must(sluice_kernel_info(host.gpu, sluice_find_kernel(host.module, "k"), &info, &error), &error);
	assert_true(info.spill_loads > 0);
	assert_int_equal(host_counter(&host, "transfers"), 3);
	assert_int_equal(host_counter(&host, "bytes"), 3 * 64 * 4);
	sluice_close(host.gpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_called), cmocka_unit_test(test_spilled)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
