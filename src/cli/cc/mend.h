/* mend: what the files of `sluice cc` that mend sources share: a source as it is looked through (mend_text.c), and what its launches become
 * (mend_launch.c). Which files are looked through, and how clang gets to see them, is in mend.c. */
#ifndef SLUICE_CLI_CC_MEND_H
#define SLUICE_CLI_CC_MEND_H

#include "cli/cc/cc.h"

#include <ctype.h>
#include <string.h>

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

static inline bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* ---- mend_text.c ---- */

/* Behind the next place with that text, or the end. */
void mend_skip_to(struct scan *scan, const char *end);
/* Behind the string or character that begins here. */
void mend_skip_quoted(struct scan *scan);
/* The word here, and what it says. */
void mend_take_word(struct scan *scan);
/* What is no word and no string; launches are mended. */
void mend_take_punctuation(struct scan *scan, char c);
void mend_end_directive(struct scan *scan);

/* ---- mend_launch.c ---- */

void mend_add_edit(struct scan *scan, size_t at, size_t removed, const char *text);
/* The launch whose brackets end at `end`: kernel<<<... becomes ::sluice::device_launch<decltype(&kernel), &kernel >(... or, in a function of
 * both sides, a macro that is this for the device. */
void mend_device_launch(struct scan *scan, size_t brackets, size_t end, unsigned says);

#endif
