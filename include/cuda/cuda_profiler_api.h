/* cuda_profiler_api: cudaProfilerStart and cudaProfilerStop are declared with the rest. */
#include "cuda_runtime_api.h"
