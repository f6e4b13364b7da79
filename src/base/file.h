/* file: reads and writes whole files. */
#ifndef SLUICE_BASE_FILE_H
#define SLUICE_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Reads the rest of a stream into memory from malloc, with a NUL after it. NULL with errno set; EFBIG when it is
 * longer than a GiB. */
char *file_read_stream(FILE *file, size_t *length);
/* The same for a file. */
char *file_read(const char *path, size_t *length);

/* Opens a file for reading: a regular file, a terminal or /dev/null, or a FIFO that has a writer or gets one within
 * 5 seconds. NULL with errno set for anything else: a folder, a device, a socket, a FIFO without a writer. */
FILE *file_open(const char *path);
/* Opens for writing what a new file must not replace: a device, or a FIFO that has a reader or gets one within 5
 * seconds. NULL with errno set otherwise. */
FILE *file_open_to_write(const char *path);
bool file_is_fifo(const char *path);
/* The reason, from errno, for which file_open() or file_read() failed. */
const char *file_reason(void);

/* True when a regular file begins with that text. Other files are not read, because the next reader would miss the
 * bytes. */
bool file_begins(const char *path, const char *with);

/* True when the first `length` bytes of a path end in the suffix and are longer than it. */
bool file_has_suffix(const char *path, size_t length, const char *suffix);

/* The rest of a path after leading ./, ././ and so on. */
const char *file_behind_dots(const char *path);

/* True for an SQLite database, such as a file of results. No output replaces a database. */
bool file_is_database(const char *path);

/* The reason, from errno, for which a file could not be written. */
const char *file_write_reason(void);

/* True when a path names a regular file or no file yet. A terminal, a pipe and similar ones are written directly. */
bool file_is_replaceable(const char *path);

/* A file under a temporary name, which becomes the one at `path` when it is complete. A reader of that path sees the
 * old contents or the new ones, never a part. A symbolic link is kept: its target is replaced. */
struct file_new {
	char *path, *temporary;
	int descriptor;
};

/* False, with errno set, when the folder cannot be written, or the path is a database's (EEXIST). */
bool file_new_open(struct file_new *file, const char *path);
/* The same, and may also replace a database. */
bool file_new_open_over(struct file_new *file, const char *path);
/* Moves it to its path and leaves the descriptor open for the caller. False, with errno set, on failure; the file is
 * then removed. */
bool file_new_place(struct file_new *file);
/* Removes it; preserves errno. */
void file_new_drop(struct file_new *file);

/* The same for a stream, which file_new_finish() closes. NULL or false, with errno set, when it could not be
 * written; the old file then remains. A path that is not a regular file's is written directly. */
FILE *file_new_stream(struct file_new *file, const char *path);
bool file_new_finish(struct file_new *file, FILE *stream);
/* Closes the stream of a file that could not be completed, and removes it; preserves errno. */
void file_new_abandon(struct file_new *file, FILE *stream);

#endif
