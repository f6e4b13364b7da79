/* Compiles a program of the papers on demand with `sluice cc`, as `make programs` would. */
#include "cli/programs/programs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns the path for the compiled program; false when its folder does not exist. */
static bool find_target(const struct program *program, char *path, size_t size)
{
	const char *own = getenv("SLUICE_PROGRAMS");
	char folder[PATH_MAX];
	int length;
	if (own && *own)
		length = snprintf(path, size, "%s/%s/%s", own, program->name, program->name);
	else if (cli_find_folder(program_binary_places, ".", folder))
		length = snprintf(path, size, "%s/%s", folder, program->name);
	else
		return false;
	return length > 0 && (size_t)length < size;
}

/* Runs `sluice cc`, which prints its own errors. Returns true on success. */
static bool compile(const char *source, const char *target)
{
	int status = -1;
	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		/* an installed program finds the runtime in its parent folder */
		execl("/proc/self/exe", "sluice", "cc", source, "-Wl,-rpath,$ORIGIN/..", "-o", target, (char *)NULL);
		_exit(CLI_CANNOT_RUN);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return child > 0 && status == 0;
}

char *programs_compiled(struct program_request *request, const struct program *program)
{
	char room[PATH_MAX], source[2 * PATH_MAX], target[2 * PATH_MAX], temporary[2 * PATH_MAX + 16];
	char *binary = program_request_binary(request, program);
	if (binary)
		return binary;
	snprintf(source, sizeof source, "%s/%s/%s.cu", programs_folder(room), program->name, program->name);
	if (access(source, R_OK) != 0 || !find_target(program, target, sizeof target)) {
		cli_error(request->name, "%s is not compiled, and cannot be: %s: %s", program->name, source,
		          strerror(errno));
		return NULL;
	}
	char *slash = strrchr(target, '/');
	*slash = '\0';
	if (access(target, W_OK) != 0) {
		cli_error(request->name,
		          "%s is not compiled, and cannot be: %s: %s; let the folder's owner compile it once, or name "
		          "a copy of %s in SLUICE_PROGRAMS",
		          program->name, target, strerror(errno), programs_folder(room));
		return NULL;
	}
	*slash = '/';
	cli_error(request->name, "compiling %s, once", program->name);
	/* written under a temporary name, so that no other process starts an incomplete file */
	snprintf(temporary, sizeof temporary, "%s.%d", target, (int)getpid());
	bool fine = compile(source, temporary);
	if (fine && rename(temporary, target) == 0)
		return program_request_binary(request, program);
	cli_error(request->name, "cannot make %s%s%s", target, fine ? ": " : "", fine ? strerror(errno) : "");
	unlink(temporary);
	return NULL;
}
