/* cuda_surface_types: everything of this name comes with cuda_runtime.h. */
#include "cuda_runtime.h"
