#include "lab/run_journal.h"

#include "base/arena.h"
#include "base/file.h"
#include "lab/inputs.h"
#include "lab/sweep_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static const char part[] = "journals", launch[] = ".launch", cuts_ending[] = ".cuts";

/* Stores the path of a file next to the journal, or with "" that of the journal. */
static void path_of(char path[PATH_MAX], const char *folder, const char *id, const char *ending)
{
	char name[SWEEP_ID + sizeof cuts_ending];
	snprintf(name, sizeof name, "%s%s", id, ending);
	sweep_path(path, folder, part, name);
}

char **run_journal_words(char *const *words, const char *folder, const char *id)
{
	char path[PATH_MAX];
	size_t count = 0, added = 3;
	while (words[count])
		count++;
	path_of(path, folder, id, "");
	size_t bytes = (count + added + 1) * sizeof *words, length = strlen(path) + 1;
	char **line = base_calloc(1, bytes + length), *copy = (char *)line + bytes;
	memcpy(copy, path, length);
	memcpy(line, words, 2 * sizeof *words);
	line[2] = (char *)"--journal";
	line[3] = copy;
	line[4] = (char *)"--resume";
	memcpy(line + 2 + added, words + 2, (count - 2) * sizeof *words);
	return line;
}

size_t run_journal_launches(const char *folder, const char *id)
{
	char path[PATH_MAX];
	size_t count = 0;
	path_of(path, folder, id, "");
	DIR *entries = opendir(path);
	for (struct dirent *entry; entries && (entry = readdir(entries));)
		count += file_has_suffix(entry->d_name, strlen(entry->d_name), launch);
	if (entries)
		closedir(entries);
	return count;
}

bool run_journal_is_open(const char *folder, const char *id)
{
	char path[PATH_MAX], lock[PATH_MAX];
	path_of(path, folder, id, "");
	sweep_path(lock, path, "lock", "");
	int file = open(lock, O_RDWR | O_CLOEXEC);
	if (file < 0)
		return false;
	bool held = flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
	close(file);
	return held;
}

struct run_cuts run_journal_cuts(const char *folder, const char *id)
{
	char path[PATH_MAX], *end;
	size_t length;
	struct run_cuts cuts = {0};
	path_of(path, folder, id, cuts_ending);
	char *text = file_read(path, &length);
	if (text) {
		cuts.in_vain = strtoull(text, &end, 10);
		cuts.seconds = strtod(end, NULL);
	}
	free(text);
	return cuts;
}

bool run_journal_set_cuts(const char *folder, const char *id, const struct run_cuts *cuts)
{
	char path[PATH_MAX];
	struct file_new new;
	path_of(path, folder, id, cuts_ending);
	FILE *file = file_new_stream(&new, path);
	if (!file)
		return false;
	fprintf(file, "%zu %.3f\n", cuts->in_vain, cuts->seconds);
	return file_new_finish(&new, file);
}

void run_journal_remove(const char *folder, const char *id)
{
	char path[PATH_MAX];
	path_of(path, folder, id, cuts_ending);
	unlink(path);
	path_of(path, folder, id, "");
	if (access(path, F_OK) == 0)
		inputs_remove(path);
}

void run_journal_remove_all(const char *folder, bool (*keeps)(void *context, const char *id), void *context)
{
	char path[PATH_MAX], id[SWEEP_ID];
	sweep_path(path, folder, part, "");
	DIR *entries = opendir(path);
	for (struct dirent *entry; entries && (entry = readdir(entries));) {
		size_t digits = strspn(entry->d_name, "0123456789abcdef");
		if (digits != SWEEP_ID - 1)
			continue;
		snprintf(id, sizeof id, "%.*s", (int)digits, entry->d_name);
		if (!keeps(context, id))
			run_journal_remove(folder, id);
	}
	if (entries)
		closedir(entries);
}
