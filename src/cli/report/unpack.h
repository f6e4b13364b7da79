/* unpack: decompresses zstd data (or passes plain data) piece by piece, so that the contents may exceed the memory. */
#ifndef SLUICE_CLI_REPORT_UNPACK_H
#define SLUICE_CLI_REPORT_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UNPACK_MOST_LEFT = 1 << 16 };

enum unpack_result {
	UNPACK_ALL,    /* everything was consumed */
	UNPACK_CUT,    /* the input ends in the middle of a zstd frame or of an item that the consumer needs */
	UNPACK_BROKEN, /* the input is not valid zstd data */
	UNPACK_ENDED,  /* the consumer stopped, or left more than UNPACK_MOST_LEFT bytes */
};

/* Consumes bytes from the beginning. The rest is passed again, with more bytes after it. Returns false to stop. */
typedef bool unpack_take(void *context, const uint8_t *bytes, size_t length, size_t *taken);

/* True when the bytes begin like zstd data. unpack() passes the contents to `take`; plain bytes are passed
 * unchanged. */
bool unpack_is_packed(const char *bytes, size_t length);
enum unpack_result unpack(const char *bytes, size_t length, unpack_take *take, void *context);

#endif
