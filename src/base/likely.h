/* likely: branch hints, where the compiler's guess costs time. */
#ifndef SLUICE_BASE_LIKELY_H
#define SLUICE_BASE_LIKELY_H

#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

#endif
