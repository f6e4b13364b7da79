/* mend: what the files of `sluice cc` that mend sources share beside a source as it is looked through (scan.h): its words (mend_text.c), and what its
 * launches become (mend_launch.c). Which files are looked through, and how clang gets to see them, is in mend.c. */
#ifndef SLUICE_CLI_CC_MEND_H
#define SLUICE_CLI_CC_MEND_H

#include "cli/cc/scan.h"

/* ---- mend_text.c ---- */

/* Behind the next place with that text, or the end. */
void mend_skip_to(struct scan *scan, const char *end);
/* The word here, and what it says. */
void mend_take_word(struct scan *scan);
/* What is no word and no string; launches are mended. */
void mend_take_punctuation(struct scan *scan, char c);
void mend_end_directive(struct scan *scan);

/* ---- mend_launch.c ---- */

/* The launch whose brackets end at `end`: kernel<<<... becomes SLUICE_LAUNCH or SLUICE_DEVICE_LAUNCH of sluice/device_runtime.h. */
void mend_device_launch(struct scan *scan, size_t brackets, size_t end, unsigned says);

#endif
