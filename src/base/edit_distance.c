#include "base/edit_distance.h"

#include "base/least.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

enum { LONGEST = 63 };

uint32_t edit_distance(const char *typed, const char *meant)
{
	size_t rows = strlen(typed), columns = strlen(meant);
	if (rows > LONGEST || columns > LONGEST)
		return EDIT_DISTANCE_FAR;
	/* Optimal string alignment: three rows of the table suffice; [0] is the newest. */
	uint32_t table[3][LONGEST + 1] = {0};
	for (size_t j = 0; j <= columns; j++)
		table[0][j] = (uint32_t)j;
	for (size_t i = 1; i <= rows; i++) {
		memcpy(table[2], table[1], sizeof table[1]);
		memcpy(table[1], table[0], sizeof table[0]);
		table[0][0] = (uint32_t)i;
		for (size_t j = 1; j <= columns; j++) {
			int a = tolower((unsigned char)typed[i - 1]), b = tolower((unsigned char)meant[j - 1]);
			uint32_t edits = least(table[1][j] + 1, table[0][j - 1] + 1);
			edits = least(edits, table[1][j - 1] + (a != b));
			if (i > 1 && j > 1 && a == tolower((unsigned char)meant[j - 2]) &&
			    b == tolower((unsigned char)typed[i - 2]))
				edits = least(edits, table[2][j - 2] + 1);
			table[0][j] = edits;
		}
	}
	if (rows < columns && columns - rows <= rows / 3 && strncasecmp(typed, meant, rows) == 0)
		return 1;
	uint32_t allowed = 1 + (uint32_t)columns / 4;
	return table[0][columns] <= allowed && table[0][columns] < columns ? table[0][columns] : EDIT_DISTANCE_FAR;
}
