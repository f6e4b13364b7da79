/* Moves alignas for clang, which requires standard attributes first: `__shared__ alignas(16) float a[4]`, valid for
 * nvcc, becomes `alignas(16) __shared__ float a[4]`. In `__device__ __shared__` the first word is redundant, and an
 * error for clang inside a function; only `__shared__` is left. */
#include "cli/cc/scan.h"

#include <string.h>

/* True for words that may precede alignas in a declaration. */
static bool is_specifier(const char *word, size_t length)
{
	static const char *const words[] = {"__shared__", "__device__", "__constant__", "__managed__",
	                                    "extern",     "static",     "volatile"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i]) == length && memcmp(words[i], word, length) == 0)
			return true;
	return false;
}

/* Returns the start of the specifiers before `at`, or `at` when none of them is CUDA's. */
static size_t declaration_start(const char *text, size_t at)
{
	size_t start = at;
	bool of_cuda = false;
	for (;;) {
		size_t end = scan_blanks_back(text, start), word = end;
		while (word && scan_is_word(text[word - 1]))
			word--;
		if (!is_specifier(text + word, end - word))
			return of_cuda ? start : at;
		of_cuda |= text[word] == '_';
		start = word;
	}
}

/* Returns the position after the parenthesis that closes the one at `at`. */
static size_t skip_parentheses(const struct scan *scan, size_t at)
{
	size_t open = 0;
	do {
		open += scan->text[at] == '(';
		open -= scan->text[at] == ')';
		at++;
	} while (open && at < scan->length);
	return at;
}

void scan_alignment(struct scan *scan)
{
	static const char word[] = "alignas";
	size_t at = scan->at, open = at + sizeof word - 1;
	if (open >= scan->length || memcmp(scan->text + at, word, open - at) != 0)
		return;
	while (open < scan->length && isspace((unsigned char)scan->text[open]))
		open++;
	size_t start = declaration_start(scan->text, at);
	if (start == at || open == scan->length || scan->text[open] != '(')
		return;
	size_t end = skip_parentheses(scan, open);
	char *moved = cc_joined(scan->cc, arena_string(&scan->cc->arena, scan->text + at, end - at), " ");
	for (char *c = moved; *c; c++)
		if (*c == '\n')
			*c = ' ';
	scan_edit(scan, start, 0, moved);
	scan_edit(scan, at, end - at, scan_line_ends(scan->cc, scan->text + at, end - at));
}

/* Words that may stand between the memory specifiers of a declaration. */
static const char *const declaring[] = {"static", "extern", "volatile", "const", NULL};
static const char *const shared[] = {"__shared__", NULL};

static bool goes_before_shared(const struct scan *scan, size_t at)
{
	for (size_t before = 0; before != at;)
		at = scan_skip_word(scan, before = at, declaring);
	return scan_skip_word(scan, at, shared) != at;
}

/* Returns the start of the word that ends before `end`, ignoring blanks. */
static size_t word_back(const struct scan *scan, size_t end)
{
	end = scan_blanks_back(scan->text, end);
	while (end && scan_is_word(scan->text[end - 1]))
		end--;
	return end;
}

static bool goes_behind_shared(const struct scan *scan, size_t at)
{
	size_t before;
	do
		at = word_back(scan, before = at);
	while (at != before && scan_skip_word(scan, at, declaring) != at);
	return scan_skip_word(scan, at, shared) != at;
}

void scan_device_word(struct scan *scan, size_t length)
{
	size_t behind = scan_skip_blanks(scan, scan->at + length);
	if (goes_before_shared(scan, behind) || goes_behind_shared(scan, scan->at))
		scan_edit(scan, scan->at, length, "          ");
}
