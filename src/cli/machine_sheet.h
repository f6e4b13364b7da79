/* machine_sheet: a machine's description as written by the library, with the full name of each key. */
#ifndef SLUICE_CLI_MACHINE_SHEET_H
#define SLUICE_CLI_MACHINE_SHEET_H

#include "sluice.h"

#include <stddef.h>

struct sheet {
	struct entry {
		char *key, *value;
	} * entry;
	size_t count;
};

/* Zero-initialize the sheet before; call sheet_close() afterwards. */
void sheet_take(struct sheet *sheet, const sluice_gpu *gpu);
const char *sheet_value(const struct sheet *sheet, const char *key); /* NULL: no such key */
void sheet_close(struct sheet *sheet);

#endif
