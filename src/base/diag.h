/* diag: messages about the user's input, each with a location: file, line, column, the line itself and a caret.
 *
 * Messages are collected and not printed, so that a library user decides where they go. The rendered form is GNU's:
 *
 *     saxpy.ptx:12:9: error: unknown opcode 'fmaa'; expected an instruction
 *       12 |         fmaa.rn.f32 %f1, %f2, %f3, %f4;
 *          |         ^
 */
#ifndef SLUICE_BASE_DIAG_H
#define SLUICE_BASE_DIAG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A text that diagnostics point into. `text` need not end with NUL. */
struct diag_source {
	const char *name;
	const char *text;
	size_t length;
};

/* A location in a source. Lines and columns count from 1, columns in bytes. Line 0: the whole file. */
struct diag_place {
	uint32_t line, column;
};

/* The location of a byte. */
struct diag_place diag_place_of(const struct diag_source *source, size_t offset);

/* Collected messages. Zero-initialize; diag_free() afterwards. */
struct diag {
	char *text; /* all messages, rendered, NUL-terminated; NULL: none */
	size_t length, capacity;
	uint32_t errors;
	uint32_t limit; /* maximum number of stored messages before "too many errors"; 0: 20 */
};

__attribute__((format(printf, 4, 5))) void diag_error(struct diag *diag, const struct diag_source *source,
                                                      struct diag_place place, const char *format, ...);
/* A message without a source: "sluice: error: ..." */
__attribute__((format(printf, 2, 3))) void diag_plain(struct diag *diag, const char *format, ...);

/* Replaces control characters, except line ends and tabs, by '?': names from outside must not control the terminal. */
void diag_hide_controls(char *text);

/* Replaces line ends too: in a name, which is part of a line. */
void diag_hide_all(char *text);

/* Formats a message, and replaces its control characters by '?'. A line end that a value brings into the line is
 * replaced too; the format may have its own, and "%s" takes a whole message. From malloc. */
__attribute__((format(printf, 1, 0))) char *diag_format(const char *format, va_list arguments);

/* Prints "PREFIX: ..." on standard error, formatted by diag_format(). */
__attribute__((format(printf, 2, 3))) void diag_say(const char *prefix, const char *format, ...);
/* Prints a further line of such a message, indented. */
__attribute__((format(printf, 1, 2))) void diag_continue(const char *format, ...);
__attribute__((format(printf, 2, 0))) void diag_say_list(const char *prefix, const char *format, va_list arguments);

/* A rendered message without the leading "sluice: error: ", for callers that prepend their own location. */
const char *diag_bare(const char *text);

/* Appends messages that another diag has rendered. `text` may be NULL; `errors` of them are errors. */
void diag_append(struct diag *diag, const char *text, uint32_t errors);

/* Removes all messages added since `before`, an earlier copy of the struct. Use it for messages that follow from a
 * mistake with its own message. */
void diag_take_back(struct diag *diag, const struct diag *before);

void diag_free(struct diag *diag);

#endif
