/* Defines the calls that are always refused. Their arguments do not matter, so this file does not include their
 * declarations. */
#include "cudart/refused.h"

#include "cudart/driver_codes.h"

#define REFUSED(name, error, reason)                                                                                   \
	int name(void);                                                                                                \
	int name(void)                                                                                                 \
	{                                                                                                              \
		return runtime_refused(#name, error, reason);                                                          \
	}
#include "cudart/refused.def"
