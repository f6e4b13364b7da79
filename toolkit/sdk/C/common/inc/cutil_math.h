/* cutil_math.h: arithmetic of vectors; CUDA 5 renamed it. */
#include "../../../../samples/common/inc/helper_math.h"
