/* cutil_math.h: vector arithmetic, under its name before CUDA 5. */
#include "../../../../samples/common/inc/helper_math.h"
