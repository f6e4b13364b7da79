/* edit_distance: the edit distance between a word and what its writer may have meant, for "did you mean". */
#ifndef SLUICE_BASE_EDIT_DISTANCE_H
#define SLUICE_BASE_EDIT_DISTANCE_H

#include <stdbool.h>
#include <stdint.h>

#define EDIT_DISTANCE_FAR UINT32_MAX

/* Number of edits (insert, delete, replace, swap neighbors; case does not count) from one word to the other.
 * Letters missing at the end count as one edit, up to one per three typed ones. EDIT_DISTANCE_FAR when there are too
 * many edits for a typing error. */
uint32_t edit_distance(const char *typed, const char *meant);

/* True when the candidate is nearer than all previous ones. `*best` is their minimum distance, initially
 * EDIT_DISTANCE_FAR. The last candidate with true is the one to suggest. */
static inline bool edit_distance_is_nearer(const char *typed, const char *candidate, uint32_t *best)
{
	uint32_t distance = edit_distance(typed, candidate);
	if (distance >= *best)
		return false;
	*best = distance;
	return true;
}

#endif
