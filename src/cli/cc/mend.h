/* mend: declarations for scanning and rewriting sources: words and punctuation (mend_text.c), and launches in device
 * code (mend_launch.c). scan.h has the scanner's state. mend.c selects the files to scan and shows the results to
 * clang. */
#ifndef SLUICE_CLI_CC_MEND_H
#define SLUICE_CLI_CC_MEND_H

#include "cli/cc/scan.h"

/* ---- mend_text.c ---- */

/* Moves after the next occurrence of the text, or to the end. */
void mend_skip_to(struct scan *scan, const char *end);
/* Takes the word at this position, and notes what it declares. */
void mend_take_word(struct scan *scan);
/* Takes a character that belongs to no word or string; rewrites launches. */
void mend_take_punctuation(struct scan *scan, char c);
void mend_end_directive(struct scan *scan);

/* ---- mend_launch.c ---- */

/* Rewrites the launch whose opening brackets end at `end`: kernel<<<... becomes SLUICE_LAUNCH or SLUICE_DEVICE_LAUNCH
 * of sluice/device_runtime.h. */
void mend_device_launch(struct scan *scan, size_t brackets, size_t end, unsigned says);

#endif
