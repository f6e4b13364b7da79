/* slip: how far a word is from what its writer may have meant, for "did you mean". */
#ifndef SLUICE_BASE_SLIP_H
#define SLUICE_BASE_SLIP_H

#include <stdint.h>

#define SLIP_FAR UINT32_MAX

/* Edits (insert, delete, replace, swap neighbours; case does not count) from one to the other, or SLIP_FAR when there are
 * too many to be a slip of the keyboard. The candidate of the smallest distance is the one to suggest. */
uint32_t slip_distance(const char *typed, const char *meant);

#endif
