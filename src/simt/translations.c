#include "simt/translations.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

/* Returns the number of entries that begin at or below the address. */
static size_t count_below(const struct translations *translations, uint64_t address)
{
	size_t low = 0, high = translations->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (translations->translation[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool translations_add(struct translations *translations, struct translation added)
{
	size_t at = count_below(translations, added.address);
	if (at && added.address - translations->translation[at - 1].address < translations->translation[at - 1].size)
		return false;
	if (at < translations->count && translations->translation[at].address - added.address < added.size)
		return false;
	if (translations->count == translations->capacity) {
		translations->capacity = translations->capacity ? 2 * translations->capacity : 16;
		translations->translation = base_realloc(translations->translation,
		                                         translations->capacity * sizeof *translations->translation);
	}
	memmove(translations->translation + at + 1, translations->translation + at,
	        (translations->count++ - at) * sizeof added);
	translations->translation[at] = added;
	return true;
}

void translations_remove(struct translations *translations, const struct translation *translation)
{
	size_t at = (size_t)(translation - translations->translation);
	memmove(translations->translation + at, translations->translation + at + 1,
	        (--translations->count - at) * sizeof *translation);
}

void translations_free(struct translations *translations)
{
	free(translations->translation);
}

const struct translation *translations_beside(const struct translations *translations, uint64_t address, bool above)
{
	size_t below = count_below(translations, address);
	if (above)
		return below < translations->count ? &translations->translation[below] : NULL;
	return below ? &translations->translation[below - 1] : NULL;
}

const struct translation *translations_find(const struct translations *translations, uint64_t address)
{
	const struct translation *translation = translations_beside(translations, address, false);
	return translation && address - translation->address < translation->size ? translation : NULL;
}
