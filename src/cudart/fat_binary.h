/* fat_binary: the PTX in what a compiler has put into a program.
 *
 * clang with our toolkit writes the PTX itself; nvcc a container: a header, then entries, each with a header of its own and
 * with PTX or machine code, plain or compressed. All numbers are little-endian.
 *
 *   container: u32 0xBA55ED50, u16 version, u16 bytes of this header, u64 bytes of all entries
 *   entry: u16 kind (1 PTX, 2 machine code), u16, u32 bytes of this header, u64 bytes behind it, u32 bytes compressed, u32,
 *          u16 minor, u16 major, u32 architecture (NN of sm_NN), 2 u32, u64 flags, u64, u64 bytes when expanded
 */
#ifndef SLUICE_CUDART_FAT_BINARY_H
#define SLUICE_CUDART_FAT_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fat_result {
	FAT_PTX,          /* found */
	FAT_MACHINE_CODE, /* there is machine code alone */
	FAT_EMPTY,        /* there is nothing */
	FAT_BROKEN,       /* it is cut or cannot be expanded */
};

struct fat_code {
	const char *text; /* PTX, not NUL-terminated */
	size_t length;
	char *owned;           /* what to free(), or NULL */
	unsigned architecture; /* NN: of the PTX, or of the machine code that is there instead; 0: not known */
};

/* Bytes of the container at `data`, or 0: it is none. */
size_t fat_container_bytes(const char *data, size_t room);

/* Looks for PTX in a container, of the newest architecture that is not newer than `newest` (10 * major + minor of a compute
 * capability), else of the oldest: PTX runs everywhere. */
enum fat_result fat_find(const char *data, size_t room, unsigned newest, struct fat_code *code);

#endif
