/* cutil_inline_runtime.h: another name of cutil_inline.h. */
#include "cutil_inline.h"
