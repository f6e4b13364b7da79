/* rewrite: declarations for scanning and rewriting sources: words and punctuation (rewrite_text.c), and launches in
 * device code (rewrite_launch.c). scan.h has the scanner's state. rewrite.c selects the files to scan and shows the
 * results to clang. */
#ifndef SLUICE_CLI_CC_REWRITE_H
#define SLUICE_CLI_CC_REWRITE_H

#include "cli/cc/scan.h"

/* ---- rewrite_text.c ---- */

/* Moves after the next occurrence of the text, or to the end. */
void rewrite_skip_to(struct scan *scan, const char *end);
/* Takes the word at this position, and notes what it declares. */
void rewrite_take_word(struct scan *scan);
/* Takes a character that belongs to no word or string; rewrites launches. */
void rewrite_take_punctuation(struct scan *scan, char c);
/* At a directive's name. Alternatives of an #if may each open a brace that one closes: each begins with the same
 * nesting. */
void rewrite_begin_directive(struct scan *scan);
void rewrite_end_directive(struct scan *scan);

/* ---- rewrite_launch.c ---- */

/* Rewrites the launch whose opening brackets end at `end`: kernel<<<... becomes SLUICE_LAUNCH or SLUICE_DEVICE_LAUNCH
 * of sluice/device_runtime.h. */
void rewrite_device_launch(struct scan *scan, size_t brackets, size_t end, unsigned says);

#endif
