#include "base/diag.h"

#include "base/arena.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	DEFAULT_LIMIT = 20,
	LINE_SHOWN = 160, /* maximum bytes shown of a source line */
	LINE_BEFORE = 60, /* bytes shown before the column in a longer line */
};

void diag_hide_controls(char *text)
{
	for (; *text; text++)
		if (iscntrl((unsigned char)*text) && *text != '\n' && *text != '\t')
			*text = '?';
}

void diag_hide_all(char *text)
{
	diag_hide_controls(text);
	while ((text = strchr(text, '\n')))
		*text = '?';
}

char *diag_format(const char *format, va_list arguments)
{
	va_list again;
	va_copy(again, arguments);
	int written = vsnprintf(NULL, 0, format, again);
	va_end(again);
	size_t length = written > 0 ? (size_t)written : 0;
	char *text = base_malloc(length + 1);
	*text = '\0';
	vsnprintf(text, length + 1, format, arguments);
	if (strcmp(format, "%s") == 0 || strchr(format, '\n'))
		diag_hide_controls(text);
	else
		diag_hide_all(text);
	return text;
}

void diag_say_list(const char *prefix, const char *format, va_list arguments)
{
	char *text = diag_format(format, arguments), *begin = base_strdup(prefix);
	diag_hide_all(begin);
	fprintf(stderr, "%s: %s\n", begin, text);
	free(begin);
	free(text);
}

void diag_say(const char *prefix, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	diag_say_list(prefix, format, arguments);
	va_end(arguments);
}

void diag_continue(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	char *text = diag_format(format, arguments);
	va_end(arguments);
	fprintf(stderr, "  %s\n", text);
	free(text);
}

__attribute__((format(printf, 2, 0))) static void append_list(struct diag *diag, const char *format, va_list arguments)
{
	char *text = diag_format(format, arguments);
	size_t added = strlen(text);
	if (diag->length + added + 1 > diag->capacity) {
		diag->capacity = 2 * (diag->length + added + 1);
		diag->text = base_realloc(diag->text, diag->capacity);
	}
	memcpy(diag->text + diag->length, text, added + 1);
	diag->length += added;
	free(text);
}

__attribute__((format(printf, 2, 3))) static void append(struct diag *diag, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	append_list(diag, format, arguments);
	va_end(arguments);
}

struct diag_place diag_place_of(const struct diag_source *source, size_t offset)
{
	struct diag_place place = {1, 1};
	for (size_t i = 0; i < offset && i < source->length; i++)
		place = source->text[i] == '\n' ? (struct diag_place){place.line + 1, 1}
		                                : (struct diag_place){place.line, place.column + 1};
	return place;
}

/* The bytes of one line, without its line end. */
static struct diag_source find_line(const struct diag_source *source, uint32_t line)
{
	const char *text = source->text, *end = source->text + source->length;
	for (; line > 1 && text < end; line--) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		text = newline ? newline + 1 : end;
	}
	const char *newline = text < end ? memchr(text, '\n', (size_t)(end - text)) : NULL;
	size_t length = (size_t)((newline ? newline : end) - text);
	if (length && text[length - 1] == '\r')
		length--;
	return (struct diag_source){source->name, text, length};
}

/* Appends the source line and the caret below it. Tabs are repeated and the later bytes of a UTF-8 character are
 * omitted, so that the caret is below its character on any terminal. */
static void append_excerpt(struct diag *diag, const struct diag_source *source, struct diag_place place)
{
	struct diag_source line = find_line(source, place.line);
	size_t column = place.column ? place.column - 1 : 0;
	if (column > line.length)
		column = line.length;
	size_t first = line.length > LINE_SHOWN && column > LINE_BEFORE ? column - LINE_BEFORE : 0;
	size_t shown = line.length - first < LINE_SHOWN ? line.length - first : LINE_SHOWN;
	const char *left_out = first ? "..." : "";

	int width = snprintf(NULL, 0, "%u", place.line);
	append(diag, "  %u | %s", place.line, left_out);
	for (size_t i = first; i < first + shown; i++) {
		unsigned char byte = (unsigned char)line.text[i];
		append(diag, "%c", byte < ' ' && byte != '\t' ? ' ' : byte);
	}
	append(diag, "%s\n", first + shown < line.length ? "..." : "");
	if (!place.column)
		return;
	append(diag, "  %*s | %*s", width, "", first ? 3 : 0, "");
	for (size_t i = first; i < column; i++) {
		unsigned char byte = (unsigned char)line.text[i];
		if ((byte & 0xc0) != 0x80)
			append(diag, "%c", byte == '\t' ? '\t' : ' ');
	}
	append(diag, "^\n");
}

__attribute__((format(printf, 4, 0))) static void report(struct diag *diag, const struct diag_source *source,
                                                         struct diag_place place, const char *format, va_list arguments)
{
	append(diag, "%s:", source->name);
	if (place.line && place.column)
		append(diag, "%u:%u:", place.line, place.column);
	else if (place.line)
		append(diag, "%u:", place.line);
	append(diag, " error: ");
	append_list(diag, format, arguments);
	append(diag, "\n");
	if (place.line)
		append_excerpt(diag, source, place);
}

/* Counts a message. False when the limit is exceeded and it must not be stored. */
static bool count_error(struct diag *diag)
{
	uint32_t limit = diag->limit ? diag->limit : DEFAULT_LIMIT;
	diag->errors++;
	if (diag->errors == limit + 1)
		append(diag, "sluice: too many errors; the others are not shown\n");
	return diag->errors <= limit;
}

void diag_error(struct diag *diag, const struct diag_source *source, struct diag_place place, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	if (count_error(diag))
		report(diag, source, place, format, arguments);
	va_end(arguments);
}

void diag_plain(struct diag *diag, const char *format, ...)
{
	static const struct diag_source sluice = {.name = "sluice"};
	va_list arguments;
	va_start(arguments, format);
	if (count_error(diag))
		report(diag, &sluice, (struct diag_place){0}, format, arguments);
	va_end(arguments);
}

const char *diag_bare(const char *text)
{
	static const char prefix[] = "sluice: error: ";
	return strncmp(text, prefix, sizeof prefix - 1) == 0 ? text + sizeof prefix - 1 : text;
}

void diag_append(struct diag *diag, const char *text, uint32_t errors)
{
	if (text)
		append(diag, "%s", text);
	diag->errors += errors;
}

void diag_take_back(struct diag *diag, const struct diag *before)
{
	diag->length = before->length;
	diag->errors = before->errors;
	if (diag->text)
		diag->text[diag->length] = '\0';
}

void diag_free(struct diag *diag)
{
	free(diag->text);
	*diag = (struct diag){.limit = diag->limit};
}
