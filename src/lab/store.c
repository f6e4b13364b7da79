#include "lab/store.h"

#include "base/arena.h"
#include "base/diag.h"
#include "lab/store_open.h"
#include "lab/store_schema.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE_MS = 60000, CONFIG_COLUMNS = 12, COLUMNS = CONFIG_COLUMNS + 9 };

struct store {
	sqlite3 *database;
	char *path;
};

#define SAME_RUN "program, variant, size, seed, arguments, machine, options, mechanisms"
#define DIGESTS  "library, binary, description, inputs"
#define RESULTS  "verdict, output, stats, revision, finished, seconds, peak, host"
#define ALL      SAME_RUN ", " DIGESTS ", " RESULTS

static bool fail(struct store *store, const char *what, char *message)
{
	snprintf(message, STORE_MESSAGE, "%s: cannot %s: %s", store->path, what, store_reason(store->database));
	diag_hide_all(message);
	return false;
}

/* Migrates a file of an older version; a reader migrates a copy in memory instead. */
static bool migrate(struct store *store, bool only_read, char *message)
{
	if (only_read) {
		sqlite3 *copy = store_schema_copy(store->database);
		if (!copy)
			return fail(store, "read this file of an older sluice", message);
		sqlite3_close(store->database);
		store->database = copy;
	}
	return store_schema_migrate(store->database) ||
	       fail(store, "convert it to this version of sluice; it is unchanged", message);
}

static bool prepare_file(struct store *store, bool only_read, char *message)
{
	sqlite3_busy_timeout(store->database, PATIENCE_MS);
	int version = store_schema_read(store->database), ours = store_schema_version();
	if (version < 0)
		return fail(store, "open it", message);
	if (version == ours)
		return true;
	if (version < ours && (version || !only_read || store_schema_is_empty(store->database)))
		return migrate(store, only_read, message);
	if (version)
		snprintf(message, STORE_MESSAGE,
		         "%s: a newer sluice wrote it (file version %d, this sluice reads %d); use that sluice, or "
		         "--results with another file",
		         store->path, version, ours);
	else
		snprintf(message, STORE_MESSAGE, "%s: not a results file of sluice", store->path);
	return false;
}

static bool open_file(struct store *store, bool only_read, char *message)
{
	if (only_read) {
		store->database = store_open_to_read(store->path, message, STORE_MESSAGE);
		return store->database;
	}
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
	return store_may_open(store->path, message, STORE_MESSAGE) &&
	       (sqlite3_open_v2(store->path, &store->database, flags, NULL) == SQLITE_OK ||
	        fail(store, "open it", message));
}

struct store *store_open(const char *path, bool only_read, char message[STORE_MESSAGE])
{
	struct store *store = base_calloc(1, sizeof *store);
	bool fine = false;
	store->path = base_strdup(path);
	if (only_read && access(path, F_OK) != 0)
		snprintf(message, STORE_MESSAGE, "there is no %s; 'sluice figure NAME' makes it", path);
	else
		fine = open_file(store, only_read, message) && prepare_file(store, only_read, message);
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

/* Parameters 1 to 12, in the order of the columns. */
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
	bind_text(statement, 12, config->inputs);
}

static bool execute(struct store *store, const char *sql, const char *what, char *message)
{
	return sqlite3_exec(store->database, sql, NULL, NULL, NULL) == SQLITE_OK || fail(store, what, message);
}

bool store_begin(struct store *store, char message[STORE_MESSAGE])
{
	return execute(store, "BEGIN IMMEDIATE", "start writing", message);
}

bool store_commit(struct store *store, char message[STORE_MESSAGE])
{
	return execute(store, "COMMIT", "keep runs", message);
}

void store_rollback(struct store *store)
{
	sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL); /* the failure may have rolled back already */
}

bool store_is_whole(struct store *store, char message[STORE_MESSAGE])
{
	sqlite3_stmt *statement = NULL;
	bool fine =
		sqlite3_prepare_v2(store->database, "PRAGMA integrity_check(1)", -1, &statement, NULL) == SQLITE_OK &&
		sqlite3_step(statement) == SQLITE_ROW;
	const char *answer = fine ? (const char *)sqlite3_column_text(statement, 0) : NULL;
	if (!fine)
		fail(store, "check it", message);
	else if (strcmp(answer, "ok") != 0)
		snprintf(message, STORE_MESSAGE, "%s: the file is broken: %.300s", store->path, answer);
	fine = fine && strcmp(answer, "ok") == 0;
	sqlite3_finalize(statement);
	return fine;
}

bool store_put(struct store *store, const struct run_config *config, const struct run_result *result,
               char message[STORE_MESSAGE])
{
	static const char sql[] =
		"INSERT OR REPLACE INTO runs (" ALL ") VALUES"
		" (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ifnull(?, datetime('now')), ?, ?, ?)";
	sqlite3_stmt *statement = NULL;
	bool fine = sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL) == SQLITE_OK;
	if (fine) {
		bind_config(statement, config);
		bind_text(statement, CONFIG_COLUMNS + 1, result->verdict);
		bind_text(statement, CONFIG_COLUMNS + 2, result->output);
		bind_text(statement, CONFIG_COLUMNS + 3, result->stats);
		bind_text(statement, CONFIG_COLUMNS + 4, result->revision);
		bind_text(statement, CONFIG_COLUMNS + 5, result->finished);
		sqlite3_bind_double(statement, CONFIG_COLUMNS + 6, result->seconds);
		sqlite3_bind_int64(statement, CONFIG_COLUMNS + 7, (sqlite3_int64)result->peak);
		bind_text(statement, CONFIG_COLUMNS + 8, result->host ? result->host : "");
		fine = sqlite3_step(statement) == SQLITE_DONE;
	}
	if (!fine)
		fail(store, "keep a run", message);
	sqlite3_finalize(statement);
	return fine;
}

