/* Launches in device code: the kernel's name, and the call that they become. Lines stay. */
#include "cli/cc/mend.h"

void mend_add_edit(struct scan *scan, size_t at, size_t removed, const char *text)
{
	scan->edits = xrealloc(scan->edits, (scan->edit_count + 1) * sizeof *scan->edits);
	scan->edits[scan->edit_count++] = (struct edit){at, removed, text};
	scan->mended = true;
}

static size_t skip_blanks_back(const char *text, size_t end)
{
	while (end && isspace((unsigned char)text[end - 1]))
		end--;
	return end;
}

/* Where the template's arguments begin that end before `end`, or `end` where there are none. */
static size_t skip_arguments_back(const char *text, size_t end)
{
	size_t at = end, open = 0, parentheses = 0; /* in which brackets compare */
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

/* Whether a scope ends before `end`: a word that is none of the language's, or a template's arguments. */
static bool ends_scope(const char *text, size_t end)
{
	static const char *const words[] = {"do", "else", "return"};
	size_t start = end;
	while (start && is_word(text[start - 1]))
		start--;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i]) == end - start && memcmp(words[i], text + start, end - start) == 0)
			return false;
	return start < end || (end && text[end - 1] == '>');
}

/* Where the kernel's name begins that ends before `end`: NAME, NAME<ARGUMENTS> and those behind `::`. */
static size_t name_start(const char *text, size_t end)
{
	for (;;) {
		size_t at = skip_blanks_back(text, skip_arguments_back(text, skip_blanks_back(text, end)));
		while (at && is_word(text[at - 1]))
			at--;
		size_t before = skip_blanks_back(text, at);
		if (before < 2 || text[before - 1] != ':' || text[before - 2] != ':')
			return at;
		end = before - 2;
		if (!ends_scope(text, skip_blanks_back(text, end)))
			return end; /* ::NAME */
	}
}

/* The lines' ends among so many characters: a mended text has as many. */
static const char *line_ends(struct cc *cc, const char *text, size_t length)
{
	char *ends = arena_alloc(&cc->arena, length + 1);
	for (size_t i = 0, count = 0; i < length; i++)
		if (text[i] == '\n')
			ends[count++] = '\n';
	return ends;
}

void mend_device_launch(struct scan *scan, size_t brackets, size_t end, unsigned says)
{
	struct cc *cc = scan->cc;
	size_t start = name_start(scan->text, brackets), stop = skip_blanks_back(scan->text, brackets);
	char *name = arena_string(&cc->arena, scan->text + start, stop - start);
	for (char *at = name; *at; at++)
		if (*at == '\n')
			*at = ' ';
	const char *type = cc_joined(cc, cc_joined(cc, "::sluice::device_launch<decltype(&", name), "), &");
	const char *call = cc_joined(cc, cc_joined(cc, type, name), " >(");
	if (says & SAYS_HOST)
		call = cc_joined(cc, cc_joined(cc, "SLUICE_LAUNCH(", name), ") ");
	mend_add_edit(scan, start, end - start, cc_joined(cc, line_ends(cc, scan->text + start, end - start), call));
}
