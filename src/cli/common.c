#include "cli/commands.h"

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/edit_distance.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void cli_error(const char *command, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	char *text = diag_format(format, arguments);
	va_end(arguments);
	if (!strchr(format, '\n'))
		diag_hide_all(text);
	diag_say(command, "%s", text);
	free(text);
}

void cli_library_error(const char *command, const struct sluice_error *error)
{
	/* Diagnostics already name their file, or "sluice". */
	size_t length = strlen(error->message);
	if (strstr(error->message, ": error: "))
		fprintf(stderr, "%s%s", error->message, length && error->message[length - 1] == '\n' ? "" : "\n");
	else
		diag_say(command, "%s", error->message);
}

void cli_json_error(const char *path, int line, int column, const char *text)
{
	char *where;
	if (asprintf(&where, "%s:%d:%d", path, line, column) < 0)
		abort();
	diag_say(where, "error: not JSON: %s", text);
	free(where);
}

void cli_warnings(const char *command, const sluice_gpu *gpu)
{
	for (const char *line = sluice_warnings(gpu); line && *line;) {
		int length = (int)strcspn(line, "\n");
		cli_error(command, "warning: %.*s", length, line);
		line += length + (line[length] == '\n');
	}
}

void cli_add_option(struct cli_options *options, const char *assignment, const struct argp_state *state)
{
	const char *equals = strchr(assignment, '=');
	if (!equals || equals == assignment || strchr(assignment, '\n'))
		cli_usage(state, "-o: expected KEY=VALUE, not '%s'", assignment);
	cli_add_word(options, assignment);
}

void cli_add_word(struct cli_options *options, const char *word)
{
	options->list = base_realloc(options->list, (options->count + 2) * sizeof *options->list);
	options->list[options->count++] = word;
	options->list[options->count] = NULL;
}

const char *const cli_sizes[] = {"tiny", "small", "paper", NULL};

const char *cli_choice(const char *option, const char *value, const char *const *choices,
                       const struct argp_state *state)
{
	char known[128] = "";
	for (size_t i = 0; choices[i]; i++) {
		size_t length = strlen(known);
		if (strcmp(choices[i], value) == 0)
			return value;
		snprintf(known + length, sizeof known - length, "%s%s", i ? ", " : "", choices[i]);
	}
	cli_usage(state, "%s: expected one of %s, not '%s'", option, known, value);
	return NULL;
}

const char *cli_text(const char *option, const char *value, const struct argp_state *state)
{
	if (!*value)
		cli_usage(state, "%s: expected a value after it", option);
	return value;
}

int cli_unknown_word(const char *command, const char *expected, const char *word, const char *const *known)
{
	const char *nearest = NULL;
	uint32_t best = EDIT_DISTANCE_FAR;
	for (; *known; known++)
		if (edit_distance_is_nearer(word, *known, &best))
			nearest = *known;
	cli_error(command, "expected %s, not '%s'%s%s%s", expected, word, nearest ? "; did you mean '" : "",
	          nearest ? nearest : "", nearest ? "'?" : "");
	return CLI_USAGE;
}

/* Returns false when the text is not a whole number, or exceeds 64 bits. */
static bool read_number(const char *text, uint64_t *number)
{
	char *end;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return isdigit((unsigned char)*text) && !*end && !errno;
}

uint64_t cli_number(const char *option, const char *text, uint64_t least, const struct argp_state *state)
{
	uint64_t number;
	if (!read_number(text, &number) || number < least)
		cli_usage(state, "%s: expected a whole number of at least %" PRIu64 ", not '%s'", option, least, text);
	return number;
}

uint64_t cli_number_to(const char *option, const char *text, uint64_t least, uint64_t most,
                       const struct argp_state *state)
{
	uint64_t number = cli_number(option, text, least, state);
	if (number > most)
		cli_usage(state, "%s: expected a whole number from %" PRIu64 " to %" PRIu64 ", not '%s'", option, least,
		          most, text);
	return number;
}

char *cli_shell_word(const char *word)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./+,:@%=";
	if (*word && !word[strspn(word, plain)])
		return base_strdup(word);
	char *text = base_malloc(4 * strlen(word) + 3), *end = text;
	*end++ = '\'';
	for (; *word; word++)
		if (*word == '\'')
			end = stpcpy(end, "'\\''");
		else
			*end++ = *word;
	strcpy(end, "'");
	return text;
}

char *cli_read_file(const char *path, size_t *length)
{
	return strcmp(path, "-") == 0 ? file_read_stream(stdin, length) : file_read(path, length);
}

bool cli_find_folder(const char *const *places, const char *file, char *path)
{
	char program[PATH_MAX], candidate[2 * PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
	if (length <= 0)
		return false;
	program[length] = '\0';
	char *slash = strrchr(program, '/');
	if (!slash)
		return false;
	*slash = '\0';
	for (; *places; places++) {
		snprintf(candidate, sizeof candidate, "%s/%s/%s", program, *places, file);
		if (access(candidate, R_OK) != 0)
			continue;
		*strrchr(candidate, '/') = '\0';
		return realpath(candidate, path);
	}
	return false;
}

const char *cli_data_folder(const char *variable, const char *const *installed, const char *file, const char *source,
                            char *path)
{
	const char *own = getenv(variable);
	if (own && *own)
		return own;
	return cli_find_folder(installed, file, path) ? path : source;
}

bool cli_library_folder(char *path)
{
	/* In a build tree, in an installation. */
	static const char *const places[] = {"../toolkit/lib64", CLI_INSTALLED_LIBRARIES "/toolkit/lib64", NULL};
	return cli_find_folder(places, "libcudart.so", path);
}
