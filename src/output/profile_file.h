/* profile_file: writes the cost of each instruction of each kernel, summed over all launches, as JSON
 * (docs/how-to/profiling.md). The file is rewritten after a kernel's end, at most about once per second, and at the
 * process's end. A reader sees either the old file or the new one. */
#ifndef SLUICE_OUTPUT_PROFILE_FILE_H
#define SLUICE_OUTPUT_PROFILE_FILE_H

#include "output/record.h"

#include <sys/types.h>

struct profile_kernel;
struct simt_program;

struct profile_file {
	char *path; /* NULL: no profile requested */
	pid_t process; /* the process that writes; a forked child does not */
	const struct records *records;
	struct profile_kernel **kernel;
	size_t kernels;
	double written; /* host seconds of the last write */
	int error;      /* errno of a failed write */
};

/* Creates the file, without kernels. Returns false with errno set. */
bool profile_file_open(struct profile_file *file, const struct records *records, const char *path);
/* Returns the profile that counts a launch of the program, which has `registers` per thread. *counted is the program's
 * entry, NULL before its first launch. Returns NULL when no profile was requested. */
struct profile *profile_file_begin(struct profile_file *file, struct profile_kernel **counted,
                                   const struct simt_program *program, uint32_t registers);
/* Adds the counts of a launch that has ended. */
void profile_file_add(struct profile_file *file, struct profile_kernel *counted, const struct record *record);
/* Writes what has not been written yet. Returns false with errno set when a write failed. */
bool profile_file_finish(struct profile_file *file);
void profile_file_close(struct profile_file *file);

#endif
