/* profile_file: what each instruction of each kernel has cost, over all its launches, as JSON (docs/how-to/profiling.md). It is written anew when a
 * kernel has ended, at most about once a second, and when the process ends: whoever reads it finds the old file or the new. */
#ifndef SLUICE_API_PROFILE_FILE_H
#define SLUICE_API_PROFILE_FILE_H

#include "api/kernel.h"
#include "api/record.h"

#include <sys/types.h>

struct profile_kernel;

struct profile_file {
	char *path; /* NULL: none is asked for */
	pid_t process; /* the one that writes: a forked child does not */
	const struct records *records;
	struct profile_kernel **kernel;
	size_t kernels;
	double written; /* host seconds when it was written last */
	int error;      /* errno of what could not be written */
};

/* Makes the file, without kernels. False with errno set. */
bool profile_file_open(struct profile_file *file, const struct records *records, const char *path);
/* Where a launch of the kernel, which is decoded, is to be counted; NULL: no profile is asked for. */
struct profile *profile_file_begin(struct profile_file *file, sluice_kernel *kernel);
/* The launch has ended. */
void profile_file_add(struct profile_file *file, const sluice_kernel *kernel, const struct record *record);
/* Writes what is not written yet. False with errno set when something was not. */
bool profile_file_finish(struct profile_file *file);
void profile_file_close(struct profile_file *file);

#endif
