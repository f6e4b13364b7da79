/* scan: the state of a source scan by rewrite.c and rewrite_text.c, and the rewriting functions of assembler.c,
 * alignment.c and pragma.c. */
#ifndef SLUICE_CLI_CC_SCAN_H
#define SLUICE_CLI_CC_SCAN_H

#include "cli/cc/cc.h"

#include <ctype.h>

enum { MOST_OPEN = 16, MOST_BRACES = 256, MOST_BRANCHES = 64 };

/* A replacement for a part of the text. */
struct edit {
	size_t at, removed;
	const char *text;
};

/* Where a function runs, according to its qualifiers. */
enum { SAYS_DEVICE = 1, SAYS_HOST = 2 };

/* A source during its scan. */
struct scan {
	struct cc *cc;
	/* macros that consist only of such qualifiers: a digit with their meaning, then the name */
	struct argument_list *qualifiers;
	char *text;
	size_t length, at;
	size_t depth; /* of parentheses */
	struct open_launch {
		size_t depth;  /* nesting depth at which it was opened */
		unsigned says; /* qualifiers of the enclosing function */
	} open[MOST_OPEN];
	unsigned opened;
	bool rewritten, line_start; /* `line_start`: only blanks so far on this line */
	bool in_library;         /* the file belongs to libcu++, not to the user */
	bool in_directive;       /* on a preprocessor line or its continuation */
	enum { DEFINES_NOTHING, DEFINES, NAMES_DEFINED } define; /* progress through "define NAME" on such a line */
	char *defined; /* the name; NULL: the macro has other words than qualifiers */
	unsigned defined_says;
	unsigned says;              /* qualifiers seen before a brace */
	unsigned side[MOST_BRACES]; /* by open brace: the enclosing function's qualifiers; 0 for host code */
	size_t braces;
	struct {
		size_t braces, depth;
	} branches[MOST_BRANCHES]; /* by open #if: the nesting before it */
	size_t branch_count;
	struct edit *edits;
	size_t edit_count;
};

static inline bool scan_is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Returns the start of the blanks that end before `end`. */
static inline size_t scan_blanks_back(const char *text, size_t end)
{
	while (end && isspace((unsigned char)text[end - 1]))
		end--;
	return end;
}

/* Returns the position after the spaces and tabs from `at` on, in the same line. */
static inline size_t scan_skip_spaces(const struct scan *scan, size_t at)
{
	while (at < scan->length && (scan->text[at] == ' ' || scan->text[at] == '\t'))
		at++;
	return at;
}

/* Moves after the string or character literal that begins here. */
void scan_skip_quoted(struct scan *scan);

/* Edits are sorted by position. If two have the same position, the later one comes first. */
void scan_edit(struct scan *scan, size_t at, size_t removed, const char *text);

/* Returns the newlines among `length` characters, so that a replacement keeps the line count. */
const char *scan_line_ends(struct cc *cc, const char *text, size_t length);

/* At "asm" or "asm volatile": doubles the percent signs of PTX's names in the strings of a statement with operands. */
void scan_assembler(struct scan *scan);

/* Skips the blanks from `at` on. scan_skip_word() also skips one of the words (NULL-terminated), if present, and the
 * blanks after it. */
size_t scan_skip_blanks(const struct scan *scan, size_t at);
size_t scan_skip_word(const struct scan *scan, size_t at, const char *const *words);

/* At "alignas(" after __shared__ and similar words: moves it to the start of the declaration. */
void scan_alignment(struct scan *scan);

/* At "__device__", of that length: removes it if __shared__ is also present. */
void scan_device_word(struct scan *scan, size_t length);

/* At the '#' of "#define NAME #pragma TEXT": rewrites the pragma as an operator. */
void scan_pragma(struct scan *scan);

/* Adds the word "template" where clang has missed it in this file; `file` is its absolute path. */
void scan_missing_templates(struct scan *scan, const char *file);

/* Makes a path absolute, without dots, as clang looks it up. */
char *scan_absolute(struct cc *cc, const char *path);

/* At the '~' of "~NAME() {": replaces a destructor that contains assembler by a defaulted one, and moves to its end. */
void scan_destructor(struct scan *scan);

#endif
