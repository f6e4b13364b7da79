/* Scans sources word by word, for launch brackets with blanks in them, and to find which functions are device
 * functions. */
#include "cli/cc/rewrite.h"

#include <string.h>

void rewrite_skip_to(struct scan *scan, const char *end)
{
	const char *found = memmem(scan->text + scan->at, scan->length - scan->at, end, strlen(end));
	scan->at = found ? (size_t)(found - scan->text) + strlen(end) : scan->length;
}

/* Skips R"mark( ... )mark". */
static void skip_raw(struct scan *scan)
{
	char end[32] = ")";
	size_t length = 0;
	const char *mark = scan->text + scan->at + 1;
	size_t left = scan->length - scan->at - 1;
	while (length < left && length < 16 && mark[length] != '(')
		length++;
	memcpy(end + 1, mark, length);
	strcpy(end + 1 + length, "\"");
	rewrite_skip_to(scan, end);
}

void scan_skip_quoted(struct scan *scan)
{
	char quote = scan->text[scan->at];
	char before = scan->at ? scan->text[scan->at - 1] : ' ';
	if (quote == '\'' && scan_is_word(before)) { /* 1'000 */
		scan->at++;
		return;
	}
	if (quote == '"' && before == 'R') {
		skip_raw(scan);
		return;
	}
	for (scan->at++; scan->at < scan->length && scan->text[scan->at] != quote; scan->at++) {
		if (scan->text[scan->at] == '\n')
			return;
		scan->at += scan->text[scan->at] == '\\';
	}
	scan->at = scan->at < scan->length ? scan->at + 1 : scan->length;
}

/* True after the word `operator`: what follows is its name. */
static bool follows_operator(const struct scan *scan)
{
	static const char word[] = "operator";
	size_t end = scan->at, length = sizeof word - 1;
	while (end && isspace((unsigned char)scan->text[end - 1]))
		end--;
	return end >= length && memcmp(scan->text + end - length, word, length) == 0;
}

/* Takes launch brackets: two of them and, after optional blanks, a third one. Removes the blanks. */
static bool take_brackets(struct scan *scan, char bracket)
{
	char *text = scan->text;
	size_t third = scan->at + 2;
	if (third >= scan->length || text[scan->at + 1] != bracket)
		return false;
	while (third < scan->length && isspace((unsigned char)text[third]))
		third++;
	if (third == scan->length || text[third] != bracket)
		return false;
	if (third > scan->at + 2) {
		/* the blanks move after the bracket, so that newlines and lengths stay */
		memmove(text + scan->at + 3, text + scan->at + 2, third - scan->at - 2);
		text[scan->at + 2] = bracket;
		scan->rewritten = true;
	}
	scan->at = third + 1;
	return true;
}

/* Returns the qualifiers of the function that contains this position; 0: host code. */
static unsigned side_of(const struct scan *scan)
{
	return scan->braces && scan->braces <= MOST_BRACES ? scan->side[scan->braces - 1] : 0;
}

/* Braces and ends of statements divide the code into functions. */
static void take_brace(struct scan *scan, char c)
{
	unsigned side = scan->says & SAYS_DEVICE ? scan->says : side_of(scan);
	if (c == '{' && ++scan->braces <= MOST_BRACES)
		scan->side[scan->braces - 1] = side;
	else if (c == '}' && scan->braces)
		scan->braces--;
	scan->says = 0;
}

static bool is_text(const char *word, size_t length, const char *text)
{
	return strlen(text) == length && memcmp(word, text, length) == 0;
}

static unsigned what_it_says(const struct scan *scan, const char *word, size_t length)
{
	unsigned says = 0;
	if (is_text(word, length, "__host__"))
		return SAYS_HOST;
	if (is_text(word, length, "__device__") || is_text(word, length, "__global__"))
		return SAYS_DEVICE;
	for (size_t i = 0; i < scan->qualifiers->count; i++)
		if (is_text(word, length, scan->qualifiers->list[i] + 1))
			says |= (unsigned)(scan->qualifiers->list[i][0] - '0');
	return says;
}

