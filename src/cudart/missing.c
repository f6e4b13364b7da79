/* Calls that are missing say so by name. Their arguments do not matter, so that this file does not see their
 * declarations. */
#include "cudart/missing.h"

#define MISSING(name)                                                                                                  \
	int name(void);                                                                                                \
	int name(void)                                                                                                 \
	{                                                                                                              \
		return runtime_missing(#name);                                                                         \
	}
#include "cudart/missing.def"
