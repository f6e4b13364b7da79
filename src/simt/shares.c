#include "simt/shares.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

/* Returns the number of entries that begin at or below the address. */
static size_t count_below(const struct shares *shares, uint64_t address)
{
	size_t low = 0, high = shares->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (shares->share[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool shares_add(struct shares *shares, struct share added)
{
	size_t at = count_below(shares, added.address);
	if (at && added.address - shares->share[at - 1].address < shares->share[at - 1].size)
		return false;
	if (at < shares->count && shares->share[at].address - added.address < added.size)
		return false;
	if (shares->count == shares->capacity) {
		shares->capacity = shares->capacity ? 2 * shares->capacity : 16;
		shares->share = base_realloc(shares->share, shares->capacity * sizeof *shares->share);
	}
	memmove(shares->share + at + 1, shares->share + at, (shares->count++ - at) * sizeof added);
	shares->share[at] = added;
	return true;
}

void shares_remove(struct shares *shares, const struct share *share)
{
	size_t at = (size_t)(share - shares->share);
	memmove(shares->share + at, shares->share + at + 1, (--shares->count - at) * sizeof *share);
}

void shares_free(struct shares *shares)
{
	free(shares->share);
}

const struct share *shares_beside(const struct shares *shares, uint64_t address, bool above)
{
	size_t below = count_below(shares, address);
	if (above)
		return below < shares->count ? &shares->share[below] : NULL;
	return below ? &shares->share[below - 1] : NULL;
}

const struct share *shares_find(const struct shares *shares, uint64_t address)
{
	const struct share *share = shares_beside(shares, address, false);
	return share && address - share->address < share->size ? share : NULL;
}
