/* `#define UNROLL #pragma unroll`, which nvcc takes in device code, becomes `#define UNROLL _Pragma("unroll")`. */
#include "cli/cc/scan.h"

#include <string.h>

/* Returns the end of the line, without a carriage return and blanks. */
static size_t line_end(const struct scan *scan, size_t at)
{
	const char *newline = memchr(scan->text + at, '\n', scan->length - at);
	return scan_blanks_back(scan->text, newline ? (size_t)(newline - scan->text) : scan->length);
}

void scan_pragma(struct scan *scan)
{
	static const char word[] = "pragma";
	size_t start = scan_skip_spaces(scan, scan->at + 1), after = start + sizeof word - 1;
	if (after >= scan->length || memcmp(scan->text + start, word, sizeof word - 1) != 0 ||
	    scan_is_word(scan->text[after]))
		return;
	size_t from = scan_skip_spaces(scan, after), end = line_end(scan, from);
	if (end < from || memchr(scan->text + from, '\\', end - from))
		return;
	char *text = arena_alloc(&scan->cc->arena, 2 * (end - from) + sizeof "_Pragma(\"\")"), *to = text;
	to = stpcpy(to, "_Pragma(\"");
	for (size_t at = from; at < end; at++) {
		if (scan->text[at] == '"')
			*to++ = '\\';
		*to++ = scan->text[at];
	}
	strcpy(to, "\")");
	scan_edit(scan, scan->at, end - scan->at, text);
}
