#include "cli/report/unpack.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { ROOM = 1 << 20 };

/* Bytes unpacked but not yet consumed. */
struct rest {
	uint8_t *byte;
	size_t length;
};

bool unpack_is_packed(const char *bytes, size_t length)
{
	return length >= 4 && memcmp(bytes, "\x28\xb5\x2f\xfd", 4) == 0;
}

/* Passes the bytes to the consumer. Returns false when it wants no more. */
static bool give_bytes(struct rest *rest, unpack_take *take, void *context)
{
	size_t taken = 0;
	bool more = take(context, rest->byte, rest->length, &taken);
	rest->length -= taken;
	memmove(rest->byte, rest->byte + taken, rest->length);
	return more && rest->length <= UNPACK_MOST_LEFT;
}

static enum unpack_result unpack_frames(ZSTD_DStream *stream, const char *bytes, size_t length, unpack_take *take,
                                        void *context)
{
	ZSTD_inBuffer in = {bytes, length, 0};
	struct rest rest = {.byte = base_malloc(ROOM)};
	enum unpack_result result = UNPACK_ALL;
	size_t hint = 0; /* bytes that the frame still needs, at least; 0: complete */
	bool is_full = false;
	while (result == UNPACK_ALL && (in.pos < in.size || is_full)) {
		ZSTD_outBuffer out = {rest.byte, ROOM, rest.length};
		hint = ZSTD_decompressStream(stream, &out, &in);
		is_full = out.pos == out.size;
		rest.length = out.pos;
		if (ZSTD_isError(hint))
			result = UNPACK_BROKEN;
		else if (!give_bytes(&rest, take, context))
			result = UNPACK_ENDED;
	}
	free(rest.byte);
	return result == UNPACK_ALL && (hint || rest.length) ? UNPACK_CUT : result;
}

enum unpack_result unpack(const char *bytes, size_t length, unpack_take *take, void *context)
{
	size_t taken = 0;
	if (!unpack_is_packed(bytes, length)) {
		if (!take(context, (const uint8_t *)bytes, length, &taken) || length - taken > UNPACK_MOST_LEFT)
			return UNPACK_ENDED;
		return taken < length ? UNPACK_CUT : UNPACK_ALL;
	}
	ZSTD_DStream *stream = ZSTD_createDStream();
	if (!stream)
		abort();
	enum unpack_result result = unpack_frames(stream, bytes, length, take, context);
	ZSTD_freeDStream(stream);
	return result;
}
