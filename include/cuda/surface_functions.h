/* surface_functions: cuda_runtime.h declares everything that belongs to this header. */
#include "cuda_runtime.h"
