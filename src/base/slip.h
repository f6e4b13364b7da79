/* slip: how far a word is from what its writer may have meant, for "did you mean". */
#ifndef SLUICE_BASE_SLIP_H
#define SLUICE_BASE_SLIP_H

#include <stdbool.h>
#include <stdint.h>

#define SLIP_FAR UINT32_MAX

/* Edits (insert, delete, replace, swap neighbours; case does not count) from one to the other, or SLIP_FAR when there are
 * too many to be a slip of the keyboard. */
uint32_t slip_distance(const char *typed, const char *meant);

/* True when the candidate is nearer than all before it; `*best` is their distance, SLIP_FAR at first. The last one for which
 * it is true is the one to suggest. */
static inline bool slip_nearer(const char *typed, const char *candidate, uint32_t *best)
{
	uint32_t distance = slip_distance(typed, candidate);
	if (distance >= *best)
		return false;
	*best = distance;
	return true;
}

#endif
