#include "output/journal_file.h"

#include "base/arena.h"
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

enum { LEVEL = 1 };

static const char magic[8] = "SLUICEJ1", setup_magic[8] = "SLUICES1", suffix[] = ".launch", setup_name[] = "setup";

const char *const journal_setup_names[JOURNAL_SETUP] = {"simulator", "machine", "mechanisms", "options"};

/* The begin of a launch's file. The content follows, compressed. */
struct header {
	char magic[8];
	uint64_t number, size, compressed; /* size: of the content */
	struct journal_identity identity;
	struct digest content; /* of the compressed content */
	struct digest header;  /* of all before this */
};

struct setup_file {
	char magic[8];
	struct journal_setup setup;
};

__attribute__((format(printf, 2, 3))) static bool fail(char message[JOURNAL_MESSAGE], const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(message, JOURNAL_MESSAGE, format, arguments);
	va_end(arguments);
	return false;
}

static char *path_of(const struct journal_file *file, const char *name)
{
	char *path;
	if (asprintf(&path, "%s/%s", file->folder, name) < 0)
		abort();
	return path;
}

static char *path_of_launch(const struct journal_file *file, uint64_t number)
{
	char name[48];
	snprintf(name, sizeof name, "%08" PRIu64 "%s", number, suffix);
	return path_of(file, name);
}

static bool write_all(int descriptor, const void *bytes, size_t size)
{
	for (const char *at = bytes; size;) {
		ssize_t written = write(descriptor, at, size);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return false;
		at += written;
		size -= (size_t)written;
	}
	return true;
}

/* A renamed file outlives a crash of the host only when its folder is on the disk too. */
static bool sync_folder(const char *folder)
{
	int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool fine = descriptor >= 0 && (fsync(descriptor) == 0 || errno == EINVAL);
	if (descriptor >= 0)
		close(descriptor);
	return fine;
}

/* Writes a file of two parts under its name, complete or not at all. */
static bool write_file(const struct journal_file *file, const char *path, const void *head, size_t head_size,
                       const void *rest, size_t rest_size)
{
	struct file_new new;
	if (!file_new_open(&new, path))
		return false;
	if (!write_all(new.descriptor, head, head_size) || !write_all(new.descriptor, rest, rest_size) ||
	    fsync(new.descriptor) != 0) {
		file_new_drop(&new);
		return false;
	}
	int descriptor = new.descriptor;
	bool fine = file_new_place(&new);
	if (fine)
		close(descriptor);
	return fine && sync_folder(file->folder);
}

/* --- the folder --- */

static bool has_launches(const char *folder)
{
	DIR *list = opendir(folder);
	bool has = false;
	for (struct dirent *entry; list && !has && (entry = readdir(list)) != NULL;)
		has = file_has_suffix(entry->d_name, strlen(entry->d_name), suffix);
	if (list)
		closedir(list);
	return has;
}

static bool lock_folder(struct journal_file *file, char message[JOURNAL_MESSAGE])
{
	if (mkdir(file->folder, 0777) != 0 && errno != EEXIST)
		return fail(message, "journal %s: cannot create the folder: %s", file->folder, strerror(errno));
	char *path = path_of(file, "lock");
	file->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	free(path);
	if (file->lock < 0)
		return fail(message, "journal %s: cannot write in the folder: %s", file->folder, strerror(errno));
	if (flock(file->lock, LOCK_EX | LOCK_NB) != 0 && errno != EWOULDBLOCK)
		return fail(message, "journal %s: its file system has no locks: %s", file->folder, strerror(errno));
	if (flock(file->lock, LOCK_EX | LOCK_NB) != 0)
		return fail(message, "journal %s: another process uses it; each process needs its own folder",
		            file->folder);
	return true;
}

/* The setup of the run that began the journal. Returns false when the file is absent or no setup. */
static bool read_setup(const char *path, struct setup_file *setup)
{
	size_t length = 0;
	char *text = file_read(path, &length);
	bool fine = text && length == sizeof *setup;
	if (fine)
		memcpy(setup, text, sizeof *setup);
	free(text);
	return fine && memcmp(setup->magic, setup_magic, sizeof setup_magic) == 0;
}

static bool check_setup(const struct journal_file *file, const char *path, const struct journal_setup *setup,
                        char message[JOURNAL_MESSAGE])
{
	struct setup_file old;
	if (!read_setup(path, &old))
		return fail(message, "journal %s: its file %s is absent or damaged, so it cannot be resumed",
		            file->folder, setup_name);
	for (int i = 0; i < JOURNAL_SETUP; i++)
		if (!digest_is_same(&old.setup.part[i], &setup->part[i]))
			return fail(message,
			            "journal %s: it belongs to a run with another %s; name another folder, or remove "
			            "this one",
			            file->folder, journal_setup_names[i]);
	return true;
}

