/* stats_file: the JSON form of the statistics, kept in a file while kernels run (kept_file.h): it is made whole and put in place; each
 * kernel is added; how the process ended stands in a line of fixed length. */
#ifndef SLUICE_API_STATS_FILE_H
#define SLUICE_API_STATS_FILE_H

#include "api/kept_file.h"
#include "api/record.h"

struct stats_file {
	struct kept_file kept;
	size_t kernels; /* that are in it */
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
