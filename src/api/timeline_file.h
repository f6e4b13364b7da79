/* timeline_file: when kernels, blocks and what mechanisms draw began and ended, kept in a file while kernels run (docs/over-time.md): for
 * chrome://tracing and Perfetto as JSON of their Trace Event Format, with a process for the GPU, each SM and each L2 slice; or, where
 * its name ends in .csv, a row an event. */
#ifndef SLUICE_API_TIMELINE_FILE_H
#define SLUICE_API_TIMELINE_FILE_H

#include "api/kept_file.h"
#include "api/record.h"

enum { TIMELINE_EVERY = 4096 }; /* core cycles after which events are taken from the machine */

struct timeline_file {
	struct kept_file file;
	const struct records *records;
	struct gpu *gpu;
	bool is_csv;
	uint64_t left;  /* events for which there is room */
	uint64_t start; /* core cycle of the launch */
	void *tracks;   /* those that have been named: a tree of <search.h> */
	uint32_t track_count;
	struct piece piece; /* what is being made */
};

/* Makes the file, for at most so many events. False with errno set. */
bool timeline_file_open(struct timeline_file *file, struct gpu *gpu, const struct records *records, const char *path,
                        uint64_t most);
/* A kernel is about to run; what has happened is to be written; it has ended. */
void timeline_file_begin(struct timeline_file *file);
void timeline_file_take(struct timeline_file *file);
void timeline_file_end(struct timeline_file *file, const struct record *record, uint64_t cycles);
void timeline_file_close(struct timeline_file *file);

#endif