/* A text of the present row; "" for NULL, which only a damaged file has. */
static const char *text_in(sqlite3_stmt *statement, int column)
{
	const unsigned char *text = sqlite3_column_text(statement, column);
	return text ? (const char *)text : "";
}

/* Returns the text in the first column of the query's result; its parameters are a run's configuration. */
static char *find_text(struct store *store, const char *sql, const struct run_config *config, bool any_build,
                       char *message)
{
	sqlite3_stmt *statement = NULL;
	char *text = NULL;
	int status = sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL);
	*message = '\0';
	if (status == SQLITE_OK) {
		bind_config(statement, config);
		sqlite3_bind_int(statement, CONFIG_COLUMNS + 1, any_build);
		status = sqlite3_step(statement);
	}
	if (status == SQLITE_ROW)
		text = base_strdup(text_in(statement, 0));
	else if (status != SQLITE_DONE)
		fail(store, "read a run", message);
	sqlite3_finalize(statement);
	return text;
}

#define FROM_SAME " FROM runs WHERE (" SAME_RUN ") = (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
#define OF_BUILD  " AND (?13 OR (" DIGESTS ") = (?9, ?10, ?11, ?12)) ORDER BY id DESC LIMIT 1"

char *store_find(struct store *store, const struct run_config *config, bool any_build, char message[STORE_MESSAGE])
{
	return find_text(store, "SELECT stats" FROM_SAME " AND verdict IN ('PASS', 'cut')" OF_BUILD, config, any_build,
	                 message);
}

bool store_has_of_any_build(struct store *store, const struct run_config *config, char message[STORE_MESSAGE])
{
	char *verdict = find_text(store, "SELECT verdict" FROM_SAME " AND verdict IN ('PASS', 'cut')" OF_BUILD, config,
	                          true, message);
	free(verdict);
	return verdict;
}

char *store_verdict(struct store *store, const struct run_config *config, char message[STORE_MESSAGE])
{
	return find_text(store, "SELECT verdict" FROM_SAME OF_BUILD, config, false, message);
}

static void call_row(sqlite3_stmt *statement,
                     void (*row)(void *context, const struct run_config *config, const struct run_result *result),
                     void *context)
{
	const char *text[COLUMNS];
	for (int i = 0; i < COLUMNS; i++)
		text[i] = text_in(statement, i);
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
		.inputs = text[11],
	};
	const struct run_result result = {
		.verdict = text[12],
		.output = text[13],
		.stats = text[14],
		.revision = text[15],
		.finished = text[16],
		.seconds = sqlite3_column_double(statement, 17),
		.peak = (uint64_t)sqlite3_column_int64(statement, 18),
		.host = text[19],
		.id = (uint64_t)sqlite3_column_int64(statement, 20),
	};
	row(context, &config, &result);
}

/* Steps through a query's results. */
static bool each(struct store *store, sqlite3_stmt *statement, int status,
                 void (*row)(void *context, const struct run_config *config, const struct run_result *result),
                 void *context, char *message)
{
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

bool store_each_cost(struct store *store,
                     void (*row)(void *context, const struct run_config *config, const struct run_result *result),
                     void *context, char message[STORE_MESSAGE])
{
	static const char sql[] = "SELECT " SAME_RUN ", " DIGESTS
				  ", verdict, '', '', revision, finished, seconds, peak, host, id FROM runs"
				  " WHERE verdict IN ('PASS', 'cut') ORDER BY id";
	sqlite3_stmt *statement = NULL;
	int status = sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL);
	return each(store, statement, status, row, context, message);
}

bool store_each_same(struct store *store, const struct run_config *config,
                     void (*row)(void *context, const struct run_config *config, const struct run_result *result),
                     void *context, char message[STORE_MESSAGE])
{
	static const char sql[] = "SELECT " ALL ", id" FROM_SAME OF_BUILD;
	sqlite3_stmt *statement = NULL;
	int status = sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL);
	if (status == SQLITE_OK) {
		bind_config(statement, config);
		sqlite3_bind_int(statement, CONFIG_COLUMNS + 1, false);
	}
	return each(store, statement, status, row, context, message);
}

bool store_each(struct store *store, const struct store_filter *filters, size_t count,
                void (*row)(void *context, const struct run_config *config, const struct run_result *result),
                void *context, char message[STORE_MESSAGE])
{
	char sql[1024] = "SELECT " ALL ", id FROM runs";
	sqlite3_stmt *statement = NULL;
	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(sql);
		snprintf(sql + length, sizeof sql - length, " %s %s = ?", i ? "AND" : "WHERE", filters[i].column);
	}
	strncat(sql, " ORDER BY id", sizeof sql - strlen(sql) - 1);
	int status = sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL);
	for (size_t i = 0; status == SQLITE_OK && i < count; i++)
		bind_text(statement, (int)i + 1, filters[i].value);
	return each(store, statement, status, row, context, message);
}
