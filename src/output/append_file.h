/* append_file: a text file that grows while kernels run and is complete between any two writes.
 *
 * Each addition overwrites the few bytes that close the file and writes them again after it, in one write. So its cost
 * does not depend on the file's size, and killing the process loses nothing that was added.
 *
 * When the system kills the process, it may cut a write at a page boundary. Signals with a handler are held back until
 * the write is over. This does not help against kill -9 and _exit(), and neither does any order of writes. The closing
 * bytes lie in one page, and would have to vanish from it in the same step as they appear in another.
 */
#ifndef SLUICE_OUTPUT_APPEND_FILE_H
#define SLUICE_OUTPUT_APPEND_FILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* Text collected in memory for one write. */
struct piece {
	FILE *file;
	char *text;
	size_t length;
};

struct append_file {
	char *path; /* NULL: no file is written */
	int descriptor;
	const char *closing; /* text that closes the file until more is added */
	off_t end;           /* of the text that stays */
	pid_t process;       /* the process that writes; a forked child does not */
	int error;           /* errno of the first failed write; nothing is written after it */
	atomic_int turn;     /* enum turn */
};

/* Opens a piece to print into. Each function below that takes a piece frees it. */
void piece_open(struct piece *piece);

/* Creates the file with the text `begin` and renames it into place. Returns false with errno set. */
bool append_file_open(struct append_file *file, const char *path, struct piece *begin, const char *closing);
/* True when this process may add to the file and all writes so far succeeded. */
bool append_file_is_ours(const struct append_file *file);
/* Adds text that stays. append_file_complete() adds text that closes the file until more is added. */
void append_file_add(struct append_file *file, struct piece *piece);
void append_file_complete(struct append_file *file, struct piece *piece);
/* Overwrites `length` bytes at offset `at`. */
void append_file_change(struct append_file *file, const char *text, size_t length, off_t at);
/* Overwrites bytes from within a signal handler. Nothing is written after it. */
void append_file_change_last(struct append_file *file, const char *text, size_t length, off_t at);
/* Writes everything to the disk. Returns false with errno set when something was not written. */
bool append_file_sync(struct append_file *file);
void append_file_close(struct append_file *file);

#endif
