#include "lab/records.h"

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "lab/merge.h"
#include "lab/run_record.h"
#include "lab/sweep_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { AT_ONCE = 500 };

struct collecting {
	const char *folder;
	struct store *store;
	void (*taken)(void *context, const char *id, const struct run_result *result);
	void *context;
	char *message;
};

/* Lists the IDs in a folder, at most `most`. */
static int list(const char *folder, const char *part, char (*ids)[SWEEP_ID], int most)
{
	char path[PATH_MAX];
	int count = 0;
	sweep_path(path, folder, part, "");
	DIR *entries = opendir(path);
	for (struct dirent *entry; entries && count < most && (entry = readdir(entries));)
		if (strlen(entry->d_name) == SWEEP_ID - 1 && strspn(entry->d_name, "0123456789abcdef") == SWEEP_ID - 1)
			memcpy(ids[count++], entry->d_name, SWEEP_ID);
	if (entries)
		closedir(entries);
	return count;
}

/* Moves an unreadable record aside; its run will be repeated. */
static void put_aside(const struct collecting *collecting, const char *id)
{
	char path[PATH_MAX], aside[PATH_MAX];
	sweep_path(path, collecting->folder, "records", id);
	sweep_path(aside, collecting->folder, "out", id);
	diag_say("sluice", "%s is not a record of a run; moved it to %s", path, aside);
	rename(path, aside);
}

static bool take_record(const struct collecting *collecting, const char *id)
{
	char path[PATH_MAX];
	size_t length;
	struct merge_count count = {0};
	struct run_record record = {0};
	sweep_path(path, collecting->folder, "records", id);
	char *text = file_read(path, &length);
	if (!text)
		return true; /* it will be visible the next time, or has never existed */
	json_t *json = json_loadb(text, length, 0, NULL);
	bool read = json && run_record_read(json, &record), fine = true;
	if (read)
		fine = merge_run(collecting->store, &record.config, &record.result, &count, collecting->message);
	else
		put_aside(collecting, id);
	if (read && fine)
		collecting->taken(collecting->context, id, &record.result);
	run_record_free(&record);
	json_decref(json);
	free(text);
	return fine;
}

/* The results have these records. */
static void mark_done(const char *folder, char (*ids)[SWEEP_ID], int count)
{
	char path[PATH_MAX];
	for (int i = 0; i < count; i++) {
		sweep_path(path, folder, "done", ids[i]);
		int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
		if (file >= 0)
			close(file);
		sweep_path(path, folder, "records", ids[i]);
		unlink(path);
	}
}

/* Returns their number; -1 with a message. */
static int collect_some(const struct collecting *collecting)
{
	char(*ids)[SWEEP_ID] = base_calloc(AT_ONCE, sizeof *ids);
	int count = list(collecting->folder, "records", ids, AT_ONCE);
	bool fine = !count || store_begin(collecting->store, collecting->message);
	for (int i = 0; fine && i < count; i++)
		fine = take_record(collecting, ids[i]);
	fine = fine && (!count || store_commit(collecting->store, collecting->message));
	if (fine)
		mark_done(collecting->folder, ids, count);
	else
		store_rollback(collecting->store);
	free(ids);
	return fine ? count : -1;
}

bool records_collect(const char *folder, struct store *store,
                     void (*taken)(void *context, const char *id, const struct run_result *result), void *context,
                     char message[STORE_MESSAGE])
{
	const struct collecting collecting = {folder, store, taken, context, message};
	int got;
	do
		got = collect_some(&collecting);
	while (got == AT_ONCE);
	return got >= 0;
}

void records_forget(const char *folder, const char *id)
{
	char path[PATH_MAX];
	sweep_path(path, folder, "done", id);
	unlink(path);
}

/* Removes the records that a killed task had begun to write; their names are an ID, a dot and more. */
static void remove_torn(const char *folder)
{
	char path[PATH_MAX];
	sweep_path(path, folder, "records", "");
	DIR *entries = opendir(path);
	if (!entries)
		return;
	for (struct dirent *entry; (entry = readdir(entries));)
		if (strspn(entry->d_name, "0123456789abcdef") == SWEEP_ID - 1 && entry->d_name[SWEEP_ID - 1] == '.')
			unlinkat(dirfd(entries), entry->d_name, 0);
	closedir(entries);
}

void records_forget_all(const char *folder)
{
	remove_torn(folder);
	char(*ids)[SWEEP_ID] = base_calloc(AT_ONCE, sizeof *ids);
	int count;
	do {
		count = list(folder, "done", ids, AT_ONCE);
		for (int i = 0; i < count; i++)
			records_forget(folder, ids[i]);
	} while (count == AT_ONCE);
	free(ids);
}
