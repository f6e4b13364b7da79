/* cudaSetCTATracker and cudaFlushCTATracker: a program announces the bytes that each block of its next kernels will
 * read. */
#include "cudart/runtime.h"

#include <sluice/cta_tracker.h>

#include <limits.h>

cudaError_t cudaSetCTATracker(const void *baseptr, size_t typesize, int minbidxp, int minbidyp, int minbidzp,
                              int minoffset, int maxbidxp, int maxbidyp, int maxbidzp, int maxoffset)
{
	struct runtime *runtime = runtime_enter();
	struct sluice_error error = {0};
	if (!typesize || typesize > INT_MAX) {
		runtime_message("cudaSetCTATracker: an element of %zu bytes; expected 1 to %d", typesize, INT_MAX);
		return runtime_leave(runtime, cudaErrorInvalidValue);
	}
	/* Converts indexes to bytes; the maximum index is inclusive. No product of two ints overflows 64 bits. */
	int64_t size = (int64_t)typesize;
	const struct sluice_range range = {.base = (uint64_t)(uintptr_t)baseptr,
	                                   .low = size * minoffset,
	                                   .low_by = {size * minbidxp, size * minbidyp, size * minbidzp},
	                                   .high = size * maxoffset + size,
	                                   .high_by = {size * maxbidxp, size * maxbidyp, size * maxbidzp}};
	cudaError_t result = runtime->error;
	if (result == cudaSuccess && sluice_announce_range(runtime->gpu, &range, &error) != SLUICE_OK)
		result = runtime_report(runtime, "cudaSetCTATracker", &error);
	return runtime_leave(runtime, result);
}

cudaError_t cudaFlushCTATracker(void)
{
	struct runtime *runtime = runtime_enter();
	if (runtime->error == cudaSuccess)
		sluice_forget_ranges(runtime->gpu);
	return runtime_leave(runtime, runtime->error);
}
