/* kept_file: a text file that grows while kernels run and is whole between any two writes: what is added goes, in one write, over the few
 * bytes that close the file and brings them anew. So what is added costs the same however much was before it, and what kills the
 * process loses nothing that had been added.
 *
 * The system may cut a write at the end of a page when it kills the process. Signals with a handler wait until the write is
 * over. kill -9 and _exit() cannot, and no order of writes helps: what closes the file lies in one page, and would have to go
 * from it in the same step as it comes in another.
 */
#ifndef SLUICE_API_KEPT_FILE_H
#define SLUICE_API_KEPT_FILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* What is written at once, in memory. */
struct piece {
	FILE *file;
	char *text;
	size_t length;
};

struct kept_file {
	char *path; /* NULL: none is kept */
	int descriptor;
	const char *closing; /* what closes the file while more may come */
	off_t end;           /* of what stays */
	pid_t process;       /* the one that writes: a forked child does not */
	int error;           /* errno of what could not be written; then nothing more is */
	atomic_int turn;     /* enum turn */
};

/* A piece to print into; each of the functions that take one frees it. */
void piece_open(struct piece *piece);

/* Makes the file with what begins it, and puts it in place. False with errno set. */
bool kept_file_open(struct kept_file *file, const char *path, struct piece *begin, const char *closing);
/* This process may add to it, and could until now. */
bool kept_file_is_ours(const struct kept_file *file);
/* Adds what stays; adds what closes the file for good, unless more is added. */
void kept_file_add(struct kept_file *file, struct piece *piece);
void kept_file_complete(struct kept_file *file, struct piece *piece);
/* Over what lies there. */
void kept_file_change(struct kept_file *file, const char *text, size_t length, off_t at);
/* The same in the handler of a signal; nothing is written after it. */
void kept_file_change_last(struct kept_file *file, const char *text, size_t length, off_t at);
/* Everything is on the disk. False with errno set when something was not written. */
bool kept_file_sync(struct kept_file *file);
void kept_file_close(struct kept_file *file);

#endif
