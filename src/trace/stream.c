#include "trace/stream.h"

#include "base/arena.h"
#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#ifdef SLUICE_HAS_LZMA
#include <lzma.h>
#endif

enum { INPUT_BYTES = 1 << 17 };

struct trace_stream {
	const char *path;
	FILE *file;
	ZSTD_DStream *zstd;
#ifdef SLUICE_HAS_LZMA
	lzma_stream lzma;
	bool has_lzma;
#endif
	bool in_frame; /* a compressed frame has begun and not ended */
	size_t begin, end;
	char input[INPUT_BYTES];
};

static void fails(const struct trace_stream *stream, struct diag *diag, const char *why)
{
	diag_plain(diag, "cannot read %s: %s", stream->path, why);
}

/* Returns true when input is left or more can be read. Returns false at the file's end and after a message. */
static bool has_input(struct trace_stream *stream, struct diag *diag)
{
	if (stream->begin < stream->end)
		return true;
	stream->begin = 0;
	stream->end = fread(stream->input, 1, sizeof stream->input, stream->file);
	if (stream->end == 0 && ferror(stream->file))
		fails(stream, diag, strerror(errno));
	return stream->end;
}

static bool read_plain(struct trace_stream *stream, char *to, size_t room, size_t *got, struct diag *diag)
{
	*got = fread(to, 1, room, stream->file);
	if (*got == 0 && ferror(stream->file)) {
		fails(stream, diag, strerror(errno));
		return false;
	}
	return true;
}

/* The input has ended, which is an error inside a compressed frame. */
static bool end_input(const struct trace_stream *stream, struct diag *diag)
{
	if (!diag->errors && stream->in_frame)
		fails(stream, diag, "it is cut off");
	return !diag->errors;
}

static bool read_zstd(struct trace_stream *stream, char *to, size_t room, size_t *got, struct diag *diag)
{
	ZSTD_outBuffer output = {to, room, 0};
	while (output.pos == 0 && has_input(stream, diag)) {
		ZSTD_inBuffer input = {stream->input, stream->end, stream->begin};
		size_t left = ZSTD_decompressStream(stream->zstd, &output, &input);
		if (ZSTD_isError(left)) {
			fails(stream, diag, ZSTD_getErrorName(left));
			return false;
		}
		stream->begin = input.pos;
		stream->in_frame = left != 0;
	}
	*got = output.pos;
	return *got || end_input(stream, diag);
}

#ifdef SLUICE_HAS_LZMA
static bool open_lzma(struct trace_stream *stream)
{
	stream->has_lzma = lzma_stream_decoder(&stream->lzma, UINT64_MAX, LZMA_CONCATENATED) == LZMA_OK;
	return stream->has_lzma;
}

static bool read_lzma(struct trace_stream *stream, char *to, size_t room, size_t *got, struct diag *diag)
{
	lzma_stream *lzma = &stream->lzma;
	lzma->next_out = (uint8_t *)to;
	lzma->avail_out = room;
	lzma_ret state = LZMA_OK;
	while (lzma->avail_out == room && state == LZMA_OK) {
		bool more = has_input(stream, diag);
		if (diag->errors)
			return false;
		lzma->next_in = (const uint8_t *)stream->input + stream->begin;
		lzma->avail_in = stream->end - stream->begin;
		state = lzma_code(lzma, more ? LZMA_RUN : LZMA_FINISH);
		stream->begin = stream->end - lzma->avail_in;
	}
	*got = room - lzma->avail_out;
	if (state != LZMA_OK && state != LZMA_STREAM_END)
		fails(stream, diag,
		      state == LZMA_BUF_ERROR ? "it is cut off" : "it is not an xz file, or it is damaged");
	return !diag->errors;
}
#endif

struct trace_stream *trace_stream_open(const char *path, struct diag *diag)
{
	FILE *file = file_open(path);
	if (!file) {
		diag_plain(diag, "cannot read %s: %s", path, file_reason());
		return NULL;
	}
	struct trace_stream *stream = base_calloc(1, sizeof *stream);
	stream->path = path;
	stream->file = file;
	if (file_has_suffix(path, strlen(path), ".zst"))
		stream->zstd = ZSTD_createDStream();
	if (!file_has_suffix(path, strlen(path), ".xz"))
		return stream;
#ifdef SLUICE_HAS_LZMA
	if (open_lzma(stream))
		return stream;
#endif
	fails(stream, diag, "this Sluice was built without liblzma; 'xz -d' makes a plain file of it");
	trace_stream_close(stream);
	return NULL;
}

bool trace_stream_read(struct trace_stream *stream, char *to, size_t room, size_t *got, struct diag *diag)
{
	*got = 0;
#ifdef SLUICE_HAS_LZMA
	if (stream->has_lzma)
		return read_lzma(stream, to, room, got, diag);
#endif
	return (stream->zstd ? read_zstd : read_plain)(stream, to, room, got, diag);
}

void trace_stream_close(struct trace_stream *stream)
{
#ifdef SLUICE_HAS_LZMA
	if (stream->has_lzma)
		lzma_end(&stream->lzma);
#endif
	ZSTD_freeDStream(stream->zstd);
	fclose(stream->file);
	free(stream);
}
