/* Fuzz target for everything derived from PTX: checks, analyses, decoding, and kernels that run functionally.
 *
 * Any text either loads or gives a message. Each of its kernels runs for a few instructions or gives a message. */
#include "ptx/module.h"
#include "sluice.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_INSTRUCTIONS = 20000, ROOM = 4096, THREADS = 40 };

static void expect_message(enum sluice_status status, const struct sluice_error *error)
{
	if (status != SLUICE_OK && !*error->message)
		abort();
}

/* All parameters point to the buffer at `room`. */
static void launch(sluice_gpu *gpu, sluice_module *module, const struct ptx_function *function, uint64_t room)
{
	struct sluice_error error = {0};
	struct sluice_kernel_info info = {SLUICE_SIZED(kernel_info)};
	sluice_kernel *kernel = sluice_find_kernel(module, function->name);
	if (!kernel)
		return;
	expect_message(sluice_kernel_info(gpu, kernel, &info, &error), &error);
	static uint64_t value[1 << 13]; /* the largest parameter space */
	void **arguments = calloc(function->param_count + 1, sizeof *arguments);
	value[0] = room;
	for (uint32_t i = 0; i < function->param_count; i++)
		arguments[i] = value;
	expect_message(
		sluice_launch(gpu, kernel, (sluice_dim){2, 1, 1}, (sluice_dim){THREADS, 1, 1}, 0, arguments, &error),
		&error);
	free(arguments);
}

/* A launch that reaches its limit blocks all later launches, so each kernel gets its own GPU. */
static void run_one(const char *text, size_t size, const struct ptx_function *function)
{
	const struct sluice_settings settings = {SLUICE_SIZED(settings), .functional = true,
	                                         .max_instructions = MOST_INSTRUCTIONS};
	struct sluice_error error = {0};
	sluice_gpu *gpu;
	sluice_module *module;
	uint64_t room;
	if (sluice_open(&gpu, &settings, &error) != SLUICE_OK)
		abort();
	enum sluice_status status = sluice_load(gpu, text, size, "fuzz.ptx", &module, &error);
	expect_message(status, &error);
	if (status == SLUICE_OK && sluice_alloc(gpu, ROOM, &room, &error) == SLUICE_OK)
		launch(gpu, module, function, room);
	sluice_close(gpu);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag diag = {0};
	struct ptx_module *module = ptx_load("fuzz.ptx", (const char *)data, size, &diag);
	int kernels = 0;
	for (const struct ptx_function *f = module ? module->functions : NULL; f && kernels < 3; f = f->next)
		if (f->is_entry && !f->errors) {
			run_one((const char *)data, size, f);
			kernels++;
		}
	diag_free(&diag);
	ptx_free(module);
	return 0;
}
