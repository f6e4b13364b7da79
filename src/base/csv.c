#include "base/csv.h"

#include <string.h>

void csv_text(const char *text, FILE *file)
{
	if (!strpbrk(text, ",\"\n\r")) {
		fputs(text, file);
		return;
	}
	fputc('"', file);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', file);
		fputc(*text, file);
	}
	fputc('"', file);
}
