#include "lab/store_schema.h"

#include <stddef.h>
#include <sys/stat.h>

/* Migration steps, each from one version to the next. A released version never changes; append the next one. */
static const char *const steps[] = {
	/* 1 */
	"CREATE TABLE runs ("
	" id INTEGER PRIMARY KEY, program TEXT NOT NULL, variant TEXT NOT NULL,"
	" size TEXT NOT NULL, seed INTEGER NOT NULL, arguments TEXT NOT NULL,"
	" machine TEXT NOT NULL, options TEXT NOT NULL, mechanisms TEXT NOT NULL,"
	" library TEXT NOT NULL, binary TEXT NOT NULL, description TEXT NOT NULL,"
	" verdict TEXT NOT NULL, output TEXT NOT NULL, stats TEXT NOT NULL,"
	" revision TEXT NOT NULL, finished TEXT NOT NULL, seconds REAL NOT NULL,"
	" UNIQUE (program, variant, size, seed, arguments, machine, options, mechanisms,"
	" library, binary, description));",
	/* 2: adds the digest of input files, which is part of a run's identity; peak memory and the host, which are
	 * not */
	"ALTER TABLE runs RENAME TO runs_1;"
	"CREATE TABLE runs ("
	" id INTEGER PRIMARY KEY, program TEXT NOT NULL, variant TEXT NOT NULL,"
	" size TEXT NOT NULL, seed INTEGER NOT NULL, arguments TEXT NOT NULL,"
	" machine TEXT NOT NULL, options TEXT NOT NULL, mechanisms TEXT NOT NULL,"
	" library TEXT NOT NULL, binary TEXT NOT NULL, description TEXT NOT NULL, inputs TEXT NOT NULL,"
	" verdict TEXT NOT NULL, output TEXT NOT NULL, stats TEXT NOT NULL,"
	" revision TEXT NOT NULL, finished TEXT NOT NULL, seconds REAL NOT NULL,"
	" peak INTEGER NOT NULL, host TEXT NOT NULL,"
	" UNIQUE (program, variant, size, seed, arguments, machine, options, mechanisms,"
	" library, binary, description, inputs));"
	"INSERT INTO runs SELECT id, program, variant, size, seed, arguments, machine, options, mechanisms,"
	" library, binary, description, '', verdict, output, stats, revision, finished, seconds, 0, '' FROM runs_1;"
	"DROP TABLE runs_1;",
};
enum { VERSION = sizeof steps / sizeof *steps };

int store_schema_version(void)
{
	return VERSION;
}

int store_schema_read(sqlite3 *database)
{
	sqlite3_stmt *statement = NULL;
	int version = -1;
	if (sqlite3_prepare_v2(database, "PRAGMA user_version", -1, &statement, NULL) == SQLITE_OK &&
	    sqlite3_step(statement) == SQLITE_ROW)
		version = sqlite3_column_int(statement, 0);
	sqlite3_finalize(statement);
	return version;
}

bool store_schema_is_empty(sqlite3 *database)
{
	struct stat status;
	const char *path = sqlite3_db_filename(database, "main");
	return path && stat(path, &status) == 0 && status.st_size == 0;
}

static bool run(sqlite3 *database, const char *sql)
{
	return sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK;
}

bool store_schema_migrate(sqlite3 *database)
{
	char pragma[48];
	sqlite3_snprintf(sizeof pragma, pragma, "PRAGMA user_version = %d", VERSION);
	if (!run(database, "BEGIN IMMEDIATE"))
		return false;
	int version = store_schema_read(database); /* another process may have migrated it meanwhile */
	bool fine = version >= 0;
	for (int i = version; fine && i < VERSION; i++)
		fine = run(database, steps[i]);
	if (fine && run(database, pragma) && run(database, "COMMIT"))
		return true;
	/* the caller reads the error of the failed statement; closing the file rolls back */
	return false;
}

sqlite3 *store_schema_copy(sqlite3 *database)
{
	sqlite3 *copy = NULL;
	sqlite3_backup *backup = NULL;
	if (sqlite3_open(":memory:", &copy) == SQLITE_OK)
		backup = sqlite3_backup_init(copy, "main", database, "main");
	bool fine = backup && sqlite3_backup_step(backup, -1) == SQLITE_DONE;
	if (backup)
		sqlite3_backup_finish(backup);
	if (fine)
		return copy;
	sqlite3_close(copy);
	return NULL;
}
