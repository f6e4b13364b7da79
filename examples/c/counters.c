/* Runs a kernel twice on a simulated GTX 480 and reads counters: of each launch, of each SM, and while a kernel runs.
 *
 *   . BUILD/env.sh # for a library that is not installed
 *   cc counters.c $(pkg-config --cflags --libs sluice) -Wl,-rpath,$(pkg-config --variable=libdir sluice) -o counters
 *   ./counters
 */
#include <sluice.h>

#include <stdlib.h>
#include <string.h>

/* c[i] = a[i] + b[i] for one block of 256 threads per 256 elements. */
static const char ptx[] = ".version 6.0\n.target sm_20\n.address_size 64\n"
			  ".visible .entry vecadd(.param .u64 a, .param .u64 b, .param .u64 c)\n{\n"
			  ".reg .b64 %rd<8>;\n.reg .b32 %r<5>;\n.reg .f32 %f<4>;\n"
			  "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\nld.param.u64 %rd3, [c];\n"
			  "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\n"
			  "mad.lo.s32 %r4, %r1, %r2, %r3;\nmul.wide.u32 %rd4, %r4, 4;\n"
			  "add.u64 %rd5, %rd1, %rd4;\nadd.u64 %rd6, %rd2, %rd4;\nadd.u64 %rd7, %rd3, %rd4;\n"
			  "ld.global.f32 %f1, [%rd5];\nld.global.f32 %f2, [%rd6];\nadd.f32 %f3, %f1, %f2;\n"
			  "st.global.f32 [%rd7], %f3;\nret;\n}\n";

enum { ELEMENTS = 1 << 14, BYTES = ELEMENTS * 4, BLOCK = 256 };

static void must(enum sluice_status status, const struct sluice_error *error)
{
	if (status == SLUICE_OK)
		return;
	fprintf(stderr, "%s\n", error->message);
	exit(1);
}

static double read_counter(sluice_gpu *gpu, const char *name, uint64_t launch, int64_t unit)
{
	struct sluice_error error;
	double value;
	must(sluice_counter_read(gpu, name, launch, unit, &value, &error), &error);
	return value;
}

/* Called every 1,000 core cycles while a kernel runs: only here may a counter of that kernel be read. */
static void show_progress(void *user, uint64_t launch, uint64_t cycle)
{
	sluice_gpu *gpu = *(sluice_gpu **)user;
	printf("launch %d, cycle %5d: %5.0f L1 misses\n", (int)launch, (int)cycle,
	       read_counter(gpu, "l1d.misses", launch, SLUICE_ALL_UNITS));
}

static void run_twice(sluice_gpu *gpu)
{
	static const float data[ELEMENTS] = {1, 2, 3};
	uint64_t a, b, c;
	void *arguments[] = {&a, &b, &c};
	struct sluice_error error;
	sluice_module *module;
	must(sluice_load(gpu, ptx, strlen(ptx), "vecadd.ptx", &module, &error), &error);
	must(sluice_alloc(gpu, BYTES, &a, &error), &error);
	must(sluice_alloc(gpu, BYTES, &b, &error), &error);
	must(sluice_alloc(gpu, BYTES, &c, &error), &error);
	must(sluice_write(gpu, a, data, BYTES, &error), &error);
	must(sluice_write(gpu, b, data, BYTES, &error), &error);
	sluice_kernel *kernel = sluice_find_kernel(module, "vecadd");
	for (int i = 0; i < 2; i++)
		must(sluice_launch(gpu, kernel, (sluice_dim){ELEMENTS / BLOCK, 1, 1}, (sluice_dim){BLOCK, 1, 1}, 0,
		                   arguments, &error),
		     &error);
}

static void show_launches(sluice_gpu *gpu)
{
	for (uint64_t launch = 1; launch <= sluice_launch_count(gpu); launch++)
		printf("launch %d: %.0f cycles, %.0f L1 misses, IPC %.2f\n", (int)launch,
		       read_counter(gpu, "cycles", launch, SLUICE_ALL_UNITS),
		       read_counter(gpu, "l1d.misses", launch, SLUICE_ALL_UNITS),
		       read_counter(gpu, "ipc", launch, SLUICE_ALL_UNITS));
}

/* A counter's declaration says which units count it and how many of them the machine has. */
static void show_units(sluice_gpu *gpu)
{
	struct sluice_counter counter = {SLUICE_SIZED(counter)};
	struct sluice_error error;
	size_t number;
	if (!sluice_counter_find(gpu, "l1d.misses", &number))
		exit(1);
	must(sluice_counter_describe(gpu, number, &counter, &error), &error);
	printf("%s (%s): %s\n", counter.name, counter.unit, counter.meaning);
	for (uint32_t sm = 0; sm < counter.units; sm++) {
		double last, run;
		must(sluice_counter_value(gpu, number, 2, sm, &last, &error), &error);
		must(sluice_counter_value(gpu, number, 0, sm, &run, &error), &error);
		printf("  SM %2d: %.0f in launch 2, %.0f in the run\n", (int)sm, last, run);
	}
}

int main(void)
{
	sluice_gpu *gpu;
	struct sluice_error error;
	const struct sluice_settings settings = {SLUICE_SIZED(settings),
	                                         .machine = "gtx480",
	                                         .on_interval = show_progress,
	                                         .interval_user = &gpu,
	                                         .interval = 1000};
	must(sluice_open(&gpu, &settings, &error), &error);
	run_twice(gpu);
	show_launches(gpu);
	show_units(gpu);
	sluice_close(gpu);
	return 0;
}
