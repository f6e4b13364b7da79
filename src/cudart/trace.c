/* trace: cudaRunTrace() runs kernels from an instruction trace, without a program (sluice run --trace-in). */
#include "cudart/runtime.h"

#include <sluice/trace.h>

static cudaError_t run_trace(struct runtime *runtime, const char *path, const char *kernel)
{
	struct sluice_error error = {0};
	if (runtime->error != cudaSuccess)
		return runtime->error;
	if (!path) {
		runtime_message("cudaRunTrace: no path");
		return cudaErrorInvalidValue;
	}
	runtime->launches++;
	progress_begin(runtime);
	enum sluice_status status = sluice_run_trace(runtime->gpu, path, kernel, &error);
	progress_end(runtime);
	if (status == SLUICE_STOPPED && runtime->ending)
		return cudaErrorLaunchTimeout;
	return status == SLUICE_OK ? cudaSuccess : runtime_report(runtime, path, &error);
}

cudaError_t cudaRunTrace(const char *path, const char *kernel)
{
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_leave(runtime, run_trace(runtime, path, kernel));
	if (result == cudaErrorLaunchTimeout)
		runtime_end();
	return result;
}
