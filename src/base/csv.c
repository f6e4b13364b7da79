#include "base/csv.h"

#include <stdbool.h>
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

char *csv_field(char **rest)
{
	char *field = *rest, *to = field, *at = field;
	bool quoted = *at == '"';
	for (at += quoted; *at; at++) {
		if (quoted && *at == '"' && *++at != '"')
			quoted = false;
		if (!quoted && (*at == ',' || *at == '\n' || !*at))
			break;
		*to++ = *at;
	}
	*rest = *at == ',' ? at + 1 : at + strlen(at);
	*to = '\0';
	return field;
}

char *csv_line(char **rest)
{
	char *line = *rest, *end = line + strcspn(line, "\n");
	*rest = *end ? end + 1 : end;
	*end = '\0';
	return line;
}
