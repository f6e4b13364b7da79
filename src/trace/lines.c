#include "trace/lines.h"

#include "base/arena.h"
#include "trace/stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_BYTES = 1 << 20, SHOWN = 160 };

/* A stream, with bytes that have been read and not yet returned as lines. */
struct trace_buffer {
	struct trace_stream *stream;
	size_t begin, end;
	bool at_end;
	char bytes[BUFFER_BYTES + 1];
};

bool trace_lines_open(struct trace_lines *lines, const char *path, struct diag *diag)
{
	*lines = (struct trace_lines){.name = path};
	struct trace_stream *stream = trace_stream_open(path, diag);
	if (!stream)
		return false;
	lines->buffer = base_malloc(sizeof *lines->buffer);
	lines->buffer->stream = stream;
	lines->buffer->begin = lines->buffer->end = 0;
	lines->buffer->at_end = false;
	return true;
}

/* Reads more bytes after the present ones, which move to the front. Returns false after a message. */
static bool fill(const struct trace_lines *lines, struct diag *diag)
{
	struct trace_buffer *buffer = lines->buffer;
	size_t got, kept = buffer->end - buffer->begin;
	if (kept == BUFFER_BYTES) {
		diag_plain(diag, "%s:%" PRIu64 ": a line of more than %d bytes", lines->name, lines->number + 1,
		           BUFFER_BYTES);
		return false;
	}
	memmove(buffer->bytes, buffer->bytes + buffer->begin, kept);
	buffer->begin = 0;
	buffer->end = kept;
	if (!trace_stream_read(buffer->stream, buffer->bytes + kept, BUFFER_BYTES - kept, &got, diag))
		return false;
	buffer->at_end = got == 0;
	buffer->end += got;
	return true;
}

bool trace_lines_next(struct trace_lines *lines, struct diag *diag)
{
	struct trace_buffer *buffer = lines->buffer;
	char *end = NULL;
	while (!(end = memchr(buffer->bytes + buffer->begin, '\n', buffer->end - buffer->begin)) && !buffer->at_end)
		if (!fill(lines, diag))
			return false;
	if (!end && buffer->begin == buffer->end)
		return false;
	lines->text = buffer->bytes + buffer->begin;
	lines->length = end ? (size_t)(end - lines->text) : buffer->end - buffer->begin;
	buffer->begin += lines->length + (end != NULL);
	lines->text[lines->length] = '\0';
	if (lines->length && lines->text[lines->length - 1] == '\r')
		lines->text[--lines->length] = '\0';
	lines->number++;
	return true;
}

void trace_lines_close(struct trace_lines *lines)
{
	if (!lines->buffer)
		return;
	trace_stream_close(lines->buffer->stream);
	free(lines->buffer);
	lines->buffer = NULL;
}

/* Prints the line below a message; of a long line only the part around the position. */
static void print_line(FILE *file, const struct trace_lines *lines, const char *at)
{
	size_t column = (size_t)(at - lines->text), from = column > SHOWN / 2 ? column - SHOWN / 2 : 0;
	size_t shown = lines->length - from < SHOWN ? lines->length - from : SHOWN;
	fprintf(file, "%5" PRIu64 " | ", lines->number);
	for (size_t i = from; i < from + shown; i++)
		fputc(lines->text[i] >= ' ' && lines->text[i] <= '~' ? lines->text[i] : ' ', file);
	fprintf(file, "\n      | %*s^\n", (int)(column - from), "");
}

static char *message(const struct trace_lines *lines, const char *kind, const char *at, const char *format,
                     va_list arguments)
{
	char *text = NULL;
	size_t length;
	FILE *file = open_memstream(&text, &length);
	fprintf(file, "%s:%" PRIu64 ":", lines->name, lines->number);
	if (at)
		fprintf(file, "%zu:", (size_t)(at - lines->text) + 1);
	fprintf(file, " %s: ", kind);
	vfprintf(file, format, arguments);
	fputc('\n', file);
	if (at)
		print_line(file, lines, at);
	fclose(file);
	return text;
}

void trace_error(const struct trace_lines *lines, struct diag *diag, const char *at, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	char *text = message(lines, "error", at, format, arguments);
	va_end(arguments);
	diag_append(diag, text, 1);
	free(text);
}
