#include "lab/store.h"

#include "base/arena.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VERSION = 1, PATIENCE_MS = 60000, CONFIG_COLUMNS = 11, COLUMNS = CONFIG_COLUMNS + 6 };

struct store {
	sqlite3 *database;
	char *path;
};

#define SAME_RUN "program, variant, size, seed, arguments, machine, options, mechanisms"
#define DIGESTS  "library, binary, description"
#define RESULTS  "verdict, output, stats, revision, finished, seconds"
#define ALL      SAME_RUN ", " DIGESTS ", " RESULTS

static const char schema[] = "BEGIN IMMEDIATE;"
			     "CREATE TABLE IF NOT EXISTS runs ("
			     " id INTEGER PRIMARY KEY, program TEXT NOT NULL, variant TEXT NOT NULL,"
			     " size TEXT NOT NULL, seed INTEGER NOT NULL, arguments TEXT NOT NULL,"
			     " machine TEXT NOT NULL, options TEXT NOT NULL, mechanisms TEXT NOT NULL,"
			     " library TEXT NOT NULL, binary TEXT NOT NULL, description TEXT NOT NULL,"
			     " verdict TEXT NOT NULL, output TEXT NOT NULL, stats TEXT NOT NULL,"
			     " revision TEXT NOT NULL, finished TEXT NOT NULL, seconds REAL NOT NULL,"
			     " UNIQUE (" SAME_RUN ", " DIGESTS "));"
			     "PRAGMA user_version = 1;"
			     "COMMIT;";

static bool fail(struct store *store, const char *what, char *message)
{
	int code = sqlite3_errcode(store->database);
	const char *reason = sqlite3_errmsg(store->database);
	if (code == SQLITE_FULL)
		reason = "the disk is full";
	else if (code == SQLITE_BUSY)
		reason = "another process has had it locked for a minute";
	snprintf(message, STORE_MESSAGE, "%s: cannot %s: %s", store->path, what, reason);
	return false;
}

static bool read_version(struct store *store, int *version, char *message)
{
	sqlite3_stmt *statement = NULL;
	bool fine = sqlite3_prepare_v2(store->database, "PRAGMA user_version", -1, &statement, NULL) == SQLITE_OK &&
	            sqlite3_step(statement) == SQLITE_ROW;
	if (fine)
		*version = sqlite3_column_int(statement, 0);
	else
		fail(store, "open it", message);
	sqlite3_finalize(statement);
	return fine;
}

static bool prepare_file(struct store *store, bool only_read, char *message)
{
	int version;
	sqlite3_busy_timeout(store->database, PATIENCE_MS);
	if (!read_version(store, &version, message))
		return false;
	if (version == VERSION)
		return true;
	if (version != 0 || only_read) {
		snprintf(message, STORE_MESSAGE, "%s: not results of this version of sluice", store->path);
		return false;
	}
	return sqlite3_exec(store->database, schema, NULL, NULL, NULL) == SQLITE_OK ||
	       fail(store, "make its table", message);
}

struct store *store_open(const char *path, bool only_read, char message[STORE_MESSAGE])
{
	struct store *store = xcalloc(1, sizeof *store);
	int flags = only_read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
	bool fine = false;
	store->path = xstrdup(path);
	if (only_read && access(path, F_OK) != 0)
		snprintf(message, STORE_MESSAGE, "there is no %s; 'sluice figure NAME' makes it", path);
	else if (sqlite3_open_v2(path, &store->database, flags, NULL) != SQLITE_OK)
		fail(store, "open it", message);
	else
		fine = prepare_file(store, only_read, message);
	if (fine)
		return store;
	store_close(store);
	return NULL;
}

void store_close(struct store *store)
{
	if (!store)
		return;
	sqlite3_close(store->database);
	free(store->path);
	free(store);
}

static void bind_text(sqlite3_stmt *statement, int number, const char *text)
{
	sqlite3_bind_text(statement, number, text, -1, SQLITE_STATIC);
}

/* Parameters 1 to 11, in the order of the columns. */
static void bind_config(sqlite3_stmt *statement, const struct run_config *config)
{
	bind_text(statement, 1, config->program);
	bind_text(statement, 2, config->variant);
	bind_text(statement, 3, config->size);
	sqlite3_bind_int64(statement, 4, (sqlite3_int64)config->seed);
	bind_text(statement, 5, config->arguments);
	bind_text(statement, 6, config->machine);
	bind_text(statement, 7, config->options);
	bind_text(statement, 8, config->mechanisms);
	bind_text(statement, 9, config->library);
	bind_text(statement, 10, config->binary);
	bind_text(statement, 11, config->description);
}

