/* What <cublas_v2.h> declares. */
#include "cublas_v2.h"
