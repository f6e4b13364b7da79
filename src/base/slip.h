/* slip: the edit distance between a word and what its writer may have meant, for "did you mean". */
#ifndef SLUICE_BASE_SLIP_H
#define SLUICE_BASE_SLIP_H

#include <stdbool.h>
#include <stdint.h>

#define SLIP_FAR UINT32_MAX

/* Number of edits (insert, delete, replace, swap neighbours; case does not count) from one word to the other.
 * SLIP_FAR when there are too many for a typing error. */
uint32_t slip_distance(const char *typed, const char *meant);

/* True when the candidate is nearer than all previous ones. `*best` is their minimum distance, initially SLIP_FAR.
 * The last candidate with true is the one to suggest. */
static inline bool slip_nearer(const char *typed, const char *candidate, uint32_t *best)
{
	uint32_t distance = slip_distance(typed, candidate);
	if (distance >= *best)
		return false;
	*best = distance;
	return true;
}

#endif