/* Takes a word of a directive. For a definition: first the name, then its words. */
static void take_defining(struct scan *scan, const char *word, size_t length)
{
	if (scan->define == NAMES_DEFINED) {
		scan->defined_says |= what_it_says(scan, word, length);
	} else if (scan->define == DEFINES) {
		scan->define = NAMES_DEFINED;
		scan->defined = arena_string(&scan->cc->arena, word, length);
	} else if (is_text(word, length, "define")) {
		scan->define = DEFINES;
	}
}

void rewrite_begin_directive(struct scan *scan)
{
	size_t start = scan_skip_spaces(scan, scan->at), length = 0;
	const char *name = scan->text + start;
	while (start + length < scan->length && scan_is_word(name[length]))
		length++;
	scan->in_directive = true;
	if (is_text(name, length, "if") || is_text(name, length, "ifdef") || is_text(name, length, "ifndef")) {
		if (scan->branch_count < MOST_BRANCHES) {
			scan->branches[scan->branch_count].braces = scan->braces;
			scan->branches[scan->branch_count].depth = scan->depth;
		}
		scan->branch_count++;
	} else if (is_text(name, length, "endif")) {
		scan->branch_count -= scan->branch_count > 0;
	} else if (scan->branch_count && scan->branch_count <= MOST_BRANCHES && length > 3 &&
	           memcmp(name, "el", 2) == 0) {
		scan->braces = scan->branches[scan->branch_count - 1].braces;
		scan->depth = scan->branches[scan->branch_count - 1].depth;
	}
}

void rewrite_end_directive(struct scan *scan)
{
	static const char *const digits[] = {"0", "1", "2", "3"};
	if (scan->in_directive && scan->defined && scan->defined_says)
		cc_add(scan->qualifiers, cc_joined(scan->cc, digits[scan->defined_says], scan->defined));
	scan->in_directive = false;
	scan->define = DEFINES_NOTHING;
	scan->defined = NULL;
	scan->defined_says = 0;
}

void rewrite_take_word(struct scan *scan)
{
	const char *word = scan->text + scan->at;
	size_t length = 0;
	scan_assembler(scan);
	scan_alignment(scan);
	while (scan->at + length < scan->length && scan_is_word(word[length]))
		length++;
	if (is_text(word, length, "__device__"))
		scan_device_word(scan, length);
	if (scan->in_directive)
		take_defining(scan, word, length);
	else
		scan->says |= what_it_says(scan, word, length);
	scan->at += length;
}

void rewrite_take_punctuation(struct scan *scan, char c)
{
	bool opens = c == '<' && !follows_operator(scan) && scan->opened < MOST_OPEN;
	bool closes = c == '>' && scan->opened && scan->open[scan->opened - 1].depth == scan->depth;
	size_t start = scan->at;
	if (opens && take_brackets(scan, '<')) {
		unsigned says = side_of(scan);
		scan->open[scan->opened++] = (struct open_launch){scan->depth, says};
		if (says)
			rewrite_device_launch(scan, start, start + 3, says);
		return;
	}
	if (closes && take_brackets(scan, '>')) {
		unsigned says = scan->open[--scan->opened].says;
		if (says)
			scan_edit(scan, start, 3, says & SAYS_HOST ? " SLUICE_LAUNCHED " : " SLUICE_DEVICE_LAUNCHED ");
		return;
	}
	if (c == ';')
		scan->opened = 0;
	if (c == '(' || c == '{' || c == ';')
		scan->defined = NULL; /* the macro has more than words */
	if (c == '#' && scan->define == NAMES_DEFINED)
		scan_pragma(scan);
	if (c == '~' && scan->in_library)
		scan_destructor(scan);
	if (!scan->in_directive && ((c == ';' && !scan->depth) || c == '{' || c == '}'))
		take_brace(scan, c);
	scan->depth += c == '(';
	scan->depth -= c == ')' && scan->depth;
	/* skip both of two brackets; otherwise the second would look like the first of a pair */
	scan->at += (c == '<' || c == '>') && scan->at + 1 < scan->length && scan->text[scan->at + 1] == c ? 2 : 1;
}
