/* Rewrites launches in device code: finds the kernel's name, and turns the launch into a call. Line numbers stay. */
#include "cli/cc/rewrite.h"

#include <stdio.h>
#include <string.h>

/* An edit of an alignment may have to be inserted before earlier edits of its declaration. */
void scan_edit(struct scan *scan, size_t at, size_t removed, const char *text)
{
	scan->edits = base_realloc(scan->edits, (scan->edit_count + 1) * sizeof *scan->edits);
	size_t place = scan->edit_count++;
	for (; place && scan->edits[place - 1].at >= at; place--)
		scan->edits[place] = scan->edits[place - 1];
	scan->edits[place] = (struct edit){at, removed, text};
	scan->rewritten = true;
}

/* Returns the start of the template arguments that end before `end`; `end` when there are none. */
static size_t skip_arguments_back(const char *text, size_t end)
{
	size_t at = end, open = 0, parentheses = 0; /* inside parentheses, < and > are comparisons */
	if (!at || text[at - 1] != '>')
		return end;
	while (at--) {
		parentheses += text[at] == ')';
		parentheses -= text[at] == '(' && parentheses;
		open += !parentheses && text[at] == '>';
		open -= !parentheses && text[at] == '<';
		if (!open)
			return at;
	}
	return end;
}

/* True when a scope ends before `end`: a word that is not a keyword, or template arguments. */
static bool ends_scope(const char *text, size_t end)
{
	static const char *const words[] = {"do", "else", "return"};
	size_t start = end;
	while (start && scan_is_word(text[start - 1]))
		start--;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i]) == end - start && memcmp(words[i], text + start, end - start) == 0)
			return false;
	return start < end || (end && text[end - 1] == '>');
}

/* Returns the start of the kernel's name that ends before `end`: NAME, NAME<ARGUMENTS>, and scopes with `::`. */
static size_t name_start(const char *text, size_t end)
{
	for (;;) {
		size_t at = scan_blanks_back(text, skip_arguments_back(text, scan_blanks_back(text, end)));
		while (at && scan_is_word(text[at - 1]))
			at--;
		size_t before = scan_blanks_back(text, at);
		if (before < 2 || text[before - 1] != ':' || text[before - 2] != ':')
			return at;
		end = before - 2;
		if (!ends_scope(text, scan_blanks_back(text, end)))
			return end; /* ::NAME */
	}
}

const char *scan_line_ends(struct cc *cc, const char *text, size_t length)
{
	char *ends = arena_alloc(&cc->arena, length + 1);
	for (size_t i = 0, count = 0; i < length; i++)
		if (text[i] == '\n')
			ends[count++] = '\n';
	return ends;
}

/* Returns the end of the launch brackets that began before `at`. */
static size_t launch_end(const struct scan *scan, size_t at)
{
	size_t depth = 0, closed = 0;
	for (; at < scan->length && closed < 3 && scan->text[at] != ';'; at++) {
		char c = scan->text[at];
		depth += c == '(';
		depth -= c == ')' && depth;
		closed = c == '>' && !depth ? closed + 1 : isspace((unsigned char)c) ? closed : 0;
	}
	return at;
}

/* Counts the arguments of the launch whose brackets began before `at`, by commas. Commas in template arguments are not
 * distinguished. */
static unsigned count_arguments(struct scan *scan, size_t at)
{
	size_t kept = scan->at, depth = 0;
	unsigned count = 0;
	bool is_empty = true;
	for (scan->at = launch_end(scan, at); scan->at < scan->length && scan->text[scan->at] != ';';) {
		char c = scan->text[scan->at];
		if (c == '"' || c == '\'') {
			is_empty = false;
			scan_skip_quoted(scan);
			continue;
		}
		bool closes = c && strchr(")]}", c), opens = c && strchr("([{", c);
		if (closes && depth <= 1)
			break;
		depth -= closes;
		count += c == ',' && depth == 1;
		is_empty = is_empty && (!depth || isspace((unsigned char)c));
		if (!depth && !opens && !isspace((unsigned char)c))
			break;
		depth += opens;
		scan->at++;
	}
	scan->at = kept;
	return is_empty ? 0 : count + 1;
}

void rewrite_device_launch(struct scan *scan, size_t brackets, size_t end, unsigned says)
{
	struct cc *cc = scan->cc;
	size_t start = name_start(scan->text, brackets), stop = scan_blanks_back(scan->text, brackets);
	char *name = arena_string(&cc->arena, scan->text + start, stop - start);
	for (char *at = name; *at; at++)
		if (*at == '\n')
			*at = ' ';
	char count[16];
	snprintf(count, sizeof count, "%u", count_arguments(scan, end));
	const char *macro = says & SAYS_HOST ? "SLUICE_LAUNCH(" : "SLUICE_DEVICE_LAUNCH(";
	const char *call = cc_joined(cc, cc_joined(cc, cc_joined(cc, cc_joined(cc, macro, count), ", "), name), ") ");
	scan_edit(scan, start, end - start, cc_joined(cc, scan_line_ends(cc, scan->text + start, end - start), call));
}
