/* Adapts assembler written for nvcc.
 *
 * In statements with operands clang requires `%%laneid` where nvcc accepts `%laneid`. Destructors of shared variables
 * do not run, and clang accepts only empty ones. Some destructors of libcu++ contain assembler, which invalidates a
 * barrier after its last use. They are shown to clang as defaulted, which it treats as empty also in templates.
 */
#include "cli/cc/scan.h"

#include <ctype.h>
#include <string.h>

static const char *const assembler[] = {"asm", "__asm__", "__asm", NULL};

size_t scan_skip_blanks(const struct scan *scan, size_t at)
{
	while (at < scan->length && isspace((unsigned char)scan->text[at]))
		at++;
	return at;
}

/* Returns the position after the string at `at`, and after the blanks and strings that follow it. */
static size_t skip_strings(struct scan *scan, size_t at)
{
	size_t before = scan->at;
	while (at < scan->length && scan->text[at] == '"') {
		scan->at = at;
		scan_skip_quoted(scan);
		at = scan_skip_blanks(scan, scan->at);
	}
	scan->at = before;
	return at;
}

/* True when the percent sign begins a PTX name. %0, %%, %= and modifiers such as %h0 and %h[name] belong to the
 * assembler statement. */
static bool is_lone_percent(const struct scan *scan, size_t at)
{
	const char *text = scan->text + at;
	return at + 2 < scan->length && text[0] == '%' && text[-1] != '%' && isalpha((unsigned char)text[1]) &&
	       !isdigit((unsigned char)text[2]) && text[2] != '[';
}

size_t scan_skip_word(const struct scan *scan, size_t at, const char *const *words)
{
	for (; *words; words++) {
		size_t end = at + strlen(*words);
		if (end < scan->length && memcmp(scan->text + at, *words, end - at) == 0 &&
		    !scan_is_word(scan->text[end]))
			return scan_skip_blanks(scan, end);
	}
	return at;
}

void scan_assembler(struct scan *scan)
{
	static const char *const qualifiers[] = {"volatile", "__volatile__", NULL};
	size_t at = scan_skip_word(scan, scan->at, assembler);
	if (at == scan->at)
		return;
	at = scan_skip_word(scan, at, qualifiers);
	if (at >= scan->length || scan->text[at] != '(')
		return;
	size_t first = scan_skip_blanks(scan, at + 1), end = skip_strings(scan, first);
	if (end == first || end >= scan->length || scan->text[end] != ':')
		return;
	for (size_t k = first; k < end; k++)
		if (is_lone_percent(scan, k))
			scan_edit(scan, k, 0, "%");
}

/* Returns the position after the brace that closes the one at `at`. */
static size_t skip_braces(struct scan *scan, size_t at)
{
	size_t before = scan->at, open = 0;
	for (scan->at = at; scan->at < scan->length;) {
		char c = scan->text[scan->at];
		if (c == '"' || c == '\'') {
			scan_skip_quoted(scan);
			continue;
		}
		scan->at++;
		open += c == '{';
		open -= c == '}';
		if (!open)
			break;
	}
	at = scan->at;
	scan->at = before;
	return at;
}

static bool holds_assembler(const struct scan *scan, size_t at, size_t end)
{
	for (; at < end; at++)
		if (!scan_is_word(scan->text[at - 1]) && scan_skip_word(scan, at, assembler) > at)
			return true;
	return false;
}

void scan_destructor(struct scan *scan)
{
	size_t at = scan->at + 1;
	while (at < scan->length && scan_is_word(scan->text[at]))
		at++;
	for (const char *expected = "(){"; *expected; expected++) {
		at = scan_skip_blanks(scan, at);
		if (at >= scan->length || scan->text[at] != *expected)
			return;
		at += *expected != '{';
	}
	size_t end = skip_braces(scan, at);
	if (!holds_assembler(scan, at + 1, end))
		return;
	scan_edit(scan, at, end - at,
	          cc_joined(scan->cc, "= default;", scan_line_ends(scan->cc, scan->text + at, end - at)));
	scan->at = end - 1;
}
