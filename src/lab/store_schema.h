/* store_schema: the version of a file of results, and the migration from older versions. */
#ifndef SLUICE_LAB_STORE_SCHEMA_H
#define SLUICE_LAB_STORE_SCHEMA_H

#include <sqlite3.h>
#include <stdbool.h>

/* Version of files that this program writes: PRAGMA user_version. */
int store_schema_version(void);

/* Returns the file's version; -1 when it cannot be read; 0 when it is empty. */
int store_schema_read(sqlite3 *database);

/* Whether the file has no bytes: SQLite created it, and the writer was killed before it created the table of runs. */
bool store_schema_is_empty(sqlite3 *database);

/* Migrates a file to this version in one transaction, so that an interruption leaves the old file. Returns false
 * with the error in the database. */
bool store_schema_migrate(sqlite3 *database);

/* Returns a copy in memory, for readers without write permission. Returns NULL when there is not enough memory. */
sqlite3 *store_schema_copy(sqlite3 *database);

#endif
