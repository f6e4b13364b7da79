/* unpack: bytes that may be compressed by zstd, piece by piece, so that what is packed in them may be much more than there is memory for. */
#ifndef SLUICE_CLI_REPORT_UNPACK_H
#define SLUICE_CLI_REPORT_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UNPACK_MOST_LEFT = 1 << 16 };

enum unpack_result {
	UNPACK_ALL,    /* everything was taken */
	UNPACK_CUT,    /* the bytes end before what was packed, or before what was to be taken next */
	UNPACK_BROKEN, /* it is not what zstd makes */
	UNPACK_ENDED,  /* who took it wants no more, or leaves more than UNPACK_MOST_LEFT bytes */
};

/* Takes bytes from the beginning of those that are there; the rest comes again with more behind it. False: no more is wanted. */
typedef bool unpack_take(void *context, const uint8_t *bytes, size_t length, size_t *taken);

bool unpack_is_packed(const char *bytes, size_t length);
enum unpack_result unpack(const char *bytes, size_t length, unpack_take *take, void *context);

#endif
