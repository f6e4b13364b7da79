/* sm_32_atomic_functions: everything of this name comes with cuda_runtime.h. */
#include "cuda_runtime.h"
