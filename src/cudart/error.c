/* Errors: their names and descriptions, and the thread's last error. */
#include "cudart/runtime.h"

static const struct description {
	cudaError_t error;
	const char *name, *text;
} descriptions[] = {
#define E(name, number, text) {name, #name, text},
#include <sluice/errors.def>
#undef E
};

static const struct description *describe(cudaError_t error)
{
	for (size_t i = 0; i < sizeof descriptions / sizeof *descriptions; i++)
		if (descriptions[i].error == error)
			return &descriptions[i];
	return NULL;
}

const char *cudaGetErrorName(cudaError_t error)
{
	const struct description *description = describe(error);
	return description ? description->name : "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
	const struct description *description = describe(error);
	return description ? description->text : "unrecognized error code";
}

cudaError_t cudaPeekAtLastError(void)
{
	cudaError_t error = *runtime_last_error();
	runtime_told(error);
	return error;
}

/* Clears the error, unless it is sticky because a kernel failed. */
cudaError_t cudaGetLastError(void)
{
	cudaError_t *last = runtime_last_error(), error = *last;
	struct runtime *runtime = runtime_enter_closed();
	*last = runtime->error;
	runtime_leave(runtime, cudaSuccess);
	runtime_told(error);
	return error;
}
