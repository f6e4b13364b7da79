/* mech_numbers: lists of numbers as options of mechanisms and files give them: "all", or numbers and ranges as in
 * "0-3+7". */
#ifndef SLUICE_SEAM_MECH_NUMBERS_H
#define SLUICE_SEAM_MECH_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MECH_NUMBERS_EXPECTED "expected all, or numbers and ranges as in 0-3+7"

/* Reads "7" or "0-3" at *at and moves *at after it. False: *at has no number. */
static inline bool mech_numbers_range(const char **at, unsigned long *first, unsigned long *last)
{
	char *end;
	*first = *last = strtoul(*at, &end, 10);
	bool good = end != *at && **at >= '0' && **at <= '9';
	if (good && *end == '-') {
		const char *behind = end + 1;
		*last = strtoul(behind, &end, 10);
		good = end != behind && *behind >= '0' && *behind <= '9' && *last >= *first;
	}
	*at = end;
	return good;
}

/* True when the list contains the number. *good becomes false when the text is not a list. */
static inline bool mech_numbers_have(const char *list, uint32_t number, bool *good)
{
	bool has = false, more = true;
	unsigned long first, last;
	if (strcmp(list, "all") == 0)
		return true;
	while (more && mech_numbers_range(&list, &first, &last)) {
		has |= first <= number && number <= last;
		more = *list == '+';
		list += more;
	}
	*good &= !more && !*list;
	return has;
}

#endif
