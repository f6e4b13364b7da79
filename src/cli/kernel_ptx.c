#include "cli/kernel_ptx.h"

#include "cli/commands.h"
#include "lab/formula.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* 'sluice cc' in a process of its own, since it changes the environment and signals. */
static bool run_cc(const char *file, const char *output)
{
	char *words[] = {"sluice cc", "--ptx", (char *)file, "-o", (char *)output, NULL};
	int status;
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0)
		exit(command_cc(5, words));
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Compiles CUDA source into a temporary file, whose text it gives; NULL after a message. */
static char *compile(const char *command, const char *file, size_t *length)
{
	const char *folder = getenv("TMPDIR");
	char path[PATH_MAX];
	if (snprintf(path, sizeof path, "%s/sluice-ptx-XXXXXX", folder && *folder ? folder : "/tmp") >=
	    (int)sizeof path) {
		cli_error(command, "TMPDIR is too long");
		return NULL;
	}
	int handle = mkstemp(path);
	if (handle < 0) {
		cli_error(command, "cannot make %s: %s", path, strerror(errno));
		return NULL;
	}
	close(handle);
	char *text = NULL;
	if (run_cc(file, path) && !(text = cli_read_file(path, length)))
		cli_error(command, "cannot read %s: %s", path, strerror(errno));
	unlink(path);
	return text;
}

static char *read_text(const char *command, const char *file, size_t *length)
{
	size_t name = strlen(file);
	if (name > 3 && strcmp(file + name - 3, ".cu") == 0)
		return compile(command, file, length);
	char *text = cli_read_file(file, length);
	if (!text)
		cli_error(command, "cannot read %s: %s", file, strerror(errno));
	return text;
}

struct ptx_module *cli_read_ptx(const char *command, const char *file)
{
	size_t length;
	struct diag diag = {0};
	char *text = read_text(command, file, &length);
	struct ptx_module *module = text ? ptx_parse(file, text, length, &diag) : NULL;
	if (diag.text)
		fputs(diag.text, stderr);
	diag_free(&diag);
	free(text);
	return module;
}

const struct ptx_function *cli_find_kernel(const struct ptx_module *module, const char *name)
{
	for (const struct ptx_function *function = module->functions; function; function = function->next)
		if (function->is_entry && function->has_body && formula_kernel_is(function->name, name))
			return function;
	return NULL;
}
