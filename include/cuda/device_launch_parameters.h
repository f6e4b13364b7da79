/* device_launch_parameters: cuda_runtime.h declares everything that belongs to this header. */
#include "cuda_runtime.h"
