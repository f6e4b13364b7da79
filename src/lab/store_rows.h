/* store_rows: the runs of a file of results by names of columns, without migration, so that files with unknown
 * columns can be read too. */
#ifndef SLUICE_LAB_STORE_ROWS_H
#define SLUICE_LAB_STORE_ROWS_H

#include "lab/store.h"

/* A run; its texts last until the next one. */
struct store_row {
	size_t count;
	const char *const *name, *const *value; /* a value is NULL where the column is */
};

/* Returns the value in that column; "" if it is NULL or there is no such column. */
const char *store_row_text(const struct store_row *row, const char *name);

/* Calls back for each run that matches all filters, in the order of storing. Returns false with a message that names
 * the file. */
bool store_rows_each(const char *path, const struct store_filter *filters, size_t count,
                     void (*take)(void *context, const struct store_row *row), void *context,
                     char message[STORE_MESSAGE]);

#endif
