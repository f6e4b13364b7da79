/* stats_file: the JSON form of the statistics, kept in a file while kernels run.
 *
 * The file is valid JSON between any two writes: it is made whole and put in place; what a kernel adds goes, in one write,
 * over the few bytes that end the file and brings them anew; how the process ended stands in a line of fixed length. So a
 * kernel's cost does not grow with those before it, and what kills the process loses no kernel that had ended.
 *
 * The system may cut a write at the end of a page when it kills the process. Signals with a handler wait until the write is
 * over. kill -9 and _exit() cannot, and no order of writes helps: what ends the file lies in one page, and would have to go
 * from it in the same step as it comes in another.
 */
#ifndef SLUICE_API_STATS_FILE_H
#define SLUICE_API_STATS_FILE_H

#include "api/record.h"

#include <stdatomic.h>
#include <sys/types.h>

struct stats_file {
	char *path; /* NULL: none is kept */
	int descriptor;
	off_t end;      /* of the last kernel */
	size_t kernels; /* that are in it */
	pid_t process; /* the one that writes: a forked child does not */
	int error;     /* errno of what could not be written; then nothing more is */
	atomic_int turn; /* enum turn */
};

/* Makes the file with the kernels so far. False with errno set. */
bool stats_file_open(struct stats_file *file, const struct records *records, const char *path);
/* Adds the last kernel, which has ended. */
void stats_file_add(struct stats_file *file, const struct records *records);
/* Says how the process ends; may be called by a signal's handler. Nothing is written after it. */
void stats_file_note(struct stats_file *file, const char *ended);
/* Completes it with the totals. False with errno set when something was not written. */
bool stats_file_finish(struct stats_file *file, const struct records *records);
void stats_file_close(struct stats_file *file);

#endif
