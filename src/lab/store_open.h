/* store_open: opens the SQLite file of a store for reading. */
#ifndef SLUICE_LAB_STORE_OPEN_H
#define SLUICE_LAB_STORE_OPEN_H

#include <stdbool.h>
#include <stddef.h>

#include <sqlite3.h>

/* Opens an existing file. A killed writer leaves a journal, FILE-journal, with which SQLite rolls back the
 * unfinished write. This needs a connection that may write, so the file is first opened for writing if there is such
 * a journal. Returns NULL with a message. */
sqlite3 *store_open_to_read(const char *path, char *message, size_t room);

/* Returns why an operation on the file failed, as a text for "PATH: cannot DO: TEXT". */
const char *store_reason(sqlite3 *database);

/* Whether the path names a file, or nothing yet. Otherwise returns false with a message. */
bool store_may_open(const char *path, char *message, size_t room);

#endif
