/* invariant: assertions in per-cycle code, which would cost a release build too much. They are checked only in Debug
 * builds. Checks per block or per kernel use assert(), which every build checks. */
#ifndef SLUICE_BASE_INVARIANT_H
#define SLUICE_BASE_INVARIANT_H

#include <assert.h>

#ifdef SLUICE_DEBUG
#define invariant(condition) assert(condition)
#else
#define invariant(condition) ((void)sizeof(!(condition)))
#endif

#endif
