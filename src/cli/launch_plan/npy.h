/* npy: reads and writes tensors as NumPy's .npy files (format versions 1 to 3), in C order. */
#ifndef SLUICE_CLI_LAUNCH_PLAN_NPY_H
#define SLUICE_CLI_LAUNCH_PLAN_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NPY_DIMENSIONS = 32 }; /* NumPy's own limit before version 2 */

struct npy {
	char type[8]; /* as in the file: "<f4" */
	uint32_t element_bytes;
	uint32_t dimensions;
	uint64_t shape[NPY_DIMENSIONS];
	uint64_t count; /* elements */
	const void *data;
	char *file; /* the whole file, from malloc; `data` points into it */
};

/* Reads a file. Returns false with the reason in `message`. The caller frees npy->file. */
bool npy_read(const char *path, struct npy *npy, char message[160]);

/* Writes a file; npy->file is not used. Returns false with errno set. */
bool npy_write(const char *path, const struct npy *npy);

#endif
