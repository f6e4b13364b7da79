/* store_open: the SQLite file of a store, opened for reading. */
#ifndef SLUICE_LAB_STORE_OPEN_H
#define SLUICE_LAB_STORE_OPEN_H

#include <stdbool.h>
#include <stddef.h>

#include <sqlite3.h>

/* Opens an existing file. A writer that was killed leaves a journal, FILE-journal, with which SQLite undoes the unfinished write; that
 * needs a connection that may write. So the file is opened for writing where such a journal is there. NULL with a message. */
sqlite3 *store_open_to_read(const char *path, char *message, size_t room);

/* Why an operation on the file failed, as a text for "PATH: cannot DO: TEXT". */
const char *store_reason(sqlite3 *database);

/* Whether the path is a file's, or no file is there yet. Else false with a message. */
bool store_may_open(const char *path, char *message, size_t room);

#endif
