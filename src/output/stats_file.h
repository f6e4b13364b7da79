/* stats_file: writes the JSON statistics to a file while kernels run (append_file.h). The file is created complete, and
 * each kernel is added to it. A line of fixed length states how the process ended. */
#ifndef SLUICE_OUTPUT_STATS_FILE_H
#define SLUICE_OUTPUT_STATS_FILE_H

#include "output/append_file.h"
#include "output/record.h"

struct stats_file {
	struct append_file file;
	size_t kernels; /* written so far */
};

/* Creates the file with the kernels so far. Returns false with errno set. */
bool stats_file_open(struct stats_file *file, const struct records *records, const char *path);
/* Adds the last kernel, which has ended. */
void stats_file_add(struct stats_file *file, const struct records *records);
/* States how the process ends. May be called in a signal handler. Nothing is written after it. */
void stats_file_note(struct stats_file *file, const char *ended);
/* Completes the file with the totals. Returns false with errno set when something was not written. */
bool stats_file_finish(struct stats_file *file, const struct records *records);
void stats_file_close(struct stats_file *file);

#endif