bool store_put(struct store *store, const struct run_config *config, const struct run_result *result,
               char message[STORE_MESSAGE])
{
	static const char sql[] = "INSERT OR REPLACE INTO runs (" ALL ") VALUES"
				  " (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, datetime('now'), ?)";
	sqlite3_stmt *statement = NULL;
	bool fine = sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL) == SQLITE_OK;
	if (fine) {
		bind_config(statement, config);
		bind_text(statement, CONFIG_COLUMNS + 1, result->verdict);
		bind_text(statement, CONFIG_COLUMNS + 2, result->output);
		bind_text(statement, CONFIG_COLUMNS + 3, result->stats);
		bind_text(statement, CONFIG_COLUMNS + 4, result->revision);
		sqlite3_bind_double(statement, CONFIG_COLUMNS + 5, result->seconds);
		fine = sqlite3_step(statement) == SQLITE_DONE;
	}
	if (!fine)
		fail(store, "keep a run", message);
	sqlite3_finalize(statement);
	return fine;
}

char *store_find(struct store *store, const struct run_config *config, bool any_build, char message[STORE_MESSAGE])
{
	static const char sql[] = "SELECT stats FROM runs WHERE (" SAME_RUN ") = (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
				  " AND verdict IN ('PASS', 'cut') AND (?12 OR (" DIGESTS ") = (?9, ?10, ?11))"
				  " ORDER BY id DESC LIMIT 1";
	sqlite3_stmt *statement = NULL;
	char *stats = NULL;
	int status = sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL);
	*message = '\0';
	if (status == SQLITE_OK) {
		bind_config(statement, config);
		sqlite3_bind_int(statement, CONFIG_COLUMNS + 1, any_build);
		status = sqlite3_step(statement);
	}
	if (status == SQLITE_ROW)
		stats = xstrdup((const char *)sqlite3_column_text(statement, 0));
	else if (status != SQLITE_DONE)
		fail(store, "read a run", message);
	sqlite3_finalize(statement);
	return stats;
}

static void call_row(sqlite3_stmt *statement,
                     void (*row)(void *context, const struct run_config *config, const struct run_result *result),
                     void *context)
{
	const char *text[COLUMNS];
	for (int i = 0; i < COLUMNS; i++)
		text[i] = (const char *)sqlite3_column_text(statement, i);
	const struct run_config config = {
		.program = text[0],
		.variant = text[1],
		.size = text[2],
		.seed = (uint64_t)sqlite3_column_int64(statement, 3),
		.arguments = text[4],
		.machine = text[5],
		.options = text[6],
		.mechanisms = text[7],
		.library = text[8],
		.binary = text[9],
		.description = text[10],
	};
	const struct run_result result = {
		.verdict = text[11],
		.output = text[12],
		.stats = text[13],
		.revision = text[14],
		.finished = text[15],
		.seconds = sqlite3_column_double(statement, 16),
	};
	row(context, &config, &result);
}

bool store_each(struct store *store, const struct store_filter *filters, size_t count,
                void (*row)(void *context, const struct run_config *config, const struct run_result *result),
                void *context, char message[STORE_MESSAGE])
{
	char sql[1024] = "SELECT " ALL " FROM runs";
	sqlite3_stmt *statement = NULL;
	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(sql);
		snprintf(sql + length, sizeof sql - length, " %s %s = ?", i ? "AND" : "WHERE", filters[i].column);
	}
	strncat(sql, " ORDER BY id", sizeof sql - strlen(sql) - 1);
	int status = sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL);
	for (size_t i = 0; status == SQLITE_OK && i < count; i++)
		bind_text(statement, (int)i + 1, filters[i].value);
	while (status == SQLITE_OK || status == SQLITE_ROW) {
		status = sqlite3_step(statement);
		if (status == SQLITE_ROW)
			call_row(statement, row, context);
	}
	if (status != SQLITE_DONE)
		fail(store, "read the runs", message);
	sqlite3_finalize(statement);
	return status == SQLITE_DONE;
}
