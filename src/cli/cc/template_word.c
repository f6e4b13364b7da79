/* `type<T>::name<N>(...)` calls a member template of a class that depends on T. C++ requires the word "template" before
 * its name, but nvcc does not. clang says where the word is missing, so it is added there, and the source is compiled
 * again. */
#include "cli/cc/rewrite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads FILE:LINE:COLUMN: before a message. Returns false when the line has another form. */
static bool read_place(struct cc *cc, const char *line, const char *message, struct missing_template *missing)
{
	const char *colon = message;
	for (unsigned colons = 0; colons < 3; colons++) {
		do {
			if (colon-- == line)
				return false;
		} while (*colon != ':');
	}
	char *end;
	missing->line = (unsigned)strtoul(colon + 1, &end, 10);
	missing->file = scan_absolute(cc, arena_string(&cc->arena, line, (size_t)(colon - line)));
	return *end == ':' && missing->line;
}

static bool is_known(const struct cc *cc, const struct missing_template *missing)
{
	for (size_t i = 0; i < cc->missing_count; i++) {
		const struct missing_template *other = &cc->missing[i];
		if (other->line == missing->line && strcmp(other->name, missing->name) == 0 &&
		    strcmp(other->file, missing->file) == 0)
			return true;
	}
	return false;
}

/* Removes the escape sequences of colors. */
static void remove_colors(char *text)
{
	char *end = text;
	while (*text)
		if (*text == '\033')
			text += strcspn(text, "m") + (text[strcspn(text, "m")] == 'm');
		else
			*end++ = *text++;
	*end = '\0';
}

bool cc_note_missing_templates(struct cc *cc, char *messages)
{
	/* what clang says about type<T>::name<N> and about object.name<N> */
	static const char *const texts[] = {" error: missing 'template' keyword prior to dependent template name '",
	                                    " error: use 'template' keyword to treat '"};
	size_t before = cc->missing_count;
	remove_colors(messages);
	for (char *line = strtok(messages, "\n"); line; line = strtok(NULL, "\n")) {
		const char *found = NULL, *name = NULL;
		for (size_t i = 0; i < sizeof texts / sizeof *texts && !found; i++) {
			found = strstr(line, texts[i]);
			name = found ? found + strlen(texts[i]) : NULL;
		}
		struct missing_template missing = {0};
		if (!found || !read_place(cc, line, found, &missing))
			continue;
		missing.name = arena_string(&cc->arena, name, strcspn(name, "'"));
		if (is_known(cc, &missing))
			continue;
		cc->missing = base_realloc(cc->missing, (cc->missing_count + 1) * sizeof *cc->missing);
		cc->missing[cc->missing_count++] = missing;
	}
	return cc->missing_count > before;
}

/* True for NAME at that position, after "::", "->" or "." and before "<", without the word. */
static bool is_use(const struct scan *scan, size_t at, const char *name)
{
	size_t length = strlen(name), before = scan_blanks_back(scan->text, at);
	if (scan->length - at <= length || memcmp(scan->text + at, name, length) != 0 || !before)
		return false;
	char first = scan->text[before - 1], second = before > 1 ? scan->text[before - 2] : '\0';
	bool is_member = first == '.' || (first == ':' && second == ':') || (first == '>' && second == '-');
	size_t after = scan_skip_blanks(scan, at + length);
	return is_member && after < scan->length && scan->text[after] == '<';
}

static bool has_edit(const struct scan *scan, size_t at)
{
	for (size_t i = 0; i < scan->edit_count; i++)
		if (scan->edits[i].at == at)
			return true;
	return false;
}

/* Adds the word at the uses in a line, and in the rest of a statement that goes on after it. */
static void add_word(struct scan *scan, const struct missing_template *missing)
{
	size_t at = 0;
	bool in_line = true;
	for (unsigned line = 1; line < missing->line && at < scan->length; at++)
		line += scan->text[at] == '\n';
	for (; at < scan->length && (in_line || !strchr(";{}", scan->text[at])); at++) {
		in_line = in_line && scan->text[at] != '\n';
		if (is_use(scan, at, missing->name) && !has_edit(scan, at))
			scan_edit(scan, at, 0, "template ");
	}
}

void scan_missing_templates(struct scan *scan, const char *file)
{
	const struct cc *cc = scan->cc;
	for (size_t i = 0; i < cc->missing_count; i++)
		if (strcmp(cc->missing[i].file, file) == 0)
			add_word(scan, &cc->missing[i]);
}
