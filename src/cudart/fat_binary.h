/* fat_binary: finds the PTX that a compiler embedded in a program.
 *
 * clang with our toolkit embeds plain PTX. nvcc embeds a container: a header, then entries. Each entry has its own
 * header and contains PTX or machine code, plain or compressed. All numbers are little-endian.
 *
 *   container: u32 0xBA55ED50; u16 version; u16 header bytes; u64 bytes of all entries
 *   entry: u16 kind (1 PTX, 2 machine code); u16; u32 header bytes; u64 bytes after it; u32 bytes compressed; u32;
 *          u16 minor; u16 major; u32 architecture (NN of sm_NN); 2 u32; u64 flags; u64; u64 bytes when expanded
 */
#ifndef SLUICE_CUDART_FAT_BINARY_H
#define SLUICE_CUDART_FAT_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fat_result {
	FAT_PTX,          /* found */
	FAT_MACHINE_CODE, /* only machine code */
	FAT_EMPTY,        /* nothing */
	FAT_BROKEN,       /* truncated, or cannot be expanded */
};

struct fat_code {
	const char *text; /* PTX, not NUL-terminated */
	size_t length;
	char *owned;           /* to be freed with free(), or NULL */
	unsigned architecture; /* NN of the PTX, or of the machine code found instead; 0: unknown */
};

/* Returns the size of the container at `data` in bytes; 0: it is not a container. `room`: readable bytes at `data`. */
size_t fat_container_bytes(const char *data, size_t room);

/* Finds the PTX of a container with the newest architecture up to `newest` (10 * major + minor of a compute
 * capability). If all are newer, takes the oldest: any machine runs any PTX. */
enum fat_result fat_find(const char *data, size_t room, unsigned newest, struct fat_code *code);

#endif
