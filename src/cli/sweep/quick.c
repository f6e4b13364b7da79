/* Builds a plan from the command line. */
#include "cli/sweep/sweep.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the number of bytes of a character that YAML refuses or reads as a line break; 0 for any other character. */
static size_t control_length(const char *text)
{
	const unsigned char *byte = (const unsigned char *)text;
	if (*byte < ' ' || *byte == 0x7f)
		return 1;
	if (*byte == 0xc2 && byte[1] >= 0x80 && byte[1] < 0xa0)
		return 2;
	return *byte == 0xe2 && byte[1] == 0x80 && (byte[2] == 0xa8 || byte[2] == 0xa9) ? 3 : 0;
}

static bool has_control(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (control_length(text + i))
			return true;
	return false;
}

/* Writes a text in YAML's double quotes, with escapes. */
static void put_escaped(FILE *file, const char *text, size_t length)
{
	fputc('"', file);
	for (size_t i = 0, control; i < length; i += control ? control : 1) {
		control = control_length(text + i);
		if (control)
			fprintf(file, "\\u%s%02x", control == 3 ? "20" : "00",
			        (unsigned char)text[i + control - 1] & (control == 3 ? 0x2fu : 0xffu));
		else if (text[i] == '"' || text[i] == '\\')
			fprintf(file, "\\%c", text[i]);
		else
			fputc(text[i], file);
	}
	fputc('"', file);
}

/* Writes a text in YAML's single quotes, or escaped in double quotes if it has control characters: YAML folds lines in
 * single quotes. */
static void put_quoted(FILE *file, const char *text, size_t length)
{
	if (has_control(text, length)) {
		put_escaped(file, text, length);
		return;
	}
	fputc('\'', file);
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '\'')
			fputc('\'', file);
		fputc(text[i], file);
	}
	fputc('\'', file);
}

static FILE *begin_axis(struct quick *quick, const char *name)
{
	if (!quick->file)
		quick->file = open_memstream(&quick->axes, &quick->length);
	if (!quick->file)
		abort();
	fputs("  ", quick->file);
	put_quoted(quick->file, name, strlen(name));
	fputs(": [", quick->file);
	return quick->file;
}

void quick_axis(struct quick *quick, const char *option, const char *name, const char *values,
                const struct argp_state *state)
{
	FILE *file = begin_axis(quick, name);
	for (const char *at = values;; at++) {
		size_t length = strcspn(at, ",");
		if (!length)
			cli_usage(state, "%s: expected values separated by commas, not '%s'", option, values);
		put_quoted(file, at, length);
		at += length;
		if (!*at)
			break;
		fputs(", ", file);
	}
	fputs("]\n", file);
}

void quick_assignment(struct quick *quick, const char *option, const char *text, const struct argp_state *state)
{
	const char *equals = strchr(text, '=');
	if (!equals || equals == text)
		cli_usage(state, "%s: expected KEY=VALUE,VALUE..., not '%s'", option, text);
	char *name = arena_string(&quick->study->programs.arena, text, (size_t)(equals - text));
	quick_axis(quick, option, name, equals + 1, state);
}

/* Returns the end of a mechanism with its options. */
static const char *mechanism_end(const char *text)
{
	bool has_options = false;
	for (;; text++) {
		size_t length = strcspn(text, ",+");
		has_options |= memchr(text, ':', length) != NULL;
		text += length;
		const char *next = text + 1;
		bool goes_on = *text == ',' && has_options && next[strcspn(next, "=:,+")] == '=';
		if (!goes_on)
			return text;
	}
}

void quick_mechanisms(struct quick *quick, const char *text, const struct argp_state *state)
{
	FILE *file = begin_axis(quick, "mechanisms");
	const char *at = text;
	fputc('[', file);
	for (;; at++) {
		const char *end = mechanism_end(at);
		if (end == at)
			cli_usage(state, "--mech: expected mechanisms separated by commas, not '%s'", text);
		put_quoted(file, at, (size_t)(end - at));
		at = end;
		if (!*at)
			break;
		fputs(*at == '+' ? ", " : "], [", file); /* continues the combination, or starts the next value */
	}
	fputs("]]\n", file);
}

char *quick_plan(struct quick *quick)
{
	char *text = NULL;
	size_t length = 0;
	FILE *file = open_memstream(&text, &length);
	if (!file)
		abort();
	fputs("title: Sweep\n", file);
	if (quick->metric) {
		fputs("metric: ", file);
		put_quoted(file, quick->metric, strlen(quick->metric));
		fputc('\n', file);
	}
	fputs("axes:\n", file);
	if (quick->file)
		fflush(quick->file);
	fputs(quick->axes ? quick->axes : "", file);
	if (quick->command) {
		fputs("  command: [[", file);
		for (char **word = quick->command; *word; word++) {
			if (word != quick->command)
				fputs(", ", file);
			put_quoted(file, *word, strlen(*word));
		}
		fputs("]]\n", file);
	}
	fclose(file);
	return text;
}
