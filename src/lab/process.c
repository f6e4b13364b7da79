#include "lab/process.h"

#include "base/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Both outputs pass through files, so that neither can fill a pipe while the other is read. */
static char *take_output(FILE *file)
{
	char *text = NULL, bytes[4096];
	size_t length = 0, got;
	rewind(file);
	do {
		got = fread(bytes, 1, sizeof bytes, file);
		text = base_realloc(text, length + got + 1);
		memcpy(text + length, bytes, got);
		length += got;
	} while (got);
	text[length] = '\0';
	return text;
}

static void redirect(posix_spawn_file_actions_t *actions, int to, FILE *file)
{
	if (file)
		posix_spawn_file_actions_adddup2(actions, fileno(file), to);
	else
		posix_spawn_file_actions_addopen(actions, to, "/dev/null", O_WRONLY, 0);
}

static int wait_for(pid_t process)
{
	int status;
	while (waitpid(process, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int process_read(const char *const *words, char **printed, char **errors)
{
	FILE *out = printed ? tmpfile() : NULL, *err = errors ? tmpfile() : NULL;
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	pid_t process;
	int status = -1, error = (printed && !out) || (errors && !err) ? errno : 0;
	posix_spawn_file_actions_init(&actions);
	redirect(&actions, STDOUT_FILENO, out);
	redirect(&actions, STDERR_FILENO, err);
	/* a caller may have blocked signals to wait for them; the child must not inherit this */
	sigemptyset(&none);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	if (!error)
		error = posix_spawnp(&process, words[0], &actions, &attributes, (char **)words, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	if (!error)
		status = wait_for(process);
	if (printed)
		*printed = out ? take_output(out) : NULL;
	if (errors)
		*errors = err ? take_output(err) : NULL;
	if (out)
		fclose(out);
	if (err)
		fclose(err);
	errno = error;
	return status;
}
