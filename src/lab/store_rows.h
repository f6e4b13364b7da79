/* store_rows: the runs of a file of results as they lie there, by the names of the columns, so that files with more columns than this version
 * writes can be read too. */
#ifndef SLUICE_LAB_STORE_ROWS_H
#define SLUICE_LAB_STORE_ROWS_H

#include "lab/store.h"

/* A run; its texts last until the next one. */
struct store_row {
	size_t count;
	const char *const *name, *const *value; /* a value is NULL where the column is */
};

/* The value in that column; "" where it is NULL or there is no such column. */
const char *store_row_text(const struct store_row *row, const char *name);

/* Calls back for each run that has all values, in the order in which they were kept. False with a message that names the file. */
bool store_rows_each(const char *path, const struct store_filter *filters, size_t count,
                     void (*take)(void *context, const struct store_row *row), void *context,
                     char message[STORE_MESSAGE]);

#endif
