/* invariant: assertions where cycles run, which would cost a shipped build too much: checked in Debug builds and nowhere else. What is
 * asked once a block or a kernel uses assert(), which every build checks. */
#ifndef SLUICE_BASE_INVARIANT_H
#define SLUICE_BASE_INVARIANT_H

#include <assert.h>

#ifdef SLUICE_DEBUG
#define invariant(condition) assert(condition)
#else
#define invariant(condition) ((void)sizeof(!(condition)))
#endif

#endif
