/* Fat binaries (-fatbin, -cubin): PTX in nvcc's container for device code. Driver calls determine the length from the
 * container, so programs may read it without a final NUL. cudart/fat_binary.h describes the layout. */
#include "cli/cc/cc.h"

#include "base/file.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONTAINER_HEADER = 16, ENTRY_HEADER = 64, ALIGNMENT = 8, KIND_PTX = 1 };

static void put_number(unsigned char *at, size_t bytes, uint64_t value)
{
	for (size_t i = 0; i < bytes; i++)
		at[i] = (unsigned char)(value >> 8 * i);
}

/* Returns NN of the text's `.target sm_NN`, or 0. */
static unsigned target_of(const char *ptx)
{
	static const char target[] = "\n.target sm_";
	const char *at = strstr(ptx, target);
	return at ? (unsigned)strtoul(at + sizeof target - 1, NULL, 10) : 0;
}

static void fill_headers(unsigned char *header, const char *ptx, size_t padded)
{
	unsigned char *entry = header + CONTAINER_HEADER;
	put_number(header, 4, 0xba55ed50);
	put_number(header + 4, 2, 1);
	put_number(header + 6, 2, CONTAINER_HEADER);
	put_number(header + 8, 8, ENTRY_HEADER + padded);
	put_number(entry, 2, KIND_PTX);
	put_number(entry + 2, 2, 0x101);
	put_number(entry + 4, 4, ENTRY_HEADER);
	put_number(entry + 8, 8, padded);
	put_number(entry + 28, 4, target_of(ptx));
}

bool cc_write_container(struct cc *cc, const char *ptx, const char *file)
{
	unsigned char header[CONTAINER_HEADER + ENTRY_HEADER] = {0};
	size_t length;
	char *text = file_read(ptx, &length);
	if (!text) {
		cli_error(cc->name, "cannot read %s: %s", ptx, file_reason());
		return false;
	}
	size_t padded = (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	char *whole = base_calloc(1, sizeof header + padded);
	fill_headers(header, text, padded);
	memcpy(whole, header, sizeof header);
	memcpy(whole + sizeof header, text, length);
	bool fine = cc_write_file(cc, file, whole, sizeof header + padded);
	free(whole);
	free(text);
	return fine;
}
