#include "base/file.h"

#include "base/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_ROOM = 1 << 16, MOST = 1 << 30 };

char *file_read_stream(FILE *file, size_t *length)
{
	size_t capacity = FIRST_ROOM, got;
	char *text = xmalloc(capacity);
	*length = 0;
	while (*length < MOST && (got = fread(text + *length, 1, capacity - *length - 1, file)) > 0) {
		*length += got;
		if (*length == capacity - 1)
			text = xrealloc(text, capacity *= 2);
	}
	text[*length] = '\0';
	if (!ferror(file) && *length < MOST)
		return text;
	int reason = ferror(file) ? errno : EFBIG;
	free(text);
	errno = reason;
	return NULL;
}

char *file_read(const char *path, size_t *length)
{
	FILE *file = fopen(path, "rb");
	if (!file)
		return NULL;
	char *text = file_read_stream(file, length);
	int reason = errno;
	fclose(file);
	errno = reason;
	return text;
}

const char *file_behind_dots(const char *path)
{
	while (path[0] == '.' && path[1] == '/')
		path += 1 + strspn(path + 1, "/");
	return path;
}

bool file_is_replaceable(const char *path)
{
	struct stat status;
	return stat(path, &status) != 0 || S_ISREG(status.st_mode);
}

static void file_new_free(struct file_new *file)
{
	free(file->path);
	free(file->temporary);
	file->path = file->temporary = NULL;
}

bool file_new_open(struct file_new *file, const char *path)
{
	file->path = realpath(path, NULL);
	if (!file->path)
		file->path = xstrdup(path);
	file->temporary = xmalloc(strlen(file->path) + sizeof ".XXXXXX");
	strcat(strcpy(file->temporary, file->path), ".XXXXXX");
	file->descriptor = mkostemp(file->temporary, O_CLOEXEC);
	if (file->descriptor < 0) {
		file_new_free(file);
		return false;
	}
	/* mkostemp() makes a private file; who may read the target is the umask's business */
	mode_t mask = umask(0);
	umask(mask);
	if (fchmod(file->descriptor, 0666 & ~mask) == 0)
		return true;
	file_new_drop(file);
	return false;
}

bool file_new_place(struct file_new *file)
{
	if (fsync(file->descriptor) != 0 || rename(file->temporary, file->path) != 0) {
		file_new_drop(file);
		return false;
	}
	file_new_free(file);
	return true;
}

void file_new_drop(struct file_new *file)
{
	int reason = errno;
	close(file->descriptor);
	unlink(file->temporary);
	file_new_free(file);
	errno = reason;
}

FILE *file_new_writer(const struct file_new *file)
{
	int copy = dup(file->descriptor);
	return copy < 0 ? NULL : fdopen(copy, "w"); /* fdopen(-1) would change errno */
}

FILE *file_new_stream(struct file_new *file, const char *path)
{
	*file = (struct file_new){0};
	if (!file_is_replaceable(path))
		return fopen(path, "w");
	if (!file_new_open(file, path))
		return NULL;
	FILE *stream = file_new_writer(file);
	if (!stream)
		file_new_drop(file);
	return stream;
}

bool file_new_finish(struct file_new *file, FILE *stream)
{
	int descriptor = file->descriptor;
	bool fine = !ferror(stream);
	fine = fclose(stream) == 0 && fine;
	if (!file->path)
		return fine;
	if (!fine) {
		file_new_drop(file);
		return false;
	}
	fine = file_new_place(file);
	if (fine)
		close(descriptor);
	return fine;
}
