/* cublas_api: the declarations of <cublas_v2.h>. */
#include "cublas_v2.h"
