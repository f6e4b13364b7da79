#include "lab/store_rows.h"

#include "lab/store_open.h"
#include "lab/store_schema.h"

#include <stdio.h>
#include <string.h>

enum { COLUMNS = 64 };

const char *store_row_text(const struct store_row *row, const char *name)
{
	for (size_t i = 0; i < row->count; i++)
		if (strcmp(row->name[i], name) == 0 && row->value[i])
			return row->value[i];
	return "";
}

static bool fail(sqlite3 *database, const char *path, char *message)
{
	snprintf(message, STORE_MESSAGE, "%s: cannot read the runs: %s", path, store_reason(database));
	return false;
}

static void call(sqlite3_stmt *statement, void (*take)(void *context, const struct store_row *row), void *context)
{
	const char *name[COLUMNS], *value[COLUMNS];
	int columns = sqlite3_column_count(statement);
	struct store_row row = {.count = columns < COLUMNS ? (size_t)columns : COLUMNS, .name = name, .value = value};
	for (size_t i = 0; i < row.count; i++) {
		name[i] = sqlite3_column_name(statement, (int)i);
		const unsigned char *text = sqlite3_column_text(statement, (int)i);
		value[i] = text ? (const char *)text : ""; /* NULL: a damaged file */
	}
	take(context, &row);
}

static int prepare(sqlite3 *database, const struct store_filter *filters, size_t count, sqlite3_stmt **statement)
{
	char sql[1024] = "SELECT * FROM runs";
	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(sql);
		snprintf(sql + length, sizeof sql - length, " %s %s = ?", i ? "AND" : "WHERE", filters[i].column);
	}
	strncat(sql, " ORDER BY id", sizeof sql - strlen(sql) - 1);
	int status = sqlite3_prepare_v2(database, sql, -1, statement, NULL);
	for (size_t i = 0; status == SQLITE_OK && i < count; i++)
		sqlite3_bind_text(*statement, (int)i + 1, filters[i].value, -1, SQLITE_STATIC);
	return status;
}

bool store_rows_each(const char *path, const struct store_filter *filters, size_t count,
                     void (*take)(void *context, const struct store_row *row), void *context,
                     char message[STORE_MESSAGE])
{
	sqlite3_stmt *statement = NULL;
	sqlite3 *database = store_open_to_read(path, message, STORE_MESSAGE);
	if (!database)
		return false;
	if (store_schema_is_empty(database)) {
		sqlite3_close(database);
		return true;
	}
	int status = prepare(database, filters, count, &statement);
	while (status == SQLITE_OK || status == SQLITE_ROW) {
		status = sqlite3_step(statement);
		if (status == SQLITE_ROW)
			call(statement, take, context);
	}
	bool fine = status == SQLITE_DONE || fail(database, path, message);
	sqlite3_finalize(statement);
	sqlite3_close(database);
	return fine;
}