static bool begin(const struct journal_file *file, bool resumes, const struct journal_setup *setup,
                  char message[JOURNAL_MESSAGE])
{
	char *path = path_of(file, setup_name);
	bool fine = true;
	if (!has_launches(file->folder)) {
		struct setup_file new = {.setup = *setup};
		memcpy(new.magic, setup_magic, sizeof new.magic);
		if (!write_file(file, path, &new, sizeof new, NULL, 0))
			fine = fail(message, "journal %s: cannot write %s: %s", file->folder, setup_name,
			            file_write_reason());
	} else if (!resumes) {
		fine = fail(message,
		            "journal %s: it has launches already; --resume goes on with them; otherwise name another "
		            "folder, or remove this one",
		            file->folder);
	} else {
		fine = check_setup(file, path, setup, message);
	}
	free(path);
	return fine;
}

bool journal_file_open(struct journal_file *file, const char *folder, bool resumes, const struct journal_setup *setup,
                       char message[JOURNAL_MESSAGE])
{
	*file = (struct journal_file){.folder = base_strdup(folder), .lock = -1, .process = getpid()};
	if (lock_folder(file, message) && begin(file, resumes, setup, message))
		return true;
	journal_file_close(file);
	return false;
}

void journal_file_close(struct journal_file *file)
{
	if (file->lock >= 0)
		close(file->lock);
	free(file->folder);
	*file = (struct journal_file){.lock = -1};
}

/* --- launches --- */

static struct digest digest_of(const void *bytes, size_t size)
{
	struct digest digest = {{0}};
	digest_add(&digest, bytes, size);
	return digest;
}

bool journal_file_write(const struct journal_file *file, uint64_t number, const struct journal_identity *identity,
                        const struct snapshot *content, char message[JOURNAL_MESSAGE])
{
	size_t room = ZSTD_compressBound(content->size);
	void *compressed = base_malloc(room);
	size_t length = ZSTD_compress(compressed, room, content->data, content->size, LEVEL);
	if (ZSTD_isError(length)) {
		free(compressed);
		return fail(message, "journal %s: cannot compress launch %" PRIu64 ": %s", file->folder, number,
		            ZSTD_getErrorName(length));
	}
	struct header header = {.number = number, .size = content->size, .compressed = length, .identity = *identity};
	memcpy(header.magic, magic, sizeof magic);
	header.content = digest_of(compressed, length);
	header.header = digest_of(&header, offsetof(struct header, header));
	char *path = path_of_launch(file, number);
	bool fine = write_file(file, path, &header, sizeof header, compressed, length);
	if (!fine)
		fail(message, "journal %s: cannot write %s: %s", file->folder, path + strlen(file->folder) + 1,
		     file_write_reason());
	free(path);
	free(compressed);
	return fine;
}

/* The reason for which a file is no entry, or NULL. */
static const char *problem_of(const char *bytes, size_t length, uint64_t number, struct header *header)
{
	if (length < sizeof *header)
		return "it is too short";
	memcpy(header, bytes, sizeof *header);
	struct digest known = digest_of(header, offsetof(struct header, header));
	if (memcmp(header->magic, magic, sizeof magic) != 0)
		return "it is no launch of a journal";
	if (!digest_is_same(&known, &header->header) || header->number != number)
		return "its begin is damaged";
	if (length - sizeof *header != header->compressed)
		return length - sizeof *header < header->compressed ? "its end is missing" : "it is too long";
	known = digest_of(bytes + sizeof *header, header->compressed);
	return digest_is_same(&known, &header->content) ? NULL : "its content is damaged";
}

static const char *expand(const char *bytes, const struct header *header, struct snapshot *content)
{
	uint8_t *data = malloc(header->size + 1);
	if (!data)
		return "there is no memory for its content";
	size_t length = ZSTD_decompress(data, header->size, bytes + sizeof *header, header->compressed);
	if (ZSTD_isError(length) || length != header->size) {
		free(data);
		return "its content is damaged";
	}
	*content = (struct snapshot){.restores = true, .data = data, .size = length, .capacity = length};
	return NULL;
}

enum journal_found journal_file_read(const struct journal_file *file, uint64_t number,
                                     struct journal_identity *identity, struct snapshot *content,
                                     char message[JOURNAL_MESSAGE])
{
	struct header header;
	size_t length = 0;
	char *path = path_of_launch(file, number), *bytes = file_read(path, &length);
	bool is_absent = !bytes && errno == ENOENT;
	const char *problem = bytes ? problem_of(bytes, length, number, &header) : file_reason();
	if (!problem)
		problem = expand(bytes, &header, content);
	if (problem && !is_absent)
		fail(message, "journal %s: %s is not used: %s", file->folder, path + strlen(file->folder) + 1, problem);
	if (!problem)
		*identity = header.identity;
	free(bytes);
	free(path);
	return is_absent ? JOURNAL_ABSENT : problem ? JOURNAL_DAMAGED : JOURNAL_FOUND;
}
