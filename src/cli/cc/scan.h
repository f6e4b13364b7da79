/* scan: a source as mend.c and mend_text.c look it through, and what assembler.c and alignment.c mend of it. */
#ifndef SLUICE_CLI_CC_SCAN_H
#define SLUICE_CLI_CC_SCAN_H

#include "cli/cc/cc.h"

#include <ctype.h>

enum { MOST_OPEN = 16, MOST_BRACES = 256 };

/* What takes the place of a part of the text. */
struct edit {
	size_t at, removed;
	const char *text;
};

/* Where a function runs, as it says itself. */
enum { SAYS_DEVICE = 1, SAYS_HOST = 2 };

/* A source as it is looked through. */
struct scan {
	struct cc *cc;
	struct words
		*qualifiers; /* macros of nothing but words that say so: the digit of what they say, and the name */
	char *text;
	size_t length, at;
	size_t depth; /* of parentheses */
	struct open_launch {
		size_t depth;  /* where it is open */
		unsigned says; /* of the function that it is in */
	} open[MOST_OPEN];
	unsigned opened;
	bool mended, line_start; /* only blanks so far on this line */
	bool in_library;         /* libcu++, not the user's */
	bool in_directive;       /* on a line of the preprocessor's, or one that goes on with it */
	enum { DEFINES_NOTHING, DEFINES, NAMES_DEFINED } define; /* there: how far "define NAME" is */
	char *defined;                                           /* the name; NULL: it says nothing of functions */
	unsigned defined_says;
	unsigned says;              /* of the code in front of a brace */
	unsigned side[MOST_BRACES]; /* by braces that are open: of the function's code, 0 where it is the host's */
	size_t braces;
	struct edit *edits;
	size_t edit_count;
};

static inline bool scan_is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Where the blanks begin that end before `end`. */
static inline size_t scan_blanks_back(const char *text, size_t end)
{
	while (end && isspace((unsigned char)text[end - 1]))
		end--;
	return end;
}

/* Moves behind the string or character that begins here. */
void scan_skip_quoted(struct scan *scan);

/* Edits are kept in the order of their places; of two at one place the later comes first. */
void scan_edit(struct scan *scan, size_t at, size_t removed, const char *text);

/* The lines' ends among so many characters: a mended text has as many. */
const char *scan_line_ends(struct cc *cc, const char *text, size_t length);

/* "asm", "asm volatile" here: doubles percent signs of PTX's names in the strings of one with operands. */
void scan_assembler(struct scan *scan);

/* Behind the blanks from `at` on; behind one of the words (NULL-terminated) where one stands there, and the blanks behind it. */
size_t scan_skip_blanks(const struct scan *scan, size_t at);
size_t scan_skip_word(const struct scan *scan, size_t at, const char *const *words);

/* "alignas(" here, behind __shared__ and the like: moves it to where the declaration begins. */
void scan_alignment(struct scan *scan);

/* "__device__" here, of that length: beside __shared__ it goes. */
void scan_device_word(struct scan *scan, size_t length);

/* "~NAME() {" here, at the '~': where it holds assembler, makes it a defaulted one and moves to its end. */
void scan_destructor(struct scan *scan);

#endif
