/* cutil_inline_runtime.h */
#include "cutil_inline.h"
