/* preprocess: runs the compiler's preprocessor on a CUDA source and reports its messages.
 *
 * libclang 14 does not return an operator's kind. It must be read from the text, which matches the syntax tree only
 * after macro expansion.
 */
#include "cuda_source/private.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MOST_FLAGS = 256 };

/* Returns the content of an open file, allocated by malloc, with a terminating NUL. */
static char *read_all(int file, size_t *length)
{
	off_t size = lseek(file, 0, SEEK_END);
	char *text = base_malloc((size_t)size + 1);
	*length = 0;
	while (*length < (size_t)size) {
		ssize_t got = pread(file, text + *length, (size_t)size - *length, (off_t)*length);
		if (got <= 0)
			break;
		*length += (size_t)got;
	}
	text[*length] = '\0';
	return text;
}

/* Runs the compiler. Returns its exit status, or -1 with errno set when it could not be started. */
static int walk_compiler(const char *const *words, int out, int errors)
{
	posix_spawn_file_actions_t actions;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
	pid_t child;
	int status = 0, error = posix_spawnp(&child, words[0], &actions, NULL, (char *const *)words, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (error) {
		errno = error;
		return -1;
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void source_message(struct diag *diag, const char *name, struct diag_place place, const char *message)
{
	int file = open(name, O_RDONLY | O_CLOEXEC);
	size_t length = 0;
	char *text = file >= 0 ? read_all(file, &length) : NULL;
	diag_error(diag, &(struct diag_source){name, text ? text : "", length}, place, "%s", message);
	free(text);
	if (file >= 0)
		close(file);
}

/* Converts "a.cu:3:10: fatal error: ..." to a diagnostic. Other lines are ignored. */
static void report_line(struct diag *diag, char *line)
{
	char *message = strstr(line, ": error: ") ? strstr(line, ": error: ") : strstr(line, ": fatal error: ");
	if (!message)
		return;
	struct diag_place place = {0};
	*message = '\0';
	char *column = strrchr(line, ':');
	if (column) {
		place.column = (uint32_t)strtoul(column + 1, NULL, 10);
		*column = '\0';
		char *number = strrchr(line, ':');
		if (number) {
			place.line = (uint32_t)strtoul(number + 1, NULL, 10);
			*number = '\0';
		}
	}
	source_message(diag, line, place, strstr(message + 1, "error: ") + strlen("error: "));
}

static void report(struct diag *diag, const char *compiler, int status, char *messages)
{
	uint32_t before = diag->errors;
	char *rest = messages;
	for (char *line; (line = strsep(&rest, "\n"));)
		report_line(diag, line);
	if (diag->errors == before)
		diag_plain(diag, "%s ended with status %d", compiler, status);
}

/* clang's headers declare blockIdx.x and similar as properties, at which libclang 14 crashes. Members work instead. */
static void make_members(char *text)
{
	static const char property[] = "__declspec(property(get = __fetch_builtin_";
	for (char *at = text; (at = strstr(at, property));) {
		char *end = strstr(at, "))");
		if (!end)
			return;
		memset(at, ' ', (size_t)(end + 2 - at));
		at = end;
	}
}

char *source_preprocess(const char *file, const struct source_options *options, size_t *length, struct diag *diag)
{
	if (access(file, R_OK) != 0) {
		diag_plain(diag, "cannot read %s: %s", file, strerror(errno));
		return NULL;
	}
	char path[4096], include[4096];
	snprintf(path, sizeof path, "--cuda-path=%s/clang", options->toolkit);
	snprintf(include, sizeof include, "%s/include", options->toolkit);
	const char *words[MOST_FLAGS] = {options->compiler ? options->compiler : "clang++-14",
	                                 path,
	                                 "-nocudainc",
	                                 "-isystem",
	                                 include,
	                                 "-include",
	                                 "cuda_runtime.h",
	                                 "-Wno-unknown-cuda-version",
	                                 "--cuda-gpu-arch=sm_70",
	                                 "--cuda-device-only",
	                                 "-x",
	                                 "cuda",
	                                 "-w",
	                                 "-DSLUICE_ANALYZED",
	                                 "-E"};
	uint32_t count = 15;
	for (uint32_t i = 0; options->flags && options->flags[i] && count < MOST_FLAGS - 2; i++)
		words[count++] = options->flags[i];
	words[count] = file;

	int out = memfd_create("preprocessed", MFD_CLOEXEC), errors = memfd_create("messages", MFD_CLOEXEC);
	if (out < 0 || errors < 0) {
		diag_plain(diag, "cannot make a temporary file: %s", strerror(errno));
		return NULL;
	}
	char *text = NULL;
	int status = walk_compiler(words, out, errors);
	if (status == 0) {
		text = read_all(out, length);
		make_members(text);
	} else if (status < 0) {
		diag_plain(diag, "cannot start %s: %s", words[0], strerror(errno));
	} else {
		size_t size;
		char *messages = read_all(errors, &size);
		report(diag, words[0], status, messages);
		free(messages);
	}
	close(out);
	close(errors);
	return text;
}
