/* store_schema: the version of a file of results, and how one of an older version becomes one of this. */
#ifndef SLUICE_LAB_STORE_SCHEMA_H
#define SLUICE_LAB_STORE_SCHEMA_H

#include <sqlite3.h>
#include <stdbool.h>

/* Where a file of this program stands: PRAGMA user_version. */
int store_schema_version(void);

/* The file's, -1 when it cannot be read; 0: there is nothing in it yet. */
int store_schema_read(sqlite3 *database);

/* Whether the file has no byte: SQLite has made it, and the writer was killed before it made the table of runs. */
bool store_schema_is_empty(sqlite3 *database);

/* Brings a file up to this version, in one transaction: what ends it leaves the old file. False with the error in the
 * database. */
bool store_schema_migrate(sqlite3 *database);

/* A copy in memory, for who may not write the file. NULL when there is no room. */
sqlite3 *store_schema_copy(sqlite3 *database);

#endif
