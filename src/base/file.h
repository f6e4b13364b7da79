/* file: whole files, in and out. */
#ifndef SLUICE_BASE_FILE_H
#define SLUICE_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* All that can still be read of a stream, from malloc, with a NUL behind it; NULL with errno set, to EFBIG where it does not end
 * within a GiB. */
char *file_read_stream(FILE *file, size_t *length);
/* The same of a file. */
char *file_read(const char *path, size_t *length);

/* Opens a file for reading: an ordinary one, a terminal or /dev/null, or a FIFO that something writes to or begins to write to within
 * 5 seconds. NULL with errno set for anything else: a folder, a device, a socket, a FIFO without a writer. */
FILE *file_open(const char *path);
/* Opens for writing what no new file may replace: a device, or a FIFO that something reads from or begins to read from within 5
 * seconds. NULL with errno set otherwise. */
FILE *file_open_to_write(const char *path);
bool file_is_fifo(const char *path);
/* Why file_open() or file_read() failed, by errno. */
const char *file_reason(void);

/* Whether an ordinary file begins with that text. Nothing is read of others, whose bytes would be lost to the next reader. */
bool file_begins(const char *path, const char *with);

/* The rest of a path behind its ./, ././ and so on. */
const char *file_behind_dots(const char *path);

/* Whether it is an SQLite database, as a file of results is. No output takes its place. */
bool file_is_database(const char *path);

/* Why a file could not be written, by errno. */
const char *file_write_reason(void);

/* Whether a path is that of an ordinary file, or of none yet: a terminal, a pipe and the like are written as they are. */
bool file_is_replaceable(const char *path);

/* A file under another name, which becomes the one at `path` when it is complete: whoever reads that path finds the old
 * contents or the new, never a part. A symbolic link stays one: its target is replaced. */
struct file_new {
	char *path, *temporary;
	int descriptor;
};

/* False, with errno set, when the folder cannot be written, or the path is a database's (EEXIST). */
bool file_new_open(struct file_new *file, const char *path);
/* The same in the place of a database too. */
bool file_new_open_over(struct file_new *file, const char *path);
/* Puts it in its place and leaves the descriptor open to the caller. False, with errno set, when that failed: it is gone. */
bool file_new_place(struct file_new *file);
/* Removes it again; keeps errno. */
void file_new_drop(struct file_new *file);

/* A stream that writes the file and is closed apart from it. NULL with errno set. */
FILE *file_new_writer(const struct file_new *file);

/* The same for a stream, which file_new_finish() closes: NULL or false, with errno set, when it could not be written. Where the path is no ordinary
 * file's, it is written as it is. */
FILE *file_new_stream(struct file_new *file, const char *path);
bool file_new_finish(struct file_new *file, FILE *stream);

#endif
