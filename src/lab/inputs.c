#include "lab/inputs.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STEP = 1 << 16, DEPTH = 16 };

/* Creates the folders above a file. */
static bool make_way(char *path, size_t from)
{
	for (char *slash = strchr(path + from, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
		*slash = '/';
		if (!made)
			return false;
	}
	return true;
}

/* Creates the folder, which must not exist, with links to the files: pairs of a path and a name in the folder.
 * Returns false with errno set. */
static bool inputs_lay(const char *folder, const struct words *files)
{
	char path[PATH_MAX], whole[PATH_MAX];
	if (mkdir(folder, 0777) != 0)
		return false;
	for (size_t i = 0; i < files->count; i += 2) {
		int length = snprintf(path, sizeof path, "%s/%s", folder, files->word[i + 1]);
		if (length >= PATH_MAX || !make_way(path, strlen(folder) + 1) || !realpath(files->word[i], whole) ||
		    symlink(whole, path) != 0)
			return false;
	}
	return true;
}

char *inputs_lay_new(const char *id, const struct words *files)
{
	const char *place = getenv("TMPDIR");
	char *folder;
	if (asprintf(&folder, "%s/sluice-run-%s-%ld", place && *place ? place : "/tmp", id, (long)getpid()) < 0)
		abort();
	if (inputs_lay(folder, files))
		return folder;
	int error = errno;
	inputs_remove(folder);
	free(folder);
	errno = error;
	return NULL;
}

static bool copy_bytes(int from, int to)
{
	static const size_t step = STEP;
	char bytes[STEP];
	ssize_t got;
	while ((got = read(from, bytes, step)) > 0)
		for (ssize_t done = 0, put; done < got; done += put)
			if ((put = write(to, bytes + done, (size_t)(got - done))) < 0)
				return false;
	return got == 0;
}

static bool copy_file(const char *from, const char *to)
{
	struct file_new new;
	int file = open(from, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return false;
	bool fine = file_new_open_over(&new, to);
	if (fine && !copy_bytes(file, new.descriptor)) {
		file_new_drop(&new);
		fine = false;
	}
	fine = fine && file_new_place(&new);
	if (fine)
		close(new.descriptor);
	int error = errno;
	close(file);
	errno = error;
	return fine;
}

bool inputs_copy(const char *folder, const struct words *files)
{
	char path[PATH_MAX];
	if (mkdir(folder, 0777) != 0 && errno != EEXIST)
		return false;
	for (size_t i = 0; i < files->count; i += 2) {
		int length = snprintf(path, sizeof path, "%s/%s", folder, files->word[i + 1]);
		if (length >= PATH_MAX || !make_way(path, strlen(folder) + 1) || !copy_file(files->word[i], path))
			return false;
	}
	return true;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
	(void)status;
	(void)kind;
	(void)place;
	remove(path);
	return 0;
}

void inputs_remove(const char *folder)
{
	nftw(folder, remove_one, DEPTH, FTW_DEPTH | FTW_PHYS);
}
