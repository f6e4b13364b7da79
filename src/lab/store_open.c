#include "lab/store_open.h"

#include "base/file.h"
#include "lab/store_schema.h"

#include <stdio.h>

enum { PATIENCE_MS = 60000 };

const char *store_reason(sqlite3 *database)
{
	if (sqlite3_extended_errcode(database) == SQLITE_READONLY_ROLLBACK)
		return "a process was killed while it wrote to it; SQLite undoes that write with the file's journal "
		       "(its name followed by -journal), so the file and its folder must be writable. Run 'sluice "
		       "results check' where they are, or copy both files into your own folder";
	switch (sqlite3_errcode(database)) {
	case SQLITE_FULL:
		return "the disk is full";
	case SQLITE_BUSY:
		return "another process has had it locked for a minute";
	default:
		return sqlite3_errmsg(database);
	}
}

bool store_may_open(const char *path, char *message, size_t room)
{
	bool may = file_is_replaceable(path);
	if (!may)
		snprintf(message, room, "%s: expected a file of results; it is a folder, a device or a FIFO", path);
	return may;
}

static int open_with(const char *path, int flags, sqlite3 **database)
{
	int status = sqlite3_open_v2(path, database, flags, NULL);
	if (status != SQLITE_OK)
		return status;
	sqlite3_busy_timeout(*database, PATIENCE_MS);
	return store_schema_read(*database) < 0 ? sqlite3_extended_errcode(*database) : SQLITE_OK;
}

/* Whether a connection with write permission has rolled back the unfinished write. */
static bool undo_write(const char *path)
{
	sqlite3 *database = NULL;
	bool fine = open_with(path, SQLITE_OPEN_READWRITE, &database) == SQLITE_OK;
	sqlite3_close(database);
	return fine;
}

sqlite3 *store_open_to_read(const char *path, char *message, size_t room)
{
	sqlite3 *database = NULL;
	if (!store_may_open(path, message, room))
		return NULL;
	int status = open_with(path, SQLITE_OPEN_READONLY, &database);
	if (status == SQLITE_READONLY_ROLLBACK && undo_write(path)) {
		sqlite3_close(database);
		status = open_with(path, SQLITE_OPEN_READONLY, &database);
	}
	if (status == SQLITE_OK)
		return database;
	snprintf(message, room, "%s: cannot open it: %s", path, store_reason(database));
	sqlite3_close(database);
	return NULL;
}
