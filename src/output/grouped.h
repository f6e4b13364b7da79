/* grouped: numbers for tables. */
#ifndef SLUICE_OUTPUT_GROUPED_H
#define SLUICE_OUTPUT_GROUPED_H

#include <stdint.h>

enum { NUMBER_SIZE = 32 };

/* Formats "1,234,567". Returns `text`. */
const char *grouped(uint64_t value, char text[NUMBER_SIZE]);

#endif
