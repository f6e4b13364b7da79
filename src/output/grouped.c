#include "output/grouped.h"

#include <inttypes.h>
#include <stdio.h>

const char *grouped(uint64_t value, char text[NUMBER_SIZE])
{
	char digits[NUMBER_SIZE];
	int count = snprintf(digits, sizeof digits, "%" PRIu64, value);
	char *at = text;
	for (int i = 0; i < count; i++) {
		if (i && (count - i) % 3 == 0)
			*at++ = ',';
		*at++ = digits[i];
	}
	*at = '\0';
	return text;
}
