#include "base/file.h"

#include "base/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { FIRST_ROOM = 1 << 16, MOST = 1 << 30, WRITER_MS = 5000, READER_MS = 5000, TRY_MS = 10 };

char *file_read_stream(FILE *file, size_t *length)
{
	size_t capacity = FIRST_ROOM, got;
	char *text = base_malloc(capacity);
	*length = 0;
	while ((got = fread(text + *length, 1, capacity - *length - 1, file)) > 0) {
		*length += got;
		if (*length < capacity - 1)
			continue;
		if (capacity > MOST)
			break;
		capacity = 2 * capacity <= MOST ? 2 * capacity : (size_t)MOST + 1;
		text = base_realloc(text, capacity);
	}
	text[*length] = '\0';
	if (!ferror(file) && *length < MOST)
		return text;
	int reason = ferror(file) ? errno : EFBIG;
	free(text);
	errno = reason;
	return NULL;
}

/* True when a process has opened the FIFO for writing, or had it open. A byte that arrived in the meantime stays
 * readable. */
static bool has_writer(FILE *file)
{
	struct pollfd wait = {.fd = fileno(file), .events = POLLIN};
	char byte;
	if (poll(&wait, 1, WRITER_MS) != 0)
		return true;
	ssize_t got = read(wait.fd, &byte, 1);
	if (got == 1)
		ungetc((unsigned char)byte, file);
	return got != 0;
}

/* True for a device that may never end. A terminal ends by its user's action, and /dev/null ends. */
static bool is_endless(FILE *file, const struct stat *status)
{
	bool is_null = S_ISCHR(status->st_mode) && status->st_rdev == makedev(1, 3);
	return S_ISBLK(status->st_mode) || (S_ISCHR(status->st_mode) && !is_null && !isatty(fileno(file)));
}

/* Returns 0, or the reason not to read the file. */
static int refusal(FILE *file)
{
	struct stat status;
	if (fstat(fileno(file), &status) != 0)
		return errno;
	if (S_ISDIR(status.st_mode))
		return EISDIR;
	if (is_endless(file, &status))
		return ENOTSUP;
	return S_ISFIFO(status.st_mode) && !has_writer(file) ? EPIPE : 0;
}

FILE *file_open(const char *path)
{
	/* so that open() does not wait for the writer of a FIFO */
	int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "rb");
	if (!file)
		return NULL;
	int reason = refusal(file);
	if (!reason && fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK) != 0)
		reason = errno;
	if (!reason)
		return file;
	fclose(file);
	errno = reason;
	return NULL;
}

char *file_read(const char *path, size_t *length)
{
	FILE *file = file_open(path);
	if (!file)
		return NULL;
	struct stat status;
	bool is_large = fstat(fileno(file), &status) == 0 && status.st_size >= MOST;
	char *text = is_large ? NULL : file_read_stream(file, length);
	int reason = is_large ? EFBIG : errno;
	fclose(file);
	errno = reason;
	return text;
}

const char *file_reason(void)
{
	switch (errno) {
	case EFBIG:
		return "it has 1 GiB or more";
	case EISDIR:
		return "it is a folder; expected a file";
	case ENOTSUP:
	case ENXIO:
		return "it is a device or a socket; expected a file";
	case EPIPE:
		return "it is a FIFO that nothing writes to";
	default:
		return strerror(errno);
	}
}

bool file_begins(const char *path, const char *with)
{
	struct stat status;
	size_t length = strlen(with), same = 0;
	FILE *file = stat(path, &status) == 0 && S_ISREG(status.st_mode) ? file_open(path) : NULL;
	if (!file)
		return false;
	while (same < length && getc(file) == (unsigned char)with[same])
		same++;
	fclose(file);
	return same == length;
}

bool file_has_suffix(const char *path, size_t length, const char *suffix)
{
	size_t tail = strlen(suffix);
	return length > tail && memcmp(path + length - tail, suffix, tail) == 0;
}

const char *file_behind_dots(const char *path)
{
	while (path[0] == '.' && path[1] == '/')
		path += 1 + strspn(path + 1, "/");
	return path;
}

bool file_is_database(const char *path)
{
	return file_begins(path, "SQLite format 3");
}

const char *file_write_reason(void)
{
	switch (errno) {
	case EEXIST:
		return "it is a database, such as a file of results; give another name";
	case ENXIO:
		return "nothing reads from it";
	default:
		return strerror(errno);
	}
}

bool file_is_fifo(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISFIFO(status.st_mode);
}

FILE *file_open_to_write(const char *path)
{
	int descriptor, waited = 0;
	/* with O_NONBLOCK open() of a FIFO without a reader fails at once, instead of waiting forever */
	while ((descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_CLOEXEC, 0666)) < 0 &&
	       errno == ENXIO && file_is_fifo(path) && waited < READER_MS) {
		poll(NULL, 0, TRY_MS);
		waited += TRY_MS;
		errno = ENXIO;
	}
	if (descriptor < 0)
		return NULL;
	fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
	return fdopen(descriptor, "w");
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
	if (!file_is_database(path))
		return file_new_open_over(file, path);
	*file = (struct file_new){.descriptor = -1};
	errno = EEXIST;
	return false;
}

bool file_new_open_over(struct file_new *file, const char *path)
{
	file->path = realpath(path, NULL);
	if (!file->path)
		file->path = base_strdup(path);
	file->temporary = base_malloc(strlen(file->path) + sizeof ".XXXXXX");
	strcat(strcpy(file->temporary, file->path), ".XXXXXX");
	file->descriptor = mkostemp(file->temporary, O_CLOEXEC);
	if (file->descriptor < 0) {
		file_new_free(file);
		return false;
	}
	/* mkostemp() makes a private file; the umask determines the permissions of the target */
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

FILE *file_new_stream(struct file_new *file, const char *path)
{
	*file = (struct file_new){0};
	if (!file_is_replaceable(path))
		return file_open_to_write(path);
	if (!file_new_open(file, path))
		return NULL;
	int copy = dup(file->descriptor);
	FILE *stream = copy < 0 ? NULL : fdopen(copy, "w"); /* fdopen(-1) would change errno */
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

void file_new_abandon(struct file_new *file, FILE *stream)
{
	int reason = errno;
	fclose(stream);
	if (file->path)
		file_new_drop(file);
	errno = reason;
}
