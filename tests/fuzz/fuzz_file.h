/* fuzz_file: gives fuzz targets a named file, for readers that take a path. */
#ifndef SLUICE_FUZZ_FILE_H
#define SLUICE_FUZZ_FILE_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Creates an in-memory file with these bytes and returns its descriptor. Writes its path to `path`, which has `room`
 * bytes. */
static inline int fuzz_file(const void *data, size_t size, char *path, size_t room)
{
	int file = memfd_create("fuzz", 0);
	if (file < 0 || write(file, data, size) != (ssize_t)size)
		abort();
	snprintf(path, room, "/proc/self/fd/%d", file);
	return file;
}

#endif
