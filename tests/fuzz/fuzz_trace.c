/* Fuzz target for instruction traces: a kernel's trace is refused with a message, or runs functionally to its end or to
 * its limit. */
#include "fuzz_file.h"
#include "trace/trace.h"

#include <string.h>

enum { MOST_INSTRUCTIONS = 100000 };

static void run(struct trace_kernel *kernel)
{
	const struct trace_header *header = &kernel->header;
	struct ptx_function function = {.name = header->name};
	struct simt_run run;
	kernel->program.kernel = &function;
	struct simt_launch launch = {.program = &kernel->program,
	                             .memory = simt_memory_open(SIMT_WINDOWS_END, 1 << 20, false),
	                             .grid = header->grid,
	                             .block = header->block};
	if (!launch.memory)
		abort();
	simt_run(&launch, MOST_INSTRUCTIONS, &run);
	simt_memory_close(launch.memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];
	struct diag diag = {0};
	int file = fuzz_file(data, size, path, sizeof path);
	struct trace_kernel *kernel = trace_kernel_read(path, &diag);
	if ((kernel != NULL) == (diag.errors != 0) || diag.errors > 1 || (!kernel && !diag.text))
		abort();
	if (kernel)
		run(kernel);
	trace_kernel_free(kernel);
	diag_free(&diag);
	close(file);
	return 0;
}
